//===- Questions.h - What a pass may ask of shapes --------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Three questions, which differ in what becomes of an answer that is neither a
// proof nor a refutation. None looks at likely values.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_TRANSFORMS_QUESTIONS_H
#define SYMSHAPE_TRANSFORMS_QUESTIONS_H

#include "symshape/Analysis/FactCursor.h"

namespace mlir::symshape {

/// Questions about the places of one function, best asked in the order of the
/// program. Facts of the branches and loops around a place count there, those
/// of later ops do not.
class ShapeQuestions {
public:
  /// With `frozen`, no question adds an assert.
  explicit ShapeQuestions(FunctionShapes &shapes, bool frozen = false)
      : shapes(shapes), cursor(shapes), frozen(frozen) {}

  /// Prove: whether the condition holds whenever `op` is about to run.
  bool isProved(const Formula &condition, Operation *op);

  /// Prove or default: decided where there is a proof or a refutation, else
  /// what the caller says. For choices that are right either way.
  bool proveOrDefault(const Formula &condition, Operation *op,
                      bool whenUnknown);

  /// Prove or guard: success means that `relation` holds when `op` runs,
  /// because it is proved, or because an assert with `message` now stands
  /// before `op`; symshape-insert-guards checks that at entry where extents of
  /// arguments decide it, else where it stands. Fails, without a change or a
  /// diagnostic, where it is refuted, where a symbol has no value before `op`,
  /// or `frozen`.
  LogicalResult proveOrGuard(const Relation &relation, Operation *op,
                             StringRef message);

private:
  FunctionShapes &shapes;
  FactCursor cursor;
  bool frozen;
};

} // namespace mlir::symshape

#endif // SYMSHAPE_TRANSFORMS_QUESTIONS_H
