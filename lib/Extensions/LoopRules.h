//===- LoopRules.h - Values carried by loops --------------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which carried tensors keep their extents, and the values that loop variables
// and carried scalars take, for loops of any dialect.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_EXTENSIONS_LOOPRULES_H
#define SYMSHAPE_LIB_EXTENSIONS_LOOPRULES_H

#include "RuleHelpers.h"

namespace mlir::symshape {

/// Whether `value`, of the body of a loop, has the extents of its `argument` on
/// every path, by the meaning of the ops between.
bool keepsExtentsOf(Value value, BlockArgument argument);

/// Before the body of a loop is visited: each carried tensor that keeps its
/// extents has those of its initial value, inside and after the loop.
void setCarriedExtents(ShapeFacts &facts, ValueRange inits,
                       ArrayRef<BlockArgument> arguments, ValueRange yields,
                       ValueRange results);

/// Before the body of a counted loop is visited: its variable starts at `lower`
/// and grows by `step` >= 1 while it is below `upper`. Returns the condition
/// under which there is an iteration.
Formula setLoopVariable(ShapeFacts &facts, Value variable, Expr lower,
                        Expr upper, Expr step);

/// How many iterations such a loop has, 0 at least.
Expr tripCount(ShapeFacts &facts, Expr lower, Expr upper, Expr step);

/// The values that a counted loop carries. `iteration` is how many iterations
/// came before the current one, `trips` how many there are, 0 at least.
struct CountedLoop {
  ValueRange inits;
  ArrayRef<BlockArgument> arguments;
  ValueRange yields, results;
  Expr iteration, trips;
};

/// Before the body is visited: what the carried scalars are, inside and after
/// the loop.
void setCarriedScalars(ShapeFacts &facts, const CountedLoop &loop);

/// How a value compares with what was carried into the iteration.
struct Growth {
  bool atLeast = false, atMost = false;
};

/// How `value`, computed in an iteration, compares with `argument`, which the
/// loop carried into it. Sums count where their op does not wrap, or their
/// result fits whenever `premise` holds.
Growth growthOf(ShapeFacts &facts, Value value, BlockArgument argument,
                const Formula &premise);

/// That `later` is on its side of `start`, when each iteration grows so.
void implyGrowth(ShapeFacts &facts, Growth growth, Expr start, Expr later);

/// Makes the rule of scf.while the model of the op.
void attachWhileRule(MLIRContext *context);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_EXTENSIONS_LOOPRULES_H
