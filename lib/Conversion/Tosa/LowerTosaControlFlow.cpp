//===- LowerTosaControlFlow.cpp - Branches and loops of tosa as scf -------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Before programs are analysed: the ops inside stay what they are.
//
//===----------------------------------------------------------------------===//

#include "ScalarOps.h"
#include "TosaLowering.h"

#include "symshape/Conversion/Passes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::symshape {
#define GEN_PASS_DEF_LOWERTOSACONTROLFLOWPASS
#include "symshape/Conversion/Passes.h.inc"
} // namespace mlir::symshape

using namespace mlir;
using namespace mlir::symshape;

/// Moves the ops of a block to the end of another, whose arguments stand for
/// these values, and stops before its last op, which is returned.
static Operation *moveBody(RewriterBase &b, Region &from, Block *to,
                           ValueRange arguments) {
  Location loc = from.getLoc();
  b.setInsertionPointToEnd(to);
  SmallVector<Value> values =
      castTo(b, loc, arguments, from.front().getArgumentTypes());
  b.inlineBlockBefore(&from.front(), to, to->end(), values);
  Operation *yield = &to->back();
  b.setInsertionPoint(yield);
  return yield;
}

static void lowerIf(RewriterBase &b, tosa::IfOp op) {
  b.setInsertionPoint(op);
  Location loc = op.getLoc();
  Value condition = readScalar(b, loc, op.getCondition());
  auto branch = scf::IfOp::create(b, loc, op->getResultTypes(), condition,
                                  /*withElseRegion=*/true);
  for (auto [from, to] :
       {std::pair(&op.getThenGraph(), &branch.getThenRegion()),
        {&op.getElseGraph(), &branch.getElseRegion()}}) {
    Block *block = &to->front();
    if (!block->empty())
      b.eraseOp(&block->back());
    Operation *yield = moveBody(
        b, *from, block, op.getInputList().take_front(from->getNumArguments()));
    b.replaceOpWithNewOp<scf::YieldOp>(
        yield, castTo(b, loc, yield->getOperands(), op->getResultTypes()));
  }
  b.replaceOp(op, branch.getResults());
}

/// What is carried has the types of the results.
static void lowerWhile(RewriterBase &b, tosa::WhileOp op) {
  b.setInsertionPoint(op);
  Location loc = op.getLoc();
  TypeRange types = op->getResultTypes();
  auto loop = scf::WhileOp::create(b, loc, types,
                                   castTo(b, loc, op.getInputList(), types));
  SmallVector<Location> places(types.size(), loc);
  Block *before = b.createBlock(&loop.getBefore(), {}, types, places);
  Block *after = b.createBlock(&loop.getAfter(), {}, types, places);
  Operation *yield =
      moveBody(b, op.getCondGraph(), before, before->getArguments());
  Value condition = readScalar(b, loc, yield->getOperand(0));
  b.replaceOpWithNewOp<scf::ConditionOp>(yield, condition,
                                         before->getArguments());
  yield = moveBody(b, op.getBodyGraph(), after, after->getArguments());
  b.replaceOpWithNewOp<scf::YieldOp>(
      yield, castTo(b, loc, yield->getOperands(), types));
  b.replaceOp(op, loop.getResults());
}

namespace {
struct LowerTosaControlFlowPass
    : symshape::impl::LowerTosaControlFlowPassBase<LowerTosaControlFlowPass> {
  void runOnOperation() override {
    SmallVector<Operation *> ops;
    auto verified = getOperation()->walk([&](Operation *op) {
      if (isa<tosa::IfOp, tosa::WhileOp>(op))
        ops.push_back(op);
      return failed(verifyTosa(op)) ? WalkResult::interrupt()
                                    : WalkResult::advance();
    });
    if (verified.wasInterrupted())
      return signalPassFailure();
    IRRewriter b(&getContext());
    for (Operation *op : ops) {
      if (auto branch = dyn_cast<tosa::IfOp>(op))
        lowerIf(b, branch);
      else
        lowerWhile(b, cast<tosa::WhileOp>(op));
    }
  }
};
} // namespace
