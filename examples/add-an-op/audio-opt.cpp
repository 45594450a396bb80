//===- audio-opt.cpp - An opt tool that knows one more dialect ------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Audio.h"

#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "symshape/InitAll.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  mlir::symshape::registerAllDialects(
      registry); // with the rules of upstream's ops
  mlir::symshape::registerAllPasses();
  registry.insert<audio::AudioDialect>(); // its ops bring their rules along
  audio::registerAudioToLinalgPass();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "audio optimizer\n", registry));
}
