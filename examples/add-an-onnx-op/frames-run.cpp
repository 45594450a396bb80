//===- frames-run.cpp - Runs models that have the op ----------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   frames-run MODEL.onnx SPEC...
//
// An input is written as for symshape-run: `11xf32=iota`, or `@signal.npy`.
//
//===----------------------------------------------------------------------===//

#include "FramesOp.h"
#include "symshape/Execution/InputSpec.h"
#include "symshape/Execution/Program.h"

using namespace mlir::symshape;

static llvm::Error run(const char *model, llvm::ArrayRef<const char *> specs) {
  CompileOptions options;
  options.onnxOps = onnx::Registry::standardAnd(audio::addFramesOp);
  auto program = Program::compile(model, options);
  if (!program)
    return program.takeError();
  auto weights = (*program)->bindWeights(/*file=*/nullptr);
  if (!weights)
    return weights.takeError();
  std::vector<TensorBuffer> inputs;
  for (const char *text : specs) {
    auto spec = InputSpec::parse(text);
    if (!spec)
      return spec.takeError();
    auto tensor = spec->load();
    if (!tensor)
      return tensor.takeError();
    inputs.push_back(std::move(*tensor));
  }
  auto results = (*program)->call(*weights, inputs);
  if (!results)
    return results.takeError();
  for (const TensorBuffer &result : results->tensors) {
    printTensor(llvm::outs(), result);
    llvm::outs() << '\n';
  }
  return llvm::Error::success();
}

int main(int argc, char **argv) {
  if (argc < 2) {
    llvm::errs() << "usage: frames-run MODEL.onnx SPEC...\n";
    return 2;
  }
  llvm::Error error = run(argv[1], llvm::ArrayRef(argv + 2, argc - 2));
  if (!error)
    return 0;
  int status = 0;
  llvm::handleAllErrors(std::move(error), [&](const RunError &failed) {
    llvm::errs() << "error: " << failed.getMessage() << '\n';
    status = static_cast<int>(failed.getStatus());
  });
  return status;
}
