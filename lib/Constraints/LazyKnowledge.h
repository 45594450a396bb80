//===- LazyKnowledge.h - Knowledge that learns when asked -------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a set is told waits until a question comes: a level in which nothing is
// asked, such as the body of an op that computes elements alone, costs nothing.
// Private to Constraints.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_CONSTRAINTS_LAZYKNOWLEDGE_H
#define SYMSHAPE_LIB_CONSTRAINTS_LAZYKNOWLEDGE_H

#include "Knowledge.h"

namespace mlir::symshape {

class LazyKnowledge {
public:
  using TellAll = std::function<void(Knowledge &)>;
  /// `tellAll` tells a new state the declarations and facts that hold.
  LazyKnowledge(ExprArena &arena, TellAll tellAll)
      : tellAll(std::move(tellAll)),
        knowledge(std::make_unique<Knowledge>(arena)) {}

  /// For questions: with everything told so far.
  Knowledge &get() {
    if (mustStartOver || !waiting.empty())
      catchUp();
    return *knowledge;
  }
  void declare(Expr symbol, const SymbolInfo &info) {
    waiting.push_back([symbol, info](LazyKnowledge &k) {
      k.knowledge->declare(symbol, info);
    });
  }
  void add(const Relation &fact, FactId id) {
    waiting.push_back(
        [fact, id](LazyKnowledge &k) { k.knowledge->add(fact, id); });
  }
  void push();
  void pop();
  /// Forgets all. Needed only if a declaration withdraws something assumed so
  /// far: the default range of a symbol that facts mention. Levels then share
  /// one state until they end.
  void startOver() { mustStartOver = true; }

  uint64_t steps() const { return stepsBefore + knowledge->steps; }
  void spendFrom(StepBudget *budget) { knowledge->budget = budget; }
  StepBudget *budget() const { return knowledge->budget; }

private:
  void catchUp();

  struct Level {
    size_t numWaiting;                   ///< what was told before it, and waits
    std::optional<Knowledge::Mark> mark; ///< once `knowledge` has begun it
  };

  TellAll tellAll;
  std::unique_ptr<Knowledge> knowledge;
  std::vector<std::function<void(LazyKnowledge &)>> waiting;
  std::vector<Level> levels;
  /// Levels up to here are not separate in `knowledge`: see `startOver`.
  size_t numFlat = 0;
  bool mustStartOver = false;
  uint64_t stepsBefore = 0; ///< of states that were forgotten
};

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_CONSTRAINTS_LAZYKNOWLEDGE_H
