//===- Addresses.cpp - From addresses of lanes to bytes -------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The checks of bounds and alignment.
//
//===----------------------------------------------------------------------===//

#include "Addresses.h"
#include "History.h"

using namespace mlir::symshape::ptx;
using namespace mlir::symshape::ptx::SYMSHAPE_PTX_LANES;

namespace {

alignas(32) uint8_t unused[32];

std::string verb(const Instruction &instruction) {
  return (instruction.isWrite ? "writes " : "reads ") +
         std::to_string(instruction.accessBytes) + " bytes";
}

std::string hex(uint64_t value) {
  static const char digits[] = "0123456789abcdef";
  std::string text;
  do
    text.insert(text.begin(), digits[value & 15]);
  while (value >>= 4);
  return "0x" + text;
}

/// False, after a fault, if an address is no multiple of `bytes`.
bool checkAlignment(Warp &warp, const Instruction &instruction, uint32_t lanes,
                    unsigned bytes, const Places &places) {
  uint64_t wrong = 0;
  for (unsigned i = 0; i < warpLanes; ++i)
    wrong |= isOn(lanes, i) ? places.address[i] & (bytes - 1) : 0;
  if (wrong == 0)
    return true;
  for (unsigned i = 0; i < warpLanes; ++i)
    if (isOn(lanes, i) && (places.address[i] & (bytes - 1))) {
      warp.block->raise(Fault::Alignment, warp, instruction, i,
                        verb(instruction) + " at " + hex(places.address[i]) +
                            ", which is no multiple of " +
                            std::to_string(bytes));
      break;
    }
  return false;
}

bool raiseBounds(Warp &warp, const Instruction &instruction, unsigned lane,
                 uint64_t address, const std::string &where) {
  warp.block->raise(Fault::Bounds, warp, instruction, lane,
                    verb(instruction) + " at " + hex(address) + ": " + where);
  return false;
}

/// Makes room for the history of writes, and keeps the bytes as they were if
/// they are to be compared or restored.
void prepareWrite(Block &block, Allocation &allocation) {
  if (allocation.isWritten)
    return;
  allocation.isWritten = true;
  if (block.options.order == Order::Both && allocation.saved.empty())
    allocation.saved.assign(allocation.data,
                            allocation.data + allocation.bytes);
  // A history that is finer than this kernel needs stays as it is.
  uint8_t granule = block.kernel.globalGranule;
  if (block.options.checkRaces &&
      (allocation.owners.empty() || allocation.granule > granule)) {
    size_t granules = (allocation.bytes >> granule) + 1;
    allocation.granule = granule;
    allocation.owners.assign(granules, 0);
    allocation.tags.assign(granules, 0);
  }
}

bool locateLane(Warp &warp, const Instruction &instruction, uint32_t lanes,
                unsigned lane, Places &places) {
  uint64_t address = places.address[lane];
  unsigned bytes = instruction.accessBytes;
  Allocation *allocation = instruction.cached;
  if (!allocation || address < allocation->begin ||
      address + bytes > allocation->end()) {
    allocation = warp.block->memory.find(address);
    if (!allocation || bytes > allocation->end() - address)
      return raiseBounds(warp, instruction, lane, address,
                         warp.block->memory.describe(address));
    instruction.cached = allocation;
  }
  if (instruction.isWrite) {
    if (allocation->isConstant)
      return raiseBounds(warp, instruction, lane, address,
                         "'" + allocation->name + "' is constant");
    prepareWrite(*warp.block, *allocation);
  }
  uint64_t place = address - allocation->begin;
  places.bytes[lane] = allocation->data + place;
  return !warp.block->options.checkRaces || !allocation->isWritten ||
         noteGlobal(warp, instruction, lanes, places.address, lane, *allocation,
                    place, bytes);
}

bool locateGlobal(Warp &warp, const Instruction &instruction, uint32_t lanes,
                  Places &places) {
  Allocation *cached = instruction.cached;
  unsigned bytes = instruction.accessBytes;
  // All lanes in the allocation of the last access, which has no history.
  if (cached && cached->bytes >= bytes && !instruction.isWrite &&
      !cached->isWritten) {
    uint64_t limit = cached->bytes - bytes, begin = cached->begin;
    uint64_t outside = 0;
    for (unsigned i = 0; i < warpLanes; ++i)
      outside |=
          isOn(lanes, i) ? uint64_t(places.address[i] - begin > limit) : 0;
    if (outside == 0) {
      uint8_t *data = cached->data;
      for (unsigned i = 0; i < warpLanes; ++i)
        places.bytes[i] =
            isOn(lanes, i) ? data + (places.address[i] - begin) : unused;
      return true;
    }
  }
  for (unsigned i = 0; i < warpLanes; ++i) {
    places.bytes[i] = unused;
    if (isOn(lanes, i) && !locateLane(warp, instruction, lanes, i, places))
      return false;
  }
  return true;
}

/// Addresses from `begin` on, `size` bytes at `data`, which is for all threads,
/// or `stride` bytes apart for each.
bool locateFlat(Warp &warp, const Instruction &instruction, uint32_t lanes,
                Places &places, uint64_t begin, uint64_t size, uint8_t *data,
                uint64_t stride, const char *name) {
  unsigned bytes = instruction.accessBytes;
  for (unsigned i = 0; i < warpLanes; ++i) {
    places.bytes[i] = unused;
    if (!isOn(lanes, i))
      continue;
    uint64_t place = places.address[i] - begin;
    if (place > size || bytes > size - place)
      return raiseBounds(warp, instruction, i, places.address[i],
                         "the " + std::string(name) + " has " +
                             std::to_string(size) + " bytes from " +
                             hex(begin));
    places.bytes[i] = data + stride * i + place;
  }
  return true;
}

bool locateHistoric(Warp &warp, const Instruction &instruction, uint32_t lanes,
                    Places &places) {
  unsigned bytes = instruction.accessBytes;
  if (!locateShared(warp, instruction, lanes, bytes, places))
    return false;
  Block &block = *warp.block;
  if (!block.options.checkRaces && !block.options.checkUninitialized)
    return true;
  unsigned granule = block.shared.granule, count = bytes >> granule;
  if (!instruction.isWrite &&
      noteOrderedReads(warp, instruction, lanes, places.address, count))
    return true;
  for (unsigned i = 0; i < warpLanes; ++i) {
    if (!isOn(lanes, i))
      continue;
    uint64_t first = places.address[i] >> granule;
    bool isFine = instruction.isWrite
                      ? noteSharedWrite(
                            warp, instruction, lanes, places.address, i, first,
                            count, block.tagOf(warp, i, instruction.isStrong))
                      : noteSharedRead(warp, instruction, i, first, count);
    if (!isFine)
      return false;
  }
  return true;
}

/// Generic addresses: by window, group after group.
bool locateGeneric(Warp &warp, const Instruction &instruction, uint32_t lanes,
                   Places &places) {
  static const Space spaces[] = {Space::Global, Space::Shared, Space::Local,
                                 Space::Param};
  for (unsigned i = 0; i < warpLanes; ++i)
    places.bytes[i] = unused;
  for (uint32_t rest = lanes; rest != 0;) {
    uint64_t window = places.address[firstLane(rest)] >> 56;
    uint32_t same = 0;
    Places part;
    for (unsigned i = 0; i < warpLanes; ++i) {
      same |= isOn(rest, i) && places.address[i] >> 56 == window ? 1u << i : 0;
      part.address[i] = places.address[i] & ~(uint64_t(255) << 56);
    }
    if (window > 3)
      return raiseBounds(warp, instruction, firstLane(same),
                         places.address[firstLane(same)], "not an address");
    if (!locateIn(warp, instruction, spaces[window], same, part))
      return false;
    for (unsigned i = 0; i < warpLanes; ++i)
      places.bytes[i] = isOn(same, i) ? part.bytes[i] : places.bytes[i];
    rest &= ~same;
  }
  return true;
}

} // namespace

void SYMSHAPE_PTX_LANES::readAddresses(Warp &warp,
                                       const Instruction &instruction,
                                       Places &places) {
  uint64_t offset = uint64_t(instruction.offset);
  if (instruction.extra & 1) {
    const uint32_t *base = slotOf<uint32_t>(warp, instruction, 0);
    for (unsigned i = 0; i < warpLanes; ++i)
      places.address[i] = uint32_t(base[i] + offset);
    return;
  }
  const uint64_t *base = slotOf<uint64_t>(warp, instruction, 0);
  for (unsigned i = 0; i < warpLanes; ++i)
    places.address[i] = base[i] + offset;
}

bool SYMSHAPE_PTX_LANES::locateShared(Warp &warp,
                                      const Instruction &instruction,
                                      uint32_t lanes, unsigned bytes,
                                      Places &places) {
  SharedMemory &shared = warp.block->shared;
  if (bytes <= shared.size) {
    uint64_t limit = shared.size - bytes, outside = 0;
    for (unsigned i = 0; i < warpLanes; ++i)
      outside |=
          isOn(lanes, i) ? uint64_t(places.address[i] - spaceBegin > limit) : 0;
    if (outside == 0) {
      uint8_t *data = shared.bytes.data();
      for (unsigned i = 0; i < warpLanes; ++i) {
        places.address[i] -= spaceBegin;
        places.bytes[i] = isOn(lanes, i) ? data + places.address[i] : unused;
      }
      return true;
    }
  }
  for (unsigned i = 0; i < warpLanes; ++i) {
    uint64_t place = places.address[i] - spaceBegin;
    if (isOn(lanes, i) && (place > shared.size || bytes > shared.size - place))
      return raiseBounds(warp, instruction, i, places.address[i],
                         "the block's shared memory has " +
                             std::to_string(shared.size) + " bytes from " +
                             hex(spaceBegin));
  }
  return true;
}

bool SYMSHAPE_PTX_LANES::locateIn(Warp &warp, const Instruction &instruction,
                                  Space space, uint32_t lanes, Places &places) {
  Block &block = *warp.block;
  if (!checkAlignment(warp, instruction, lanes, instruction.accessBytes,
                      places))
    return false;
  switch (space) {
  case Space::Global:
  case Space::Const:
    return locateGlobal(warp, instruction, lanes, places);
  case Space::Shared:
    return locateHistoric(warp, instruction, lanes, places);
  case Space::Local:
    return locateFlat(warp, instruction, lanes, places, spaceBegin,
                      block.kernel.localBytes, block.localOf(warp, 0),
                      block.kernel.localBytes, "thread's local memory");
  case Space::Param:
    if (instruction.isWrite)
      return raiseBounds(warp, instruction, firstLane(lanes),
                         places.address[firstLane(lanes)],
                         "a parameter is not written to");
    return locateFlat(
        warp, instruction, lanes, places, 0, block.parameters.size(),
        const_cast<uint8_t *>(block.parameters.data()), 0, "parameter space");
  case Space::Generic:
    return locateGeneric(warp, instruction, lanes, places);
  }
  return false;
}

bool SYMSHAPE_PTX_LANES::locate(Warp &warp, const Instruction &instruction,
                                uint32_t lanes, Places &places) {
  return locateIn(warp, instruction, instruction.space, lanes, places);
}

#include "EndOfLanes.h"
