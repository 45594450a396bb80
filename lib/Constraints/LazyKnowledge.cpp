//===- LazyKnowledge.cpp - Knowledge that learns when asked ---------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See LazyKnowledge.h.
//
//===----------------------------------------------------------------------===//

#include "LazyKnowledge.h"

using namespace mlir::symshape;

void LazyKnowledge::catchUp() {
  if (mustStartOver) {
    stepsBefore += knowledge->steps;
    StepBudget *budget = knowledge->budget;
    knowledge = std::make_unique<Knowledge>(knowledge->arena);
    knowledge->budget = budget;
    tellAll(*knowledge);
    numFlat = levels.size();
    mustStartOver = false;
  } else {
    for (const auto &tell : waiting)
      tell(*this);
  }
  waiting.clear();
}

void LazyKnowledge::push() {
  levels.push_back({waiting.size(), std::nullopt});
  waiting.push_back([index = levels.size() - 1](LazyKnowledge &k) {
    k.levels[index].mark = k.knowledge->beginLevel();
  });
}

void LazyKnowledge::pop() {
  Level level = levels.back();
  levels.pop_back();
  if (levels.size() < numFlat) {
    numFlat = levels.size();
    mustStartOver = true;
    waiting.clear(); // all that holds is told again
  } else if (level.mark) {
    waiting.clear(); // of this level
    knowledge->endLevel(*level.mark);
  } else {
    waiting.resize(level.numWaiting);
  }
}
