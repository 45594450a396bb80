//===- Doubles.h - Functions of f64 as expressions --------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to Conversion. Each member emits code for one function of f64.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_CONVERSION_GPU_DOUBLES_H
#define SYMSHAPE_LIB_CONVERSION_GPU_DOUBLES_H

#include "GPU/DoubleArithmetic.h"
#include <cmath>
#include <limits>

namespace mlir::symshape {

class Doubles : public DoubleArithmetic {
public:
  using DoubleArithmetic::DoubleArithmetic;

  Value exp(Value x) { return expPair({x, {}}); }
  Value exp2(Value x);
  Value expm1(Value x);
  Value log(Value x) { return logPair(x).high; }
  Value log2(Value x);
  Value log10(Value x);
  Value log1p(Value x);
  Value pow(Value x, Value y);
  Value cbrt(Value x);
  Value sinh(Value x);
  Value cosh(Value x);
  Value tanh(Value x);
  Value asinh(Value x);
  Value acosh(Value x);
  Value atanh(Value x);
  Value sin(Value x);
  Value cos(Value x);
  Value tan(Value x);
  Value atan(Value x);
  Value atan2(Value y, Value x);
  Value asin(Value x);
  Value acos(Value x);
  Value erf(Value x);
  Value erfc(Value x);

private:
  static constexpr double infinity = std::numeric_limits<double>::infinity();

  /// The number high + low, where low is small beside high; null for none.
  struct Pair {
    Value high, low;
  };
  Pair logPair(Value x);
  Value expPair(Pair x);
  Value halfExp(Value x);
  Value logOfBase(Value x, double factor, double factorLow);
  Value erfcOfSize(Value size);

  /// An angle as `quarter` quarters of a turn and `rest`, at most half of one.
  struct Angle {
    Value rest, quarter;
  };
  Angle reduce(Value x);
  Angle reduceLarge(Value x);
  Value sinOrCos(Value x, Angle angle, bool isSin);

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
  Value nan() { return c(std::numeric_limits<double>::quiet_NaN()); }
  /// c[0] + c[1] x + ...
  Value polynomial(Value x, ArrayRef<double> coefficients) {
    Value total = c(coefficients.back());
    for (double coefficient : llvm::reverse(coefficients.drop_back()))
      total = fma(total, x, c(coefficient));
    return total;
  }
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
};

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_CONVERSION_GPU_DOUBLES_H
