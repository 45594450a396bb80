//===- Approximations.cpp - The approximate functions of the hardware -----===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ex2, lg2, sin, cos, tanh, rsqrt, rcp and sqrt with .approx, div.approx and
// div.full: what the C library computes in double, rounded once. The hardware
// is off by an ulp or two, so a program may rest on neither.
//
//===----------------------------------------------------------------------===//

#include "SmallFloats.h"
#include <cmath>

using namespace mlir::symshape::ptx;
using namespace mlir::symshape::ptx::SYMSHAPE_PTX_LANES;

namespace {

enum Function : uint32_t { Ex2, Lg2, Sin, Cos, Tanh, Rsqrt, Rcp, Sqrt };
constexpr uint32_t flushes = 16;

double evaluate(uint32_t function, double x) {
  switch (function) {
  case Ex2:
    return ::exp2(x);
  case Lg2:
    return ::log2(x);
  case Sin:
    return ::sin(x);
  case Cos:
    return ::cos(x);
  case Tanh:
    return ::tanh(x);
  case Rsqrt:
    return 1 / __builtin_sqrt(x);
  case Rcp:
    return 1 / x;
  default:
    return __builtin_sqrt(x);
  }
}

float flush(float value) {
  uint32_t bits = bitsAs<uint32_t>(value);
  return (bits & 0x7f800000) == 0 ? bitsAs<float>(bits & 0x80000000) : value;
}
float canonical(float value) {
  return value != value ? bitsAs<float>(0x7fffffffu) : value;
}

void runFunction(Warp &warp, const Instruction &instruction, uint32_t lanes) {
  const float *a = slotOf<float>(warp, instruction, 1);
  bool isFlushed = instruction.extra & flushes;
  float result[warpLanes] = {};
  for (unsigned i = 0; i < warpLanes; ++i) {
    if (!isOn(lanes, i))
      continue;
    float x = isFlushed ? flush(a[i]) : a[i];
    float y = canonical(float(evaluate(instruction.extra & 15, x)));
    result[i] = isFlushed ? flush(y) : y;
  }
  storeLanes(slotOf<float>(warp, instruction, 0), result, lanes);
}

void runDouble(Warp &warp, const Instruction &instruction, uint32_t lanes) {
  const double *a = slotOf<double>(warp, instruction, 1);
  double result[warpLanes] = {};
  for (unsigned i = 0; i < warpLanes; ++i)
    if (isOn(lanes, i)) // the hardware gives the upper half alone
      result[i] = bitsAs<double>(
          bitsAs<uint64_t>(evaluate(instruction.extra & 15, a[i])) &
          ~uint64_t(0xffffffff));
  storeLanes(slotOf<double>(warp, instruction, 0), result, lanes);
}

void runDivision(Warp &warp, const Instruction &instruction, uint32_t lanes) {
  const float *a = slotOf<float>(warp, instruction, 1),
              *b = slotOf<float>(warp, instruction, 2);
  bool isFlushed = instruction.extra & flushes;
  float result[warpLanes];
  for (unsigned i = 0; i < warpLanes; ++i) {
    float x = isFlushed ? flush(a[i]) : a[i],
          y = isFlushed ? flush(b[i]) : b[i];
    float quotient = canonical(x / y);
    result[i] = isFlushed ? flush(quotient) : quotient;
  }
  storeLanes(slotOf<float>(warp, instruction, 0), result, lanes);
}

/// A function of one f16 or bf16, or of two in a word.
template <typename T, unsigned elements>
void runSmall(Warp &warp, const Instruction &instruction, uint32_t lanes) {
  T a[warpLanes * elements], result[warpLanes * elements] = {};
  std::memcpy(a, warp.frame + instruction.operands[1], sizeof(a));
  for (unsigned i = 0; i < warpLanes * elements; ++i)
    if (isOn(lanes, i / elements))
      result[i] = narrow<T>(evaluate(instruction.extra & 15, widen(a[i])));
  using Word = std::conditional_t<elements == 1, uint16_t, uint32_t>;
  Word words[warpLanes];
  std::memcpy(words, result, sizeof(words));
  storeLanes(slotOf<Word>(warp, instruction, 0), words, lanes);
}

} // namespace

void SYMSHAPE_PTX_LANES::addApproximations(HandlerTable &table) {
  static const char *const names[] = {"ex2",  "lg2",   "sin", "cos",
                                      "tanh", "rsqrt", "rcp", "sqrt"};
  for (uint32_t function = Ex2; function <= Sqrt; ++function) {
    std::string name = names[function] + std::string(".approx");
    table.add(name + ".f32", "ww", runFunction, function);
    table.add(name + ".ftz.f32", "ww", runFunction, function | flushes);
  }
  for (const char *type : {".f32", ".ftz.f32"}) {
    uint32_t flags = type[1] == 'f' && type[2] == 't' ? flushes : 0;
    table.add(std::string("div.approx") + type, "www", runDivision, flags);
    table.add(std::string("div.full") + type, "www", runDivision, flags);
  }
  table.add("rcp.approx.ftz.f64", "dd", runDouble, Rcp);
  table.add("rsqrt.approx.f64", "dd", runDouble, Rsqrt);
  table.add("rsqrt.approx.ftz.f64", "dd", runDouble, Rsqrt);
  for (uint32_t function : {uint32_t(Ex2), uint32_t(Tanh)}) {
    std::string name = names[function] + std::string(".approx");
    table.add(name + ".f16", "hh", runSmall<F16, 1>, function);
    table.add(name + ".f16x2", "ww", runSmall<F16, 2>, function);
    std::string flushed = function == Ex2 ? name + ".ftz" : name;
    table.add(flushed + ".bf16", "hh", runSmall<BF16, 1>, function);
    table.add(flushed + ".bf16x2", "ww", runSmall<BF16, 2>, function);
  }
}

#include "EndOfLanes.h"
