//===- LiftLoops.cpp - Loops made of blocks, as ops -----------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bufferization and our analysis know loops as ops with regions. Upstream lifts
// blocks to such ops; here, only those of functions that have a loop, and no
// `ub.poison` is left where a tensor is carried.
//
//===----------------------------------------------------------------------===//

#include "PassCounters.h"

#include "mlir/Conversion/ControlFlowToSCF/ControlFlowToSCF.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/RegionGraphTraits.h"
#include "mlir/Pass/Pass.h"
#include "symshape/Transforms/Canonicalizer.h"
#include "symshape/Transforms/Passes.h"
#include "llvm/ADT/SCCIterator.h"

namespace mlir::symshape {
#define GEN_PASS_DEF_LIFTLOOPSPASS
#include "symshape/Transforms/Passes.h.inc"
} // namespace mlir::symshape

using namespace mlir;
using namespace mlir::symshape;

/// Whether control may come back to a block of the region.
static bool hasLoop(Region &region) {
  if (region.hasOneBlock() || region.empty())
    return false;
  for (auto it = llvm::scc_begin(&region); !it.isAtEnd(); ++it)
    if (it.hasCycle())
      return true;
  return false;
}

/// A loop that no branch leaves.
static Operation *findEndless(Region &region) {
  for (auto it = llvm::scc_begin(&region); !it.isAtEnd(); ++it) {
    if (!it.hasCycle())
      continue;
    llvm::SmallPtrSet<Block *, 8> inside(it->begin(), it->end());
    auto leaves = [&](Block *block) {
      return block->getNumSuccessors() == 0 ||
             llvm::any_of(block->getSuccessors(),
                          [&](Block *next) { return !inside.contains(next); });
    };
    if (llvm::none_of(*it, leaves))
      return it->front()->getTerminator();
  }
  return nullptr;
}

/// The argument of the loop around a branch that stands where its result
/// `number` goes for the next iteration.
static Value findCarried(scf::IfOp branch, unsigned number) {
  auto loop = dyn_cast<scf::WhileOp>(branch->getParentOp());
  if (!loop || branch->getParentRegion() != &loop.getBefore())
    return {};
  Value result = branch.getResult(number);
  for (auto [i, passed] : llvm::enumerate(loop.getConditionOp().getArgs())) {
    if (passed != result || i >= loop.getBeforeArguments().size())
      continue;
    Value argument = loop.getBeforeArguments()[i];
    if (argument.getType() == result.getType())
      return argument;
  }
  return {};
}

/// Gives each use of a tensor that nobody reads another one: that of the last
/// iteration, so that its extents stay, or an empty one.
static void replacePoison(ub::PoisonOp poison) {
  auto type = dyn_cast<RankedTensorType>(poison.getType());
  if (!type)
    return;
  for (OpOperand &use : llvm::make_early_inc_range(poison->getUses())) {
    auto branch = dyn_cast<scf::IfOp>(use.getOwner()->getParentOp());
    Value carried = branch && isa<scf::YieldOp>(use.getOwner())
                        ? findCarried(branch, use.getOperandNumber())
                        : Value();
    if (carried)
      use.set(carried);
  }
  if (poison.use_empty())
    return poison.erase();
  OpBuilder builder(poison);
  SmallVector<OpFoldResult> sizes;
  for (int64_t extent : type.getShape())
    sizes.push_back(
        builder.getIndexAttr(ShapedType::isDynamic(extent) ? 0 : extent));
  Value empty = tensor::EmptyOp::create(builder, poison.getLoc(), sizes,
                                        type.getElementType());
  if (empty.getType() != type)
    empty = tensor::CastOp::create(builder, poison.getLoc(), type, empty);
  poison.getResult().replaceAllUsesWith(empty);
  poison.erase();
}

/// Lifts the blocks of all regions of the function, inner ones first.
static LogicalResult liftBlocks(func::FuncOp function) {
  ControlFlowToSCFTransformation transformation;
  DominanceInfo dominance(function);
  auto lift = [&](Operation *op) {
    for (Region &region : op->getRegions())
      if (hasLoop(region) &&
          failed(transformCFGToSCF(region, transformation, dominance)))
        return WalkResult::interrupt();
    return WalkResult::advance();
  };
  return failure(function->walk<WalkOrder::PostOrder>(lift).wasInterrupted());
}

/// What keeps a loop of the function from being lifted; null: nothing.
static Operation *findObstacle(func::FuncOp function, bool &isEndless) {
  Operation *found = nullptr;
  function->walk([&](Operation *op) {
    for (Region &region : op->getRegions()) {
      if (!hasLoop(region))
        continue;
      if ((found = findEndless(region))) {
        isEndless = true;
        return WalkResult::interrupt();
      }
      for (Block &block : region)
        if (block.getNumSuccessors() > 0 &&
            !isa<cf::BranchOp, cf::CondBranchOp, cf::SwitchOp>(
                block.getTerminator())) {
          found = block.getTerminator();
          return WalkResult::interrupt();
        }
    }
    return WalkResult::advance();
  });
  return found;
}

namespace {
struct LiftLoopsPass : public symshape::impl::LiftLoopsPassBase<LiftLoopsPass> {
  using LiftLoopsPassBase::LiftLoopsPassBase;

  void runOnOperation() override {
    SmallVector<func::FuncOp> lifted;
    SmallVector<func::FuncOp> functions;
    getOperation()->walk(
        [&](func::FuncOp function) { functions.push_back(function); });
    for (func::FuncOp function : functions) {
      WalkResult walk = function->walk([](Operation *op) {
        return llvm::any_of(op->getRegions(), hasLoop) ? WalkResult::interrupt()
                                                       : WalkResult::advance();
      });
      if (walk.wasInterrupted())
        lifted.push_back(function);
    }
    for (func::FuncOp function : lifted) {
      bool isEndless = false;
      if (Operation *op = findObstacle(function, isEndless)) {
        if (isEndless)
          op->emitOpError("expected a branch that leaves the loop, but got "
                          "none");
        else
          op->emitOpError("expected a loop of cf.br, cf.cond_br and cf.switch, "
                          "but got ")
              << op->getName();
        return signalPassFailure();
      }
    }
    for (func::FuncOp function : lifted) {
      if (failed(liftBlocks(function))) {
        function.emitOpError("expected loops that can be lifted to scf.while");
        return signalPassFailure();
      }
      applySoundPatterns(function, getCanonicalizationPatterns(&getContext()));
      function->walk([](ub::PoisonOp op) { replacePoison(op); });
    }
    count(*this, numLifted, "num-lifted", lifted.size());
    if (lifted.empty())
      markAllAnalysesPreserved();
  }
};
} // namespace
