//===- FloatSizeRules.cpp - Sizes that are computed in floats -------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a conversion of an f32 or f64 to an integer gives, where the float is
// computed from integers and constants, as exporters compute the sizes of a
// resize: exactly, or between which values. Not for: other types of floats, or
// ops with fast-math flags, which need not round as written.
//
//===----------------------------------------------------------------------===//

#include "FloatSizeRules.h"
#include "ScalarRules.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "symshape/Expr/Integers.h"
#include "symshape/Extensions/RuleHelpers.h"

using namespace mlir;
using namespace mlir::symshape;
using llvm::DynamicAPInt;

/// Ops on the way from integers to the conversion; bits of numbers and of
/// denominators: nothing overflows or underflows.
static constexpr unsigned maxSteps = 16, maxBits = 100;

namespace {
/// numerator / denominator; the denominator is positive.
struct Rational {
  Expr numerator;
  DynamicAPInt denominator;
};

/// What is known of a float: it is `low`; or it is the float nearest to `low`,
/// and rounds to the same integers above and below; or it is between `low` and
/// `high`.
struct FloatSize {
  enum Kind { Exact, Nearest, Between } kind;
  Rational low, high;

  static FloatSize exact(const Rational &x) { return {Exact, x, x}; }
};

/// Reads what a float is computed from.
class FloatReader {
public:
  explicit FloatReader(ShapeFacts &facts)
      : facts(facts), arena(facts.arena()) {}

  std::optional<FloatSize> read(Value value);
  Expr floor(const Rational &x) {
    return arena.floorDiv(x.numerator, arena.constant(x.denominator));
  }
  Expr ceil(const Rational &x) {
    return arena.ceilDiv(x.numerator, arena.constant(x.denominator));
  }
  Expr truncate(const Rational &x);

private:
  Rational whole(Expr e) { return {e, DynamicAPInt(1)}; }
  std::optional<Rational> make(Expr numerator, const DynamicAPInt &denominator);
  std::optional<FloatSize> constant(const llvm::APFloat &value);
  bool isWithin(Expr e, const DynamicAPInt &end);
  std::optional<Rational> roundEnd(const Rational &x, unsigned precision,
                                   bool isHigh);
  std::optional<FloatSize> round(const FloatSize &size, unsigned precision);
  std::optional<FloatSize> sum(const FloatSize &a, const FloatSize &b,
                               bool isDifference);
  std::optional<FloatSize> product(const FloatSize &a, const FloatSize &b);
  std::optional<FloatSize> quotient(const FloatSize &a, const FloatSize &b);
  FloatSize toIntegers(const FloatSize &size,
                       llvm::function_ref<Expr(const Rational &)> map);
  std::optional<FloatSize> toNearest(const FloatSize &size, unsigned precision,
                                     bool isTieToEven);
  std::optional<FloatSize> arithmetic(Operation *op);
  FloatSize ends(const FloatSize &size);

  ShapeFacts &facts;
  ExprArena &arena;
  unsigned stepsLeft = maxSteps;
};
} // namespace

//===----------------------------------------------------------------------===//
// Rational numbers
//===----------------------------------------------------------------------===//

std::optional<Rational> FloatReader::make(Expr numerator,
                                          const DynamicAPInt &denominator) {
  DynamicAPInt shared = denominator;
  for (const Expr::Term &term : numerator.terms())
    shared = gcd(shared, abs(term.coefficient));
  DynamicAPInt rest = denominator / shared;
  if (!fitsBits(rest, maxBits))
    return std::nullopt;
  return Rational{arena.floorDiv(numerator, arena.constant(shared)), rest};
}

std::optional<FloatSize> FloatReader::constant(const llvm::APFloat &value) {
  if (!value.isFinite())
    return std::nullopt;
  if (value.isZero())
    return FloatSize::exact(whole(arena.zero()));
  int precision = llvm::APFloat::semanticsPrecision(value.getSemantics());
  int shift = llvm::ilogb(value) - (precision - 1);
  if (std::abs(shift) > int(maxBits))
    return std::nullopt;
  llvm::APSInt digits(precision + 2, /*isUnsigned=*/false);
  bool isExact = false;
  scalbn(value, -shift, llvm::APFloat::rmTowardZero)
      .convertToInteger(digits, llvm::APFloat::rmTowardZero, &isExact);
  DynamicAPInt power = powerOfTwo(std::abs(shift)), number(digits);
  auto x = shift < 0 ? make(arena.constant(number), power)
                     : make(arena.constant(number * power), DynamicAPInt(1));
  return isExact && x ? std::optional(FloatSize::exact(*x)) : std::nullopt;
}

/// Whether |e| <= end.
bool FloatReader::isWithin(Expr e, const DynamicAPInt &end) {
  symshape::Range range = facts.constraints().bounds(e, Effort::Quick);
  return range.min && range.max && *range.min >= -end && *range.max <= end;
}

/// x without its fraction.
Expr FloatReader::truncate(const Rational &x) {
  symshape::Range range =
      facts.constraints().bounds(x.numerator, Effort::Quick);
  if (range.isAtLeast(0))
    return floor(x);
  if (range.isAtMost(0))
    return ceil(x);
  return arena.max({floor(x), arena.zero()}) +
         arena.min({ceil(x), arena.zero()});
}

//===----------------------------------------------------------------------===//
// Rounding
//===----------------------------------------------------------------------===//

static bool isPowerOfTwo(const DynamicAPInt &x) {
  DynamicAPInt rest = x;
  while (rest > 1 && rest % DynamicAPInt(2) == 0)
    rest = rest / DynamicAPInt(2);
  return rest == 1;
}

// Rounding is monotone, and integers of up to `precision` bits are floats: so
// the float nearest to x is between floor(x) and ceil(x). A larger x >= 0 is
// off by at most x / 2^precision.
std::optional<Rational> FloatReader::roundEnd(const Rational &x,
                                              unsigned precision, bool isHigh) {
  DynamicAPInt end = powerOfTwo(precision);
  if (isPowerOfTwo(x.denominator) && isWithin(x.numerator, end))
    return x;
  if (isWithin(x.numerator, x.denominator * end))
    return whole(isHigh ? ceil(x) : floor(x));
  if (!isAtLeast(facts, x.numerator, 0) ||
      !isWithin(x.numerator, x.denominator * powerOfTwo(maxBits)))
    return std::nullopt;
  Expr scale = arena.constant(isHigh ? end + 1 : end - 1);
  return make(x.numerator * scale, x.denominator * end);
}

// For x = n/d with |n| + d <= 2^p, the nearest float is on the same side of
// each integer m as x: if x < m, then x <= m - 1/d, and floats next to m are at
// most |m|*2^(1-p) apart, half of which is less than 1/d, since |m|*d <= |n| +
// d. So floor and ceil of both are the same.
std::optional<FloatSize> FloatReader::round(const FloatSize &size,
                                            unsigned precision) {
  DynamicAPInt end = powerOfTwo(precision);
  if (size.kind == FloatSize::Exact) {
    const auto &[numerator, denominator] = size.low;
    if (isPowerOfTwo(denominator) && isWithin(numerator, end))
      return size;
    if (denominator < end && isWithin(numerator, end - denominator))
      return FloatSize{FloatSize::Nearest, size.low, size.low};
  }
  std::optional<Rational> low = roundEnd(size.low, precision, false);
  std::optional<Rational> high = roundEnd(size.high, precision, true);
  if (!low || !high)
    return std::nullopt;
  return FloatSize{FloatSize::Between, *low, *high};
}

/// As an interval: the nearest float is between the integers around.
FloatSize FloatReader::ends(const FloatSize &size) {
  if (size.kind != FloatSize::Nearest)
    return size;
  return {FloatSize::Between, whole(floor(size.low)), whole(ceil(size.low))};
}

/// A rounding to integers that is monotone, and the same for the nearest float.
FloatSize
FloatReader::toIntegers(const FloatSize &size,
                        llvm::function_ref<Expr(const Rational &)> map) {
  Rational low = whole(map(size.low));
  if (size.kind != FloatSize::Between)
    return FloatSize::exact(low);
  return {FloatSize::Between, low, whole(map(size.high))};
}

// The integers nearest to x are from ceil(x - 1/2) to floor(x + 1/2); these are
// the same unless x is half of an odd number. Then the tie goes away from 0, or
// to the even one, which for x = n/d is the sum of the floors of (2*n + d) /
// (4*d) and (2*n + 3*d - 1) / (4*d): floor(y) is that of y/2 and that of (y +
// 1)/2, and of these the second is one too many where y = x + 1/2 is odd. With
// 2*(|n| + d) <= 2^p, the nearest float is on the same side of halves as x.
std::optional<FloatSize> FloatReader::toNearest(const FloatSize &given,
                                                unsigned precision,
                                                bool isTieToEven) {
  DynamicAPInt room = powerOfTwo(precision) - given.low.denominator * 2;
  bool isLikeExact = given.kind == FloatSize::Nearest && room >= 0 &&
                     isWithin(given.low.numerator * arena.constant(2), room);
  FloatSize size = isLikeExact ? FloatSize::exact(given.low) : ends(given);
  const auto &[numerator, denominator] = size.low;
  auto shifted = [&](const Rational &x, int64_t sign) {
    return Rational{x.numerator * arena.constant(2) +
                        arena.constant(x.denominator * sign),
                    x.denominator * 2};
  };
  Rational above{whole(floor(shifted(size.high, 1)))};
  bool isOdd = denominator % DynamicAPInt(2) != 0;
  bool isUp = isOdd || (!isTieToEven && isAtLeast(facts, numerator, 0));
  if (size.kind == FloatSize::Exact && isUp)
    return FloatSize::exact(above);
  if (size.kind == FloatSize::Exact && isTieToEven) {
    auto quarter = [&](const DynamicAPInt &offset) {
      return floor({numerator * arena.constant(2) + arena.constant(offset),
                    denominator * 4});
    };
    return FloatSize::exact(
        whole(quarter(denominator) + quarter(denominator * 3 - 1)));
  }
  return FloatSize{FloatSize::Between, whole(ceil(shifted(size.low, -1))),
                   above};
}

//===----------------------------------------------------------------------===//
// Arithmetic, before its result is rounded
//===----------------------------------------------------------------------===//

std::optional<FloatSize>
FloatReader::sum(const FloatSize &a, const FloatSize &b, bool isDifference) {
  auto add = [&](const Rational &x, const Rational &y) {
    Expr other = y.numerator * arena.constant(x.denominator);
    Expr first = x.numerator * arena.constant(y.denominator);
    return make(isDifference ? first - other : first + other,
                x.denominator * y.denominator);
  };
  auto low = add(a.low, isDifference ? b.high : b.low);
  auto high = add(a.high, isDifference ? b.low : b.high);
  if (!low || !high)
    return std::nullopt;
  bool isExact = a.kind == FloatSize::Exact && b.kind == FloatSize::Exact;
  return FloatSize{isExact ? FloatSize::Exact : FloatSize::Between, *low,
                   *high};
}

/// By a number, or of two that are exact.
std::optional<FloatSize> FloatReader::product(const FloatSize &a,
                                              const FloatSize &b) {
  if (b.kind != FloatSize::Exact)
    return a.kind == FloatSize::Exact ? product(b, a) : std::nullopt;
  auto times = [&](const Rational &x) {
    return make(x.numerator * b.low.numerator,
                x.denominator * b.low.denominator);
  };
  auto low = times(a.low), high = times(a.high);
  if (!low || !high)
    return std::nullopt;
  if (a.kind == FloatSize::Exact)
    return FloatSize::exact(*low);
  auto number = b.low.numerator.asConstant();
  if (!number)
    return std::nullopt;
  if (*number < 0)
    std::swap(low, high);
  return FloatSize{FloatSize::Between, *low, *high};
}

/// By a number.
std::optional<FloatSize> FloatReader::quotient(const FloatSize &a,
                                               const FloatSize &b) {
  auto number = b.low.numerator.asConstant();
  if (b.kind != FloatSize::Exact || !number || *number == 0)
    return std::nullopt;
  DynamicAPInt inverse = b.low.denominator;
  if (*number < 0)
    inverse = -inverse;
  return product(a, FloatSize::exact({arena.constant(inverse), abs(*number)}));
}

std::optional<FloatSize> FloatReader::arithmetic(Operation *op) {
  std::optional<FloatSize> a = read(op->getOperand(0)),
                           b = read(op->getOperand(1));
  if (!a || !b)
    return std::nullopt;
  FloatSize left = ends(*a), right = ends(*b);
  if (isa<arith::MulFOp>(op))
    return product(left, right);
  if (isa<arith::DivFOp>(op))
    return quotient(left, right);
  return sum(left, right, isa<arith::SubFOp>(op));
}

std::optional<FloatSize> FloatReader::read(Value value) {
  Type type = value.getType();
  Operation *op = value.getDefiningOp();
  if (!op || !(type.isF32() || type.isF64()) || stepsLeft == 0)
    return std::nullopt;
  --stepsLeft;
  auto fast = dyn_cast<arith::ArithFastMathInterface>(op);
  arith::FastMathFlagsAttr flags;
  if (fast)
    flags = fast.getFastMathFlagsAttr();
  if (flags && flags.getValue() != arith::FastMathFlags::none)
    return std::nullopt;
  unsigned precision = llvm::APFloat::semanticsPrecision(
      cast<FloatType>(type).getFloatSemantics());
  std::optional<FloatSize> exact;
  if (auto number = dyn_cast<arith::ConstantOp>(op))
    return constant(cast<FloatAttr>(number.getValue()).getValue());
  if (isa<arith::SIToFPOp, arith::UIToFPOp>(op)) {
    Value from = op->getOperand(0);
    if (!hasIntegerValue(from.getType()) || from.getType().isInteger(1))
      return std::nullopt;
    Expr e = facts.value(from);
    if (isa<arith::UIToFPOp>(op) && !isAtLeast(facts, e, 0))
      return std::nullopt;
    exact = FloatSize::exact(whole(e));
  } else if (isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::DivFOp>(
                 op)) {
    exact = arithmetic(op);
  } else if (isa<arith::ExtFOp>(op)) {
    return read(op->getOperand(0));
  } else if (isa<arith::TruncFOp>(op)) {
    exact = read(op->getOperand(0));
    if (exact)
      exact = ends(*exact);
  } else if (isa<math::FloorOp, math::CeilOp, math::TruncOp, math::RoundOp,
                 math::RoundEvenOp>(op)) {
    std::optional<FloatSize> given = read(op->getOperand(0));
    if (!given)
      return std::nullopt;
    if (isa<math::RoundOp, math::RoundEvenOp>(op))
      return toNearest(*given, precision, isa<math::RoundEvenOp>(op));
    return toIntegers(*given, [&](const Rational &x) {
      return isa<math::FloorOp>(op)  ? floor(x)
             : isa<math::CeilOp>(op) ? ceil(x)
                                     : truncate(x);
    });
  }
  return exact ? round(*exact, precision) : std::nullopt;
}

// A float that does not fit has no integer: what is said must fit.
void symshape::setFromFloat(ShapeFacts &facts, Value result, Value given,
                            bool isUnsigned) {
  FloatReader reader(facts);
  std::optional<FloatSize> size = reader.read(given);
  if (!size)
    return;
  Expr low = reader.truncate(size->low), high = reader.truncate(size->high);
  if (!facts.fitsType(low, result.getType()) ||
      !facts.fitsType(high, result.getType()) ||
      (isUnsigned && !isAtLeast(facts, low, 0)))
    return;
  if (low == high)
    return facts.setValue(result, low);
  Expr own = facts.value(result);
  facts.imply(Relation::le(low, own));
  facts.imply(Relation::le(own, high));
}
