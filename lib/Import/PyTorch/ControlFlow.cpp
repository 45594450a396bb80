//===- ControlFlow.cpp - Branches and loops -------------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ops with graphs among their arguments: those become bodies, or stand where
// the op stands.
//
//===----------------------------------------------------------------------===//

#include "Translator.h"

using namespace mlir::symshape;
using namespace mlir::symshape::pytorch;
using llvm::ArrayRef;
using llvm::StringRef;
using llvm::Twine;
using onnx::DataType;

/// The body of an op, which `write` writes.
static std::shared_ptr<onnx::Graph>
writeBody(Call &c, llvm::function_ref<void()> write) {
  auto body = std::make_shared<onnx::Graph>();
  onnx::Graph &outer = c.w.enter(*body);
  write();
  c.w.enter(outer);
  return body;
}

static std::vector<GraphValue> join(ArrayRef<GraphValue> x,
                                    ArrayRef<GraphValue> y) {
  std::vector<GraphValue> all(x);
  all.insert(all.end(), y.begin(), y.end());
  return all;
}

/// Results as those of the call, from which the schema's lists are left out.
static void setResults(Call &c, ArrayRef<GraphValue> results) {
  if (results.size() < c.numResults())
    return c.fail("expected " + Twine(c.numResults()) + " results, but got " +
                  Twine(results.size()));
  for (size_t i = 0; i < c.numResults(); ++i)
    c.set(c.isTensor(i) ? results[i]
                        : c.w.own("Item", {results[i]}, DataType::Int64, 0),
          i);
}

/// The node whose bodies are done: results of the types and ranks of `like`.
static std::vector<GraphValue> finish(Call &c, StringRef op,
                                      ArrayRef<GraphValue> inputs,
                                      ArrayRef<GraphValue> like,
                                      GraphWriter::Attributes attributes) {
  std::vector<GraphValue> results = c.w.addSeveral(
      op, inputs, DataType::Undefined, 0, like.size(), std::move(attributes));
  for (auto [result, one] : llvm::zip_equal(results, like)) {
    result.type = one.type;
    result.rank = one.rank;
  }
  return results;
}

//===----------------------------------------------------------------------===//
// Branches
//===----------------------------------------------------------------------===//

/// An arm, with results of the types that the exporter says.
static std::shared_ptr<onnx::Graph> writeArm(Call &c, StringRef argument,
                                             ArrayRef<GraphValue> operands,
                                             std::vector<GraphValue> &results) {
  return writeBody(c, [&] {
    results = c.inlined(argument, operands);
    if (results.size() < c.numResults() && !c.failed())
      c.fail("expected " + Twine(c.numResults()) + " results of each branch");
    if (c.failed())
      return;
    results.resize(c.numResults());
    for (auto [i, result] : llvm::enumerate(results)) {
      result = c.w.cast(result, c.type(i));
      c.w.addOutput(result);
    }
  });
}

static void cond(Call &c) {
  std::vector<GraphValue> operands = c.values("#3");
  if (c.isConstantBool("#0"))
    return setResults(c, c.inlined(c.flag("#0", true) ? "#1" : "#2", operands));
  StringRef name = c.conditionName("#0", "#0");
  GraphValue condition =
      name.empty() ? c.tensor("#0") : c.translator.conditionValue(name);
  if (!condition)
    return c.fail("expected a condition");
  std::vector<GraphValue> like, others;
  auto thenArm = writeArm(c, "#1", operands, like);
  auto elseArm = writeArm(c, "#2", operands, others);
  if (!c.failed())
    setResults(c, finish(c, "If", {c.w.cast(condition, DataType::Bool)}, like,
                         {c.w.attr("then_branch", thenArm),
                          c.w.attr("else_branch", elseArm)}));
}

/// The graph stands where the call stands, each time.
static void invokeSubgraph(Call &c) {
  setResults(c, c.inlined("#0", c.values("#2")));
}

/// The graph that is the argument at a place, with those behind it.
static std::vector<GraphValue> region(Call &c, size_t place) {
  auto name = [](size_t i) { return ("#" + Twine(i)).str(); };
  std::vector<GraphValue> operands;
  for (size_t i = place + 1; c.has(name(i)); ++i)
    operands.push_back(c.tensor(name(i)));
  return c.inlined(name(place), operands);
}

/// Types are those that the exporter saw, where no op may change its own.
static void withAutocast(Call &c) {
  if (c.flag("#2", true))
    return c.fail("expected no region in which ops choose their types; "
                  "exported.run_decompositions({}) makes casts of it");
  setResults(c, region(c, 4));
}

/// `torch.no_grad()`: the graph stands here, and nothing goes back through it.
static void withGradEnabled(Call &c) {
  std::vector<GraphValue> results = region(c, 1);
  if (!c.flag("#0", true))
    for (GraphValue &result : results)
      result = c.w.stopGradient(result);
  setResults(c, results);
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// Operands as inputs of a body.
static std::vector<GraphValue> addInputs(Call &c,
                                         ArrayRef<GraphValue> operands) {
  std::vector<GraphValue> inputs;
  for (GraphValue operand : operands)
    inputs.push_back(c.w.addInput(operand.type, operand.rank));
  return inputs;
}

/// States keep their types.
static void addNextStates(Call &c, ArrayRef<GraphValue> next,
                          ArrayRef<GraphValue> states) {
  if (next.size() < states.size())
    return c.fail("expected " + Twine(states.size()) + " states, but got " +
                  Twine(next.size()));
  for (auto [value, state] : llvm::zip(next, states))
    c.w.addOutput(c.w.cast(value, state.type));
}

/// The condition of a loop on its states.
static GraphValue test(Call &c, ArrayRef<GraphValue> states,
                       ArrayRef<GraphValue> others) {
  std::vector<GraphValue> results = c.inlined("#0", join(states, others));
  if (results.size() == 1)
    return c.w.cast(results.front(), DataType::Bool);
  c.fail("expected one condition of a loop");
  return c.w.number(int64_t(0), DataType::Bool);
}

static void whileLoop(Call &c) {
  std::vector<GraphValue> initial = c.values("#2"), others = c.values("#3");
  bool areIntegers = c.areIntegers("#2");
  GraphValue starts = test(c, initial, others);
  auto body = writeBody(c, [&] {
    c.w.addInput(DataType::Int64, 0);
    c.w.addInput(DataType::Bool, 0);
    std::vector<GraphValue> states = addInputs(c, initial);
    if (areIntegers)
      for (GraphValue &state : states)
        state = c.w.own("Item", {state}, DataType::Int64, 0);
    std::vector<GraphValue> next = c.inlined("#1", join(states, others));
    if (c.failed())
      return;
    c.w.addOutput(test(c, next, others));
    addNextStates(c, next, initial);
  });
  if (!c.failed())
    setResults(c, finish(c, "Loop", join({GraphValue(), starts}, initial),
                         initial, {c.w.attr("body", body)}));
}

/// What a turn of a scan sees of tensors: their parts along axis 0.
static std::vector<GraphValue> addParts(Call &c, ArrayRef<GraphValue> scanned) {
  std::vector<GraphValue> parts;
  for (GraphValue x : scanned) {
    if (x.rank == 0)
      c.fail("expected tensors with an axis to scan along");
    parts.push_back(c.w.addInput(x.type, x.rank - 1));
  }
  return parts;
}

/// A loop along axis 0 of tensors; `write` gives the next states, then what a
/// turn adds to each result.
static std::vector<GraphValue>
scanAlong(Call &c, ArrayRef<GraphValue> initial, ArrayRef<GraphValue> scanned,
          llvm::function_ref<std::vector<GraphValue>(ArrayRef<GraphValue>,
                                                     ArrayRef<GraphValue>)>
              write) {
  std::vector<GraphValue> results(initial);
  auto body = writeBody(c, [&] {
    std::vector<GraphValue> states = addInputs(c, initial);
    std::vector<GraphValue> made = write(states, addParts(c, scanned));
    if (c.failed())
      return;
    addNextStates(c, made, initial);
    for (size_t i = initial.size(); i < made.size(); ++i) {
      c.w.addOutput(made[i]);
      results.push_back({"", made[i].type, made[i].rank + 1});
    }
  });
  if (scanned.empty())
    c.fail("expected tensors to scan along");
  if (c.failed())
    return {};
  return finish(
      c, "Scan", join(initial, scanned), results,
      {c.w.attr("body", body),
       c.w.attr("num_scan_inputs", static_cast<int64_t>(scanned.size()))});
}

static void scan(Call &c) {
  std::vector<GraphValue> others = c.values("#3");
  setResults(
      c,
      scanAlong(c, c.values("#1"), c.values("#2"),
                [&](ArrayRef<GraphValue> states, ArrayRef<GraphValue> parts) {
                  return c.inlined("#0", join(join(states, parts), others));
                }));
}

static void map(Call &c) {
  std::vector<GraphValue> others = c.values("#2");
  setResults(c,
             scanAlong(c, {}, c.values("#1"),
                       [&](ArrayRef<GraphValue>, ArrayRef<GraphValue> parts) {
                         return c.inlined("#0", join(parts, others));
                       }));
}

/// The first part of `x`; zeros where there is none.
static GraphValue firstPart(Call &c, GraphValue x) {
  DataType type = x.type;
  if (type == DataType::Bool)
    x = c.w.cast(x, DataType::Int32);
  GraphValue part =
      c.w.slice(x, 0, c.w.integer(0), c.w.integer(1), c.w.integer(1));
  GraphValue sum = c.w.add("ReduceSum", {part, c.w.ints({0})}, part.type,
                           part.rank - 1, {c.w.attr("keepdims", int64_t(0))});
  return c.w.cast(sum, type);
}

/// Each result is the one before, combined with the next part. The first turn
/// has nothing to combine: it drops what it made of the first part twice.
static void associativeScan(Call &c) {
  std::vector<GraphValue> scanned = c.values("#1"), others = c.values("#2");
  std::vector<GraphValue> initial{c.w.integer(0)};
  for (GraphValue x : scanned)
    if (x.rank > 0)
      initial.push_back(firstPart(c, x));
  std::vector<GraphValue> results = scanAlong(
      c, initial, scanned,
      [&](ArrayRef<GraphValue> states, ArrayRef<GraphValue> parts) {
        GraphValue isFirst = c.w.compare("Equal", states[0], c.w.integer(0));
        std::vector<GraphValue> made{
            c.w.binary("Add", states[0], c.w.integer(1))};
        std::vector<GraphValue> combined =
            c.inlined("#0", join(join(states.drop_front(), parts), others));
        if (combined.size() != parts.size())
          c.fail("expected a result for each tensor");
        if (c.failed())
          return made;
        for (auto [now, part] : llvm::zip(combined, parts))
          made.push_back(c.w.select(isFirst, part, c.w.cast(now, part.type)));
        return join(made, ArrayRef(made).drop_front());
      });
  if (!c.failed())
    setResults(c, ArrayRef(results).drop_front(initial.size()));
}

/// The greatest or least element so far along an axis, and the last place
/// where it is; NaN is beyond all.
template <bool isMax>
static void extremeSoFar(Call &c) {
  GraphValue x = c.tensor("self");
  int64_t axis = c.axis("dim", x.rank);
  if (x.rank == 0) {
    c.set(x);
    return c.set(c.w.integer(0), 1);
  }
  x = c.w.swapAxes(x, 0, axis);
  GraphValue first = firstPart(c, x);
  GraphValue zeros =
      c.w.cast(c.w.compare("Less", first, first), DataType::Int64);
  std::vector<GraphValue> initial{c.w.integer(0), first, zeros};
  std::vector<GraphValue> results = scanAlong(
      c, initial, x,
      [&](ArrayRef<GraphValue> states, ArrayRef<GraphValue> parts) {
        GraphValue now = states[0], best = states[1], next = parts[0];
        auto isNumber = [&](GraphValue v) {
          return c.w.compare("Equal", v, v);
        };
        auto both = [&](GraphValue v, GraphValue w) {
          return c.w.binary("And", v, w);
        };
        // Unless what there is stays: it is NaN, or lies beyond a number.
        GraphValue isBeyond =
            both(isNumber(next),
                 c.w.like("Not",
                          {c.w.compare(isMax ? "GreaterOrEqual" : "LessOrEqual",
                                       next, best)}));
        GraphValue stays =
            both(isBeyond, c.w.compare("Greater", now, c.w.integer(0)));
        GraphValue value = c.w.select(stays, best, next),
                   place = c.w.select(stays, states[2], now);
        return std::vector<GraphValue>{c.w.binary("Add", now, c.w.integer(1)),
                                       value, place, value, place};
      });
  for (size_t i = 0; i < 2 && !c.failed(); ++i)
    c.set(c.w.swapAxes(results[initial.size() + i], 0, axis), i);
}

void mlir::symshape::pytorch::addControlFlow(Table &table) {
  static constexpr std::pair<StringRef, Entry> entries[] = {
      {"cond", cond},
      {"invoke_subgraph", invokeSubgraph},
      {"wrap_with_autocast", withAutocast},
      {"wrap_with_set_grad_enabled", withGradEnabled},
      {"while_loop", whileLoop},
      {"scan", scan},
      {"map_impl", map},
      {"associative_scan", associativeScan}};
  for (auto [name, entry] : entries)
    table.add(("higher_order." + name).str(), entry);
  table.add("aten.cummax", extremeSoFar<true>);
  table.add("aten.cummin", extremeSoFar<false>);
}
