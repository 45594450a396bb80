//===- PositionLoops.cpp - Loops over the positions of a tensor -----------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===/

#include "PositionLoops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"

using namespace mlir;
using namespace mlir::symshape;

scf::ValueVector symshape::makePositionLoops(RewriterBase &b, Location loc,
                                             ArrayRef<OpFoldResult> extents,
                                             ValueRange inits,
                                             PositionBody body) {
  if (extents.empty())
    return body({}, inits);
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  SmallVector<Value> lower(extents.size(), zero), step(extents.size(), one);
  SmallVector<Value> upper;
  for (OpFoldResult extent : extents)
    upper.push_back(getValueOrCreateConstantIndexOp(b, loc, extent));
  return scf::buildLoopNest(b, loc, lower, upper, step, inits,
                            [&](OpBuilder &inner, Location, ValueRange position,
                                ValueRange carried) {
                              OpBuilder::InsertionGuard guard(b);
                              b.restoreInsertionPoint(
                                  inner.saveInsertionPoint());
                              return body(position, carried);
                            })
      .results;
}

Value symshape::makeConditional(RewriterBase &b, Location loc, Value condition,
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
