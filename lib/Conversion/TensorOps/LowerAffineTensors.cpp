//===- LowerAffineTensors.cpp - Affine control flow of tensors ------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All affine ops of a function or none: the counter of an scf.for cannot be a
// dim of an affine map, so affine ops inside a loop are lowered with it.
//
//===----------------------------------------------------------------------===//

#include "symshape/Conversion/Passes.h"

#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/PassManager.h"

namespace mlir::symshape {
#define GEN_PASS_DEF_LOWERAFFINETENSORSPASS
#include "symshape/Conversion/Passes.h.inc"
} // namespace mlir::symshape

using namespace mlir;

namespace {
struct LowerAffineTensorsPass
    : symshape::impl::LowerAffineTensorsPassBase<LowerAffineTensorsPass> {
  void runOnOperation() override {
    WalkResult carriesArrays = getOperation().walk([](Operation *op) {
      return WalkResult(
          failure(isa<affine::AffineForOp, affine::AffineIfOp>(op) &&
                  llvm::any_of(op->getResultTypes(),
                               llvm::IsaPred<TensorType, BaseMemRefType>)));
    });
    if (!carriesArrays.wasInterrupted())
      return;
    OpPassManager manager(func::FuncOp::getOperationName());
    manager.addPass(createLowerAffinePass());
    if (failed(runPipeline(manager, getOperation())))
      signalPassFailure();
  }
};
} // namespace
