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

#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/TosaToArith/TosaToArith.h"
#include "mlir/Conversion/TosaToLinalg/TosaToLinalg.h"
#include "mlir/Conversion/VectorToSCF/VectorToSCF.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Affine/Transforms/Transforms.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/Dialect/Tosa/Transforms/Passes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
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
    registry.insert<affine::AffineDialect, linalg::LinalgDialect,
                    math::MathDialect, scf::SCFDialect, tensor::TensorDialect,
                    vector::VectorDialect>();
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
            .Case("vector-masks",
                  vector::populateVectorMaskLoweringPatternsForSideEffectingOps)
            .Case("vector-to-scf", toLoops)
            .Case("vector-permutations", permute)
            .Case("vector-reductions", reduce)
            .Case("vector-scans", scan)
            .Default(nullptr);
    auto convert = llvm::StringSwitch<LogicalResult (*)(Operation *)>(set)
                       .Case("affine-to-std", lowerAffine)
                       .Case("emulate-floats", emulateFloats)
                       .Case("forall-to-parallel", lowerForalls)
                       .Case("linalg-to-loops", lowerToLoops)
                       .Case("tosa-to-arith", convertTosa<toArith>)
                       .Case("tosa-to-linalg", convertTosa<toLinalg>)
                       .Case("tosa-to-linalg-named", convertTosa<toNamed>)
                       .Default(nullptr);
    if (convert) {
      if (failed(convert(getOperation())))
        signalPassFailure();
      return;
    }
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
  static void toLoops(RewritePatternSet &patterns) {
    populateVectorToSCFConversionPatterns(patterns);
  }
  static void permute(RewritePatternSet &patterns) {
    vector::populateVectorTransferPermutationMapLoweringPatterns(patterns);
  }
  static void reduce(RewritePatternSet &patterns) {
    vector::populateVectorMultiReductionLoweringPatterns(
        patterns, vector::VectorMultiReductionLowering::InnerReduction);
  }
  static void scan(RewritePatternSet &patterns) {
    vector::populateVectorScanLoweringPatterns(patterns);
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

  // Conversions: of all that the patterns match.
  static LogicalResult lowerAffine(Operation *root) {
    RewritePatternSet patterns(root->getContext());
    populateAffineToStdConversionPatterns(patterns);
    populateAffineToVectorConversionPatterns(patterns);
    affine::populateAffineExpandIndexOpsPatterns(patterns);
    ConversionTarget target(*root->getContext());
    target.addLegalDialect<arith::ArithDialect, memref::MemRefDialect,
                           scf::SCFDialect, vector::VectorDialect>();
    return applySoundConversion(root, target, std::move(patterns));
  }
  static LogicalResult emulateFloats(Operation *root) {
    Builder b(root->getContext());
    TypeConverter types;
    arith::populateEmulateUnsupportedFloatsConversions(
        types, {b.getBF16Type(), b.getF16Type()}, b.getF32Type());
    RewritePatternSet patterns(root->getContext());
    arith::populateEmulateUnsupportedFloatsPatterns(patterns, types);
    ConversionTarget target(*root->getContext());
    arith::populateEmulateUnsupportedFloatsLegality(target, types);
    if (failed(applySoundConversion(root, target, std::move(patterns))))
      return failure();
    // Conversions that may be left out in pairs would leave out roundings.
    root->walk([](Operation *op) {
      if (auto conversion = dyn_cast<arith::ExtFOp>(op))
        conversion.removeFastmathAttr();
      if (auto conversion = dyn_cast<arith::TruncFOp>(op))
        conversion.removeFastmathAttr();
    });
    return success();
  }
  template <typename OpTy>
  static LogicalResult
  replaceEach(Operation *root,
              llvm::function_ref<LogicalResult(RewriterBase &, OpTy)> lower) {
    SmallVector<OpTy> ops;
    root->walk([&](OpTy op) { ops.push_back(op); });
    IRRewriter rewriter(root->getContext());
    for (OpTy op : ops) {
      rewriter.setInsertionPoint(op);
      if (failed(lower(rewriter, op)))
        return failure();
    }
    return success();
  }
  static LogicalResult lowerForalls(Operation *root) {
    return replaceEach<scf::ForallOp>(
        root, [](RewriterBase &rewriter, scf::ForallOp op) {
          return success(op.getNumResults() ||
                         succeeded(scf::forallToParallelLoop(rewriter, op)));
        });
  }
  static LogicalResult lowerToLoops(Operation *root) {
    return replaceEach<linalg::LinalgOp>(
        root, [](RewriterBase &rewriter, linalg::LinalgOp op) {
          if (!op.hasPureBufferSemantics())
            return success();
          LogicalResult done = linalg::linalgOpToLoops(rewriter, op);
          if (succeeded(done))
            rewriter.eraseOp(op);
          return done;
        });
  }

  using TosaSet = void(const TypeConverter &, RewritePatternSet &);
  static void toLinalg(const TypeConverter &types, RewritePatternSet &set) {
    tosa::populateTosaToLinalgConversionPatterns(types, &set);
  }
  static void toNamed(const TypeConverter &types, RewritePatternSet &set) {
    tosa::populateTosaToLinalgNamedConversionPatterns(
        types, &set, TosaToLinalgNamedOptions());
  }
  static void toArith(const TypeConverter &, RewritePatternSet &set) {
    tosa::populateTosaToArithConversionPatterns(&set);
    tosa::populateTosaRescaleToArithConversionPatterns(&set);
  }
  template <TosaSet populate>
  static LogicalResult convertTosa(Operation *root) {
    TypeConverter types;
    tosa::populateTosaTypeConversion(types);
    RewritePatternSet patterns(root->getContext());
    populate(types, patterns);
    ConversionTarget target(*root->getContext());
    target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
    // What symshape-lower-tosa rewrites itself.
    target.addLegalOp<tosa::ConcatOp, tosa::GatherOp, tosa::PadOp,
                      tosa::ReshapeOp, tosa::ReverseOp, tosa::ScatterOp,
                      tosa::SliceOp, tosa::TileOp>();
    target.addDynamicallyLegalDialect<tosa::TosaDialect>(
        [](Operation *) -> std::optional<bool> { return std::nullopt; });
    return applySoundConversion(root, target, std::move(patterns));
  }
};
} // namespace

void symshape::test::registerApplyPatternsPass() {
  PassRegistration<ApplyPatternsPass>();
}
