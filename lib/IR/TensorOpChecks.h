//===- TensorOpChecks.h - What tensor ops check -----------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the verifiers and the rules of our ops on tensors share.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_IR_TENSOROPCHECKS_H
#define SYMSHAPE_LIB_IR_TENSOROPCHECKS_H

#include "symshape/IR/Diagnostics.h"
#include "symshape/IR/SymShape.h"
#include "llvm/Support/ScopedPrinter.h"

namespace mlir::symshape {

inline RankedTensorType tensorTypeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

inline int64_t rankOf(Value value) { return tensorTypeOf(value).getRank(); }

/// Checks that the attribute `axis` of an op is in `[0, rank)`.
LogicalResult verifyAxis(Operation *op, int64_t axis, int64_t rank);

/// The axes of `[0, rank)` that are not among `axes`.
SmallVector<int64_t> otherAxes(int64_t rank, ArrayRef<int64_t> axes);

/// Checks that each of `axes` is in `[0, rank)`, once, and in increasing order
/// where `sorted`.
LogicalResult verifyAxes(Operation *op, StringRef field, ArrayRef<int64_t> axes,
                         int64_t rank, bool sorted);

/// Checks that two lists of axes have none in common.
LogicalResult verifyDisjoint(Operation *op, StringRef field,
                             ArrayRef<int64_t> axes, ArrayRef<int64_t> others);

/// Checks that two extents are equal unless one is dynamic.
LogicalResult verifyExtent(Operation *op, const Twine &field, int64_t actual,
                           int64_t expected);

/// Checks that an extent is no larger than another one, unless one is dynamic.
LogicalResult verifyAtMost(Operation *op, const Twine &field, int64_t actual,
                           int64_t most);

/// Checks that two values have one rank, and no different static extents but at
/// the axis `except`, if any.
LogicalResult verifySameShape(Operation *op, StringRef field, Value value,
                              Value like, std::optional<int64_t> except = {});

/// Checks that elements are i32, i64 or index.
LogicalResult verifyIndexElements(Operation *op, StringRef field, Value value);

/// Checks that elements are floats, integers or indices.
LogicalResult verifyNumberElements(Operation *op, StringRef field, Value value);

/// Checks that the element type of a value is that of `source`.
LogicalResult verifyElementType(Operation *op, StringRef field, Value value,
                                Value source);

/// The extent that `size` says; dynamic where it is a value.
int64_t staticExtent(OpFoldResult size);

/// The sizes; for a static extent of `result`, that extent.
SmallVector<OpFoldResult> sizesOfResult(OpBuilder &builder, Value result,
                                        ArrayRef<OpFoldResult> sizes);

/// Makes `e`, which the op computes in 64 bits, the extent of dimension `d` of
/// `result`, and requires that it fits; if the type is static, that it equals
/// the type's.
void setOrRequireExtent(ShapeFacts &facts, Value result, int64_t d, Expr e);

/// Requires `0 <= size <= extent`; `field` says which size.
void requireSizeWithin(ShapeFacts &facts, Expr size, Expr extent,
                       const Twine &field);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_IR_TENSOROPCHECKS_H
