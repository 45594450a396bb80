//===- Composites.cpp - Ops that are made of several others ---------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Losses, windows along an axis, and other shorthands.
//
//===----------------------------------------------------------------------===//

#include "Call.h"

using namespace mlir::symshape;
using namespace mlir::symshape::pytorch;
using llvm::StringRef;
using onnx::DataType;

static constexpr double infinity = std::numeric_limits<double>::infinity();

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

static void atan2(Call &c) {
  GraphValue x = c.w.cast(c.tensor("self"), c.type()),
             y = c.w.cast(c.tensor("other"), c.type());
  c.set(c.w.own("Atan2", {x, y}, c.type(), std::max(x.rank, y.rank)));
}

static void isFinite(Call &c) {
  GraphValue x = c.tensor("self");
  if (!onnx::isFloat(x.type))
    x = c.w.cast(x, DataType::Float);
  c.set(
      c.w.compare("Less", c.w.like("Abs", {x}), c.w.number(infinity, x.type)));
}

/// Numbers in place of what is none.
static void nanToNum(Call &c) {
  GraphValue x = c.tensor("self");
  if (!onnx::isFloat(x.type))
    return c.set(x);
  double most = x.type == DataType::Double     ? 0x1.fffffffffffffp1023
                : x.type == DataType::Float    ? 0x1.fffffep127
                : x.type == DataType::BFloat16 ? 0x1.fep127
                                               : 65504;
  auto replace = [&](GraphValue where, StringRef argument, double otherwise) {
    x = c.w.select(where, c.w.number(c.real(argument, otherwise), x.type), x);
  };
  replace(c.w.add("IsNaN", {x}, DataType::Bool, x.rank), "nan", 0);
  replace(c.w.compare("Equal", x, c.w.number(infinity, x.type)), "posinf",
          most);
  replace(c.w.compare("Equal", x, c.w.number(-infinity, x.type)), "neginf",
          -most);
  c.set(x);
}

static void glu(Call &c) {
  GraphValue x = c.tensor("self");
  int64_t axis = c.axis("dim", x.rank, -1);
  GraphValue extent = c.w.sizeOf(x, axis);
  c.require(c.w.expression("a % 2", {extent}), "==", c.w.integer(0),
            "halves must have equal sizes");
  GraphValue half = c.w.expression("a//2", {extent}), one = c.w.integer(1);
  GraphValue end = c.w.integer(std::numeric_limits<int64_t>::max());
  GraphValue gate = c.w.slice(x, axis, half, end, one);
  c.set(c.w.binary("Mul", c.w.slice(x, axis, c.w.integer(0), half, one),
                   c.w.like("Sigmoid", {gate})));
}

//===----------------------------------------------------------------------===//
// Losses
//===----------------------------------------------------------------------===//

static constexpr int64_t noReduction = 0, meanReduction = 1;

static void reduceLoss(Call &c, GraphValue each) {
  int64_t kind = c.constant("reduction", meanReduction);
  if (kind == noReduction || each.rank == 0)
    return c.set(each);
  Ints axes;
  for (int64_t axis = 0; axis < each.rank; ++axis)
    axes.push_back(axis);
  c.set(c.w.add(kind == meanReduction ? "ReduceMean" : "ReduceSum",
                {each, c.w.ints(axes)}, each.type, 0,
                {c.w.attr("keepdims", int64_t(0))}));
}

template <bool isSquare>
static void distanceLoss(Call &c) {
  GraphValue difference =
      c.w.binary("Sub", c.w.cast(c.tensor("self"), c.type()),
                 c.w.cast(c.tensor("target"), c.type()));
  reduceLoss(c, isSquare ? c.w.binary("Mul", difference, difference)
                         : c.w.like("Abs", {difference}));
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

/// Windows along an axis, whose elements become the last axis.
static void unfold(Call &c) {
  GraphValue x = c.tensor("self");
  int64_t axis = c.axis("dimension", x.rank);
  GraphValue size = c.integer("size"), step = c.integer("step");
  if (!size || !step || x.rank == 0)
    return c.fail("expected windows along an axis");
  GraphValue extent = c.w.sizeOf(x, axis);
  c.require(size, "<=", extent, "a window must not be larger than its axis");
  GraphValue count = c.w.expression("(a - b)//c + 1", {extent, size, step});
  GraphValue first = c.w.binary("Mul", c.w.upTo(count), step);
  GraphValue places = c.w.binary("Add", c.w.unsqueeze(first, {1}),
                                 c.w.unsqueeze(c.w.upTo(size), {0}));
  GraphValue all = c.w.add("Gather", {x, places}, x.type, x.rank + 1,
                           {c.w.attr("axis", axis)});
  Ints order;
  for (int64_t other = 0; other <= x.rank; ++other)
    if (other != axis + 1)
      order.push_back(other);
  order.push_back(axis + 1);
  c.set(c.w.transpose(all, order));
}

/// Of two axes, those elements whose places differ by the offset: a last axis.
static void diagonal(Call &c) {
  GraphValue x = c.tensor("self");
  int64_t offset = c.constant("offset", 0), one = c.axis("dim1", x.rank, 0),
          two = c.axis("dim2", x.rank, 1);
  if (x.rank < 2 || one == two)
    return c.fail("expected two axes");
  GraphValue above = c.w.integer(std::max<int64_t>(offset, 0)),
             below = c.w.integer(std::max<int64_t>(-offset, 0));
  GraphValue rows = c.w.expression("a - b", {c.w.sizeOf(x, one), below}),
             columns = c.w.expression("a - b", {c.w.sizeOf(x, two), above});
  GraphValue places =
      c.w.upTo(c.w.expression("max(0, min(a, b))", {rows, columns}));
  GraphValue pairs =
      c.w.like("Concat",
               {c.w.unsqueeze(c.w.binary("Add", places, below), {1}),
                c.w.unsqueeze(c.w.binary("Add", places, above), {1})},
               {c.w.attr("axis", int64_t(1))});
  Ints order{one, two}, last;
  for (int64_t axis = 0; axis < x.rank; ++axis)
    if (axis != one && axis != two)
      order.push_back(axis);
  GraphValue picked =
      c.w.add("GatherND", {c.w.transpose(x, order), pairs}, x.type, x.rank - 1);
  for (int64_t axis = 1; axis < picked.rank; ++axis)
    last.push_back(axis);
  last.push_back(0);
  c.set(c.w.transpose(picked, last));
}

/// Each element, or each part along an axis, so many times in a row.
static void repeatInterleave(Call &c) {
  GraphValue x = c.tensor("self"), times = c.integer("repeats");
  if (!times)
    return c.fail("expected one number of times");
  int64_t axis = 0;
  if (c.has("dim"))
    axis = c.axis("dim", x.rank);
  else
    x = c.w.reshape(x, c.w.ints({-1}), 1);
  GraphValue wide = c.w.unsqueeze(x, {axis + 1});
  std::vector<GraphValue> sizes, joined;
  for (int64_t other = 0; other < x.rank; ++other) {
    GraphValue size = c.w.sizeOf(x, other);
    sizes.push_back(size);
    joined.push_back(other == axis ? c.w.expression("a*b", {size, times})
                                   : size);
    if (other == axis)
      sizes.push_back(times);
  }
  GraphValue spread =
      c.w.own("Expand", {wide, c.w.list(sizes)}, x.type, x.rank + 1);
  c.set(c.w.reshape(spread, c.w.list(joined), x.rank));
}

static void broadcastTensors(Call &c) {
  std::vector<GraphValue> parts = c.tensors("tensors");
  if (parts.empty())
    return c.fail("expected at least one tensor");
  std::vector<GraphValue> wide = c.w.ownSeveral("Broadcast", parts, c.rank());
  c.setAll(wide);
}

/// `src` in the extents of `self`.
static void copy(Call &c) {
  GraphValue self = c.tensor("self");
  c.set(c.w.own("Expand",
                {c.w.cast(c.tensor("src"), self.type), c.w.sizesOf(self)},
                self.type, self.rank));
}

static void pixelUnshuffle(Call &c) {
  GraphValue x = c.tensor("self");
  if (x.rank != 4)
    return c.fail("expected rank 4");
  // Channels first, then the places in a block.
  GraphValue size = c.integer("downscale_factor");
  GraphValue n = c.w.sizeOf(x, 0), channels = c.w.sizeOf(x, 1),
             rows = c.w.expression("a//b", {c.w.sizeOf(x, 2), size}),
             columns = c.w.expression("a//b", {c.w.sizeOf(x, 3), size});
  GraphValue parts =
      c.w.reshape(x, c.w.list({n, channels, rows, size, columns, size}), 6);
  GraphValue moved = c.w.transpose(parts, {0, 1, 3, 5, 2, 4});
  c.set(c.w.reshape(
      moved,
      c.w.list({n, c.w.expression("a*b*b", {channels, size}), rows, columns}),
      4));
}

static void gridSampler(Call &c) {
  static constexpr StringRef modes[] = {"linear", "nearest", "cubic"},
                             paddings[] = {"zeros", "border", "reflection"};
  int64_t mode = c.constant("interpolation_mode", 0),
          padding = c.constant("padding_mode", 0);
  if (mode < 0 || mode > 2 || padding < 0 || padding > 2)
    return c.fail("expected a known mode");
  c.set(c.w.like(
      "GridSample", {c.tensor("input"), c.tensor("grid")},
      {c.w.attr("mode", modes[mode]),
       c.w.attr("padding_mode", paddings[padding]),
       c.w.attr("align_corners", int64_t(c.flag("align_corners", false)))}));
}

void mlir::symshape::pytorch::addComposites(Table &table) {
  static constexpr std::pair<StringRef, Entry> entries[] = {
      {"atan2", atan2},
      {"isfinite", isFinite},
      {"nan_to_num", nanToNum},
      {"glu", glu},
      {"mse_loss", distanceLoss<true>},
      {"l1_loss", distanceLoss<false>},
      {"unfold", unfold},
      {"diagonal", diagonal},
      {"repeat_interleave.self_int", repeatInterleave},
      {"broadcast_tensors", broadcastTensors},
      {"copy", copy},
      {"pixel_unshuffle", pixelUnshuffle},
      {"grid_sampler_2d", gridSampler},
      {"grid_sampler", gridSampler}};
  for (auto [name, entry] : entries)
    table.add(("aten." + name).str(), entry);
}
