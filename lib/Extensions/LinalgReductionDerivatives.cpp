//===- LinalgReductionDerivatives.cpp - Of maximum, minimum, product ------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tangent of an extremum is the mean of those of all candidates that reach
// it; that of a product has for each element the product of the others.
//
//===----------------------------------------------------------------------===//

#include "LinalgDerivatives.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "symshape/IR/Diagnostics.h"

using namespace mlir;
using namespace mlir::symshape;

/// The value that a reduction combines with the accumulator; null where the
/// body is no reduction by one op.
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

/// An empty axis has no extremum: the mean of its tangents is 0 by 0.
static void assertNotEmpty(OpBuilder &b, linalg::LinalgOp op) {
  Operation *combiner =
      op.getBlock()->getTerminator()->getOperand(0).getDefiningOp();
  bool isMaximum = isa<arith::MaximumFOp, arith::MaxNumFOp>(combiner);
  StringRef name = isMaximum ? "reduce_max" : "reduce_min";
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
    auto check =
        AssertOp::create(b, op.getLoc(), extent, b.getStringAttr("n >= 1"),
                         b.getStringAttr("the derivative of " + name +
                                         " over an axis needs an element"));
    check->setAttr(
        kTriple, b.getStringAttr(makeTriple(name, "operand.shape[axis]", "0")));
  }
}

/// The mean of the tangents of all candidates that reach the extremum.
LogicalResult symshape::extremumJvp(linalg::LinalgOp op, Tangents &tangents) {
  OpBuilder &b = tangents.builder();
  Location loc = op.getLoc();
  Value result = op->getResult(0), candidate = combinedValue(op);
  if (!candidate)
    return refuseBody(op);
  assertNotEmpty(b, op);
  auto sumWhereReached = [&](bool ofTangents) {
    auto finish = [&](OpBuilder &inner, Value primal, Value tangent,
                      ValueRange further, Value accumulator) -> Value {
      Value zero = makeScalar(inner, loc, accumulator.getType(), 0);
      Value part = ofTangents
                       ? tangent
                       : makeScalar(inner, loc, accumulator.getType(), 1);
      Value isReached = arith::CmpFOp::create(
          inner, loc, arith::CmpFPredicate::OEQ, primal, further.front());
      part = arith::SelectOp::create(inner, loc, isReached, part ? part : zero,
                                     zero);
      return makeSum(inner, loc, accumulator, part);
    };
    return TangentOp{op, tangents, candidate, {result}, ofTangents}.build(
        makeConstant(b, loc, 0, result), finish);
  };
  FailureOr<Value> sum = sumWhereReached(true);
  if (failed(sum))
    return failure();
  FailureOr<Value> count = sumWhereReached(false);
  tangents.set(result, arith::DivFOp::create(b, loc, *sum, *count));
  return success();
}

/// For each element of the input of a product, the product of the others: no
/// division, so that zeros need no cases. Cost: the square of the axis.
static FailureOr<Value> makeProductOfOthers(OpBuilder &b, linalg::LinalgOp op) {
  Location loc = op.getLoc();
  Value input = op.getDpsInputs().front();
  AffineMap map = op.getIndexingMapsArray().front();
  if (!map.isPermutation())
    return failure();
  unsigned numLoops = op.getNumLoops();
  SmallVector<unsigned> reduced;
  op.getReductionDims(reduced);
  SmallVector<AffineExpr> dims;
  for (unsigned d = 0; d < numLoops; ++d)
    dims.push_back(b.getAffineDimExpr(d));
  for (auto [i, d] : llvm::enumerate(reduced))
    dims[d] = b.getAffineDimExpr(numLoops + i);
  unsigned all = numLoops + reduced.size();
  AffineMap others = map.replaceDimsAndSymbols(dims, {}, all, 0);
  AffineMap own = AffineMap::get(all, 0, map.getResults(), b.getContext());
  SmallVector<utils::IteratorType> loops(numLoops,
                                         utils::IteratorType::parallel);
  loops.resize(all, utils::IteratorType::reduction);
  Value ones = makeConstant(b, loc, 1, input);
  return linalg::GenericOp::create(
             b, loc, ones.getType(), input, ones, ArrayRef{others, own}, loops,
             [&](OpBuilder &inner, Location where, ValueRange args) {
               Value same =
                   arith::ConstantOp::create(inner, where, b.getBoolAttr(true));
               for (auto [i, d] : llvm::enumerate(reduced)) {
                 Value here = linalg::IndexOp::create(inner, where, d);
                 Value there =
                     linalg::IndexOp::create(inner, where, numLoops + i);
                 Value equal = arith::CmpIOp::create(
                     inner, where, arith::CmpIPredicate::eq, here, there);
                 same = arith::AndIOp::create(inner, where, same, equal);
               }
               Value one = makeScalar(inner, where, args[0].getType(), 1);
               Value factor =
                   arith::SelectOp::create(inner, where, same, one, args[0]);
               linalg::YieldOp::create(
                   inner, where,
                   arith::MulFOp::create(inner, where, args[1], factor)
                       .getResult());
             })
      .getResult(0);
}

LogicalResult symshape::productJvp(linalg::LinalgOp op, Tangents &tangents) {
  OpBuilder &b = tangents.builder();
  Location loc = op.getLoc();
  Value result = op->getResult(0);
  if (op.getNumDpsInputs() != 1 ||
      combinedValue(op) != op.getBlock()->getArgument(0) ||
      tangents.of(op.getDpsInits().front()))
    return refuseBody(op);
  FailureOr<Value> others = makeProductOfOthers(b, op);
  if (failed(others))
    return refuseBody(op);
  AffineMap map = op.getIndexingMapsArray().front();
  Value tangent = tangents.of(op.getDpsInputs().front());
  auto sum = linalg::GenericOp::create(
      b, loc, result.getType(), ValueRange{*others, tangent},
      makeConstant(b, loc, 0, result),
      ArrayRef{map, map, op.getIndexingMapsArray().back()},
      op.getIteratorTypesArray(),
      [&](OpBuilder &inner, Location where, ValueRange args) {
        Value part = arith::MulFOp::create(inner, where, args[0], args[1]);
        linalg::YieldOp::create(inner, where,
                                makeSum(inner, where, args[2], part));
      });
  tangents.set(result, sum.getResult(0));
  return success();
}
