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

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include <limits>

using namespace mlir;
using namespace mlir::symshape;

static Value constant(OpBuilder &b, Location loc, double value) {
  return arith::ConstantOp::create(b, loc, b.getF64FloatAttr(value));
}

static Value test(OpBuilder &b, Location loc, arith::CmpFPredicate predicate,
                  Value x, Value y) {
  return arith::CmpFOp::create(b, loc, predicate, x, y);
}

/// What `next` makes of `x` as long as `condition` holds.
static Value repeat(OpBuilder &b, Location loc, Value x,
                    function_ref<Value(OpBuilder &, Value)> condition,
                    function_ref<Value(OpBuilder &, Value)> next) {
  return scf::WhileOp::create(
             b, loc, x.getType(), x,
             [&](OpBuilder &inner, Location, ValueRange values) {
               scf::ConditionOp::create(
                   inner, loc, condition(inner, values.front()), values);
             },
             [&](OpBuilder &inner, Location, ValueRange values) {
               scf::YieldOp::create(inner, loc, next(inner, values.front()));
             })
      .getResult(0);
}

/// 2^k times `x`, for k of 0 to 2046; the result is in range.
static Value scale(OpBuilder &b, Location loc, Value x, Value k) {
  auto integer = [&](int64_t value) {
    return arith::ConstantIntOp::create(b, loc, value, 64);
  };
  auto times = [&](Value exponent) {
    Value biased = arith::AddIOp::create(b, loc, exponent, integer(1023));
    Value bits = arith::ShLIOp::create(b, loc, biased, integer(52));
    Value power = arith::BitcastOp::create(b, loc, b.getF64Type(), bits);
    x = arith::MulFOp::create(b, loc, x, power);
  };
  Value half = arith::ShRUIOp::create(b, loc, k, integer(1));
  times(half);
  times(arith::SubIOp::create(b, loc, k, half));
  return x;
}

/// The biased exponent of x > 0; subnormal numbers have that of the others next
/// to them.
static Value getExponent(OpBuilder &b, Location loc, Value x) {
  auto integer = [&](int64_t value) {
    return arith::ConstantIntOp::create(b, loc, value, 64);
  };
  Value bits = arith::BitcastOp::create(b, loc, b.getI64Type(), x);
  bits = arith::ShRUIOp::create(b, loc, bits, integer(52));
  return arith::MaxSIOp::create(b, loc, bits, integer(1));
}

/// The largest 2^k d <= rest, where 0 < d <= rest.
static Value fitMultiple(OpBuilder &b, Location loc, Value rest, Value d) {
  Value k = arith::SubIOp::create(b, loc, getExponent(b, loc, rest),
                                  getExponent(b, loc, d));
  Value multiple = scale(b, loc, d, k);
  // A subnormal divisor may be smaller than its exponent says.
  multiple = repeat(
      b, loc, multiple,
      [&](OpBuilder &inner, Value x) {
        Value twice = arith::AddFOp::create(inner, loc, x, x);
        return test(inner, loc, arith::CmpFPredicate::OLE, twice, rest);
      },
      [&](OpBuilder &inner, Value x) {
        return arith::AddFOp::create(inner, loc, x, x);
      });
  Value half = arith::MulFOp::create(b, loc, multiple, constant(b, loc, 0.5));
  Value isAbove = test(b, loc, arith::CmpFPredicate::OGT, multiple, rest);
  return arith::SelectOp::create(b, loc, isAbove, half, multiple);
}

Value mlir::symshape::emitDoubleRemainder(OpBuilder &b, Location loc, Value x,
                                          Value y) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Value size = math::AbsFOp::create(b, loc, x);
  Value d = math::AbsFOp::create(b, loc, y);
  Value zero = constant(b, loc, 0);
  Value isFinite =
      test(b, loc, arith::CmpFPredicate::OLT, size, constant(b, loc, infinity));
  Value isDivisor = test(b, loc, arith::CmpFPredicate::OGT, d, zero);
  Value isValid = arith::AndIOp::create(b, loc, isFinite, isDivisor);
  Value rest = repeat(
      b, loc, size,
      [&](OpBuilder &inner, Value value) {
        Value isMore = test(inner, loc, arith::CmpFPredicate::OGE, value, d);
        return Value(arith::AndIOp::create(inner, loc, isMore, isValid));
      },
      [&](OpBuilder &inner, Value value) {
        Value multiple = fitMultiple(inner, loc, value, d);
        return Value(arith::SubFOp::create(inner, loc, value, multiple));
      });
  rest = math::CopySignOp::create(b, loc, rest, x);
  Value none = constant(b, loc, std::numeric_limits<double>::quiet_NaN());
  return arith::SelectOp::create(b, loc, isValid, rest, none);
}
