//===- Recurrent.cpp - Recurrent networks ---------------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Layers of one op each, whose results are the input of the next. Parameters
// come layer by layer, of both directions one after the other: of the input, of
// the state, and their biases.
//
//===----------------------------------------------------------------------===//

#include "Translator.h"

using namespace mlir::symshape;
using namespace mlir::symshape::pytorch;
using llvm::ArrayRef;
using llvm::StringRef;

namespace {
/// What the kinds of networks differ in.
struct Cell {
  StringRef op;
  Ints gates; ///< those of PyTorch in the order of the op set
  size_t numStates;
  GraphWriter::Attributes attributes;
};

class RecurrentNetwork {
public:
  RecurrentNetwork(Call &c, Cell cell) : c(c), w(c.w), cell(std::move(cell)) {}
  void run();

private:
  bool readParameters();
  GraphValue take(GraphValue x, int64_t from, int64_t to) {
    return w.slice(x, 0, w.integer(from), w.integer(to), w.integer(1));
  }
  GraphValue join(ArrayRef<GraphValue> parts) {
    if (parts.size() == 1)
      return parts.front();
    return w.like("Concat", parts, {w.attr("axis", int64_t(0))});
  }
  GraphValue orderGates(GraphValue x);
  GraphValue parameter(int64_t layer, int64_t direction, size_t kind) {
    return parameters[(layer * directions + direction) * perCell + kind];
  }
  /// A parameter of both directions, with these as the first axis.
  GraphValue parametersOf(int64_t layer, ArrayRef<size_t> kinds);
  GraphValue runLayer(int64_t layer, GraphValue x);

  Call &c;
  GraphWriter &w;
  Cell cell;
  std::vector<GraphValue> parameters, states;
  std::vector<std::vector<GraphValue>> lastStates; ///< by kind, of each layer
  int64_t layers = 1, directions = 1, width = 0;
  size_t perCell = 4;
};
} // namespace

bool RecurrentNetwork::readParameters() {
  layers = c.constant("num_layers", 1);
  directions = c.flag("bidirectional", false) ? 2 : 1;
  bool hasBiases = c.flag("has_biases", true);
  perCell = hasBiases ? 4 : 2;
  parameters = c.tensors("params");
  if (layers < 1 || parameters.size() != layers * directions * perCell) {
    c.fail("expected " + llvm::Twine(layers * directions * int64_t(perCell)) +
           " parameters, as without projections, but got " +
           llvm::Twine(parameters.size()));
    return false;
  }
  if (c.flag("train", false) && c.real("dropout", 0) != 0) {
    c.fail("expected no dropout in training");
    return false;
  }
  // The last state, whose extents are those of weights but for the batch.
  auto state = c.translator.getProgram().metaOf(c.resultName(1));
  if (!state)
    llvm::consumeError(state.takeError());
  else if (state->sizes.size() == 3)
    width = state->sizes[2].value.value_or(0);
  if (width < 1) {
    c.fail("expected a state with a known number of features");
    return false;
  }
  states = cell.numStates == 1 ? std::vector<GraphValue>{c.tensor("hx")}
                               : c.tensors("hx");
  if (states.size() != cell.numStates) {
    c.fail("expected " + llvm::Twine(cell.numStates) + " states");
    return false;
  }
  lastStates.resize(cell.numStates);
  return !c.failed();
}

GraphValue RecurrentNetwork::orderGates(GraphValue x) {
  std::vector<GraphValue> parts;
  for (int64_t gate : cell.gates)
    parts.push_back(take(x, gate * width, (gate + 1) * width));
  return join(parts);
}

GraphValue RecurrentNetwork::parametersOf(int64_t layer,
                                          ArrayRef<size_t> kinds) {
  std::vector<GraphValue> both;
  for (int64_t direction = 0; direction < directions; ++direction) {
    std::vector<GraphValue> parts;
    for (size_t kind : kinds)
      parts.push_back(orderGates(parameter(layer, direction, kind)));
    both.push_back(w.unsqueeze(join(parts), {0}));
  }
  return join(both);
}

GraphValue RecurrentNetwork::runLayer(int64_t layer, GraphValue x) {
  std::vector<GraphValue> operands{x, parametersOf(layer, {0}),
                                   parametersOf(layer, {1})};
  operands.push_back(perCell == 4 ? parametersOf(layer, {2, 3}) : GraphValue());
  operands.push_back({}); // all rows are as long as the input
  for (GraphValue state : states)
    operands.push_back(
        take(state, layer * directions, (layer + 1) * directions));
  GraphWriter::Attributes attributes = cell.attributes;
  attributes.push_back(w.attr("hidden_size", width));
  attributes.push_back(w.attr(
      "direction", StringRef(directions == 2 ? "bidirectional" : "forward")));
  std::vector<GraphValue> results = w.addSeveral(
      cell.op, operands, x.type, 4, 1 + cell.numStates, std::move(attributes));
  for (size_t i = 0; i < cell.numStates; ++i) {
    results[i + 1].rank = 3;
    lastStates[i].push_back(results[i + 1]);
  }
  // From [length, directions, batch, width].
  GraphValue all = w.transpose(results[0], {0, 2, 1, 3});
  return w.reshape(all,
                   w.list({w.sizeOf(all, 0), w.sizeOf(all, 1),
                           w.integer(directions * width)}),
                   3);
}

void RecurrentNetwork::run() {
  GraphValue x = c.tensor("input");
  if (!readParameters())
    return;
  bool isBatchFirst = c.flag("batch_first", false);
  if (isBatchFirst)
    x = w.transpose(x, {1, 0, 2});
  for (int64_t layer = 0; layer < layers; ++layer)
    x = runLayer(layer, x);
  c.set(isBatchFirst ? w.transpose(x, {1, 0, 2}) : x);
  for (size_t i = 0; i < cell.numStates; ++i)
    c.set(join(lastStates[i]), i + 1);
}

static void runGRU(Call &c) {
  RecurrentNetwork(
      c, {"GRU", {1, 0, 2}, 1, {c.w.attr("linear_before_reset", int64_t(1))}})
      .run();
}

static void runLSTM(Call &c) {
  RecurrentNetwork(c, {"LSTM", {0, 3, 1, 2}, 2, {}}).run();
}

static void runTanhRNN(Call &c) {
  RecurrentNetwork(c, {"RNN", {0}, 1, {}}).run();
}

void mlir::symshape::pytorch::addRecurrent(Table &table) {
  table.add("aten.gru.input", runGRU);
  table.add("aten.lstm.input", runLSTM);
  table.add("aten.rnn_tanh.input", runTanhRNN);
}
