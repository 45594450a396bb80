//===- PassCounters.h - How passes count ------------------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Not for: which questions are asked, and what they cost (QuestionLog).
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_TRANSFORMS_PASSCOUNTERS_H
#define SYMSHAPE_LIB_TRANSFORMS_PASSCOUNTERS_H

#include "mlir/Pass/Pass.h"
#include "symshape/Constraints/QuestionLog.h"
#include "symshape/Transforms/PassCounts.h"

namespace mlir::symshape {

/// Adds to a statistic of a pass, `name` in the definition of the pass.
inline void count(Pass &pass, Pass::Statistic &statistic, StringRef name,
                  uint64_t number) {
  statistic += number;
  addToPassCounts(pass.getArgument(), name, number);
}

/// Adds what its thread asks while it lives to two statistics of a pass.
class CountQuestions {
public:
  CountQuestions(Pass &pass, Pass::Statistic &numAsked, Pass::Statistic &numNew)
      : pass(pass), numAsked(numAsked), numNew(numNew),
        before(QuestionCount::ofThread()) {}
  CountQuestions(const CountQuestions &) = delete;
  CountQuestions &operator=(const CountQuestions &) = delete;
  ~CountQuestions() {
    QuestionCount now = QuestionCount::ofThread();
    count(pass, numAsked, "num-asked", now.numAsked - before.numAsked);
    count(pass, numNew, "num-new", now.numDecided - before.numDecided);
  }

private:
  Pass &pass;
  Pass::Statistic &numAsked, &numNew;
  QuestionCount before;
};

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_TRANSFORMS_PASSCOUNTERS_H
