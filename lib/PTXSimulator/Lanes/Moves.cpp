//===- Moves.cpp - mov, selp and the packing of words ---------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What changes no value.
//
//===----------------------------------------------------------------------===//

#include "Lanes.h"

using namespace mlir::symshape::ptx;
using namespace mlir::symshape::ptx::SYMSHAPE_PTX_LANES;

namespace {

template <typename T>
void runMove(Warp &warp, const Instruction &instruction, uint32_t lanes) {
  const T *a = slotOf<T>(warp, instruction, 1);
  T *d = slotOf<T>(warp, instruction, 0);
  if (a != d)
    storeLanes(d, a, lanes);
}
void runMovePredicate(Warp &warp, const Instruction &instruction,
                      uint32_t lanes) {
  storePredicate(warp, instruction, 0, predicateOf(warp, instruction, 1),
                 lanes);
}

template <typename T>
void runSelect(Warp &warp, const Instruction &instruction, uint32_t lanes) {
  const T *a = slotOf<T>(warp, instruction, 1),
          *b = slotOf<T>(warp, instruction, 2);
  uint32_t chosen = predicateOf(warp, instruction, 3);
  T result[warpLanes];
  for (unsigned i = 0; i < warpLanes; ++i)
    result[i] = isOn(chosen, i) ? a[i] : b[i];
  storeLanes(slotOf<T>(warp, instruction, 0), result, lanes);
}

/// slct: a where c >= 0, else b.
template <typename T, typename C>
void runSelectBySign(Warp &warp, const Instruction &instruction,
                     uint32_t lanes) {
  const T *a = slotOf<T>(warp, instruction, 1),
          *b = slotOf<T>(warp, instruction, 2);
  const C *c = slotOf<C>(warp, instruction, 3);
  T result[warpLanes];
  for (unsigned i = 0; i < warpLanes; ++i)
    result[i] = c[i] >= C(0) ? a[i] : b[i];
  storeLanes(slotOf<T>(warp, instruction, 0), result, lanes);
}

/// mov d, {a, b}: the first part is the lowest.
template <typename Whole, typename Part>
void runPack(Warp &warp, const Instruction &instruction, uint32_t lanes) {
  constexpr unsigned parts = sizeof(Whole) / sizeof(Part);
  Whole result[warpLanes] = {};
  for (unsigned k = 0; k < parts; ++k) {
    const Part *a = slotOf<Part>(warp, instruction, 1 + k);
    for (unsigned i = 0; i < warpLanes; ++i)
      result[i] |= Whole(a[i]) << (8 * sizeof(Part) * k);
  }
  storeLanes(slotOf<Whole>(warp, instruction, 0), result, lanes);
}

/// mov {d, e}, a.
template <typename Whole, typename Part>
void runUnpack(Warp &warp, const Instruction &instruction, uint32_t lanes) {
  constexpr unsigned parts = sizeof(Whole) / sizeof(Part);
  Whole from[warpLanes]; // a may be one of the results
  std::memcpy(from, slotOf<Whole>(warp, instruction, parts), sizeof(from));
  for (unsigned k = 0; k < parts; ++k) {
    Part result[warpLanes];
    for (unsigned i = 0; i < warpLanes; ++i)
      result[i] = Part(from[i] >> (8 * sizeof(Part) * k));
    storeLanes(slotOf<Part>(warp, instruction, k), result, lanes);
  }
}

/// A register to itself in the other address space: generic addresses of shared
/// and local memory are theirs plus a window, in `extra` as its number.
template <typename D, typename A, bool toGeneric>
void runConvertAddress(Warp &warp, const Instruction &instruction,
                       uint32_t lanes) {
  const A *a = slotOf<A>(warp, instruction, 1);
  uint64_t window = uint64_t(instruction.extra) << 56;
  D result[warpLanes];
  for (unsigned i = 0; i < warpLanes; ++i)
    result[i] =
        D(toGeneric ? uint64_t(a[i]) + window : uint64_t(a[i]) - window);
  storeLanes(slotOf<D>(warp, instruction, 0), result, lanes);
}

/// isspacep: `extra` as above; 0 is global memory.
void runIsSpace(Warp &warp, const Instruction &instruction, uint32_t lanes) {
  const uint64_t *a = slotOf<uint64_t>(warp, instruction, 1);
  uint32_t bits = 0;
  for (unsigned i = 0; i < warpLanes; ++i)
    bits |= uint32_t(a[i] >> 56 == instruction.extra) << i;
  storePredicate(warp, instruction, 0, bits, lanes);
}

void runNothing(Warp &, const Instruction &, uint32_t) {}
void runFence(Warp &warp, const Instruction &, uint32_t) {
  warp.block->noteFence();
}
void runTrap(Warp &warp, const Instruction &instruction, uint32_t lanes) {
  warp.block->raise(Fault::Trap, warp, instruction, firstLane(lanes),
                    "was executed");
}

template <typename T>
void addType(HandlerTable &table) {
  std::string bits = std::to_string(8 * sizeof(T)), one(1, letterOf(sizeof(T)));
  for (const char *kind : {".b", ".u", ".s", ".f"}) {
    std::string type = kind + bits;
    table.add("mov" + type, one + one, runMove<T>);
    table.add("selp" + type, one + one + one + "p", runSelect<T>);
    table.add("slct" + type + ".s32", one + one + one + "w",
              runSelectBySign<T, int32_t>);
    table.add("slct" + type + ".f32", one + one + one + "w",
              runSelectBySign<T, float>);
  }
}

template <typename Whole, typename Part>
void addPacking(HandlerTable &table) {
  constexpr unsigned parts = sizeof(Whole) / sizeof(Part);
  std::string whole(1, letterOf(sizeof(Whole))),
      list(parts, letterOf(sizeof(Part)));
  std::string text =
      ".b" + std::to_string(8 * sizeof(Whole)) + "." + std::to_string(parts);
  table.add("pack" + text, whole + list, runPack<Whole, Part>);
  table.add("unpack" + text, list + whole, runUnpack<Whole, Part>);
}

} // namespace

void SYMSHAPE_PTX_LANES::addMoves(HandlerTable &table) {
  addType<uint16_t>(table);
  addType<uint32_t>(table);
  addType<uint64_t>(table);
  table.add("mov.pred", "pp", runMovePredicate);
  addPacking<uint32_t, uint16_t>(table);
  addPacking<uint64_t, uint32_t>(table);
  addPacking<uint64_t, uint16_t>(table);
  static const char *const spaces[] = {".global", ".shared", ".local",
                                       ".param"};
  for (uint32_t space = 0; space < 4; ++space) {
    std::string name = spaces[space];
    table.add("cvta" + name + ".u64", "dd",
              runConvertAddress<uint64_t, uint64_t, true>, space);
    table.add("cvta.to" + name + ".u64", "dd",
              runConvertAddress<uint64_t, uint64_t, false>, space);
    table.add("isspacep" + name, "pd", runIsSpace, space);
  }
  table.add("cvta.const.u64", "dd", runMove<uint64_t>);
  table.add("cvta.to.const.u64", "dd", runMove<uint64_t>);
  for (const char *name :
       {"membar.cta", "membar.gl", "membar.sys", "fence.acq_rel.cta",
        "fence.acq_rel.gpu", "fence.acq_rel.sys", "fence.sc.cta",
        "fence.sc.gpu", "fence.sc.sys"})
    table.add(name, "", runFence);
  for (const char *name :
       {"griddepcontrol.wait", "griddepcontrol.launch_dependents"})
    table.add(name, "", runNothing);
  table.add("nanosleep.u32", "w", runNothing);
  table.add("trap", "", runTrap);
  table.add("brkpt", "", runTrap);
}

#include "EndOfLanes.h"
