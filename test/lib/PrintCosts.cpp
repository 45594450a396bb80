//===- PrintCosts.cpp - What functions cost the analysis ------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One line for each function: its name, and how many steps the fact engine has
// taken when its shapes are known and its guards are planned. Steps are the
// same on every machine.
//
//===----------------------------------------------------------------------===//

#include "TestPasses.h"

#include "mlir/Pass/Pass.h"
#include "symshape/Analysis/GuardAnalysis.h"
#include "symshape/Analysis/ShapeAnalysis.h"
#include "llvm/ADT/Statistic.h"

using namespace mlir;
using namespace mlir::symshape;

/// What all sets of facts that are gone have cost.
static uint64_t stepsOfOthers() {
  for (const auto &[name, count] : llvm::GetStatistics())
    if (name == "numSteps")
      return count;
  return 0;
}

namespace {
struct PrintCostsPass
    : public PassWrapper<PrintCostsPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PrintCostsPass)

  StringRef getArgument() const override { return "symshape-print-costs"; }
  StringRef getDescription() const override {
    return "Prints the steps that the fact engine takes for each function";
  }

  void runOnOperation() override {
    llvm::EnableStatistics(/*DoPrintOnExit=*/false);
    ShapeAnalysis analysis(getOperation());
    for (func::FuncOp function : getOperation().getOps<func::FuncOp>()) {
      FunctionShapes *shapes = analysis.lookup(function);
      if (!shapes)
        continue;
      uint64_t before = stepsOfOthers();
      planGuards(*shapes);
      llvm::outs() << function.getName() << ' '
                   << shapes->facts().steps() + shapes->entryFacts().steps() +
                          stepsOfOthers() - before
                   << '\n';
    }
    markAllAnalysesPreserved();
  }
};
} // namespace

void mlir::symshape::test::registerPrintCostsPass() {
  PassRegistration<PrintCostsPass>();
}
