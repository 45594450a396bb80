//===- ConvertElementwise.cpp - Bodies for ops on whole tensors -----------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What upstream's convert-elementwise-to-linalg does, except that a select
// between whole tensors is not elementwise, since they may differ in extents.
//
//===----------------------------------------------------------------------===//

#include "symshape/Conversion/Passes.h"
#include "symshape/Transforms/Canonicalizer.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"

namespace mlir::symshape {
#define GEN_PASS_DEF_CONVERTELEMENTWISEPASS
#include "symshape/Conversion/Passes.h.inc"
} // namespace mlir::symshape

using namespace mlir;

static bool choosesWholeTensor(Operation *op) {
  auto select = dyn_cast<arith::SelectOp>(op);
  return select && !isa<ShapedType>(select.getCondition().getType());
}

namespace {
struct ConvertElementwisePass
    : symshape::impl::ConvertElementwisePassBase<ConvertElementwisePass> {
  void runOnOperation() override {
    SmallVector<Operation *> ops;
    getOperation()->walk([&](Operation *op) {
      if (OpTrait::hasElementwiseMappableTraits(op) && !choosesWholeTensor(op))
        ops.push_back(op);
    });
    RewritePatternSet patterns(&getContext());
    linalg::populateElementwiseToLinalgConversionPatterns(patterns);
    applySoundPatterns(ops, std::move(patterns));
  }
};
} // namespace
