//===- ExpandPads.cpp - Padding without a copy ----------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A padded tensor is made as an empty one whose border is filled; the
// source is computed into its middle if that is possible, else copied
// there.
//
//===----------------------------------------------------------------------===//

#include "symshape/Conversion/Passes.h"
#include "symshape/IR/Slices.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Dominance.h"

namespace mlir::symshape {
#define GEN_PASS_DEF_EXPANDPADSPASS
#include "symshape/Conversion/Passes.h.inc"
} // namespace mlir::symshape

using namespace mlir;
using namespace mlir::symshape;

namespace {
class PadExpander {
public:
  PadExpander(IRRewriter &rewriter, tensor::PadOp pad, Value padding,
              DominanceInfo &dominance)
      : rewriter(rewriter), pad(pad), padding(padding), dominance(dominance),
        loc(pad.getLoc()) {}
  void run();

private:
  linalg::GenericOp findProducer();
  void readSizes(linalg::GenericOp producer);
  void foldPadding();
  Value makeBorder();
  Value fill(Value tensor, const SliceBounds &slice);
  SliceBounds middle();
  bool isImpossible();
  void forget();

  IRRewriter &rewriter;
  tensor::PadOp pad;
  Value padding;
  DominanceInfo &dominance;
  Location loc;
  SmallVector<OpFoldResult> low, high, inner, outer;
};
} // namespace

/// The op that computes the source, if nothing else uses that, its destination
/// is not read, and the padding is known before it.
linalg::GenericOp PadExpander::findProducer() {
  auto producer = pad.getSource().getDefiningOp<linalg::GenericOp>();
  if (!producer || !producer->hasOneUse() || producer.getNumResults() != 1 ||
      producer->getBlock() != pad->getBlock() ||
      !producer.getRegionOutputArgs().front().use_empty() ||
      !producer.getDpsInits().front().getDefiningOp<tensor::EmptyOp>())
    return nullptr;
  SmallVector<Value> needed{padding};
  llvm::append_range(needed, pad.getLow());
  llvm::append_range(needed, pad.getHigh());
  if (llvm::all_of(needed, [&](Value value) {
        return dominance.properlyDominates(value, producer);
      }))
    return producer;
  return nullptr;
}

void PadExpander::readSizes(linalg::GenericOp producer) {
  low = pad.getMixedLowPad();
  high = pad.getMixedHighPad();
  inner = producer ? producer.getDpsInits()
                         .front()
                         .getDefiningOp<tensor::EmptyOp>()
                         .getMixedSizes()
                   : tensor::getMixedSizes(rewriter, loc, pad.getSource());
  AffineExpr a, b, c;
  bindDims(rewriter.getContext(), a, b, c);
  for (int64_t d = 0; d < pad.getResultType().getRank(); ++d) {
    int64_t known = pad.getResultType().getDimSize(d);
    outer.push_back(
        ShapedType::isDynamic(known)
            ? affine::makeComposedFoldedAffineApply(rewriter, loc, a + b + c,
                                                    {low[d], inner[d], high[d]})
            : OpFoldResult(rewriter.getIndexAttr(known)));
  }
}

/// Padding that static extents determine, as a constant: a slice that begins
/// where the tensor ends is refused even if it has no elements.
void PadExpander::foldPadding() {
  for (int64_t d = 0; d < pad.getResultType().getRank(); ++d) {
    auto whole = getConstantIntValue(outer[d]),
         kept = getConstantIntValue(inner[d]),
         before = getConstantIntValue(low[d]);
    if (!whole || !kept)
      continue;
    if (!before && *whole == *kept)
      before = 0;
    if (!before)
      continue;
    low[d] = rewriter.getIndexAttr(*before);
    high[d] = rewriter.getIndexAttr(*whole - *kept - *before);
  }
}

/// Whether constants show that the op cannot run: a check refuses every call
/// that would reach it.
bool PadExpander::isImpossible() {
  auto isNegative = [](OpFoldResult width) {
    return getConstantIntValue(width).value_or(0) < 0;
  };
  auto isTooLong = [](auto sizes) {
    auto kept = getConstantIntValue(std::get<0>(sizes)),
         whole = getConstantIntValue(std::get<1>(sizes));
    return kept && whole && *kept > *whole;
  };
  return llvm::any_of(low, isNegative) || llvm::any_of(high, isNegative) ||
         llvm::any_of(llvm::zip(inner, outer), isTooLong);
}

/// Puts an empty tensor in its place, since slices of such sizes do not verify.
void PadExpander::forget() {
  RankedTensorType type = pad.getResultType();
  Value zero = arith::ConstantIndexOp::create(rewriter, loc, 0);
  rewriter.replaceOpWithNewOp<tensor::EmptyOp>(
      pad, type, SmallVector<Value>(type.getNumDynamicDims(), zero));
}

Value PadExpander::fill(Value tensor, const SliceBounds &slice) {
  Value part = extractSlice(rewriter, loc, tensor, slice);
  part = linalg::FillOp::create(rewriter, loc, padding, part).getResult(0);
  return insertSlice(rewriter, loc, part, tensor, slice);
}

/// The padded tensor with its border: before and after the middle along each
/// dimension, over what the earlier dimensions leave.
Value PadExpander::makeBorder() {
  Value tensor = tensor::EmptyOp::create(rewriter, loc, outer,
                                         pad.getResultType().getElementType());
  int64_t rank = outer.size();
  OpFoldResult zero = rewriter.getIndexAttr(0), one = rewriter.getIndexAttr(1);
  SliceBounds rest{SmallVector<OpFoldResult>(rank, zero), outer,
                   SmallVector<OpFoldResult>(rank, one)};
  AffineExpr a, b;
  bindDims(rewriter.getContext(), a, b);
  for (int64_t d = 0; d < rank; ++d) {
    SliceBounds before = rest, after = rest;
    before.sizes[d] = low[d];
    after.offsets[d] = affine::makeComposedFoldedAffineApply(
        rewriter, loc, a + b, {low[d], inner[d]});
    after.sizes[d] = high[d];
    if (!isConstantIntValue(low[d], 0))
      tensor = fill(tensor, before);
    if (!isConstantIntValue(high[d], 0))
      tensor = fill(tensor, after);
    rest.offsets[d] = low[d];
    rest.sizes[d] = inner[d];
  }
  return tensor;
}

SliceBounds PadExpander::middle() {
  OpFoldResult one = rewriter.getIndexAttr(1);
  return {low, inner, SmallVector<OpFoldResult>(low.size(), one)};
}

void PadExpander::run() {
  linalg::GenericOp producer = findProducer();
  rewriter.setInsertionPoint(producer ? producer.getOperation() : pad);
  readSizes(producer);
  foldPadding();
  if (isImpossible())
    return forget();
  Value tensor = makeBorder();
  SliceBounds slice = middle();
  if (producer) {
    auto type = cast<RankedTensorType>(producer.getResultTypes().front());
    Value part = extractSlice(rewriter, loc, tensor, slice, type);
    producer.getDpsInitsMutable()[0].set(part);
    rewriter.setInsertionPointAfter(producer);
  }
  // Constants may say more of the extents than the type does.
  Value result = insertSlice(rewriter, loc, pad.getSource(), tensor, slice);
  rewriter.replaceOp(pad, rewriter.createOrFold<tensor::CastOp>(
                              loc, pad.getResultType(), result));
}

/// Gives each op that starts from a filled tensor a fill of its own: a shared
/// one would be copied for each of them.
static void splitFill(IRRewriter &rewriter, linalg::FillOp fill) {
  auto empty = fill.getDpsInits().front().getDefiningOp<tensor::EmptyOp>();
  if (!empty)
    return;
  for (OpOperand &use : llvm::make_early_inc_range(fill->getUses())) {
    auto user = dyn_cast<linalg::LinalgOp>(use.getOwner());
    if (fill->hasOneUse() || !user || !user.isDpsInit(&use))
      continue;
    rewriter.setInsertionPoint(user);
    Operation *newEmpty = rewriter.clone(*empty);
    IRMapping mapping;
    mapping.map(empty.getResult(), newEmpty->getResult(0));
    use.set(rewriter.clone(*fill, mapping)->getResult(0));
  }
}

namespace {
struct ExpandPadsPass : symshape::impl::ExpandPadsPassBase<ExpandPadsPass> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    DominanceInfo dominance(getOperation());
    SmallVector<tensor::PadOp> pads;
    SmallVector<linalg::FillOp> fills;
    getOperation()->walk([&](Operation *op) {
      if (auto pad = dyn_cast<tensor::PadOp>(op))
        pads.push_back(pad);
      if (auto fill = dyn_cast<linalg::FillOp>(op))
        if (fill.hasPureTensorSemantics())
          fills.push_back(fill);
    });
    for (tensor::PadOp pad : pads) {
      Value padding = pad.getConstantPaddingValue();
      if (!padding)
        continue;
      if (padding.getParentRegion() == &pad.getRegion())
        padding.getDefiningOp()->moveBefore(pad);
      PadExpander(rewriter, pad, padding, dominance).run();
    }
    for (linalg::FillOp fill : fills)
      splitFill(rewriter, fill);
  }
};
} // namespace
