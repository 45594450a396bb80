//===- CheckCalls.cpp - What is wrong before anything is compiled ---------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Inputs and outputs of calls beside the signature of the program: their
// count, types, and whether files can be read and written.
//
//===----------------------------------------------------------------------===//

#include "symshape/Execution/CheckCalls.h"
#include "symshape/Execution/Npy.h"
#include "symshape/Execution/Status.h"
#include "symshape/Process/Files.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace mlir::symshape;

std::string mlir::symshape::makeOutputPath(llvm::StringRef pattern,
                                           size_t call) {
  llvm::SmallVector<llvm::StringRef> parts;
  pattern.split(parts, "{call}");
  return llvm::join(parts, std::to_string(call));
}

/// Outputs that results cannot be written to, whatever the call.
static llvm::Error checkOutputs(const FunctionSignature &signature,
                                llvm::ArrayRef<std::string> outputs) {
  if (outputs.size() > signature.results.size())
    return makeInputError("@" + signature.name + ": expected at most " +
                          llvm::Twine(signature.results.size()) +
                          " outputs, but got " + llvm::Twine(outputs.size()));
  return llvm::Error::success();
}

/// Inputs that cannot be read, or do not fit. Files in `written` need not exist
/// yet.
static llvm::Error checkInputs(const FunctionSignature &signature,
                               const CallSpec &call,
                               const llvm::StringSet<> &written) {
  llvm::Error wrong = llvm::Error::success();
  std::vector<std::optional<TensorBuffer>> inputs;
  for (const InputSpec &spec : call) {
    inputs.emplace_back();
    if (written.contains(spec.getPath()))
      continue;
    auto input = spec.loadType();
    if (input)
      inputs.back() = std::move(*input);
    else
      wrong = llvm::joinErrors(std::move(wrong), input.takeError());
  }
  return llvm::joinErrors(std::move(wrong), signature.checkInputs(inputs));
}

llvm::Error mlir::symshape::checkCalls(const FunctionSignature &signature,
                                       llvm::ArrayRef<CallSpec> calls,
                                       llvm::ArrayRef<std::string> outputs) {
  llvm::Error wrong = checkOutputs(signature, outputs);
  llvm::StringSet<> written;
  for (auto [number, call] : llvm::enumerate(calls)) {
    std::string where =
        calls.size() > 1 ? ", in call " + std::to_string(number) : "";
    llvm::Error ofCall = checkInputs(signature, call, written);
    for (llvm::StringRef output : outputs) {
      std::string path = makeOutputPath(output, number);
      ofCall = llvm::joinErrors(std::move(ofCall),
                                toInputError(checkWritable(path)));
      written.insert(path);
    }
    auto add = [&](const RunError &e) {
      return makeRunError(e.getStatus(), e.getMessage() + where);
    };
    wrong = llvm::joinErrors(std::move(wrong),
                             llvm::handleErrors(std::move(ofCall), add));
  }
  return wrong;
}
