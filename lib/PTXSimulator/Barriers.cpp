//===- Barriers.cpp - Barriers, epochs, and what is said when they fail ---===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Who has synchronised with whom, and the messages about those who have not.
//
//===----------------------------------------------------------------------===//

#include "Block.h"
#include <algorithm>

using namespace mlir::symshape::ptx;

void Block::advanceEpoch() {
  if (++clock.epoch < Clock::lastEpoch)
    return;
  // Numbers are used up: what is over counts as synchronised.
  for (uint32_t &tag : shared.writes) {
    bool isOld = Clock::epochOf(tag) < clock.blockBegin;
    tag = isOld ? 0
                : (tag & (Clock::pendingBit | Clock::threadMask)) |
                      1u << Clock::epochShift;
  }
  std::fill(shared.readEpochs.begin(), shared.readEpochs.end(), 0);
  for (auto &entry : memory.all())
    std::fill(entry.second->owners.begin(), entry.second->owners.end(), 0);
  std::fill(clock.seen.begin(), clock.seen.end(), 1);
  std::fill(clock.oldestSeen.begin(), clock.oldestSeen.end(), 1);
  std::fill(clock.told.begin(), clock.told.end(), 1);
  std::fill(published.begin(), published.end(), 0);
  clock.blockBegin = 1;
  clock.epoch = 2;
}

void Block::synchronizeWarp(Warp &warp) {
  clock.at(warp.index, warp.index) = clock.epoch;
  const uint32_t *seen = &clock.at(warp.index, 0);
  clock.oldestSeen[warp.index] = *std::min_element(seen, seen + clock.numWarps);
  advanceEpoch();
}

void Block::noteProxyFence(Warp &warp) {
  if (clock.told.empty())
    return;
  for (uint32_t v = 0; v < clock.numWarps; ++v)
    clock.known(warp.index, v) = clock.at(warp.index, v);
  clock.known(warp.index, warp.index) = clock.epoch;
  advanceEpoch();
}

void Block::noteAtomic() {
  hasAcquired = true;
  if (!hasFenced)
    return;
  published[serial - firstSerial] = clock.epoch;
  advanceEpoch();
}

/// A warp comes to a barrier with all of its lanes. Operands: the barrier, the
/// threads that take part or 0 for all; of a reduction the result and a
/// predicate as well.
void Block::arrive(Warp &warp, const Instruction &instruction, uint32_t lanes) {
  unsigned lane = unsigned(__builtin_ctz(lanes));
  uint32_t id = warp.slot<uint32_t>(instruction, 0)[lane];
  uint32_t count = warp.slot<uint32_t>(instruction, 1)[lane];
  auto kind = BarrierKind(instruction.extra);
  if (id >= 16 || count % warpLanes != 0) {
    raise(Fault::Launch, warp, instruction, lane,
          "expects a barrier below 16 and whole warps, but got barrier " +
              std::to_string(id) + " for " + std::to_string(count) +
              " threads");
    return;
  }
  BarrierState &barrier = barriers[id];
  uint32_t expected = count ? count : clock.numWarps * warpLanes;
  if (barrier.arrived != 0 && barrier.expected != expected) {
    raise(Fault::MissingBarrier, warp, instruction, lane,
          "waits for " + std::to_string(expected) + " threads at barrier " +
              std::to_string(id) + ", where others wait for " +
              std::to_string(barrier.expected));
    return;
  }
  barrier.expected = expected;
  barrier.arrived += warpLanes;
  barrier.seenWarps |= 1u << warp.index;
  if (kind >= BarrierKind::RedPopc) {
    uint32_t votes = *warp.slot<uint32_t>(instruction, 3) & lanes;
    barrier.trueLanes += unsigned(__builtin_popcount(votes));
    barrier.lanes += unsigned(__builtin_popcount(lanes));
  }
  if (kind != BarrierKind::Arrive) {
    barrier.waiting |= 1u << warp.index;
    warp.waitsAt = int(id);
    warp.waitInstruction = &instruction;
  }
  if (barrier.arrived >= barrier.expected)
    release(barrier);
}

/// All are there: orders what they did before what the waiting ones do next.
void Block::release(BarrierState &barrier) {
  std::vector<uint32_t> joined(clock.numWarps, 0);
  for (uint32_t w = 0; w < clock.numWarps; ++w) {
    if (!(barrier.seenWarps >> w & 1))
      continue;
    for (uint32_t v = 0; v < clock.numWarps; ++v)
      joined[v] = std::max(joined[v], clock.at(w, v));
    joined[w] = clock.epoch;
  }
  std::vector<uint32_t> told(clock.told.empty() ? 0 : clock.numWarps, 0);
  for (uint32_t w = 0; w < clock.numWarps; ++w)
    for (uint32_t v = 0; v < told.size() && barrier.seenWarps >> w & 1; ++v)
      told[v] = std::max(told[v], clock.known(w, v));
  uint32_t oldest = *std::min_element(joined.begin(), joined.end());
  for (uint32_t w = 0; w < clock.numWarps; ++w) {
    if (!(barrier.waiting >> w & 1))
      continue;
    std::copy(joined.begin(), joined.end(), &clock.at(w, 0));
    if (!told.empty())
      std::copy(told.begin(), told.end(), &clock.known(w, 0));
    clock.oldestSeen[w] = oldest;
    finishReduction(warps[w], barrier);
    warps[w].waitsAt = -1;
  }
  barrier = {};
  advanceEpoch();
}

void Block::finishReduction(Warp &warp, const BarrierState &barrier) {
  const Instruction &instruction = *warp.waitInstruction;
  auto kind = BarrierKind(instruction.extra);
  if (kind < BarrierKind::RedPopc)
    return;
  if (kind == BarrierKind::RedPopc) {
    uint32_t *result = warp.slot<uint32_t>(instruction, 2);
    for (unsigned i = 0; i < warpLanes; ++i)
      result[i] = warp.live >> i & 1 ? barrier.trueLanes : result[i];
    return;
  }
  bool holds = kind == BarrierKind::RedAnd ? barrier.trueLanes == barrier.lanes
                                           : barrier.trueLanes != 0;
  uint32_t &result = *warp.slot<uint32_t>(instruction, 2);
  result = (result & ~warp.live) | (holds ? warp.live : 0);
}

static std::string triple(uint32_t x, uint32_t y, uint32_t z) {
  return "(" + std::to_string(x) + ", " + std::to_string(y) + ", " +
         std::to_string(z) + ")";
}

std::string Block::nameOfThread(uint32_t thread) const {
  const uint32_t *n = shape.block;
  return "thread " +
         triple(thread % n[0], thread / n[0] % n[1], thread / n[0] / n[1]);
}

void Block::raise(Fault::Kind kind, const Warp &warp,
                  const Instruction &instruction, unsigned lane,
                  const std::string &message) {
  if (isFaulty())
    return;
  fault.kind = kind;
  fault.line = instruction.line;
  fault.message = std::string(nameOfFault(kind)) + ": '" +
                  kernel.names[instruction.name] + "' " + message +
                  "; kernel '" + kernel.name + "', block " +
                  triple(coordinates[0], coordinates[1], coordinates[2]) +
                  ", " + nameOfThread(warp.index * warpLanes + lane);
}

void Block::raiseRace(const Warp &warp, const Instruction &instruction,
                      unsigned lane, uint32_t tag, bool tagIsWrite,
                      const std::string &where) {
  uint32_t other = tag & Clock::threadMask;
  std::string who = tagIsWrite ? nameOfThread(other)
                               : "warp " + std::to_string(other / warpLanes);
  std::string verb = instruction.isWrite ? "writes " : "reads ";
  std::string what =
      tag & Clock::pendingBit
          ? ", to which an asynchronous copy of " + who + " is not waited for"
          : ", which " + who + (tagIsWrite ? " wrote" : " read") +
                " with no barrier in between";
  raise(Fault::Race, warp, instruction, lane, verb + where + what);
}

void Block::raiseGlobalRace(const Warp &warp, const Instruction &instruction,
                            unsigned lane, const Allocation &allocation,
                            uint64_t place, uint32_t owner, uint32_t tag) {
  std::string where =
      "byte " + std::to_string(place) + " of " +
      (allocation.name.empty()
           ? "an allocation of " + std::to_string(allocation.bytes) + " bytes"
           : "'" + allocation.name + "'");
  if (owner == serial)
    return raiseRace(warp, instruction, lane, tag, /*tagIsWrite=*/true, where);
  // Blocks are numbered in the order in which they run.
  uint64_t index = owner - firstSerial;
  uint64_t blocks = uint64_t(shape.grid[0]) * shape.grid[1] * shape.grid[2];
  index = backward ? blocks - 1 - index : index;
  uint32_t x = uint32_t(index % shape.grid[0]),
           y = uint32_t(index / shape.grid[0] % shape.grid[1]),
           z = uint32_t(index / shape.grid[0] / shape.grid[1]);
  raise(Fault::Race, warp, instruction, lane,
        (instruction.isWrite ? "writes " : "reads ") + where + ", which " +
            nameOfThread(tag & Clock::threadMask) + " of block " +
            triple(x, y, z) + " wrote in the same launch");
}

static std::string lanesAsText(uint32_t lanes) {
  std::string text;
  for (unsigned i = 0; i < warpLanes; ++i) {
    if (!(lanes >> i & 1))
      continue;
    unsigned last = i;
    while (last + 1 < warpLanes && (lanes >> (last + 1) & 1))
      ++last;
    text += (text.empty() ? "" : ", ") + std::to_string(i);
    if (last != i)
      text += " to " + std::to_string(last);
    i = last;
  }
  return text;
}

void Block::raiseDivergence(Warp &warp, const Instruction &instruction,
                            const Group &group, uint32_t missing) {
  std::string what = instruction.flow == Flow::Barrier ? "a barrier " : "";
  std::string message = "is " + what + "reached by lanes " +
                        lanesAsText(group.lanes) + " of warp " +
                        std::to_string(warp.index);
  message += missing ? " without lanes " + lanesAsText(missing)
                     : ", which its mask does not name";
  raise(Fault::Divergence, warp, instruction,
        unsigned(__builtin_ctz(group.lanes)), message);
}

/// At the end of a block: the four warps of a group have issued the same
/// products.
bool Block::checkProducts() {
  for (size_t w = 0; w + 1 < warps.size(); ++w) {
    const Warp &one = warps[w], &next = warps[w + 1];
    if (w % 4 == 3 || one.productTrace == next.productTrace)
      continue;
    const Warp &some = one.lastProduct ? one : next;
    raise(Fault::Divergence, some, *some.lastProduct, 0,
          "is executed by warp " + std::to_string(some.index) + ", but warp " +
              std::to_string(&some == &one ? w + 1 : w) +
              " of its group of four has executed other ones");
    return false;
  }
  return true;
}

void Block::raiseDeadlock() {
  const Warp *waiting = nullptr;
  std::string done;
  for (const Warp &warp : warps) {
    if (warp.live == 0)
      done += (done.empty() ? "" : ", ") + std::to_string(warp.index);
    else if (!waiting)
      waiting = &warp;
  }
  const BarrierState &barrier = barriers[waiting->waitsAt];
  std::string message = "waits at barrier " + std::to_string(waiting->waitsAt) +
                        " for " + std::to_string(barrier.expected) +
                        " threads, but only " +
                        std::to_string(barrier.arrived) + " come";
  if (!done.empty())
    message += "; warps that have ended: " + done;
  raise(Fault::MissingBarrier, *waiting, *waiting->waitInstruction,
        unsigned(__builtin_ctz(waiting->live)), message);
}
