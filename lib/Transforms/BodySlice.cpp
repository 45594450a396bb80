//===- BodySlice.cpp - Part of a body, copied elsewhere -------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Collects backwards from conditions; copies in the order of the body.
//
//===----------------------------------------------------------------------===//

#include "BodySlice.h"
#include "CheckEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "symshape/IR/SymShape.h"

using namespace mlir;
using namespace mlir::symshape;

LogicalResult BodySlice::addValue(Value root) {
  SmallVector<Value> worklist{root};
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    if (!isInside(value)) {
      // A value of a nested region has none at the top of the body.
      if (block->getParent()->isProperAncestor(value.getParentRegion()))
        return failure();
      continue;
    }
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      OpOperand *operand = op.getMatchingOpOperand(argument);
      // The element of an init is the one before the op only if each is visited
      // once; else it is what the body has accumulated.
      if (op.isDpsInit(operand) &&
          !op.getMatchingIndexingMap(operand).isPermutation())
        return failure();
      operands.insert(operand->getOperandNumber());
      for (AffineExpr e : op.getMatchingIndexingMap(operand).getResults())
        e.walk([&](AffineExpr part) {
          if (auto dim = dyn_cast<AffineDimExpr>(part))
            loops.insert(dim.getPosition());
        });
      continue;
    }
    Operation *def = value.getDefiningOp();
    if (auto index = dyn_cast<linalg::IndexOp>(def))
      loops.insert(index.getDim());
    else if ((!isMemoryEffectFree(def) && !isa<AssumeOp>(def)) ||
             def->getNumRegions() != 0)
      return failure();
    if (ops.insert(def))
      llvm::append_range(worklist, def->getOperands());
  }
  return success();
}

/// The loop that an iteration symbol of the requirement counts, if it is one of
/// this op: its counters are the last ones, in the order of the loops.
static std::optional<unsigned>
loopOf(linalg::LinalgOp op, const Requirement &requirement, Expr symbol) {
  unsigned numLoops = op.getNumLoops();
  size_t total = requirement.iterations.size();
  for (unsigned loop = 0; loop < numLoops && loop < total; ++loop)
    if (requirement.iterations[total - numLoops + loop].symbol == symbol)
      return loop;
  return std::nullopt;
}

Value symshape::assertedValue(const Requirement &requirement) {
  auto assertion = dyn_cast<cf::AssertOp>(requirement.op);
  return assertion ? assertion.getArg() : Value();
}

std::optional<SmallVector<std::pair<Value, bool>>>
BodySlice::branchesTo(Operation *inner) {
  SmallVector<std::pair<Value, bool>> branches;
  for (; inner->getBlock() != block; inner = inner->getParentOp()) {
    auto branch = dyn_cast<scf::IfOp>(inner->getParentOp());
    if (!branch)
      return std::nullopt;
    branches.push_back({branch.getCondition(),
                        inner->getParentRegion() == &branch.getThenRegion()});
  }
  return branches;
}

LogicalResult BodySlice::addSymbol(const Requirement &requirement,
                                   Expr symbol) {
  if (std::optional<unsigned> loop = loopOf(op, requirement, symbol)) {
    loops.insert(*loop);
    return success();
  }
  const SymbolDef *def = shapes.definition(symbol);
  if (def && def->dim < 0 && isInside(def->value))
    return addValue(def->value);
  DominanceInfo dominance;
  return success(isKnownBefore(shapes, dominance, symbol, op));
}

LogicalResult BodySlice::add(const Requirement &requirement) {
  added.push_back(&requirement);
  auto branches = branchesTo(requirement.op);
  if (!branches)
    return failure();
  for (auto [condition, taken] : *branches)
    if (failed(addValue(condition)))
      return failure();
  if (requirement.condition.hasOpaque()) {
    Value asserted = assertedValue(requirement);
    return asserted ? addValue(asserted) : failure();
  }
  return success(
      llvm::all_of(requirement.condition.symbols(), [&](Expr symbol) {
        return succeeded(addSymbol(requirement, symbol));
      }));
}

IRMapping BodySlice::clone(OpBuilder &builder, ArrayRef<Value> position,
                           ArrayRef<Value> elements) {
  IRMapping copies;
  for (auto [i, operand] : llvm::enumerate(operands))
    copies.map(op.getBlock()->getArgument(operand), elements[i]);
  for (Operation &inner : op.getBlock()->without_terminator()) {
    if (!ops.contains(&inner))
      continue;
    if (auto index = dyn_cast<linalg::IndexOp>(&inner))
      copies.map(index.getResult(), position[index.getDim()]);
    else
      builder.clone(inner, copies);
  }
  return copies;
}

ExprEmitter BodySlice::emitter(OpBuilder &builder, Location loc,
                               const Requirement &requirement,
                               ArrayRef<Value> position, IRMapping &copies) {
  auto outer = std::make_shared<SymbolValues>(shapes, builder, loc);
  SmallVector<Value> where(position);
  auto valueOf = [this, outer, where, &requirement,
                  &copies](Expr symbol) -> Value {
    if (std::optional<unsigned> loop = loopOf(op, requirement, symbol))
      return where[*loop];
    const SymbolDef *def = shapes.definition(symbol);
    if (def && def->dim < 0 && isInside(def->value))
      return copies.lookupOrNull(def->value);
    return (*outer)(symbol);
  };
  FunctionShapes &known = shapes;
  return ExprEmitter(builder, loc, valueOf, [&known](Expr symbol) {
    // Loop counters have no range of their own; extents bound them.
    const SymbolDef *def = known.definition(symbol);
    if (def && def->kind == SymbolDef::Iteration)
      return symshape::Range::between(0, INT64_MAX);
    return known.entryFacts().info(symbol).range;
  });
}

Value BodySlice::emitCondition(OpBuilder &builder,
                               const Requirement &requirement,
                               ArrayRef<Value> position,
                               ArrayRef<Value> elements) {
  Location loc = op.getLoc();
  IRMapping copies = clone(builder, position, elements);
  Value holds = requirement.condition.hasOpaque()
                    ? copies.lookupOrDefault(assertedValue(requirement))
                    : emitter(builder, loc, requirement, position, copies)
                          .emitCondition(requirement.condition);
  assert(holds && "added");
  // If a branch is not taken, nothing is required.
  auto branches = branchesTo(requirement.op);
  for (auto [condition, taken] : *branches) {
    Value outcome =
        arith::ConstantOp::create(builder, loc, builder.getBoolAttr(taken));
    Value idle = arith::XOrIOp::create(
        builder, loc, copies.lookupOrDefault(condition), outcome);
    holds = arith::OrIOp::create(builder, loc, holds, idle);
  }
  return holds;
}

void BodySlice::emitFailure(OpBuilder &builder, const Requirement &requirement,
                            ArrayRef<Value> position, ArrayRef<Value> elements,
                            ArrayRef<Value> shownPosition) {
  IRMapping copies = clone(builder, position, elements);
  ExprEmitter values =
      emitter(builder, op.getLoc(), requirement, position, copies);
  FailMessage place;
  for (auto [i, index] : llvm::enumerate(shownPosition))
    place << (i ? ", " : " at position [") << index;
  if (!shownPosition.empty())
    place << "]";
  messageOf(shapes, requirement, &requirement, place)
      .emit(builder, op.getLoc(), &values);
}
