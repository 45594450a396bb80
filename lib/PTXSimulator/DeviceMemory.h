//===- DeviceMemory.h - Global memory of the simulated device ---*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Addresses of the device lie in a range of the process that no access is
// allowed to, so that a host that follows one is stopped at once; the bytes are
// elsewhere. Allocations are a page or more apart, and an access is in one of
// them or an error.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_PTXSIMULATOR_DEVICEMEMORY_H
#define SYMSHAPE_PTXSIMULATOR_DEVICEMEMORY_H

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace mlir::symshape::ptx {

/// A block of global memory. `begin` is a multiple of 256, and what is new in
/// it has all bits set: a NaN of each float type.
///
/// The last writes of each granule are kept while a launch may conflict with
/// them: `owners` has the serial number of the block of threads (0: none), and
/// `tags` which thread it was, and when (`Clock`).
struct Allocation {
  uint64_t begin = 0, bytes = 0;
  uint8_t *data = nullptr;
  bool isConstant = false; ///< of a .const variable: never written by kernels
  bool isLive = true;
  bool isWritten = false; ///< in this launch
  uint8_t granule = 0;    ///< log2 of the bytes that an entry is for
  std::vector<uint32_t> owners, tags;
  std::vector<uint8_t>
      saved;        ///< what it held before this launch, where asked for
  std::string name; ///< of the variable; empty for what the host allocated

  uint64_t end() const { return begin + bytes; }
};

/// All allocations of a device. Owner: the device.
class DeviceMemory {
public:
  DeviceMemory();
  ~DeviceMemory();
  DeviceMemory(const DeviceMemory &) = delete;
  DeviceMemory &operator=(const DeviceMemory &) = delete;

  /// The address of `bytes` new bytes, 0 included; 0 if there is no room.
  uint64_t allocate(uint64_t bytes);

  /// False if `address` is not the begin of an allocation.
  bool free(uint64_t address);

  /// The allocation that `address` is in, its end included; else null.
  Allocation *find(uint64_t address);

  /// Where the bytes [address, address + bytes) are; null if they are not all
  /// in one allocation.
  uint8_t *translate(uint64_t address, uint64_t bytes);

  /// A sentence on where `address` lies: past which allocation, freed, or
  /// nowhere.
  std::string describe(uint64_t address) const;

  std::map<uint64_t, std::unique_ptr<Allocation>> &all() { return allocations; }
  uint64_t liveCount() const { return live; }
  uint64_t liveBytes() const { return liveTotal; }
  bool isDevice(uint64_t address) const {
    return address >= base && address < base + reserved;
  }

  /// How many bytes the device says it has.
  static constexpr uint64_t totalBytes = uint64_t(16) << 30;

private:
  std::map<uint64_t, std::unique_ptr<Allocation>> allocations; ///< by begin
  uint64_t base = 0, reserved = 0, next = 0;
  uint64_t live = 0, liveTotal = 0;
};

} // namespace mlir::symshape::ptx

#endif // SYMSHAPE_PTXSIMULATOR_DEVICEMEMORY_H
