//===- DownstreamOpt.cpp - An opt tool with a pass of its own -------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReifyBounds.h"
#include "ReportResults.h"

#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "symshape/InitAll.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::symshape::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  mlir::symshape::registerAllPasses();
  downstream::registerReifyBoundsPass();
  downstream::registerReportResultsPass();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "downstream optimizer\n", registry));
}
