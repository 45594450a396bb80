//===- Exchanges.cpp - Operations across the lanes of a warp --------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// shfl, vote, match, redux, activemask, elect. Those whose mask names lanes
// wait for them before they get here.
//
//===----------------------------------------------------------------------===//

#include "Lanes.h"

using namespace mlir::symshape::ptx;
using namespace mlir::symshape::ptx::SYMSHAPE_PTX_LANES;

namespace {

enum Shuffle : uint32_t { Up, Down, Butterfly, Index };

/// shfl.sync: d, [p,] a, b, c, mask. c holds the clamp and the mask of
/// segments.
template <bool hasPredicate>
void runShuffle(Warp &warp, const Instruction &instruction, uint32_t lanes) {
  constexpr unsigned first = hasPredicate ? 2 : 1;
  const uint32_t *a = slotOf<uint32_t>(warp, instruction, first),
                 *b = slotOf<uint32_t>(warp, instruction, first + 1),
                 *c = slotOf<uint32_t>(warp, instruction, first + 2);
  uint32_t result[warpLanes], inRange = 0;
  for (unsigned i = 0; i < warpLanes; ++i) {
    int lane = int(i), by = int(b[i] & 31), clamp = int(c[i] & 31),
        segment = int(c[i] >> 8 & 31);
    int last = (lane & segment) | (clamp & ~segment), least = lane & segment,
        from = lane;
    bool fits = true;
    switch (instruction.extra) {
    case Up:
      from = lane - by;
      fits = from >= last;
      break;
    case Down:
      from = lane + by;
      fits = from <= last;
      break;
    case Butterfly:
      from = lane ^ by;
      fits = from <= last;
      break;
    case Index:
      from = least | (by & ~segment);
      fits = from <= last;
      break;
    }
    // What a lane has that does not take part is not defined.
    result[i] =
        isOn(lanes, unsigned(fits ? from : lane)) ? a[fits ? from : lane] : ~0u;
    inRange |= uint32_t(fits) << i;
  }
  storeLanes(slotOf<uint32_t>(warp, instruction, 0), result, lanes);
  if (hasPredicate)
    storePredicate(warp, instruction, 1, inRange, lanes);
}

enum Vote : uint32_t { All, Any, Uniform, Ballot };

void runVote(Warp &warp, const Instruction &instruction, uint32_t lanes) {
  uint32_t on = predicateOf(warp, instruction, 1) & lanes;
  if (instruction.extra == Ballot) {
    uint32_t result[warpLanes];
    for (unsigned i = 0; i < warpLanes; ++i)
      result[i] = on;
    storeLanes(slotOf<uint32_t>(warp, instruction, 0), result, lanes);
    return;
  }
  bool holds = instruction.extra == All   ? on == lanes
               : instruction.extra == Any ? on != 0
                                          : on == 0 || on == lanes;
  storePredicate(warp, instruction, 0, holds ? allLanes : 0, lanes);
}

/// match.any: the lanes with the same value.
template <typename T>
void runMatchAny(Warp &warp, const Instruction &instruction, uint32_t lanes) {
  const T *a = slotOf<T>(warp, instruction, 1);
  uint32_t result[warpLanes] = {};
  for (unsigned i = 0; i < warpLanes; ++i)
    for (unsigned k = 0; k < warpLanes; ++k)
      result[i] |= uint32_t(isOn(lanes, k) && a[i] == a[k]) << k;
  storeLanes(slotOf<uint32_t>(warp, instruction, 0), result, lanes);
}

/// match.all: all lanes if they have one value, else none.
template <typename T, bool hasPredicate>
void runMatchAll(Warp &warp, const Instruction &instruction, uint32_t lanes) {
  const T *a = slotOf<T>(warp, instruction, hasPredicate ? 2 : 1);
  bool same = true;
  for (unsigned i = 0; i < warpLanes; ++i)
    same &= !isOn(lanes, i) || a[i] == a[firstLane(lanes)];
  uint32_t result[warpLanes];
  for (unsigned i = 0; i < warpLanes; ++i)
    result[i] = same ? lanes : 0;
  storeLanes(slotOf<uint32_t>(warp, instruction, 0), result, lanes);
  if (hasPredicate)
    storePredicate(warp, instruction, 1, same ? allLanes : 0, lanes);
}

enum Reduction : uint32_t { Add, Min, Max, And, Or, Xor };

template <typename T>
void runRedux(Warp &warp, const Instruction &instruction, uint32_t lanes) {
  const T *a = slotOf<T>(warp, instruction, 1);
  T total = a[firstLane(lanes)];
  for (unsigned i = firstLane(lanes) + 1; i < warpLanes; ++i) {
    if (!isOn(lanes, i))
      continue;
    T b = a[i];
    switch (instruction.extra) {
    case Add:
      total = T(uint32_t(total) + uint32_t(b));
      break;
    case Min:
      total = b < total ? b : total;
      break;
    case Max:
      total = b > total ? b : total;
      break;
    case And:
      total &= b;
      break;
    case Or:
      total |= b;
      break;
    case Xor:
      total ^= b;
      break;
    }
  }
  T result[warpLanes];
  for (unsigned i = 0; i < warpLanes; ++i)
    result[i] = total;
  storeLanes(slotOf<T>(warp, instruction, 0), result, lanes);
}

void runActiveMask(Warp &warp, const Instruction &instruction, uint32_t lanes) {
  uint32_t result[warpLanes];
  for (unsigned i = 0; i < warpLanes; ++i)
    result[i] = lanes;
  storeLanes(slotOf<uint32_t>(warp, instruction, 0), result, lanes);
}

/// elect.sync d|p, mask: the first lane is the one.
void runElect(Warp &warp, const Instruction &instruction, uint32_t lanes) {
  uint32_t result[warpLanes];
  for (unsigned i = 0; i < warpLanes; ++i)
    result[i] = firstLane(lanes);
  storeLanes(slotOf<uint32_t>(warp, instruction, 0), result, lanes);
  storePredicate(warp, instruction, 1, 1u << firstLane(lanes), lanes);
}

void runWarpBarrier(Warp &warp, const Instruction &, uint32_t) {
  warp.block->synchronizeWarp(warp);
}

} // namespace

void SYMSHAPE_PTX_LANES::addExchanges(HandlerTable &table) {
  static const char *const shuffles[] = {"up", "down", "bfly", "idx"};
  for (uint32_t kind = Up; kind <= Index; ++kind) {
    std::string name = std::string("shfl.sync.") + shuffles[kind] + ".b32";
    table.addConverging(name, "wwwww", runShuffle<false>, 4, kind);
    table.addConverging(name + "|", "wpwwww", runShuffle<true>, 5, kind);
  }
  table.addConverging("vote.sync.all.pred", "ppw", runVote, 2, All);
  table.addConverging("vote.sync.any.pred", "ppw", runVote, 2, Any);
  table.addConverging("vote.sync.uni.pred", "ppw", runVote, 2, Uniform);
  table.addConverging("vote.sync.ballot.b32", "wpw", runVote, 2, Ballot);
  table.addConverging("match.any.sync.b32", "www", runMatchAny<uint32_t>, 2);
  table.addConverging("match.any.sync.b64", "wdw", runMatchAny<uint64_t>, 2);
  table.addConverging("match.all.sync.b32", "www", runMatchAll<uint32_t, false>,
                      2);
  table.addConverging("match.all.sync.b64", "wdw", runMatchAll<uint64_t, false>,
                      2);
  table.addConverging("match.all.sync.b32|", "wpww",
                      runMatchAll<uint32_t, true>, 3);
  table.addConverging("match.all.sync.b64|", "wpdw",
                      runMatchAll<uint64_t, true>, 3);
  static const char *const reductions[] = {"add", "min", "max",
                                           "and", "or",  "xor"};
  for (uint32_t kind = Add; kind <= Max; ++kind) {
    std::string name = std::string("redux.sync.") + reductions[kind];
    table.addConverging(name + ".u32", "www", runRedux<uint32_t>, 2, kind);
    table.addConverging(name + ".s32", "www", runRedux<int32_t>, 2, kind);
  }
  for (uint32_t kind = And; kind <= Xor; ++kind)
    table.addConverging(std::string("redux.sync.") + reductions[kind] + ".b32",
                        "www", runRedux<uint32_t>, 2, kind);
  table.add("activemask.b32", "w", runActiveMask);
  table.addConverging("elect.sync|", "wpw", runElect, 2);
  table.addConverging("bar.warp.sync", "w", runWarpBarrier, 0);
}

#include "EndOfLanes.h"
