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

#include "mlir/IR/DialectRegistry.h"
#include "symshape/Conversion/Passes.h"
#include "symshape/Extensions/AllExtensions.h"
#include "symshape/IR/SymShape.h"
#include "symshape/Pipelines/CPU.h"
#include "symshape/Pipelines/Shapes.h"
#include "symshape/Transforms/Passes.h"
#include "symshape/Transforms/RuntimeVerification.h"

namespace mlir::symshape {

/// The dialect, the interfaces that upstream ops implement for it, and those of
/// upstream that its ops implement outside of it.
inline void registerAllDialects(DialectRegistry &registry) {
  registry.insert<SymShapeDialect>();
  registerShapeFactsExternalModels(registry);
  registerDerivativeExternalModels(registry);
  registerRuntimeVerificationExternalModels(registry);
}

/// Passes and pipelines, by name.
inline void registerAllPasses() {
  registerSymShapeTransformsPasses();
  registerSymShapeConversionPasses();
  registerShapePipeline();
  registerCPUPipeline();
}

} // namespace mlir::symshape

#endif // SYMSHAPE_INITALL_H
