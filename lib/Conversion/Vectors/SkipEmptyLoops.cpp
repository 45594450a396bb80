//===- SkipEmptyLoops.cpp - Loops around nothing --------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop whose turns do nothing but run inner loops and branches, with bounds
// and conditions that it does not change, has a turn only if one of these has.
//
//===----------------------------------------------------------------------===//

#include "SkipEmptyLoops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"

using namespace mlir;
using namespace mlir::symshape;

/// So many turns that do nothing take no time.
static constexpr int64_t fewTurns = 1 << 16;

/// A loop that returns nothing, and counts signed numbers.
static bool isPlainLoop(Operation *op) {
  if (op->getNumResults() != 0)
    return false;
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return !loop.getUnsignedCmp();
  auto loop = dyn_cast<scf::ParallelOp>(op);
  return loop && loop.getNumLoops() != 0;
}

/// A branch that does nothing otherwise.
static bool isPlainBranch(Operation *op) {
  auto branch = dyn_cast<scf::IfOp>(op);
  return branch && branch->getNumResults() == 0 && !branch.elseBlock();
}

/// The loops and branches that a turn runs; nullopt if it does anything else.
static std::optional<SmallVector<Operation *>>
findInner(LoopLikeOpInterface loop) {
  SmallVector<Operation *> inner;
  for (Operation &op : loop.getLoopRegions().front()->front()) {
    if (op.hasTrait<OpTrait::IsTerminator>() || isMemoryEffectFree(&op))
      continue;
    if (!isPlainLoop(&op) && !isPlainBranch(&op))
      return std::nullopt;
    inner.push_back(&op);
  }
  return inner;
}

static bool isAlwaysRun(Operation *op) {
  auto loop = dyn_cast<LoopLikeOpInterface>(op);
  return loop &&
         llvm::all_of(
             llvm::zip(*loop.getLoopLowerBounds(), *loop.getLoopUpperBounds()),
             [](auto bounds) {
               auto low = getConstantIntValue(std::get<0>(bounds));
               auto high = getConstantIntValue(std::get<1>(bounds));
               return low && high && *low < *high;
             });
}

/// Whether the turns of a loop are so few that nothing is gained.
static bool hasFewTurns(LoopLikeOpInterface loop) {
  auto low = getConstantIntValue(loop.getLoopLowerBounds()->front());
  auto high = getConstantIntValue(loop.getLoopUpperBounds()->front());
  return low && high && *high <= fewTurns && *low >= 0;
}

/// Whether `outer` does not change how often `op` runs.
static bool isDecidedOutside(Operation *op, LoopLikeOpInterface outer) {
  auto isOutside = [&](OpFoldResult bound) {
    auto value = dyn_cast<Value>(bound);
    return !value || outer.isDefinedOutsideOfLoop(value);
  };
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return isOutside(branch.getCondition());
  auto loop = cast<LoopLikeOpInterface>(op);
  return llvm::all_of(*loop.getLoopLowerBounds(), isOutside) &&
         llvm::all_of(*loop.getLoopUpperBounds(), isOutside);
}

/// Whether `op` runs its body.
static Value runs(OpBuilder &b, Operation *op) {
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return branch.getCondition();
  auto loop = cast<LoopLikeOpInterface>(op);
  Value result;
  for (auto [low, high] :
       llvm::zip(*loop.getLoopLowerBounds(), *loop.getLoopUpperBounds())) {
    Location loc = op->getLoc();
    Value own =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt,
                              getValueOrCreateConstantIndexOp(b, loc, low),
                              getValueOrCreateConstantIndexOp(b, loc, high));
    result = result ? arith::AndIOp::create(b, loc, result, own) : own;
  }
  return result;
}

static void skipIfEmpty(LoopLikeOpInterface loop) {
  if (hasFewTurns(loop))
    return;
  auto inner = findInner(loop);
  if (!inner || inner->empty() || llvm::any_of(*inner, isAlwaysRun))
    return;
  auto isOutside = [&](Operation *op) { return isDecidedOutside(op, loop); };
  if (!llvm::all_of(*inner, isOutside)) {
    moveLoopInvariantCode(loop);
    if (!llvm::all_of(*inner, isOutside))
      return;
  }
  OpBuilder b(loop);
  Value condition;
  for (Operation *op : *inner) {
    Value own = runs(b, op);
    condition = condition
                    ? arith::OrIOp::create(b, loop.getLoc(), condition, own)
                    : own;
  }
  auto limit = [&](Value low, Value high) -> Value {
    return arith::SelectOp::create(b, loop.getLoc(), condition, high, low);
  };
  if (auto one = dyn_cast<scf::ForOp>(loop.getOperation()))
    return one.setUpperBound(limit(one.getLowerBound(), one.getUpperBound()));
  auto many = cast<scf::ParallelOp>(loop.getOperation());
  many.getUpperBoundMutable()[0].assign(
      limit(many.getLowerBound()[0], many.getUpperBound()[0]));
}

void symshape::skipEmptyLoops(Operation *root) {
  SmallVector<LoopLikeOpInterface> loops; // inner ones first
  root->walk([&](Operation *op) {
    if (isPlainLoop(op))
      loops.push_back(cast<LoopLikeOpInterface>(op));
  });
  for (LoopLikeOpInterface loop : loops)
    skipIfEmpty(loop);
}
