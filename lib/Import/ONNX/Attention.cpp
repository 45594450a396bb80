//===- Attention.cpp - Attention and rotary embeddings --------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Attention.h"
#include "Families.h"
#include "GraphImporter.h"
#include "Ordering.h"
#include "Reductions.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::symshape;
using namespace mlir::symshape::onnx;

Tensor mlir::symshape::onnx::splitHeads(Emitter &e, const Tensor &x,
                                        int64_t heads) {
  Expr count = e.constant(heads);
  Tensor apart = e.reshape(
      x, {x.dims[0], x.dims[1], count, e.divideExactly(x.dims[2], count)});
  return e.transpose(apart, {0, 2, 1, 3});
}

Tensor mlir::symshape::onnx::joinHeads(Emitter &e, const Tensor &x) {
  Tensor rows = e.transpose(x, {0, 2, 1, 3});
  return e.reshape(rows,
                   {rows.dims[0], rows.dims[1], rows.dims[2] * rows.dims[3]});
}

/// Head h of the result is head h / (heads / own heads) of x: several heads of
/// queries share one of keys.
static Tensor repeatHeads(Emitter &e, const Tensor &x, Expr heads) {
  if (x.dims[1] == heads)
    return x;
  Expr times = e.divideExactly(heads, x.dims[1]);
  if (!heads.asInt64() || !x.dims[1].asInt64())
    e.require(Relation::eq(times * x.dims[1], heads),
              "heads of queries must be a multiple of those of keys");
  SmallVector<Expr, 5> dims{x.dims[0], x.dims[1], times, x.dims[2], x.dims[3]};
  return e.reshape(e.broadcastTo(e.unsqueeze(x, 2), dims),
                   {x.dims[0], heads, x.dims[2], x.dims[3]});
}

bool mlir::symshape::onnx::shareHeads(Emitter &e, const Tensor &q, Tensor &k,
                                      Tensor &v) {
  Expr heads = q.dims[1];
  for (Tensor *x : {&k, &v}) {
    std::optional<int64_t> all = heads.asInt64(), own = x->dims[1].asInt64();
    if (all && own && *own != *all && (*own == 0 || *all % *own != 0))
      return false;
    *x = repeatHeads(e, *x, heads);
  }
  return true;
}

Tensor mlir::symshape::onnx::scoresOf(Emitter &e, const Tensor &q,
                                      const Tensor &k,
                                      std::optional<double> scale,
                                      DataType type) {
  Tensor scores = e.matmul(q, e.transpose(k, {0, 1, 3, 2}), type);
  // The scores of heads without elements are 0.
  Value size = e.index(e.arena().max(q.dims[3], e.constant(1)));
  return e.unary(scores, [&](Scalars &s, Value x) {
    if (scale)
      return s.mul(x, s.number(x.getType(), *scale));
    return s.div(x, s.create<math::SqrtOp>(s.fromIndex(size, type)));
  });
}

std::optional<double> mlir::symshape::onnx::microsoftScale(Node &n) {
  double scale = n.floatAttr("scale", 0);
  return scale != 0 ? std::optional(scale) : std::nullopt;
}

Tensor mlir::symshape::onnx::addScoreBias(Node &n, size_t i,
                                          const Tensor &scores) {
  if (!n.has(i))
    return scores;
  Emitter &e = n.emit();
  Tensor bias = n.wideTensor(i);
  e.requireBroadcast(bias, scores.dims, "the bias must broadcast to scores");
  return e.wrap(e.add(scores, bias).value, scores.dims, scores.type);
}

Tensor mlir::symshape::onnx::capScores(Emitter &e, const Tensor &scores,
                                       double cap) {
  if (cap == 0)
    return scores;
  return e.unary(scores, [=](Scalars &s, Value x) {
    Value bound = s.number(x.getType(), cap);
    return s.mul(s.create<math::TanhOp>(s.div(x, bound)), bound);
  });
}

namespace {
/// What hides scores: numbers to add, or false where a score is hidden.
struct Masks {
  Tensor mask;    ///< added, or bool
  Tensor lengths; ///< of the keys of each batch
  bool isCausal;
  int64_t left = -1, right = -1; ///< keys beside that of a query; -1: all
  Expr past; ///< keys before those of the first query, unless lengths say it
};
} // namespace

/// Scores with what is hidden at minus infinity.
static Tensor hide(Emitter &e, const Tensor &scores, const Masks &masks) {
  double infinity = std::numeric_limits<double>::infinity();
  Tensor result = scores;
  auto hideUnless = [&](Scalars &s, Value shown, Value v) {
    return s.select(shown, v, s.number(v.getType(), -infinity));
  };
  if (masks.mask) {
    Tensor mask = masks.mask;
    Expr total = scores.dims[3], own = mask.dims.back();
    if (own != total) {
      // A shorter mask hides what lies beyond it.
      e.require(Relation::le(own, total),
                "a mask must not be longer than the keys");
      SmallVector<Expr, 4> low(mask.rank(), e.constant(0)), high(low);
      high.back() = total - own;
      Scalars s(e.builder(), e.loc());
      Value hidden =
          mask.type == DataType::Bool
              ? s.integer(s.b.getI1Type(), 0)
              : s.number(elementType(e.context(), mask.type), -infinity);
      mask = e.pad(mask, hidden, low, high);
      mask.dims.back() = total;
      mask = e.wrap(mask.value, mask.dims, mask.type);
    }
    bool isBool = mask.type == DataType::Bool;
    e.requireBroadcast(mask, scores.dims,
                       "a mask must broadcast to the scores");
    result =
        e.map({result, mask}, scores.type, [&](Scalars &s, ArrayRef<Value> v) {
          return isBool ? hideUnless(s, v[1], v[0])
                        : s.add(v[0], s.cast(v[1], mask.type, scores.type));
        });
    result = e.wrap(result.value, scores.dims, scores.type);
  }
  // The key at the place of a query is `offset` behind it.
  auto seesKey = [&](Scalars &s, Value key, Value offset) {
    Value own = s.add(s.loop(2), offset);
    Value sees = s.integer(s.b.getI1Type(), 1);
    if (masks.isCausal || masks.right >= 0)
      sees = s.lessOrEqual(
          key, s.add(own, s.index(masks.isCausal ? 0 : masks.right)));
    if (masks.left >= 0)
      sees = s.logicalAnd(sees,
                          s.lessOrEqual(s.sub(own, s.index(masks.left)), key));
    return sees;
  };
  bool isLimited = masks.isCausal || masks.left >= 0 || masks.right >= 0;
  if (isLimited && !masks.lengths) {
    Value past = e.index(masks.past);
    result = e.unary(result, [&](Scalars &s, Value v) {
      return hideUnless(s, seesKey(s, s.loop(3), past), v);
    });
  }
  if (masks.lengths) {
    Tensor lengths = e.unsqueeze(masks.lengths, {1, 2, 3});
    DataType type = lengths.type;
    Value queries = e.index(scores.dims[2]);
    result = e.map(
        {result, lengths}, scores.type, [&](Scalars &s, ArrayRef<Value> v) {
          Value key = s.loop(3), length = s.toIndex(v[1], type);
          Value shown = s.less(key, length);
          if (isLimited) // the last query is at the place of the last key
            shown =
                s.logicalAnd(shown, seesKey(s, key, s.sub(length, queries)));
          return hideUnless(s, shown, v[0]);
        });
    result = e.wrap(result.value, scores.dims, scores.type);
  }
  return result;
}

/// The factor of scores, if there is one.
static std::optional<double> scaleOf(Node &n) {
  const AttributeData *given = n.attribute("scale");
  return given ? std::optional<double>(given->f) : std::nullopt;
}

static LogicalResult attention(Node &n) {
  Emitter &e = n.emit();
  Tensor q = n.tensor(0), k = n.tensor(1), v = n.tensor(2);
  DataType type = sumType(q.type);
  bool isFlat = q.rank() == 3;
  if ((q.rank() != 3 && q.rank() != 4) || k.rank() != q.rank() ||
      v.rank() != q.rank())
    return n.fail("expected queries, keys and values of rank 3 or 4");
  int64_t queryHeads = n.intAttr("q_num_heads", 0);
  int64_t keyHeads = n.intAttr("kv_num_heads", 0);
  if (isFlat) {
    if (queryHeads < 1 || keyHeads < 1)
      return n.fail(
          "expected q_num_heads and kv_num_heads from 1 for operands of "
          "rank 3");
    q = splitHeads(e, q, queryHeads);
    k = splitHeads(e, k, keyHeads);
    v = splitHeads(e, v, keyHeads);
  }
  Masks masks;
  masks.isCausal = n.intAttr("is_causal", 0);
  masks.left = n.intAttr("left_window_size", -1);
  masks.right = n.intAttr("right_window_size", -1);
  masks.past = e.constant(0);
  if (n.has(3)) {
    masks.mask = n.tensor(3);
    if (masks.mask.rank() < 1 || masks.mask.rank() > 4)
      return n.fail("expected a mask of rank 1 to 4");
    if (masks.mask.type != DataType::Bool && masks.mask.type != q.type)
      return n.fail("expected a mask of bools, or of the type of the queries, "
                    "but got " +
                    nameOf(masks.mask.type));
  }
  if (n.has(4) != n.has(5) || (n.has(4) && n.has(6)))
    return n.fail("expected past keys and values, both or neither, and no "
                  "lengths beside them");
  if (n.has(6) && (n.wants(1) || n.wants(2)))
    return n.fail("expected no present keys and values where lengths are "
                  "given");
  if (n.has(4)) {
    Tensor keys = n.tensor(4), values = n.tensor(5);
    if (keys.rank() != 4 || values.rank() != 4)
      return n.fail("expected past keys and values of rank 4, but got rank " +
                    Twine(keys.rank()) + " and " + Twine(values.rank()));
    masks.past = keys.dims[2];
    k = e.concat({keys, k}, 2);
    v = e.concat({values, v}, 2);
  }
  if (n.has(6)) {
    masks.lengths = n.tensor(6);
    if (masks.lengths.rank() != 1)
      return n.fail("expected lengths of rank 1");
    masks.lengths = requireLengths(e, masks.lengths, k.dims[2],
                                   "a length must lie within the keys");
    if (masks.mask && !masks.mask.dims.back().isConstant(1))
      masks.lengths = requireLengths(e, masks.lengths, masks.mask.dims.back(),
                                     "a mask must not be shorter than the "
                                     "longest length");
    e.require(Relation::eq(masks.lengths.dims[0], q.dims[0]),
              "there must be a length for each of the batch");
  }
  for (const Tensor *x : {&k, &v})
    e.require(Relation::eq(x->dims[0], q.dims[0]),
              "queries, keys and values must be of one batch");
  if (failed(n.set(1, k)) || failed(n.set(2, v)))
    return failure();
  if (!shareHeads(e, q, k, v))
    return n.fail("expected a number of query heads that is a multiple of "
                  "those of keys and of values");
  Tensor scores = scoresOf(e, q, k, scaleOf(n), type);
  SmallVector<Tensor, 4> shown{scores}; // by what the mode counts
  scores = capScores(e, scores, std::max(n.floatAttr("softcap", 0), 0.0));
  Tensor hidden = hide(e, scores, masks);
  DataType precision = static_cast<DataType>(
      n.intAttr("softmax_precision", static_cast<int64_t>(type)));
  if (!isFloat(precision))
    return n.fail("expected a float as the precision of softmax");
  Tensor weights =
      softmaxOf(e, e.cast(hidden, precision), 3, false, /*mayHideAll=*/true);
  weights = e.cast(e.cast(weights, precision), type);
  shown.append({scores, hidden, weights});
  int64_t mode = n.intAttr("qk_matmul_output_mode", 0);
  if (mode < 0 || mode > 3)
    return n.fail("expected qk_matmul_output_mode from 0 to 3, but got " +
                  Twine(mode));
  if (failed(n.setRounded(3, shown[mode])))
    return failure();
  Tensor result = e.matmul(weights, v, type);
  return n.setRounded(0, isFlat ? joinHeads(e, result) : result);
}

/// What a graph of one input makes of a tensor; the tensor itself without one.
/// Null after an error.
static Tensor modified(Node &n, StringRef name, const Tensor &x) {
  const AttributeData *found = n.attribute(name);
  if (!found || !found->graph)
    return x;
  auto results = n.graph().importBody(*found->graph, Operand::of(x));
  if (!results || results->size() != 1) {
    (void)n.fail("expected '" + name + "' to have one result");
    return Tensor();
  }
  NodeData none;
  Tensor result = Node(n.graph(), none, *results).tensor(0);
  return n.emit().cast(result, x.type);
}

static LogicalResult flexAttention(Node &n) {
  Emitter &e = n.emit();
  Tensor q = n.tensor(0), k = n.tensor(1), v = n.tensor(2);
  if (q.rank() != 4 || k.rank() != 4 || v.rank() != 4 || !isFloat(q.type))
    return n.fail("expected queries, keys and values of floats of rank 4");
  DataType type = sumType(q.type);
  DataType wide = static_cast<DataType>(
      n.intAttr("softmax_precision", static_cast<int64_t>(type)));
  if (!isFloat(wide))
    return n.fail("expected a float as the precision of softmax");
  if (!shareHeads(e, q, k, v))
    return n.fail("expected a number of query heads that is a multiple of "
                  "those of keys and of values");
  Tensor scores = scoresOf(e, q, k, scaleOf(n), type);
  scores = modified(n, "score_mod", e.cast(scores, wide));
  if (!scores)
    return failure();
  Tensor weights = modified(n, "prob_mod", softmaxOf(e, scores, 3, false));
  if (!weights)
    return failure();
  Tensor result = e.matmul(weights, e.cast(v, wide), wide);
  return n.set(0, e.cast(result, v.type));
}

void mlir::symshape::onnx::addAttentionOps(Registry &registry) {
  registry.add("Attention", 3, attention);
  registry.add("ai.onnx.preview", "FlexAttention", {3, flexAttention});
}
