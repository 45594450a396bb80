//===- symshape-onnx.cpp - What an ONNX model is --------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Verbs on models; the work is done in Import.
//
//===----------------------------------------------------------------------===//

#include "mlir/Bytecode/BytecodeWriter.h"
#include "symshape/Extensions/AllExtensions.h"
#include "symshape/Import/ONNX/Import.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace llvm;
namespace onnx = mlir::symshape::onnx;

static cl::OptionCategory category("symshape-onnx options");
static cl::SubCommand importVerb("import", "write the program of a model");
static cl::SubCommand opsVerb("ops", "list the ops that have a definition");
static cl::opt<std::string> input(cl::Positional, cl::Required,
                                  cl::desc("FILE.onnx"), cl::sub(importVerb),
                                  cl::cat(category));
static cl::opt<std::string> output("o", cl::desc("file to write (default: -)"),
                                   cl::value_desc("file.mlir"), cl::init("-"),
                                   cl::sub(importVerb), cl::cat(category));
static cl::opt<bool> bytecode("bytecode", cl::desc("write bytecode"),
                              cl::sub(importVerb), cl::cat(category));

static Expected<std::shared_ptr<const onnx::Model>> read() {
  Expected<onnx::Model> model = onnx::Model::read(input);
  if (!model)
    return model.takeError();
  return std::make_shared<const onnx::Model>(std::move(*model));
}

/// Returns the exit status.
static int report(Error error) {
  errs() << "error: " << toString(std::move(error)) << '\n';
  return 1;
}

static int runImport() {
  auto model = read();
  if (!model)
    return report(model.takeError());
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  auto imported = onnx::importModel(*model, &context);
  if (!imported)
    return report(imported.takeError());
  std::error_code problem;
  ToolOutputFile file(output, problem,
                      bytecode ? sys::fs::OF_None : sys::fs::OF_Text);
  if (problem) {
    errs() << "error: cannot write '" << output << "': " << problem.message()
           << '\n';
    return 2;
  }
  mlir::ModuleOp module = *imported->module;
  if (bytecode) {
    if (mlir::failed(mlir::writeBytecodeToFile(module, file.os())))
      return 1;
  } else {
    mlir::OpPrintingFlags flags;
    module.print(file.os(), flags.enableDebugInfo());
    file.os() << '\n';
  }
  file.keep();
  return 0;
}

static int runOps() {
  for (StringRef name : onnx::Registry::standard().getNames())
    outs() << (name.starts_with(".") ? name.drop_front() : name) << '\n';
  return 0;
}

int main(int argc, char **argv) {
  InitLLVM init(argc, argv);
  cl::HideUnrelatedOptions(category, importVerb);
  cl::HideUnrelatedOptions(category, opsVerb);
  if (!cl::ParseCommandLineOptions(
          argc, argv,
          "Looks at ONNX models, and makes programs of them.\n\n"
          "exit status: 0 done; 1 the model cannot be read or imported; 2 "
          "usage, or a file that cannot be written\n",
          &errs()))
    return 2;
  if (importVerb)
    return runImport();
  if (opsVerb)
    return runOps();
  cl::PrintHelpMessage();
  return 2;
}
