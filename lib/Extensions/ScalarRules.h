//===- ScalarRules.h - What ops of two integers mean ------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The meaning that ops of arith and of index share. Each function sets the
// value of a result, of index or integer type, or says what is known of it. A
// value is read as signed; an unsigned op is exact only where its operands are
// proved non-negative.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_EXTENSIONS_SCALARRULES_H
#define SYMSHAPE_LIB_EXTENSIONS_SCALARRULES_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "symshape/IR/ShapeFacts.h"

namespace mlir::symshape {

/// Index counts as 64 bits.
unsigned integerWidth(Type type);

/// Larger powers of two, as the moduli of unsigned numbers, are nothing that
/// questions of the engine are quick with.
inline constexpr unsigned kMaxModulusBits = 62;

// Divisions require a divisor that is not zero.
void setQuotient(ShapeFacts &facts, Value result, Expr a, Expr b);
void setRemainder(ShapeFacts &facts, Value result, Expr a, Expr b);
void setFloorDiv(ShapeFacts &facts, Value result, Expr a, Expr b);
void setCeilDiv(ShapeFacts &facts, Value result, Expr a, Expr b);
void setUnsignedQuotient(ShapeFacts &facts, Value result, Expr a, Expr b);
void setUnsignedCeilDiv(ShapeFacts &facts, Value result, Expr a, Expr b);
void setUnsignedRemainder(ShapeFacts &facts, Value result, Expr a, Expr b);

/// The factor by which a left shift multiplies a value of `type`; null if the
/// amount is not a constant, or too large.
Expr shiftFactor(ShapeFacts &facts, Type type, Expr amount);
/// Requires that a shift has a value: what a check computes of one that has none
/// is arbitrary. An element that a structured op computes may have none.
void requireAmount(ShapeFacts &facts, Value result, Expr amount);
void setShiftRight(ShapeFacts &facts, Value result, Expr a, Expr amount);
void setUnsignedShiftRight(ShapeFacts &facts, Value result, Expr a,
                           Expr amount);

void setMin(ShapeFacts &facts, Value result, Expr a, Expr b);
void setMax(ShapeFacts &facts, Value result, Expr a, Expr b);
void setUnsignedMin(ShapeFacts &facts, Value result, Expr a, Expr b);
void setUnsignedMax(ShapeFacts &facts, Value result, Expr a, Expr b);
void setBitAnd(ShapeFacts &facts, Value result, Expr a, Expr b);
void setBitXor(ShapeFacts &facts, Value result, Expr a, Expr b);

/// What a comparison says.
Formula compareIntegers(ShapeFacts &facts, arith::CmpIPredicate predicate,
                        Expr a, Expr b);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_EXTENSIONS_SCALARRULES_H
