//===- Copies.cpp - cp.async ----------------------------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The bytes are read when the copy is issued and are written when it is waited
// for, as late as the hardware may; in between, nobody may touch their place.
//
//===----------------------------------------------------------------------===//

#include "Addresses.h"
#include "History.h"

using namespace mlir::symshape::ptx;
using namespace mlir::symshape::ptx::SYMSHAPE_PTX_LANES;

namespace {

/// Sets the tags of a copy's target without a check.
void tagTarget(SharedMemory &shared, uint64_t place, unsigned bytes,
               uint32_t tag) {
  for (uint64_t g = place >> shared.granule;
       g < (place + bytes) >> shared.granule; ++g)
    shared.writes[g] = tag;
}

/// Checks the sources of lanes that copy `bytes` bytes and reads them.
bool readSources(Warp &warp, const Instruction &instruction, uint32_t lanes,
                 unsigned bytes, Places &sources) {
  Instruction read = instruction;
  read.accessBytes = uint8_t(bytes);
  read.isWrite = false;
  bool isFine = locateIn(warp, read, Space::Global, lanes, sources);
  instruction.cached = read.cached;
  return isFine;
}

/// Operands: the target, the source, and how many bytes to read of it; the rest
/// becomes 0. Bit 0 of `extra`: targets have 32 bits.
void runCopy(Warp &warp, const Instruction &instruction, uint32_t lanes) {
  Places targets, sources;
  readAddresses(warp, instruction, targets);
  const uint64_t *source = slotOf<uint64_t>(warp, instruction, 1);
  const uint32_t *count = slotOf<uint32_t>(warp, instruction, 2);
  unsigned bytes = instruction.accessBytes;
  uint32_t wholes = 0, parts = 0;
  uint64_t unaligned = 0;
  for (unsigned i = 0; i < warpLanes; ++i) {
    sources.address[i] = source[i] + uint64_t(instruction.offset2);
    uint32_t read = count[i] < bytes ? count[i] : bytes;
    wholes |= isOn(lanes, i) && read == bytes ? 1u << i : 0;
    parts |= isOn(lanes, i) && read != 0 && read != bytes ? 1u << i : 0;
    unaligned |= isOn(lanes, i)
                     ? (sources.address[i] | targets.address[i]) & (bytes - 1)
                     : 0;
  }
  if (unaligned != 0) {
    warp.block->raise(Fault::Alignment, warp, instruction, firstLane(lanes),
                      "copies from or to an address that is no multiple of " +
                          std::to_string(bytes));
    return;
  }
  if (!locateShared(warp, instruction, lanes, bytes, targets))
    return;
  if (wholes != 0 && !readSources(warp, instruction, wholes, bytes, sources))
    return;
  for (unsigned i = 0; i < warpLanes; ++i) {
    if (!isOn(lanes, i))
      continue;
    PendingCopy copy = {i, warp.copyGroups[i], targets.address[i], bytes, {}};
    if (isOn(wholes, i)) {
      std::memcpy(copy.data, sources.bytes[i], bytes);
    } else if (isOn(parts, i)) {
      // Byte by byte, since any number of them may be left.
      for (unsigned k = 0; k < count[i]; ++k) {
        Places byte;
        byte.address[i] = sources.address[i] + k;
        if (!readSources(warp, instruction, 1u << i, 1, byte))
          return;
        copy.data[k] = *byte.bytes[i];
      }
    }
    unsigned granule = warp.block->shared.granule;
    uint32_t tag = warp.block->tagOf(warp, i, false) | Clock::pendingBit;
    if (!noteSharedWrite(warp, instruction, lanes, targets.address, i,
                         copy.target >> granule, bytes >> granule, tag))
      return;
    warp.copies.push_back(copy);
  }
}

void runCommit(Warp &warp, const Instruction &, uint32_t lanes) {
  for (unsigned i = 0; i < warpLanes; ++i)
    warp.copyGroups[i] += isOn(lanes, i);
}

/// Waits for all groups but the last `extra`; for all copies if that is all
/// ones.
void runWait(Warp &warp, const Instruction &instruction, uint32_t lanes) {
  bool all = instruction.extra == ~0u;
  SharedMemory &shared = warp.block->shared;
  size_t kept = 0;
  for (size_t i = 0; i < warp.copies.size(); ++i) {
    const PendingCopy &copy = warp.copies[i];
    bool isDone =
        isOn(lanes, copy.lane) &&
        (all || copy.group + instruction.extra < warp.copyGroups[copy.lane]);
    if (!isDone) {
      warp.copies[kept++] = copy;
      continue;
    }
    std::memcpy(shared.bytes.data() + copy.target, copy.data, copy.bytes);
    tagTarget(shared, copy.target, copy.bytes,
              warp.block->tagOf(warp, copy.lane, false));
  }
  warp.copies.resize(kept);
}

} // namespace

void SYMSHAPE_PTX_LANES::addCopies(HandlerTable &table) {
  table.add("cp.async", "", runCopy);
  table.add("cp.async.commit_group", "", runCommit);
  table.add("cp.async.wait_group", "", runWait);
  table.add("cp.async.wait_all", "", runWait, ~0u);
}

#include "EndOfLanes.h"
