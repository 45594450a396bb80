//===- NodeOrder.cpp - Nodes behind what they read ------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NodeOrder.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include <queue>

using namespace mlir::symshape::onnx;
using llvm::ArrayRef;
using llvm::StringRef;

namespace {
using Names = llvm::StringSet<>;

/// The nodes of one graph. For each, which of the others it reads from, and by
/// which name.
class NodeSorter {
public:
  explicit NodeSorter(std::vector<NodeData> &nodes) : nodes(nodes) {}

  /// Sorts the graphs inside as well. Adds to `free` all names that the nodes
  /// read, whoever defines them.
  void sort(Names &free);

private:
  struct Read {
    size_t node;
    StringRef name;
  };

  void findReads(Names &free);
  bool isInOrder() const;
  void putInOrder();
  size_t findCycle(const std::vector<bool> &isPlaced, size_t from);

  std::vector<NodeData> &nodes;
  std::vector<std::vector<Read>> reads;
  bool isAmbiguous = false; ///< some name is defined twice
};
} // namespace

/// Sorts the nodes of a graph, and returns the names that it takes from around
/// it.
static Names sortGraph(Graph &graph) {
  Names free;
  NodeSorter(graph.nodes).sort(free);
  for (const ValueInfo &output : graph.outputs)
    free.insert(output.name);
  for (const ValueInfo &input : graph.inputs)
    free.erase(input.name);
  for (const TensorData &constant : graph.initializers)
    free.erase(constant.name);
  for (const NodeData &node : graph.nodes)
    for (StringRef output : node.outputs)
      free.erase(output);
  return free;
}

void NodeSorter::findReads(Names &free) {
  llvm::StringMap<size_t> definitions;
  for (auto [i, node] : llvm::enumerate(nodes))
    for (StringRef output : node.outputs)
      if (!output.empty())
        isAmbiguous |= !definitions.try_emplace(output, i).second;
  reads.resize(nodes.size());
  for (auto [i, node] : llvm::enumerate(nodes)) {
    std::vector<Read> &own = reads[i];
    auto read = [&](StringRef name) {
      if (auto it = definitions.find(name); it != definitions.end())
        own.push_back({it->second, it->getKey()});
      if (!name.empty())
        free.insert(name);
    };
    llvm::for_each(node.inputs, read);
    for (const AttributeData &attribute : node.attributes)
      if (attribute.graph)
        for (const auto &name : sortGraph(*attribute.graph))
          read(name.getKey());
    // The names outlive this: they are those that the file has.
    for (Read &each : own)
      each.name = *llvm::find(nodes[each.node].outputs, each.name);
  }
}

bool NodeSorter::isInOrder() const {
  for (auto [i, own] : llvm::enumerate(reads))
    for (const Read &read : own)
      if (read.node >= i)
        return false;
  return true;
}

/// A node on a cycle that `from`, which cannot be placed, waits for.
size_t NodeSorter::findCycle(const std::vector<bool> &isPlaced, size_t from) {
  std::vector<bool> isSeen(nodes.size());
  auto waitsFor = [&](size_t node) {
    return *llvm::find_if(
        reads[node], [&](const Read &read) { return !isPlaced[read.node]; });
  };
  while (!isSeen[from]) {
    isSeen[from] = true;
    from = waitsFor(from).node;
  }
  nodes[from].cycle = waitsFor(from).name;
  return from;
}

void NodeSorter::putInOrder() {
  std::vector<size_t> missing(nodes.size()), order;
  std::vector<std::vector<size_t>> readers(nodes.size());
  for (auto [i, own] : llvm::enumerate(reads)) {
    missing[i] = own.size();
    for (const Read &read : own)
      readers[read.node].push_back(i);
  }
  std::priority_queue<size_t, std::vector<size_t>, std::greater<>> ready;
  std::vector<bool> isPlaced(nodes.size());
  auto place = [&](size_t node) {
    order.push_back(node);
    isPlaced[node] = true;
    for (size_t reader : readers[node])
      if (--missing[reader] == 0 && !isPlaced[reader])
        ready.push(reader);
  };
  for (size_t i = 0; i < nodes.size(); ++i)
    if (missing[i] == 0)
      ready.push(i);
  for (size_t next = 0; order.size() < nodes.size();) {
    if (!ready.empty()) {
      size_t node = ready.top();
      ready.pop();
      place(node);
      continue;
    }
    while (isPlaced[next])
      ++next;
    place(findCycle(isPlaced, next));
  }
  std::vector<NodeData> sorted;
  for (size_t i : order)
    sorted.push_back(std::move(nodes[i]));
  nodes = std::move(sorted);
}

void NodeSorter::sort(Names &free) {
  findReads(free);
  if (!isAmbiguous && !isInOrder())
    putInOrder();
}

void mlir::symshape::onnx::sortNodes(Model &model) {
  (void)sortGraph(model.graph);
  for (Function &function : model.functions) {
    Names free;
    NodeSorter(function.nodes).sort(free);
    for (AttributeData &attribute : function.defaults)
      if (attribute.graph)
        (void)sortGraph(*attribute.graph);
  }
}
