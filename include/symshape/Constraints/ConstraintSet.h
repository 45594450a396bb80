//===- ConstraintSet.h - Facts, and what they imply -------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One set of facts over symbols and the question everything rests on: is this
// relation implied? For: proving, bounding, simplifying, minimising,
// explaining. Not for: ops; where facts come from is the caller's business
// (FactId).
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_CONSTRAINTS_CONSTRAINTSET_H
#define SYMSHAPE_CONSTRAINTS_CONSTRAINTSET_H

#include "symshape/Constraints/Range.h"
#include "symshape/Expr/Expr.h"
#include "symshape/Expr/Relation.h"
#include <vector>

namespace mlir::symshape {

/// Index of an assumed fact in its set, in order of assumption. The caller maps
/// it to provenance (location, op, field).
using FactId = unsigned;

/// What is declared of one symbol. `likely` is for reports, never for a proof.
struct SymbolInfo {
  Range range = Range::atLeast(0);
  Residue residue = {};
  llvm::SmallVector<int64_t, 2> likely = {};

  /// The range from the least to the greatest number that has the residue;
  /// empty where none has.
  Range aligned() const;
};

/// Range and residue of `info` as relations: the ends, then the residue.
llvm::SmallVector<Relation, 3> relationsOf(Expr symbol, const SymbolInfo &info);

/// How far a question is followed. Quick leaves out the affine tier, which
/// costs a hundred times what the others do: for questions asked in passing,
/// whose answer Unknown only loses precision. Full looks briefly for facts that
/// hide a proof and leaves them out. Exhaustive does so for seconds: for
/// questions that a person asks.
enum class Effort { Quick, Full, Exhaustive };

/// Yes and No are proofs; Unknown is neither.
enum class Verdict { Yes, No, Unknown };

/// What questions may still cost in the affine tier, in steps (see
/// `ConstraintSet::steps`), summed over all sets that spend from it. Once it is
/// used up, they go on without that tier.
struct StepBudget {
  uint64_t left = 0;

  void add(uint64_t steps) { left += steps; }
  void take(uint64_t steps) { left -= std::min(left, steps); }
};

/// A verdict with its reason.
struct Answer {
  Verdict verdict = Verdict::Unknown;
  /// Yes, No: the facts used (a superset of what is needed; minimal on request
  /// through `explain`). Unknown: empty.
  llvm::SmallVector<FactId, 4> facts;
  /// One line. Yes, No: the rule that decided ("ranges", "canonical form").
  /// Unknown: the missing fact in canonical form, or the exhausted budget.
  std::string reason;

  bool isYes() const { return verdict == Verdict::Yes; }
  bool isNo() const { return verdict == Verdict::No; }
};

/// A set of facts over the symbols of one arena. Symbols never declared range
/// over integers >= 0. Queries never change the set; answers do not depend on
/// the order of queries, unless a budget runs out. Single-threaded.
///
/// Contradictory facts: everything is implied; `prove` answers Yes to every
/// relation, `isContradictory` says so, `conflictCore` names the facts.
class ConstraintSet {
public:
  explicit ConstraintSet(ExprArena &arena);
  ~ConstraintSet();
  ConstraintSet(const ConstraintSet &) = delete;
  ConstraintSet &operator=(const ConstraintSet &) = delete;

  ExprArena &arena() const;

  /// Declares or narrows `symbol` (intersection with what was declared).
  void declare(Expr symbol, const SymbolInfo &info);
  SymbolInfo info(Expr symbol) const;

  FactId assume(const Relation &relation);
  const Relation &fact(FactId id) const;
  size_t numFacts() const;

  /// `pop` restores facts and declarations of the matching `push`.
  void push();
  void pop();

  /// Is `relation` implied (Yes), is its negation implied (No)?
  Answer prove(const Relation &relation, Effort effort = Effort::Full) const;
  bool isProvably(const Relation &relation,
                  Effort effort = Effort::Full) const {
    return prove(relation, effort).isYes();
  }

  /// Closed bounds of `e`; sound, not always tight.
  Range bounds(Expr e, Effort effort = Effort::Full) const;
  /// A residue class that contains every value of `e`.
  Residue residue(Expr e) const;
  /// An equal expression, under the facts, that is no larger: solved
  /// equalities substituted, divisions and min/max decided.
  Expr simplify(Expr e) const;
  /// `symbol` in terms of the others, from `relation` (an equality in which it
  /// occurs linearly with a coefficient that divides the rest); else null.
  Expr solve(const Relation &relation, Expr symbol) const;

  /// `symbol == e`, `symbol <= e` or `e <= symbol`, implied by the facts and
  /// `relation`, an equality or inequality in which the symbol occurs linearly
  /// with a coefficient of known sign; else nullopt.
  std::optional<Relation> isolate(const Relation &relation, Expr symbol) const;

  bool isContradictory() const;
  /// An irreducible set of facts that contradict one another; empty if none is
  /// found. What follows at once from the facts is always looked at
  /// (`isContradictory`); with `around`, also the linear facts connected with
  /// that expression.
  std::vector<FactId> conflictCore(Expr around = Expr()) const;

  /// `prove` with an irreducible set of facts and a chain, one line per step.
  Answer explain(const Relation &relation,
                 std::vector<std::string> &chain) const;

  /// What all questions so far have cost: rules tried, rows visited, numbers of
  /// systems solved. The same on every machine, and some microseconds each;
  /// what an earlier question has found costs nothing.
  uint64_t steps() const;

  /// Limits what questions cost from now on, all together; null: each question
  /// has only its own limits. The budget outlives the set.
  void spendFrom(StepBudget *budget);
  StepBudget *budget() const;
  /// Whether there was a limit, and nothing is left of it.
  bool isSpent() const { return budget() && budget()->left == 0; }

private:
  /// Facts that contradict one another, as `conflictCore` looks for them;
  /// nullopt if none are found.
  std::optional<llvm::SmallVector<FactId, 4>> findConflict(Expr around) const;

  struct Impl;
  std::unique_ptr<Impl> impl;
};

/// While this lives, all steps that `set` takes are charged to
/// `budget`, also those of facts and of cheap tiers. Nothing is if
/// `budget` is null.
class Charge {
public:
  Charge(const ConstraintSet &set, StepBudget *budget)
      : set(set), budget(budget), stepsBefore(set.steps()),
        leftBefore(budget ? budget->left : 0) {}
  Charge(const Charge &) = delete;
  Charge &operator=(const Charge &) = delete;
  ~Charge() {
    if (!budget)
      return;
    uint64_t taken = leftBefore - budget->left; // by the affine tier
    uint64_t all = set.steps() - stepsBefore;
    budget->take(all - std::min(all, taken));
  }

private:
  const ConstraintSet &set;
  StepBudget *budget;
  uint64_t stepsBefore, leftBefore;
};

} // namespace mlir::symshape

#endif // SYMSHAPE_CONSTRAINTS_CONSTRAINTSET_H
