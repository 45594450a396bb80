//===- symshape-opt.cpp - The optimizer driver ----------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// mlir-opt with the dialect and passes of symshape.
//
//===----------------------------------------------------------------------===//

#include "../Heap.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "symshape/InitAll.h"
#include <algorithm>

int main(int argc, char **argv) {
  mlir::symshape::joinFreeBlocks();
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  mlir::registerAllPasses();
  mlir::symshape::registerAllDialects(registry);
  mlir::symshape::registerAllPasses();
  // How ops broadcast is for the whole program, wherever the option stands.
  std::stable_partition(argv + 1, argv + argc, [](llvm::StringRef argument) {
    return argument.ltrim('-').starts_with("symshape-tosa-broadcast");
  });
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "symshape optimizer driver\n", registry));
}
