//===- GuardAnalysis.cpp - What is checked where --------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "symshape/Analysis/GuardAnalysis.h"
#include "Certificates.h"
#include "DeferredChecks.h"
#include "Internal.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/ParallelCombiningOpInterface.h"
#include "symshape/Constraints/OneNumber.h"
#include "symshape/Constraints/PlainRelation.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"

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

namespace {
/// Builds the plan of one function.
class Planner {
public:
  Planner(FunctionShapes &shapes, const GuardPlan *ofSame)
      : shapes(shapes), ofSame(ofSame), multiples(shapes.arena()) {}

  GuardPlan plan();

private:
  void add(const Requirement &requirement, bool isDeclared);
  void addGuard(Formula condition, const Requirement &requirement);
  Formula withoutDivisions(const Formula &condition) const;
  void noteRepeated(const Requirement &requirement);
  void addRepeated(SmallVectorImpl<const Requirement *> &reasons);
  void minimiseGuards();
  void minimiseByNumber(std::vector<unsigned> &needed) const;
  bool isAlwaysTrue(const Guard &guard, StepBudget &left) const;
  std::optional<std::vector<unsigned>> findNeeded() const;

  FunctionShapes &shapes;
  const GuardPlan *ofSame;
  /// What guards so far say of numbers that divide extents.
  ConstraintSet multiples;
  bool hasMultiples = false;
  /// What proofs that something need not be checked may still cost.
  StepBudget budget{kStepsPerFunction};
  GuardPlan result;
  /// Guards so far, by the sides of their first relations.
  DenseMap<std::pair<Expr, Expr>, SmallVector<unsigned, 1>> guardsOf;
  /// Requirements that are not proved, by the sides of their relations.
  DenseMap<std::pair<Expr, Expr>, SmallVector<const Requirement *, 1>> open;
  /// Those that are proved because one of these says the same.
  DenseMap<const Requirement *, SmallVector<const Requirement *>> repeated;
};
} // namespace

/// Whether all that leads to `outer` also leads to `inner`.
static bool isInScopeOf(const Requirement &inner, const Requirement &outer) {
  auto isSame = [](const IterationVar &a, const IterationVar &b) {
    return a.symbol == b.symbol;
  };
  return inner.premises.size() >= outer.premises.size() &&
         inner.iterations.size() >= outer.iterations.size() &&
         std::equal(outer.premises.begin(), outer.premises.end(),
                    inner.premises.begin()) &&
         std::equal(outer.iterations.begin(), outer.iterations.end(),
                    inner.iterations.begin(), isSame);
}

/// A requirement that only repeats an earlier one is proved by it, and is a
/// reason to check that one.
void Planner::noteRepeated(const Requirement &requirement) {
  const Formula &condition = requirement.condition;
  if (!condition.isLiteral())
    return;
  auto &same = open[{condition.relation.lhs, condition.relation.rhs}];
  if (!requirement.answer.isYes()) {
    same.push_back(&requirement);
    return;
  }
  for (const Requirement *first : same)
    if (first->condition == condition && isInScopeOf(requirement, *first)) {
      repeated[first].push_back(&requirement);
      return;
    }
}

void Planner::addRepeated(SmallVectorImpl<const Requirement *> &reasons) {
  for (const Requirement *reason :
       SmallVector<const Requirement *>(reasons.begin(), reasons.end()))
    llvm::append_range(reasons, repeated.lookup(reason));
}

/// The relation in terms of extents that guards before it say to be multiples:
/// 8*(n floordiv 8) is n. What still divides is as it was.
Formula Planner::withoutDivisions(const Formula &condition) const {
  const Relation &r = condition.relation;
  if (!condition.isLiteral() || !hasMultiples)
    return condition;
  Relation plain{r.kind, multiples.simplify(r.lhs), multiples.simplify(r.rhs)};
  auto isPlain = [](Expr e) {
    return llvm::all_of(e.terms(), [](const Expr::Term &term) {
      return llvm::all_of(term.powers, [](const auto &power) {
        return power.first.kind() == AtomKind::Symbol;
      });
    });
  };
  if (plain == r || !isPlain(plain.lhs) || !isPlain(plain.rhs))
    return condition;
  return condition.negated ? Formula::negate(plain) : Formula(plain);
}

void Planner::addGuard(Formula condition, const Requirement &requirement) {
  condition = withoutDivisions(overDims(shapes, condition));
  // Parts of a conjunction are guards of their own: each is dropped or kept,
  // and reported, by itself.
  if (condition.kind == Formula::And) {
    for (const Formula &part : condition.parts)
      addGuard(part, requirement);
    return;
  }
  // Of extents that are all static.
  if (condition.symbols().empty())
    if (std::optional<bool> holds =
            condition.evaluate([](Expr) { return std::nullopt; }))
      condition = Formula::truth(*holds);
  if (condition.isTrue())
    return;
  if (condition.isFalse()) {
    result.violated.push_back(&requirement);
    return;
  }
  const Relation &first = firstRelation(condition);
  auto &same = guardsOf[{first.lhs, first.rhs}];
  for (unsigned index : same)
    if (result.guards[index].condition == condition) {
      result.guards[index].reasons.push_back(&requirement);
      return;
    }
  if (condition.isLiteral() && !condition.negated)
    if (Relation multiple = foldMultiple(first);
        multiple.kind == Relation::Divides) {
      assume(multiples, multiple);
      hasMultiples = true;
    }
  same.push_back(result.guards.size());
  result.guards.push_back({std::move(condition), {&requirement}});
}

void Planner::add(const Requirement &requirement, bool isDeclared) {
  budget.add(kStepsPerRequirement);
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
  result.deferred.push_back(
      {{&requirement}, getOpToCheckBefore(anchor), requirement.condition});
}

/// The guards that `ofSame` keeps; nullopt if it is of other guards.
std::optional<std::vector<unsigned>> Planner::findNeeded() const {
  if (!ofSame ||
      ofSame->guards.size() + ofSame->dropped.size() != result.guards.size())
    return std::nullopt;
  llvm::StringMap<bool> isKept;
  for (const Guard &guard : ofSame->dropped)
    isKept[guard.condition.str()] = false;
  for (const Guard &guard : ofSame->guards)
    isKept[guard.condition.str()] = true;
  std::vector<unsigned> needed;
  for (auto [index, guard] : llvm::enumerate(result.guards)) {
    auto it = isKept.find(guard.condition.str());
    if (it == isKept.end())
      return std::nullopt;
    if (it->second)
      needed.push_back(index);
    isKept.erase(it); // each once
  }
  return needed;
}

/// What questions about each guard alone may cost, all together.
static constexpr uint64_t kStepsForGuardsAlone = 120'000;

/// Whether the condition holds of all extents. What it is asked beside, other
/// guards and all that was proved before, may have used up what that may cost.
bool Planner::isAlwaysTrue(const Guard &guard, StepBudget &left) const {
  ConstraintSet set(shapes.arena());
  set.spendFrom(&left);
  declareDims(shapes, guard, set);
  return prove(set, guard.condition).isYes();
}

/// Without those that others on the same extent imply: which roundings follow
/// from coarser ones is beyond a proof from relations.
void Planner::minimiseByNumber(std::vector<unsigned> &needed) const {
  llvm::MapVector<Expr, std::vector<unsigned>> ofNumber;
  for (unsigned index : needed)
    if (SmallVector<Expr, 4> symbols = result.guards[index].condition.symbols();
        symbols.size() == 1)
      ofNumber[symbols.front()].push_back(index);
  for (const auto &[symbol, indices] : ofNumber) {
    if (indices.size() < 2)
      continue;
    std::vector<Formula> conditions;
    for (unsigned index : indices)
      conditions.push_back(result.guards[index].condition);
    std::vector<unsigned> kept = minimiseOfOneNumber(conditions);
    for (auto [i, index] : llvm::enumerate(indices))
      if (!llvm::binary_search(kept, i))
        llvm::erase(needed, index);
  }
}

void Planner::minimiseGuards() {
  std::vector<unsigned> needed;
  if (auto known = findNeeded()) {
    needed = std::move(*known);
  } else {
    ConstraintSet set(shapes.arena());
    set.spendFrom(&budget);
    declareDims(shapes, result.guards, set);
    std::vector<Formula> conditions;
    for (Guard &guard : result.guards)
      conditions.push_back(guard.condition);
    needed = minimise(set, conditions);
    StepBudget left{kStepsForGuardsAlone};
    llvm::erase_if(needed, [&](unsigned index) {
      return isAlwaysTrue(result.guards[index], left);
    });
    minimiseByNumber(needed);
  }
  SmallVector<Guard, 0> kept;
  for (auto [index, guard] : llvm::enumerate(result.guards)) {
    bool isNeeded = llvm::binary_search(needed, index);
    (isNeeded ? kept : result.dropped).push_back(std::move(guard));
  }
  result.guards = std::move(kept);
}

GuardPlan Planner::plan() {
  for (const Requirement &requirement : shapes.declared())
    add(requirement, /*isDeclared=*/true);
  for (const Requirement &requirement : shapes.requirements()) {
    add(requirement, /*isDeclared=*/false);
    noteRepeated(requirement);
  }
  minimiseGuards();
  placeDeferred(shapes, result, budget);
  for (auto *guards : {&result.guards, &result.dropped})
    for (Guard &guard : *guards)
      addRepeated(guard.reasons);
  for (auto *checks : {&result.deferred, &result.droppedChecks})
    for (DeferredCheck &check : *checks)
      addRepeated(check.reasons);
  return std::move(result);
}

Operation *mlir::symshape::getOpToCheckBefore(Operation *op) {
  Operation *around = op->getParentOp();
  return isa<InParallelOpInterface, vector::MaskOp>(around) ? around : op;
}

GuardPlan mlir::symshape::planGuards(FunctionShapes &shapes,
                                     const GuardPlan *ofSame) {
  return Planner(shapes, ofSame).plan();
}

const GuardPlan *GuardPlans::find(StringRef name) {
  for (const auto &[shapes, plan] : plans)
    if (shapes->function().getName() == name)
      return plan.get();
  return nullptr;
}

const GuardPlan &GuardPlans::of(FunctionShapes &shapes) {
  std::unique_ptr<GuardPlan> &plan = plans[&shapes];
  if (!plan)
    plan = std::make_unique<GuardPlan>(planGuards(shapes));
  return *plan;
}
