//===- Program.cpp - Programs that C callers hold -------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Program.h"

using namespace mlir::symshape;
using namespace mlir::symshape::capi;

/// An error if a result has a rank that `symshape_tensor` cannot hold.
static llvm::Error checkRanks(const FunctionSignature &signature) {
  for (const ValueSignature &result : signature.results)
    if (result.getRank() > SYMSHAPE_MAX_RANK)
      return makeInputError("@" + signature.name + ": expected rank at most " +
                            llvm::Twine(SYMSHAPE_MAX_RANK) + " for " +
                            result.name + ", but got " + result.typeText);
  return llvm::Error::success();
}

llvm::Expected<symshape_program *> capi::makeProgram(ProgramSource source,
                                                     ReadOptions options,
                                                     double secondsToRead) {
  if (llvm::Error error = checkRanks(source.signature))
    return std::move(error);
  auto made = std::make_unique<symshape_program>();
  made->weights = options.weights ? options.weights : source.weights;
  if (!options.tensors.empty())
    made->weights =
        std::make_shared<GivenWeights>(options.tensors, made->weights);
  const WeightFile *weights = made->weights.get();
  if (llvm::Error error = checkWeights(source.signature, weights))
    return std::move(error);
  made->options = options;
  auto program = AdaptiveProgram::open(std::move(source),
                                       std::move(options.adaptive), weights);
  if (!program)
    return program.takeError();
  made->program = std::move(*program);
  made->times.parse = secondsToRead;
  if (const ProgramVariant *opened = made->program->getOpened()) {
    const CompileTimes &times = opened->program->getTimes();
    made->times = {secondsToRead + times.parse, times.passes, times.jit,
                   opened->bindSeconds};
  }
  if (made->options.adaptive.stateFolder.empty() && !made->options.adaptive.log)
    made->direct = made->program->getGeneral();
  return made.release();
}

llvm::Expected<std::shared_ptr<SharedInspector>>
symshape_program::inspect() const {
  std::lock_guard<std::mutex> lock(mutex);
  if (inspector)
    return inspector;
  auto opened = ProgramInspector::open(program->getSource(),
                                       options.adaptive.compile.diagnostics);
  if (!opened)
    return opened.takeError();
  inspector = std::make_shared<SharedInspector>();
  inspector->inspector = std::move(*opened);
  return inspector;
}
