/*===- Errors.h - What is wrong, and the exit status --------------*- C -*-===*\
|* Part of the SymShape project, under the Apache License v2.0 with LLVM     *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* Errors are collected, so that all that is wrong is told at once, as        *|
|* symshape-run does.                                                         *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef SYMSHAPE_BUNDLE_ERRORS_H
#define SYMSHAPE_BUNDLE_ERRORS_H

#include <stddef.h>

/* Why something failed: the exit statuses of symshape-run. */
enum {
  statusCannotRun = 1, /* no device, or a processor that lacks instructions */
  statusBadInput = 2,
  statusGuardFailed = 3,
  statusInternal = 70,
};

typedef struct Failure {
  int status;
  char *text;
} Failure;

/* All zero: nothing is wrong. */
typedef struct Errors {
  Failure *list;
  size_t count;
} Errors;

#define PRINTF_LIKE(template, first)                                           \
  __attribute__((format(printf, template, first)))

/* Adds an error. Returns 0, for functions that return 1 for success. */
int addError(Errors *errors, int status, const char *format, ...)
    PRINTF_LIKE(3, 4);

/* Puts text before each error from number `from` on. */
void prefixErrors(Errors *errors, size_t from, const char *format, ...)
    PRINTF_LIKE(3, 4);

/* Puts text after each error from number `from` on. */
void suffixErrors(Errors *errors, size_t from, const char *format, ...)
    PRINTF_LIKE(3, 4);

/* Prints errors to standard error, and forgets them. Returns the exit status:
   that of a wrong input, if there is one, else that of the first error; 0 if
   there is none. */
int reportErrors(Errors *errors);

/* Forgets errors. */
void freeErrors(Errors *errors);

/* Memory, which may be NULL only for no bytes at all: without any, the process
   ends with a message. */
void *allocate(size_t bytes);
void *growMemory(void *memory, size_t bytes);

/* Text in memory to be freed. */
char *makeText(const char *format, ...) PRINTF_LIKE(1, 2);

#endif /* SYMSHAPE_BUNDLE_ERRORS_H */
