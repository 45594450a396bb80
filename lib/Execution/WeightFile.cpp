//===- WeightFile.cpp - Tensors that arguments are bound to ---------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "symshape/Execution/WeightFile.h"

#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Process.h"
#include <cstring>
#include <sys/mman.h>

using namespace mlir::symshape;

llvm::Expected<TensorBuffer>
mlir::symshape::readTensor(ElementType type, llvm::ArrayRef<int64_t> shape,
                           const char *bytes, std::shared_ptr<void> owner) {
  bool aligned = reinterpret_cast<uintptr_t>(bytes) % type.getBytes() == 0;
  // Bytes of a bool may be anything in a file, but only 0 and 1 in a program.
  if (aligned && type.kind != ElementType::Kind::Bool)
    return TensorBuffer::view(type, shape, bytes, std::move(owner));
  llvm::Expected<TensorBuffer> copy = TensorBuffer::allocate(type, shape);
  if (!copy)
    return copy.takeError();
  int64_t size = copy->getNumBytes();
  if (size)
    std::memcpy(copy->getData(), bytes, size);
  if (type.kind == ElementType::Kind::Bool)
    for (int64_t i = 0; i < size; ++i)
      copy->getData()[i] = copy->getData()[i] != 0;
  return copy;
}

void mlir::symshape::releaseMappedPages(llvm::StringRef bytes) {
  // MemoryBuffer::dontNeedIfMmap does nothing with glibc, whose posix_madvise
  // ignores the advice.
  uintptr_t pageSize = llvm::sys::Process::getPageSizeEstimate();
  uintptr_t begin = reinterpret_cast<uintptr_t>(bytes.begin());
  uintptr_t end = reinterpret_cast<uintptr_t>(bytes.end());
  begin = llvm::alignTo(begin, pageSize);
  end = llvm::alignDown(end, pageSize);
  if (begin < end)
    madvise(reinterpret_cast<void *>(begin), end - begin, MADV_DONTNEED);
}
