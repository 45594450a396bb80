/*===- InputSpec.h - Inputs described in text ---------------------*- C -*-===*\
|* Part of the SymShape project, under the Apache License v2.0 with LLVM     *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* The little language of --input: a file, or a type and a rule that fills    *|
|* it; docs and numbers are those of symshape/Execution/InputSpec.h.          *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef SYMSHAPE_BUNDLE_INPUTSPEC_H
#define SYMSHAPE_BUNDLE_INPUTSPEC_H

#include "Tensor.h"

typedef enum InputRule {
  ruleFile,
  ruleRandom,
  ruleZeros,
  ruleIota,
  ruleValues,
} InputRule;

/* One input as written by the user. */
typedef struct InputSpec {
  InputRule rule;
  const char *path;   /* within the text; NULL unless it is a file */
  const char *values; /* likewise; NULL unless they are given */
  Tensor type;        /* without elements */
  uint64_t seed;
  double low, high;        /* floats */
  int64_t lowInt, highInt; /* integers */
} InputSpec;

/* Reads `text`, which must live as long as the spec. Returns 1, or 0 and an
   error that names the part that is wrong. */
int parseInputSpec(const char *text, InputSpec *spec, Errors *errors);

/* Whether `text` is a type without a rule, such as 2x3xf32. */
int isTypeText(const char *text);

/* The tensor, or, without `withData`, its type and extents alone. Returns 1, or
   0 and an error. */
int loadInput(const InputSpec *spec, int withData, Tensor *tensor,
              Errors *errors);

#endif /* SYMSHAPE_BUNDLE_INPUTSPEC_H */
