//===- Creation.cpp - Ops that make tensors -------------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of sizes, numbers and ranges. Not for: random numbers.
//
//===----------------------------------------------------------------------===//

#include "Call.h"
#include "Promotion.h"

using namespace mlir::symshape;
using namespace mlir::symshape::pytorch;
using llvm::StringRef;
using onnx::DataType;

/// A number in every element of these sizes.
static GraphValue fill(Call &c, GraphValue number, GraphValue sizes) {
  return c.w.own("Expand", {number, sizes}, number.type, c.rank());
}

/// The sizes of the result: given, or those of a tensor.
static GraphValue resultSizes(Call &c) {
  StringRef target = c.target().split('.').second.split('.').first;
  if (target.ends_with("_like") || target == "fill" || target == "fill_" ||
      target == "zero" || target == "zero_")
    return c.w.sizesOf(c.tensor("self"));
  return c.w.list(c.integers("size"));
}

template <int value>
static void fillWith(Call &c) {
  c.set(fill(c, c.w.number(int64_t(value), c.type()), resultSizes(c)));
}

static void full(Call &c) {
  StringRef argument = c.has("fill_value") ? "fill_value" : "value";
  c.set(fill(c, c.number(argument, c.type()), resultSizes(c)));
}

static void scalarTensor(Call &c) { c.set(c.number("s", c.type())); }

static void arange(Call &c) {
  // Sizes stay integers; how many there are is computed in double otherwise.
  bool isInteger = !c.isFloatNumber("start") && !c.isFloatNumber("end") &&
                   !c.isFloatNumber("step");
  DataType computed = isInteger ? DataType::Int64 : DataType::Double;
  auto bound = [&](StringRef argument, int64_t otherwise) {
    if (!c.has(argument))
      return c.w.number(otherwise, computed);
    return isInteger && !c.isConstantBool(argument)
               ? c.integer(argument)
               : c.number(argument, computed);
  };
  GraphValue start = bound("start", 0), end = bound("end", 0),
             step = bound("step", 1);
  GraphValue range = c.w.add("Range", {start, end, step}, computed, 1);
  if (isInteger || onnx::isFloat(c.type()))
    return c.set(range);
  // Integers begin and go on by what is cut off.
  GraphValue places = c.w.upTo(c.w.sizeOf(range, 0));
  auto whole = [&](GraphValue x) { return c.w.cast(x, DataType::Int64); };
  c.set(
      c.w.binary("Add", whole(start), c.w.binary("Mul", places, whole(step))));
}

static void linspace(Call &c) {
  DataType type = onnx::isFloat(c.type()) ? c.type() : DataType::Float;
  GraphValue steps = c.integer("steps");
  if (!steps)
    return c.fail("expected a number of steps");
  GraphValue start = c.number("start", type), end = c.number("end", type);
  GraphValue zero = c.w.integer(0), one = c.w.integer(1);
  GraphValue places = c.w.add("Range", {zero, steps, one}, DataType::Int64, 1);
  GraphValue last = c.w.expression("max(a - 1, 1)", {steps});
  GraphValue step =
      c.w.binary("Div", c.w.binary("Sub", end, start), c.w.cast(last, type));
  auto along = [&](GraphValue from, GraphValue at) {
    return c.w.binary("Mul", c.w.cast(at, type), from);
  };
  // From both ends, as PyTorch computes it.
  GraphValue rest = c.w.binary("Sub", c.w.expression("a - 1", {steps}), places);
  rest.rank = 1;
  GraphValue middle = c.w.expression("a//2", {steps});
  GraphValue low = c.w.binary("Add", along(step, places), start);
  GraphValue high = c.w.binary("Sub", end, along(step, rest));
  high.rank = 1;
  c.set(c.w.select(c.w.compare("Less", places, middle), low, high));
}

static void eye(Call &c) {
  GraphValue rows = c.integer("n"), columns = c.integer("m", rows);
  GraphValue zeros =
      fill(c, c.w.number(int64_t(0), c.type()), c.w.list({rows, columns}));
  c.set(c.w.like("EyeLike", {zeros}));
}

/// Bounds of buckets that are sorted: how many of them are below a value.
static void bucketize(Call &c) {
  GraphValue x = c.tensor("self"), bounds = c.tensor("boundaries");
  DataType type = promote({{x, c.isNumber("self")}, {bounds, false}});
  GraphValue left = c.w.unsqueeze(c.w.cast(x, type), {x.rank});
  StringRef op = c.flag("right", false) ? "LessOrEqual" : "Less";
  GraphValue isBelow = c.w.compare(op, c.w.cast(bounds, type), left);
  GraphValue counted = c.w.cast(isBelow, DataType::Int64);
  c.set(c.w.add("ReduceSum", {counted, c.w.ints({x.rank})}, DataType::Int64,
                x.rank, {c.w.attr("keepdims", int64_t(0))}));
}

void mlir::symshape::pytorch::addCreation(Table &table) {
  static constexpr std::pair<StringRef, Entry> entries[] = {
      {"zeros", fillWith<0>},
      {"zeros_like", fillWith<0>},
      {"new_zeros", fillWith<0>},
      {"ones", fillWith<1>},
      {"ones_like", fillWith<1>},
      {"new_ones", fillWith<1>},
      {"empty", fillWith<0>},
      {"empty_like", fillWith<0>},
      {"new_empty", fillWith<0>},
      {"full", full},
      {"full_like", full},
      {"new_full", full},
      {"fill", full},
      {"scalar_tensor", scalarTensor},
      {"arange", arange},
      {"linspace", linspace},
      {"zero", fillWith<0>},
      {"empty_strided", fillWith<0>},
      {"eye", eye},
      {"bucketize", bucketize}};
  for (auto [name, entry] : entries)
    table.add(("aten." + name).str(), entry);
}
