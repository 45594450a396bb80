//===- CarriedCounters.cpp - Scalars that do not add up -------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See CarriedCounters.h.
//
//===----------------------------------------------------------------------===//

#include "CarriedCounters.h"
#include "symshape/Extensions/RuleHelpers.h"

using namespace mlir;
using namespace mlir::symshape;

Expr symshape::halfOfType(ShapeFacts &facts, Type type) {
  unsigned width = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  return facts.arena().constant(
      llvm::DynamicAPInt(APInt::getOneBitSet(width + 2, width - 1)));
}

Expr symshape::asSigned(ShapeFacts &facts, Expr number, Type type) {
  Expr half = halfOfType(facts, type);
  if (facts.constraints().isProvably(Relation::lt(number, half)))
    return number;
  return facts.arena().mod(number + half, half * facts.constant(2)) - half;
}

/// Whether the sum is not one of a multiple of `x` and of what has no `x`.
static bool splitsCounter(Expr sum, Expr x) {
  ExprArena &arena = sum.arena();
  Expr rest = arena.substitute(
      sum, [&](Expr symbol) { return symbol == x ? arena.zero() : Expr(); });
  Expr multiple = sum - rest;
  return llvm::any_of(multiple.terms(), [&](const Expr::Term &term) {
    return term.powers.size() != 1 || term.powers[0].second != 1 ||
           term.powers[0].first.asExpr() != x;
  });
}

// Each iteration gives a sum of its counter and of what does not change. It
// does not wrap if those of the first and the last iteration do not: it lies
// between them.
bool symshape::setFromCounter(ShapeFacts &facts, const CountedLoop &loop,
                              Expr start, BlockArgument argument, Value yielded,
                              Value result) {
  ExprArena &arena = facts.arena();
  Operation *op = argument.getOwner()->getParentOp();
  Expr x = arena.freshSymbol("%x");
  auto valueOf = [&](Value v) {
    return v == loop.counter ? x : invariantValue(facts, v, op);
  };
  if (!loop.counter || loop.counter.getType() != argument.getType() ||
      (loop.isUnsigned && yielded != loop.counter))
    return false;
  Expr sum = yielded == loop.counter
                 ? x
                 : sumOf(facts, yielded.getDefiningOp(), valueOf);
  if (!sum || splitsCounter(sum, x))
    return false;
  auto at = [&](Expr iteration) {
    return arena.substitute(sum, [&](Expr symbol) {
      return symbol == x ? loop.first + iteration * loop.step : Expr();
    });
  };
  // Where there is no iteration before, the initial value is taken.
  auto previous = [&](Expr count) {
    return at(arena.max(count - 1, arena.zero()));
  };
  Expr before = previous(loop.iteration), last = previous(loop.trips);
  if (yielded != loop.counter &&
      !(facts.fitsType(at(arena.zero()), argument.getType()) &&
        facts.fitsType(last, argument.getType())))
    return false;
  auto set = [&](Value value, Expr count, Expr later) {
    Formula isStart = Relation::eq(count, arena.zero());
    if (loop.isUnsigned)
      later = asSigned(facts, later, value.getType());
    facts.setValue(value, facts.join(isStart, start, later));
  };
  set(argument, loop.iteration, before);
  set(result, loop.trips, last);
  return true;
}

// By induction: the initial value is one of the two, and so is each other one.
void symshape::setInvariantYields(ShapeFacts &facts, ValueRange inits,
                                  ValueRange arguments, ValueRange yields,
                                  Operation *loop) {
  for (auto [init, argument, yielded] : llvm::zip(inits, arguments, yields)) {
    if (!hasIntegerValue(init.getType()) || init.getType().isInteger(1))
      continue;
    Expr later = invariantValue(facts, yielded, loop);
    if (!later)
      continue;
    facts.setValue(argument,
                   facts.join(Formula::opaque(), facts.value(init), later));
  }
}
