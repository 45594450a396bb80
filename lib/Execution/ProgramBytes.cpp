//===- ProgramBytes.cpp - Text or bytecode of a program -------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Files as they are; ONNX models, exported programs of PyTorch and artifacts of
// StableHLO as imported.
//
//===----------------------------------------------------------------------===//

#include "ProgramBytes.h"
#include "ImportedWeights.h"
#include "SourceFile.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "symshape/Import/PyTorch/Definitions.h"
#include "symshape/Import/PyTorch/Import.h"
#include "symshape/Import/StableHLO/Import.h"
#include "symshape/Process/Files.h"
#include "symshape/Process/ForeignFiles.h"

using namespace mlir;
using namespace mlir::symshape;

/// The module that `import` makes, as bytecode; it may give weights as well.
static llvm::Expected<ProgramBytes> importApart(
    StringRef path, const DiagnosticSink &diagnostics,
    llvm::function_ref<llvm::Expected<OwningOpRef<ModuleOp>>(MLIRContext &,
                                                             ProgramBytes &)>
        import) {
  ProgramBytes program;
  llvm::Error error = runRecovering(path, [&]() -> llvm::Error {
    MLIRContext context(MLIRContext::Threading::DISABLED);
    std::optional<SinkDiagnosticHandler> handler;
    if (diagnostics)
      handler.emplace(&context, diagnostics);
    auto module = import(context, program);
    if (!module)
      return module.takeError();
    std::string bytes;
    llvm::raw_string_ostream os(bytes);
    if (failed(writeBytecodeToFile(**module, os)))
      return cannotCompile("cannot write the program of '" + path + "'");
    program.bytes = llvm::MemoryBuffer::getMemBufferCopy(bytes, path);
    return llvm::Error::success();
  });
  if (error)
    return std::move(error);
  return program;
}

/// Imports a model; gives its program as bytecode without weights.
static llvm::Expected<ProgramBytes>
importFrom(llvm::Expected<onnx::Model> model, StringRef path,
           const FirstInputs &firstInputs, const DiagnosticSink &diagnostics,
           const OnnxOps &ops) {
  if (!model) {
    // Only a file that cannot be read has an error code.
    bool isRead = false;
    std::string message;
    llvm::handleAllErrors(
        model.takeError(), [&](const llvm::StringError &error) {
          isRead = error.convertToErrorCode() == llvm::inconvertibleErrorCode();
          message = error.getMessage();
        });
    return isRead ? cannotCompile(message) : makeInputError(message);
  }
  auto shared = std::make_shared<const onnx::Model>(std::move(*model));
  auto import =
      [&](MLIRContext &context,
          ProgramBytes &program) -> llvm::Expected<OwningOpRef<ModuleOp>> {
    onnx::ImportOptions options;
    options.ops = ops;
    auto imported = onnx::importModel(shared, &context, options);
    bool wantsValues = imported ? imported->likesValues
                                : imported.errorIsA<onnx::NeedsValues>();
    if (wantsValues && firstInputs) {
      auto inputs = firstInputs();
      if (!inputs) {
        llvm::consumeError(imported.takeError());
        return inputs.takeError();
      }
      options.values = toImportedValues(*inputs);
      auto better = onnx::importModel(shared, &context, options);
      if (better || !imported) {
        llvm::consumeError(imported.takeError());
        imported = std::move(better);
      } else {
        llvm::consumeError(better.takeError());
      }
    }
    if (!imported)
      return cannotCompile(llvm::toString(imported.takeError()));
    program.weights =
        std::make_shared<ImportedWeights>(shared, std::move(imported->weights));
    return std::move(imported->module);
  };
  return importApart(path, diagnostics, import);
}

/// The program of a portable artifact of StableHLO, or of its text, as
/// bytecode.
static llvm::Expected<ProgramBytes>
importFromArtifact(llvm::MemoryBufferRef artifact,
                   const DiagnosticSink &diagnostics) {
  StringRef path = artifact.getBufferIdentifier();
  auto import = [&](MLIRContext &context,
                    ProgramBytes &) -> llvm::Expected<OwningOpRef<ModuleOp>> {
    auto module = stablehlo::importArtifact(artifact, &context);
    if (!module)
      return cannotCompile("'" + path +
                           "': " + llvm::toString(module.takeError()));
    return module;
  };
  return importApart(path, diagnostics, import);
}

llvm::Expected<ProgramBytes>
mlir::symshape::takeProgram(std::unique_ptr<llvm::MemoryBuffer> bytes,
                            const FirstInputs &firstInputs,
                            const DiagnosticSink &diagnostics) {
  std::string path = bytes->getBufferIdentifier().str();
  if (pytorch::isExportedProgram(*bytes)) {
    static const OnnxOps ops = onnx::Registry::standardAnd(pytorch::addOps);
    return importFrom(pytorch::readExportedProgram(std::move(bytes), path),
                      path, firstInputs, diagnostics, ops);
  }
  StringRef artifact = stablehlo::findArtifact(bytes->getBuffer());
  if (artifact.empty() && stablehlo::isText(bytes->getBuffer()))
    artifact = bytes->getBuffer();
  if (!artifact.empty())
    return importFromArtifact({artifact, bytes->getBufferIdentifier()},
                              diagnostics);
  return ProgramBytes{std::move(bytes), nullptr};
}

llvm::Expected<ProgramBytes> mlir::symshape::importProgram(
    std::shared_ptr<llvm::MemoryBuffer> bytes, const FirstInputs &firstInputs,
    const DiagnosticSink &diagnostics, const OnnxOps &ops) {
  std::string path = bytes->getBufferIdentifier().str();
  return importFrom(onnx::Model::parse(std::move(bytes), path), path,
                    firstInputs, diagnostics, ops);
}

llvm::Expected<ProgramBytes>
mlir::symshape::readProgram(StringRef path, const FirstInputs &firstInputs,
                            const DiagnosticSink &diagnostics,
                            const OnnxOps &ops) {
  if (onnx::isModelPath(path))
    return importFrom(onnx::Model::read(path), path, firstInputs, diagnostics,
                      ops);
  auto file = readPlainFileOrInput(path);
  if (!file)
    return makeInputError("cannot read '" + path +
                          "': " + llvm::toString(file.takeError()));
  StringRef bytes = (*file)->getBuffer(), kind = nameKindForeignToMLIR(bytes);
  if (!kind.empty() && !pytorch::isExportedProgram(**file) &&
      stablehlo::findArtifact(bytes).empty())
    return cannotCompile("expected text or bytecode of MLIR, or a model that "
                         "ends in .onnx or .pt2, but '" +
                         path + "' is " + kind);
  return takeProgram(std::move(*file), firstInputs, diagnostics);
}
