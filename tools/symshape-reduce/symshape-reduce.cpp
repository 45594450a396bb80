//===- symshape-reduce.cpp - Smaller programs that still fail -------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// mlir-reduce with the dialect and passes of symshape, and with one that
// reduces
// (`--symshape-reduce`).
//
//===----------------------------------------------------------------------===//

#include "../Heap.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Tools/mlir-reduce/MlirReduceMain.h"
#include "symshape/InitAll.h"
#include "symshape/Reducer/Passes.h"

int main(int argc, char **argv) {
  mlir::symshape::joinFreeBlocks();
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  mlir::registerAllPasses();
  mlir::symshape::registerAllDialects(registry);
  mlir::symshape::registerAllPasses();
  mlir::symshape::registerSymShapeReducerPasses();
  mlir::MLIRContext context(registry);
  return mlir::failed(mlir::mlirReduceMain(argc, argv, context));
}
