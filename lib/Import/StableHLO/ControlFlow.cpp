//===- ControlFlow.cpp - Calls, branches and loops ------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loops carry scalars as scalars, and do not carry what stays the same.
//
//===----------------------------------------------------------------------===//

#include "ControlFlow.h"
#include "SliceLoops.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::symshape::stablehlo;

static std::optional<SmallVector<Operand>> allOperands(Node &n) {
  SmallVector<Operand> all;
  for (size_t i = 0; i < n.count(); ++i) {
    Operand *x = n.operand(i);
    if (!x)
      return std::nullopt;
    all.push_back(*x);
  }
  return all;
}

static LogicalResult callNamed(Node &n, StringRef attribute) {
  auto inputs = allOperands(n);
  if (!inputs)
    return failure();
  auto results = n.importer.importCall(n, n.word(attribute), *inputs);
  return failed(results) ? failure() : n.setAll(*results);
}

static LogicalResult call(Node &n) { return callNamed(n, "callee"); }

static LogicalResult composite(Node &n) {
  return callNamed(n, "decomposition");
}

/// The values stay as they are, whatever the compiler would have moved.
static LogicalResult optimizationBarrier(Node &n) {
  auto inputs = allOperands(n);
  return inputs ? n.setAll(*inputs) : failure();
}

//===----------------------------------------------------------------------===//
// Values that regions pass on
//===----------------------------------------------------------------------===//

Type mlir::symshape::stablehlo::carriedType(RankedTensorType type) {
  Type tensor = signless(type);
  return type.getRank() == 0 ? cast<RankedTensorType>(tensor).getElementType()
                             : tensor;
}

Operand mlir::symshape::stablehlo::fromCarried(Node &n, Value carried) {
  bool isScalar = !isa<RankedTensorType>(carried.getType());
  return Operand{isScalar ? n.fromScalar(carried) : carried, std::nullopt, {}};
}

Value mlir::symshape::stablehlo::toCarried(Node &n, Operand operand,
                                           RankedTensorType type) {
  Value tensor = n.importer.tensorOf(operand, type.getElementType());
  auto target = cast<RankedTensorType>(signless(type));
  auto own =
      tensor ? cast<RankedTensorType>(tensor.getType()) : RankedTensorType();
  if (!own || own.getElementType() != target.getElementType() ||
      failed(verifyCompatibleShape(own, target)))
    return (void)n.fail("expected values of the types of a region"), Value();
  if (type.getRank() == 0)
    return n.b.createOrFold<tensor::ExtractOp>(n.loc, tensor, ValueRange());
  return n.cast(tensor, target);
}

/// Imports a region at the end of a block, and yields what it returns.
static LogicalResult yieldRegion(Node &n, Region &region, Block *block) {
  OpBuilder::InsertionGuard guard(n.b);
  n.b.setInsertionPointToEnd(block);
  auto results = n.importer.importRegion(region, {});
  if (failed(results) || results->size() != n.op->getNumResults())
    return n.fail("expected branches that give the results");
  SmallVector<Value> yielded;
  for (auto [i, result] : llvm::enumerate(*results)) {
    auto type = n.resultType(i);
    yielded.push_back(type ? toCarried(n, result, type) : Value());
    if (!yielded.back())
      return failure();
  }
  scf::YieldOp::create(n.b, n.loc, yielded);
  return success();
}

static std::optional<SmallVector<Type>> carriedTypes(Node &n) {
  SmallVector<Type> types;
  for (size_t i = 0; i < n.op->getNumResults(); ++i) {
    auto type = n.resultType(i);
    if (!type)
      return std::nullopt;
    types.push_back(carriedType(type));
  }
  return types;
}

static LogicalResult setCarried(Node &n, ValueRange results) {
  SmallVector<Operand> operands;
  for (Value result : results)
    operands.push_back(fromCarried(n, result));
  return n.setAll(operands);
}

static LogicalResult ifOp(Node &n) {
  auto types = carriedTypes(n);
  Value condition = n.scalar(0);
  if (!types || !condition || !condition.getType().isInteger(1))
    return n.fail("expected a boolean, and results that are tensors");
  auto branch = scf::IfOp::create(n.b, n.loc, *types, condition,
                                  /*addThenBlock=*/true, /*addElseBlock=*/true);
  if (failed(yieldRegion(n, n.op->getRegion(0), branch.thenBlock())) ||
      failed(yieldRegion(n, n.op->getRegion(1), branch.elseBlock())))
    return failure();
  return setCarried(n, branch.getResults());
}

/// The last branch serves each index that has none.
static LogicalResult caseOp(Node &n) {
  auto types = carriedTypes(n);
  auto chosen = n.list(0, 1);
  int64_t count = n.op->getNumRegions();
  if (!types || !chosen || count < 1)
    return n.fail("expected an index, and results that are tensors");
  SmallVector<int64_t> cases;
  for (int64_t i = 0; i + 1 < count; ++i)
    cases.push_back(i);
  auto branch = scf::IndexSwitchOp::create(
      n.b, n.loc, *types, n.index(chosen->front().value), cases, cases.size());
  for (auto [i, region] : llvm::enumerate(n.op->getRegions())) {
    Region &target = static_cast<int64_t>(i) + 1 == count
                         ? branch.getDefaultRegion()
                         : branch.getCaseRegions()[i];
    if (failed(yieldRegion(n, region, &target.emplaceBlock())))
      return failure();
  }
  return setCarried(n, branch.getResults());
}

//===----------------------------------------------------------------------===//
// while
//===----------------------------------------------------------------------===//

namespace {
class WhileLoop {
public:
  explicit WhileLoop(Node &n) : n(n) {}
  LogicalResult run();

private:
  LogicalResult readStates();
  /// The values of the arguments of a region where some are carried.
  SmallVector<Operand> inputsOf(ValueRange carried);
  FailureOr<SmallVector<Operand>> fill(Region &into, unsigned number);
  LogicalResult fillCondition(scf::WhileOp loop);
  LogicalResult fillBody(scf::WhileOp loop);

  Node &n;
  SmallVector<Operand> inits;
  SmallVector<size_t> moving;          ///< states that the body may change
  SmallVector<RankedTensorType> types; ///< of those
};
} // namespace

LogicalResult WhileLoop::readStates() {
  auto all = allOperands(n);
  Region &body = n.op->getRegion(1);
  if (!all || n.op->getNumResults() != n.count() || !body.hasOneBlock() ||
      body.getNumArguments() != n.count() || body.front().empty() ||
      body.front().back().getNumOperands() != n.count())
    return n.fail("expected a body that gives each state anew");
  inits = *all;
  for (size_t i = 0; i < n.count(); ++i) {
    auto type = n.resultType(i);
    if (!type || !n.type(i))
      return failure();
    if (body.front().back().getOperand(i) == body.getArgument(i))
      continue;
    moving.push_back(i);
    types.push_back(type);
  }
  return success();
}

SmallVector<Operand> WhileLoop::inputsOf(ValueRange carried) {
  SmallVector<Operand> inputs = inits;
  for (auto [i, value] : llvm::zip(moving, carried))
    inputs[i] = fromCarried(n, value);
  return inputs;
}

/// Imports region `number` into a block of its own, at whose end the builder is
/// left; gives its results.
FailureOr<SmallVector<Operand>> WhileLoop::fill(Region &into, unsigned number) {
  Block *block = n.b.createBlock(&into);
  for (RankedTensorType type : types)
    block->addArgument(carriedType(type), n.loc);
  return n.importer.importRegion(n.op->getRegion(number),
                                 inputsOf(block->getArguments()));
}

LogicalResult WhileLoop::fillCondition(scf::WhileOp loop) {
  OpBuilder::InsertionGuard guard(n.b);
  auto results = fill(loop.getBefore(), 0);
  if (failed(results) || results->size() != 1)
    return n.fail("expected a condition");
  auto truth = RankedTensorType::get({}, n.b.getI1Type());
  Value condition = toCarried(n, results->front(), truth);
  if (!condition)
    return failure();
  scf::ConditionOp::create(n.b, n.loc, condition, loop.getBeforeArguments());
  return success();
}

LogicalResult WhileLoop::fillBody(scf::WhileOp loop) {
  OpBuilder::InsertionGuard guard(n.b);
  auto results = fill(loop.getAfter(), 1);
  if (failed(results) || results->size() != n.count())
    return n.fail("expected a body that gives each state anew");
  SmallVector<Value> yielded;
  for (auto [i, type] : llvm::zip(moving, types)) {
    yielded.push_back(toCarried(n, (*results)[i], type));
    if (!yielded.back())
      return failure();
  }
  scf::YieldOp::create(n.b, n.loc, yielded);
  return success();
}

LogicalResult WhileLoop::run() {
  if (failed(readStates()))
    return failure();
  SmallVector<Value> carried;
  SmallVector<Type> carriedAs;
  for (auto [i, type] : llvm::zip(moving, types)) {
    carried.push_back(toCarried(n, inits[i], type));
    carriedAs.push_back(carriedType(type));
    if (!carried.back())
      return failure();
  }
  auto loop = scf::WhileOp::create(n.b, n.loc, carriedAs, carried);
  if (failed(fillCondition(loop)) || failed(fillBody(loop)))
    return failure();
  SmallVector<Operand> results = inits;
  for (auto [i, value] : llvm::zip(moving, loop.getResults()))
    results[i] = fromCarried(n, value);
  return n.setAll(results);
}

static LogicalResult whileOp(Node &n) { return WhileLoop(n).run(); }

void mlir::symshape::stablehlo::addControlFlowOps(Registry &registry) {
  registry["call"] = Definition{call, ~0, ~0};
  registry["case"] = Definition{caseOp, 1, ~0, 1};
  registry["composite"] = Definition{composite, ~0, ~0};
  registry["if"] = Definition{ifOp, 1, ~0, 2};
  registry["optimization_barrier"] = Definition{optimizationBarrier, ~0, ~0};
  registry["scan"] = Definition{scanSlices, ~0, ~0, 1};
  registry["while"] = Definition{whileOp, ~0, ~0, 2};
}
