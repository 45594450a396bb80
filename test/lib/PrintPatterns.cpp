//===- PrintPatterns.cpp - Which patterns canonicalize --------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One line for each pattern of upstream that our canonicalizer has to do with:
// the op it is for (or "interface" or "any") and its class ("function" without
// one). A test compares them with those that a page says were looked at.
//
//===----------------------------------------------------------------------===//

#include "TestPasses.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Index/IR/IndexDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/Pass.h"
#include "symshape/Transforms/Canonicalizer.h"
#include <set>

using namespace mlir;
using namespace mlir::symshape;

namespace {
struct PrintPatternsPass
    : PassWrapper<PrintPatternsPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PrintPatternsPass)

  StringRef getArgument() const final { return "symshape-print-patterns"; }
  StringRef getDescription() const final {
    return "Prints which patterns of upstream canonicalize";
  }

  void getDependentDialects(DialectRegistry &registry) const override {
    // With those that they depend on: arith, cf, func, math, memref, tensor,
    // ub.
    registry.insert<affine::AffineDialect, bufferization::BufferizationDialect,
                    index::IndexDialect, linalg::LinalgDialect, scf::SCFDialect,
                    vector::VectorDialect>();
  }

  void runOnOperation() override {
    std::set<std::string> lines;
    RewritePatternSet patterns = getCanonicalizationPatterns(&getContext());
    for (auto &pattern : patterns.getNativePatterns()) {
      std::optional<OperationName> root = pattern->getRootKind();
      StringRef dialect = root ? root->getDialectNamespace() : "";
      if (dialect == "symshape" || dialect == "test")
        continue;
      StringRef name = getClassName(*pattern);
      lines.insert((root                            ? root->getStringRef().str()
                    : pattern->getRootInterfaceID() ? "interface"
                                                    : "any") +
                   " " + (name.empty() ? "function" : name.str()));
    }
    for (const std::string &line : lines)
      llvm::outs() << line << "\n";
  }
};
} // namespace

void symshape::test::registerPrintPatternsPass() {
  PassRegistration<PrintPatternsPass>();
}
