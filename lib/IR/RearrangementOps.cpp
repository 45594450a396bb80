//===- RearrangementOps.cpp - Slices, pads, reshapes ----------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Verification and shapes of dynamic_slice, dynamic_update_slice, pad,
// broadcast and reshape. Not for: their derivatives
// (RearrangementDerivatives.cpp) and lowering (Conversion).
//
//===----------------------------------------------------------------------===//

#include "TensorOpChecks.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::symshape;

//===----------------------------------------------------------------------===//
// Shared
//===----------------------------------------------------------------------===//

/// Checks that a list has one entry per axis.
static LogicalResult verifyLength(Operation *op, StringRef field, size_t length,
                                  int64_t rank) {
  if (static_cast<int64_t>(length) == rank)
    return success();
  return emitFieldError(op, field, "to have " + Twine(rank) + " entries",
                        Twine(length));
}

/// Checks that the result has the element type of the source and these extents,
/// none of which is negative.
static LogicalResult verifySizes(Operation *op, Value source, Value result,
                                 StringRef field,
                                 ArrayRef<OpFoldResult> sizes) {
  if (failed(verifyElementType(op, "result", result, source)) ||
      failed(verifyLength(op, field, sizes.size(), rankOf(result))))
    return failure();
  for (auto [d, size] : llvm::enumerate(sizes)) {
    int64_t known = staticExtent(size);
    if (!ShapedType::isDynamic(known) && known < 0)
      return emitFieldError(op, field + "[" + Twine(d) + "]",
                            "to be at least 0", Twine(known));
    if (failed(verifyExtent(op, "result.shape[" + Twine(d) + "]",
                            tensorTypeOf(result).getDimSize(d), known)))
      return failure();
  }
  return success();
}

/// Sets the extents of the result to sizes that are required to be >= 0.
static void setSizes(ShapeFacts &facts, Value result, StringRef field,
                     ArrayRef<OpFoldResult> sizes) {
  for (auto [d, size] : llvm::enumerate(sizes)) {
    Expr e = facts.value(size);
    if (!e.isConstant())
      facts.require(Relation::ge(e, facts.constant(0)),
                    field + "[" + Twine(d) + "]");
    setOrRequireExtent(facts, result, d, e);
  }
}

//===----------------------------------------------------------------------===//
// DynamicSliceOp
//===----------------------------------------------------------------------===//

SmallVector<OpFoldResult> DynamicSliceOp::getMixedSizes() {
  return getMixedValues(getStaticSizes(), getSizes(), getContext());
}

LogicalResult DynamicSliceOp::verify() {
  // C29
  int64_t rank = rankOf(getSource());
  if (failed(verifyLength(*this, "starts", getStarts().size(), rank)) ||
      failed(verifyLength(*this, "sizes", getStaticSizes().size(), rank)) ||
      failed(verifySizes(*this, getSource(), getResult(), "sizes",
                         getMixedSizes())))
    return failure();
  for (auto [d, size] : llvm::enumerate(getMixedSizes()))
    if (failed(verifyAtMost(*this, "sizes[" + Twine(d) + "]",
                            staticExtent(size),
                            tensorTypeOf(getSource()).getDimSize(d))))
      return failure();
  return success();
}

void DynamicSliceOp::populateShapeFacts(ShapeFacts &facts) {
  for (auto [d, size] : llvm::enumerate(getMixedSizes())) {
    Expr e = facts.value(size);
    requireSizeWithin(facts, e, facts.dim(getSource(), d),
                      "sizes[" + Twine(d) + "]");
    setOrRequireExtent(facts, getResult(), d, e);
  }
}

LogicalResult
DynamicSliceOp::reifyResultShapes(OpBuilder &builder,
                                  ReifiedRankedShapedTypeDims &shapes) {
  shapes.push_back(sizesOfResult(builder, getResult(), getMixedSizes()));
  return success();
}

//===----------------------------------------------------------------------===//
// DynamicUpdateSliceOp
//===----------------------------------------------------------------------===//

LogicalResult DynamicUpdateSliceOp::verify() {
  // C29
  int64_t rank = rankOf(getSource());
  if (failed(verifyLength(*this, "starts", getStarts().size(), rank)) ||
      failed(verifyLength(*this, "update", rankOf(getUpdate()), rank)) ||
      failed(verifyElementType(*this, "update", getUpdate(), getSource())))
    return failure();
  for (int64_t d = 0; d < rank; ++d)
    if (failed(verifyAtMost(*this, "update.shape[" + Twine(d) + "]",
                            tensorTypeOf(getUpdate()).getDimSize(d),
                            tensorTypeOf(getSource()).getDimSize(d))))
      return failure();
  return success();
}

void DynamicUpdateSliceOp::populateShapeFacts(ShapeFacts &facts) {
  for (int64_t d = 0; d < rankOf(getSource()); ++d)
    facts.require(
        Relation::le(facts.dim(getUpdate(), d), facts.dim(getSource(), d)),
        "update.shape[" + Twine(d) + "]");
  facts.copyExtents(getSource(), getResult());
}

//===----------------------------------------------------------------------===//
// PadOp
//===----------------------------------------------------------------------===//

SmallVector<OpFoldResult> PadOp::getMixedLow() {
  return getMixedValues(getStaticLow(), getLow(), getContext());
}

SmallVector<OpFoldResult> PadOp::getMixedHigh() {
  return getMixedValues(getStaticHigh(), getHigh(), getContext());
}

/// The extent with `interior` elements between neighbours; the formula is at
/// most 0 for an empty axis, and at least 1 for any other.
static AffineExpr spreadExtent(AffineExpr extent, int64_t interior) {
  return (extent - 1) * (interior + 1) + 1;
}

LogicalResult PadOp::verify() {
  // C35
  int64_t rank = rankOf(getSource());
  if (failed(verifyLength(*this, "low", getStaticLow().size(), rank)) ||
      failed(verifyLength(*this, "high", getStaticHigh().size(), rank)) ||
      failed(verifyLength(*this, "interior", getInterior().size(), rank)) ||
      failed(verifyLength(*this, "result", rankOf(getResult()), rank)) ||
      failed(verifyElementType(*this, "result", getResult(), getSource())))
    return failure();
  SmallVector<OpFoldResult> low = getMixedLow(), high = getMixedHigh();
  for (int64_t d = 0; d < rank; ++d) {
    int64_t interior = getInterior()[d];
    if (interior < 0)
      return emitFieldError(*this, "interior[" + Twine(d) + "]",
                            "to be at least 0", Twine(interior));
    int64_t extent = tensorTypeOf(getSource()).getDimSize(d);
    int64_t before = staticExtent(low[d]), after = staticExtent(high[d]);
    if (ShapedType::isDynamic(extent) || ShapedType::isDynamic(before) ||
        ShapedType::isDynamic(after))
      continue;
    int64_t base = extent ? (extent - 1) * (interior + 1) + 1 : 0;
    std::string field = ("result.shape[" + Twine(d) + "]").str();
    if (before + after + base < 0)
      return emitFieldError(*this, field, "to be at least 0",
                            Twine(before + after + base));
    if (failed(verifyExtent(*this, field, getType().getDimSize(d),
                            before + after + base)))
      return failure();
  }
  return success();
}

void PadOp::populateShapeFacts(ShapeFacts &facts) {
  SmallVector<OpFoldResult> low = getMixedLow(), high = getMixedHigh();
  for (auto [d, interior] : llvm::enumerate(getInterior())) {
    Expr base = facts.dim(getSource(), d);
    if (interior != 0)
      base = facts.arena().max((base - facts.constant(1)) *
                                       facts.constant(interior + 1) +
                                   facts.constant(1),
                               facts.constant(0));
    if (!facts.fitsType(base, IndexType::get(getContext())))
      facts.require(Relation::le(base, facts.constant(INT64_MAX)),
                    "interior[" + Twine(d) + "]");
    Expr extent = facts.value(low[d]) + base + facts.value(high[d]);
    facts.require(Relation::ge(extent, facts.constant(0)),
                  "result.shape[" + Twine(d) + "]");
    setOrRequireExtent(facts, getResult(), d, extent);
  }
}

LogicalResult PadOp::reifyResultShapes(OpBuilder &builder,
                                       ReifiedRankedShapedTypeDims &shapes) {
  SmallVector<OpFoldResult> low = getMixedLow(), high = getMixedHigh();
  SmallVector<OpFoldResult> extents =
      tensor::getMixedSizes(builder, getLoc(), getSource());
  AffineExpr a, b, c;
  bindDims(getContext(), a, b, c);
  for (auto [d, interior] : llvm::enumerate(getInterior())) {
    if (interior != 0)
      extents[d] = affine::makeComposedFoldedAffineMax(
          builder, getLoc(),
          AffineMap::get(1, 0,
                         {spreadExtent(a, interior),
                          getAffineConstantExpr(0, getContext())},
                         getContext()),
          {extents[d]});
    extents[d] = affine::makeComposedFoldedAffineApply(
        builder, getLoc(), a + b + c, {low[d], extents[d], high[d]});
  }
  shapes.push_back(sizesOfResult(builder, getResult(), extents));
  return success();
}

//===----------------------------------------------------------------------===//
// BroadcastOp
//===----------------------------------------------------------------------===//

SmallVector<OpFoldResult> BroadcastOp::getMixedSizes() {
  return getMixedValues(getStaticSizes(), getSizes(), getContext());
}

LogicalResult BroadcastOp::verify() {
  int64_t rank = rankOf(getSource());
  // C30
  if (failed(verifyLength(*this, "dims", getDims().size(), rank)) ||
      failed(verifyAxes(*this, "dims", getDims(), rankOf(getResult()),
                        /*sorted=*/false)))
    return failure();
  // C31
  if (failed(verifyAxes(*this, "expanding", getExpanding(), rank,
                        /*sorted=*/false)))
    return failure();
  for (int64_t axis : getExpanding()) {
    int64_t extent = tensorTypeOf(getSource()).getDimSize(axis);
    if (extent != 1)
      return emitFieldError(
          *this, "operand.shape[" + Twine(axis) + "]", "to be the constant 1",
          ShapedType::isDynamic(extent) ? Twine("symbolic") : Twine(extent));
  }
  // C32
  if (failed(verifySizes(*this, getSource(), getResult(), "shape",
                         getMixedSizes())))
    return failure();
  for (auto [axis, result] : llvm::enumerate(getDims()))
    if (!llvm::is_contained(getExpanding(), static_cast<int64_t>(axis)) &&
        failed(verifyExtent(*this, "shape[" + Twine(result) + "]",
                            staticExtent(getMixedSizes()[result]),
                            tensorTypeOf(getSource()).getDimSize(axis))))
      return failure();
  return success();
}

void BroadcastOp::populateShapeFacts(ShapeFacts &facts) {
  SmallVector<OpFoldResult> sizes = getMixedSizes();
  for (auto [axis, result] : llvm::enumerate(getDims()))
    if (!llvm::is_contained(getExpanding(), static_cast<int64_t>(axis)))
      facts.require(Relation::eq(facts.value(sizes[result]),
                                 facts.dim(getSource(), axis)),
                    "shape[" + Twine(result) + "]");
  setSizes(facts, getResult(), "shape", sizes);
}

LogicalResult
BroadcastOp::reifyResultShapes(OpBuilder &builder,
                               ReifiedRankedShapedTypeDims &shapes) {
  shapes.push_back(sizesOfResult(builder, getResult(), getMixedSizes()));
  return success();
}

//===----------------------------------------------------------------------===//
// ReshapeOp
//===----------------------------------------------------------------------===//

void ReshapeOp::build(OpBuilder &builder, OperationState &state, Value source,
                      ArrayRef<OpFoldResult> sizes) {
  SmallVector<Value> dynamic;
  SmallVector<int64_t> fixed;
  dispatchIndexOpFoldResults(sizes, dynamic, fixed);
  Type element = getElementTypeOrSelf(source.getType());
  build(builder, state, RankedTensorType::get(fixed, element), source, dynamic,
        fixed);
}

SmallVector<OpFoldResult> ReshapeOp::getMixedSizes() {
  return getMixedValues(getStaticSizes(), getSizes(), getContext());
}

LogicalResult ReshapeOp::verify() {
  // C33
  if (failed(verifySizes(*this, getSource(), getResult(), "target_shape",
                         getMixedSizes())))
    return failure();
  auto source = tensorTypeOf(getSource());
  if (!source.hasStaticShape() || !getSizes().empty())
    return success();
  int64_t count = ShapedType::getNumElements(getStaticSizes());
  if (count == source.getNumElements())
    return success();
  return emitFieldError(
      *this, "target_shape",
      "to have " + Twine(source.getNumElements()) + " elements", Twine(count));
}

void ReshapeOp::populateShapeFacts(ShapeFacts &facts) {
  Expr own = facts.constant(1), theirs = own;
  for (Expr extent : facts.dims(getSource()))
    theirs = theirs * extent;
  for (OpFoldResult size : getMixedSizes())
    own = own * facts.value(size);
  facts.require(Relation::eq(own, theirs), "target_shape");
  setSizes(facts, getResult(), "target_shape", getMixedSizes());
}

LogicalResult
ReshapeOp::reifyResultShapes(OpBuilder &builder,
                             ReifiedRankedShapedTypeDims &shapes) {
  shapes.push_back(sizesOfResult(builder, getResult(), getMixedSizes()));
  return success();
}
