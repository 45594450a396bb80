//===- RunFunctions.h - Each function through our pipelines -----*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_TEST_LIB_RUNFUNCTIONS_H
#define SYMSHAPE_TEST_LIB_RUNFUNCTIONS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/JSON.h"

namespace mlir::symshape::test {

/// A copy of `function` in a module of its own, with the symbols that it uses,
/// and those that these use.
OwningOpRef<ModuleOp> isolate(func::FuncOp function);

/// A function in a module of its own, and what is found out about it.
struct ModeRun {
  ModuleOp module;
  std::string function;
  llvm::json::Object details;
  llvm::function_ref<void(PassManager &)> observe;
  llvm::function_ref<void(StringRef)> setPhase; ///< told where it crashes
};

/// Compares our results with those of upstream's passes: `stock` in the details
/// says how they relate.
LogicalResult runStock(ModeRun &run);

/// Runs what is called `mode`: infer, shapes, cpu, jvp, vjp, report, stock.
LogicalResult runMode(StringRef mode, ModeRun &run);

} // namespace mlir::symshape::test

#endif // SYMSHAPE_TEST_LIB_RUNFUNCTIONS_H
