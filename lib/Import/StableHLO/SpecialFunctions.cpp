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
static Value lgamma(Formula &f, Value x) {
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
  Value isWhole = f.is(CmpFPredicate::OEQ, x, f.of<math::FloorOp>(x));
  Value isPole =
      f.s.create<arith::AndIOp>(isWhole, f.is(CmpFPredicate::OLE, x, f(0)));
  return f.s.select(isPole, f(NAN), result);
}

template <Value (*formula)(Formula &, Value)>
static Value wide(Scalars &s, ArrayRef<Value> x) {
  Type type = x[0].getType();
  if (type.getIntOrFloatBitWidth() >= 32) {
    Formula f(s, type);
    return formula(f, x[0]);
  }
  Formula f(s, s.b.getF32Type());
  Value result = formula(f, s.create<arith::ExtFOp>(f.type, x[0]));
  return s.create<arith::TruncFOp>(type, result);
}

Value mlir::symshape::stablehlo::specialFunction(Scalars &s, StringRef name,
                                                 Value x) {
  static const llvm::StringMap<Scalars::Maker> makers = {
      {"acos", Scalars::of<math::AcosOp>},
      {"acosh", Scalars::of<math::AcoshOp>},
      {"asin", Scalars::of<math::AsinOp>},
      {"asinh", Scalars::of<math::AsinhOp>},
      {"atan", Scalars::of<math::AtanOp>},
      {"atanh", Scalars::of<math::AtanhOp>},
      {"cosh", Scalars::of<math::CoshOp>},
      {"digamma", wide<digamma>},
      {"erf", Scalars::of<math::ErfOp>},
      {"erf_inv", wide<erfInv>},
      {"erfc", Scalars::of<math::ErfcOp>},
      {"lgamma", wide<lgamma>},
      {"sinh", Scalars::of<math::SinhOp>},
  };
  if (name == "square")
    return s.create<arith::MulFOp>(x, x);
  if (name == "is_inf" || name == "is_pos_inf" || name == "is_neg_inf") {
    Value y = name == "is_inf" ? s.create<math::AbsFOp>(x) : x;
    Value infinity =
        s.number(x.getType(), name == "is_neg_inf" ? -HUGE_VAL : HUGE_VAL);
    return s.create<arith::CmpFOp>(CmpFPredicate::OEQ, y, infinity);
  }
  Scalars::Maker make = makers.lookup(name);
  return make ? make(s, x) : Value();
}

/// One more or less in the integer that has the bits of x: away from 0 or
/// towards it.
Value mlir::symshape::stablehlo::nextAfter(Scalars &s, Value x, Value y) {
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
