//===- Choice.cpp - What an entry decides before it runs ------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Calls `@ENTRY.guard` and `@ENTRY.version`, functions of the dynamic dims of
// the arguments, beside the entry, which calls them as well. For what is
// printed about a call, not for making calls.
//
//===----------------------------------------------------------------------===//

#include "symshape/Execution/Program.h"
#include <chrono>

using namespace mlir;
using namespace mlir::symshape;

/// How often the checks are evaluated to time them, since once is shorter than
/// a clock resolves.
static constexpr int numEvaluations = 256;

/// Appends the extents of `shape` that are dynamic in `value`.
static void appendDynamic(const ValueSignature &value,
                          llvm::ArrayRef<int64_t> shape,
                          llvm::SmallVectorImpl<int64_t> &dims) {
  for (auto [declared, extent] : llvm::zip_equal(value.shape, shape))
    if (declared < 0)
      dims.push_back(extent);
}

llvm::SmallVector<int64_t, 16>
Program::collectDims(const BoundWeights &weights,
                     llvm::ArrayRef<TensorView> inputs) const {
  llvm::SmallVector<int64_t, 16> dims;
  size_t nextWeight = 0, nextInput = 0;
  for (const ValueSignature &argument : signature.arguments)
    appendDynamic(argument,
                  argument.weight ? weights.tensors[nextWeight++].getShape()
                                  : inputs[nextInput++].shape,
                  dims);
  return dims;
}

bool Program::accepts(const BoundWeights &weights,
                      llvm::ArrayRef<TensorView> inputs) const {
  int32_t verdict = -1;
  if (!guardFunction)
    return true;
  llvm::SmallVector<int64_t, 16> dims = collectDims(weights, inputs);
  llvm::SmallVector<void *, 17> packed;
  for (int64_t &dim : dims)
    packed.push_back(&dim);
  packed.push_back(&verdict);
  guardFunction(packed.data());
  return verdict < 0;
}

EntryChoice Program::choose(const BoundWeights &weights,
                            llvm::ArrayRef<TensorView> inputs) const {
  llvm::SmallVector<int64_t, 16> dims = collectDims(weights, inputs);
  llvm::SmallVector<void *, 17> packed;
  for (int64_t &dim : dims)
    packed.push_back(&dim);
  int32_t verdict = -1, version = 0;
  packed.push_back(nullptr);
  auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < numEvaluations; ++i) {
    if (guardFunction) {
      packed.back() = &verdict;
      guardFunction(packed.data());
    }
    if (versionFunction) {
      packed.back() = &version;
      versionFunction(packed.data());
    }
  }
  std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
  llvm::ArrayRef<std::string> names = interface.versionNames;
  assert((names.empty() || size_t(version) < names.size()) &&
         "a version has a name");
  return {names.empty() ? "default" : llvm::StringRef(names[version]),
          time.count() / numEvaluations};
}
