//===- JitMemory.h - Code and constants near each other ---------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Memory of compiled code, in one range of addresses, so that code reaches its
// constants by 32-bit distances. Private to Execution.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_EXECUTION_JITMEMORY_H
#define SYMSHAPE_LIB_EXECUTION_JITMEMORY_H

#include "llvm/ExecutionEngine/SectionMemoryManager.h"

namespace mlir::symshape {

/// Hands out pages of one reserved range of at most 1 GiB, and gives an error
/// when it is used up. Released memory goes back to the system; its addresses
/// are not used again.
class NearMemory : public llvm::SectionMemoryManager::MemoryMapper {
public:
  NearMemory() = default;
  NearMemory(const NearMemory &) = delete;
  ~NearMemory() override;

  llvm::sys::MemoryBlock
  allocateMappedMemory(llvm::SectionMemoryManager::AllocationPurpose purpose,
                       size_t bytes, const llvm::sys::MemoryBlock *near,
                       unsigned flags, std::error_code &error) override;
  std::error_code protectMappedMemory(const llvm::sys::MemoryBlock &block,
                                      unsigned flags) override;
  std::error_code releaseMappedMemory(llvm::sys::MemoryBlock &block) override;

  /// Gives back the addresses that nothing was handed out of: all code is
  /// there.
  void trim();

  /// The bytes from `begin` to the end of what was handed out; none if `begin`
  /// lies elsewhere.
  llvm::StringRef getBytesFrom(const char *begin) const {
    return base && begin >= base && begin < base + used
               ? llvm::StringRef(begin, base + used - begin)
               : llvm::StringRef();
  }

private:
  std::error_code reserve(size_t leastBytes);

  char *base = nullptr;  ///< of the range; null before the first allocation
  size_t rangeBytes = 0; ///< of the range
  size_t used = 0;       ///< bytes handed out
};

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_EXECUTION_JITMEMORY_H
