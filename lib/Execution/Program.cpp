//===- Program.cpp - Calls of compiled functions --------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Packs tensors into what the C interface of generated code takes, calls under
// the runtime, and copies results out.
//
//===----------------------------------------------------------------------===//

#include "symshape/Execution/Program.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/MathExtras.h"
#include <chrono>
#include <cstring>

using namespace mlir;
using namespace mlir::symshape;

MemRefDescriptor::MemRefDescriptor(const TensorBuffer &tensor)
    : MemRefDescriptor(tensor.getShape().size()) {
  words[0] = words[1] = reinterpret_cast<intptr_t>(tensor.getData());
  llvm::ArrayRef<int64_t> shape = tensor.getShape();
  int64_t stride = 1;
  for (size_t i = shape.size(); i-- > 0;) {
    words[3 + i] = shape[i];
    words[3 + shape.size() + i] = stride;
    // With a zero extent no stride is ever used; the product may overflow.
    stride = llvm::SaturatingMultiply<uint64_t>(stride, shape[i]) &
             std::numeric_limits<int64_t>::max();
  }
}

/// Sets the guard mode of the runtime as long as it lives.
namespace {
struct GuardModeScope {
  explicit GuardModeScope(symshape_rt_guard_mode mode) {
    symshape_rt_set_guard_mode(mode);
  }
  ~GuardModeScope() { symshape_rt_set_guard_mode(SYMSHAPE_RT_GUARD_NONE); }
};

/// A packed call and what became of it.
struct PackedCall {
  JitModule::PackedFunction function;
  void **arguments;
};

/// Memory for the results of a C interface: a struct of descriptors and scalars
/// with C layout, or one scalar.
class ResultStorage {
public:
  /// Appends a field of `bytes` bytes; returns its offset.
  size_t addField(size_t bytes, size_t alignment) {
    size_t offset = llvm::alignTo(size, alignment);
    size = offset + bytes;
    return offset;
  }
  char *allocate() {
    memory.assign(size / 8 + 1, 0);
    return reinterpret_cast<char *>(memory.data());
  }

private:
  size_t size = 0;
  std::vector<uint64_t> memory;
};
} // namespace

static llvm::Error runPacked(PackedCall call) {
  int status = 0;
  auto body = [](void *argument) {
    auto *call = static_cast<PackedCall *>(argument);
    call->function(call->arguments);
  };
  llvm::CrashRecoveryContext recovery;
  bool finished =
      recovery.RunSafely([&]() { status = symshape_rt_call(body, &call); });
  if (!finished)
    return makeRunError(RunStatus::Internal,
                        "internal error: compiled code accessed memory out of "
                        "bounds, or trapped");
  if (status)
    return makeRunError(RunStatus::GuardFailed, symshape_rt_last_message());
  return llvm::Error::success();
}

/// Frees what a result holds, unless it is a constant or an argument. Results
/// may share an allocation; the first that is freed is then no longer owned.
static void freeResult(const MemRefDescriptor &descriptor) {
  if (symshape_rt_owns(descriptor.getAllocated()))
    _mlir_memref_to_llvm_free(descriptor.getAllocated());
}

static MemRefDescriptor readDescriptor(const char *data, unsigned rank) {
  MemRefDescriptor descriptor(rank);
  std::memcpy(descriptor.words.data(), data, descriptor.words.size() * 8);
  return descriptor;
}

/// Copies a strided result to a tensor.
static llvm::Expected<TensorBuffer> copyOut(const MemRefDescriptor &descriptor,
                                            ElementType type) {
  llvm::ArrayRef<int64_t> shape = descriptor.getShape();
  llvm::ArrayRef<int64_t> strides = descriptor.getStrides();
  auto tensor = TensorBuffer::allocate(type, shape);
  if (!tensor || !tensor->getNumElements())
    return tensor;
  int64_t size = type.getBytes();
  const char *source = descriptor.getAligned() + descriptor.getOffset() * size;
  char *target = tensor->getData();
  int64_t count = tensor->getNumElements(), dense = 1;
  bool isDense = true;
  for (size_t i = shape.size(); i-- > 0; dense *= shape[i])
    isDense &= shape[i] == 1 || strides[i] == dense;
  if (isDense) {
    std::memcpy(target, source, count * size);
    return tensor;
  }
  llvm::SmallVector<int64_t, 4> position(shape.size(), 0);
  for (int64_t i = 0; i < count; ++i, target += size) {
    std::memcpy(target, source, size);
    for (size_t dim = shape.size(); dim-- > 0;) {
      source += strides[dim] * size;
      if (++position[dim] < shape[dim])
        break;
      source -= strides[dim] * size * shape[dim];
      position[dim] = 0;
    }
  }
  return tensor;
}

BoundWeights::BoundWeights(BoundWeights &&other)
    : tensors(std::move(other.tensors)), prepared(std::move(other.prepared)),
      guardMode(other.guardMode) {
  other.prepared.clear();
}

BoundWeights::~BoundWeights() {
  for (const MemRefDescriptor &descriptor : prepared)
    freeResult(descriptor);
}

llvm::Expected<BoundWeights>
Program::bindWeights(const SafeTensors *file,
                     symshape_rt_guard_mode mode) const {
  BoundWeights bound;
  bound.guardMode = mode;
  for (const ValueSignature &argument : signature.arguments) {
    if (!argument.weight)
      continue;
    if (!file)
      return makeInputError("@" + signature.name + ": " + argument.name +
                            " is the weight '" + *argument.weight +
                            "', but there is no weight file");
    auto tensor = file->get(*argument.weight);
    if (!tensor)
      return makeInputError("@" + signature.name + ": " + argument.name + " (" +
                            argument.typeText +
                            "): " + llvm::toString(tensor.takeError()));
    if (llvm::Error error = signature.check(argument, *tensor))
      return makeInputError(llvm::toString(std::move(error)) + " in weight '" +
                            *argument.weight + "'");
    if (mode != SYMSHAPE_RT_GUARD_NONE)
      tensor = tensor->copyGuarded(mode);
    if (!tensor)
      return tensor.takeError();
    bound.tensors.push_back(std::move(*tensor));
  }
  if (!prepareFunction)
    return bound;

  std::vector<MemRefDescriptor> descriptors;
  for (const TensorBuffer &tensor : bound.tensors)
    descriptors.emplace_back(tensor);
  std::vector<void *> pointers;
  for (MemRefDescriptor &descriptor : descriptors)
    pointers.push_back(descriptor.words.data());
  ResultStorage storage;
  std::vector<size_t> offsets;
  for (unsigned rank : preparedRanks)
    offsets.push_back(storage.addField(8 * (3 + 2 * rank), 8));
  char *memory = storage.allocate();
  std::vector<void *> packed{&memory};
  for (void *&pointer : pointers)
    packed.push_back(&pointer);
  GuardModeScope scope(mode);
  if (llvm::Error error = runPacked({prepareFunction, packed.data()}))
    return std::move(error);
  for (auto [offset, rank] : llvm::zip(offsets, preparedRanks))
    bound.prepared.push_back(readDescriptor(memory + offset, rank));
  return bound;
}

llvm::Expected<CallResults> Program::call(const BoundWeights &weights,
                                          llvm::ArrayRef<TensorBuffer> inputs,
                                          unsigned repeat) const {
  // The arguments: inputs and weights in their places.
  std::vector<TensorBuffer> arguments;
  size_t nextInput = 0, nextWeight = 0, numInputs = 0;
  for (const ValueSignature &argument : signature.arguments)
    numInputs += !argument.weight;
  if (inputs.size() != numInputs)
    return makeInputError("@" + signature.name + ": expected " +
                          llvm::Twine(numInputs) + " inputs, but got " +
                          llvm::Twine(inputs.size()));
  // A wrong type of any argument is reported before a wrong extent.
  llvm::Error wrongExtent = llvm::Error::success();
  for (const ValueSignature &argument : signature.arguments) {
    if (argument.weight) {
      arguments.push_back(weights.tensors[nextWeight++]);
      continue;
    }
    const TensorBuffer &input = inputs[nextInput++];
    if (llvm::Error error = signature.check(argument, input)) {
      bool isExtent = false;
      error = llvm::handleErrors(
          std::move(error), [&](std::unique_ptr<RunError> e) -> llvm::Error {
            isExtent = e->getStatus() == RunStatus::GuardFailed;
            return llvm::Error(std::move(e));
          });
      if (!isExtent) {
        llvm::consumeError(std::move(wrongExtent));
        return std::move(error);
      }
      if (wrongExtent)
        llvm::consumeError(std::move(error));
      else
        wrongExtent = std::move(error);
    }
    auto guarded = weights.guardMode == SYMSHAPE_RT_GUARD_NONE
                       ? llvm::Expected<TensorBuffer>(input)
                       : input.copyGuarded(weights.guardMode);
    if (!guarded) {
      llvm::consumeError(std::move(wrongExtent));
      return guarded.takeError();
    }
    arguments.push_back(std::move(*guarded));
  }
  if (wrongExtent)
    return std::move(wrongExtent);
  return callPacked(weights, arguments, repeat);
}

llvm::Expected<CallResults>
Program::callPacked(const BoundWeights &weights,
                    llvm::ArrayRef<TensorBuffer> arguments,
                    unsigned repeat) const {
  // Tensors are passed as pointers to descriptors, scalars as they are; the
  // packed array holds pointers to either.
  std::vector<MemRefDescriptor> descriptors;
  for (const TensorBuffer &argument : arguments)
    descriptors.emplace_back(argument);
  descriptors.insert(descriptors.end(), weights.prepared.begin(),
                     weights.prepared.end());
  std::vector<void *> pointers;
  for (MemRefDescriptor &descriptor : descriptors)
    pointers.push_back(descriptor.words.data());

  ResultStorage storage;
  std::vector<size_t> offsets;
  for (const ValueSignature &result : signature.results)
    offsets.push_back(
        result.isTensor
            ? storage.addField(8 * (3 + 2 * result.getRank()), 8)
            : storage.addField(result.type.getBytes(), result.type.getBytes()));
  char *memory = storage.allocate();
  bool isStruct =
      signature.results.size() > 1 ||
      (signature.results.size() == 1 && signature.results.front().isTensor);
  std::vector<void *> packed;
  if (isStruct)
    packed.push_back(&memory);
  for (size_t i = 0; i < pointers.size(); ++i) {
    bool isScalar = i < arguments.size() && !signature.arguments[i].isTensor;
    packed.push_back(isScalar ? const_cast<char *>(arguments[i].getData())
                              : static_cast<void *>(&pointers[i]));
  }
  if (!isStruct && !signature.results.empty())
    packed.push_back(memory);

  CallResults results;
  GuardModeScope scope(weights.guardMode);
  for (unsigned i = 0; i < repeat; ++i) {
    auto begin = std::chrono::steady_clock::now();
    if (llvm::Error error = runPacked({entryFunction, packed.data()}))
      return std::move(error);
    results.seconds.push_back(
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin)
            .count());
    if (llvm::Error error = takeResults(weights, memory, offsets,
                                        i + 1 == repeat, results.tensors))
      return std::move(error);
  }
  return results;
}

llvm::Error Program::takeResults(const BoundWeights &weights,
                                 const char *memory,
                                 llvm::ArrayRef<size_t> offsets, bool copy,
                                 std::vector<TensorBuffer> &tensors) const {
  llvm::Error failure = llvm::Error::success();
  std::vector<MemRefDescriptor> owned;
  for (auto [offset, result] : llvm::zip(offsets, signature.results)) {
    const char *field = memory + offset;
    if (result.isTensor)
      owned.push_back(readDescriptor(field, result.getRank()));
    if (!copy)
      continue;
    llvm::Expected<TensorBuffer> tensor =
        result.isTensor ? copyOut(owned.back(), result.type)
                        : TensorBuffer::allocate(result.type, {});
    if (!tensor) {
      failure = llvm::joinErrors(std::move(failure), tensor.takeError());
      continue;
    }
    if (!result.isTensor)
      std::memcpy(tensor->getData(), field, result.type.getBytes());
    tensors.push_back(std::move(*tensor));
  }
  for (const MemRefDescriptor &descriptor : owned)
    if (llvm::none_of(weights.prepared, [&](const MemRefDescriptor &kept) {
          return kept.getAllocated() == descriptor.getAllocated();
        }))
      freeResult(descriptor);
  return failure;
}
