//===- ApplyPatterns.cpp - One set of upstream's patterns alone -----------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Applies the patterns that a name stands for, as passes of ours do: a test
// compares what programs compute before and after. Where a pass decides which
// ops to rewrite, all are rewritten here for which that is right.
//
//===----------------------------------------------------------------------===//

#include "TestPasses.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/Pass/Pass.h"
#include "symshape/Transforms/Canonicalizer.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::symshape;

namespace {
template <typename OpTy, auto lower>
struct LowerPattern : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;
  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    return success(succeeded(lower(rewriter, op)));
  }
};

struct ApplyPatternsPass
    : PassWrapper<ApplyPatternsPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ApplyPatternsPass)

  ApplyPatternsPass() = default;
  ApplyPatternsPass(const ApplyPatternsPass &other) : PassWrapper(other) {}

  StringRef getArgument() const final { return "symshape-apply-patterns"; }
  StringRef getDescription() const final {
    return "Applies one set of upstream's patterns where they are sound";
  }

  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<affine::AffineDialect, linalg::LinalgDialect>();
  }

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    auto populate =
        llvm::StringSwitch<void (*)(RewritePatternSet &)>(set)
            .Case("elementwise-to-linalg",
                  linalg::populateElementwiseToLinalgConversionPatterns)
            .Case("decompose-concat",
                  tensor::populateDecomposeTensorConcatPatterns)
            .Case("fuse-elementwise", fuse)
            .Case("collapse-reshapes", collapse)
            .Case("expand-reshapes", expand)
            .Case("erase-unused",
                  linalg::populateEraseUnusedOperandsAndResultsPatterns)
            .Case("fold-empty", foldEmpty)
            .Case("generalize",
                  linalg::populateLinalgNamedOpsGeneralizationPatterns)
            .Case("lower-packs", lowerPacks)
            .Case("expand-divisions",
                  arith::populateCeilFloorDivExpandOpsPatterns)
            .Default(nullptr);
    if (populate) {
      populate(patterns);
    } else if (Dialect *dialect = getContext().getLoadedDialect(set)) {
      dialect->getCanonicalizationPatterns(patterns);
      for (RegisteredOperationName op : getContext().getRegisteredOperations())
        if (op.getDialectNamespace() == set)
          op.getCanonicalizationPatterns(patterns, &getContext());
    } else {
      getOperation().emitError("expected the name of a set, but got '")
          << set << "'";
      return signalPassFailure();
    }
    applySoundPatterns(getOperation(), std::move(patterns));
  }

  Option<std::string> set{*this, "set",
                          llvm::cl::desc("which patterns: those of a function "
                                         "of upstream, or of a dialect")};

private:
  static void fuse(RewritePatternSet &patterns) {
    linalg::populateElementwiseOpsFusionPatterns(
        patterns, [](OpOperand *fused) { return mayFuse(*fused); });
  }
  static void collapse(RewritePatternSet &patterns) {
    linalg::populateFoldReshapeOpsByCollapsingPatterns(
        patterns, [](OpOperand *) { return true; });
  }
  static void expand(RewritePatternSet &patterns) {
    linalg::populateFoldReshapeOpsByExpansionPatterns(
        patterns, [](OpOperand *) { return true; });
  }
  static void foldEmpty(RewritePatternSet &patterns) {
    tensor::populateFoldTensorEmptyPatterns(patterns);
  }
  static FailureOr<linalg::LowerUnPackOpResult>
  lowerUnPack(RewriterBase &rewriter, linalg::UnPackOp op) {
    return linalg::lowerUnPack(rewriter, op, /*lowerUnpadLikeWithExtractSlice=*/
                               false);
  }
  static FailureOr<linalg::LowerPackResult> lowerPack(RewriterBase &rewriter,
                                                      linalg::PackOp op) {
    return linalg::lowerPack(rewriter, op);
  }
  static void lowerPacks(RewritePatternSet &patterns) {
    patterns.add<LowerPattern<linalg::PackOp, &lowerPack>,
                 LowerPattern<linalg::UnPackOp, &lowerUnPack>>(
        patterns.getContext());
  }
};
} // namespace

void symshape::test::registerApplyPatternsPass() {
  PassRegistration<ApplyPatternsPass>();
}
