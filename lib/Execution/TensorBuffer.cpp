//===- TensorBuffer.cpp - Tensors of a caller -----------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Memory and text of dense tensors.
//
//===----------------------------------------------------------------------===//

#include "symshape/Execution/TensorBuffer.h"
#include "symshape/Execution/Status.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>
#include <cstring>
#include <limits>
#include <sys/mman.h>

using namespace mlir::symshape;

static constexpr int64_t maxBytes = int64_t(1) << 47;
static constexpr size_t hugePageBytes = 2 << 20;

/// At least `size` bytes, aligned to 64; null if there is no room. Many are on
/// huge pages: touching small ones for the first time takes as long as the
/// copying does.
static void *allocateAligned(size_t size) {
  bool isHuge = size >= 2 * hugePageBytes;
  size_t alignment = isHuge ? hugePageBytes : 64;
  size_t rounded = llvm::alignTo(size + 1, alignment);
  void *memory = std::aligned_alloc(alignment, rounded);
  if (memory && isHuge)
    (void)madvise(memory, rounded, MADV_HUGEPAGE);
  return memory;
}

std::optional<int64_t>
mlir::symshape::checkedByteSize(ElementType type,
                                llvm::ArrayRef<int64_t> shape) {
  // If an extent is zero, the size is 0, whatever the others are.
  bool empty = false;
  for (int64_t extent : shape) {
    if (extent < 0)
      return std::nullopt;
    empty |= extent == 0;
  }
  if (empty)
    return 0;
  int64_t bytes = type.getBytes();
  for (int64_t extent : shape)
    if (llvm::MulOverflow(bytes, extent, bytes) || bytes > maxBytes)
      return std::nullopt;
  return bytes;
}

std::string mlir::symshape::tensorTypeToString(ElementType type,
                                               llvm::ArrayRef<int64_t> shape) {
  std::string text;
  for (int64_t extent : shape)
    text += (extent < 0 ? std::string("?") : std::to_string(extent)) + "x";
  return text + type.getName();
}

llvm::Expected<TensorBuffer>
TensorBuffer::allocate(ElementType type, llvm::ArrayRef<int64_t> shape,
                       GuardMode mode) {
  std::optional<int64_t> bytes = checkedByteSize(type, shape);
  std::string text = tensorTypeToString(type, shape);
  if (!bytes)
    return makeInputError("expected extents from 0 and a size of at most 2^47 "
                          "bytes, but got " +
                          text);
  TensorBuffer result;
  result.type = type;
  result.shape.assign(shape.begin(), shape.end());
  size_t size = *bytes;
  if (mode == SYMSHAPE_RT_GUARD_NONE) {
    void *memory = allocateAligned(size);
    if (!memory)
      return makeInputError("out of memory for " + text);
    result.owner = std::shared_ptr<void>(memory, [](void *p) { std::free(p); });
  } else {
    void *memory = symshape_rt_map_guarded(size, mode);
    if (!memory)
      return makeInputError("out of memory for " + text);
    result.owner = std::shared_ptr<void>(memory, [size, mode](void *p) {
      symshape_rt_unmap_guarded(p, size, mode);
    });
  }
  result.data = static_cast<char *>(result.owner.get());
  return result;
}

TensorBuffer TensorBuffer::view(ElementType type, llvm::ArrayRef<int64_t> shape,
                                const void *data, std::shared_ptr<void> owner,
                                llvm::ArrayRef<int64_t> strides) {
  TensorBuffer result;
  result.type = type;
  result.shape.assign(shape.begin(), shape.end());
  result.strides.assign(strides.begin(), strides.end());
  result.data = static_cast<char *>(const_cast<void *>(data));
  result.owner = std::move(owner);
  return result;
}

int64_t TensorBuffer::getNumElements() const {
  return checkedByteSize(type, shape).value_or(0) / type.getBytes();
}

llvm::SmallVector<int64_t, 4>
mlir::symshape::rowMajorStrides(llvm::ArrayRef<int64_t> shape) {
  llvm::SmallVector<int64_t, 4> strides(shape.size());
  int64_t stride = 1;
  for (size_t i = shape.size(); i-- > 0;) {
    strides[i] = stride;
    // With a zero extent no stride is ever used; the product may overflow.
    stride = llvm::SaturatingMultiply<uint64_t>(stride, shape[i]) &
             std::numeric_limits<int64_t>::max();
  }
  return strides;
}

bool mlir::symshape::isRowMajor(llvm::ArrayRef<int64_t> shape,
                                llvm::ArrayRef<int64_t> strides) {
  if (strides.empty() || llvm::is_contained(shape, 0))
    return true;
  int64_t dense = 1;
  for (size_t i = shape.size(); i-- > 0;) {
    if (shape[i] != 1 && strides[i] != dense)
      return false;
    // If elements share an address, there may be more than are counted.
    if (llvm::MulOverflow(dense, shape[i], dense))
      return false;
  }
  return true;
}

std::optional<int64_t> TensorBuffer::getSpan() const {
  if (strides.empty())
    return getNumBytes();
  if (!getNumElements())
    return 0;
  int64_t last = 0;
  for (auto [extent, stride] : llvm::zip_equal(shape, strides)) {
    int64_t distance;
    if (llvm::MulOverflow(extent - 1, stride, distance) ||
        llvm::AddOverflow(last, distance, last))
      return std::nullopt;
  }
  if (last >= maxBytes)
    return std::nullopt;
  return checkedByteSize(type, {last + 1});
}

llvm::Expected<TensorBuffer>
TensorBuffer::withStrides(llvm::ArrayRef<int64_t> asked) const {
  TensorBuffer result = *this;
  result.strides.assign(asked.begin(), asked.end());
  std::optional<int64_t> span = result.getSpan();
  if (!span)
    return makeInputError("expected strides over at most 2^47 bytes");
  auto memory = allocate({ElementType::Kind::Signed, 8}, {*span});
  if (!memory)
    return memory.takeError();
  if (*span)
    std::memset(memory->data, 0, *span);
  int64_t bytes = type.getBytes(), count = getNumElements();
  for (int64_t i = 0; i < count; ++i) {
    int64_t rest = i, place = 0;
    for (size_t d = shape.size(); d-- > 0; rest /= shape[d])
      place += rest % shape[d] * asked[d];
    std::memcpy(memory->data + place * bytes, data + i * bytes, bytes);
  }
  result.owner = std::move(memory->owner);
  result.data = memory->data;
  return result;
}

llvm::Expected<TensorBuffer> TensorBuffer::copyGuarded(GuardMode mode) const {
  // What was allocated has a span.
  auto memory = allocate({ElementType::Kind::Signed, 8}, {*getSpan()}, mode);
  if (!memory)
    return memory.takeError();
  if (*getSpan())
    std::memcpy(memory->data, data, *getSpan());
  TensorBuffer result = *this;
  result.owner = std::move(memory->owner);
  result.data = memory->data;
  return result;
}

bool TensorBuffer::isIdentical(const TensorBuffer &other) const {
  return type == other.type && shape == other.shape &&
         (!getNumBytes() || !std::memcmp(data, other.data, getNumBytes()));
}

/// Prints elements, as `[[0, 1, 2], [3, 4, 5]]`.
static void
printElements(llvm::raw_ostream &os, const TensorBuffer &tensor,
              llvm::function_ref<void(const std::string &)> printElement) {
  llvm::ArrayRef<int64_t> shape = tensor.getShape();
  ElementType type = tensor.getElementType();
  int64_t count = tensor.getNumElements();
  if (!count) {
    os << "[]";
    return;
  }
  // A bracket opens before an element, and closes after it, for each trailing
  // block of dimensions that begins or ends there.
  auto bracketsAt = [&](int64_t element) {
    unsigned brackets = 0;
    for (size_t i = shape.size(); i > 0 && element % shape[i - 1] == 0; --i) {
      element /= shape[i - 1];
      ++brackets;
    }
    return brackets;
  };
  const char *data = tensor.getData();
  for (int64_t i = 0; i < count; ++i, data += type.getBytes()) {
    if (i)
      os << ", ";
    os << std::string(bracketsAt(i), '[');
    printElement(elementToString(type, data));
    os << std::string(bracketsAt(i + 1), ']');
  }
}

void mlir::symshape::printTensor(llvm::raw_ostream &os,
                                 const TensorBuffer &tensor) {
  os << tensorTypeToString(tensor.getElementType(), tensor.getShape()) << ": ";
  printElements(os, tensor, [&](const std::string &text) { os << text; });
}

void mlir::symshape::printElementsAsJSON(llvm::raw_ostream &os,
                                         const TensorBuffer &tensor) {
  printElements(os, tensor, [&](const std::string &text) {
    bool isText = llvm::StringRef(text).ends_with("inf") || text == "nan";
    os << (isText ? '"' + text + '"' : text);
  });
}
