//===- PadToStatic.h - Tiles of static shape --------------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Pads structured ops in loops to a static shape, as a function that passes and
// tests call.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_TRANSFORMS_PADTOSTATIC_H
#define SYMSHAPE_TRANSFORMS_PADTOSTATIC_H

#include "symshape/Analysis/ShapeAnalysis.h"

namespace mlir::symshape {

/// Rewrites the function of `shapes` (which is stale afterwards): structured
/// ops in loops whose extents are bounded by `maxExtent` get static shapes.
/// Returns their number. See the pass `symshape-pad-to-static` for the
/// contract.
unsigned padToStatic(FunctionShapes &shapes, int64_t maxExtent);

} // namespace mlir::symshape

#endif // SYMSHAPE_TRANSFORMS_PADTOSTATIC_H
