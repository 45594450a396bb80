//===- Conversions.cpp - From one element type to another -----------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// As XLA converts: floats that no integer holds give the nearest one that
// there is, and NaN gives 0.
//
//===----------------------------------------------------------------------===//

#include "Importer.h"
#include "Scalars.h"
#include "mlir/Dialect/Complex/IR/Complex.h"

using namespace mlir;
using namespace mlir::symshape::stablehlo;
using arith::CmpFPredicate;
using arith::CmpIPredicate;

Value Scalars::toInteger(Value x, IntegerType to, bool isUnsigned) {
  if (x.getType().getIntOrFloatBitWidth() < 32)
    x = create<arith::ExtFOp>(b.getF32Type(), x);
  Type type = x.getType();
  unsigned width = to.getWidth();
  Type result = IntegerType::get(b.getContext(), width);
  // The first integers beyond the range are powers of two, which are exact.
  double beyond = std::ldexp(1.0, isUnsigned ? width : width - 1);
  double least = isUnsigned ? 0 : -beyond;
  Value above =
      create<arith::CmpFOp>(CmpFPredicate::OGE, x, number(type, beyond));
  Value below =
      create<arith::CmpFOp>(CmpFPredicate::OLE, x, number(type, least));
  Value isNaN = create<arith::CmpFOp>(CmpFPredicate::UNO, x, x);
  // Only numbers within the range are converted: others would be poison.
  Value outside =
      create<arith::OrIOp>(create<arith::OrIOp>(above, below), isNaN);
  Value inside = select(outside, number(type, 0), x);
  Value converted = isUnsigned ? create<arith::FPToUIOp>(result, inside)
                               : create<arith::FPToSIOp>(result, inside);
  APInt most =
      isUnsigned ? APInt::getMaxValue(width) : APInt::getSignedMaxValue(width);
  APInt lowest = isUnsigned ? APInt(width, 0) : APInt::getSignedMinValue(width);
  converted = select(above, integer(result, most), converted);
  return select(below, integer(result, lowest), converted);
}

/// A float as one of another type.
static Value toFloat(Scalars &s, Value x, FloatType to) {
  auto from = cast<FloatType>(x.getType());
  if (from == to)
    return x;
  if (from.getWidth() == to.getWidth()) {
    // Of one size and two kinds: by way of a type that has both.
    x = s.create<arith::ExtFOp>(s.b.getF32Type(), x);
    return s.create<arith::TruncFOp>(to, x);
  }
  return from.getWidth() < to.getWidth() ? s.create<arith::ExtFOp>(to, x)
                                         : s.create<arith::TruncFOp>(to, x);
}

Value Scalars::convert(Value x, Type from, Type to) {
  Type target = signless(to);
  if (auto complex = dyn_cast<ComplexType>(to)) {
    Type part = complex.getElementType();
    auto source = dyn_cast<ComplexType>(from);
    Value re = x, im;
    if (source) {
      re = create<complex::ReOp>(x);
      im = convert(create<complex::ImOp>(x), source.getElementType(), part);
    }
    re = convert(re, source ? source.getElementType() : from, part);
    if (!re)
      return Value();
    return create<complex::CreateOp>(target, re, im ? im : zero(part));
  }
  if (auto source = dyn_cast<ComplexType>(from))
    return convert(create<complex::ReOp>(x), source.getElementType(), to);
  auto floats = dyn_cast<FloatType>(to);
  auto integers = dyn_cast<IntegerType>(to);
  bool isUnsigned = from.isUnsignedInteger() || from.isInteger(1);
  if (isa<FloatType>(from)) {
    if (floats)
      return toFloat(*this, x, floats);
    if (!integers)
      return Value();
    if (integers.getWidth() == 1)
      return create<arith::CmpFOp>(CmpFPredicate::UNE, x, zero(x.getType()));
    return toInteger(x, integers, integers.isUnsigned());
  }
  if (!isa<IntegerType>(from))
    return Value();
  if (floats) {
    // Rounded once, also where the way leads over a wider type.
    return isUnsigned ? create<arith::UIToFPOp>(target, x)
                      : create<arith::SIToFPOp>(target, x);
  }
  if (!integers)
    return Value();
  unsigned width = x.getType().getIntOrFloatBitWidth();
  if (integers.getWidth() == 1)
    return create<arith::CmpIOp>(CmpIPredicate::ne, x, zero(x.getType()));
  if (integers.getWidth() == width)
    return x;
  if (integers.getWidth() < width)
    return create<arith::TruncIOp>(target, x);
  return isUnsigned ? create<arith::ExtUIOp>(target, x)
                    : create<arith::ExtSIOp>(target, x);
}

/// Bit by bit, as XLA does: the mantissa is rounded to the nearest, ties to
/// even; what the exponent cannot hold becomes infinite, or 0. Its derivative
/// is that of x, as in JAX, but where it is 0.
Value Scalars::reducePrecision(const ScalarOp &op, Value x) {
  auto type = cast<FloatType>(x.getType());
  unsigned width = type.getWidth();
  unsigned mantissa = type.getFPMantissaWidth() - 1;
  unsigned exponent = width - 1 - mantissa;
  unsigned kept = op.integer("mantissa_bits");
  unsigned keptExponent = op.integer("exponent_bits");
  if (keptExponent < 1)
    return Value();
  if (kept >= mantissa && keptExponent >= exponent)
    return x;
  Type ints = b.getIntegerType(width);
  auto bits = [&](uint64_t value) {
    return integer(ints, APInt(width, value));
  };
  Value original = create<arith::BitcastOp>(ints, x), v = original;
  if (kept < mantissa) {
    uint64_t last = uint64_t(1) << (mantissa - kept);
    Value lowest = create<arith::ShRUIOp>(create<arith::AndIOp>(v, bits(last)),
                                          bits(mantissa - kept));
    Value bias = create<arith::AddIOp>(lowest, bits((last >> 1) - 1));
    v = create<arith::AndIOp>(create<arith::AddIOp>(v, bias), bits(-last));
  }
  if (keptExponent < exponent) {
    uint64_t sign = uint64_t(1) << (width - 1);
    uint64_t mask = ((uint64_t(1) << exponent) - 1) << mantissa;
    uint64_t bias = (uint64_t(1) << (exponent - 1)) - 1;
    uint64_t reduced = (uint64_t(1) << (keptExponent - 1)) - 1;
    Value size = create<arith::AndIOp>(v, bits(mask));
    Value overflows = create<arith::CmpIOp>(CmpIPredicate::ugt, size,
                                            bits((bias + reduced) << mantissa));
    Value underflows = create<arith::CmpIOp>(
        CmpIPredicate::ule, size, bits((bias - reduced) << mantissa));
    Value zero = create<arith::AndIOp>(v, bits(sign));
    Value infinite = create<arith::OrIOp>(zero, bits(mask));
    v = select(overflows, infinite, v);
    v = select(underflows, zero, v);
  }
  // Bits have no derivative. So what is added to x, which is exact, has none;
  // `constant` is x, in a form that is not folded to it.
  Value isNaN = create<arith::CmpFOp>(CmpFPredicate::UNO, x, x);
  Value constant = create<arith::BitcastOp>(type, select(isNaN, v, original));
  Value reduced = create<arith::BitcastOp>(type, v);
  Value sum =
      create<arith::AddFOp>(x, create<arith::SubFOp>(reduced, constant));
  Value isZero =
      create<arith::CmpFOp>(CmpFPredicate::OEQ, reduced, this->zero(type));
  Value isSame = create<arith::OrIOp>(
      isNaN, create<arith::CmpIOp>(CmpIPredicate::eq, v, original));
  return select(isSame, x, select(isZero, reduced, sum));
}
