//===- TestPasses.cpp - Passes for tests, as a plug-in --------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The entry points that --load-dialect-plugin and --load-pass-plugin look up.
// The plug-in holds the dialect, too: it is loaded instead of SymShapePlugin.
//
//===----------------------------------------------------------------------===//

#include "TestPasses.h"

#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"
#include "symshape/InitAll.h"

extern "C" LLVM_ATTRIBUTE_WEAK mlir::DialectPluginLibraryInfo
mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "SymShapeTest", "0.1",
          [](mlir::DialectRegistry *registry) {
            mlir::symshape::registerAllDialects(*registry);
            mlir::symshape::test::registerForeignDialect(*registry);
          }};
}

extern "C" LLVM_ATTRIBUTE_WEAK mlir::PassPluginLibraryInfo
mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "SymShapeTest", "0.1", [] {
            mlir::symshape::registerAllPasses();
            mlir::symshape::test::registerApplyPatternsPass();
            mlir::symshape::test::registerCompareBoundsPass();
            mlir::symshape::test::registerCompareRangesPass();
            mlir::symshape::test::registerEraseExtentsPass();
            mlir::symshape::test::registerPrintClaimsPass();
            mlir::symshape::test::registerPrintCostsPass();
            mlir::symshape::test::registerPrintExtentsPass();
            mlir::symshape::test::registerPrintOpsPass();
            mlir::symshape::test::registerPrintPatternsPass();
          }};
}
