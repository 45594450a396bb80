//===- Windows.cpp - Convolutions, pooling and resizing -------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of the last axes. A tensor without an axis for the batch gets one.
//
//===----------------------------------------------------------------------===//

#include "Call.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir::symshape;
using namespace mlir::symshape::pytorch;
using llvm::StringRef;
using onnx::DataType;

/// The number before the `d` of `max_pool2d`, how many axes windows have.
static int64_t countAxes(Call &c) {
  StringRef name = c.target();
  size_t at = name.find_first_of("123");
  return at == StringRef::npos ? 0 : name[at] - '0';
}

/// An op that models have of floats alone, of any numbers.
static GraphValue ofNumbers(Call &c, StringRef op,
                            llvm::ArrayRef<GraphValue> inputs,
                            GraphWriter::Attributes attributes) {
  GraphValue x = inputs[0];
  return onnx::isFloat(x.type)
             ? c.w.like(op, inputs, std::move(attributes))
             : c.w.own(op, inputs, x.type, x.rank, std::move(attributes));
}

/// Calls must have elements along the last axes.
static void requireSome(Call &c, StringRef argument, GraphValue x,
                        int64_t count) {
  Ints axes;
  for (int64_t axis = x.rank - count; axis < x.rank; ++axis)
    axes.push_back(axis);
  c.requireSome(argument, x, axes);
}

/// Computes on a tensor with an axis for the batch.
static void withBatch(Call &c, GraphValue x, int64_t count,
                      llvm::function_ref<GraphValue(GraphValue)> compute) {
  if (x.rank == count + 2)
    return c.set(compute(x));
  if (x.rank != count + 1)
    return c.fail("expected rank " + llvm::Twine(count + 2) + ", but got " +
                  llvm::Twine(x.rank));
  c.set(c.w.squeeze(compute(c.w.unsqueeze(x, {0})), {0}));
}

static void convolution(Call &c) {
  GraphValue x = c.tensor("input"), weight = c.tensor("weight"),
             bias = c.tensorOrNone("bias");
  int64_t count = weight.rank - 2;
  if (count < 1)
    return c.fail("expected a weight of rank 3 or more");
  requireSome(c, "input", x, count);
  Ints ones(count, 1), zeros(count, 0);
  bool isTransposed =
      c.flag("transposed", c.target().contains("conv_transpose"));
  GraphWriter::Attributes attributes{
      c.w.attr("strides", c.constants("stride", ones, count)),
      c.w.attr("dilations", c.constants("dilation", ones, count)),
      c.w.attr("group", c.constant("groups", 1))};
  StringRef padding = c.text("padding", "");
  if (padding == "same")
    attributes.push_back(c.w.attr("auto_pad", StringRef("SAME_UPPER")));
  else if (padding.empty())
    attributes.push_back(c.w.pads(c.constants("padding", zeros, count)));
  if (isTransposed)
    attributes.push_back(c.w.attr("output_padding",
                                  c.constants("output_padding", zeros, count)));
  withBatch(c, x, count, [&](GraphValue batched) {
    return ofNumbers(c, isTransposed ? "ConvTranspose" : "Conv",
                     {batched, weight, bias}, attributes);
  });
}

static GraphWriter::Attributes windows(Call &c, int64_t count) {
  Ints ones(count, 1), zeros(count, 0);
  Ints kernel = c.constants("kernel_size", ones, count);
  return {c.w.attr("kernel_shape", kernel),
          c.w.attr("strides", c.constants("stride", kernel, count)),
          c.w.pads(c.constants("padding", zeros, count)),
          c.w.attr("ceil_mode", int64_t(c.flag("ceil_mode", false)))};
}

static void maxPool(Call &c) {
  int64_t count = countAxes(c);
  GraphWriter::Attributes attributes = windows(c, count);
  attributes.push_back(
      c.w.attr("dilations", c.constants("dilation", Ints(count, 1), count)));
  GraphValue x = c.tensor("self");
  requireSome(c, "self", x, count);
  if (c.wants(0))
    withBatch(c, x, count, [&](GraphValue batched) {
      return ofNumbers(c, "MaxPool", {batched}, attributes);
    });
  if (!c.wants(1))
    return;
  // Places, which have no derivative, count within an image.
  bool hasBatch = x.rank == count + 2;
  if (!hasBatch)
    x = c.w.unsqueeze(x, {0});
  GraphValue places =
      c.w.addSeveral("MaxPool", {x}, x.type, x.rank, 2, attributes)[1];
  places.type = DataType::Int64;
  GraphValue area = c.w.sizeOf(x, 2);
  for (int64_t i = 1; i < count; ++i)
    area = c.w.binary("Mul", area, c.w.sizeOf(x, 2 + i));
  places = c.w.like("Mod", {places, area});
  c.set(hasBatch ? places : c.w.squeeze(places, {0}), 1);
}

static void averagePool(Call &c) {
  int64_t count = countAxes(c);
  bool isMean = !c.has("divisor_override");
  if (!isMean && c.flag("ceil_mode", false))
    return c.fail("expected means or windows that are whole, but got another "
                  "divisor and ceil_mode");
  GraphWriter::Attributes attributes = windows(c, count);
  attributes.push_back(
      c.w.attr("count_include_pad",
               int64_t(!isMean || c.flag("count_include_pad", true))));
  double scale = 1;
  if (!isMean) {
    for (int64_t size : c.constants("kernel_size", Ints(count, 1), count))
      scale *= size;
    scale /= c.constant("divisor_override", 1);
  }
  GraphValue self = c.tensor("self");
  requireSome(c, "self", self, count);
  bool isFloat = onnx::isFloat(self.type);
  withBatch(c, isFloat ? self : c.w.cast(self, DataType::Double), count,
            [&](GraphValue x) {
              GraphValue y = c.w.like("AveragePool", {x}, attributes);
              return isMean ? y
                            : c.w.binary("Mul", y, c.w.number(scale, y.type));
            });
}

/// Means of bins that fill each axis: a product with the shares of elements.
static void adaptiveAveragePool(Call &c) {
  GraphValue x = c.tensor("self");
  int64_t count = countAxes(c);
  std::vector<GraphValue> sizes = c.integers("output_size");
  if (static_cast<int64_t>(sizes.size()) == 1)
    sizes.assign(count, sizes.front());
  if (static_cast<int64_t>(sizes.size()) != count || x.rank < count)
    return c.fail("expected a size for each axis");
  bool isOne = llvm::all_of(
      sizes, [&](GraphValue size) { return c.constantOf(size) == 1; });
  if (!isOne || count == 1)
    requireSome(c, "self", x, count);
  for (int64_t i = 0; i < count; ++i) {
    int64_t axis = x.rank - count + i;
    if (c.constantOf(sizes[i]) == 1) {
      x = c.w.like("ReduceMean", {x, c.w.ints({axis})},
                   {c.w.attr("keepdims", int64_t(1))});
      continue;
    }
    GraphValue bins = c.w.cast(
        c.w.own("Bins", {c.w.sizeOf(x, axis), sizes[i]}, DataType::Float, 2),
        x.type);
    GraphValue last = c.w.like("MatMul", {c.w.swapAxes(x, axis, x.rank - 1),
                                          c.w.transpose(bins, {1, 0})});
    x = c.w.swapAxes(last, axis, x.rank - 1);
  }
  c.set(x);
}

static void adaptiveMaxPool(Call &c) {
  GraphValue x = c.tensor("self");
  int64_t count = countAxes(c);
  if (c.wants(1))
    return c.fail("expected no use of the places of the greatest elements");
  Ints axes;
  for (int64_t i = 0; i < count; ++i)
    axes.push_back(x.rank - count + i);
  for (int64_t size : c.constants("output_size", {}, count))
    if (size != 1)
      return c.fail("expected output sizes of 1");
  c.set(c.w.like("ReduceMax", {x, c.w.ints(axes)},
                 {c.w.attr("keepdims", int64_t(1))}));
}

/// The scales that the program gives, which places are computed by.
static std::vector<double> readScales(Call &c, int64_t count) {
  std::vector<double> scales;
  if (c.has("scale_factors"))
    return c.reals("scale_factors");
  static constexpr StringRef names[3][3] = {
      {"scales"},
      {"scales_h", "scales_w"},
      {"scales_d", "scales_h", "scales_w"}};
  for (int64_t i = 0; i < count; ++i)
    if (c.has(names[count - 1][i]))
      scales.push_back(c.real(names[count - 1][i], 1));
  return scales;
}

static void resize(Call &c) {
  GraphValue x = c.tensor(c.has("input") ? "input" : "self");
  StringRef target = c.target();
  int64_t count = countAxes(c);
  if (x.rank != count + 2)
    return c.fail("expected rank " + llvm::Twine(count + 2));
  requireSome(c, c.has("input") ? "input" : "self", x, count);
  bool isNearest = target.contains("nearest"),
       isExact = target.contains("nearest_exact"),
       isCubic = target.contains("cubic");
  Ints axes;
  for (int64_t i = 0; i < count; ++i)
    axes.push_back(2 + i);
  StringRef places = isNearest && !isExact            ? "asymmetric"
                     : c.flag("align_corners", false) ? "align_corners"
                                                      : "half_pixel";
  GraphWriter::Attributes attributes{
      c.w.attr("axes", axes),
      c.w.attr("coordinate_transformation_mode", places),
      c.w.attr("mode", StringRef(isNearest ? "nearest"
                                 : isCubic ? "cubic"
                                           : "linear"))};
  if (isNearest)
    attributes.push_back(c.w.attr(
        "nearest_mode", StringRef(isExact ? "round_prefer_ceil" : "floor")));
  if (isCubic)
    attributes.push_back(c.w.attr("cubic_coeff_a", -0.75));
  std::vector<double> scales = readScales(c, count);
  bool hasScales = static_cast<int64_t>(scales.size()) == count;
  std::vector<GraphValue> sizes = c.integers("output_size");
  if (hasScales && places != "align_corners")
    return c.set(c.w.like("Resize", {x, {}, c.w.floats(scales)}, attributes));
  if (hasScales) { // corners fit whole extents: those that the scales give
    GraphValue scaled = c.w.like(
        "Resize", {x, {}, c.w.floats(scales)},
        {c.w.attr("axes", axes), c.w.attr("mode", StringRef("nearest"))});
    sizes.clear();
    for (int64_t axis : axes)
      sizes.push_back(c.w.sizeOf(scaled, axis));
  }
  if (static_cast<int64_t>(sizes.size()) != count)
    return c.fail("expected a size for each axis");
  c.set(c.w.like("Resize", {x, {}, {}, c.w.list(sizes)}, attributes));
}

void mlir::symshape::pytorch::addWindows(Table &table) {
  table.add("aten.convolution", convolution);
  for (char count : {'1', '2', '3'}) {
    auto add = [&](StringRef name, Entry entry) {
      table.add(("aten." + name + llvm::Twine(count) + "d").str(), entry);
    };
    add("conv", convolution);
    add("conv_transpose", convolution);
    add("max_pool", maxPool);
    add("avg_pool", averagePool);
    add("adaptive_avg_pool", adaptiveAveragePool);
    add("_adaptive_avg_pool", adaptiveAveragePool);
    add("adaptive_max_pool", adaptiveMaxPool);
    add("upsample_nearest", resize);
    add("_upsample_nearest_exact", resize);
  }
  table.add("aten.max_pool2d_with_indices", maxPool);
  table.add("aten.max_pool3d_with_indices", maxPool);
  for (StringRef name :
       {"aten.upsample_linear1d", "aten.upsample_bilinear2d",
        "aten.upsample_trilinear3d", "aten.upsample_bicubic2d"})
    table.add(name, resize);
}
