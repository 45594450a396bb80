//===- Block.cpp - Runs the warps of a block ------------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lanes that are at the same instruction go together. Of several such groups
// the one with the lowest place in the code runs until it comes to another
// one's place: in code as compilers lay it out, lanes that parted meet again
// where their paths do.
//
//===----------------------------------------------------------------------===//

#include "Block.h"
#include <algorithm>
#include <cstring>

using namespace mlir::symshape::ptx;

static constexpr uint32_t noLimit = 0xffffffffu;
/// Instructions after which another warp gets a turn, should this one wait for
/// it.
static constexpr uint64_t turn = uint64_t(1) << 20;

Block::Block(const Kernel &kernel, const LaunchShape &shape,
             const std::vector<uint8_t> &parameters, DeviceMemory &memory,
             const SimulatorOptions &options)
    : kernel(kernel), shape(shape), parameters(parameters), memory(memory),
      options(options) {
  uint32_t threads = shape.block[0] * shape.block[1] * shape.block[2];
  uint32_t numWarps = (threads + warpLanes - 1) / warpLanes;
  size_t frame = (kernel.frameBytes + 63) / 64 * 64;
  frames.assign(frame * numWarps + 64, 0xff);
  uint8_t *aligned = reinterpret_cast<uint8_t *>(
      (reinterpret_cast<uintptr_t>(frames.data()) + 63) & ~uintptr_t(63));
  local.assign(size_t(kernel.localBytes) * numWarps * warpLanes, 0xff);
  shared.size = kernel.staticSharedBytes + shape.sharedBytes;
  shared.bytes.assign(shared.size + 16, 0xff);
  shared.granule = kernel.sharedGranule;
  size_t granules = (shared.size >> shared.granule) + 1;
  shared.writes.assign(granules, 0);
  shared.readEpochs.assign(granules, 0);
  shared.readWarps.assign(granules, 0);
  if (kernel.hasProducts)
    shared.productReaders.assign(granules, 0);
  clock.numWarps = numWarps;
  warps.resize(numWarps);
  for (uint32_t w = 0; w < numWarps; ++w) {
    Warp &warp = warps[w];
    warp.frame = aligned + frame * w;
    warp.block = this;
    warp.index = w;
    uint32_t lanes = std::min(threads - w * warpLanes, warpLanes);
    warp.initial = lanes == warpLanes ? allLanes : (1u << lanes) - 1;
    for (const Kernel::Constant &constant : kernel.constants) {
      unsigned copies =
          constant.bytes == 1 ? 1 : warpLanes; // a predicate is one word
      unsigned bytes = constant.bytes == 1 ? 4 : constant.bytes;
      for (unsigned i = 0; i < copies; ++i)
        std::memcpy(warp.frame + constant.place + i * bytes, &constant.value,
                    bytes);
    }
  }
}

Block::~Block() = default;

void Block::begin(uint32_t first, bool runsBackward) {
  firstSerial = first;
  backward = runsBackward;
  published.assign(size_t(shape.grid[0]) * shape.grid[1] * shape.grid[2], 0);
}

uint64_t Block::specialValue(Special which, const Warp &warp,
                             unsigned lane) const {
  uint32_t thread = warp.index * warpLanes + lane;
  const uint32_t *n = shape.block;
  switch (which) {
  case Special::TidX:
    return thread % n[0];
  case Special::TidY:
    return thread / n[0] % n[1];
  case Special::TidZ:
    return thread / n[0] / n[1];
  case Special::NtidX:
  case Special::NtidY:
  case Special::NtidZ:
    return n[unsigned(which) - unsigned(Special::NtidX)];
  case Special::CtaidX:
  case Special::CtaidY:
  case Special::CtaidZ:
    return coordinates[unsigned(which) - unsigned(Special::CtaidX)];
  case Special::NctaidX:
  case Special::NctaidY:
  case Special::NctaidZ:
    return shape.grid[unsigned(which) - unsigned(Special::NctaidX)];
  case Special::LaneId:
    return lane;
  case Special::WarpId:
    return warp.index;
  case Special::NwarpId:
    return clock.numWarps;
  case Special::LanemaskEq:
    return 1u << lane;
  case Special::LanemaskLe:
    return (2u << lane) - 1;
  case Special::LanemaskLt:
    return (1u << lane) - 1;
  case Special::LanemaskGe:
    return ~((1u << lane) - 1);
  case Special::LanemaskGt:
    return ~((2u << lane) - 1);
  case Special::Clock:
  case Special::Clock64:
    return instructions;
  case Special::TotalSharedBytes:
    return shared.size;
  case Special::DynamicSharedBytes:
    return shape.sharedBytes;
  case Special::SmId:
  case Special::GridId:
    return 0;
  case Special::NsmId:
    return 1;
  }
  return 0;
}

void Block::setSpecials(Warp &warp) {
  for (const Kernel::SpecialRegister &special : kernel.specials)
    for (unsigned i = 0; i < warpLanes; ++i) {
      uint64_t value = specialValue(special.which, warp, i);
      unsigned bytes = special.isWide ? 8 : 4;
      std::memcpy(warp.frame + special.place + i * bytes, &value, bytes);
    }
}

void Block::setUp(uint32_t x, uint32_t y, uint32_t z) {
  coordinates[0] = x;
  coordinates[1] = y;
  coordinates[2] = z;
  advanceEpoch();
  clock.blockBegin = clock.epoch;
  clock.seen.assign(size_t(clock.numWarps) * clock.numWarps, clock.epoch - 1);
  clock.oldestSeen.assign(clock.numWarps, clock.epoch - 1);
  if (kernel.hasProducts)
    clock.told = clock.seen;
  std::fill(shared.productReaders.begin(), shared.productReaders.end(), 0);
  hasFenced = hasAcquired = false;
  std::fill(shared.bytes.begin(), shared.bytes.end(), 0xff);
  for (BarrierState &barrier : barriers)
    barrier = {};
  for (Warp &warp : warps) {
    warp.live = warp.initial;
    warp.groups.assign(1, Group{0, warp.initial, false});
    warp.carry = 0;
    warp.waitsAt = -1;
    warp.copies.clear();
    std::fill(std::begin(warp.copyGroups), std::end(warp.copyGroups), 0);
    warp.products.clear();
    warp.productGroups = 0;
    warp.hasOrderedRegisters = false;
    warp.productTrace = 0;
    warp.lastProduct = nullptr;
    setSpecials(warp);
  }
}

bool Block::run(uint32_t x, uint32_t y, uint32_t z, uint32_t number) {
  serial = number;
  setUp(x, y, z);
  return runWarps();
}

bool Block::runWarps() {
  while (true) {
    bool isAlive = false, hasRun = false;
    for (size_t i = 0; i < warps.size(); ++i) {
      Warp &warp = warps[backward ? warps.size() - 1 - i : i];
      isAlive |= warp.live != 0;
      if (warp.live == 0 || warp.waitsAt >= 0)
        continue;
      hasRun = true;
      runWarp(warp);
      if (threadInstructions > options.maxInstructions)
        raise(Fault::Limit, warp, kernel.code[0], 0,
              "begins a kernel that has not ended after " +
                  std::to_string(options.maxInstructions) + " instructions");
      if (isFaulty())
        return false;
    }
    if (!isAlive)
      return checkProducts();
    if (!hasRun) {
      raiseDeadlock();
      return false;
    }
  }
}

/// Brings groups that are at the same place together, and puts the one that
/// runs next last. False if all of them are parked.
bool Block::regroup(Warp &warp) {
  std::vector<Group> &groups = warp.groups;
  if (groups.size() == 1)
    return !groups[0].isParked;
  std::sort(groups.begin(), groups.end(),
            [](const Group &a, const Group &b) { return a.pc > b.pc; });
  size_t kept = 0;
  for (size_t i = 1; i < groups.size(); ++i) {
    if (groups[i].pc == groups[kept].pc) {
      groups[kept].lanes |= groups[i].lanes;
      groups[kept].isParked = false;
    } else {
      groups[++kept] = groups[i];
    }
  }
  groups.resize(kept + 1);
  for (size_t i = groups.size(); i-- > 0;)
    if (!groups[i].isParked) {
      std::rotate(groups.begin() + i, groups.begin() + i + 1, groups.end());
      return true;
    }
  return false;
}

/// Runs until the warp is done or waits, or another one should have its turn.
void Block::runWarp(Warp &warp) {
  uint64_t end = instructions + turn;
  while (warp.live != 0 && warp.waitsAt < 0 && !isFaulty()) {
    if (instructions >= end)
      return;
    bool isLast = !regroup(warp);
    Group group = warp.groups.back();
    warp.groups.pop_back();
    group.isParked = false;
    uint32_t limit = noLimit;
    for (const Group &other : warp.groups)
      if (other.pc > group.pc)
        limit = std::min(limit, other.pc);
    if (advance(warp, group, limit, end) || isFaulty()) {
      warp.groups.push_back(group);
      continue;
    }
    const Instruction &instruction = kernel.code[group.pc];
    uint32_t lanes = guarded(warp, instruction, group.lanes);
    switch (instruction.flow) {
    case Flow::Exit:
      exit(warp, group, lanes);
      break;
    case Flow::IndexedBranch:
      branchIndexed(warp, group, instruction, lanes);
      break;
    default:
      converge(warp, group, instruction, lanes, isLast);
      break;
    }
  }
}

/// Runs instructions up to one that needs more than its lanes: false. True if
/// the groups have to be looked at again.
bool Block::advance(Warp &warp, Group &group, uint32_t limit, uint64_t end) {
  const Instruction *code = kernel.code.data();
  while (true) {
    if (group.pc >= limit || instructions >= end)
      return true;
    const Instruction &instruction = code[group.pc];
    uint32_t lanes = guarded(warp, instruction, group.lanes);
    if (instruction.flow > Flow::Branch)
      return false;
    ++instructions;
    threadInstructions += unsigned(__builtin_popcount(lanes));
    if (instruction.flow == Flow::Plain) {
      ++group.pc;
      if (lanes == 0)
        continue;
      instruction.run(warp, instruction, lanes);
      if (isFaulty())
        return true;
    } else if (lanes == 0) {
      ++group.pc;
    } else if (lanes == group.lanes) {
      group.pc = instruction.extra;
      if (!warp.groups.empty())
        return true;
    } else {
      warp.groups.push_back({instruction.extra, lanes, false});
      group.lanes &= ~lanes;
      ++group.pc;
      return true;
    }
  }
}

void Block::branchIndexed(Warp &warp, Group &group,
                          const Instruction &instruction, uint32_t lanes) {
  ++instructions;
  if (group.lanes & ~lanes)
    warp.groups.push_back({group.pc + 1, group.lanes & ~lanes, false});
  const uint32_t *index = warp.slot<uint32_t>(instruction, 0);
  for (; lanes != 0; lanes &= lanes - 1) {
    unsigned lane = unsigned(__builtin_ctz(lanes));
    if (index[lane] >= instruction.numOperands - 1u) {
      warp.groups.push_back(group);
      raise(Fault::Bounds, warp, instruction, lane,
            "goes to entry " + std::to_string(index[lane]) + " of a list of " +
                std::to_string(instruction.numOperands - 1));
      return;
    }
    warp.groups.push_back(
        {instruction.operands[1 + index[lane]], 1u << lane, false});
  }
}

void Block::exit(Warp &warp, Group &group, uint32_t lanes) {
  ++instructions;
  for (const Group &other : warp.groups)
    if (lanes != 0 && other.isParked &&
        kernel.code[other.pc].flow == Flow::Barrier) {
      raiseDivergence(warp, kernel.code[other.pc], other, lanes);
      return;
    }
  warp.live &= ~lanes;
  group.lanes &= ~lanes;
  ++group.pc;
  if (group.lanes != 0)
    warp.groups.push_back(group);
}

/// An instruction that lanes have to reach together: runs it, or waits for
/// them.
void Block::converge(Warp &warp, Group &group, const Instruction &instruction,
                     uint32_t lanes, bool isLast) {
  if (lanes == 0) {
    ++group.pc;
    warp.groups.push_back(group);
    return;
  }
  uint32_t needed = warp.live;
  if (instruction.flow == Flow::Converge && instruction.member < 0)
    needed = allLanes;
  else if (instruction.flow == Flow::Converge)
    needed = warp.slot<uint32_t>(
        instruction, unsigned(instruction.member))[__builtin_ctz(lanes)];
  uint32_t missing = needed & ~lanes;
  if (instruction.flow == Flow::Converge && instruction.member >= 0)
    missing &= warp.live;
  if (missing != 0 && !isLast && !warp.groups.empty()) {
    group.isParked = true;
    warp.groups.push_back(group);
    return;
  }
  if (missing != 0 || (lanes & ~needed) != 0) {
    raiseDivergence(warp, instruction, group, missing);
    warp.groups.push_back(group);
    return;
  }
  ++instructions;
  threadInstructions += unsigned(__builtin_popcount(lanes));
  ++group.pc;
  warp.groups.push_back(group);
  if (instruction.flow == Flow::Barrier)
    arrive(warp, instruction, lanes);
  else
    instruction.run(warp, instruction, lanes);
}
