//===- DoubleExponentials.cpp - Powers and logarithms of f64 --------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Exponents and logarithms are pairs of numbers where one has too few digits.
//
//===----------------------------------------------------------------------===//

#include "GPU/Doubles.h"

using namespace mlir;
using namespace mlir::symshape;

static constexpr double log2e = 0x1.71547652b82fep+0,
                        log2eLow = 0x1.777d0ffda0d24p-56;
static constexpr double log10e = 0x1.bcb7b1526e50ep-2,
                        log10eLow = 0x1.95355baaafad3p-57;
static constexpr double ln2 = 0x1.62e42fefa39efp-1,
                        ln2Rest = 0x1.abc9e3b39803fp-56;
/// ln 2, of which the first part has 32 bits: a product with k is exact.
static constexpr double ln2High = 0x1.62e42feep-1,
                        ln2Low = 0x1.a39ef35793c76p-33;
/// From here on, x^2 + 1 is x^2.
static constexpr double large = 0x1p28;

/// e^x = 2^k e^(r + rest) with |r| <= ln 2 / 2. What is added to 1 + r
/// is small, so the error is little more than that of the last sum.
Value Doubles::expPair(Pair argument) {
  Value x = argument.high;
  Value bounded = clamp(x, -800, 800);
  Value k = math::RoundEvenOp::create(b, loc, mul(bounded, c(log2e)));
  Value exact = fma(neg(k), c(ln2High), bounded), less = mul(k, c(ln2Low));
  Value r = sub(exact, less);
  Value rest = sub(sub(exact, r), less);
  if (argument.low) { // which is no number where x is none
    Value isRegular = isLess(abs(x), c(800));
    rest = add(rest, select(isRegular, argument.low, c(0)));
  }
  auto term = [](unsigned n) { return inverseFactorial(n + 2); };
  Value tail = mul(mul(r, r), polynomial(r, makeSeries(13, term)));
  tail = add(tail, fma(rest, add(r, tail), rest));
  Value sum = add(c(1), r), lost = sub(r, sub(sum, c(1)));
  Value result = add(sum, add(lost, tail));
  // In two steps, each of which is a number.
  Value whole = arith::FPToSIOp::create(b, loc, b.getI64Type(), k);
  Value half = arith::ShRSIOp::create(b, loc, whole, integer(1));
  Value other = arith::SubIOp::create(b, loc, whole, half);
  result = mul(mul(result, powerOfTwo(half)), powerOfTwo(other));
  Value isNaN = test(arith::CmpFPredicate::UNO, x, x);
  return select(isNaN, x, result);
}

Value Doubles::exp2(Value x) {
  return expPair(product({x, c(0)}, {c(ln2), c(ln2Rest)}));
}

/// ln x = k ln 2 + ln m with m near 1, and with s = (m - 1) / (m + 1)
///   ln m = 2 s + 2/3 s^3 + s^5 (2/5 + 2/7 s^2 + ...),
/// of which the first two terms are pairs: the error is below 2^-63 of ln x.
Doubles::Pair Doubles::logPair(Value x) {
  Value isSmall = isLess(x, c(0x1p-1022));
  Value scaled = select(isSmall, mul(x, c(0x1p54)), x);
  Value bits = bitsOf(scaled);
  // So that m lies between sqrt(1/2) and sqrt(2).
  constexpr int64_t rootBits = 0x3fe6a09e667f3bcd;
  Value shifted = arith::SubIOp::create(b, loc, bits, integer(rootBits));
  Value exponent = arith::ShRSIOp::create(b, loc, shifted, integer(52));
  Value m = floatOf(arith::SubIOp::create(
      b, loc, bits, arith::ShLIOp::create(b, loc, exponent, integer(52))));
  Value k = arith::SIToFPOp::create(b, loc, b.getF64Type(), exponent);
  k = sub(k, select(isSmall, c(54), c(0)));

  Value f = sub(m, c(1));
  Pair divisor = sum(c(2), f);
  Value s = div(f, divisor.high);
  Value remainder = fma(neg(s), divisor.high, f);
  remainder = fma(neg(s), divisor.low, remainder);
  Pair ratio = {s, div(remainder, divisor.high)};
  Pair square = product(ratio, ratio);
  Pair cube =
      product(product(square, ratio), {c(2.0 / 3), c(0x1.5555555555555p-55)});
  auto term = [](unsigned n) { return 2.0 / (2 * n + 5); };
  Value z = square.high, fifth = mul(mul(z, z), s);
  cube.low = fma(fifth, polynomial(z, makeSeries(13, term)), cube.low);
  Pair result = sum(add(s, s), cube.high);
  result.low = add(result.low, fma(ratio.low, c(2), cube.low));
  Pair total = sum(mul(k, c(ln2High)), result.high);
  total.low = add(total.low, fma(k, c(ln2Low), result.low));
  total = sum(total.high, total.low);

  Value isZero = isEqual(x, c(0)), isInfinite = isEqual(x, c(infinity));
  Value isSpecial = arith::OrIOp::create(b, loc, isZero, isInfinite);
  total.high = select(isZero, c(-infinity), total.high);
  total.high = select(isInfinite, x, total.high);
  total.low = select(isSpecial, c(0), total.low);
  // Also false for NaN.
  Value isNumber = test(arith::CmpFPredicate::OGE, x, c(0));
  total.high =
      select(isNumber, total.high, c(std::numeric_limits<double>::quiet_NaN()));
  return total;
}

/// The logarithm times a factor, which is a pair.
Value Doubles::logOfBase(Value x, double factor, double factorLow) {
  Pair result = product(logPair(x), {c(factor), c(factorLow)});
  Value isRegular = isLess(abs(result.high), c(infinity));
  return select(isRegular, add(result.high, result.low), result.high);
}

Value Doubles::log2(Value x) { return logOfBase(x, log2e, log2eLow); }
Value Doubles::log10(Value x) { return logOfBase(x, log10e, log10eLow); }

/// Kahan's: errors of e^x and of its logarithm cancel.
Value Doubles::expm1(Value x) {
  Value e = exp(x), less = sub(e, c(1));
  Value result = div(mul(less, x), log(e));
  result = select(isEqual(e, c(1)), x, result);
  result = select(isEqual(less, c(-1)), c(-1), result);
  return select(isEqual(e, c(infinity)), e, result);
}

Value Doubles::log1p(Value x) {
  Value u = add(x, c(1));
  Value result = div(mul(log(u), x), sub(u, c(1)));
  result = select(isEqual(u, c(1)), x, result);
  return select(isEqual(u, c(infinity)), u, result);
}

Value Doubles::pow(Value x, Value y) {
  Value result = expPair(product(logPair(abs(x)), {y, c(0)}));
  // A negative and finite base: a number for whole exponents alone.
  auto isWhole = [&](Value value) {
    return isEqual(math::FloorOp::create(b, loc, value), value);
  };
  Value isNegative =
      arith::AndIOp::create(b, loc, isLess(x, c(0)), isLess(c(-infinity), x));
  Value isEven = isWhole(mul(y, c(0.5)));
  Value isOdd = arith::AndIOp::create(
      b, loc, isWhole(y),
      arith::XOrIOp::create(
          b, loc, isEven,
          arith::ConstantOp::create(b, loc, b.getBoolAttr(true))));
  Value isSigned =
      arith::AndIOp::create(b, loc, isOdd, isLess(sign(c(1), x), c(0)));
  result = select(isSigned, neg(result), result);
  Value isInvalid = arith::AndIOp::create(
      b, loc, isNegative,
      arith::XOrIOp::create(
          b, loc, isWhole(y),
          arith::ConstantOp::create(b, loc, b.getBoolAttr(true))));
  result = select(isInvalid, nan(), result);
  // Whatever the other one is, even NaN; and what 0 times infinity would spoil.
  result =
      select(isEqual(abs(x), c(1)),
             select(isSigned, c(-1), select(isInvalid, result, c(1))), result);
  result = select(isEqual(x, c(1)), c(1), result);
  return select(isEqual(y, c(0)), c(1), result);
}

/// e^x / 2, where e^x may be too large for a number.
Value Doubles::halfExp(Value x) {
  Pair less = sum(x, c(-ln2));
  // The difference is exact from ln2 / 2 to 2 ln2, and below x is not larger.
  Value lost =
      select(isLess(x, c(ln2)), sub(x, add(less.high, c(ln2))), less.low);
  return expPair({less.high, sub(lost, c(ln2Rest))});
}

Value Doubles::sinh(Value x) {
  Value size = abs(x), e = expm1(size);
  Value total = mul(add(e, div(e, add(e, c(1)))), c(0.5));
  return sign(select(isLess(c(22), size), halfExp(size), total), x);
}

Value Doubles::cosh(Value x) {
  Value half = halfExp(abs(x));
  return add(half, div(c(0.25), half));
}

Value Doubles::tanh(Value x) {
  Value e = expm1(mul(clamp(abs(x), 0, 22), c(2)));
  return sign(div(e, add(e, c(2))), x);
}

Value Doubles::asinh(Value x) {
  Value size = abs(x), square = mul(size, size);
  Value root = add(c(1), sqrt(add(square, c(1))));
  Value result = log1p(add(size, div(square, root)));
  result = select(isLess(c(large), size), add(log(size), c(ln2)), result);
  return sign(result, x);
}

Value Doubles::acosh(Value x) {
  Value t = sub(x, c(1));
  Value result = log1p(add(t, sqrt(mul(t, add(t, c(2))))));
  result = select(isLess(c(large), x), add(log(x), c(ln2)), result);
  return select(isLess(x, c(1)), nan(), result);
}

Value Doubles::atanh(Value x) {
  Value size = abs(x);
  Value ratio = div(mul(size, c(2)), sub(c(1), size));
  return sign(mul(log1p(ratio), c(0.5)), x);
}
