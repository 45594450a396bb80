//===- Movement.cpp - Ops that move elements ------------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Views are copies: nothing here changes a tensor in place.
//
//===----------------------------------------------------------------------===//

#include "Translator.h"

using namespace mlir::symshape;
using namespace mlir::symshape::pytorch;
using llvm::StringRef;
using onnx::DataType;

static constexpr int64_t toTheEnd = std::numeric_limits<int64_t>::max();

/// Beside -1 no size may be 0, for it could then stand for any number.
static void requireOthers(Call &c, llvm::ArrayRef<GraphValue> sizes) {
  bool isOpen = false;
  std::vector<GraphValue> others;
  for (GraphValue size : sizes) {
    std::optional<int64_t> constant = c.constantOf(size);
    if (constant == -1)
      isOpen = true;
    else if (!constant || *constant == 0)
      others.push_back(size);
  }
  if (isOpen)
    for (GraphValue size : others)
      c.translator.requireRange(size, 1, std::nullopt,
                                "a size beside -1 in a shape");
}

static void reshape(Call &c) {
  if (c.has("dtype"))
    return c.fail("expected a view of the same type");
  std::vector<GraphValue> sizes = c.integers(c.has("size") ? "size" : "shape");
  if (c.has("other"))
    for (int64_t axis = 0; axis < c.rank(); ++axis)
      sizes.push_back(c.w.sizeOf(c.tensor("other"), axis));
  requireOthers(c, sizes);
  c.set(c.w.reshape(c.tensor("self"), c.w.list(sizes), c.rank()));
}

static void expand(Call &c) {
  std::vector<GraphValue> sizes = c.integers("size");
  GraphValue x = c.tensor("self");
  if (c.has("other"))
    for (int64_t axis = 0; axis < c.rank(); ++axis)
      sizes.push_back(c.w.sizeOf(c.tensor("other"), axis));
  c.set(c.w.own("Expand", {x, c.w.list(sizes)}, x.type, c.rank()));
}

static void permute(Call &c) {
  GraphValue x = c.tensor("self");
  Ints order = c.constants("dims", {});
  if (static_cast<int64_t>(order.size()) != x.rank)
    return c.fail("expected an order of all axes");
  for (int64_t &axis : order)
    axis = c.axisOf(axis, x.rank);
  c.set(x.rank == 0 ? x : c.w.transpose(x, order));
}

static GraphValue swap(Call &c, GraphValue x, int64_t first, int64_t second) {
  Ints order;
  for (int64_t axis = 0; axis < x.rank; ++axis)
    order.push_back(axis == first ? second : axis == second ? first : axis);
  return x.rank < 2 ? x : c.w.transpose(x, order);
}

static void transpose(Call &c) {
  GraphValue x = c.tensor("self");
  StringRef first = c.has("dim0") ? "dim0" : "axis0",
            second = c.has("dim1") ? "dim1" : "axis1";
  c.set(swap(c, x, c.axis(first, x.rank), c.axis(second, x.rank)));
}

static void transposeMatrix(Call &c) {
  GraphValue x = c.tensor("self");
  c.set(x.rank < 2 ? x : swap(c, x, x.rank - 2, x.rank - 1));
}

static void moveAxes(Call &c) {
  GraphValue x = c.tensor("self");
  Ints from, to;
  for (int64_t axis : c.constants("source", {}))
    from.push_back(c.axisOf(axis, x.rank));
  for (int64_t axis : c.constants("destination", {}))
    to.push_back(c.axisOf(axis, x.rank));
  if (from.size() != to.size())
    return c.fail("expected as many destinations as sources");
  Ints order(x.rank, -1);
  for (auto [source, destination] : llvm::zip(from, to))
    order[destination] = source;
  int64_t next = 0;
  for (int64_t &axis : order) {
    if (axis >= 0)
      continue;
    while (llvm::is_contained(from, next))
      ++next;
    axis = next++;
  }
  c.set(c.w.transpose(x, order));
}

static void unsqueeze(Call &c) {
  GraphValue x = c.tensor("self");
  c.set(c.w.unsqueeze(x, {c.axis("dim", x.rank + 1)}));
}

/// Without the axes that the exporter saw to be 1; the others stay.
static void squeeze(Call &c) {
  GraphValue x = c.tensor("self");
  Ints removed;
  bool isNone =
      c.target() == "aten.squeeze.dims" && c.constants("dim", {}).empty();
  for (int64_t axis : isNone ? Ints() : c.axes("dim", x.rank))
    if (c.isOne("self", axis))
      removed.push_back(axis);
    else if (!c.extentOf("self", axis))
      c.require(c.w.sizeOf(x, axis), "!=", c.w.integer(1),
                "an axis that the example keeps would be removed");
  c.set(c.w.squeeze(x, removed));
}

static void flatten(Call &c) {
  GraphValue x = c.tensor("self");
  int64_t first = c.axis("start_dim", x.rank, 0),
          last = c.axis("end_dim", x.rank, -1);
  std::vector<GraphValue> sizes;
  for (int64_t axis = 0; axis < x.rank; ++axis) {
    if (axis > first && axis <= last)
      sizes.back() = c.w.expression("a*b", {sizes.back(), c.w.sizeOf(x, axis)});
    else
      sizes.push_back(c.w.sizeOf(x, axis));
  }
  if (x.rank == 0)
    sizes.push_back(c.w.integer(1));
  c.set(c.w.reshape(x, c.w.list(sizes), sizes.size()));
}

static void unflatten(Call &c) {
  GraphValue x = c.tensor("self");
  int64_t at = c.axis("dim", x.rank);
  std::vector<GraphValue> sizes;
  for (int64_t axis = 0; axis < x.rank; ++axis)
    if (axis != at)
      sizes.push_back(c.w.sizeOf(x, axis));
    else
      for (GraphValue size : c.integers("sizes"))
        sizes.push_back(size);
  c.set(c.w.reshape(x, c.w.list(sizes), sizes.size()));
}

static void slice(Call &c) {
  GraphValue x = c.tensor("self");
  int64_t axis = c.axis("dim", x.rank);
  c.set(c.w.slice(x, axis, c.integer("start", c.w.integer(0)),
                  c.integer("end", c.w.integer(toTheEnd)),
                  c.integer("step", c.w.integer(1))));
}

static GraphValue sumOf(Call &c, GraphValue x, GraphValue y) {
  return c.w.expression("a + b", {x, y});
}

static void narrow(Call &c) {
  GraphValue x = c.tensor("self");
  GraphValue start = c.integer("start"), length = c.integer("length");
  int64_t axis = c.axis("dim", x.rank);
  if (!start || !length)
    return c.fail("expected a start and a length");
  GraphValue extent = c.w.sizeOf(x, axis), zero = c.w.integer(0);
  if (c.constantOf(start).value_or(0) < 0)
    start = sumOf(c, extent, start);
  GraphValue end = sumOf(c, start, length);
  c.require(start, ">=", zero, "the start of a part");
  c.require(length, ">=", zero, "the length of a part");
  c.require(end, "<=", extent, "the end of a part");
  c.set(c.w.slice(x, axis, start, end, c.w.integer(1)));
}

static void select(Call &c) {
  GraphValue x = c.tensor("self");
  GraphValue index = c.w.list({c.integer("index")});
  int64_t axis = c.axis("dim", x.rank);
  GraphValue picked = c.w.like("Gather", {x, index}, {c.w.attr("axis", axis)});
  c.set(c.w.squeeze(picked, {axis}));
}

static void concat(Call &c) {
  std::vector<GraphValue> parts;
  for (GraphValue part : c.tensors("tensors"))
    if (part.rank == c.rank()) // one of no elements may have another rank
      parts.push_back(c.w.cast(part, c.type()));
  if (parts.empty())
    return c.fail("expected at least one tensor");
  c.set(c.w.like("Concat", parts, {c.w.attr("axis", c.axis("dim", c.rank()))}));
}

static void stack(Call &c) {
  int64_t axis = c.axis("dim", c.rank());
  std::vector<GraphValue> parts;
  for (GraphValue part : c.tensors("tensors"))
    parts.push_back(c.w.unsqueeze(c.w.cast(part, c.type()), {axis}));
  if (parts.empty())
    return c.fail("expected at least one tensor");
  c.set(c.w.like("Concat", parts, {c.w.attr("axis", axis)}));
}

/// Sets parts of these sizes, one after the other.
static void setParts(Call &c, GraphValue x, int64_t axis,
                     llvm::ArrayRef<GraphValue> sizes) {
  std::vector<GraphValue> parts;
  GraphValue start = c.w.integer(0);
  for (GraphValue size : sizes) {
    GraphValue end = sumOf(c, start, size);
    parts.push_back(c.w.slice(x, axis, start, end, c.w.integer(1)));
    start = end;
  }
  c.setAll(parts);
}

/// Parts of the sizes that the exporter saw.
static void splitSizes(Call &c) {
  GraphValue x = c.tensor("self");
  StringRef argument = c.has("split_sizes") ? "split_sizes" : "split_size";
  std::vector<GraphValue> sizes = c.integers(argument);
  int64_t axis = c.axis("dim", x.rank);
  GraphValue extent = c.w.sizeOf(x, axis), number = c.w.integer(c.numResults());
  constexpr StringRef message = "the number of parts that the example has";
  if (sizes.size() == 1) { // equal parts, the last of which may be smaller
    c.require(c.w.expression("max((a + b - 1)//max(b, 1), 1)",
                             {extent, sizes.front()}),
              "==", number, message);
    sizes.assign(c.numResults(), sizes.front());
  } else if (!sizes.empty() && sizes.size() == c.numResults()) {
    GraphValue sum = sizes.front();
    for (GraphValue size : llvm::drop_begin(sizes))
      sum = sumOf(c, sum, size);
    c.require(sum, "==", extent, "sizes of parts must sum up to the extent");
  } else {
    return c.fail("expected as many sizes as results");
  }
  setParts(c, x, axis, sizes);
}

/// Parts of the size ceil(extent / chunks). Of no elements there are as many as
/// asked for.
static void chunk(Call &c) {
  GraphValue x = c.tensor("self");
  int64_t axis = c.axis("dim", x.rank);
  GraphValue extent = c.w.sizeOf(x, axis), chunks = c.integer("chunks");
  GraphValue size = c.w.expression("(a + b - 1)//b", {extent, chunks});
  GraphValue number = c.w.integer(c.numResults());
  GraphValue made = c.w.expression("(a + b - 1)//max(b, 1)", {extent, size});
  // Of an extent of 0, `made` is -1.
  c.require(c.w.expression("a + b*max(0, 1 - c)",
                           {made, sumOf(c, chunks, c.w.integer(1)), extent}),
            "==", number, "the number of parts that the example has");
  setParts(c, x, axis, std::vector<GraphValue>(c.numResults(), size));
}

/// As many parts as asked for, the first of which may be larger by one.
static void tensorSplit(Call &c) {
  GraphValue x = c.tensor("self");
  int64_t axis = c.axis("dim", x.rank);
  GraphValue extent = c.w.sizeOf(x, axis), number = c.w.integer(c.numResults());
  std::vector<GraphValue> sizes;
  for (size_t i = 0; i < c.numResults(); ++i)
    sizes.push_back(
        c.w.expression("(a + b - 1 - c)//b",
                       {extent, number, c.w.integer(static_cast<int64_t>(i))}));
  setParts(c, x, axis, sizes);
}

/// Parts between places, which are as those of slices.
static void tensorSplitAt(Call &c) {
  GraphValue x = c.tensor("self");
  int64_t axis = c.axis("dim", x.rank);
  std::vector<GraphValue> parts;
  GraphValue start = c.w.integer(0);
  for (GraphValue end : c.integers("indices")) {
    parts.push_back(c.w.slice(x, axis, start, end, c.w.integer(1)));
    start = end;
  }
  parts.push_back(
      c.w.slice(x, axis, start, c.w.integer(toTheEnd), c.w.integer(1)));
  c.setAll(parts);
}

static void unbind(Call &c) {
  GraphValue x = c.tensor("self");
  int64_t axis = c.axis("dim", x.rank);
  std::vector<GraphValue> parts;
  for (size_t i = 0; i < c.numResults(); ++i)
    parts.push_back(
        c.w.squeeze(c.w.like("Gather", {x, c.w.ints({static_cast<int64_t>(i)})},
                             {c.w.attr("axis", axis)}),
                    {axis}));
  c.setAll(parts);
}

static void flip(Call &c) {
  GraphValue x = c.tensor("self");
  for (int64_t axis : x.rank == 0 ? Ints() : c.constants("dims", {}))
    x = c.w.slice(x, c.axisOf(axis, x.rank), c.w.integer(-1),
                  c.w.integer(-toTheEnd), c.w.integer(-1));
  c.set(x);
}

/// Elements of a tensor that lies row by row, by their places in its memory.
static void asStrided(Call &c) {
  if (!c.isRowMajor("self"))
    return c.fail("expected a tensor that is known to lie row by row in its "
                  "memory");
  GraphValue x = c.w.reshape(c.tensor("self"), c.w.ints({-1}), 1);
  std::vector<GraphValue> sizes = c.integers("size"),
                          strides = c.integers("stride");
  if (sizes.size() != strides.size())
    return c.fail("expected a stride per axis");
  int64_t rank = sizes.size();
  GraphValue places =
      c.has("storage_offset") ? c.integer("storage_offset") : c.w.integer(0);
  for (int64_t axis = 0; axis < rank; ++axis) {
    GraphValue along = c.w.binary("Mul", c.w.upTo(sizes[axis]), strides[axis]);
    Ints behind;
    for (int64_t other = axis + 1; other < rank; ++other)
      behind.push_back(other - axis);
    if (!behind.empty())
      along = c.w.unsqueeze(along, behind);
    places = c.w.binary("Add", places, along);
  }
  c.set(c.w.add("Gather", {x, places}, x.type, rank,
                {c.w.attr("axis", int64_t(0))}));
}

/// Each axis as the part behind the last `shift` elements, and then the rest.
static void roll(Call &c) {
  GraphValue x = c.tensor("self");
  std::vector<GraphValue> shifts = c.integers("shifts");
  Ints axes = c.constants("dims", {});
  if (axes.size() != shifts.size())
    return c.fail("expected an axis for each shift");
  for (auto [shift, given] : llvm::zip(shifts, axes)) {
    int64_t axis = c.axisOf(given, x.rank);
    GraphValue size = c.w.sizeOf(x, axis);
    GraphValue at = c.w.expression("b - a % max(b, 1)", {shift, size});
    GraphValue end = c.w.integer(toTheEnd), one = c.w.integer(1);
    x = c.w.like("Concat",
                 {c.w.slice(x, axis, at, end, one),
                  c.w.slice(x, axis, c.w.integer(0), at, one)},
                 {c.w.attr("axis", axis)});
  }
  c.set(x);
}

static void repeat(Call &c) {
  GraphValue x = c.tensor("self");
  std::vector<GraphValue> times =
      c.integers(c.has("dims") ? "dims" : "repeats");
  Ints added;
  for (int64_t axis = 0; axis < c.rank() - x.rank; ++axis)
    added.push_back(axis);
  x = c.w.unsqueeze(x, added);
  while (static_cast<int64_t>(times.size()) < x.rank)
    times.insert(times.begin(), c.w.integer(1));
  c.set(c.w.like("Tile", {x, c.w.list(times)}));
}

/// Amounts below 0 cut off: PyTorch does so before it pads, and of what is
/// there.
static void requireToCut(Call &c, GraphValue x, int64_t axis, GraphValue low,
                         GraphValue high) {
  auto mayCut = [&](GraphValue amount) {
    return c.constantOf(amount).value_or(-1) < 0;
  };
  if (mayCut(low) || mayCut(high))
    c.require(c.w.expression("a + min(b, 0) + min(c, 0)",
                             {c.w.sizeOf(x, axis), low, high}),
              ">=", c.w.integer(0), "no more may be cut off than is there");
}

/// A constant, or an edge or mirror, around the last axes.
static void pad(Call &c) {
  GraphValue x = c.tensor("self");
  std::vector<GraphValue> amounts =
      c.integers(c.has("pad") ? "pad" : "padding");
  int64_t count = amounts.size() / 2;
  if (amounts.size() % 2 || count > x.rank)
    return c.fail("expected two amounts for each of the last axes");
  // The last axis comes first, its two amounts side by side.
  std::vector<GraphValue> low, high;
  Ints axes;
  for (int64_t i = 0; i < count; ++i) {
    low.push_back(amounts[2 * i]);
    high.push_back(amounts[2 * i + 1]);
    axes.push_back(x.rank - 1 - i);
  }
  low.insert(low.end(), high.begin(), high.end());
  StringRef target = c.target(), mode = c.text("mode", "constant");
  if (target.contains("reflection") || mode == "reflect")
    mode = "reflect";
  else if (target.contains("replication") || mode == "replicate")
    mode = "edge";
  else if (mode == "circular")
    mode = "wrap";
  if (mode == "wrap")
    for (auto [i, amount] : llvm::enumerate(low))
      c.require(amount, "<=", c.w.sizeOf(x, axes[i % axes.size()]),
                "a border must not go around an axis twice");
  GraphValue value;
  if (mode == "constant") {
    value =
        c.has("value") ? c.number("value", x.type) : c.w.number(0.0, x.type);
    for (auto [i, axis] : llvm::enumerate(axes))
      requireToCut(c, x, axis, low[i], low[i + axes.size()]);
  }
  c.set(c.w.like("Pad", {x, c.w.list(low), value, c.w.ints(axes)},
                 {c.w.attr("mode", mode)}));
}

template <bool isUpper>
static void triangle(Call &c) {
  GraphValue x = c.tensor("self");
  c.set(c.w.like("Trilu", {x, c.integer("diagonal", c.w.integer(0))},
                 {c.w.attr("upper", int64_t(isUpper))}));
}

static void pixelShuffle(Call &c) {
  c.set(c.w.like("DepthToSpace", {c.tensor("self")},
                 {c.w.attr("blocksize", c.constant("upscale_factor", 1)),
                  c.w.attr("mode", StringRef("CRD"))}));
}

void mlir::symshape::pytorch::addMovement(Table &table) {
  static constexpr std::pair<StringRef, Entry> entries[] = {
      {"view", reshape},
      {"_unsafe_view", reshape},
      {"reshape", reshape},
      {"view_as", reshape},
      {"reshape_as", reshape},
      {"view_copy", reshape},
      {"expand", expand},
      {"expand_as", expand},
      {"expand_copy", expand},
      {"broadcast_to", expand},
      {"permute", permute},
      {"permute_copy", permute},
      {"transpose", transpose},
      {"swapaxes", transpose},
      {"swapdims", transpose},
      {"t", transposeMatrix},
      {"numpy_T", transposeMatrix},
      {"mT", transposeMatrix},
      {"movedim", moveAxes},
      {"unsqueeze", unsqueeze},
      {"squeeze", squeeze},
      {"flatten", flatten},
      {"unflatten", unflatten},
      {"slice", slice},
      {"narrow", narrow},
      {"select", select},
      {"cat", concat},
      {"concat", concat},
      {"stack", stack},
      {"split", splitSizes},
      {"split_with_sizes", splitSizes},
      {"split_with_sizes_copy", splitSizes},
      {"unsafe_split", splitSizes},
      {"chunk", chunk},
      {"tensor_split.sections", tensorSplit},
      {"tensor_split.indices", tensorSplitAt},
      {"unbind", unbind},
      {"as_strided", asStrided},
      {"as_strided_copy", asStrided},
      {"flip", flip},
      {"roll", roll},
      {"repeat", repeat},
      {"tile", repeat},
      {"constant_pad_nd", pad},
      {"pad", pad},
      {"reflection_pad1d", pad},
      {"reflection_pad2d", pad},
      {"reflection_pad3d", pad},
      {"replication_pad1d", pad},
      {"replication_pad2d", pad},
      {"replication_pad3d", pad},
      {"tril", triangle<false>},
      {"triu", triangle<true>},
      {"pixel_shuffle", pixelShuffle}};
  for (auto [name, entry] : entries)
    table.add(("aten." + name).str(), entry);
}
