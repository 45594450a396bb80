//===- Loops.cpp - Loops that several lowerings build ---------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See the header.
//
//===----------------------------------------------------------------------===//

#include "Loops.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::symshape;

scf::ValueVector symshape::makePositionLoops(OpBuilder &b, Location loc,
                                             ArrayRef<OpFoldResult> extents,
                                             ValueRange inits,
                                             PositionBody body) {
  if (extents.empty())
    return body({}, inits);
  SmallVector<Value> lower(extents.size(), makeIndex(b, loc, 0)),
      step(extents.size(), makeIndex(b, loc, 1));
  SmallVector<Value> upper = getValueOrCreateConstantIndexOp(b, loc, extents);
  return scf::buildLoopNest(
             b, loc, lower, upper, step, inits,
             [&](OpBuilder &, Location, ValueRange position,
                 ValueRange carried) { return body(position, carried); })
      .results;
}

SmallVector<Value>
symshape::makeLoop(OpBuilder &b, Location loc, Value begin, Value end,
                   Value step, ValueRange inits,
                   function_ref<SmallVector<Value>(Value, ValueRange)> body) {
  auto loop = scf::ForOp::create(
      b, loc, begin, end, step, inits,
      [&](OpBuilder &, Location, Value iv, ValueRange carried) {
        scf::YieldOp::create(b, loc, body(iv, carried));
      });
  return llvm::to_vector_of<Value>(loop.getResults());
}

Value symshape::endUnlessEmpty(OpBuilder &b, Location loc, Value end,
                               ValueRange inner) {
  for (Value extent : inner) {
    std::optional<int64_t> constant = getConstantIntValue(extent);
    if (constant && *constant != 0)
      continue;
    Value zero = makeIndex(b, loc, 0);
    Value isEmpty =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, extent, zero);
    end = arith::SelectOp::create(b, loc, isEmpty, zero, end);
  }
  return end;
}

Value symshape::countDigits(OpBuilder &b, Location loc, Value extent) {
  Value last = arith::SubIOp::create(b, loc, extent, makeIndex(b, loc, 1));
  last = arith::MaxSIOp::create(b, loc, last, makeIndex(b, loc, 0));
  Value number = arith::IndexCastOp::create(b, loc, b.getI64Type(), last);
  number = math::CountLeadingZerosOp::create(b, loc, number);
  number = arith::IndexCastOp::create(b, loc, b.getIndexType(), number);
  return arith::SubIOp::create(b, loc, makeIndex(b, loc, 64), number);
}

Value symshape::roundDown(OpBuilder &b, Location loc, Value size,
                          int64_t step) {
  AffineExpr expr = b.getAffineDimExpr(0).floorDiv(step) * step;
  return makeIndex(b, loc,
                   affine::makeComposedFoldedAffineApply(
                       b, loc, expr, getAsOpFoldResult(size)));
}

Value symshape::makeConditional(OpBuilder &b, Location loc, Value condition,
                                Value carried,
                                function_ref<Value(Value)> body) {
  Value count =
      arith::IndexCastUIOp::create(b, loc, b.getIndexType(), condition);
  return makePositionLoops(
             b, loc, OpFoldResult(count), carried,
             [&](ValueRange, ValueRange inner) -> scf::ValueVector {
               return {body(inner.front())};
             })
      .front();
}
