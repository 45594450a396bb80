//===- LoopRules.h - Rules of loops of any dialect --------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What loop variables are in each iteration, and counted loops as a whole.
// Private to Extensions.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_EXTENSIONS_LOOPRULES_H
#define SYMSHAPE_LIB_EXTENSIONS_LOOPRULES_H

#include "CarriedExtents.h"
#include "CarriedScalars.h"
#include "symshape/Extensions/RuleHelpers.h"

namespace mlir::symshape {

/// The largest value of an integer type, read as signed.
Expr maxOfType(ShapeFacts &facts, Type type);

/// Before the body of a counted loop is visited: its variable starts at `lower`
/// and grows by `step` >= 1 while it is below `upper`. Returns the condition
/// under which there is an iteration.
Formula setLoopVariable(ShapeFacts &facts, Value variable, Expr lower,
                        Expr upper, Expr step);

/// How many iterations such a loop has, at least 0.
Expr tripCount(ShapeFacts &facts, Expr lower, Expr upper, Expr step);

/// The rule of a loop that has no iteration.
void emptyLoopRule(ShapeFacts &facts, const CountedLoop &loop, Region &body);

/// The rule of a counted loop, whose variable is the first argument of `body`
/// and starts at `lower`, and grows by `step` >= 1 while it is below `upper`.
void countedLoopRule(ShapeFacts &facts, CountedLoop loop, Region &body,
                     Expr lower, Expr upper, Expr step);

/// Makes the rule of scf.while the model of the op.
void attachSCFWhileRule(MLIRContext *context);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_EXTENSIONS_LOOPRULES_H
