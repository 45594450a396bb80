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

#include "ProductOperands.h"

using namespace mlir::symshape::ptx;
using namespace mlir::symshape::ptx::SYMSHAPE_PTX_LANES;

namespace {

constexpr unsigned mostColumns = 256, warpgroupWarps = 4;
/// What registers hold while their sums are on their way.
constexpr uint32_t inFlight = 0xffffffffu;

struct Form {
  bool transposes[2], negates[2], fromRegisters;
  unsigned columns;
  explicit Form(uint32_t extra)
      : transposes{bool(extra & 1), bool(extra & 2)},
        negates{bool(extra & 4), bool(extra & 8)}, fromRegisters(extra & 16),
        columns(extra >> 8) {}
  unsigned countSums() const { return columns / 2; }
  unsigned placeB() const { return countSums() + (fromRegisters ? 4 : 1); }
};

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

/// The descriptor that an operand holds, which is the same for all lanes.
Descriptor descriptorOf(Warp &warp, const Instruction &instruction,
                        unsigned operand) {
  const uint64_t *bits = slotOf<uint64_t>(warp, instruction, operand);
  Descriptor descriptor(bits[0]);
  for (unsigned i = 1; i < warpLanes; ++i)
    descriptor.isKnown &= bits[i] == bits[0];
  if (!descriptor.isKnown)
    warp.block->raise(Fault::Launch, warp, instruction, 0,
                      "expects a descriptor that all lanes have, with a base "
                      "offset of 0");
  return descriptor;
}

/// The product in flight that these registers are of, or a new one that begins
/// with what they hold; null after a fault.
PendingProduct *beginProduct(Warp &warp, const Instruction &instruction,
                             unsigned numSums) {
  std::vector<uint32_t> places(instruction.operands,
                               instruction.operands + numSums);
  PendingProduct *product = findProduct(warp, instruction, places);
  if (warp.block->isFaulty() ||
      !checkIssue(warp, instruction, product != nullptr))
    return nullptr;
  if (!product) {
    warp.products.emplace_back();
    product = &warp.products.back();
    product->places = places;
    product->sums.resize(size_t(numSums) * warpLanes);
    for (unsigned r = 0; r < numSums; ++r)
      std::memcpy(&product->sums[r * warpLanes],
                  slotOf<float>(warp, instruction, r),
                  warpLanes * sizeof(float));
  }
  product->group = warp.productGroups;
  product->line = instruction.line;
  return product;
}

/// The rows of A that are this warp's, and B; false after a fault.
template <typename T>
bool readOperands(Warp &warp, const Instruction &instruction, const Form &form,
                  PendingProduct &product, double (&a)[warpRows][terms],
                  double (&b)[terms][mostColumns]) {
  Block &block = *warp.block;
  unsigned firstA = form.countSums();
  float signA = form.negates[0] ? -1 : 1, signB = form.negates[1] ? -1 : 1;
  if (form.fromRegisters) {
    unpackRows<T>(warp, instruction, firstA, a);
    for (auto &row : a)
      for (double &element : row)
        element *= signA;
  } else {
    Descriptor descriptor = descriptorOf(warp, instruction, firstA);
    if (block.isFaulty() ||
        !readOperand<T>(
            warp, instruction, descriptor, !form.transposes[0],
            warp.index % warpgroupWarps * warpRows, warpRows, product,
            [&](unsigned i, unsigned k, float x) { a[i][k] = signA * x; }))
      return false;
  }
  Descriptor descriptor = descriptorOf(warp, instruction, form.placeB());
  return !block.isFaulty() &&
         readOperand<T>(
             warp, instruction, descriptor, !form.transposes[1], 0,
             form.columns, product,
             [&](unsigned j, unsigned k, float x) { b[k][j] = signB * x; });
}

/// Operands: the sums; A as a descriptor or as four registers; a descriptor of
/// B; whether the sums are added to.
template <typename T>
void runProduct(Warp &warp, const Instruction &instruction, uint32_t lanes) {
  static thread_local double a[warpRows][terms], b[terms][mostColumns];
  static thread_local Sums sums;
  Form form(instruction.extra);
  unsigned numSums = form.countSums();
  PendingProduct *product = beginProduct(warp, instruction, numSums);
  if (!product)
    return;
  uint32_t adds = predicateOf(warp, instruction, form.placeB() + 1) & lanes;
  if (adds != 0 && adds != lanes) {
    warp.block->raise(Fault::Divergence, warp, instruction, firstLane(adds),
                      "has a predicate that differs between lanes");
    return;
  }
  for (unsigned r = 0; r < numSums; ++r)
    for (unsigned l = 0; l < warpLanes; ++l)
      sums[rowOf(r, l)][columnOf(r, l)] =
          adds ? double(product->sums[r * warpLanes + l]) : 0.0;
  if (!readOperands<T>(warp, instruction, form, *product, a, b))
    return;
  multiply(a, b, form.columns, sums);
  for (unsigned r = 0; r < numSums; ++r) {
    uint32_t *registers = slotOf<uint32_t>(warp, instruction, r);
    for (unsigned l = 0; l < warpLanes; ++l) {
      float sum = float(sums[rowOf(r, l)][columnOf(r, l)]);
      product->sums[r * warpLanes + l] =
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
