//===- SCFForDerivatives.cpp - Derivatives of scf.for ---------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Forward, a loop carries tangents beside its values. If they need a loop of
// their own, that one needs in each iteration what the first one carried:
// values that keep their extents are stored, in one tensor with a row per
// iteration; for others, earlier iterations run again. Transposed, a loop runs
// from the last iteration to the first.
//
//===----------------------------------------------------------------------===//

#include "SCFForDerivatives.h"
#include "KeptExtents.h"
#include "SCFDerivatives.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "symshape/IR/Diagnostics.h"
#include "symshape/IR/Slices.h"

using namespace mlir;
using namespace mlir::symshape;

namespace {
/// The bounds of a loop, of index or of an integer type.
struct Bounds {
  Value lower, upper, step;
  bool isUnsigned;

  Bounds(scf::ForOp loop)
      : lower(loop.getLowerBound()), upper(loop.getUpperBound()),
        step(loop.getStep()), isUnsigned(loop.getUnsignedCmp()) {}

  Value count(OpBuilder &b, Location loc) const;
  Value valueAt(OpBuilder &b, Location loc, Value number) const;
  Value numberOf(OpBuilder &b, Location loc, Value value) const;
};
} // namespace

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
Value Bounds::count(OpBuilder &b, Location loc) const {
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
Value Bounds::valueAt(OpBuilder &b, Location loc, Value number) const {
  Value distance = castTo(b, loc, lower.getType(), number);
  distance = arith::MulIOp::create(b, loc, distance, step);
  return arith::AddIOp::create(b, loc, lower, distance);
}

/// The iteration in which the induction variable has a value.
Value Bounds::numberOf(OpBuilder &b, Location loc, Value value) const {
  Value distance = arith::SubIOp::create(b, loc, value, lower);
  distance = arith::DivUIOp::create(b, loc, distance, step);
  return castTo(b, loc, b.getIndexType(), distance);
}

static bool isDynamic(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && !type.hasStaticShape();
}

/// A loop over `count` iterations that yields what `body` gives.
static scf::ForOp
makeLoop(OpBuilder &b, Location loc, Value count, ValueRange inits,
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

/// The loop with further values that it carries; takes the body of `op`, to
/// which the arguments and what is yielded are added.
static scf::ForOp carryMore(OpBuilder &b, scf::ForOp op, ValueRange inits) {
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

//===----------------------------------------------------------------------===//
// Forward, with a loop for the tangents
//===----------------------------------------------------------------------===//

namespace {
/// The loop for the tangents of a loop. From the body of that loop it keeps
/// what tangents need.
class TangentLoop {
public:
  TangentLoop(scf::ForOp op, ArrayRef<unsigned> active, Tangents &tangents)
      : op(op), active(active), tangents(tangents), b(tangents.builder()),
        loc(op.getLoc()), bounds(op) {
    for (unsigned i = 0; i < op.getNumResults(); ++i)
      keeps.push_back(
          !isDynamic(op.getInitArgs()[i]) ||
          keepsExtentsOf(op.getYieldedValues()[i], op.getRegionIterArg(i)));
  }
  LogicalResult build();

private:
  FailureOr<SmallVector<Value>> buildBody(Value number, ValueRange carried);
  void readExtentsOfInits();
  void runAgain();
  void store(ArrayRef<unsigned> needed);
  Value makeStack(unsigned number);
  Value writeStack(Value stack, Value number, Value value);
  Value readStack(Value stack, Value number, Type type);

  scf::ForOp op;
  ArrayRef<unsigned> active;
  Tangents &tangents;
  OpBuilder &b;
  Location loc;
  Bounds bounds;
  Value count;
  scf::ForOp loop;                                ///< of the tangents
  SmallVector<SmallVector<OpFoldResult>> extents; ///< of initial values
  SmallVector<bool> keeps; ///< of a carried value, whether its extents stay
  /// Placeholders in the body for what the loop carries, until it is known how
  /// to get that.
  SmallVector<UnrealizedConversionCastOp> carriedValues;
};
} // namespace

/// The body again, with tangents, yielding only these.
FailureOr<SmallVector<Value>> TangentLoop::buildBody(Value number,
                                                     ValueRange carried) {
  Tangents::Scope scope(tangents);
  IRMapping mapping;
  mapping.map(op.getInductionVar(), bounds.valueAt(b, loc, number));
  for (auto [argument, value] :
       llvm::zip(op.getRegionIterArgs(), carriedValues))
    mapping.map(argument, value.getResult(0));
  for (auto [i, tangent] : llvm::zip(active, carried)) {
    Value value = carriedValues[i].getResult(0);
    tangents.set(value,
                 withExtents(b, tangent,
                             keeps[i] ? extents[i] : extentsOf(b, loc, value)));
  }
  // The rule of an inner loop may replace a value: the copy of the yield has
  // the new one.
  Operation *yield = nullptr;
  for (Operation &inner : *op.getBody())
    yield = b.clone(inner, mapping);
  Block &body = *b.getInsertionBlock();
  if (failed(tangents.differentiate(body)))
    return failure();
  b.setInsertionPoint(yield);
  SmallVector<Value> yielded = llvm::map_to_vector(active, [&](unsigned i) {
    return tangents.orZero(yield->getOperand(i));
  });
  yield->erase();
  b.setInsertionPointToEnd(&body);
  return yielded;
}

/// A value that keeps its extents is not needed for its extents alone.
void TangentLoop::readExtentsOfInits() {
  for (auto [i, value] : llvm::enumerate(carriedValues)) {
    if (!keeps[i])
      continue;
    for (Operation *user :
         llvm::make_early_inc_range(value.getResult(0).getUsers())) {
      auto dim = dyn_cast<tensor::DimOp>(user);
      if (!dim || !dim.getConstantIndex())
        continue;
      b.setInsertionPoint(dim);
      dim.replaceAllUsesWith(getValueOrCreateConstantIndexOp(
          b, loc, extents[i][*dim.getConstantIndex()]));
    }
  }
}

/// Finds what the loop carries by running earlier iterations again.
void TangentLoop::runAgain() {
  b.setInsertionPointToStart(loop.getBody());
  scf::ForOp again = makeLoop(
      b, loc, loop.getInductionVar(), op.getInitArgs(),
      [&](Value number, ValueRange carried) -> FailureOr<SmallVector<Value>> {
        SmallVector<Value> arguments{bounds.valueAt(b, loc, number)};
        llvm::append_range(arguments, carried);
        return copyBlock(b, *op.getBody(), arguments, op.getYieldedValues());
      });
  for (auto [value, result] : llvm::zip(carriedValues, again.getResults()))
    value.getResult(0).replaceAllUsesWith(result);
}

//===----------------------------------------------------------------------===//
// What is stored
//===----------------------------------------------------------------------===//

/// Room for a value per iteration.
Value TangentLoop::makeStack(unsigned number) {
  SmallVector<OpFoldResult> sizes{count};
  llvm::append_range(sizes, extents[number]);
  return tensor::EmptyOp::create(
      b, loc, sizes, getElementTypeOrSelf(op.getInitArgs()[number]));
}

namespace {
/// The row of a stack that one iteration has.
struct Row : SliceBounds {
  Row(OpBuilder &b, Location loc, Value stack, Value number) {
    sizes = tensor::getMixedSizes(b, loc, stack);
    offsets.assign(sizes.size(), b.getIndexAttr(0));
    strides.assign(sizes.size(), b.getIndexAttr(1));
    offsets[0] = number;
    sizes[0] = b.getIndexAttr(1);
  }
};
} // namespace

Value TangentLoop::writeStack(Value stack, Value number, Value value) {
  if (!isa<RankedTensorType>(value.getType()))
    return tensor::InsertOp::create(b, loc, value, stack, number);
  Row row(b, loc, stack, number);
  return insertSlice(b, loc, value, stack, row);
}

Value TangentLoop::readStack(Value stack, Value number, Type type) {
  auto tensorType = dyn_cast<RankedTensorType>(type);
  if (!tensorType)
    return tensor::ExtractOp::create(b, loc, stack, number);
  Row row(b, loc, stack, number);
  return extractSlice(b, loc, stack, row, tensorType);
}

/// Makes the loop store what it carries, and the tangents' loop read it.
void TangentLoop::store(ArrayRef<unsigned> needed) {
  b.setInsertionPoint(op);
  SmallVector<Value> stacks;
  for (unsigned i : needed)
    stacks.push_back(makeStack(i));
  Block &body = *op.getBody();
  b.setInsertionPointToStart(&body);
  Value number = bounds.numberOf(b, loc, op.getInductionVar());
  SmallVector<Value> written;
  for (auto [i, stack] : llvm::zip(needed, stacks))
    written.push_back(writeStack(body.addArgument(stack.getType(), loc), number,
                                 op.getRegionIterArg(i)));
  Operation *yield = body.getTerminator();
  yield->insertOperands(yield->getNumOperands(), written);
  b.setInsertionPoint(op);
  op = carryMore(b, op, stacks);
  b.setInsertionPointToStart(loop.getBody());
  for (auto [i, stack] :
       llvm::zip(needed, op.getResults().take_back(needed.size()))) {
    Value value = carriedValues[i].getResult(0);
    value.replaceAllUsesWith(
        readStack(stack, loop.getInductionVar(), value.getType()));
  }
}

LogicalResult TangentLoop::build() {
  b.setInsertionPoint(op);
  count = bounds.count(b, loc);
  for (Value init : op.getInitArgs())
    extents.push_back(extentsOf(b, loc, init));
  b.setInsertionPointAfter(op);
  // Outside the loop, where dead ops are erased.
  for (Value init : op.getInitArgs())
    carriedValues.push_back(UnrealizedConversionCastOp::create(
        b, loc, init.getType(), ValueRange{}));
  SmallVector<Value> inits;
  for (unsigned i : active)
    inits.push_back(tangents.orZero(op.getInitArgs()[i]));
  loop = makeLoop(b, loc, count, inits, [&](Value number, ValueRange carried) {
    return buildBody(number, carried);
  });
  if (!loop)
    return failure();
  readExtentsOfInits();
  eraseDeadOps(*loop.getBody());
  SmallVector<unsigned> needed;
  for (auto [i, value] : llvm::enumerate(carriedValues))
    if (!value.getResult(0).use_empty())
      needed.push_back(i);
  bool isStored = llvm::all_of(needed, [&](unsigned i) { return keeps[i]; });
  if (!isStored)
    runAgain();
  else if (!needed.empty())
    store(needed);
  for (UnrealizedConversionCastOp value : carriedValues)
    value.erase();
  b.setInsertionPointAfter(loop);
  for (auto [i, tangent] : llvm::zip(active, loop.getResults())) {
    Value result = op.getResult(i);
    tangents.set(
        result, withExtents(b, tangent,
                            keeps[i] ? extents[i] : extentsOf(b, loc, result)));
  }
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
  return tangents.isSeparate() ? TangentLoop(op, active, tangents).build()
                               : jvpTogether(op, active, tangents);
}

//===----------------------------------------------------------------------===//
// Transposed
//===----------------------------------------------------------------------===//

/// Carries the cotangents of what the loop carries, and sums of those of linear
/// values that it uses.
LogicalResult symshape::forTranspose(scf::ForOp op, Cotangents &cotangents) {
  for (BlockArgument argument : op.getRegionIterArgs())
    if (!cotangents.isLinear(argument))
      return emitMissingRule(op,
                             "a transpose of a loop that carries more than "
                             "linear values",
                             "linearize the function that has it");
  OpBuilder &b = cotangents.builder();
  Location loc = op.getLoc();
  Bounds bounds(op);
  bounds.lower = cotangents.residual(bounds.lower);
  bounds.upper = cotangents.residual(bounds.upper);
  bounds.step = cotangents.residual(bounds.step);
  Value count = bounds.count(b, loc);
  Value last = arith::SubIOp::create(b, loc, count, makeIndex(b, loc, 1));
  SmallVector<Value> captured = capturedLinear(op, cotangents), inits;
  for (Value result : op.getResults()) {
    Value cotangent = cotangents.of(result);
    inits.push_back(cotangent ? cotangent : cotangents.zeros(result));
  }
  for (Value value : captured)
    inits.push_back(cotangents.zeros(value));
  size_t numCarried = op.getNumResults();
  scf::ForOp loop = makeLoop(
      b, loc, count, inits,
      [&](Value number, ValueRange carried) -> FailureOr<SmallVector<Value>> {
        SmallVector<Value> arguments(op.getBody()->getNumArguments());
        Value forward = arith::SubIOp::create(b, loc, last, number);
        arguments[0] = bounds.valueAt(b, loc, forward);
        FailureOr<SmallVector<Value>> parts = cotangents.transposeBody(
            *op.getBody(), arguments,
            SmallVector<Value>(carried.take_front(numCarried)), captured);
        if (failed(parts))
          return failure();
        SmallVector<Value> yielded(llvm::drop_begin(*parts));
        for (size_t i = numCarried; i < yielded.size(); ++i)
          yielded[i] = makeSum(b, loc, carried[i], yielded[i]);
        return yielded;
      });
  if (!loop)
    return failure();
  for (auto [init, cotangent] : llvm::zip(op.getInitArgs(), loop.getResults()))
    if (cotangents.isLinear(init))
      cotangents.add(init, cotangent);
  for (auto [value, cotangent] :
       llvm::zip(captured, loop.getResults().drop_front(numCarried)))
    cotangents.add(value, cotangent);
  return success();
}
