//===- FuseElementwise.cpp - Chains of elementwise ops --------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Fuses elementwise producers into consumers, and brings reshapes out of the
// way. Not for: contractions and their epilogues (FormContractions).
//
//===----------------------------------------------------------------------===//

#include "DecomposeConcat.h"
#include "Structure/Contraction.h"
#include "Structure/RowGroups.h"
#include "Structure/WindowMaps.h"
#include "Vectors/TransposeSquares.h"
#include "symshape/Conversion/Passes.h"
#include "symshape/IR/PassAttributes.h"
#include "symshape/Transforms/Canonicalizer.h"
#include "symshape/Transforms/HoistWeights.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

namespace mlir::symshape {
#define GEN_PASS_DEF_FUSEELEMENTWISEPASS
#include "symshape/Conversion/Passes.h.inc"

namespace {
/// linalg.softmax and the like become several structured ops.
struct DecomposeAggregatedOp
    : OpInterfaceRewritePattern<linalg::AggregatedOpInterface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;
  LogicalResult matchAndRewrite(linalg::AggregatedOpInterface op,
                                PatternRewriter &rewriter) const override {
    // Upstream's code makes tensors of floats, whatever it is given.
    if (!llvm::all_of(op->getOperandTypes(), [](Type type) {
          return isa<RankedTensorType>(type) &&
                 isa<FloatType>(getElementTypeOrSelf(type));
        }))
      return failure();
    // It gives results the type of the input, too.
    if (auto softmax = dyn_cast<linalg::SoftmaxOp>(op.getOperation()))
      if (Value input = softmax.getInput();
          input.getType() != softmax.getOutput().getType()) {
        Value cast = tensor::CastOp::create(
            rewriter, op.getLoc(), softmax.getOutput().getType(), input);
        rewriter.modifyOpInPlace(
            op, [&] { softmax.getInputMutable().assign(cast); });
      }
    FailureOr<SmallVector<Value>> results = op.decomposeOperation(rewriter);
    if (failed(results) || results->size() != op->getNumResults())
      return failure();
    rewriter.replaceOp(op, *results);
    return success();
  }
};

struct GeneralizeNamedOp : OpInterfaceRewritePattern<linalg::LinalgOp> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;
  LogicalResult matchAndRewrite(linalg::LinalgOp op,
                                PatternRewriter &rewriter) const override {
    if (isa<linalg::GenericOp, linalg::FillOp>(op.getOperation()) ||
        isContraction(op))
      return failure();
    return success(succeeded(linalg::generalizeNamedOp(rewriter, op)));
  }
};

/// An empty loop leaves its initial values. Slices of empty tensors must not be
/// made: their verifier refuses even one that begins at 0.
struct SkipEmptyLoops : OpInterfaceRewritePattern<linalg::LinalgOp> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;
  LogicalResult matchAndRewrite(linalg::LinalgOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.hasPureTensorSemantics() ||
        !llvm::is_contained(op.getStaticLoopRanges(), 0))
      return failure();
    rewriter.replaceOp(op, op.getDpsInits());
    return success();
  }
};

/// The extents of `tensor`, from where they come from: through ops that write
/// to an init, without a step of the driver for each of them.
SmallVector<OpFoldResult> getSizesAtSource(OpBuilder &builder, Location loc,
                                           Value tensor) {
  while (auto writer = tensor.getDefiningOp<DestinationStyleOpInterface>()) {
    Value init = writer.getTiedOpOperand(cast<OpResult>(tensor))->get();
    if (init.getType() != tensor.getType())
      break;
    tensor = init;
  }
  if (auto empty = tensor.getDefiningOp<tensor::EmptyOp>())
    return empty.getMixedSizes();
  return tensor::getMixedSizes(builder, loc, tensor);
}

/// Only the extents of an init that is overwritten count, unless a loop carries
/// it to be written to: it would get another tensor in each iteration. MLIR's
/// own pattern, RemoveOutsDependency, changes the type where they are known
/// better, and then does not end.
struct ForgetInits : OpRewritePattern<linalg::GenericOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &rewriter) const override {
    return success(forget(op, rewriter));
  }

  static bool forget(linalg::GenericOp op, RewriterBase &rewriter) {
    bool isChanged = false;
    for (OpOperand &init : op.getDpsInitsMutable()) {
      auto type = dyn_cast<RankedTensorType>(init.get().getType());
      if (!type || type.getEncoding() || isEmpty(init.get()) ||
          isCarried(init.get()) || !overwrites(op, init))
        continue;
      Value empty = tensor::EmptyOp::create(
          rewriter, op.getLoc(),
          getSizesAtSource(rewriter, op.getLoc(), init.get()),
          type.getElementType());
      if (empty.getType() != type)
        empty = tensor::CastOp::create(rewriter, op.getLoc(), type, empty);
      rewriter.modifyOpInPlace(op, [&] { init.set(empty); });
      isChanged = true;
    }
    return isChanged;
  }

private:
  static bool isEmpty(Value init) {
    if (auto cast = init.getDefiningOp<tensor::CastOp>())
      init = cast.getSource();
    return init.getDefiningOp<tensor::EmptyOp>() != nullptr;
  }
  static bool isCarried(Value init) {
    auto argument = dyn_cast<BlockArgument>(init);
    return argument &&
           isa<LoopLikeOpInterface>(argument.getOwner()->getParentOp());
  }
};

/// Computes sizes before the branch or loop that uses them, if their operands
/// are available there. Inside a region, the verifiers of `affine` and code
/// that creates its ops follow all paths from a size to what it is computed
/// from, and n doublings have 2^n of them. Its operands are available once ops
/// inside that ask for extents of tensors have been folded: so it comes with
/// the patterns that do that.
struct ComputeSizesBefore : RewritePattern {
  explicit ComputeSizesBefore(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/1000, context) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    auto function = op->getParentOfType<FunctionOpInterface>();
    if (!function || op->getParentOp() == function || op->getNumRegions() ||
        op->getNumOperands() == 0 || op->getNumResults() == 0 || !isPure(op))
      return failure();
    Region *body = &function.getFunctionBody();
    if (!llvm::all_of(op->getResultTypes(), [](Type t) { return t.isIndex(); }))
      return failure();
    for (Value operand : op->getOperands())
      if (operand.getParentRegion() != body)
        return failure();
    Operation *ancestor = body->findAncestorOpInRegion(*op);
    for (Operation *at = op->getParentOp(); at != function;
         at = at->getParentOp())
      if (at->hasTrait<OpTrait::IsIsolatedFromAbove>())
        return failure();
    rewriter.moveOpBefore(op, ancestor);
    for (Operation *user : op->getUsers()) // they may follow
      rewriter.modifyOpInPlace(user, [] {});
    return success();
  }
};

/// An extent of an expanded tensor is the one that it was expanded to.
/// Collapsed loops ask for extents this way, and such a use of a contraction
/// would keep its result from being fused with the op after it.
struct DimOfExpandShape : OpRewritePattern<tensor::DimOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tensor::DimOp op,
                                PatternRewriter &rewriter) const override {
    auto expand = op.getSource().getDefiningOp<tensor::ExpandShapeOp>();
    std::optional<int64_t> dim = op.getConstantIndex();
    if (!expand || !dim || *dim < 0 || *dim >= expand.getResultType().getRank())
      return failure();
    OpFoldResult extent = expand.getMixedOutputShape()[*dim];
    rewriter.replaceOp(
        op, getValueOrCreateConstantIndexOp(rewriter, op.getLoc(), extent));
    return success();
  }
};
} // namespace

/// True if the body only moves its inputs.
static bool doesNoArithmetic(linalg::LinalgOp op) {
  return llvm::all_of(op.getBlock()->without_terminator(), [](Operation &op) {
    return op.hasTrait<OpTrait::ConstantLike>();
  });
}

static bool readsMemory(linalg::LinalgOp op) {
  return llvm::any_of(op.getBlock()->without_terminator(), [](Operation &op) {
    WalkResult walk =
        op.walk([](tensor::ExtractOp) { return WalkResult::interrupt(); });
    return walk.wasInterrupted() || !isMemoryEffectFree(&op);
  });
}

/// Whether the consumer reads elements of the operand for several of its
/// results, or in overlapping windows.
static bool readsAgain(linalg::LinalgOp consumer, OpOperand *operand) {
  AffineMap map = consumer.getMatchingIndexingMap(operand);
  if (!map.isProjectedPermutation(/*allowZeroInResults=*/true))
    return true;
  for (auto [dim, iterator] : llvm::enumerate(consumer.getIteratorTypesArray()))
    if (iterator == utils::IteratorType::parallel && !map.isFunctionOfDim(dim))
      return true;
  return false;
}

/// True if what lies side by side in the result of `producer` lies apart in
/// what it reads.
static bool spreadsColumns(linalg::LinalgOp producer) {
  unsigned last = producer.getNumLoops();
  for (OpOperand *operand : producer.getDpsInputOperands()) {
    AffineMap map = producer.getMatchingIndexingMap(operand);
    if (last && map.isFunctionOfDim(last - 1) &&
        !map.getResults().back().isFunctionOfDim(last - 1))
      return true;
  }
  return false;
}

/// The most ops of a body that fusion makes. Each step copies the body, so a
/// chain of n ops costs n * maxBodyOps; and a body this long is bound by its
/// arithmetic, not by the memory traffic of another loop.
static constexpr size_t maxBodyOps = 256;

/// The most ops that are looked at to find that a value depends on weights
/// alone.
static constexpr int maxPreparingOps = 32;

/// The most operands of an op that fusion makes: a loop has a pointer and
/// strides for each, which registers hold, and the backend takes a time that
/// grows with the square of their number.
static constexpr int64_t maxFusedInputs = 24;

static size_t countBodyOps(linalg::LinalgOp op) {
  return op.getBlock()->getOperations().size();
}

/// Whether `op` only moves elements, such that neighbours come to lie apart,
/// and by itself is done in squares that registers hold; arithmetic beside it
/// would read one element at a time.
static bool spreadsNeighbours(linalg::LinalgOp op) {
  return op.getNumLoops() == op.getNumParallelLoops() &&
         op.getNumDpsInputs() == 1 &&
         fitsSquares(getElementTypeOrSelf(op->getResult(0).getType())) &&
         llvm::all_of(op.getIndexingMapsArray(),
                      [](AffineMap map) { return map.isPermutation(); }) &&
         doesNoArithmetic(op) && spreadsColumns(op);
}

/// Whether to compute the producer of `fused` inside its consumer.
static bool shouldFuse(OpOperand *fused) {
  auto producer = fused->get().getDefiningOp<linalg::LinalgOp>();
  auto consumer = dyn_cast<linalg::LinalgOp>(fused->getOwner());
  if (!producer || !consumer || isContraction(consumer) || !mayFuse(*fused))
    return false;
  if (countBodyOps(producer) + countBodyOps(consumer) > maxBodyOps)
    return false;
  if (producer.getNumDpsInputs() + consumer.getNumDpsInputs() > maxFusedInputs)
    return false;
  if (readsMemory(consumer))
    return false;
  // What is read repeatedly is better transposed once.
  if (consumer.getNumReductionLoops() > 0 && readsAgain(consumer, fused) &&
      (!doesNoArithmetic(producer) || spreadsColumns(producer)))
    return false;
  if (producer->hasOneUse())
    return !readsMemory(producer) || consumer.getNumReductionLoops() == 0;
  return doesNoArithmetic(producer);
}

/// Whether `value` is computed from `weights` and constants alone, by at most
/// `budget` ops.
static bool isPrepared(Value value, const DenseSet<Value> &weights,
                       int &budget) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return weights.contains(value);
  if (--budget < 0 || !isa<func::FuncOp>(op->getParentOp()) || !isPure(op))
    return false;
  SetVector<Value> read(op->operand_begin(), op->operand_end());
  getUsedValuesDefinedAbove(op->getRegions(), read);
  return llvm::all_of(read, [&](Value operand) {
    return isPrepared(operand, weights, budget);
  });
}

/// Whether the producer of `fused` does arithmetic on weights alone, which is
/// done before the calls, as that of a normalisation by fixed statistics. Its
/// consumer would repeat it in each call, for each element.
static bool isDoneBefore(OpOperand *fused, const DenseSet<Value> &weights) {
  auto producer = fused->get().getDefiningOp<linalg::LinalgOp>();
  if (!producer || doesNoArithmetic(producer) ||
      fused->getOwner()->getNumResults() == 0)
    return false;
  int ofProducer = maxPreparingOps, ofConsumer = maxPreparingOps;
  return isPrepared(fused->get(), weights, ofProducer) &&
         !isPrepared(fused->getOwner()->getResult(0), weights, ofConsumer);
}

/// Whether one of the two is a transposed copy, and the other computes for each
/// element; a sum reads in what order it likes, and what is read at computed
/// places lies in no order.
static bool isTransposedCopy(OpOperand *fused) {
  auto producer = fused->get().getDefiningOp<linalg::LinalgOp>();
  auto consumer = dyn_cast<linalg::LinalgOp>(fused->getOwner());
  return producer && consumer &&
         ((spreadsNeighbours(consumer) && !doesNoArithmetic(producer) &&
           !readsMemory(producer)) ||
          (spreadsNeighbours(producer) && !doesNoArithmetic(consumer) &&
           consumer.getNumReductionLoops() == 0));
}

/// Whether two ops stay apart beside products of bytes. Their tiles compute
/// what is fused with them, in little time: a number for each column, such as
/// the factor of its scales, is computed once.
static bool keepsApart(OpOperand *fused) {
  auto producer = fused->get().getDefiningOp<linalg::LinalgOp>();
  auto consumer = dyn_cast<linalg::LinalgOp>(fused->getOwner());
  if (!producer || !consumer)
    return false;
  AffineMap read = consumer.getMatchingIndexingMap(fused),
            written = consumer.getIndexingMapsArray().back();
  bool isOfColumns = read.getNumResults() > 0 && written.getNumResults() > 0 &&
                     read.getResults().back() == written.getResults().back() &&
                     producer.getNumLoops() < consumer.getNumLoops();
  return isOfColumns && !doesNoArithmetic(producer);
}

/// Whether `op` computes with what a loop over windows gives, or elementwise
/// ops behind it do.
static bool followsWindows(linalg::LinalgOp op) {
  SmallVector<linalg::LinalgOp> ops{op};
  SmallPtrSet<Operation *, 8> seen;
  while (!ops.empty()) {
    linalg::LinalgOp next = ops.pop_back_val();
    if (!seen.insert(next).second)
      continue;
    for (OpOperand *operand : next.getDpsInputOperands()) {
      auto producer = operand->get().getDefiningOp<linalg::GenericOp>();
      if (!producer || !next.getMatchingIndexingMap(operand).isIdentity())
        continue;
      if (readsWindows(producer))
        return true;
      if (producer.getNumReductionLoops() == 0)
        ops.push_back(producer);
    }
  }
  return false;
}

/// Whether to move a reshape across an op by collapsing its loops: elementwise
/// ops, and sums and the like over them, which then form rows with the same
/// loops. Loops over windows are not taken apart again, with what is to be
/// their epilogue.
static bool shouldCollapse(OpOperand *fused) {
  auto owner = dyn_cast<linalg::LinalgOp>(fused->getOwner());
  auto producer = fused->get().getDefiningOp<linalg::LinalgOp>();
  if (linalg::LinalgOp op = owner ? owner : producer; op && followsWindows(op))
    return false;
  auto isCollapsible = [](linalg::LinalgOp op) {
    return !op || (!isContraction(op) &&
                   (op.getNumReductionLoops() == 0 ||
                    llvm::all_of(op.getIndexingMapsArray(), [](AffineMap map) {
                      return map.isProjectedPermutation();
                    })));
  };
  return isCollapsible(owner) && isCollapsible(producer);
}

namespace {
struct FuseElementwisePass
    : impl::FuseElementwisePassBase<FuseElementwisePass> {
  void runOnOperation() override {
    MLIRContext *context = &getContext();
    GreedyRewriteConfig config;
    config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
    RewritePatternSet generalize(context);
    generalize.add<DecomposeAggregatedOp, GeneralizeNamedOp, SkipEmptyLoops,
                   ComputeSizesBefore>(context);
    populateDecomposeConcatPatterns(generalize);
    tensor::EmptyOp::getCanonicalizationPatterns(generalize, context);
    tensor::DimOp::getCanonicalizationPatterns(generalize, context);
    applySoundPatterns(getOperation(), std::move(generalize), config);

    // In the order of the program: what an op writes to has lost its init.
    IRRewriter rewriter(context);
    getOperation()->walk([&](linalg::GenericOp op) {
      rewriter.setInsertionPoint(op);
      ForgetInits::forget(op, rewriter);
    });

    RewritePatternSet fuse(context);
    bool hasDotProducts = false;
    getOperation()->walk(
        [&](linalg::LinalgOp op) { hasDotProducts |= isDotProduct(op); });
    DenseSet<Value> weights = findWeights();
    auto fuses = [&](OpOperand *fused) {
      return shouldFuse(fused) && !isTransposedCopy(fused) &&
             !(hasDotProducts && keepsApart(fused)) &&
             !isDoneBefore(fused, weights);
    };
    linalg::populateElementwiseOpsFusionPatterns(fuse, fuses);
    linalg::populateFoldReshapeOpsByCollapsingPatterns(fuse, shouldCollapse);
    linalg::populateEraseUnusedOperandsAndResultsPatterns(fuse);
    linalg::GenericOp::getCanonicalizationPatterns(fuse, context);
    tensor::ExpandShapeOp::getCanonicalizationPatterns(fuse, context);
    tensor::CollapseShapeOp::getCanonicalizationPatterns(fuse, context);
    tensor::EmptyOp::getCanonicalizationPatterns(fuse, context);
    tensor::DimOp::getCanonicalizationPatterns(fuse, context);
    fuse.add<DimOfExpandShape, ForgetInits, ComputeSizesBefore>(context);
    applySoundPatterns(getOperation(), std::move(fuse), config);
    tellWhatIsLost();
  }

private:
  /// An op that is fused into one in a branch, or folds, is not there any more
  /// to need what it needs. In the pipelines, checks of that are in place.
  void tellWhatIsLost() {
    getOperation()->walk([](func::FuncOp function) {
      if (!function.isExternal() && !function->hasAttr(kGuarded))
        remark::passed(function.getLoc(),
                       remark::RemarkOpts::name("facts").category(
                           "symshape-fuse-elementwise"))
            << "fuses ops, and what they need is not known any more where "
               "symshape-insert-guards has not run";
    });
  }

  /// The arguments that are there before the calls.
  DenseSet<Value> findWeights() {
    DenseSet<Value> arguments;
    if (auto module = dyn_cast<ModuleOp>(getOperation()))
      for (Value value : findPreparedValues(module))
        if (isa<BlockArgument>(value))
          arguments.insert(value);
    return arguments;
  }
};
} // namespace
} // namespace mlir::symshape
