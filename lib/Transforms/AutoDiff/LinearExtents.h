//===- LinearExtents.h - Extents of linear values --------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Linear values do not exist in the transposed function, so their extents are
// found in the linear one: from those of the operands, op by op. Private to
// AutoDiff.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_TRANSFORMS_AUTODIFF_LINEAREXTENTS_H
#define SYMSHAPE_LIB_TRANSFORMS_AUTODIFF_LINEAREXTENTS_H

#include "Functions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace mlir::symshape {

/// The extents of linear values, as values that are not linear.
class LinearExtents {
public:
  explicit LinearExtents(const DenseSet<Value> &linear) : linear(linear) {}

  void setArgument(BlockArgument argument) {
    known[argument] = residualExtents(argument);
  }
  /// Finds the extents of the results of a linear op.
  LogicalResult visit(Operation *op);
  ArrayRef<OpFoldResult> of(Value value) const {
    return known.find(value)->second;
  }

private:
  SmallVector<OpFoldResult> sizesOf(OpBuilder &builder, Value value);
  LogicalResult reify(Operation *op);
  bool askRule(Operation *op);
  void visitChoice(arith::SelectOp op);

  const DenseSet<Value> &linear;
  DenseMap<Value, SmallVector<OpFoldResult>> known;
};

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_TRANSFORMS_AUTODIFF_LINEAREXTENTS_H
