//===- ContractionKernel.h - One register tile ------------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The function that multiplies one tile, shared by the contractions of a
// module. Private to Conversion. Not for: the loops around it
// (LowerContractions).
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_CONVERSION_CONTRACTIONKERNEL_H
#define SYMSHAPE_LIB_CONVERSION_CONTRACTIONKERNEL_H

#include "symshape/IR/SymShape.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::symshape {

/// What a tile function depends on; everything else is an argument.
struct TileKernel {
  TileKernel(ContractOp op, int64_t vectorBits, int64_t registers, bool fma);

  Type lhs, rhs, sum; ///< element types
  int64_t lanes;      ///< sums in a vector register
  int64_t width;      ///< columns, a multiple of `lanes`
  int64_t registers;  ///< vector registers
  bool fma;

  /// The most rows whose sums fit in the registers beside one row of B, one
  /// element of A and, without `fma`, one product.
  int64_t getMaxRows() const;

  /// The same with the widest rows of which two fit in the registers.
  TileKernel widened() const;

  /// The function in `module`, created where it is missing:
  ///   (rows, a, aRow, aTerm, b, bTerm, terms, c, cRow, columns, accumulate)
  /// c[i * cRow + j] = sum over k of a[i * aRow + k * aTerm] * b[k * bTerm + j]
  /// for i < rows, 1 <= rows <= getMaxRows(), and j < columns <= width, added
  /// to what c holds if `accumulate`. Pointers are bare, strides count
  /// elements. Reads `width` elements of b per term, whatever `columns` is.
  func::FuncOp getOrCreate(Operation *module) const;

  /// The value of `callCostName` for the function: vectors times rows times
  /// terms.
  SmallVector<int64_t> getCallCost() const;
};

/// The tile for as many rows as it holds, beside `kernel` for more: a row or
/// two of sums cost nothing but the reading of B, which is fastest in long
/// runs. nullopt where `op` has no use for one.
std::optional<TileKernel> getTileForFewRows(ContractOp op,
                                            const TileKernel &kernel);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_CONVERSION_CONTRACTIONKERNEL_H
