//===- QuickCPU.h - From tensors to the LLVM dialect, soon ------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pipeline behind the option `quick`. Private to Pipelines.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_PIPELINES_QUICKCPU_H
#define SYMSHAPE_LIB_PIPELINES_QUICKCPU_H

#include "symshape/Pipelines/CPU.h"

namespace mlir::symshape {

/// As buildCPUPipeline, for code that is soon there.
void buildQuickCPUPipeline(OpPassManager &manager, const CPUTarget &target,
                           const CPUPipelineOptions &options);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_PIPELINES_QUICKCPU_H
