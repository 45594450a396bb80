//===- DoubleFunctions.cpp - Functions of math in f64 ---------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A GPU has no library of functions. Four of them are series, after the
// argument is reduced; the others are expressions in these. Not for: speed.
//
//===----------------------------------------------------------------------===//

#include "GPU/DoubleFunctions.h"

#include "GPU/DoubleArithmetic.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>
#include <limits>

using namespace mlir;
using namespace mlir::symshape;

static constexpr double doubleInfinity =
    std::numeric_limits<double>::infinity();
static constexpr double log2e = 0x1.71547652b82fep+0;
/// ln 2, of which the first part has 32 bits: a product with k is exact.
static constexpr double ln2High = 0x1.62e42feep-1,
                        ln2Low = 0x1.a39ef35793c76p-33;
/// pi / 2 in three parts.
static constexpr double halfPi[] = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54,
                                    -0x1.f1976b7ed8fbcp-110};

namespace {
class Doubles : public DoubleArithmetic {
public:
  using DoubleArithmetic::DoubleArithmetic;

  Value exp(Value x, Value low = {});
  Value log(Value x) { return logPair(x).high; }
  Value sinOrCos(Value x, bool isSin);
  Value atan(Value x);
  Value expm1(Value x);
  Value log1p(Value x);
  Value tanh(Value x);
  Value atan2(Value y, Value x);
  Value pow(Value x, Value y);
  Value cbrt(Value x);
  Value erf(Value x);

private:
  /// The number high + low, where low is small beside high.
  struct Pair {
    Value high, low;
  };
  Pair logPair(Value x);

  /// x + y without an error, where x is the larger one or 0.
  Pair sum(Value x, Value y) {
    Value high = add(x, y);
    return {high, sub(y, sub(high, x))};
  }
  Pair product(Pair x, Pair y) {
    Value high = mul(x.high, y.high);
    Value low = fma(x.high, y.high, neg(high));
    return {high, fma(x.high, y.low, fma(x.low, y.high, low))};
  }
  Value fma(Value x, Value y, Value z) {
    return math::FmaOp::create(b, loc, x, y, z);
  }
  Value clamp(Value x, double low, double high) {
    x = arith::MaximumFOp::create(b, loc, x, c(low));
    return arith::MinimumFOp::create(b, loc, x, c(high));
  }
  /// c[0] + c[1] x + ...
  Value polynomial(Value x, ArrayRef<double> coefficients) {
    Value sum = c(coefficients.back());
    for (double coefficient : llvm::reverse(coefficients.drop_back()))
      sum = fma(sum, x, c(coefficient));
    return sum;
  }
};
} // namespace

/// The first `count` coefficients `term(n)`.
static SmallVector<double> makeSeries(unsigned count,
                                      function_ref<double(unsigned)> term) {
  SmallVector<double> series;
  for (unsigned n = 0; n < count; ++n)
    series.push_back(term(n));
  return series;
}

/// 1 / n!
static double inverseFactorial(unsigned n) {
  double product = 1;
  for (unsigned i = 2; i <= n; ++i)
    product *= i;
  return 1 / product;
}

/// e^(x + low) = 2^k e^(r + rest) with |r| <= ln 2 / 2. What is added to 1 + r
/// is small, so the error is little more than that of the last sum.
Value Doubles::exp(Value x, Value low) {
  Value bounded = clamp(x, -800, 800);
  Value k = math::RoundEvenOp::create(b, loc, mul(bounded, c(log2e)));
  Value exact = fma(neg(k), c(ln2High), bounded), less = mul(k, c(ln2Low));
  Value r = sub(exact, less);
  Value rest = sub(sub(exact, r), less);
  if (low)
    rest = add(rest, low);
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

  Value isZero = isEqual(x, c(0)), isInfinite = isEqual(x, c(doubleInfinity));
  Value isSpecial = arith::OrIOp::create(b, loc, isZero, isInfinite);
  total.high = select(isZero, c(-doubleInfinity), total.high);
  total.high = select(isInfinite, x, total.high);
  total.low = select(isSpecial, c(0), total.low);
  // Also false for NaN.
  Value isNumber = test(arith::CmpFPredicate::OGE, x, c(0));
  total.high =
      select(isNumber, total.high, c(std::numeric_limits<double>::quiet_NaN()));
  return total;
}

/// With x = k pi / 2 + r, one of sin r, cos r, or its negative.
Value Doubles::sinOrCos(Value x, bool isSin) {
  Value k = math::RoundEvenOp::create(b, loc, mul(x, c(M_2_PI)));
  Value r = x;
  for (double part : halfPi)
    r = fma(neg(k), c(part), r);
  Value z = mul(r, r);
  auto alternate = [](unsigned n, unsigned power) {
    return (n % 2 ? -1 : 1) * inverseFactorial(power);
  };
  Value sine = polynomial(
      z, makeSeries(9, [&](unsigned n) { return -alternate(n, 2 * n + 3); }));
  sine = fma(mul(r, z), sine, r);
  Value cosine = polynomial(
      z, makeSeries(10, [&](unsigned n) { return alternate(n, 2 * n); }));
  Value quarter = arith::FPToSIOp::create(b, loc, b.getI64Type(),
                                          clamp(k, -0x1p62, 0x1p62));
  if (!isSin)
    quarter = arith::AddIOp::create(b, loc, quarter, integer(1));
  auto hasBit = [&](int64_t bit) -> Value {
    Value masked = arith::AndIOp::create(b, loc, quarter, integer(bit));
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, masked,
                                 integer(0));
  };
  Value result = select(hasBit(1), cosine, sine);
  result = select(hasBit(2), neg(result), result);
  if (isSin) // the sign of zero
    result = select(isEqual(x, c(0)), x, result);
  Value isFinite = isLess(abs(x), c(doubleInfinity));
  return select(isFinite, result, c(std::numeric_limits<double>::quiet_NaN()));
}

/// atan x = pi/2 - atan(1/x), and pi/4 + atan((x - 1) / (x + 1)), so that the
/// series is one in numbers below 0.415.
Value Doubles::atan(Value x) {
  Value size = abs(x);
  Value isLarge = isLess(c(M_SQRT2 + 1), size);
  Value isMiddle = isLess(c(M_SQRT2 - 1), size);
  Value t = select(isMiddle, div(sub(size, c(1)), add(size, c(1))), size);
  t = select(isLarge, div(c(-1), size), t);
  Value z = mul(t, t);
  Value series = polynomial(z, makeSeries(22, [](unsigned n) {
                              return (n % 2 ? 1.0 : -1.0) / (2 * n + 3);
                            }));
  Value part = fma(mul(t, z), series, t);
  Value base = select(isMiddle, c(M_PI_4), c(0));
  base = select(isLarge, c(M_PI_2), base);
  return sign(add(base, part), x);
}

/// Kahan's: errors of e^x and of its logarithm cancel.
Value Doubles::expm1(Value x) {
  Value e = exp(x), less = sub(e, c(1));
  Value result = div(mul(less, x), log(e));
  result = select(isEqual(e, c(1)), x, result);
  result = select(isEqual(less, c(-1)), c(-1), result);
  return select(isEqual(e, c(doubleInfinity)), e, result);
}

Value Doubles::log1p(Value x) {
  Value u = add(x, c(1));
  Value result = div(mul(log(u), x), sub(u, c(1)));
  result = select(isEqual(u, c(1)), x, result);
  return select(isEqual(u, c(doubleInfinity)), u, result);
}

Value Doubles::tanh(Value x) {
  Value e = expm1(mul(clamp(abs(x), 0, 22), c(2)));
  return sign(div(e, add(e, c(2))), x);
}

Value Doubles::atan2(Value y, Value x) {
  // The smaller over the larger; both infinite, or both zero: 1 and 0.
  Value ySize = abs(y), xSize = abs(x);
  Value isSteep = isLess(xSize, ySize);
  Value small = select(isSteep, xSize, ySize);
  Value large = select(isSteep, ySize, xSize);
  Value ratio = div(small, large);
  ratio = select(isEqual(large, c(0)), c(0), ratio);
  ratio = select(isEqual(small, c(doubleInfinity)), c(1), ratio);
  Value angle = atan(ratio);
  angle = select(isSteep, sub(c(M_PI_2), angle), angle);
  Value isLeft = isLess(sign(c(1), x), c(0));
  angle = select(isLeft, sub(c(M_PI), angle), angle);
  Value isNaN = test(arith::CmpFPredicate::UNO, x, y);
  return select(isNaN, add(x, y), sign(angle, y));
}

Value Doubles::pow(Value x, Value y) {
  Pair logarithm = logPair(abs(x));
  Pair exponent = product(logarithm, {y, c(0)});
  // Of an infinite product, what is lost is no number.
  Value isRegular = isLess(abs(exponent.high), c(800));
  Value result = exp(exponent.high, select(isRegular, exponent.low, c(0)));
  // A negative and finite base: a number for whole exponents alone.
  auto isWhole = [&](Value value) {
    return isEqual(math::FloorOp::create(b, loc, value), value);
  };
  Value isNegative = arith::AndIOp::create(b, loc, isLess(x, c(0)),
                                           isLess(c(-doubleInfinity), x));
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
  result =
      select(isInvalid, c(std::numeric_limits<double>::quiet_NaN()), result);
  // Whatever the other one is, even NaN; and what 0 times infinity would spoil.
  result =
      select(isEqual(abs(x), c(1)),
             select(isSigned, c(-1), select(isInvalid, result, c(1))), result);
  result = select(isEqual(x, c(1)), c(1), result);
  return select(isEqual(y, c(0)), c(1), result);
}

/// One step of Newton after a power.
Value Doubles::cbrt(Value x) {
  Value size = abs(x);
  Value root = exp(div(log(size), c(3)));
  Value square = mul(root, root);
  Value better =
      sub(root, div(sub(mul(square, root), size), mul(square, c(3))));
  Value isRegular = arith::AndIOp::create(b, loc, isLess(c(0), size),
                                          isLess(size, c(doubleInfinity)));
  return sign(select(isRegular, better, size), x);
}

/// 2 / sqrt(pi) e^(-x^2) x (1 + 2 x^2 / 3 (1 + 2 x^2 / 5 (...))): no sign
/// changes.
Value Doubles::erf(Value x) {
  constexpr int64_t terms = 110;
  Value size = clamp(abs(x), 0, 6);
  Value z = mul(mul(size, size), c(2));
  auto index = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, loc, value);
  };
  auto loop = scf::ForOp::create(
      b, loc, index(0), index(terms), index(1),
      ValueRange{c(1), c(2 * terms + 1)},
      [&](OpBuilder &, Location, Value, ValueRange carried) {
        Value sum = fma(div(z, carried[1]), carried[0], c(1));
        scf::YieldOp::create(b, loc, ValueRange{sum, sub(carried[1], c(2))});
      });
  Value front = mul(mul(c(M_2_SQRTPI), size), exp(mul(z, c(-0.5))));
  return sign(mul(front, loop.getResult(0)), x);
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
      .Case([&](math::Exp2Op) { return d.exp(d.mul(x, d.c(M_LN2))); })
      .Case([&](math::ExpM1Op) { return d.expm1(x); })
      .Case([&](math::LogOp) { return d.log(x); })
      .Case([&](math::Log2Op) { return d.mul(d.log(x), d.c(M_LOG2E)); })
      .Case([&](math::Log10Op) { return d.mul(d.log(x), d.c(M_LOG10E)); })
      .Case([&](math::Log1pOp) { return d.log1p(x); })
      .Case([&](math::SinOp) { return d.sinOrCos(x, /*isSin=*/true); })
      .Case([&](math::CosOp) { return d.sinOrCos(x, /*isSin=*/false); })
      .Case([&](math::TanOp) {
        return d.div(d.sinOrCos(x, true), d.sinOrCos(x, false));
      })
      .Case([&](math::AtanOp) { return d.atan(x); })
      .Case([&](math::Atan2Op) { return d.atan2(x, operands[1]); })
      .Case([&](math::AsinOp) {
        Value root = d.sqrt(d.mul(d.sub(d.c(1), x), d.add(d.c(1), x)));
        return d.atan2(x, root);
      })
      .Case([&](math::AcosOp) {
        Value root = d.sqrt(d.mul(d.sub(d.c(1), x), d.add(d.c(1), x)));
        return d.atan2(root, x);
      })
      .Case([&](math::SinhOp) {
        Value e = d.expm1(d.abs(x));
        Value sum = d.add(e, d.div(e, d.add(e, d.c(1))));
        return d.sign(d.mul(sum, d.c(0.5)), x);
      })
      .Case([&](math::CoshOp) {
        Value e = d.exp(d.abs(x));
        return d.mul(d.add(e, d.div(d.c(1), e)), d.c(0.5));
      })
      .Case([&](math::TanhOp) { return d.tanh(x); })
      .Case([&](math::AsinhOp) {
        Value size = d.abs(x), square = d.mul(size, size);
        Value root = d.add(d.c(1), d.sqrt(d.add(square, d.c(1))));
        return d.sign(d.log1p(d.add(size, d.div(square, root))), x);
      })
      .Case([&](math::AcoshOp) {
        Value t = d.sub(x, d.c(1));
        return d.log1p(d.add(t, d.sqrt(d.mul(t, d.add(t, d.c(2))))));
      })
      .Case([&](math::AtanhOp) {
        Value ratio = d.div(d.mul(x, d.c(2)), d.sub(d.c(1), x));
        return d.mul(d.log1p(ratio), d.c(0.5));
      })
      .Case([&](math::CbrtOp) { return d.cbrt(x); })
      .Case([&](math::ErfOp) { return d.erf(x); })
      .Case([&](math::ErfcOp) { return d.sub(d.c(1), d.erf(x)); })
      .Case([&](math::PowFOp) { return d.pow(x, operands[1]); })
      .Default([](Operation *) { return Value(); });
}
