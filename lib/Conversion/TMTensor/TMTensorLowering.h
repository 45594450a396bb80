//===- TMTensorLowering.h - Rewrites ops of tm_tensor -----------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_CONVERSION_TMTENSOR_TMTENSORLOWERING_H
#define SYMSHAPE_LIB_CONVERSION_TMTENSOR_TMTENSORLOWERING_H

#include "Regions.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "symshape/Conversion/TMTensorOps.h"

namespace mlir::symshape {

/// The lowering of one op, which it replaces. An op that is refused stays, with
/// an error.
class TMTensorLowering {
public:
  TMTensorLowering(RewriterBase &b, Operation *op)
      : b(b), op(op), loc(op->getLoc()) {}
  LogicalResult run();

private:
  using Body = function_ref<Value(OpBuilder &, Location, ValueRange)>;

  LogicalResult lower(tm_tensor::TMScanOp scan);
  LogicalResult lower(tm_tensor::TMScatterOp scatter);
  LogicalResult lower(tm_tensor::TMSortOp sort);
  LogicalResult lower(tm_tensor::TMTopKOp top);
  LogicalResult lower(tm_tensor::TMAttentionOp attention);

  /// Asserts that two extents are equal, unless their types say so; an error if
  /// their types say that they differ.
  LogicalResult requireEqual(Value lhs, int64_t lhsAxis, Value rhs,
                             int64_t rhsAxis, StringRef what);
  /// The same of all extents but one; none is left out if `except` is -1.
  LogicalResult requireSameExtents(Value lhs, Value rhs, StringRef what,
                                   int64_t except = -1);
  LogicalResult replace(ValueRange results);
  /// Makes an op on unsigned integers one on signed ones, with `flipped`
  /// results.
  void makeSigned();

  Value index(int64_t value);
  Value extent(Value tensor, int64_t axis);
  Value constant(Type type, double number);
  /// All elements are `scalar`, and extents those of `sizes`.
  Value fill(ArrayRef<OpFoldResult> sizes, Value scalar);
  /// A structured op whose last loops are reductions, if `isReduction`.
  Value structured(ValueRange inputs, Value output, ArrayRef<AffineMap> maps,
                   ArrayRef<utils::IteratorType> loops, Body body);
  Value elementwise(ValueRange inputs, Value output, Body body);

  Value shiftForward(tm_tensor::TMScanOp scan);
  Value combineAlong(Value input, int64_t axis, Combiner combiner);
  Value lastSlice(tm_tensor::TMScanOp scan, Value sums);
  Value permute(Value tensor, Value permutation, int64_t axis);
  LogicalResult checkOrdered(Type element);
  Value maskScores(tm_tensor::TMAttentionOp attention, Value scores);
  Value scaleOf(tm_tensor::TMAttentionOp attention);

  RewriterBase &b;
  Operation *op;
  Location loc;
  SmallVector<unsigned> flipped; ///< results that get the other sign bit
};

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_CONVERSION_TMTENSOR_TMTENSORLOWERING_H
