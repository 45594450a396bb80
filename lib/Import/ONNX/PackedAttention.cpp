//===- PackedAttention.cpp - Attention with its projections ---------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Attention of com.microsoft: one product gives queries, keys and values, and
// the cache of both is one tensor. Source: ONNX Runtime,
// docs/ContribOperators.md.
//
//===----------------------------------------------------------------------===//

#include "Attention.h"
#include "Families.h"
#include "MultiHeadAttention.h"
#include "Ordering.h"

using namespace mlir;
using namespace mlir::symshape;
using namespace mlir::symshape::onnx;

namespace {
struct PackedInput {
  enum : size_t { Input, Weights, Bias, Mask, Past, ScoreBias, PastLength };
};
} // namespace

/// The widths of queries, keys and values; null after an error.
static std::optional<SmallVector<Expr, 4>> widthsOf(Node &n, Expr columns,
                                                    int64_t heads) {
  Emitter &e = n.emit();
  auto given = n.intsAttr("qkv_hidden_sizes");
  if (!given || given->empty()) {
    e.require(Relation::divides(e.constant(3 * heads), columns),
              "heads must be equally wide");
    return SmallVector<Expr, 4>(3, e.arena().floorDiv(columns, e.constant(3)));
  }
  if (given->size() != 3 || (*given)[0] != (*given)[1] ||
      llvm::any_of(*given,
                   [&](int64_t w) { return w < 1 || w % heads != 0; })) {
    (void)n.fail("expected three qkv_hidden_sizes that " + Twine(heads) +
                 " heads divide, the first two of them equal");
    return std::nullopt;
  }
  SmallVector<Expr, 4> widths;
  for (int64_t width : *given)
    widths.push_back(e.constant(width));
  e.require(Relation::eq(columns, widths[0] + widths[1] + widths[2]),
            "there must be a column of weights for each of qkv_hidden_sizes");
  return widths;
}

/// Half `i` of [2, batch, heads, length, size].
static Tensor pastHalf(Emitter &e, const Tensor &past, int64_t i) {
  return e.squeeze(e.slice(past, 0, e.constant(i), e.constant(1)), {0});
}

static LogicalResult packedAttention(Node &n) {
  Emitter &e = n.emit();
  int64_t heads = n.intAttr("num_heads", 0);
  if (heads < 1)
    return n.fail("expected num_heads from 1, but got " + Twine(heads));
  if (n.intAttr("do_rotary", 0) || n.intAttr("past_present_share_buffer", 0) ||
      n.has(PackedInput::PastLength))
    return n.fail("do_rotary and past_present_share_buffer are not supported");
  Tensor x = n.wideTensor(PackedInput::Input),
         w = n.wideTensor(PackedInput::Weights);
  if (x.rank() != 3 || w.rank() != 2)
    return n.fail("expected an input of rank 3 and weights of rank 2, but got "
                  "rank " +
                  Twine(x.rank()) + " and " + Twine(w.rank()));
  auto widths = widthsOf(n, w.dims[1], heads);
  if (!widths)
    return failure();
  Tensor packed = e.matmul(x, w, x.type);
  if (n.has(PackedInput::Bias)) {
    Tensor bias = n.wideTensor(PackedInput::Bias);
    if (bias.rank() != 1)
      return n.fail("expected a bias of rank 1, but got rank " +
                    Twine(bias.rank()));
    e.requireBroadcast(bias, packed.dims,
                       "there must be a bias for each "
                       "column of weights");
    packed = e.wrap(e.add(packed, bias).value, packed.dims, packed.type);
  }
  MultiHeads all;
  Expr begin = e.constant(0);
  for (auto [part, width] :
       llvm::zip(std::array{&all.q, &all.k, &all.v}, *widths)) {
    *part = splitHeads(e, e.slice(packed, 2, begin, width), heads);
    begin = begin + width;
  }
  if (n.has(PackedInput::Past)) {
    Tensor past = n.wideTensor(PackedInput::Past);
    if (past.rank() != 5)
      return n.fail("expected past keys and values of rank 5, but got rank " +
                    Twine(past.rank()));
    e.require(Relation::eq(past.dims[0], e.constant(2)),
              "the past is keys and values");
    all.k = e.concat({pastHalf(e, past, 0), all.k}, 2);
    all.v = e.concat({pastHalf(e, past, 1), all.v}, 2);
  }
  if (n.wants(1) &&
      failed(n.setRounded(
          1, e.concat({e.unsqueeze(all.k, {0}), e.unsqueeze(all.v, {0})}, 0))))
    return failure();
  Tensor scores =
      maskedScores(n, all, PackedInput::Mask, PackedInput::ScoreBias);
  if (!scores)
    return failure();
  Tensor weights = softmaxOf(e, scores, 3, false);
  return n.setRounded(0, joinHeads(e, e.matmul(weights, all.v, weights.type)));
}

void mlir::symshape::onnx::addPackedAttentionOps(Registry &registry) {
  registry.add("com.microsoft", "Attention", {2, packedAttention});
}
