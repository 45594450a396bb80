//===- DoubleTrigonometry.cpp - Sines and angles of f64 -------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Angles up to 2^30 are reduced by pi / 2 in three parts; larger ones by as
// many digits of 2 / pi as they need (M. Payne and R. Hanek, Radian reduction
// for trigonometric functions, SIGNUM Newsletter 18, 1983).
//
//===----------------------------------------------------------------------===//

#include "GPU/Doubles.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::symshape;

/// pi / 2 in three parts.
static constexpr double halfPi[] = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54,
                                    -0x1.f1976b7ed8fbcp-110};
static constexpr double largeAngle = 0x1p30;

/// 64 zeros, and then the digits of 2 / pi, by 64.
static constexpr uint64_t twoOverPi[] = {
    0x0000000000000000, 0xa2f9836e4e441529, 0xfc2757d1f534ddc0,
    0xdb6295993c439041, 0xfe5163abdebbc561, 0xb7246e3a424dd2e0,
    0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484,
    0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b,
    0x1ff897ffde05980f, 0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7,
    0x4f463f669e5fea2d, 0x7527bac7ebe5f17b, 0x3d0739f78a5292ea,
    0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab};

namespace {
/// Arithmetic of i64 without signs.
struct Words {
  OpBuilder &b;
  Location loc;

  Value c(uint64_t value) {
    return arith::ConstantIntOp::create(b, loc, static_cast<int64_t>(value),
                                        64);
  }
  Value add(Value x, Value y) { return arith::AddIOp::create(b, loc, x, y); }
  Value sub(Value x, Value y) { return arith::SubIOp::create(b, loc, x, y); }
  Value both(Value x, Value y) { return arith::AndIOp::create(b, loc, x, y); }
  Value either(Value x, Value y) { return arith::OrIOp::create(b, loc, x, y); }
  Value flip(Value x, Value y) { return arith::XOrIOp::create(b, loc, x, y); }
  Value left(Value x, Value by) { return arith::ShLIOp::create(b, loc, x, by); }
  Value right(Value x, Value by) {
    return arith::ShRUIOp::create(b, loc, x, by);
  }
  /// The upper word of high * 2^64 + low, shifted left by 0 to 63.
  Value shiftPair(Value high, Value low, Value by) {
    // In two steps, neither of which is by 64.
    Value carried = right(right(low, c(1)), sub(c(63), by));
    return either(left(high, by), carried);
  }
  Value toDouble(Value x) {
    return arith::UIToFPOp::create(b, loc, b.getF64Type(), x);
  }
  Value carry(Value sum, Value part) {
    Value less =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, sum, part);
    return arith::ExtUIOp::create(b, loc, b.getI64Type(), less);
  }
};
} // namespace

/// For |x| of at least 2^30: with x = m 2^e, the product of m and the digits of
/// 2 / pi that give less than four quarters.
Doubles::Angle Doubles::reduceLarge(Value x) {
  Words w{b, loc};
  Value bits = bitsOf(abs(x));
  Value e = w.sub(w.right(bits, w.c(52)), w.c(1075));
  Value m = w.either(w.both(bits, w.c((uint64_t(1) << 52) - 1)),
                     w.c(uint64_t(1) << 52));
  // Four words from the digit that stands for four quarters on.
  Value first = w.add(e, w.c(62));
  Value word = w.right(first, w.c(6)), offset = w.both(first, w.c(63));
  SmallVector<Value> digits;
  for (uint64_t part : twoOverPi)
    digits.push_back(w.c(part));
  for (unsigned step = 16; step; step /= 2) {
    Value isSet = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne,
                                        w.both(word, w.c(step)), w.c(0));
    unsigned kept = std::min<unsigned>(digits.size(), step + 3);
    for (unsigned i = 0; i < kept; ++i)
      if (i + step < digits.size())
        digits[i] = select(isSet, digits[i + step], digits[i]);
    digits.truncate(kept);
  }
  SmallVector<Value> shifted;
  for (unsigned i = 0; i < 3; ++i)
    shifted.push_back(w.shiftPair(digits[i], digits[i + 1], offset));

  auto low = arith::MulUIExtendedOp::create(b, loc, m, shifted[2]);
  auto middle = arith::MulUIExtendedOp::create(b, loc, m, shifted[1]);
  Value p0 = low.getLow(), p1 = w.add(middle.getLow(), low.getHigh());
  Value p2 = arith::MulIOp::create(b, loc, m, shifted[0]);
  p2 = w.add(w.add(p2, middle.getHigh()), w.carry(p1, low.getHigh()));

  // The nearest quarter, and what is left of it as 128 bits with a sign.
  Value quarter = w.right(p2, w.c(62));
  Value high = w.shiftPair(p2, p1, w.c(2)), rest = w.shiftPair(p1, p0, w.c(2));
  quarter = w.add(quarter, w.right(high, w.c(63)));
  Value isNegative =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, high, w.c(0));
  Value mask = arith::ShRSIOp::create(b, loc, high, w.c(63));
  high = w.flip(high, mask);
  rest = w.flip(rest, mask);
  // As two numbers of 53 bits.
  Value zeros = math::CountLeadingZerosOp::create(b, loc, high);
  zeros = arith::MinUIOp::create(b, loc, zeros, w.c(63));
  high = w.shiftPair(high, rest, zeros);
  rest = w.left(rest, zeros);
  Value scale = powerOfTwo(w.sub(w.c(0), zeros));
  Pair part = {mul(w.toDouble(w.right(high, w.c(11))), c(0x1p-53)), {}};
  Value tail = w.either(w.left(w.both(high, w.c(0x7ff)), w.c(42)),
                        w.right(rest, w.c(22)));
  part.low = mul(w.toDouble(tail), c(0x1p-106));
  Pair angle = product(part, {c(halfPi[0]), c(halfPi[1])});
  Value r = mul(add(angle.high, angle.low), scale);
  r = select(isNegative, neg(r), r);
  Value isLeft = isLess(x, c(0));
  return {select(isLeft, neg(r), r),
          select(isLeft, w.sub(w.c(0), quarter), quarter)};
}

Doubles::Angle Doubles::reduce(Value x) {
  Value isLarge = isLess(c(largeAngle), abs(x));
  Type types[] = {b.getF64Type(), b.getI64Type()};
  auto branch = scf::IfOp::create(b, loc, types, isLarge, /*withElse=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  Angle large = reduceLarge(x);
  scf::YieldOp::create(b, loc, ValueRange{large.rest, large.quarter});
  b.setInsertionPointToStart(branch.elseBlock());
  Value k = math::RoundEvenOp::create(b, loc, mul(x, c(M_2_PI)));
  Value r = x;
  for (double part : halfPi)
    r = fma(neg(k), c(part), r);
  Value quarter = arith::FPToSIOp::create(b, loc, b.getI64Type(),
                                          clamp(k, -0x1p62, 0x1p62));
  scf::YieldOp::create(b, loc, ValueRange{r, quarter});
  return {branch.getResult(0), branch.getResult(1)};
}

/// With x = k pi / 2 + r, one of sin r, cos r, or its negative.
Value Doubles::sinOrCos(Value x, Angle angle, bool isSin) {
  Value r = angle.rest, turn = angle.quarter;
  Value z = mul(r, r);
  auto alternate = [](unsigned n, unsigned power) {
    return (n % 2 ? -1 : 1) * inverseFactorial(power);
  };
  Value sine = polynomial(
      z, makeSeries(9, [&](unsigned n) { return -alternate(n, 2 * n + 3); }));
  sine = fma(mul(r, z), sine, r);
  Value cosine = polynomial(
      z, makeSeries(10, [&](unsigned n) { return alternate(n, 2 * n); }));
  if (!isSin)
    turn = arith::AddIOp::create(b, loc, turn, integer(1));
  auto hasBit = [&](int64_t bit) -> Value {
    Value masked = arith::AndIOp::create(b, loc, turn, integer(bit));
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, masked,
                                 integer(0));
  };
  Value result = select(hasBit(1), cosine, sine);
  result = select(hasBit(2), neg(result), result);
  if (isSin) // the sign of zero
    result = select(isEqual(x, c(0)), x, result);
  Value isFinite = isLess(abs(x), c(infinity));
  return select(isFinite, result, nan());
}

Value Doubles::sin(Value x) { return sinOrCos(x, reduce(x), /*isSin=*/true); }
Value Doubles::cos(Value x) { return sinOrCos(x, reduce(x), /*isSin=*/false); }

Value Doubles::tan(Value x) {
  Angle angle = reduce(x);
  return div(sinOrCos(x, angle, /*isSin=*/true),
             sinOrCos(x, angle, /*isSin=*/false));
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

Value Doubles::atan2(Value y, Value x) {
  // The smaller over the larger; both infinite, or both zero: 1 and 0.
  Value ySize = abs(y), xSize = abs(x);
  Value isSteep = isLess(xSize, ySize);
  Value small = select(isSteep, xSize, ySize);
  Value large = select(isSteep, ySize, xSize);
  Value ratio = div(small, large);
  ratio = select(isEqual(large, c(0)), c(0), ratio);
  ratio = select(isEqual(small, c(infinity)), c(1), ratio);
  Value angle = atan(ratio);
  angle = select(isSteep, sub(c(M_PI_2), angle), angle);
  Value isLeft = isLess(sign(c(1), x), c(0));
  angle = select(isLeft, sub(c(M_PI), angle), angle);
  Value isNaN = test(arith::CmpFPredicate::UNO, x, y);
  return select(isNaN, add(x, y), sign(angle, y));
}

Value Doubles::asin(Value x) {
  return atan2(x, sqrt(mul(sub(c(1), x), add(c(1), x))));
}

Value Doubles::acos(Value x) {
  return atan2(sqrt(mul(sub(c(1), x), add(c(1), x))), x);
}
