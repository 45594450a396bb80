/*===- Weights.h - Weight files -----------------------------------*- C -*-===*\
|* Part of the SymShape project, under the Apache License v2.0 with LLVM     *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* Reads .safetensors files: a JSON header and raw little-endian data. The    *|
|* file is mapped.                                                            *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef SYMSHAPE_BUNDLE_WEIGHTS_H
#define SYMSHAPE_BUNDLE_WEIGHTS_H

#include "Files.h"
#include "Json.h"
#include "Tensor.h"

/* The tensors of one file, by name. */
typedef struct Weights {
  File file;
  Json *header; /* NULL: there is no file */
  const char *data;
  uint64_t dataBytes;
} Weights;

/* Maps the file and reads its header. Returns 1, or 0 and an error that begins
   with the path. */
int openWeights(const char *path, Weights *weights, Errors *errors);
void closeWeights(Weights *weights);

/* The tensor of this name, whose data is that of the file where it may be.
   Returns 1, or 0 and an error. */
int findWeight(const Weights *weights, const char *name, Tensor *tensor,
               Errors *errors);

/* Lets go of the memory that holds the file; what is read again is loaded
   again. */
void releaseWeightPages(const Weights *weights);

#endif /* SYMSHAPE_BUNDLE_WEIGHTS_H */
