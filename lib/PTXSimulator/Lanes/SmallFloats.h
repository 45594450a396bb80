//===- SmallFloats.h - Floats of 16 bits and their rounding -----*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// f16, bf16 and the mantissa of tf32, by integer arithmetic: the same on every
// processor.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_PTXSIMULATOR_LANES_SMALLFLOATS_H
#define SYMSHAPE_PTXSIMULATOR_LANES_SMALLFLOATS_H

#include "Lanes.h"

namespace mlir::symshape::ptx::SYMSHAPE_PTX_LANES {

/// How results are rounded: .rn, .rz, .rm, .rp, .rna.
enum Rounding : uint32_t { Nearest, Zero, Down, Up, NearestAway };

struct F16 {
  uint16_t bits;
  static constexpr int mantissa = 10, exponent = 5;
  static constexpr uint16_t nan = 0x7fff, sign = 0x8000, infinity = 0x7c00;
};
struct BF16 {
  uint16_t bits;
  static constexpr int mantissa = 7, exponent = 8;
  static constexpr uint16_t nan = 0x7fff, sign = 0x8000, infinity = 0x7f80;
};

static inline float widen(F16 value) {
  uint32_t shifted = uint32_t(value.bits & 0x7fff) << 13;
  uint32_t exponent = shifted & 0x0f800000;
  uint32_t normal = shifted + 0x38000000; // (127 - 15) << 23
  uint32_t special = normal + 0x38000000; // infinity and NaN
  // Subnormal: 2^-14 * (1 + m), less 2^-14.
  uint32_t small =
      bitsAs<uint32_t>(bitsAs<float>(normal + 0x00800000) - 6.103515625e-05f);
  uint32_t bits = exponent == 0x0f800000 ? special
                  : exponent == 0        ? small
                                         : normal;
  return bitsAs<float>(bits | uint32_t(value.bits & 0x8000) << 16);
}
static inline float widen(BF16 value) {
  return bitsAs<float>(uint32_t(value.bits) << 16);
}
static inline float widen(float value) { return value; }

static inline bool isNaN(F16 value) {
  return (value.bits & 0x7fff) > F16::infinity;
}
static inline bool isNaN(BF16 value) {
  return (value.bits & 0x7fff) > BF16::infinity;
}
static inline bool isNaN(float value) { return value != value; }
static inline bool isNaN(double value) { return value != value; }

/// Whether a number, cut to `quotient`, is rounded away from zero. `rest` is
/// what was cut off, in units where the last place kept is 2 * half.
static inline bool roundsUp(Rounding rounding, bool isNegative,
                            uint64_t quotient, uint64_t rest, uint64_t half) {
  switch (rounding) {
  case Nearest:
    return rest > half || (rest == half && (quotient & 1));
  case Zero:
    return false;
  case Down:
    return isNegative && rest != 0;
  case Up:
    return !isNegative && rest != 0;
  case NearestAway:
    return rest >= half;
  }
  return false;
}

/// The bits of `value` rounded to a format with so many bits of mantissa and
/// exponent. A NaN is the canonical one of floats of 16 bits: all bits but the
/// sign.
static inline uint32_t roundTo(double value, int mantissa, int exponentBits,
                               Rounding rounding) {
  uint64_t bits = bitsAs<uint64_t>(value), fraction = bits & 0xfffffffffffffull;
  bool isNegative = bits >> 63;
  int exponent = int(bits >> 52 & 0x7ff) - 1023;
  int bias = (1 << (exponentBits - 1)) - 1;
  uint32_t sign = isNegative ? 1u << (mantissa + exponentBits) : 0;
  uint32_t infinity = ((1u << exponentBits) - 1) << mantissa;
  if (exponent == 1024)
    return fraction ? (1u << (mantissa + exponentBits)) - 1 : sign | infinity;
  if (bits << 1 == 0)
    return sign;
  // Subnormals of double are below half of any subnormal here: any tiny number
  // rounds as they do.
  uint64_t significand = exponent == -1023 ? 1 : fraction | uint64_t(1) << 52;
  int least = 1 - bias,
      shift = 52 - mantissa + (exponent < least ? least - exponent : 0);
  if (shift > 60) {
    significand = 1;
    shift = 60;
  }
  uint64_t quotient = significand >> shift, half = uint64_t(1) << (shift - 1);
  uint64_t rest = significand & ((half << 1) - 1);
  uint64_t result = exponent < least ? quotient
                                     : uint64_t(exponent + bias - 1) *
                                               (uint64_t(1) << mantissa) +
                                           quotient;
  result += roundsUp(rounding, isNegative, quotient, rest, half);
  if (result >= infinity) {
    bool toInfinity = rounding == Nearest || rounding == NearestAway ||
                      (rounding == Down && isNegative) ||
                      (rounding == Up && !isNegative);
    result = toInfinity ? infinity : infinity - 1;
  }
  return sign | uint32_t(result);
}

template <typename T>
static inline T narrow(double value, Rounding rounding = Nearest) {
  return T{uint16_t(roundTo(value, T::mantissa, T::exponent, rounding))};
}
/// To the nearest, without branches.
static inline BF16 narrowNearest(float value, BF16) {
  uint32_t bits = bitsAs<uint32_t>(value);
  uint32_t rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
  return BF16{uint16_t(value != value ? BF16::nan : rounded)};
}
static inline F16 narrowNearest(float value, F16) {
  uint32_t bits = bitsAs<uint32_t>(value), magnitude = bits & 0x7fffffff;
  // Normal numbers: move the bias, round the 13 bits below.
  uint32_t normal =
      (magnitude - 0x38000000 + 0xfff + (magnitude >> 13 & 1)) >> 13;
  // Smaller ones: adding 0.5 leaves the result in the low bits, rounded.
  uint32_t small =
      bitsAs<uint32_t>(bitsAs<float>(magnitude) + 0.5f) - 0x3f000000;
  uint32_t result = magnitude < 0x38800000 ? small : normal;
  result = magnitude >= 0x477ff000 ? F16::infinity : result;
  result = magnitude > 0x7f800000 ? uint32_t(F16::nan)
                                  : result | (bits >> 16 & 0x8000);
  return F16{uint16_t(result)};
}

/// a + b with the last bit set where it is not exact, so that rounding it again
/// gives what rounding a + b once does (Boldo and Melquiond, "Emulation of FMA
/// and correctly rounded sums", 2008).
static inline double addToOdd(double a, double b) {
  double sum = a + b;
  double part = sum - a;
  double error = (a - (sum - part)) + (b - part);
  uint64_t bits = bitsAs<uint64_t>(sum);
  if (error != 0 && error == error && !(bits & 1)) {
    bool grows = (error > 0) == (sum > 0);
    bits += grows ? 1 : uint64_t(-1);
  }
  return bitsAs<double>(bits);
}

} // namespace mlir::symshape::ptx::SYMSHAPE_PTX_LANES

#endif // SYMSHAPE_PTXSIMULATOR_LANES_SMALLFLOATS_H
