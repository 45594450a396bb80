//===- EntailmentMaker.h - Theorems with random numbers ---------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What makes entailments: random numbers and symbols, and the theorems. For:
// the files that define theorems. Not for: measuring (Entailments.h).
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_BENCHMARKS_ENTAILMENTMAKER_H
#define SYMSHAPE_BENCHMARKS_ENTAILMENTMAKER_H

#include "Entailments.h"
#include <random>

namespace mlir::symshape {

/// Makes entailments, one at a time. A theorem is an implication that holds for
/// all values of its numbers; it declares, assumes and asks.
class EntailmentMaker {
public:
  EntailmentMaker(ExprArena &arena, unsigned seed)
      : arena(arena), random(seed) {}

  using Theorem = void (EntailmentMaker::*)();
  Entailment make(llvm::StringRef kind, Theorem theorem);

  // Linear.
  void chain();
  void scaledBound();
  void sumOfOrders();
  void weightedSum();
  void convexSequence();
  void strictOrder();
  void reversedOrder();
  // Residues.
  void multipleAtLeast();
  void chineseRemainder();
  void combinedMultiple();
  void productOfMultiples();
  void oddAndEven();
  void sumAndDifference();
  void congruentSums();
  // Divisions.
  void euclid();
  void convolution();
  void nestedDivisions();
  void paddedToMultiple();
  void symbolicDivisor();
  void monotoneDivision();
  void quotientOfSolved();
  void withoutCarry();
  void sumOfQuotients();
  void sumOfRemainders();
  // Minimum and maximum.
  void leastOfTwo();
  void minPlusMax();
  void dominatedOperand();
  void greatestLowerBound();
  void clampedTile();
  void largestFits();
  void broadcastOfOne();
  void clampsCommute();
  void minOfSums();
  // Products.
  void monotoneProduct();
  void cancelledFactor();
  void productIsDivided();
  void reshapedCount();
  void neighbours();
  void boundedProduct();
  void productInSum();
  void weightedProducts();
  // Joint.
  void squeezedSum();
  void solvedSystem();
  void tightSum();
  void boundedSystem();
  void impossibleValue();
  void sumOfPairs();
  void crossedBounds();

private:
  void weighRows(llvm::ArrayRef<Expr> terms, llvm::ArrayRef<int64_t> values);
  int64_t number(int64_t lo, int64_t hi) {
    return lo + static_cast<int64_t>(random() % (hi - lo + 1));
  }
  /// A fresh symbol.
  Expr symbol(Range range = Range::atLeast(0), Residue residue = {}) {
    static const char *names[] = {"B", "S", "L", "H", "W", "C", "K", "N",
                                  "M", "T", "D", "E", "P", "Q", "R", "V"};
    // Not one of these names twice in a problem; the order is random.
    unsigned i = entailment.symbols.size();
    std::swap(order[i], order[i + random() % (order.size() - i)]);
    Expr e = arena.symbol(names[order[i]]);
    SymbolInfo info;
    info.range = range;
    info.residue = residue;
    entailment.symbols.push_back({e, info});
    return e;
  }
  Expr anyInteger() { return symbol(Range::all()); }
  Expr positive() { return symbol(Range::atLeast(1)); }
  Expr constant(int64_t value) { return arena.constant(value); }
  void assume(const Relation &relation) {
    entailment.facts.push_back(relation);
  }
  void ask(const Relation &relation, bool holds = true) {
    entailment.question = relation;
    entailment.holds = holds;
  }

  ExprArena &arena;
  std::mt19937 random;
  Entailment entailment;
  std::vector<unsigned> order;
};

} // namespace mlir::symshape

#endif // SYMSHAPE_BENCHMARKS_ENTAILMENTMAKER_H
