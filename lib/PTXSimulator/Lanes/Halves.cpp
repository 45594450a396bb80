//===- Halves.cpp - Arithmetic of f16 and bf16 ----------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One number, or two in a word. Results are exact before they are rounded once;
// a NaN is 0x7fff.
//
//===----------------------------------------------------------------------===//

#include "SmallFloats.h"

using namespace mlir::symshape::ptx;
using namespace mlir::symshape::ptx::SYMSHAPE_PTX_LANES;

namespace {

/// Flags in `Instruction::extra`.
enum Flags : uint32_t {
  Ftz = 1,
  Sat = 2,
  Relu = 4,
  KeepsNaN = 8,
  XorSign = 16
};

template <typename T>
T flush(T value) {
  return value.bits & T::infinity ? value : T{uint16_t(value.bits & T::sign)};
}
template <typename T>
double value(T a) {
  return double(widen(a));
}

struct Add {
  template <typename T>
  static T apply(T a, T b, T, uint32_t) {
    return narrow<T>(addToOdd(value(a), value(b)));
  }
};
struct Sub {
  template <typename T>
  static T apply(T a, T b, T, uint32_t) {
    return narrow<T>(addToOdd(value(a), -value(b)));
  }
};
struct Mul {
  template <typename T>
  static T apply(T a, T b, T, uint32_t) {
    return narrow<T>(value(a) * value(b));
  }
};
struct Fma {
  template <typename T>
  static T apply(T a, T b, T c, uint32_t) {
    return narrow<T>(addToOdd(value(a) * value(b), value(c)));
  }
};
struct Neg {
  template <typename T>
  static T apply(T a, T, T, uint32_t) {
    return T{uint16_t(a.bits ^ T::sign)};
  }
};
struct Abs {
  template <typename T>
  static T apply(T a, T, T, uint32_t) {
    return T{uint16_t(a.bits & ~T::sign)};
  }
};
template <bool isMax>
struct Select {
  template <typename T>
  static T apply(T a, T b, T, uint32_t flags) {
    uint16_t sign = flags & XorSign ? (a.bits ^ b.bits) & T::sign : 0;
    if (flags & XorSign) {
      a.bits &= uint16_t(~T::sign);
      b.bits &= uint16_t(~T::sign);
    }
    if (isNaN(a) || isNaN(b)) {
      if ((flags & KeepsNaN) || (isNaN(a) && isNaN(b)))
        return T{T::nan};
      return T{uint16_t((isNaN(a) ? b.bits : a.bits) | sign)};
    }
    bool aIsLess =
        widen(a) < widen(b) || (widen(a) == widen(b) && a.bits > b.bits);
    return T{uint16_t((aIsLess != isMax ? a.bits : b.bits) | sign)};
  }
};

template <typename Op, typename T>
T compute(uint32_t flags, T a, T b, T c) {
  if (flags & Ftz) {
    a = flush(a);
    b = flush(b);
    c = flush(c);
  }
  T result = Op::template apply<T>(a, b, c, flags);
  if (flags & Ftz)
    result = flush(result);
  if (flags & Sat)
    result = isNaN(result) || (result.bits & T::sign) ? T{0}
             : widen(result) > 1                      ? narrow<T>(1)
                                                      : result;
  if ((flags & Relu) && !isNaN(result) && (result.bits & T::sign))
    result = T{0};
  return result;
}

template <typename Op, typename T, unsigned elements, unsigned operands>
void runHalves(Warp &warp, const Instruction &instruction, uint32_t lanes) {
  using Word = std::conditional_t<elements == 1, uint16_t, uint32_t>;
  T in[3][warpLanes * elements], result[warpLanes * elements];
  for (unsigned k = 0; k < 3; ++k)
    std::memcpy(in[k],
                slotOf<Word>(warp, instruction, 1 + (k < operands ? k : 0)),
                sizeof(in[k]));
  for (unsigned i = 0; i < warpLanes * elements; ++i)
    result[i] =
        isOn(lanes, i / elements)
            ? compute<Op>(instruction.extra, in[0][i], in[1][i], in[2][i])
            : T{0};
  Word words[warpLanes];
  std::memcpy(words, result, sizeof(words));
  storeLanes(slotOf<Word>(warp, instruction, 0), words, lanes);
}

template <typename T, unsigned elements>
void addType(HandlerTable &table, const std::string &type) {
  constexpr bool isF16 = T::mantissa == 10;
  std::string one(1, letterOf(2 * elements)), unary = one + one,
                                              binary = unary + one;
  auto add = [&](const std::string &text, uint32_t flags) {
    for (const char *mode : {"", ".rn"}) {
      table.add("add" + (mode + text) + type, binary,
                runHalves<Add, T, elements, 2>, flags);
      table.add("sub" + (mode + text) + type, binary,
                runHalves<Sub, T, elements, 2>, flags);
      table.add("mul" + (mode + text) + type, binary,
                runHalves<Mul, T, elements, 2>, flags);
    }
    table.add("fma.rn" + text + type, binary + one,
              runHalves<Fma, T, elements, 3>, flags);
  };
  add("", 0);
  table.add("fma.rn.relu" + type, binary + one, runHalves<Fma, T, elements, 3>,
            Relu);
  if (isF16) {
    add(".ftz", Ftz);
    add(".sat", Sat);
    add(".ftz.sat", Ftz | Sat);
    table.add("fma.rn.ftz.relu" + type, binary + one,
              runHalves<Fma, T, elements, 3>, Ftz | Relu);
  }
  table.add("neg" + type, unary, runHalves<Neg, T, elements, 1>);
  table.add("abs" + type, unary, runHalves<Abs, T, elements, 1>);
  for (uint32_t flags : {0u, uint32_t(Ftz)}) {
    if (flags && !isF16)
      continue;
    std::string text = flags ? ".ftz" : "";
    for (uint32_t nan : {0u, uint32_t(KeepsNaN)})
      for (uint32_t sign : {0u, uint32_t(XorSign)}) {
        std::string suffix =
            text + (nan ? ".NaN" : "") + (sign ? ".xorsign.abs" : "") + type;
        table.add("min" + suffix, binary,
                  runHalves<Select<false>, T, elements, 2>, flags | nan | sign);
        table.add("max" + suffix, binary,
                  runHalves<Select<true>, T, elements, 2>, flags | nan | sign);
      }
  }
}

} // namespace

void SYMSHAPE_PTX_LANES::addHalves(HandlerTable &table) {
  addType<F16, 1>(table, ".f16");
  addType<F16, 2>(table, ".f16x2");
  addType<BF16, 1>(table, ".bf16");
  addType<BF16, 2>(table, ".bf16x2");
}

#include "EndOfLanes.h"
