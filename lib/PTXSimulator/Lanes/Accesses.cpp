//===- Accesses.cpp - ld and st -------------------------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The decoder makes names such as ld.s16.w of their many spellings: the type in
// memory, and the width of the registers.
//
//===----------------------------------------------------------------------===//

#include "Addresses.h"

using namespace mlir::symshape::ptx;
using namespace mlir::symshape::ptx::SYMSHAPE_PTX_LANES;

namespace {

/// Elements of type M, extended to registers of type R. Operand 0 is the
/// address.
template <typename M, typename R>
void runLoad(Warp &warp, const Instruction &instruction, uint32_t lanes) {
  Places places;
  readAddresses(warp, instruction, places);
  if (!locate(warp, instruction, lanes, places))
    return;
  for (unsigned k = 0; k < instruction.vector; ++k) {
    R result[warpLanes];
    for (unsigned i = 0; i < warpLanes; ++i) {
      M value;
      std::memcpy(&value, places.bytes[i] + k * sizeof(M), sizeof(M));
      result[i] = R(value);
    }
    storeLanes(slotOf<R>(warp, instruction, 1 + k), result, lanes);
  }
}

template <typename M, typename R>
void runStore(Warp &warp, const Instruction &instruction, uint32_t lanes) {
  Places places;
  readAddresses(warp, instruction, places);
  if (!locate(warp, instruction, lanes, places))
    return;
  for (unsigned k = 0; k < instruction.vector; ++k) {
    const R *from = slotOf<R>(warp, instruction, 1 + k);
    for (unsigned i = 0; i < warpLanes; ++i) {
      M value = M(from[i]);
      if (isOn(lanes, i))
        std::memcpy(places.bytes[i] + k * sizeof(M), &value, sizeof(M));
    }
  }
}

template <typename M>
void addType(HandlerTable &table, const std::string &type) {
  if (sizeof(M) <= 2)
    table.add(
        "ld." + type + ".h", "",
        runLoad<M, std::conditional_t<(M(-1) < M(0)), int16_t, uint16_t>>);
  if (sizeof(M) <= 4)
    table.add(
        "ld." + type + ".w", "",
        runLoad<M, std::conditional_t<(M(-1) < M(0)), int32_t, uint32_t>>);
  table.add("ld." + type + ".d", "",
            runLoad<M, std::conditional_t<(M(-1) < M(0)), int64_t, uint64_t>>);
  if (sizeof(M) <= 2)
    table.add("st." + type + ".h", "", runStore<M, uint16_t>);
  if (sizeof(M) <= 4)
    table.add("st." + type + ".w", "", runStore<M, uint32_t>);
  table.add("st." + type + ".d", "", runStore<M, uint64_t>);
}

} // namespace

void SYMSHAPE_PTX_LANES::addAccesses(HandlerTable &table) {
  addType<uint8_t>(table, "u8");
  addType<int8_t>(table, "s8");
  addType<uint16_t>(table, "u16");
  addType<int16_t>(table, "s16");
  addType<uint32_t>(table, "u32");
  addType<int32_t>(table, "s32");
  addType<uint64_t>(table, "u64");
}

#include "EndOfLanes.h"
