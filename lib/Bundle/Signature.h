/*===- Signature.h - What an entry function exchanges -------------*- C -*-===*\
|* Part of the SymShape project, under the Apache License v2.0 with LLVM     *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* Reads the file signature.json of a bundle, and checks tensors against it   *|
|* as symshape-run does (symshape/Execution/Signature.h).                     *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef SYMSHAPE_BUNDLE_SIGNATURE_H
#define SYMSHAPE_BUNDLE_SIGNATURE_H

#include "Json.h"
#include "Tensor.h"

/* A tensor of fixed rank, or a scalar. */
typedef struct ValueSignature {
  const char *name;     /* as spelled in messages */
  const char *typeText; /* e.g. `tensor<?x64xf32>` */
  const char *weight;   /* the name of what binds the argument, or NULL */
  int isTensor;
  int isSignless; /* an integer that is read as signed or unsigned */
  int valueBits;  /* that values may have, where these are fewer than those of
                     the type; else 0 */
  ElementType type;
  int rank;
  int64_t extents[maxRank]; /* negative where they are dynamic */
  const Json *declared;     /* the texts of extents, or NULL */
} ValueSignature;

typedef struct Signature {
  const char *name; /* of the function, without `@` */
  ValueSignature *arguments, *results;
  int numArguments, numResults;
  int numInputs; /* arguments that are not weights */
  /* The names of the inputs of a model, in order. */
  const char **inputNames;
  int numInputNames;
  Json *text; /* that holds all of these */
} Signature;

/* Takes over `text`, which may be NULL. Returns 1, or 0 and an error. */
int readSignature(Json *text, Signature *signature, Errors *errors);

void freeSignature(Signature *signature);

/* All of a value that a call rests on, as ValueSignature::getRecord writes it
   into the code. To be freed. */
char *recordValue(const ValueSignature *value);

/* Whether `tensor` may be passed as `argument`: a wrong element type, rank or
   value is a bad input, an extent that contradicts the type a failed guard. */
void checkArgument(const Signature *signature, const ValueSignature *argument,
                   const Tensor *tensor, Errors *errors);

/* Whether a call may pass these tensors for the arguments that are not weights;
   of those that are NULL nothing is known. Types come before extents. */
void checkInputs(const Signature *signature, const Tensor *const *inputs,
                 int count, Errors *errors);

#endif /* SYMSHAPE_BUNDLE_SIGNATURE_H */
