//===- Discharge.h - Removal of what is proved ------------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Removes checks, comparisons, clamps, dims and reshapes whose outcome the
// facts decide, as a function that passes and tests call.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_TRANSFORMS_DISCHARGE_H
#define SYMSHAPE_TRANSFORMS_DISCHARGE_H

#include "symshape/Analysis/ShapeAnalysis.h"

namespace mlir::symshape {

/// How many of each kind were resolved, and how many there were.
struct DischargeResult {
  unsigned asserts = 0, allAsserts = 0;
  unsigned comparisons = 0, allComparisons = 0;
  unsigned clamps = 0, allClamps = 0;
  unsigned dims = 0, allDims = 0;
  unsigned reshapes = 0, allReshapes = 0;
  bool changed = false; ///< other scalars count as well
};

/// Rewrites the function of `shapes` (which is stale afterwards):
/// - erases asserts that facts before them prove;
/// - replaces decided comparisons, and integer scalars that are provably a
///   constant or equal to a value that dominates them;
/// - turns each `tensor.reshape` with a proved target into `collapse_shape` and
///   `expand_shape`.
DischargeResult dischargeFunction(FunctionShapes &shapes);

} // namespace mlir::symshape

#endif // SYMSHAPE_TRANSFORMS_DISCHARGE_H
