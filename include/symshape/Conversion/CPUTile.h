//===- CPUTile.h - Register tiles of CPUs -----------------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the lowering for CPUs has chosen, on contractions and on functions.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_CONVERSION_CPUTILE_H
#define SYMSHAPE_CONVERSION_CPUTILE_H

#include "symshape/Conversion/KernelOps.h"

#include "symshape/Conversion/CPUDialect.h.inc"
#include "symshape/Conversion/CPUEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "symshape/Conversion/CPUAttrs.h.inc"

namespace mlir::symshape {

/// Null where no CPU has chosen a tile.
inline TileAttr findTile(ContractOp op) {
  return llvm::dyn_cast_or_null<TileAttr>(op.getTileAttr());
}

/// The most rows of a register tile: those whose sums, `vectors` >= 1 for each
/// row, fit in `registers` vector registers beside one row of B, one element of
/// A and, without `fma`, one product. From 1 to 14.
int64_t getTileRows(int64_t registers, int64_t vectors, bool fma);

/// On an LLVM function: a feature of the CPU, with a `+`, that its code may use
/// though LLVM is not told of it otherwise.
inline constexpr llvm::StringLiteral kNeededFeatures =
    "symshape.needed_features";

} // namespace mlir::symshape

#endif // SYMSHAPE_CONVERSION_CPUTILE_H
