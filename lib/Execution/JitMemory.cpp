//===- JitMemory.cpp - Code and constants near each other -----------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One reservation without memory behind it, whose pages are made accessible as
// they are asked for.
//
//===----------------------------------------------------------------------===//

#include "JitMemory.h"

#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Memory.h"
#include "llvm/Support/Process.h"
#include <cerrno>
#include <sys/mman.h>

using namespace mlir::symshape;
using llvm::sys::MemoryBlock;

/// Distances within it fit in 32 bits with a sign.
static constexpr size_t mostRangeBytes = size_t(1) << 30;

NearMemory::~NearMemory() {
  if (base)
    munmap(base, rangeBytes);
}

/// Reserves addresses: as many as there may be, or half of that and so on where
/// a limit leaves fewer; `trim` gives the rest back.
std::error_code NearMemory::reserve(size_t leastBytes) {
  for (rangeBytes = mostRangeBytes; rangeBytes >= leastBytes; rangeBytes /= 2) {
    void *range = mmap(nullptr, rangeBytes, PROT_NONE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (range != MAP_FAILED) {
      base = static_cast<char *>(range);
      return {};
    }
  }
  return std::make_error_code(std::errc::not_enough_memory);
}

void NearMemory::trim() {
  if (used && used < rangeBytes && munmap(base + used, rangeBytes - used) == 0)
    rangeBytes = used;
}

MemoryBlock
NearMemory::allocateMappedMemory(llvm::SectionMemoryManager::AllocationPurpose,
                                 size_t bytes, const MemoryBlock *,
                                 unsigned flags, std::error_code &error) {
  size_t page = llvm::sys::Process::getPageSizeEstimate();
  if (!base)
    if ((error = reserve(std::max(bytes, page))))
      return MemoryBlock();
  if (bytes > rangeBytes - used ||
      llvm::alignTo(bytes, page) > rangeBytes - used) {
    error = std::make_error_code(std::errc::not_enough_memory);
    return MemoryBlock();
  }
  MemoryBlock block(base + used, llvm::alignTo(bytes, page));
  error = protectMappedMemory(block, flags);
  if (error)
    return MemoryBlock();
  used += block.allocatedSize();
  return block;
}

std::error_code NearMemory::protectMappedMemory(const MemoryBlock &block,
                                                unsigned flags) {
  return llvm::sys::Memory::protectMappedMemory(block, flags);
}

std::error_code NearMemory::releaseMappedMemory(MemoryBlock &block) {
  // Keeps the addresses reserved.
  if (mmap(block.base(), block.allocatedSize(), PROT_NONE,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1,
           0) == MAP_FAILED)
    return std::error_code(errno, std::generic_category());
  return std::error_code();
}
