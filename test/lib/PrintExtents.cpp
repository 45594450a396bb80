//===- PrintExtents.cpp - The extents of some values ----------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For each op `probe.extents` one line of JSON: its function, and the extents
// of each of its operands, as `symshape-infer-shapes=annotate` writes them.
//
//===----------------------------------------------------------------------===//

#include "TestPasses.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"
#include "symshape/Analysis/ShapeAnalysis.h"
#include "symshape/IR/SymShape.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace mlir::symshape;

namespace {
struct PrintExtentsPass
    : PassWrapper<PrintExtentsPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PrintExtentsPass)

  StringRef getArgument() const final { return "symshape-print-extents"; }
  StringRef getDescription() const final {
    return "Prints the extents of the operands of probe.extents";
  }

  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<SymShapeDialect>();
  }

  void runOnOperation() override {
    ShapeAnalysis analysis(getOperation());
    getOperation()->walk([&](Operation *op) {
      if (op->getName().getStringRef() != "probe.extents")
        return;
      auto function = op->getParentOfType<func::FuncOp>();
      llvm::json::OStream json(llvm::outs());
      json.arrayBegin();
      json.value(function.getName());
      for (Value operand : op->getOperands())
        print(*analysis.lookup(function), operand, json);
      json.arrayEnd();
      llvm::outs() << "\n";
    });
    markAllAnalysesPreserved();
  }

  static void print(FunctionShapes &shapes, Value value,
                    llvm::json::OStream &json) {
    auto type = dyn_cast<ShapedType>(value.getType());
    json.arrayBegin();
    for (int64_t d = 0; type && type.hasRank() && d < type.getRank(); ++d)
      json.value(shapes.printExtent(value, d));
    json.arrayEnd();
  }
};
} // namespace

void symshape::test::registerPrintExtentsPass() {
  PassRegistration<PrintExtentsPass>();
}
