//===- Canonicalizer.cpp - Canonicalization that is sound -----------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Puts conditions in front of upstream's patterns and folders. Not for: which
// (UpstreamConditions.cpp).
//
//===----------------------------------------------------------------------===//

#include "symshape/Transforms/Canonicalizer.h"

#include "AffineChains.h"
#include "EndAtFailure.h"
#include "PlainSlices.h"
#include "StaticTosa.h"
#include "UpstreamConditions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Pass/Pass.h"
#include "symshape/Transforms/Passes.h"

namespace mlir::symshape {
#define GEN_PASS_DEF_CANONICALIZEPASS
#include "symshape/Transforms/Passes.h.inc"
} // namespace mlir::symshape

using namespace mlir;
using namespace mlir::symshape;

static thread_local uint64_t numRewriteSteps = 0;

uint64_t symshape::countRewriteSteps() { return numRewriteSteps; }

namespace {
/// A pattern of upstream, applied to the ops for which a condition holds.
class ConditionedPattern : public RewritePattern {
public:
  ConditionedPattern(std::unique_ptr<RewritePattern> pattern, StringRef root,
                     UpstreamCondition mayApply)
      : RewritePattern(root, pattern->getBenefit(), pattern->getContext()) {
    restrict(std::move(pattern), mayApply);
  }
  ConditionedPattern(std::unique_ptr<RewritePattern> pattern, TypeID interface,
                     UpstreamCondition mayApply)
      : RewritePattern(MatchInterfaceOpTypeTag(), interface,
                       pattern->getBenefit(), pattern->getContext()) {
    restrict(std::move(pattern), mayApply);
  }

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    return success(mayApply(op) &&
                   succeeded(pattern->matchAndRewrite(op, rewriter)));
  }

private:
  void restrict(std::unique_ptr<RewritePattern> given,
                UpstreamCondition condition) {
    pattern = std::move(given);
    mayApply = condition;
    setHasBoundedRewriteRecursion(pattern->hasBoundedRewriteRecursion());
  }

  std::unique_ptr<RewritePattern> pattern;
  UpstreamCondition mayApply;
};

/// What the driver does before it tries patterns, for ops whose folders are
/// right. The first pattern that is tried: once whenever an op is looked at.
struct FoldSoundly : RewritePattern {
  explicit FoldSoundly(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/65534, context) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    ++numRewriteSteps;
    if (op->hasTrait<OpTrait::ConstantLike>() || !mayFold(op))
      return failure();
    // `tryFold` folds in place until that fails; an op without results may
    // always succeed, as an empty `vector.mask` does, until it is erased.
    SmallVector<Value> results;
    SmallVector<OpFoldResult> none;
    if (failed(op->getNumResults() ? rewriter.tryFold(op, results)
                                   : op->fold(none)))
      return failure();
    if (results.empty())
      rewriter.modifyOpInPlace(op, [] {});
    else
      rewriter.replaceOp(op, results);
    return success();
  }
};

/// Constants whose angle upstream's folders, here and in later passes, would
/// get wrong: for x = y = 0, the angle is that of (y, 1) or (y, -1).
struct MovePointFromZero : OpRewritePattern<math::Atan2Op> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::Atan2Op op,
                                PatternRewriter &rewriter) const override {
    if (mayFold(op))
      return failure();
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    Value y = op.getLhs(), x = op.getRhs();
    auto element = cast<FloatType>(getElementTypeOrSelf(x.getType()));
    auto constant = [&](double value) {
      return createScalarOrSplatConstant(
          builder, op.getLoc(), x.getType(),
          builder.getFloatAttr(element, value).getValue());
    };
    auto isZero = [&](Value value) -> Value {
      return arith::CmpFOp::create(builder, arith::CmpFPredicate::OEQ, value,
                                   constant(0));
    };
    Value one = math::CopySignOp::create(builder, constant(1), x);
    Value isOrigin = arith::AndIOp::create(builder, isZero(y), isZero(x));
    Value moved = arith::SelectOp::create(builder, isOrigin, one, x);
    rewriter.modifyOpInPlace(op, [&] { op.getRhsMutable().assign(moved); });
    return success();
  }
};

/// Makes a collapsed tensor anew if types say that it has no elements:
/// bufferization gives a group of 0 and a dynamic extent the extent 0, which
/// does not verify.
struct CollapseNothing : OpRewritePattern<tensor::CollapseShapeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::CollapseShapeOp op,
                                PatternRewriter &rewriter) const override {
    ArrayRef<int64_t> shape = op.getSrcType().getShape();
    if (!llvm::is_contained(shape, 0) || op.getResultType().hasStaticShape())
      return failure();
    Location loc = op.getLoc();
    SmallVector<Value> sizes;
    for (auto [d, group] : llvm::enumerate(op.getReassociationIndices())) {
      if (!op.getResultType().isDynamicDim(d))
        continue;
      Value size = arith::ConstantIndexOp::create(
          rewriter, loc,
          llvm::any_of(group, [&](int64_t i) { return shape[i] == 0; }) ? 0
                                                                        : 1);
      for (int64_t i : group)
        size = arith::MulIOp::create(
            rewriter, loc, size,
            tensor::DimOp::create(rewriter, loc, op.getSrc(), i));
      sizes.push_back(size);
    }
    rewriter.replaceOpWithNewOp<tensor::EmptyOp>(op, op.getResultType(), sizes);
    return success();
  }
};

/// A branch to the same block either way becomes a select of what it passes:
/// bufferization finds only one of the two operands of a block's argument.
/// Upstream's pattern skips blocks that have other predecessors.
struct SelectPassedTensors : OpRewritePattern<cf::CondBranchOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(cf::CondBranchOp op,
                                PatternRewriter &rewriter) const override {
    if (op.getTrueDest() != op.getFalseDest())
      return failure();
    SmallVector<Value> passed;
    for (auto [a, b] : llvm::zip(op.getTrueOperands(), op.getFalseOperands()))
      passed.push_back(a == b
                           ? a
                           : arith::SelectOp::create(rewriter, op.getLoc(),
                                                     op.getCondition(), a, b));
    rewriter.replaceOpWithNewOp<cf::BranchOp>(op, op.getTrueDest(), passed);
    return success();
  }
};
} // namespace

StringRef symshape::getClassName(const Pattern &pattern) {
  StringRef name = pattern.getDebugName().split('<').first;
  return name.substr(name.rfind(':') + 1);
}

/// Puts its condition in front of each pattern that has one.
static void restrictPatterns(RewritePatternSet &patterns) {
  for (auto &pattern : patterns.getNativePatterns()) {
    std::optional<OperationName> root = pattern->getRootKind();
    std::optional<TypeID> interface = pattern->getRootInterfaceID();
    UpstreamCondition mayApply = findPatternCondition(
        root ? root->getStringRef() : StringRef(), getClassName(*pattern));
    if (mayApply && root)
      pattern = std::make_unique<ConditionedPattern>(
          std::move(pattern), root->getStringRef(), mayApply);
    else if (mayApply && interface)
      pattern = std::make_unique<ConditionedPattern>(std::move(pattern),
                                                     *interface, mayApply);
  }
}

static FrozenRewritePatternSet freezeSoundly(RewritePatternSet &&patterns) {
  restrictPatterns(patterns);
  patterns.add<FoldSoundly>(patterns.getContext());
  return FrozenRewritePatternSet(std::move(patterns));
}

namespace {
/// Notes whether a pattern was applied.
struct AppliedPatterns : RewriterBase::Listener {
  void notifyPatternEnd(const Pattern &, LogicalResult status) override {
    any |= succeeded(status);
  }
  bool any = false;
};
} // namespace

/// Folding is left to FoldSoundly. A chain of ops may take a sweep for each of
/// them, so there are up to as many as ops. Patterns of upstream that fail
/// after they have made ops, or that change something again and again, would
/// use up all of them: two sweeps in which no pattern is applied are the last.
static void sweepSoundly(Operation *root,
                         const FrozenRewritePatternSet &patterns,
                         GreedyRewriteConfig config) {
  config.enableFolding(false);
  if (succeeded(applyPatternsGreedily(root, patterns, config)))
    return;
  int64_t numOps = 0;
  root->walk([&](Operation *) { ++numOps; });
  AppliedPatterns applied;
  config.setMaxIterations(1).setListener(&applied);
  for (int64_t sweep = 0, idle = 0; sweep < numOps && idle < 2; ++sweep) {
    applied.any = false;
    if (succeeded(applyPatternsGreedily(root, patterns, config)))
      return;
    idle = applied.any ? 0 : idle + 1;
  }
}

void symshape::applySoundPatterns(Operation *op, RewritePatternSet &&patterns,
                                  GreedyRewriteConfig config) {
  sweepSoundly(op, freezeSoundly(std::move(patterns)), config);
}

void symshape::applySoundPatterns(ArrayRef<Operation *> ops,
                                  RewritePatternSet &&patterns) {
  GreedyRewriteConfig config;
  config.enableFolding(false).setStrictness(
      GreedyRewriteStrictness::ExistingOps);
  (void)applyOpPatternsGreedily(ops, freezeSoundly(std::move(patterns)),
                                config);
}

LogicalResult
symshape::applySoundConversion(Operation *op, const ConversionTarget &target,
                               const FrozenRewritePatternSet &patterns) {
  ConversionConfig config;
  config.foldingMode = DialectConversionFoldingMode::Never;
  return applyPartialConversion(op, target, patterns, config);
}

/// Fused, a producer that reads its init would come to each of its elements as
/// often as the consumer reads it.
bool symshape::mayFuse(OpOperand &fused) {
  auto producer = fused.get().getDefiningOp<linalg::LinalgOp>();
  auto consumer = dyn_cast<linalg::LinalgOp>(fused.getOwner());
  return producer && consumer &&
         (consumer.getMatchingIndexingMap(&fused).isPermutation() ||
          llvm::none_of(producer.getDpsInitsMutable(), [&](OpOperand &init) {
            return producer.payloadUsesValueFromOperand(&init);
          }));
}

RewritePatternSet symshape::getCanonicalizationPatterns(MLIRContext *context) {
  RewritePatternSet patterns(context);
  for (Dialect *dialect : context->getLoadedDialects())
    dialect->getCanonicalizationPatterns(patterns);
  for (RegisteredOperationName op : context->getRegisteredOperations())
    op.getCanonicalizationPatterns(patterns, context);
  return patterns;
}

/// From `index` to fewer bits by way of i64, and likewise from more than 64
/// bits to `index`: what the casts do, in two ops.
static bool splitIfNarrowing(Operation *cast) {
  Type from = cast->getOperand(0).getType(), to = cast->getResult(0).getType();
  if (isa<BaseMemRefType>(from))
    return false;
  auto width = [](Type type) {
    Type element = getElementTypeOrSelf(type);
    return element.isIndex() ? 64u : element.getIntOrFloatBitWidth();
  };
  if (width(to) >= width(from))
    return false;
  OpBuilder builder(cast);
  Type wide = builder.getI64Type();
  if (auto shaped = dyn_cast<ShapedType>(from))
    wide = shaped.clone(wide);
  Location loc = cast->getLoc();
  Value result;
  if (getElementTypeOrSelf(from).isIndex()) {
    Value bits =
        arith::IndexCastOp::create(builder, loc, wide, cast->getOperand(0));
    result = arith::TruncIOp::create(builder, loc, to, bits);
  } else {
    Value bits =
        arith::TruncIOp::create(builder, loc, wide, cast->getOperand(0));
    result = arith::IndexCastOp::create(builder, loc, to, bits);
  }
  cast->getResult(0).replaceAllUsesWith(result);
  cast->erase();
  return true;
}

bool symshape::splitNarrowingCasts(Operation *op) {
  bool changed = false;
  op->walk([&](Operation *inner) {
    if (isa<arith::IndexCastOp, arith::IndexCastUIOp>(inner))
      changed |= splitIfNarrowing(inner);
  });
  return changed;
}

namespace {
struct CanonicalizePass
    : symshape::impl::CanonicalizePassBase<CanonicalizePass> {
  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet all = getCanonicalizationPatterns(context);
    all.add<CollapseNothing, MovePointFromZero, SelectPassedTensors>(context);
    populateAffineChainPatterns(all);
    populateEndAtFailurePatterns(all);
    populateTosaCastPatterns(all);
    patterns = freezeSoundly(std::move(all));
    return success();
  }

  void runOnOperation() override {
    splitNarrowingCasts(getOperation());
    splitUnitSlices(getOperation());
    keepStrides(getOperation());
    // Otherwise as upstream's pass does without options.
    GreedyRewriteConfig config;
    config.setUseTopDownTraversal(true).setRegionSimplificationLevel(
        GreedySimplifyRegionLevel::Normal);
    sweepSoundly(getOperation(), patterns, config);
  }

  FrozenRewritePatternSet patterns;
};
} // namespace
