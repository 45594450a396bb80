//===- CarriedScalars.h - Scalars that loops carry --------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What carried scalars are in each iteration, for loops of any dialect. Private
// to Extensions.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_EXTENSIONS_CARRIEDSCALARS_H
#define SYMSHAPE_LIB_EXTENSIONS_CARRIEDSCALARS_H

#include "symshape/IR/ShapeFacts.h"

namespace mlir::symshape {

/// The values that a counted loop carries. `iteration` is how many iterations
/// came before the current one, `trips` how many there are, at least 0. The
/// counter starts at `first`, and grows by `step`.
struct CountedLoop {
  ValueRange inits;
  SmallVector<BlockArgument> arguments;
  ValueRange yields, results;
  Expr iteration, trips;
  Value counter;
  Expr first, step;
  /// The counter is a number without a sign that its type may read as negative.
  bool isUnsigned = false;
};

/// Before the body is visited: what the carried scalars are, inside and after
/// the loop.
void setCarriedScalars(ShapeFacts &facts, const CountedLoop &loop);

/// The expression of `v` if it is the same in every iteration of `loop`:
/// defined outside, or a constant. Else null: what stands inside has not been
/// visited yet.
Expr invariantValue(ShapeFacts &facts, Value v, Operation *loop);

/// The result of `op` in exact arithmetic, if it is a sum of values that
/// `valueOf` knows; else null.
Expr sumOf(ShapeFacts &facts, Operation *op,
           llvm::function_ref<Expr(Value)> valueOf);

/// How a value compares with what was carried into the iteration.
struct Growth {
  bool atLeast = false, atMost = false;
};

/// How `value`, computed in an iteration, compares with `argument`, which the
/// loop carried into it. Sums count if their op does not wrap, or their result
/// fits whenever `premise` holds.
Growth growthOf(ShapeFacts &facts, Value value, BlockArgument argument,
                const Formula &premise);

/// That `later` is on its side of `start`, when each iteration grows so.
void implyGrowth(ShapeFacts &facts, Growth growth, Expr start, Expr later);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_EXTENSIONS_CARRIEDSCALARS_H
