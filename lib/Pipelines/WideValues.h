//===- WideValues.h - Numbers computed with many bits -----------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Extents of a lowered program are computed with more than 64 bits, which the
// analysis does not follow: they are symbols of their own there. For reports,
// which say what they are. Private to Pipelines.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_PIPELINES_WIDEVALUES_H
#define SYMSHAPE_LIB_PIPELINES_WIDEVALUES_H

#include "symshape/Analysis/FunctionShapes.h"
#include <functional>

namespace mlir::symshape {

/// Expressions of numbers of one function, over symbols that the analysis does
/// follow.
class WideValues {
public:
  /// Whether a relation is known to hold that the facts of `shapes` leave open.
  using Holds = std::function<bool(const Relation &)>;

  /// `shapes` must outlive this.
  WideValues(FunctionShapes &shapes, Holds holds)
      : shapes(shapes), holdsBesides(std::move(holds)) {}

  /// `e` with its symbols replaced by what they are computed from, where that
  /// is arithmetic that provably does not wrap; the others stay.
  Expr resolve(Expr e);

private:
  Expr valueOf(Value value);
  Expr compute(Value value);
  Expr computeWide(Operation *op);
  Expr choose(Operation *op);
  std::optional<bool> decide(Value condition);
  Expr ifFits(Expr e, Type type);
  bool holds(const Relation &relation);
  bool isOpaque(Value value);
  SmallVector<Value> needsOf(Value value);

  FunctionShapes &shapes;
  Holds holdsBesides;
  DenseMap<Value, Expr> known; ///< null: no expression
};

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_PIPELINES_WIDEVALUES_H
