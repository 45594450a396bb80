//===- Integers.cpp - Arithmetic of integers ------------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sums, products, quotients, minima of integers of 16, 32 and 64 bits.
//
//===----------------------------------------------------------------------===//

#include "Lanes.h"

using namespace mlir::symshape::ptx;
using namespace mlir::symshape::ptx::SYMSHAPE_PTX_LANES;

namespace {

template <typename T>
struct UnsignedOf;
template <>
struct UnsignedOf<int16_t> {
  using Type = uint16_t;
  using Wide = int32_t;
};
template <>
struct UnsignedOf<uint16_t> {
  using Type = uint16_t;
  using Wide = uint32_t;
};
template <>
struct UnsignedOf<int32_t> {
  using Type = uint32_t;
  using Wide = int64_t;
};
template <>
struct UnsignedOf<uint32_t> {
  using Type = uint32_t;
  using Wide = uint64_t;
};
template <>
struct UnsignedOf<int64_t> {
  using Type = uint64_t;
  using Wide = __int128;
};
template <>
struct UnsignedOf<uint64_t> {
  using Type = uint64_t;
  using Wide = unsigned __int128;
};
template <typename T>
using Unsigned = typename UnsignedOf<T>::Type;
template <typename T>
using Wide = typename UnsignedOf<T>::Wide;

template <typename T>
constexpr bool isSigned = T(-1) < T(0);
template <typename T>
constexpr T least =
    isSigned<T> ? T(Unsigned<T>(1) << (8 * sizeof(T) - 1)) : T(0);
template <typename T>
constexpr unsigned bitsOf = 8 * sizeof(T);

// Wrapping arithmetic: in unsigned numbers, those of 16 bits as wide ones,
// since C++ would make signed ones of them.
template <typename T>
T multiply(T a, T b) {
  return T(uint64_t(a) * uint64_t(b));
}
template <typename T>
T highPart(T a, T b) {
  return T((Wide<T>(a) * Wide<T>(b)) >> bitsOf<T>);
}

struct Add {
  template <typename T>
  static T apply(T a, T b) {
    return T(Unsigned<T>(a) + Unsigned<T>(b));
  }
};
struct Sub {
  template <typename T>
  static T apply(T a, T b) {
    return T(Unsigned<T>(a) - Unsigned<T>(b));
  }
};
template <int sign>
struct AddSaturated {
  static int32_t apply(int32_t a, int32_t b) {
    int64_t sum = int64_t(a) + sign * int64_t(b);
    return sum > INT32_MAX   ? INT32_MAX
           : sum < INT32_MIN ? INT32_MIN
                             : int32_t(sum);
  }
};
struct MulLo {
  template <typename T>
  static T apply(T a, T b) {
    return multiply(a, b);
  }
};
struct MulHi {
  template <typename T>
  static T apply(T a, T b) {
    return highPart(a, b);
  }
};
struct MulWide {
  template <typename T>
  static Wide<T> apply(T a, T b) {
    return Wide<T>(a) * Wide<T>(b);
  }
};
struct MadLo {
  template <typename T>
  static T apply(T a, T b, T c) {
    return Add::apply(multiply(a, b), c);
  }
};
struct MadHi {
  template <typename T>
  static T apply(T a, T b, T c) {
    return Add::apply(highPart(a, b), c);
  }
};
struct MadWide {
  template <typename T>
  static Wide<T> apply(T a, T b, Wide<T> c) {
    return Add::apply(Wide<T>(Wide<T>(a) * Wide<T>(b)), c);
  }
};
/// Products of the low 24 bits.
template <typename T>
int64_t product24(T a, T b) {
  auto low = [](T x) {
    return isSigned<T> ? int64_t(int32_t(uint32_t(x) << 8) >> 8)
                       : int64_t(uint32_t(x) & 0xffffff);
  };
  return low(a) * low(b);
}
struct Mul24Lo {
  template <typename T>
  static T apply(T a, T b) {
    return T(product24(a, b));
  }
};
struct Mul24Hi {
  template <typename T>
  static T apply(T a, T b) {
    return T(product24(a, b) >> 16);
  }
};
struct Mad24Lo {
  template <typename T>
  static T apply(T a, T b, T c) {
    return Add::apply(Mul24Lo::apply(a, b), c);
  }
};
struct Mad24Hi {
  template <typename T>
  static T apply(T a, T b, T c) {
    return Add::apply(Mul24Hi::apply(a, b), c);
  }
};
/// Division by 0 gives all ones, as the hardware does; the remainder is the
/// dividend. PTX leaves both open.
struct Div {
  template <typename T>
  static T apply(T a, T b) {
    if (b == 0)
      return T(-1);
    return isSigned<T> && b == T(-1) ? T(Unsigned<T>(0) - Unsigned<T>(a))
                                     : T(a / b);
  }
};
struct Rem {
  template <typename T>
  static T apply(T a, T b) {
    if (b == 0)
      return a;
    return isSigned<T> && b == T(-1) ? T(0) : T(a % b);
  }
};
struct Min {
  template <typename T>
  static T apply(T a, T b) {
    return a < b ? a : b;
  }
};
struct Max {
  template <typename T>
  static T apply(T a, T b) {
    return a > b ? a : b;
  }
};
struct Abs {
  template <typename T>
  static T apply(T a) {
    return a < 0 ? T(Unsigned<T>(0) - Unsigned<T>(a)) : a;
  }
};
struct Neg {
  template <typename T>
  static T apply(T a) {
    return T(Unsigned<T>(0) - Unsigned<T>(a));
  }
};
struct Sad {
  template <typename T>
  static T apply(T a, T b, T c) {
    Unsigned<T> difference = a < b ? Unsigned<T>(b) - Unsigned<T>(a)
                                   : Unsigned<T>(a) - Unsigned<T>(b);
    return T(Unsigned<T>(c) + difference);
  }
};

/// Sums of four products of bytes, and of two of halves with bytes.
template <typename A, typename B>
struct Dp4a {
  static uint32_t apply(uint32_t a, uint32_t b, uint32_t c) {
    for (unsigned i = 0; i < 32; i += 8)
      c += uint32_t(int32_t(A(a >> i)) * int32_t(B(b >> i)));
    return c;
  }
};

/// d = a + b with the flag: `carriesIn` adds it, `carriesOut` sets it. For
/// differences b is inverted, and the flag is that of a borrow.
template <typename T, bool isDifference, bool carriesIn, bool carriesOut>
void runCarry(Warp &warp, const Instruction &instruction, uint32_t lanes) {
  const T *a = slotOf<T>(warp, instruction, 1),
          *b = slotOf<T>(warp, instruction, 2);
  T result[warpLanes];
  uint32_t flags = 0;
  for (unsigned i = 0; i < warpLanes; ++i) {
    unsigned __int128 in = carriesIn ? warp.carry >> i & 1 : 0;
    unsigned __int128 sum = isDifference
                                ? (unsigned __int128)(a[i]) - b[i] - in
                                : (unsigned __int128)(a[i]) + b[i] + in;
    result[i] = T(sum);
    flags |= uint32_t(sum >> bitsOf<T> & 1) << i;
  }
  if (carriesOut)
    warp.carry = (warp.carry & ~lanes) | (flags & lanes);
  storeLanes(slotOf<T>(warp, instruction, 0), result, lanes);
}

/// d = low or high half of a * b, plus c, with the flag.
template <typename T, bool isHigh, bool carriesIn, bool carriesOut>
void runMadCarry(Warp &warp, const Instruction &instruction, uint32_t lanes) {
  const T *a = slotOf<T>(warp, instruction, 1),
          *b = slotOf<T>(warp, instruction, 2),
          *c = slotOf<T>(warp, instruction, 3);
  T result[warpLanes];
  uint32_t flags = 0;
  for (unsigned i = 0; i < warpLanes; ++i) {
    T part = isHigh ? highPart(a[i], b[i]) : multiply(a[i], b[i]);
    unsigned __int128 in = carriesIn ? warp.carry >> i & 1 : 0;
    unsigned __int128 sum =
        (unsigned __int128)(Unsigned<T>(part)) + Unsigned<T>(c[i]) + in;
    result[i] = T(sum);
    flags |= uint32_t(sum >> bitsOf<T> & 1) << i;
  }
  if (carriesOut)
    warp.carry = (warp.carry & ~lanes) | (flags & lanes);
  storeLanes(slotOf<T>(warp, instruction, 0), result, lanes);
}

template <typename T>
std::string typeName() {
  return (isSigned<T> ? ".s" : ".u") + std::to_string(bitsOf<T>);
}

template <typename T>
void addWide(HandlerTable &table) {
  std::string type = typeName<T>(), narrow(1, letterOf(sizeof(T))),
              wide(1, letterOf(2 * sizeof(T)));
  table.add("mul.wide" + type, wide + narrow + narrow,
            runBinary<MulWide, Wide<T>, T>);
  table.add("mad.wide" + type, wide + narrow + narrow + wide,
            runTernary<MadWide, Wide<T>, T, T, Wide<T>>);
}

template <typename T>
void addType(HandlerTable &table) {
  std::string type = typeName<T>(), one(1, letterOf(sizeof(T)));
  std::string unary = one + one, binary = unary + one, ternary = binary + one;
  table.add("add" + type, binary, runBinary<Add, T, T>);
  table.add("sub" + type, binary, runBinary<Sub, T, T>);
  table.add("mul.lo" + type, binary, runBinary<MulLo, T, T>);
  table.add("mul.hi" + type, binary, runBinary<MulHi, T, T>);
  table.add("mad.lo" + type, ternary, runTernary<MadLo, T, T>);
  table.add("mad.hi" + type, ternary, runTernary<MadHi, T, T>);
  table.add("div" + type, binary, runBinary<Div, T, T>);
  table.add("rem" + type, binary, runBinary<Rem, T, T>);
  table.add("min" + type, binary, runBinary<Min, T, T>);
  table.add("max" + type, binary, runBinary<Max, T, T>);
  table.add("sad" + type, ternary, runTernary<Sad, T, T>);
  if (isSigned<T>) {
    table.add("abs" + type, unary, runUnary<Abs, T, T>);
    table.add("neg" + type, unary, runUnary<Neg, T, T>);
  }
}

template <typename T>
void addCarries(HandlerTable &table) {
  std::string one(1, letterOf(sizeof(T))), binary = one + one + one,
                                           ternary = binary + one;
  for (const char *sign : {".u", ".s"}) {
    std::string type = sign + std::to_string(bitsOf<T>);
    table.add("add.cc" + type, binary, runCarry<T, false, false, true>);
    table.add("addc" + type, binary, runCarry<T, false, true, false>);
    table.add("addc.cc" + type, binary, runCarry<T, false, true, true>);
    table.add("sub.cc" + type, binary, runCarry<T, true, false, true>);
    table.add("subc" + type, binary, runCarry<T, true, true, false>);
    table.add("subc.cc" + type, binary, runCarry<T, true, true, true>);
  }
}

template <typename T>
void addMadCarries(HandlerTable &table) {
  std::string type = typeName<T>(), ternary(4, letterOf(sizeof(T)));
  table.add("mad.lo.cc" + type, ternary, runMadCarry<T, false, false, true>);
  table.add("mad.hi.cc" + type, ternary, runMadCarry<T, true, false, true>);
  table.add("madc.lo" + type, ternary, runMadCarry<T, false, true, false>);
  table.add("madc.hi" + type, ternary, runMadCarry<T, true, true, false>);
  table.add("madc.lo.cc" + type, ternary, runMadCarry<T, false, true, true>);
  table.add("madc.hi.cc" + type, ternary, runMadCarry<T, true, true, true>);
}

template <typename T>
void add24(HandlerTable &table) {
  std::string type = typeName<T>();
  table.add("mul24.lo" + type, "www", runBinary<Mul24Lo, T, T>);
  table.add("mul24.hi" + type, "www", runBinary<Mul24Hi, T, T>);
  table.add("mad24.lo" + type, "wwww", runTernary<Mad24Lo, T, T>);
  table.add("mad24.hi" + type, "wwww", runTernary<Mad24Hi, T, T>);
}

} // namespace

void SYMSHAPE_PTX_LANES::addIntegers(HandlerTable &table) {
  addType<uint16_t>(table);
  addType<int16_t>(table);
  addType<uint32_t>(table);
  addType<int32_t>(table);
  addType<uint64_t>(table);
  addType<int64_t>(table);
  addWide<uint16_t>(table);
  addWide<int16_t>(table);
  addWide<uint32_t>(table);
  addWide<int32_t>(table);
  addCarries<uint32_t>(table);
  addCarries<uint64_t>(table);
  addMadCarries<uint32_t>(table);
  addMadCarries<int32_t>(table);
  addMadCarries<uint64_t>(table);
  addMadCarries<int64_t>(table);
  add24<uint32_t>(table);
  add24<int32_t>(table);
  table.add("add.sat.s32", "www", runBinary<AddSaturated<1>, int32_t, int32_t>);
  table.add("sub.sat.s32", "www",
            runBinary<AddSaturated<-1>, int32_t, int32_t>);
  table.add("dp4a.u32.u32", "wwww",
            runTernary<Dp4a<uint8_t, uint8_t>, uint32_t, uint32_t>);
  table.add("dp4a.u32.s32", "wwww",
            runTernary<Dp4a<uint8_t, int8_t>, uint32_t, uint32_t>);
  table.add("dp4a.s32.u32", "wwww",
            runTernary<Dp4a<int8_t, uint8_t>, uint32_t, uint32_t>);
  table.add("dp4a.s32.s32", "wwww",
            runTernary<Dp4a<int8_t, int8_t>, uint32_t, uint32_t>);
}

#include "EndOfLanes.h"
