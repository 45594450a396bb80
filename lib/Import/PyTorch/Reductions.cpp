//===- Reductions.cpp - Ops that fold elements along axes -----------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sums of bools and of integers are of int64, as PyTorch has them.
//
//===----------------------------------------------------------------------===//

#include "Call.h"

using namespace mlir::symshape;
using namespace mlir::symshape::pytorch;
using llvm::StringRef;
using onnx::DataType;

template <const char *op>
static void reduce(Call &c) {
  GraphValue x = c.w.cast(c.tensor("self"), c.type());
  c.set(c.w.reduce(op, x, c.axes("dim", x.rank), c.flag("keepdim", false)));
}

/// The same of an op that has no result of no elements.
static GraphValue foldSome(Call &c, StringRef op, GraphValue x,
                           llvm::ArrayRef<int64_t> axes, bool keep) {
  c.requireSome("self", x, x.rank == 0 ? llvm::ArrayRef<int64_t>() : axes);
  return c.w.reduce(op, x, axes, keep);
}

/// The greatest or least, of bools as numbers.
template <const char *op>
static void extremeOf(Call &c) {
  GraphValue x = c.tensor("self");
  if (x.type == DataType::Bool)
    x = c.w.cast(x, DataType::Int32);
  c.set(foldSome(c, op, x, c.axes("dim", x.rank), c.flag("keepdim", false)));
}

/// The same along one axis, and where it is.
template <const char *op, const char *where>
static void extremeAndPlace(Call &c) {
  if (!c.has("dim"))
    return extremeOf<op>(c);
  GraphValue x = c.tensor("self");
  if (x.type == DataType::Bool)
    x = c.w.cast(x, DataType::Int32);
  bool keep = c.flag("keepdim", false);
  int64_t axis = c.axis("dim", x.rank);
  if (x.rank == 0) {
    c.set(x);
    if (c.wants(1))
      c.set(c.w.integer(0), 1);
    return;
  }
  c.requireSome("self", x, {axis});
  if (c.wants(0))
    c.set(c.w.reduce(op, x, {axis}, keep));
  if (c.wants(1))
    c.set(
        c.w.add(where, {x}, DataType::Int64, keep ? x.rank : x.rank - 1,
                {c.w.attr("axis", axis), c.w.attr("keepdims", int64_t(keep))}),
        1);
}

template <const char *where>
static void place(Call &c) {
  GraphValue x = c.tensor("self");
  bool keep = c.flag("keepdim", false);
  int64_t axis = 0;
  c.requireSome("self", x, x.rank == 0 ? Ints() : c.axes("dim", x.rank));
  if (c.has("dim")) {
    axis = c.axis("dim", x.rank);
  } else {
    x = c.w.reshape(x, c.w.ints({-1}), 1);
    keep = false;
  }
  if (x.rank == 0)
    return c.set(c.w.integer(0));
  c.set(c.w.add(where, {x}, DataType::Int64, keep ? x.rank : x.rank - 1,
                {c.w.attr("axis", axis), c.w.attr("keepdims", int64_t(keep))}));
}

template <const char *op>
static void test(Call &c) {
  GraphValue x = c.tensor("self");
  GraphValue isTrue = c.w.cast(c.w.cast(x, DataType::Bool), DataType::Int32);
  c.set(
      c.w.reduce(op, isTrue, c.axes("dim", x.rank), c.flag("keepdim", false)));
}

/// The mean of squared distances from the mean, of `n - correction` numbers.
template <bool isRoot>
static void variance(Call &c) {
  GraphValue x = c.tensor("self");
  Ints axes = c.axes("dim", x.rank);
  bool keep = c.flag("keepdim", false);
  GraphValue mean = c.w.reduce("ReduceMean", x, axes, true);
  GraphValue distance = c.w.binary("Sub", x, mean);
  GraphValue sum = c.w.reduce(
      "ReduceSum", c.w.binary("Mul", distance, distance), axes, keep);
  GraphValue count = c.w.number(1.0, x.type);
  for (int64_t axis : axes)
    count = c.w.binary("Mul", count, c.w.cast(c.w.sizeOf(x, axis), x.type));
  GraphValue correction =
      c.has("correction")
          ? c.number("correction", x.type)
          : c.w.number(double(c.flag("unbiased", true)), x.type);
  GraphValue rest = c.w.like(
      "Max", {c.w.binary("Sub", count, correction), c.w.number(0.0, x.type)});
  GraphValue result = c.w.binary("Div", sum, rest);
  if (isRoot)
    result = c.w.like("Sqrt", {result});
  c.set(result);
  if (c.wants(1))
    c.set(keep ? mean : c.w.squeeze(mean, axes), 1);
}

static void norm(Call &c) {
  GraphValue x = c.w.cast(c.tensor("self"), c.type());
  Ints axes = c.axes("dim", x.rank);
  double p = c.real(c.has("ord") ? "ord" : "p", 2);
  bool keep = c.flag("keepdim", false);
  GraphValue size = c.w.like("Abs", {x});
  if (p == 2)
    return c.set(c.w.reduce("ReduceL2", x, axes, keep));
  if (p == 1)
    return c.set(c.w.reduce("ReduceL1", x, axes, keep));
  if (std::isinf(p))
    return c.set(
        c.w.reduce(p > 0 ? "ReduceMax" : "ReduceMin", size, axes, keep));
  if (p == 0)
    return c.fail("expected an order other than 0");
  GraphValue powers = c.w.binary("Pow", size, c.w.number(p, x.type));
  c.set(c.w.binary("Pow", c.w.reduce("ReduceSum", powers, axes, keep),
                   c.w.number(1 / p, x.type)));
}

template <const char *op>
static void softmax(Call &c) {
  GraphValue x = c.w.cast(c.tensor("self"), c.type());
  if (x.rank == 0)
    return c.set(c.w.squeeze(c.w.like(op, {c.w.unsqueeze(x, {0})}), {0}));
  c.set(c.w.like(op, {x}, {c.w.attr("axis", c.axis("dim", x.rank))}));
}

/// Zero where nothing is seen, instead of NaN.
static void safeSoftmax(Call &c) {
  GraphValue x = c.w.cast(c.tensor("self"), c.type());
  int64_t axis = c.axis("dim", x.rank);
  GraphValue soft = c.w.like("Softmax", {x}, {c.w.attr("axis", axis)});
  GraphValue least =
      c.w.number(-std::numeric_limits<double>::infinity(), x.type);
  GraphValue most = c.w.reduce("ReduceMax", x, {axis}, true);
  c.set(c.w.select(c.w.compare("Equal", most, least), c.w.number(0.0, x.type),
                   soft));
}

static void cumulative(Call &c) {
  GraphValue x = c.w.cast(c.tensor("self"), c.type());
  if (x.rank == 0)
    return c.set(x);
  StringRef op = c.target().starts_with("aten.cumprod") ? "CumProd" : "CumSum";
  c.set(c.w.like(op, {x, c.w.integer(c.axis("dim", x.rank))}));
}

static void topk(Call &c) {
  GraphValue self = c.tensor("self");
  GraphValue x = self.rank == 0 ? c.w.unsqueeze(self, {0}) : self;
  int64_t axis = c.axis("dim", x.rank, -1);
  auto parts =
      c.w.addSeveral("TopK", {x, c.w.list({c.integer("k")})}, x.type, x.rank, 2,
                     {c.w.attr("axis", axis),
                      c.w.attr("largest", int64_t(c.flag("largest", true))),
                      c.w.attr("sorted", int64_t(c.flag("sorted", true)))});
  parts[1].type = DataType::Int64;
  for (size_t i = 0; i < 2; ++i)
    c.set(self.rank == 0 ? c.w.squeeze(parts[i], {0}) : parts[i], i);
}

/// All of an axis, which is sorted stably.
static void sort(Call &c) {
  GraphValue x = c.tensor("self");
  int64_t axis = c.axis("dim", x.rank, -1);
  std::vector<GraphValue> parts{x, c.w.integer(0)};
  if (x.rank > 0) {
    parts = c.w.addSeveral(
        "TopK", {x, c.w.list({c.w.sizeOf(x, axis)})}, x.type, x.rank, 2,
        {c.w.attr("axis", axis),
         c.w.attr("largest", int64_t(c.flag("descending", false)))});
    parts[1].type = DataType::Int64;
  }
  if (c.target().starts_with("aten.argsort"))
    return c.set(parts[1]);
  c.set(parts[0]);
  c.set(parts[1], 1);
}

/// One of the sorted elements, and where it is: the lower one of the two in the
/// middle, or the k-th.
static void sortedOne(Call &c) {
  GraphValue x = c.tensor("self");
  bool isOfAll = !c.has("dim") && !c.has("k"), keep = c.flag("keepdim", false);
  if (x.rank == 0 || isOfAll)
    x = c.w.reshape(x, c.w.ints({-1}), 1);
  int64_t axis = isOfAll ? 0 : c.axis("dim", x.rank, -1);
  GraphValue count = c.w.sizeOf(x, axis);
  auto sorted =
      c.w.addSeveral("TopK", {x, c.w.list({count})}, x.type, x.rank, 2,
                     {c.w.attr("axis", axis), c.w.attr("largest", int64_t(0))});
  sorted[1].type = DataType::Int64;
  GraphValue at = c.w.expression("(a - 1)//2", {count});
  if (GraphValue k = c.integer("k")) {
    c.require(k, "<=", count, "there must be as many elements");
    at = c.w.expression("a - 1", {k});
  }
  for (size_t i = 0; i < c.numResults(); ++i) {
    GraphValue chosen = c.w.add("Gather", {sorted[i], at}, sorted[i].type,
                                x.rank - 1, {c.w.attr("axis", axis)});
    c.set(keep && c.rank(i) == x.rank ? c.w.unsqueeze(chosen, {axis}) : chosen,
          i);
  }
}

static constexpr char reduceSum[] = "ReduceSum", reduceMean[] = "ReduceMean",
                      reduceMax[] = "ReduceMax", reduceMin[] = "ReduceMin",
                      reduceProd[] = "ReduceProd",
                      logSumExp[] = "ReduceLogSumExp", argMax[] = "ArgMax",
                      argMin[] = "ArgMin", softreduceMax[] = "Softmax",
                      logSoftmax[] = "LogSoftmax";

void mlir::symshape::pytorch::addReductions(Table &table) {
  static constexpr std::pair<StringRef, Entry> entries[] = {
      {"sum", reduce<reduceSum>},
      {"mean", reduce<reduceMean>},
      {"prod", reduce<reduceProd>},
      {"logsumexp", reduce<logSumExp>},
      {"amax", extremeOf<reduceMax>},
      {"amin", extremeOf<reduceMin>},
      {"max", extremeAndPlace<reduceMax, argMax>},
      {"min", extremeAndPlace<reduceMin, argMin>},
      {"median", sortedOne},
      {"kthvalue", sortedOne},
      {"argmax", place<argMax>},
      {"argmin", place<argMin>},
      {"any", test<reduceMax>},
      {"all", test<reduceMin>},
      {"var", variance<false>},
      {"std", variance<true>},
      {"var_mean", variance<false>},
      {"linalg_vector_norm", norm},
      {"norm", norm},
      {"softmax", softmax<softreduceMax>},
      {"_softmax", softmax<softreduceMax>},
      {"log_softmax", softmax<logSoftmax>},
      {"_log_softmax", softmax<logSoftmax>},
      {"_safe_softmax", safeSoftmax},
      {"cumsum", cumulative},
      {"cumprod", cumulative},
      {"topk", topk},
      {"sort", sort},
      {"argsort", sort}};
  for (auto [name, entry] : entries)
    table.add(("aten." + name).str(), entry);
}
