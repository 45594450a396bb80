//===- Closure.cpp - Requirements as conditions on arguments --------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A call of the function meets a requirement inside it if the premises under
// which it is reached imply it, for each value of the loop counters: one
// formula over the arguments, or none if it cannot be exact.
//
//===----------------------------------------------------------------------===//

#include "Internal.h"

using namespace mlir;
using namespace mlir::symshape;

static bool mentions(const Formula &f, Expr symbol) {
  return llvm::is_contained(f.symbols(), symbol);
}

/// `f` for all lo <= i <= hi, given that there is such an i.
///
/// Proof: l <= r is a*i + rest <= 0. For a constant a > 0 its left side is
/// largest at i = hi, for a < 0 at i = lo; it holds for all i iff it holds
/// there. A conjunction holds for all i iff each part does. A disjunction of
/// which one part mentions i: the others do not depend on i, so "for all" moves
/// inside to that part.
static std::optional<Formula> forAll(ExprArena &arena, const Formula &f,
                                     const IterationVar &var) {
  if (!mentions(f, var.symbol))
    return f;
  auto at = [&](Expr e, Expr value) {
    return arena.substitute(
        e, [&](Expr s) { return s == var.symbol ? value : Expr(); });
  };
  switch (f.kind) {
  case Formula::Literal: {
    if (f.relation.kind != Relation::Le)
      return std::nullopt;
    Expr e = f.relation.lhs - f.relation.rhs;
    Expr rest = at(e, arena.zero());
    Expr slope = at(e, arena.one()) - rest;
    if (!slope.asInt64() || rest + slope * var.symbol != e)
      return std::nullopt;
    if (slope.isConstant(0))
      return Relation::le(rest, arena.zero());
    Expr worst = *slope.asInt64() > 0 ? var.hi : var.lo;
    return Relation::le(at(f.relation.lhs, worst), at(f.relation.rhs, worst));
  }
  case Formula::And: {
    Formula all = Formula::truth(true);
    for (const Formula &part : f.parts) {
      std::optional<Formula> closed = forAll(arena, part, var);
      if (!closed)
        return std::nullopt;
      all = Formula::conj(all, *closed);
    }
    return all;
  }
  case Formula::Or: {
    if (llvm::count_if(f.parts, [&](const Formula &p) {
          return mentions(p, var.symbol);
        }) > 1)
      return std::nullopt;
    Formula any = Formula::truth(false);
    for (const Formula &part : f.parts) {
      std::optional<Formula> closed = forAll(arena, part, var);
      if (!closed)
        return std::nullopt;
      any = Formula::disj(any, *closed);
    }
    return any;
  }
  default:
    return std::nullopt;
  }
}

/// Drops from the conjunction `premise` what does not matter: a part without
/// which `premise => condition` says the same, since where the part fails the
/// condition holds anyway.
static Formula neededPremise(ConstraintSet &facts, const Formula &premise,
                             const Formula &condition) {
  std::vector<Formula> parts = premise.kind == Formula::And
                                   ? premise.parts
                                   : std::vector<Formula>{premise};
  Formula needed = Formula::truth(true);
  for (const Formula &part : parts) {
    facts.push();
    assume(facts, Formula::negate(part));
    bool idle = prove(facts, condition).isYes();
    facts.pop();
    if (!idle)
      needed = Formula::conj(needed, part);
  }
  return needed;
}

std::optional<Formula>
mlir::symshape::closeOver(FunctionShapes &shapes,
                          const Requirement &requirement,
                          llvm::function_ref<bool(const Formula &)> allowed) {
  ExprArena &arena = shapes.arena();
  ConstraintSet &facts = shapes.entryFacts();
  // Facts of the body simplify expressions that were written before they were
  // known; only those of the signature may be used here.
  Formula condition = requirement.condition;
  Formula premise = Formula::truth(true);
  for (const Formula &p : requirement.premises)
    premise = Formula::conj(premise, p);
  for (const IterationVar &var : llvm::reverse(requirement.iterations)) {
    if (mentions(premise, var.symbol))
      return std::nullopt;
    std::optional<Formula> closed = forAll(arena, condition, var);
    if (!closed)
      return std::nullopt;
    if (mentions(condition, var.symbol))
      premise = Formula::conj(premise, Relation::le(var.lo, var.hi));
    condition = *closed;
  }
  if (!allowed(condition) || !allowed(premise))
    return std::nullopt;
  premise = simplify(facts, premise);
  condition = simplify(facts, condition);
  premise = neededPremise(facts, premise, condition);
  return Formula::implies(premise, condition);
}

std::optional<Formula>
mlir::symshape::closeOverArguments(FunctionShapes &shapes,
                                   const Requirement &requirement) {
  Block *entry = &shapes.function().getBody().front();
  return closeOver(shapes, requirement, [&](const Formula &f) {
    if (f.hasOpaque())
      return false;
    return llvm::all_of(f.symbols(), [&](Expr s) {
      const SymbolDef *def = shapes.definition(s);
      if (!def)
        return false;
      auto argument = dyn_cast_or_null<BlockArgument>(def->value);
      return def->backed || (argument && argument.getOwner() == entry);
    });
  });
}
