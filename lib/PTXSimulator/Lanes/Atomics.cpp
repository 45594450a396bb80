//===- Atomics.cpp - atom and red -----------------------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lane after lane, from the first or, when warps run backward, from the last.
//
//===----------------------------------------------------------------------===//

#include "Addresses.h"
#include "SmallFloats.h"

using namespace mlir::symshape::ptx;
using namespace mlir::symshape::ptx::SYMSHAPE_PTX_LANES;

namespace {

enum AtomicOp : uint32_t { Add, Min, Max, Inc, Dec, And, Or, Xor, Exch, Cas };
constexpr const char *opNames[] = {"add", "min", "max", "inc",  "dec",
                                   "and", "or",  "xor", "exch", "cas"};

struct F16x2 {
  F16 part[2];
};
struct BF16x2 {
  BF16 part[2];
};

float flush(float value) {
  return bitsAs<uint32_t>(value) & 0x7f800000
             ? value
             : bitsAs<float>(bitsAs<uint32_t>(value) & 0x80000000);
}

template <typename T>
T sum(T a, T b, bool) {
  return T(uint64_t(a) + uint64_t(b));
}
float sum(float a, float b, bool flushes) {
  float result = flushes ? flush(flush(a) + flush(b)) : a + b;
  return result != result ? bitsAs<float>(0x7fffffffu) : result;
}
double sum(double a, double b, bool) { return a + b; }
F16 sum(F16 a, F16 b, bool) {
  return narrow<F16>(addToOdd(widen(a), widen(b)));
}
BF16 sum(BF16 a, BF16 b, bool) {
  return narrow<BF16>(addToOdd(widen(a), widen(b)));
}
F16x2 sum(F16x2 a, F16x2 b, bool) {
  return {{sum(a.part[0], b.part[0], false), sum(a.part[1], b.part[1], false)}};
}
BF16x2 sum(BF16x2 a, BF16x2 b, bool) {
  return {{sum(a.part[0], b.part[0], false), sum(a.part[1], b.part[1], false)}};
}

template <AtomicOp op, typename T>
T update(T old, T b, T c, bool flushes) {
  if constexpr (op == Add)
    return sum(old, b, flushes);
  else if constexpr (op == Min)
    return b < old ? b : old;
  else if constexpr (op == Max)
    return b > old ? b : old;
  else if constexpr (op == Inc)
    return old >= b ? T(0) : T(old + 1);
  else if constexpr (op == Dec)
    return old == 0 || old > b ? b : T(old - 1);
  else if constexpr (op == And)
    return old & b;
  else if constexpr (op == Or)
    return old | b;
  else if constexpr (op == Xor)
    return old ^ b;
  else if constexpr (op == Exch)
    return b;
  else
    return old == b ? c : old;
}

/// Operands: the address, for atom the result, then one or two values. Bit 1 of
/// `extra` says that there is a result.
template <AtomicOp op, typename T>
void runAtomic(Warp &warp, const Instruction &instruction, uint32_t lanes) {
  Places places;
  readAddresses(warp, instruction, places);
  if (!locate(warp, instruction, lanes, places))
    return;
  unsigned first = instruction.extra & 2 ? 2 : 1;
  const T *b = slotOf<T>(warp, instruction, first);
  const T *c = op == Cas ? slotOf<T>(warp, instruction, first + 1) : b;
  bool isGlobal = instruction.space == Space::Global,
       backward = warp.block->backward;
  T result[warpLanes] = {};
  for (unsigned step = 0; step < warpLanes; ++step) {
    unsigned i = backward ? warpLanes - 1 - step : step;
    if (!isOn(lanes, i))
      continue;
    std::memcpy(&result[i], places.bytes[i], sizeof(T));
    T updated = update<op>(result[i], b[i], c[i], isGlobal);
    std::memcpy(places.bytes[i], &updated, sizeof(T));
  }
  if (first == 2)
    storeLanes(slotOf<T>(warp, instruction, 1), result, lanes);
  warp.block->noteAtomic();
}

template <AtomicOp op, typename T>
void addOp(HandlerTable &table, const std::string &type) {
  std::string one(1, letterOf(sizeof(T)));
  table.add(std::string("atom.") + opNames[op] + "." + type,
            op == Cas ? one + one : one, runAtomic<op, T>);
}

template <typename T>
void addOrders(HandlerTable &table, const std::string &type) {
  addOp<Add, T>(table, type);
  addOp<Min, T>(table, type);
  addOp<Max, T>(table, type);
}

template <typename T>
void addBitOps(HandlerTable &table, const std::string &type) {
  addOp<And, T>(table, type);
  addOp<Or, T>(table, type);
  addOp<Xor, T>(table, type);
  addOp<Exch, T>(table, type);
  addOp<Cas, T>(table, type);
}

} // namespace

void SYMSHAPE_PTX_LANES::addAtomics(HandlerTable &table) {
  addOrders<uint32_t>(table, "u32");
  addOrders<int32_t>(table, "s32");
  addOrders<uint64_t>(table, "u64");
  addOrders<int64_t>(table, "s64");
  addOp<Inc, uint32_t>(table, "u32");
  addOp<Dec, uint32_t>(table, "u32");
  addBitOps<uint32_t>(table, "b32");
  addBitOps<uint64_t>(table, "b64");
  addOp<Cas, uint16_t>(table, "b16");
  addOp<Add, float>(table, "f32");
  addOp<Add, double>(table, "f64");
  addOp<Add, F16>(table, "noftz.f16");
  addOp<Add, BF16>(table, "noftz.bf16");
  addOp<Add, F16x2>(table, "noftz.f16x2");
  addOp<Add, BF16x2>(table, "noftz.bf16x2");
}

#include "EndOfLanes.h"
