//===- ExpandDivisions.cpp - Remainders by divisions ----------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLIR 22 declares arith.remsi, remui and floordivsi free of undefined
// behaviour, so its passes move them to where their divisor may be 0.
// arith.divsi and divui stay where they are.
//
//===----------------------------------------------------------------------===//

#include "symshape/Conversion/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mlir::symshape {
#define GEN_PASS_DEF_EXPANDDIVISIONSPASS
#include "symshape/Conversion/Passes.h.inc"
} // namespace mlir::symshape

using namespace mlir;

namespace {
/// a rem b = a - (a div b)*b, for the division that rounds as the remainder
/// does. Where the quotient overflows, so does the remainder.
template <typename RemOp, typename DivOp>
struct ExpandRemainder : OpRewritePattern<RemOp> {
  using OpRewritePattern<RemOp>::OpRewritePattern;
  LogicalResult matchAndRewrite(RemOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value quotient = DivOp::create(rewriter, loc, op.getLhs(), op.getRhs());
    Value product = arith::MulIOp::create(rewriter, loc, quotient, op.getRhs());
    rewriter.replaceOpWithNewOp<arith::SubIOp>(op, op.getLhs(), product);
    return success();
  }
};

struct ExpandDivisionsPass
    : symshape::impl::ExpandDivisionsPassBase<ExpandDivisionsPass> {
  void runOnOperation() override {
    SmallVector<Operation *> ops;
    getOperation()->walk([&](Operation *op) {
      if (isa<arith::FloorDivSIOp, arith::RemSIOp, arith::RemUIOp>(op) &&
          op->getResult(0).getType().isIntOrIndex())
        ops.push_back(op);
    });
    RewritePatternSet patterns(&getContext());
    patterns.add<ExpandRemainder<arith::RemSIOp, arith::DivSIOp>,
                 ExpandRemainder<arith::RemUIOp, arith::DivUIOp>>(
        &getContext());
    arith::populateCeilFloorDivExpandOpsPatterns(patterns);
    GreedyRewriteConfig config;
    config.setStrictness(GreedyRewriteStrictness::ExistingOps);
    if (failed(applyOpPatternsGreedily(ops, std::move(patterns), config)))
      signalPassFailure();
  }
};
} // namespace
