/*===- Calls.c - Calls as written by the user ---------------------*- C -*-===*\
|* Part of the SymShape project, under the Apache License v2.0 with LLVM     *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* See the header.                                                            *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#define _GNU_SOURCE
#include "Calls.h"
#include "Files.h"

#include <stdlib.h>
#include <string.h>

/* The number of the input that a spec names, or -1. */
static int findName(const char *spec, const Signature *signature) {
  const char *equals = strchr(spec, '=');
  size_t length = equals ? (size_t)(equals - spec) : strlen(spec);
  for (int i = 0; i < signature->numInputNames; ++i)
    if (strlen(signature->inputNames[i]) == length &&
        memcmp(signature->inputNames[i], spec, length) == 0)
      return i;
  return -1;
}

/* Whether a spec names an input that is not there; adds an error. TYPE=RULE has
   one sign of equality, and what begins with @ none; a rule is no type. */
static int refuseName(const char *spec, const Signature *signature,
                      Errors *errors) {
  const char *equals = strchr(spec, '=');
  if (*spec == '@' || !equals ||
      (equals[1] != '@' && !strchr(equals + 1, '=') && !isTypeText(equals + 1)))
    return 0;
  int length = (int)(equals - spec);
  if (!signature->numInputNames)
    return !addError(errors, statusBadInput,
                     "expected inputs without names, in order, but got '%.*s='",
                     length, spec);
  char *names = makeText("%s", signature->inputNames[0]);
  for (int i = 1; i < signature->numInputNames; ++i) {
    char *longer = makeText("%s, %s", names, signature->inputNames[i]);
    free(names);
    names = longer;
  }
  addError(errors, statusBadInput,
           "expected the name of an input (%s), but got '%.*s'", names, length,
           spec);
  free(names);
  return 1;
}

/* Brings specs, some of which say which input they are for, into order. Returns
   how many there are, or -1 and an error. `slots` has room for all. */
static int orderSpecs(const char **specs, int count, const char **slots,
                      const Signature *signature, Errors *errors) {
  int numNames = signature->numInputNames, numOthers = 0;
  for (int i = 0; i < count; ++i) {
    int name = findName(specs[i], signature);
    if (name < 0) {
      specs[numOthers++] = specs[i];
      continue;
    }
    if (slots[name]) {
      addError(errors, statusBadInput,
               "expected each input once, but got '%s' twice",
               signature->inputNames[name]);
      return -1;
    }
    const char *equals = strchr(specs[i], '=');
    slots[name] = equals ? equals + 1 : "";
  }
  for (int i = 0; i < numOthers; ++i)
    if (refuseName(specs[i], signature, errors))
      return -1;
  int isByName = numOthers < count, next = 0, used = 0;
  for (int i = 0; isByName && i < numNames; ++i) {
    if (!slots[i] && next == numOthers) {
      addError(errors, statusBadInput, "expected an input for '%s'",
               signature->inputNames[i]);
      return -1;
    }
    if (!slots[i])
      slots[i] = specs[next++];
    used = i + 1;
  }
  while (next < numOthers)
    slots[used++] = specs[next++];
  return used;
}

void addCall(Calls *calls, const char **specs, int count,
             const Signature *signature, Errors *errors) {
  size_t room = (size_t)(count + signature->numInputNames);
  const char **slots = allocate(room * sizeof(*slots));
  int number = orderSpecs(specs, count, slots, signature, errors);
  CallSpec call = {NULL, number < 0 ? 0 : number};
  call.inputs = allocate((size_t)call.count * sizeof(*call.inputs));
  for (int i = 0; i < call.count; ++i)
    (void)parseInputSpec(slots[i], &call.inputs[i], errors);
  free(slots);
  calls->list =
      growMemory(calls->list, (size_t)(calls->count + 1) * sizeof(CallSpec));
  calls->list[calls->count++] = call;
}

/* The words of a line, which it is cut into; blanks in brackets are part of
   one. `*count` of them, to be freed. */
static const char **splitWords(char *line, int *count) {
  static const char blanks[] = " \t\n\v\f\r";
  const char **words = NULL;
  *count = 0;
  for (char *word = line + strspn(line, blanks); *word;
       word += strspn(word, blanks)) {
    words = growMemory(words, (size_t)(*count + 1) * sizeof(*words));
    words[(*count)++] = word;
    for (int64_t depth = 0; *word; ++word) {
      depth += (*word == '[') - (*word == ']');
      if (depth <= 0 && strchr(blanks, *word)) {
        *word++ = 0;
        break;
      }
    }
  }
  return words;
}

void readCalls(Calls *calls, const char *path, const Signature *signature,
               Errors *errors) {
  File file;
  if (!readFile(path, /*isInputAllowed=*/1, &file, errors))
    return;
  calls->text = allocate(file.size + 1);
  memcpy(calls->text, file.data, file.size);
  closeFile(&file);
  char first = calls->text[strspn(calls->text, " \t\n\v\f\r")];
  if (first == '[' || first == '{') {
    addError(errors, statusBadInput,
             "expected a call on each line, such as 2x3xf32=iota i64=5, but "
             "'%s' is JSON",
             path);
    return;
  }
  int number = 0;
  for (char *line = calls->text, *next; line; line = next) {
    next = strchr(line, '\n');
    if (next)
      *next++ = 0;
    ++number;
    int count;
    const char **words = splitWords(line, &count);
    size_t before = errors->count;
    if (count)
      addCall(calls, words, count, signature, errors);
    prefixErrors(errors, before, "%s:%d: ", path, number);
    free(words);
  }
}

void freeCalls(Calls *calls) {
  for (int i = 0; i < calls->count; ++i)
    free(calls->list[i].inputs);
  free(calls->list);
  free(calls->text);
  *calls = (Calls){NULL, 0, NULL};
}

char *makeOutputPath(const char *pattern, int call) {
  static const char mark[] = "{call}";
  char *path = makeText("%s", "");
  for (const char *rest = pattern, *found; rest; rest = found) {
    found = strstr(rest, mark);
    char *longer =
        found ? makeText("%s%.*s%d", path, (int)(found - rest), rest, call)
              : makeText("%s%s", path, rest);
    free(path);
    path = longer;
    found = found ? found + strlen(mark) : NULL;
  }
  return path;
}

/* Whether a call before writes the file. */
static int isWritten(char *const *written, int count, const char *path) {
  for (int i = 0; i < count; ++i)
    if (strcmp(written[i], path) == 0)
      return 1;
  return 0;
}

/* Inputs that cannot be read, or do not fit. */
static void checkCallInputs(const CallSpec *call, const Signature *signature,
                            char *const *written, int numWritten,
                            Errors *errors) {
  Tensor *types = allocate((size_t)call->count * sizeof(*types));
  const Tensor **inputs = allocate((size_t)call->count * sizeof(*inputs));
  for (int i = 0; i < call->count; ++i) {
    const InputSpec *spec = &call->inputs[i];
    if (spec->path && isWritten(written, numWritten, spec->path))
      continue;
    if (loadInput(spec, /*withData=*/0, &types[i], errors))
      inputs[i] = &types[i];
  }
  checkInputs(signature, inputs, call->count, errors);
  free(inputs);
  free(types);
}

void checkCalls(const Calls *calls, const Signature *signature,
                const char *const *outputs, int numOutputs, Errors *errors) {
  if (numOutputs > signature->numResults)
    addError(errors, statusBadInput,
             "@%s: expected at most %d outputs, but got %d", signature->name,
             signature->numResults, numOutputs);
  size_t room = (size_t)calls->count * (size_t)numOutputs;
  char **written = allocate(room * sizeof(*written));
  int numWritten = 0;
  for (int number = 0; number < calls->count; ++number) {
    size_t before = errors->count;
    checkCallInputs(&calls->list[number], signature, written, numWritten,
                    errors);
    for (int i = 0; i < numOutputs; ++i) {
      char *path = makeOutputPath(outputs[i], number);
      checkWritable(path, errors);
      written[numWritten++] = path;
    }
    if (calls->count > 1)
      suffixErrors(errors, before, ", in call %d", number);
  }
  while (numWritten > 0)
    free(written[--numWritten]);
  free(written);
}
