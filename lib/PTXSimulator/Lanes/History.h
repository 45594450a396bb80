//===- History.h - Who accessed a byte before -------------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds races and reads of what was never written. Of shared memory, all
// accesses since the last barrier are known. Of global memory only writes are:
// a read that precedes a write it races with is found when warps run in the
// other order.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_PTXSIMULATOR_LANES_HISTORY_H
#define SYMSHAPE_PTXSIMULATOR_LANES_HISTORY_H

#include "Lanes.h"

namespace mlir::symshape::ptx::SYMSHAPE_PTX_LANES {

/// Whether an access that left `tag` comes before whatever `thread` does now,
/// or cannot conflict with it.
static inline bool isOrdered(Block &block, uint32_t tag, uint32_t thread,
                             bool isStrong) {
  uint32_t other = tag & Clock::threadMask;
  if (tag & Clock::pendingBit)
    return false;
  if (other == thread || (isStrong && (tag & Clock::strongBit)))
    return true;
  return Clock::epochOf(tag) <=
         block.clock.at(thread / warpLanes, other / warpLanes);
}

/// Whether `tag` is of a lane that this very instruction lets write the same
/// value to the same address: one of them does it (CUDA C++ Programming Guide,
/// "SIMT architecture"). `addresses` are of the lanes that take part; the bits
/// from 8 on of `extra` say how many bytes a register has that is stored.
static inline bool writesTheSame(Warp &warp, const Instruction &instruction,
                                 uint32_t lanes, const uint64_t *addresses,
                                 unsigned lane, uint32_t tag) {
  unsigned other = tag & Clock::threadMask, bytes = instruction.extra >> 8;
  unsigned otherLane = other % warpLanes;
  if (!instruction.isWrite || bytes == 0 || other / warpLanes != warp.index ||
      !isOn(lanes, otherLane) || addresses[lane] != addresses[otherLane] ||
      Clock::epochOf(tag) != warp.block->clock.epoch)
    return false;
  unsigned element = instruction.accessBytes / instruction.vector;
  for (unsigned k = 0; k < instruction.vector; ++k) {
    const uint8_t *values = warp.frame + instruction.operands[1 + k];
    if (std::memcmp(values + bytes * lane, values + bytes * otherLane, element))
      return false;
  }
  return true;
}

/// Checks a read of `count` granules of shared memory from `first`, and notes
/// it.
static inline bool noteSharedRead(Warp &warp, const Instruction &instruction,
                                  unsigned lane, uint64_t first,
                                  unsigned count) {
  Block &block = *warp.block;
  SharedMemory &shared = block.shared;
  uint32_t oldest = block.clock.oldestSeen[warp.index];
  uint32_t low = block.clock.blockBegin << Clock::epochShift;
  uint32_t high = ((oldest + 1) << Clock::epochShift) - 1;
  for (uint64_t g = first; g < first + count; ++g) {
    uint32_t tag = shared.writes[g];
    if (tag < low || tag > high) {
      if (Clock::epochOf(tag) < block.clock.blockBegin) {
        if (block.options.checkUninitialized) {
          block.raise(Fault::Uninitialized, warp, instruction, lane,
                      "reads byte " + std::to_string(g << shared.granule) +
                          " of shared memory, which nothing was written to");
          return false;
        }
      } else if (block.options.checkRaces &&
                 !isOrdered(block, tag, warp.index * warpLanes + lane,
                            instruction.isStrong)) {
        block.raiseRace(warp, instruction, lane, tag, /*tagIsWrite=*/true,
                        "byte " + std::to_string(g << shared.granule) +
                            " of shared memory");
        return false;
      }
    }
    if (instruction.isStrong)
      continue;
    uint32_t readers = shared.readEpochs[g] > oldest ? shared.readWarps[g] : 0;
    shared.readWarps[g] = readers | 1u << warp.index;
    shared.readEpochs[g] = block.clock.epoch;
  }
  return true;
}

/// The common case, for all lanes at once: each reads `count` granules, all of
/// them written before the last synchronisation. False, and nothing is noted,
/// if some are not. `places` are distances from the begin of shared memory.
static inline bool noteOrderedReads(Warp &warp, const Instruction &instruction,
                                    uint32_t lanes, const uint64_t *places,
                                    unsigned count) {
  Block &block = *warp.block;
  SharedMemory &shared = block.shared;
  if (instruction.isStrong)
    return false;
  uint32_t oldest = block.clock.oldestSeen[warp.index];
  uint32_t low = block.clock.blockBegin << Clock::epochShift;
  uint32_t high = ((oldest + 1) << Clock::epochShift) - 1;
  const uint32_t *writes = shared.writes.data();
  unsigned first = firstLane(lanes), granule = shared.granule;
  uint64_t granules[warpLanes];
  uint32_t isOther = 0;
  for (unsigned i = 0; i < warpLanes; ++i)
    granules[i] = places[isOn(lanes, i) ? i : first] >> granule;
  for (unsigned k = 0; k < count; ++k)
    for (unsigned i = 0; i < warpLanes; ++i) {
      uint32_t tag = writes[granules[i] + k];
      isOther |= uint32_t(tag < low) | uint32_t(tag > high);
    }
  if (isOther)
    return false;
  uint32_t *epochs = shared.readEpochs.data(),
           *readers = shared.readWarps.data();
  uint32_t epoch = block.clock.epoch, bit = 1u << warp.index;
  for (unsigned i = 0; i < warpLanes; ++i) {
    if (i != 0 && granules[i] == granules[i - 1])
      continue;
    for (uint64_t g = granules[i]; g < granules[i] + count; ++g) {
      readers[g] = (epochs[g] > oldest ? readers[g] : 0) | bit;
      epochs[g] = epoch;
    }
  }
  return true;
}

/// The same as noteSharedRead for a write, which leaves `newTag`; `places` are
/// those of all `lanes`.
static inline bool noteSharedWrite(Warp &warp, const Instruction &instruction,
                                   uint32_t lanes, const uint64_t *places,
                                   unsigned lane, uint64_t first,
                                   unsigned count, uint32_t newTag) {
  Block &block = *warp.block;
  SharedMemory &shared = block.shared;
  uint32_t oldest = block.clock.oldestSeen[warp.index];
  uint32_t high = ((oldest + 1) << Clock::epochShift) - 1;
  uint32_t begin = block.clock.blockBegin;
  for (uint64_t g = first; g < first + count; ++g) {
    uint32_t tag = shared.writes[g], read = shared.readEpochs[g];
    shared.writes[g] = newTag;
    if (!block.options.checkRaces)
      continue;
    if (!shared.productReaders.empty() && shared.productReaders[g] != 0) {
      block.raise(Fault::Race, warp, instruction, lane,
                  "writes byte " + std::to_string(g << shared.granule) +
                      " of shared memory, which a product of warp " +
                      std::to_string(firstLane(shared.productReaders[g])) +
                      " that is not waited for reads");
      return false;
    }
    if (tag > high && Clock::epochOf(tag) >= begin &&
        !isOrdered(block, tag, warp.index * warpLanes + lane,
                   instruction.isStrong) &&
        !writesTheSame(warp, instruction, lanes, places, lane, tag)) {
      block.raiseRace(warp, instruction, lane, tag, /*tagIsWrite=*/true,
                      "byte " + std::to_string(g << shared.granule) +
                          " of shared memory");
      return false;
    }
    if (read <= oldest || read < begin)
      continue;
    uint32_t readers = shared.readWarps[g] & ~(1u << warp.index);
    for (; readers != 0; readers &= readers - 1) {
      unsigned other = firstLane(readers);
      if (read <= block.clock.at(warp.index, other))
        continue;
      block.raiseRace(warp, instruction, lane,
                      read << Clock::epochShift | other * warpLanes,
                      /*tagIsWrite=*/false,
                      "byte " + std::to_string(g << shared.granule) +
                          " of shared memory");
      return false;
    }
  }
  return true;
}

/// Whether a write to global memory, by a block of this launch, can conflict
/// with an access by `thread` of this block. A block that has passed a fence
/// and then an atomic operation has published what it wrote to blocks that do
/// the latter as well.
static inline bool conflictsGlobally(Block &block, uint32_t owner, uint32_t tag,
                                     uint32_t thread, bool isStrong) {
  if (owner < block.firstSerial)
    return false;
  if (owner == block.serial)
    return !isOrdered(block, tag, thread, isStrong);
  if (isStrong && (tag & Clock::strongBit))
    return false;
  uint32_t published = block.published[owner - block.firstSerial];
  return !(block.hasAcquired && Clock::epochOf(tag) <= published);
}

/// An access of `bytes` bytes from byte `place` of an allocation.
static inline bool noteGlobal(Warp &warp, const Instruction &instruction,
                              uint32_t lanes, const uint64_t *addresses,
                              unsigned lane, Allocation &allocation,
                              uint64_t place, unsigned bytes) {
  Block &block = *warp.block;
  uint32_t newTag = block.tagOf(warp, lane, instruction.isStrong);
  uint32_t thread = warp.index * warpLanes + lane;
  uint64_t first = place >> allocation.granule,
           count = bytes >> allocation.granule;
  for (uint64_t g = first; g < first + count; ++g) {
    uint32_t owner = allocation.owners[g];
    if (owner != 0 &&
        conflictsGlobally(block, owner, allocation.tags[g], thread,
                          instruction.isStrong) &&
        !(owner == block.serial &&
          writesTheSame(warp, instruction, lanes, addresses, lane,
                        allocation.tags[g]))) {
      block.raiseGlobalRace(warp, instruction, lane, allocation,
                            g << allocation.granule, owner, allocation.tags[g]);
      return false;
    }
    if (!instruction.isWrite)
      continue;
    allocation.owners[g] = block.serial;
    allocation.tags[g] = newTag;
  }
  return true;
}

} // namespace mlir::symshape::ptx::SYMSHAPE_PTX_LANES

#endif // SYMSHAPE_PTXSIMULATOR_LANES_HISTORY_H
