//===- ChannelsLast.cpp - Images with their channels side by side ---------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Convolutions between transposed copies. Not for: how these copies move behind
// the ops that follow (MoveImages); the loops of a convolution, which are those
// of a contraction (Contractions).
//
//===----------------------------------------------------------------------===//

#include "ChannelsLast.h"
#include "MoveImages.h"

#include "symshape/Conversion/Passes.h"
#include "symshape/Transforms/Canonicalizer.h"

#include "Structure/Contraction.h"
#include "Structure/WindowMaps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

namespace mlir::symshape {
#define GEN_PASS_DEF_CHANNELSLASTPASS
#include "symshape/Conversion/Passes.h.inc"
} // namespace mlir::symshape

using namespace mlir;
using namespace mlir::symshape;

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

namespace {
/// A convolution of images with channels in dimension 1. If each channel has a
/// feature of its own, `channel` is `feature`. With groups of channels, these
/// are in dimension 1 and what is in a group in dimension 2, from an expansion
/// of the image up to the collapse of the result.
struct Convolution {
  linalg::GenericOp op;
  Value image, weights;
  unsigned batch, feature, channel;
  SmallVector<unsigned> places, taps; ///< per axis of the image
  SmallVector<int64_t> strides, dilations;
  std::optional<unsigned> group;
  tensor::CollapseShapeOp joined; ///< the features of all groups

  bool isOfOwnChannel() const { return channel == feature; }
  /// Groups first, then taps, then channels, then features.
  SmallVector<unsigned> loopsOfWeights() const {
    SmallVector<unsigned> loops;
    if (group)
      loops.push_back(*group);
    loops.append(taps);
    if (!isOfOwnChannel())
      loops.push_back(channel);
    loops.push_back(feature);
    return loops;
  }
};
} // namespace

/// The place and the tap of one index of an image.
static LogicalResult readIndex(AffineExpr index, AffineMap result,
                               Convolution &c) {
  std::optional<unsigned> place, tap;
  int64_t stride = 1, dilation = 1;
  bool isOnce = true;
  auto read = [&](unsigned loop, int64_t factor) {
    bool isPlace = result.isFunctionOfDim(loop);
    isOnce &= factor > 0 && !(isPlace ? place : tap);
    (isPlace ? place : tap) = loop;
    (isPlace ? stride : dilation) = factor;
  };
  if (!forEachTerm(index, read) || !isOnce || !place || !tap)
    return failure();
  c.places.push_back(*place);
  c.taps.push_back(*tap);
  c.strides.push_back(stride);
  c.dilations.push_back(dilation);
  return success();
}

/// Whether a reshape between `rank` dimensions and fewer is one of dimension 1
/// alone, and of dimensions 1 and 2.
static bool joinsSecondAndThird(ArrayRef<ReassociationIndices> groups,
                                int64_t rank) {
  return static_cast<int64_t>(groups.size()) == rank - 1 && rank > 3 &&
         llvm::all_of(llvm::enumerate(groups), [](auto group) {
           return group.value().size() == (group.index() == 1 ? 2 : 1);
         });
}

/// Sets the group of `c`, and the image and the result without groups, if the
/// op stands between reshapes that split channels and join features.
static LogicalResult matchGroups(Convolution &c, int64_t rank) {
  AffineMap result = c.op.getIndexingMapsArray()[2];
  auto split = c.image.getDefiningOp<tensor::ExpandShapeOp>();
  Value sums = c.op.getResult(0);
  if (!split || !sums.hasOneUse() ||
      !joinsSecondAndThird(split.getReassociationIndices(), rank))
    return failure();
  c.joined = dyn_cast<tensor::CollapseShapeOp>(*sums.user_begin());
  auto image = cast<RankedTensorType>(c.image.getType()),
       features = cast<RankedTensorType>(sums.getType());
  if (!c.joined ||
      !joinsSecondAndThird(c.joined.getReassociationIndices(), rank) ||
      image.isDynamicDim(1) || image.isDynamicDim(2) ||
      features.isDynamicDim(2))
    return failure();
  c.image = split.getSrc();
  c.group = result.getDimPosition(1);
  return success();
}

static FailureOr<Convolution> matchConvolution(linalg::GenericOp op) {
  if (!op.hasPureTensorSemantics() || op.getNumDpsInputs() != 2 ||
      op.getNumDpsInits() != 1 || failed(matchFactors(op)) ||
      isFilterGradient(op))
    return failure();
  Convolution c;
  c.op = op;
  c.image = op.getInputs()[0];
  c.weights = op.getInputs()[1];
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  unsigned rank = maps[2].getNumResults();
  auto weights = dyn_cast<RankedTensorType>(c.weights.getType());
  if (rank < 3 || maps[0].getNumResults() != rank || !weights ||
      !weights.hasStaticShape() || weights.getNumElements() == 0 ||
      !maps[1].isProjectedPermutation() || !maps[2].isProjectedPermutation())
    return failure();
  // With groups, dimension 1 is one of everything.
  unsigned second = 1;
  if (op.getNumLoops() == 2 * rank - 2 &&
      maps[0].getResult(1) == maps[2].getResult(1) &&
      maps[1].isFunctionOfDim(maps[2].getDimPosition(1)) &&
      isa<AffineDimExpr>(maps[0].getResult(2)) &&
      succeeded(matchGroups(c, rank)))
    second = 2;
  auto channel = dyn_cast<AffineDimExpr>(maps[0].getResult(second));
  c.batch = maps[2].getDimPosition(0);
  c.feature = maps[2].getDimPosition(second);
  if (!channel || maps[0].getResult(0) != maps[2].getResult(0))
    return failure();
  c.channel = channel.getPosition();
  unsigned axes = rank - 1 - second;
  if (op.getNumLoops() != 2 * axes + 2 + !c.isOfOwnChannel() + !!c.group ||
      (c.group && c.isOfOwnChannel()) ||
      (!c.isOfOwnChannel() && (maps[2].isFunctionOfDim(c.channel) ||
                               maps[0].isFunctionOfDim(c.feature))))
    return failure();
  for (unsigned d = second + 1; d < rank; ++d)
    if (failed(readIndex(maps[0].getResult(d), maps[2], c)) ||
        c.places.back() != maps[2].getDimPosition(d))
      return failure();
  SmallVector<unsigned> needed = c.loopsOfWeights();
  if (maps[1].getNumResults() != needed.size() ||
      !llvm::all_of(needed,
                    [&](unsigned d) { return maps[1].isFunctionOfDim(d); }))
    return failure();
  return c;
}

static bool hasManyFeatures(Convolution &c) {
  return c.op.getStaticLoopRanges()[c.feature] >= leastFeatures;
}

bool symshape::canMoveChannelsLast(linalg::GenericOp op) {
  FailureOr<Convolution> c = matchConvolution(op);
  return succeeded(c) && !c->isOfOwnChannel() && hasManyFeatures(*c);
}

bool symshape::isProduct(linalg::GenericOp op, bool integers) {
  return getFactors(op).first || isDotProduct(op) ||
         (integers && succeeded(matchFactors(op)));
}

static Value moveWeights(OpBuilder &b, Convolution &c) {
  AffineMap map = c.op.getMatchingIndexingMap(c.op.getDpsInputOperand(1));
  auto order = llvm::map_to_vector(c.loopsOfWeights(), [&](unsigned loop) {
    return static_cast<int64_t>(
        *map.getResultPosition(b.getAffineDimExpr(loop)));
  });
  return makeTranspose(b, c.op.getLoc(), c.weights, order);
}

/// Each of `rank` dimensions by itself, but the last one in two parts.
static SmallVector<ReassociationIndices> splitOfLast(int64_t rank) {
  SmallVector<ReassociationIndices> groups;
  for (int64_t d = 0; d < rank; ++d)
    groups.push_back({d});
  groups.back().push_back(rank);
  return groups;
}

/// `image`, with channels last, in the groups that `split` has in dimension 1.
static Value splitLast(OpBuilder &b, Location loc, Value image, Value split) {
  auto type = cast<RankedTensorType>(image.getType());
  SmallVector<int64_t> shape(type.getShape().drop_back());
  llvm::append_range(
      shape, cast<RankedTensorType>(split.getType()).getShape().slice(1, 2));
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, image);
  sizes.pop_back();
  for (int64_t size : ArrayRef(shape).take_back(2))
    sizes.push_back(b.getIndexAttr(size));
  return tensor::ExpandShapeOp::create(
      b, loc, RankedTensorType::get(shape, type.getElementType()), image,
      splitOfLast(type.getRank()), sizes);
}

namespace {
struct MoveConvolution : OpRewritePattern<linalg::GenericOp> {
  MoveConvolution(MLIRContext *context, bool integers)
      : OpRewritePattern(context), integers(integers) {}
  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &b) const override {
    FailureOr<Convolution> c = matchConvolution(op);
    if (failed(c) || !hasManyFeatures(*c) || !isProduct(op, integers))
      return failure();
    Location loc = op.getLoc();
    unsigned axes = c->places.size(), groups = c->group ? 1 : 0;
    Value image = makeTranspose(b, loc, c->image, toLast(axes + 2));
    if (c->group)
      image = splitLast(b, loc, image, op.getInputs()[0]);
    SmallVector<int64_t> order = toLast(axes + 2 + groups, 1 + groups);
    Value weights = moveWeights(b, *c);
    Value start = moveInit(b, loc, op.getDpsInits()[0], order);
    // Loops: batch, places, group if any, feature, taps, channel if that is
    // another one.
    unsigned parallel = axes + 2 + groups,
             loops = parallel + axes + !c->isOfOwnChannel();
    auto d = [&](unsigned loop) { return b.getAffineDimExpr(loop); };
    AffineExpr feature = d(parallel - 1),
               channel = c->isOfOwnChannel() ? feature : d(loops - 1);
    SmallVector<AffineExpr> read{d(0)}, taken, written{d(0)};
    if (c->group)
      taken.push_back(d(axes + 1));
    for (unsigned i = 0; i < axes; ++i) {
      AffineExpr place = d(1 + i), tap = d(parallel + i);
      written.push_back(place);
      taken.push_back(tap);
      read.push_back(place * c->strides[i] + tap * c->dilations[i]);
    }
    if (c->group) {
      read.push_back(d(axes + 1));
      written.push_back(d(axes + 1));
    }
    read.push_back(channel);
    if (!c->isOfOwnChannel())
      taken.push_back(channel);
    taken.push_back(feature);
    written.push_back(feature);
    SmallVector<AffineMap> maps;
    for (ArrayRef<AffineExpr> results :
         {ArrayRef(read), ArrayRef(taken), ArrayRef(written)})
      maps.push_back(AffineMap::get(loops, 0, results, b.getContext()));
    SmallVector<utils::IteratorType> kinds(loops,
                                           utils::IteratorType::reduction);
    std::fill_n(kinds.begin(), parallel, utils::IteratorType::parallel);
    auto moved = linalg::GenericOp::create(b, loc, start.getType(),
                                           ValueRange{image, weights}, start,
                                           maps, kinds);
    b.cloneRegionBefore(op.getRegion(), moved.getRegion(),
                        moved.getRegion().end());
    if (!c->group) {
      replaceByMoved(b, op, moved.getResult(0), order);
      return success();
    }
    b.setInsertionPoint(c->joined);
    Value joined = tensor::CollapseShapeOp::create(b, loc, moved.getResult(0),
                                                   splitOfLast(axes + 2));
    replaceByMoved(b, c->joined, joined, toLast(axes + 2));
    return success();
  }
  bool integers;
};

/// Gives named convolutions whose images end with a place the form that is
/// matched here.
void generalizeConvolutions(func::FuncOp function) {
  SmallVector<linalg::LinalgOp> named;
  function.walk([&](linalg::LinalgOp op) {
    if (isa<linalg::GenericOp>(op.getOperation()) ||
        !linalg::isaConvolutionOpInterface(op) || failed(matchFactors(op)))
      return;
    AffineMap image = op.getIndexingMapsArray().front();
    if (!isa<AffineDimExpr>(image.getResults().back()))
      named.push_back(op);
  });
  IRRewriter rewriter(function.getContext());
  for (linalg::LinalgOp op : named) {
    rewriter.setInsertionPoint(op);
    (void)linalg::generalizeNamedOp(rewriter, op); // nothing is lost otherwise
  }
}

struct ChannelsLastPass
    : symshape::impl::ChannelsLastPassBase<ChannelsLastPass> {
  void runOnOperation() override {
    getOperation()->walk([&](func::FuncOp function) {
      generalizeConvolutions(function);
      bool isEach = true, isAny = false, isGradient = false, integers = false;
      function.walk([&](linalg::GenericOp op) {
        if (!readsWindows(op) || !isProduct(op, /*integers=*/false))
          return;
        if (isFilterGradient(op)) {
          isGradient = true;
          return;
        }
        FailureOr<Convolution> c = matchConvolution(op);
        integers |= isDotProduct(op);
        isEach &= succeeded(c);
        isAny |= succeeded(c) && hasManyFeatures(*c);
      });
      RewritePatternSet patterns(&getContext());
      if (isGradient)
        populateFilterGradientPatterns(patterns);
      if (isAny && isEach)
        addConvolutionPatterns(patterns, integers);
      if (!patterns.getNativePatterns().empty())
        applySoundPatterns(function, std::move(patterns));
    });
  }

  static void addConvolutionPatterns(RewritePatternSet &patterns,
                                     bool integers) {
    MLIRContext *context = patterns.getContext();
    patterns.add<MoveConvolution>(context, integers);
    populateMoveImagesPatterns(patterns, integers);
    linalg::TransposeOp::getCanonicalizationPatterns(patterns, context);
  }
};
} // namespace
