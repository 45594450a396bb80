/*===- Errors.c - What is wrong, and the exit status --------------*- C -*-===*\
|* Part of the SymShape project, under the Apache License v2.0 with LLVM     *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* See the header.                                                            *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#define _GNU_SOURCE
#include "Errors.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* More than one mends at a time. */
enum { mostToldErrors = 20 };

static void checkMemory(const void *memory) {
  if (memory)
    return;
  fputs("error: out of memory\n", stderr);
  _Exit(statusBadInput);
}

void *allocate(size_t bytes) {
  void *memory = calloc(1, bytes ? bytes : 1);
  checkMemory(memory);
  return memory;
}

void *growMemory(void *memory, size_t bytes) {
  memory = realloc(memory, bytes ? bytes : 1);
  checkMemory(memory);
  return memory;
}

static char *formatText(const char *format, va_list values) {
  char *text = NULL;
  if (vasprintf(&text, format, values) < 0)
    text = NULL;
  checkMemory(text);
  return text;
}

char *makeText(const char *format, ...) {
  va_list values;
  va_start(values, format);
  char *text = formatText(format, values);
  va_end(values);
  return text;
}

int addError(Errors *errors, int status, const char *format, ...) {
  va_list values;
  va_start(values, format);
  char *text = formatText(format, values);
  va_end(values);
  errors->list =
      growMemory(errors->list, (errors->count + 1) * sizeof(Failure));
  errors->list[errors->count++] = (Failure){status, text};
  return 0;
}

/* Takes over `added`. */
static void extendErrors(Errors *errors, size_t from, char *added,
                         int isBefore) {
  for (size_t i = from; i < errors->count; ++i) {
    char *old = errors->list[i].text;
    errors->list[i].text =
        makeText("%s%s", isBefore ? added : old, isBefore ? old : added);
    free(old);
  }
  free(added);
}

void prefixErrors(Errors *errors, size_t from, const char *format, ...) {
  va_list values;
  va_start(values, format);
  extendErrors(errors, from, formatText(format, values), /*isBefore=*/1);
  va_end(values);
}

void suffixErrors(Errors *errors, size_t from, const char *format, ...) {
  va_list values;
  va_start(values, format);
  extendErrors(errors, from, formatText(format, values), /*isBefore=*/0);
  va_end(values);
}

void freeErrors(Errors *errors) {
  for (size_t i = 0; i < errors->count; ++i)
    free(errors->list[i].text);
  free(errors->list);
  *errors = (Errors){NULL, 0};
}

int reportErrors(Errors *errors) {
  int status = 0;
  for (size_t i = 0; i < errors->count; ++i) {
    Failure failure = errors->list[i];
    if (status == 0 || failure.status == statusBadInput)
      status = failure.status;
    if (i < mostToldErrors)
      fprintf(stderr, "error: %s%s\n",
              failure.status == statusGuardFailed ? "symshape: " : "",
              failure.text);
  }
  if (errors->count > mostToldErrors)
    fprintf(stderr, "note: and %zu more errors\n",
            errors->count - mostToldErrors);
  freeErrors(errors);
  return status;
}
