//===- SCFDerivatives.cpp - Derivatives of scf ----------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Branches, and loops under a condition. Not for: scf.for
// (SCFForDerivatives.cpp).
//
//===----------------------------------------------------------------------===//

#include "SCFDerivatives.h"
#include "SCFForDerivatives.h"

#include "DerivativeHelpers.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/RegionUtils.h"
#include "symshape/Extensions/AllExtensions.h"

using namespace mlir;
using namespace mlir::symshape;

//===----------------------------------------------------------------------===//
// Shared
//===----------------------------------------------------------------------===//

Value symshape::withExtents(OpBuilder &builder, Value tangent,
                            ArrayRef<OpFoldResult> extents) {
  if (!isa<RankedTensorType>(tangent.getType()))
    return tangent;
  auto [staticExtents, dynamicExtents] = decomposeMixedValues(extents);
  return WithExtentsOp::create(builder, tangent.getLoc(), tangent.getType(),
                               tangent, dynamicExtents, staticExtents);
}

SmallVector<bool> symshape::findActive(Block &body, ValueRange arguments,
                                       ValueRange inits, ValueRange yielded,
                                       Tangents &tangents) {
  DenseSet<Value> dependents;
  auto isDependent = [&](Value value) {
    return dependents.contains(value) || tangents.of(value);
  };
  auto add = [&](Value value) {
    return hasTangent(value.getType()) && dependents.insert(value).second;
  };
  for (auto [argument, init] : llvm::zip(arguments, inits))
    if (tangents.of(init))
      add(argument);
  bool changes = true;
  while (changes) {
    changes = false;
    for (Operation &op : body)
      if (usesAny(&op, isDependent))
        for (Value result : op.getResults())
          add(result);
    for (auto [argument, value] : llvm::zip(arguments, yielded))
      if (isDependent(value))
        changes |= add(argument);
  }
  return llvm::map_to_vector(
      arguments, [&](Value argument) { return dependents.contains(argument); });
}

SmallVector<Value> symshape::copyBlock(OpBuilder &builder, Block &block,
                                       ValueRange arguments,
                                       ValueRange values) {
  IRMapping mapping;
  mapping.map(block.getArguments(), arguments);
  for (Operation &op : block.without_terminator())
    builder.clone(op, mapping);
  return llvm::map_to_vector(
      values, [&](Value value) { return mapping.lookupOrDefault(value); });
}

SmallVector<Value> symshape::capturedLinear(Operation *op,
                                            Cotangents &cotangents) {
  llvm::SetVector<Value> used;
  getUsedValuesDefinedAbove(op->getRegions(), used);
  SmallVector<Value> linear;
  llvm::copy_if(used, std::back_inserter(linear),
                [&](Value value) { return cotangents.isLinear(value); });
  return linear;
}

namespace {
//===----------------------------------------------------------------------===//
// Branches: scf.if and scf.index_switch
//===----------------------------------------------------------------------===//

/// The terminator of each region, which has one block.
SmallVector<scf::YieldOp, 2> yieldsOf(Operation *op) {
  return llvm::map_to_vector<2>(op->getRegions(), [](Region &region) {
    return cast<scf::YieldOp>(region.front().getTerminator());
  });
}

/// An op that chooses by `operands` as `op` does, with empty regions.
Operation *chooseAlike(OpBuilder &b, Operation *op, ValueRange operands,
                       TypeRange types) {
  OperationState state(op->getLoc(), op->getName(), operands, types,
                       op->getAttrs());
  for (unsigned i = 0; i < op->getNumRegions(); ++i)
    state.addRegion();
  return b.create(state);
}

/// One of the same branches, which yield the tangents of these results, after
/// all that they yield unless `alone`. Takes the regions of `op`.
Operation *yieldTangents(Operation *op, ArrayRef<unsigned> active, bool alone,
                         Tangents &tangents) {
  OpBuilder &b = tangents.builder();
  SmallVector<Type> types;
  if (!alone)
    llvm::append_range(types, op->getResultTypes());
  for (unsigned number : active)
    types.push_back(op->getResultTypes()[number]);
  for (scf::YieldOp yield : yieldsOf(op)) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(yield);
    SmallVector<Value> yielded;
    if (!alone)
      llvm::append_range(yielded, yield.getOperands());
    for (unsigned number : active)
      yielded.push_back(tangents.orZero(yield.getOperand(number)));
    yield->setOperands(yielded);
  }
  Operation *result = chooseAlike(b, op, op->getOperands(), types);
  for (auto [from, to] : llvm::zip(op->getRegions(), result->getRegions()))
    to.takeBody(from);
  return result;
}

template <typename OpTy>
LogicalResult branchJvp(OpTy branch, Tangents &tangents) {
  Operation *op = branch;
  OpBuilder &b = tangents.builder();
  bool separate = tangents.isSeparate();
  SmallVector<Value> ofResults(op->getNumResults());
  SmallVector<unsigned> active;
  {
    std::optional<Tangents::Scope> scope;
    Operation *source = op;
    if (separate) {
      source = b.clone(*op);
      scope.emplace(tangents);
    }
    for (Region &region : source->getRegions())
      if (failed(tangents.differentiate(region.front())))
        return failure();
    for (unsigned i = 0; i < op->getNumResults(); ++i)
      if (llvm::any_of(yieldsOf(source), [&](scf::YieldOp yield) {
            return bool(tangents.of(yield.getOperand(i)));
          }))
        active.push_back(i);
    b.setInsertionPointAfter(source);
    Operation *result = yieldTangents(source, active, separate, tangents);
    auto own = result->getResults().take_back(active.size());
    for (auto [number, tangent] : llvm::zip(active, own))
      ofResults[number] = tangent;
    if (separate) {
      for (Region &region : result->getRegions())
        eraseDeadOps(region.front());
      source->erase();
    } else {
      op->replaceAllUsesWith(result->getResults().drop_back(active.size()));
      op->erase();
      op = result;
    }
  }
  for (unsigned number : active)
    tangents.set(op->getResult(number),
                 separate ? withExtents(b, ofResults[number],
                                        extentsOf(b, op->getLoc(),
                                                  op->getResult(number)))
                          : ofResults[number]);
  return success();
}

/// The branch that is taken, transposed: it adds to the cotangent of each
/// linear value that any branch uses.
template <typename OpTy>
LogicalResult branchTranspose(OpTy op, Cotangents &cotangents) {
  OpBuilder &b = cotangents.builder();
  SmallVector<Value> captured = capturedLinear(op, cotangents);
  SmallVector<Value> ofResults = llvm::map_to_vector(
      op->getResults(), [&](Value result) { return cotangents.of(result); });
  SmallVector<Value> sums = llvm::map_to_vector(
      captured, [&](Value value) { return cotangents.of(value); });
  Operation *transposed =
      chooseAlike(b, op, cotangents.residual(op->getOperand(0)),
                  ValueRange(captured).getTypes());
  for (auto [from, to] :
       llvm::zip(op->getRegions(), transposed->getRegions())) {
    OpBuilder::InsertionGuard guard(b);
    b.createBlock(&to);
    FailureOr<SmallVector<Value>> parts =
        cotangents.transposeBody(from.front(), {}, ofResults, captured, sums);
    if (failed(parts))
      return failure();
    scf::YieldOp::create(b, op.getLoc(), *parts);
  }
  for (auto [value, sum] : llvm::zip(captured, transposed->getResults()))
    cotangents.replace(value, sum);
  return success();
}

//===----------------------------------------------------------------------===//
// While
//===----------------------------------------------------------------------===//

/// The loop with the tangents of what it carries beside it.
LogicalResult whileJvpTogether(scf::WhileOp op, Tangents &tangents) {
  OpBuilder &b = tangents.builder();
  b.setInsertionPoint(op);
  Block &before = *op.getBeforeBody(), &after = *op.getAfterBody();
  // All floats that are carried, and all that are passed on.
  SmallVector<Value> inits(op.getInits());
  auto addTangents = [&](Block &block) {
    for (BlockArgument argument : SmallVector<BlockArgument>(
             block.getArguments().begin(), block.getArguments().end()))
      if (hasTangent(argument.getType()))
        tangents.set(argument,
                     block.addArgument(argument.getType(), op.getLoc()));
  };
  for (Value init : op.getInits())
    if (hasTangent(init.getType()))
      inits.push_back(tangents.orZero(init));
  auto appendTangents = [&](Operation *terminator, OperandRange values) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(terminator);
    SmallVector<Value> further;
    for (Value value : values)
      if (hasTangent(value.getType()))
        further.push_back(tangents.orZero(value));
    terminator->insertOperands(terminator->getNumOperands(), further);
  };
  addTangents(before);
  if (failed(tangents.differentiate(before)))
    return failure();
  appendTangents(op.getConditionOp(), op.getConditionOp().getArgs());
  addTangents(after);
  if (failed(tangents.differentiate(after)))
    return failure();
  appendTangents(op.getYieldOp(), op.getYieldOp().getResults());
  auto result =
      scf::WhileOp::create(b, op.getLoc(), after.getArgumentTypes(), inits);
  result.getBefore().takeBody(op.getBefore());
  result.getAfter().takeBody(op.getAfter());
  unsigned numResults = op.getNumResults();
  op.replaceAllUsesWith(result.getResults().take_front(numResults));
  unsigned next = numResults;
  for (Value value : result.getResults().take_front(numResults))
    if (hasTangent(value.getType()))
      tangents.set(value, result.getResult(next++));
  op.erase();
  return success();
}

/// How often the body of the loop runs: the loop with a counter.
Value countIterations(OpBuilder &b, scf::WhileOp op) {
  Location loc = op.getLoc();
  auto counting = cast<scf::WhileOp>(b.clone(*op));
  SmallVector<Value> inits(op.getInits());
  inits.push_back(arith::ConstantIndexOp::create(b, loc, 0));
  Block &before = *counting.getBeforeBody(), &after = *counting.getAfterBody();
  Value count = before.addArgument(b.getIndexType(), loc);
  counting.getConditionOp().getArgsMutable().append(count);
  Value counted = after.addArgument(b.getIndexType(), loc);
  {
    OpBuilder::InsertionGuard guard(b);
    scf::YieldOp yield = counting.getYieldOp();
    b.setInsertionPoint(yield);
    Value one = arith::ConstantIndexOp::create(b, loc, 1);
    Value next = arith::AddIOp::create(b, loc, counted, one);
    yield->insertOperands(yield->getNumOperands(), next);
  }
  auto result = scf::WhileOp::create(b, loc, after.getArgumentTypes(), inits);
  result.getBefore().takeBody(counting.getBefore());
  result.getAfter().takeBody(counting.getAfter());
  counting.erase();
  return result.getResults().back();
}

/// The loop as one that runs a number of times, counted first.
LogicalResult whileJvpCounted(scf::WhileOp op, Tangents &tangents) {
  OpBuilder &b = tangents.builder();
  Location loc = op.getLoc();
  b.setInsertionPoint(op);
  Value count = countIterations(b, op);
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  scf::ConditionOp condition = op.getConditionOp();
  auto step = [&](ValueRange state) {
    return copyBlock(b, *op.getBeforeBody(), state, condition.getArgs());
  };
  auto loop = scf::ForOp::create(b, loc, zero, count, one, op.getInits());
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    SmallVector<Value> yielded =
        copyBlock(b, *op.getAfterBody(), step(loop.getRegionIterArgs()),
                  op.getYieldOp().getResults());
    if (!yielded.empty()) // else there is a terminator
      scf::YieldOp::create(b, loc, yielded);
  }
  SmallVector<Operation *> ops{loop};
  IRMapping mapping;
  mapping.map(op.getBeforeBody()->getArguments(), loop.getResults());
  for (Operation &last : op.getBeforeBody()->without_terminator())
    ops.push_back(b.clone(last, mapping));
  SmallVector<Value> results =
      llvm::map_to_vector(condition.getArgs(), [&](Value value) {
        return mapping.lookupOrDefault(value);
      });
  op.replaceAllUsesWith(results);
  op.erase();
  for (Operation *part : ops)
    if (failed(tangents.differentiate(part)))
      return failure();
  return success();
}

LogicalResult whileJvp(scf::WhileOp op, Tangents &tangents) {
  return tangents.isSeparate() ? whileJvpCounted(op, tangents)
                               : whileJvpTogether(op, tangents);
}
} // namespace

void symshape::registerSCFDerivatives(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, scf::SCFDialect *) {
    attachDerivatives<scf::ForOp, forJvp, forTranspose>(context);
    attachDerivatives<scf::IfOp, branchJvp, branchTranspose>(context);
    attachDerivatives<scf::IndexSwitchOp, branchJvp, branchTranspose>(context);
    attachJvp<scf::WhileOp, whileJvp>(context);
  });
}
