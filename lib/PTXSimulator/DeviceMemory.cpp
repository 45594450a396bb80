//===- DeviceMemory.cpp - Global memory of the simulated device -----------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceMemory.h"
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>

using namespace mlir::symshape::ptx;

static constexpr uint64_t pageBytes = 4096;
/// So much of an allocation is marked as new: a larger one, such as a pool,
/// takes memory of the host as it is used, and begins with zeros behind this.
static constexpr uint64_t markedBytes = uint64_t(1) << 30;
/// Freed allocations that are remembered, so that a use of one can be named.
static constexpr size_t maxFreed = 4096;

DeviceMemory::DeviceMemory() {
  // As much as the process may have: addresses are used once where possible.
  for (reserved = uint64_t(1) << 44; reserved >= (uint64_t(1) << 30);
       reserved /= 2) {
    void *range = mmap(nullptr, reserved, PROT_NONE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (range != MAP_FAILED) {
      base = reinterpret_cast<uint64_t>(range);
      next = base + pageBytes;
      return;
    }
  }
  reserved = 0;
}

DeviceMemory::~DeviceMemory() {
  for (auto &entry : allocations)
    std::free(entry.second->data);
  if (reserved)
    munmap(reinterpret_cast<void *>(base), reserved);
}

uint64_t DeviceMemory::allocate(uint64_t bytes) {
  if (bytes > totalBytes - liveTotal)
    return 0;
  uint64_t span =
      (bytes + 2 * pageBytes) & -pageBytes; // a page or more of nothing
  if (span > base + reserved - next)
    return 0;
  auto allocation = std::make_unique<Allocation>();
  allocation->data = static_cast<uint8_t *>(std::calloc(bytes ? bytes : 1, 1));
  if (!allocation->data)
    return 0;
  std::memset(allocation->data, 0xff, std::min(bytes, markedBytes));
  allocation->begin = next;
  allocation->bytes = bytes;
  next += span;
  ++live;
  liveTotal += bytes;
  uint64_t begin = allocation->begin;
  allocations.emplace(begin, std::move(allocation));
  return begin;
}

bool DeviceMemory::free(uint64_t address) {
  auto found = allocations.find(address);
  if (found == allocations.end() || !found->second->isLive)
    return false;
  Allocation &allocation = *found->second;
  --live;
  liveTotal -= allocation.bytes;
  std::free(allocation.data);
  allocation.data = nullptr;
  allocation.isLive = false;
  allocation.owners = {};
  allocation.tags = {};
  allocation.saved = {};
  if (allocations.size() - live > maxFreed) {
    for (auto entry = allocations.begin(); entry != allocations.end();)
      entry =
          entry->second->isLive ? std::next(entry) : allocations.erase(entry);
  }
  return true;
}

Allocation *DeviceMemory::find(uint64_t address) {
  auto after = allocations.upper_bound(address);
  if (after == allocations.begin())
    return nullptr;
  Allocation &allocation = *std::prev(after)->second;
  return allocation.isLive && address <= allocation.end() ? &allocation
                                                          : nullptr;
}

uint8_t *DeviceMemory::translate(uint64_t address, uint64_t bytes) {
  Allocation *allocation = find(address);
  if (!allocation || bytes > allocation->end() - address)
    return nullptr;
  return allocation->data + (address - allocation->begin);
}

std::string DeviceMemory::describe(uint64_t address) const {
  if (!isDevice(address))
    return address < pageBytes ? "a null pointer"
                               : "not an address of the device";
  auto after = allocations.upper_bound(address);
  if (after != allocations.begin()) {
    const Allocation &before = *std::prev(after)->second;
    std::string what =
        before.name.empty()
            ? "an allocation of " + std::to_string(before.bytes) + " bytes"
            : "'" + before.name + "'";
    uint64_t place = address - before.begin;
    if (place < before.bytes)
      return "byte " + std::to_string(place) + " of " + what +
             (before.isLive ? "" : ", which was freed");
    uint64_t past = place - before.bytes;
    bool afterIsNearer =
        after != allocations.end() && after->first - address <= past;
    if (!afterIsNearer)
      return std::to_string(past) + " bytes past the end of " + what +
             (before.isLive ? "" : ", which was freed");
  }
  if (after == allocations.end())
    return "outside of all allocations";
  return std::to_string(after->first - address) +
         " bytes before an allocation of " +
         std::to_string(after->second->bytes) + " bytes";
}
