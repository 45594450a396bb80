//===- LinearSystem.h - Linear constraints over integers --------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the affine tier hands to MLIR's Presburger library, and the steps before
// that. For: showing that a system has no integer solution. Not for:
// expressions, or which facts make up a system (Affine.cpp). Private to
// Constraints.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_CONSTRAINTS_LINEARSYSTEM_H
#define SYMSHAPE_LIB_CONSTRAINTS_LINEARSYSTEM_H

#include "Knowledge.h"

namespace mlir::symshape {

/// The sum of coefficient * column, plus a constant, is >= 0 or == 0. Each
/// column at most once; coefficients are not 0.
struct LinearRow {
  SmallVector<std::pair<unsigned, DynamicAPInt>, 4> terms;
  DynamicAPInt constant;
  bool isEquality = false;
  Why why = 0;
};

/// Rows that hold together, and alternatives of which one holds.
using LinearCase = SmallVector<LinearRow, 3>;
using CaseSplit = std::vector<LinearCase>;

/// Integer unknowns with bounds, and rows over them.
struct LinearSystem {
  std::vector<Bound> columns;
  std::vector<LinearRow> rows;
};

/// What the systems of one question cost.
struct SolverBudget {
  SolverBudget(uint64_t &steps, StepBudget *budget)
      : steps(steps), budget(budget) {}

  void take(uint64_t count) {
    steps += count;
    if (budget)
      budget->take(count);
  }
  /// Whether the questions of a set have used up what they may.
  bool isOver() const { return budget && budget->left == 0; }

  /// Gains a step per visit of a row and per row on a simplex, and more if that
  /// is large.
  uint64_t &steps;
  StepBudget *budget;
  /// What simplexes may still cost: rows times columns times the bits of their
  /// numbers, per row that enters one. Chains cost little, dense rows much: the
  /// library's simplex takes many pivots, of growing numbers, for each of them.
  static constexpr uint64_t most = 400'000;
  uint64_t left = most;
};

enum class Emptiness {
  Empty,    ///< no integer solution; a proof
  NotShown, ///< within the budget, nothing excludes a solution
  TooLarge  ///< what is left is beyond the budget
};

/// Simplifies a system, then asks the library. Every step replaces the system
/// by one that has a solution if the previous one has: so if it is empty at the
/// end, it was empty at the start. Deterministic; budgets count rows, columns,
/// bits and visits.
class LinearSolver {
public:
  LinearSolver(LinearSystem system, Reasons &reasons, SolverBudget &budget)
      : system(std::move(system)), reasons(reasons), budget(budget) {}

  /// Whether the system is empty; asks for an integer solution only when
  /// `overIntegers`, after rational solutions were found to exist.
  Emptiness check(bool overIntegers);
  /// Whether no choice of one case per split has a solution. `excludes` is
  /// asked about choices that have a rational one, as indices of cases.
  Emptiness
  checkCases(ArrayRef<CaseSplit> splits,
             llvm::function_ref<Emptiness(ArrayRef<unsigned>)> excludes);
  /// Bounds of a column, of the rational solutions, rounded inwards.
  Bound boundsOf(unsigned column);
  /// After an answer of Empty: the facts it rests on, beside what `excludes`
  /// used.
  Why why = 0;

private:
  struct Core;

  using Columns = llvm::SmallDenseSet<unsigned, 8>;
  void presolve(const Columns &kept);
  bool normalise(LinearRow &row);
  void addRow(LinearRow row);
  void kill(unsigned row);
  void dropDeadRows(unsigned column);
  void queueRowsOf(unsigned column, bool isMax, unsigned except);
  void propagate();
  void tighten(unsigned row, int sign);
  bool learn(unsigned row, unsigned term, int sign, const DynamicAPInt &most);
  Why endsWhy(const LinearRow &row, int sign, std::optional<unsigned> except);
  bool isRedundant(const LinearRow &row,
                   const std::vector<Bound> &bounds) const;
  void dropIfRedundant(unsigned row);
  void openColumn(unsigned column);
  bool dropColumn(unsigned column);
  bool dropSingleton(unsigned column, unsigned row);
  void contradict(Why by) {
    isEmpty = true;
    why = by;
  }

  /// With the sharpest known bounds.
  LinearSystem system;
  /// Bounds that, with the rows, imply those; columns are dropped by these.
  std::vector<Bound> given;
  Reasons &reasons;
  SolverBudget &budget;
  bool isEmpty = false;
  std::vector<bool> alive;
  std::vector<unsigned> visits;
  std::vector<bool> isQueued;
  std::vector<unsigned> queue;
  std::vector<unsigned> openColumns;
  std::vector<bool> isOpen; ///< by column
  /// Rows that have the column, also dead ones; and how many live ones.
  std::vector<SmallVector<unsigned, 4>> rowsOf;
  std::vector<unsigned> numRowsOf;
  std::vector<unsigned> redundant; ///< rows that may be redundant
  std::vector<bool> mayBeRedundant;
};

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_CONSTRAINTS_LINEARSYSTEM_H
