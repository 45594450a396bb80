//===- Backward.cpp - Derivatives that graphs of PyTorch compute ----------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Those of windows, which PyTorch has no simpler ops for. Not for: derivatives
// of programs of ours (symshape-vjp).
//
//===----------------------------------------------------------------------===//

#include "Call.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir::symshape;
using namespace mlir::symshape::pytorch;
using llvm::StringRef;
using onnx::DataType;

namespace {
/// Windows of a convolution or a pool; axes are those behind the first two.
struct Windows {
  Ints strides, dilations, pads;
  int64_t groups = 1;

  size_t count() const { return strides.size(); }
};
} // namespace

/// The first extents of x along its axes behind the first two, as those of a
/// tensor are: what lies beyond is dropped, what is missing is 0.
static GraphValue fitTo(Call &c, GraphValue x, GraphValue like,
                        const Ints &starts) {
  std::vector<GraphValue> before(x.rank, c.w.integer(0)), behind = before;
  for (size_t i = 0; i < starts.size(); ++i) {
    int64_t axis = 2 + i;
    std::string start = std::to_string(starts[i]);
    GraphValue extent = c.w.sizeOf(like, axis), own = c.w.sizeOf(x, axis);
    behind[axis] =
        c.w.expression("max(a + " + start + " - b, 0)", {extent, own});
    x = c.w.slice(x, axis, c.w.integer(starts[i]),
                  c.w.expression("a + " + start, {extent}), c.w.integer(1));
  }
  before.insert(before.end(), behind.begin(), behind.end());
  return c.w.like("Pad", {x, c.w.list(before), c.w.number(int64_t(0), x.type)});
}

/// The derivative of a convolution by its input: each element of the result
/// goes back to those it came from.
static GraphValue spread(Call &c, GraphValue gradient, GraphValue weight,
                         GraphValue input, const Windows &w) {
  GraphValue all = c.w.like("ConvTranspose", {gradient, weight},
                            {c.w.attr("strides", w.strides),
                             c.w.attr("dilations", w.dilations),
                             c.w.attr("group", w.groups)});
  return fitTo(c, all, input, w.pads);
}

/// [batch, groups * n, ...] as [n, groups * batch, ...].
static GraphValue groupsToBatch(Call &c, GraphValue x, int64_t groups) {
  if (groups == 1)
    return c.w.swapAxes(x, 0, 1);
  std::string share = "a//" + std::to_string(groups);
  std::vector<GraphValue> sizes{c.w.sizeOf(x, 0), c.w.integer(groups),
                                c.w.expression(share, {c.w.sizeOf(x, 1)})};
  std::vector<GraphValue> joined{
      sizes[2],
      c.w.expression("a*" + std::to_string(groups), {c.w.sizeOf(x, 0)})};
  Ints apart{2, 1, 0};
  for (int64_t axis = 2; axis < x.rank; ++axis) {
    sizes.push_back(c.w.sizeOf(x, axis));
    joined.push_back(sizes.back());
    apart.push_back(axis + 1);
  }
  GraphValue split = c.w.reshape(x, c.w.list(sizes), x.rank + 1);
  return c.w.reshape(c.w.transpose(split, apart), c.w.list(joined), x.rank);
}

/// `input` with as much around it as the windows of `weight` reach, at all the
/// places of `gradient`; what they do not reach is cut off.
static GraphValue fitToWindows(Call &c, GraphValue input, GraphValue gradient,
                               GraphValue weight, const Windows &w) {
  std::vector<GraphValue> before(input.rank, c.w.integer(0)), behind = before;
  for (size_t i = 0; i < w.count(); ++i) {
    int64_t axis = 2 + i;
    std::string text = llvm::formatv("(a - 1)*{0} + (b - 1)*{1} + 1 - {2} - c",
                                     w.strides[i], w.dilations[i], w.pads[i]);
    before[axis] = c.w.integer(w.pads[i]);
    behind[axis] = c.w.expression(text, {c.w.sizeOf(gradient, axis),
                                         c.w.sizeOf(weight, axis),
                                         c.w.sizeOf(input, axis)});
  }
  llvm::append_range(before, behind);
  return c.w.like(
      "Pad", {input, c.w.list(before), c.w.number(int64_t(0), input.type)});
}

/// The derivative of a convolution by its weight: a convolution of the input
/// by the gradient, over the batch, whose steps and holes change places.
static GraphValue correlate(Call &c, GraphValue input, GraphValue gradient,
                            GraphValue weight, const Windows &w) {
  GraphValue fitted = fitToWindows(c, input, gradient, weight, w);
  GraphValue all = c.w.like(
      "Conv",
      {groupsToBatch(c, fitted, w.groups), c.w.swapAxes(gradient, 0, 1)},
      {c.w.attr("strides", w.dilations), c.w.attr("dilations", w.strides),
       c.w.attr("group", w.groups)});
  return c.w.swapAxes(all, 0, 1);
}

static void convolutionBackward(Call &c) {
  GraphValue gradient = c.tensor("grad_output"), input = c.tensor("input"),
             weight = c.tensor("weight");
  int64_t count = weight.rank - 2;
  if (count < 1 || input.rank != weight.rank)
    return c.fail("expected an input and a weight of rank 3 or more");
  Windows w{c.constants("stride", {}, count),
            c.constants("dilation", {}, count),
            c.constants("padding", {}, count), c.constant("groups", 1)};
  bool isTransposed = c.flag("transposed", false);
  if (c.wants(0) && isTransposed)
    c.set(c.w.like("Conv", {gradient, weight},
                   {c.w.attr("strides", w.strides),
                    c.w.attr("dilations", w.dilations),
                    c.w.attr("group", w.groups), c.w.pads(w.pads)}),
          0);
  else if (c.wants(0))
    c.set(spread(c, gradient, weight, input, w), 0);
  if (c.wants(1))
    c.set(isTransposed ? correlate(c, gradient, input, weight, w)
                       : correlate(c, input, gradient, weight, w),
          1);
  Ints others{0};
  for (int64_t axis = 2; axis < gradient.rank; ++axis)
    others.push_back(axis);
  if (c.wants(2))
    c.set(c.w.add("ReduceSum", {gradient, c.w.ints(others)}, gradient.type, 1,
                  {c.w.attr("keepdims", int64_t(0))}),
          2);
}

/// The last `count` axes as one.
static GraphValue joinLast(Call &c, GraphValue x, int64_t count) {
  std::vector<GraphValue> sizes;
  for (int64_t axis = 0; axis < x.rank; ++axis) {
    GraphValue size = c.w.sizeOf(x, axis);
    if (axis > x.rank - count)
      sizes.back() = c.w.expression("a*b", {sizes.back(), size});
    else
      sizes.push_back(size);
  }
  return c.w.reshape(x, c.w.list(sizes), sizes.size());
}

/// To the places that the pool kept.
template <int64_t count>
static void maxPoolBackward(Call &c) {
  GraphValue x = c.tensor("self"), gradient = c.tensor("grad_output"),
             places = c.w.cast(c.tensor("indices"), DataType::Int64);
  if (x.rank < count)
    return c.fail("expected images");
  GraphValue zeros =
      c.w.own("Expand", {c.w.number(int64_t(0), x.type), c.w.sizesOf(x)},
              x.type, x.rank);
  GraphValue sums = c.w.like(
      "ScatterElements",
      {joinLast(c, zeros, count), joinLast(c, places, count),
       joinLast(c, gradient, count)},
      {c.w.attr("axis", int64_t(-1)), c.w.attr("reduction", StringRef("add"))});
  c.set(c.w.reshape(sums, c.w.sizesOf(x), x.rank));
}

/// Ones in the sizes of a list.
static GraphValue ones(Call &c, GraphValue sizes, int64_t rank, DataType type) {
  return c.w.own("Expand", {c.w.number(int64_t(1), type), sizes}, type, rank);
}

/// Each mean goes back to the elements of its window.
template <int64_t count>
static void averagePoolBackward(Call &c) {
  GraphValue x = c.tensor("self"), gradient = c.tensor("grad_output");
  Ints kernel = c.constants("kernel_size", {}, count), zeros(count, 0);
  Windows w{c.constants("stride", kernel, count), Ints(count, 1),
            c.constants("padding", zeros, count)};
  bool isCeil = c.flag("ceil_mode", false);
  bool hasPads = llvm::any_of(w.pads, [](int64_t pad) { return pad > 0; });
  bool countsPads = c.flag("count_include_pad", true);
  bool hasDivisor = c.has("divisor_override");
  if (x.rank < count + 1 || (isCeil && hasPads && (countsPads || hasDivisor)))
    return c.fail("expected images, and no borders that are counted together "
                  "with ceil_mode");
  // Each channel as an image of its own.
  auto asImages = [&](GraphValue t) {
    std::vector<GraphValue> sizes{c.w.integer(1), c.w.integer(1)};
    for (int64_t axis = 0; axis < t.rank; ++axis)
      if (axis < t.rank - count)
        sizes[0] = c.w.expression("a*b", {sizes[0], c.w.sizeOf(t, axis)});
      else
        sizes.push_back(c.w.sizeOf(t, axis));
    return c.w.reshape(t, c.w.list(sizes), count + 2);
  };
  GraphValue images = asImages(x), each = asImages(gradient);
  Ints window{1, 1};
  window.append(kernel);
  GraphValue weight = ones(c, c.w.ints(window), count + 2, x.type);
  int64_t area = 1;
  for (int64_t size : kernel)
    area *= size;
  if (hasDivisor || (!isCeil && (countsPads || !hasPads))) {
    int64_t divisor = hasDivisor ? c.constant("divisor_override", 1) : area;
    each = c.w.binary("Div", each, c.w.number(divisor, x.type));
  } else {
    // How many elements each window has; one that sticks out has fewer.
    GraphValue counts = c.w.like(
        "AveragePool", {ones(c, c.w.sizesOf(images), count + 2, x.type)},
        {c.w.attr("kernel_shape", kernel), c.w.attr("strides", w.strides),
         c.w.pads(w.pads), c.w.attr("ceil_mode", int64_t(isCeil)),
         c.w.attr("count_include_pad", int64_t(1))});
    each = c.w.binary("Div", each,
                      c.w.binary("Mul", counts, c.w.number(area, x.type)));
  }
  c.set(
      c.w.reshape(spread(c, each, weight, images, w), c.w.sizesOf(x), x.rank));
}

/// By the shares that each bin has of the elements.
static void adaptiveAveragePoolBackward(Call &c) {
  GraphValue x = c.tensor("self"), gradient = c.tensor("grad_output");
  constexpr int64_t count = 2;
  for (int64_t i = 0; i < count; ++i) {
    int64_t axis = x.rank - count + i;
    GraphValue bins = c.w.cast(
        c.w.own("Bins", {c.w.sizeOf(x, axis), c.w.sizeOf(gradient, axis)},
                DataType::Float, 2),
        x.type);
    GraphValue last = c.w.swapAxes(gradient, axis, x.rank - 1);
    gradient = c.w.swapAxes(c.w.like("MatMul", {last, bins}), axis, x.rank - 1);
  }
  c.set(gradient);
}

void mlir::symshape::pytorch::addBackward(Table &table) {
  static constexpr std::pair<StringRef, Entry> entries[] = {
      {"convolution_backward", convolutionBackward},
      {"max_pool2d_with_indices_backward", maxPoolBackward<2>},
      {"max_pool3d_with_indices_backward", maxPoolBackward<3>},
      {"avg_pool2d_backward", averagePoolBackward<2>},
      {"avg_pool3d_backward", averagePoolBackward<3>},
      {"_adaptive_avg_pool2d_backward", adaptiveAveragePoolBackward}};
  for (auto [name, entry] : entries)
    table.add(("aten." + name).str(), entry);
}
