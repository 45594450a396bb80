//===- TensorBuffer.h - Tensors of a caller ---------------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tensors that go into and come out of compiled programs: dense ones in
// row-major order, and inputs that lie otherwise, by their strides. Not for:
// memory that generated code owns (lib/Runtime).
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_EXECUTION_TENSORBUFFER_H
#define SYMSHAPE_EXECUTION_TENSORBUFFER_H

#include "symshape-c/Runtime.h"
#include "symshape/Execution/ElementType.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"
#include <memory>

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace mlir::symshape {

class TensorBuffer;

/// A tensor that belongs to somebody else: in row-major order, or with an
/// element at `data + sum of index * stride`, both in elements.
struct TensorView {
  TensorView(ElementType type, llvm::ArrayRef<int64_t> shape, const void *data,
             llvm::ArrayRef<int64_t> strides = {})
      : type(type), shape(shape), data(data), strides(strides) {}
  TensorView(const TensorBuffer &tensor);

  ElementType type;
  llvm::ArrayRef<int64_t> shape;
  const void *data;
  llvm::ArrayRef<int64_t> strides; ///< empty: row-major order
};

/// The strides of a dense tensor in row-major order.
llvm::SmallVector<int64_t, 4> rowMajorStrides(llvm::ArrayRef<int64_t> shape);

/// Whether elements are where those of a dense tensor in row-major order are;
/// along a dim of one element, no stride matters.
bool isRowMajor(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> strides);

/// A dense tensor: element type, extents, and its elements in row-major order.
/// `withStrides` makes one whose elements lie otherwise, for inputs alone.
///
/// Invariants: the extents are non-negative and the size in bytes is at most
/// 2^47. Copies share the elements, which live as long as one of them; fill a
/// buffer before it is copied.
class TensorBuffer {
public:
  using GuardMode = symshape_rt_guard_mode;

  TensorBuffer() = default;

  /// Elements that are not initialised, aligned to 64 bytes or, with a guard
  /// mode, beside an inaccessible page. An error if the extents are negative or
  /// the size overflows or memory runs out.
  static llvm::Expected<TensorBuffer>
  allocate(ElementType type, llvm::ArrayRef<int64_t> shape,
           GuardMode mode = SYMSHAPE_RT_GUARD_NONE);

  /// A tensor over somebody else's memory, which `owner` keeps alive and which
  /// is never written to. The extents and strides are trusted.
  static TensorBuffer view(ElementType type, llvm::ArrayRef<int64_t> shape,
                           const void *data, std::shared_ptr<void> owner,
                           llvm::ArrayRef<int64_t> strides = {});

  ElementType getElementType() const { return type; }
  llvm::ArrayRef<int64_t> getShape() const { return shape; }
  int64_t getNumElements() const;
  int64_t getNumBytes() const { return getNumElements() * type.getBytes(); }
  char *getData() { return data; }
  const char *getData() const { return data; }

  /// The same elements, at multiples of `strides`, one from 0 for each
  /// dimension; where elements share a place, the last one is there. An error
  /// if there is no room.
  llvm::Expected<TensorBuffer>
  withStrides(llvm::ArrayRef<int64_t> strides) const;
  /// Empty for row-major order.
  llvm::ArrayRef<int64_t> getStrides() const { return strides; }

  /// The same elements beside an inaccessible page.
  llvm::Expected<TensorBuffer> copyGuarded(GuardMode mode) const;

  /// Same type, extents and bits.
  bool isIdentical(const TensorBuffer &other) const;

private:
  ElementType type;
  /// How many bytes lie from the first element to the end of the last one.
  std::optional<int64_t> getSpan() const;

  llvm::SmallVector<int64_t, 4> shape, strides;
  char *data = nullptr;
  std::shared_ptr<void> owner;
};

inline TensorView::TensorView(const TensorBuffer &tensor)
    : TensorView(tensor.getElementType(), tensor.getShape(), tensor.getData(),
                 tensor.getStrides()) {}

/// The size in bytes; nullopt if it exceeds 2^47 or an extent is negative.
std::optional<int64_t> checkedByteSize(ElementType type,
                                       llvm::ArrayRef<int64_t> shape);

/// `2x3xf32`, or `f32` for rank 0; a dynamic extent prints as `?`.
std::string tensorTypeToString(ElementType type, llvm::ArrayRef<int64_t> shape);

/// Prints `2x3xf32: [[0, 1, 2], [3, 4, 5]]`, without a newline. A tensor of
/// rank 0 prints its value alone, one without elements `[]`.
void printTensor(llvm::raw_ostream &os, const TensorBuffer &tensor);

/// The elements as JSON, in a list per dimension; an infinity or NaN, which
/// JSON has no number for, is text.
void printElementsAsJSON(llvm::raw_ostream &os, const TensorBuffer &tensor);

} // namespace mlir::symshape

#endif // SYMSHAPE_EXECUTION_TENSORBUFFER_H
