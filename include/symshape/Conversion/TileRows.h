//===- TileRows.h - Rows of a register tile ---------------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_CONVERSION_TILEROWS_H
#define SYMSHAPE_CONVERSION_TILEROWS_H

#include <cstdint>

namespace mlir::symshape {

/// The most rows of a register tile: those whose sums, `vectors` >= 1 for each
/// row, fit in `registers` vector registers beside one row of B, one element of
/// A and, without `fma`, one product. From 1 to 14.
int64_t getTileRows(int64_t registers, int64_t vectors, bool fma);

} // namespace mlir::symshape

#endif // SYMSHAPE_CONVERSION_TILEROWS_H
