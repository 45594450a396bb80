//===- Indexing.cpp - Ops that pick and place elements --------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// By tensors of places or of truth. Not for: slices (Movement.cpp).
//
//===----------------------------------------------------------------------===//

#include "Call.h"

using namespace mlir::symshape;
using namespace mlir::symshape::pytorch;
using llvm::StringRef;
using onnx::DataType;

//===----------------------------------------------------------------------===//
// Several tensors of places
//===----------------------------------------------------------------------===//

namespace {
/// Places along some axes, brought to one shape.
struct Places {
  std::vector<GraphValue> indices;
  Ints axes;
  int64_t rank = 0; ///< of each of the indices
};
} // namespace

/// The places where a mask holds, one tensor for each of its axes.
static std::vector<GraphValue> placesOf(Call &c, GraphValue mask) {
  GraphValue all = c.w.add("NonZero", {mask}, DataType::Int64, 2);
  std::vector<GraphValue> places;
  for (int64_t axis = 0; axis < mask.rank; ++axis)
    places.push_back(c.w.squeeze(c.w.like("Gather", {all, c.w.ints({axis})},
                                          {c.w.attr("axis", int64_t(0))}),
                                 {0}));
  return places;
}

static Places readPlaces(Call &c, StringRef argument) {
  Places places;
  int64_t axis = 0;
  for (GraphValue index : c.tensors(argument)) {
    if (!index) {
      ++axis;
      continue;
    }
    bool isMask = index.type == DataType::Bool || index.type == DataType::UInt8;
    if (isMask && index.rank == 0) {
      c.fail("expected a mask that has axes");
      return places;
    }
    std::vector<GraphValue> parts =
        isMask ? placesOf(c, index)
               : std::vector<GraphValue>{c.w.cast(index, DataType::Int64)};
    for (GraphValue part : parts) {
      places.indices.push_back(part);
      places.axes.push_back(axis++);
      places.rank = std::max(places.rank, part.rank);
    }
  }
  if (places.indices.empty())
    c.fail("expected at least one tensor of places");
  if (places.indices.size() < 2)
    return places;
  // Zeros of the shape that all of them are broadcast to.
  GraphValue zeros;
  for (GraphValue index : places.indices) {
    GraphValue zero = c.w.binary("Sub", index, index);
    zeros = zeros ? c.w.binary("Add", zeros, zero) : zero;
  }
  for (GraphValue &index : places.indices)
    index = c.w.binary("Add", index, zeros);
  return places;
}

/// The indexed axes first, then the others.
static Ints indexedFirst(const Places &places, int64_t rank) {
  Ints order = places.axes;
  for (int64_t axis = 0; axis < rank; ++axis)
    if (!llvm::is_contained(places.axes, axis))
      order.push_back(axis);
  return order;
}

static Ints inverse(const Ints &order) {
  Ints result(order.size());
  for (auto [i, axis] : llvm::enumerate(order))
    result[axis] = i;
  return result;
}

/// The last axis counts the indexed axes.
static GraphValue stackPlaces(Call &c, const Places &places) {
  std::vector<GraphValue> parts;
  for (GraphValue index : places.indices)
    parts.push_back(c.w.unsqueeze(index, {places.rank}));
  return parts.size() == 1
             ? parts.front()
             : c.w.like("Concat", parts, {c.w.attr("axis", places.rank)});
}

/// From results whose axes of places come first to how PyTorch orders them:
/// where the indexed axes are side by side, in their place.
static Ints resultOrder(const Places &places, int64_t rank) {
  int64_t first = places.axes.front(), count = places.axes.size();
  bool areTogether = places.axes.back() - first + 1 == count;
  int64_t rest = rank - count;
  Ints order;
  if (!areTogether)
    first = 0;
  for (int64_t axis = 0; axis < first; ++axis)
    order.push_back(places.rank + axis);
  for (int64_t axis = 0; axis < places.rank; ++axis)
    order.push_back(axis);
  for (int64_t axis = first; axis < rest; ++axis)
    order.push_back(places.rank + axis);
  return order;
}

static GraphValue pick(Call &c, GraphValue x, const Places &places) {
  int64_t rank = x.rank - places.axes.size() + places.rank;
  if (places.indices.size() == 1)
    return c.w.add("Gather", {x, places.indices.front()}, x.type, rank,
                   {c.w.attr("axis", places.axes.front())});
  GraphValue moved = c.w.transpose(x, indexedFirst(places, x.rank));
  GraphValue picked =
      c.w.add("GatherND", {moved, stackPlaces(c, places)}, x.type, rank);
  Ints order = resultOrder(places, x.rank);
  return rank == 0 ? picked : c.w.transpose(picked, order);
}

static void index(Call &c) {
  GraphValue x = c.tensor("self");
  Places places = readPlaces(c, "indices");
  if (c.failed())
    return;
  if (places.axes.back() >= x.rank)
    return c.fail("expected at most " + llvm::Twine(x.rank) + " places");
  c.set(pick(c, x, places));
}

static void indexPut(Call &c) {
  GraphValue x = c.tensor("self"),
             values = c.w.cast(c.tensor("values"), x.type);
  std::vector<GraphValue> given = c.tensors("indices");
  bool accumulates = c.flag("accumulate", false);
  if (given.size() == 1 && given[0] && given[0].type == DataType::Bool &&
      values.rank == 0 && !accumulates) {
    Ints axes;
    for (int64_t axis = given[0].rank; axis < x.rank; ++axis)
      axes.push_back(axis);
    return c.set(c.w.select(c.w.unsqueeze(given[0], axes), values, x));
  }
  Places places = readPlaces(c, "indices");
  if (c.failed())
    return;
  if (places.axes.back() >= x.rank)
    return c.fail("expected at most " + llvm::Twine(x.rank) + " places");
  Ints order = indexedFirst(places, x.rank);
  GraphValue moved = c.w.transpose(x, order);
  // The values are broadcast to what picking would give.
  GraphValue like = pick(c, x, places);
  values = c.w.own("Expand", {values, c.w.sizesOf(like)}, x.type, like.rank);
  if (like.rank != 0)
    values = c.w.transpose(values, inverse(resultOrder(places, x.rank)));
  GraphValue stacked = stackPlaces(c, places);
  GraphValue changed = c.w.like(
      "ScatterND", {moved, stacked, values},
      {c.w.attr("reduction", StringRef(accumulates ? "add" : "none"))});
  c.set(c.w.transpose(changed, inverse(order)));
}

//===----------------------------------------------------------------------===//
// One axis
//===----------------------------------------------------------------------===//

/// A scalar as a vector of one element.
static GraphValue withAxis(Call &c, GraphValue x) {
  return x && x.rank == 0 ? c.w.unsqueeze(x, {0}) : x;
}

static void gather(Call &c) {
  GraphValue x = withAxis(c, c.tensor("self")), index = c.tensor("index");
  GraphValue places = withAxis(c, c.w.cast(index, DataType::Int64));
  GraphValue result =
      c.w.add("GatherElements", {x, places}, x.type, places.rank,
              {c.w.attr("axis", c.axis("dim", x.rank))});
  c.set(index.rank == 0 ? c.w.squeeze(result, {0}) : result);
}

static void indexSelect(Call &c) {
  GraphValue self = c.tensor("self"), x = withAxis(c, self);
  GraphValue result = c.w.like("Gather", {x, withAxis(c, c.tensor("index"))},
                               {c.w.attr("axis", c.axis("dim", x.rank))});
  c.set(self.rank == 0 ? c.w.squeeze(result, {0}) : result);
}

/// The number that changes nothing.
static GraphValue neutral(Call &c, StringRef reduction, DataType type) {
  bool isFloat = onnx::isFloat(type);
  unsigned bits = 8 * onnx::bytesOf(type);
  if (reduction == "add" || reduction == "mul")
    return c.w.number(int64_t(reduction == "mul"), type);
  constexpr double infinity = std::numeric_limits<double>::infinity();
  bool isLeast = reduction == "max";
  if (isFloat)
    return c.w.number(isLeast ? -infinity : infinity, type);
  int64_t most = onnx::isUnsigned(type)
                     ? static_cast<int64_t>(~0ull >> (64 - bits))
                     : static_cast<int64_t>(~0ull >> (65 - bits));
  return c.w.number(!isLeast                 ? most
                    : onnx::isUnsigned(type) ? int64_t(0)
                                             : -most - 1,
                    type);
}

/// The elements of `x` and those that come to their places.
static GraphValue combine(Call &c, GraphValue x, GraphValue index,
                          GraphValue updates, StringRef reduce) {
  static const std::pair<StringRef, StringRef> words[] = {
      {"none", "none"}, {"add", "add"},  {"sum", "add"},  {"multiply", "mul"},
      {"prod", "mul"},  {"amax", "max"}, {"amin", "min"}, {"mean", "add"}};
  StringRef word;
  for (auto [torch, standard] : words)
    if (reduce == torch)
      word = standard;
  bool isMean = reduce == "mean", isIncluded = c.flag("include_self", true);
  if (word.empty() || (isMean && !onnx::isFloat(x.type))) {
    c.fail("expected a sum, product, greatest or least value, or a mean of "
           "floats");
    return x;
  }
  int64_t axis = c.axis("dim", x.rank);
  // Where there is no place, there must be nothing to put.
  GraphValue count = c.w.add("Size", {index}, DataType::Int64, 0);
  c.require(c.w.expression("min(a, 1 - b)", {count, c.w.sizeOf(x, axis)}),
            "<=", c.w.integer(0), "an index must be within its axis");
  auto scatterInto = [&](GraphValue into, GraphValue from,
                         StringRef reduction) {
    return c.w.like("ScatterElements", {into, index, from},
                    {c.w.attr("axis", axis), c.w.attr("reduction", reduction)});
  };
  if (!isMean && isIncluded)
    return scatterInto(x, updates, word);
  // How many come to each place.
  auto filled = [&](GraphValue like, int64_t value) {
    return c.w.own("Expand",
                   {c.w.number(value, DataType::Int64), c.w.sizesOf(like)},
                   DataType::Int64, like.rank);
  };
  GraphValue counts = scatterInto(filled(x, 0), filled(index, 1), "add");
  GraphValue isMet = c.w.compare("Greater", counts, c.w.integer(0));
  if (!isIncluded)
    x = c.w.select(isMet, neutral(c, word, x.type), x);
  GraphValue result = scatterInto(x, updates, word);
  if (!isMean)
    return result;
  counts = isIncluded ? c.w.binary("Add", counts, c.w.integer(1))
                      : c.w.add("Max", {counts, c.w.integer(1)},
                                DataType::Int64, counts.rank);
  return c.w.binary("Div", result, c.w.cast(counts, result.type));
}

static void scatter(Call &c) {
  GraphValue self = c.tensor("self"), x = withAxis(c, self);
  GraphValue index = withAxis(c, c.w.cast(c.tensor("index"), DataType::Int64));
  GraphValue updates;
  if (c.has("src")) {
    updates = withAxis(c, c.w.cast(c.tensor("src"), x.type));
    // No more of it than there are places.
    for (int64_t axis = 0; axis < updates.rank; ++axis)
      updates = c.w.slice(updates, axis, c.w.integer(0),
                          c.w.sizeOf(index, axis), c.w.integer(1));
  } else {
    updates = c.w.own("Expand", {c.number("value", x.type), c.w.sizesOf(index)},
                      x.type, index.rank);
  }
  StringRef reduce = c.text("reduce", "none");
  if (c.target().starts_with("aten.scatter_add"))
    reduce = "add";
  GraphValue result = combine(c, x, index, updates, reduce);
  c.set(self.rank == 0 ? c.w.squeeze(result, {0}) : result);
}

static void indexAdd(Call &c) {
  GraphValue x = c.tensor("self"),
             index = c.w.cast(c.tensor("index"), DataType::Int64);
  GraphValue source = c.w.cast(c.tensor("source"), x.type);
  if (x.rank == 0)
    return c.fail("expected a tensor with axes");
  if (c.has("alpha"))
    source = c.w.binary("Mul", source, c.number("alpha", x.type));
  int64_t axis = c.axis("dim", x.rank);
  Ints order{axis};
  for (int64_t other = 0; other < x.rank; ++other)
    if (other != axis)
      order.push_back(other);
  GraphValue changed =
      c.w.like("ScatterND",
               {c.w.transpose(x, order), c.w.unsqueeze(index, {1}),
                c.w.transpose(source, order)},
               {c.w.attr("reduction", StringRef("add"))});
  c.set(c.w.transpose(changed, inverse(order)));
}

/// Parts along an axis in the place of others.
static void indexCopy(Call &c) {
  GraphValue x = c.tensor("self"),
             index = withAxis(c, c.w.cast(c.tensor("index"), DataType::Int64));
  GraphValue source = c.w.cast(c.tensor("source"), x.type);
  if (x.rank == 0)
    return c.fail("expected a tensor with axes");
  int64_t axis = c.axis("dim", x.rank);
  if (source.rank < x.rank)
    source = c.w.unsqueeze(source, {axis});
  Ints order{axis};
  for (int64_t other = 0; other < x.rank; ++other)
    if (other != axis)
      order.push_back(other);
  GraphValue changed =
      c.w.like("ScatterND", {c.w.transpose(x, order), c.w.unsqueeze(index, {1}),
                             c.w.transpose(source, order)});
  c.set(c.w.transpose(changed, inverse(order)));
}

static void nonzero(Call &c) {
  GraphValue x = c.tensor("self");
  c.set(c.w.transpose(c.w.add("NonZero", {x}, DataType::Int64, 2), {1, 0}));
}

/// The same, each axis by itself.
static void nonzeroParts(Call &c) {
  GraphValue x = c.tensor("condition");
  c.setAll(placesOf(c, x.rank == 0 ? c.w.unsqueeze(x, {0}) : x));
}

static void maskedSelect(Call &c) {
  GraphValue x = c.tensor("self"), mask = c.tensor("mask");
  int64_t rank = std::max(x.rank, mask.rank);
  GraphValue no = c.w.number(int64_t(0), DataType::Bool);
  // Both in the shape that they are broadcast to.
  GraphValue all = c.w.compare(
      "Or", mask, c.w.compare("And", c.w.cast(x, DataType::Bool), no));
  GraphValue wide = c.w.select(all, x, x);
  all.rank = wide.rank = rank;
  if (rank == 0) {
    all = c.w.unsqueeze(all, {0});
    wide = c.w.unsqueeze(wide, {0});
  }
  Places places;
  places.indices = placesOf(c, all);
  for (int64_t axis = 0; axis < all.rank; ++axis)
    places.axes.push_back(axis);
  places.rank = 1;
  c.set(pick(c, wide, places));
}

/// The part before a slice, what takes its place, and the part behind it.
static void sliceScatter(Call &c) {
  GraphValue x = c.tensor("self"), source = c.w.cast(c.tensor("src"), x.type);
  int64_t axis = c.axis("dim", x.rank);
  constexpr int64_t toTheEnd = std::numeric_limits<int64_t>::max();
  GraphValue zero = c.w.integer(0), one = c.w.integer(1),
             last = c.w.integer(toTheEnd);
  GraphValue start = c.integer("start", zero), end = c.integer("end", last),
             step = c.integer("step", one);
  auto from = c.constantOf(start), to = c.constantOf(end);
  if (from && to && c.constantOf(step) == 1 && (*from < 0) == (*to < 0) &&
      *from <= *to)
    return c.set(c.w.like("Concat",
                          {c.w.slice(x, axis, zero, start, one), source,
                           c.w.slice(x, axis, end, last, one)},
                          {c.w.attr("axis", axis)}));
  // Rows at the places that the slice of all places has.
  GraphValue all =
      c.w.add("Range", {zero, c.w.sizeOf(x, axis), one}, DataType::Int64, 1);
  GraphValue places = c.w.unsqueeze(c.w.slice(all, 0, start, end, step), {1});
  Ints order{axis};
  for (int64_t other = 0; other < x.rank; ++other)
    if (other != axis)
      order.push_back(other);
  GraphValue changed = c.w.like("ScatterND", {c.w.transpose(x, order), places,
                                              c.w.transpose(source, order)});
  c.set(c.w.transpose(changed, inverse(order)));
}

static void selectScatter(Call &c) {
  GraphValue x = c.tensor("self"), source = c.w.cast(c.tensor("src"), x.type);
  int64_t axis = c.axis("dim", x.rank), at = c.constant("index", 0);
  constexpr int64_t toTheEnd = std::numeric_limits<int64_t>::max();
  GraphValue one = c.w.integer(1);
  c.require(c.w.integer(at < 0 ? -at : at + 1), "<=", c.w.sizeOf(x, axis),
            "the place must be within the axis");
  std::vector<GraphValue> parts{
      c.w.slice(x, axis, c.w.integer(0), c.w.integer(at), one),
      c.w.unsqueeze(source, {axis})};
  if (at != -1)
    parts.push_back(
        c.w.slice(x, axis, c.w.integer(at + 1), c.w.integer(toTheEnd), one));
  c.set(c.w.like("Concat", parts, {c.w.attr("axis", axis)}));
}

void mlir::symshape::pytorch::addIndexing(Table &table) {
  static constexpr std::pair<StringRef, Entry> entries[] = {
      {"index", index},
      {"_unsafe_index", index},
      {"index_put", indexPut},
      {"_unsafe_index_put", indexPut},
      {"gather", gather},
      {"index_select", indexSelect},
      {"scatter", scatter},
      {"scatter_add", scatter},
      {"scatter_reduce", scatter},
      {"index_add", indexAdd},
      {"index_copy", indexCopy},
      {"nonzero", nonzero},
      {"where.default", nonzeroParts},
      {"masked_select", maskedSelect},
      {"slice_scatter", sliceScatter},
      {"select_scatter", selectScatter}};
  for (auto [name, entry] : entries)
    table.add(("aten." + name).str(), entry);
}
