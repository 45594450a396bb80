//===- FoldTransposes.cpp - Contractions that read transposed operands ----===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An operand of a contraction is read with any strides, or packed first, so a
// transposed copy of it is work for nothing. Not for: transposes of results.
//
//===----------------------------------------------------------------------===//

#include "symshape/Conversion/Passes.h"
#include "symshape/Conversion/StructuredOps.h"

#include "Contraction.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mlir::symshape {
#define GEN_PASS_DEF_FOLDTRANSPOSESPASS
#include "symshape/Conversion/Passes.h.inc"
} // namespace mlir::symshape

using namespace mlir;
using namespace mlir::symshape;

namespace {
struct FoldTranspose : OpInterfaceRewritePattern<linalg::LinalgOp> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;
  LogicalResult matchAndRewrite(linalg::LinalgOp op,
                                PatternRewriter &rewriter) const override {
    auto isTransposed = [](Value value) {
      return matchTranspose(value).has_value();
    };
    if (!isContraction(op) || !op.hasPureTensorSemantics() ||
        llvm::none_of(op.getDpsInputs(), isTransposed))
      return failure();
    auto generic = dyn_cast<linalg::GenericOp>(op.getOperation());
    if (!generic) {
      FailureOr<linalg::GenericOp> general =
          linalg::generalizeNamedOp(rewriter, op);
      if (failed(general))
        return failure();
      generic = *general;
    }
    SmallVector<AffineMap> maps = generic.getIndexingMapsArray();
    rewriter.modifyOpInPlace(generic, [&] {
      for (OpOperand *operand : generic.getDpsInputOperands())
        if (auto found = matchTranspose(operand->get())) {
          operand->set(found->first);
          unsigned number = operand->getOperandNumber();
          maps[number] = found->second.compose(maps[number]);
        }
      generic.setIndexingMapsAttr(rewriter.getAffineMapArrayAttr(maps));
    });
    return success();
  }
};

struct FoldTransposesPass
    : symshape::impl::FoldTransposesPassBase<FoldTransposesPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<FoldTranspose>(&getContext());
    GreedyRewriteConfig config;
    config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
    if (failed(
            applyPatternsGreedily(getOperation(), std::move(patterns), config)))
      signalPassFailure();
  }
};
} // namespace
