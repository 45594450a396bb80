//===- Contraction.h - What a contraction is made of ------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The roles of operands and dimensions of a contraction, and its packed right
// operand. Not for: the loop nest (LowerContractions.cpp).
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_CONVERSION_CONTRACTION_H
#define SYMSHAPE_LIB_CONVERSION_CONTRACTION_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::symshape {

/// C[outer, m, n] = init + sum over `reductions` of A[..] * B[..].
///
/// Invariants: `n` is the last dimension of C and a dimension of B, not of A;
/// `m` is one of C and A, not of B; the maps are projected permutations.
struct Contraction {
  linalg::LinalgOp op;
  OpOperand *rowOperand = nullptr;    ///< A, read element by element
  OpOperand *columnOperand = nullptr; ///< B, read in vectors along `n`
  AffineMap rowMap, columnMap, resultMap;
  unsigned m = 0, n = 0;
  SmallVector<unsigned> outer;      ///< other parallel dimensions
  SmallVector<unsigned> reductions; ///< in loop order
  SmallVector<int64_t> extents;     ///< per loop, or ShapedType::kDynamic

  /// The extent of loop `dim`, from the operand that has it.
  Value getSize(OpBuilder &builder, unsigned dim) const;
  /// True if neighbouring columns are neighbours in B.
  bool hasContiguousColumns() const;
};

/// The roles in an `f32` contraction; fails where it has no such form.
FailureOr<Contraction> matchContraction(linalg::LinalgOp op);

/// Panels of columns: `panelWidth` columns in vectors of `vectorWidth` lanes.
struct ColumnTiling {
  int64_t panelWidth;
  int64_t vectorWidth;
  bool isPacked;  ///< B is copied into zero-padded panels first
  bool isBounded; ///< the last panel may have fewer columns than it holds
};

/// `vectorLanes`: f32 lanes of a register.
ColumnTiling chooseColumnTiling(const Contraction &contraction,
                                int64_t vectorLanes);

/// B in panels: a tensor [other dims of B, panel, reductions of B, column], its
/// last dimension `panelWidth`. Columns past the end hold values that do not
/// matter; the innermost reduction is rounded up to whole vectors if B is
/// transposed.
Value packColumns(OpBuilder &builder, Location loc,
                  const Contraction &contraction, const ColumnTiling &tiling);

/// The dims of the packed B before its panel dimension.
SmallVector<unsigned> getPackedOuterDims(const Contraction &contraction);
/// The dims of the packed B after its panel dimension.
SmallVector<unsigned> getPackedReductions(const Contraction &contraction);

/// Nested scf.for from 0 to `sizes`, carrying `init`; `body` returns the next
/// value.
Value buildLoops(OpBuilder &builder, Location loc, ValueRange sizes, Value init,
                 function_ref<Value(OpBuilder &, ValueRange, Value)> body);

/// ceil(size / divisor) for size >= 0, divisor > 0.
Value ceilDiv(OpBuilder &builder, Location loc, Value size, int64_t divisor);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_CONVERSION_CONTRACTION_H
