//===- PrintOps.cpp - Which ops are registered ----------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One line for each op of each loaded dialect: its name. For tests that must
// have a program of every op.
//
//===----------------------------------------------------------------------===//

#include "TestPasses.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Shape/IR/Shape.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/Pass.h"
#include "symshape/IR/SymShape.h"

using namespace mlir;
using namespace mlir::symshape;

namespace {
struct PrintOpsPass : PassWrapper<PrintOpsPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PrintOpsPass)

  PrintOpsPass() = default;
  PrintOpsPass(const PrintOpsPass &other) : PassWrapper(other) {}

  StringRef getArgument() const final { return "symshape-print-ops"; }
  StringRef getDescription() const final {
    return "Prints the names of registered ops";
  }

  void getDependentDialects(DialectRegistry &registry) const override {
    // With those that they depend on: arith, cf, func, math, memref, tensor.
    registry.insert<affine::AffineDialect, bufferization::BufferizationDialect,
                    gpu::GPUDialect, linalg::LinalgDialect, scf::SCFDialect,
                    shape::ShapeDialect, SymShapeDialect, tosa::TosaDialect,
                    vector::VectorDialect>();
  }

  ListOption<std::string> dialects{
      *this, "dialects", llvm::cl::desc("Those whose ops are printed")};

  void runOnOperation() override {
    for (RegisteredOperationName op : getContext().getRegisteredOperations())
      if (llvm::is_contained(dialects, op.getDialectNamespace()))
        llvm::outs() << op.getStringRef() << "\n";
  }
};
} // namespace

void symshape::test::registerPrintOpsPass() {
  PassRegistration<PrintOpsPass>();
}
