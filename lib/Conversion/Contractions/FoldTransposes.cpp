//===- FoldTransposes.cpp - Contractions of transposed tensors ------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An operand of a contraction is read with any strides, or packed first, so a
// transposed copy of it is wasted work; and so is one of the result, whose
// columns can be those of either operand. Not for: transposes of results that
// leave the columns where they are, which are fused like other ops on a result.
//
//===----------------------------------------------------------------------===//

#include "symshape/Conversion/Passes.h"
#include "symshape/Transforms/Canonicalizer.h"

#include "Structure/Contraction.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"

namespace mlir::symshape {
#define GEN_PASS_DEF_FOLDTRANSPOSESPASS
#include "symshape/Conversion/Passes.h.inc"
} // namespace mlir::symshape

using namespace mlir;
using namespace mlir::symshape;

static FailureOr<linalg::GenericOp> generalize(RewriterBase &rewriter,
                                               linalg::LinalgOp op) {
  if (auto generic = dyn_cast<linalg::GenericOp>(op.getOperation()))
    return generic;
  return linalg::generalizeNamedOp(rewriter, op);
}

namespace {
struct FoldIntoOperands : OpInterfaceRewritePattern<linalg::LinalgOp> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;
  LogicalResult matchAndRewrite(linalg::LinalgOp op,
                                PatternRewriter &rewriter) const override {
    auto isTransposed = [](Value value) {
      return matchTranspose(value).has_value();
    };
    if (!isContraction(op) || !op.hasPureTensorSemantics() ||
        llvm::none_of(op.getDpsInputs(), isTransposed))
      return failure();
    FailureOr<linalg::GenericOp> generic = generalize(rewriter, op);
    if (failed(generic))
      return failure();
    SmallVector<AffineMap> maps = generic->getIndexingMapsArray();
    rewriter.modifyOpInPlace(*generic, [&] {
      for (OpOperand *operand : generic->getDpsInputOperands())
        if (auto found = matchTranspose(operand->get())) {
          operand->set(found->first);
          unsigned number = operand->getOperandNumber();
          maps[number] = found->second.compose(maps[number]);
        }
      generic->setIndexingMapsAttr(rewriter.getAffineMapArrayAttr(maps));
    });
    return success();
  }
};

/// A contraction that starts from one number everywhere and whose only use is a
/// transposed copy that moves its columns.
struct FoldIntoResult : OpInterfaceRewritePattern<linalg::LinalgOp> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;
  LogicalResult matchAndRewrite(linalg::LinalgOp transpose,
                                PatternRewriter &rewriter) const override {
    if (!transpose.hasPureTensorSemantics() || transpose->getNumResults() != 1)
      return failure();
    auto found = matchTranspose(transpose->getResult(0));
    if (!found)
      return failure();
    auto [sums, map] = *found;
    if (map.getNumResults() == 0)
      return failure();
    unsigned last = map.getNumResults() - 1;
    auto op = sums.getDefiningOp<linalg::LinalgOp>();
    if (map.getDimPosition(last) == last || !sums.hasOneUse() || !op ||
        !isContraction(op) || !op.hasPureTensorSemantics())
      return failure();
    auto fill = op.getDpsInits()[0].getDefiningOp<linalg::FillOp>();
    if (!fill)
      return failure();
    FailureOr<linalg::GenericOp> generic = generalize(rewriter, op);
    if (failed(generic))
      return failure();
    SmallVector<AffineMap> maps = generic->getIndexingMapsArray();
    maps.back() = inversePermutation(map).compose(maps.back());
    rewriter.setInsertionPoint(transpose);
    Value start = linalg::FillOp::create(rewriter, fill.getLoc(), fill.value(),
                                         transpose.getDpsInits()[0])
                      .getResult(0);
    auto moved = cast<linalg::GenericOp>(rewriter.clone(**generic));
    rewriter.modifyOpInPlace(moved, [&] {
      moved.getDpsInitsMutable()[0].set(start);
      moved.setIndexingMapsAttr(rewriter.getAffineMapArrayAttr(maps));
      moved->getResult(0).setType(start.getType());
    });
    rewriter.replaceOp(transpose, moved.getResults());
    rewriter.eraseOp(*generic);
    return success();
  }
};

struct FoldTransposesPass
    : symshape::impl::FoldTransposesPassBase<FoldTransposesPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<FoldIntoOperands, FoldIntoResult>(&getContext());
    // The transposition of a product keeps the factor that it does not read.
    linalg::populateEraseUnusedOperandsAndResultsPatterns(patterns);
    GreedyRewriteConfig config;
    config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
    applySoundPatterns(getOperation(), std::move(patterns), config);
  }
};
} // namespace
