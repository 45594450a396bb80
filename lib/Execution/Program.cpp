//===- Program.cpp - Weights, and calls with tensors ----------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Binds weights, and calls with tensors that own their memory. Not for: how
// generated code is entered (Invoke.cpp).
//
//===----------------------------------------------------------------------===//

#include "symshape/Execution/Program.h"
#include <chrono>
#ifdef __GLIBC__
#include <malloc.h>
#endif

using namespace mlir;
using namespace mlir::symshape;

BoundWeights::BoundWeights(BoundWeights &&other)
    : tensors(std::move(other.tensors)),
      descriptors(std::move(other.descriptors)),
      prepared(std::move(other.prepared)), onDevice(std::move(other.onDevice)),
      parameters(std::move(other.parameters)), packed(std::move(other.packed)),
      guardMode(other.guardMode) {
  other.prepared.clear();
  other.onDevice.clear();
}

BoundWeights::~BoundWeights() {
  // Two of them may share an allocation; once the first is freed, it is no
  // longer owned.
  for (const MemRefDescriptor &descriptor :
       llvm::concat<MemRefDescriptor>(prepared, onDevice))
    if (symshape_rt_owns(descriptor.getAllocated()))
      _mlir_memref_to_llvm_free(descriptor.getAllocated());
}

void Program::packWeights(BoundWeights &weights) const {
  size_t nextWeight = 0;
  for (const ValueSignature &argument : signature.arguments)
    weights.parameters.push_back(
        argument.weight ? weights.descriptors[nextWeight++].words.data()
                        : nullptr);
  for (const MemRefDescriptor &descriptor : weights.prepared)
    weights.parameters.push_back(descriptor.words.data());
  for (const int64_t *&parameter : weights.parameters)
    weights.packed.push_back(&parameter);
  nextWeight = 0;
  for (auto [i, argument] : llvm::enumerate(signature.arguments)) {
    if (!argument.weight)
      continue;
    TensorBuffer &tensor = weights.tensors[nextWeight++];
    if (!argument.isTensor) // a scalar is passed as it is
      weights.packed[i] = tensor.getData();
  }
}

/// The tensor for an argument that is a weight; without its elements, where it
/// is only to be checked and its type says enough for that.
static llvm::Expected<TensorBuffer>
findWeight(const FunctionSignature &signature, const ValueSignature &argument,
           const WeightFile *file, bool isOnlyChecked) {
  if (!file)
    return makeInputError("@" + signature.name + ": " + argument.name +
                          " is the weight '" + *argument.weight +
                          "', but no weights are given (--weights)");
  auto tensor = isOnlyChecked && !argument.valueBits
                    ? file->describe(*argument.weight)
                    : file->get(*argument.weight);
  if (!tensor)
    return makeInputError("@" + signature.name + ": " + argument.name + " (" +
                          argument.typeText +
                          "): " + llvm::toString(tensor.takeError()));
  if (llvm::Error error = signature.check(argument, *tensor))
    return makeInputError(llvm::toString(std::move(error)) + " in weight '" +
                          *argument.weight + "'");
  return tensor;
}

llvm::Error mlir::symshape::checkWeights(const FunctionSignature &signature,
                                         const WeightFile *file) {
  // A network has hundreds.
  constexpr unsigned mostMissing = 3;
  unsigned numMissing = 0;
  llvm::Error wrong = llvm::Error::success();
  for (const ValueSignature &argument : signature.arguments) {
    if (!argument.weight || (!file && ++numMissing > mostMissing))
      continue;
    auto tensor = findWeight(signature, argument, file, /*isOnlyChecked=*/true);
    if (!tensor)
      wrong = llvm::joinErrors(std::move(wrong), tensor.takeError());
  }
  if (numMissing > mostMissing)
    wrong = llvm::joinErrors(
        std::move(wrong),
        makeInputError("@" + signature.name + ": " +
                       std::to_string(numMissing - mostMissing) +
                       " more arguments are weights"));
  return wrong;
}

/// What the compiler and `prepare` have freed goes back to the system: a
/// program may live long and need little. Blocks that the runtime keeps for
/// later calls are of sizes that only `prepare` has asked for.
void Program::giveMemoryBack() {
  symshape_rt_trim();
#ifdef __GLIBC__
  malloc_trim(/*pad=*/0);
#endif
}

/// Whether something that was prepared is a part of `tensor`.
static bool isShared(const TensorBuffer &tensor,
                     llvm::ArrayRef<MemRefDescriptor> prepared) {
  const char *begin = tensor.getData(), *end = begin + tensor.getNumBytes();
  return llvm::any_of(prepared, [&](const MemRefDescriptor &one) {
    const auto *allocated = static_cast<const char *>(one.getAllocated());
    return (begin <= allocated && allocated <= end) ||
           (begin <= one.getAligned() && one.getAligned() <= end);
  });
}

/// Lets go of elements that calls do not read any more; a file may have them as
/// copies, where they are not aligned in it.
void Program::dropPrepared(BoundWeights &weights) const {
  if (weights.guardMode != SYMSHAPE_RT_GUARD_NONE)
    return;
  size_t weight = 0, next = 0;
  for (auto [i, argument] : llvm::enumerate(signature.arguments)) {
    if (!argument.weight)
      continue;
    size_t number = weight++;
    if (next == interface.onlyPrepared.size() ||
        interface.onlyPrepared[next] != i)
      continue;
    ++next;
    TensorBuffer &tensor = weights.tensors[number];
    if (isShared(tensor, weights.prepared))
      continue;
    llvm::SmallVector<int64_t> shape(tensor.getShape());
    // Whoever reads it all the same faults.
    tensor =
        TensorBuffer::view(tensor.getElementType(), shape, nullptr, nullptr);
    weights.descriptors[number] = MemRefDescriptor(tensor);
  }
}

llvm::Expected<BoundWeights>
Program::bindWeights(const WeightFile *file,
                     symshape_rt_guard_mode mode) const {
  if (!file)
    file = ownWeights.get();
  BoundWeights bound;
  bound.guardMode = mode;
  for (const ValueSignature &argument : signature.arguments) {
    if (!argument.weight)
      continue;
    auto tensor =
        findWeight(signature, argument, file, /*isOnlyChecked=*/false);
    if (!tensor)
      return tensor.takeError();
    if (mode != SYMSHAPE_RT_GUARD_NONE)
      tensor = tensor->copyGuarded(mode);
    if (!tensor)
      return tensor.takeError();
    bound.tensors.push_back(std::move(*tensor));
  }
  for (const TensorBuffer &tensor : bound.tensors)
    bound.descriptors.emplace_back(tensor);
  if (kernels)
    if (llvm::Error error = sendWeights(bound))
      return std::move(error);
  if (prepareFunction) {
    if (file) // of which some was copied
      file->releasePages();
    if (llvm::Error error = prepareWeights(bound))
      return std::move(error);
    if (file) // calls read what was prepared, and little of the rest
      file->releasePages();
    dropPrepared(bound);
  }
  packWeights(bound);
  giveMemoryBack();
  return bound;
}

/// A tensor over a result, which it owns.
static TensorBuffer adopt(const MemRefDescriptor &result, ElementType type) {
  std::shared_ptr<void> owner(result.getAllocated(), _mlir_memref_to_llvm_free);
  return TensorBuffer::view(type, result.getShape(), result.getAligned(),
                            std::move(owner));
}

llvm::Expected<std::vector<TensorBuffer>>
Program::copyDonated(llvm::ArrayRef<TensorBuffer> inputs,
                     llvm::MutableArrayRef<TensorView> views,
                     symshape_rt_guard_mode mode) const {
  std::vector<TensorBuffer> copies;
  if (!hasDonations || views.size() != inputIndices.size())
    return copies;
  for (size_t i = 0; i < views.size(); ++i) {
    if (!signature.arguments[inputIndices[i]].donatedTo)
      continue;
    auto copy = inputs[i].copyGuarded(mode);
    if (!copy)
      return copy.takeError();
    views[i].data = copy->getData();
    copies.push_back(std::move(*copy));
  }
  return copies;
}

llvm::Expected<CallResults> Program::call(const BoundWeights &weights,
                                          llvm::ArrayRef<TensorBuffer> inputs,
                                          unsigned repeat) const {
  std::vector<TensorBuffer> guarded;
  if (weights.guardMode != SYMSHAPE_RT_GUARD_NONE) {
    for (const TensorBuffer &input : inputs) {
      auto copy = input.copyGuarded(weights.guardMode);
      if (!copy)
        return copy.takeError();
      guarded.push_back(std::move(*copy));
    }
    inputs = guarded;
  }
  llvm::SmallVector<TensorView> views(inputs.begin(), inputs.end());
  CallResults results;
  for (unsigned i = 0; i < repeat; ++i) {
    results.tensors.clear();
    auto donated = copyDonated(inputs, views, weights.guardMode);
    if (!donated)
      return donated.takeError();
    llvm::SmallVector<MemRefDescriptor, 2> returned;
    auto begin = std::chrono::steady_clock::now();
    if (llvm::Error error = invoke(weights, views, returned))
      return std::move(error);
    results.seconds.push_back(
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin)
            .count());
    for (auto [descriptor, result] : llvm::zip(returned, signature.results)) {
      auto isThere = [data =
                          descriptor.getAligned()](const TensorBuffer &copy) {
        return copy.getData() == data;
      };
      results.tensors.push_back(descriptor.getAllocated()
                                    ? adopt(descriptor, result.type)
                                    : *llvm::find_if(*donated, isThere));
    }
  }
  return results;
}
