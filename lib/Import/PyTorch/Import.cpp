//===- Import.cpp - From an exported program to a model -------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The model keeps the JSON and all texts that were made of it.
//
//===----------------------------------------------------------------------===//

#include "symshape/Import/PyTorch/Import.h"
#include "Translator.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir::symshape;
using namespace mlir::symshape::pytorch;
using llvm::StringRef;

bool mlir::symshape::pytorch::isExportedProgram(llvm::MemoryBufferRef file) {
  StringRef bytes = file.getBuffer();
  if (!bytes.starts_with("PK\3\4"))
    return false;
  // The list of files is at the end; what is in it says what the archive is.
  constexpr size_t mostOfList = 1 << 20;
  StringRef list = bytes.take_back(mostOfList);
  return file.getBufferIdentifier().ends_with(".pt2") ||
         list.contains("archive_format") ||
         list.contains("serialized_exported_program.json");
}

llvm::Expected<onnx::Model> mlir::symshape::pytorch::readExportedProgram(
    std::shared_ptr<llvm::MemoryBuffer> bytes, StringRef path) {
  struct Kept {
    std::shared_ptr<Program> program;
    std::optional<GraphWriter> writer;
  };
  auto named = [&](llvm::Error error) {
    return llvm::createStringError("'" + path +
                                   "': " + llvm::toString(std::move(error)));
  };
  auto program = Program::read(bytes->getBuffer());
  if (!program)
    return named(program.takeError());
  onnx::Model model;
  model.file = std::move(bytes);
  model.path = path.str();
  model.irVersion = 10;
  model.opsets = {{"", 23}, {kDomain, 1}};
  auto kept = std::make_shared<Kept>();
  kept->program = *program;
  kept->writer.emplace(model.graph);
  model.owner = kept;
  if (llvm::Error error = Translator(*program, model, *kept->writer).run())
    return named(std::move(error));
  return model;
}
