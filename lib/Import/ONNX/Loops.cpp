//===- Loops.cpp - Scan and Loop ------------------------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop whose number of iterations is known when it begins. What each one adds
// to a result is put into a tensor with an entry per iteration.
//
//===----------------------------------------------------------------------===//

#include "CountedTurns.h"
#include "Families.h"
#include "GraphImporter.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace mlir::symshape;
using namespace mlir::symshape::onnx;

namespace {
/// A loop to be made.
struct Turns {
  Expr count;
  SmallVector<Tensor> states;
  /// Results of the body before the states, and whether one of those after them
  /// is filled from the end.
  size_t skipped = 0;
  bool isCounted = false; ///< `count` is also when the body's condition ends it
  SmallVector<bool> isBackward;
};
} // namespace

/// Operands of the body from the counter and the states.
using MakeInputs =
    llvm::function_ref<std::vector<Operand>(Value counter, ArrayRef<Tensor>)>;

/// x; extents of it that are computed in the loop are required to be those that
/// the body declares.
static Tensor withDeclaredExtents(Emitter &e, const Tensor &x,
                                  const TypeInfo &type) {
  Tensor result = x;
  for (auto [dim, declared] : llvm::zip(result.dims, type.dims)) {
    if (dim.isConstant() || !declared.value || *declared.value < 0)
      continue;
    Expr wanted = e.constant(*declared.value);
    e.require(Relation::eq(dim, wanted),
              "what a turn of the loop adds must have the declared extents");
    dim = wanted;
  }
  return e.wrap(x.value, result.dims, x.type);
}

/// The states at the end, then what was collected along axis 0. The extents of
/// states stay as they are, which is required.
static std::optional<SmallVector<Tensor>> runTurns(Node &n, const Graph &body,
                                                   const Turns &turns,
                                                   MakeInputs makeInputs) {
  Emitter &e = n.emit();
  OpBuilder &b = e.builder();
  scf::ForOp loop;
  SmallVector<Tensor> collected;
  {
    OpBuilder::InsertionGuard guard(b);
    loop = e.beginLoop(turns.count, turns.states);
    auto results = n.graph().importBody(
        body,
        makeInputs(loop.getInductionVar(),
                   Emitter::asStates(loop.getRegionIterArgs(), turns.states)));
    if (!results)
      return std::nullopt;
    if (results->size() < turns.skipped + turns.states.size()) {
      (void)n.fail("expected a result of the body for each state");
      return std::nullopt;
    }
    NodeData none;
    Node all(n.graph(), none, *results);
    if (turns.skipped == 1 && !turns.isCounted) {
      auto goesOn = all.constantInts(0);
      if (!goesOn || goesOn->size() != 1 || goesOn->front() == 0) {
        (void)n.fail("expected a condition of the body that is always true");
        return std::nullopt;
      }
    }
    SmallVector<Value> next;
    for (size_t i = 0; i < turns.states.size(); ++i) {
      Tensor now = all.tensor(turns.skipped + i);
      const Tensor &state = turns.states[i];
      if (now.rank() != state.rank() || now.type != state.type) {
        (void)n.fail("expected states to keep their type and rank");
        return std::nullopt;
      }
      for (int64_t d = 0; d < now.rank(); ++d)
        e.require(Relation::eq(now.dims[d], state.dims[d]),
                  "a state of a loop must keep its extents");
      next.push_back(e.wrap(now.value, state.dims, state.type).value);
    }
    for (size_t i = turns.skipped + turns.states.size(); i < results->size();
         ++i)
      collected.push_back(
          withDeclaredExtents(e, all.tensor(i), body.outputs[i].type));
    scf::YieldOp::create(b, e.loc(), next);
  }
  // Now it is known what an iteration adds, and what all of them make.
  SmallVector<Tensor> stacked;
  for (const Tensor &part : collected) {
    SmallVector<Expr, 4> dims{turns.count};
    llvm::append_range(dims, part.dims);
    if (!e.isAvailable(dims)) {
      (void)n.fail("expected what a turn of the loop adds to have extents that "
                   "are known before the loop");
      return std::nullopt;
    }
    stacked.push_back({Value(), dims, part.type});
  }
  // Before the loop: its initial values.
  SmallVector<Value> empties;
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(loop);
    e.forget();
    for (const Tensor &whole : stacked)
      empties.push_back(e.empty(whole.dims, whole.type));
  }
  auto addTurn = [&](OpBuilder &inside, Location loc,
                     ArrayRef<BlockArgument> all) {
    OpBuilder::InsertionGuard guard(b);
    b.restoreInsertionPoint(inside.saveInsertionPoint());
    e.forget();
    Value counter = all.front().getOwner()->getArgument(0);
    SmallVector<Value> filled;
    for (auto [i, whole] : llvm::enumerate(stacked)) {
      Scalars s(b, loc);
      bool backward = i < turns.isBackward.size() && turns.isBackward[i];
      Value at =
          backward ? s.sub(s.sub(loop.getUpperBound(), loop.getStep()), counter)
                   : counter;
      filled.push_back(
          e.put({all[i], whole.dims, whole.type}, 0, at, collected[i]).value);
    }
    return filled;
  };
  if (!collected.empty()) {
    IRRewriter rewriter(b);
    rewriter.setInsertionPoint(loop);
    auto wider = loop.replaceWithAdditionalYields(
        rewriter, empties, /*replaceInitOperandUsesInLoop=*/false, addTurn);
    if (failed(wider)) {
      (void)n.fail("expected a loop that can be widened");
      return std::nullopt;
    }
    loop = cast<scf::ForOp>(wider->getOperation());
    b.setInsertionPointAfter(loop);
  }
  e.forget();
  SmallVector<Tensor> all(turns.states);
  llvm::append_range(all, stacked);
  return Emitter::asStates(loop.getResults(), all);
}

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
  if (n.opset() < 9)
    return n.fail("expected Scan without a batch axis, as from opset 9 on");
  if (!body || !body->graph || numScanned < 1 || numStates < 0)
    return n.fail("expected a body and inputs to scan");
  auto list = [&](StringRef name) {
    return n.intsAttr(name).value_or(SmallVector<int64_t, 4>());
  };
  auto inAxes = list("scan_input_axes"), inBack = list("scan_input_directions");
  auto outAxes = list("scan_output_axes"),
       outBack = list("scan_output_directions");
  Turns turns;
  SmallVector<Tensor> scanned;
  for (int64_t i = 0; i < numStates; ++i)
    turns.states.push_back(n.tensor(i));
  for (int64_t i = 0; i < numScanned; ++i) {
    Tensor x = n.tensor(numStates + i);
    auto axis = n.axis(i < static_cast<int64_t>(inAxes.size()) ? inAxes[i] : 0,
                       x.rank());
    if (!axis)
      return failure();
    scanned.push_back(e.moveAxis(x, *axis, 0));
    Expr count = scanned.back().dims[0];
    if (!turns.count)
      turns.count = count;
    e.require(Relation::eq(count, turns.count),
              "inputs that are scanned must be equally long");
  }
  for (int64_t direction : outBack)
    turns.isBackward.push_back(direction != 0);
  Value count = e.index(turns.count);
  auto results = runTurns(
      n, *body->graph, turns, [&](Value counter, ArrayRef<Tensor> states) {
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
  Turns turns;
  turns.count = countTurns(n, body->graph);
  turns.isCounted = static_cast<bool>(turns.count);
  auto count = n.has(0) ? n.ints(0) : std::nullopt;
  if (n.has(0) ? !count || count->size() != 1 : !turns.isCounted)
    return n.fail("expected a number of turns");
  if (count) {
    Expr most = e.simplify(e.arena().max(count->front(), e.constant(0)));
    turns.count = turns.count ? e.arena().min(turns.count, most) : most;
  }
  Expr starts = e.constant(1); // 0 or 1
  if (n.has(1)) {
    auto condition = n.ints(1);
    if (!condition || condition->size() != 1)
      return n.fail("expected one condition");
    starts = condition->front();
  }
  // The body decides whether to go on: it must count, or always go on.
  turns.count = turns.count * starts;
  turns.skipped = 1;
  for (size_t i = 2; i < n.numInputs(); ++i) {
    if (n.operand(i).kind == Operand::IsSequence)
      return n.fail("expected no sequences as states");
    turns.states.push_back(n.tensor(i));
  }
  auto results = runTurns(
      n, *body->graph, turns, [&](Value counter, ArrayRef<Tensor> states) {
        Expr turn = e.bind(counter, "_turn");
        // Bodies declare these two as scalars, or as tensors of one element.
        auto isScalar = [&](size_t i) {
          const auto &declared = body->graph->inputs;
          return i >= declared.size() || declared[i].type.dims.size() != 1;
        };
        std::vector<Operand> inputs{
            Operand::ofList(turn, isScalar(0), DataType::Int64),
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
