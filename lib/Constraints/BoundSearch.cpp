//===- BoundSearch.cpp - Bounds over chosen symbols -----------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Replaces, one at a time, atoms that are not chosen by what bounds them from
// the side that matters: the sign of an atom's cofactor says which. Not for:
// equalities (BoundRewrite.cpp), all facts together (BoundProjection.cpp).
//
//===----------------------------------------------------------------------===//

#include "symshape/Constraints/BoundSearch.h"
#include "Forms.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir::symshape;

// Replacements on one path, steps per question, bounds kept, chosen symbols
// that are compared with the expression as a whole.
static constexpr unsigned maxReplacements = 12;
static constexpr unsigned maxSearchSteps = 200;
static constexpr unsigned maxBounds = 12;
static constexpr unsigned maxDistances = 8;

BoundSearch::BoundSearch(ConstraintSet &facts,
                         llvm::function_ref<bool(Expr)> isChosen)
    : facts(facts), arena(facts.arena()), choice(isChosen) {
  facts.push();
}

BoundSearch::~BoundSearch() { facts.pop(); }

bool BoundSearch::isChosenOnly(Expr e) {
  auto it = chosen.find(e);
  if (it != chosen.end())
    return it->second;
  bool result = llvm::all_of(e.symbols(), [&](Expr symbol) {
    return llvm::is_contained(defined, symbol) || choice(symbol);
  });
  return chosen[e] = result;
}

bool BoundSearch::isLimit(const DynamicAPInt &end) {
  return abs(end) >= (int64_t(1) << 48) - 1;
}

std::optional<Expr> BoundSearch::constantBound(Expr e, bool isUpper) {
  Range range = facts.bounds(e);
  const auto &end = isUpper ? range.max : range.min;
  if (!end || (isLimit(*end) && !range.isSingle()))
    return std::nullopt;
  return arena.constant(*end);
}

ArrayRef<FactId> BoundSearch::factsAbout(Expr symbol) {
  if (!index) {
    index.emplace();
    for (FactId id = 0, end = facts.numFacts(); id < end; ++id) {
      for (Expr s : (facts.fact(id).lhs - facts.fact(id).rhs).symbols())
        (*index)[s].push_back(id);
    }
  }
  auto it = index->find(symbol);
  return it == index->end() ? ArrayRef<FactId>() : ArrayRef(it->second);
}

//===----------------------------------------------------------------------===//
// Bounds of one atom
//===----------------------------------------------------------------------===//

/// min is at most each operand, and at least the least of lower bounds of all;
/// max the other way round. bc(a, b) is one of a and b.
BoundSearch::Exprs BoundSearch::fromOperands(Atom atom, bool isUpper,
                                             unsigned depth) {
  bool isEach = atom.kind() == AtomKind::Min   ? isUpper
                : atom.kind() == AtomKind::Max ? !isUpper
                                               : false;
  Exprs result;
  if (isEach) {
    result.append(atom.operands().begin(), atom.operands().end());
    return result;
  }
  SmallVector<Expr> all;
  for (Expr operand : atom.operands()) {
    Exprs one = search(operand, isUpper, depth);
    if (one.empty())
      return result;
    all.push_back(one.front());
  }
  result.push_back(isUpper ? arena.max(all) : arena.min(all));
  return result;
}

/// For a divisor d >= 1: floordiv grows with its dividend, and a non-negative
/// dividend makes it shrink with its divisor.
BoundSearch::Exprs BoundSearch::ofQuotient(Atom atom, bool isUpper,
                                           unsigned depth) {
  Expr a = atom.operands()[0], d = atom.operands()[1];
  Exprs result;
  Range divisor = facts.bounds(d);
  if (!divisor.isAtLeast(1))
    return result;
  if (!isChosenOnly(d)) {
    if (!isUpper || !facts.isProvably(Relation::ge(a, arena.zero())))
      return result;
    d = arena.constant(*divisor.min);
  }
  for (Expr bound : search(a, isUpper, depth))
    result.push_back(arena.floorDiv(bound, d));
  return result;
}

/// What the facts say of the symbol alone: relations solved for it, and its
/// constant bound.
BoundSearch::Exprs BoundSearch::ofSymbol(Expr symbol, bool isUpper) {
  Exprs result;
  for (FactId id : factsAbout(symbol)) {
    std::optional<Relation> alone = facts.isolate(facts.fact(id), symbol);
    if (!alone)
      continue;
    // `symbol <= e` bounds from above, `e <= symbol` from below.
    bool saysUpper = alone->lhs == symbol;
    Expr bound = saysUpper ? alone->rhs : alone->lhs;
    if (!bound.isConstant() &&
        (alone->kind == Relation::Eq || saysUpper == isUpper))
      result.push_back(bound);
  }
  if (std::optional<Expr> constant = constantBound(symbol, isUpper))
    result.push_back(*constant);
  return result;
}

/// Bounds of the atom, not necessarily over chosen symbols.
BoundSearch::Exprs BoundSearch::ofAtom(Atom atom, bool isUpper,
                                       unsigned depth) {
  switch (atom.kind()) {
  case AtomKind::Symbol:
    return ofSymbol(atom.asExpr(), isUpper);
  case AtomKind::FloorDiv:
    return ofQuotient(atom, isUpper, depth);
  case AtomKind::Min:
  case AtomKind::Max:
  case AtomKind::Bc:
    return fromOperands(atom, isUpper, depth);
  case AtomKind::Named:
    break;
  }
  return {};
}

// With C of one sign, e = C*A + R is at most C*U + R, where U is an upper bound
// of A for C >= 0, else a lower one. For a quotient q = a floordiv d with d >=
// 1, a - d + 1 <= d*q <= a: where C is c*d, c*a + R bounds e before anything is
// divided, and terms of R may cancel it.
BoundSearch::Exprs BoundSearch::withoutAtom(Expr e, Atom atom, bool isUpper,
                                            unsigned depth) {
  Exprs result;
  LinearSplit split = splitLinear(e, atom);
  if (!split.cofactor)
    return result;
  bool isPositive =
      facts.isProvably(Relation::ge(split.cofactor, arena.zero()));
  if (!isPositive &&
      !facts.isProvably(Relation::le(split.cofactor, arena.zero())))
    return result;
  bool needsUpper = isPositive == isUpper;
  auto add = [&](Expr next) {
    if (!mentions(next, atom) && result.size() < maxBounds)
      result.push_back(next);
  };
  if (atom.kind() == AtomKind::FloorDiv) {
    Expr a = atom.operands()[0], d = atom.operands()[1];
    Expr factor = divideExactly(split.cofactor, d);
    if (factor && facts.isProvably(Relation::ge(d, arena.one())))
      add(factor * (needsUpper ? a : a - d + 1) + split.rest);
  }
  for (Expr bound : ofAtom(atom, needsUpper, depth))
    add(split.cofactor * bound + split.rest);
  return result;
}

//===----------------------------------------------------------------------===//
// The search
//===----------------------------------------------------------------------===//

BoundSearch::Exprs BoundSearch::search(Expr e, bool isUpper, unsigned depth) {
  e = rewrite(e);
  if (isChosenOnly(e))
    return {e};
  Exprs found;
  if (depth == 0 || stepsLeft == 0)
    return found;
  --stepsLeft;
  // Quotients first, while what cancels them still exists; symbols last.
  SmallVector<Atom> quotients, others, symbols;
  for (const Expr::Term &term : e.terms())
    for (auto [atom, power] : term.powers)
      if (!isChosenOnly(atom.asExpr()))
        (atom.kind() == AtomKind::FloorDiv ? quotients
         : atom.kind() == AtomKind::Symbol ? symbols
                                           : others)
            .push_back(atom);
  llvm::SetVector<Atom> atoms(quotients.begin(), quotients.end());
  atoms.insert(others.begin(), others.end());
  atoms.insert(symbols.begin(), symbols.end());
  for (Atom atom : atoms) {
    if (llvm::is_contained(eliminated, atom.asExpr()))
      return found;
    eliminated.push_back(atom.asExpr());
    for (Expr next : withoutAtom(e, atom, isUpper, depth - 1)) {
      cameFrom.try_emplace(rewrite(next), e);
      for (Expr bound : search(next, isUpper, depth - 1))
        if (!llvm::is_contained(found, bound) && found.size() < maxBounds)
          found.push_back(bound);
    }
    eliminated.pop_back();
    if (!found.empty())
      return found;
  }
  return found;
}

/// A chosen symbol plus the greatest distance of `e` from it.
BoundSearch::Exprs BoundSearch::byDistance(Expr e, bool isUpper) {
  Exprs found;
  for (Expr symbol : ArrayRef(defined).take_front(maxDistances)) {
    Range distance = facts.bounds(e - symbol);
    const auto &end = isUpper ? distance.max : distance.min;
    if (end && !isLimit(*end))
      found.push_back(symbol + arena.constant(*end));
  }
  return found;
}

/// Splits the upper bound `e` into bounds that all hold: one per operand of
/// a min it grows with or a max it falls with. Dually for a lower bound.
BoundSearch::Exprs BoundSearch::sidesOf(Expr e, bool isUpper) {
  Exprs open{e}, result;
  while (!open.empty()) {
    Expr next = open.pop_back_val();
    Atom atom = findFactor(next, [&](Atom a) {
      if (a.kind() != AtomKind::Min && a.kind() != AtomKind::Max)
        return false;
      Expr cofactor = splitLinear(next, a).cofactor;
      std::optional<DynamicAPInt> scale =
          cofactor ? cofactor.asConstant() : std::nullopt;
      return scale && (a.kind() == AtomKind::Min) == ((*scale > 0) == isUpper);
    });
    if (!atom || open.size() + result.size() >= maxBounds) {
      result.push_back(next);
      continue;
    }
    LinearSplit split = splitLinear(next, atom);
    for (Expr operand : llvm::reverse(atom.operands()))
      open.push_back(split.cofactor * operand + split.rest);
  }
  return result;
}

// e <= f and f <= g give e <= g: of a product whose factors are all replaced,
// each step has a proof where the whole may have none.
bool BoundSearch::isProvedInSteps(Expr e, Expr bound, bool isUpper) {
  for (unsigned i = 0; i < maxReplacements && bound != e; ++i) {
    auto it = cameFrom.find(bound);
    if (it == cameFrom.end())
      break;
    Expr previous = it->second;
    if (!facts.isProvably(isUpper ? Relation::le(previous, bound)
                                  : Relation::le(bound, previous)))
      return false;
    bound = previous;
  }
  return bound == e || facts.isProvably(Relation::eq(bound, e));
}

/// The proved bounds among `found`, without those that another one implies.
BoundSearch::Exprs BoundSearch::withoutWeaker(Exprs found, Expr e,
                                              bool isUpper) {
  auto implies = [&](Expr strong, Expr weak) {
    return facts.isProvably(isUpper ? Relation::le(strong, weak)
                                    : Relation::le(weak, strong));
  };
  Exprs kept;
  for (Expr bound : found) {
    bool isProved = implies(e, bound) || isProvedInSteps(e, bound, isUpper);
    if (kept.size() >= maxBounds || !isProved ||
        llvm::any_of(kept, [&](Expr other) { return implies(other, bound); }))
      continue;
    llvm::erase_if(kept, [&](Expr other) { return implies(bound, other); });
    kept.push_back(bound);
  }
  return kept;
}

BoundSearch::Exprs BoundSearch::bounds(Expr e, bool isUpper) {
  if (Expr same = exact(e))
    return withoutWeaker(sidesOf(same, isUpper), e, isUpper);
  stepsLeft = maxSearchSteps;
  Exprs found = search(e, isUpper, maxReplacements);
  auto isSymbolic = [](Expr bound) { return !bound.isConstant(); };
  Expr reduced = facts.simplify(e);
  if (reduced != e && llvm::none_of(found, isSymbolic))
    llvm::append_range(found, search(reduced, isUpper, maxReplacements));
  if (llvm::none_of(found, isSymbolic))
    llvm::append_range(found, byProjection(e, isUpper));
  if (llvm::none_of(found, isSymbolic))
    llvm::append_range(found, byDistance(e, isUpper));
  // Of constants, the best.
  llvm::erase_if(found, [](Expr bound) { return bound.isConstant(); });
  if (std::optional<Expr> constant = constantBound(e, isUpper))
    found.push_back(*constant);
  return withoutWeaker(std::move(found), e, isUpper);
}

SmallVector<Expr, 2> BoundSearch::upper(Expr e) {
  return bounds(e, /*isUpper=*/true);
}

SmallVector<Expr, 2> BoundSearch::lower(Expr e) {
  return bounds(e, /*isUpper=*/false);
}
