//===- Networks.cpp - Products, attention and embeddings ------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What layers are made of. Not for: windows (Windows.cpp).
//
//===----------------------------------------------------------------------===//

#include "Call.h"

using namespace mlir::symshape;
using namespace mlir::symshape::pytorch;
using llvm::StringRef;
using onnx::DataType;

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

static GraphValue multiply(Call &c, GraphValue x, GraphValue y) {
  int64_t rank = x.rank == 1 || y.rank == 1
                     ? std::max<int64_t>(
                           x.rank + y.rank - 2 - (x.rank > 1 && y.rank > 1), 0)
                     : std::max(x.rank, y.rank);
  if (x.rank == 1 && y.rank > 1)
    rank = y.rank - 1;
  if (y.rank == 1 && x.rank > 1)
    rank = x.rank - 1;
  return c.w.add("MatMul", {x, y}, x.type, rank);
}

static void matmul(Call &c) {
  StringRef second = c.has("mat2")    ? "mat2"
                     : c.has("other") ? "other"
                     : c.has("vec")   ? "vec"
                                      : "tensor";
  c.set(multiply(c, c.tensor("self"), c.tensor(second)));
}

/// beta*self + alpha*product.
static void addmm(Call &c) {
  StringRef first = c.has("mat1") ? "mat1" : c.has("batch1") ? "batch1" : "mat";
  StringRef second = c.has("mat2")     ? "mat2"
                     : c.has("batch2") ? "batch2"
                                       : "vec";
  GraphValue product = multiply(c, c.tensor(first), c.tensor(second));
  GraphValue self = c.tensor("self");
  if (c.has("alpha"))
    product = c.w.binary("Mul", product, c.number("alpha", product.type));
  if (c.has("beta"))
    self = c.w.binary("Mul", self, c.number("beta", self.type));
  c.set(c.w.binary("Add", product, self));
}

static void linear(Call &c) {
  GraphValue x = c.tensor("input"), weight = c.tensor("weight");
  if (weight.rank == 2)
    weight = c.w.transpose(weight, {1, 0});
  GraphValue product = multiply(c, x, weight);
  if (c.has("bias"))
    product = c.w.binary("Add", product, c.tensor("bias"));
  c.set(product);
}

static void outer(Call &c) {
  c.set(c.w.binary("Mul", c.w.unsqueeze(c.tensor("self"), {1}),
                   c.w.unsqueeze(c.tensor("vec2"), {0})));
}

static void einsum(Call &c) {
  std::vector<GraphValue> operands = c.tensors("tensors");
  if (operands.empty())
    return c.fail("expected operands");
  c.set(c.w.add("Einsum", operands, c.type(), c.rank(),
                {c.w.attr("equation", c.text("equation", ""))}));
}

//===----------------------------------------------------------------------===//
// Attention
//===----------------------------------------------------------------------===//

/// Heads of keys and values, each repeated for its group of queries.
static GraphValue repeatHeads(Call &c, GraphValue x, GraphValue queries) {
  int64_t axis = x.rank - 3;
  GraphValue all = c.w.sizeOf(queries, axis);
  GraphValue times = c.w.expression("a//max(b, 1)", {all, c.w.sizeOf(x, axis)});
  GraphValue inner = c.w.unsqueeze(x, {axis + 1});
  std::vector<GraphValue> sizes;
  for (int64_t each = 0; each < x.rank; ++each) {
    sizes.push_back(c.w.sizeOf(x, each));
    if (each == axis)
      sizes.push_back(times);
  }
  GraphValue spread =
      c.w.own("Expand", {inner, c.w.list(sizes)}, x.type, x.rank + 1);
  sizes.erase(sizes.begin() + axis + 1);
  sizes[axis] = all;
  return c.w.reshape(spread, c.w.list(sizes), x.rank);
}

static void attention(Call &c) {
  GraphValue q = c.tensor("query"), k = c.tensor("key"), v = c.tensor("value");
  if (c.real("dropout_p", 0) != 0)
    return c.fail("expected a module that is exported for inference, but it "
                  "drops elements: call module.eval() before the export");
  if (std::min({q.rank, k.rank, v.rank}) < 2)
    return c.fail("expected queries, keys and values of rank 2 or more");
  if (c.flag("enable_gqa", false)) {
    if (q.rank < 3 || k.rank != q.rank || v.rank != q.rank)
      return c.fail("expected heads");
    k = repeatHeads(c, k, q);
    v = repeatHeads(c, v, q);
  }
  GraphValue factor;
  if (c.has("scale")) {
    factor = c.number("scale", q.type);
  } else {
    GraphValue size = c.w.cast(c.w.sizeOf(q, q.rank - 1), q.type);
    factor = c.w.like("Reciprocal", {c.w.like("Sqrt", {size})});
  }
  GraphValue scores = multiply(c, c.w.binary("Mul", q, factor),
                               c.w.swapAxes(k, k.rank - 1, k.rank - 2));
  GraphValue least =
      c.w.number(-std::numeric_limits<double>::infinity(), q.type);
  bool mayBeEmpty = false;
  if (c.flag("is_causal", false)) {
    GraphValue ones = c.w.own(
        "Expand",
        {c.w.number(int64_t(1), DataType::Bool),
         c.w.list({c.w.sizeOf(q, q.rank - 2), c.w.sizeOf(k, k.rank - 2)})},
        DataType::Bool, 2);
    GraphValue isSeen = c.w.like("Trilu", {ones, c.w.integer(0)},
                                 {c.w.attr("upper", int64_t(0))});
    scores = c.w.select(isSeen, scores, least);
  }
  if (c.has("attn_mask")) {
    GraphValue mask = c.tensor("attn_mask");
    mayBeEmpty = true;
    scores = mask.type == DataType::Bool
                 ? c.w.select(mask, scores, least)
                 : c.w.binary("Add", scores, c.w.cast(mask, q.type));
  }
  scores.rank = std::max(q.rank, scores.rank);
  // A row that sees nothing is 0, not NaN, and so is its derivative.
  GraphValue zero = c.w.number(0.0, q.type), seesNothing;
  if (mayBeEmpty) {
    GraphValue most = c.w.like("ReduceMax", {scores, c.w.ints({-1})},
                               {c.w.attr("keepdims", int64_t(1))});
    seesNothing = c.w.compare("Equal", most, least);
    scores = c.w.select(seesNothing, zero, scores);
  }
  GraphValue soft =
      c.w.like("Softmax", {scores}, {c.w.attr("axis", int64_t(-1))});
  if (mayBeEmpty)
    soft = c.w.select(seesNothing, zero, soft);
  c.set(multiply(c, soft, v));
}

//===----------------------------------------------------------------------===//
// Tables of vectors
//===----------------------------------------------------------------------===//

static void embedding(Call &c) {
  GraphValue weight = c.tensor("weight"), indices = c.tensor("indices");
  if (c.flag("scale_grad_by_freq", false))
    return c.fail("expected no scale_grad_by_freq");
  GraphValue rows = c.w.add("Gather", {weight, indices}, weight.type,
                            indices.rank + 1, {c.w.attr("axis", int64_t(0))});
  GraphValue padding = c.integer("padding_idx", c.w.integer(-1));
  if (c.constantOf(padding) == -1)
    return c.set(rows);
  // The row of what fills up is not trained.
  GraphValue isPadding =
      c.w.compare("Equal", c.w.cast(indices, DataType::Int64), padding);
  c.set(c.w.select(c.w.unsqueeze(isPadding, {indices.rank}),
                   c.w.stopGradient(rows), rows));
}

static void oneHot(Call &c) {
  GraphValue x = c.tensor("self");
  GraphValue classes = c.integer("num_classes");
  GraphValue values = c.w.ints({0, 1});
  c.set(c.w.add("OneHot", {x, c.w.list({classes}), values}, DataType::Int64,
                x.rank + 1));
}

void mlir::symshape::pytorch::addNetworks(Table &table) {
  static constexpr std::pair<StringRef, Entry> entries[] = {
      {"mm", matmul},           {"bmm", matmul},
      {"mv", matmul},           {"dot", matmul},
      {"matmul", matmul},       {"addmm", addmm},
      {"baddbmm", addmm},       {"addmv", addmm},
      {"linear", linear},       {"outer", outer},
      {"einsum", einsum},       {"scaled_dot_product_attention", attention},
      {"embedding", embedding}, {"one_hot", oneHot}};
  for (auto [name, entry] : entries)
    table.add(("aten." + name).str(), entry);
}
