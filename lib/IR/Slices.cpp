//===- Slices.cpp - Slices that may have no elements ----------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "symshape/IR/Slices.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::symshape;

bool symshape::hasNoElements(RankedTensorType whole,
                             const SliceBounds &bounds) {
  return llvm::is_contained(whole.getShape(), 0) ||
         llvm::any_of(
             bounds.sizes,
             [](OpFoldResult size) { return isConstantIntValue(size, 0); }) ||
         !verifyInBoundsSlice(whole.getShape(), bounds.offsets, bounds.sizes,
                              bounds.strides)
              .isValid;
}

/// The sizes along the dimensions that a type of lower rank keeps.
static SmallVector<OpFoldResult> keptSizes(RankedTensorType whole,
                                           const SliceBounds &bounds,
                                           RankedTensorType type) {
  RankedTensorType full =
      tensor::ExtractSliceOp::inferResultType(whole, bounds.sizes);
  auto dropped = computeRankReductionMask(full.getShape(), type.getShape(),
                                          /*matchDynamic=*/true);
  SmallVector<OpFoldResult> sizes;
  for (auto [d, size] : llvm::enumerate(bounds.sizes))
    if (!dropped || !dropped->contains(d))
      sizes.push_back(size);
  return sizes;
}

Value symshape::extractSlice(OpBuilder &builder, Location loc, Value source,
                             const SliceBounds &bounds, RankedTensorType type) {
  auto whole = cast<RankedTensorType>(source.getType());
  if (!hasNoElements(whole, bounds)) {
    if (!type)
      return tensor::ExtractSliceOp::create(
          builder, loc, source, bounds.offsets, bounds.sizes, bounds.strides);
    return tensor::ExtractSliceOp::create(builder, loc, type, source,
                                          bounds.offsets, bounds.sizes,
                                          bounds.strides);
  }
  SmallVector<OpFoldResult> sizes = bounds.sizes;
  if (type)
    sizes = keptSizes(whole, bounds, type);
  Value empty =
      tensor::EmptyOp::create(builder, loc, sizes, whole.getElementType());
  if (!type || empty.getType() == type)
    return empty;
  return tensor::CastOp::create(builder, loc, type, empty);
}

Value symshape::insertSlice(OpBuilder &builder, Location loc, Value source,
                            Value dest, const SliceBounds &bounds) {
  if (hasNoElements(cast<RankedTensorType>(dest.getType()), bounds))
    return dest;
  return tensor::InsertSliceOp::create(
      builder, loc, source, dest, bounds.offsets, bounds.sizes, bounds.strides);
}
