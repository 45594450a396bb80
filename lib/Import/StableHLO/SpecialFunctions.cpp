//===- SpecialFunctions.cpp - Elementwise functions of chlo ---------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Those that text has as ops of their own; in artifacts, jax.export has written
// them as ops of StableHLO. Floats of fewer than 32 bits are computed in 32.
//
//===----------------------------------------------------------------------===//

#include "SpecialFunctions.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/StringMap.h"
#include <cmath>
#include <utility>

using namespace mlir;
using namespace mlir::symshape::stablehlo;
using arith::CmpFPredicate;

namespace {
/// Formulas on floats of one type.
struct Formula {
  Formula(Scalars &s, Type type) : s(s), type(type) {}
  Value operator()(double value) { return s.number(type, value); }
  Value add(Value x, Value y) { return s.create<arith::AddFOp>(x, y); }
  Value sub(Value x, Value y) { return s.create<arith::SubFOp>(x, y); }
  Value mul(Value x, Value y) { return s.create<arith::MulFOp>(x, y); }
  Value div(Value x, Value y) { return s.create<arith::DivFOp>(x, y); }
  Value is(CmpFPredicate predicate, Value x, Value y) {
    return s.create<arith::CmpFOp>(predicate, x, y);
  }
  Value less(Value x, double y) {
    return is(CmpFPredicate::OLT, x, (*this)(y));
  }
  template <typename OpT>
  Value of(Value x) {
    return s.create<OpT>(x);
  }
  Value isWhole(Value x) {
    return is(CmpFPredicate::OEQ, x, of<math::FloorOp>(x));
  }
  Value isNotWhole(Value x) {
    return is(CmpFPredicate::UNE, x, of<math::FloorOp>(x));
  }
  /// Of the highest power first.
  Value polynomial(ArrayRef<double> factors, Value x) {
    Value sum = (*this)(factors.front());
    for (double factor : factors.drop_front())
      sum = add(mul(sum, x), (*this)(factor));
    return sum;
  }

  Scalars &s;
  Type type;
};
} // namespace

/// Source: M. Giles, Approximating the erfinv function, 2010, for floats of 32
/// bits; four steps of Newton's method for 64.
static Value erfInv(Formula &f, Value x) {
  static const double center[] = {
      2.81022636e-08,  3.43273939e-07, -3.5233877e-06,
      -4.39150654e-06, 0.00021858087,  -0.00125372503,
      -0.00417768164,  0.246640727,    1.50140941};
  static const double tail[] = {-0.000200214257, 0.000100950558, 0.00134934322,
                                -0.00367342844,  0.00573950773,  -0.0076224613,
                                0.00943887047,   1.00167406,     2.83297682};
  Value one = f(1), size = f.of<math::AbsFOp>(x);
  Value w = f.sub(f(0), f.of<math::Log1pOp>(f.sub(f(0), f.mul(x, x))));
  Value nearCenter = f.polynomial(center, f.sub(w, f(2.5)));
  Value nearEnd = f.polynomial(tail, f.sub(f.of<math::SqrtOp>(w), f(3)));
  Value y = f.mul(f.s.select(f.less(w, 5), nearCenter, nearEnd), size);
  if (f.type.isF64())
    for (int step = 0; step < 4; ++step) {
      // Where little is left to 1, which is exact there, of its logarithm.
      Value left = f.of<math::ErfcOp>(y);
      Value ratio = f.div(left, f.sub(one, size));
      Value far = f.mul(f.of<math::LogOp>(ratio), left);
      Value near = f.sub(size, f.of<math::ErfOp>(y));
      Value error = f.s.select(f.less(size, 0.5), near, far);
      Value slope = f.mul(f(2 / std::sqrt(M_PI)),
                          f.of<math::ExpOp>(f.sub(f(0), f.mul(y, y))));
      y = f.add(y, f.div(error, slope));
    }
  Value isEnd = f.is(CmpFPredicate::OEQ, size, one);
  y = f.s.select(isEnd, f(HUGE_VAL), y);
  return f.s.create<math::CopySignOp>(y, x);
}

/// Source: Lanczos, with g = 7 and nine terms, as XLA has it.
static const double lanczosBase = 0.99999999999980993227684700473478;
static const double lanczos[] = {
    676.520368121885098567009190444019, -1259.13921672240287047156078755283,
    771.3234287776530788486528258894,   -176.61502916214059906584551354,
    12.507343278686904814458936853,     -0.13857109526572011689554707,
    9.984369578019570859563e-6,         1.50563273514931155834e-7};

/// log(|gamma(x)|), by reflection below 0.5.
static Value logGamma(Formula &f, Value x) {
  Value half = f(0.5), isLow = f.less(x, 0.5);
  Value z = f.s.select(isLow, f.sub(f(0), x), f.sub(x, f(1)));
  Value sum = f(lanczosBase);
  for (auto [i, factor] : llvm::enumerate(lanczos))
    sum = f.add(sum, f.div(f(factor), f.add(z, f(i + 1.0))));
  Value t = f.add(z, f(7.5));
  Value logT = f.add(f(std::log(7.5)), f.of<math::Log1pOp>(f.div(z, f(7.5))));
  Value y = f.mul(f.sub(f.add(z, half), f.div(t, logT)), logT);
  y = f.add(f.add(y, f(std::log(2 * M_PI) / 2)), f.of<math::LogOp>(sum));
  // Of the distance from an integer, which keeps the sine exact.
  Value size = f.of<math::AbsFOp>(x);
  Value part = f.sub(size, f.of<math::FloorOp>(size));
  part =
      f.s.select(f.is(CmpFPredicate::OGT, part, half), f.sub(f(1), part), part);
  Value sine = f.of<math::LogOp>(f.of<math::SinOp>(f.mul(f(M_PI), part)));
  Value isPole = f.is(CmpFPredicate::OEQ, part, f(0));
  Value reflected =
      f.s.select(isPole, f(HUGE_VAL), f.sub(f.sub(f(std::log(M_PI)), sine), y));
  Value result = f.s.select(isLow, reflected, y);
  Value isInfinite = f.is(CmpFPredicate::OEQ, size, f(HUGE_VAL));
  return f.s.select(isInfinite, f(HUGE_VAL), result);
}

/// The derivative of log(gamma(x)); NaN at 0 and each negative integer.
static Value digamma(Formula &f, Value x) {
  Value isLow = f.less(x, 0.5);
  Value z = f.s.select(isLow, f.sub(f(0), x), f.sub(x, f(1)));
  Value top = f(0), bottom = f(lanczosBase);
  for (auto [i, factor] : llvm::enumerate(lanczos)) {
    Value term = f.add(z, f(i + 1.0));
    Value quotient = f.div(f(factor), term);
    top = f.sub(top, f.div(quotient, term));
    bottom = f.add(bottom, quotient);
  }
  Value t = f.add(z, f(7.5));
  Value logT = f.add(f(std::log(7.5)), f.of<math::Log1pOp>(f.div(z, f(7.5))));
  Value y = f.sub(f.add(logT, f.div(top, bottom)), f.div(f(7), t));
  Value nearest = f.of<math::FloorOp>(f.add(x, f(0.5)));
  Value angle = f.mul(f(M_PI), f.sub(x, nearest));
  Value cotangent =
      f.div(f.mul(f(M_PI), f.of<math::CosOp>(angle)), f.of<math::SinOp>(angle));
  Value result = f.s.select(isLow, f.sub(y, cotangent), y);
  Value isPole = f.s.create<arith::AndIOp>(f.isWhole(x),
                                           f.is(CmpFPredicate::OLE, x, f(0)));
  return f.s.select(isPole, f(NAN), result);
}

/// The sum of `factors[j]` times Chebyshev's polynomial j, by Clenshaw.
static Value chebyshev(Formula &f, ArrayRef<double> factors, Value x) {
  Value twice = f.add(x, x), last = f(0), sum = f(0);
  for (double factor : llvm::reverse(factors.drop_front()))
    last = std::exchange(sum, f.add(f.sub(f.mul(twice, sum), last), f(factor)));
  return f.add(f.sub(f.mul(x, sum), last), f(factors.front()));
}

/// exp(-|x|) times Bessel's I1(x): up to 8, x times a sum over |x|/4 - 1, then
/// a sum over 16/|x| - 1 by the root of |x|. Factors: of these two functions,
/// computed with 50 digits.
static Value besselI1e(Formula &f, Value x) {
  static const double upTo8[] = {
      0.126293593221816827,    -0.176416518357834055,
      0.102643658689847095,    -0.0529459812080949914,
      0.0247264490306265168,   -0.0105640848946261982,
      0.00415642294431288816,  -0.00151357245063125315,
      5.12285956168575773e-4,  -1.61760815825896746e-4,
      4.78156510755005423e-5,  -1.32731636560394358e-5,
      3.47025130813767848e-6,  -8.56872026469545474e-7,
      2.00329475355213526e-7,  -4.44505912879632808e-8,
      9.38153738649577178e-9,  -1.88724975172282929e-9,
      3.62559028155211704e-10, -6.66348972350202774e-11,
      1.17361862988909016e-11, -1.98397439776494372e-12,
      3.22379336594557471e-13, -5.04218550472791169e-14,
      7.60068429473540693e-15, -1.10559694773538631e-15,
      1.55363195773620047e-16, -2.11142121435816608e-17,
      2.77791411276104637e-18};
  static const double beyond8[] = {
      0.38928811750914006,      -0.00976109749136146841,
      -1.10588938762623716e-4,  -3.88256480887769039e-6,
      -2.51223623787020893e-7,  -2.63146884688951951e-8,
      -3.83538038596423702e-9,  -5.58974346219658381e-10,
      -1.89749581235054123e-11, 3.25260358301548824e-11,
      1.41258074366137813e-11,  2.03562854414708951e-12,
      -7.19855177624590851e-13, -4.08355111109219732e-13,
      -2.10154184277266431e-14, 4.27244001671195135e-14,
      1.04202769841288028e-14,  -3.8144030724370078e-15,
      -1.88035477551078245e-15, 3.30820231092092828e-16,
      2.96262899764595014e-16,  -3.20952592199342396e-17,
      -4.65030536848935833e-17, 4.41434832307170795e-18,
      7.51729631084210481e-18};
  Value size = f.of<math::AbsFOp>(x);
  Value low =
      f.mul(chebyshev(f, upTo8, f.sub(f.mul(size, f(0.25)), f(1))), size);
  Value high = f.div(chebyshev(f, beyond8, f.sub(f.div(f(16), size), f(1))),
                     f.of<math::SqrtOp>(size));
  Value isLow = f.is(CmpFPredicate::OLE, size, f(8));
  return f.s.create<math::CopySignOp>(f.s.select(isLow, low, high), x);
}

/// Hurwitz's zeta function, the sum of (q + k)^-x over k >= 0, by Euler and
/// Maclaurin's formula behind nine terms. Inf for x = 1, NaN below. For q <= 0,
/// x must be whole; where q is, too, terms have poles: inf for even x.
static Value zeta(Formula &f, Value x, Value q) {
  // (2k)! by the Bernoulli number 2k.
  static const double factors[] = {12.0,
                                   -720.0,
                                   30240.0,
                                   -1209600.0,
                                   47900160.0,
                                   -1892437580.3183791606,
                                   74724249600.0,
                                   -2950130727918.1642245,
                                   116467828143500.67249,
                                   -4597978722407472.6105,
                                   181521054019435467.73,
                                   -7166165256175667011.3};
  Value minusX = f.sub(f(0), x);
  auto power = [&](Value y) { return f.s.create<math::PowFOp>(y, minusX); };
  Value sum = power(q);
  for (int k = 1; k < 9; ++k)
    sum = f.add(sum, power(f.add(q, f(k))));
  Value a = f.add(q, f(9)), last = power(a);
  // Later terms no longer count, and their factors may overflow.
  double epsilon = f.type.isF64() ? 0x1p-53 : 0x1p-24;
  Value isDone = f.is(CmpFPredicate::OLT, f.of<math::AbsFOp>(last),
                      f.mul(f.of<math::AbsFOp>(sum), f(epsilon)));
  Value rest =
      f.add(f.div(f.mul(last, a), f.sub(x, f(1))), f.mul(last, f(0.5)));
  Value rising = x, term = f.div(last, a);
  for (auto [k, factor] : llvm::enumerate(factors)) {
    rest = f.add(rest, f.div(f.mul(rising, term), f(factor)));
    rising = f.mul(f.mul(rising, f.add(x, f(2.0 * k + 1))),
                   f.add(x, f(2.0 * k + 2)));
    term = f.div(term, f.mul(a, a));
  }
  Value result = f.s.select(isDone, sum, f.add(sum, rest));
  Value isLow = f.is(CmpFPredicate::OLE, q, f(0));
  Value isPole = f.s.create<arith::AndIOp>(isLow, f.isWhole(q));
  Value atPole = f.s.select(f.isWhole(f.mul(x, f(0.5))), f(HUGE_VAL), f(NAN));
  result = f.s.select(isPole, atPole, result);
  Value isOut = f.s.create<arith::AndIOp>(isLow, f.isNotWhole(x));
  isOut = f.s.create<arith::OrIOp>(isOut, f.less(x, 1));
  result = f.s.select(isOut, f(NAN), result);
  return f.s.select(f.is(CmpFPredicate::OEQ, x, f(1)), f(HUGE_VAL), result);
}

/// The derivative n + 1 of log(gamma(x)); NaN where n is no number >= 0.
static Value polygamma(Formula &f, Value n, Value x) {
  Value next = f.add(n, f(1)), isEven = f.isWhole(f.mul(next, f(0.5)));
  Value factorial = f.of<math::ExpOp>(logGamma(f, next));
  Value size = f.mul(factorial, zeta(f, next, x));
  Value result = f.s.select(isEven, size, f.sub(f(0), size));
  result = f.s.select(f.is(CmpFPredicate::OEQ, n, f(0)), digamma(f, x), result);
  Value isOut = f.s.create<arith::OrIOp>(f.less(n, 0), f.isNotWhole(n));
  return f.s.select(isOut, f(NAN), result);
}

/// A formula of one or two floats; those of fewer than 32 bits are widened.
template <auto formula>
static Value wide(Scalars &s, ArrayRef<Value> operands) {
  Type type = operands[0].getType();
  bool isNarrow = type.getIntOrFloatBitWidth() < 32;
  Formula f(s, isNarrow ? Type(s.b.getF32Type()) : type);
  SmallVector<Value, 2> x(operands);
  if (isNarrow)
    for (Value &each : x)
      each = s.create<arith::ExtFOp>(f.type, each);
  Value result;
  if constexpr (std::is_invocable_v<decltype(formula), Formula &, Value>)
    result = formula(f, x[0]);
  else
    result = formula(f, x[0], x[1]);
  return isNarrow ? s.create<arith::TruncFOp>(type, result) : result;
}

/// The float beside x towards y: one more or less in the integer that has the
/// bits of x, away from 0 or towards it.
static Value nextAfter(Scalars &s, ArrayRef<Value> operands) {
  Value x = operands[0], y = operands[1];
  Type type = x.getType();
  unsigned width = type.getIntOrFloatBitWidth();
  Type integer = s.b.getIntegerType(width);
  Value zero = s.zero(type);
  Value bits = s.create<arith::BitcastOp>(integer, x);
  auto is = [&](CmpFPredicate predicate, Value v, Value w) {
    return s.create<arith::CmpFOp>(predicate, v, w);
  };
  Value grows = is(CmpFPredicate::OLT, x, y);
  Value isNegative = is(CmpFPredicate::OLT, x, zero);
  Value away = s.create<arith::XOrIOp>(grows, isNegative);
  Value step = s.select(away, s.integer(integer, 1), s.integer(integer, -1));
  Value moved = s.create<arith::AddIOp>(bits, step);
  Value sign =
      s.create<arith::AndIOp>(s.create<arith::BitcastOp>(integer, y),
                              s.integer(integer, APInt::getSignMask(width)));
  Value least = s.create<arith::OrIOp>(sign, s.integer(integer, 1));
  moved = s.select(is(CmpFPredicate::OEQ, x, zero), least, moved);
  Value result = s.create<arith::BitcastOp>(type, moved);
  result = s.select(is(CmpFPredicate::OEQ, x, y), y, result);
  Value isNan = is(CmpFPredicate::UNO, x, y);
  return s.select(isNan, s.create<arith::AddFOp>(x, y), result);
}

Value mlir::symshape::stablehlo::specialFunction(Scalars &s, StringRef name,
                                                 ArrayRef<Value> x) {
  static const llvm::StringMap<Scalars::Maker> makers = {
      {"acos", Scalars::of<math::AcosOp>},
      {"acosh", Scalars::of<math::AcoshOp>},
      {"asin", Scalars::of<math::AsinOp>},
      {"asinh", Scalars::of<math::AsinhOp>},
      {"atan", Scalars::of<math::AtanOp>},
      {"atanh", Scalars::of<math::AtanhOp>},
      {"bessel_i1e", wide<besselI1e>},
      {"cosh", Scalars::of<math::CoshOp>},
      {"digamma", wide<digamma>},
      {"erf", Scalars::of<math::ErfOp>},
      {"erf_inv", wide<erfInv>},
      {"erfc", Scalars::of<math::ErfcOp>},
      {"lgamma", wide<logGamma>},
      {"next_after", nextAfter},
      {"polygamma", wide<polygamma>},
      {"sinh", Scalars::of<math::SinhOp>},
      {"zeta", wide<zeta>},
  };
  if (name == "square")
    return s.create<arith::MulFOp>(x[0], x[0]);
  if (name == "is_inf" || name == "is_pos_inf" || name == "is_neg_inf") {
    Value y = name == "is_inf" ? s.create<math::AbsFOp>(x[0]) : x[0];
    Value infinity =
        s.number(y.getType(), name == "is_neg_inf" ? -HUGE_VAL : HUGE_VAL);
    return s.create<arith::CmpFOp>(CmpFPredicate::OEQ, y, infinity);
  }
  Scalars::Maker make = makers.lookup(name);
  return make ? make(s, x) : Value();
}
