//===- Addresses.h - From addresses of lanes to bytes -----------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every access to memory goes through `locate`, which checks it.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_PTXSIMULATOR_LANES_ADDRESSES_H
#define SYMSHAPE_PTXSIMULATOR_LANES_ADDRESSES_H

#include "Lanes.h"

namespace mlir::symshape::ptx::SYMSHAPE_PTX_LANES {

/// Addresses of lanes, and where the bytes are; those of lanes that do not take
/// part are a few bytes that nobody uses.
struct Places {
  uint64_t address[warpLanes];
  uint8_t *bytes[warpLanes];
};

/// Fills `address` from operand 0, a register of 64 bits, or of 32 if the low
/// bit of `Instruction::extra` is set.
void readAddresses(Warp &warp, const Instruction &instruction, Places &places);

/// Checks accesses of `Instruction::accessBytes` at `places.address`, notes
/// them in the history, and fills `places.bytes`. False after a fault.
bool locate(Warp &warp, const Instruction &instruction, uint32_t lanes,
            Places &places);

/// The same, of a space that may differ from the instruction's.
bool locateIn(Warp &warp, const Instruction &instruction, Space space,
              uint32_t lanes, Places &places);

/// The same for shared memory, without the history: `places.address` becomes
/// the distance from its begin.
bool locateShared(Warp &warp, const Instruction &instruction, uint32_t lanes,
                  unsigned bytes, Places &places);

} // namespace mlir::symshape::ptx::SYMSHAPE_PTX_LANES

#endif // SYMSHAPE_PTXSIMULATOR_LANES_ADDRESSES_H
