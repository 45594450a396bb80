//===- InlineSingleCalls.cpp - Functions called from one place ------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Moves private functions to their only call, so that ops on both sides can be
// fused. Not for: functions called from several places, which are compiled
// once.
//
//===----------------------------------------------------------------------===//

#include "symshape/Conversion/Passes.h"
#include "symshape/Transforms/SignatureOps.h"

#include "mlir/Analysis/CallGraph.h"
#include "mlir/Dialect/Func/Extensions/InlinerExtension.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Inliner.h"

namespace mlir::symshape {
#define GEN_PASS_DEF_INLINESINGLECALLSPASS
#include "symshape/Conversion/Passes.h.inc"

/// How often `user` names a symbol that is called as `function` is.
static int64_t countNames(Operation *user, func::FuncOp function) {
  int64_t names = 0;
  user->getAttrDictionary().walk([&](SymbolRefAttr name) {
    names += name.getLeafReference() == function.getSymNameAttr();
  });
  return names;
}

/// Whether all symbols that are used in `root`, by nested tables too, are
/// known.
static bool areUsesKnown(Operation *root) {
  return !root->walk([](Operation *op) {
                for (Region &region : op->getRegions())
                  if (op->hasTrait<OpTrait::SymbolTable>() &&
                      !SymbolTable::getSymbolUses(&region))
                    return WalkResult::interrupt();
                return WalkResult::advance();
              })
              .wasInterrupted();
}

namespace {
struct InlineSingleCallsPass
    : impl::InlineSingleCallsPassBase<InlineSingleCallsPass> {
  void getDependentDialects(DialectRegistry &registry) const override {
    func::registerInlinerExtension(registry);
  }

  void runOnOperation() override {
    moveSignaturesToOps(getOperation());
    // Upstream takes all symbols to be known, which they are not beside an
    // unregistered op.
    if (!areUsesKnown(getOperation()))
      return;
    DenseSet<Operation *> calledOnce;
    SymbolTableCollection tables;
    SymbolUserMap uses(tables, getOperation());
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      ArrayRef<Operation *> users = uses.getUsers(function);
      if (function.isPrivate() && users.size() == 1 &&
          countNames(users.front(), function) == 1)
        calledOnce.insert(function);
    }
    if (calledOnce.empty())
      return;
    auto isCalledOnce = [&](const Inliner::ResolvedCall &call) {
      Region *body = call.targetNode->getCallableRegion();
      return calledOnce.contains(body->getParentOp());
    };
    Inliner inliner(
        getOperation(), getAnalysis<CallGraph>(), *this, getAnalysisManager(),
        [](Pass &pass, OpPassManager &pipeline, Operation *op) {
          return cast<InlineSingleCallsPass>(pass).runPipeline(pipeline, op);
        },
        InlinerConfig(), isCalledOnce);
    if (failed(inliner.doInlining()))
      signalPassFailure();
  }
};
} // namespace
} // namespace mlir::symshape
