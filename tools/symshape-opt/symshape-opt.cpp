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
#include "../OtherOptions.h"
#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "symshape/InitAll.h"
#include "symshape/Process/Crashes.h"
#include "symshape/Process/Files.h"
#include "symshape/Process/ForeignFiles.h"
#include "symshape/Process/Tool.h"
#include "symshape/Transforms/PassCounts.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/SourceMgr.h"
#include <algorithm>

/// Reads bytecode for nothing but to see that reading it comes to an end.
static void tryToRead(std::unique_ptr<llvm::MemoryBuffer> file,
                      const mlir::DialectRegistry &registry) {
  if (!mlir::isBytecode(*file))
    return;
  mlir::symshape::ReadingLimit limit(*file);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  context.allowUnregisteredDialects();
  mlir::ScopedDiagnosticHandler silent(&context, [](mlir::Diagnostic &) {});
  llvm::SourceMgr sourceMgr;
  sourceMgr.AddNewSourceBuffer(std::move(file), llvm::SMLoc());
  mlir::Block block;
  mlir::ParserConfig config(&context, /*verifyAfterParse=*/false);
  (void)mlir::parseSourceFile(sourceMgr, &block, config);
}

/// As MlirOptMain, but reads and writes files as our other tools do. Returns
/// the exit status.
static int run(int argc, char **argv, mlir::DialectRegistry &registry) {
  mlir::symshape::hideRegisteredOptions();
  auto [input, output] = mlir::registerAndParseCLIOptions(
      argc, argv,
      "symshape optimizer driver: mlir-opt with the dialect and passes of "
      "symshape\n--help-hidden lists the passes of MLIR as well\n",
      registry);
  // An op may hold a whole function; its name and place are enough, unless it
  // is asked for.
  llvm::cl::Option *printOp =
      llvm::cl::getRegisteredOptions().lookup("mlir-print-op-on-diagnostic");
  if (printOp && printOp->getNumOccurrences() == 0)
    printOp->addOccurrence(0, printOp->ArgStr, "false");
#if !LLVM_ENABLE_STATS
  // MLIR then prints an empty report.
  llvm::cl::Option *statistics =
      llvm::cl::getRegisteredOptions().lookup("mlir-pass-statistics");
  bool printsCounts = statistics && statistics->getNumOccurrences() != 0;
  if (printsCounts)
    mlir::symshape::enablePassCounts();
  auto printCounts = llvm::scope_exit([&] {
    if (printsCounts)
      mlir::symshape::printPassCounts(llvm::errs());
  });
#endif
  if (input != "-") {
    auto file = mlir::symshape::readPlainFile(input, /*isText=*/true);
    if (!file) {
      llvm::errs() << "error: cannot read '" << input
                   << "': " << llvm::toString(file.takeError()) << '\n';
      return 1;
    }
    llvm::StringRef kind =
        mlir::symshape::nameKindForeignToMLIR((*file)->getBuffer());
    if (!kind.empty() && kind != "empty") {
      llvm::errs() << "error: expected text or bytecode of MLIR, but '" << input
                   << "' is " << kind
                   << (kind.ends_with("ONNX")
                           ? ": symshape-onnx import writes its program"
                           : "")
                   << '\n';
      return 1;
    }
    tryToRead(std::move(*file), registry);
  }
  if (output == "-")
    return mlir::asMainReturnCode(
        mlir::MlirOptMain(argc, argv, input, output, registry));
  auto file = mlir::symshape::NewFile::create(output);
  llvm::Error error = file.takeError();
  if (!error) {
    if (failed(mlir::MlirOptMain(argc, argv, input, file->getTemporaryPath(),
                                 registry)))
      return 1;
    error = file->keep();
  }
  if (!error)
    return 0;
  llvm::errs() << "error: " << llvm::toString(std::move(error)) << '\n';
  return 1;
}

int main(int argc, char **argv) {
  mlir::symshape::joinFreeBlocks();
  mlir::symshape::Tool tool(argc, argv, /*cannotWrite=*/1);
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::symshape::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  if (!mlir::symshape::asksForHelp(argc, argv))
    mlir::registerAllPasses();
  mlir::symshape::registerTMTensorReader(registry);
  mlir::symshape::registerAllPasses();
  // How ops broadcast is for the whole program, wherever the option stands.
  std::stable_partition(argv + 1, argv + argc, [](llvm::StringRef argument) {
    return argument.ltrim('-').starts_with("symshape-tosa-broadcast");
  });
  return tool.finish(run(argc, argv, registry));
}
