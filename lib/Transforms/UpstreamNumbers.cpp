//===- UpstreamNumbers.cpp - Rewrites of integers and floats -------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See UpstreamConditions.cpp.
//
//===----------------------------------------------------------------------===//

#include "UpstreamConditions.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Index/IR/IndexOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::symshape;

static unsigned getWidth(Type type) {
  Type element = getElementTypeOrSelf(type);
  return element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
}

/// A pair of casts, there and back, is the identity if no bits were lost.
static bool keepsBits(Operation *cast) {
  Operation *inner = cast->getOperand(0).getDefiningOp();
  return !isa_and_nonnull<arith::IndexCastOp, arith::IndexCastUIOp>(inner) ||
         isa<BaseMemRefType>(cast->getOperand(0).getType()) ||
         getWidth(inner->getResult(0).getType()) >=
             getWidth(inner->getOperand(0).getType());
}

static arith::IntegerOverflowFlags getFlags(Operation *op) {
  auto flags = dyn_cast_or_null<arith::ArithIntegerOverflowFlagsInterface>(op);
  return flags ? flags.getOverflowAttr().getValue()
               : arith::IntegerOverflowFlags::none;
}

/// Two ops with constants become one that keeps the flags that both have. The
/// combined constant may wrap where neither op does.
///
/// If both add (multiply by) a positive constant, and their sum (product) c is
/// less than 2^(w-1): x + c (x*c) is the exact value of the second op, which
/// does not wrap, in either sense that a flag excludes.
static bool keepsFlags(Operation *op) {
  auto getConstant = [](Operation *user) -> std::optional<APInt> {
    IntegerAttr value;
    if (isa<arith::AddIOp, arith::MulIOp>(user) &&
        matchPattern(user->getOperand(1), m_Constant(&value)) &&
        value.getValue().isStrictlyPositive())
      return value.getValue();
    return std::nullopt;
  };
  for (Value operand : op->getOperands()) {
    Operation *inner = operand.getDefiningOp();
    if ((getFlags(op) & getFlags(inner)) == arith::IntegerOverflowFlags::none)
      continue;
    std::optional<APInt> first = getConstant(inner), second = getConstant(op);
    if (inner->getName() != op->getName() || !first || !second)
      return false;
    bool overflows = false;
    isa<arith::AddIOp>(op) ? (void)first->sadd_ov(*second, overflows)
                           : (void)first->smul_ov(*second, overflows);
    if (overflows)
      return false;
  }
  return true;
}

/// An integer that the wider float holds exactly is rounded once, as without
/// it.
static bool isExactInteger(Operation *truncation) {
  Operation *conversion = truncation->getOperand(0).getDefiningOp();
  if (!conversion || !isa<arith::SIToFPOp, arith::UIToFPOp>(conversion))
    return false;
  auto wide =
      cast<FloatType>(getElementTypeOrSelf(conversion->getResult(0).getType()));
  return getWidth(conversion->getOperand(0).getType()) <=
         wide.getFPMantissaWidth();
}

/// Upstream has no integer predicate for these two, and crashes.
static bool comparesFloats(Operation *op) {
  auto predicate = cast<arith::CmpFOp>(op).getPredicate();
  return predicate != arith::CmpFPredicate::AlwaysTrue &&
         predicate != arith::CmpFPredicate::AlwaysFalse;
}

/// x - y is 0 iff x == y; its sign says nothing if it wraps.
static bool comparesEquality(Operation *op) {
  auto predicate = cast<index::CmpOp>(op).getPred();
  return predicate == index::IndexCmpPredicate::EQ ||
         predicate == index::IndexCmpPredicate::NE;
}

/// Upstream combines two constants, which fold if the result is the same for an
/// index of 32 bits. If they do not, it has made an op before it gives up, and
/// does so in each sweep.
static bool hasShortConstants(Operation *op) {
  Operation *inner = op->getOperand(0).getDefiningOp();
  return llvm::all_of(ArrayRef{op, inner}, [](Operation *user) {
    APInt value;
    return !user || user->getNumOperands() < 2 ||
           !matchPattern(user->getOperand(1), m_ConstantInt(&value)) ||
           value.isSignedIntN(32);
  });
}

/// The constant of equal operands would have a type with dynamic extents.
static bool hasStaticResult(Operation *op) {
  auto type = dyn_cast<ShapedType>(op->getResult(0).getType());
  return !type || type.hasStaticShape() ||
         op->getOperand(0) != op->getOperand(1);
}

/// Upstream folds the angle of (0, 0) to NaN; in C's library, and when
/// computed, it is 0 or pi with a sign.
static bool hasAngle(Operation *op) {
  auto mayBeZero = [](Value value) {
    Attribute constant;
    if (!matchPattern(value, m_Constant(&constant)))
      return false;
    auto number = dyn_cast<FloatAttr>(constant);
    return !number || number.getValue().isZero();
  };
  return !mayBeZero(op->getOperand(0)) || !mayBeZero(op->getOperand(1));
}

/// The negation of the least index is not a number.
static bool dividesNoLeast(Operation *op) {
  APInt value;
  return !matchPattern(op->getOperand(0), m_ConstantInt(&value)) ||
         !value.isMinSignedValue();
}

/// Constant parts of a basis are at least 1: a folder divides by them.
static bool hasPositiveBasis(Operation *op) {
  return llvm::all_of(op->getOperands().drop_front(), [](Value operand) {
    APInt value;
    return !matchPattern(operand, m_ConstantInt(&value)) ||
           value.isStrictlyPositive();
  });
}

void symshape::addUpstreamNumbers(UpstreamConditions &conditions) {
  addAll(conditions.names, {{"IndexCastOfIndexCast", keepsBits},
                            {"IndexCastUIOfIndexCastUI", keepsBits},
                            {"AddIAddConstant", keepsFlags},
                            {"AddISubConstantRHS", keepsFlags},
                            {"AddISubConstantLHS", keepsFlags},
                            {"SubILHSAddConstant", keepsFlags},
                            {"SubIRHSSubConstantRHS", keepsFlags},
                            {"SubIRHSSubConstantLHS", keepsFlags},
                            {"SubILHSSubConstantRHS", keepsFlags},
                            {"SubILHSSubConstantLHS", keepsFlags},
                            {"MulIMulIConstant", keepsFlags},
                            {"TruncFSIToFPToSIToFP", isExactInteger},
                            {"TruncFUIToFPToUIToFP", isExactInteger},
                            {"CmpFIntToFPConst", comparesFloats}});
  addAll(conditions.roots, {{"index.cmp", comparesEquality},
                            {"index.maxs", hasShortConstants},
                            {"index.maxu", hasShortConstants},
                            {"index.mins", hasShortConstants},
                            {"index.minu", hasShortConstants}});
  addAll(conditions.folders, {{"affine.delinearize_index", hasPositiveBasis},
                              {"arith.cmpi", hasStaticResult},
                              {"arith.xori", hasStaticResult},
                              {"index.ceildivs", dividesNoLeast},
                              {"math.atan2", hasAngle}});
}
