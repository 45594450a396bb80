//===- CheckPolicies.cpp - Symbols against their policies -----------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reports symbols declared `static` that facts leave open, and symbols declared
// `dynamic` to which facts give a single value.
//
//===----------------------------------------------------------------------===//

#include "mlir/Pass/Pass.h"
#include "symshape/IR/SymShape.h"
#include "symshape/Transforms/DeclaredFacts.h"
#include "symshape/Transforms/Passes.h"
#include "symshape/Transforms/TellViolations.h"

namespace mlir::symshape {
#define GEN_PASS_DEF_CHECKPOLICIESPASS
#include "symshape/Transforms/Passes.h.inc"
} // namespace mlir::symshape

using namespace mlir;
using namespace mlir::symshape;

namespace {
struct CheckPoliciesPass
    : symshape::impl::CheckPoliciesPassBase<CheckPoliciesPass> {
  void runOnOperation() override {
    markAllAnalysesPreserved();
    SmallVector<func::FuncOp> functions;
    getOperation()->walk([&](func::FuncOp function) {
      if (llvm::any_of(getSymbols(function), [](SymbolAttr symbol) {
            return symbol.getPolicy() != SymbolPolicy::Auto;
          }))
        functions.push_back(function);
    });
    if (functions.empty())
      return;
    auto &analysis = getAnalysis<ShapeAnalysis>();
    for (func::FuncOp function : functions)
      if (FunctionShapes *shapes = analysis.lookup(function))
        if (failed(reportViolations(findPolicyViolations(*shapes))))
          signalPassFailure();
  }
};
} // namespace
