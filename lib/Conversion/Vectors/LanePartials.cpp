//===- LanePartials.cpp - Partial results of a reduction by lanes ---------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See the header.
//
//===----------------------------------------------------------------------===//

#include "LanePartials.h"

#include "VectorChoice.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::symshape;

bool LanePartials::tracksBits() const {
  return isa<arith::MaximumFOp, arith::MinimumFOp>(combiner);
}

bool LanePartials::comparesNumbers() const {
  return tracksBits() || isa<arith::MaxNumFOp, arith::MinNumFOp>(combiner);
}

bool LanePartials::isLarger() const {
  return isa<arith::MaximumFOp, arith::MaxNumFOp>(combiner);
}

/// What leaves the other operand as it is. Upstream asks for the bits of the
/// type, which an index does not have.
static TypedAttr getStartOfLanes(Operation *combiner) {
  Type type = combiner->getResult(0).getType();
  if (!type.isIndex())
    return *arith::getNeutralElement(combiner);
  int64_t value =
      llvm::TypeSwitch<Operation *, int64_t>(combiner)
          .Case<arith::MaxSIOp>([](auto) { return INT64_MIN; })
          .Case<arith::MinSIOp>([](auto) { return INT64_MAX; })
          .Case<arith::MinUIOp, arith::AndIOp>([](auto) { return -1; })
          .Case<arith::MulIOp>([](auto) { return 1; })
          .Default([](Operation *) { return 0; });
  return IntegerAttr::get(type, value);
}

SmallVector<Value> LanePartials::makeStart() {
  Type type = combiner->getResult(0).getType();
  auto vector = VectorType::get({width}, type);
  auto constant = [&](TypedAttr value) {
    return arith::ConstantOp::create(rewriter, loc,
                                     DenseElementsAttr::get(vector, value));
  };
  if (!comparesNumbers())
    return {constant(getStartOfLanes(combiner))};
  auto floatType = cast<FloatType>(type);
  auto infinity = [&](bool negative) {
    return constant(FloatAttr::get(
        floatType, APFloat::getInf(floatType.getFloatSemantics(), negative)));
  };
  SmallVector<Value> start = {infinity(isLarger())};
  if (!tracksBits()) {
    start.push_back(infinity(!isLarger()));
    return start;
  }
  unsigned bits = floatType.getWidth();
  Type intType = rewriter.getIntegerType(bits);
  vector = vector.clone(intType);
  start.push_back(
      constant(IntegerAttr::get(intType, APInt::getSignedMinValue(bits))));
  start.push_back(constant(IntegerAttr::get(intType, APInt::getZero(bits))));
  return start;
}

Value LanePartials::choose(Value other, Value partial, bool larger) {
  auto predicate =
      larger ? arith::CmpFPredicate::OGT : arith::CmpFPredicate::OLT;
  Value isBetter =
      arith::CmpFOp::create(rewriter, loc, predicate, other, partial);
  return arith::SelectOp::create(rewriter, loc, isBetter, other, partial);
}

SmallVector<Value> LanePartials::advance(Value combined, ValueRange partials) {
  if (!comparesNumbers())
    return {combined};
  Operation *clone = combined.getDefiningOp();
  Value other = clone->getOperand(clone->getOperand(0) == partials[0] ? 1 : 0);
  SmallVector<Value> next = {choose(other, partials[0], isLarger())};
  if (clone->use_empty())
    rewriter.eraseOp(clone);
  if (!tracksBits()) {
    next.push_back(choose(other, partials[1], !isLarger()));
    return next;
  }
  Value bits =
      arith::BitcastOp::create(rewriter, loc, partials[1].getType(), other);
  next.push_back(arith::MaxSIOp::create(rewriter, loc, bits, partials[1]));
  next.push_back(arith::MaxUIOp::create(rewriter, loc, bits, partials[2]));
  return next;
}

SmallVector<Value> LanePartials::merge(ValueRange lhs, ValueRange rhs) {
  if (!comparesNumbers())
    return {vector::makeArithReduction(
        rewriter, loc, *linalg::getCombinerOpKind(combiner), lhs[0], rhs[0])};
  SmallVector<Value> merged = {choose(lhs[0], rhs[0], isLarger())};
  if (!tracksBits()) {
    merged.push_back(choose(lhs[1], rhs[1], !isLarger()));
  } else {
    merged.push_back(arith::MaxSIOp::create(rewriter, loc, lhs[1], rhs[1]));
    merged.push_back(arith::MaxUIOp::create(rewriter, loc, lhs[2], rhs[2]));
  }
  return merged;
}

/// NaN if there was one, and the right one of two zeros.
Value LanePartials::fixSpecialValues(Value best, Value largestSigned,
                                     Value largestUnsigned) {
  auto type = cast<FloatType>(best.getType());
  const llvm::fltSemantics &semantics = type.getFloatSemantics();
  Type intType = largestSigned.getType();
  auto bitsOf = [&](const APFloat &value) -> Value {
    return arith::ConstantOp::create(
        rewriter, loc, IntegerAttr::get(intType, value.bitcastToAPInt()));
  };
  auto constant = [&](const APFloat &value) -> Value {
    return arith::ConstantOp::create(rewriter, loc,
                                     FloatAttr::get(type, value));
  };
  using Predicate = arith::CmpIPredicate;
  auto compare = [&](Predicate predicate, Value lhs, Value rhs) -> Value {
    return arith::CmpIOp::create(rewriter, loc, predicate, lhs, rhs);
  };
  auto select = [&](Value condition, Value ifTrue, Value ifFalse) -> Value {
    return arith::SelectOp::create(rewriter, loc, condition, ifTrue, ifFalse);
  };
  Value plusZero = constant(APFloat::getZero(semantics));
  Value minusZero = constant(APFloat::getZero(semantics, /*Negative=*/true));
  // With no number better than zero, one of the better sign is a zero.
  Value zeroBits = bitsOf(APFloat::getZero(semantics));
  Value zero = isLarger()
                   ? select(compare(Predicate::sge, largestSigned, zeroBits),
                            plusZero, minusZero)
                   : select(compare(Predicate::slt, largestUnsigned, zeroBits),
                            minusZero, plusZero);
  Value isZero = arith::CmpFOp::create(rewriter, loc, arith::CmpFPredicate::OEQ,
                                       best, plusZero);
  Value isNaN = arith::OrIOp::create(
      rewriter, loc,
      compare(Predicate::sgt, largestSigned,
              bitsOf(APFloat::getInf(semantics))),
      compare(Predicate::ugt, largestUnsigned,
              bitsOf(APFloat::getInf(semantics, /*Negative=*/true))));
  return select(isNaN, constant(APFloat::getNaN(semantics)),
                select(isZero, zero, best));
}

Value LanePartials::finish(ValueRange partials, Value start) {
  vector::CombiningKind kind = *linalg::getCombinerOpKind(combiner);
  if (!comparesNumbers()) {
    bool isSum = isa<arith::AddFOp, arith::MulFOp>(combiner);
    return vector::ReductionOp::create(rewriter, loc, kind, partials[0], start,
                                       isSum ? arith::FastMathFlags::reassoc
                                             : arith::FastMathFlags::none);
  }
  // No lane is NaN, but the start may be.
  using Kind = vector::CombiningKind;
  auto reduce = [&](Value lanes, bool larger) -> Value {
    return vector::ReductionOp::create(rewriter, loc,
                                       larger ? Kind::MAXNUMF : Kind::MINNUMF,
                                       lanes, arith::FastMathFlags::nnan);
  };
  Value best = reduce(partials[0], isLarger());
  if (tracksBits()) {
    best = fixSpecialValues(
        best,
        vector::ReductionOp::create(rewriter, loc, Kind::MAXSI, partials[1]),
        vector::ReductionOp::create(rewriter, loc, Kind::MAXUI, partials[2]));
    return vector::makeArithReduction(rewriter, loc, kind, best, start);
  }
  Value worst = reduce(partials[1], !isLarger());
  Value hasNumber = arith::CmpFOp::create(
      rewriter, loc,
      isLarger() ? arith::CmpFPredicate::OGE : arith::CmpFPredicate::OLE, best,
      worst);
  Value all = vector::makeArithReduction(rewriter, loc, kind, best, start);
  return arith::SelectOp::create(rewriter, loc, hasNumber, all, start);
}
