//===- LoopCounter.h - The counter of a loop, as expressions ----*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which values the counter of a loop takes. Not for: loops with a condition, or
// with several counters.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_TRANSFORMS_LOOPCOUNTER_H
#define SYMSHAPE_LIB_TRANSFORMS_LOOPCOUNTER_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "symshape/Analysis/ShapeAnalysis.h"

namespace mlir::symshape {

/// `counter` is `first`, and grows by `step` while it is below `end`, all read
/// as signed.
struct LoopCounter {
  Expr counter, first, end, step;

  /// Its value in the last iteration, if there is one.
  Expr last() const {
    return first + (first.arena().ceilDiv(end - first, step) - 1) * step;
  }
};

/// The loop's counter, if it has one, with known bounds.
inline std::optional<LoopCounter> readCounter(FunctionShapes &shapes,
                                              LoopLikeOpInterface loop) {
  auto lower = loop.getLoopLowerBounds(), upper = loop.getLoopUpperBounds(),
       steps = loop.getLoopSteps();
  auto counters = loop.getLoopInductionVars();
  auto scfLoop = dyn_cast<scf::ForOp>(loop.getOperation());
  if (!lower || !upper || !steps || !counters || counters->size() != 1 ||
      (scfLoop && scfLoop.getUnsignedCmp()))
    return std::nullopt;
  auto read = [&](OpFoldResult value) {
    if (std::optional<int64_t> constant = getConstantIntValue(value))
      return shapes.arena().constant(*constant);
    return shapes.value(cast<Value>(value));
  };
  return LoopCounter{shapes.value(counters->front()), read(lower->front()),
                     read(upper->front()), read(steps->front())};
}

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_TRANSFORMS_LOOPCOUNTER_H
