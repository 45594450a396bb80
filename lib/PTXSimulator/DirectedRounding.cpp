//===- ../DirectedRounding.cpp - Arithmetic rounded to one side -----------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operands and results go through volatile variables, so that nothing moves
// across the calls that set the mode.
//
//===----------------------------------------------------------------------===//

#include "DirectedRounding.h"
#include <cfenv>
#include <cmath>

using namespace mlir::symshape::ptx;

namespace {
/// Sets the mode of the processor for a while.
class Rounding {
public:
  explicit Rounding(unsigned rounding) : before(std::fegetround()) {
    static const int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD,
                                FE_UPWARD};
    std::fesetround(modes[rounding & 3]);
  }
  ~Rounding() { std::fesetround(before); }

private:
  int before;
};
} // namespace

template <typename T>
static T compute(FloatOp op, unsigned rounding, T first, T second, T third) {
  volatile T a = first, b = second, c = third, result = 0;
  Rounding mode(rounding);
  switch (op) {
  case FloatOp::Add:
    result = a + b;
    break;
  case FloatOp::Sub:
    result = a - b;
    break;
  case FloatOp::Mul:
    result = a * b;
    break;
  case FloatOp::Fma:
    result = std::fma(T(a), T(b), T(c));
    break;
  case FloatOp::Div:
    result = a / b;
    break;
  case FloatOp::Sqrt:
    result = std::sqrt(T(a));
    break;
  }
  return result;
}

template <typename D, typename S>
static D convert(unsigned rounding, S value) {
  volatile S from = value;
  Rounding mode(rounding);
  volatile D result = D(from);
  return result;
}

float mlir::symshape::ptx::roundDirected(FloatOp op, unsigned rounding, float a,
                                         float b, float c) {
  return compute(op, rounding, a, b, c);
}
double mlir::symshape::ptx::roundDirected(FloatOp op, unsigned rounding,
                                          double a, double b, double c) {
  return compute(op, rounding, a, b, c);
}
float mlir::symshape::ptx::narrowDirected(unsigned rounding, double value) {
  return convert<float>(rounding, value);
}
float mlir::symshape::ptx::floatDirected(unsigned rounding, int64_t value) {
  return convert<float>(rounding, value);
}
float mlir::symshape::ptx::floatDirected(unsigned rounding, uint64_t value) {
  return convert<float>(rounding, value);
}
double mlir::symshape::ptx::doubleDirected(unsigned rounding, int64_t value) {
  return convert<double>(rounding, value);
}
double mlir::symshape::ptx::doubleDirected(unsigned rounding, uint64_t value) {
  return convert<double>(rounding, value);
}
