//===- CarriedExtents.cpp - Extents that loops carry ----------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Guesses about each carried dimension, which the visit of the body confirms or
// weakens. Not for: what ops do to extents (their rules), scalars
// (CarriedScalars.cpp).
//
//===----------------------------------------------------------------------===//

#include "CarriedExtents.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "symshape/Extensions/RuleHelpers.h"

using namespace mlir;
using namespace mlir::symshape;

// Bodies are visited once for each round of guesses.
static constexpr unsigned maxRounds = 8;
// An inner loop starts again with each guess of the loops around it.
static constexpr unsigned maxDepthOfStepped = 3;

static unsigned loopDepth(Operation *loop) {
  unsigned depth = 0;
  for (; loop; loop = loop->getParentOp())
    depth += isa<LoopLikeOpInterface>(loop);
  return depth;
}

CarriedExtents::CarriedExtents(ShapeFacts &facts, ValueRange inits,
                               ArrayRef<BlockArgument> arguments)
    : facts(facts) {
  for (auto [i, init, argument] : llvm::enumerate(inits, arguments)) {
    auto type = dyn_cast<ShapedType>(argument.getType());
    if (!isRankedShaped(argument.getType()))
      continue;
    for (int64_t d = 0; d < type.getRank(); ++d)
      if (type.isDynamicDim(d))
        carried.push_back({static_cast<unsigned>(i), d, argument,
                           facts.dim(init, d), Expr(),
                           static_cast<Guess>(facts.noteOf(argument, d))});
  }
  // Symbols of initial values are older than those of the body.
  if (!carried.empty())
    marker = facts.arena().freshSymbol("%mark").id();
}

void CarriedExtents::visit(llvm::function_ref<void()> rule) {
  if (carried.empty())
    return rule();
  bool isRight = false;
  for (unsigned round = 0; !isRight; ++round) {
    isLastRound = round + 1 >= maxRounds;
    isWrong = false;
    isChecked = false;
    isRight = facts.attempt([&] {
      rule();
      return isConfirmed();
    });
  }
}

/// If nobody checked the guesses, none holds.
bool CarriedExtents::isConfirmed() {
  if (isChecked)
    return !isWrong;
  bool isOpen = true;
  for (Dim &dim : carried) {
    isOpen &= dim.guess == Guess::None;
    dim.guess = Guess::None;
  }
  return isOpen;
}

void CarriedExtents::setArguments(Expr number) {
  iteration = number;
  for (const Dim &dim : carried)
    say(dim, dim.argument, iteration);
}

void CarriedExtents::setResults(ValueRange results, Expr trips) {
  for (const Dim &dim : carried)
    say(dim, results[dim.position], trips);
}

/// What the guess says of the dimension after `trips` iterations.
void CarriedExtents::say(const Dim &dim, Value value, Expr trips) {
  switch (dim.guess) {
  case Guess::Same:
    return facts.setExact(value, dim.number, dim.first);
  case Guess::Stepped: {
    Expr e = dim.first + trips * dim.step;
    facts.setExact(value, dim.number, e);
    return facts.imply(Relation::ge(e, facts.constant(0)));
  }
  case Guess::AtLeast:
  case Guess::AtMost:
    return facts.imply(claimOf(dim, facts.dim(value, dim.number)));
  case Guess::None:
    return;
  }
}

SmallVector<Relation> CarriedExtents::bounds() const {
  SmallVector<Relation> all;
  for (const Dim &dim : carried)
    if (dim.guess == Guess::AtLeast || dim.guess == Guess::AtMost)
      all.push_back(claimOf(dim, facts.dim(dim.argument, dim.number)));
  return all;
}

// By induction over the iterations: a guess holds for what is carried into the
// first one; if all hold at the start of an iteration, each is proved here for
// what it yields. Facts of the body hold in each iteration that runs, and a
// result is what the last iteration yields, or the initial value.
void CarriedExtents::check(ValueRange yields) {
  isChecked = true;
  ConstraintSet &set = facts.constraints();
  for (Dim &dim : carried) {
    if (dim.guess == Guess::None)
      continue;
    Expr next = facts.dim(yields[dim.position], dim.number);
    if (set.isProvably(claimOf(dim, next)))
      continue;
    isWrong = true;
    weaken(dim, next);
  }
  if (isWrong && isLastRound)
    for (Dim &dim : carried)
      begin(dim, Guess::None);
}

Relation CarriedExtents::claimOf(const Dim &dim, Expr next) const {
  if (dim.guess == Guess::Stepped)
    return Relation::eq(next, dim.first + (iteration + 1) * dim.step);
  if (dim.guess == Guess::AtLeast)
    return Relation::le(dim.first, next);
  if (dim.guess == Guess::AtMost)
    return Relation::le(next, dim.first);
  return Relation::eq(next, dim.first);
}

/// The strongest guess below a wrong one, given that the next extent is `next`.
/// Only a hint: it is proved like any other.
void CarriedExtents::weaken(Dim &dim, Expr next) {
  ConstraintSet &set = facts.constraints();
  auto isInvariantExpr = [&](Expr e) {
    return llvm::all_of(e.symbols(),
                        [&](Expr s) { return isInvariant(facts, s, marker); });
  };
  if (dim.guess != Guess::Same) {
    begin(dim, dim.guess == Guess::Stepped ? dim.rest : Guess::None);
    return;
  }
  dim.rest = set.isProvably(Relation::le(dim.first, next))   ? Guess::AtLeast
             : set.isProvably(Relation::le(next, dim.first)) ? Guess::AtMost
                                                             : Guess::None;
  dim.step = set.simplify(next - dim.first);
  bool isStepped =
      iteration && isInvariantExpr(dim.step) &&
      loopDepth(dim.argument.getOwner()->getParentOp()) <= maxDepthOfStepped;
  if (isStepped)
    dim.guess = Guess::Stepped;
  else
    begin(dim, dim.rest);
}

/// From now on, even if the loop is visited again for one around it, nothing
/// stronger is tried.
void CarriedExtents::begin(Dim &dim, Guess guess) {
  dim.guess = guess;
  facts.noteOf(dim.argument, dim.number) = static_cast<unsigned>(guess);
}
