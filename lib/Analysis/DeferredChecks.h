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

/// The relation that is the first part of a formula with parts.
const Relation &firstRelation(const Formula &f);

/// Moves the checks of `plan.deferred`, which are in the order of the ops, out
/// of loops and branches to the first point where all that decides them is
/// known, merges equal ones there, and drops those that others imply, as far as
/// `budget` suffices to find out.
void placeDeferred(FunctionShapes &shapes, GuardPlan &plan, StepBudget &budget);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_ANALYSIS_DEFERREDCHECKS_H
