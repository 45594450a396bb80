//===- AffineComponent.h - Facts around a question --------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The linear system of a question. For: collecting what the facts say of an
// expression, and excluding values of it. Not for: solving systems
// (LinearSystem.h). Private to Constraints.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_CONSTRAINTS_AFFINECOMPONENT_H
#define SYMSHAPE_LIB_CONSTRAINTS_AFFINECOMPONENT_H

#include "LinearSystem.h"

namespace mlir::symshape {
/// The system of one expression, which is its column 0, with the facts that are
/// connected with it, nearest first.
///
/// Invariant: every row, bound and split holds for the values that monomials
/// take under any assignment that satisfies the facts, with fresh columns
/// chosen as their definition says. Leaving rows out keeps it.
///
/// Example: for a + b, under a <= b and 4 | a: column 0 == a + b, a <= b, and a
/// == 4*q with a fresh q.
class AffineComponent {
public:
  struct Limits {
    unsigned columns, rows;
    bool hasForms; ///< else what facts say is left out
    /// Whether the upper end of a range counts where there is a lower one:
    /// both ends of each factor give four rows for a product, not one.
    bool hasUpperEnds;
    uint64_t budget;
  };
  /// For a question.
  static constexpr Limits whole = {256, 640, true, true, SolverBudget::most};
  /// For what follows from the parts of a question alone, which the
  /// alternatives of many facts around it would hide.
  static constexpr Limits alone = {32, 96, false, true,
                                   SolverBudget::most / 16};
  /// For what is looked at after each fact.
  static constexpr Limits nearby = {120, 300, true, true, SolverBudget::most};
  /// If there is too much otherwise.
  static constexpr Limits nearest = {16, 48, true, true, SolverBudget::most};
  /// Where upper ends make too much.
  static constexpr Limits fromBelow = {256, 640, true, false,
                                       SolverBudget::most};
  AffineComponent(Knowledge &k, Expr e, const Limits &limits = whole);

  /// Whether the facts keep the expression out of `values`.
  bool excludes(const Range &values, Why &why);
  /// Whether they keep it out of d*q + r for all q, and all r in `remainders`.
  bool excludesClass(const DynamicAPInt &d, const Range &remainders, Why &why);
  Bound bounds();
  /// Adds rows that are products of others and of monomials. False: none.
  bool multiply();
  bool isExhausted() const { return exhausted; }
  bool hasUpperEnds() const;
  /// Whether there is anything besides the expression and its bounds.
  bool hasFacts() const { return system.rows.size() > 1 || !splits.empty(); }

private:
  using Sum = ArrayRef<std::pair<Expr, DynamicAPInt>>;

  std::optional<unsigned> column(Expr monomial);
  unsigned freshColumn(const Range &range);
  Bound boundsOf(Expr monomial);
  std::optional<LinearRow> makeRow(Sum sum, const DynamicAPInt &constant,
                                   bool isEquality, Why why);
  bool addRow(Sum sum, const DynamicAPInt &constant, bool isEquality, Why why);
  void addResidue(Expr e, const Residue &residue, Why why);
  void addSplit(ArrayRef<SmallVector<std::optional<LinearRow>, 3>> cases);
  void visitMonomial(Expr monomial);
  void visitAtom(Atom atom);
  void visitForm(Expr primitive);
  void floorDivRows(Atom atom);
  void quotientRows(Atom atom, const Bound &divisor);
  void minMaxRows(Atom atom);
  void bcRows(Atom atom);
  void productRows(Expr product, Atom factor);
  void squareRows(Expr square, Expr root);

  // AffineProducts.cpp
  /// e >= 0 or e == 0.
  struct Fact {
    Expr e;
    bool isEquality;
    Why why;
  };
  /// The question times t, t, and what is known of t.
  struct GoalProduct {
    LinearRow product, factor;
    Bound bound;
  };
  std::vector<Fact> factsToMultiply();
  llvm::DenseMap<Expr, SmallVector<Expr, 4>> multipliersOf() const;
  unsigned newColumnsOf(Expr product) const;
  bool hasSign(Expr t);
  void addProduct(const Fact &fact, Expr t);
  void addGoalProduct(Expr t);
  void multiplyGoal(LinearSystem &candidate) const;
  void addSquares();
  void addMonotone(std::vector<Fact> &facts);
  void compareQuotients(std::vector<Fact> &facts);
  void multiplyCases(const llvm::DenseMap<Expr, SmallVector<Expr, 4>> &by);
  void addMultiples();

  // Affine.cpp
  bool refute(const LinearSystem &candidate, Why &why);

  Knowledge &k;
  Expr question;
  Limits limits;
  /// Forms that may still be visited, even if no columns are left for them: a
  /// symbol may be in all facts.
  unsigned formsLeft;
  LinearSystem system;
  llvm::DenseMap<Expr, unsigned> columnOf;
  std::vector<Expr> monomials; ///< in order of distance from the question
  llvm::DenseSet<Atom> seenAtoms;
  llvm::DenseSet<Expr> seenForms;
  std::vector<Atom> atomOrder; ///< seen, in order
  std::vector<Expr> formOrder;
  std::vector<GoalProduct> goalProducts;
  std::vector<CaseSplit> splits;
  std::vector<std::pair<size_t, Atom>> minMaxSplits; ///< which are of what
  SolverBudget budget{k.steps, k.budget};
  bool exhausted = false;
};
} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_CONSTRAINTS_AFFINECOMPONENT_H
