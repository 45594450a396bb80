//===- InitAll.h - Registers everything of symshape -------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For tools: our dialect, our models of upstream ops, and our passes. The CMake
// target to link is SymShape::SymShapeAll. Not for: upstream's own registration
// (mlir/InitAll*.h).
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_INITALL_H
#define SYMSHAPE_INITALL_H

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/IndexToLLVM/IndexToLLVM.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/IR/DialectRegistry.h"
#include "symshape/Conversion/CPUTile.h"
#include "symshape/Conversion/GPUPasses.h"
#include "symshape/Conversion/Passes.h"
#include "symshape/Conversion/TMTensorOps.h"
#include "symshape/Extensions/AllExtensions.h"
#include "symshape/IR/SymShape.h"
#include "symshape/Pipelines/CPU.h"
#include "symshape/Pipelines/NVVM.h"
#include "symshape/Pipelines/Shapes.h"
#include "symshape/Transforms/Passes.h"
#include "symshape/Transforms/RuntimeVerification.h"
#include "symshape/Transforms/TosaBroadcast.h"

namespace mlir::symshape {

// Of each pass alone, and of those of a layer.
#define GEN_PASS_REGISTRATION
#include "symshape/Transforms/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "symshape/Conversion/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "symshape/Conversion/GPUPasses.h.inc"

/// Our reader of what torch-mlir leaves in programs, unless there is a dialect
/// of that name. For tools of their own: two dialects of one name end the
/// process, and torch-mlir has one.
inline void registerTMTensorReader(DialectRegistry &registry) {
  using Reader = tm_tensor::TMTensorDialect;
  if (!registry.getDialectAllocator(Reader::getDialectNamespace()))
    registry.insert<Reader>();
}

/// Our dialects; models of our interfaces for upstream's ops and of upstream's
/// interfaces for our ops; and the conversions to LLVM that `symshape-cpu` ends
/// with.
inline void registerAllDialects(DialectRegistry &registry) {
  registry.insert<SymShapeDialect, SymShapeCPUDialect, SymShapeKernelDialect>();
  registerShapeFactsExternalModels(registry);
  registerDerivativeExternalModels(registry);
  registerFuncInlining(registry);
  registerRuntimeVerificationExternalModels(registry);
  arith::registerConvertArithToLLVMInterface(registry);
  cf::registerConvertControlFlowToLLVMInterface(registry);
  registerConvertFuncToLLVMInterface(registry);
  index::registerConvertIndexToLLVMInterface(registry);
  ub::registerConvertUBToLLVMInterface(registry);
}

/// Passes and pipelines, by name.
inline void registerAllPasses() {
  registerSymShapeTransformsPasses();
  registerTosaBroadcastPass();
  registerSymShapeConversionPasses();
  registerSymShapeGPUPasses();
  registerShapePipeline();
  registerCPUPipeline();
  registerNVVMPipeline();
}

} // namespace mlir::symshape

#endif // SYMSHAPE_INITALL_H
