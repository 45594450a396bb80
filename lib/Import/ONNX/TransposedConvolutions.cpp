//===- TransposedConvolutions.cpp - Convolutions of spread elements -------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Convolutions.h"
#include "Families.h"

using namespace mlir;
using namespace mlir::symshape;
using namespace mlir::symshape::onnx;

namespace {
/// A transposed convolution. Per spatial axis: the window, how many elements of
/// the sums of all windows are left out in front, and how many are results.
struct TransposedWindow {
  SmallVector<int64_t, 4> strides, dilations, extra;
  SmallVector<Expr, 4> kernel, before, count;
  int64_t groups;
};
} // namespace

/// `reach` of the sums of all windows on axis `i`, without what is added
/// behind.
static Expr reachOf(const TransposedWindow &window, size_t i) {
  return (window.kernel[i] - 1) * window.dilations[i];
}

/// Weights [C, F / groups, ...] as [groups, C / groups, F / groups, ...].
static SmallVector<Expr, 6> splitGroups(Emitter &e, const Tensor &w,
                                        int64_t groups) {
  SmallVector<Expr, 6> parts{e.constant(groups),
                             e.divideExactly(w.dims[0], e.constant(groups))};
  llvm::append_range(parts, ArrayRef<Expr>(w.dims).drop_front(1));
  return parts;
}

/// A convolution of the input with zeros between its elements, with the kernel
/// reversed.
static Tensor convolveSpread(Emitter &e, const Tensor &x, const Tensor &w,
                             const TransposedWindow &window) {
  size_t axes = window.kernel.size();
  SmallVector<Expr, 4> low(x.rank(), e.constant(0)), high(low);
  SmallVector<int64_t, 4> interior(x.rank(), 0), reversed;
  Window direct;
  direct.kernel = window.kernel;
  direct.strides.assign(axes, 1);
  direct.dilations = window.dilations;
  direct.count = window.count;
  for (size_t i = 0; i < axes; ++i) {
    Expr reach = reachOf(window, i);
    Expr spread = x.dims[i + 2];
    if (window.strides[i] != 1) // nothing stays nothing, as in `Emitter::pad`
      spread = e.simplify(
          e.arena().max(e.constant(0), (spread - 1) * window.strides[i] + 1));
    interior[i + 2] = window.strides[i] - 1;
    low[i + 2] = reach - window.before[i];
    high[i + 2] = window.count[i] + window.before[i] - spread;
    reversed.push_back(i + 2);
  }
  Scalars s(e.builder(), e.loc());
  Value zero = s.number(elementType(e.context(), x.type), 0);
  Tensor spread = e.pad(x, zero, low, high, interior);
  Tensor turned = e.reverse(w, reversed);
  SmallVector<int64_t, 6> permutation{0, 2, 1};
  for (size_t i = 0; i < axes; ++i)
    permutation.push_back(i + 3);
  Tensor split = e.transpose(
      e.reshape(turned, splitGroups(e, w, window.groups)), permutation);
  SmallVector<Expr, 6> joined{split.dims[0] * split.dims[1], split.dims[2]};
  llvm::append_range(joined, ArrayRef<Expr>(w.dims).drop_front(2));
  return convolve(e, spread, e.reshape(split, joined), direct, window.groups,
                  x.type);
}

/// Whether every element of the kernel is read, and few that are added to it.
static bool hasPhases(const TransposedWindow &window) {
  bool isAny = false;
  for (size_t i = 0; i < window.kernel.size(); ++i) {
    auto kernel = window.kernel[i].asInt64();
    if (!kernel || *kernel < window.strides[i] || window.dilations[i] != 1)
      return false;
    isAny |= window.strides[i] > 1;
  }
  return isAny;
}

/// A result at q * stride + phase is a sum of every stride-th element of the
/// kernel, from `phase` on, times the inputs up to q: a convolution whose
/// features are those of all phases, which then take their places between each
/// other ("sub-pixel convolution", Shi et al., 2016). It multiplies no zeros
/// that stand between elements. Kernels get zeros up to a multiple of strides.
static Tensor convolvePhases(Emitter &e, const Tensor &x, const Tensor &w,
                             const TransposedWindow &window) {
  size_t axes = window.kernel.size();
  SmallVector<Expr, 4> none(x.rank(), e.constant(0)), behind(none),
      border(none);
  SmallVector<Expr, 8> parts, apart, together;
  SmallVector<int64_t, 8> reversed, ofWeights{0, 2}, places{0, 1};
  Window direct;
  direct.strides.assign(axes, 1);
  direct.dilations.assign(axes, 1);
  int64_t phases = 1;
  for (size_t i = 0; i < axes; ++i) {
    int64_t kernel = *window.kernel[i].asInt64(), step = window.strides[i];
    int64_t taps = llvm::divideCeilSigned(kernel + window.extra[i], step);
    behind[i + 2] = e.constant(taps * step - kernel);
    border[i + 2] = e.constant(taps - 1);
    direct.kernel.push_back(e.constant(taps));
    direct.count.push_back(x.dims[i + 2] + (taps - 1));
    phases *= step;
  }
  Scalars s(e.builder(), e.loc());
  Value zero = s.number(elementType(e.context(), x.type), 0);
  // [groups, C, F, taps, phases, ...] becomes [groups, F, phases, C, taps].
  Tensor padded = e.pad(w, zero, none, behind);
  SmallVector<Expr, 6> groups = splitGroups(e, padded, window.groups);
  parts.append(groups.begin(), groups.begin() + 3);
  for (size_t i = 0; i < axes; ++i) {
    parts.push_back(direct.kernel[i]);
    parts.push_back(e.constant(window.strides[i]));
    reversed.push_back(3 + 2 * i);
    ofWeights.push_back(4 + 2 * i);
  }
  ofWeights.push_back(1);
  llvm::append_range(ofWeights, reversed);
  Tensor taps =
      e.transpose(e.reverse(e.reshape(padded, parts), reversed), ofWeights);
  SmallVector<Expr, 8> joined{parts[0] * parts[2] * phases, parts[1]};
  llvm::append_range(joined, direct.kernel);
  Tensor sums =
      convolve(e, e.pad(x, zero, border, border), e.reshape(taps, joined),
               direct, window.groups, x.type);
  // [N, F, phases, ..., places, ...] becomes [N, F, place, phase, ...].
  apart = {x.dims[0], parts[0] * parts[2]};
  together = apart;
  SmallVector<Expr, 4> low(none), high(none);
  for (size_t i = 0; i < axes; ++i) {
    Expr step = e.constant(window.strides[i]), all = direct.count[i] * step;
    apart.push_back(step);
    together.push_back(all);
    places.push_back(2 + axes + i);
    places.push_back(2 + i);
    low[i + 2] = e.constant(0) - window.before[i];
    high[i + 2] = window.before[i] + window.count[i] - all;
  }
  llvm::append_range(apart, direct.count);
  Tensor whole =
      e.reshape(e.transpose(e.reshape(sums, apart), places), together);
  return e.pad(whole, zero, low, high);
}

static LogicalResult convTranspose(Node &n) {
  Emitter &e = n.emit();
  Tensor x = n.wideTensor(0), w = n.wideTensor(1);
  TransposedWindow window;
  window.groups = n.intAttr("group", 1);
  if (x.rank() < 3 || x.rank() != w.rank() || n.type(0) != n.type(1) ||
      window.groups < 1)
    return n.fail("expected input and weights of one type and of one rank from "
                  "3, and a number of groups");
  auto kernel = kernelOf(n, w);
  size_t axes = x.rank() - 2;
  auto steps = readSteps(n, axes);
  auto extra = listAttr(n, "output_padding", axes, 0, 0);
  if (!kernel || !steps || !extra)
    return failure();
  window.kernel = *kernel;
  window.strides = steps->strides;
  window.dilations = steps->dilations;
  window.extra = *extra;
  for (size_t i = 0; i < axes; ++i)
    if ((*extra)[i] >= std::max(window.strides[i], window.dilations[i]))
      return n.fail("expected output_padding less than stride or dilation, but "
                    "got " +
                    Twine((*extra)[i]));
  if (failed(requireGroups(n, x.dims[1], w.dims[0], window.groups)))
    return failure();
  auto shape = n.intsAttr("output_shape");
  StringRef mode = n.textAttr("auto_pad", "NOTSET");
  bool same = mode == "SAME_UPPER" || mode == "SAME_LOWER";
  if (shape && shape->size() != axes && shape->size() != axes + 2)
    return n.fail("expected an output shape of the spatial axes");
  for (size_t i = 0; i < axes; ++i) {
    Expr extent = x.dims[i + 2];
    Expr full =
        (extent - 1) * window.strides[i] + (*extra)[i] + reachOf(window, i) + 1;
    Expr before = e.constant(steps->pads[i]),
         behind = e.constant(steps->pads[axes + i]);
    if (shape || same) {
      Expr wanted = shape ? e.constant((*shape)[shape->size() - axes + i])
                          : extent * window.strides[i];
      Expr all = full - wanted;
      Expr half = e.arena().floorDiv(all, e.constant(2));
      before = mode == "SAME_UPPER" ? half : all - half;
      behind = all - before;
    }
    window.before.push_back(before);
    window.count.push_back(full - before - behind);
  }
  Tensor sums = hasPhases(window) ? convolvePhases(e, x, w, window)
                                  : convolveSpread(e, x, w, window);
  if (n.has(2))
    sums = addBias(e, sums, n.wideTensor(2));
  return n.setRounded(0, sums);
}

void mlir::symshape::onnx::addTransposedConvolutionOps(Registry &registry) {
  registry.add("ConvTranspose", 2, convTranspose);
}
