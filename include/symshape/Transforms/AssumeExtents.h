//===- AssumeExtents.h - Extents that every call has ------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tells a function which extents it will be called with, as facts. Its types,
// its guards and their messages stay. Not for: programs that are kept, whose
// types should say so (Fixate).
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_TRANSFORMS_ASSUMEEXTENTS_H
#define SYMSHAPE_TRANSFORMS_ASSUMEEXTENTS_H

#include "symshape/Analysis/ShapeAnalysis.h"

namespace mlir::symshape {

/// Lets the function assume `extents` of the dynamic dims of its arguments, one
/// for each in order, negative where nothing is known. Changes nothing where
/// they contradict each other or what the function already assumes: its guards
/// refuse a call with such extents. `shapes` is stale afterwards.
void assumeExtents(FunctionShapes &shapes, ArrayRef<int64_t> extents);

} // namespace mlir::symshape

#endif // SYMSHAPE_TRANSFORMS_ASSUMEEXTENTS_H
