//===- Matrices.cpp - mma.sync and ldmatrix -------------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Products of matrices that the lanes of a warp hold together.
//
// The rounding of mma: products are exact; they are added to the element of C
// in double, in the order of k, and the sum is rounded once, to the nearest.
// The hardware adds with fewer bits and in an order that is not documented, so
// results differ from it within a few units of the largest term's last place.
//
//===----------------------------------------------------------------------===//

#include "Addresses.h"
#include "History.h"
#include "SmallFloats.h"

using namespace mlir::symshape::ptx;
using namespace mlir::symshape::ptx::SYMSHAPE_PTX_LANES;

namespace {

/// An element of tf32 is a word whose lower 13 bits are not read.
struct TF32 {
  uint32_t bits;
};
float widen(TF32 value) { return bitsAs<float>(value.bits & ~0x1fffu); }

/// Rows, columns and terms.
constexpr unsigned rows = 16, columns = 8;

/// Widens the registers of operand `first` and those after it:
/// `to[register][e][lane]`.
template <typename T, unsigned registers>
void unpack(Warp &warp, const Instruction &instruction, unsigned first,
            float (&to)[registers][4 / sizeof(T)][warpLanes]) {
  using SYMSHAPE_PTX_LANES::widen;
  constexpr unsigned perWord = 4 / sizeof(T);
  for (unsigned r = 0; r < registers; ++r) {
    const uint32_t *words = slotOf<uint32_t>(warp, instruction, first + r);
    for (unsigned e = 0; e < perWord; ++e)
      for (unsigned i = 0; i < warpLanes; ++i) {
        if constexpr (perWord == 1)
          to[r][e][i] = widen(T{words[i]});
        else
          to[r][e][i] = widen(T{uint16_t(words[i] >> (16 * e))});
      }
  }
}

/// D = A * B + C for m16n8k<terms>, T in A and B.
///
/// Lane l is in group g = l / 4, at t = l % 4. With E elements to a word,
/// register r of A has row g + 8 * (r % 2) and terms E * t + e + 4 * E * (r /
/// 2); register r of B terms E * t + e + 4 * E * r of column g; element r of C
/// and D row g + 8 * (r / 2) and column 2 * t + r % 2 (PTX ISA, "Matrix
/// fragments for mma.m16n8k...").
template <typename T, unsigned terms, bool sumsAreHalves>
void runMma(Warp &warp, const Instruction &instruction, uint32_t lanes) {
  constexpr unsigned perWord = 4 / sizeof(T);
  constexpr unsigned registersB = terms / (4 * perWord),
                     registersA = 2 * registersB;
  constexpr unsigned registersC = sumsAreHalves ? 2 : 4;
  float packedA[registersA][perWord][warpLanes],
      packedB[registersB][perWord][warpLanes];
  double a[rows][terms], b[terms][columns], sums[rows][columns];
  unpack<T, registersA>(warp, instruction, registersC, packedA);
  unpack<T, registersB>(warp, instruction, registersC + registersA, packedB);
  for (unsigned l = 0; l < warpLanes; ++l) {
    unsigned g = l / 4, t = l % 4;
    for (unsigned e = 0; e < perWord; ++e) {
      for (unsigned r = 0; r < registersA; ++r)
        a[g + 8 * (r & 1)][perWord * t + e + 4 * perWord * (r >> 1)] =
            packedA[r][e][l];
      for (unsigned r = 0; r < registersB; ++r)
        b[perWord * t + e + 4 * perWord * r][g] = packedB[r][e][l];
    }
  }
  unsigned firstC = registersC + registersA + registersB;
  for (unsigned r = 0; r < 4; ++r)
    for (unsigned l = 0; l < warpLanes; ++l) {
      double &sum = sums[l / 4 + 8 * (r >> 1)][2 * (l % 4) + (r & 1)];
      if (sumsAreHalves) {
        uint32_t word =
            slotOf<uint32_t>(warp, instruction, firstC + (r >> 1))[l];
        sum = SYMSHAPE_PTX_LANES::widen(F16{uint16_t(word >> (16 * (r & 1)))});
      } else {
        sum = slotOf<float>(warp, instruction, firstC + r)[l];
      }
    }
  for (unsigned i = 0; i < rows; ++i)
    for (unsigned k = 0; k < terms; ++k)
      for (unsigned j = 0; j < columns; ++j)
        sums[i][j] += a[i][k] * b[k][j];
  for (unsigned r = 0; r < registersC; ++r) {
    uint32_t result[warpLanes];
    for (unsigned l = 0; l < warpLanes; ++l) {
      unsigned row = l / 4 + 8 * (sumsAreHalves ? r : r >> 1),
               column = 2 * (l % 4);
      if (sumsAreHalves) {
        result[l] = narrow<F16>(sums[row][column]).bits |
                    uint32_t(narrow<F16>(sums[row][column + 1]).bits) << 16;
      } else {
        float sum = float(sums[row][column + (r & 1)]);
        result[l] = sum != sum ? 0x7fffffffu : bitsAs<uint32_t>(sum);
      }
    }
    storeLanes(slotOf<uint32_t>(warp, instruction, r), result, lanes);
  }
}

/// ldmatrix: `extra` bit 1 is .trans; `vector` matrices of 8 by 8, whose rows'
/// addresses lanes 8 m to 8 m + 7 have. Operand 0 is the address.
void runLoadMatrix(Warp &warp, const Instruction &instruction, uint32_t lanes) {
  Places places;
  readAddresses(warp, instruction, places);
  unsigned matrices = instruction.vector;
  uint32_t used = matrices == 4 ? allLanes : (1u << (8 * matrices)) - 1;
  if (!locate(warp, instruction, used, places))
    return;
  bool isTransposed = instruction.extra & 2;
  for (unsigned m = 0; m < matrices; ++m) {
    uint16_t elements[8][8];
    for (unsigned i = 0; i < 8; ++i)
      std::memcpy(elements[i], places.bytes[8 * m + i], 16);
    uint32_t result[warpLanes];
    for (unsigned l = 0; l < warpLanes; ++l) {
      unsigned g = l / 4, t = 2 * (l % 4);
      uint32_t low = isTransposed ? elements[t][g] : elements[g][t];
      uint32_t high = isTransposed ? elements[t + 1][g] : elements[g][t + 1];
      result[l] = low | high << 16;
    }
    storeLanes(slotOf<uint32_t>(warp, instruction, 1 + m), result, lanes);
  }
}

template <typename T, unsigned terms>
void addMma(HandlerTable &table, const std::string &type) {
  std::string shape =
      "mma.sync.aligned.m16n8k" + std::to_string(terms) + ".row.col.";
  unsigned registersB = terms / (16 / sizeof(T));
  std::string operands(3 * registersB, 'w');
  table.addConverging(shape + "f32." + type + "." + type + ".f32",
                      "wwww" + operands + "wwww", runMma<T, terms, false>, -1);
  if (type == "f16")
    table.addConverging(shape + "f16.f16.f16.f16", "ww" + operands + "ww",
                        runMma<T, terms, true>, -1);
}

} // namespace

void SYMSHAPE_PTX_LANES::addMatrices(HandlerTable &table) {
  addMma<F16, 16>(table, "f16");
  addMma<F16, 8>(table, "f16");
  addMma<BF16, 16>(table, "bf16");
  addMma<BF16, 8>(table, "bf16");
  addMma<TF32, 8>(table, "tf32");
  addMma<TF32, 4>(table, "tf32");
  table.addConverging("ldmatrix", "", runLoadMatrix, -1);
}

#include "EndOfLanes.h"
