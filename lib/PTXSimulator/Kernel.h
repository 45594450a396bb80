//===- Kernel.h - A kernel in the form that is run --------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Instructions as a flat array, calls expanded, each with the function that
// runs it for the lanes of a warp. All operands, constants and special
// registers as well, are places in the frame of a warp: 32 elements side by
// side, in lane order, or for predicates one word with a bit per lane.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_PTXSIMULATOR_KERNEL_H
#define SYMSHAPE_PTXSIMULATOR_KERNEL_H

#include "Module.h"

namespace mlir::symshape::ptx {

struct Allocation;
struct Instruction;
struct Warp;

constexpr unsigned warpLanes = 32;
constexpr uint32_t allLanes = 0xffffffffu;

/// Runs an instruction for the lanes whose bits are set, at least one.
using Handler = void (*)(Warp &warp, const Instruction &instruction,
                         uint32_t lanes);

/// What comes after an instruction.
enum class Flow : uint8_t {
  Plain,         ///< the next one
  Branch,        ///< `extra` is the target
  IndexedBranch, ///< the operands after the first are targets
  Exit,          ///< nothing, for these lanes
  Converge, ///< the next one; the lanes that it names have to come together
  Barrier,  ///< the next one, when the barrier is complete
};

struct Instruction {
  Handler run = nullptr;
  const uint32_t *operands = nullptr; ///< bytes from the begin of the frame
  int64_t offset = 0, offset2 = 0;    ///< of addresses
  uint32_t extra = 0;                 ///< means something to the handler
  uint32_t line = 0;
  int32_t guard = -1; ///< the place of a predicate; -1: none
  uint32_t name = 0;  ///< of the opcode, in `Kernel::names`
  bool guardNegated = false;
  Flow flow = Flow::Plain;
  int8_t member = -1; ///< of `Flow::Converge`, as in HandlerEntry
  uint16_t numOperands = 0;
  // Of accesses to memory.
  Space space = Space::Generic;
  uint8_t vector = 1;      ///< elements
  uint8_t accessBytes = 0; ///< of all elements
  bool isWrite = false;
  bool isStrong = false; ///< atomic, relaxed or volatile: no race with its kind
  mutable Allocation *cached = nullptr; ///< where its last access was
};

/// A register that the hardware sets.
enum class Special : uint8_t {
  TidX,
  TidY,
  TidZ,
  NtidX,
  NtidY,
  NtidZ,
  CtaidX,
  CtaidY,
  CtaidZ,
  NctaidX,
  NctaidY,
  NctaidZ,
  LaneId,
  WarpId,
  NwarpId,
  SmId,
  NsmId,
  GridId,
  LanemaskEq,
  LanemaskLe,
  LanemaskLt,
  LanemaskGe,
  LanemaskGt,
  Clock,
  Clock64,
  TotalSharedBytes,
  DynamicSharedBytes,
};

/// Owner: the module that was loaded. Unchanged once it is made, but for
/// `Instruction::cached`.
struct Kernel {
  struct Constant {
    uint32_t place;
    uint8_t bytes; ///< of an element
    uint64_t value;
  };
  struct SpecialRegister {
    uint32_t place;
    Special which;
    bool isWide; ///< 64 bits
  };

  std::string name;
  std::vector<Instruction> code;
  std::vector<uint32_t> operands;
  std::vector<std::string> names;
  std::vector<Constant> constants;
  std::vector<SpecialRegister> specials;
  uint32_t frameBytes = 0;
  std::vector<Variable>
      parameters; ///< `count` elements each, at the same index in
  std::vector<uint64_t> parameterPlaces;
  uint64_t parameterBytes = 0;
  uint64_t staticSharedBytes = 0; ///< where dynamic shared memory begins
  uint64_t dynamicAlignment = 1;
  uint64_t localBytes = 0;  ///< of a thread
  bool hasProducts = false; ///< by four warps, asynchronous to them
  uint32_t maxThreads[3] = {0, 0, 0}, requiredThreads[3] = {0, 0, 0};
  /// log2 of the bytes that no access to shared, or to global memory divides.
  uint8_t sharedGranule = 4, globalGranule = 4;
};

} // namespace mlir::symshape::ptx

#endif // SYMSHAPE_PTXSIMULATOR_KERNEL_H
