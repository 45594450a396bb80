//===- ProgramSource.cpp - A program before it is compiled ----------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "symshape/Execution/ProgramSource.h"
#include "ProgramBytes.h"
#include "SourceFile.h"
#include "symshape/Import/ONNX/Model.h"

using namespace mlir;
using namespace mlir::symshape;

std::vector<std::string> mlir::symshape::readInputNames(StringRef path,
                                                        StringRef entry) {
  std::vector<std::string> names;
  if (path == "-")
    return names; // can be read once
  if (!onnx::isModelPath(path)) {
    // What is wrong is reported when it is read to be run.
    auto source = ProgramSource::read(path, entry, nullptr,
                                      [](const ProgramDiagnostic &) {});
    if (!source) {
      llvm::consumeError(source.takeError());
      return names;
    }
    return source->signature.getInputNames();
  }
  auto model = onnx::Model::read(path);
  if (!model) {
    llvm::consumeError(model.takeError()); // reported when it is read to be run
    return names;
  }
  for (const onnx::ValueInfo *input : model->getInputs())
    names.push_back(input->name.str());
  return names;
}

llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
mlir::symshape::readProgramBytes(StringRef path) {
  auto program = readProgram(path, nullptr);
  if (!program)
    return program.takeError();
  return std::move(program->bytes);
}

/// Reads what the entry exchanges.
static llvm::Expected<ProgramSource>
readSource(llvm::Expected<ProgramBytes> program, StringRef entry,
           const DiagnosticSink &diagnostics) {
  if (!program)
    return program.takeError();
  ProgramSource source;
  source.bytes = std::move(program->bytes);
  source.weights = std::move(program->weights);
  StringRef name = source.bytes->getBufferIdentifier();
  llvm::Error error = runRecovering(name, [&]() -> llvm::Error {
    SourceFile file(diagnostics);
    if (llvm::Error error = file.parse(*source.bytes, entry))
      return error;
    auto signature = file.readSignature();
    if (!signature)
      return signature.takeError();
    source.signature = std::move(*signature);
    source.dims = file.readDims();
    source.work = file.estimateWork();
    return llvm::Error::success();
  });
  if (error)
    return std::move(error);
  return source;
}

llvm::Expected<ProgramSource>
ProgramSource::read(StringRef path, StringRef entry,
                    const FirstInputs &firstInputs,
                    const DiagnosticSink &diagnostics, const OnnxOps &ops) {
  return readSource(readProgram(path, firstInputs, diagnostics, ops), entry,
                    diagnostics);
}

llvm::Expected<ProgramSource>
ProgramSource::parse(std::unique_ptr<llvm::MemoryBuffer> bytes, bool isModel,
                     StringRef entry, const FirstInputs &firstInputs,
                     const DiagnosticSink &diagnostics, const OnnxOps &ops) {
  if (isModel)
    return readSource(
        importProgram(std::move(bytes), firstInputs, diagnostics, ops), entry,
        diagnostics);
  return readSource(takeProgram(std::move(bytes), firstInputs, diagnostics),
                    entry, diagnostics);
}

std::vector<int64_t>
ProgramSource::getDims(llvm::ArrayRef<TensorView> inputs) const {
  llvm::SmallVector<const TensorView *> byArgument;
  const TensorView *next = inputs.begin();
  for (const ValueSignature &argument : signature.arguments)
    byArgument.push_back(argument.weight ? nullptr : next++);
  std::vector<int64_t> extents;
  for (const DynamicDim &dim : dims) {
    const TensorView *input = byArgument[dim.argument];
    extents.push_back(input ? input->shape[dim.dim] : -1);
  }
  return extents;
}
