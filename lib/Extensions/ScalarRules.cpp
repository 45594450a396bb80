//===- ScalarRules.cpp - What ops of two integers mean --------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See ScalarRules.h.
//
//===----------------------------------------------------------------------===//

#include "ScalarRules.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "symshape/Expr/Integers.h"
#include "symshape/Extensions/RuleHelpers.h"

using namespace mlir;
using namespace mlir::symshape;
using arith::CmpIPredicate;

unsigned symshape::integerWidth(Type type) {
  return type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
}

//===----------------------------------------------------------------------===//
// Signed division
//===----------------------------------------------------------------------===//

/// Requires what a signed division needs: a divisor that is not zero, and a
/// quotient that fits.
static void requireDivision(ShapeFacts &facts, Expr a, Expr b, Type type) {
  facts.require(Relation::ne(b, facts.constant(0)), "divisor");
  if (isAtLeast(facts, b, 0))
    return;
  APInt least = APInt::getSignedMinValue(integerWidth(type));
  Expr smallest = facts.arena().constant(llvm::DynamicAPInt(least));
  facts.require(Formula::disj(Relation::ne(b, facts.constant(-1)),
                              Relation::ne(a, smallest)),
                "quotient");
}

/// a / b rounded to zero; null where the sign of b is not known.
///
/// For b > 0, and with p = max(a, 0), n = max(-a, 0), of which one is 0:
/// trunc(a / b) = p floordiv b - n floordiv b.
static Expr truncatedQuotient(ShapeFacts &facts, Expr a, Expr b) {
  ExprArena &arena = facts.arena();
  if (a == b) // which is not 0
    return arena.one();
  bool isNegative = false;
  if (!isAtLeast(facts, b, 0)) {
    if (!isAtLeast(facts, -b, 0))
      return Expr();
    b = -b;
    isNegative = true;
  }
  Expr quotient;
  if (isAtLeast(facts, a, 0))
    quotient = arena.floorDiv(a, b);
  else if (isAtLeast(facts, -a, 0))
    quotient = -arena.floorDiv(-a, b);
  else
    quotient = arena.floorDiv(arena.max(a, facts.constant(0)), b) -
               arena.floorDiv(arena.max(-a, facts.constant(0)), b);
  return isNegative ? -quotient : quotient;
}

void symshape::setQuotient(ShapeFacts &facts, Value result, Expr a, Expr b) {
  requireDivision(facts, a, b, result.getType());
  if (Expr quotient = truncatedQuotient(facts, a, b))
    facts.setWrapped(result, quotient);
}

void symshape::setRemainder(ShapeFacts &facts, Value result, Expr a, Expr b) {
  requireDivision(facts, a, b, result.getType());
  if (Expr quotient = truncatedQuotient(facts, a, b))
    facts.setWrapped(result, a - b * quotient);
  std::optional<int64_t> divisor = b.asInt64();
  if (!divisor || *divisor == 0 ||
      *divisor == std::numeric_limits<int64_t>::min())
    return;
  Expr most = facts.constant(std::abs(*divisor) - 1);
  for (const Relation &bound : {Relation::le(facts.value(result), most),
                                Relation::le(-most, facts.value(result))})
    if (!facts.constraints().isProvably(bound))
      facts.imply(bound);
}

void symshape::setFloorDiv(ShapeFacts &facts, Value result, Expr a, Expr b) {
  requireDivision(facts, a, b, result.getType());
  facts.setWrapped(result, facts.arena().floorDiv(a, b));
}

void symshape::setCeilDiv(ShapeFacts &facts, Value result, Expr a, Expr b) {
  requireDivision(facts, a, b, result.getType());
  facts.setWrapped(result, facts.arena().ceilDiv(a, b));
}

//===----------------------------------------------------------------------===//
// Unsigned division
//===----------------------------------------------------------------------===//

/// Whether both are proved to read the same as signed: then an unsigned
/// division of them is a signed one.
static bool divideAsSigned(ShapeFacts &facts, Expr a, Expr b) {
  facts.require(Relation::ne(b, facts.constant(0)), "divisor");
  return isAtLeast(facts, b, 1) && isAtLeast(facts, a, 0);
}

void symshape::setUnsignedQuotient(ShapeFacts &facts, Value result, Expr a,
                                   Expr b) {
  if (divideAsSigned(facts, a, b))
    facts.setValue(result, facts.arena().floorDiv(a, b));
}

void symshape::setUnsignedCeilDiv(ShapeFacts &facts, Value result, Expr a,
                                  Expr b) {
  if (divideAsSigned(facts, a, b))
    facts.setValue(result, facts.arena().ceilDiv(a, b));
}

/// A negative dividend reads as a large number; its remainder is still less
/// than the divisor.
void symshape::setUnsignedRemainder(ShapeFacts &facts, Value result, Expr a,
                                    Expr b) {
  if (divideAsSigned(facts, a, b))
    return facts.setValue(result, facts.arena().mod(a, b));
  if (!isAtLeast(facts, b, 1))
    return;
  Expr rest = facts.value(result);
  facts.imply(Relation::ge(rest, facts.constant(0)));
  facts.imply(Relation::lt(rest, b));
}

//===----------------------------------------------------------------------===//
// Shifts and bits
//===----------------------------------------------------------------------===//

Expr symshape::shiftFactor(ShapeFacts &facts, Type type, Expr amount) {
  std::optional<int64_t> bits = amount.asInt64();
  if (!bits || *bits < 0 || *bits >= integerWidth(type) || *bits > 62)
    return Expr();
  return facts.constant(int64_t(1) << *bits);
}

void symshape::requireAmount(ShapeFacts &facts, Value result, Expr amount) {
  if (result.getDefiningOp()->getParentOfType<linalg::LinalgOp>())
    return;
  facts.require(Relation::ge(amount, facts.constant(0)), "shift");
  facts.require(
      Relation::lt(amount, facts.constant(integerWidth(result.getType()))),
      "shift");
}

static void setShift(ShapeFacts &facts, Value result, Expr a, Expr amount,
                     bool isSigned) {
  requireAmount(facts, result, amount);
  Expr factor = shiftFactor(facts, result.getType(), amount);
  if (!factor)
    return;
  ExprArena &arena = facts.arena();
  Expr quotient = arena.floorDiv(a, factor);
  unsigned bits = integerWidth(result.getType()) - *amount.asInt64();
  if (isSigned || factor.isConstant(1))
    facts.setValue(result, quotient);
  else if (bits <= kMaxModulusBits)
    facts.setValue(result,
                   arena.mod(quotient, arena.constant(powerOfTwo(bits))));
}

void symshape::setShiftRight(ShapeFacts &facts, Value result, Expr a,
                             Expr amount) {
  setShift(facts, result, a, amount, /*isSigned=*/true);
}

/// A negative number reads as one 2^width greater, and so does its quotient as
/// one 2^(width - amount) greater.
void symshape::setUnsignedShiftRight(ShapeFacts &facts, Value result, Expr a,
                                     Expr amount) {
  setShift(facts, result, a, amount, /*isSigned=*/isAtLeast(facts, a, 0));
}

/// In two's complement, a and (2^k - 1) is a mod 2^k; and with a mask that is
/// not negative, the result lies between 0 and the mask.
void symshape::setBitAnd(ShapeFacts &facts, Value result, Expr a, Expr b) {
  std::optional<int64_t> mask = b.asInt64();
  if (!mask || *mask < 0)
    return;
  if (*mask > 0 && llvm::isMask_64(uint64_t(*mask)) && *mask != INT64_MAX)
    return facts.setValue(result,
                          facts.arena().mod(a, facts.constant(*mask + 1)));
  Expr value = facts.value(result);
  facts.imply(Relation::ge(value, facts.constant(0)));
  facts.imply(Relation::le(value, facts.constant(*mask)));
}

/// In two's complement, a xor -1 is -a - 1.
void symshape::setBitXor(ShapeFacts &facts, Value result, Expr a, Expr b) {
  if (b.isConstant(-1))
    facts.setValue(result, -a - 1);
}

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

void symshape::setMin(ShapeFacts &facts, Value result, Expr a, Expr b) {
  facts.setValue(result, facts.arena().min(a, b));
}

void symshape::setMax(ShapeFacts &facts, Value result, Expr a, Expr b) {
  facts.setValue(result, facts.arena().max(a, b));
}

/// If only `b` is known to read the same as signed, the lesser one reads as at
/// most `b`, so it is not negative either.
void symshape::setUnsignedMin(ShapeFacts &facts, Value result, Expr a, Expr b) {
  bool isSame[] = {isAtLeast(facts, a, 0), isAtLeast(facts, b, 0)};
  if (isSame[0] && isSame[1])
    return setMin(facts, result, a, b);
  if (!isSame[0] && !isSame[1])
    return;
  Expr least = facts.value(result);
  facts.imply(Relation::ge(least, facts.constant(0)));
  facts.imply(Relation::le(least, isSame[0] ? a : b));
}

void symshape::setUnsignedMax(ShapeFacts &facts, Value result, Expr a, Expr b) {
  if (isAtLeast(facts, a, 0) && isAtLeast(facts, b, 0))
    setMax(facts, result, a, b);
}

/// a < b (or a <= b) of the bits read as unsigned.
///
/// Proof: if b >= 0 (signed), a <u b iff 0 <= a < b, since a negative a reads
/// as at least 2^(w-1) > b. If a >= 0, a <u b iff b < 0 or a < b, likewise.
static Formula unsignedLess(ShapeFacts &facts, Expr a, Expr b, bool orEqual) {
  Expr zero = facts.constant(0);
  Formula less = orEqual ? Relation::le(a, b) : Relation::lt(a, b);
  if (isAtLeast(facts, b, 0))
    return isAtLeast(facts, a, 0) ? less
                                  : Formula::conj(Relation::ge(a, zero), less);
  if (isAtLeast(facts, a, 0))
    return Formula::disj(Relation::lt(b, zero), less);
  return Formula::opaque();
}

Formula symshape::compareIntegers(ShapeFacts &facts, CmpIPredicate predicate,
                                  Expr a, Expr b) {
  switch (predicate) {
  case CmpIPredicate::eq:
    return Relation::eq(a, b);
  case CmpIPredicate::ne:
    return Relation::ne(a, b);
  case CmpIPredicate::slt:
    return Relation::lt(a, b);
  case CmpIPredicate::sle:
    return Relation::le(a, b);
  case CmpIPredicate::sgt:
    return Relation::gt(a, b);
  case CmpIPredicate::sge:
    return Relation::ge(a, b);
  case CmpIPredicate::ult:
    return unsignedLess(facts, a, b, /*orEqual=*/false);
  case CmpIPredicate::ule:
    return unsignedLess(facts, a, b, /*orEqual=*/true);
  case CmpIPredicate::ugt:
    return unsignedLess(facts, b, a, /*orEqual=*/false);
  case CmpIPredicate::uge:
    return unsignedLess(facts, b, a, /*orEqual=*/true);
  }
  return Formula::opaque();
}
