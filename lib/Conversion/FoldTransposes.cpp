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

#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mlir::symshape {
#define GEN_PASS_DEF_FOLDTRANSPOSESPASS
#include "symshape/Conversion/Passes.h.inc"
} // namespace mlir::symshape

using namespace mlir;
using namespace mlir::symshape;

/// The source of a transposed copy, and the map from the copy's dimensions to
/// the source's; nullopt for anything else.
static std::optional<std::pair<Value, AffineMap>> matchTranspose(Value value) {
  auto op = value.getDefiningOp<linalg::LinalgOp>();
  if (!op || op.getNumDpsInputs() != 1 || op.getNumDpsInits() != 1 ||
      !isa<linalg::GenericOp, linalg::TransposeOp>(op.getOperation()))
    return std::nullopt;
  OpOperand *input = op.getDpsInputOperand(0);
  AffineMap inputMap = op.getMatchingIndexingMap(input);
  AffineMap outputMap = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  Operation *yield = op.getBlock()->getTerminator();
  if (!isa<RankedTensorType>(input->get().getType()) ||
      yield->getOperand(0) != op.getMatchingBlockArgument(input) ||
      op.getNumParallelLoops() != op.getNumLoops() ||
      !inputMap.isPermutation() || !outputMap.isPermutation())
    return std::nullopt;
  return std::make_pair(input->get(),
                        inputMap.compose(inversePermutation(outputMap)));
}

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
