//===- Comparisons.cpp - setp and set -------------------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Comparisons of all types, with a second predicate and with a third operand.
//
//===----------------------------------------------------------------------===//

#include "SmallFloats.h"

using namespace mlir::symshape::ptx;
using namespace mlir::symshape::ptx::SYMSHAPE_PTX_LANES;

namespace {

/// Relations. The unordered ones hold of NaNs as well.
enum Relation : uint32_t {
  Eq,
  Ne,
  Lt,
  Le,
  Gt,
  Ge,
  Equ,
  Neu,
  Ltu,
  Leu,
  Gtu,
  Geu,
  Num,
  Nan
};
constexpr const char *relationNames[] = {"eq",  "ne",  "lt",  "le",  "gt",
                                         "ge",  "equ", "neu", "ltu", "leu",
                                         "gtu", "geu", "num", "nan"};

/// In `Instruction::extra`: how the third operand is combined, and flags.
enum Combination : uint32_t { Alone, WithAnd, WithOr, WithXor };
constexpr uint32_t combinationMask = 3, hasSecond = 4, flushes = 8;

template <uint32_t relation, typename T>
bool compare(T a, T b) {
  switch (relation) {
  case Eq:
    return a == b;
  case Ne:
    return (a < b) | (a > b);
  case Lt:
    return a < b;
  case Le:
    return a <= b;
  case Gt:
    return a > b;
  case Ge:
    return a >= b;
  case Equ:
    return !((a < b) | (a > b));
  case Neu:
    return !(a == b);
  case Ltu:
    return !(a >= b);
  case Leu:
    return !(a > b);
  case Gtu:
    return !(a <= b);
  case Geu:
    return !(a < b);
  case Num:
    return (a == a) & (b == b);
  default:
    return (a != a) | (b != b);
  }
}

template <typename T>
T plain(T a) {
  return a;
}
float plain(F16 a) { return widen(a); }
float plain(BF16 a) { return widen(a); }
template <typename T>
T flushed(T a) {
  return a;
}
float flushed(float a) { return bitsAs<uint32_t>(a) & 0x7f800000 ? a : 0.0f; }

/// A bit per element for which the relation holds.
template <uint32_t relation, typename T>
uint32_t compareLanes(const T *a, const T *b, bool flush) {
  uint8_t on[warpLanes];
  if (flush) {
    for (unsigned i = 0; i < warpLanes; ++i)
      on[i] = compare<relation>(flushed(plain(a[i])), flushed(plain(b[i])));
  } else {
    for (unsigned i = 0; i < warpLanes; ++i)
      on[i] = compare<relation>(plain(a[i]), plain(b[i]));
  }
  uint32_t bits = 0;
  for (unsigned i = 0; i < 4; ++i) {
    uint64_t eight;
    std::memcpy(&eight, on + 8 * i, 8);
    bits |= uint32_t(eight * 0x0102040810204080ull >> 56)
            << (8 * i); // byte k to bit k
  }
  return bits;
}

uint32_t combine(uint32_t how, uint32_t bits, uint32_t with) {
  return how == WithAnd   ? bits & with
         : how == WithOr  ? bits | with
         : how == WithXor ? bits ^ with
                          : bits;
}

template <uint32_t relation, typename T>
void runSetp(Warp &warp, const Instruction &instruction, uint32_t lanes) {
  unsigned first = instruction.extra & hasSecond ? 2 : 1;
  uint32_t how = instruction.extra & combinationMask;
  uint32_t bits = compareLanes<relation>(
      slotOf<T>(warp, instruction, first),
      slotOf<T>(warp, instruction, first + 1), instruction.extra & flushes);
  uint32_t with = how == Alone ? 0 : predicateOf(warp, instruction, first + 2);
  storePredicate(warp, instruction, 0, combine(how, bits, with), lanes);
  if (first == 2)
    storePredicate(warp, instruction, 1, combine(how, ~bits, with), lanes);
}

/// Two numbers in a word: a predicate for each.
template <uint32_t relation, typename T>
void runSetpPair(Warp &warp, const Instruction &instruction, uint32_t lanes) {
  const uint32_t *a = slotOf<uint32_t>(warp, instruction, 2),
                 *b = slotOf<uint32_t>(warp, instruction, 3);
  for (unsigned half = 0; half < 2; ++half) {
    T x[warpLanes], y[warpLanes];
    for (unsigned i = 0; i < warpLanes; ++i) {
      x[i] = T{uint16_t(a[i] >> (16 * half))};
      y[i] = T{uint16_t(b[i] >> (16 * half))};
    }
    storePredicate(warp, instruction, half, compareLanes<relation>(x, y, false),
                   lanes);
  }
}

/// set: all ones, or 1.0 for f32, where the relation holds.
template <uint32_t relation, typename T>
void runSet(Warp &warp, const Instruction &instruction, uint32_t lanes) {
  uint32_t bits = compareLanes<relation>(
      slotOf<T>(warp, instruction, 1), slotOf<T>(warp, instruction, 2), false);
  uint32_t result[warpLanes];
  for (unsigned i = 0; i < warpLanes; ++i)
    result[i] = isOn(bits, i) ? instruction.extra : 0;
  storeLanes(slotOf<uint32_t>(warp, instruction, 0), result, lanes);
}

template <uint32_t relation, typename T>
void addSetp(HandlerTable &table, const std::string &name,
             const std::string &type, uint32_t flags) {
  static const char *const combinations[] = {"", ".and", ".or", ".xor"};
  std::string operands(2, letterOf(sizeof(T)));
  for (uint32_t how = Alone; how <= WithXor; ++how) {
    std::string text = "setp." + name + combinations[how] + type,
                third = how == Alone ? "" : "p";
    table.add(text, "p" + operands + third, runSetp<relation, T>, how | flags);
    table.add(text + "|", "pp" + operands + third, runSetp<relation, T>,
              how | flags | hasSecond);
  }
}

template <uint32_t relation, typename T>
void addSet(HandlerTable &table, const std::string &name,
            const std::string &type) {
  std::string operands = "w" + std::string(2, letterOf(sizeof(T)));
  table.add("set." + name + ".u32" + type, operands, runSet<relation, T>, ~0u);
  table.add("set." + name + ".s32" + type, operands, runSet<relation, T>, ~0u);
  table.add("set." + name + ".f32" + type, operands, runSet<relation, T>,
            0x3f800000);
}

template <uint32_t relation, typename T>
void addInteger(HandlerTable &table, const std::string &type) {
  addSetp<relation, T>(table, relationNames[relation], type, 0);
  addSet<relation, T>(table, relationNames[relation], type);
}

template <uint32_t relation, typename T>
void addUnsigned(HandlerTable &table) {
  std::string bits = std::to_string(8 * sizeof(T));
  addInteger<relation, T>(table, ".u" + bits);
  if (relation == Eq || relation == Ne)
    addInteger<relation, T>(table, ".b" + bits);
  static const char *const others[] = {"", "", "lo", "ls", "hi", "hs"};
  if (relation > Ne)
    addSetp<relation, T>(table, others[relation], ".u" + bits, 0);
}

template <uint32_t relation>
void addFloatRelations(HandlerTable &table) {
  const char *name = relationNames[relation];
  addSetp<relation, float>(table, name, ".f32", 0);
  addSetp<relation, float>(table, std::string(name) + ".ftz", ".f32", flushes);
  for (const char *how : {".and", ".or", ".xor"}) // here .ftz comes last
    for (const char *second : {"", "|"}) {
      std::string text = std::string("setp.") + name;
      if (const HandlerEntry *entry =
              table.find(text + ".ftz" + how + ".f32" + second))
        table.add(text + how + ".ftz.f32" + second, entry->operands, entry->run,
                  entry->extra);
    }
  addSetp<relation, double>(table, name, ".f64", 0);
  addSetp<relation, F16>(table, name, ".f16", 0);
  addSetp<relation, BF16>(table, name, ".bf16", 0);
  table.add(std::string("setp.") + name + ".f16x2|", "ppww",
            runSetpPair<relation, F16>);
  table.add(std::string("setp.") + name + ".bf16x2|", "ppww",
            runSetpPair<relation, BF16>);
  addSet<relation, float>(table, name, ".f32");
  addSet<relation, double>(table, name, ".f64");
}

template <uint32_t relation>
void addOrdered(HandlerTable &table) {
  addUnsigned<relation, uint16_t>(table);
  addUnsigned<relation, uint32_t>(table);
  addUnsigned<relation, uint64_t>(table);
  addInteger<relation, int16_t>(table, ".s16");
  addInteger<relation, int32_t>(table, ".s32");
  addInteger<relation, int64_t>(table, ".s64");
  addFloatRelations<relation>(table);
}

} // namespace

void SYMSHAPE_PTX_LANES::addComparisons(HandlerTable &table) {
  addOrdered<Eq>(table);
  addOrdered<Ne>(table);
  addOrdered<Lt>(table);
  addOrdered<Le>(table);
  addOrdered<Gt>(table);
  addOrdered<Ge>(table);
  addFloatRelations<Equ>(table);
  addFloatRelations<Neu>(table);
  addFloatRelations<Ltu>(table);
  addFloatRelations<Leu>(table);
  addFloatRelations<Gtu>(table);
  addFloatRelations<Geu>(table);
  addFloatRelations<Num>(table);
  addFloatRelations<Nan>(table);
}

#include "EndOfLanes.h"
