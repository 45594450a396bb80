//===- CPU.cpp - From tensors to the LLVM dialect -------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The order of passes of `symshape-cpu`, in four stages: tensors, buffers,
// loops, LLVM. Not for: patterns.
//
//===----------------------------------------------------------------------===//

#include "symshape/Pipelines/CPU.h"

#include "symshape/Conversion/Passes.h"
#include "symshape/Pipelines/Shapes.h"
#include "symshape/Transforms/Passes.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Bufferization/Pipelines/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/TargetParser/Host.h"
#include <unistd.h>

using namespace mlir;
using namespace mlir::symshape;

int64_t mlir::symshape::getHostVectorBits() {
  llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
  if (features.lookup("avx512f") && features.lookup("avx512vl"))
    return 512;
  return features.lookup("avx2") ? 256 : 128;
}

static void addCleanup(OpPassManager &manager) {
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
}

static int64_t getVectorRegisters(int64_t vectorBits) {
  return vectorBits == 512 ? 32 : 16;
}

/// Bytes of second-level cache of a core of this machine; 1 MiB where the
/// system does not know.
static int64_t getHostCacheBytes() {
  long bytes = sysconf(_SC_LEVEL2_CACHE_SIZE);
  return bytes > 0 ? bytes : 1 << 20;
}

static LowerContractionsPassOptions makeContractionOptions(int64_t vectorBits,
                                                           bool parallel) {
  LowerContractionsPassOptions options;
  options.parallel = parallel;
  options.vectorBits = vectorBits;
  options.vectorRegisters = getVectorRegisters(vectorBits);
  options.cacheBytes = getHostCacheBytes();
  options.fma = llvm::sys::getHostCPUFeatures().lookup("fma");
  return options;
}

/// Structured ops on tensors: fused, and contractions tiled.
static void addTensorStage(OpPassManager &manager, int64_t vectorBits,
                           bool parallel) {
  manager.addPass(createConvertElementwisePass());
  manager.addPass(createExpandDivisionsPass());
  manager.addPass(createInlineSingleCallsPass());
  addCleanup(manager);
  manager.addPass(createExpandBatchesPass());
  manager.addPass(createFoldTransposesPass());
  manager.addPass(createFuseElementwisePass());
  addCleanup(manager);
  FuseRowsPassOptions rows;
  rows.blockRows = 56; // four register tiles of 14 rows with 512-bit vectors
  rows.parallel = parallel;
  manager.addNestedPass<func::FuncOp>(createFuseRowsPass(rows));
  addCleanup(manager);
  manager.addPass(createFormContractionsPass({vectorBits}));
  addCleanup(manager);
  manager.addPass(createExpandPadsPass());
  manager.addPass(createLoopInvariantCodeMotionPass());
}

/// From tensors to memrefs, still without deallocations.
static void addBufferStage(OpPassManager &manager) {
  manager.addPass(bufferization::createEmptyTensorEliminationPass());
  manager.addPass(bufferization::createEmptyTensorToAllocTensorPass());
  bufferization::OneShotBufferizePassOptions bufferize;
  bufferize.bufferizeFunctionBoundaries = true;
  bufferize.allowReturnAllocsFromLoops = true; // a loop may carry new extents
  bufferize.functionBoundaryTypeConversion =
      bufferization::LayoutMapOption::IdentityLayoutMap;
  manager.addPass(bufferization::createOneShotBufferizePass(bufferize));
  addCleanup(manager);
  // Copies of a buffer to itself show when equal views have become one.
  manager.addPass(createCanonicalizerPass());
  OpPassManager &functions = manager.nest<func::FuncOp>();
  functions.addPass(bufferization::createBufferHoistingPass());
  functions.addPass(bufferization::createBufferLoopHoistingPass());
  // Values of a row, such as its sum, become registers later on.
  bufferization::PromoteBuffersToStackPassOptions onStack;
  onStack.maxAllocSizeInBytes = 16;
  functions.addPass(bufferization::createPromoteBuffersToStackPass(onStack));
}

/// Gives every buffer its place, or frees it.
static void addMemoryStage(OpPassManager &manager, bool planMemory) {
  if (planMemory)
    manager.addPass(createPlanMemoryPass());
  bufferization::buildBufferDeallocationPipeline(manager);
  manager.addPass(createConvertBufferizationToMemRefPass());
  addCleanup(manager);
}

/// Loops with vectors, and scalar code.
static void addLoopStage(OpPassManager &manager, int64_t vectorBits,
                         bool parallel) {
  manager.addPass(createLowerContractionsPass(
      makeContractionOptions(vectorBits, parallel)));
  addCleanup(manager);
  manager.addPass(createLowerStructuredOpsPass({vectorBits, parallel}));
  manager.addPass(createLowerRuntimeChecksPass());
  manager.addPass(createLowerAffinePass());
  addCleanup(manager);
  manager.addPass(createLoopInvariantCodeMotionPass());
  manager.addPass(math::createMathExtendToSupportedTypes()); // bf16, f16
  manager.addPass(
      createApproximateMathPass({/*scaleInstruction=*/vectorBits >= 512}));
  manager.addPass(math::createMathExpandOpsPass());
  addCleanup(manager);
  if (parallel) {
    manager.addPass(createParallelizeLoopsPass());
    addCleanup(manager);
  }
}

static void addLLVMStage(OpPassManager &manager) {
  manager.addPass(createExpandReshapesPass());
  manager.addPass(memref::createExpandStridedMetadataPass());
  manager.addPass(createLowerAffinePass());
  manager.addPass(createSCFToControlFlowPass());
  manager.addPass(createConvertMathToLLVMPass());
  manager.addPass(createConvertMathToLibmPass());
  // Last of the three: a call for each element takes vectors apart.
  manager.addPass(createConvertVectorToLLVMPass());
  FinalizeMemRefToLLVMConversionPassOptions memory;
  memory.useGenericFunctions = true;
  manager.addPass(createFinalizeMemRefToLLVMConversionPass(memory));
  manager.addPass(createArithToLLVMConversionPass());
  manager.addPass(createConvertIndexToLLVMPass());
  manager.addPass(createConvertFuncToLLVMPass());
  manager.addPass(createConvertControlFlowToLLVMPass());
  manager.addPass(createUBToLLVMConversionPass());
  manager.addPass(createReconcileUnrealizedCastsPass());
  addCleanup(manager);
  manager.addPass(createVerifyLoweredPass());
}

static int64_t vectorBitsOf(const CPUPipelineOptions &options) {
  return options.vectorBits > 0 ? options.vectorBits : getHostVectorBits();
}

void mlir::symshape::buildCPUPipelineBeforePlan(
    OpPassManager &manager, const CPUPipelineOptions &options) {
  ShapePipelineOptions shapes;
  shapes.guards = options.guards;
  buildShapePipeline(manager, shapes);
  int64_t vectorBits = vectorBitsOf(options);
  addTensorStage(manager, vectorBits, options.parallel);
  if (options.hoistWeights)
    manager.addPass(createHoistWeightsPass());
  manager.addPass(createEraseAnnotationsPass());
  manager.addPass(createMarkEntryPointsPass());
  manager.addPass(createLowerPacksPass({vectorBits}));
  addCleanup(manager);
  addBufferStage(manager);
  manager.addPass(
      createLowerWindowsPass({vectorBitsOf(options), options.parallel}));
  if (!options.parallel) // each thread needs workspaces of its own
    manager.addPass(createAllocateWorkspacesPass(
        {vectorBits, getVectorRegisters(vectorBits)}));
  if (options.planMemory)
    manager.addPass(createResultsToArgumentsPass());
}

void mlir::symshape::buildCPUPipeline(OpPassManager &manager,
                                      const CPUPipelineOptions &options) {
  buildCPUPipelineBeforePlan(manager, options);
  addMemoryStage(manager, options.planMemory);
  addLoopStage(manager, vectorBitsOf(options), options.parallel);
  addLLVMStage(manager);
}

void mlir::symshape::registerCPUPipeline() {
  PassPipelineRegistration<CPUPipelineOptions>(
      "symshape-cpu",
      "Lowers programs on tensors to the LLVM dialect for the CPU",
      buildCPUPipeline);
}
