//===- DoubleArithmetic.h - Arithmetic of f64 by short names ----*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For functions of f64 that are made of it. Private to Conversion.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_CONVERSION_GPU_DOUBLEARITHMETIC_H
#define SYMSHAPE_LIB_CONVERSION_GPU_DOUBLEARITHMETIC_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

namespace mlir::symshape {

class DoubleArithmetic {
public:
  DoubleArithmetic(OpBuilder &b, Location loc) : b(b), loc(loc) {}

  Value c(double value) {
    return arith::ConstantOp::create(b, loc, b.getF64FloatAttr(value));
  }
  Value add(Value x, Value y) { return arith::AddFOp::create(b, loc, x, y); }
  Value sub(Value x, Value y) { return arith::SubFOp::create(b, loc, x, y); }
  Value mul(Value x, Value y) { return arith::MulFOp::create(b, loc, x, y); }
  Value div(Value x, Value y) { return arith::DivFOp::create(b, loc, x, y); }
  Value neg(Value x) { return arith::NegFOp::create(b, loc, x); }
  Value abs(Value x) { return math::AbsFOp::create(b, loc, x); }
  Value sqrt(Value x) { return math::SqrtOp::create(b, loc, x); }
  Value sign(Value size, Value of) {
    return math::CopySignOp::create(b, loc, size, of);
  }
  Value select(Value condition, Value yes, Value no) {
    return arith::SelectOp::create(b, loc, condition, yes, no);
  }
  Value test(arith::CmpFPredicate predicate, Value x, Value y) {
    return arith::CmpFOp::create(b, loc, predicate, x, y);
  }
  Value isLess(Value x, Value y) {
    return test(arith::CmpFPredicate::OLT, x, y);
  }
  Value isEqual(Value x, Value y) {
    return test(arith::CmpFPredicate::OEQ, x, y);
  }
  Value integer(int64_t value) {
    return arith::ConstantIntOp::create(b, loc, value, 64);
  }
  Value bitsOf(Value x) {
    return arith::BitcastOp::create(b, loc, b.getI64Type(), x);
  }
  Value floatOf(Value bits) {
    return arith::BitcastOp::create(b, loc, b.getF64Type(), bits);
  }
  /// 2^k for an i64 of -1022 to 1023.
  Value powerOfTwo(Value k) {
    Value biased = arith::AddIOp::create(b, loc, k, integer(1023));
    return floatOf(arith::ShLIOp::create(b, loc, biased, integer(52)));
  }

protected:
  OpBuilder &b;
  Location loc;
};

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_CONVERSION_GPU_DOUBLEARITHMETIC_H
