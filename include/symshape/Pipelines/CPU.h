//===- CPU.h - From tensors to the LLVM dialect -----------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pipeline `symshape-cpu`. Not for: patterns, and how the result is run.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_PIPELINES_CPU_H
#define SYMSHAPE_PIPELINES_CPU_H

#include "symshape/Pipelines/CPUTarget.h"
#include "symshape/Pipelines/Shapes.h"

namespace mlir::symshape {

struct CPUPipelineOptions : ShapePipelineOptions {
  Option<bool> hoistWeights{
      *this, "hoist-weights",
      llvm::cl::desc("Move what depends on weights alone to @NAME.prepare "
                     "(default: yes)"),
      llvm::cl::init(true)};

  Option<bool> planMemory{
      *this, "plan-memory",
      llvm::cl::desc("Give the temporary buffers of a call one arena "
                     "(default: yes)"),
      llvm::cl::init(true)};

  Option<bool> winograd{
      *this, "winograd",
      llvm::cl::desc("Compute convolutions of 3 x 3 by weights with a quarter "
                     "of the products where that is faster; rounds otherwise, "
                     "and spreads what is not finite (default: yes)"),
      llvm::cl::init(true)};

  Option<bool> parallel{
      *this, "parallel",
      llvm::cl::desc(
          "Run large loops on as many threads as the runtime is told "
          "(default: no)"),
      llvm::cl::init(false)};

  Option<bool> timers{
      *this, "timers",
      llvm::cl::desc("Tell the runtime when each kernel runs; not with `quick` "
                     "(default: no)"),
      llvm::cl::init(false)};

  Option<bool> quick{
      *this, "quick",
      llvm::cl::desc("Code that is made in a fraction of the time, and runs "
                     "slower; `hoist-weights` and `plan-memory` are off "
                     "(default: no)"),
      llvm::cl::init(false)};
};

/// From a module of func, linalg, tensor, arith, math, scf, affine and cf ops
/// on tensors to the LLVM dialect. Public functions keep their names and take
/// and return memrefs of identity layout, `_mlir_ciface_NAME` by descriptor;
/// they never write to an argument, and a result is always a new allocation
/// that the caller owns. Where there is something to hoist, `@NAME.prepare`
/// takes the arguments with `symshape.weight` and returns what `@NAME` takes
/// after its own arguments (see `symshape-hoist-weights`). Memory comes from
/// `_mlir_memref_to_llvm_{alloc,aligned_alloc,free}`; failed checks call
/// `symshape_rt_fail`; with `parallel`, loops call `symshape_rt_parallel`.
void buildCPUPipeline(OpPassManager &manager, const CPUTarget &target,
                      const CPUPipelineOptions &options);

/// The first part of the above: up to where `symshape-plan-memory` runs.
void buildCPUPipelineBeforePlan(OpPassManager &manager, const CPUTarget &target,
                                const CPUPipelineOptions &options);

/// Registers `symshape-cpu`.
void registerCPUPipeline();

} // namespace mlir::symshape

#endif // SYMSHAPE_PIPELINES_CPU_H
