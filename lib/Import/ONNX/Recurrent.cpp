//===- Recurrent.cpp - LSTM, GRU and RNN ----------------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The products of all inputs come first, at once; then one loop over time for
// each direction carries the state.
//
//===----------------------------------------------------------------------===//

#include "Activations.h"
#include "Families.h"
#include "Ordering.h"
#include "Quantization.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::symshape;
using namespace mlir::symshape::onnx;

namespace {
/// What the three ops have in common.
struct Recurrence {
  Tensor x; ///< [time, batch, input]
  Expr time, batch, hidden;
  int64_t gates;
  size_t directions;
  bool isReversed; ///< of a single direction
  bool batchFirst;
  std::vector<Activation> activations; ///< those of each direction in turn
  std::optional<double> clip;
  Tensor lengths; ///< of each batch, or null
};

/// Weights of one direction, as matrices that are multiplied from the right.
struct Weights {
  Tensor input;     ///< [input, gates * hidden]
  Tensor state;     ///< [hidden, gates * hidden]
  Tensor inputBias; ///< [gates * hidden], or null
  Tensor stateBias; ///< the same
};
} // namespace

static bool readActivations(Node &n, Recurrence &r,
                            ArrayRef<StringRef> defaults) {
  auto alphas = n.floatsAttr("activation_alpha").value_or(std::vector<float>());
  auto betas = n.floatsAttr("activation_beta").value_or(std::vector<float>());
  ArrayRef<float> nextAlphas = alphas, nextBetas = betas;
  const AttributeData *given = n.attribute("activations");
  for (size_t i = 0; i < r.directions * defaults.size(); ++i) {
    StringRef name = defaults[i % defaults.size()];
    if (given && i < given->strings.size())
      name = given->strings[i];
    auto f = readActivation(name, nextAlphas, nextBetas);
    if (!f)
      return failed(n.fail("expected known activations, but got '" + name +
                           "'")) &&
             false;
    r.activations.push_back(*f);
  }
  return true;
}

static std::optional<Recurrence> readRecurrence(Node &n, int64_t gates,
                                                ArrayRef<StringRef> defaults,
                                                const Tensor &state) {
  Recurrence r;
  Emitter &e = n.emit();
  r.x = n.wideTensor(0);
  if (r.x.rank() != 3 || state.rank() != 3 || !isFloat(r.x.type)) {
    (void)n.fail("expected input and weights of rank 3");
    return std::nullopt;
  }
  r.batchFirst = n.intAttr("layout", 0);
  if (r.batchFirst)
    r.x = e.transpose(r.x, {1, 0, 2});
  r.time = r.x.dims[0];
  r.batch = r.x.dims[1];
  r.gates = gates;
  StringRef direction = n.textAttr("direction", "forward");
  r.directions = direction == "bidirectional" ? 2 : 1;
  r.isReversed = direction == "reverse";
  const AttributeData *hidden = n.attribute("hidden_size");
  r.hidden = hidden ? e.constant(hidden->i) : state.dims[2];
  e.require(Relation::eq(state.dims[0], e.constant(r.directions)),
            "there must be weights for each direction");
  if (auto dims = n.operand(1).extents(e.arena()); dims && dims->size() == 3)
    e.require(Relation::eq(dims->front(), e.constant(r.directions)),
              "there must be weights for each direction");
  if (n.attribute("clip"))
    r.clip = n.floatAttr("clip", 0);
  if (n.has(4))
    r.lengths = requireLengths(e, n.tensor(4), r.time,
                               "a length must lie within the sequence");
  if (!readActivations(n, r, defaults))
    return std::nullopt;
  return r;
}

/// Part `i` of an axis of equal parts of `size`.
static Tensor part(Emitter &e, const Tensor &x, int64_t axis, int64_t i,
                   Expr size) {
  return e.slice(x, axis, size * i, size);
}

/// Element `i` of the first axis, which goes away.
static Tensor first(Emitter &e, const Tensor &x, Expr i) {
  return e.squeeze(e.slice(x, 0, i, e.constant(1)), 0);
}

static Weights readWeights(Node &n, const Recurrence &r, size_t d) {
  Emitter &e = n.emit();
  Expr at = e.constant(d);
  Weights w;
  Expr size = r.hidden * r.gates;
  for (size_t i : {1, 2}) {
    if (n.rank(i) != 3)
      continue; // refused where it is used
    e.require(Relation::eq(n.tensor(i).dims[1], size),
              "there must be weights for each gate");
  }
  w.input = e.transpose(first(e, n.wideTensor(1), at), {1, 0});
  w.state = e.transpose(first(e, n.wideTensor(2), at), {1, 0});
  if (n.has(3)) {
    Tensor bias = first(e, n.wideTensor(3), at);
    e.require(Relation::eq(bias.dims[0], size * 2),
              "there must be two biases for each gate");
    w.inputBias = part(e, bias, 0, 0, size);
    w.stateBias = part(e, bias, 0, 1, size);
  }
  return w;
}

static Tensor limit(Emitter &e, const Recurrence &r, const Tensor &x) {
  if (!r.clip)
    return x;
  return e.unary(x, [&](Scalars &s, Value v) {
    Value bound = s.number(v.getType(), *r.clip);
    return s.max(s.min(v, bound), s.neg(bound));
  });
}

static Tensor activate(Emitter &e, const Recurrence &r, const Tensor &x,
                       const Activation &f) {
  return e.unary(limit(e, r, x),
                 [&](Scalars &s, Value v) { return apply(s, f, v); });
}

/// The initial state of a direction: zeros unless input `i` gives it.
static Tensor initialState(Node &n, const Recurrence &r, size_t i, size_t d) {
  Emitter &e = n.emit();
  if (!n.has(i))
    return e.fill({r.batch, r.hidden}, r.x.type, 0.0);
  Tensor all = n.wideTensor(i);
  if (r.batchFirst)
    all = e.transpose(all, {1, 0, 2});
  Tensor state = first(e, all, e.constant(d));
  if (state.rank() != 2)
    return state; // refused where it is used
  e.require(Relation::eq(state.dims[0], r.batch),
            "a recurrence needs an initial state for each of the batch");
  e.require(Relation::eq(state.dims[1], r.hidden),
            "a recurrence needs an initial state of the hidden size");
  return e.wrap(state.value, {r.batch, r.hidden}, state.type);
}

/// `then` if the step is before the end of its batch, else `otherwise`.
static Tensor within(Emitter &e, const Recurrence &r, Value step,
                     const Tensor &then, const Tensor &otherwise) {
  if (!r.lengths)
    return then;
  Tensor lengths = e.unsqueeze(r.lengths, 1);
  DataType type = r.lengths.type;
  return e.map({lengths, then, otherwise}, then.type,
               [&](Scalars &s, ArrayRef<Value> v) {
                 Value inside = s.less(step, s.toIndex(v[0], type));
                 return s.select(inside, v[1], v[2]);
               });
}

/// One step: new states from the products of the input and the old states.
using Step = llvm::function_ref<SmallVector<Tensor>(const Tensor &products,
                                                    ArrayRef<Tensor> states)>;

/// All steps of a direction: the first state at each time, then the last.
static SmallVector<Tensor> runSteps(Emitter &e, const Recurrence &r,
                                    const Tensor &products,
                                    ArrayRef<Tensor> states, bool backward,
                                    Step step) {
  SmallVector<Expr, 4> dims{r.time, r.batch, r.hidden};
  SmallVector<Expr, 2> ofState{r.batch, r.hidden};
  SmallVector<Tensor> inits{{e.empty(dims, r.x.type), dims, r.x.type}};
  for (const Tensor &state : states)
    inits.push_back(e.wrap(state.value, ofState, state.type));
  Value numSteps = e.index(r.time);
  return e.repeat(r.time, inits, [&](Value counter, ArrayRef<Tensor> carried) {
    Scalars s(e.builder(), e.loc());
    Value at = backward ? s.sub(s.sub(numSteps, s.index(1)), counter) : counter;
    ArrayRef<Tensor> old = carried.drop_front();
    SmallVector<Tensor> now = step(e.pick(products, 0, at), old);
    Tensor zeros = e.fill(ofState, r.x.type, 0.0);
    Tensor shown = within(e, r, at, now[0], zeros);
    SmallVector<Tensor> next{e.put(carried[0], 0, at, shown)};
    for (auto [fresh, state] : llvm::zip(now, old))
      next.push_back(within(e, r, at, fresh, state));
    return next;
  });
}

/// Sets the outputs: all states, then the last of each.
static LogicalResult setResults(Node &n, const Recurrence &r,
                                ArrayRef<SmallVector<Tensor>> directions) {
  Emitter &e = n.emit();
  for (size_t i = 0; i < directions[0].size(); ++i) {
    SmallVector<Tensor> parts;
    for (const SmallVector<Tensor> &results : directions)
      parts.push_back(e.unsqueeze(results[i], i == 0 ? 1 : 0));
    Tensor all = e.concat(parts, i == 0 ? 1 : 0);
    if (r.batchFirst)
      all =
          i == 0 ? e.transpose(all, {2, 0, 1, 3}) : e.transpose(all, {1, 0, 2});
    if (failed(n.setRounded(i, all)))
      return failure();
  }
  return success();
}

/// Products of all inputs with the weights of a direction, biases added.
static Tensor inputProducts(Emitter &e, const Recurrence &r, const Weights &w,
                            bool withStateBias) {
  Tensor products = e.matmul(r.x, w.input, r.x.type);
  if (w.inputBias)
    products = e.add(products, w.inputBias);
  if (w.stateBias && withStateBias)
    products = e.add(products, w.stateBias);
  return products;
}

static SmallVector<Tensor> runLSTM(Node &n, const Recurrence &r,
                                   const Weights &w, size_t d,
                                   const Tensor &peepholes, bool backward) {
  Emitter &e = n.emit();
  const Activation *f = &r.activations[3 * d];
  bool coupled = n.intAttr("input_forget", 0);
  Tensor products = inputProducts(e, r, w, true);
  SmallVector<Tensor> states{initialState(n, r, 5, d),
                             initialState(n, r, 6, d)};
  return runSteps(
      e, r, products, states, backward,
      [&](const Tensor &x, ArrayRef<Tensor> old) {
        Tensor sums = e.add(x, e.matmul(old[0], w.state, r.x.type));
        auto gate = [&](int64_t i) { return part(e, sums, 1, i, r.hidden); };
        auto peek = [&](const Tensor &t, int64_t i, const Tensor &cell) {
          if (!peepholes)
            return t;
          return e.add(t, e.mul(cell, part(e, peepholes, 0, i, r.hidden)));
        };
        Tensor in = activate(e, r, peek(gate(0), 0, old[1]), f[0]);
        Tensor forget =
            coupled ? e.unary(in,
                              [](Scalars &s, Value v) {
                                return s.sub(s.number(v.getType(), 1), v);
                              })
                    : activate(e, r, peek(gate(2), 2, old[1]), f[0]);
        Tensor fresh = activate(e, r, gate(3), f[1]);
        Tensor cell = e.add(e.mul(forget, old[1]), e.mul(in, fresh));
        Tensor out = activate(e, r, peek(gate(1), 1, cell), f[0]);
        Tensor shown = e.unary(
            cell, [&](Scalars &s, Value v) { return apply(s, f[2], v); });
        return SmallVector<Tensor>{e.mul(out, shown), cell};
      });
}

static LogicalResult lstm(Node &n) {
  auto r = readRecurrence(n, 4, {"Sigmoid", "Tanh", "Tanh"}, n.tensor(2));
  if (!r)
    return failure();
  SmallVector<SmallVector<Tensor>> directions;
  for (size_t d = 0; d < r->directions; ++d) {
    Tensor peepholes;
    if (n.has(7))
      peepholes = first(n.emit(), n.wideTensor(7), n.emit().constant(d));
    directions.push_back(runLSTM(n, *r, readWeights(n, *r, d), d, peepholes,
                                 d == 1 || r->isReversed));
  }
  return setResults(n, *r, directions);
}

static SmallVector<Tensor> runGRU(Node &n, const Recurrence &r,
                                  const Weights &w, size_t d, bool backward) {
  Emitter &e = n.emit();
  const Activation *f = &r.activations[2 * d];
  bool resetLast = n.intAttr("linear_before_reset", 0);
  Expr two = r.hidden * 2;
  Tensor products = inputProducts(e, r, w, !resetLast);
  Tensor stateOfGates = e.slice(w.state, 1, e.constant(0), two);
  Tensor stateOfNew = e.slice(w.state, 1, two, r.hidden);
  return runSteps(
      e, r, products, initialState(n, r, 5, d), backward,
      [&](const Tensor &x, ArrayRef<Tensor> old) {
        const Tensor &h = old[0];
        Tensor gates = e.add(e.slice(x, 1, e.constant(0), two),
                             e.matmul(h, stateOfGates, r.x.type));
        if (resetLast && w.stateBias)
          gates = e.add(gates, e.slice(w.stateBias, 0, e.constant(0), two));
        Tensor update = activate(e, r, part(e, gates, 1, 0, r.hidden), f[0]);
        Tensor reset = activate(e, r, part(e, gates, 1, 1, r.hidden), f[0]);
        Tensor inner;
        if (resetLast) {
          inner = e.matmul(h, stateOfNew, r.x.type);
          if (w.stateBias)
            inner = e.add(inner, part(e, w.stateBias, 0, 2, r.hidden));
          inner = e.mul(reset, inner);
        } else {
          inner = e.matmul(e.mul(reset, h), stateOfNew, r.x.type);
        }
        Tensor fresh =
            activate(e, r, e.add(part(e, x, 1, 2, r.hidden), inner), f[1]);
        Tensor next = e.map({update, fresh, h}, h.type,
                            [](Scalars &s, ArrayRef<Value> v) {
                              Value keep = s.mul(v[0], v[2]);
                              Value one = s.number(v[0].getType(), 1);
                              return s.add(s.mul(s.sub(one, v[0]), v[1]), keep);
                            });
        return SmallVector<Tensor>{next};
      });
}

static LogicalResult gru(Node &n) {
  auto r = readRecurrence(n, 3, {"Sigmoid", "Tanh"}, n.tensor(2));
  if (!r)
    return failure();
  SmallVector<SmallVector<Tensor>> directions;
  for (size_t d = 0; d < r->directions; ++d)
    directions.push_back(
        runGRU(n, *r, readWeights(n, *r, d), d, d == 1 || r->isReversed));
  return setResults(n, *r, directions);
}

static LogicalResult rnn(Node &n) {
  Emitter &e = n.emit();
  auto r = readRecurrence(n, 1, {"Tanh"}, n.tensor(2));
  if (!r)
    return failure();
  SmallVector<SmallVector<Tensor>> directions;
  for (size_t d = 0; d < r->directions; ++d) {
    Weights w = readWeights(n, *r, d);
    directions.push_back(runSteps(
        e, *r, inputProducts(e, *r, w, true), initialState(n, *r, 5, d),
        d == 1 || r->isReversed, [&](const Tensor &x, ArrayRef<Tensor> old) {
          Tensor sums = e.add(x, e.matmul(old[0], w.state, r->x.type));
          return SmallVector<Tensor>{activate(e, *r, sums, r->activations[d])};
        }));
  }
  return setResults(n, *r, directions);
}

/// Weights of int8 with a scale and a zero for each direction, laid out from
/// input to gate. The input and the state are quantized for each product, as
/// ONNX Runtime does.
static LogicalResult dynamicQuantizeLSTM(Node &n) {
  Emitter &e = n.emit();
  auto r = readRecurrence(n, 4, {"Sigmoid", "Tanh", "Tanh"}, n.tensor(2));
  if (!r)
    return failure();
  auto product = [&](const Tensor &x, size_t weight, size_t scale, size_t d) {
    Tensor w = first(e, n.tensor(weight), e.constant(d));
    auto ofDirection = [&](const Tensor &t) {
      return t.rank() == 0 ? t : first(e, t, e.constant(d));
    };
    return dynamicProduct(e, x, w, ofDirection(n.tensor(scale)),
                          ofDirection(n.tensor(scale + 1)));
  };
  SmallVector<SmallVector<Tensor>> directions;
  for (size_t d = 0; d < r->directions; ++d) {
    const Activation *f = &r->activations[3 * d];
    Tensor products = product(r->x, 1, 8, d);
    if (n.has(3)) {
      Tensor bias = first(e, n.tensor(3), e.constant(d));
      Expr size = r->hidden * 4;
      products = e.add(products, part(e, bias, 0, 0, size));
      products = e.add(products, part(e, bias, 0, 1, size));
    }
    SmallVector<Tensor> states{initialState(n, *r, 5, d),
                               initialState(n, *r, 6, d)};
    directions.push_back(runSteps(
        e, *r, products, states, d == 1 || r->isReversed,
        [&](const Tensor &x, ArrayRef<Tensor> old) {
          Tensor sums = e.add(x, product(old[0], 2, 10, d));
          auto gate = [&](int64_t i) { return part(e, sums, 1, i, r->hidden); };
          Tensor in = activate(e, *r, gate(0), f[0]);
          Tensor out = activate(e, *r, gate(1), f[0]);
          Tensor forget = activate(e, *r, gate(2), f[0]);
          Tensor fresh = activate(e, *r, gate(3), f[1]);
          Tensor cell = e.add(e.mul(forget, old[1]), e.mul(in, fresh));
          Tensor shown = e.unary(
              cell, [&](Scalars &s, Value v) { return apply(s, f[2], v); });
          return SmallVector<Tensor>{e.mul(out, shown), cell};
        }));
  }
  return setResults(n, *r, directions);
}

void mlir::symshape::onnx::addRecurrentOps(Registry &registry) {
  registry.add("LSTM", 3, lstm);
  registry.add("GRU", 3, gru);
  registry.add("RNN", 3, rnn);
  registry.add("com.microsoft", "DynamicQuantizeLSTM",
               {3, dynamicQuantizeLSTM});
}
