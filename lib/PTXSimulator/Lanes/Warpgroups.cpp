//===- Warpgroups.cpp - wgmma ---------------------------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Products of matrices by four warps, asynchronous to them. Each warp computes
// its 16 rows when it issues the product, and gets the sums when it waits for
// them, as late as the hardware may; until then its registers are NaN, and
// nobody may write to what is multiplied.
//
// Sums are rounded as those of mma (Matrices.cpp), once per instruction.
//
//===----------------------------------------------------------------------===//

#include <algorithm>

#include "Addresses.h"
#include "SmallFloats.h"

using namespace mlir::symshape::ptx;
using namespace mlir::symshape::ptx::SYMSHAPE_PTX_LANES;

namespace {

constexpr unsigned warpRows = 16, terms = 16, mostColumns = 256;
constexpr unsigned chunkBytes = 16; ///< that stay together in every layout
constexpr unsigned chunkElements = 8;
constexpr unsigned warpgroupWarps = 4;
/// What registers hold while their sums are on their way.
constexpr uint32_t inFlight = 0xffffffffu;

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

struct Form {
  bool transposes[2], negates[2], fromRegisters;
  unsigned columns;
  explicit Form(uint32_t extra)
      : transposes{bool(extra & 1), bool(extra & 2)},
        negates{bool(extra & 4), bool(extra & 8)}, fromRegisters(extra & 16),
        columns(extra >> 8) {}
  unsigned countSums() const { return columns / 2; }
};

/// Checks a read of 16 bytes of shared memory, and notes it. Whoever wrote them
/// has to come before, and to have made them known to the unit that multiplies.
bool noteChunk(Warp &warp, const Instruction &instruction, uint64_t place,
               PendingProduct &product) {
  Block &block = *warp.block;
  SharedMemory &shared = block.shared;
  unsigned granule = shared.granule;
  for (uint64_t g = place >> granule; g < (place + chunkBytes) >> granule;
       ++g) {
    uint32_t tag = shared.writes[g], epoch = Clock::epochOf(tag);
    std::string where =
        "byte " + std::to_string(g << granule) + " of shared memory";
    if (epoch < block.clock.blockBegin) {
      if (!block.options.checkUninitialized)
        continue;
      block.raise(Fault::Uninitialized, warp, instruction, 0,
                  "reads " + where + ", which nothing was written to");
      return false;
    }
    if (!block.options.checkRaces)
      continue;
    uint32_t writer = (tag & Clock::threadMask) / warpLanes;
    uint32_t told = block.clock.known(warp.index, writer);
    bool isOrdered = writer == warp.index || epoch <= told ||
                     epoch <= block.clock.at(warp.index, writer);
    if (tag & Clock::pendingBit || !isOrdered) {
      block.raiseRace(warp, instruction, 0, tag, /*tagIsWrite=*/true, where);
      return false;
    }
    if (epoch > told) {
      block.raise(Fault::Race, warp, instruction, 0,
                  "reads " + where + ", which " +
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
bool readOperand(Warp &warp, const Instruction &instruction,
                 const Descriptor &descriptor, bool termsTogether,
                 unsigned first, unsigned count, PendingProduct &product,
                 Store store) {
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
void unpackRows(Warp &warp, const Instruction &instruction, unsigned first,
                double (&a)[warpRows][terms]) {
  using SYMSHAPE_PTX_LANES::widen;
  for (unsigned r = 0; r < 4; ++r) {
    const uint32_t *words = slotOf<uint32_t>(warp, instruction, first + r);
    for (unsigned l = 0; l < warpLanes; ++l)
      for (unsigned e = 0; e < 2; ++e)
        a[l / 4 + 8 * (r & 1)][2 * (l % 4) + e + 8 * (r >> 1)] =
            widen(T{uint16_t(words[l] >> (16 * e))});
  }
}

/// Whether nobody touched the registers of a product in flight.
bool checkRegisters(Warp &warp, const Instruction &instruction,
                    const PendingProduct &product) {
  for (uint32_t place : product.places) {
    const uint32_t *words =
        reinterpret_cast<const uint32_t *>(warp.frame + place);
    for (unsigned i = 0; i < warpLanes; ++i)
      if (words[i] != inFlight) {
        warp.block->raise(Fault::Race, warp, instruction, i,
                          "finds a register of sums written to before a "
                          "product of line " +
                              std::to_string(product.line) + " was waited for");
        return false;
      }
  }
  return true;
}

/// The product in flight whose sums have these registers; null after a fault
/// or if there is none.
PendingProduct *findProduct(Warp &warp, const Instruction &instruction,
                            const std::vector<uint32_t> &places) {
  for (PendingProduct &product : warp.products) {
    if (product.places == places)
      return checkRegisters(warp, instruction, product) ? &product : nullptr;
    for (uint32_t place : product.places)
      if (std::find(places.begin(), places.end(), place) != places.end()) {
        warp.block->raise(Fault::Race, warp, instruction, 0,
                          "has some of the registers of a product of line " +
                              std::to_string(product.line) +
                              " that is not waited for");
        return nullptr;
      }
  }
  return nullptr;
}

/// Element r of lane l has row l / 4 + 8 * (r / 2 % 2) of the warp's and column
/// 8 * (r / 4) + 2 * (l % 4) + r % 2 (PTX ISA, "Register Fragments and Shared
/// Memory Matrix Layouts").
unsigned rowOf(unsigned r, unsigned l) { return l / 4 + 8 * (r / 2 % 2); }
unsigned columnOf(unsigned r, unsigned l) {
  return 8 * (r / 4) + 2 * (l % 4) + r % 2;
}

using Sums = double[warpRows][mostColumns];

void multiply(const double (&a)[warpRows][terms],
              const double (&b)[terms][mostColumns], unsigned columns,
              Sums &sums) {
  for (unsigned i = 0; i < warpRows; ++i)
    for (unsigned k = 0; k < terms; ++k) {
      double factor = a[i][k];
      for (unsigned j = 0; j < columns; ++j)
        sums[i][j] += factor * b[k][j];
    }
}

/// Whether the warp may issue a product now.
bool checkIssue(Warp &warp, const Instruction &instruction, bool isChained) {
  Block &block = *warp.block;
  auto fail = [&](Fault::Kind kind, const char *message) {
    block.raise(kind, warp, instruction, 0, message);
    return false;
  };
  if ((warp.index / warpgroupWarps + 1) * warpgroupWarps > block.clock.numWarps)
    return fail(Fault::Divergence,
                "is executed by a warp that is not in a group of four");
  if (!isChained && !warp.hasOrderedRegisters)
    return fail(Fault::Race, "follows no wgmma.fence, which has to come "
                             "between it and what its registers had");
  return true;
}

/// Operands: the sums; A as a descriptor or as four registers; a descriptor of
/// B; whether the sums are added to.
template <typename T>
void runProduct(Warp &warp, const Instruction &instruction, uint32_t lanes) {
  static thread_local double a[warpRows][terms], b[terms][mostColumns];
  static thread_local Sums sums;
  Block &block = *warp.block;
  Form form(instruction.extra);
  unsigned numSums = form.countSums();
  unsigned firstA = numSums, placeB = firstA + (form.fromRegisters ? 4 : 1);
  std::vector<uint32_t> places(instruction.operands,
                               instruction.operands + numSums);
  PendingProduct *before = findProduct(warp, instruction, places);
  if (block.isFaulty() || !checkIssue(warp, instruction, before != nullptr))
    return;
  if (!before) {
    warp.products.emplace_back();
    before = &warp.products.back();
    before->places = places;
    before->sums.resize(size_t(numSums) * warpLanes);
    for (unsigned r = 0; r < numSums; ++r)
      std::memcpy(&before->sums[r * warpLanes],
                  slotOf<float>(warp, instruction, r),
                  warpLanes * sizeof(float));
  }
  PendingProduct &product = *before;
  product.group = warp.productGroups;
  product.line = instruction.line;
  uint32_t adds = predicateOf(warp, instruction, placeB + 1) & lanes;
  if (adds != 0 && adds != lanes) {
    block.raise(Fault::Divergence, warp, instruction, firstLane(adds),
                "has a predicate that differs between lanes");
    return;
  }
  for (unsigned r = 0; r < numSums; ++r)
    for (unsigned l = 0; l < warpLanes; ++l)
      sums[rowOf(r, l)][columnOf(r, l)] =
          adds ? double(product.sums[r * warpLanes + l]) : 0.0;
  auto descriptorOf = [&](unsigned operand) {
    const uint64_t *bits = slotOf<uint64_t>(warp, instruction, operand);
    Descriptor descriptor(bits[0]);
    for (unsigned i = 1; i < warpLanes; ++i)
      descriptor.isKnown &= bits[i] == bits[0];
    if (!descriptor.isKnown)
      block.raise(Fault::Launch, warp, instruction, 0,
                  "expects a descriptor that all lanes have, with a base "
                  "offset of 0");
    return descriptor;
  };
  float signA = form.negates[0] ? -1 : 1, signB = form.negates[1] ? -1 : 1;
  if (form.fromRegisters) {
    unpackRows<T>(warp, instruction, firstA, a);
    for (auto &row : a)
      for (double &element : row)
        element *= signA;
  } else {
    Descriptor descriptor = descriptorOf(firstA);
    if (block.isFaulty() ||
        !readOperand<T>(
            warp, instruction, descriptor, !form.transposes[0],
            warp.index % warpgroupWarps * warpRows, warpRows, product,
            [&](unsigned i, unsigned k, float x) { a[i][k] = signA * x; }))
      return;
  }
  Descriptor descriptor = descriptorOf(placeB);
  if (block.isFaulty() ||
      !readOperand<T>(
          warp, instruction, descriptor, !form.transposes[1], 0, form.columns,
          product,
          [&](unsigned j, unsigned k, float x) { b[k][j] = signB * x; }))
    return;
  multiply(a, b, form.columns, sums);
  for (unsigned r = 0; r < numSums; ++r) {
    uint32_t *registers = slotOf<uint32_t>(warp, instruction, r);
    for (unsigned l = 0; l < warpLanes; ++l) {
      float sum = float(sums[rowOf(r, l)][columnOf(r, l)]);
      product.sums[r * warpLanes + l] =
          sum != sum ? bitsAs<float>(0x7fffffffu) : sum;
      registers[l] = inFlight;
    }
  }
  warp.productTrace = warp.productTrace * 31 + instruction.line;
  warp.lastProduct = &instruction;
}

void runOrder(Warp &warp, const Instruction &, uint32_t) {
  warp.hasOrderedRegisters = true;
}

void runCommitProducts(Warp &warp, const Instruction &, uint32_t) {
  ++warp.productGroups;
}

/// Notes that instructions of groups before `end` have read shared memory, and
/// that the other ones still may.
void endReads(Warp &warp, PendingProduct &product, uint32_t end) {
  Block &block = *warp.block;
  SharedMemory &shared = block.shared;
  size_t kept = 0;
  for (const PendingProduct::Read &read : product.reads) {
    uint32_t g = read.granule;
    if (read.group >= end) {
      shared.productReaders[g] |= 1u << warp.index;
      product.reads[kept++] = read;
      continue;
    }
    bool isOld = shared.readEpochs[g] <= block.clock.oldestSeen[warp.index];
    shared.readWarps[g] = (isOld ? 0 : shared.readWarps[g]) | 1u << warp.index;
    shared.readEpochs[g] = block.clock.epoch;
  }
  product.reads.resize(kept);
}

/// Waits for all groups but the last `extra`.
void runWaitForProducts(Warp &warp, const Instruction &instruction, uint32_t) {
  SharedMemory &shared = warp.block->shared;
  // What comes next may read and write registers of sums.
  warp.hasOrderedRegisters = false;
  uint32_t end = warp.productGroups > instruction.extra
                     ? warp.productGroups - instruction.extra
                     : 0;
  for (PendingProduct &product : warp.products)
    for (const PendingProduct::Read &read : product.reads)
      shared.productReaders[read.granule] &= ~(1u << warp.index);
  size_t kept = 0;
  for (size_t i = 0; i < warp.products.size(); ++i) {
    PendingProduct &product = warp.products[i];
    endReads(warp, product, end);
    if (product.group < end) {
      if (!checkRegisters(warp, instruction, product))
        return;
      for (size_t r = 0; r < product.places.size(); ++r)
        std::memcpy(warp.frame + product.places[r],
                    &product.sums[r * warpLanes], warpLanes * sizeof(float));
      continue;
    }
    if (kept != i)
      warp.products[kept] = std::move(product);
    ++kept;
  }
  warp.products.resize(kept);
}

/// What these lanes wrote, and what they know was written, is known to units
/// that are asynchronous to them.
void runProxyFence(Warp &warp, const Instruction &, uint32_t lanes) {
  if (lanes == warp.live)
    warp.block->noteProxyFence(warp);
}

} // namespace

void SYMSHAPE_PTX_LANES::addWarpgroups(HandlerTable &table) {
  table.addConverging("wgmma.f16", "", runProduct<F16>, -1);
  table.addConverging("wgmma.bf16", "", runProduct<BF16>, -1);
  table.addConverging("wgmma.fence.sync.aligned", "", runOrder, -1);
  table.addConverging("wgmma.commit_group.sync.aligned", "", runCommitProducts,
                      -1);
  table.addConverging("wgmma.wait_group.sync.aligned", "", runWaitForProducts,
                      -1);
  for (const char *name :
       {"fence.proxy.async", "fence.proxy.async.shared::cta"})
    table.add(name, "", runProxyFence);
}

#include "EndOfLanes.h"
