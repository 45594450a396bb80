//===- MultiHeadAttention.cpp - Attention of encoders ---------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MultiHeadAttention of com.microsoft, into which ONNX Runtime fuses the layers
// of encoders and of decoders with caches. Source: ONNX Runtime,
// docs/ContribOperators.md.
//
//===----------------------------------------------------------------------===//

#include "MultiHeadAttention.h"
#include "Attention.h"
#include "Families.h"
#include "Ordering.h"
#include "Reductions.h"

using namespace mlir;
using namespace mlir::symshape;
using namespace mlir::symshape::onnx;

namespace {
struct MultiHeadInput {
  enum : size_t {
    Query,
    Key,
    Values,
    ProjectionBias,
    KeyMask,
    ScoreBias,
    PastKey,
    PastValue,
  };
};

} // namespace

/// Part `i` along the last axis but one of [batch, length, heads, parts, size].
static Tensor unpackHeads(Emitter &e, const Tensor &packed, int64_t i) {
  Tensor part = e.slice(packed, 3, e.constant(i), e.constant(1));
  return e.transpose(e.squeeze(part, {3}), {0, 2, 1, 3});
}

/// The biases of queries, keys and values follow one another.
static void addBiases(Node &n, Tensor &q, Tensor &k, Tensor &v) {
  Emitter &e = n.emit();
  Tensor bias = n.wideTensor(MultiHeadInput::ProjectionBias);
  if (bias.rank() != 1) {
    e.refuse("expected a bias of rank 1");
    return;
  }
  SmallVector<Expr, 4> widths{q.dims[2], k.dims[2], v.dims[2]};
  e.require(Relation::eq(bias.dims[0], widths[0] + widths[1] + widths[2]),
            "there must be a bias for each column of queries, keys and values");
  Expr begin = e.constant(0);
  Tensor *all[] = {&q, &k, &v};
  for (auto [x, width] : llvm::zip(all, widths)) {
    Tensor own = e.slice(bias, 0, begin, width);
    *x = e.wrap(e.add(*x, own).value, x->dims, x->type);
    begin = begin + width;
  }
}

/// Heads from the forms that the op takes; false after an error.
static bool readMultiHeads(Node &n, int64_t heads, MultiHeads &all) {
  Emitter &e = n.emit();
  Tensor q = n.wideTensor(MultiHeadInput::Query);
  bool hasBias = n.has(MultiHeadInput::ProjectionBias);
  if (q.rank() == 5 && !n.has(MultiHeadInput::Key) && !hasBias) {
    all = {unpackHeads(e, q, 0), unpackHeads(e, q, 1), unpackHeads(e, q, 2)};
    return true;
  }
  int64_t keyRank =
      n.has(MultiHeadInput::Key) ? n.rank(MultiHeadInput::Key) : 0;
  int64_t valueRank =
      n.has(MultiHeadInput::Values) ? n.rank(MultiHeadInput::Values) : 0;
  if (q.rank() == 3 && keyRank == 3 && valueRank == 3) {
    Tensor k = n.wideTensor(MultiHeadInput::Key),
           v = n.wideTensor(MultiHeadInput::Values);
    if (hasBias)
      addBiases(n, q, k, v);
    for (Tensor *x : {&q, &k, &v})
      e.require(Relation::divides(e.constant(heads), x->dims[2]),
                "heads must be equally wide");
    all = {splitHeads(e, q, heads), splitHeads(e, k, heads),
           splitHeads(e, v, heads)};
    return true;
  }
  bool isPair = keyRank == 5 && valueRank == 0;
  bool isApart = keyRank == 4 && valueRank == 4;
  if (q.rank() == 3 && (isPair || isApart) && !hasBias) {
    all.q = splitHeads(e, q, heads);
    Tensor k = n.wideTensor(MultiHeadInput::Key);
    all.k = isPair ? unpackHeads(e, k, 0) : k;
    all.v =
        isPair ? unpackHeads(e, k, 1) : n.wideTensor(MultiHeadInput::Values);
    return true;
  }
  (void)n.fail("expected queries, keys and values of rank 3, keys and values "
               "of rank 4, or packed ones of rank 5 without a bias");
  return false;
}

/// Adds `filter` to the scores of keys that are not shown; `shows` gets the
/// coordinates in the loops of scores, and an element of `mask` if there is
/// one.
static Tensor
filterScores(Emitter &e, const Tensor &scores, const Tensor &mask,
             double filter,
             llvm::function_ref<Value(Scalars &, Value element)> shows) {
  SmallVector<Tensor> operands{scores};
  if (mask)
    operands.push_back(mask);
  Tensor result =
      e.map(operands, scores.type, [&](Scalars &s, ArrayRef<Value> v) {
        Value shown = shows(s, mask ? v[1] : Value());
        Value hidden = s.add(v[0], s.number(v[0].getType(), filter));
        return s.select(shown, v[0], hidden);
      });
  return e.wrap(result.value, scores.dims, scores.type);
}

/// The mask of keys: how many each batch has, or for each whether it is shown,
/// if need be to each query.
static Tensor filterKeys(Emitter &e, Tensor mask, const Tensor &scores,
                         double filter) {
  if (mask.rank() == 1) {
    mask = requireLengths(e, mask, scores.dims[3],
                          "a length must lie within the keys");
    e.require(Relation::eq(mask.dims[0], scores.dims[0]),
              "there must be a length for each of the batch");
    DataType type = mask.type;
    return filterScores(e, scores, e.unsqueeze(mask, {1, 2, 3}), filter,
                        [&](Scalars &s, Value length) {
                          return s.less(s.loop(3), s.toIndex(length, type));
                        });
  }
  mask = mask.rank() == 2 ? e.unsqueeze(mask, {1, 2}) : e.unsqueeze(mask, {1});
  e.requireBroadcast(mask, scores.dims, "the mask must be one of the keys");
  return filterScores(e, scores, mask, filter, [](Scalars &s, Value element) {
    return s.logicalNot(s.equal(element, s.integer(element.getType(), 0)));
  });
}

Tensor mlir::symshape::onnx::maskedScores(Node &n, const MultiHeads &heads,
                                          size_t mask, size_t bias) {
  Emitter &e = n.emit();
  bool hasMask = n.has(mask);
  if (hasMask &&
      (n.rank(mask) < 1 || n.rank(mask) > 3 || !isInteger(n.type(mask)))) {
    (void)n.fail("expected a mask of integers of rank 1, 2 or 3");
    return Tensor();
  }
  double filter = n.floatAttr("mask_filter_value", -10000);
  Tensor scores =
      scoresOf(e, heads.q, heads.k, microsoftScale(n), heads.q.type);
  scores = addScoreBias(n, bias, scores);
  if (hasMask)
    scores = filterKeys(e, n.tensor(mask), scores, filter);
  if (!n.intAttr("unidirectional", 0))
    return scores;
  // The last query is at the place of the last key.
  Value before = e.index(scores.dims[3] - scores.dims[2]);
  return filterScores(e, scores, Tensor(), filter, [&](Scalars &s, Value) {
    return s.lessOrEqual(s.loop(3), s.add(s.loop(2), before));
  });
}

static LogicalResult multiHeadAttention(Node &n) {
  Emitter &e = n.emit();
  int64_t heads = n.intAttr("num_heads", 0);
  if (heads < 1)
    return n.fail("expected num_heads from 1");
  if (n.has(MultiHeadInput::PastKey) != n.has(MultiHeadInput::PastValue))
    return n.fail("expected past keys and values, both or neither");
  MultiHeads all;
  if (!readMultiHeads(n, heads, all))
    return failure();
  if (n.has(MultiHeadInput::PastKey)) {
    Tensor key = n.wideTensor(MultiHeadInput::PastKey),
           value = n.wideTensor(MultiHeadInput::PastValue);
    if (key.rank() != 4 || value.rank() != 4)
      return n.fail("expected past keys and values of rank 4");
    all.k = e.concat({key, all.k}, 2);
    all.v = e.concat({value, all.v}, 2);
  }
  if (failed(n.setRounded(1, all.k)) || failed(n.setRounded(2, all.v)))
    return failure();
  Tensor scores =
      maskedScores(n, all, MultiHeadInput::KeyMask, MultiHeadInput::ScoreBias);
  if (!scores)
    return failure();
  if (failed(n.setRounded(3, scores)))
    return failure();
  Tensor weights = softmaxOf(e, scores, 3, false);
  return n.setRounded(0, joinHeads(e, e.matmul(weights, all.v, weights.type)));
}

void mlir::symshape::onnx::addMultiHeadAttentionOps(Registry &registry) {
  registry.add("com.microsoft", "MultiHeadAttention", {1, multiHeadAttention});
}
