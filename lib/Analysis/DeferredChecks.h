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

/// Moves checks out of loops and branches, and drops those that others before
/// the same op imply. Asserts of the user stay where they are.
void placeDeferred(FunctionShapes &shapes,
                   SmallVectorImpl<DeferredCheck> &checks);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_ANALYSIS_DEFERREDCHECKS_H
