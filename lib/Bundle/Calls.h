/*===- Calls.h - Calls as written by the user ---------------------*- C -*-===*\
|* Part of the SymShape project, under the Apache License v2.0 with LLVM     *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* The calls to make, and what is wrong with them before the first is made.   *|
|* Not for: making them.                                                      *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef SYMSHAPE_BUNDLE_CALLS_H
#define SYMSHAPE_BUNDLE_CALLS_H

#include "InputSpec.h"
#include "Signature.h"

/* What is passed for each argument that is no weight. */
typedef struct CallSpec {
  InputSpec *inputs;
  int count;
} CallSpec;

typedef struct Calls {
  CallSpec *list;
  int count;
  char *text; /* that the inputs refer to, or NULL */
} Calls;

/* Adds one call. A spec that begins with the name of an input and `=` is for
   that input, the others fill the rest in order. `specs` are changed. */
void addCall(Calls *calls, const char **specs, int count,
             const Signature *signature, Errors *errors);

/* The calls of a file (`-`: of standard input): inputs separated by blanks, one
   call per line; empty lines are skipped. */
void readCalls(Calls *calls, const char *path, const Signature *signature,
               Errors *errors);

void freeCalls(Calls *calls);

/* Checks inputs and outputs of all calls against the signature. Files that a
   call writes need not exist yet for those after it. */
void checkCalls(const Calls *calls, const Signature *signature,
                const char *const *outputs, int numOutputs, Errors *errors);

/* The path of an output, in which `{call}` is the number of the call. To be
   freed. */
char *makeOutputPath(const char *pattern, int call);

#endif /* SYMSHAPE_BUNDLE_CALLS_H */
