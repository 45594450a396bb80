//===- Block.h - A block of threads while it runs ---------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Warps, their lanes, shared memory and who has synchronised with whom.
// Handlers work on these directly; Block.cpp runs the warps, Barriers.cpp makes
// them wait.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_PTXSIMULATOR_BLOCK_H
#define SYMSHAPE_PTXSIMULATOR_BLOCK_H

#include "DeviceMemory.h"
#include "Kernel.h"
#include "symshape/PTXSimulator/Simulator.h"

namespace mlir::symshape::ptx {

class Block;

/// Windows of generic addresses. Global memory has addresses of the process;
/// these are none.
constexpr uint64_t sharedWindow = uint64_t(1) << 56;
constexpr uint64_t localWindow = uint64_t(2) << 56;
constexpr uint64_t paramWindow = uint64_t(3) << 56;
/// The first address of shared and local memory, so that null is in neither.
constexpr uint64_t spaceBegin = 1024;

/// Lanes that are at the same instruction. A parked group waits for others to
/// come to its instruction.
struct Group {
  uint32_t pc = 0, lanes = 0;
  bool isParked = false;
};

/// A copy that was issued and is not waited for.
struct PendingCopy {
  uint32_t lane, group;
  uint64_t target; ///< in shared memory
  uint32_t bytes;
  uint8_t data[16];
};

/// Products of matrices that were issued and are not waited for, each added to
/// the one before.
struct PendingProduct {
  /// Of shared memory that it reads, for an instruction of a group.
  struct Read {
    uint32_t granule, group;
  };
  uint32_t group, line;         ///< of the last instruction
  std::vector<uint32_t> places; ///< of the registers of sums, in the frame
  std::vector<float> sums;      ///< of all lanes, register by register
  std::vector<Read> reads;
};

struct Warp {
  uint8_t *frame = nullptr; ///< 64-byte aligned
  Block *block = nullptr;
  uint32_t index = 0;
  uint32_t initial = 0, live = 0; ///< lanes
  uint32_t carry = 0;             ///< the flag of add.cc and its kind
  std::vector<Group> groups;      ///< by pc
  int waitsAt = -1;               ///< barrier; -1: none
  const Instruction *waitInstruction = nullptr;
  std::vector<PendingCopy> copies;
  uint32_t copyGroups[warpLanes] = {}; ///< committed, by lane
  std::vector<PendingProduct> products;
  uint32_t productGroups = 0; ///< committed
  /// Whether wgmma.fence was there since registers of sums were free.
  bool hasOrderedRegisters = false;
  /// Which products the warp has issued: the same ones as its group of four.
  uint64_t productTrace = 0;
  const Instruction *lastProduct = nullptr;

  template <typename T>
  T *slot(const Instruction &instruction, unsigned operand) {
    return reinterpret_cast<T *>(frame + instruction.operands[operand]);
  }
};

/// When accesses happened, as numbers that grow with each synchronisation.
///
/// A tag of an access is: bit 31 a copy that is not complete; bits 11 to 30 the
/// epoch; bit 10 a strong access; bits 0 to 9 the thread. `seen[w][v]` is the
/// last epoch of warp v that comes before whatever warp w does from now on.
///
/// Source: vector clocks, as race detectors for threads have them, of warps.
struct Clock {
  static constexpr uint32_t pendingBit = 1u << 31, strongBit = 1u << 10,
                            threadMask = 1023;
  static constexpr uint32_t epochShift = 11, lastEpoch = (1u << 20) - 1;
  static uint32_t epochOf(uint32_t tag) {
    return (tag & ~pendingBit) >> epochShift;
  }

  uint32_t epoch = 1;
  uint32_t blockBegin = 1; ///< older tags are of blocks that have ended
  uint32_t numWarps = 0;
  std::vector<uint32_t> seen;
  std::vector<uint32_t> oldestSeen; ///< by warp: what it has seen of every warp

  /// As `seen`, of writes that are known to asynchronous units as well; empty
  /// in kernels without products.
  std::vector<uint32_t> told;

  uint32_t &at(uint32_t warp, uint32_t other) {
    return seen[warp * numWarps + other];
  }
  uint32_t &known(uint32_t warp, uint32_t other) {
    return told[warp * numWarps + other];
  }
};

/// Shared memory and its history, per granule of 2^granule bytes: the last
/// write (0: none), the epoch of the last read, and the warps that read in it
/// or since a read that not all have seen.
struct SharedMemory {
  std::vector<uint8_t> bytes;
  uint64_t size = 0;
  uint8_t granule = 0;
  std::vector<uint32_t> writes, readEpochs, readWarps;
  /// Warps with a product in flight that reads it; empty in kernels without.
  std::vector<uint32_t> productReaders;
};

/// What `Instruction::extra` of a barrier says.
enum class BarrierKind : uint32_t { Sync, Arrive, RedPopc, RedAnd, RedOr };

/// Arrivals at a barrier.
struct BarrierState {
  uint32_t arrived = 0, expected = 0;  ///< lanes, of whole warps
  uint32_t waiting = 0, seenWarps = 0; ///< warps, as bits
  uint32_t trueLanes = 0, lanes = 0;   ///< of a reduction
};

/// One block of threads, reused for all of a launch.
class Block {
public:
  Block(const Kernel &kernel, const LaunchShape &shape,
        const std::vector<uint8_t> &params, DeviceMemory &memory,
        const SimulatorOptions &options);
  ~Block();

  /// Runs the block with these coordinates to its end; false after a fault.
  bool run(uint32_t x, uint32_t y, uint32_t z, uint32_t serial);

  /// Before the first block of a launch.
  void begin(uint32_t serial, bool runsBackward);

  // For handlers.
  /// Stops the block, unless it has been. `lane` is the one that did it.
  void raise(Fault::Kind kind, const Warp &warp, const Instruction &instruction,
             unsigned lane, const std::string &message);
  std::string nameOfThread(uint32_t thread) const;
  /// A race between a thread and an access with this tag.
  void raiseRace(const Warp &warp, const Instruction &instruction,
                 unsigned lane, uint32_t tag, bool tagIsWrite,
                 const std::string &where);
  void raiseGlobalRace(const Warp &warp, const Instruction &instruction,
                       unsigned lane, const Allocation &allocation,
                       uint64_t place, uint32_t owner, uint32_t tag);
  bool isFaulty() const { return fault.kind != Fault::None; }
  uint32_t tagOf(const Warp &warp, unsigned lane, bool isStrong) const {
    return clock.epoch << Clock::epochShift |
           (isStrong ? Clock::strongBit : 0) | (warp.index * warpLanes + lane);
  }
  /// Orders all that the lanes of a warp did before what they do from now on.
  void synchronizeWarp(Warp &warp);
  /// After an atomic operation, and after a fence: the two publish
  /// (conflictsGlobally).
  void noteAtomic();
  void noteFence() { hasFenced = true; }
  /// After a fence for asynchronous units, by all lanes of a warp.
  void noteProxyFence(Warp &warp);

  const Kernel &kernel;
  const LaunchShape &shape;
  const std::vector<uint8_t> &parameters;
  DeviceMemory &memory;
  const SimulatorOptions &options;
  SharedMemory shared;
  Clock clock;
  Fault fault;
  uint32_t serial = 0; ///< of this block, among all that the device has run
  uint32_t firstSerial = 0; ///< of this launch
  std::vector<uint32_t>
      published; ///< by block of this launch: the last epoch; 0: none
  bool hasFenced = false, hasAcquired = false;
  uint32_t coordinates[3] = {0, 0, 0};
  uint64_t instructions = 0, threadInstructions = 0;
  bool backward = false; ///< order of warps, and of lanes in atomics

  uint8_t *localOf(const Warp &warp, unsigned lane) {
    return local.data() + (warp.index * warpLanes + lane) * kernel.localBytes;
  }

private:
  void setUp(uint32_t x, uint32_t y, uint32_t z);
  void setSpecials(Warp &warp);
  uint64_t specialValue(Special which, const Warp &warp, unsigned lane) const;
  bool runWarps();
  void runWarp(Warp &warp);
  bool regroup(Warp &warp);
  bool advance(Warp &warp, Group &group, uint32_t limit, uint64_t end);
  void branchIndexed(Warp &warp, Group &group, const Instruction &instruction,
                     uint32_t lanes);
  void exit(Warp &warp, Group &group, uint32_t lanes);
  void converge(Warp &warp, Group &group, const Instruction &instruction,
                uint32_t lanes, bool isLast);
  static uint32_t guarded(const Warp &warp, const Instruction &instruction,
                          uint32_t lanes) {
    if (instruction.guard < 0)
      return lanes;
    uint32_t on =
        *reinterpret_cast<const uint32_t *>(warp.frame + instruction.guard);
    return lanes & (instruction.guardNegated ? ~on : on);
  }
  void arrive(Warp &warp, const Instruction &instruction, uint32_t lanes);
  void release(BarrierState &barrier);
  void finishReduction(Warp &warp, const BarrierState &barrier);
  void raiseDivergence(Warp &warp, const Instruction &instruction,
                       const Group &group, uint32_t missing);
  void raiseDeadlock();
  bool checkProducts();
  void advanceEpoch();

  std::vector<Warp> warps;
  std::vector<uint8_t> frames, local;
  BarrierState barriers[16];
};

} // namespace mlir::symshape::ptx

#endif // SYMSHAPE_PTXSIMULATOR_BLOCK_H
