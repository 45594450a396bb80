//===- Stages.h - Parts of the pipelines for all targets --------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What pipelines share of the way from tensors to code. Private to
// Pipelines.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_PIPELINES_STAGES_H
#define SYMSHAPE_LIB_PIPELINES_STAGES_H

#include "mlir/Pass/PassManager.h"

namespace mlir::symshape {

/// Canonical form, without what is computed twice.
void addCleanup(OpPassManager &manager);

/// Structured ops on tensors, fused; contractions stay as they are. With
/// `channelsLast`, images are stored so that convolutions are contractions.
void addFusionStage(OpPassManager &manager, bool channelsLast,
                    bool dotProducts = false);

/// From tensors to memrefs, still without deallocations. With `onStack`, values
/// of a few bytes leave the heap.
void addBufferStage(OpPassManager &manager, bool onStack);

/// From tensors to memrefs, and no more.
void addBufferization(OpPassManager &manager);

/// Gives every buffer its place, or frees it. With `donates`, results may be
/// returned in the memory of donated arguments.
void addMemoryStage(OpPassManager &manager, bool planMemory,
                    bool donates = false);

/// Views of memrefs become arithmetic on addresses.
void addViewExpansion(OpPassManager &manager);

/// Moves buffers of static sizes out of loops.
void addStaticHoisting(OpPassManager &manager);

/// From vectors to the LLVM dialect.
void addVectorConversion(OpPassManager &manager);

/// From loops and memrefs without views to the LLVM dialect, on the host.
void addLLVMConversion(OpPassManager &manager);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_PIPELINES_STAGES_H
