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
#include "../OtherOptions.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Tools/mlir-reduce/MlirReduceMain.h"
#include "symshape/InitAll.h"
#include "symshape/Process/Files.h"
#include "symshape/Process/ForeignFiles.h"
#include "symshape/Process/Tool.h"
#include "symshape/Reducer/Passes.h"
#include <optional>
#include <vector>

using mlir::symshape::NewFile;

/// The value of `-o`, to be changed; null if there is none.
static std::string *findOutput(std::vector<std::string> &arguments) {
  for (size_t i = 1; i < arguments.size(); ++i) {
    llvm::StringRef name = arguments[i];
    if (!name.consume_front("--"))
      name.consume_front("-");
    if (name == "o" && i + 1 < arguments.size())
      return &arguments[i + 1];
    if (name.consume_front("o=")) {
      arguments[i] = name.str();
      arguments.insert(arguments.begin() + i, "-o");
      return &arguments[i + 1];
    }
  }
  return nullptr;
}

/// Why the input cannot be read, which upstream's tool would wait for if it
/// were a pipe or a device without an end.
static llvm::Error checkInput(llvm::ArrayRef<std::string> arguments,
                              const std::string *output) {
  for (const std::string &argument : arguments.drop_front())
    if (&argument != output && !llvm::StringRef(argument).starts_with("-")) {
      auto read = mlir::symshape::readPlainFile(argument);
      if (!read)
        return llvm::createStringError("cannot read '" + argument + "': " +
                                       llvm::toString(read.takeError()));
      llvm::StringRef kind =
          mlir::symshape::nameKindForeignToMLIR((*read)->getBuffer());
      if (!kind.empty() && kind != "empty")
        return llvm::createStringError(
            "expected text or bytecode of MLIR, but '" + argument + "' is " +
            kind);
    }
  if (arguments.size() == 1)
    return llvm::createStringError(
        "expected the file of a program, but got none: symshape-reduce --help");
  return llvm::Error::success();
}

/// Upstream's tool, which writes a file beside the one that is asked for.
static int run(std::vector<std::string> arguments, mlir::MLIRContext &context) {
  std::optional<NewFile> file;
  std::string *output = findOutput(arguments);
  llvm::Error error = checkInput(arguments, output);
  if (!error && output && *output != "-") {
    llvm::Expected<NewFile> created = NewFile::create(*output);
    if (created) {
      *output = created->getTemporaryPath().str();
      file.emplace(std::move(*created));
    } else {
      error = created.takeError();
    }
  }
  if (!error) {
    std::vector<char *> argv;
    for (std::string &argument : arguments)
      argv.push_back(argument.data());
    argv.push_back(nullptr);
    if (failed(mlir::mlirReduceMain(arguments.size(), argv.data(), context)))
      return 1;
    if (file)
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
  mlir::registerAllExtensions(registry);
  if (!mlir::symshape::asksForHelp(argc, argv))
    mlir::registerAllPasses();
  mlir::symshape::registerAllDialects(registry);
  mlir::symshape::registerTMTensorReader(registry);
  mlir::symshape::registerAllPasses();
  mlir::symshape::registerSymShapeReducerPasses();
  mlir::MLIRContext context(registry);
  return tool.finish(run({argv, argv + argc}, context));
}
