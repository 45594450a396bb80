//===- CountedIterations.cpp - Loops whose condition counts ---------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Looks for a form of nodes in the body of a loop. Not for: the loop itself
// (Loops.cpp).
//
//===----------------------------------------------------------------------===//

#include "CountedIterations.h"
#include "symshape/Import/ONNX/Emitter.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;
using namespace mlir::symshape;
using namespace mlir::symshape::onnx;

namespace {
class CountedIterations {
public:
  CountedIterations(Node &loop, std::shared_ptr<const Graph> body)
      : loop(loop), body(std::move(body)) {
    for (const NodeData &node : this->body->nodes)
      for (StringRef name : node.outputs)
        producers[name] = &node;
  }

  Expr get() {
    if (body->outputs.empty())
      return Expr();
    Expr iterations = of(body->outputs.front().name);
    if (iterations)
      for (const Relation &fits : requirements)
        loop.emit().require(fits, "the begin and the end of a loop must be "
                                  "numbers that their types hold");
    return iterations;
  }

private:
  /// The node that makes `name`, casts between exact types skipped.
  const NodeData *skipCasts(StringRef &name) {
    const NodeData *node = producers.lookup(name);
    while (node && isCastOrIdentity(*node) && left) {
      --left;
      isCast |= node->opType == "Cast";
      name = node->inputs.front();
      node = producers.lookup(name);
    }
    return node;
  }

  static bool isCastOrIdentity(const NodeData &node) {
    if (!node.domain.empty() || node.inputs.size() != 1)
      return false;
    if (node.opType != "Cast")
      return node.opType == "Identity";
    return llvm::any_of(node.attributes, [](const AttributeData &to) {
      auto type = static_cast<DataType>(to.i);
      return to.name == "to" &&
             (type == DataType::Float || type == DataType::Double ||
              type == DataType::Int32 || type == DataType::Int64);
    });
  }

  std::optional<size_t> findState(StringRef name) {
    for (size_t i = 2; i < body->inputs.size(); ++i)
      if (body->inputs[i].name == name && i < loop.numInputs() &&
          i - 1 < body->outputs.size())
        return i;
    return std::nullopt;
  }

  /// What a state is before the loop, and what it becomes in an iteration.
  Expr initial(size_t state) {
    auto values = loop.knownInts(state);
    return values && values->size() == 1 ? values->front() : Expr();
  }
  StringRef next(size_t state) {
    StringRef name = body->outputs[state - 1].name;
    bool was = isCast;
    skipCasts(name);
    isCast = was;
    return name;
  }

  bool isOne(StringRef name) {
    for (const TensorData &data : body->initializers)
      if (data.name == name) {
        NodeData none;
        Node single(loop.graph(), none,
                    {Operand::ofConstant(
                        std::shared_ptr<const TensorData>(body, &data))});
        auto values = single.constantInts(0);
        return values && values->size() == 1 && values->front() == 1;
      }
    return false;
  }

  /// If the number after an iteration is a state plus 1: what the state begins
  /// with.
  Expr startOf(StringRef name) {
    const NodeData *sum = skipCasts(name);
    if (!sum || sum->opType != "Add" || sum->inputs.size() != 2)
      return Expr();
    for (int i : {0, 1})
      if (auto state = findState(sum->inputs[i]);
          state && isOne(sum->inputs[1 - i]) && next(*state) == name)
        return initial(*state);
    return Expr();
  }

  Expr limitOf(StringRef name) {
    skipCasts(name);
    auto state = findState(name);
    return state && next(*state) == name ? initial(*state) : Expr();
  }

  Expr of(StringRef condition) {
    isCast = false;
    const NodeData *node = skipCasts(condition);
    if (!left || !node || node->inputs.size() != 2 || !node->domain.empty())
      return Expr();
    Emitter &e = loop.emit();
    --left;
    if (node->opType == "And") {
      Expr a = of(node->inputs[0]), b = of(node->inputs[1]);
      return a && b ? e.arena().min(a, b) : Expr();
    }
    bool isLess = node->opType == "Less";
    if (!isLess && node->opType != "Greater")
      return Expr();
    Expr start = startOf(node->inputs[isLess ? 0 : 1]);
    Expr limit = limitOf(node->inputs[isLess ? 1 : 0]);
    if (!start || !limit)
      return Expr();
    // Sums do not overflow, and floats hold all intermediate numbers.
    constexpr int64_t most = int64_t(1) << 24;
    requirements.push_back(Relation::le(start, e.constant(most)));
    requirements.push_back(Relation::ge(start, e.constant(-most)));
    if (isCast)
      requirements.push_back(Relation::le(limit, e.constant(most)));
    return e.arena().max(limit - start, e.constant(1));
  }

  Node &loop;
  std::shared_ptr<const Graph> body;
  llvm::DenseMap<StringRef, const NodeData *> producers;
  bool isCast = false;
  SmallVector<Relation> requirements;
  /// Nodes that may still be looked at: a file may hold a cycle, or a chain of
  /// conditions that each use the one before twice.
  unsigned left = 1000;
};
} // namespace

Expr mlir::symshape::onnx::countIterations(Node &loop,
                                           std::shared_ptr<const Graph> body) {
  return CountedIterations(loop, std::move(body)).get();
}
