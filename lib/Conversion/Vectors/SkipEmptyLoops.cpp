//===- SkipEmptyLoops.cpp - Loops around nothing --------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop whose iterations write nothing but in inner loops and branches, with
// bounds and conditions that it does not change, has an iteration only if one
// of these has.
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

/// So many iterations that do nothing take no time.
static constexpr int64_t fewIterations = 1 << 16;

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

namespace {
/// What an iteration of a loop runs.
struct Iteration {
  /// Loops and branches; nothing is written outside of them.
  SmallVector<Operation *> inner;
  /// Loops around these that run in any case, inner ones first.
  SmallVector<LoopLikeOpInterface> always;
};
} // namespace

/// Whether nobody notices that `op` does not run, and nor do those that use
/// what it returns: it reads, or takes memory for its iteration and gives it
/// back.
static bool isUnseen(Operation *op, LoopLikeOpInterface loop) {
  auto effects = getEffectsRecursively(op);
  return effects && llvm::all_of(*effects, [&](const auto &effect) {
           Value value = effect.getValue();
           return isa<MemoryEffects::Read, MemoryEffects::Allocate>(
                      effect.getEffect()) ||
                  (isa<MemoryEffects::Free>(effect.getEffect()) && value &&
                   !loop.isDefinedOutsideOfLoop(value));
         });
}

/// Adds what an iteration runs; false if it does anything else.
static bool collectIteration(LoopLikeOpInterface loop, Iteration &iteration) {
  for (Operation &op :
       loop.getLoopRegions().front()->front().without_terminator()) {
    if (isUnseen(&op, loop))
      continue;
    if (!isPlainLoop(&op) && !isPlainBranch(&op))
      return false;
    if (!isAlwaysRun(&op)) {
      iteration.inner.push_back(&op);
      continue;
    }
    auto inner = cast<LoopLikeOpInterface>(op);
    if (!collectIteration(inner, iteration))
      return false;
    iteration.always.push_back(inner);
  }
  return true;
}

/// Whether the iterations of a loop are so few that nothing is gained.
static bool hasFewIterations(LoopLikeOpInterface loop) {
  int64_t iterations = 1;
  for (auto [lower, upper] :
       llvm::zip(*loop.getLoopLowerBounds(), *loop.getLoopUpperBounds())) {
    auto low = getConstantIntValue(lower), high = getConstantIntValue(upper);
    if (!low || !high || *low < 0 || *high > fewIterations)
      return false;
    iterations *= *high;
    if (iterations > fewIterations)
      return false;
  }
  return true;
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
  if (hasFewIterations(loop))
    return;
  Iteration iteration;
  if (!collectIteration(loop, iteration) || iteration.inner.empty())
    return;
  auto isOutside = [&](Operation *op) { return isDecidedOutside(op, loop); };
  if (!llvm::all_of(iteration.inner, isOutside)) {
    for (LoopLikeOpInterface inner : iteration.always)
      moveLoopInvariantCode(inner);
    moveLoopInvariantCode(loop);
    if (!llvm::all_of(iteration.inner, isOutside))
      return;
  }
  OpBuilder b(loop);
  Value condition;
  for (Operation *op : iteration.inner) {
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
