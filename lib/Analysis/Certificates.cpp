//===- Certificates.cpp - Why something is not checked --------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds again, on request, what a dropped guard or a proved requirement follows
// from. Not for: deciding what is checked.
//
//===----------------------------------------------------------------------===//

#include "Certificates.h"
#include "symshape/Analysis/FactCursor.h"
#include "symshape/Constraints/Irreducible.h"
#include "symshape/Constraints/OneNumber.h"

using namespace mlir;
using namespace mlir::symshape;

/// For leaving out what a certificate can do without. Once it is used up, more
/// stays than is needed.
static constexpr uint64_t kStepsPerCertificate = 2'000;

//===----------------------------------------------------------------------===//
// Guards
//===----------------------------------------------------------------------===//

void mlir::symshape::declareDims(FunctionShapes &shapes, ArrayRef<Guard> guards,
                                 ConstraintSet &set) {
  const SymbolInfo info{Range::between(0, kMaxExtent)};
  for (BlockArgument argument : shapes.function().getArguments()) {
    auto type = dyn_cast<ShapedType>(argument.getType());
    if (!type || !type.hasRank())
      continue;
    for (int64_t d = 0; d < type.getRank(); ++d) {
      // The symbol of a dim that is declared as an expression is in its
      // requirements, not in its extent; declaring a symbol twice is harmless.
      Expr e = shapes.dim(argument, d);
      if (!e.asSymbol())
        continue;
      set.declare(e, info);
    }
  }
  for (const Guard &guard : guards) {
    for (Expr symbol : guard.condition.symbols())
      set.declare(symbol, info);
  }
}

/// Of guards on the one number that `dropped` is about, those that imply it;
/// empty if they do not.
static std::vector<unsigned> certifyByNumber(const GuardPlan &plan,
                                             const Guard &dropped) {
  SmallVector<Expr, 4> symbols = dropped.condition.symbols();
  std::vector<unsigned> same;
  for (auto [i, guard] : llvm::enumerate(plan.guards))
    if (symbols.size() == 1 && guard.condition.symbols() == symbols)
      same.push_back(i);
  auto imply = [&](ArrayRef<unsigned> indices) {
    std::vector<Formula> conditions{dropped.condition};
    for (unsigned i : indices)
      conditions.push_back(plan.guards[i].condition);
    return !llvm::is_contained(minimiseOfOneNumber(conditions), 0u);
  };
  return irreducible(std::move(same), imply);
}

std::vector<unsigned> mlir::symshape::certify(FunctionShapes &shapes,
                                              const GuardPlan &plan,
                                              const Guard &dropped) {
  if (auto found = certifyByNumber(plan, dropped); !found.empty())
    return found;
  ConstraintSet set(shapes.arena());
  StepBudget budget{kStepsPerCertificate};
  set.spendFrom(&budget);
  declareDims(shapes, plan.guards, set);
  declareDims(shapes, dropped, set);
  std::vector<Formula> conditions;
  for (const Guard &guard : plan.guards)
    conditions.push_back(guard.condition);
  return certify(set, conditions, dropped.condition);
}

//===----------------------------------------------------------------------===//
// Proved requirements
//===----------------------------------------------------------------------===//

/// The facts of `set` that show `condition`: for a relation, none can be left
/// out. It was proved before, so this proof costs little.
static SmallVector<Relation> factsFor(ConstraintSet &set,
                                      const Formula &condition) {
  StepBudget budget{kStepsPerCertificate}, *outer = set.budget();
  set.spendFrom(nullptr);
  Answer answer = prove(set, condition);
  set.spendFrom(&budget);
  std::vector<std::string> chain;
  if (condition.isLiteral() && !condition.negated)
    answer = set.explain(condition.relation, chain);
  set.spendFrom(outer);
  SmallVector<Relation> facts;
  // What a proof by cases supposes is not a fact of the set.
  for (FactId id : answer.facts)
    if (id < set.numFacts())
      facts.push_back(set.fact(id));
  return facts;
}

/// What is declared of the symbols of a proof.
static SmallVector<Relation> rangesFor(ConstraintSet &set,
                                       const Formula &condition,
                                       ArrayRef<Relation> facts) {
  SmallVector<Expr> symbols = condition.symbols();
  for (const Relation &fact : facts)
    llvm::append_range(symbols, fact.symbols());
  SmallVector<Relation> ranges;
  llvm::SmallDenseSet<Expr> seen;
  for (Expr symbol : symbols)
    if (seen.insert(symbol).second)
      llvm::append_range(ranges, relationsOf(symbol, set.info(symbol)));
  return ranges;
}

std::vector<Proof> mlir::symshape::proveAgain(FunctionShapes &shapes,
                                              const GuardPlan &plan) {
  llvm::SmallPtrSet<const Requirement *, 16> checked;
  for (const auto *guards : {&plan.guards, &plan.dropped})
    for (const Guard &guard : *guards)
      checked.insert(guard.reasons.begin(), guard.reasons.end());
  for (const auto *checks : {&plan.deferred, &plan.droppedChecks})
    for (const DeferredCheck &check : *checks)
      checked.insert(check.reasons.begin(), check.reasons.end());
  FactCursor cursor(shapes);
  llvm::StringMap<unsigned> known;
  std::vector<Proof> proofs;
  ArrayRef<Requirement> all = shapes.requirements();
  for (size_t i = 0, first = 0; i < all.size(); ++i) {
    const Requirement &requirement = all[i];
    if (requirement.op != all[first].op || requirement.call != all[first].call)
      first = i;
    if (!requirement.answer.isYes() || checked.contains(&requirement))
      continue;
    ConstraintSet &set =
        cursor.before(requirement.call ? requirement.call : requirement.op);
    // The requirements of an op are checked in order.
    set.push();
    for (const Requirement &earlier : all.slice(first, i - first))
      assume(set, earlier.condition);
    Proof proof{{&requirement}, requirement.condition, {}, {}};
    proof.facts = factsFor(set, proof.condition);
    proof.ranges = rangesFor(set, proof.condition, proof.facts);
    set.pop();
    std::string text = proof.condition.str();
    for (const Relation &fact : proof.facts)
      text += "; " + fact.str();
    auto [place, isNew] = known.try_emplace(text, proofs.size());
    if (isNew)
      proofs.push_back(std::move(proof));
    else
      proofs[place->second].reasons.push_back(&requirement);
  }
  return proofs;
}
