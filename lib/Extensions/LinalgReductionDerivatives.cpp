//===- LinalgReductionDerivatives.cpp - Of maximum, minimum, product ------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tangent of an extremum is the mean of those of all candidates that reach
// it; that of a product weighs each factor's by the product of the others.
//
//===----------------------------------------------------------------------===//

#include "LinalgReductionDerivatives.h"
#include "LinalgDerivatives.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "symshape/IR/Diagnostics.h"

using namespace mlir;
using namespace mlir::symshape;

/// The value that a reduction combines with the accumulator; null if the body
/// is not a reduction by one op.
static Value combinedValue(linalg::LinalgOp op) {
  SmallVector<Operation *> combiners;
  if (!matchReduction(op.getRegionOutputArgs(), 0, combiners) ||
      combiners.size() != 1)
    return Value();
  Value accumulator = op.getRegionOutputArgs().front();
  Operation *combiner = combiners.front();
  for (Value operand : combiner->getOperands())
    if (operand != accumulator)
      return operand;
  return Value();
}

/// The number that a tensor is filled with, if it is one.
static std::optional<APFloat> filledWith(Value tensor) {
  if (auto fill = tensor.getDefiningOp<linalg::FillOp>())
    tensor = fill.getInputs().front();
  Attribute constant;
  if (!matchPattern(tensor, m_Constant(&constant)))
    return std::nullopt;
  if (auto elements = dyn_cast<DenseFPElementsAttr>(constant))
    return elements.isSplat() ? std::optional(elements.getSplatValue<APFloat>())
                              : std::nullopt;
  auto number = dyn_cast<FloatAttr>(constant);
  return number ? std::optional(number.getValue()) : std::nullopt;
}

static bool isMaximum(linalg::LinalgOp op) {
  Operation *combiner =
      op.getBlock()->getTerminator()->getOperand(0).getDefiningOp();
  return isa<arith::MaximumFOp, arith::MaxNumFOp>(combiner);
}

/// Whether the reduction starts with a number that none lies beyond, so that
/// the initial value is not a candidate.
static bool startsBeyondAll(linalg::LinalgOp op) {
  std::optional<APFloat> start = filledWith(op.getDpsInits().front());
  return start && start->isNegative() == isMaximum(op) &&
         (start->isInfinity() || start->isLargest());
}

/// An empty axis has no extremum: the mean of its tangents would be 0 / 0.
static void assertNotEmpty(OpBuilder &b, linalg::LinalgOp op) {
  StringRef name = isMaximum(op) ? "reduce_max" : "reduce_min";
  SmallVector<unsigned> reduced;
  op.getReductionDims(reduced);
  for (unsigned loop : reduced) {
    Value extent;
    for (OpOperand *input : op.getDpsInputOperands())
      for (auto [d, expr] :
           llvm::enumerate(op.getMatchingIndexingMap(input).getResults()))
        if (expr == b.getAffineDimExpr(loop))
          extent = tensor::DimOp::create(b, op.getLoc(), input->get(), d);
    if (!extent)
      continue;
    auto check = AssertOp::create(b, op.getLoc(), "n >= 1", {{"n", extent}},
                                  "the derivative of " + name +
                                      " over an axis needs an element");
    check->setAttr(
        kTriple, b.getStringAttr(makeTriple(name, "operand.shape[axis]", "0")));
  }
}

/// The mean of the tangents of all candidates that reach the extremum:
/// elements, and the initial value.
LogicalResult symshape::extremumJvp(linalg::LinalgOp op, Tangents &tangents) {
  OpBuilder &b = tangents.builder();
  Location loc = op.getLoc();
  Value result = op->getResult(0), candidate = combinedValue(op);
  Value start = op.getDpsInits().front();
  if (!candidate)
    return refuseBody(op);
  Value zeros = makeConstant(b, loc, 0, result), isStart;
  if (startsBeyondAll(op))
    assertNotEmpty(b, op);
  else
    isStart =
        arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, start, result);
  auto sumWhereReached = [&](bool ofTangents) {
    Value ofStart =
        ofTangents ? tangents.of(start) : makeConstant(b, loc, 1, result);
    if (isStart && ofStart)
      ofStart = arith::SelectOp::create(b, loc, isStart, ofStart, zeros);
    auto finish = [&](OpBuilder &inner, Value primal, Value tangent,
                      ValueRange further, Value accumulator) -> Value {
      Type type = accumulator.getType();
      Value zero = makeScalar(inner, loc, type, 0);
      Value part = ofTangents ? tangent : makeScalar(inner, loc, type, 1);
      Value isReached = arith::CmpFOp::create(
          inner, loc, arith::CmpFPredicate::OEQ, primal, further.front());
      part = arith::SelectOp::create(inner, loc, isReached, part, zero);
      return makeSum(inner, loc, accumulator, part);
    };
    AffineMap map = op.getIndexingMapsArray().back();
    Value init = isStart && ofStart ? ofStart : zeros;
    FailureOr<Value> sum =
        TangentOp{op, tangents, candidate, {{result, map}}, ofTangents}.build(
            init, finish);
    return succeeded(sum) && !*sum ? FailureOr<Value>(init) : sum;
  };
  FailureOr<Value> sum = sumWhereReached(true);
  if (failed(sum))
    return failure();
  if (*sum == zeros)
    return success();
  FailureOr<Value> count = sumWhereReached(false);
  tangents.set(result, arith::DivFOp::create(b, loc, *sum, *count));
  return success();
}

namespace {
/// For each factor of a product, the product of the others of the same result:
/// no division, so that zeros need no cases. Cost: quadratic in the number of
/// factors. It is a product again, with loops over all factors and, once more,
/// over those that are reduced.
class ProductOfOthers {
public:
  ProductOfOthers(OpBuilder &b, linalg::LinalgOp op, Value factor)
      : b(b), op(op), factor(factor), numLoops(op.getNumLoops()) {
    op.getReductionDims(reduced);
  }
  Value build();

private:
  SmallVector<AffineMap> makeMaps();
  Value makeOnes();
  void buildBody(OpBuilder &inner, Location loc, ValueRange args);
  Value isOwn(OpBuilder &inner, Location loc);

  OpBuilder &b;
  linalg::LinalgOp op;
  Value factor; ///< in the body of the op
  unsigned numLoops;
  SmallVector<unsigned> reduced;
};
} // namespace

/// Inputs are read by the further loops, the result is written by the first.
SmallVector<AffineMap> ProductOfOthers::makeMaps() {
  unsigned all = numLoops + reduced.size();
  SmallVector<AffineExpr> dims(b.getMultiDimIdentityMap(numLoops).getResults());
  AffineMap own = AffineMap::get(all, 0, dims, b.getContext());
  for (auto [i, d] : llvm::enumerate(reduced))
    dims[d] = b.getAffineDimExpr(numLoops + i);
  SmallVector<AffineMap> maps;
  for (OpOperand *input : op.getDpsInputOperands())
    maps.push_back(op.getMatchingIndexingMap(input).replaceDimsAndSymbols(
        dims, {}, all, 0));
  maps.push_back(own);
  return maps;
}

/// One per factor.
Value ProductOfOthers::makeOnes() {
  SmallVector<OpFoldResult> sizes =
      llvm::map_to_vector(op.createLoopRanges(b, op.getLoc()),
                          [](const mlir::Range &range) { return range.size; });
  Type element = getElementTypeOrSelf(op->getResult(0));
  Value empty = tensor::EmptyOp::create(b, op.getLoc(), sizes, element);
  return linalg::FillOp::create(b, op.getLoc(),
                                makeScalar(b, op.getLoc(), element, 1), empty)
      .getResult(0);
}

/// Whether the factor is the one that is left out.
Value ProductOfOthers::isOwn(OpBuilder &inner, Location loc) {
  Value same = arith::ConstantOp::create(inner, loc, b.getBoolAttr(true));
  for (auto [i, d] : llvm::enumerate(reduced)) {
    Value here = linalg::IndexOp::create(inner, loc, d);
    Value there = linalg::IndexOp::create(inner, loc, numLoops + i);
    Value equal = arith::CmpIOp::create(inner, loc, arith::CmpIPredicate::eq,
                                        here, there);
    same = arith::AndIOp::create(inner, loc, same, equal);
  }
  return same;
}

void ProductOfOthers::buildBody(OpBuilder &inner, Location loc,
                                ValueRange args) {
  Block &body = *op.getBlock();
  Operation *combiner = body.getTerminator()->getOperand(0).getDefiningOp();
  IRMapping mapping;
  mapping.map(body.getArguments().drop_back(), args.drop_back());
  for (Operation &primal : body.without_terminator()) {
    if (&primal == combiner)
      continue;
    Operation *copy = inner.clone(primal, mapping);
    auto index = dyn_cast<linalg::IndexOp>(copy);
    if (auto *place = index ? llvm::find(reduced, index.getDim()) : nullptr;
        place && place != reduced.end())
      index.setDim(numLoops + (place - reduced.begin()));
  }
  Value one = makeScalar(inner, loc, args.back().getType(), 1);
  Value other = arith::SelectOp::create(inner, loc, isOwn(inner, loc), one,
                                        mapping.lookupOrDefault(factor));
  Value product = arith::MulFOp::create(inner, loc, args.back(), other);
  linalg::YieldOp::create(inner, loc, product);
}

Value ProductOfOthers::build() {
  SmallVector<utils::IteratorType> loops(numLoops,
                                         utils::IteratorType::parallel);
  loops.resize(numLoops + reduced.size(), utils::IteratorType::reduction);
  Value ones = makeOnes();
  return linalg::GenericOp::create(
             b, op.getLoc(), ones.getType(), op.getDpsInputs(), ones,
             makeMaps(), loops,
             [&](OpBuilder &inner, Location loc, ValueRange args) {
               buildBody(inner, loc, args);
             })
      .getResult(0);
}

/// The sum over factors of their tangents times the others. The initial value
/// is one more factor, apart from the rest.
LogicalResult symshape::productJvp(linalg::LinalgOp op, Tangents &tangents) {
  OpBuilder &b = tangents.builder();
  Location loc = op.getLoc();
  Value result = op->getResult(0), start = op.getDpsInits().front();
  Value factor = combinedValue(op);
  if (!factor || llvm::any_of(*op.getBlock(), [](Operation &inner) {
        return inner.getNumRegions() > 0;
      }))
    return refuseBody(op);
  Value others = ProductOfOthers(b, op, factor).build();
  auto finish = [&](OpBuilder &inner, Value, Value tangent, ValueRange further,
                    Value accumulator) -> Value {
    Value part = arith::MulFOp::create(inner, loc, tangent, further.front());
    return makeSum(inner, loc, accumulator, part);
  };
  AffineMap all = b.getMultiDimIdentityMap(op.getNumLoops());
  FailureOr<Value> sum = TangentOp{op, tangents, factor, {{others, all}}}.build(
      makeConstant(b, loc, 0, result), finish);
  if (failed(sum))
    return failure();
  Value tangent = *sum;
  std::optional<APFloat> number = filledWith(start);
  if (tangent && !(number && number->isExactlyValue(1.0)))
    tangent = arith::MulFOp::create(b, loc, start, tangent);
  if (Value ofStart = tangents.of(start)) {
    Value ones = makeConstant(b, loc, 1, result);
    auto product = cast<linalg::LinalgOp>(b.clone(*op));
    product.setDpsInitOperand(0, ones);
    Value part = arith::MulFOp::create(b, loc, product->getResult(0), ofStart);
    tangent = tangent ? makeSum(b, loc, tangent, part) : part;
  }
  tangents.set(result, tangent);
  return success();
}
