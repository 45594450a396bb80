//===- SplitEmptyTensors.cpp - Empty tensors of loops ---------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bufferization lets two values that a loop carries share a buffer if both
// begin as one empty tensor; so each gets one of its own.
//
//===----------------------------------------------------------------------===//

#include "symshape/Conversion/Passes.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

namespace mlir::symshape {
#define GEN_PASS_DEF_SPLITEMPTYTENSORSPASS
#include "symshape/Conversion/Passes.h.inc"
} // namespace mlir::symshape

using namespace mlir;

/// The ops from an empty tensor to a value that is a view of it, last first;
/// none if it is not one.
static SmallVector<Operation *> viewOfEmpty(Value value) {
  SmallVector<Operation *> chain;
  while (Operation *op = value.getDefiningOp()) {
    chain.push_back(op);
    if (isa<tensor::EmptyOp>(op))
      return chain;
    if (!isa<tensor::CastOp, tensor::CollapseShapeOp, tensor::ExpandShapeOp,
             tensor::ExtractSliceOp>(op))
      break;
    value = op->getOperand(0);
  }
  return {};
}

namespace {
struct SplitEmptyTensorsPass
    : symshape::impl::SplitEmptyTensorsPassBase<SplitEmptyTensorsPass> {
  void runOnOperation() override {
    getOperation()->walk([](LoopLikeOpInterface loop) {
      for (OpOperand &init : loop.getInitsMutable()) {
        SmallVector<Operation *> chain = viewOfEmpty(init.get());
        if (llvm::all_of(chain, [](Operation *op) { return op->hasOneUse(); }))
          continue;
        OpBuilder builder(loop);
        IRMapping mapping;
        for (Operation *op : llvm::reverse(chain))
          builder.clone(*op, mapping);
        init.set(mapping.lookup(init.get()));
      }
    });
  }
};
} // namespace
