//===- BoundRewrite.cpp - Equalities over chosen symbols ------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of BoundSearch that replaces equals by equals: definitions read from
// right to left, and facts solved for a symbol.
//
//===----------------------------------------------------------------------===//

#include "Forms.h"
#include "symshape/Constraints/BoundSearch.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir::symshape;

// Rules applied to one expression; facts substituted one after the other.
static constexpr unsigned maxRewrites = 64;
static constexpr unsigned maxSolved = 6, maxSolvedSteps = 200;

bool BoundSearch::applyRule(const Rule &rule, Expr &e) {
  for (const Expr::Term &term : e.terms())
    if (Expr factor = divideExactly(arena.fromTerm(term), rule.pivot)) {
      e = e + factor * (rule.value - rule.pivot);
      return true;
    }
  return false;
}

/// `e` with the operands of its atoms rewritten.
Expr BoundSearch::rewriteOperands(Expr e) {
  return arena.replaceAtoms(e, [&](Atom atom) {
    Expr self = atom.asExpr();
    if (atom.kind() == AtomKind::Symbol || atom.kind() == AtomKind::Named ||
        isChosenOnly(self))
      return self;
    SmallVector<Expr, 4> operands;
    for (Expr operand : atom.operands())
      operands.push_back(rewrite(operand));
    return ArrayRef<Expr>(operands) == atom.operands()
               ? self
               : arena.makeAtom(atom, operands);
  });
}

Expr BoundSearch::rewrite(Expr e) {
  if (rules.empty() || isChosenOnly(e))
    return e;
  for (unsigned i = 0; i < maxRewrites; ++i) {
    Expr before = e;
    e = rewriteOperands(e);
    if (isChosenOnly(e))
      break;
    llvm::any_of(rules, [&](const Rule &rule) { return applyRule(rule, e); });
    if (e == before)
      break;
  }
  return e;
}

// The pivot does not occur in what replaces it, and rules made before have been
// applied to it: so rewriting comes to an end.
void BoundSearch::define(Expr symbol, Expr e) {
  facts.assume(Relation::eq(symbol, e));
  defined.push_back(symbol);
  index.reset();
  chosen.clear();
  Expr gap = rewrite(e) - symbol;
  const Expr::Term *best = nullptr;
  for (const Expr::Term &term : gap.terms()) {
    Expr alone = arena.fromTerm(term);
    if (isChosenOnly(alone) ||
        llvm::any_of(term.powers, [&](const auto &power) {
          return mentions(gap - alone, power.first);
        }))
      continue;
    if (!best || abs(term.coefficient) < abs(best->coefficient))
      best = &term;
  }
  if (best)
    rules.push_back({arena.fromTerm(*best), arena.fromTerm(*best) - gap});
}

/// Substitutes solved equalities until only chosen symbols are left. Many
/// orders of substitutions lead to one expression, which is tried once.
Expr BoundSearch::solve(Expr e, unsigned depth) {
  e = rewrite(e);
  if (isChosenOnly(e))
    return e;
  unsigned &tried = unsolved[e];
  if (depth <= tried || stepsLeft == 0)
    return Expr();
  tried = depth;
  --stepsLeft;
  for (Expr symbol : e.symbols()) {
    if (isChosenOnly(symbol))
      continue;
    for (FactId id : factsAbout(symbol)) {
      if (facts.fact(id).kind != Relation::Eq)
        continue;
      std::optional<Relation> alone = facts.isolate(facts.fact(id), symbol);
      if (!alone || mentions(alone->rhs, symbol.asAtom()))
        continue;
      Expr next = arena.substitute(
          e, [&](Expr s) { return s == symbol ? alone->rhs : Expr(); });
      if (Expr result = solve(next, depth - 1))
        return result;
    }
    return Expr();
  }
  return Expr();
}

Expr BoundSearch::exact(Expr e) {
  Expr found = rewrite(facts.simplify(e));
  if (!isChosenOnly(found))
    found = rewrite(e);
  if (!isChosenOnly(found)) {
    unsolved.clear();
    stepsLeft = maxSolvedSteps;
    found = solve(e, maxSolved);
  }
  if (!found) {
    Range range = facts.bounds(e);
    if (range.isSingle())
      found = arena.constant(*range.min);
  }
  return found && facts.isProvably(Relation::eq(e, found)) ? found : Expr();
}
