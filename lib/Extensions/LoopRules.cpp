//===- LoopRules.cpp - Rules of loops of any dialect ----------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Counters, and loops over them.
//
//===----------------------------------------------------------------------===//

#include "LoopRules.h"
#include "CarriedCounters.h"

using namespace mlir;
using namespace mlir::symshape;

Expr symshape::maxOfType(ShapeFacts &facts, Type type) {
  return halfOfType(facts, type) - 1;
}

/// Both bounds of the counter are values that it takes, so a linear relation
/// holds in every iteration iff it holds at both.
///
/// Proof: with n = ceildiv(upper - lower, step) > 0 iterations the last value
/// is lower + (n - 1) * step, which is below upper, for (n - 1) * step < upper
/// - lower.
Formula symshape::setLoopVariable(ShapeFacts &facts, Value variable, Expr lower,
                                  Expr upper, Expr step) {
  Expr count = facts.arena().ceilDiv(upper - lower, step);
  Expr last = step.isConstant(1) ? upper - 1 : lower + (count - 1) * step;
  Expr counter = facts.iterationSymbol(lower, last);
  facts.setValue(variable, counter);
  if (!step.isConstant(1)) {
    facts.implyOfIteration(Relation::lt(counter, upper));
    // The step divides the distance; for a step that is not constant, as an
    // equality.
    Expr distance = counter - lower;
    facts.implyOfIteration(
        step.isConstant()
            ? Relation::divides(step, distance)
            : Relation::eq(distance,
                           step * facts.arena().floorDiv(distance, step)));
  }
  Formula isReached = Relation::lt(lower, upper);
  // A counter that wraps is below the upper bound again. With a step of 1 it
  // ends at that bound; with another, less than a step beyond.
  if (!step.isConstant(1)) {
    facts.imply(Relation::lt(count * step, upper - lower + step));
    facts.require(
        Formula::disj(
            Formula::negate(isReached),
            Relation::le(last + step, maxOfType(facts, variable.getType()))),
        "end of the counter");
  }
  return isReached;
}

// With n = upper - lower: (n ceildiv step) is at least 0 iff n > -step, and for
// n <= 0 there is no iteration.
Expr symshape::tripCount(ShapeFacts &facts, Expr lower, Expr upper, Expr step) {
  ExprArena &arena = facts.arena();
  return arena.ceilDiv(arena.max(upper - lower, arena.zero()), step);
}

void symshape::emptyLoopRule(ShapeFacts &facts, const CountedLoop &loop,
                             Region &body) {
  facts.visitRegion(body, Formula::truth(false));
  copyFacts(facts, loop.inits, loop.results);
}

/// Its body is given what the loop is, and its results are what that yields.
static void oneIterationRule(ShapeFacts &facts, const CountedLoop &loop,
                             Region &body, Expr lower, Expr step) {
  Value variable = body.getArgument(0);
  facts.setValue(variable, lower);
  if (!step.isConstant(1))
    facts.require(
        Relation::le(lower + step, maxOfType(facts, variable.getType())),
        "end of the counter");
  copyFacts(facts, loop.inits,
            SmallVector<Value>(loop.arguments.begin(), loop.arguments.end()));
  facts.visitRegion(body, Formula::truth(true));
  copyFacts(facts, loop.yields, loop.results);
}

void symshape::countedLoopRule(ShapeFacts &facts, CountedLoop loop,
                               Region &body, Expr lower, Expr upper,
                               Expr step) {
  symshape::Range length =
      facts.constraints().bounds(upper - lower, Effort::Quick);
  if (length.isAtMost(0))
    return emptyLoopRule(facts, loop, body);
  if (length.isAtLeast(1) &&
      facts.constraints().isProvably(Relation::le(upper - lower, step),
                                     Effort::Quick))
    return oneIterationRule(facts, loop, body, lower, step);
  CarriedExtents extents(facts, loop.inits, loop.arguments);
  loop.trips = tripCount(facts, lower, upper, step);
  extents.visit([&] {
    Value variable = body.getArgument(0);
    Formula isReached = setLoopVariable(facts, variable, lower, upper, step);
    loop.iteration =
        facts.arena().floorDiv(facts.value(variable) - lower, step);
    loop.counter = variable;
    loop.first = lower;
    loop.step = step;
    setCarriedScalars(facts, loop);
    extents.setArguments(loop.iteration);
    facts.visitRegion(body, isReached, [&] { extents.check(loop.yields); });
    extents.setResults(loop.results, loop.trips);
  });
}
