//===- CarriedScalars.cpp - Scalars carried by loops ----------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A scalar that changes by the same amount in each iteration of a counted loop
// is a function of the counter. One that changes by amounts of a known range
// has bounds that move with the counter. One that is the same after each
// iteration is that, or the initial value; so is one that is a sum of the
// counter. One that only grows, or only shrinks, stays on its side of the
// initial value. Nothing is said of any other.
//
//===----------------------------------------------------------------------===//

#include "CarriedScalars.h"
#include "CarriedCounters.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "symshape/Extensions/RuleHelpers.h"

using namespace mlir;
using namespace mlir::symshape;

//===----------------------------------------------------------------------===//
// One step
//===----------------------------------------------------------------------===//

Expr symshape::invariantValue(ShapeFacts &facts, Value v, Operation *loop) {
  APInt constant;
  if (matchPattern(v, m_ConstantInt(&constant)))
    return facts.arena().constant(llvm::DynamicAPInt(constant));
  if (hasIntegerValue(v.getType()) &&
      !loop->isAncestor(v.getParentRegion()->getParentOp()))
    return facts.value(v);
  return Expr();
}

Expr symshape::sumOf(ShapeFacts &facts, Operation *op,
                     llvm::function_ref<Expr(Value)> valueOf) {
  if (!op || !isa<arith::AddIOp, arith::SubIOp, affine::AffineApplyOp>(op))
    return Expr();
  SmallVector<Expr> values;
  for (Value operand : op->getOperands()) {
    values.push_back(valueOf(operand));
    if (!values.back())
      return Expr();
  }
  if (isa<arith::AddIOp>(op))
    return values[0] + values[1];
  if (isa<arith::SubIOp>(op))
    return values[0] - values[1];
  AffineMap map = cast<affine::AffineApplyOp>(op).getAffineMap();
  ArrayRef<Expr> all(values);
  return facts.apply(map.getResult(0), all.take_front(map.getNumDims()),
                     all.drop_front(map.getNumDims()));
}

/// Whether the result of the sum is exact, whatever its operands.
static bool isExactOp(Operation *op) {
  if (isa<affine::AffineApplyOp>(op))
    return true;
  auto flags = dyn_cast<arith::ArithIntegerOverflowFlagsInterface>(op);
  return flags && flags.hasNoSignedWrap();
}

namespace {
/// What one iteration adds to an argument.
class StepFinder {
public:
  StepFinder(ShapeFacts &facts, BlockArgument argument)
      : facts(facts), argument(argument),
        loop(argument.getOwner()->getParentOp()),
        before(facts.arena().freshSymbol("%x")) {}

  /// The step, the same in all iterations; else null.
  Expr find(Value yielded) {
    constexpr unsigned maxDepth = 6;
    Expr after = sum(yielded.getDefiningOp(), maxDepth);
    if (!after)
      return Expr();
    return llvm::is_contained((after - before).symbols(), before)
               ? Expr()
               : after - before;
  }

  /// Whether one op adds the step and does not wrap.
  bool isExact = false;

private:
  // Modulo the size of the type, a sum of sums is that of all terms, wrapped or
  // not. A map may divide: what it is applied to must not have wrapped.
  Expr sum(Operation *op, unsigned depth) {
    isExact = op && isExactOp(op);
    bool isModular = op && isa<arith::AddIOp, arith::SubIOp>(op);
    return sumOf(facts, op, [&](Value v) {
      if (v == argument)
        return before;
      Expr e = invariantValue(facts, v, loop);
      if (e || depth == 0 || !isModular)
        return e;
      e = sum(v.getDefiningOp(), depth - 1);
      isExact = false;
      return e;
    });
  }

  ShapeFacts &facts;
  BlockArgument argument;
  Operation *loop;
  Expr before;
};
} // namespace

//===----------------------------------------------------------------------===//
// Growth
//===----------------------------------------------------------------------===//

namespace {
/// Follows values back to a carried argument.
class GrowthFinder {
public:
  GrowthFinder(ShapeFacts &facts, Operation *loop, const Formula &premise)
      : facts(facts), loop(loop), premise(premise) {}

  Growth of(Value value, BlockArgument argument, unsigned depth) const;

private:
  Growth ofSum(Operation *op, BlockArgument argument, unsigned depth) const;
  Growth ofResult(OpResult value, BlockArgument argument, unsigned depth) const;
  bool isExact(Operation *op, Value grown, Expr step) const;

  ShapeFacts &facts;
  Operation *loop; ///< the outermost; nothing inside has a value yet
  const Formula &premise;
};
} // namespace

/// Whether `grown + step`, the result of `op`, does not wrap: by the op, or
/// since the iteration is only reached if it fits.
bool GrowthFinder::isExact(Operation *op, Value grown, Expr step) const {
  if (isExactOp(op))
    return true;
  if (premise.kind == Formula::Opaque || !isa<BlockArgument>(grown) ||
      grown.getParentRegion()->getParentOp() != loop)
    return false;
  ConstraintSet &set = facts.constraints();
  set.push();
  assume(set, premise);
  bool fits = facts.fitsType(facts.value(grown) + step, grown.getType());
  set.pop();
  return fits;
}

/// A value that grew, plus something of one sign, without wrapping.
Growth GrowthFinder::ofSum(Operation *op, BlockArgument argument,
                           unsigned depth) const {
  Expr x = facts.arena().freshSymbol("%x");
  Value grown;
  Expr sum = sumOf(facts, op, [&](Value v) {
    if (Expr e = invariantValue(facts, v, loop))
      return e;
    if (grown && grown != v)
      return Expr();
    grown = v;
    return x;
  });
  if (!sum || !grown)
    return {};
  Expr step = sum - x;
  if (llvm::is_contained(step.symbols(), x) || !isExact(op, grown, step))
    return {};
  Growth before = of(grown, argument, depth);
  return {before.atLeast && isAtLeast(facts, step, 0),
          before.atMost && isAtLeast(facts, -step, 0)};
}

Growth GrowthFinder::ofResult(OpResult value, BlockArgument argument,
                              unsigned depth) const {
  unsigned i = value.getResultNumber();
  Operation *op = value.getOwner();
  auto both = [&](Value a, Value b) {
    Growth first = of(a, argument, depth), second = of(b, argument, depth);
    return std::pair(first, second);
  };
  auto onEachPath = [&](Value a, Value b) -> Growth {
    auto [first, second] = both(a, b);
    return {first.atLeast && second.atLeast, first.atMost && second.atMost};
  };
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return onEachPath(branch.thenYield().getOperand(i),
                      branch.elseYield().getOperand(i));
  if (auto select = dyn_cast<arith::SelectOp>(op))
    return onEachPath(select.getTrueValue(), select.getFalseValue());
  if (isa<arith::MaxSIOp>(op)) {
    auto [first, second] = both(op->getOperand(0), op->getOperand(1));
    return {first.atLeast || second.atLeast, first.atMost && second.atMost};
  }
  if (isa<arith::MinSIOp>(op)) {
    auto [first, second] = both(op->getOperand(0), op->getOperand(1));
    return {first.atLeast && second.atLeast, first.atMost || second.atMost};
  }
  if (auto inner = dyn_cast<scf::ForOp>(op)) {
    // What one iteration of the inner loop does holds for all of them.
    Growth start = of(inner.getInitArgs()[i], argument, depth);
    Growth each =
        of(inner.getYieldedValues()[i], inner.getRegionIterArg(i), depth);
    return {start.atLeast && each.atLeast, start.atMost && each.atMost};
  }
  return ofSum(op, argument, depth);
}

Growth GrowthFinder::of(Value value, BlockArgument argument,
                        unsigned depth) const {
  if (value == argument)
    return {true, true};
  if (depth == 0)
    return {};
  if (auto result = dyn_cast<OpResult>(value))
    return ofResult(result, argument, depth - 1);
  auto inner = cast<BlockArgument>(value);
  auto loop = dyn_cast<scf::WhileOp>(inner.getOwner()->getParentOp());
  if (loop && inner.getOwner() == loop.getAfterBody())
    return of(loop.getConditionOp().getArgs()[inner.getArgNumber()], argument,
              depth - 1);
  return {};
}

Growth symshape::growthOf(ShapeFacts &facts, Value value,
                          BlockArgument argument, const Formula &premise) {
  constexpr unsigned maxDepth = 12;
  return GrowthFinder(facts, argument.getOwner()->getParentOp(), premise)
      .of(value, argument, maxDepth);
}

// By induction over the iterations: the initial value compares so with itself,
// and each iteration yields a value on the same side of what it was given.
void symshape::implyGrowth(ShapeFacts &facts, Growth growth, Expr start,
                           Expr later) {
  if (growth.atLeast)
    facts.imply(Relation::le(start, later));
  if (growth.atMost)
    facts.imply(Relation::le(later, start));
}

//===----------------------------------------------------------------------===//
// Changes
//===----------------------------------------------------------------------===//

namespace {
/// The range of what one iteration adds to an argument on any path.
class ChangeFinder {
public:
  ChangeFinder(ShapeFacts &facts, BlockArgument argument)
      : facts(facts), argument(argument),
        loop(argument.getOwner()->getParentOp()) {}

  /// In exact arithmetic. nullopt if it is unknown or unbounded.
  std::optional<symshape::Range> of(Value value, unsigned depth = 12) {
    if (value == argument)
      return symshape::Range::between(0, 0);
    Operation *op = value.getDefiningOp();
    if (!op || depth == 0)
      return std::nullopt;
    unsigned i = cast<OpResult>(value).getResultNumber();
    if (auto branch = dyn_cast<scf::IfOp>(op))
      return either(branch.thenYield().getOperand(i),
                    branch.elseYield().getOperand(i), depth);
    if (auto select = dyn_cast<arith::SelectOp>(op))
      return either(select.getTrueValue(), select.getFalseValue(), depth);
    if (isa<arith::MinSIOp, arith::MaxSIOp>(op))
      return either(op->getOperand(0), op->getOperand(1), depth);
    return ofSum(op, depth);
  }

  /// The sums on the way to the value, and nothing added at all.
  symshape::Range sums = symshape::Range::between(0, 0);

private:
  std::optional<symshape::Range> either(Value a, Value b, unsigned depth) {
    std::optional<symshape::Range> first = of(a, depth - 1),
                                   second = of(b, depth - 1);
    if (!first || !second)
      return std::nullopt;
    return symshape::Range::join(*first, *second);
  }

  std::optional<symshape::Range> ofSum(Operation *op, unsigned depth) {
    Expr x = facts.arena().freshSymbol("%x");
    Value changed;
    Expr sum = sumOf(facts, op, [&](Value v) {
      if (Expr e = invariantValue(facts, v, loop))
        return e;
      if (changed && changed != v)
        return Expr();
      changed = v;
      return x;
    });
    if (!sum || !changed)
      return std::nullopt;
    std::optional<symshape::Range> before = of(changed, depth - 1);
    symshape::Range step = facts.constraints().bounds(sum - x);
    if (llvm::is_contained((sum - x).symbols(), x) || !before || !step.min ||
        !step.max)
      return std::nullopt;
    symshape::Range after = symshape::Range::add(*before, step);
    sums = symshape::Range::join(sums, after);
    return after;
  }

  ShapeFacts &facts;
  BlockArgument argument;
  Operation *loop;
};
} // namespace

// After k iterations x_k is in [start + k*least, start + k*most]: by induction.
// The sums of the next iteration are x_k plus something in `sums`; if the
// extremes of those of the last iteration fit, those of all iterations do, so
// none wraps and x_k+1 is x_k plus a change.
static bool implyChange(ShapeFacts &facts, const CountedLoop &loop, Expr start,
                        BlockArgument argument, Value yielded, Value result) {
  ChangeFinder finder(facts, argument);
  std::optional<symshape::Range> change = finder.of(yielded);
  if (!change)
    return false;
  auto number = [&](const llvm::DynamicAPInt &v) {
    return facts.arena().constant(v);
  };
  const llvm::DynamicAPInt &least = *change->min, &most = *change->max, zero(0);
  llvm::DynamicAPInt down = std::min(least, zero), up = std::max(most, zero);
  Expr lowest =
      start + loop.trips * number(down) + number(*finder.sums.min - down);
  Expr highest =
      start + loop.trips * number(up) + number(*finder.sums.max - up);
  if (!facts.fitsType(lowest, argument.getType()) ||
      !facts.fitsType(highest, argument.getType()))
    return false;
  // If there is no iteration, the argument may stand for any value: start.
  Expr before = facts.arena().max(loop.iteration, facts.constant(0));
  for (auto [value, count] : {std::pair<Value, Expr>(argument, before),
                              std::pair<Value, Expr>(result, loop.trips)}) {
    Expr later = facts.value(value);
    facts.imply(Relation::le(start + count * number(least), later));
    facts.imply(Relation::le(later, start + count * number(most)));
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Counted loops
//===----------------------------------------------------------------------===//

// After k iterations x is start + k*step: by induction, while that fits. It
// does for 0 <= k <= trips if it does for both ends, of which the first is a
// value of the program; a sum that does not wrap by itself is exact anyway.
void symshape::setCarriedScalars(ShapeFacts &facts, const CountedLoop &loop) {
  for (auto [init, argument, yielded, result] :
       llvm::zip(loop.inits, loop.arguments, loop.yields, loop.results)) {
    if (!hasIntegerValue(init.getType()) || init.getType().isInteger(1))
      continue;
    Expr start = facts.value(init);
    StepFinder finder(facts, argument);
    if (Expr step = finder.find(yielded)) {
      Expr end = start + loop.trips * step;
      if (finder.isExact || facts.fitsType(end, init.getType())) {
        facts.setValue(argument, start + loop.iteration * step);
        facts.setValue(result, end);
        continue;
      }
    }
    Operation *op = argument.getOwner()->getParentOp();
    if (Expr last = invariantValue(facts, yielded, op)) {
      ExprArena &arena = facts.arena();
      Formula isFirst = Relation::eq(loop.iteration, arena.zero());
      facts.setValue(argument, facts.join(isFirst, start, last));
      Formula isSkipped = Relation::eq(loop.trips, arena.zero());
      facts.setValue(result, facts.join(isSkipped, start, last));
      continue;
    }
    if (implyChange(facts, loop, start, argument, yielded, result) ||
        setFromCounter(facts, loop, start, argument, yielded, result))
      continue;
    Growth growth = growthOf(facts, yielded, argument, Formula::opaque());
    implyGrowth(facts, growth, start, facts.value(argument));
    implyGrowth(facts, growth, start, facts.value(result));
  }
}
