//===- PositionOps.cpp - Tensors of positions -----------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Verification and shapes of iota and nonzero. Not for: lowering (Conversion).
//
//===----------------------------------------------------------------------===//

#include "TensorOpChecks.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::symshape;

//===----------------------------------------------------------------------===//
// IotaOp
//===----------------------------------------------------------------------===//

SmallVector<OpFoldResult> IotaOp::getMixedBounds() {
  return getMixedValues(getStaticBounds(), getBounds(), getContext());
}

/// The number of values from `start` before `limit`; wide, so that nothing
/// wraps.
static __int128 countOf(int64_t start, int64_t limit, int64_t step) {
  __int128 distance = static_cast<__int128>(limit) - start;
  __int128 towards = step < 0 ? -1 : 1;
  distance *= towards;
  __int128 stride = step * towards;
  return distance <= 0 ? 0 : (distance + stride - 1) / stride;
}

LogicalResult IotaOp::verify() {
  // C1
  if (getStaticBounds().size() != 3)
    return emitFieldError(*this, "bounds", "to be start, limit and step",
                          Twine(getStaticBounds().size()));
  SmallVector<OpFoldResult> bounds = getMixedBounds();
  int64_t step = staticExtent(bounds[2]);
  // C2
  if (step == 0)
    return emitFieldError(*this, "step", "to be other than 0", "0");
  // C3
  auto type = tensorTypeOf(getResult());
  if (type.getRank() != 1)
    return emitFieldError(*this, "result.rank", "to be 1",
                          Twine(type.getRank()));
  if (failed(verifyIndexElements(*this, "result", getResult())))
    return failure();
  // C4
  int64_t start = staticExtent(bounds[0]), limit = staticExtent(bounds[1]);
  if (ShapedType::isDynamic(start) || ShapedType::isDynamic(limit) ||
      ShapedType::isDynamic(step) || type.isDynamicDim(0) ||
      countOf(start, limit, step) == type.getDimSize(0))
    return success();
  return emitFieldError(*this, "result.shape[0]", "to be what the bounds give",
                        Twine(type.getDimSize(0)));
}

void IotaOp::populateShapeFacts(ShapeFacts &facts) {
  SmallVector<OpFoldResult> bounds = getMixedBounds();
  Expr start = facts.value(bounds[0]), limit = facts.value(bounds[1]),
       step = facts.value(bounds[2]);
  if (!step.isConstant())
    facts.require(Relation::ne(step, facts.constant(0)), "step");
  ExprArena &arena = facts.arena();
  setOrRequireExtent(
      facts, getResult(), 0,
      arena.max(facts.constant(0), arena.ceilDiv(limit - start, step)));
  // No value is beyond the limit, which an index holds.
  if (!getElementTypeOrSelf(getResult()).isInteger(32))
    facts.setElements(getResult(), [=](ArrayRef<Expr> position) {
      return start + position[0] * step;
    });
}

LogicalResult IotaOp::reifyResultShapes(OpBuilder &builder,
                                        ReifiedRankedShapedTypeDims &shapes) {
  auto type = tensorTypeOf(getResult());
  if (!type.isDynamicDim(0)) {
    shapes.push_back({builder.getIndexAttr(type.getDimSize(0))});
    return success();
  }
  SmallVector<OpFoldResult> bounds = getMixedBounds();
  Value count = SizeOp::create(
      builder, getLoc(), "max(0, (limit - start) ceildiv step)",
      {{"start", bounds[0]}, {"limit", bounds[1]}, {"step", bounds[2]}});
  shapes.push_back({count});
  return success();
}

//===----------------------------------------------------------------------===//
// NonzeroOp
//===----------------------------------------------------------------------===//

LogicalResult NonzeroOp::verify() {
  // C1
  if (failed(verifyNumberElements(*this, "operand", getSource())))
    return failure();
  // C2
  auto type = tensorTypeOf(getResult());
  if (!type.getElementType().isIndex())
    return emitFieldError(*this, "result.element_type", "to be index",
                          llvm::to_string(type.getElementType()));
  if (type.getRank() != 2)
    return emitFieldError(*this, "result.rank", "to be 2",
                          Twine(type.getRank()));
  if (!type.isDynamicDim(0))
    return emitFieldError(*this, "result.shape[0]", "to be dynamic",
                          Twine(type.getDimSize(0)));
  return verifyExtent(*this, "result.shape[1]", type.getDimSize(1),
                      rankOf(getSource()));
}

void NonzeroOp::populateShapeFacts(ShapeFacts &facts) {
  Expr most = facts.constant(1);
  for (Expr extent : facts.dims(getSource()))
    most = most * extent;
  facts.setExtent(getResult(), 0, Extent::upperBound(most));
  facts.setExact(getResult(), 1, facts.constant(rankOf(getSource())));
}

/// How many there are is not known before the op has run, and those who ask for
/// extents take none for null.
LogicalResult
NonzeroOp::reifyResultShapes(OpBuilder &, ReifiedRankedShapedTypeDims &) {
  return failure();
}
