//===- QuickCPU.cpp - Code that is soon there -----------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What serves calls while better code is compiled. Checks, fused elementwise
// ops and contractions in tiles of vectors are those of `symshape-cpu`. Left
// out is what makes code of its own for each op: rows and windows in registers,
// packed weights, a plan of the memory; and ops that differ in their extents
// alone share their code. Time goes into the number of ops, so that the passes
// that remove ops late cost more than they save.
//
//===----------------------------------------------------------------------===//

#include "QuickCPU.h"

#include "Stages.h"
#include "symshape/Conversion/Passes.h"
#include "symshape/Pipelines/Passes.h"
#include "symshape/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/Vector/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::symshape;

/// A tile has loops for each number of rows up to its own: four are a tenth of
/// the code of fourteen.
static constexpr int64_t quickRegisters = 12;

static void addQuickTensorStage(OpPassManager &manager,
                                const CPUTarget &target) {
  addFusionStage(manager, /*channelsLast=*/true);
  FormContractionsPassOptions contractions;
  contractions.vectorBits = target.vectorBits;
  contractions.vectorRegisters = quickRegisters;
  contractions.fma = target.fma;
  contractions.weights = false;
  contractions.uniform = true;
  manager.addPass(createFormContractionsPass(contractions));
  manager.addPass(createEraseAnnotationsPass());
  manager.addPass(createMarkEntryPointsPass());
  manager.addPass(createLowerPacksPass({target.vectorBits}));
  addCleanup(manager);
  manager.addPass(createVerifyLowerablePass({/*tensorsLast=*/true}));
}

static void addQuickLoopStage(OpPassManager &manager, const CPUTarget &target,
                              bool parallel) {
  manager.addPass(createShareOpsPass({/*least=*/2, /*anyShape=*/true}));
  LowerContractionsPassOptions contractions;
  contractions.parallel = parallel;
  contractions.cacheBytes = target.cacheBytes;
  contractions.fma = target.fma;
  contractions.maskedBits = target.maskedBits;
  contractions.fewRows = false;
  manager.addPass(createLowerContractionsPass(contractions));
  manager.addPass(createLowerStructuredOpsPass(
      {target.vectorBits, target.maskedBits, parallel}));
  manager.addPass(createLowerVectorOpsPass());
  manager.addPass(createLowerComplexPass());
  manager.addPass(createLowerRuntimeChecksPass());
  manager.addNestedPass<func::FuncOp>(createLowerAffineOpsPass());
  manager.addPass(math::createMathExtendToSupportedTypes()); // bf16, f16
  manager.addPass(createExpandSmallFloatsPass(
      {target.halfConversions, /*keepsNaNs=*/true}));
  manager.addPass(createApproximateMathPass({target.scaleInstruction}));
  if (parallel) {
    addCleanup(manager);
    manager.addPass(createParallelizeLoopsPass());
  }
}

void mlir::symshape::buildQuickCPUPipeline(OpPassManager &manager,
                                           const CPUTarget &target,
                                           const CPUPipelineOptions &options) {
  manager.addPass(createVerifyLowerablePass());
  buildShapePipeline(manager, options);
  manager.addPass(createWidenSumsPass());
  manager.addPass(createQuantizeWeightsPass());
  manager.addPass(createLowerTensorOpsPass({options.guards}));
  manager.addPass(createLowerMasksPass());
  addCleanup(manager);
  addQuickTensorStage(manager, target);
  // After the last CSE on tensors, as in the other pipeline.
  manager.addPass(createPrepareBufferizationPass());
  // No part is computed right where it belongs, as in the other pipeline.
  manager.addPass(createStoreSlicesPass({/*least=*/17}));
  manager.addNestedPass<func::FuncOp>(createHideDivisionsPass());
  addBufferization(manager);
  addStaticHoisting(manager);
  manager.addPass(createAllocateWorkspacesPass({options.parallel}));
  addMemoryStage(manager, /*planMemory=*/false, /*donates=*/true);
  addQuickLoopStage(manager, target, options.parallel);
  addViewExpansion(manager);
  addLLVMConversion(manager);
  manager.addPass(createMoveSmallFloatsPass());
  manager.addPass(createVerifyLoweredPass());
}
