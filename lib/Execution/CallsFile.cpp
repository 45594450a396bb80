//===- CallsFile.cpp - Calls as written by the user -----------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "symshape/Execution/CallsFile.h"
#include "symshape/Execution/Status.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir::symshape;

llvm::Expected<CallSpec>
mlir::symshape::parseCall(llvm::ArrayRef<llvm::StringRef> specs) {
  CallSpec call;
  for (llvm::StringRef text : specs) {
    auto spec = InputSpec::parse(text);
    if (!spec)
      return spec.takeError();
    call.push_back(std::move(*spec));
  }
  return call;
}

llvm::Expected<std::vector<CallSpec>>
mlir::symshape::readCallsFile(llvm::StringRef path) {
  auto file = llvm::MemoryBuffer::getFileOrSTDIN(path, /*IsText=*/true);
  if (!file)
    return makeInputError("cannot read '" + path +
                          "': " + file.getError().message());
  llvm::SmallVector<llvm::StringRef> lines;
  (*file)->getBuffer().split(lines, '\n');
  std::vector<CallSpec> calls;
  for (auto [number, line] : llvm::enumerate(lines)) {
    llvm::SmallVector<llvm::StringRef> words;
    llvm::SplitString(line, words);
    if (words.empty())
      continue;
    auto call = parseCall(words);
    if (!call)
      return makeInputError(path + ":" + llvm::Twine(number + 1) + ": " +
                            llvm::toString(call.takeError()));
    calls.push_back(std::move(*call));
  }
  return calls;
}

llvm::Expected<std::vector<TensorBuffer>>
mlir::symshape::loadInputs(const CallSpec &call) {
  std::vector<TensorBuffer> inputs;
  for (const InputSpec &spec : call) {
    auto input = spec.load();
    if (!input)
      return input.takeError();
    inputs.push_back(std::move(*input));
  }
  return inputs;
}
