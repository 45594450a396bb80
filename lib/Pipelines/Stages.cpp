//===- Stages.cpp - Parts that pipelines share ----------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The order of passes up to buffers that have their places, and from loops to
// the LLVM dialect. Not for: patterns.
//
//===----------------------------------------------------------------------===//

#include "Stages.h"

#include "symshape/Conversion/Passes.h"
#include "symshape/IR/ElementBytes.h"
#include "symshape/Pipelines/Passes.h"
#include "symshape/Transforms/Passes.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Bufferization/Pipelines/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Dialect/Vector/Transforms/Passes.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::symshape;

void mlir::symshape::addCleanup(OpPassManager &manager) {
  manager.addPass(createCanonicalizePass());
  manager.addPass(createCSEPass());
}

void mlir::symshape::addFusionStage(OpPassManager &manager, bool channelsLast,
                                    bool dotProducts) {
  manager.addPass(createConvertElementwisePass());
  manager.addPass(createWidenIntegersPass());
  manager.addPass(createExpandDivisionsPass());
  manager.addNestedPass<func::FuncOp>(
      createLowerAffineOpsPass({/*onlyIfArrays=*/true}));
  manager.addPass(createInlineSingleCallsPass());
  addCleanup(manager);
  if (dotProducts) {
    manager.addPass(createFormDotProductsPass());
    addCleanup(manager);
  }
  if (channelsLast) {
    manager.addPass(createChannelsLastPass());
    addCleanup(manager);
  }
  manager.addPass(createRoundProductsPass());
  manager.addPass(createExpandBatchesPass());
  manager.addPass(createFoldTransposesPass());
  manager.addPass(createFuseElementwisePass());
  addCleanup(manager);
}

void mlir::symshape::addBufferization(OpPassManager &manager) {
  bufferization::OneShotBufferizePassOptions bufferize;
  bufferize.bufferizeFunctionBoundaries = true;
  bufferize.allowReturnAllocsFromLoops = true; // a loop may carry new extents
  bufferize.functionBoundaryTypeConversion =
      bufferization::LayoutMapOption::IdentityLayoutMap;
  manager.addPass(bufferization::createOneShotBufferizePass(bufferize));
  addCleanup(manager);
  // Where a function returns the buffer that it was given to write to, callers
  // would compare it with all others before they free any.
  manager.addPass(bufferization::createDropEquivalentBufferResultsPass());
}

void mlir::symshape::addStaticHoisting(OpPassManager &manager) {
  // Upstream's passes also move buffers of dynamic sizes, out of loops and
  // branches that are not reached, where a size may be anything. What stays on
  // the stack of a turn would be given back only when the function returns.
  HoistAllocationsPassOptions hoist;
  hoist.staticOnly = true;
  manager.addPass(createHoistAllocationsPass(hoist));
}

/// Whether a buffer has at most 16 bytes. Upstream's own test wraps.
static bool fitsVector(Value buffer) {
  auto alloc = buffer.getDefiningOp<memref::AllocOp>();
  if (!alloc || !alloc.getDynamicSizes().empty())
    return false;
  int64_t bytes = staticBytes(alloc, alloc.getType(), /*limit=*/17);
  return bytes >= 0 && bytes <= 16;
}

void mlir::symshape::addBufferStage(OpPassManager &manager, bool onStack) {
  // After the last CSE on tensors, which merges equal borders and fills into
  // one tensor: as a buffer it would be copied for all users but one.
  manager.addPass(createExpandPadsPass());
  manager.addPass(createPrepareBufferizationPass());
  manager.addPass(createStoreSlicesPass());
  manager.addNestedPass<func::FuncOp>(createHideDivisionsPass());
  manager.addPass(bufferization::createEmptyTensorEliminationPass());
  addBufferization(manager);
  // Copies of a buffer to itself show once equal views have become one.
  manager.addPass(createCanonicalizePass());
  addStaticHoisting(manager);
  // Values of a row, such as its sum, become registers later on.
  if (onStack)
    manager.addNestedPass<func::FuncOp>(
        bufferization::createPromoteBuffersToStackPass(fitsVector));
}

void mlir::symshape::addMemoryStage(OpPassManager &manager, bool planMemory,
                                    bool donates) {
  if (planMemory)
    manager.addPass(createPlanMemoryPass());
  // As MLIR's deallocation pipeline, with another canonicalizer.
  manager.addPass(memref::createExpandReallocPass({/*emitDeallocs=*/false}));
  manager.addPass(createCheckAllocationsPass());
  manager.addPass(createCanonicalizePass());
  manager.addPass(bufferization::createOwnershipBasedBufferDeallocationPass());
  manager.addPass(createCanonicalizePass());
  manager.addPass(bufferization::createBufferDeallocationSimplificationPass());
  manager.addPass(bufferization::createLowerDeallocationsPass());
  if (donates)
    manager.addPass(createReturnDonatedPass());
  manager.addPass(createCSEPass());
  manager.addPass(createCanonicalizePass());
  manager.addPass(createVerifyLowerablePass({/*tensorsLast=*/true}));
  manager.addPass(createConvertBufferizationToMemRefPass());
  addCleanup(manager);
}

void mlir::symshape::addViewExpansion(OpPassManager &manager) {
  manager.addPass(createExpandReshapesPass());
  manager.addPass(memref::createExpandStridedMetadataPass());
  manager.addNestedPass<func::FuncOp>(createLowerAffineOpsPass());
}

void mlir::symshape::addVectorConversion(OpPassManager &manager) {
  ConvertVectorToLLVMPassOptions options;
  // A mask of 2^32 elements that are left has no lane in 32 bits.
  options.force32BitVectorIndices = false;
  manager.addPass(createConvertVectorToLLVMPass(options));
}

void mlir::symshape::addLLVMConversion(OpPassManager &manager) {
  manager.addPass(createSCFToControlFlowPass());
  manager.addPass(createConvertMathToLLVMPass());
  manager.addPass(createConvertMathToLibmPass());
  // Last of the three: a call for each element takes vectors apart.
  addVectorConversion(manager);
  FinalizeMemRefToLLVMConversionPassOptions memory;
  memory.useGenericFunctions = true;
  manager.addPass(createFinalizeMemRefToLLVMConversionPass(memory));
  manager.addPass(createConvertToLLVMPass());
  manager.addPass(createReconcileUnrealizedCastsPass());
}
