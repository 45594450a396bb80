//===- Combine.cpp - Sums of facts ----------------------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A bounded search for a proof that e >= 0 as e = l*t*f + rest, with a fact f
// >= 0, a monomial t >= 0, a number l > 0 and a rest whose bounds are >= 0, or
// for which the same is found again.
//
//===----------------------------------------------------------------------===//

#include "Knowledge.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir::symshape;

static constexpr unsigned maxSums = 3;
static constexpr unsigned maxGeneralTrials = 48;
/// For a linear expression: what a short search leaves open costs less in the
/// affine tier.
static constexpr unsigned maxLinearTrials = 10;
/// What is left to prove counts as one more trial for each so many numbers and
/// factors.
static constexpr unsigned sizePerTrial = 16;
/// Which of many facts about a monomial are tried: some of the earliest, on
/// which most rests, and the latest.
static constexpr size_t maxEarliest = 4, maxLatest = 28;
/// Of longer products, no fact about all factors but one is looked for.
static constexpr size_t maxSplitFactors = 16;

/// Of longer expressions, only linear ones are looked at, and one fact at a
/// time: a sum is bounded by a longer one of the same symbols.
static constexpr size_t maxTerms = 12;

/// What is left to try, and what has been tried, with how many facts.
struct Knowledge::Combination {
  unsigned budget = 0;
  llvm::DenseMap<Expr, unsigned> tried;
};

// With f = c'*m' + ... >= 0, t >= 0 and e = c*t*m' + ..., where c and c' have
// the same sign, |c'|*e - |c|*t*f loses the monomial t*m', and being >= 0
// implies e >= 0, since |c'| > 0.
bool Knowledge::combineFact(Expr e, const Expr::Term &term, Expr primitive,
                            Expr part, Why &why, unsigned depth,
                            Combination &search) {
  const Bound known = forms.find(primitive)->second.bound;
  DynamicAPInt coefficient;
  for (const Expr::Term &candidate : primitive.terms())
    if (ArrayRef(candidate.powers) == ArrayRef(part.terms()[0].powers))
      coefficient = candidate.coefficient;
  bool usesMin = (coefficient > 0) == (term.coefficient > 0);
  const auto &end = usesMin ? known.range.min : known.range.max;
  if (!end)
    return false;
  if (search.budget == 0)
    return false;
  Expr multiplier = divideExactly(monomial(arena, term.powers), part);
  Bound sign = bounds(multiplier, 0);
  if (!sign.range.isAtLeast(0))
    return false;
  ++steps;
  Expr fact = usesMin ? primitive - arena.constant(*end)
                      : arena.constant(*end) - primitive;
  Expr rest = e * arena.constant(abs(coefficient)) -
              fact * multiplier * arena.constant(abs(term.coefficient));
  search.budget -= std::min(search.budget, 1 + rest.size() / sizePerTrial);
  if (unsigned &tried = search.tried[rest]; tried >= depth)
    return false;
  else
    tried = depth;
  Why used = reasons.both(sign.lo, usesMin ? known.lo : known.hi);
  if (!combine(rest, used, depth - 1, search))
    return false;
  why = reasons.both(why, used);
  return true;
}

/// Tries facts with the monomial of `term`, or with a factor of it.
bool Knowledge::combineTerm(Expr e, const Expr::Term &term, Why &why,
                            unsigned depth, Combination &search) {
  Expr whole = monomial(arena, term.powers);
  SmallVector<Expr, 8> parts{whole};
  if (!whole.asAtom())
    for (auto [atom, power] : term.powers) {
      parts.push_back(atom.asExpr());
      if (term.powers.size() > maxSplitFactors)
        continue;
      Expr others = divideExactly(whole, atom.asExpr());
      if (!others.asAtom())
        parts.push_back(others);
    }
  for (Expr part : parts) {
    auto it = formsWithTerm.find(part);
    if (it == formsWithTerm.end())
      continue;
    ArrayRef<Expr> facts = it->second;
    for (size_t i = 0; i < facts.size(); ++i) {
      if (i == maxEarliest)
        i = std::max(i, facts.size() - std::min(facts.size(), maxLatest));
      if (combineFact(e, term, facts[i], part, why, depth, search))
        return true;
    }
  }
  return false;
}

bool Knowledge::combine(Expr e, Why &why, unsigned depth, Combination &search) {
  if (nonNegativeDirect(e, why))
    return true;
  if (depth == 0)
    return false;
  // Terms that may be negative come first: they are what must go.
  SmallVector<const Expr::Term *, 8> negative, others;
  for (const Expr::Term &term : e.terms()) {
    if (term.powers.empty())
      continue;
    Bound contribution = termBound(term, 0);
    bool isNonNegative = contribution.range.isAtLeast(0);
    (isNonNegative ? others : negative).push_back(&term);
  }
  negative.append(others);
  for (const Expr::Term *term : negative)
    if (combineTerm(e, *term, why, depth, search))
      return true;
  return false;
}

bool Knowledge::provesByCombination(Expr e, Why &why) {
  bool isLong = e.terms().size() > maxTerms;
  bool isLinear = llvm::all_of(e.terms(), [](const Expr::Term &term) {
    return term.powers.empty() ||
           (term.powers.size() == 1 && term.powers[0].second == 1);
  });
  if (isLong && !isLinear)
    return false;
  Combination search;
  unsigned trials =
      std::min(searchLeft.sums, isLinear ? maxLinearTrials : maxGeneralTrials);
  search.budget = trials;
  bool isProved = combine(e, why, isLong ? 1 : maxSums, search);
  searchLeft.sums -= trials - search.budget;
  if (isProved) {
    rule = "sums of facts";
    return true;
  }
  if (search.budget == 0 && !isLinear)
    exhausted = "sums of facts";
  return false;
}
