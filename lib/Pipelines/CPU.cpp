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

#include "QuickCPU.h"
#include "Stages.h"
#include "symshape/Conversion/Passes.h"
#include "symshape/Pipelines/Passes.h"
#include "symshape/Pipelines/Shapes.h"
#include "symshape/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::symshape;

static LowerContractionsPassOptions
makeContractionOptions(const CPUTarget &target, bool parallel) {
  LowerContractionsPassOptions options;
  options.parallel = parallel;
  options.cacheBytes = target.cacheBytes;
  options.fma = target.fma;
  options.maskedBits = target.maskedBits;
  options.permutations = target.permutations;
  return options;
}

/// Structured ops on tensors: fused, and contractions tiled.
static void addCPUTensorStage(OpPassManager &manager, const CPUTarget &target,
                              const CPUPipelineOptions &options) {
  addFusionStage(manager, /*channelsLast=*/true, target.dotProducts);
  FuseRowsPassOptions rows;
  rows.blockRows = target.getBlockRows();
  rows.parallel = options.parallel;
  manager.addNestedPass<func::FuncOp>(createFuseRowsPass(rows));
  addCleanup(manager);
  // Operands that leave a loop are packed before it.
  manager.addPass(createHoistInvariantsPass());
  if (options.hoistWeights)
    manager.addPass(createFindCodesPass());
  FormContractionsPassOptions contractions;
  contractions.vectorBits = target.vectorBits;
  contractions.vectorRegisters = target.vectorRegisters;
  contractions.fma = target.fma;
  contractions.weights = options.hoistWeights;
  contractions.dotProducts = target.dotProducts;
  contractions.bfloatProducts = target.bfloatProducts;
  contractions.winograd = options.winograd;
  manager.addPass(createFormContractionsPass(contractions));
  if (options.hoistWeights) // codes that no contraction reads
    manager.addPass(createLowerTensorOpsPass({options.guards}));
  addCleanup(manager);
}

/// Loops with vectors, and scalar code.
static void addLoopStage(OpPassManager &manager, const CPUTarget &target,
                         bool parallel) {
  // Layers that are equal, or are but for their widths. A call costs what some
  // elements cost. Of a long program, all ops: what is left are calls, which
  // nobody optimizes (CallSequences.h).
  manager.addPass(
      createShareOpsPass({/*least=*/2, /*anyShape=*/false, /*wholeFrom=*/16}));
  manager.addPass(
      createLowerContractionsPass(makeContractionOptions(target, parallel)));
  addCleanup(manager);
  manager.addPass(createLowerStructuredOpsPass(
      {target.vectorBits, target.maskedBits, parallel}));
  manager.addPass(createLowerVectorOpsPass());
  manager.addPass(createLowerComplexPass());
  manager.addPass(createLowerRuntimeChecksPass());
  manager.addNestedPass<func::FuncOp>(createLowerAffineOpsPass());
  addCleanup(manager);
  manager.addPass(createHoistInvariantsPass({/*onBuffers=*/true}));
  manager.addPass(math::createMathExtendToSupportedTypes()); // bf16, f16
  manager.addPass(createExpandSmallFloatsPass(
      {target.halfConversions, /*keepsNaNs=*/true}));
  manager.addPass(createApproximateMathPass({target.scaleInstruction}));
  addCleanup(manager);
  if (parallel) {
    manager.addPass(createParallelizeLoopsPass());
    addCleanup(manager);
  }
}

void mlir::symshape::buildCPUPipelineBeforePlan(
    OpPassManager &manager, const CPUTarget &target,
    const CPUPipelineOptions &options) {
  manager.addPass(createVerifyLowerablePass());
  buildShapePipeline(manager, options);
  manager.addPass(createWidenSumsPass());
  manager.addPass(createQuantizeWeightsPass());
  manager.addPass(
      createLowerTensorOpsPass({options.guards, /*points=*/false,
                                /*dequantize=*/!options.hoistWeights}));
  manager.addPass(createLowerMasksPass());
  addCleanup(manager);
  addCPUTensorStage(manager, target, options);
  if (options.hoistWeights)
    manager.addPass(createHoistWeightsPass());
  manager.addPass(createEraseAnnotationsPass());
  manager.addPass(createMarkEntryPointsPass());
  manager.addPass(createLowerPacksPass({target.vectorBits}));
  addCleanup(manager);
  manager.addPass(createVerifyLowerablePass({/*tensorsLast=*/true}));
  addBufferStage(manager, /*onStack=*/true);
  manager.addPass(
      createLowerWindowsPass({target.vectorBits, target.vectorRegisters,
                              target.fma, options.parallel}));
  manager.addPass(
      createLowerWinogradPass({target.cacheBytes, options.parallel}));
  manager.addPass(createAllocateWorkspacesPass({options.parallel}));
  if (options.planMemory)
    manager.addPass(createResultsToArgumentsPass());
}

void mlir::symshape::buildCPUPipeline(OpPassManager &manager,
                                      const CPUTarget &target,
                                      const CPUPipelineOptions &options) {
  if (options.quick)
    return buildQuickCPUPipeline(manager, target, options);
  buildCPUPipelineBeforePlan(manager, target, options);
  addMemoryStage(manager, options.planMemory, /*donates=*/true);
  if (options.timers)
    manager.addPass(createInsertTimersPass());
  addLoopStage(manager, target, options.parallel);
  addViewExpansion(manager);
  addLLVMConversion(manager);
  manager.addPass(createMoveSmallFloatsPass());
  manager.addPass(createVerifyLoweredPass());
}

namespace {
/// What the command line sets besides the options of the functions above.
struct CPUCommandLineOptions : CPUPipelineOptions {
  Option<std::string> cpu{
      *this, "cpu",
      llvm::cl::desc("The CPU to generate code for, as LLVM calls it "
                     "(default: native, or generic for another triple)")};

  Option<std::string> triple{
      *this, "triple",
      llvm::cl::desc("Its architecture and system "
                     "(default: those of this machine)")};
};
} // namespace

void mlir::symshape::registerCPUPipeline() {
  registerSymShapePipelinesPasses();
  // PassPipelineRegistration has no way to refuse a value.
  registerPassPipeline(
      "symshape-cpu",
      "Lowers programs on tensors to the LLVM dialect for the CPU",
      [](OpPassManager &manager, StringRef text, auto errorHandler) {
        CPUCommandLineOptions options;
        if (failed(options.parseFromString(text)))
          return failure();
        auto target = CPUTarget::get(options.cpu, options.triple);
        if (!target)
          return errorHandler("symshape-cpu: " +
                              llvm::toString(target.takeError()));
        buildCPUPipeline(manager, *target, options);
        return success();
      },
      [](function_ref<void(const mlir::detail::PassOptions &)> handle) {
        handle(CPUCommandLineOptions());
      });
}
