//===- Lanes.h - Operations on the lanes of a warp --------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loops over 32 lanes that a compiler turns into vector instructions. Sources
// that include this header end with EndOfLanes.h; they are compiled once per
// kind of processor, in a namespace that the build names. What stands between
// the two headers may use its instructions, and nothing else may: an inline
// function of another header could end up in the program as it was compiled for
// the newer processor.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_PTXSIMULATOR_LANES_LANES_H
#define SYMSHAPE_PTXSIMULATOR_LANES_LANES_H

#include "../Block.h"
#include "../HandlerTable.h"
#include <cstring>

#ifndef SYMSHAPE_PTX_LANES
#define SYMSHAPE_PTX_LANES lanesBase
#endif
#ifdef SYMSHAPE_PTX_AVX2
#pragma clang attribute push(                                                  \
    __attribute__((target("avx2,fma,bmi,bmi2,lzcnt,popcnt"))),                 \
    apply_to = function)
#endif

namespace mlir::symshape::ptx::SYMSHAPE_PTX_LANES {

void addIntegers(HandlerTable &table);
void addBits(HandlerTable &table);
void addFloats(HandlerTable &table);
void addRoundedFloats(HandlerTable &table);
void addApproximations(HandlerTable &table);
void addHalves(HandlerTable &table);
void addComparisons(HandlerTable &table);
void addConversions(HandlerTable &table);
void addMoves(HandlerTable &table);
void addAccesses(HandlerTable &table);
void addAtomics(HandlerTable &table);
void addExchanges(HandlerTable &table);
void addMatrices(HandlerTable &table);
void addCopies(HandlerTable &table);
void addWarpgroups(HandlerTable &table);

/// All of the above.
void addAll(HandlerTable &table);

template <typename T>
static inline T *slotOf(Warp &warp, const Instruction &instruction,
                        unsigned operand) {
  return static_cast<T *>(
      __builtin_assume_aligned(warp.frame + instruction.operands[operand], 64));
}

/// The predicate of an operand, a bit per lane.
static inline uint32_t &predicateOf(Warp &warp, const Instruction &instruction,
                                    unsigned operand) {
  return *reinterpret_cast<uint32_t *>(warp.frame +
                                       instruction.operands[operand]);
}

static inline bool isOn(uint32_t lanes, unsigned lane) {
  return lanes >> lane & 1;
}

static inline unsigned firstLane(uint32_t lanes) {
  return unsigned(__builtin_ctz(lanes));
}

/// Stores the lanes whose bits are set.
template <typename T>
static inline void storeLanes(T *to, const T *from, uint32_t lanes) {
  if (lanes == allLanes) {
    std::memcpy(to, from, sizeof(T) * warpLanes);
    return;
  }
  for (unsigned i = 0; i < warpLanes; ++i)
    to[i] = isOn(lanes, i) ? from[i] : to[i];
}

static inline void storePredicate(Warp &warp, const Instruction &instruction,
                                  unsigned operand, uint32_t value,
                                  uint32_t lanes) {
  uint32_t &place = predicateOf(warp, instruction, operand);
  place = (place & ~lanes) | (value & lanes);
}

/// The bits of lanes for which `on` is not 0.
static inline uint32_t packLanes(const uint8_t *on) {
  uint32_t bits = 0;
  for (unsigned i = 0; i < warpLanes; ++i)
    bits |= uint32_t(on[i] & 1) << i;
  return bits;
}

/// d = Op(a): `Op::apply` of one lane.
template <typename Op, typename D, typename A>
static void runUnary(Warp &warp, const Instruction &instruction,
                     uint32_t lanes) {
  const A *a = slotOf<A>(warp, instruction, 1);
  D result[warpLanes];
  for (unsigned i = 0; i < warpLanes; ++i)
    result[i] = Op::apply(a[i]);
  storeLanes(slotOf<D>(warp, instruction, 0), result, lanes);
}

template <typename Op, typename D, typename A, typename B = A>
static void runBinary(Warp &warp, const Instruction &instruction,
                      uint32_t lanes) {
  const A *a = slotOf<A>(warp, instruction, 1);
  const B *b = slotOf<B>(warp, instruction, 2);
  D result[warpLanes];
  for (unsigned i = 0; i < warpLanes; ++i)
    result[i] = Op::apply(a[i], b[i]);
  storeLanes(slotOf<D>(warp, instruction, 0), result, lanes);
}

template <typename Op, typename D, typename A, typename B = A, typename C = D>
static void runTernary(Warp &warp, const Instruction &instruction,
                       uint32_t lanes) {
  const A *a = slotOf<A>(warp, instruction, 1);
  const B *b = slotOf<B>(warp, instruction, 2);
  const C *c = slotOf<C>(warp, instruction, 3);
  D result[warpLanes];
  for (unsigned i = 0; i < warpLanes; ++i)
    result[i] = Op::apply(a[i], b[i], c[i]);
  storeLanes(slotOf<D>(warp, instruction, 0), result, lanes);
}

/// The letter of `HandlerEntry::operands` for elements of this many bytes.
static inline char letterOf(unsigned bytes) {
  return bytes == 2 ? 'h' : bytes == 4 ? 'w' : 'd';
}

template <typename T, typename U>
static inline T bitsAs(U value) {
  static_assert(sizeof(T) == sizeof(U), "the same number of bits");
  T result;
  std::memcpy(&result, &value, sizeof(T));
  return result;
}

} // namespace mlir::symshape::ptx::SYMSHAPE_PTX_LANES

#endif // SYMSHAPE_PTXSIMULATOR_LANES_LANES_H
