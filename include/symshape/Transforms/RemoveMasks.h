//===- RemoveMasks.h - Vector masks that are always true --------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Removes masks and bounds checks of vector ops whose condition the facts
// prove, as a function that passes and tests call.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_TRANSFORMS_REMOVEMASKS_H
#define SYMSHAPE_TRANSFORMS_REMOVEMASKS_H

#include "symshape/Analysis/ShapeAnalysis.h"

namespace mlir::symshape {

/// How many of each kind were removed, and how many there were.
struct RemoveMasksResult {
  unsigned masks = 0, allMasks = 0;
  /// Transfers that are now in bounds along all dimensions, of those that were
  /// not before.
  unsigned transfers = 0, allTransfers = 0;
};

/// Rewrites the function of `shapes` (which is stale afterwards). See the pass
/// `symshape-remove-masks` for the contract.
RemoveMasksResult removeMasks(FunctionShapes &shapes);

} // namespace mlir::symshape

#endif // SYMSHAPE_TRANSFORMS_REMOVEMASKS_H
