//===- HoistAllocations.h - One buffer for all iterations -------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Allocates buffers of bounded size before the loops that use them, as a
// function that passes and tests call.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_TRANSFORMS_HOISTALLOCATIONS_H
#define SYMSHAPE_TRANSFORMS_HOISTALLOCATIONS_H

#include "symshape/Analysis/ShapeAnalysis.h"

namespace mlir::symshape {

/// How large a buffer of constant size may become, in bytes.
struct HoistAllocationsLimits {
  int64_t maxBytes = 0;
  /// The same for `memref.alloca`.
  int64_t maxStackBytes = 0;
};

/// Rewrites the function of `shapes` (which is stale afterwards). Returns the
/// number of allocations that moved. See the pass `symshape-hoist-allocations`
/// for the contract.
unsigned hoistAllocations(FunctionShapes &shapes,
                          const HoistAllocationsLimits &limits);

/// The same for the buffers of static types alone, which need no facts.
unsigned hoistStaticAllocations(func::FuncOp function,
                                const HoistAllocationsLimits &limits);

} // namespace mlir::symshape

#endif // SYMSHAPE_TRANSFORMS_HOISTALLOCATIONS_H
