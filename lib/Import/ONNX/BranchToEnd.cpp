//===- BranchToEnd.cpp - Branches that all that follows is in -------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where the arms of an If give results of different ranks, no value of the
// program can be both. All nodes behind it are then imported twice, in each of
// its arms: the outputs of the graph may be alike.
//
//===----------------------------------------------------------------------===//

#include "GraphImporter.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace mlir::symshape;
using namespace mlir::symshape::onnx;

bool GraphImporter::mayBranchToEnd() const {
  // Each of them doubles what follows.
  constexpr unsigned mostEnds = 3;
  constexpr size_t mostNodes = 256;
  return mainNode && numEnds < mostEnds &&
         model->graph.nodes.size() - *mainNode <= mostNodes;
}

SmallVector<StringRef> GraphImporter::listMissingOutputs() const {
  SmallVector<StringRef> names;
  for (const ValueInfo &output : model->graph.outputs)
    if (!lookup(output.name) && !llvm::is_contained(names, output.name))
      names.push_back(output.name);
  return names;
}

std::optional<std::vector<Operand>>
GraphImporter::importToEnd(const NodeData &node, const Graph &arm) {
  SmallVector<StringRef> outputs = listMissingOutputs();
  scopes.emplace_back();
  ++numEnds, ++numUnsure;
  auto restore = llvm::scope_exit([&] {
    scopes.pop_back();
    --numEnds, --numUnsure;
    hasEnded = false;
  });
  auto results = importBody(arm, {});
  if (!results)
    return std::nullopt;
  for (auto [name, result] : llvm::zip(node.outputs, *results))
    if (failed(define(name, result)))
      return std::nullopt;
  // They are nodes of the graph, and not of this one.
  llvm::SaveAndRestore outside(where, std::string());
  llvm::SaveAndRestore current(mainNode);
  const std::vector<NodeData> &nodes = model->graph.nodes;
  for (size_t number = *mainNode + 1; number < nodes.size() && !hasEnded;
       ++number) {
    mainNode = number;
    if (failed(importNode(nodes[number])))
      return std::nullopt;
  }
  traceBody(model->graph);
  std::vector<Operand> values;
  for (StringRef name : outputs) {
    std::optional<Operand> value = lookup(name);
    if (!value) {
      (void)failForGood("expected the graph to define output '" + name + "'");
      return std::nullopt;
    }
    values.push_back(std::move(*value));
  }
  return values;
}

LogicalResult GraphImporter::endWith(ArrayRef<Tensor> outputs) {
  for (auto [name, output] : llvm::zip_equal(listMissingOutputs(), outputs)) {
    if (failed(define(name, Operand::of(output))))
      return failure();
    if (numEnds == 0)
      trace(name, mainNode);
  }
  hasEnded = true;
  return success();
}
