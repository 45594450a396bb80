//===- Gathering.cpp - Bags of rows, patches of images, distances ---------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ops that bring elements together from places that others say, each made of a
// few ops of the op set.
//
//===----------------------------------------------------------------------===//

#include "Call.h"

using namespace mlir::symshape;
using namespace mlir::symshape::pytorch;
using llvm::StringRef;
using llvm::Twine;
using onnx::DataType;

static constexpr double infinity = std::numeric_limits<double>::infinity();

//===----------------------------------------------------------------------===//
// Bags
//===----------------------------------------------------------------------===//

/// Rows of a table, summed up, averaged or compared from one offset to the
/// next.
static void embeddingBag(Call &c) {
  constexpr int64_t mean = 1, greatest = 2;
  GraphValue weight = c.tensor("weight"),
             indices = c.w.cast(c.tensor("indices"), DataType::Int64),
             offsets = c.w.cast(c.tensor("offsets"), DataType::Int64);
  if (c.flag("scale_grad_by_freq", false))
    return c.fail("expected no scale_grad_by_freq");
  int64_t mode = c.constant("mode", 0);
  // Of the form that names it, one below 0 counts from the end.
  GraphValue padding = c.integer("padding_idx", c.w.integer(-1));
  bool hasPadding = c.has("padding_idx") && c.constantOf(padding) != -1;
  if (c.target().ends_with(".padding_idx") && c.has("padding_idx")) {
    hasPadding = true;
    auto number = c.constantOf(padding);
    if (number && *number < 0)
      padding = c.w.expression("a + b", {c.w.sizeOf(weight, 0), padding});
  }
  if (weight.rank != 2 || indices.rank != 1 || offsets.rank != 1 || mode < 0 ||
      mode > greatest)
    return c.fail("expected a table, and indices and offsets of rank 1");
  GraphValue one = c.w.integer(1), zero = c.w.integer(0);
  if (c.flag("include_last_offset", false))
    offsets = c.w.slice(offsets, 0, zero, c.w.integer(-1), one);
  GraphValue count = c.w.sizeOf(offsets, 0);
  // The bag of a place is how many begin there or before, without one.
  GraphValue begun = c.w.compare(
      "GreaterOrEqual", c.w.unsqueeze(c.w.upTo(c.w.sizeOf(indices, 0)), {1}),
      c.w.unsqueeze(offsets, {0}));
  GraphValue bags = c.w.unsqueeze(
      c.w.binary(
          "Sub",
          c.w.reduce("ReduceSum", c.w.cast(begun, DataType::Int64), {1}, false),
          one),
      {1});
  GraphValue isCounted = c.w.compare("GreaterOrEqual", indices, zero);
  if (hasPadding)
    isCounted = c.w.like("Not", {c.w.compare("Equal", indices, padding)});
  double none = mode == greatest ? -infinity : 0;
  GraphValue rows = c.w.add("Gather", {weight, indices}, weight.type, 2,
                            {c.w.attr("axis", int64_t(0))});
  if (c.has("per_sample_weights"))
    rows = c.w.binary("Mul", rows,
                      c.w.unsqueeze(c.tensor("per_sample_weights"), {1}));
  rows = c.w.select(c.w.unsqueeze(isCounted, {1}), rows,
                    c.w.number(none, rows.type));
  auto add = [&](GraphValue into, GraphValue parts, StringRef how) {
    return c.w.like("ScatterND", {into, bags, parts},
                    {c.w.attr("reduction", how)});
  };
  GraphValue sums = add(
      c.w.filled(c.w.number(none, rows.type), {count, c.w.sizeOf(weight, 1)}),
      rows, mode == greatest ? "max" : "add");
  if (mode != 0) {
    GraphValue counts =
        c.w.unsqueeze(add(c.w.filled(c.w.integer(0), {count}),
                          c.w.cast(isCounted, DataType::Int64), "add"),
                      {1});
    if (mode == mean)
      sums = c.w.binary("Div", sums,
                        c.w.cast(c.w.binary("Max", counts, one), sums.type));
    else
      sums = c.w.select(c.w.compare("Equal", counts, zero),
                        c.w.number(0.0, sums.type), sums);
  }
  c.set(sums);
}

/// The elements of `source`, one after the other, where the mask is true.
static void maskedScatter(Call &c) {
  GraphValue x = c.tensor("self"), mask = c.tensor("mask"),
             source = c.w.cast(c.tensor("source"), x.type);
  if (mask.rank > 0)
    x = c.w.select(mask, x, x); // broadcast to its extents
  GraphValue sizes = c.w.sizesOf(x);
  GraphValue wide = c.w.own("Expand", {mask, sizes}, mask.type, x.rank);
  GraphValue flat = c.w.reshape(wide, c.w.ints({-1}), 1);
  GraphValue number =
      c.w.like("CumSum", {c.w.cast(flat, DataType::Int64), c.w.integer(0)});
  // In front of the elements stands one for places where the mask is false.
  GraphValue padded =
      c.w.like("Concat",
               {c.w.unsqueeze(c.w.number(int64_t(0), x.type), {0}),
                c.w.reshape(source, c.w.ints({-1}), 1)},
               {c.w.attr("axis", int64_t(0))});
  GraphValue places = c.w.select(flat, number, c.w.integer(0));
  GraphValue taken = c.w.add("Gather", {padded, places}, x.type, 1,
                             {c.w.attr("axis", int64_t(0))});
  c.set(c.w.select(wide, c.w.reshape(taken, sizes, x.rank), x));
}

//===----------------------------------------------------------------------===//
// Patches
//===----------------------------------------------------------------------===//

/// Along an axis the places of all windows: [place in a window, window].
static GraphValue windowPlaces(Call &c, GraphValue x, int64_t axis,
                               int64_t size, int64_t dilation, int64_t stride,
                               GraphValue &count) {
  std::string text = "(a - " + std::to_string(dilation * (size - 1) + 1) +
                     ")//" + std::to_string(stride) + " + 1";
  count = c.w.own(
      "Evaluate", {c.w.sizeOf(x, axis)}, DataType::Int64, 0,
      {c.w.attr("symbols", StringRef("a")), c.w.attr("text", StringRef(text))});
  GraphValue inside =
      c.w.binary("Mul", c.w.upTo(c.w.integer(size)), c.w.integer(dilation));
  c.require(count, ">=", c.w.integer(1),
            "a window must not be larger than its "
            "axis");
  GraphValue first = c.w.binary("Mul", c.w.upTo(count), c.w.integer(stride));
  return c.w.binary("Add", c.w.unsqueeze(inside, {1}),
                    c.w.unsqueeze(first, {0}));
}

static void im2col(Call &c) {
  GraphValue x = c.tensor("self");
  Ints size = c.constants("kernel_size", {1, 1}, 2),
       dilation = c.constants("dilation", {1, 1}, 2),
       padding = c.constants("padding", {0, 0}, 2),
       stride = c.constants("stride", {1, 1}, 2);
  if (c.failed())
    return;
  bool hasBatch = x.rank == 4;
  if ((!hasBatch && x.rank != 3) || stride[0] < 1 || stride[1] < 1)
    return c.fail("expected an image, and strides above 0");
  if (!hasBatch)
    x = c.w.unsqueeze(x, {0});
  x = c.w.like("Pad", {x,
                       c.w.ints({0, 0, padding[0], padding[1], 0, 0, padding[0],
                                 padding[1]}),
                       c.w.number(int64_t(0), x.type)});
  GraphValue rows, columns;
  GraphValue rowPlaces =
                 windowPlaces(c, x, 2, size[0], dilation[0], stride[0], rows),
             columnPlaces = windowPlaces(c, x, 3, size[1], dilation[1],
                                         stride[1], columns);
  GraphValue parts = c.w.add("Gather", {x, rowPlaces}, x.type, 5,
                             {c.w.attr("axis", int64_t(2))});
  parts = c.w.add("Gather", {parts, columnPlaces}, x.type, 6,
                  {c.w.attr("axis", int64_t(4))});
  GraphValue channels =
      c.w.expression("a*b", {c.w.sizeOf(x, 1), c.w.integer(size[0] * size[1])});
  GraphValue windows = c.w.expression("a*b", {rows, columns});
  GraphValue result =
      c.w.reshape(c.w.transpose(parts, {0, 1, 2, 4, 3, 5}),
                  c.w.list({c.w.sizeOf(x, 0), channels, windows}), 3);
  c.set(hasBatch ? result : c.w.squeeze(result, {0}));
}

static void col2im(Call &c) {
  GraphValue x = c.tensor("self");
  Ints size = c.constants("kernel_size", {1, 1}, 2),
       dilation = c.constants("dilation", {1, 1}, 2),
       padding = c.constants("padding", {0, 0}, 2),
       stride = c.constants("stride", {1, 1}, 2);
  std::vector<GraphValue> sizes = c.integers("output_size");
  if (c.failed() || sizes.size() != 2)
    return c.fail("expected the size of an image");
  bool hasBatch = x.rank == 3;
  if (!hasBatch)
    x = c.w.unsqueeze(x, {0});
  Ints pads{padding[0], padding[1], padding[0], padding[1]};
  GraphValue image =
      c.w.add("Col2Im", {x, c.w.list(sizes), c.w.ints(size)}, x.type, 4,
              {c.w.attr("dilations", dilation), c.w.attr("pads", pads),
               c.w.attr("strides", stride)});
  c.set(hasBatch ? image : c.w.squeeze(image, {0}));
}

//===----------------------------------------------------------------------===//
// Distances
//===----------------------------------------------------------------------===//

/// The norm of the difference of each row of one tensor and each of another.
static void distances(Call &c) {
  GraphValue x = c.tensor("x1"), y = c.tensor("x2");
  double p = c.real("p", 2);
  if (x.rank < 2 || y.rank < 2 || p < 0)
    return c.fail("expected rows, and a norm of at least 0");
  GraphValue d =
      c.w.like("Abs", {c.w.binary("Sub", c.w.unsqueeze(x, {x.rank - 1}),
                                  c.w.unsqueeze(y, {y.rank - 2}))});
  int64_t last = d.rank - 1;
  if (p == infinity)
    return c.set(c.w.reduce("ReduceMax", d, {last}, false));
  if (p == 0)
    return c.set(c.w.reduce(
        "ReduceSum",
        c.w.cast(c.w.compare("Greater", d, c.w.number(0.0, d.type)), d.type),
        {last}, false));
  if (p == 1)
    return c.set(c.w.reduce("ReduceSum", d, {last}, false));
  if (p == 2)
    return c.set(c.w.like(
        "Sqrt",
        {c.w.reduce("ReduceSum", c.w.binary("Mul", d, d), {last}, false)}));
  GraphValue powers = c.w.binary("Pow", d, c.w.number(p, d.type));
  c.set(c.w.binary("Pow", c.w.reduce("ReduceSum", powers, {last}, false),
                   c.w.number(1 / p, d.type)));
}

void mlir::symshape::pytorch::addGathering(Table &table) {
  static constexpr std::pair<StringRef, Entry> entries[] = {
      {"embedding_bag", embeddingBag},
      {"_embedding_bag", embeddingBag},
      {"_embedding_bag_forward_only", embeddingBag},
      {"masked_scatter", maskedScatter},
      {"im2col", im2col},
      {"col2im", col2im},
      {"cdist", distances},
      {"_cdist_forward", distances}};
  for (auto [name, entry] : entries)
    table.add(("aten." + name).str(), entry);
}
