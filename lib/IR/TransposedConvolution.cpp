//===- TransposedConvolution.cpp - As a plain convolution -----------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See the header.
//
//===----------------------------------------------------------------------===//

#include "symshape/IR/TransposedConvolution.h"
#include "symshape/IR/SymShape.h"
#include "symshape/IR/WindowExtents.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::symshape;

namespace {
/// An axis of a tensor, and the one that it becomes a part of.
struct AxisPart {
  Expr extent;
  int64_t axis;
  bool isInner = false, isReversed = false;
};

/// Moves elements of tensors.
struct Movement {
  OpBuilder &b;
  Location loc;
  TransposedConvolution::Fold fold;

  /// Axes from `first` on get these extents: `low` others, then the elements,
  /// `strides` apart, among `zero`, which is 0 if it is null. What lies outside
  /// is cropped.
  SizedTensor place(SizedTensor x, Value zero, int64_t first,
                    ArrayRef<Expr> low, ArrayRef<Expr> extents,
                    ArrayRef<int64_t> strides, bool mayBeEmpty = true) {
    SmallVector<OpFoldResult> lows(x.dims.size(), b.getIndexAttr(0)),
        highs(lows);
    SmallVector<int64_t> interior(x.dims.size(), 0), shape, ofLow, ofHigh;
    SmallVector<Value> openLow, openHigh;
    for (auto [i, extent] : llvm::enumerate(extents)) {
      Expr &own = x.dims[first + i];
      Expr none = own.arena().zero(), spread = spanOf(own, strides[i]);
      if (mayBeEmpty && strides[i] != 1)
        spread = none.arena().max(none, spread);
      lows[first + i] = fold(low[i]);
      highs[first + i] = fold(extent - low[i] - spread);
      interior[first + i] = strides[i] - 1;
      own = extent;
    }
    for (Expr extent : x.dims) {
      int64_t known = extent.asInt64().value_or(-1);
      shape.push_back(known < 0 ? ShapedType::kDynamic : known);
    }
    dispatchIndexOpFoldResults(lows, openLow, ofLow);
    dispatchIndexOpFoldResults(highs, openHigh, ofHigh);
    auto type = cast<RankedTensorType>(x.value.getType()).clone(shape);
    if (!zero)
      zero = arith::ConstantOp::create(b, loc,
                                       b.getZeroAttr(type.getElementType()));
    x.value = b.createOrFold<symshape::PadOp>(
        loc, type, x.value, zero, openLow, openHigh, ofLow, ofHigh, interior);
    return x;
  }

  /// The tensor of the extents of `parts` with each where it belongs.
  SizedTensor regroup(Value x, ArrayRef<AxisPart> parts) {
    auto size = [&](int64_t i) { return fold(parts[i].extent); };
    auto order = llvm::to_vector(llvm::seq<int64_t>(0, parts.size()));
    x = b.createOrFold<symshape::ReshapeOp>(loc, x,
                                            llvm::map_to_vector(order, size));
    SmallVector<int64_t> reversed(order);
    llvm::erase_if(reversed, [&](int64_t i) { return !parts[i].isReversed; });
    if (!reversed.empty())
      x = symshape::ReverseOp::create(b, loc, x.getType(), x, reversed);
    llvm::sort(order, [&](int64_t i, int64_t j) {
      return std::tuple(parts[i].axis, parts[i].isInner, i) <
             std::tuple(parts[j].axis, parts[j].isInner, j);
    });
    if (!llvm::is_sorted(order)) {
      Value empty = tensor::EmptyOp::create(
          b, loc, llvm::map_to_vector(order, size), getElementTypeOrSelf(x));
      x = linalg::TransposeOp::create(b, loc, x, empty, order)->getResult(0);
    }
    SizedTensor result;
    for (int64_t i : order)
      if (parts[i].axis < int64_t(result.dims.size()))
        result.dims.back() = result.dims.back() * parts[i].extent;
      else
        result.dims.push_back(parts[i].extent);
    result.value = b.createOrFold<symshape::ReshapeOp>(
        loc, x, llvm::map_to_vector(result.dims, fold));
    return result;
  }
};
} // namespace

bool TransposedConvolution::hasPhases() const {
  for (size_t i = 0; i < strides.size(); ++i) {
    std::optional<int64_t> extent = kernel(i).asInt64();
    if (!extent || *extent < strides[i] || dilations[i] != 1)
      return false;
  }
  return llvm::any_of(strides, [](int64_t stride) { return stride > 1; });
}

/// A result at q * stride + phase is a sum of every stride-th element of the
/// kernel, from `phase` on, times the elements up to q: a convolution whose
/// features are those of all phases, which then take their places between each
/// other ("sub-pixel convolution", Shi et al., 2016). Kernels get zeros up to a
/// multiple of strides. Else it is one of the image with zeros between its
/// elements. Either way, the kernel is reversed.
Value TransposedConvolution::build(OpBuilder &b, Fold fold,
                                   Convolve convolve) const {
  Movement move{b, loc, fold};
  ExprArena &arena = features.arena();
  // Features of a phase are neighbours if channels are last; else phases of a
  // feature are, and features stay in their groups.
  bool isPhased = hasPhases(), isLast = isChannelLast();
  int64_t n = strides.size(), channels = isLast ? n + 1 : 1;
  int64_t imageAxis = isLast ? 1 : 2, weightAxis = isLast ? 1 : 3;
  SmallVector<Expr, 4> none(n, arena.zero()), longer, border, bordered, places,
      negative;
  SmallVector<int64_t, 4> ones(n, 1);
  SmallVector<AxisPart> split, ofPlaces, ofPhases;
  for (auto [axis, extent] : llvm::enumerate(weights.dims)) {
    int64_t i = axis - weightAxis, at = imageAxis + i;
    if (i < 0 || i >= n) {
      bool isChannel = int64_t(axis) == channels;
      split.push_back({extent, isChannel ? channels : 0, isLast});
      continue;
    }
    Expr step = arena.constant(isPhased ? strides[i] : 1);
    Expr taps = arena.ceilDiv(extent, step);
    Expr reach = spanOf(taps, dilations[i]) - 1;
    longer.push_back(taps * step);
    border.push_back(isPhased ? reach : reach - before[i]);
    places.push_back(isPhased ? image.dims[at] + reach : count[i]);
    bordered.push_back(places[i] + reach);
    negative.push_back(-before[i]);
    split.push_back({taps, at, /*isInner=*/false, /*isReversed=*/true});
    if (isPhased)
      split.push_back({step, 0, /*isInner=*/!isLast});
    ofPlaces.push_back({places[i], at});
    ofPhases.push_back({step, at, /*isInner=*/true});
  }
  SizedTensor padded =
      move.place(weights, weightZero, weightAxis, none, longer, ones);
  SizedTensor own = move.regroup(padded.value, split);
  SizedTensor spread = move.place(image, imageZero, imageAxis, border, bordered,
                                  isPhased ? ones : strides, mayBeEmpty);
  Value sums = convolve(spread, own, places);
  if (!isPhased)
    return sums;
  SmallVector<AxisPart> apart{{image.dims[0], 0}};
  llvm::append_range(apart, isLast ? ofPlaces : ofPhases);
  llvm::append_range(apart, isLast ? ofPhases : ofPlaces);
  apart.insert(isLast ? apart.end() : apart.begin() + 1, {features, channels});
  SizedTensor whole = move.regroup(sums, apart);
  return move.place(whole, Value(), imageAxis, negative, count, ones).value;
}
