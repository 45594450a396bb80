//===- CountQuestions.h - What a pass asks, as statistics -------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For `--mlir-pass-statistics`. Not for: which questions, and what they cost
// (QuestionLog).
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_TRANSFORMS_COUNTQUESTIONS_H
#define SYMSHAPE_LIB_TRANSFORMS_COUNTQUESTIONS_H

#include "mlir/Pass/Pass.h"
#include "symshape/Constraints/QuestionLog.h"

namespace mlir::symshape {

/// Adds what its thread asks while it lives to two statistics of a pass.
class CountQuestions {
public:
  CountQuestions(Pass::Statistic &numAsked, Pass::Statistic &numNew)
      : numAsked(numAsked), numNew(numNew),
        before(QuestionCount::ofThread()) {}
  CountQuestions(const CountQuestions &) = delete;
  CountQuestions &operator=(const CountQuestions &) = delete;
  ~CountQuestions() {
    QuestionCount now = QuestionCount::ofThread();
    numAsked += now.numAsked - before.numAsked;
    numNew += now.numDecided - before.numDecided;
  }

private:
  Pass::Statistic &numAsked, &numNew;
  QuestionCount before;
};

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_TRANSFORMS_COUNTQUESTIONS_H
