//===- ProductOperands.h - What wgmma reads ---------------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operands in shared memory, by their descriptors, and in registers. Reads are
// checked as those of a unit that is asynchronous to the warps.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_PTXSIMULATOR_LANES_PRODUCTOPERANDS_H
#define SYMSHAPE_PTXSIMULATOR_LANES_PRODUCTOPERANDS_H

#include "SmallFloats.h"

namespace mlir::symshape::ptx::SYMSHAPE_PTX_LANES {

constexpr unsigned warpRows = 16, terms = 16;
constexpr unsigned chunkBytes = 16; ///< that stay together in every layout
constexpr unsigned chunkElements = 8;
/// An operand in shared memory, as a descriptor of 64 bits names it: its
/// address, two strides, and the bytes of a row whose chunks are swizzled. Bits
/// 49 to 51, for patterns that begin elsewhere than at a multiple of their
/// size, have to be 0. Source: PTX ISA, "Matrix Descriptor Format".
struct Descriptor {
  uint64_t start, leading, stride;
  unsigned rowBytes; ///< 16: not swizzled
  bool isKnown;

  explicit Descriptor(uint64_t bits)
      : start((bits & 0x3fff) << 4), leading((bits >> 16 & 0x3fff) << 4),
        stride((bits >> 32 & 0x3fff) << 4),
        rowBytes(bits >> 62 == 0 ? 16 : 256 >> (bits >> 62)),
        isKnown((bits >> 49 & 7) == 0) {}

  /// Where the chunk of element `across` (row of A, column of B) and `term`
  /// begins. Eight neighbouring terms are a chunk, or eight neighbours across.
  ///
  /// Eight rows of `rowBytes` bytes are a block that follows the last one after
  /// `stride` bytes, and what does not fit in a row is `leading` bytes away;
  /// without swizzling it is the other way around where chunks are across.
  /// Swizzling changes bits 4 to 6 of an address, or the lower ones of them, by
  /// exclusive or with bits 7 to 9. Source: PTX ISA, "Strides", and "Shared
  /// Memory Matrix Layout".
  uint64_t place(unsigned across, unsigned term, bool termsTogether) const {
    unsigned along = (termsTogether ? term : across) / chunkElements;
    unsigned row = termsTogether ? across : term;
    unsigned inRow = rowBytes / chunkBytes;
    uint64_t next = leading, block = stride;
    if (rowBytes == chunkBytes && !termsTogether)
      std::swap(next, block);
    uint64_t address = start + row % 8 * rowBytes + row / 8 * block +
                       along % inRow * chunkBytes + along / inRow * next;
    return address ^ ((address >> 7 & (inRow - 1)) << 4);
  }
};

/// Checks a read of 16 bytes of shared memory, and notes it. Whoever wrote them
/// has to come before, and to have made them known to the unit that multiplies.
static inline bool noteChunk(Warp &warp, const Instruction &instruction,
                             uint64_t place, PendingProduct &product) {
  Block &block = *warp.block;
  SharedMemory &shared = block.shared;
  unsigned granule = shared.granule;
  for (uint64_t g = place >> granule; g < (place + chunkBytes) >> granule;
       ++g) {
    uint32_t tag = shared.writes[g], epoch = Clock::epochOf(tag);
    auto where = [&]() {
      return "byte " + std::to_string(g << granule) + " of shared memory";
    };
    if (epoch < block.clock.blockBegin) {
      if (!block.options.checkUninitialized)
        continue;
      block.raise(Fault::Uninitialized, warp, instruction, 0,
                  "reads " + where() + ", which nothing was written to");
      return false;
    }
    if (!block.options.checkRaces)
      continue;
    uint32_t writer = (tag & Clock::threadMask) / warpLanes;
    uint32_t told = block.clock.known(warp.index, writer);
    bool isOrdered = writer == warp.index || epoch <= told ||
                     epoch <= block.clock.at(warp.index, writer);
    if (tag & Clock::pendingBit || !isOrdered) {
      block.raiseRace(warp, instruction, 0, tag, /*tagIsWrite=*/true, where());
      return false;
    }
    if (epoch > told) {
      block.raise(Fault::Race, warp, instruction, 0,
                  "reads " + where() + ", which " +
                      block.nameOfThread(tag & Clock::threadMask) +
                      " wrote without fence.proxy.async in between");
      return false;
    }
    shared.productReaders[g] |= 1u << warp.index;
    product.reads.push_back({uint32_t(g), product.group});
  }
  return true;
}

/// Reads rows or columns `first` to `first + count - 1` of an operand: `store`
/// gets which one, the term, and the element.
template <typename T, typename Store>
static inline bool readOperand(Warp &warp, const Instruction &instruction,
                               const Descriptor &descriptor, bool termsTogether,
                               unsigned first, unsigned count,
                               PendingProduct &product, Store store) {
  using SYMSHAPE_PTX_LANES::widen;
  const SharedMemory &shared = warp.block->shared;
  unsigned acrossStep = termsTogether ? 1 : chunkElements,
           termStep = termsTogether ? chunkElements : 1;
  for (unsigned across = 0; across < count; across += acrossStep)
    for (unsigned term = 0; term < terms; term += termStep) {
      uint64_t address = descriptor.place(first + across, term, termsTogether);
      uint64_t place = address - spaceBegin;
      if (place > shared.size || chunkBytes > shared.size - place) {
        warp.block->raise(Fault::Bounds, warp, instruction, 0,
                          "reads 16 bytes at " + std::to_string(address) +
                              ": the block's shared memory has " +
                              std::to_string(shared.size) + " bytes from " +
                              std::to_string(spaceBegin));
        return false;
      }
      if (!noteChunk(warp, instruction, place, product))
        return false;
      T elements[chunkElements];
      std::memcpy(elements, shared.bytes.data() + place, chunkBytes);
      for (unsigned e = 0; e < chunkElements; ++e)
        store(across + (termsTogether ? 0 : e), term + (termsTogether ? e : 0),
              widen(elements[e]));
    }
  return true;
}

/// A of a warp in four registers, as that of mma.m16n8k16.
template <typename T>
static inline void unpackRows(Warp &warp, const Instruction &instruction,
                              unsigned first, double (&a)[warpRows][terms]) {
  using SYMSHAPE_PTX_LANES::widen;
  for (unsigned r = 0; r < 4; ++r) {
    const uint32_t *words = slotOf<uint32_t>(warp, instruction, first + r);
    for (unsigned l = 0; l < warpLanes; ++l)
      for (unsigned e = 0; e < 2; ++e)
        a[l / 4 + 8 * (r & 1)][2 * (l % 4) + e + 8 * (r >> 1)] =
            widen(T{uint16_t(words[l] >> (16 * e))});
  }
}

} // namespace mlir::symshape::ptx::SYMSHAPE_PTX_LANES

#endif // SYMSHAPE_PTXSIMULATOR_LANES_PRODUCTOPERANDS_H
