//===- Repeats.cpp - Where conditions on one number repeat ----------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Repeats.h.
//
//===----------------------------------------------------------------------===//

#include "Repeats.h"
#include "symshape/Expr/Integers.h"
#include "llvm/ADT/STLExtras.h"
#include <numeric>

using namespace mlir::symshape;
using llvm::ArrayRef;
using llvm::DynamicAPInt;

namespace {
/// e(n + period) = e(n) + step for all n >= from.
struct Growth {
  int64_t from, period;
  DynamicAPInt step;
};
} // namespace

static std::optional<DynamicAPInt> evaluateAt(Expr e, int64_t n) {
  return e.arena().evaluateExact(
      e, [&](Expr) { return std::optional(DynamicAPInt(n)); });
}

/// The same growth over a multiple of its period.
static Growth stretch(const Growth &g, int64_t period) {
  return {g.from, period, g.step * DynamicAPInt(period / g.period)};
}

/// Nothing where one of them is too large.
static bool align(Growth &a, Growth &b) {
  int64_t period = std::lcm(a.period, b.period);
  int64_t from = std::max(a.from, b.from);
  if (period > largestPeriod || from > largestPeriod)
    return false;
  a = stretch(a, period);
  b = stretch(b, period);
  a.from = b.from = from;
  return true;
}

/// From where on e, which grows as `g` says, is above `bound` if its step is
/// positive, and below it if it is negative.
static std::optional<int64_t> passes(Expr e, const Growth &g,
                                     const DynamicAPInt &bound) {
  bool rises = g.step > 0;
  std::optional<DynamicAPInt> worst;
  for (int64_t n = g.from; n < g.from + g.period; ++n) {
    std::optional<DynamicAPInt> value = evaluateAt(e, n);
    if (!value)
      return std::nullopt;
    if (!worst || (rises ? *value < *worst : *value > *worst))
      worst = value;
  }
  DynamicAPInt missing = rises ? bound - *worst : *worst - bound;
  if (missing < 0)
    return g.from;
  DynamicAPInt rounds = missing / (rises ? g.step : -g.step) + 1;
  std::optional<int64_t> from = tryInt64(g.from + rounds * g.period);
  return from && *from <= largestPeriod ? from : std::nullopt;
}

static std::optional<Growth> findGrowth(Expr e);

/// Of the least or the largest of several: what wins in the end.
static std::optional<Growth> findGrowthOfChoice(Atom atom) {
  std::optional<Growth> best;
  Expr winner;
  int64_t from = 0;
  for (Expr operand : atom.operands()) {
    std::optional<Growth> g = findGrowth(operand);
    if (!g || (best && !align(*best, *g)))
      return std::nullopt;
    if (best && !(best->step == g->step)) {
      Expr ahead = operand - winner;
      Growth lead{g->from, g->period, g->step - best->step};
      std::optional<int64_t> since = passes(ahead, lead, DynamicAPInt(0));
      if (!since)
        return std::nullopt;
      from = std::max(from, *since);
      if ((lead.step > 0) == (atom.kind() == AtomKind::Max))
        std::tie(best, winner) = std::pair(g, operand);
      continue;
    }
    // Of two that grow alike, either may be it, and both repeat.
    ExprArena &arena = operand.arena();
    if (best)
      winner = atom.kind() == AtomKind::Min ? arena.min(winner, operand)
                                            : arena.max(winner, operand);
    else
      std::tie(best, winner) = std::pair(g, operand);
  }
  best->from = std::max(best->from, from);
  return best;
}

/// Of the first operand that is not 1.
static std::optional<Growth> findGrowthOfBroadcast(ArrayRef<Expr> operands) {
  Growth all{0, 1, DynamicAPInt(0)};
  for (auto [i, operand] : llvm::enumerate(operands)) {
    std::optional<Growth> g = findGrowth(operand);
    if (!g || !align(all, *g))
      return std::nullopt;
    if (g->step == 0) // whether it is 1 repeats, and so does its value
      continue;
    if (i > 0)
      return std::nullopt;
    std::optional<int64_t> from = passes(operand, *g, DynamicAPInt(1));
    if (!from)
      return std::nullopt;
    return Growth{*from, g->period, g->step};
  }
  return all;
}

static std::optional<Growth> findGrowth(Atom atom) {
  switch (atom.kind()) {
  case AtomKind::Symbol:
    return Growth{0, 1, DynamicAPInt(1)};
  case AtomKind::FloorDiv: {
    std::optional<Growth> g = findGrowth(atom.operands()[0]);
    int64_t divisor = atom.operands()[1].asInt64().value_or(0);
    if (!g || divisor <= 0 || divisor > largestPeriod)
      return std::nullopt;
    int64_t rest = int64_t(g->step % DynamicAPInt(divisor));
    int64_t times = divisor / std::gcd(divisor, rest);
    if (g->period * times > largestPeriod)
      return std::nullopt;
    Growth longer = stretch(*g, g->period * times);
    return Growth{longer.from, longer.period,
                  longer.step / DynamicAPInt(divisor)};
  }
  case AtomKind::Min:
  case AtomKind::Max:
    return findGrowthOfChoice(atom);
  case AtomKind::Bc:
    return findGrowthOfBroadcast(atom.operands());
  case AtomKind::Named:
    return std::nullopt;
  }
  llvm_unreachable("all kinds are above");
}

static std::optional<Growth> findGrowth(Expr e) {
  Growth all{0, 1, DynamicAPInt(0)};
  for (const Expr::Term &term : e.terms()) {
    if (term.powers.empty())
      continue;
    if (term.powers.size() > 1 || term.powers[0].second > 1)
      return std::nullopt;
    std::optional<Growth> g = findGrowth(term.powers[0].first);
    if (!g || !align(all, *g))
      return std::nullopt;
    all.step += g->step * term.coefficient;
  }
  return all;
}

static std::optional<Repeat> findRepeatOfRelation(const Relation &r) {
  if (r.kind == Relation::Divides) {
    int64_t divisor = r.lhs.asInt64().value_or(0);
    std::optional<Growth> g = findGrowth(r.rhs);
    if (!g || divisor <= 0 || divisor > largestPeriod)
      return std::nullopt;
    int64_t rest = int64_t(g->step % DynamicAPInt(divisor));
    return Repeat{g->from, g->period * (divisor / std::gcd(divisor, rest))};
  }
  Expr difference = r.rhs - r.lhs;
  std::optional<Growth> g = findGrowth(difference);
  if (!g)
    return std::nullopt;
  if (g->step == 0)
    return Repeat{g->from, g->period};
  std::optional<int64_t> from = passes(difference, *g, DynamicAPInt(0));
  return from ? std::optional(Repeat{*from, 1}) : std::nullopt;
}

std::optional<Repeat> mlir::symshape::findRepeat(const Formula &f) {
  if (f.isLiteral())
    return findRepeatOfRelation(f.relation);
  if (f.kind == Formula::Opaque)
    return std::nullopt;
  Repeat all{0, 1};
  for (const Formula &part : f.parts) {
    std::optional<Repeat> one = findRepeat(part);
    if (!one)
      return std::nullopt;
    all = {std::max(all.from, one->from), std::lcm(all.period, one->period)};
    if (all.period > largestPeriod)
      return std::nullopt;
  }
  return all;
}
