//===- Arithmetic.h - Arithmetic by short names -----------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For classes that emit loops, and much arithmetic in them. Private to
// Conversion.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_CONVERSION_ARITHMETIC_H
#define SYMSHAPE_LIB_CONVERSION_ARITHMETIC_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace mlir::symshape {

/// Arithmetic on numbers, and on vectors of them, at the insertion point of a
/// builder.
class Arithmetic {
protected:
  Arithmetic(OpBuilder &builder, Location loc) : loc(loc), builder(builder) {}

  Value index(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }
  Value add(Value lhs, Value rhs) {
    return combine(vector::CombiningKind::ADD, lhs, rhs);
  }
  Value multiply(Value lhs, Value rhs) {
    return combine(vector::CombiningKind::MUL, lhs, rhs);
  }
  /// Of indices that the caller knows not to wrap: an analysis need not prove
  /// it.
  Value addIndices(Value lhs, Value rhs) {
    return arith::AddIOp::create(builder, loc, lhs, rhs,
                                 arith::IntegerOverflowFlags::nsw);
  }
  Value multiplyIndices(Value lhs, Value rhs) {
    return arith::MulIOp::create(builder, loc, lhs, rhs,
                                 arith::IntegerOverflowFlags::nsw);
  }
  Value minimum(Value lhs, Value rhs) {
    return combine(vector::CombiningKind::MINSI, lhs, rhs);
  }
  Value maximum(Value lhs, Value rhs) {
    return combine(vector::CombiningKind::MAXSI, lhs, rhs);
  }
  Value subtract(Value lhs, Value rhs) {
    return arith::SubIOp::create(builder, loc, lhs, rhs);
  }
  /// ceil(lhs / rhs) for lhs >= 0, rhs > 0.
  Value ceilDivide(Value lhs, Value rhs) {
    Value last = subtract(rhs, index(1));
    return arith::DivUIOp::create(builder, loc, add(lhs, last), rhs);
  }
  Value select(Value condition, Value yes, Value no) {
    return arith::SelectOp::create(builder, loc, condition, yes, no);
  }
  Value compare(arith::CmpIPredicate predicate, Value lhs, Value rhs) {
    return arith::CmpIOp::create(builder, loc, predicate, lhs, rhs);
  }

  Location loc;

private:
  Value combine(vector::CombiningKind kind, Value lhs, Value rhs) {
    return vector::makeArithReduction(builder, loc, kind, lhs, rhs);
  }
  OpBuilder &builder;
};

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_CONVERSION_ARITHMETIC_H
