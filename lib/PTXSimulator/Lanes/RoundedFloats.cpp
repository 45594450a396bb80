//===- RoundedFloats.cpp - f32 and f64 with .rz, .rm, .rp, .ftz, .sat -----===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whatever suffixes plain arithmetic may have; one lane after another.
//
//===----------------------------------------------------------------------===//

#include "../DirectedRounding.h"
#include "SmallFloats.h"

using namespace mlir::symshape::ptx;
using namespace mlir::symshape::ptx::SYMSHAPE_PTX_LANES;

namespace {

/// Of `Instruction::extra`: the rounding in the low bits, then flags.
enum Flags : uint32_t { RoundingMask = 7, Ftz = 8, Sat = 16, KeepsNaN = 32 };

float flush(float value) {
  uint32_t bits = bitsAs<uint32_t>(value);
  return (bits & 0x7f800000) == 0 ? bitsAs<float>(bits & 0x80000000) : value;
}
double flush(double value) { return value; }
float canonical(float value) {
  return value != value ? bitsAs<float>(0x7fffffffu) : value;
}
double canonical(double value) { return value; }
template <typename T>
T saturate(T value) {
  return value != value || value <= 0 ? T(0) : value >= 1 ? T(1) : value;
}

float nearest(FloatOp op, float a, float b, float c) {
  switch (op) {
  case FloatOp::Add:
    return a + b;
  case FloatOp::Sub:
    return a - b;
  case FloatOp::Mul:
    return a * b;
  case FloatOp::Fma:
    return __builtin_fmaf(a, b, c);
  case FloatOp::Div:
    return a / b;
  case FloatOp::Sqrt:
    return __builtin_sqrtf(a);
  }
  return a;
}
double nearest(FloatOp op, double a, double b, double c) {
  switch (op) {
  case FloatOp::Add:
    return a + b;
  case FloatOp::Sub:
    return a - b;
  case FloatOp::Mul:
    return a * b;
  case FloatOp::Fma:
    return __builtin_fma(a, b, c);
  case FloatOp::Div:
    return a / b;
  case FloatOp::Sqrt:
    return __builtin_sqrt(a);
  }
  return a;
}

template <typename T>
T compute(FloatOp op, uint32_t flags, T a, T b, T c) {
  if (flags & Ftz) {
    a = flush(a);
    b = flush(b);
    c = flush(c);
  }
  uint32_t rounding = flags & RoundingMask;
  T result = rounding == Nearest ? nearest(op, a, b, c)
                                 : roundDirected(op, rounding, a, b, c);
  result = canonical(result);
  if (flags & Ftz)
    result = flush(result);
  return flags & Sat ? saturate(result) : result;
}

template <typename T, FloatOp op, unsigned operands>
void runRounded(Warp &warp, const Instruction &instruction, uint32_t lanes) {
  const T *a = slotOf<T>(warp, instruction, 1);
  const T *b = operands > 1 ? slotOf<T>(warp, instruction, 2) : a;
  const T *c = operands > 2 ? slotOf<T>(warp, instruction, 3) : a;
  T result[warpLanes];
  for (unsigned i = 0; i < warpLanes; ++i)
    result[i] = isOn(lanes, i)
                    ? compute(op, instruction.extra, a[i], b[i], c[i])
                    : T(0);
  storeLanes(slotOf<T>(warp, instruction, 0), result, lanes);
}

/// 1 / a.
template <typename T>
void runReciprocal(Warp &warp, const Instruction &instruction, uint32_t lanes) {
  const T *a = slotOf<T>(warp, instruction, 1);
  T result[warpLanes];
  for (unsigned i = 0; i < warpLanes; ++i)
    result[i] = isOn(lanes, i)
                    ? compute(FloatOp::Div, instruction.extra, T(1), a[i], T(0))
                    : T(0);
  storeLanes(slotOf<T>(warp, instruction, 0), result, lanes);
}

float selectNumber(bool isMax, uint32_t flags, float a, float b) {
  a = flush(a);
  b = flush(b);
  if (a != a || b != b)
    return flags & KeepsNaN ? bitsAs<float>(0x7fffffffu)
                            : canonical(a != a ? b : a);
  bool aIsLess = a < b || (a == b && bitsAs<uint32_t>(a) > bitsAs<uint32_t>(b));
  return aIsLess != isMax ? a : b;
}

/// min.ftz and max.ftz.
template <bool isMax>
void runFlushedSelect(Warp &warp, const Instruction &instruction,
                      uint32_t lanes) {
  const float *a = slotOf<float>(warp, instruction, 1),
              *b = slotOf<float>(warp, instruction, 2);
  float result[warpLanes];
  for (unsigned i = 0; i < warpLanes; ++i)
    result[i] = selectNumber(isMax, instruction.extra, a[i], b[i]);
  storeLanes(slotOf<float>(warp, instruction, 0), result, lanes);
}

template <bool isNegation>
void runFlushedSign(Warp &warp, const Instruction &instruction,
                    uint32_t lanes) {
  const float *a = slotOf<float>(warp, instruction, 1);
  float result[warpLanes];
  for (unsigned i = 0; i < warpLanes; ++i) {
    uint32_t bits = bitsAs<uint32_t>(flush(a[i]));
    result[i] =
        bitsAs<float>(isNegation ? bits ^ 0x80000000u : bits & 0x7fffffffu);
  }
  storeLanes(slotOf<float>(warp, instruction, 0), result, lanes);
}

/// Spellings with the suffixes that `flags` say; plain ones are in Floats.cpp.
template <typename T>
void addRounding(HandlerTable &table, const std::string &suffixes,
                 uint32_t flags) {
  std::string type = sizeof(T) == 4 ? ".f32" : ".f64",
              one(1, letterOf(sizeof(T)));
  std::string text = suffixes + type, unary = one + one, binary = unary + one,
              ternary = binary + one;
  table.add("add" + text, binary, runRounded<T, FloatOp::Add, 2>, flags);
  table.add("sub" + text, binary, runRounded<T, FloatOp::Sub, 2>, flags);
  table.add("mul" + text, binary, runRounded<T, FloatOp::Mul, 2>, flags);
  if (suffixes[1] != 'r') // these name their rounding
    return;
  table.add("fma" + text, ternary, runRounded<T, FloatOp::Fma, 3>, flags);
  table.add("mad" + text, ternary, runRounded<T, FloatOp::Fma, 3>, flags);
  if (flags & Sat)
    return;
  table.add("div" + text, binary, runRounded<T, FloatOp::Div, 2>, flags);
  table.add("sqrt" + text, unary, runRounded<T, FloatOp::Sqrt, 1>, flags);
  table.add("rcp" + text, unary, runReciprocal<T>, flags);
}

} // namespace

void SYMSHAPE_PTX_LANES::addRoundedFloats(HandlerTable &table) {
  static const char *const roundings[] = {".rn", ".rz", ".rm", ".rp"};
  for (uint32_t rounding = Nearest; rounding <= Up; ++rounding) {
    std::string text = roundings[rounding];
    if (rounding != Nearest) {
      addRounding<float>(table, text, rounding);
      addRounding<double>(table, text, rounding);
    }
    addRounding<float>(table, text + ".ftz", rounding | Ftz);
    addRounding<float>(table, text + ".sat", rounding | Sat);
    addRounding<float>(table, text + ".ftz.sat", rounding | Ftz | Sat);
  }
  addRounding<float>(table, ".ftz", Ftz);
  addRounding<float>(table, ".sat", Sat);
  addRounding<float>(table, ".ftz.sat", Ftz | Sat);
  table.add("min.ftz.f32", "www", runFlushedSelect<false>);
  table.add("max.ftz.f32", "www", runFlushedSelect<true>);
  table.add("min.ftz.NaN.f32", "www", runFlushedSelect<false>, KeepsNaN);
  table.add("max.ftz.NaN.f32", "www", runFlushedSelect<true>, KeepsNaN);
  table.add("neg.ftz.f32", "ww", runFlushedSign<true>);
  table.add("abs.ftz.f32", "ww", runFlushedSign<false>);
}

#include "EndOfLanes.h"
