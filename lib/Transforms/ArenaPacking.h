//===- ArenaPacking.h - Offsets of buffers ----------------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Places buffers of symbolic size so that those in use at the same time do not
// overlap. Not for: finding sizes and lifetimes (MemoryPlan.cpp).
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_TRANSFORMS_ARENAPACKING_H
#define SYMSHAPE_LIB_TRANSFORMS_ARENAPACKING_H

#include "symshape/Transforms/MemoryPlan.h"

namespace mlir::symshape {

/// Sets where the buffers of the plan lie, and how large the arena is.
///
/// Places are found for one typical value of each symbol. They only decide
/// which of two buffers in use at the same time lies below the other: an offset
/// is the largest end of those below, whatever the sizes are. So buffers never
/// overlap, nothing has to be proved, and the number of ends that are compared
/// grows with the number of buffers.
void packArena(ConstraintSet &facts, MemoryPlan &plan);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_TRANSFORMS_ARENAPACKING_H
