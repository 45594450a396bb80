//===- LoopRules.h - Values carried by loops --------------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which carried tensors keep their extents, and the values that a loop variable
// takes, for loops of any dialect.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_EXTENSIONS_LOOPRULES_H
#define SYMSHAPE_LIB_EXTENSIONS_LOOPRULES_H

#include "RuleHelpers.h"

namespace mlir::symshape {

/// Whether `value` has the extents of `argument` on every path, found by
/// walking back through ops whose result has the extents of one operand.
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

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_EXTENSIONS_LOOPRULES_H
