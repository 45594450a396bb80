/*===- Bundle.h - A folder with a compiled program ----------------*- C -*-===*\
|* Part of the SymShape project, under the Apache License v2.0 with LLVM     *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* What symshape-run --save-bundle has written, found whole and unchanged.    *|
|* Not for: calling it (Program.h).                                           *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef SYMSHAPE_BUNDLE_BUNDLE_H
#define SYMSHAPE_BUNDLE_BUNDLE_H

#include "Files.h"
#include "Signature.h"
#include "Weights.h"

/* What is in the folder. */
typedef struct Bundle {
  const char *folder;
  Json *manifest;
  Signature signature;
  File code;       /* program.o */
  Weights weights; /* without a header where the bundle holds none */
  int isForGPU;
  int isParallel; /* a call can use several threads */
} Bundle;

enum { bundleVersion = 2 };

/* Reads what the manifest lists, but for kernels, and checks that it is whole,
   and that this machine can run it. `folder` must live as long as the bundle.
   Returns 1, or 0 and one error. */
int openBundle(const char *folder, Bundle *bundle, Errors *errors);

/* Processor.c: an error unless this machine has the instructions that the code
   uses. */
int checkProcessor(const Bundle *bundle, Errors *errors);

/* The kernels: PTX that ends in a 0 for the capability 0, else a cubin for this
   capability (80 is sm_80), if the bundle holds one. To be freed. NULL if there
   are none, and with an error if they cannot be read. */
char *readKernels(const Bundle *bundle, int64_t capability, Errors *errors);

void closeBundle(Bundle *bundle);

#endif /* SYMSHAPE_BUNDLE_BUNDLE_H */
