//===- TileRows.cpp - Rows of a register tile -----------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "symshape/Conversion/TileRows.h"
#include <algorithm>

int64_t mlir::symshape::getTileRows(int64_t registers, int64_t vectors,
                                    bool fma) {
  int64_t rows = (registers - vectors - (fma ? 1 : 2)) / vectors;
  return std::clamp<int64_t>(rows, 1, 14);
}
