//===- Counting.cpp - Ops whose results count elements --------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How often something is there, or is to be there: most sizes are data.
//
//===----------------------------------------------------------------------===//

#include "Call.h"

using namespace mlir::symshape;
using namespace mlir::symshape::pytorch;
using llvm::StringRef;
using onnx::DataType;

/// All elements, one after the other.
static GraphValue flatten(Call &c, GraphValue x) {
  return c.w.reshape(x, c.w.ints({-1}), 1);
}

/// The least or greatest of integers, and of one more.
static GraphValue extreme(Call &c, StringRef op, GraphValue x,
                          GraphValue other) {
  GraphValue all = c.w.like("Concat", {x, c.w.unsqueeze(other, {0})},
                            {c.w.attr("axis", int64_t(0))});
  return c.w.add(op, {all, c.w.ints({0})}, DataType::Int64, 0,
                 {c.w.attr("keepdims", int64_t(0))});
}

static void requireNone(Call &c, GraphValue x, StringRef message) {
  c.w.require(extreme(c, "ReduceMin", x, c.w.integer(0)), ">=", c.w.integer(0),
              message);
}

/// Adds parts to the places of a vector.
static GraphValue addAt(Call &c, GraphValue into, GraphValue places,
                        GraphValue parts) {
  return c.w.like("ScatterND", {into, c.w.unsqueeze(places, {1}), parts},
                  {c.w.attr("reduction", StringRef("add"))});
}

//===----------------------------------------------------------------------===//
// So many times
//===----------------------------------------------------------------------===//

/// Each place as often in a row as it is told.
static GraphValue repeatPlaces(Call &c, GraphValue times) {
  requireNone(c, times, "a part cannot be repeated less than 0 times");
  GraphValue zero = c.w.integer(0), one = c.w.integer(1);
  GraphValue ends = c.w.like("CumSum", {times, zero});
  GraphValue total =
      c.w.add("ReduceSum", {times, c.w.ints({0})}, DataType::Int64, 0,
              {c.w.attr("keepdims", int64_t(0))});
  // How many parts begin there or before, without one. Where one begins behind
  // the end, it is repeated 0 times.
  GraphValue marks = c.w.filled(zero, {c.w.expression("a + 1", {total})});
  marks = addAt(c, marks, c.w.binary("Sub", ends, times),
                c.w.filled(one, {c.w.sizeOf(times, 0)}));
  GraphValue begun = c.w.like("CumSum", {marks, zero});
  return c.w.binary("Sub", c.w.slice(begun, 0, zero, total, one), one);
}

static void repeats(Call &c) {
  c.set(repeatPlaces(c, c.w.cast(c.tensor("repeats"), DataType::Int64)));
}

/// Parts along an axis, each as often in a row as it is told.
static void repeatParts(Call &c) {
  GraphValue x = c.tensor("self"),
             times = c.w.cast(c.tensor("repeats"), DataType::Int64);
  int64_t axis = 0;
  if (c.has("dim"))
    axis = c.axis("dim", x.rank);
  if (!c.has("dim") || x.rank == 0)
    x = flatten(c, x);
  if (times.rank > 1)
    return c.fail("expected numbers of times of rank 0 or 1");
  times = c.w.filled(times, {c.w.sizeOf(x, axis)});
  c.set(c.w.like("Gather", {x, repeatPlaces(c, times)},
                 {c.w.attr("axis", axis)}));
}

//===----------------------------------------------------------------------===//
// How often
//===----------------------------------------------------------------------===//

/// The different elements in order, where each element is among them, and how
/// often each is there.
static void unique(Call &c) {
  GraphValue x = c.tensor("self");
  auto parts = c.w.addSeveral("Unique", {flatten(c, x)}, x.type, 1, 4,
                              {c.w.attr("sorted", int64_t(1))});
  for (GraphValue &places : llvm::MutableArrayRef(parts).drop_front())
    places.type = DataType::Int64;
  c.set(parts[0]);
  auto setOr = [&](size_t i, StringRef flag, GraphValue value) {
    if (c.wants(i))
      c.set(c.flag(flag, false) ? value
                                : c.w.filled(c.w.integer(0), {c.w.integer(0)}),
            i);
  };
  setOr(1, "return_inverse", c.w.reshape(parts[2], c.w.sizesOf(x), x.rank));
  setOr(2, "return_counts", parts[3]);
}

/// How often each number from 0 on is there, or the sum of its weights.
static void countNumbers(Call &c) {
  GraphValue x = c.w.cast(c.tensor("self"), DataType::Int64);
  requireNone(c, x, "what is counted must be at least 0");
  GraphValue least = c.integer("minlength", c.w.integer(0));
  GraphValue count = c.w.expression(
      "a + 1", {extreme(c, "ReduceMax", x, c.w.expression("a - 1", {least}))});
  GraphValue parts = c.has("weights")
                         ? c.w.cast(c.tensor("weights"), c.type())
                         : c.w.filled(c.w.integer(1), {c.w.sizeOf(x, 0)});
  c.set(addAt(c, c.w.filled(c.w.number(int64_t(0), parts.type), {count}), x,
              parts));
}

/// How many numbers lie in each of some ranges of one size.
static void histogram(Call &c) {
  GraphValue x = c.tensor("self");
  int64_t count = c.constant("bins", 100);
  double least = c.real("min", 0), most = c.real("max", 0);
  if (count < 1 || !(least < most))
    return c.fail("expected at least one range, and a least number below the "
                  "greatest");
  DataType type = onnx::isFloat(x.type) ? x.type : DataType::Float;
  GraphValue from = c.w.number(least, type),
             size = c.w.number(most - least, type);
  GraphValue flat = c.w.cast(flatten(c, x), type);
  GraphValue isInside =
      c.w.compare("And", c.w.compare("GreaterOrEqual", flat, from),
                  c.w.compare("LessOrEqual", flat, c.w.number(most, type)));
  GraphValue place =
      c.w.binary("Mul", c.w.binary("Div", c.w.binary("Sub", flat, from), size),
                 c.w.number(double(count), type));
  // The greatest number is in the last range; behind it is what is outside.
  place =
      c.w.binary("Min",
                 c.w.cast(c.w.select(isInside, place, c.w.number(0.0, type)),
                          DataType::Int64),
                 c.w.integer(count - 1));
  place = c.w.select(isInside, place, c.w.integer(count));
  GraphValue counts =
      addAt(c, c.w.filled(c.w.integer(0), {c.w.integer(count + 1)}), place,
            c.w.filled(c.w.integer(1), {c.w.sizeOf(flat, 0)}));
  c.set(
      c.w.slice(counts, 0, c.w.integer(0), c.w.integer(count), c.w.integer(1)));
}

//===----------------------------------------------------------------------===//
// Products of groups
//===----------------------------------------------------------------------===//

/// Rows up to each end by a matrix of their own; zeros behind the last end.
static void groupedProduct(Call &c) {
  bool isFallback = c.target().starts_with("transformers.");
  GraphValue x = c.tensor(isFallback ? "input" : "self"),
             weight = c.tensor(isFallback ? "weight" : "mat2");
  if (x.rank != 2 || weight.rank != 3 || !c.has("offs") || c.has("bias"))
    return c.fail("expected rows, a matrix for each group, their ends, and no "
                  "bias");
  GraphValue ends = c.w.cast(c.tensor("offs"), DataType::Int64);
  auto groups = c.extentOf(isFallback ? "weight" : "mat2", 0);
  if (!groups)
    return c.fail("expected a constant number of groups");
  GraphValue zero = c.w.integer(0), one = c.w.integer(1), start = zero;
  GraphValue rows = c.w.upTo(c.w.sizeOf(x, 0));
  GraphValue result = c.w.filled(c.w.number(0.0, x.type),
                                 {c.w.sizeOf(x, 0), c.w.sizeOf(weight, 2)});
  auto pick = [&](GraphValue from, int64_t i) {
    return c.w.squeeze(c.w.like("Gather", {from, c.w.ints({i})},
                                {c.w.attr("axis", int64_t(0))}),
                       {0});
  };
  for (int64_t i = 0; i < *groups; ++i) {
    GraphValue end = pick(ends, i);
    end.rank = 0;
    GraphValue matrix = pick(weight, i);
    matrix.rank = 2;
    GraphValue part =
        c.w.like("MatMul", {c.w.slice(x, 0, start, end, one), matrix});
    result = c.w.like("ScatterND",
                      {result,
                       c.w.unsqueeze(c.w.slice(rows, 0, start, end, one), {1}),
                       part});
    start = end;
  }
  c.set(result);
}

void mlir::symshape::pytorch::addCounting(Table &table) {
  static constexpr std::pair<StringRef, Entry> entries[] = {
      {"aten.repeat_interleave.Tensor", repeats},
      {"aten.repeat_interleave.self_Tensor", repeatParts},
      {"aten._unique2", unique},
      {"aten.bincount", countNumbers},
      {"aten.histc", histogram},
      {"aten._grouped_mm", groupedProduct},
      {"transformers.grouped_mm_fallback", groupedProduct}};
  for (auto [name, entry] : entries)
    table.add(name, entry);
}
