//===- NVVM.h - From tensors to host code and PTX ---------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pipeline `symshape-nvvm`. Not for: patterns, and how the result is run.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_PIPELINES_NVVM_H
#define SYMSHAPE_PIPELINES_NVVM_H

#include "symshape/Pipelines/GPUTarget.h"
#include "symshape/Pipelines/Shapes.h"

namespace mlir::symshape {

struct NVVMPipelineOptions : ShapePipelineOptions {
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
};

/// As `buildCPUPipeline`, but what computes on buffers runs on a GPU: functions
/// take and return host memory, but for weights, and what `@NAME.prepare`
/// returns, which are on the device. Host code calls the functions of
/// `symshape-c/RuntimeGPU.h`; the kernels are in `symshape_gpu.program`, as
/// PTX.
void buildNVVMPipeline(OpPassManager &manager, const GPUTarget &target,
                       const NVVMPipelineOptions &options);

/// The first part of the above: up to where `symshape-plan-memory` runs.
void buildNVVMPipelineBeforePlan(OpPassManager &manager,
                                 const NVVMPipelineOptions &options);

/// For those who look at kernels: forms them (`gpu.launch`) from what that part
/// leaves, with buffers where they are.
void buildFormKernelsPipeline(OpPassManager &manager,
                              const GPUTarget &target = {});

/// Registers `symshape-nvvm`.
void registerNVVMPipeline();

} // namespace mlir::symshape

#endif // SYMSHAPE_PIPELINES_NVVM_H
