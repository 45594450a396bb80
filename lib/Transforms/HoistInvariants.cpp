//===- HoistInvariants.cpp - What a loop computes again and again ---------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream assumes that an op on tensors may run anywhere. But what it requires
// may hold only where it is reached: a loop that runs zero times must not read
// at an index, or pad by a width, that its checks would have refused. So an op
// on tensors leaves a loop only if what it requires is proved before the loop,
// and if it costs no memory that the call could do without.
//
//===----------------------------------------------------------------------===//

#include "PassCounters.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"
#include "symshape/Analysis/FactCursor.h"
#include "symshape/IR/SymShape.h"
#include "symshape/Transforms/Passes.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace mlir::symshape {
#define GEN_PASS_DEF_HOISTINVARIANTSPASS
#include "symshape/Transforms/Passes.h.inc"
} // namespace mlir::symshape

using namespace mlir;
using namespace mlir::symshape;

// Elements of a tensor that may be made for a loop that runs zero times.
static constexpr int64_t maxUnusedElements = int64_t(1) << 20;

static bool isShaped(Value value) { return isa<ShapedType>(value.getType()); }

/// Whether the op is defined wherever its operands are: on numbers alone, where
/// upstream says which may run early, or about the type of a tensor.
static bool requiresNothing(Operation *op) {
  if (op->hasTrait<OpTrait::ConstantLike>())
    return true;
  if (auto cast = dyn_cast<tensor::CastOp>(op))
    return tensor::preservesStaticInformation(cast.getType(),
                                              cast.getSource().getType());
  if (auto dim = dyn_cast<tensor::DimOp>(op))
    return dim.getConstantIndex().has_value();
  return op->getNumRegions() == 0 &&
         llvm::none_of(op->getOperands(), isShaped) &&
         llvm::none_of(op->getResults(), isShaped);
}

/// Whether `holds` is true of the op and of each op inside it.
static bool allInside(Operation *op,
                      llvm::function_ref<bool(Operation *)> holds) {
  return !op->walk([&](Operation *nested) {
              return holds(nested) ? WalkResult::advance()
                                   : WalkResult::interrupt();
            }).wasInterrupted();
}

/// A loop without effects ends, but perhaps after 2^63 iterations.
static bool isNoLoop(Operation *op) { return !isa<LoopLikeOpInterface>(op); }

namespace {
/// Decides for one function, in which nothing else moves ops meanwhile.
class InvariantHoister {
public:
  InvariantHoister(func::FuncOp function,
                   llvm::function_ref<FunctionShapes *()> analyse)
      : function(function), analyse(analyse) {}
  unsigned run();

private:
  bool isOutside(Value value, LoopLikeOpInterface loop);
  bool mayMove(Operation *op, LoopLikeOpInterface loop);
  bool holdsBefore(Operation *op, LoopLikeOpInterface loop);
  bool isCheap(Operation *op, LoopLikeOpInterface loop);
  void move(Operation *op, LoopLikeOpInterface loop);

  func::FuncOp function;
  llvm::function_ref<FunctionShapes *()> analyse;
  /// Made once an op is found that needs them.
  FunctionShapes *shapes = nullptr;
  std::optional<FactCursor> cursor;
  DenseMap<Operation *, SmallVector<const Requirement *, 2>> requirements;
  llvm::SmallPtrSet<Operation *, 8> unknown; ///< ops without a rule
};
} // namespace

/// An empty tensor follows the op that fills it.
bool InvariantHoister::isOutside(Value value, LoopLikeOpInterface loop) {
  if (loop.isDefinedOutsideOfLoop(value))
    return true;
  auto empty = value.getDefiningOp<tensor::EmptyOp>();
  return empty && llvm::all_of(empty->getOperands(), [&](Value size) {
           return loop.isDefinedOutsideOfLoop(size);
         });
}

/// Whether all that `op`, and the ops inside it, require is proved before the
/// loop. Conditional requirements must be proved without their condition.
bool InvariantHoister::holdsBefore(Operation *op, LoopLikeOpInterface loop) {
  if (!cursor) {
    shapes = analyse();
    if (!shapes)
      return false;
    cursor.emplace(*shapes);
    for (const Requirement &requirement : shapes->requirements())
      requirements[requirement.op].push_back(&requirement);
    unknown.insert_range(shapes->opsWithoutRule());
  }
  auto isVisited = [&](Region &region) {
    return shapes->entryOf(&region) ||
           llvm::all_of(region.getOps(),
                        [](Operation &op) { return requiresNothing(&op); });
  };
  auto isProved = [&](const Requirement *requirement) {
    return prove(cursor->before(loop), requirement->condition).isYes();
  };
  return allInside(op, [&](Operation *nested) {
    return requiresNothing(nested) ||
           (!unknown.contains(nested) &&
            llvm::all_of(nested->getRegions(), isVisited) &&
            llvm::all_of(requirements.lookup(nested), isProved));
  });
}

/// Whether what `op` makes is needed anyway; or it has no loop inside, and its
/// tensors are not much larger than an existing one, or small.
bool InvariantHoister::isCheap(Operation *op, LoopLikeOpInterface loop) {
  ConstraintSet &facts = cursor->before(loop);
  bool turns = llvm::all_of(loop.getLoopRegions(), [&](Region *region) {
    const FunctionShapes::RegionEntry *entry = shapes->entryOf(region);
    return entry && prove(facts, entry->premise).isYes();
  });
  if (turns || isa<linalg::PackOp>(op))
    return true;
  if (!allInside(op, isNoLoop))
    return false;
  auto countOf = [&](Value tensor) {
    Expr count = shapes->arena().one();
    for (int64_t d = 0; d < cast<ShapedType>(tensor.getType()).getRank(); ++d)
      count = count * shapes->dim(tensor, d);
    return count;
  };
  auto makes = [](Value value) {
    return isa<RankedTensorType>(value.getType());
  };
  auto isSmallResult = [&](Value result) {
    if (!makes(result))
      return !isShaped(result);
    Expr count = countOf(result);
    auto isEnough = [&](Value operand) {
      return makes(operand) && !operand.getDefiningOp<tensor::EmptyOp>() &&
             facts.isProvably(Relation::le(count, countOf(operand)));
    };
    return facts.isProvably(Relation::le(
               count, shapes->arena().constant(maxUnusedElements))) ||
           llvm::any_of(op->getOperands(), isEnough);
  };
  return llvm::all_of(op->getResults(), isSmallResult) &&
         allInside(op, [&](Operation *nested) {
           return nested == op || llvm::none_of(nested->getResults(), makes);
         });
}

bool InvariantHoister::mayMove(Operation *op, LoopLikeOpInterface loop) {
  // An op of our dialect says something about the place where it stands; what
  // has no results is dead, but an op around may count it.
  if (!isPure(op) || isa<tensor::EmptyOp>(op) || op->getNumResults() == 0 ||
      isa<SymShapeDialect>(op->getDialect()))
    return false;
  if (requiresNothing(op))
    return true;
  auto comesFromOutside = [&](Operation *nested) {
    return llvm::all_of(nested->getOperands(), [&](Value value) {
      return op->isAncestor(value.getParentRegion()->getParentOp()) ||
             isOutside(value, loop);
    });
  };
  return allInside(op, comesFromOutside) && holdsBefore(op, loop) &&
         isCheap(op, loop);
}

void InvariantHoister::move(Operation *op, LoopLikeOpInterface loop) {
  OpBuilder builder(loop);
  op->walk([&](Operation *nested) {
    for (OpOperand &operand : nested->getOpOperands()) {
      auto empty = operand.get().getDefiningOp<tensor::EmptyOp>();
      if (empty && !op->isAncestor(empty) &&
          !loop.isDefinedOutsideOfLoop(operand.get()))
        operand.set(builder.clone(*empty)->getResult(0));
    }
  });
  loop.moveOutOfLoop(op);
}

unsigned InvariantHoister::run() {
  unsigned numMoved = 0;
  // Inner loops first: what leaves one may leave the next.
  function.walk([&](LoopLikeOpInterface loop) {
    numMoved += moveLoopInvariantCode(
        loop.getLoopRegions(),
        [&](Value value, Region *) { return isOutside(value, loop); },
        [&](Operation *op, Region *) { return mayMove(op, loop); },
        [&](Operation *op, Region *) { move(op, loop); });
  });
  return numMoved;
}

/// Where no tensors are left, upstream knows what may run early, but not what
/// takes long.
static unsigned hoistOnBuffers(func::FuncOp function) {
  unsigned numMoved = 0;
  function.walk([&](LoopLikeOpInterface loop) {
    numMoved += moveLoopInvariantCode(
        loop.getLoopRegions(),
        [&](Value value, Region *) {
          return loop.isDefinedOutsideOfLoop(value);
        },
        [&](Operation *op, Region *) {
          return isMemoryEffectFree(op) && isSpeculatable(op) &&
                 allInside(op, isNoLoop);
        },
        [&](Operation *op, Region *) { loop.moveOutOfLoop(op); });
  });
  return numMoved;
}

namespace {
struct HoistInvariantsPass
    : symshape::impl::HoistInvariantsPassBase<HoistInvariantsPass> {
  using HoistInvariantsPassBase::HoistInvariantsPassBase;

  void runOnOperation() override {
    CountQuestions questions(*this, numAsked, numNew);
    unsigned numOfAll = 0;
    getOperation()->walk([&](func::FuncOp function) {
      numOfAll += onBuffers
                      ? hoistOnBuffers(function)
                      : InvariantHoister(function, [&] {
                          return getAnalysis<ShapeAnalysis>().lookup(function);
                        }).run();
    });
    count(*this, numMoved, "num-moved", numOfAll);
    if (numOfAll == 0)
      markAllAnalysesPreserved();
  }
};
} // namespace
