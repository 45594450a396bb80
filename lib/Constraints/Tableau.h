//===- Tableau.h - Rational solutions of linear rows ------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLIR's simplex, which gets only the rows that it needs. For: whether rows
// have a rational solution, and how large a column can be. Not for: integer
// solutions (Presburger.cpp). Private to Constraints.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_CONSTRAINTS_TABLEAU_H
#define SYMSHAPE_LIB_CONSTRAINTS_TABLEAU_H

#include "LinearSystem.h"
#include "mlir/Analysis/Presburger/Simplex.h"
#include <deque>

namespace mlir::symshape {

/// The sum of values[i] * column i, plus the last value, is >= 0 or == 0.
struct DenseRow {
  SmallVector<DynamicAPInt, 16> values;
  bool isEquality = false;
  Why why = 0;
  unsigned bits = 0; ///< of its largest number
};

/// How many bits the number has, rounded up to bytes.
unsigned bitsOf(DynamicAPInt value);

/// Rows over rational columns. Most rows never matter: one enters the simplex
/// when the solution found without it violates it. So the simplex stays small,
/// and what it shows rests on few rows.
class Tableau {
public:
  Tableau(unsigned numColumns, Reasons &reasons, SolverBudget &budget)
      : simplex(numColumns), reasons(reasons), budget(budget) {}

  void add(DenseRow row);
  const std::deque<DenseRow> &getRows() const { return rows; }
  /// Whether no rational numbers satisfy all rows.
  Emptiness check();
  /// After an answer of NotShown: whether the solution found is one in
  /// integers.
  bool isSolvedByIntegers() const { return denominator == 1; }
  /// The facts behind the rows that have entered: after an answer of Empty, or
  /// of a bound.
  Why why() const;
  /// The greatest value of a column, or the least; nullopt if there is none, or
  /// it costs too much. The rows have a solution.
  std::optional<presburger::Fraction> optimum(unsigned column, bool isGreatest);

  /// The rows known now; `restore` drops those that came later.
  struct Mark {
    size_t rows, entered;
    unsigned snapshot;
  };
  Mark mark() const {
    return {rows.size(), entered.size(), simplex.getSnapshot()};
  }
  void restore(const Mark &mark);

private:
  SmallVector<DynamicAPInt, 16> solution() const;
  std::optional<unsigned> nextViolated(ArrayRef<DynamicAPInt> solution) const;
  bool enter(unsigned row, unsigned bits);

  presburger::Simplex simplex;
  Reasons &reasons;
  SolverBudget &budget;
  /// A row stays where it is: rows are large, and the heap is slow to give
  /// blocks that hold many.
  std::deque<DenseRow> rows;
  std::vector<bool> isEntered;
  std::vector<unsigned> entered;
  DynamicAPInt denominator; ///< of the solution that `check` found
};

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_CONSTRAINTS_TABLEAU_H
