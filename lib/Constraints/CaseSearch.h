//===- CaseSearch.h - Contradictions in every case --------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What no rule says of all values may be plain for each: an extent has few
// values, or divides a number, or a factor has a sign. Private to Constraints.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_CONSTRAINTS_CASESEARCH_H
#define SYMSHAPE_LIB_CONSTRAINTS_CASESEARCH_H

#include "Knowledge.h"
#include <set>

namespace mlir::symshape {

/// Tells cases apart of which one holds, those of cases again, and so on, until
/// the facts are contradictory in each, or answer the question.
///
/// Sound: cases leave out no value, and what they rest on is among the facts
/// that are returned. The order of cases is fixed.
class CaseSearch {
public:
  /// Cases that are told apart: values of what has few, which includes the
  /// divisors of a number; or also signs of factors, operands of min, max and
  /// bc, and what is on either side of a value that is not taken.
  enum class Kinds { Values, All };

  /// `k` has been told `facts`, about `symbols`. What is supposed is the last
  /// of them, if anything is, and has the id `supposed`, above all others.
  CaseSearch(Knowledge &k, ArrayRef<Relation> facts, ArrayRef<Expr> symbols,
             FactId supposed)
      : k(k), facts(facts), symbols(symbols), supposed(supposed) {}

  /// The facts, ascending, by which each case is contradictory, or answers
  /// `question` with `wanted`; nullopt if one stays open, or the budget of `k`
  /// is used up.
  std::optional<SmallVector<FactId, 4>> decide(const Relation &question,
                                               Verdict wanted, Kinds kinds);

private:
  using Facts = std::set<FactId>;
  using Case = SmallVector<Relation, 1>; ///< of which all hold
  /// One of the cases holds, by the facts of `why`.
  struct Split {
    SmallVector<Case, 8> cases;
    Why why = 0;
    size_t price = 0;
  };

  std::optional<Facts> close(unsigned depth);
  std::optional<Facts> closeAlone();
  bool refutesFacts(Why &why);
  void spendShare(llvm::function_ref<void()> ask);
  Facts factsOf(Why why) const;
  Bound closerBound(Expr e);
  std::optional<Split> closerBounds();
  std::optional<Split> bestSplit();
  void offer(std::optional<Split> split);
  Reduced withNumbers(Expr e);
  void offerFactors(const Reduced &equation);
  void offerOrders(const Relation &fact, Expr gap);
  std::optional<Split> valuesOf(Expr e);
  std::optional<Split> quotientsOf(Atom quotient);
  std::optional<Split> remaindersOf(Atom quotient);
  std::optional<Split> divisorsOf(const Reduced &equation, Atom factor);
  std::optional<Split> signsOf(Expr e) const;
  Split operandsOf(Atom atom) const;

  Knowledge &k;
  ArrayRef<Relation> facts;
  ArrayRef<Expr> symbols;
  FactId supposed;
  Relation question;
  Verdict wanted = Verdict::Unknown;
  Kinds kinds = Kinds::Values;
  unsigned numNodes = 0;
  std::optional<Split> best;            ///< of those offered
  llvm::DenseMap<Atom, Expr> quotients; ///< symbols that stand for them
};

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_CONSTRAINTS_CASESEARCH_H
