//===- RearrangementDerivatives.cpp - Derivatives of slices and pads ------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Derivatives of dynamic_slice, dynamic_update_slice, pad, broadcast, reshape:
// linear ops, each its own derivative.
//
//===----------------------------------------------------------------------===//

#include "TensorOpChecks.h"
#include "symshape/IR/Slices.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::symshape;

/// The op with the tangent of its only differentiable operand.
static LogicalResult applyToTangent(Operation *op, OpOperand &source,
                                    Tangents &tangents) {
  Operation *tangent = tangents.builder().clone(*op);
  tangent->setOperand(source.getOperandNumber(), tangents.of(source.get()));
  tangents.set(op->getResult(0), tangent->getResult(0));
  return success();
}

//===----------------------------------------------------------------------===//
// DynamicSliceOp
//===----------------------------------------------------------------------===//

LogicalResult DynamicSliceOp::buildJvp(Tangents &tangents) {
  return applyToTangent(*this, getSourceMutable(), tangents);
}

LogicalResult DynamicSliceOp::buildTranspose(Cotangents &cotangents) {
  OpBuilder &b = cotangents.builder();
  SmallVector<Value> starts = cotangents.residuals(getStarts());
  Value cotangent = cotangents.of(getResult());
  if (Value sum = cotangents.of(getSource())) {
    auto [staticSizes, sizes] =
        decomposeMixedValues(cotangents.extents(getResult()));
    Value part = DynamicSliceOp::create(b, getLoc(), getType(), sum, starts,
                                        sizes, staticSizes);
    cotangent = makeSum(b, getLoc(), part, cotangent);
  }
  cotangents.replace(getSource(),
                     DynamicUpdateSliceOp::create(
                         b, getLoc(), getSource().getType(), cotangent,
                         cotangents.sumOf(getSource()), starts));
  return success();
}

//===----------------------------------------------------------------------===//
// DynamicUpdateSliceOp
//===----------------------------------------------------------------------===//

LogicalResult DynamicUpdateSliceOp::buildJvp(Tangents &tangents) {
  tangents.set(getResult(), DynamicUpdateSliceOp::create(
                                tangents.builder(), getLoc(), getType(),
                                tangents.orZero(getUpdate()),
                                tangents.orZero(getSource()), getStarts()));
  return success();
}

LogicalResult DynamicUpdateSliceOp::buildTranspose(Cotangents &cotangents) {
  OpBuilder &b = cotangents.builder();
  SmallVector<Value> starts = cotangents.residuals(getStarts());
  Value cotangent = cotangents.of(getResult());
  if (cotangents.isLinear(getSource()))
    cotangents.add(getSource(),
                   DynamicUpdateSliceOp::create(b, getLoc(), getType(),
                                                cotangents.zeros(getUpdate()),
                                                cotangent, starts));
  if (cotangents.isLinear(getUpdate())) {
    auto [staticSizes, sizes] =
        decomposeMixedValues(cotangents.extents(getUpdate()));
    cotangents.add(getUpdate(), DynamicSliceOp::create(
                                    b, getLoc(), getUpdate().getType(),
                                    cotangent, starts, sizes, staticSizes));
  }
  return success();
}

//===----------------------------------------------------------------------===//
// PadOp
//===----------------------------------------------------------------------===//

LogicalResult PadOp::buildJvp(Tangents &tangents) {
  auto tangent = cast<PadOp>(tangents.builder().clone(*getOperation()));
  OpBuilder::InsertionGuard guard(tangents.builder());
  tangents.builder().setInsertionPoint(tangent);
  tangent.getSourceMutable().assign(tangents.orZero(getSource()));
  tangent.getValueMutable().assign(tangents.orZero(getValue()));
  tangents.set(getResult(), tangent);
  return success();
}

static SmallVector<OpFoldResult> negate(OpBuilder &b, Location loc,
                                        ArrayRef<OpFoldResult> values) {
  AffineExpr d0 = b.getAffineDimExpr(0);
  return llvm::map_to_vector(values, [&](OpFoldResult value) {
    return affine::makeComposedFoldedAffineApply(b, loc, -d0, {value});
  });
}

/// The elements of `cotangent` at the places of those of the source, zeros for
/// those that are cropped: padding by the negative amounts restores the extent
/// before them, then a strided slice leaves out what is between.
static Value readSource(PadOp op, Cotangents &cotangents, Value cotangent) {
  OpBuilder &b = cotangents.builder();
  Location loc = op.getLoc();
  SmallVector<OpFoldResult> low =
      negate(b, loc, cotangents.residuals(op.getMixedLow()));
  SmallVector<OpFoldResult> high =
      negate(b, loc, cotangents.residuals(op.getMixedHigh()));
  auto [staticLows, lows] = decomposeMixedValues(low);
  auto [staticHighs, highs] = decomposeMixedValues(high);
  int64_t rank = low.size();
  Type element = op.getType().getElementType();
  SmallVector<int64_t> shape, noInterior(rank, 0);
  for (int64_t d = 0; d < rank; ++d) {
    int64_t extent = tensorTypeOf(op.getSource()).getDimSize(d);
    int64_t stride = op.getInterior()[d] + 1;
    shape.push_back(ShapedType::isDynamic(extent) || extent == 0
                        ? extent
                        : (extent - 1) * stride + 1);
  }
  Value zero = makeZero(b, loc, element, {});
  // A static extent follows from constants alone.
  for (int64_t d = 0; d < rank; ++d)
    if (ShapedType::isDynamic(tensorTypeOf(cotangent).getDimSize(d)) ||
        ShapedType::isDynamic(staticLows[d]) ||
        ShapedType::isDynamic(staticHighs[d]))
      shape[d] = ShapedType::kDynamic;
  Value spread =
      PadOp::create(b, loc, RankedTensorType::get(shape, element), cotangent,
                    zero, lows, highs, staticLows, staticHighs, noInterior);
  SmallVector<OpFoldResult> offsets(rank, b.getIndexAttr(0)), strides;
  for (int64_t interior : op.getInterior())
    strides.push_back(b.getIndexAttr(interior + 1));
  return extractSlice(b, loc, spread,
                      {offsets, cotangents.extents(op.getSource()), strides});
}

LogicalResult PadOp::buildTranspose(Cotangents &cotangents) {
  OpBuilder &b = cotangents.builder();
  Value cotangent = cotangents.of(getResult());
  Value ofSource = readSource(*this, cotangents, cotangent);
  if (cotangents.isLinear(getSource()))
    cotangents.add(getSource(), ofSource);
  if (cotangents.isLinear(getValue())) {
    Value all = sumOver(b, getLoc(), cotangent, {});
    Value inside = sumOver(b, getLoc(), ofSource, {});
    all = tensor::ExtractOp::create(b, getLoc(), all, ValueRange{});
    inside = tensor::ExtractOp::create(b, getLoc(), inside, ValueRange{});
    cotangents.add(getValue(), arith::SubFOp::create(b, getLoc(), all, inside));
  }
  return success();
}

//===----------------------------------------------------------------------===//
// BroadcastOp
//===----------------------------------------------------------------------===//

LogicalResult BroadcastOp::buildJvp(Tangents &tangents) {
  return applyToTangent(*this, getSourceMutable(), tangents);
}

/// Sums over new and expanding axes, in the order of the source; then puts the
/// axes of extent 1 back.
LogicalResult BroadcastOp::buildTranspose(Cotangents &cotangents) {
  OpBuilder &b = cotangents.builder();
  SmallVector<int64_t> kept, places;
  for (auto [axis, result] : llvm::enumerate(getDims()))
    if (!llvm::is_contained(getExpanding(), static_cast<int64_t>(axis))) {
      kept.push_back(result);
      places.push_back(axis);
    }
  Value sum = sumOver(b, getLoc(), cotangents.of(getResult()), kept);
  auto [staticSizes, sizes] =
      decomposeMixedValues(cotangents.extents(getSource()));
  cotangents.add(getSource(),
                 BroadcastOp::create(b, getLoc(), getSource().getType(), sum,
                                     sizes, staticSizes, places,
                                     ArrayRef<int64_t>{}));
  return success();
}

//===----------------------------------------------------------------------===//
// ReshapeOp
//===----------------------------------------------------------------------===//

LogicalResult ReshapeOp::buildJvp(Tangents &tangents) {
  return applyToTangent(*this, getSourceMutable(), tangents);
}

LogicalResult ReshapeOp::buildTranspose(Cotangents &cotangents) {
  auto [staticSizes, sizes] =
      decomposeMixedValues(cotangents.extents(getSource()));
  cotangents.add(getSource(), ReshapeOp::create(cotangents.builder(), getLoc(),
                                                getSource().getType(),
                                                cotangents.of(getResult()),
                                                sizes, staticSizes));
  return success();
}
