//===- Bits.cpp - Operations on bits --------------------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Logic, shifts, fields, permutations and counts of bits.
//
//===----------------------------------------------------------------------===//

#include "Lanes.h"

using namespace mlir::symshape::ptx;
using namespace mlir::symshape::ptx::SYMSHAPE_PTX_LANES;

namespace {

struct And {
  template <typename T>
  static T apply(T a, T b) {
    return a & b;
  }
};
struct Or {
  template <typename T>
  static T apply(T a, T b) {
    return a | b;
  }
};
struct Xor {
  template <typename T>
  static T apply(T a, T b) {
    return a ^ b;
  }
};
struct Not {
  template <typename T>
  static T apply(T a) {
    return T(~a);
  }
};
struct CNot {
  template <typename T>
  static T apply(T a) {
    return T(a == 0);
  }
};
/// Shifts by the width or more give 0, or the sign.
struct Shl {
  template <typename T>
  static T apply(T a, uint32_t by) {
    return by >= 8 * sizeof(T) ? T(0) : T(uint64_t(a) << (by & 63));
  }
};
struct Shr {
  template <typename T>
  static T apply(T a, uint32_t by) {
    constexpr uint32_t last = 8 * sizeof(T) - 1;
    if (T(-1) < T(0))
      return T(a >> (by > last ? last : by));
    return by > last ? T(0) : T(a >> (by & last));
  }
};
template <bool isLeft, bool clamps>
struct FunnelShift {
  static uint32_t apply(uint32_t low, uint32_t high, uint32_t by) {
    uint32_t amount = clamps ? (by > 32 ? 32 : by) : by & 31;
    uint64_t both = uint64_t(high) << 32 | low;
    return isLeft ? uint32_t((both << amount) >> 32) : uint32_t(both >> amount);
  }
};
struct Popc {
  template <typename T>
  static uint32_t apply(T a) {
    return uint32_t(__builtin_popcountll(a));
  }
};
struct Clz {
  template <typename T>
  static uint32_t apply(T a) {
    return a == 0 ? 8 * sizeof(T)
                  : uint32_t(__builtin_clzll(a)) - (64 - 8 * sizeof(T));
  }
};
struct Brev {
  template <typename T>
  static T apply(T a) {
    uint64_t x = a;
    x = (x >> 1 & 0x5555555555555555u) | (x & 0x5555555555555555u) << 1;
    x = (x >> 2 & 0x3333333333333333u) | (x & 0x3333333333333333u) << 2;
    x = (x >> 4 & 0x0f0f0f0f0f0f0f0fu) | (x & 0x0f0f0f0f0f0f0f0fu) << 4;
    return T(__builtin_bswap64(x) >> (64 - 8 * sizeof(T)));
  }
};
/// The place of the highest bit that is not the sign; all ones if there is
/// none.
template <bool isShift>
struct Bfind {
  template <typename T>
  static uint32_t apply(T a) {
    constexpr uint32_t last = 8 * sizeof(T) - 1;
    uint64_t bits = T(-1) < T(0) && a < 0 ? uint64_t(~a) : uint64_t(a);
    bits &= ~uint64_t(0) >> (63 - last);
    if (bits == 0)
      return ~0u;
    uint32_t place = 63 - uint32_t(__builtin_clzll(bits));
    return isShift ? last - place : place;
  }
};
/// A field of `length` bits from `place`; past the end the sign of a signed
/// number.
struct Bfe {
  template <typename T>
  static T apply(T a, uint32_t placeWord, uint32_t lengthWord) {
    constexpr unsigned bits = 8 * sizeof(T);
    unsigned place = placeWord & 255, length = lengthWord & 255;
    bool isSigned = T(-1) < T(0);
    if (length == 0)
      return 0;
    unsigned last = place + length - 1;
    bool sign =
        isSigned && (uint64_t(a) >> (last < bits ? last : bits - 1) & 1);
    uint64_t field =
        place < bits ? (uint64_t(a) & (~uint64_t(0) >> (64 - bits))) >> place
                     : 0;
    unsigned known =
        place < bits ? (length < bits - place ? length : bits - place) : 0;
    uint64_t mask = known == 0 ? 0 : ~uint64_t(0) >> (64 - known);
    return T((field & mask) | (sign ? ~mask : 0));
  }
};
struct Bfi {
  template <typename T>
  static T apply(T field, T into, uint32_t placeWord, uint32_t lengthWord) {
    constexpr unsigned bits = 8 * sizeof(T);
    unsigned place = placeWord & 255, length = lengthWord & 255;
    if (place >= bits || length == 0)
      return into;
    uint64_t mask = (length >= 64 ? ~uint64_t(0) : (uint64_t(1) << length) - 1)
                    << place;
    return T((into & ~mask) | (uint64_t(field) << place & mask));
  }
};
template <bool clamps>
struct Bmsk {
  static uint32_t apply(uint32_t placeWord, uint32_t lengthWord) {
    uint32_t place = clamps ? placeWord : placeWord & 31,
             length = clamps ? lengthWord : lengthWord & 31;
    if (place > 31)
      return 0;
    uint32_t mask = length > 31 ? ~0u : (1u << length) - 1;
    return mask << place;
  }
};
/// The low `length` bits, extended by zeros or by their sign.
template <bool isSigned, bool clamps>
struct Szext {
  static uint32_t apply(uint32_t a, uint32_t length) {
    length = clamps ? (length > 32 ? 32 : length) : length & 31;
    if (length == 0)
      return 0;
    uint32_t up = a << (32 - length);
    return isSigned ? uint32_t(int32_t(up) >> (32 - length))
                    : up >> (32 - length);
  }
};

template <typename T>
void runBfi(Warp &warp, const Instruction &instruction, uint32_t lanes) {
  const T *a = slotOf<T>(warp, instruction, 1),
          *b = slotOf<T>(warp, instruction, 2);
  const uint32_t *c = slotOf<uint32_t>(warp, instruction, 3),
                 *d = slotOf<uint32_t>(warp, instruction, 4);
  T result[warpLanes];
  for (unsigned i = 0; i < warpLanes; ++i)
    result[i] = Bfi::apply(a[i], b[i], c[i], d[i]);
  storeLanes(slotOf<T>(warp, instruction, 0), result, lanes);
}

/// Any function of three bits, given by its table.
void runLop3(Warp &warp, const Instruction &instruction, uint32_t lanes) {
  const uint32_t *a = slotOf<uint32_t>(warp, instruction, 1),
                 *b = slotOf<uint32_t>(warp, instruction, 2),
                 *c = slotOf<uint32_t>(warp, instruction, 3);
  uint32_t table = slotOf<uint32_t>(warp, instruction, 4)[0];
  uint32_t result[warpLanes] = {};
  for (unsigned row = 0; row < 8; ++row)
    for (unsigned i = 0; i < warpLanes && isOn(table, row); ++i)
      result[i] |= (row & 4 ? a[i] : ~a[i]) & (row & 2 ? b[i] : ~b[i]) &
                   (row & 1 ? c[i] : ~c[i]);
  storeLanes(slotOf<uint32_t>(warp, instruction, 0), result, lanes);
}

enum PrmtMode : uint32_t { Index, F4E, B4E, Rc8, Ecl, Ecr, Rc16 };

/// Bytes of a and b by a selector; in the other modes by its low two bits.
uint32_t permute(uint32_t a, uint32_t b, uint32_t selector, uint32_t mode) {
  static const uint16_t tables[7][4] = {{},
                                        {0x3210, 0x4321, 0x5432, 0x6543},
                                        {0x5670, 0x6701, 0x7012, 0x0123},
                                        {0x0000, 0x1111, 0x2222, 0x3333},
                                        {0x3210, 0x3211, 0x3222, 0x3333},
                                        {0x0000, 0x1110, 0x2210, 0x3210},
                                        {0x1010, 0x3232, 0x1010, 0x3232}};
  uint64_t bytes = uint64_t(b) << 32 | a;
  uint32_t picks = mode == Index ? selector : tables[mode][selector & 3];
  uint32_t result = 0;
  for (unsigned i = 0; i < 4; ++i) {
    unsigned pick = picks >> (4 * i) & 15;
    uint32_t byte = uint32_t(bytes >> (8 * (pick & 7)) & 255);
    if (mode == Index && (pick & 8))
      byte = byte & 128 ? 255 : 0;
    result |= byte << (8 * i);
  }
  return result;
}

void runPrmt(Warp &warp, const Instruction &instruction, uint32_t lanes) {
  const uint32_t *a = slotOf<uint32_t>(warp, instruction, 1),
                 *b = slotOf<uint32_t>(warp, instruction, 2),
                 *c = slotOf<uint32_t>(warp, instruction, 3);
  uint32_t result[warpLanes];
  for (unsigned i = 0; i < warpLanes; ++i)
    result[i] = permute(a[i], b[i], c[i], instruction.extra);
  storeLanes(slotOf<uint32_t>(warp, instruction, 0), result, lanes);
}

// Predicates: all lanes at once.
template <typename Op>
void runPredicates(Warp &warp, const Instruction &instruction, uint32_t lanes) {
  uint32_t value = Op::apply(predicateOf(warp, instruction, 1),
                             predicateOf(warp, instruction, 2));
  storePredicate(warp, instruction, 0, value, lanes);
}
void runNotPredicate(Warp &warp, const Instruction &instruction,
                     uint32_t lanes) {
  storePredicate(warp, instruction, 0, ~predicateOf(warp, instruction, 1),
                 lanes);
}

template <typename T>
void addLogic(HandlerTable &table) {
  std::string type = ".b" + std::to_string(8 * sizeof(T)),
              one(1, letterOf(sizeof(T)));
  table.add("and" + type, one + one + one, runBinary<And, T, T>);
  table.add("or" + type, one + one + one, runBinary<Or, T, T>);
  table.add("xor" + type, one + one + one, runBinary<Xor, T, T>);
  table.add("not" + type, one + one, runUnary<Not, T, T>);
  table.add("cnot" + type, one + one, runUnary<CNot, T, T>);
  table.add("shl" + type, one + one + "w", runBinary<Shl, T, T, uint32_t>);
}

template <typename T>
void addShr(HandlerTable &table, const std::string &type) {
  std::string one(1, letterOf(sizeof(T)));
  table.add("shr." + type, one + one + "w", runBinary<Shr, T, T, uint32_t>);
}

template <typename T>
void addFields(HandlerTable &table, const std::string &type) {
  std::string one(1, letterOf(sizeof(T)));
  table.add("bfe." + type, one + one + "ww",
            runTernary<Bfe, T, T, uint32_t, uint32_t>);
  table.add("bfind." + type, "w" + one, runUnary<Bfind<false>, uint32_t, T>);
  table.add("bfind.shiftamt." + type, "w" + one,
            runUnary<Bfind<true>, uint32_t, T>);
}

template <typename T>
void addCounts(HandlerTable &table) {
  std::string type = ".b" + std::to_string(8 * sizeof(T)),
              one(1, letterOf(sizeof(T)));
  table.add("popc" + type, "w" + one, runUnary<Popc, uint32_t, T>);
  table.add("clz" + type, "w" + one, runUnary<Clz, uint32_t, T>);
  table.add("brev" + type, one + one, runUnary<Brev, T, T>);
  table.add("bfi" + type, one + one + one + "ww", runBfi<T>);
}

} // namespace

void SYMSHAPE_PTX_LANES::addBits(HandlerTable &table) {
  addLogic<uint16_t>(table);
  addLogic<uint32_t>(table);
  addLogic<uint64_t>(table);
  for (const char *sign : {"u", "b"}) {
    addShr<uint16_t>(table, sign + std::string("16"));
    addShr<uint32_t>(table, sign + std::string("32"));
    addShr<uint64_t>(table, sign + std::string("64"));
  }
  addShr<int16_t>(table, "s16");
  addShr<int32_t>(table, "s32");
  addShr<int64_t>(table, "s64");
  addFields<uint32_t>(table, "u32");
  addFields<int32_t>(table, "s32");
  addFields<uint64_t>(table, "u64");
  addFields<int64_t>(table, "s64");
  addCounts<uint32_t>(table);
  addCounts<uint64_t>(table);
  table.add("and.pred", "ppp", runPredicates<And>);
  table.add("or.pred", "ppp", runPredicates<Or>);
  table.add("xor.pred", "ppp", runPredicates<Xor>);
  table.add("not.pred", "pp", runNotPredicate);
  table.add("lop3.b32", "wwwww", runLop3);
  table.add("shf.l.wrap.b32", "wwww",
            runTernary<FunnelShift<true, false>, uint32_t, uint32_t>);
  table.add("shf.l.clamp.b32", "wwww",
            runTernary<FunnelShift<true, true>, uint32_t, uint32_t>);
  table.add("shf.r.wrap.b32", "wwww",
            runTernary<FunnelShift<false, false>, uint32_t, uint32_t>);
  table.add("shf.r.clamp.b32", "wwww",
            runTernary<FunnelShift<false, true>, uint32_t, uint32_t>);
  table.add("bmsk.clamp.b32", "www", runBinary<Bmsk<true>, uint32_t, uint32_t>);
  table.add("bmsk.wrap.b32", "www", runBinary<Bmsk<false>, uint32_t, uint32_t>);
  table.add("szext.clamp.u32", "www",
            runBinary<Szext<false, true>, uint32_t, uint32_t>);
  table.add("szext.clamp.s32", "www",
            runBinary<Szext<true, true>, uint32_t, uint32_t>);
  table.add("szext.wrap.u32", "www",
            runBinary<Szext<false, false>, uint32_t, uint32_t>);
  table.add("szext.wrap.s32", "www",
            runBinary<Szext<true, false>, uint32_t, uint32_t>);
  static const char *const modes[] = {"",     ".f4e", ".b4e", ".rc8",
                                      ".ecl", ".ecr", ".rc16"};
  for (uint32_t mode = Index; mode <= Rc16; ++mode)
    table.add(std::string("prmt.b32") + modes[mode], "wwww", runPrmt, mode);
}

#include "EndOfLanes.h"
