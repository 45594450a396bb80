//===- SplitEmptyTensors.cpp - Empty tensors of loops ---------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "symshape/Conversion/Passes.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

namespace mlir::symshape {
#define GEN_PASS_DEF_SPLITEMPTYTENSORSPASS
#include "symshape/Conversion/Passes.h.inc"
} // namespace mlir::symshape

using namespace mlir;

namespace {
struct SplitEmptyTensorsPass
    : symshape::impl::SplitEmptyTensorsPassBase<SplitEmptyTensorsPass> {
  void runOnOperation() override {
    SmallVector<tensor::EmptyOp> ops;
    getOperation()->walk([&](tensor::EmptyOp op) { ops.push_back(op); });
    for (tensor::EmptyOp op : ops) {
      OpBuilder builder(op);
      for (OpOperand &use : llvm::make_early_inc_range(op->getUses()))
        if (isa<LoopLikeOpInterface>(use.getOwner()) && !op->hasOneUse())
          use.set(builder.clone(*op)->getResult(0));
    }
  }
};
} // namespace
