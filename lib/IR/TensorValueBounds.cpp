//===- TensorValueBounds.cpp - Extents for upstream's value bounds --------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What ops on tensors say of the extents of their results, as far as it is
// affine, to passes that ask ValueBoundsOpInterface. Not for: our own analysis,
// which asks ShapeFactsOpInterface.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "symshape/IR/SymShape.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::symshape;

/// The dimension is that of `source`.
static void boundAsSource(Value value, int64_t dim, Value source,
                          ValueBoundsConstraintSet &cstr) {
  cstr.bound(value)[dim] == cstr.getExpr(source, dim);
}

/// The dimension is one of the extents that the op is given.
static void boundAsGiven(Value value, int64_t dim,
                         ArrayRef<OpFoldResult> extents,
                         ValueBoundsConstraintSet &cstr) {
  cstr.bound(value)[dim] == cstr.getExpr(extents[dim]);
}

//===----------------------------------------------------------------------===//
// Extents of an operand
//===----------------------------------------------------------------------===//

void SortOp::populateBoundsForShapedValueDim(Value value, int64_t dim,
                                             ValueBoundsConstraintSet &cstr) {
  boundAsSource(value, dim, getSource(), cstr);
}

void TopKOp::populateBoundsForShapedValueDim(Value value, int64_t dim,
                                             ValueBoundsConstraintSet &cstr) {
  if (dim == static_cast<int64_t>(getAxis()))
    cstr.bound(value)[dim] == cstr.getExpr(getSize());
  else
    boundAsSource(value, dim, getSource(), cstr);
}

//===----------------------------------------------------------------------===//
// Extents that are given
//===----------------------------------------------------------------------===//

void GatherOp::populateBoundsForShapedValueDim(Value value, int64_t dim,
                                               ValueBoundsConstraintSet &cstr) {
  SmallVector<OpFoldResult> sizes = getMixedSliceSizes();
  for (auto [result, axis] : llvm::zip(getOffsetDims(), getWindowAxes()))
    if (result == dim)
      cstr.bound(value)[dim] == cstr.getExpr(sizes[axis]);
  for (auto [result, axis] : llvm::zip(getBatchAxes(), getIndexBatchAxes()))
    if (result == dim)
      cstr.bound(value)[dim] == cstr.getExpr(getIndices(), axis);
}

void DynamicSliceOp::populateBoundsForShapedValueDim(
    Value value, int64_t dim, ValueBoundsConstraintSet &cstr) {
  boundAsGiven(value, dim, getMixedSizes(), cstr);
}

void BroadcastOp::populateBoundsForShapedValueDim(
    Value value, int64_t dim, ValueBoundsConstraintSet &cstr) {
  boundAsGiven(value, dim, getMixedSizes(), cstr);
}

void ReshapeOp::populateBoundsForShapedValueDim(
    Value value, int64_t dim, ValueBoundsConstraintSet &cstr) {
  boundAsGiven(value, dim, getMixedSizes(), cstr);
}

void WithExtentsOp::populateBoundsForShapedValueDim(
    Value value, int64_t dim, ValueBoundsConstraintSet &cstr) {
  boundAsGiven(value, dim, getMixedExtents(), cstr);
}

//===----------------------------------------------------------------------===//
// Extents that are computed
//===----------------------------------------------------------------------===//

void DynamicTruncateOp::populateBoundsForShapedValueDim(
    Value value, int64_t dim, ValueBoundsConstraintSet &cstr) {
  if (dim != static_cast<int64_t>(getAxis()))
    return boundAsSource(value, dim, getSource(), cstr);
  cstr.bound(value)[dim] <= cstr.getExpr(getSource(), dim);
}

void PadToMatchOp::populateBoundsForShapedValueDim(
    Value value, int64_t dim, ValueBoundsConstraintSet &cstr) {
  if (dim != static_cast<int64_t>(getAxis()))
    return boundAsSource(value, dim, getSource(), cstr);
  cstr.bound(value)[dim] >= cstr.getExpr(getSource(), dim);
  if (getSize().getType().isIndex())
    cstr.bound(value)[dim] >= cstr.getExpr(getSize());
  else
    cstr.bound(value)[dim] >= cstr.getExpr(getSize(), dim);
}

/// With interior padding, an empty axis stays empty, and on any other nothing
/// comes after the last element.
void PadOp::populateBoundsForShapedValueDim(Value value, int64_t dim,
                                            ValueBoundsConstraintSet &cstr) {
  AffineExpr edges =
      cstr.getExpr(getMixedLow()[dim]) + cstr.getExpr(getMixedHigh()[dim]);
  AffineExpr extent = cstr.getExpr(getSource(), dim);
  int64_t interior = getInterior()[dim];
  if (interior == 0) {
    cstr.bound(value)[dim] == extent + edges;
    return;
  }
  AffineExpr spread = extent * (interior + 1);
  cstr.bound(value)[dim] <= spread + edges;
  cstr.bound(value)[dim] >= spread - interior + edges;
}

void IotaOp::populateBoundsForShapedValueDim(Value value, int64_t dim,
                                             ValueBoundsConstraintSet &cstr) {
  cstr.bound(value)[dim] >= 0;
  SmallVector<OpFoldResult> bounds = getMixedBounds();
  std::optional<int64_t> step = getConstantIntValue(bounds[2]);
  if (!step || *step == 0)
    return;
  AffineExpr distance = cstr.getExpr(bounds[1]) - cstr.getExpr(bounds[0]);
  cstr.bound(value)[dim] >=
      (*step > 0 ? distance.ceilDiv(*step) : (-distance).ceilDiv(-*step));
}

/// At most as many rows as the source has elements: a product, which is affine
/// where one extent is dynamic.
void NonzeroOp::populateBoundsForShapedValueDim(
    Value value, int64_t dim, ValueBoundsConstraintSet &cstr) {
  auto source = cast<RankedTensorType>(getSource().getType());
  if (dim == 1) {
    cstr.bound(value)[dim] == source.getRank();
    return;
  }
  cstr.bound(value)[dim] >= 0;
  if (source.getNumDynamicDims() > 1)
    return;
  int64_t count = 1;
  std::optional<int64_t> open;
  for (auto [d, size] : llvm::enumerate(source.getShape())) {
    if (ShapedType::isDynamic(size))
      open = d;
    else if (llvm::MulOverflow(count, size, count))
      return;
  }
  if (open)
    cstr.bound(value)[dim] <= cstr.getExpr(getSource(), *open) * count;
  else
    cstr.bound(value)[dim] <= count;
}
