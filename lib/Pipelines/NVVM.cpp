//===- NVVM.cpp - From tensors to host code and PTX -----------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The order of passes of `symshape-nvvm`: as for a CPU up to buffers that have
// their places; then kernels, their code, and the host code around them. Not
// for: patterns.
//
//===----------------------------------------------------------------------===//

#include "symshape/Pipelines/NVVM.h"

#include "Stages.h"
#include "symshape/Conversion/GPUPasses.h"
#include "symshape/Conversion/Passes.h"
#include "symshape/Pipelines/Passes.h"
#include "symshape/Transforms/Passes.h"

#include "mlir/Conversion/GPUToNVVM/GPUToNVVMPass.h"
#include "mlir/Conversion/NVGPUToNVVM/NVGPUToNVVM.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Dialect/SCF/Transforms/Passes.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::symshape;

/// Structured ops on tensors, fused, and contractions with what follows them.
static void addNVVMTensorStage(OpPassManager &manager, bool weights) {
  manager.addPass(createLowerPacksPass({/*vectorBits=*/0}));
  addFusionStage(manager, /*channelsLast=*/false);
  manager.addPass(createHoistInvariantsPass());
  FormContractionsPassOptions contractions;
  contractions.weights = weights;
  contractions.tile = false;
  manager.addPass(createFormContractionsPass(contractions));
  addCleanup(manager);
}

void mlir::symshape::buildFormKernelsPipeline(OpPassManager &manager,
                                              const GPUTarget &target) {
  manager.addNestedPass<func::FuncOp>(createForallToForLoopPass());
  manager.addNestedPass<func::FuncOp>(createParallelForToNestedForsPass());
  addCleanup(manager);
  manager.addPass(createFormKernelsPass({target.wgmma}));
  addCleanup(manager);
}

/// Kernels, each as a loop nest of one thread.
static void addKernelStage(OpPassManager &manager, const GPUTarget &target) {
  manager.addPass(createPlaceDataPass());
  buildFormKernelsPipeline(manager, target);
  manager.addPass(createOutlineKernelsPass());
  addCleanup(manager);
  manager.addPass(createLowerVectorOpsPass());
  manager.addPass(createLowerComplexPass());
  manager.addPass(math::createMathExtendToSupportedTypes()); // bf16, f16
  manager.addPass(createExpandSmallFloatsPass({/*halfConversions=*/true}));
  manager.addPass(createApproximateMathPass());
  addCleanup(manager);
}

/// From kernels to PTX.
static void addDeviceStage(OpPassManager &manager, const GPUTarget &target) {
  OpPassManager &kernels = manager.nest<gpu::GPUModuleOp>();
  kernels.addPass(createExpandKernelMathPass());
  kernels.addPass(createExpandReshapesPass());
  kernels.addPass(memref::createExpandStridedMetadataPass());
  kernels.addPass(createLowerAffineOpsPass());
  kernels.addPass(createSCFToControlFlowPass());
  kernels.addPass(createLowerKernelChecksPass());
  kernels.addPass(createConvertMathToLLVMPass());
  kernels.addPass(createConvertNVGPUToNVVMPass());
  ConvertGpuOpsToNVVMOpsOptions nvvm;
  nvvm.indexBitwidth = 64;
  kernels.addPass(createConvertGpuOpsToNVVMOps(nvvm));
  addVectorConversion(kernels);
  kernels.addPass(createConvertToLLVMPass());
  kernels.addPass(createReconcileUnrealizedCastsPass());
  kernels.addPass(createCanonicalizePass());
  kernels.addPass(createCSEPass());
  manager.addPass(createCompileKernelsPass({target.chip}));
}

static void addHostStage(OpPassManager &manager) {
  manager.addPass(createLowerLaunchesPass());
  manager.addPass(createLowerRuntimeChecksPass());
  addViewExpansion(manager);
  addCleanup(manager);
  manager.addPass(createApproximateMathPass());
  addLLVMConversion(manager);
  addCleanup(manager);
  manager.addPass(createVerifyLoweredPass());
}

void mlir::symshape::buildNVVMPipelineBeforePlan(
    OpPassManager &manager, const NVVMPipelineOptions &options) {
  manager.addPass(createVerifyLowerablePass());
  buildShapePipeline(manager, options);
  manager.addPass(createWidenSumsPass());
  manager.addPass(createQuantizeWeightsPass());
  manager.addPass(createLowerTensorOpsPass({options.guards, /*points=*/true}));
  manager.addPass(createLowerMasksPass());
  addCleanup(manager);
  addNVVMTensorStage(manager, options.hoistWeights);
  if (options.hoistWeights)
    manager.addPass(createHoistWeightsPass());
  manager.addPass(createMarkResidentArgumentsPass());
  manager.addPass(createMarkDivisorsPass());
  manager.addPass(createEraseAnnotationsPass());
  manager.addPass(createMarkEntryPointsPass());
  addCleanup(manager);
  manager.addPass(createVerifyLowerablePass({/*tensorsLast=*/true}));
  addBufferStage(manager, /*onStack=*/false);
  manager.addPass(createReadShapesPass());
  manager.addPass(createMakeDensePass());
  if (options.planMemory)
    manager.addPass(createResultsToArgumentsPass());
  manager.addPass(createMarkRowsPass());
}

void mlir::symshape::buildNVVMPipeline(OpPassManager &manager,
                                       const GPUTarget &target,
                                       const NVVMPipelineOptions &options) {
  buildNVVMPipelineBeforePlan(manager, options);
  addMemoryStage(manager, options.planMemory);
  addKernelStage(manager, target);
  addDeviceStage(manager, target);
  addHostStage(manager);
}

namespace {
/// What the command line sets besides the options of the functions above.
struct NVVMCommandLineOptions : NVVMPipelineOptions {
  Option<std::string> chip{
      *this, "chip",
      llvm::cl::desc("The GPU to generate code for, as LLVM calls it "
                     "(default: sm_80)"),
      llvm::cl::init("sm_80")};

  Option<WgmmaUse> wgmma{
      *this, "wgmma",
      llvm::cl::desc("Which products of bf16 and f16 are by wgmma, which "
                     "sm_90a has (default: none)"),
      getWgmmaValues(), llvm::cl::init(WgmmaUse::Off)};
};
} // namespace

void mlir::symshape::registerNVVMPipeline() {
  // PassPipelineRegistration has no way to refuse a value.
  registerPassPipeline(
      "symshape-nvvm",
      "Lowers programs on tensors to the LLVM dialect and PTX for a GPU",
      [](OpPassManager &manager, StringRef text, auto errorHandler) {
        NVVMCommandLineOptions options;
        if (failed(options.parseFromString(text)))
          return failure();
        auto target = GPUTarget::get(options.chip);
        if (!target)
          return errorHandler("symshape-nvvm: " +
                              llvm::toString(target.takeError()));
        target->wgmma = options.wgmma;
        if (target->wgmma != WgmmaUse::Off && !target->hasWgmma())
          return errorHandler(
              "symshape-nvvm: expected chip=sm_90a with wgmma, but got '" +
              options.chip + "'");
        buildNVVMPipeline(manager, *target, options);
        return success();
      },
      [](function_ref<void(const mlir::detail::PassOptions &)> handle) {
        handle(NVVMCommandLineOptions());
      });
}
