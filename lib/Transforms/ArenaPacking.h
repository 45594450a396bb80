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

/// Sets the offset of each buffer; returns the size of the arena.
///
/// The largest is placed first, each at the least place that is proved by
/// `facts` to be free, or else above all that are in use with it: so it never
/// rests on an answer Unknown. Which is largest is judged by a typical value of
/// each symbol.
Expr packArena(ConstraintSet &facts, MutableArrayRef<PlannedBuffer> buffers);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_TRANSFORMS_ARENAPACKING_H
