//===- Floats.cpp - Arithmetic of f32 and f64, to the nearest -------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// IEEE 754 with the NaNs of the hardware: a NaN that f32 arithmetic makes is
// 0x7fffffff. Directed rounding, .ftz and .sat are in RoundedFloats.cpp.
//
//===----------------------------------------------------------------------===//

#include "Lanes.h"

using namespace mlir::symshape::ptx;
using namespace mlir::symshape::ptx::SYMSHAPE_PTX_LANES;

namespace {

float canonical(float value) {
  return value != value ? bitsAs<float>(0x7fffffffu) : value;
}
double canonical(double value) { return value; }

float fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
float squareRoot(float a) { return __builtin_sqrtf(a); }
double squareRoot(double a) { return __builtin_sqrt(a); }

struct Add {
  template <typename T>
  static T apply(T a, T b) {
    return canonical(a + b);
  }
};
struct Sub {
  template <typename T>
  static T apply(T a, T b) {
    return canonical(a - b);
  }
};
struct Mul {
  template <typename T>
  static T apply(T a, T b) {
    return canonical(a * b);
  }
};
struct Div {
  template <typename T>
  static T apply(T a, T b) {
    return canonical(a / b);
  }
};
struct Fma {
  template <typename T>
  static T apply(T a, T b, T c) {
    return canonical(fma(a, b, c));
  }
};
struct Rcp {
  template <typename T>
  static T apply(T a) {
    return canonical(T(1) / a);
  }
};
struct Sqrt {
  template <typename T>
  static T apply(T a) {
    return canonical(squareRoot(a));
  }
};

template <typename T>
struct BitsOf;
template <>
struct BitsOf<float> {
  using Type = uint32_t;
};
template <>
struct BitsOf<double> {
  using Type = uint64_t;
};
template <typename T>
using Bits = typename BitsOf<T>::Type;
template <typename T>
constexpr Bits<T> signBit = Bits<T>(1) << (8 * sizeof(T) - 1);

template <typename T>
T magnitude(T a) {
  return bitsAs<T>(Bits<T>(bitsAs<Bits<T>>(a) & ~signBit<T>));
}

struct Abs {
  template <typename T>
  static T apply(T a) {
    return magnitude(a);
  }
};
struct Neg {
  template <typename T>
  static T apply(T a) {
    return bitsAs<T>(Bits<T>(bitsAs<Bits<T>>(a) ^ signBit<T>));
  }
};
/// The sign of a, the rest of b.
struct CopySign {
  template <typename T>
  static T apply(T a, T b) {
    return bitsAs<T>(Bits<T>((bitsAs<Bits<T>>(a) & signBit<T>) |
                             (bitsAs<Bits<T>>(b) & ~signBit<T>)));
  }
};
/// The smaller one, -0 below +0; of a NaN and a number the number.
template <bool keepsNaN>
struct Min {
  template <typename T>
  static T apply(T a, T b) {
    T least = a < b ? a
              : b < a
                  ? b
                  : bitsAs<T>(Bits<T>(bitsAs<Bits<T>>(a) | bitsAs<Bits<T>>(b)));
    T other = a != a ? b : a;
    return canonical(a == a && b == b ? least : keepsNaN ? a + b : other);
  }
};
template <bool keepsNaN>
struct Max {
  template <typename T>
  static T apply(T a, T b) {
    T most = a > b ? a
             : b > a
                 ? b
                 : bitsAs<T>(Bits<T>(bitsAs<Bits<T>>(a) & bitsAs<Bits<T>>(b)));
    T other = a != a ? b : a;
    return canonical(a == a && b == b ? most : keepsNaN ? a + b : other);
  }
};
/// The smaller or larger magnitude, with the product of the signs.
template <typename Op>
struct XorSign {
  template <typename T>
  static T apply(T a, T b) {
    T result = Op::apply(magnitude(a), magnitude(b));
    Bits<T> sign = (bitsAs<Bits<T>>(a) ^ bitsAs<Bits<T>>(b)) & signBit<T>;
    return result != result
               ? result
               : bitsAs<T>(Bits<T>(bitsAs<Bits<T>>(result) | sign));
  }
};

enum Test : uint32_t {
  Finite,
  Infinite,
  Number,
  NotANumber,
  Normal,
  Subnormal
};

template <typename T>
bool holds(uint32_t test, T a) {
  T size = magnitude(a),
    most = sizeof(T) == 4 ? T(__FLT_MAX__) : T(__DBL_MAX__),
    least = sizeof(T) == 4 ? T(__FLT_MIN__) : T(__DBL_MIN__);
  switch (test) {
  case Finite:
    return size <= most;
  case Infinite:
    return size > most;
  case Number:
    return a == a;
  case NotANumber:
    return a != a;
  case Normal:
    return size >= least && size <= most;
  default:
    return size > 0 && size < least;
  }
}

template <typename T>
void runTest(Warp &warp, const Instruction &instruction, uint32_t lanes) {
  const T *a = slotOf<T>(warp, instruction, 1);
  uint32_t bits = 0;
  for (unsigned i = 0; i < warpLanes; ++i)
    bits |= uint32_t(holds(instruction.extra, a[i])) << i;
  storePredicate(warp, instruction, 0, bits, lanes);
}

template <typename T>
void addType(HandlerTable &table) {
  std::string type = sizeof(T) == 4 ? ".f32" : ".f64",
              one(1, letterOf(sizeof(T)));
  std::string unary = one + one, binary = unary + one, ternary = binary + one;
  for (const char *mode : {"", ".rn"}) {
    table.add("add" + (mode + type), binary, runBinary<Add, T, T>);
    table.add("sub" + (mode + type), binary, runBinary<Sub, T, T>);
    table.add("mul" + (mode + type), binary, runBinary<Mul, T, T>);
  }
  table.add("fma.rn" + type, ternary, runTernary<Fma, T, T>);
  table.add("mad.rn" + type, ternary, runTernary<Fma, T, T>);
  table.add("div.rn" + type, binary, runBinary<Div, T, T>);
  table.add("rcp.rn" + type, unary, runUnary<Rcp, T, T>);
  table.add("sqrt.rn" + type, unary, runUnary<Sqrt, T, T>);
  table.add("abs" + type, unary, runUnary<Abs, T, T>);
  table.add("neg" + type, unary, runUnary<Neg, T, T>);
  table.add("copysign" + type, binary, runBinary<CopySign, T, T>);
  table.add("min" + type, binary, runBinary<Min<false>, T, T>);
  table.add("max" + type, binary, runBinary<Max<false>, T, T>);
  static const char *const tests[] = {"finite",     "infinite", "number",
                                      "notanumber", "normal",   "subnormal"};
  for (uint32_t test = Finite; test <= Subnormal; ++test)
    table.add(std::string("testp.") + tests[test] + type, "p" + one, runTest<T>,
              test);
}

} // namespace

void SYMSHAPE_PTX_LANES::addFloats(HandlerTable &table) {
  addType<float>(table);
  addType<double>(table);
  using MinNaN = Min<true>;
  using MaxNaN = Max<true>;
  table.add("min.NaN.f32", "www", runBinary<MinNaN, float, float>);
  table.add("max.NaN.f32", "www", runBinary<MaxNaN, float, float>);
  table.add("min.xorsign.abs.f32", "www",
            runBinary<XorSign<Min<false>>, float, float>);
  table.add("max.xorsign.abs.f32", "www",
            runBinary<XorSign<Max<false>>, float, float>);
  table.add("min.NaN.xorsign.abs.f32", "www",
            runBinary<XorSign<MinNaN>, float, float>);
  table.add("max.NaN.xorsign.abs.f32", "www",
            runBinary<XorSign<MaxNaN>, float, float>);
}

#include "EndOfLanes.h"
