//===- ShapeRules.cpp - Shape rules of shape ------------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shapes as values: `!shape.shape`, or a tensor of extents. Not for: witnesses,
// and sizes that may be errors.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Shape/IR/Shape.h"
#include "symshape/Extensions/AllExtensions.h"
#include "symshape/Extensions/RuleHelpers.h"

using namespace mlir;
using namespace mlir::symshape;
using namespace mlir::shape;

namespace {
/// Sets the elements of a shape to these extents.
void setShape(ShapeFacts &facts, Value shape, SmallVector<Expr> extents) {
  if (isRankedShaped(shape.getType()))
    facts.setExact(shape, 0, facts.constant(extents.size()));
  facts.setElements(
      shape, [extents = std::move(extents)](ArrayRef<Expr> position) -> Expr {
        std::optional<int64_t> i = position[0].asInt64();
        return i && *i >= 0 && size_t(*i) < extents.size() ? extents[*i]
                                                           : Expr();
      });
}

void shapeOfRule(ShapeOfOp op, ShapeFacts &facts) {
  if (isRankedShaped(op.getArg().getType()))
    setShape(facts, op.getResult(), facts.dims(op.getArg()));
}

void constShapeRule(ConstShapeOp op, ShapeFacts &facts) {
  SmallVector<Expr> extents;
  for (int64_t extent : op.getShape().getValues<int64_t>())
    extents.push_back(facts.constant(extent));
  setShape(facts, op.getResult(), std::move(extents));
}

void fromExtentsRule(FromExtentsOp op, ShapeFacts &facts) {
  SmallVector<Expr> extents;
  for (Value extent : op.getExtents()) {
    if (!hasIntegerValue(extent.getType()))
      return;
    extents.push_back(facts.value(extent));
  }
  setShape(facts, op.getResult(), std::move(extents));
}

void toExtentTensorRule(ToExtentTensorOp op, ShapeFacts &facts) {
  Value input = op.getInput();
  ShapeFacts *all = &facts;
  facts.setElements(op.getResult(), [all, input](ArrayRef<Expr> position) {
    return all->element(input, position);
  });
}

/// The extents of one shape, then those of the other, if it is known where they
/// begin.
void concatRule(shape::ConcatOp op, ShapeFacts &facts) {
  Value first = op.getLhs(), second = op.getRhs();
  if (!isRankedShaped(first.getType()) || !isRankedShaped(second.getType()))
    return;
  Expr start = facts.dim(first, 0);
  if (isRankedShaped(op.getType()))
    facts.setExact(op.getResult(), 0, start + facts.dim(second, 0));
  ShapeFacts *all = &facts;
  facts.setElements(
      op.getResult(),
      [all, first, second, start](ArrayRef<Expr> position) -> Expr {
        std::optional<int64_t> i = position[0].asInt64(),
                               begin = start.asInt64();
        if (!i || !begin)
          return Expr();
        return *i < *begin ? all->element(first, position)
                           : all->element(second, {position[0] - start});
      });
}

/// How many extents a shape has, if its type or the facts tell.
std::optional<int64_t> rankOf(ShapeFacts &facts, Value shape) {
  if (!isRankedShaped(shape.getType()))
    return std::nullopt;
  return facts.dim(shape, 0).asInt64();
}

/// Each extent is the last of the operands' that is not 1, as upstream computes
/// it: where shapes do not fit, the op has no other meaning.
void broadcastRule(shape::BroadcastOp op, ShapeFacts &facts) {
  SmallVector<int64_t> ranks;
  for (Value shape : op.getShapes()) {
    std::optional<int64_t> rank = rankOf(facts, shape);
    if (!rank)
      return;
    ranks.push_back(*rank);
  }
  int64_t rank = *llvm::max_element(ranks);
  SmallVector<Expr> extents;
  for (int64_t i = 0; i < rank; ++i) {
    SmallVector<Expr> given;
    for (auto [shape, own] : llvm::reverse(llvm::zip(op.getShapes(), ranks))) {
      if (i < rank - own)
        continue;
      given.push_back(facts.element(shape, {facts.constant(i - (rank - own))}));
      if (!given.back())
        return;
    }
    extents.push_back(given.size() == 1 ? given[0] : facts.arena().bc(given));
  }
  setShape(facts, op.getResult(), std::move(extents));
}

void rankRule(shape::RankOp op, ShapeFacts &facts) {
  if (std::optional<int64_t> rank = rankOf(facts, op.getShape());
      rank && op.getType().isIndex())
    facts.setValue(op.getResult(), facts.constant(*rank));
}

template <typename OpTy>
void arithmeticRule(OpTy op, ShapeFacts &facts) {
  if (!op.getType().isIndex() || !op.getLhs().getType().isIndex() ||
      !op.getRhs().getType().isIndex())
    return;
  Expr a = facts.value(op.getLhs()), b = facts.value(op.getRhs());
  facts.setWrapped(op.getResult(),
                   std::is_same_v<OpTy, shape::AddOp> ? a + b : a * b);
}

/// What the region gives, which holds if the witness does.
void assumingRule(AssumingOp op, ShapeFacts &facts) {
  visitYielding(facts, op.getDoRegion(), op.getResults());
}

void getExtentRule(GetExtentOp op, ShapeFacts &facts) {
  if (!op.getType().isIndex() || !hasIntegerValue(op.getDim().getType()))
    return;
  if (Expr e = facts.element(op.getShape(), {facts.value(op.getDim())}))
    facts.setValue(op.getResult(), e);
}

void dimRule(shape::DimOp op, ShapeFacts &facts) {
  std::optional<int64_t> index = op.getConstantIndex();
  auto type = dyn_cast<RankedTensorType>(op.getValue().getType());
  if (op.getExtent().getType().isIndex() && type && index && *index >= 0 &&
      *index < type.getRank())
    facts.setValue(op.getExtent(), facts.dim(op.getValue(), *index));
}

/// The product of the extents, if their number is known.
void numElementsRule(NumElementsOp op, ShapeFacts &facts) {
  auto type = dyn_cast<RankedTensorType>(op.getShape().getType());
  if (!op.getType().isIndex() || !type || !type.hasStaticShape())
    return;
  SmallVector<Expr> extents;
  for (int64_t i = 0; i < type.getDimSize(0); ++i) {
    extents.push_back(facts.element(op.getShape(), {facts.constant(i)}));
    if (!extents.back())
      return;
  }
  facts.setWrapped(op.getResult(), product(facts, extents));
}
} // namespace

void symshape::registerShapeRules(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, ShapeDialect *) {
    attachRule<shape::AddOp, arithmeticRule<shape::AddOp>>(context);
    attachRule<AssumingOp, assumingRule>(context);
    attachRule<shape::BroadcastOp, broadcastRule>(context);
    attachRule<shape::ConcatOp, concatRule>(context);
    attachRule<ConstShapeOp, constShapeRule>(context);
    attachRule<shape::DimOp, dimRule>(context);
    attachRule<FromExtentsOp, fromExtentsRule>(context);
    attachRule<GetExtentOp, getExtentRule>(context);
    attachRule<shape::MulOp, arithmeticRule<shape::MulOp>>(context);
    attachRule<NumElementsOp, numElementsRule>(context);
    attachRule<shape::RankOp, rankRule>(context);
    attachRule<ShapeOfOp, shapeOfRule>(context);
    attachRule<ToExtentTensorOp, toExtentTensorRule>(context);
  });
}
