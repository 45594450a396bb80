//===- ModuleFixture.h - A context and a parsed module ----------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For tests of what reads or rewrites modules.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_UNITTESTS_ANALYSIS_MODULEFIXTURE_H
#define SYMSHAPE_UNITTESTS_ANALYSIS_MODULEFIXTURE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Parser/Parser.h"
#include "symshape/Analysis/ShapeAnalysis.h"
#include "symshape/Extensions/AllExtensions.h"
#include "symshape/IR/SymShape.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace mlir::symshape {

struct ModuleFixture : ::testing::Test {
  ModuleFixture() : context(registry()) {
    // What passes would declare as dependent.
    context.loadAllAvailableDialects();
  }

  static const DialectRegistry &registry() {
    static const DialectRegistry *all = [] {
      auto *made = new DialectRegistry;
      mlir::registerAllDialects(*made);
      mlir::registerAllExtensions(*made);
      made->insert<SymShapeDialect>();
      registerShapeFactsExternalModels(*made);
      return made;
    }();
    return *all;
  }

  /// Parses `text` into `module`; the test ends where it cannot be.
  void parse(StringRef text) {
    module = parseSourceString<ModuleOp>(text, &context);
    ASSERT_TRUE(module);
  }
  func::FuncOp function(StringRef name) {
    return module->lookupSymbol<func::FuncOp>(name);
  }
  /// The op that carries the unit attribute `name`.
  Operation *place(StringRef name) {
    Operation *found = nullptr;
    module->walk([&](Operation *op) {
      if (op->hasAttr(name))
        found = op;
    });
    return found;
  }
  /// The value returned by a function of one block.
  Value returned(StringRef name, unsigned index = 0) {
    return function(name).getBody().front().getTerminator()->getOperand(index);
  }
  /// How many ops of a kind are in the module.
  template <typename OpT>
  unsigned count() {
    unsigned n = 0;
    module->walk([&](OpT) { ++n; });
    return n;
  }
  /// The first op of a kind in the module.
  template <typename OpT>
  OpT first() {
    OpT found;
    module->walk([&](OpT op) {
      found = op;
      return WalkResult::interrupt();
    });
    return found;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

} // namespace mlir::symshape

#endif // SYMSHAPE_UNITTESTS_ANALYSIS_MODULEFIXTURE_H
