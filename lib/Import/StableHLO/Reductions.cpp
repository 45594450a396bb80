//===- Reductions.cpp - Folds over axes and windows -----------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `reduce` and `reduce_window` with any body on scalars and any number of
// operands: one structured op each.
//
//===----------------------------------------------------------------------===//

#include "Windows.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::symshape::stablehlo;

namespace {
/// The first half of the operands, of one shape, and the scalars they begin
/// from, which are the second half.
struct Folded {
  SmallVector<Value> tensors, inits;
};
} // namespace

static std::optional<Folded> readFolded(Node &n) {
  Folded all;
  size_t half = n.count() / 2;
  if (n.count() % 2 || n.op->getNumResults() != half) {
    (void)n.fail("expected as many initial values and results as operands");
    return std::nullopt;
  }
  for (size_t i = 0; i < half; ++i) {
    Value x = n.tensor(i), init = n.scalar(half + i);
    if (!x || !init || init.getType() != getElementTypeOrSelf(x) ||
        failed(verifyCompatibleShape(n.type(i), n.type(0)))) {
      (void)n.fail("expected operands of one shape, each with its initial "
                   "value");
      return std::nullopt;
    }
    all.tensors.push_back(x);
    all.inits.push_back(init);
  }
  return all;
}

/// Yields what the region makes of accumulated values and elements; what it
/// began from after an error.
static SmallVector<Value> combine(Node &n, ValueRange elements,
                                  ValueRange accumulated) {
  SmallVector<Value> inputs(accumulated);
  llvm::append_range(inputs, elements);
  auto results = n.inlineScalars(n.op->getRegion(0), inputs);
  bool fits = succeeded(results) && results->size() == accumulated.size();
  for (size_t i = 0; fits && i < accumulated.size(); ++i)
    fits = (*results)[i].getType() == accumulated[i].getType();
  if (fits)
    return *results;
  (void)n.fail("expected a body that gives what it is given");
  return SmallVector<Value>(accumulated);
}

static LogicalResult setAll(Node &n, ValueRange results) {
  for (auto [i, result] : llvm::enumerate(results))
    if (failed(n.set(i, result)))
      return failure();
  return success();
}

static LogicalResult reduce(Node &n) {
  auto folded = readFolded(n);
  if (!folded)
    return failure();
  int64_t rank = n.rank(0);
  SmallVector<int64_t> axes = n.axes("dimensions", rank);
  if (n.hasFailed())
    return failure();
  SmallVector<bool> isReduction(rank, false);
  for (int64_t axis : axes)
    isReduction[axis] = true;
  SmallVector<AffineExpr> kept;
  SmallVector<OpFoldResult> sizes;
  for (int64_t i = 0; i < rank; ++i)
    if (!isReduction[i]) {
      kept.push_back(n.b.getAffineDimExpr(i));
      sizes.push_back(n.extent(folded->tensors.front(), i));
    }
  size_t count = folded->tensors.size();
  SmallVector<AffineMap> maps(count, n.b.getMultiDimIdentityMap(rank));
  maps.append(count, AffineMap::get(rank, 0, kept, n.b.getContext()));
  SmallVector<Value> inits;
  for (Value init : folded->inits)
    inits.push_back(n.fill(sizes, init));
  return setAll(n, n.generic(folded->tensors, inits, maps, isReduction,
                             [&](OpBuilder &, Location, ValueRange v) {
                               return combine(n, v.take_front(count),
                                              v.drop_front(count));
                             }));
}

/// `stablehlo.dynamic_reduce_window` has the numbers of a window as operands.
std::optional<Window> mlir::symshape::stablehlo::readWindow(Node &n,
                                                            int64_t rank,
                                                            bool hasDilations) {
  Window w;
  w.size = n.ints("window_dimensions", rank);
  w.stride = n.ints("window_strides", rank);
  w.baseDilation.assign(rank, 1);
  w.windowDilation.assign(rank, 1);
  if (hasDilations) {
    w.baseDilation = n.ints("base_dilations", rank);
    w.windowDilation = n.ints("window_dilations", rank);
  }
  SmallVector<int64_t> padding = n.ints("padding", 2 * rank);
  if (n.hasFailed())
    return std::nullopt;
  for (int64_t i = 0; i < rank; ++i) {
    w.low.push_back(n.b.getIndexAttr(padding[2 * i]));
    w.high.push_back(n.b.getIndexAttr(padding[2 * i + 1]));
  }
  return w.check(n) ? std::optional(w) : std::nullopt;
}

bool Window::check(Node &n) const {
  constexpr int64_t most = int64_t(1) << 31;
  for (const auto *list : {&size, &stride, &baseDilation, &windowDilation})
    for (int64_t number : *list)
      if (number < 1 || number > most)
        return (void)n.fail("expected windows, strides and dilations from 1"),
               false;
  return true;
}

/// As many windows as fit, none where there is no room.
OpFoldResult Window::countIn(Node &n, OpFoldResult extent, int64_t axis) const {
  SizeMath &math = n.importer.sizes;
  int64_t reach = (size[axis] - 1) * windowDilation[axis] + 1;
  OpFoldResult room =
      math.expression("p - q", extent, n.b.getIndexAttr(reach - stride[axis]));
  OpFoldResult all = math.expression("max(p, 0) floordiv q", room,
                                     n.b.getIndexAttr(stride[axis]));
  return all;
}

Value Window::pad(Node &n, Value x, Value element) const {
  SmallVector<int64_t> interior;
  for (int64_t dilation : baseDilation)
    interior.push_back(dilation - 1);
  return n.pad(x, element, low, high, interior);
}

SmallVector<Value> mlir::symshape::stablehlo::foldWindows(
    Node &n, ValueRange tensors, ValueRange inits, const Window &w,
    ArrayRef<OpFoldResult> counts, Node::Body body) {
  int64_t rank = w.size.size();
  SmallVector<AffineExpr> in, out, inside;
  SmallVector<OpFoldResult> extents;
  unsigned next = rank;
  for (int64_t i = 0; i < rank; ++i) {
    AffineExpr o = n.b.getAffineDimExpr(i);
    out.push_back(o);
    AffineExpr at = o * w.stride[i];
    if (w.size[i] != 1) {
      AffineExpr k = n.b.getAffineDimExpr(next++);
      inside.push_back(k);
      extents.push_back(n.b.getIndexAttr(w.size[i]));
      at = at + k * w.windowDilation[i];
    }
    in.push_back(at);
  }
  auto map = [&](ArrayRef<AffineExpr> places) {
    return AffineMap::get(next, 0, places, n.b.getContext());
  };
  SmallVector<bool> isReduction(next, true);
  std::fill_n(isReduction.begin(), rank, false);
  SmallVector<Value> inputs(tensors);
  SmallVector<AffineMap> maps(tensors.size(), map(in));
  inputs.push_back(n.empty(extents, getElementTypeOrSelf(tensors.front())));
  maps.push_back(map(inside));
  SmallVector<Value> outs;
  for (Value init : inits) {
    outs.push_back(n.fill(counts, init));
    maps.push_back(map(out));
  }
  return n.generic(inputs, outs, maps, isReduction, body);
}

/// The result of windows over operands that are padded with what they begin
/// from.
LogicalResult mlir::symshape::stablehlo::reduceWindows(Node &n, ValueRange xs,
                                                       ValueRange inits,
                                                       const Window &w) {
  SmallVector<Value> padded;
  for (auto [x, init] : llvm::zip(xs, inits))
    padded.push_back(w.pad(n, x, init));
  if (n.hasFailed())
    return failure();
  SmallVector<OpFoldResult> counts;
  for (size_t i = 0; i < w.size.size(); ++i)
    counts.push_back(w.count(n, padded.front(), i));
  size_t count = xs.size();
  return setAll(n, foldWindows(n, padded, inits, w, counts,
                               [&](OpBuilder &, Location, ValueRange v) {
                                 return combine(n, v.take_front(count),
                                                v.drop_front(count + 1));
                               }));
}

static LogicalResult reduceWindow(Node &n) {
  auto folded = readFolded(n);
  if (!folded)
    return failure();
  auto window = readWindow(n, n.rank(0), /*hasDilations=*/true);
  if (!window)
    return failure();
  return reduceWindows(n, folded->tensors, folded->inits, *window);
}

void mlir::symshape::stablehlo::addReductionOps(Registry &registry) {
  registry["reduce"] = Definition{reduce, ~2, ~1, 1};
  registry["reduce_window"] = Definition{reduceWindow, ~2, ~1, 1};
}
