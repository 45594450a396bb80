//===- FilterGradients.cpp - Derivatives of convolutions by weights -------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The derivative of a convolution by its weights: a sum over all images and
// places, for each tap, channel and feature. Its own order has taps last, of
// which there are few; with channels and features last it is a product with
// rows of channels and columns of features.
//
//===----------------------------------------------------------------------===//

#include "ChannelsLast.h"

#include "MoveImages.h"
#include "Structure/Contraction.h"

using namespace mlir;
using namespace mlir::symshape;

namespace {
/// The op, and its loops. Images are read at a sum of a place and a tap for
/// each of their axes; the places are those of the derivative that comes in.
struct FilterGradient {
  linalg::GenericOp op;
  unsigned image; ///< the operand with images; the other: derivative
  std::optional<unsigned> channel, feature; ///< of one operand and the result
  SmallVector<unsigned> groups;             ///< of both and the result
  SmallVector<unsigned> sums;         ///< over both operands: images of a batch
  SmallVector<unsigned> places, taps; ///< per axis

  AffineMap mapOf(unsigned number) {
    return op.getMatchingIndexingMap(op.getDpsInputOperand(number));
  }
};
} // namespace

/// The place and the tap of one index of the images.
static LogicalResult readAxis(AffineExpr index, FilterGradient &g) {
  AffineMap result = g.op.getIndexingMapsArray().back();
  std::optional<unsigned> place, tap;
  bool isOnce = true;
  if (!forEachTerm(index, [&](unsigned loop, int64_t factor) {
        std::optional<unsigned> &read =
            result.isFunctionOfDim(loop) ? tap : place;
        isOnce &= factor > 0 && !read;
        read = loop;
      }))
    return failure();
  if (!isOnce || !place || !tap ||
      !g.mapOf(1 - g.image).isFunctionOfDim(*place))
    return failure();
  g.places.push_back(*place);
  g.taps.push_back(*tap);
  return success();
}

/// The first index of `map` that reads `loop`.
static int64_t positionOf(AffineMap map, unsigned loop) {
  return std::distance(map.getResults().begin(),
                       llvm::find_if(map.getResults(), [&](AffineExpr index) {
                         return index.isFunctionOfDim(loop);
                       }));
}

/// Whether a projected permutation has these loops and no others, each once.
static bool hasLoops(AffineMap map, ArrayRef<unsigned> loops) {
  llvm::SmallDenseSet<unsigned> distinct(loops.begin(), loops.end());
  return distinct.size() == loops.size() &&
         loops.size() == map.getNumResults() &&
         llvm::all_of(loops,
                      [&](unsigned loop) { return map.isFunctionOfDim(loop); });
}

/// Whether there are fewer taps than places. A convolution has the same form,
/// with few places, those of its window, for each of many taps.
static bool hasFewTaps(FilterGradient &g) {
  auto extentOf = [&](OpOperand *operand, unsigned loop) {
    AffineMap map = g.op.getMatchingIndexingMap(operand);
    return cast<RankedTensorType>(operand->get().getType())
        .getDimSize(positionOf(map, loop));
  };
  return llvm::all_of(llvm::zip(g.places, g.taps), [&](auto axis) {
    auto [place, tap] = axis;
    int64_t places = extentOf(g.op.getDpsInputOperand(1 - g.image), place),
            taps = extentOf(g.op.getDpsInitOperand(0), tap);
    return !ShapedType::isDynamic(taps) &&
           (ShapedType::isDynamic(places) || taps < places);
  });
}

static FailureOr<FilterGradient> matchFilterGradient(linalg::GenericOp op) {
  if (!op.hasPureTensorSemantics() || op.getNumDpsInputs() != 2 ||
      op.getNumDpsInits() != 1 || failed(matchFactors(op)))
    return failure();
  FilterGradient g;
  g.op = op;
  g.image = op.getIndexingMapsArray()[0].isProjectedPermutation() ? 1 : 0;
  AffineMap image = g.mapOf(g.image), gradient = g.mapOf(1 - g.image),
            result = op.getIndexingMapsArray().back();
  if (!gradient.isProjectedPermutation() || !result.isProjectedPermutation())
    return failure();
  for (AffineExpr index : image.getResults()) {
    auto plain = dyn_cast<AffineDimExpr>(index);
    if (!plain) {
      if (failed(readAxis(index, g)))
        return failure();
      continue;
    }
    unsigned loop = plain.getPosition();
    if (!result.isFunctionOfDim(loop))
      g.sums.push_back(loop);
    else if (gradient.isFunctionOfDim(loop))
      g.groups.push_back(loop);
    else if (std::exchange(g.channel, loop))
      return failure();
  }
  for (AffineExpr index : gradient.getResults()) {
    unsigned loop = cast<AffineDimExpr>(index).getPosition();
    if (result.isFunctionOfDim(loop) && !image.isFunctionOfDim(loop) &&
        std::exchange(g.feature, loop))
      return failure();
  }
  // Nothing is left over.
  SmallVector<unsigned> given(g.groups), found(g.taps);
  llvm::append_range(found, g.groups);
  for (ArrayRef<unsigned> loops : {g.sums, g.places})
    llvm::append_range(given, loops);
  if (g.channel)
    found.push_back(*g.channel);
  if (g.feature) {
    given.push_back(*g.feature);
    found.push_back(*g.feature);
  }
  bool isAll =
      !g.taps.empty() && hasLoops(gradient, given) && hasLoops(result, found) &&
      op.getNumLoops() == found.size() + g.sums.size() + g.places.size();
  // In a convolution, each image has a result of its own.
  if (!isAll || image.getResult(0) == result.getResult(0) || !hasFewTaps(g))
    return failure();
  return g;
}

bool symshape::isFilterGradient(linalg::GenericOp op) {
  return succeeded(matchFilterGradient(op));
}

namespace {
struct MoveFilterGradient : OpRewritePattern<linalg::GenericOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &b) const override {
    FailureOr<FilterGradient> g = matchFilterGradient(op);
    if (failed(g) || !isProduct(op, /*integers=*/false) || !g->channel ||
        !g->feature || !g->groups.empty())
      return failure();
    SmallVector<AffineMap> maps = op.getIndexingMapsArray();
    auto extentOf = [&](unsigned loop) {
      return cast<RankedTensorType>(op.getResult(0).getType())
          .getDimSize(positionOf(maps.back(), loop));
    };
    // Columns as they are, and as they would be.
    unsigned last = maps.back().getDimPosition(maps.back().getNumResults() - 1);
    if (extentOf(*g->feature) < std::min(leastFeatures, extentOf(last)))
      return failure();
    SmallVector<unsigned> outer(g->sums), written(g->taps);
    llvm::append_range(outer, g->places);
    llvm::append_range(written, ArrayRef{*g->channel, *g->feature});
    SmallVector<Value> operands(op.getDpsInputs());
    bool isMoved = false;
    // Brings the dimensions of an operand into the order of these loops.
    auto arrange = [&](Value value, AffineMap &map, ArrayRef<unsigned> loops) {
      auto order = llvm::map_to_vector(
          loops, [&](unsigned loop) { return positionOf(map, loop); });
      if (llvm::is_sorted(order))
        return value;
      isMoved = true;
      map = map.getSubMap(SmallVector<unsigned>(order.begin(), order.end()));
      return makeTranspose(b, op.getLoc(), value, order);
    };
    for (unsigned number : {0u, 1u}) {
      SmallVector<unsigned> loops(outer);
      loops.push_back(number == g->image ? *g->channel : *g->feature);
      operands[number] = arrange(operands[number], maps[number], loops);
    }
    auto order = llvm::map_to_vector(
        written, [&](unsigned loop) { return positionOf(maps.back(), loop); });
    if (llvm::is_sorted(order) && !isMoved)
      return failure();
    Value init = moveInit(b, op.getLoc(), op.getDpsInits()[0], order);
    maps.back() = maps.back().getSubMap(
        SmallVector<unsigned>(order.begin(), order.end()));
    auto moved =
        linalg::GenericOp::create(b, op.getLoc(), init.getType(), operands,
                                  init, maps, op.getIteratorTypesArray());
    b.cloneRegionBefore(op.getRegion(), moved.getRegion(),
                        moved.getRegion().end());
    replaceByMoved(b, op, moved.getResult(0), order);
    return success();
  }
};
} // namespace

void symshape::populateFilterGradientPatterns(RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  patterns.add<MoveFilterGradient>(context);
  linalg::TransposeOp::getCanonicalizationPatterns(patterns, context);
}
