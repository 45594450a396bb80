//===- DoubleFunctions.cpp - Functions of math in f64 ---------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A GPU has no library of functions. Some of them are series, after the
// argument is reduced; the others are expressions in these. Not for: speed.
//
//===----------------------------------------------------------------------===//

#include "GPU/DoubleFunctions.h"

#include "GPU/Doubles.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::symshape;

/// One step of Newton after a power; of a small number, at a larger one.
Value Doubles::cbrt(Value x) {
  Value isSmall = isLess(abs(x), c(0x1p-900));
  Value size = select(isSmall, mul(abs(x), c(0x1p162)), abs(x));
  Value root = exp(div(log(size), c(3)));
  Value square = mul(root, root);
  Value better =
      sub(root, div(sub(mul(square, root), size), mul(square, c(3))));
  Value isRegular = arith::AndIOp::create(b, loc, isLess(c(0), size),
                                          isLess(size, c(infinity)));
  Value result = select(isRegular, better, size);
  return sign(select(isSmall, mul(result, c(0x1p-54)), result), x);
}

/// (1 + 2 x) e^(x^2) erfc(x) of x >= 0, in Chebyshev polynomials of
/// t = (x - 3) / (x + 3); interpolated at 64 nodes with 400 bits. The form is
/// that of M. Shepherd and J. Laframboise, Math. Comp. 36, 1981.
static constexpr double scaledErfc[] = {
    0x1.2d74bda92af4ep+0,   0x1.5edf9ce74f65ep-8,   -0x1.801abe05df685p-4,
    0x1.bd5ede288613bp-5,   -0x1.36e99d8ff90f7p-6,  0x1.23dc174a04d86p-8,
    -0x1.4c2a11331e0e6p-11, 0x1.285081fb746edp-16,  0x1.aee3ed67adc99p-17,
    -0x1.0d67d92ebb2f2p-19, -0x1.84299dc44e7eep-23, 0x1.44433d928acffp-24,
    0x1.032a101f044e1p-29,  -0x1.7304e1f995a92p-29, -0x1.00dc1e5726d2dp-36,
    0x1.c7b554125aeaep-34,  0x1.9f608815369b7p-40,  -0x1.2cfdb6145330bp-38,
    -0x1.d4333e84811afp-43, 0x1.985a333dd1976p-43,  0x1.637f820a294c6p-46,
    -0x1.0694c3cab86d5p-47, -0x1.b54894d78213ep-50, 0x1.0eef83a83350dp-52,
    0x1.ccce639cb7e62p-54};

/// erfc of a number of at least 0.
Value Doubles::erfcOfSize(Value size) {
  Value x = clamp(size, 0, 30); // where it is 0
  Value t = div(sub(x, c(3)), add(x, c(3))), twice = add(t, t);
  // Clenshaw's recurrence.
  Value last = c(0), before = c(0);
  for (double coefficient : llvm::reverse(ArrayRef(scaledErfc).drop_front())) {
    Value next = add(fma(twice, last, neg(before)), c(coefficient));
    before = last;
    last = next;
  }
  Value scaled = add(fma(t, last, neg(before)), c(scaledErfc[0]));
  Pair square = product({x, c(0)}, {x, c(0)});
  Value power = expPair({neg(square.high), neg(square.low)});
  return div(mul(power, scaled), fma(c(2), x, c(1)));
}

Value Doubles::erfc(Value x) {
  Value size = abs(x), result = erfcOfSize(size);
  Value isNegative = isLess(x, c(0));
  result = select(isNegative, sub(c(2), result), result);
  // Near 0, where it is near 1.
  return select(isLess(size, c(0.5)), sub(c(1), erf(x)), result);
}

/// Up to 1, 2 / sqrt(pi) e^(-x^2) x (1 + 2 x^2 / 3 (1 + 2 x^2 / 5 (...))),
/// where no sign changes.
Value Doubles::erf(Value x) {
  constexpr unsigned terms = 24;
  Value size = abs(x), small = clamp(size, 0, 1);
  Value z = mul(mul(small, small), c(2)), total = c(1);
  for (unsigned n = terms; n > 0; --n)
    total = fma(mul(z, c(1.0 / (2 * n + 1))), total, c(1));
  Value front = mul(mul(c(M_2_SQRTPI), small), exp(mul(z, c(-0.5))));
  Value result = select(isLess(c(1), size), sub(c(1), erfcOfSize(size)),
                        mul(front, total));
  return sign(result, x);
}

Value mlir::symshape::emitDoubleFunction(OpBuilder &builder, Operation *op,
                                         ValueRange operands) {
  Doubles d(builder, op->getLoc());
  Value x = operands[0];
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](arith::RemFOp) {
        return emitDoubleRemainder(builder, op->getLoc(), x, operands[1]);
      })
      .Case([&](math::ExpOp) { return d.exp(x); })
      .Case([&](math::Exp2Op) { return d.exp2(x); })
      .Case([&](math::ExpM1Op) { return d.expm1(x); })
      .Case([&](math::LogOp) { return d.log(x); })
      .Case([&](math::Log2Op) { return d.log2(x); })
      .Case([&](math::Log10Op) { return d.log10(x); })
      .Case([&](math::Log1pOp) { return d.log1p(x); })
      .Case([&](math::AtanOp) { return d.atan(x); })
      .Case([&](math::AsinOp) { return d.asin(x); })
      .Case([&](math::AcosOp) { return d.acos(x); })
      .Case([&](math::SinhOp) { return d.sinh(x); })
      .Case([&](math::CoshOp) { return d.cosh(x); })
      .Case([&](math::TanhOp) { return d.tanh(x); })
      .Case([&](math::AsinhOp) { return d.asinh(x); })
      .Case([&](math::AcoshOp) { return d.acosh(x); })
      .Case([&](math::AtanhOp) { return d.atanh(x); })
      .Case([&](math::CbrtOp) { return d.cbrt(x); })
      .Case([&](math::ErfOp) { return d.erf(x); })
      .Case([&](math::ErfcOp) { return d.erfc(x); })
      .Case([&](math::SinOp) { return d.sin(x); })
      .Case([&](math::CosOp) { return d.cos(x); })
      .Case([&](math::TanOp) { return d.tan(x); })
      .Case([&](math::Atan2Op) { return d.atan2(x, operands[1]); })
      .Case([&](math::PowFOp) { return d.pow(x, operands[1]); })
      .Default([](Operation *) { return Value(); });
}
