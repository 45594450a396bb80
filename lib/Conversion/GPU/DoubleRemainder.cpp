//===- DoubleRemainder.cpp - The remainder of f64 -------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Long division in base 2: as long as the rest is at least the divisor, the
// largest power of two times the divisor that fits is taken away. Each
// difference is exact (Sterbenz), and has a smaller exponent than the rest had.
//
//===----------------------------------------------------------------------===//

#include "GPU/DoubleFunctions.h"

#include "GPU/DoubleArithmetic.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include <limits>

using namespace mlir;
using namespace mlir::symshape;

namespace {
class Remainder : public DoubleArithmetic {
public:
  using DoubleArithmetic::DoubleArithmetic;

  Value compute(Value x, Value y);

private:
  using Step = function_ref<Value(Remainder &, Value)>;
  /// What `next` makes of `x` as long as `condition` holds.
  Value repeat(Value x, Step condition, Step next);
  Value isAtLeast(Value x, Value y) {
    return test(arith::CmpFPredicate::OGE, x, y);
  }
  Value both(Value x, Value y) { return arith::AndIOp::create(b, loc, x, y); }
  Value scale(Value x, Value k);
  Value getExponent(Value x);
  Value fitMultiple(Value rest, Value d);
};
} // namespace

Value Remainder::repeat(Value x, Step condition, Step next) {
  return scf::WhileOp::create(
             b, loc, x.getType(), x,
             [&](OpBuilder &inner, Location, ValueRange values) {
               Remainder inside(inner, loc);
               scf::ConditionOp::create(
                   inner, loc, condition(inside, values.front()), values);
             },
             [&](OpBuilder &inner, Location, ValueRange values) {
               Remainder inside(inner, loc);
               scf::YieldOp::create(inner, loc, next(inside, values.front()));
             })
      .getResult(0);
}

/// 2^k times `x`, for k of 0 to 2046; the result is in range.
Value Remainder::scale(Value x, Value k) {
  Value half = arith::ShRUIOp::create(b, loc, k, integer(1));
  Value rest = arith::SubIOp::create(b, loc, k, half);
  return mul(mul(x, powerOfTwo(half)), powerOfTwo(rest));
}

/// The biased exponent of x > 0; subnormal numbers have that of the others next
/// to them.
Value Remainder::getExponent(Value x) {
  Value bits = arith::ShRUIOp::create(b, loc, bitsOf(x), integer(52));
  return arith::MaxSIOp::create(b, loc, bits, integer(1));
}

/// The largest 2^k d <= rest, where 0 < d <= rest.
Value Remainder::fitMultiple(Value rest, Value d) {
  Value k = arith::SubIOp::create(b, loc, getExponent(rest), getExponent(d));
  // A subnormal divisor may be smaller than its exponent says.
  Value multiple = repeat(
      scale(d, k),
      [&](Remainder &r, Value x) { return r.isAtLeast(rest, r.add(x, x)); },
      [&](Remainder &r, Value x) { return r.add(x, x); });
  return select(isLess(rest, multiple), mul(multiple, c(0.5)), multiple);
}

Value Remainder::compute(Value x, Value y) {
  Value size = abs(x), d = abs(y);
  Value isValid = both(isLess(size, c(std::numeric_limits<double>::infinity())),
                       isLess(c(0), d));
  Value rest = repeat(
      size,
      [&](Remainder &r, Value value) {
        return r.both(r.isAtLeast(value, d), isValid);
      },
      [&](Remainder &r, Value value) {
        return r.sub(value, r.fitMultiple(value, d));
      });
  return select(isValid, sign(rest, x),
                c(std::numeric_limits<double>::quiet_NaN()));
}

Value mlir::symshape::emitDoubleRemainder(OpBuilder &b, Location loc, Value x,
                                          Value y) {
  return Remainder(b, loc).compute(x, y);
}
