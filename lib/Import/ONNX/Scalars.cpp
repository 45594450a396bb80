//===- Scalars.cpp - Arithmetic on elements -------------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One op of arith each, by the type of the operands.
//
//===----------------------------------------------------------------------===//

#include "symshape/Import/ONNX/Scalars.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "symshape/IR/SymShape.h"

using namespace mlir;
using namespace mlir::symshape::onnx;

Type mlir::symshape::onnx::elementType(MLIRContext *context, DataType type) {
  switch (type) {
  case DataType::Float:
    return Float32Type::get(context);
  case DataType::Double:
    return Float64Type::get(context);
  case DataType::Float16:
    return Float16Type::get(context);
  case DataType::BFloat16:
    return BFloat16Type::get(context);
  case DataType::Bool:
    return IntegerType::get(context, 1);
  default:
    return isInteger(type) ? IntegerType::get(context, 8 * bytesOf(type))
                           : Type();
  }
}

DataType mlir::symshape::onnx::sumType(DataType type) {
  bool isSmall = type == DataType::Float16 || type == DataType::BFloat16;
  return isSmall ? DataType::Float : type; // as getSumType has it
}

bool Scalars::isFloat(Value x) { return isa<FloatType>(x.getType()); }

Type Scalars::floatType(DataType type) {
  return elementType(b.getContext(), type);
}

Value Scalars::number(Type type, double value) {
  if (isa<FloatType>(type))
    return create<arith::ConstantOp>(b.getFloatAttr(type, value));
  return integer(type, static_cast<int64_t>(value));
}

Value Scalars::integer(Type type, int64_t value) {
  if (isa<FloatType>(type))
    return number(type, static_cast<double>(value));
  if (isa<IndexType>(type))
    return index(value);
  APInt bits(64, value, /*isSigned=*/true);
  return create<arith::ConstantOp>(
      IntegerAttr::get(type, bits.sextOrTrunc(type.getIntOrFloatBitWidth())));
}

Value Scalars::index(int64_t value) {
  return create<arith::ConstantIndexOp>(value);
}

Value Scalars::loop(int64_t dim) { return create<linalg::IndexOp>(dim); }

Value Scalars::add(Value x, Value y) {
  return isFloat(x) ? create<arith::AddFOp>(x, y) : create<arith::AddIOp>(x, y);
}
Value Scalars::sub(Value x, Value y) {
  return isFloat(x) ? create<arith::SubFOp>(x, y) : create<arith::SubIOp>(x, y);
}
Value Scalars::mul(Value x, Value y) {
  return isFloat(x) ? create<arith::MulFOp>(x, y) : create<arith::MulIOp>(x, y);
}

/// Integers: rounds to zero. What is undefined in arith and in ONNX is some
/// number here: x / 0 is -1 or x, and the least number / -1 is itself.
Value Scalars::div(Value x, Value y, bool isUnsigned) {
  if (isFloat(x))
    return create<arith::DivFOp>(x, y);
  Value zero = integer(x.getType(), 0), one = integer(x.getType(), 1);
  Value safe = select(equal(y, zero), one, y);
  if (isUnsigned)
    return create<arith::DivUIOp>(x, safe);
  Value isMinusOne = equal(y, integer(x.getType(), -1));
  Value quotient = create<arith::DivSIOp>(x, select(isMinusOne, one, safe));
  return select(isMinusOne, neg(x), quotient);
}

Value Scalars::max(Value x, Value y, bool isUnsigned) {
  if (isFloat(x))
    return create<arith::MaximumFOp>(x, y);
  return isUnsigned ? create<arith::MaxUIOp>(x, y)
                    : create<arith::MaxSIOp>(x, y);
}
Value Scalars::min(Value x, Value y, bool isUnsigned) {
  if (isFloat(x))
    return create<arith::MinimumFOp>(x, y);
  return isUnsigned ? create<arith::MinUIOp>(x, y)
                    : create<arith::MinSIOp>(x, y);
}

Value Scalars::less(Value x, Value y, bool isUnsigned) {
  if (isFloat(x))
    return create<arith::CmpFOp>(arith::CmpFPredicate::OLT, x, y);
  return create<arith::CmpIOp>(
      isUnsigned ? arith::CmpIPredicate::ult : arith::CmpIPredicate::slt, x, y);
}
Value Scalars::lessOrEqual(Value x, Value y, bool isUnsigned) {
  if (isFloat(x))
    return create<arith::CmpFOp>(arith::CmpFPredicate::OLE, x, y);
  return create<arith::CmpIOp>(
      isUnsigned ? arith::CmpIPredicate::ule : arith::CmpIPredicate::sle, x, y);
}
Value Scalars::equal(Value x, Value y) {
  if (isFloat(x))
    return create<arith::CmpFOp>(arith::CmpFPredicate::OEQ, x, y);
  return create<arith::CmpIOp>(arith::CmpIPredicate::eq, x, y);
}
Value Scalars::select(Value condition, Value x, Value y) {
  return create<arith::SelectOp>(condition, x, y);
}
Value Scalars::isNaN(Value x) {
  return create<arith::CmpFOp>(arith::CmpFPredicate::UNO, x, x);
}
Value Scalars::neg(Value x) {
  return isFloat(x) ? create<arith::NegFOp>(x)
                    : sub(integer(x.getType(), 0), x);
}
/// For x < 0 exp(x) / (1 + exp(x)), which does not overflow where the result is
/// tiny. Not by |x|, which has no derivative at 0.
Value Scalars::sigmoid(Value x) {
  Value one = number(x.getType(), 1);
  Value isNegative = less(x, number(x.getType(), 0));
  Value decay = create<math::ExpOp>(select(isNegative, x, neg(x)));
  return div(select(isNegative, decay, one), add(one, decay));
}
/// max(x, 0) + log1p(exp(-|x|)), likewise.
Value Scalars::softplus(Value x) {
  Value zero = number(x.getType(), 0);
  Value isNegative = less(x, zero);
  Value decay = create<math::ExpOp>(select(isNegative, x, neg(x)));
  return add(select(isNegative, zero, x), create<math::Log1pOp>(decay));
}
Value Scalars::logicalAnd(Value x, Value y) {
  return create<arith::AndIOp>(x, y);
}
Value Scalars::logicalOr(Value x, Value y) {
  return create<arith::OrIOp>(x, y);
}
Value Scalars::logicalNot(Value x) {
  return create<arith::XOrIOp>(x, integer(x.getType(), 1));
}

/// From a float to an integer: towards zero. A number out of range is undefined
/// in ONNX and poison in arith; here it is cut off, and NaN becomes 0.
static Value floatToInt(Scalars &s, Value x, Type type, bool isUnsigned) {
  // f16 and bf16 hold no bound of the wider integers, f32 does.
  if (x.getType().getIntOrFloatBitWidth() < 32)
    x = s.create<arith::ExtFOp>(s.b.getF32Type(), x);
  unsigned width = type.getIntOrFloatBitWidth();
  double top = isUnsigned ? std::ldexp(1.0, width) : std::ldexp(1.0, width - 1);
  double bottom = isUnsigned ? 0 : -top;
  Value low = s.number(x.getType(), bottom), high = s.number(x.getType(), top);
  Value isBelow = s.less(x, low), isAbove = s.lessOrEqual(high, x);
  Value outside = s.logicalOr(s.logicalOr(isBelow, isAbove), s.isNaN(x));
  Value safe = s.select(outside, s.number(x.getType(), 0), x);
  Value inside = isUnsigned ? s.create<arith::FPToUIOp>(type, safe)
                            : s.create<arith::FPToSIOp>(type, safe);
  APInt most =
      isUnsigned ? APInt::getMaxValue(width) : APInt::getSignedMaxValue(width);
  APInt least =
      isUnsigned ? APInt::getMinValue(width) : APInt::getSignedMinValue(width);
  auto constant = [&](const APInt &value) {
    return s.create<arith::ConstantOp>(IntegerAttr::get(type, value));
  };
  Value cut = s.select(isAbove, constant(most), inside);
  return s.select(isBelow, constant(least), cut);
}

static Value intToInt(Scalars &s, Value x, Type type, bool fromUnsigned) {
  unsigned before = x.getType().getIntOrFloatBitWidth();
  unsigned after = type.getIntOrFloatBitWidth();
  if (before == after)
    return x;
  if (after < before)
    return s.create<arith::TruncIOp>(type, x);
  return fromUnsigned ? s.create<arith::ExtUIOp>(type, x)
                      : s.create<arith::ExtSIOp>(type, x);
}

Value Scalars::cast(Value x, DataType from, DataType to) {
  Type type = elementType(b.getContext(), to);
  if (from == to)
    return x;
  if (to == DataType::Bool) {
    Value zero = number(x.getType(), 0);
    // NaN is not zero.
    return isFloat(x)
               ? create<arith::CmpFOp>(arith::CmpFPredicate::UNE, x, zero)
               : create<arith::CmpIOp>(arith::CmpIPredicate::ne, x, zero);
  }
  bool fromUnsigned = isUnsigned(from) || from == DataType::Bool;
  if (isFloat(x) && isa<FloatType>(type)) {
    unsigned before = x.getType().getIntOrFloatBitWidth();
    unsigned after = type.getIntOrFloatBitWidth();
    if (before == after) { // f16 and bf16
      x = create<arith::ExtFOp>(b.getF32Type(), x);
      return create<arith::TruncFOp>(type, x);
    }
    return before < after ? create<arith::ExtFOp>(type, x)
                          : create<arith::TruncFOp>(type, x);
  }
  if (isFloat(x))
    return floatToInt(*this, x, type, isUnsigned(to));
  if (isa<FloatType>(type))
    return fromUnsigned ? create<arith::UIToFPOp>(type, x)
                        : create<arith::SIToFPOp>(type, x);
  return intToInt(*this, x, type, fromUnsigned);
}

Value Scalars::toIndex(Value x, DataType from) {
  if (isa<IndexType>(x.getType()))
    return x;
  bool fromUnsigned = isUnsigned(from) || from == DataType::Bool;
  return fromUnsigned ? create<arith::IndexCastUIOp>(b.getIndexType(), x)
                      : create<arith::IndexCastOp>(b.getIndexType(), x);
}

void Scalars::requireNonzero(Value x, DataType type, const Twine &message) {
  AssertOp::create(b, loc, "a != 0", {{"a", toIndex(x, type)}}, message);
}

Value Scalars::fromIndex(Value x, DataType to) {
  Type type = elementType(b.getContext(), to);
  if (to == DataType::Bool)
    return create<arith::CmpIOp>(arith::CmpIPredicate::ne, x, index(0));
  if (isa<FloatType>(type))
    return create<arith::SIToFPOp>(
        type, create<arith::IndexCastOp>(b.getI64Type(), x));
  return create<arith::IndexCastOp>(type, x);
}
