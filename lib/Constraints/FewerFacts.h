//===- FewerFacts.h - What some of the facts decide -------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A fact may hide what others say: it fixes a symbol, which then is no longer
// there for a rule to match, or its rows use up a budget. So a question that
// stays open is asked again of some of the facts. Private to Constraints.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_CONSTRAINTS_FEWERFACTS_H
#define SYMSHAPE_LIB_CONSTRAINTS_FEWERFACTS_H

#include "CaseSearch.h"
#include "llvm/ADT/SmallBitVector.h"

namespace mlir::symshape {
class ValueSearch;

/// Asks one question of the facts that are connected with it, but some: facts,
/// and ends or residues of declarations. First of all of them, where it may
/// suppose the opposite and propagate that.
///
/// Sound: what some facts imply, all do. What is left out comes in a fixed
/// order, so the answer is the same each time.
class FewerFacts {
public:
  using Declarations = llvm::DenseMap<Expr, SymbolInfo>;
  /// `facts` may have repeated ones, which count once. `effort`: Full or
  /// Exhaustive.
  FewerFacts(ExprArena &arena, ArrayRef<Relation> facts,
             const Declarations &declared, const Relation &question,
             Effort effort);

  /// The first answer; Unknown if there is none, if there are too many facts,
  /// or if a budget is used up.
  Answer decide(const Possible &possible);
  /// `known`, which are bounds of `e` by all facts, sharpened by those by some:
  /// until values are found that reach both ends, or a budget is used up. The
  /// question is about `e`.
  Range bounds(Expr e, Range known);

  /// What asking has cost.
  uint64_t steps() const { return numSteps + numCaseSteps; }

private:
  /// A fact, or a part of a declaration.
  struct Item {
    enum Kind { Fact, Low, High, Class } kind;
    FactId id;                    ///< of a fact
    SmallVector<Expr, 4> symbols; ///< that it says something of
  };

  /// Numbers of items.
  using LeftOut = llvm::SmallBitVector;

  void connect(ArrayRef<Relation> facts);
  void dropImplied();
  void keepNearest();
  void itemise();
  bool isAbout(unsigned number, Expr symbol) const;
  bool isAboutAlone(unsigned number, Expr symbol) const;
  Item::Kind boundOf(const Item &item) const;
  uint64_t ageOf(unsigned number) const;
  std::vector<unsigned> itemsByAge() const;
  std::vector<LeftOut> choices() const;
  std::vector<LeftOut> choicesOfFew() const;
  std::vector<LeftOut> choicesOfLatest() const;
  SmallVector<std::pair<FactId, Relation>, 16>
  factsWithout(const LeftOut &leftOut) const;
  void tell(Knowledge &k, const LeftOut &leftOut) const;
  bool state(ValueSearch &search) const;
  Possible withoutExcluded(Possible possible);
  Answer decideWithout(const LeftOut &leftOut, const Possible &possible,
                       uint64_t most);
  Answer decideBySupposing(Knowledge &k, const Possible &possible);
  Answer decideByCases(const Possible &possible);
  Answer decideByCases(const LeftOut &leftOut, Verdict wanted,
                       CaseSearch::Kinds kinds);
  SymbolInfo infoWithout(Expr symbol, const LeftOut &leftOut) const;

  ExprArena &arena;
  const Declarations &declared;
  Relation question;
  Effort effort;
  SmallVector<std::pair<FactId, Relation>, 16> connected;
  /// Those of the question, then of `connected`, in order.
  SmallVector<Expr, 8> symbols;
  SmallVector<Item, 16> items;
  /// By fact: how much it was in the way of values that answer otherwise.
  llvm::DenseMap<FactId, unsigned> resistance;
  bool isTooMuch = false;
  uint64_t numSteps = 0, numCaseSteps = 0;
};

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_CONSTRAINTS_FEWERFACTS_H
