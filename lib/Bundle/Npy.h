/*===- Npy.h - Files of NumPy's .npy format -----------------------*- C -*-===*\
|* Part of the SymShape project, under the Apache License v2.0 with LLVM     *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* As symshape-run reads and writes them (symshape/Execution/Npy.h).          *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef SYMSHAPE_BUNDLE_NPY_H
#define SYMSHAPE_BUNDLE_NPY_H

#include "Tensor.h"

/* Reads an array, or, without `withData`, its type and extents alone. Returns
   1, or 0 and an error that names the path. */
int readNpy(const char *path, int withData, Tensor *tensor, Errors *errors);

/* Returns 1, or 0 and an error that names the path. */
int writeNpy(const char *path, const Tensor *tensor, Errors *errors);

#endif /* SYMSHAPE_BUNDLE_NPY_H */
