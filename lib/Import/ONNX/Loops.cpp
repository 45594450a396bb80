//===- Loops.cpp - Scan and Loop ------------------------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the inputs of the two ops say of a loop. Not for: the loop itself
// (Iterations.cpp).
//
//===----------------------------------------------------------------------===//

#include "CountedIterations.h"
#include "Families.h"
#include "Iterations.h"
#include "Normalise.h"

using namespace mlir;
using namespace mlir::symshape;
using namespace mlir::symshape::onnx;

static LogicalResult setAll(Node &n, ArrayRef<Tensor> results) {
  if (results.size() < n.numOutputs())
    return n.fail("expected a result of the body for each output");
  for (auto [i, result] : llvm::enumerate(results))
    if (failed(n.set(i, result)))
      return failure();
  return success();
}

static LogicalResult scan(Node &n) {
  Emitter &e = n.emit();
  const AttributeData *body = n.attribute("body");
  int64_t numScanned = n.intAttr("num_scan_inputs", 0);
  int64_t numStates = static_cast<int64_t>(n.numInputs()) - numScanned;
  if (n.opset() < 9 && !n.attribute(isWithoutBatch))
    return n.fail("expected Scan without lengths of sequences");
  if (!body || !body->graph || numScanned < 1 || numStates < 0)
    return n.fail("expected a body and inputs to scan");
  auto list = [&](StringRef name) {
    return n.intsAttr(name).value_or(SmallVector<int64_t, 4>());
  };
  auto inAxes = list("scan_input_axes"), inBack = list("scan_input_directions");
  auto outAxes = list("scan_output_axes"),
       outBack = list("scan_output_directions");
  Iterations iterations;
  SmallVector<Tensor> scanned;
  for (int64_t i = 0; i < numStates; ++i)
    iterations.states.push_back(n.tensor(i));
  for (int64_t i = 0; i < numScanned; ++i) {
    Tensor x = n.tensor(numStates + i);
    auto axis = n.axis(i < static_cast<int64_t>(inAxes.size()) ? inAxes[i] : 0,
                       x.rank());
    if (!axis)
      return failure();
    scanned.push_back(e.moveAxis(x, *axis, 0));
    Expr count = scanned.back().dims[0];
    if (!iterations.count)
      iterations.count = count;
    e.require(Relation::eq(count, iterations.count),
              "inputs that are scanned must be equally long");
  }
  for (int64_t direction : outBack)
    iterations.isBackward.push_back(direction != 0);
  Value count = e.index(iterations.count);
  auto results = runIterations(
      n, *body->graph, iterations, [&](Value counter, ArrayRef<Tensor> states) {
        std::vector<Operand> inputs;
        for (const Tensor &state : states)
          inputs.push_back(Operand::of(state));
        Scalars s(e.builder(), e.loc());
        for (auto [i, x] : llvm::enumerate(scanned)) {
          bool backward = i < inBack.size() && inBack[i] != 0;
          Value at =
              backward ? s.sub(s.sub(count, s.index(1)), counter) : counter;
          inputs.push_back(Operand::of(e.pick(x, 0, at)));
        }
        return inputs;
      });
  if (!results)
    return failure();
  for (size_t i = numStates; i < results->size(); ++i) {
    size_t k = i - numStates;
    auto axis =
        n.axis(k < outAxes.size() ? outAxes[k] : 0, (*results)[i].rank());
    if (!axis)
      return failure();
    (*results)[i] = e.moveAxis((*results)[i], 0, *axis);
  }
  return setAll(n, *results);
}

static LogicalResult loopOp(Node &n) {
  Emitter &e = n.emit();
  const AttributeData *body = n.attribute("body");
  if (!body || !body->graph)
    return n.fail("expected a body");
  Iterations iterations;
  // With a number of iterations and no condition, that of the body is ignored.
  bool ignoresCondition = n.has(0) && !n.has(1);
  if (!ignoresCondition)
    iterations.count = countIterations(n, body->graph);
  iterations.isCounted = ignoresCondition || iterations.count;
  if (n.has(0)) {
    Expr count = n.oneInt(0);
    if (!count)
      return failure();
    Expr most = e.simplify(e.arena().max(count, e.constant(0)));
    iterations.count =
        iterations.count ? e.arena().min(iterations.count, most) : most;
  }
  if (n.has(1)) {
    iterations.starts = n.oneInt(1); // 0 or 1
    if (!iterations.starts)
      return failure();
  }
  iterations.skipped = 1;
  for (size_t i = 2; i < n.numInputs(); ++i) {
    if (n.operand(i).kind == Operand::IsSequence)
      return n.fail("expected no sequences as states");
    iterations.states.push_back(n.tensor(i));
  }
  auto results = runIterations(
      n, *body->graph, iterations, [&](Value counter, ArrayRef<Tensor> states) {
        Expr iteration = e.bind(counter, "_iteration");
        // Bodies declare these two as scalars, or as tensors of one element.
        auto isScalar = [&](size_t i) {
          const auto &declared = body->graph->inputs;
          return i >= declared.size() || declared[i].type.dims.size() != 1;
        };
        std::vector<Operand> inputs{
            Operand::ofList(iteration, isScalar(0), DataType::Int64),
            Operand::ofList(e.constant(1), isScalar(1), DataType::Bool)};
        for (const Tensor &state : states)
          inputs.push_back(Operand::of(state));
        return inputs;
      });
  return results ? setAll(n, *results) : failure();
}

void mlir::symshape::onnx::addLoopOps(Registry &registry) {
  registry.add("Scan", 0, scan);
  registry.add("Loop", 0, loopOp);
}
