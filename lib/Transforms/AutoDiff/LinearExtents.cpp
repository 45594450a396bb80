//===- LinearExtents.cpp - Extents of linear values ----------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See LinearExtents.h.
//
//===----------------------------------------------------------------------===//

#include "LinearExtents.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "symshape/IR/OneOpFacts.h"
#include "symshape/IR/SymShape.h"
#include "symshape/Transforms/ExprEmitter.h"

using namespace mlir;
using namespace mlir::symshape;

SmallVector<OpFoldResult> LinearExtents::sizesOf(OpBuilder &builder,
                                                 Value value) {
  if (auto it = known.find(value); it != known.end())
    return it->second;
  return tensor::getMixedSizes(builder, value.getLoc(), value);
}

namespace {
/// What the rule of one op says, over the extents and values of its operands.
class RuleExtents final : public OneOpFacts {
public:
  explicit RuleExtents(Operation *op) : op(op) {
    cast<ShapeFactsOpInterface>(op).populateShapeFacts(*this);
  }
  using Source = std::pair<Value, std::optional<int64_t>>;
  /// An operand and a dimension of it; nullopt for any other symbol.
  std::optional<Source> sourceOf(Expr symbol) const {
    auto it = sources.find(symbol);
    return it == sources.end() ? std::nullopt : std::optional(it->second);
  }
  symshape::Range rangeOf(Expr symbol) const { return set.info(symbol).range; }

private:
  Expr makeSymbol(Value value, std::optional<int64_t> d,
                  symshape::Range range) override {
    Expr symbol = OneOpFacts::makeSymbol(value, d, range);
    if (llvm::is_contained(op->getOperands(), value))
      sources[symbol] = {value, d};
    return symbol;
  }

  Operation *op;
  DenseMap<Expr, Source> sources;
};
} // namespace

/// Computes the extents of the results as the rule of the op says them. False,
/// and nothing is built, where it does not say all of them.
bool LinearExtents::askRule(Operation *op) {
  if (!isa<ShapeFactsOpInterface>(op) || op->getNumRegions())
    return false;
  RuleExtents facts(op);
  SmallVector<SmallVector<Expr>> said;
  for (Value result : op->getResults()) {
    if (!isa<RankedTensorType>(result.getType()))
      return false;
    said.push_back(facts.dims(result));
    for (Expr extent : said.back())
      for (Expr symbol : extent.symbols())
        if (auto source = facts.sourceOf(symbol);
            !source || (!source->second && linear.contains(source->first)))
          return false;
  }
  OpBuilder builder(op->getContext());
  builder.setInsertionPointAfter(op);
  Location loc = op->getLoc();
  ExprEmitter emitter(
      builder, loc,
      [&](Expr symbol) {
        auto [value, d] = *facts.sourceOf(symbol);
        if (!d)
          return value;
        return getValueOrCreateConstantIndexOp(builder, loc,
                                               sizesOf(builder, value)[*d]);
      },
      [&](Expr symbol) { return facts.rangeOf(symbol); });
  for (auto [result, extents] : llvm::zip_equal(op->getResults(), said))
    for (Expr extent : extents) {
      std::optional<int64_t> size = extent.asInt64();
      known[result].push_back(size ? OpFoldResult(builder.getIndexAttr(*size))
                                   : emitter.emitIndex(extent));
    }
  return true;
}

LogicalResult LinearExtents::reify(Operation *op) {
  if (!isa<ReifyRankedShapedTypeOpInterface>(op) && askRule(op))
    return success();
  OpBuilder builder(op->getContext());
  builder.setInsertionPointAfter(op);
  Operation *next = op->getNextNode();
  ReifiedRankedShapedTypeDims shapes;
  if (failed(reifyResultShapes(builder, op, shapes)))
    return emitFieldError(op, "result.shape",
                          "of a tangent to be known: implement "
                          "ReifyRankedShapedTypeOpInterface for the op, or say "
                          "it in its shape rule",
                          "unknown");
  // Reification asks for dims of operands, or of sources of casts; for linear
  // ones these are known.
  for (Operation &made : llvm::make_early_inc_range(llvm::make_range(
           std::next(op->getIterator()),
           next ? next->getIterator() : op->getBlock()->end()))) {
    auto dim = dyn_cast<tensor::DimOp>(made);
    if (!dim || !linear.contains(dim.getSource()))
      continue;
    OpFoldResult extent = known[dim.getSource()][*dim.getConstantIndex()];
    for (SmallVector<OpFoldResult> &shape : shapes)
      llvm::replace(shape, OpFoldResult(dim.getResult()), extent);
    builder.setInsertionPoint(dim);
    dim.replaceAllUsesWith(
        getValueOrCreateConstantIndexOp(builder, dim.getLoc(), extent));
    dim.erase();
  }
  for (auto [result, shape] : llvm::zip(op->getResults(), shapes))
    known[result] = shape;
  return success();
}

/// One of two tensors, whose extents may differ.
void LinearExtents::visitChoice(arith::SelectOp op) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  SmallVector<OpFoldResult> extents = sizesOf(builder, op.getTrueValue());
  for (auto [extent, other] :
       llvm::zip(extents, sizesOf(builder, op.getFalseValue())))
    if (extent != other)
      extent = arith::SelectOp::create(
                   builder, loc, op.getCondition(),
                   getValueOrCreateConstantIndexOp(builder, loc, extent),
                   getValueOrCreateConstantIndexOp(builder, loc, other))
                   .getResult();
  known[op.getResult()] = extents;
}

LogicalResult LinearExtents::visit(Operation *op) {
  OpBuilder builder(op);
  if (auto extents = dyn_cast<WithExtentsOp>(op)) {
    known[extents.getSource()] = extents.getMixedExtents();
    known[extents.getResult()] = extents.getMixedExtents();
    return success();
  }
  if (isa_and_nonnull<scf::SCFDialect>(op->getDialect())) {
    for (Region &region : op->getRegions())
      for (Operation &inner : llvm::make_early_inc_range(region.getOps()))
        if (usesAny(&inner, linear) && failed(visit(&inner)))
          return failure();
    return success(); // of the results, with_extents says the extents
  }
  if (llvm::none_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>))
    return success();
  if (llvm::all_of(op->getResultTypes(), [](Type type) {
        auto tensor = dyn_cast<RankedTensorType>(type);
        return tensor && tensor.hasStaticShape();
      })) {
    for (OpResult result : op->getResults())
      known[result] = getAsIndexOpFoldResult(
          op->getContext(),
          cast<RankedTensorType>(result.getType()).getShape());
    return success();
  }
  if (auto destination = dyn_cast<DestinationStyleOpInterface>(op)) {
    for (auto [result, init] :
         llvm::zip(op->getResults(), destination.getDpsInits()))
      known[result] = sizesOf(builder, init);
    return success();
  }
  if (auto select = dyn_cast<arith::SelectOp>(op);
      select && !isa<ShapedType>(select.getCondition().getType())) {
    visitChoice(select);
    return success();
  }
  bool isCast = isa<tensor::CastOp>(op);
  if (!isCast && !OpTrait::hasElementwiseMappableTraits(op))
    return reify(op);
  for (Value operand : op->getOperands())
    if (isa<RankedTensorType>(operand.getType())) {
      known[op->getResult(0)] = sizesOf(builder, operand);
      break;
    }
  return success();
}
