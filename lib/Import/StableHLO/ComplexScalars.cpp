//===- ComplexScalars.cpp - Elementwise ops on complex elements -----------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ops of the dialect complex where they are exact enough, else functions of
// real and imaginary parts.
//
//===----------------------------------------------------------------------===//

#include "Scalars.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace mlir::symshape::stablehlo;
using arith::CmpFPredicate;

/// z / |z|, and 0 for 0.
static Value complexSign(Scalars &s, Value z) {
  Type part = cast<ComplexType>(z.getType()).getElementType();
  Value size = s.create<complex::AbsOp>(part, z);
  Value isZero =
      s.create<arith::CmpFOp>(CmpFPredicate::OEQ, size, s.zero(part));
  Value divisor = s.select(isZero, s.number(part, 1), size);
  Value re = s.create<arith::DivFOp>(s.create<complex::ReOp>(z), divisor);
  Value im = s.create<arith::DivFOp>(s.create<complex::ImOp>(z), divisor);
  return s.create<complex::CreateOp>(z.getType(), re, im);
}

/// 1 / (1 + exp(-z)).
static Value complexLogistic(Scalars &s, Value z) {
  Type part = cast<ComplexType>(z.getType()).getElementType();
  Value one =
      s.create<complex::CreateOp>(z.getType(), s.number(part, 1), s.zero(part));
  Value power = s.create<complex::ExpOp>(s.create<complex::NegOp>(z));
  return s.create<complex::DivOp>(one, s.create<complex::AddOp>(one, power));
}

static Value complexCompare(Scalars &s, const ScalarOp &op, Value x, Value y) {
  if (op.word("comparison_direction") == "EQ")
    return s.create<complex::EqualOp>(x, y);
  if (op.word("comparison_direction") == "NE")
    return s.create<complex::NotEqualOp>(x, y);
  return Value();
}

Value Scalars::ofComplex(const ScalarOp &op, ArrayRef<Value> x) {
  Type part = cast<ComplexType>(x[0].getType()).getElementType();
  if (op.name == "real")
    return create<complex::ReOp>(x[0]);
  if (op.name == "imag")
    return create<complex::ImOp>(x[0]);
  if (op.name == "abs")
    return create<complex::AbsOp>(part, x[0]);
  if (op.name == "sign")
    return complexSign(*this, x[0]);
  if (op.name == "logistic")
    return complexLogistic(*this, x[0]);
  if (op.name == "is_finite")
    return Value();
  if (op.name == "conj")
    return create<complex::ConjOp>(x[0]);
  if (op.name == "square")
    return create<complex::MulOp>(x[0], x[0]);
  if (op.name == "compare")
    return complexCompare(*this, op, x[0], x[1]);
  static const llvm::StringMap<Maker> unary = {
      {"cosine", of<complex::CosOp>},
      {"exponential", of<complex::ExpOp>},
      {"exponential_minus_one", of<complex::Expm1Op>},
      {"log", of<complex::LogOp>},
      {"log_plus_one", of<complex::Log1pOp>},
      {"negate", of<complex::NegOp>},
      {"rsqrt", of<complex::RsqrtOp>},
      {"sine", of<complex::SinOp>},
      {"sqrt", of<complex::SqrtOp>},
      {"tan", of<complex::TanOp>},
      {"tanh", of<complex::TanhOp>},
  };
  static const llvm::StringMap<Maker> binary = {
      {"add", of<complex::AddOp>},      {"divide", of<complex::DivOp>},
      {"multiply", of<complex::MulOp>}, {"power", of<complex::PowOp>},
      {"subtract", of<complex::SubOp>},
  };
  Maker make = x.size() == 1   ? unary.lookup(op.name)
               : x.size() == 2 ? binary.lookup(op.name)
                               : nullptr;
  return make ? make(*this, x) : Value();
}
