//===- Explain.cpp - Minimal reasons --------------------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Answers that take many trial sets: irreducible sets of facts behind an answer
// or a contradiction, and the chain that explains one.
//
//===----------------------------------------------------------------------===//

#include "symshape/Constraints/ConstraintSet.h"
#include "symshape/Constraints/Formula.h"
#include "symshape/Constraints/Irreducible.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir::symshape;

/// A set with the declarations of `set` that matter to the facts, and the given
/// facts alone. `asked`: where else symbols come from.
static void restrictTo(const ConstraintSet &set, llvm::ArrayRef<FactId> facts,
                       llvm::ArrayRef<Expr> asked, ConstraintSet &trial) {
  llvm::SmallVector<Expr, 8> symbols;
  for (FactId id : facts)
    llvm::append_range(symbols, set.fact(id).symbols());
  for (Expr e : asked)
    llvm::append_range(symbols, e.symbols());
  for (Expr symbol : symbols)
    trial.declare(symbol, set.info(symbol));
  for (FactId id : facts)
    trial.assume(set.fact(id));
}

std::vector<FactId> ConstraintSet::conflictCore(Expr around) const {
  auto found = findConflict(around);
  if (!found)
    return {};
  llvm::SmallVector<Expr, 1> asked;
  if (around)
    asked.push_back(around);
  auto holds = [&](llvm::ArrayRef<FactId> facts) {
    ConstraintSet trial(arena());
    restrictTo(*this, facts, asked, trial);
    return trial.findConflict(around).has_value();
  };
  std::vector<FactId> core =
      irreducible(std::vector<FactId>(found->begin(), found->end()), holds);
  if (!core.empty())
    return core;
  // The recorded facts alone do not reproduce it: start from all.
  std::vector<FactId> all(numFacts());
  for (FactId id = 0; id < all.size(); ++id)
    all[id] = id;
  return irreducible(all, holds);
}

Answer ConstraintSet::explain(const Relation &relation,
                              std::vector<std::string> &chain) const {
  Answer answer = prove(relation);
  if (answer.verdict == Verdict::Unknown) {
    chain.push_back("missing fact: " + answer.reason);
    return answer;
  }
  llvm::SmallVector<FactId, 4> facts =
      irreducible(answer.facts, [&](llvm::ArrayRef<FactId> candidates) {
        if (isSpent()) // what is left stays
          return false;
        ConstraintSet trial(arena());
        trial.spendFrom(budget());
        Charge charge(trial, budget());
        restrictTo(*this, candidates, {relation.lhs, relation.rhs}, trial);
        return trial.prove(relation).verdict == answer.verdict;
      });
  if (!facts.empty() || answer.facts.empty())
    answer.facts = std::move(facts);
  for (FactId id : answer.facts)
    chain.push_back("assumed: " + fact(id).str());
  chain.push_back((answer.isYes() ? "hence: " : "hence not: ") +
                  relation.str() + " (" + answer.reason + ")");
  return answer;
}
