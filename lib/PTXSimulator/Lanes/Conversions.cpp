//===- Conversions.cpp - cvt ----------------------------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Between all types of integers and floats. A register may be wider than the
// type that is in it: widths are in the instruction.
//
//===----------------------------------------------------------------------===//

#include "../DirectedRounding.h"
#include "SmallFloats.h"

using namespace mlir::symshape::ptx;
using namespace mlir::symshape::ptx::SYMSHAPE_PTX_LANES;

namespace {

/// In `Instruction::extra`: a rounding, to a float or (`ToInteger`) to an
/// integer.
enum Flags : uint32_t {
  RoundingMask = 7,
  ToInteger = 8,
  Ftz = 16,
  Sat = 32,
  Relu = 64
};

template <typename T>
constexpr bool isFloat = false;
template <>
constexpr bool isFloat<float> = true;
template <>
constexpr bool isFloat<double> = true;
template <>
constexpr bool isFloat<F16> = true;
template <>
constexpr bool isFloat<BF16> = true;
template <typename T>
constexpr bool isSigned = T(-1) < T(0);
template <typename T>
constexpr int64_t least =
    isSigned<T> ? int64_t(~uint64_t(0) << (8 * sizeof(T) - 1)) : 0;
template <typename T>
constexpr uint64_t most =
    ~uint64_t(0) >> (64 - 8 * sizeof(T) + (isSigned<T> ? 1 : 0));

float flush(float value) {
  uint32_t bits = bitsAs<uint32_t>(value);
  return (bits & 0x7f800000) == 0 ? bitsAs<float>(bits & 0x80000000) : value;
}

double roundToInteger(double value, uint32_t rounding) {
  switch (rounding) {
  case Nearest:
    return __builtin_nearbyint(value);
  case Zero:
    return __builtin_trunc(value);
  case Down:
    return __builtin_floor(value);
  default:
    return __builtin_ceil(value);
  }
}

/// The bits of T that `raw` ends with.
template <typename T>
T decode(uint64_t raw) {
  if constexpr (sizeof(T) == 8)
    return bitsAs<T>(raw);
  else if constexpr (sizeof(T) == 4)
    return bitsAs<T>(uint32_t(raw));
  else if constexpr (sizeof(T) == 2)
    return bitsAs<T>(uint16_t(raw));
  else
    return T(uint8_t(raw));
}

/// The bits of a value, extended by its sign where it has one.
template <typename T>
uint64_t encode(T value) {
  if constexpr (sizeof(T) == 8)
    return bitsAs<uint64_t>(value);
  else if constexpr (isFloat<T> && sizeof(T) == 4)
    return bitsAs<uint32_t>(value);
  else if constexpr (isFloat<T>)
    return value.bits;
  else
    return uint64_t(int64_t(value));
}

template <typename S>
double asDouble(S value, uint32_t flags) {
  if constexpr (sizeof(S) == 8)
    return value;
  else if constexpr (sizeof(S) == 4)
    return flags & Ftz ? flush(value) : value;
  else
    return widen(value);
}

/// To a float, rounded as the flags say.
template <typename D>
D fromDouble(double value, uint32_t flags) {
  uint32_t rounding =
      flags & ToInteger ? uint32_t(Nearest) : flags & RoundingMask;
  if (flags & Sat)
    value = value != value || value <= 0 ? 0 : value >= 1 ? 1 : value;
  if ((flags & Relu) && value <= 0)
    value = 0;
  if constexpr (sizeof(D) == 8) {
    return value;
  } else if constexpr (sizeof(D) == 4) {
    float result =
        rounding == Nearest ? float(value) : narrowDirected(rounding, value);
    result = result != result ? bitsAs<float>(0x7fffffffu) : result;
    return flags & Ftz ? flush(result) : result;
  } else {
    return narrow<D>(value, Rounding(rounding));
  }
}

/// An integer as a double that rounds, to 16 bits, as the integer does: what
/// does not fit is cut with its last bit set.
template <typename S>
double toOdd(S value) {
  bool isNegative = isSigned<S> && value < 0;
  uint64_t size = isNegative ? 0 - uint64_t(value) : uint64_t(value);
  if (size >> 53)
    size = size >> 12 << 12 | uint64_t((size & 0xfff) != 0) << 12;
  return isNegative ? -double(size) : double(size);
}

template <typename D, typename S>
D convertIntegerToFloat(S value, uint32_t flags) {
  uint32_t rounding = flags & RoundingMask;
  using Wide = std::conditional_t<isSigned<S>, int64_t, uint64_t>;
  if (flags & Sat)
    return fromDouble<D>(toOdd(value), flags);
  if constexpr (sizeof(D) == 8)
    return rounding == Nearest ? double(value)
                               : doubleDirected(rounding, Wide(value));
  else if constexpr (sizeof(D) == 4)
    return rounding == Nearest ? float(value)
                               : floatDirected(rounding, Wide(value));
  else
    return narrow<D>(toOdd(value), Rounding(rounding));
}

/// Out of range gives the nearest integer in range. A NaN gives 0, or with 64
/// bits on either side the highest bit alone.
template <typename D, typename S>
D convertFloatToInteger(S value, uint32_t flags) {
  double number = asDouble(value, flags);
  if (number != number)
    return sizeof(S) == 8 || sizeof(D) == 8
               ? D(uint64_t(1) << (8 * sizeof(D) - 1))
               : D(0);
  number = roundToInteger(number, flags & RoundingMask);
  if (number <= double(least<D>))
    return D(least<D>);
  if (number >= double(most<D>)) // for 64 bits this is most + 1
    return D(most<D>);
  return isSigned<D> ? D(int64_t(number)) : D(uint64_t(number));
}

template <typename D, typename S>
D convertInteger(S value, uint32_t flags) {
  if (!(flags & Sat))
    return D(value);
  if (isSigned<S> && value < 0)
    return int64_t(value) < least<D> ? D(least<D>) : D(value);
  return uint64_t(value) > most<D> ? D(most<D>) : D(value);
}

template <typename D, typename S>
D convert(S value, uint32_t flags) {
  if constexpr (isFloat<D> && isFloat<S>) {
    double number = asDouble(value, flags);
    if (flags & ToInteger)
      number = roundToInteger(number, flags & RoundingMask);
    return fromDouble<D>(number, flags);
  } else if constexpr (isFloat<D>) {
    return convertIntegerToFloat<D>(value, flags);
  } else if constexpr (isFloat<S>) {
    return convertFloatToInteger<D>(value, flags);
  } else {
    return convertInteger<D>(value, flags);
  }
}

uint64_t loadRaw(const uint8_t *slot, unsigned bytes, unsigned lane) {
  uint64_t raw = 0;
  std::memcpy(&raw, slot + bytes * lane, bytes);
  return raw;
}

/// The loops that are common: registers as wide as their types, no suffix.
template <typename D, typename S>
bool runFast(Warp &warp, const Instruction &instruction, uint32_t lanes) {
  if (instruction.vector != sizeof(D) || instruction.accessBytes != sizeof(S) ||
      sizeof(D) < 2 || sizeof(S) < 2)
    return false;
  D result[warpLanes];
  const S *a = slotOf<S>(warp, instruction, 1);
  if constexpr (!isFloat<D> && !isFloat<S>) {
    if (instruction.extra != 0)
      return false;
    for (unsigned i = 0; i < warpLanes; ++i)
      result[i] = D(a[i]);
  } else if constexpr (isFloat<D> && !isFloat<S> && sizeof(D) >= 4) {
    if (instruction.extra != Nearest)
      return false;
    for (unsigned i = 0; i < warpLanes; ++i)
      result[i] = D(a[i]);
  } else if constexpr (sizeof(D) == 2 && isFloat<D> && sizeof(S) == 4 &&
                       isFloat<S>) {
    if (instruction.extra != Nearest)
      return false;
    for (unsigned i = 0; i < warpLanes; ++i)
      result[i] = narrowNearest(a[i], D{});
  } else if constexpr (sizeof(D) == 4 && isFloat<D> && sizeof(S) == 2 &&
                       isFloat<S>) {
    if (instruction.extra != 0)
      return false;
    for (unsigned i = 0; i < warpLanes; ++i) {
      float value = widen(a[i]);
      result[i] = value != value ? bitsAs<float>(0x7fffffffu) : value;
    }
  } else {
    return false;
  }
  storeLanes(slotOf<D>(warp, instruction, 0), result, lanes);
  return true;
}

template <typename D, typename S>
void runConvert(Warp &warp, const Instruction &instruction, uint32_t lanes) {
  if (runFast<D, S>(warp, instruction, lanes))
    return;
  const uint8_t *from = warp.frame + instruction.operands[1];
  uint8_t *to = warp.frame + instruction.operands[0];
  uint64_t raw[warpLanes];
  for (unsigned i = 0; i < warpLanes; ++i)
    raw[i] = loadRaw(from, instruction.accessBytes, i);
  for (unsigned i = 0; i < warpLanes; ++i) {
    if (!isOn(lanes, i))
      continue;
    uint64_t result = encode(convert<D>(decode<S>(raw[i]), instruction.extra));
    std::memcpy(to + instruction.vector * i, &result, instruction.vector);
  }
}

/// Two f32 to a word; the first operand is the upper half.
template <typename D>
void runConvertPair(Warp &warp, const Instruction &instruction,
                    uint32_t lanes) {
  const float *high = slotOf<float>(warp, instruction, 1),
              *low = slotOf<float>(warp, instruction, 2);
  uint32_t result[warpLanes];
  for (unsigned i = 0; i < warpLanes; ++i)
    result[i] = uint32_t(fromDouble<D>(high[i], instruction.extra).bits) << 16 |
                fromDouble<D>(low[i], instruction.extra).bits;
  storeLanes(slotOf<uint32_t>(warp, instruction, 0), result, lanes);
}

/// To tf32: 10 bits of mantissa, to the nearest, halves away from zero.
void runTf32(Warp &warp, const Instruction &instruction, uint32_t lanes) {
  const uint32_t *a = slotOf<uint32_t>(warp, instruction, 1);
  uint32_t result[warpLanes];
  for (unsigned i = 0; i < warpLanes; ++i) {
    bool isSpecial = (a[i] & 0x7f800000) == 0x7f800000;
    uint32_t nan = (a[i] & 0x7fffffff) > 0x7f800000 ? 0x7fffffffu : a[i];
    result[i] = isSpecial ? nan : (a[i] + 0x1000) & ~0x1fffu;
  }
  storeLanes(slotOf<uint32_t>(warp, instruction, 0), result, lanes);
}

template <typename T>
std::string nameOf() {
  if constexpr (isFloat<T> && sizeof(T) == 2)
    return T::mantissa == 10 ? ".f16" : ".bf16";
  else if constexpr (isFloat<T>)
    return sizeof(T) == 8 ? ".f64" : ".f32";
  else
    return (isSigned<T> ? ".s" : ".u") + std::to_string(8 * sizeof(T));
}

template <typename D, typename S>
void addWith(HandlerTable &table, const std::string &mode, uint32_t flags) {
  constexpr bool hasFtz =
      (isFloat<D> && sizeof(D) == 4) || (isFloat<S> && sizeof(S) == 4);
  std::string types = nameOf<D>() + nameOf<S>();
  for (uint32_t ftz : {0u, uint32_t(Ftz)})
    for (uint32_t sat : {0u, uint32_t(Sat)}) {
      if (ftz && !hasFtz)
        continue;
      std::string text =
          "cvt" + mode + (ftz ? ".ftz" : "") + (sat ? ".sat" : "") + types;
      table.add(text, "vv", runConvert<D, S>, flags | ftz | sat);
    }
  if (sizeof(D) == 2 && isFloat<D> && sizeof(S) == 4 && isFloat<S>)
    table.add("cvt" + mode + ".relu" + types, "vv", runConvert<D, S>,
              flags | Relu);
}

template <typename D, typename S>
void addPair(HandlerTable &table) {
  static const char *const toFloat[] = {".rn", ".rz", ".rm", ".rp"};
  static const char *const toInteger[] = {".rni", ".rzi", ".rmi", ".rpi"};
  constexpr bool bothFloats = isFloat<D> && isFloat<S>;
  constexpr bool needsRounding =
      isFloat<D> && (!isFloat<S> || sizeof(D) < sizeof(S));
  bool needsInteger = isFloat<S> && !isFloat<D>;
  if (!needsRounding && !needsInteger)
    addWith<D, S>(table, "", 0);
  for (uint32_t rounding = Nearest; rounding <= Up; ++rounding) {
    if (needsRounding)
      addWith<D, S>(table, toFloat[rounding], rounding);
    if (needsInteger)
      addWith<D, S>(table, toInteger[rounding], rounding);
    if (bothFloats && sizeof(D) == sizeof(S))
      addWith<D, S>(table, toInteger[rounding], rounding | ToInteger);
  }
}

template <typename D>
void addTo(HandlerTable &table) {
  addPair<D, uint8_t>(table);
  addPair<D, int8_t>(table);
  addPair<D, uint16_t>(table);
  addPair<D, int16_t>(table);
  addPair<D, uint32_t>(table);
  addPair<D, int32_t>(table);
  addPair<D, uint64_t>(table);
  addPair<D, int64_t>(table);
  addPair<D, F16>(table);
  addPair<D, BF16>(table);
  addPair<D, float>(table);
  addPair<D, double>(table);
}

} // namespace

void SYMSHAPE_PTX_LANES::addConversions(HandlerTable &table) {
  addTo<uint8_t>(table);
  addTo<int8_t>(table);
  addTo<uint16_t>(table);
  addTo<int16_t>(table);
  addTo<uint32_t>(table);
  addTo<int32_t>(table);
  addTo<uint64_t>(table);
  addTo<int64_t>(table);
  addTo<F16>(table);
  addTo<BF16>(table);
  addTo<float>(table);
  addTo<double>(table);
  for (uint32_t relu : {0u, uint32_t(Relu)}) {
    std::string text = relu ? ".relu" : "";
    for (uint32_t rounding : {uint32_t(Nearest), uint32_t(Zero)}) {
      std::string mode = (rounding == Nearest ? "cvt.rn" : "cvt.rz") + text;
      table.add(mode + ".f16x2.f32", "www", runConvertPair<F16>,
                rounding | relu);
      table.add(mode + ".bf16x2.f32", "www", runConvertPair<BF16>,
                rounding | relu);
    }
  }
  table.add("cvt.rna.tf32.f32", "ww", runTf32);
}

#include "EndOfLanes.h"
