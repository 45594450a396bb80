//===- DeferredChecks.h - Where data is checked -----------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to lib/Analysis.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_ANALYSIS_DEFERREDCHECKS_H
#define SYMSHAPE_LIB_ANALYSIS_DEFERREDCHECKS_H

#include "symshape/Analysis/GuardAnalysis.h"

namespace mlir::symshape {

/// Of a formula with parts, the relation that is its first one.
const Relation &firstRelation(const Formula &f);

/// Moves the checks of `plan.deferred`, which are in the order of the ops, out
/// of loops and branches and to the first point where all is known that
/// decides, makes equal ones there one, and drops those that others imply, as
/// far as `allowance` suffices to see it.
void placeDeferred(FunctionShapes &shapes, GuardPlan &plan,
                   Allowance &allowance);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_ANALYSIS_DEFERREDCHECKS_H
