//===- Invoke.cpp - Calls of compiled functions ---------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Packs tensors into what the C interface of generated code takes, calls under
// the runtime, and takes over results. A valid call costs no allocation here:
// kernels of a microsecond are called through it.
//
//===----------------------------------------------------------------------===//

#include "symshape/Execution/Program.h"
#include "symshape/Process/Crashes.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/MathExtras.h"
#include <cstring>

using namespace mlir;
using namespace mlir::symshape;

MemRefDescriptor::MemRefDescriptor(TensorView tensor)
    : MemRefDescriptor(tensor.shape.size()) {
  words[0] = words[1] = reinterpret_cast<intptr_t>(tensor.data);
  llvm::ArrayRef<int64_t> shape = tensor.shape;
  llvm::copy(shape, words.begin() + 3);
  if (tensor.strides.empty())
    llvm::copy(rowMajorStrides(shape), words.begin() + 3 + shape.size());
  else
    llvm::copy(tensor.strides, words.begin() + 3 + shape.size());
}

void MemRefDescriptor::startAt(int64_t offset, ElementType type) {
  words[0] = words[1] -= offset * type.getBytes();
  words[2] = offset;
}

namespace {
/// Sets guard mode and threads of the runtime while it lives.
struct CallSettings {
  CallSettings(symshape_rt_guard_mode mode, int64_t threads)
      : guarded(mode != SYMSHAPE_RT_GUARD_NONE) {
    if (guarded)
      symshape_rt_set_guard_mode(mode);
    symshape_rt_set_threads(threads);
  }
  ~CallSettings() {
    if (guarded)
      symshape_rt_set_guard_mode(SYMSHAPE_RT_GUARD_NONE);
    symshape_rt_set_threads(1);
  }
  bool guarded;
};

/// A packed call.
struct PackedCall {
  JitModule::PackedFunction function;
  void **arguments;
};

/// A result to be copied to a new block.
struct CopyRequest {
  int64_t elementBytes, bytes;
  symshape_rt_unranked_memref source, target;
};
} // namespace

static constexpr char crash[] =
    "internal error: compiled code accessed memory out of bounds, or trapped";

/// Runs `body(argument)` under the runtime; a failed guard is an error.
static llvm::Error runChecked(void (*body)(void *), void *argument) {
  int status = 0;
  int64_t depth = symshape_rt_depth();
  CrashNote note(crash);
  llvm::CrashRecoveryContext recovery;
  bool finished =
      recovery.RunSafely([&]() { status = symshape_rt_call(body, argument); });
  if (!finished) {
    symshape_rt_abandon(depth);
    return makeRunError(RunStatus::Internal, crash);
  }
  if (status)
    return makeRunError(RunStatus::GuardFailed, symshape_rt_last_message());
  return llvm::Error::success();
}

llvm::Error Program::run(JitModule::PackedFunction function, void **arguments,
                         symshape_rt_guard_mode mode) const {
  PackedCall call{function, arguments};
  auto body = [](void *argument) {
    auto *call = static_cast<PackedCall *>(argument);
    call->function(call->arguments);
  };
  CallSettings settings(mode, threads);
  return runChecked(body, &call);
}

static MemRefDescriptor readDescriptor(const char *data, unsigned rank) {
  MemRefDescriptor descriptor(rank);
  std::memcpy(descriptor.words.data(), data, descriptor.words.size() * 8);
  return descriptor;
}

/// A row-major copy of a strided tensor, in a block of its own.
static llvm::Expected<MemRefDescriptor>
copyResult(const MemRefDescriptor &source, ElementType type) {
  std::optional<int64_t> bytes = checkedByteSize(type, source.getShape());
  if (!bytes)
    return makeInputError("expected a result of at most 2^47 bytes");
  MemRefDescriptor target(TensorView(type, source.getShape(), nullptr));
  CopyRequest request{
      type.getBytes(),
      *bytes,
      {source.getRank(), const_cast<int64_t *>(source.words.data())},
      {target.getRank(), target.words.data()}};
  auto body = [](void *argument) {
    auto *request = static_cast<CopyRequest *>(argument);
    auto *words = static_cast<int64_t *>(request->target.descriptor);
    words[0] = words[1] =
        reinterpret_cast<intptr_t>(_mlir_memref_to_llvm_alloc(request->bytes));
    symshape_rt_copy(request->elementBytes, &request->source, &request->target);
  };
  if (llvm::Error error = runChecked(body, &request))
    return std::move(error);
  return target;
}

size_t Program::ResultLayout::addField(size_t bytes, size_t alignment) {
  size_t offset = llvm::alignTo(size, alignment);
  size = offset + bytes;
  return offset;
}

void Program::layOutCalls() {
  for (auto [i, argument] : llvm::enumerate(signature.arguments))
    if (!argument.weight)
      inputIndices.push_back(i);
  hasDonations =
      llvm::any_of(signature.arguments, [](const ValueSignature &argument) {
        return argument.donatedTo;
      });
  llvm::ArrayRef<ValueSignature> results = signature.results;
  for (const ValueSignature &result : results) {
    size_t bytes = result.type.getBytes();
    resultLayout.offsets.push_back(
        result.isTensor
            ? resultLayout.addField(8 * (3 + 2 * result.getRank()), 8)
            : resultLayout.addField(bytes, bytes));
  }
  resultLayout.isStruct =
      results.size() > 1 || (results.size() == 1 && results.front().isTensor);
}

namespace {
/// A weight to be copied to the device.
struct SendRequest {
  const void *data;
  int64_t bytes, address;
};
} // namespace

llvm::Error Program::sendWeights(BoundWeights &weights) const {
  auto body = [](void *argument) {
    auto *request = static_cast<SendRequest *>(argument);
    request->address = symshape_gpu_send(request->data, request->bytes);
    symshape_gpu_finish(/*program=*/nullptr);
  };
  for (auto [tensor, descriptor] :
       llvm::zip_equal(weights.tensors, weights.descriptors)) {
    SendRequest request{tensor.getData(),
                        static_cast<int64_t>(tensor.getNumBytes()), 0};
    if (llvm::Error error = runChecked(body, &request))
      return error;
    descriptor.words[0] = descriptor.words[1] = request.address;
    weights.onDevice.push_back(descriptor);
  }
  return llvm::Error::success();
}

llvm::Error Program::prepareWeights(BoundWeights &weights) const {
  ResultLayout layout;
  for (unsigned rank : interface.preparedRanks)
    layout.offsets.push_back(layout.addField(8 * (3 + 2 * rank), 8));
  std::vector<uint64_t> storage(layout.size / 8 + 1);
  char *memory = reinterpret_cast<char *>(storage.data());
  std::vector<void *> pointers;
  for (MemRefDescriptor &descriptor : weights.descriptors)
    pointers.push_back(descriptor.words.data());
  std::vector<void *> packed{&memory};
  for (void *&pointer : pointers)
    packed.push_back(&pointer);
  if (llvm::Error error =
          run(prepareFunction, packed.data(), weights.guardMode))
    return error;
  for (auto [offset, rank] : llvm::zip(layout.offsets, interface.preparedRanks))
    weights.prepared.push_back(readDescriptor(memory + offset, rank));
  return llvm::Error::success();
}

static int64_t sizeOf(TensorView tensor) {
  return checkedByteSize(tensor.type, tensor.shape).value_or(0);
}

/// The addresses from the first byte of a tensor to behind its last one,
/// wherever its strides lead.
static std::pair<uintptr_t, uintptr_t> rangeOf(TensorView tensor) {
  auto data = reinterpret_cast<uintptr_t>(tensor.data);
  if (tensor.strides.empty() || sizeOf(tensor) == 0)
    return {data, data + sizeOf(tensor)};
  int64_t low = 0, high = 1;
  for (auto [extent, stride] : llvm::zip(tensor.shape, tensor.strides))
    (stride < 0 ? low : high) += (extent - 1) * stride;
  int64_t bytes = tensor.type.getBytes();
  return {data + low * bytes, data + high * bytes};
}

static bool overlap(TensorView one, TensorView other) {
  auto [begin, end] = rangeOf(one);
  auto [otherBegin, otherEnd] = rangeOf(other);
  return begin < otherEnd && otherBegin < end;
}

llvm::Expected<std::vector<TensorBuffer>>
Program::separateDonated(const BoundWeights &weights,
                         llvm::MutableArrayRef<TensorView> inputs) const {
  std::vector<TensorBuffer> copies;
  for (auto [i, index] : llvm::enumerate(inputIndices)) {
    if (!signature.arguments[index].donatedTo)
      continue;
    TensorView own = inputs[i];
    auto meets = [&](TensorView other) { return overlap(own, other); };
    bool isShared = llvm::any_of(inputs.take_front(i), meets) ||
                    llvm::any_of(inputs.drop_front(i + 1), meets) ||
                    llvm::any_of(weights.tensors, meets);
    if (!isShared)
      continue;
    auto copy = TensorBuffer::allocate(own.type, own.shape);
    if (!copy)
      return copy.takeError();
    std::memcpy(copy->getData(), own.data, sizeOf(own));
    inputs[i].data = copy->getData();
    copies.push_back(std::move(*copy));
  }
  return copies;
}

llvm::Error
Program::invoke(const BoundWeights &weights, llvm::ArrayRef<TensorView> given,
                llvm::SmallVectorImpl<MemRefDescriptor> &results) const {
  if (llvm::Error error = signature.checkInputs(given))
    return error;
  llvm::SmallVector<TensorView, 8> own;
  std::vector<TensorBuffer> copies;
  llvm::ArrayRef<TensorView> inputs = given;
  if (hasDonations) {
    own.assign(given.begin(), given.end());
    auto separate = separateDonated(weights, own);
    if (!separate)
      return separate.takeError();
    copies = std::move(*separate);
    inputs = own;
  }
  // Tensors are passed as pointers to descriptors, scalars as they are; the
  // packed array holds pointers to either.
  llvm::SmallVector<MemRefDescriptor, 4> descriptors;
  llvm::SmallVector<int64_t *, 4> pointers;
  for (auto [index, input] : llvm::zip(inputIndices, inputs)) {
    descriptors.emplace_back(input);
    const ValueSignature &argument = signature.arguments[index];
    if (argument.layout && argument.layout->offset.value_or(0))
      descriptors.back().startAt(*argument.layout->offset, argument.type);
  }
  for (MemRefDescriptor &descriptor : descriptors)
    pointers.push_back(descriptor.words.data());

  llvm::SmallVector<uint64_t, 32> storage(resultLayout.size / 8 + 1);
  char *memory = reinterpret_cast<char *>(storage.data());
  llvm::SmallVector<void *, 256> packed;
  if (resultLayout.isStruct)
    packed.push_back(&memory);
  size_t first = packed.size();
  packed.append(weights.packed.begin(), weights.packed.end());
  for (auto [index, input, pointer] : llvm::zip(inputIndices, inputs, pointers))
    packed[first + index] = signature.arguments[index].isTensor
                                ? static_cast<void *>(&pointer)
                                : const_cast<void *>(input.data);
  if (!resultLayout.isStruct && !signature.results.empty())
    packed.push_back(memory);

  if (llvm::Error error = run(entryFunction, packed.data(), weights.guardMode))
    return error;
  return takeResults(weights, given, memory, results);
}

bool Program::isDonated(llvm::ArrayRef<TensorView> given, size_t result,
                        const MemRefDescriptor &returned) const {
  for (auto [input, index] : llvm::zip(given, inputIndices))
    if (signature.arguments[index].donatedTo == result &&
        returned.getAligned() == input.data &&
        returned.getShape() == input.shape &&
        signature.results[result].type == input.type)
      return true;
  return false;
}

llvm::Error
Program::takeResults(const BoundWeights &weights,
                     llvm::ArrayRef<TensorView> given, const char *memory,
                     llvm::SmallVectorImpl<MemRefDescriptor> &results) const {
  llvm::Error failure = llvm::Error::success();
  llvm::SmallVector<MemRefDescriptor, 2> copied; // to be freed if owned
  auto isTaken = [](llvm::ArrayRef<MemRefDescriptor> list, const void *block) {
    return llvm::any_of(list, [&](const MemRefDescriptor &descriptor) {
      return descriptor.getAllocated() == block;
    });
  };
  auto isOwned = [&](const void *block) {
    return !isTaken(weights.prepared, block) && symshape_rt_owns(block);
  };
  for (auto [offset, result] :
       llvm::zip(resultLayout.offsets, signature.results)) {
    const char *field = memory + offset;
    MemRefDescriptor returned =
        result.isTensor ? readDescriptor(field, result.getRank())
                        : MemRefDescriptor(TensorView(result.type, {}, field));
    bool isPlain = result.isTensor && returned.getOffset() == 0 &&
                   isRowMajor(returned.getShape(), returned.getStrides());
    if (hasDonations && isPlain && isDonated(given, results.size(), returned)) {
      returned.words[0] = 0; // the caller's
      results.push_back(std::move(returned));
      continue;
    }
    if (isPlain && !isTaken(results, returned.getAllocated()) &&
        isOwned(returned.getAllocated())) {
      results.push_back(std::move(returned));
      continue;
    }
    auto copy = copyResult(returned, result.type);
    if (copy)
      results.push_back(std::move(*copy));
    else
      failure = llvm::joinErrors(std::move(failure), copy.takeError());
    if (result.isTensor)
      copied.push_back(std::move(returned));
  }
  if (failure) {
    copied.append(std::move_iterator(results.begin()),
                  std::move_iterator(results.end()));
    results.clear();
  }
  for (const MemRefDescriptor &descriptor : copied)
    if (!isTaken(results, descriptor.getAllocated()) &&
        isOwned(descriptor.getAllocated()))
      _mlir_memref_to_llvm_free(descriptor.getAllocated());
  return failure;
}
