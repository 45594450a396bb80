//===- Normalization.cpp - Ops that normalise -----------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// By statistics of rows, groups, batches, and by moving ones. Statistics are
// computed in f32 at least.
//
//===----------------------------------------------------------------------===//

#include "Call.h"

using namespace mlir::symshape;
using namespace mlir::symshape::pytorch;
using llvm::StringRef;
using onnx::DataType;

/// What is normalised, in the type of a weight that is wider, as in regions of
/// autocast.
static GraphValue readInput(Call &c) {
  GraphValue x = c.tensor("input");
  for (StringRef argument : {"weight", "bias"})
    if (c.has(argument))
      if (DataType type = c.tensor(argument).type;
          onnx::bytesOf(type) > onnx::bytesOf(x.type))
        x = c.w.cast(x, type);
  return x;
}

/// Ones or zeros in the sizes of the last axes.
static GraphValue parameter(Call &c, StringRef argument, int64_t otherwise,
                            GraphValue sizes, int64_t rank, DataType type) {
  if (c.has(argument))
    return c.w.cast(c.tensor(argument), type);
  return c.w.own("Expand", {c.w.number(otherwise, type), sizes}, type, rank);
}

static void layerNorm(Call &c) {
  GraphValue x = readInput(c);
  std::vector<GraphValue> sizes = c.integers("normalized_shape");
  int64_t count = sizes.size();
  GraphValue list = c.w.list(sizes);
  GraphValue scale = parameter(c, "weight", 1, list, count, x.type);
  GraphValue bias = parameter(c, "bias", 0, list, count, x.type);
  auto results = c.w.addSeveral(
      "LayerNormalization", {x, scale, bias}, x.type, x.rank, 3,
      {c.w.attr("axis", -count), c.w.attr("epsilon", c.real("eps", 1e-5)),
       c.w.attr("stash_type", static_cast<int64_t>(x.type))});
  for (size_t i = 0; i < 3; ++i)
    if (c.wants(i))
      c.set(results[i], i);
}

static void rmsNorm(Call &c) {
  GraphValue x = readInput(c);
  std::vector<GraphValue> sizes = c.integers("normalized_shape");
  int64_t count = sizes.size();
  GraphValue scale = parameter(c, "weight", 1, c.w.list(sizes), count, x.type);
  double least = x.type == DataType::Double     ? 0x1p-52
                 : x.type == DataType::Float16  ? 0x1p-10
                 : x.type == DataType::BFloat16 ? 0x1p-7
                                                : 0x1p-23;
  c.set(c.w.like(
      "RMSNormalization", {x, scale},
      {c.w.attr("axis", -count), c.w.attr("epsilon", c.real("eps", least))}));
}

namespace {
/// The mean along axes that stay as axes of extent 1, and what one divides by.
struct Statistics {
  Statistics(Call &c, GraphValue values, llvm::ArrayRef<int64_t> axes)
      : w(c.w),
        x(onnx::bytesOf(values.type) < 4 ? w.cast(values, DataType::Float)
                                         : values) {
    mean = average(x, axes);
    GraphValue distance = w.binary("Sub", x, mean);
    variance = average(w.binary("Mul", distance, distance), axes);
    GraphValue sum =
        w.binary("Add", variance, w.number(c.real("eps", 1e-5), x.type));
    inverse = w.like("Reciprocal", {w.like("Sqrt", {sum})});
  }
  GraphValue normalized() const {
    return w.binary("Mul", w.binary("Sub", x, mean), inverse);
  }

  GraphWriter &w;
  GraphValue x, mean, variance, inverse; ///< inverse: of the deviation

private:
  GraphValue average(GraphValue t, llvm::ArrayRef<int64_t> axes) const {
    return w.like("ReduceMean", {t, w.ints(axes)},
                  {w.attr("keepdims", int64_t(1))});
  }
};
} // namespace

/// A parameter per channel, of x, where there is one.
static GraphValue alongChannels(Call &c, GraphValue parameter, GraphValue x) {
  Ints axes;
  for (int64_t axis = 1; axis + 1 < x.rank; ++axis)
    axes.push_back(axis);
  parameter = c.w.cast(parameter, x.type);
  return axes.empty() ? parameter : c.w.unsqueeze(parameter, axes);
}

/// By the statistics of the batch, which moving ones come nearer to.
static void batchNormInTraining(Call &c) {
  GraphValue x = c.tensor("input");
  bool isFunctional = c.target().contains("functional");
  if (x.rank < 2)
    return c.fail("expected rank 2 or more");
  if (c.has("running_mean") && !isFunctional)
    return c.fail("expected a module that is exported for inference, but it "
                  "normalises by the batch: call module.eval() before the "
                  "export");
  Ints axes{0}, others;
  for (int64_t axis = 2; axis < x.rank; ++axis)
    axes.push_back(axis);
  Statistics all(c, x, axes);
  GraphValue y = all.normalized();
  if (c.has("weight"))
    y = c.w.binary("Mul", y, alongChannels(c, c.tensor("weight"), y));
  if (c.has("bias"))
    y = c.w.binary("Add", y, alongChannels(c, c.tensor("bias"), y));
  c.set(y);
  auto setSmall = [&](size_t i, GraphValue value) {
    if (i < c.numResults() && c.wants(i))
      c.set(value, i);
  };
  GraphValue mean = c.w.squeeze(all.mean, axes);
  setSmall(1, mean);
  setSmall(2, c.w.squeeze(all.inverse, axes));
  if (!isFunctional)
    return;
  auto number = [&](double value) { return c.w.number(value, mean.type); };
  double momentum = c.real("momentum", 0.1);
  auto moved = [&](StringRef argument, GraphValue to) {
    GraphValue from = c.tensor(argument);
    GraphValue sum = c.w.binary(
        "Add",
        c.w.binary("Mul", c.w.cast(from, mean.type), number(1 - momentum)),
        c.w.binary("Mul", to, number(momentum)));
    return c.w.cast(sum, from.type);
  };
  // Moving variances are those of n - 1.
  GraphValue count = number(1.0);
  for (int64_t axis : axes)
    count = c.w.binary("Mul", count, c.w.cast(c.w.sizeOf(x, axis), mean.type));
  GraphValue unbiased = c.w.binary(
      "Mul", c.w.squeeze(all.variance, axes),
      c.w.binary("Div", count, c.w.binary("Sub", count, number(1.0))));
  setSmall(3, moved("running_mean", mean));
  setSmall(4, moved("running_var", unbiased));
}

static void batchNorm(Call &c) {
  if (c.flag("training", c.target().contains("no_stats")) ||
      c.flag("train", false))
    return batchNormInTraining(c);
  GraphValue x = c.tensor("input");
  GraphValue mean = c.tensorOrNone("running_mean"),
             variance = c.tensorOrNone("running_var");
  if (!mean || !variance)
    return c.fail("expected moving statistics");
  GraphValue sizes = c.w.list({c.w.sizeOf(mean, 0)});
  GraphValue scale = parameter(c, "weight", 1, sizes, 1, mean.type);
  GraphValue bias = parameter(c, "bias", 0, sizes, 1, mean.type);
  c.set(c.w.like("BatchNormalization", {x, scale, bias, mean, variance},
                 {c.w.attr("epsilon", c.real("eps", 1e-5))}));
  // Statistics of the batch are not computed in inference; moving ones stay.
  for (size_t i = 1; i < c.numResults(); ++i)
    if (c.wants(i))
      c.set(i == 3 ? mean
            : i == 4
                ? variance
                : c.w.own("Expand", {c.w.number(0.0, c.type(i)), c.w.ints({0})},
                          c.type(i), 1),
            i);
}

static void groupNorm(Call &c) {
  GraphValue x = readInput(c);
  int64_t groups = c.constant(c.has("group") ? "group" : "num_groups", 1);
  Ints inner;
  for (int64_t axis = 2; axis < x.rank; ++axis)
    inner.push_back(axis);
  c.requireSome("input", x, inner);
  GraphValue sizes = c.w.list({c.w.sizeOf(x, 1)});
  GraphValue scale = parameter(c, "weight", 1, sizes, 1, x.type);
  GraphValue bias = parameter(c, "bias", 0, sizes, 1, x.type);
  c.set(c.w.like("GroupNormalization", {x, scale, bias},
                 {c.w.attr("num_groups", groups),
                  c.w.attr("epsilon", c.real("eps", 1e-5))}));
  bool wantsMean = c.numResults() > 1 && (c.wants(1) || c.wants(2));
  if (!wantsMean)
    return;
  // Each group as one row.
  std::vector<GraphValue> shape{c.w.sizeOf(x, 0), c.w.integer(groups),
                                c.w.integer(-1)};
  Statistics all(c, c.w.reshape(x, c.w.list(shape), 3), {2});
  c.set(c.w.squeeze(all.mean, {2}), 1);
  c.set(c.w.squeeze(all.inverse, {2}), 2);
}

static void instanceNorm(Call &c) {
  if (!c.flag("use_input_stats", true))
    return batchNorm(c);
  GraphValue x = readInput(c);
  GraphValue sizes = c.w.list({c.w.sizeOf(x, 1)});
  GraphValue scale = parameter(c, "weight", 1, sizes, 1, x.type);
  GraphValue bias = parameter(c, "bias", 0, sizes, 1, x.type);
  c.set(c.w.like("InstanceNormalization", {x, scale, bias},
                 {c.w.attr("epsilon", c.real("eps", 1e-5))}));
}

void mlir::symshape::pytorch::addNormalization(Table &table) {
  static constexpr std::pair<StringRef, Entry> entries[] = {
      {"layer_norm", layerNorm},
      {"native_layer_norm", layerNorm},
      {"rms_norm", rmsNorm},
      {"batch_norm", batchNorm},
      {"_native_batch_norm_legit", batchNorm},
      {"_native_batch_norm_legit_functional", batchNorm},
      {"_native_batch_norm_legit_no_training", batchNorm},
      {"native_batch_norm", batchNorm},
      {"group_norm", groupNorm},
      {"native_group_norm", groupNorm},
      {"instance_norm", instanceNorm}};
  for (auto [name, entry] : entries)
    table.add(("aten." + name).str(), entry);
}
