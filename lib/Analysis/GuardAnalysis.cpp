//===- GuardAnalysis.cpp - What is checked where --------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "symshape/Analysis/GuardAnalysis.h"
#include "FunctionShapesImpl.h"

#include "mlir/Interfaces/ParallelCombiningOpInterface.h"

using namespace mlir;
using namespace mlir::symshape;

static Expr overDims(FunctionShapes &shapes, Expr symbol) {
  const SymbolDef *def = shapes.definition(symbol);
  if (!def || def->kind != SymbolDef::Solved)
    return Expr();
  // A solution may use other solved symbols, never itself.
  return shapes.arena().substitute(
      def->solution, [&](Expr s) { return ::overDims(shapes, s); });
}

Formula mlir::symshape::overDims(FunctionShapes &shapes, const Formula &f) {
  return f.substitute([&](Expr s) { return ::overDims(shapes, s); });
}

/// What holds of dims before anything is checked but their common bound.
static void declareDims(FunctionShapes &shapes, ConstraintSet &set) {
  for (BlockArgument argument : shapes.function().getArguments()) {
    auto type = dyn_cast<ShapedType>(argument.getType());
    if (!type || !type.hasRank())
      continue;
    for (int64_t d = 0; d < type.getRank(); ++d) {
      // The symbol of a dim that is declared as an expression is in its
      // obligations, not in its extent; declaring a symbol twice is harmless.
      Expr e = shapes.dim(argument, d);
      if (!e.asSymbol())
        continue;
      SymbolInfo info;
      info.range = Range::between(0, kMaxExtent);
      set.declare(e, info);
    }
  }
}

namespace {
/// Builds the plan of one function.
class Planner {
public:
  explicit Planner(FunctionShapes &shapes) : shapes(shapes) {}

  GuardPlan plan();

private:
  void add(const Requirement &requirement, bool isDeclared);
  void addGuard(Formula condition, const Requirement &requirement);
  void minimiseGuards();

  FunctionShapes &shapes;
  GuardPlan result;
};
} // namespace

/// `8*(e floordiv 8) == e` as `8 | e`, which says the same, in the words of a
/// user.
static Formula spellDivisibility(const Formula &condition) {
  if (!condition.isLiteral() || condition.relation.kind != Relation::Eq)
    return condition;
  auto match = [](Expr product, Expr e) -> std::optional<Relation> {
    ArrayRef<Expr::Term> terms = product.terms();
    if (terms.size() != 1 || terms[0].powers.size() != 1 ||
        terms[0].powers[0].second != 1)
      return std::nullopt;
    Atom atom = terms[0].powers[0].first;
    Expr divisor = e.arena().constant(terms[0].coefficient);
    if (atom.kind() != AtomKind::FloorDiv || atom.operands()[0] != e ||
        atom.operands()[1] != divisor)
      return std::nullopt;
    return Relation::divides(divisor, e);
  };
  const Relation &relation = condition.relation;
  auto divides = match(relation.lhs, relation.rhs);
  if (!divides)
    divides = match(relation.rhs, relation.lhs);
  return divides ? Formula::literal(*divides) : condition;
}

void Planner::addGuard(Formula condition, const Requirement &requirement) {
  condition = spellDivisibility(overDims(shapes, condition));
  // Parts of a conjunction are guards of their own: each is dropped or kept,
  // and reported, by itself.
  if (condition.kind == Formula::And) {
    for (const Formula &part : condition.parts)
      addGuard(part, requirement);
    return;
  }
  if (condition.isTrue())
    return;
  for (Guard &guard : result.guards)
    if (guard.condition == condition) {
      guard.reasons.push_back(&requirement);
      return;
    }
  result.guards.push_back({std::move(condition), {&requirement}});
}

void Planner::add(const Requirement &requirement, bool isDeclared) {
  if (!isDeclared && requirement.answer.isYes()) {
    ++result.numProved;
    return;
  }
  bool always = requirement.premises.empty() && requirement.iterations.empty();
  if (!isDeclared && requirement.answer.isNo() && always) {
    result.violated.push_back(&requirement);
    return;
  }
  if (shapes.callersTakeOver() &&
      (isDeclared || closeOverArguments(shapes, requirement))) {
    result.takenOver.push_back(&requirement);
    return;
  }
  std::optional<Formula> closed;
  if (isDeclared && shapes.isBacked(requirement.condition))
    closed = requirement.condition;
  else
    closed = closeOver(shapes, requirement,
                       [&](const Formula &f) { return shapes.isBacked(f); });
  if (closed) {
    result.hoisted.push_back(&requirement);
    addGuard(*closed, requirement);
    return;
  }
  Operation *anchor = requirement.call ? requirement.call : requirement.op;
  if (anchor == shapes.function())
    anchor = &shapes.function().getBody().front().front();
  // What a parallel loop hands on stands among ops of one kind, after all
  // others.
  if (isa<InParallelOpInterface>(anchor->getParentOp()))
    anchor = anchor->getParentOp();
  result.deferred.push_back({&requirement, anchor});
}

void Planner::minimiseGuards() {
  ConstraintSet set(shapes.arena());
  declareDims(shapes, set);
  std::vector<Formula> conditions;
  for (Guard &guard : result.guards) {
    SmallVector<Expr> symbols;
    guard.condition.collectSymbols(symbols);
    for (Expr s : symbols) {
      SymbolInfo info;
      info.range = Range::between(0, kMaxExtent);
      set.declare(s, info);
    }
    conditions.push_back(guard.condition);
  }
  SmallVector<Guard, 0> kept;
  for (unsigned index : minimise(set, conditions))
    kept.push_back(std::move(result.guards[index]));
  result.guards = std::move(kept);
}

GuardPlan Planner::plan() {
  for (const Requirement &requirement : shapes.declared())
    add(requirement, /*isDeclared=*/true);
  for (const Requirement &requirement : shapes.requirements())
    add(requirement, /*isDeclared=*/false);
  minimiseGuards();
  return std::move(result);
}

GuardPlan mlir::symshape::planGuards(FunctionShapes &shapes) {
  return Planner(shapes).plan();
}
