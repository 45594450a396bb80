//===- Windows.cpp - Windows over tensors ---------------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Their numbers, how many there are, and the structured op over them.
//
//===----------------------------------------------------------------------===//

#include "Windows.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::symshape::stablehlo;

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

OpFoldResult mlir::symshape::stablehlo::countWindows(Node &n,
                                                     OpFoldResult extent,
                                                     OpFoldResult size,
                                                     int64_t dilation,
                                                     int64_t stride) {
  SizeMath &math = n.importer.sizes;
  // From the first element of a window to the last of the room that the next
  // one begins in.
  OpFoldResult reach =
      math.expression(("max((p - 1) * q + 1, 0) - " + Twine(stride)).str(),
                      size, n.b.getIndexAttr(dilation));
  OpFoldResult room = math.expression("p - q", extent, reach);
  return math.expression("max(p, 0) floordiv q", room,
                         n.b.getIndexAttr(stride));
}

OpFoldResult Window::count(Node &n, Value padded, int64_t axis) const {
  return countWindows(n, n.extent(padded, axis), n.b.getIndexAttr(size[axis]),
                      windowDilation[axis], stride[axis]);
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
