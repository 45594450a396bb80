//===- GroupQueryAttention.cpp - Attention with a cache -------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// GroupQueryAttention of com.microsoft, as exports of language models have it:
// new keys and values come behind those of the cache that count, rotated if
// asked for, and a query sees the keys up to its own place. Source: ONNX
// Runtime, docs/ContribOperators.md.
//
//===----------------------------------------------------------------------===//

#include "Attention.h"
#include "Families.h"
#include "Ordering.h"
#include "Reductions.h"
#include "RotaryEmbedding.h"

using namespace mlir;
using namespace mlir::symshape;
using namespace mlir::symshape::onnx;

namespace {
struct GroupQueryInput {
  enum : size_t {
    Query,
    Key,
    Values,
    PastKey,
    PastValue,
    Lengths, ///< of all keys of each batch, less 1
    Total,   ///< the largest of them
    Cos,
    Sin,
    Positions,
    Bias,
    Sink,
  };
};

/// A call: queries and new keys, [batch, length, heads, size], and how many
/// keys of the cache each batch has.
struct GroupQueryStep {
  Tensor q, k, v;
  Tensor past; ///< [batch], int64
  Expr keys;   ///< places of the cache that results
};
} // namespace

/// Heads of a packed tensor, or of three.
static bool readGroups(Node &n, int64_t heads, int64_t keyHeads,
                       GroupQueryStep &step) {
  Emitter &e = n.emit();
  Tensor q = n.wideTensor(GroupQueryInput::Query);
  auto apart = [&](const Tensor &x, int64_t count) {
    Expr number = e.constant(count);
    e.require(Relation::divides(number, x.dims[2]),
              "heads must be equally wide");
    return e.reshape(
        x, {x.dims[0], x.dims[1], number, e.divideExactly(x.dims[2], number)});
  };
  if (n.has(GroupQueryInput::Key) != n.has(GroupQueryInput::Values) ||
      q.rank() != 3 ||
      (n.has(GroupQueryInput::Key) && (n.rank(GroupQueryInput::Key) != 3 ||
                                       n.rank(GroupQueryInput::Values) != 3))) {
    (void)n.fail("expected queries of rank 3, and keys and values of rank 3 or "
                 "neither");
    return false;
  }
  if (n.has(GroupQueryInput::Key)) {
    step.q = apart(q, heads);
    step.k = apart(n.wideTensor(GroupQueryInput::Key), keyHeads);
    step.v = apart(n.wideTensor(GroupQueryInput::Values), keyHeads);
    return true;
  }
  Tensor all = apart(q, heads + 2 * keyHeads);
  SmallVector<Tensor> parts = e.split(
      all, 2, {e.constant(heads), e.constant(keyHeads), e.constant(keyHeads)});
  step.q = parts[0];
  step.k = parts[1];
  step.v = parts[2];
  return true;
}

/// How many keys each batch has in the cache: none in a first call, whose
/// queries are as many as there are keys.
static Tensor countPastKeys(Node &n, Expr length, Expr total) {
  Emitter &e = n.emit();
  Tensor lengths = e.cast(n.tensor(GroupQueryInput::Lengths), DataType::Int64);
  if (lengths.rank() == 2)
    lengths = e.squeeze(lengths, {1});
  lengths = e.unary(lengths, [](Scalars &s, Value v) {
    return s.add(v, s.integer(v.getType(), 1));
  });
  lengths = requireLengths(e, lengths, total,
                           "a batch must not have more keys than the total");
  Value queries = e.index(length), all = e.index(total);
  return e.unary(lengths, [&](Scalars &s, Value v) {
    Value own = s.fromIndex(queries, DataType::Int64);
    Value zero = s.integer(v.getType(), 0);
    Value isFirst = s.equal(queries, all);
    return s.select(isFirst, zero, s.max(s.sub(v, own), zero));
  });
}

/// The cache with new rows behind those that count, and zeros behind these.
/// Both are [batch, heads, length, size]; without a cache, `old` is null.
static Tensor extendCache(Emitter &e, const Tensor &old, const Tensor &fresh,
                          const GroupQueryStep &step) {
  // A row of zeros at the end, which is read where there is nothing else.
  Scalars outside(e.builder(), e.loc());
  Value zero = outside.number(elementType(e.context(), fresh.type), 0);
  SmallVector<Expr, 4> none(4, e.constant(0)), one(none);
  one[2] = e.constant(1);
  Tensor rows = e.pad(fresh, zero, none, one), before;
  if (old)
    before = e.pad(old, zero, none, one);
  Value last = e.index(fresh.dims[2]);
  Value lastOld = old ? e.index(old.dims[2]) : Value();
  SmallVector<Expr, 4> dims(fresh.dims);
  dims[2] = step.keys;
  return e.generate(dims, fresh.type, [&](Scalars &s, ArrayRef<Value> at) {
    Value past = s.toIndex(Emitter::at(s, step.past, at[0]), DataType::Int64);
    Value place = s.sub(at[2], past);
    place = s.min(s.max(place, s.index(0)), last);
    Value own = Emitter::at(s, rows, {at[0], at[1], place, at[3]});
    if (!old)
      return own;
    Value kept =
        Emitter::at(s, before, {at[0], at[1], s.min(at[2], lastOld), at[3]});
    return s.select(s.less(at[2], past), kept, own);
  });
}

/// Positions of the queries: behind the keys of the cache, unless given.
static Tensor placesOf(Node &n, const GroupQueryStep &step) {
  if (n.has(GroupQueryInput::Positions))
    return n.tensor(GroupQueryInput::Positions);
  return n.emit().generate({step.q.dims[0], step.q.dims[1]}, DataType::Int64,
                           [&](Scalars &s, ArrayRef<Value> at) {
                             return s.add(Emitter::at(s, step.past, at[0]),
                                          s.fromIndex(at[1], DataType::Int64));
                           });
}

/// Scores of keys behind that of the query, or farther before it than the
/// window reaches, are minus infinity.
static Tensor hideLaterKeys(Emitter &e, const Tensor &scores,
                            const GroupQueryStep &step, int64_t window) {
  Tensor past = e.unsqueeze(step.past, {1, 2, 3});
  Tensor result =
      e.map({scores, past}, scores.type, [&](Scalars &s, ArrayRef<Value> v) {
        Value own = s.add(s.loop(2), s.toIndex(v[1], DataType::Int64));
        Value sees = s.lessOrEqual(s.loop(3), own);
        if (window > 0)
          sees = s.logicalAnd(sees,
                              s.less(s.sub(own, s.index(window)), s.loop(3)));
        Value hidden =
            s.number(v[0].getType(), -std::numeric_limits<double>::infinity());
        return s.select(sees, v[0], hidden);
      });
  return e.wrap(result.value, scores.dims, scores.type);
}

static bool areSupported(Node &n) {
  for (StringRef name : {"smooth_softmax", "kv_cache_bit_width"})
    if (n.intAttr(name, 0) > 0) {
      (void)n.fail("expected no " + name);
      return false;
    }
  if (n.has(GroupQueryInput::Sink)) {
    (void)n.fail("expected no head_sink");
    return false;
  }
  return true;
}

static LogicalResult groupQueryAttention(Node &n) {
  Emitter &e = n.emit();
  int64_t heads = n.intAttr("num_heads", 0);
  int64_t keyHeads = n.intAttr("kv_num_heads", 0);
  if (heads < 1 || keyHeads < 1 || heads % keyHeads != 0)
    return n.fail("expected num_heads to be a multiple of kv_num_heads, both "
                  "from 1");
  if (n.has(GroupQueryInput::PastKey) != n.has(GroupQueryInput::PastValue) ||
      n.has(GroupQueryInput::Cos) != n.has(GroupQueryInput::Sin))
    return n.fail("expected past keys and values, and cos and sin, both or "
                  "neither");
  GroupQueryStep step;
  Expr total = n.oneInt(GroupQueryInput::Total);
  if (!total || !areSupported(n) || !readGroups(n, heads, keyHeads, step))
    return failure();
  if (n.rank(GroupQueryInput::Lengths) != 1 &&
      n.rank(GroupQueryInput::Lengths) != 2)
    return n.fail("expected lengths of rank 1");
  Tensor pastKey, pastValue;
  step.keys = total;
  if (n.has(GroupQueryInput::PastKey)) {
    pastKey = n.wideTensor(GroupQueryInput::PastKey);
    pastValue = n.wideTensor(GroupQueryInput::PastValue);
    if (pastKey.rank() != 4 || pastValue.rank() != 4)
      return n.fail("expected past keys and values of rank 4");
    step.keys = e.arena().max(pastKey.dims[2], total);
  }
  step.past = countPastKeys(n, step.q.dims[1], total);
  if (n.intAttr("do_rotary", 0)) {
    if (!n.has(GroupQueryInput::Cos) || n.rank(GroupQueryInput::Cos) != 2 ||
        n.rank(GroupQueryInput::Sin) != 2)
      return n.fail("expected cos and sin of rank 2 with do_rotary");
    Tensor places = placesOf(n, step);
    Tensor cos = pickRows(e, n.wideTensor(GroupQueryInput::Cos), places);
    Tensor sin = pickRows(e, n.wideTensor(GroupQueryInput::Sin), places);
    bool isInterleaved = n.intAttr("rotary_interleaved", 0);
    step.q = rotateHeads(e, step.q, cos, sin, isInterleaved);
    step.k = rotateHeads(e, step.k, cos, sin, isInterleaved);
  }
  for (Tensor *x : {&step.q, &step.k, &step.v})
    *x = e.transpose(*x, {0, 2, 1, 3});
  Tensor k = extendCache(e, pastKey, step.k, step);
  Tensor v = extendCache(e, pastValue, step.v, step);
  if (failed(n.setRounded(1, k)) || failed(n.setRounded(2, v)))
    return failure();
  if (!shareHeads(e, step.q, k, v))
    return failure();
  Tensor scores = scoresOf(e, step.q, k, microsoftScale(n), step.q.type);
  scores = capScores(e, scores, n.floatAttr("softcap", 0));
  scores = addScoreBias(n, GroupQueryInput::Bias, scores);
  scores = hideLaterKeys(e, scores, step, n.intAttr("local_window_size", -1));
  Tensor weights = softmaxOf(e, scores, 3, false, /*mayHideAll=*/true);
  return n.setRounded(0, joinHeads(e, e.matmul(weights, v, weights.type)));
}

void mlir::symshape::onnx::addGroupQueryAttentionOps(Registry &registry) {
  registry.add("com.microsoft", "GroupQueryAttention",
               {7, groupQueryAttention});
}
