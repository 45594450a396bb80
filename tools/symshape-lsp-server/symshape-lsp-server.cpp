//===- symshape-lsp-server.cpp - The language server ----------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Options. It starts itself twice: as `symshape-lsp-server --upstream`, it is
// upstream's server; as `symshape-lsp-server --analyse`, it analyses texts.
//
//===----------------------------------------------------------------------===//

#include "../Heap.h"
#include "../OtherOptions.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"
#include "symshape/InitAll.h"
#include "symshape/LSP/Server.h"
#include "symshape/Process/Tool.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"

using namespace llvm;

// Upstream's options exist in the child alone, since some have the same names.
static int serve(int argc, char **argv) {
  cl::OptionCategory category("symshape-lsp-server options");
  cl::opt<std::string> log(
      "log", cl::value_desc("error, info or verbose"),
      cl::desc("what upstream's server writes to standard error"),
      cl::init("error"), cl::cat(category));
  cl::opt<unsigned> seconds(
      "seconds", cl::value_desc("N"),
      cl::desc("how long the analysis of a text may take (default: 60); one "
               "that takes longer is left out"),
      cl::init(60), cl::cat(category));
  mlir::symshape::hideOtherOptions(category);
  if (!mlir::symshape::parseOptions(
          argc, argv,
          "Shows what is known of a program in an editor, which talks to it by "
          "the language server protocol at standard input and output.\n\n"
          "exit status: 0 the editor said shutdown and exit; 1 it went "
          "without; "
          "2 usage; 70 internal error\n"))
    return 2;
  if (log != "error" && log != "info" && log != "verbose") {
    errs() << "error: expected --log=error, info or verbose, but got '" << log
           << "'\n";
    return 2;
  }
  std::string self =
      sys::fs::getMainExecutable(argv[0], reinterpret_cast<void *>(&serve));
  return mlir::symshape::runLanguageServer(
      {{self, "--upstream", "--log=" + log},
       {self, "--analyse"},
       std::chrono::seconds(seconds)});
}

int main(int argc, char **argv) {
  mlir::symshape::joinFreeBlocks();
  mlir::symshape::Tool tool(argc, argv);
  StringRef role = argc > 1 ? argv[1] : "";
  if (role != "--upstream" && role != "--analyse")
    return tool.finish(serve(argc, argv));
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  mlir::symshape::registerAllDialects(registry);
  mlir::symshape::registerTMTensorReader(registry);
  if (role == "--analyse")
    return mlir::symshape::runAnalyst(registry);
  argv[1] = argv[0];
  return mlir::failed(mlir::MlirLspServerMain(argc - 1, argv + 1, registry));
}
