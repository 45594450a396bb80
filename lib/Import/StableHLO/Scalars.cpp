//===- Scalars.cpp - Elementwise ops on single elements -------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Floats, integers and booleans. Each function follows the section of its name
// in the specification of StableHLO; what that leaves to the implementation
// (division by 0, shifts by more than the width) is as XLA does it.
//
//===----------------------------------------------------------------------===//

#include "Scalars.h"
#include "Importer.h"
#include "SpecialFunctions.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::symshape::stablehlo;
using arith::CmpFPredicate;
using arith::CmpIPredicate;

StringRef ScalarOp::word(StringRef attribute) const {
  auto text = attributes.getAs<StringAttr>(attribute);
  return text ? text.getValue() : "";
}

int64_t ScalarOp::integer(StringRef attribute) const {
  auto number = attributes.getAs<IntegerAttr>(attribute);
  return number ? number.getValue().getLimitedValue(1 << 20) : 0;
}

Value Scalars::number(Type type, double value) {
  return arith::ConstantOp::create(b, loc, b.getFloatAttr(type, value));
}

Value Scalars::integer(Type type, int64_t value) {
  return arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, value));
}

Value Scalars::integer(Type type, const APInt &value) {
  return arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, value));
}

Value Scalars::zero(Type type) {
  if (auto complex = dyn_cast<ComplexType>(type)) {
    Value part = zero(complex.getElementType());
    return create<complex::CreateOp>(type, part, part);
  }
  return arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
}

Value Scalars::select(Value condition, Value x, Value y) {
  return create<arith::SelectOp>(condition, x, y);
}

Value Scalars::less(Value x, Value y, bool isUnsigned) {
  return create<arith::CmpIOp>(
      isUnsigned ? CmpIPredicate::ult : CmpIPredicate::slt, x, y);
}

/// All ones for a divisor of 0, and the least number divided by -1 is itself.
Value Scalars::divide(Value x, Value y, bool isUnsigned) {
  Type type = x.getType();
  Value zero = integer(type, 0), one = integer(type, 1);
  Value byZero = create<arith::CmpIOp>(CmpIPredicate::eq, y, zero);
  if (isUnsigned) {
    Value quotient = create<arith::DivUIOp>(x, select(byZero, one, y));
    return select(byZero, integer(type, -1), quotient);
  }
  APInt least = APInt::getSignedMinValue(type.getIntOrFloatBitWidth());
  Value isLeast =
      create<arith::CmpIOp>(CmpIPredicate::eq, x, integer(type, least));
  Value byMinusOne =
      create<arith::CmpIOp>(CmpIPredicate::eq, y, integer(type, -1));
  Value overflows = create<arith::AndIOp>(isLeast, byMinusOne);
  Value unsafe = create<arith::OrIOp>(byZero, overflows);
  Value quotient = create<arith::DivSIOp>(x, select(unsafe, one, y));
  return select(byZero, integer(type, -1), quotient);
}

/// The dividend for a divisor of 0.
Value Scalars::remainder(Value x, Value y, bool isUnsigned) {
  Type type = x.getType();
  Value zero = integer(type, 0), one = integer(type, 1);
  Value byZero = create<arith::CmpIOp>(CmpIPredicate::eq, y, zero);
  if (isUnsigned)
    return select(byZero, x, create<arith::RemUIOp>(x, select(byZero, one, y)));
  Value byMinusOne =
      create<arith::CmpIOp>(CmpIPredicate::eq, y, integer(type, -1));
  Value unsafe = create<arith::OrIOp>(byZero, byMinusOne);
  return select(byZero, x, create<arith::RemSIOp>(x, select(unsafe, one, y)));
}

/// The upper half of the product.
Value Scalars::highHalf(Value x, Value y, bool isUnsigned) {
  Type type = x.getType();
  unsigned width = type.getIntOrFloatBitWidth();
  if (width == 64)
    return isUnsigned ? arith::MulUIExtendedOp::create(b, loc, x, y).getHigh()
                      : arith::MulSIExtendedOp::create(b, loc, x, y).getHigh();
  Type wide = b.getIntegerType(2 * width);
  auto extend = [&](Value v) -> Value {
    return isUnsigned ? create<arith::ExtUIOp>(wide, v)
                      : create<arith::ExtSIOp>(wide, v);
  };
  Value product = create<arith::MulIOp>(extend(x), extend(y));
  return create<arith::TruncIOp>(
      type, create<arith::ShRUIOp>(product, integer(wide, width)));
}

/// By squares, one per bit of the exponent. A negative exponent gives the
/// reciprocal rounded to 0: 1 or -1 for these bases, else 0.
Value Scalars::power(Value x, Value y, bool isUnsigned) {
  Type type = x.getType();
  unsigned width = type.getIntOrFloatBitWidth();
  Value one = integer(type, 1), zero = integer(type, 0);
  Value result = one, square = x;
  for (unsigned bit = 0; bit < width; ++bit) {
    Value mask = integer(type, APInt::getOneBitSet(width, bit));
    Value isSet = create<arith::CmpIOp>(CmpIPredicate::ne,
                                        create<arith::AndIOp>(y, mask), zero);
    result = select(isSet, create<arith::MulIOp>(result, square), result);
    if (bit + 1 < width)
      square = create<arith::MulIOp>(square, square);
  }
  if (isUnsigned || width == 1)
    return result;
  Value odd = create<arith::CmpIOp>(CmpIPredicate::ne,
                                    create<arith::AndIOp>(y, one), zero);
  Value minusOne = integer(type, -1);
  Value ofMinusOne = select(odd, minusOne, one);
  Value isMinusOne = create<arith::CmpIOp>(CmpIPredicate::eq, x, minusOne);
  Value isOne = create<arith::CmpIOp>(CmpIPredicate::eq, x, one);
  Value reciprocal = select(isOne, one, select(isMinusOne, ofMinusOne, zero));
  return select(less(y, zero, false), reciprocal, result);
}

/// By the width or more, all bits are shifted out.
Value Scalars::shift(StringRef name, Value x, Value y) {
  Type type = x.getType();
  unsigned width = type.getIntOrFloatBitWidth();
  APInt limit(width, width);
  Value inside = less(y, integer(type, limit), /*isUnsigned=*/true);
  if (name == "shift_right_arithmetic") {
    Value amount = select(inside, y, integer(type, limit - 1));
    return create<arith::ShRSIOp>(x, amount);
  }
  Value zero = integer(type, 0), amount = select(inside, y, zero);
  Value shifted = name == "shift_left" ? create<arith::ShLIOp>(x, amount)
                                       : create<arith::ShRUIOp>(x, amount);
  return select(inside, shifted, zero);
}

/// Floats as integers that are in the same order: -NaN, -inf, ..., -0, 0, ...
Value Scalars::totalOrder(Value x) {
  unsigned width = x.getType().getIntOrFloatBitWidth();
  Type type = b.getIntegerType(width);
  Value bits = create<arith::BitcastOp>(type, x);
  Value flipped = create<arith::XOrIOp>(
      bits, integer(type, APInt::getSignedMaxValue(width)));
  return select(less(bits, integer(type, 0), false), flipped, bits);
}

Value Scalars::compare(const ScalarOp &op, Value x, Value y) {
  StringRef direction = op.word("comparison_direction");
  bool isFloat = isa<FloatType>(x.getType());
  if (isFloat && op.word("compare_type") == "TOTALORDER") {
    x = totalOrder(x);
    y = totalOrder(y);
    isFloat = false;
  }
  if (isFloat) {
    auto predicate = llvm::StringSwitch<std::optional<CmpFPredicate>>(direction)
                         .Case("EQ", CmpFPredicate::OEQ)
                         .Case("NE", CmpFPredicate::UNE)
                         .Case("GE", CmpFPredicate::OGE)
                         .Case("GT", CmpFPredicate::OGT)
                         .Case("LE", CmpFPredicate::OLE)
                         .Case("LT", CmpFPredicate::OLT)
                         .Default(std::nullopt);
    return predicate ? create<arith::CmpFOp>(*predicate, x, y) : Value();
  }
  bool noSign = op.type().isUnsignedInteger() || op.type().isInteger(1);
  auto choose = [&](CmpIPredicate without, CmpIPredicate with) {
    return std::optional(noSign ? without : with);
  };
  auto predicate =
      llvm::StringSwitch<std::optional<CmpIPredicate>>(direction)
          .Case("EQ", CmpIPredicate::eq)
          .Case("NE", CmpIPredicate::ne)
          .Case("GE", choose(CmpIPredicate::uge, CmpIPredicate::sge))
          .Case("GT", choose(CmpIPredicate::ugt, CmpIPredicate::sgt))
          .Case("LE", choose(CmpIPredicate::ule, CmpIPredicate::sle))
          .Case("LT", choose(CmpIPredicate::ult, CmpIPredicate::slt))
          .Default(std::nullopt);
  return predicate ? create<arith::CmpIOp>(*predicate, x, y) : Value();
}

/// -1, 0 or 1; 0 and NaN as they are.
Value Scalars::sign(Value x) {
  Type type = x.getType();
  if (isa<FloatType>(type)) {
    Value one = create<math::CopySignOp>(number(type, 1), x);
    Value nonzero = create<arith::CmpFOp>(CmpFPredicate::ONE, x, zero(type));
    return select(nonzero, one, x);
  }
  Value positive = create<arith::MinSIOp>(x, integer(type, 1));
  return create<arith::MaxSIOp>(positive, integer(type, -1));
}

Value Scalars::function(const ScalarOp &op, Value x) {
  Type type = x.getType();
  if (op.name == "logistic") {
    Value power = create<math::ExpOp>(create<arith::NegFOp>(x));
    Value one = number(type, 1);
    return create<arith::DivFOp>(one, create<arith::AddFOp>(power, one));
  }
  if (op.name == "is_finite") {
    auto &semantics = cast<FloatType>(type).getFloatSemantics();
    Value largest = arith::ConstantOp::create(
        b, loc, b.getFloatAttr(type, APFloat::getLargest(semantics)));
    Value size = create<math::AbsFOp>(x);
    return create<arith::CmpFOp>(CmpFPredicate::OLE, size, largest);
  }
  if (op.name == "sign")
    return sign(x);
  if (op.name == "reduce_precision")
    return reducePrecision(op, x);
  static const llvm::StringMap<Maker> makers = {
      {"abs", of<math::AbsFOp>},
      {"cbrt", of<math::CbrtOp>},
      {"ceil", of<math::CeilOp>},
      {"cosine", of<math::CosOp>},
      {"exponential", of<math::ExpOp>},
      {"exponential_minus_one", of<math::ExpM1Op>},
      {"floor", of<math::FloorOp>},
      {"log", of<math::LogOp>},
      {"log_plus_one", of<math::Log1pOp>},
      {"negate", of<arith::NegFOp>},
      {"round_nearest_afz", of<math::RoundOp>},
      {"round_nearest_even", of<math::RoundEvenOp>},
      {"rsqrt", of<math::RsqrtOp>},
      {"sine", of<math::SinOp>},
      {"sqrt", of<math::SqrtOp>},
      {"tan", of<math::TanOp>},
      {"tanh", of<math::TanhOp>},
  };
  Maker make = makers.lookup(op.name);
  return make ? make(*this, x) : specialFunction(*this, op.name, x);
}

Value Scalars::ofFloats(const ScalarOp &op, ArrayRef<Value> x) {
  if (x.size() == 1)
    return op.name == "real"   ? x[0]
           : op.name == "imag" ? zero(x[0].getType())
                               : function(op, x[0]);
  if (op.name == "clamp")
    return create<arith::MinimumFOp>(create<arith::MaximumFOp>(x[1], x[0]),
                                     x[2]);
  if (op.name == "compare")
    return compare(op, x[0], x[1]);
  if (op.name == "complex")
    return create<complex::CreateOp>(ComplexType::get(x[0].getType()), x[0],
                                     x[1]);
  static const llvm::StringMap<Maker> makers = {
      {"add", of<arith::AddFOp>},         {"atan2", of<math::Atan2Op>},
      {"divide", of<arith::DivFOp>},      {"maximum", of<arith::MaximumFOp>},
      {"minimum", of<arith::MinimumFOp>}, {"multiply", of<arith::MulFOp>},
      {"power", of<math::PowFOp>},        {"remainder", of<arith::RemFOp>},
      {"subtract", of<arith::SubFOp>},
  };
  Maker make = makers.lookup(op.name);
  return make ? make(*this, x) : specialFunction(*this, op.name, x);
}

/// Booleans add by "or" and multiply by "and".
Value Scalars::ofTruths(const ScalarOp &op, ArrayRef<Value> x) {
  if (op.name == "compare")
    return compare(op, x[0], x[1]);
  if (op.name == "not")
    return create<arith::XOrIOp>(x[0], integer(x[0].getType(), 1));
  if (op.name == "add" || op.name == "maximum" || op.name == "or")
    return create<arith::OrIOp>(x[0], x[1]);
  if (op.name == "multiply" || op.name == "minimum" || op.name == "and")
    return create<arith::AndIOp>(x[0], x[1]);
  if (op.name == "xor")
    return create<arith::XOrIOp>(x[0], x[1]);
  return Value();
}

Value Scalars::ofIntegers(const ScalarOp &op, ArrayRef<Value> x) {
  Type type = x[x.size() == 3].getType();
  bool noSign = op.type().isUnsignedInteger();
  auto extreme = [&](Value v, Value w, bool isMost) -> Value {
    if (noSign)
      return isMost ? create<arith::MaxUIOp>(v, w)
                    : create<arith::MinUIOp>(v, w);
    return isMost ? create<arith::MaxSIOp>(v, w) : create<arith::MinSIOp>(v, w);
  };
  StringRef name = op.name;
  if (name == "clamp")
    return extreme(extreme(x[1], x[0], true), x[2], false);
  if (name == "abs")
    return noSign ? x[0] : create<math::AbsIOp>(x[0]);
  if (name == "negate")
    return create<arith::SubIOp>(integer(type, 0), x[0]);
  if (name == "not")
    return create<arith::XOrIOp>(x[0], integer(type, -1));
  if (name == "sign")
    return noSign ? create<arith::MinUIOp>(x[0], integer(type, 1)) : sign(x[0]);
  if (name == "popcnt")
    return create<math::CtPopOp>(x[0]);
  if (name == "count_leading_zeros")
    return create<math::CountLeadingZerosOp>(x[0]);
  if (name == "square")
    return create<arith::MulIOp>(x[0], x[0]);
  if (x.size() != 2)
    return Value();
  if (name == "mulhi")
    return highHalf(x[0], x[1], noSign);
  if (name == "compare")
    return compare(op, x[0], x[1]);
  if (name == "divide")
    return divide(x[0], x[1], noSign);
  if (name == "remainder")
    return remainder(x[0], x[1], noSign);
  if (name == "power")
    return power(x[0], x[1], noSign);
  if (name.starts_with("shift_"))
    return shift(name, x[0], x[1]);
  if (name == "maximum" || name == "minimum")
    return extreme(x[0], x[1], name == "maximum");
  if (name == "add")
    return create<arith::AddIOp>(x[0], x[1]);
  if (name == "subtract")
    return create<arith::SubIOp>(x[0], x[1]);
  if (name == "multiply")
    return create<arith::MulIOp>(x[0], x[1]);
  if (name == "and")
    return create<arith::AndIOp>(x[0], x[1]);
  if (name == "or")
    return create<arith::OrIOp>(x[0], x[1]);
  return name == "xor" ? create<arith::XOrIOp>(x[0], x[1]) : Value();
}

Value Scalars::recast(Value x, Type to) {
  Type from = x.getType();
  if (from == to)
    return x;
  if (!from.isIntOrFloat() || !to.isIntOrFloat() ||
      from.getIntOrFloatBitWidth() != to.getIntOrFloatBitWidth())
    return Value();
  return create<arith::BitcastOp>(to, x);
}

Value Scalars::compute(const ScalarOp &op, ArrayRef<Value> x) {
  if (x.empty() || x.size() > 3 || x.size() != op.types.size())
    return Value();
  auto isQuantized = [](Type type) { return isa<quant::QuantizedType>(type); };
  if (llvm::any_of(op.types, isQuantized) || isQuantized(op.resultType))
    return ofQuantized(op, x);
  if (op.name == "convert")
    return convert(x[0], op.types[0], op.resultType);
  if (op.name == "bitcast_convert")
    return recast(x[0], signless(op.resultType));
  if (op.name == "select")
    return x[0].getType().isInteger(1) && x[1].getType() == x[2].getType()
               ? select(x[0], x[1], x[2])
               : Value();
  Type type = x.back().getType();
  if (llvm::any_of(x, [&](Value v) { return v.getType() != type; }))
    return Value();
  Value result = isa<FloatType>(type)     ? ofFloats(op, x)
                 : isa<ComplexType>(type) ? ofComplex(op, x)
                 : type.isInteger(1)      ? ofTruths(op, x)
                 : isa<IntegerType>(type) ? ofIntegers(op, x)
                                          : Value();
  return result && result.getType() == signless(op.resultType) ? result
                                                               : Value();
}
