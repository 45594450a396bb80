//===- States.cpp - Ops that carry a state over a sequence ----------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LinearAttention and CausalConvWithState. Gates with weights of their own are
// in Recurrent.cpp.
//
//===----------------------------------------------------------------------===//

#include "Families.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::symshape;
using namespace mlir::symshape::onnx;

static LogicalResult causalConvWithState(Node &n) {
  Emitter &e = n.emit();
  OpBuilder &b = e.builder();
  Tensor x = n.tensor(0), w = n.tensor(1);
  if (x.rank() != 3 || w.rank() != 3 || !isFloat(x.type) || x.type != w.type)
    return n.fail("expected input and weights of floats of rank 3");
  Expr length = x.dims[2], before = w.dims[2] - 1;
  e.require(Relation::ge(w.dims[2], e.constant(1)),
            "a kernel must have an element");
  e.require(Relation::eq(w.dims[0], x.dims[1]),
            "there must be a kernel for each channel");
  e.require(Relation::eq(w.dims[1], e.constant(1)),
            "a kernel is of one channel");
  Tensor all;
  if (n.has(3)) {
    Tensor past = n.tensor(3);
    if (past.rank() != 3 || past.type != x.type)
      return n.fail("expected a state of the type and rank of the input");
    e.require(Relation::eq(past.dims[2], before),
              "the state must have what the kernel reads before the input");
    all = e.concat({past, x}, 2);
  } else {
    Scalars s(b, e.loc());
    Value zero = s.number(elementType(e.context(), x.type), 0);
    Expr none = e.constant(0);
    all = e.pad(x, zero, {none, none, before}, {none, none, none});
  }
  AffineExpr batch = b.getAffineDimExpr(0), channel = b.getAffineDimExpr(1);
  AffineExpr place = b.getAffineDimExpr(2), k = b.getAffineDimExpr(3);
  AffineMap maps[] = {
      AffineMap::get(4, 0, {batch, channel, place + k}, e.context()),
      AffineMap::get(4, 0, {channel, k}, e.context()),
      AffineMap::get(4, 0, {batch, channel, place}, e.context())};
  DataType type = wideType(x.type);
  Tensor sums = e.structured(
      {all, e.squeeze(w, 1)}, e.fill(x.dims, type, 0.0), maps,
      {false, false, false, true}, [&](Scalars &s, ArrayRef<Value> v) {
        Value left = s.cast(v[0], x.type, type);
        return s.add(v[2], s.mul(left, s.cast(v[1], x.type, type)));
      });
  if (n.has(2)) {
    Tensor bias = n.tensor(2);
    if (bias.rank() != 1)
      return n.fail("expected a bias of rank 1");
    e.require(Relation::eq(bias.dims[0], sums.dims[1]),
              "there must be a bias for each channel");
    sums = e.add(sums, e.unsqueeze(e.cast(bias, type), 1));
  }
  StringRef activation = n.textAttr("activation", "none");
  if (activation == "silu" || activation == "swish")
    sums = e.unary(sums,
                   [](Scalars &s, Value v) { return s.mul(v, s.sigmoid(v)); });
  else if (activation != "none")
    return n.fail("expected a known activation, but got '" + activation + "'");
  if (failed(n.set(0, e.cast(sums, x.type))))
    return failure();
  return n.set(1, e.slice(all, 2, length, before));
}

namespace {
/// What the recurrence reads in each step: [batch, time, heads, ...].
struct Sequences {
  Tensor queries; ///< [.., queries of a head, keys]
  Tensor keys, values;
  Tensor decay; ///< of each key or one of all, or null
  Tensor rate;  ///< of each head or one of all, or null
};
} // namespace

/// [batch, time, heads * size] with the heads apart, as floats.
static Tensor headsApart(Emitter &e, const Tensor &x, int64_t heads) {
  Expr count = e.constant(heads);
  e.require(Relation::divides(count, x.dims[2]),
            "the number of heads must divide the width of what they share");
  return e.cast(e.reshape(x, {x.dims[0], x.dims[1], count,
                              e.divideExactly(x.dims[2], count)}),
                DataType::Float);
}

/// The state after a step, [batch, heads, keys, values].
static Tensor nextState(Emitter &e, const Sequences &all, Value step,
                        Tensor state) {
  if (all.decay) {
    Tensor decay = e.unsqueeze(e.pick(all.decay, 1, step), 3);
    state =
        e.map({state, decay}, state.type, [](Scalars &s, ArrayRef<Value> v) {
          return s.mul(v[0], s.create<math::ExpOp>(v[1]));
        });
  }
  Tensor key = e.pick(all.keys, 1, step);
  Tensor value = e.unsqueeze(e.pick(all.values, 1, step), 2);
  if (state && all.rate) { // what the key finds already is taken off
    Tensor found = e.matmul(e.unsqueeze(key, 2), state, state.type);
    Tensor rate = e.unsqueeze(e.pick(all.rate, 1, step), {2, 3});
    value = e.map({value, found, rate}, value.type,
                  [](Scalars &s, ArrayRef<Value> v) {
                    return s.mul(v[2], s.sub(v[0], v[1]));
                  });
  }
  return e.map({state, e.unsqueeze(key, 3), value}, state.type,
               [](Scalars &s, ArrayRef<Value> v) {
                 return s.add(v[0], s.mul(v[1], v[2]));
               });
}

/// Reads decay and rate, as the rule asks. False after an error.
static bool readGates(Node &n, int64_t heads, Sequences &all) {
  Emitter &e = n.emit();
  StringRef rule = n.textAttr("update_rule", "gated_delta");
  bool decays = rule == "gated" || rule == "gated_delta";
  bool corrects = rule == "delta" || rule == "gated_delta";
  auto refuse = [&](const Twine &message) {
    (void)n.fail(message);
    return false;
  };
  if (!decays && !corrects && rule != "linear")
    return refuse("expected a known update rule, but got '" + rule + "'");
  if (decays != n.has(4) || corrects != n.has(5))
    return refuse("expected a decay and a rate where the update rule has one");
  if (decays) {
    Tensor decay = n.tensor(4);
    if (decay.rank() != 3)
      return refuse("expected a decay of rank 3");
    all.decay = headsApart(e, decay, heads);
  }
  if (corrects) {
    Tensor rate = n.tensor(5);
    if (rate.rank() != 3)
      return refuse("expected a rate of rank 3");
    all.rate = e.cast(rate, DataType::Float);
  }
  return true;
}

static LogicalResult linearAttention(Node &n) {
  Emitter &e = n.emit();
  Tensor query = n.tensor(0), key = n.tensor(1), value = n.tensor(2);
  int64_t queryHeads = n.intAttr("q_num_heads", 0);
  int64_t heads = n.intAttr("kv_num_heads", 0);
  if (query.rank() != 3 || key.rank() != 3 || value.rank() != 3)
    return n.fail("expected queries, keys and values of rank 3");
  if (heads < 1 || queryHeads < 1 || queryHeads % heads != 0)
    return n.fail("expected q_num_heads to be a multiple of kv_num_heads, "
                  "both from 1");
  DataType type = query.type, wide = DataType::Float;
  Sequences all;
  if (!readGates(n, heads, all))
    return failure();
  all.keys = headsApart(e, key, heads);
  all.values = headsApart(e, value, heads);
  Expr batch = query.dims[0], time = query.dims[1];
  Expr keySize = all.keys.dims[3], valueSize = all.values.dims[3];
  Expr group = e.constant(queryHeads / heads), numHeads = e.constant(heads);
  e.require(Relation::divides(e.constant(queryHeads), query.dims[2]),
            "the number of heads must divide the width of queries");
  Expr querySize = e.divideExactly(query.dims[2], e.constant(queryHeads));
  all.queries =
      e.cast(e.reshape(query, {batch, time, numHeads, group, querySize}), wide);
  for (const Tensor *t : {&all.keys, &all.values})
    e.require(Relation::eq(t->dims[1], time),
              "there must be a key and a value for each step");
  SmallVector<Expr, 4> stateDims{batch, numHeads, keySize, valueSize};
  Tensor state;
  DataType stateType = type;
  if (n.has(3)) {
    Tensor past = n.tensor(3);
    if (past.rank() != 4)
      return n.fail("expected a state of rank 4");
    stateType = past.type;
    for (auto [given, wanted] : llvm::zip(past.dims, stateDims))
      e.require(Relation::eq(given, wanted),
                "a state must have a row for each key");
    state = e.wrap(e.cast(past, wide).value, stateDims, wide);
  } else {
    state = e.fill(stateDims, wide, 0.0);
  }
  SmallVector<Expr, 4> outDims{batch, time, numHeads, group, valueSize};
  Tensor results{e.empty(outDims, wide), outDims, wide};
  double scale = n.floatAttr("scale", 0);
  Value size = e.index(querySize);
  auto ends =
      e.repeat(time, {state, results}, [&](Value step, ArrayRef<Tensor> old) {
        Tensor now = nextState(e, all, step, old[0]);
        Tensor read = e.matmul(e.pick(all.queries, 1, step), now, wide);
        read = e.unary(read, [&](Scalars &s, Value v) {
          if (scale != 0)
            return s.mul(v, s.number(v.getType(), scale));
          return s.div(v, s.create<math::SqrtOp>(s.fromIndex(size, wide)));
        });
        return SmallVector<Tensor>{now, e.put(old[1], 1, step, read)};
      });
  Tensor joined =
      e.reshape(e.cast(ends[1], type), {batch, time, valueSize * queryHeads});
  if (failed(n.set(0, joined)))
    return failure();
  return n.set(1, e.cast(ends[0], stateType));
}

void mlir::symshape::onnx::addStateOps(Registry &registry) {
  registry.add("CausalConvWithState", 2, causalConvWithState);
  registry.add("LinearAttention", 3, linearAttention);
}
