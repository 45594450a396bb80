//===- EndAtFailure.cpp - Nothing runs behind a failure -------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A check that cannot hold is a failure without a condition once conditions are
// folded. What follows it may contradict itself: types of casts that folds of
// upstream would join.
//
//===----------------------------------------------------------------------===//

#include "EndAtFailure.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "symshape/IR/SymShape.h"

using namespace mlir;
using namespace mlir::symshape;

static bool hasStandIn(Type type) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return !tensor.getEncoding() &&
           tensor.getElementType().isIntOrIndexOrFloat();
  return type.isIntOrIndexOrFloat();
}

/// Any value of that type.
static Value makeStandIn(OpBuilder &b, Location loc, Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
  Value zero;
  if (!tensor.hasStaticShape())
    zero = arith::ConstantIndexOp::create(b, loc, 0);
  return tensor::EmptyOp::create(
      b, loc, tensor, SmallVector<Value>(tensor.getNumDynamicDims(), zero));
}

/// Whether nothing is behind it but constants, so that it may stay.
static bool isStandIn(Operation *op) {
  return isa<arith::ConstantOp>(op) ||
         (isa<tensor::EmptyOp>(op) &&
          llvm::all_of(op->getOperands(), [](Value size) {
            return size.getDefiningOp<arith::ConstantOp>();
          }));
}

namespace {
struct EndAtFailure : OpRewritePattern<FailOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(FailOp op,
                                PatternRewriter &rewriter) const override {
    Block *block = op->getBlock();
    if (op.getContinues() ||
        !isa<func::FuncOp, scf::IfOp, scf::ForOp, scf::WhileOp>(
            block->getParentOp()) ||
        !block->mightHaveTerminator())
      return failure();
    Operation *end = block->getTerminator();
    if (op->getNextNode() == end)
      return failure();
    // The values that leave the block, and do not come from before.
    SmallVector<OpOperand *> results;
    bool isTensorCode = llvm::all_of(end->getOpOperands(), [&](OpOperand &use) {
      Operation *made = use.get().getDefiningOp();
      if (!made || made->getBlock() != block || made->isBeforeInBlock(op) ||
          isStandIn(made))
        return true;
      results.push_back(&use);
      return hasStandIn(use.get().getType());
    });
    SmallVector<Operation *> gone;
    for (Operation *next = op->getNextNode(); next != end;
         next = next->getNextNode())
      if (!isStandIn(next))
        gone.push_back(next);
    if (!isTensorCode || gone.empty() ||
        llvm::any_of(gone, [](Operation *each) {
          return llvm::any_of(each->getOperandTypes(),
                              llvm::IsaPred<BaseMemRefType>);
        }))
      return failure();
    rewriter.setInsertionPoint(end);
    for (OpOperand *use : results) {
      Value any = makeStandIn(rewriter, op.getLoc(), use->get().getType());
      rewriter.modifyOpInPlace(end, [&] { use->set(any); });
    }
    for (Operation *each : llvm::reverse(gone))
      rewriter.eraseOp(each);
    return success();
  }
};
} // namespace

void symshape::populateEndAtFailurePatterns(RewritePatternSet &patterns) {
  patterns.add<EndAtFailure>(patterns.getContext());
}
