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
  llvm::Error wrong = llvm::Error::success();
  for (llvm::StringRef text : specs) {
    auto spec = InputSpec::parse(text);
    if (spec)
      call.push_back(std::move(*spec));
    else
      wrong = llvm::joinErrors(std::move(wrong), spec.takeError());
  }
  if (wrong)
    return std::move(wrong);
  return call;
}

llvm::Expected<std::vector<CallSpec>>
mlir::symshape::readCallsFile(llvm::StringRef path) {
  auto file = llvm::MemoryBuffer::getFileOrSTDIN(path, /*IsText=*/true);
  if (!file)
    return makeInputError("cannot read '" + path +
                          "': " + file.getError().message());
  return parseCalls((*file)->getBuffer(), path);
}

llvm::Expected<std::vector<CallSpec>>
mlir::symshape::parseCalls(llvm::StringRef text, llvm::StringRef name) {
  llvm::SmallVector<llvm::StringRef> lines;
  text.split(lines, '\n');
  std::vector<CallSpec> calls;
  llvm::Error wrong = llvm::Error::success();
  for (auto [number, line] : llvm::enumerate(lines)) {
    llvm::SmallVector<llvm::StringRef> words;
    llvm::SplitString(line, words);
    if (words.empty())
      continue;
    auto call = parseCall(words);
    if (call) {
      calls.push_back(std::move(*call));
      continue;
    }
    auto inLine = [&, line = number + 1](const RunError &e) {
      return makeInputError(name + ":" + llvm::Twine(line) + ": " +
                            e.getMessage());
    };
    wrong = llvm::joinErrors(std::move(wrong),
                             llvm::handleErrors(call.takeError(), inLine));
  }
  if (wrong)
    return std::move(wrong);
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
