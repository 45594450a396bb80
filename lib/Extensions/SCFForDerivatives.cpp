//===- SCFForDerivatives.cpp - Derivatives of scf.for ---------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Forward, a loop carries tangents beside its values, or has a second loop for
// them (SCFTangentLoop.cpp). Transposed, a loop runs from the last iteration to
// the first, and adds to cotangents of what it captures in place.
//
//===----------------------------------------------------------------------===//

#include "SCFForDerivatives.h"
#include "SCFDerivatives.h"
#include "SCFTangentLoop.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "symshape/IR/Diagnostics.h"

using namespace mlir;
using namespace mlir::symshape;

static Value makeIndex(OpBuilder &b, Location loc, int64_t value) {
  return arith::ConstantIndexOp::create(b, loc, value);
}

static Value castTo(OpBuilder &b, Location loc, Type type, Value value) {
  return value.getType() == type
             ? value
             : arith::IndexCastUIOp::create(b, loc, type, value).getResult();
}

/// The number of iterations, as an index. The distance is read as unsigned,
/// which holds that between any two bounds.
Value LoopBounds::count(OpBuilder &b, Location loc) const {
  Type type = lower.getType();
  Value one = arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, 1));
  Value none = arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, 0));
  Value runs = arith::CmpIOp::create(b, loc,
                                     isUnsigned ? arith::CmpIPredicate::ult
                                                : arith::CmpIPredicate::slt,
                                     lower, upper);
  Value count = arith::SubIOp::create(b, loc, upper, lower);
  count = arith::SubIOp::create(b, loc, count, one);
  count = arith::DivUIOp::create(b, loc, count, step);
  count = arith::AddIOp::create(b, loc, count, one);
  count = arith::SelectOp::create(b, loc, runs, count, none);
  return castTo(b, loc, b.getIndexType(), count);
}

/// The induction variable in an iteration.
Value LoopBounds::valueAt(OpBuilder &b, Location loc, Value number) const {
  Value distance = castTo(b, loc, lower.getType(), number);
  distance = arith::MulIOp::create(b, loc, distance, step);
  return arith::AddIOp::create(b, loc, lower, distance);
}

/// The iteration in which the induction variable has a value.
Value LoopBounds::numberOf(OpBuilder &b, Location loc, Value value) const {
  Value distance = arith::SubIOp::create(b, loc, value, lower);
  distance = arith::DivUIOp::create(b, loc, distance, step);
  return castTo(b, loc, b.getIndexType(), distance);
}

scf::ForOp symshape::makeLoop(
    OpBuilder &b, Location loc, Value count, ValueRange inits,
    function_ref<FailureOr<SmallVector<Value>>(Value, ValueRange)> body) {
  auto loop = scf::ForOp::create(b, loc, makeIndex(b, loc, 0), count,
                                 makeIndex(b, loc, 1), inits);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  FailureOr<SmallVector<Value>> yielded =
      body(loop.getInductionVar(), loop.getRegionIterArgs());
  if (failed(yielded))
    return nullptr;
  if (!inits.empty())
    scf::YieldOp::create(b, loc, *yielded);
  return loop;
}

//===----------------------------------------------------------------------===//
// Forward, together
//===----------------------------------------------------------------------===//

scf::ForOp symshape::carryMore(OpBuilder &b, scf::ForOp op, ValueRange inits) {
  SmallVector<Value> all(op.getInitArgs());
  llvm::append_range(all, inits);
  auto result = scf::ForOp::create(
      b, op.getLoc(), op.getLowerBound(), op.getUpperBound(), op.getStep(), all,
      /*bodyBuilder=*/nullptr, op.getUnsignedCmp());
  result.getRegion().takeBody(op.getRegion());
  op.replaceAllUsesWith(result.getResults().take_front(op.getNumResults()));
  op.erase();
  return result;
}

static LogicalResult jvpTogether(scf::ForOp op, ArrayRef<unsigned> active,
                                 Tangents &tangents) {
  OpBuilder &b = tangents.builder();
  b.setInsertionPoint(op);
  SmallVector<Value> inits;
  for (unsigned number : active) {
    Value init = op.getInitArgs()[number];
    inits.push_back(tangents.orZero(init));
    tangents.set(op.getRegionIterArg(number),
                 op.getBody()->addArgument(init.getType(), op.getLoc()));
  }
  if (failed(tangents.differentiate(*op.getBody())))
    return failure();
  auto yield = cast<scf::YieldOp>(op.getBody()->getTerminator());
  SmallVector<Value> further;
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(yield);
    for (unsigned number : active)
      further.push_back(tangents.orZero(yield.getOperand(number)));
    yield->insertOperands(yield->getNumOperands(), further);
  }
  unsigned numResults = op.getNumResults();
  scf::ForOp result = carryMore(b, op, inits);
  for (auto [i, number] : llvm::enumerate(active))
    tangents.set(result.getResult(number), result.getResult(numResults + i));
  return success();
}

LogicalResult symshape::forJvp(scf::ForOp op, Tangents &tangents) {
  SmallVector<unsigned> active;
  for (auto [i, isActive] : llvm::enumerate(
           findActive(*op.getBody(), op.getRegionIterArgs(), op.getInitArgs(),
                      op.getYieldedValues(), tangents)))
    if (isActive)
      active.push_back(i);
  if (active.empty())
    return success();
  return tangents.isSeparate() ? jvpSeparate(op, active, tangents)
                               : jvpTogether(op, active, tangents);
}

//===----------------------------------------------------------------------===//
// Transposed
//===----------------------------------------------------------------------===//

/// Carries the cotangents of what the loop carries, and of linear values that
/// it uses.
LogicalResult symshape::forTranspose(scf::ForOp op, Cotangents &cotangents) {
  for (BlockArgument argument : op.getRegionIterArgs())
    if (!cotangents.isLinear(argument))
      return emitMissingRule(op,
                             "a transpose of a loop that carries more than "
                             "linear values",
                             "linearize the function that has it");
  OpBuilder &b = cotangents.builder();
  Location loc = op.getLoc();
  LoopBounds bounds(op);
  bounds.lower = cotangents.residual(bounds.lower);
  bounds.upper = cotangents.residual(bounds.upper);
  bounds.step = cotangents.residual(bounds.step);
  Value count = bounds.count(b, loc);
  Value last = arith::SubIOp::create(b, loc, count, makeIndex(b, loc, 1));
  SmallVector<Value> captured = capturedLinear(op, cotangents), inits;
  for (Value result : op.getResults())
    inits.push_back(cotangents.sumOf(result));
  for (Value value : captured)
    inits.push_back(cotangents.sumOf(value));
  size_t numCarried = op.getNumResults();
  scf::ForOp loop = makeLoop(
      b, loc, count, inits,
      [&](Value number, ValueRange carried) -> FailureOr<SmallVector<Value>> {
        SmallVector<Value> arguments(op.getBody()->getNumArguments());
        Value forward = arith::SubIOp::create(b, loc, last, number);
        arguments[0] = bounds.valueAt(b, loc, forward);
        FailureOr<SmallVector<Value>> parts = cotangents.transposeBody(
            *op.getBody(), arguments,
            SmallVector<Value>(carried.take_front(numCarried)), captured,
            SmallVector<Value>(carried.drop_front(numCarried)));
        if (failed(parts))
          return failure();
        return SmallVector<Value>(llvm::drop_begin(*parts));
      });
  if (!loop)
    return failure();
  for (auto [value, sum] :
       llvm::zip(captured, loop.getResults().drop_front(numCarried)))
    cotangents.replace(value, sum);
  for (auto [init, cotangent] : llvm::zip(op.getInitArgs(), loop.getResults()))
    if (cotangents.isLinear(init))
      cotangents.add(init, cotangent);
  return success();
}
