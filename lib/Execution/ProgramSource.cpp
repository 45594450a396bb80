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

std::vector<std::string> mlir::symshape::readInputNames(StringRef path) {
  std::vector<std::string> names;
  if (!onnx::isModelPath(path))
    return names;
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

llvm::Expected<ProgramSource>
ProgramSource::read(StringRef path, StringRef entry,
                    const FirstInputs &firstInputs) {
  auto program = readProgram(path, firstInputs);
  if (!program)
    return program.takeError();
  ProgramSource source;
  source.bytes = std::move(program->bytes);
  source.weights = std::move(program->weights);
  llvm::Error error = runRecovering(path, [&]() -> llvm::Error {
    SourceFile file;
    if (llvm::Error error = file.parse(*source.bytes, entry))
      return error;
    auto signature = file.readSignature();
    if (!signature)
      return signature.takeError();
    source.signature = std::move(*signature);
    source.dims = file.readDims();
    return llvm::Error::success();
  });
  if (error)
    return std::move(error);
  return source;
}
