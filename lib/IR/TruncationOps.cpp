//===- TruncationOps.cpp - Truncation and its transpose -------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Verification, shapes and canonicalisation of truncate_size, dynamic_truncate
// and pad_to_match. Not for: their derivatives (TruncationDerivatives.cpp) and
// lowering (Conversion).
//
//===----------------------------------------------------------------------===//

#include "TensorOpChecks.h"
#include "TruncationOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace mlir::symshape;

//===----------------------------------------------------------------------===//
// Shared
//===----------------------------------------------------------------------===//

static LogicalResult verifySizeRank(Operation *op, Type type) {
  auto shaped = dyn_cast<ShapedType>(type);
  if (!shaped)
    return success();
  if (!isa<RankedTensorType>(type))
    return emitFieldError(op, "size.rank", "to be 0", llvm::to_string(type));
  if (shaped.getRank() != 0)
    return emitFieldError(op, "size.rank", "to be 0", Twine(shaped.getRank()));
  return success();
}

static LogicalResult verifySizeElement(Operation *op, Type type) {
  Type element = getElementTypeOrSelf(type);
  if (element.isF32() || element.isF64() || element.isSignlessInteger(32) ||
      element.isSignlessInteger(64) || element.isIndex())
    return success();
  return emitFieldError(op, "size.element_type",
                        "to be f32, f64, i32, i64 or index",
                        llvm::to_string(element));
}

/// Checks that the source has axes, and that `axis` is one.
static LogicalResult verifySourceAxis(Operation *op, Value source,
                                      int64_t axis) {
  if (rankOf(source) == 0)
    return emitFieldError(op, "operand.rank", "to be at least 1", "0");
  return verifyAxis(op, axis, rankOf(source));
}

/// Checks that the result has the rank, element type and extents of the source,
/// except for the extent of `axis`.
static LogicalResult verifyOffAxis(Operation *op, Value source, Value result,
                                   int64_t axis) {
  if (rankOf(source) != rankOf(result))
    return emitFieldError(op, "result.rank", "to be " + Twine(rankOf(source)),
                          Twine(rankOf(result)));
  if (failed(verifyElementType(op, "result", result, source)))
    return failure();
  for (int64_t d = 0; d < rankOf(source); ++d)
    if (d != axis && failed(verifyExtent(op, "result.shape[" + Twine(d) + "]",
                                         tensorTypeOf(result).getDimSize(d),
                                         tensorTypeOf(source).getDimSize(d))))
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// TruncateSizeOp
//===----------------------------------------------------------------------===//

LogicalResult TruncateSizeOp::verify() {
  // C3
  if (failed(verifySizeRank(*this, getSize().getType())))
    return failure();
  // C4
  return verifySizeElement(*this, getSize().getType());
}

/// The size as an expression; null if it is a float or in a tensor.
static Expr sizeExpr(ShapeFacts &facts, Value size) {
  if (size.getType().isIntOrIndex())
    return facts.value(size);
  return Expr();
}

void TruncateSizeOp::populateShapeFacts(ShapeFacts &facts) {
  Expr extent = facts.value(getExtent()), zero = facts.constant(0);
  facts.require(Relation::ge(extent, zero), "extent");
  if (Expr size = sizeExpr(facts, getSize())) {
    ExprArena &arena = facts.arena();
    facts.setValue(getResult(), arena.min(arena.max(size, zero), extent));
    return;
  }
  Expr result = facts.value(getResult());
  facts.imply(Relation::ge(result, zero));
  facts.imply(Relation::le(result, extent));
}

void TruncateSizeOp::inferResultRanges(ArrayRef<ConstantIntRanges> ranges,
                                       SetIntRangeFn setResultRange) {
  APInt zero(64, 0);
  APInt most = ranges.back().smax();
  setResultRange(getResult(), ConstantIntRanges::fromSigned(
                                  zero, most.isNegative() ? zero : most));
}

void TruncateSizeOp::populateBoundsForIndexValue(
    Value value, ValueBoundsConstraintSet &constraints) {
  constraints.bound(value) >= 0;
  constraints.bound(value) <= constraints.getExpr(getExtent());
}

OpFoldResult TruncateSizeOp::fold(FoldAdaptor adaptor) {
  // Truncated to an extent that it is already truncated to.
  if (auto inner = getSize().getDefiningOp<TruncateSizeOp>();
      inner && inner.getExtent() == getExtent())
    return inner.getResult();
  auto size = dyn_cast_or_null<IntegerAttr>(adaptor.getSize());
  auto extent = dyn_cast_or_null<IntegerAttr>(adaptor.getExtent());
  if (!size || !extent || extent.getInt() < 0)
    return {};
  int64_t least = std::max<int64_t>(size.getValue().getSExtValue(), 0);
  return IntegerAttr::get(getType(), std::min(least, extent.getInt()));
}

//===----------------------------------------------------------------------===//
// DynamicTruncateOp
//===----------------------------------------------------------------------===//

LogicalResult DynamicTruncateOp::verify() {
  // C1, C2
  if (failed(verifySourceAxis(*this, getSource(), getAxis())))
    return failure();
  // C3
  if (failed(verifySizeRank(*this, getSize().getType())))
    return failure();
  // C4
  if (failed(verifySizeElement(*this, getSize().getType())))
    return failure();
  // C5
  if (failed(verifyOffAxis(*this, getSource(), getResult(), getAxis())))
    return failure();
  int64_t extent = getType().getDimSize(getAxis());
  if (ShapedType::isDynamic(extent))
    return success();
  std::string field = ("result.shape[" + Twine(getAxis()) + "]").str();
  APInt size;
  if (!matchPattern(getSize(), m_ConstantInt(&size)))
    return emitFieldError(*this, field, "to be dynamic", Twine(extent));
  int64_t expected = std::max<int64_t>(size.getSExtValue(), 0);
  int64_t source = tensorTypeOf(getSource()).getDimSize(getAxis());
  if (!ShapedType::isDynamic(source))
    expected = std::min(expected, source);
  return verifyExtent(*this, field, extent, expected);
}

void DynamicTruncateOp::populateShapeFacts(ShapeFacts &facts) {
  int64_t axis = getAxis();
  for (int64_t d = 0; d < rankOf(getSource()); ++d)
    if (d != axis)
      setOrRequireExtent(facts, getResult(), d, facts.dim(getSource(), d));
  Expr extent = facts.dim(getSource(), axis), zero = facts.constant(0);
  Expr size = sizeExpr(facts, getSize());
  if (!size) { // the value of a float has no name
    facts.setExtent(getResult(), axis, Extent::upperBound(extent));
    return;
  }
  ExprArena &arena = facts.arena();
  auto isProved = [&](const Relation &relation) {
    return facts.constraints().isProvably(relation);
  };
  if (!isProved(Relation::ge(size, zero)))
    size = arena.max(size, zero);
  if (!isProved(Relation::le(size, extent)))
    size = arena.min(size, extent);
  setOrRequireExtent(facts, getResult(), axis, size);
}

LogicalResult
DynamicTruncateOp::reifyResultShapes(OpBuilder &builder,
                                     ReifiedRankedShapedTypeDims &shapes) {
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(builder, getLoc(), getSource());
  OpFoldResult &size = sizes[getAxis()];
  if (!getType().isDynamicDim(getAxis()))
    size = builder.getIndexAttr(getType().getDimSize(getAxis()));
  else
    size = TruncateSizeOp::create(
               builder, getLoc(), getSize(),
               getValueOrCreateConstantIndexOp(builder, getLoc(), size))
               .getResult();
  shapes.push_back(sizes);
  return success();
}

Value mlir::symshape::roundedSize(OpBuilder &builder, Location loc,
                                  Value size) {
  if (size.getType().isIndex())
    return size;
  Value any = arith::ConstantIndexOp::create(
      builder, loc, std::numeric_limits<int64_t>::max());
  return TruncateSizeOp::create(builder, loc, size, any);
}

namespace {
/// Gives the rounded size a name, over which the extent is exact.
struct NameSizeOfTruncate : OpRewritePattern<DynamicTruncateOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(DynamicTruncateOp op,
                                PatternRewriter &rewriter) const override {
    if (op.getSize().getType().isIndex())
      return failure();
    Value size = roundedSize(rewriter, op.getLoc(), op.getSize());
    rewriter.modifyOpInPlace(op, [&] { op.getSizeMutable().assign(size); });
    return success();
  }
};
} // namespace

void DynamicTruncateOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                                    MLIRContext *context) {
  patterns.add<NameSizeOfTruncate>(context);
}

//===----------------------------------------------------------------------===//
// PadToMatchOp
//===----------------------------------------------------------------------===//

LogicalResult PadToMatchOp::verify() {
  // C1, C2
  if (failed(verifySourceAxis(*this, getSource(), getAxis())))
    return failure();
  auto reference = dyn_cast<RankedTensorType>(getSize().getType());
  if (reference && failed(verifyAxis(*this, getAxis(), reference.getRank())))
    return failure();
  // C5
  if (failed(verifyOffAxis(*this, getSource(), getResult(), getAxis())))
    return failure();
  // C6
  Type element = getType().getElementType();
  if (!element.isIntOrIndexOrFloat())
    return emitFieldError(*this, "operand.element_type",
                          "to be an integer or a float",
                          llvm::to_string(element));
  return success();
}

void PadToMatchOp::populateShapeFacts(ShapeFacts &facts) {
  for (int64_t d = 0; d < rankOf(getSource()); ++d) {
    Expr extent = facts.dim(getSource(), d);
    if (d == static_cast<int64_t>(getAxis())) {
      bool isIndex = getSize().getType().isIndex();
      Expr size = isIndex ? facts.value(getSize()) : facts.dim(getSize(), d);
      auto isProved = [&](const Relation &relation) {
        return facts.constraints().isProvably(relation);
      };
      if (isProved(Relation::le(extent, size)))
        extent = size;
      else if (!isProved(Relation::le(size, extent)))
        extent = facts.arena().max(extent, size);
    }
    setOrRequireExtent(facts, getResult(), d, extent);
  }
}

LogicalResult
PadToMatchOp::reifyResultShapes(OpBuilder &builder,
                                ReifiedRankedShapedTypeDims &shapes) {
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(builder, getLoc(), getSource());
  OpFoldResult &extent = sizes[getAxis()];
  if (!getType().isDynamicDim(getAxis())) {
    extent = builder.getIndexAttr(getType().getDimSize(getAxis()));
  } else {
    Value size = getSize();
    if (!size.getType().isIndex())
      size = tensor::DimOp::create(builder, getLoc(), size, getAxis());
    Value own = getValueOrCreateConstantIndexOp(builder, getLoc(), extent);
    extent = arith::MaxSIOp::create(builder, getLoc(), own, size).getResult();
  }
  shapes.push_back(sizes);
  return success();
}
