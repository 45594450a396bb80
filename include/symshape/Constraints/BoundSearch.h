//===- BoundSearch.h - Bounds over chosen symbols ---------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What an expression is, at most and at least, in terms of some of the symbols.
// For: symbolic bounds of values. Not for: constant bounds
// (ConstraintSet::bounds), or which symbols to choose.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_CONSTRAINTS_BOUNDSEARCH_H
#define SYMSHAPE_CONSTRAINTS_BOUNDSEARCH_H

#include "symshape/Constraints/ConstraintSet.h"

namespace mlir::symshape {

/// Symbolic bounds of expressions under the facts of a set.
///
/// The search is a heuristic: it replaces what is not chosen by what bounds it,
/// and budgets count its steps. Every bound that it returns was proved by the
/// set, so nothing rests on the search. While the object lives, a scope of the
/// set is open.
///
/// Example: with `i <= n - 1` and the choice {n, m}, the upper bounds of
/// min(2*i, m) are 2*n - 2 and m.
class BoundSearch {
public:
  /// `isChosen` says of a symbol whether bounds may contain it.
  BoundSearch(ConstraintSet &facts, llvm::function_ref<bool(Expr)> isChosen);
  ~BoundSearch();
  BoundSearch(const BoundSearch &) = delete;
  BoundSearch &operator=(const BoundSearch &) = delete;

  /// Chooses `symbol`, new and declared in the set, which stands for `e`.
  void define(Expr symbol, Expr e);

  /// An expression over chosen symbols that equals `e`; null: none was found.
  Expr exact(Expr e);
  /// Expressions over chosen symbols, each at least `e`; none of them is
  /// proved to be at least another. The least constant is among them if it says
  /// more than the others and is not a limit. Of min(a, b), both a and b.
  llvm::SmallVector<Expr, 2> upper(Expr e);
  /// The same with at most.
  llvm::SmallVector<Expr, 2> lower(Expr e);

  /// Whether a constant bound only says that a number is a dim or an index: it
  /// has 48 bits or more.
  static bool isLimit(const llvm::DynamicAPInt &end);

private:
  using Exprs = llvm::SmallVector<Expr, 2>;
  /// coefficient * monomial == value.
  struct Rule {
    Expr pivot, value;
  };

  bool isChosenOnly(Expr e);
  Expr rewrite(Expr e);
  Expr rewriteOperands(Expr e);
  bool applyRule(const Rule &rule, Expr &e);
  Expr solve(Expr e, unsigned depth);
  Exprs search(Expr e, bool isUpper, unsigned depth);
  Exprs withoutAtom(Expr e, Atom atom, bool isUpper, unsigned depth);
  Exprs ofAtom(Atom atom, bool isUpper, unsigned depth);
  Exprs fromOperands(Atom atom, bool isUpper, unsigned depth);
  Exprs ofQuotient(Atom atom, bool isUpper, unsigned depth);
  Exprs ofSymbol(Expr symbol, bool isUpper);
  Exprs byDistance(Expr e, bool isUpper);
  Exprs byProjection(Expr e, bool isUpper);
  Exprs sidesOf(Expr e, bool isUpper);
  std::optional<Expr> constantBound(Expr e, bool isUpper);
  Exprs bounds(Expr e, bool isUpper);
  bool isProvedInSteps(Expr e, Expr bound, bool isUpper);
  Exprs withoutWeaker(Exprs found, Expr e, bool isUpper);
  llvm::ArrayRef<FactId> factsAbout(Expr symbol);

  ConstraintSet &facts;
  ExprArena &arena;
  llvm::function_ref<bool(Expr)> choice;
  llvm::DenseMap<Expr, bool> chosen; ///< per expression
  std::vector<Rule> rules;
  std::vector<Expr> defined;
  std::optional<llvm::DenseMap<Expr, llvm::SmallVector<FactId, 4>>> index;
  llvm::SmallVector<Expr> eliminated; ///< on the way to the current step
  /// What the search came to each expression from, in one replacement.
  llvm::DenseMap<Expr, Expr> cameFrom;
  /// Of expressions that could not be solved, how deep that was tried.
  llvm::DenseMap<Expr, unsigned> unsolved;
  unsigned stepsLeft = 0;
};

} // namespace mlir::symshape

#endif // SYMSHAPE_CONSTRAINTS_BOUNDSEARCH_H
