//===- OpRanges.cpp - Ranges of integers, op by op ------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See OpRanges.h. Not for: which ops run, and how often (IntegerRanges.cpp).
//
//===----------------------------------------------------------------------===//

#include "OpRanges.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Index/IR/IndexOps.h"

using namespace mlir;
using namespace mlir::symshape;

bool symshape::hasIntegerRange(Value value) {
  Type type = value.getType();
  unsigned width = ConstantIntRanges::getStorageBitwidth(type);
  if (auto vector = dyn_cast<VectorType>(type))
    type = vector.getElementType();
  return type.isSignlessIntOrIndex() && width <= 64 && width > 0;
}

ConstantIntRanges symshape::wholeRange(Value value) {
  return ConstantIntRanges::maxRange(
      ConstantIntRanges::getStorageBitwidth(value.getType()));
}

symshape::Range symshape::signedRange(const ConstantIntRanges &range) {
  APInt least = range.smin(), most = range.smax();
  if (range.umin().isNegative() == range.umax().isNegative()) {
    least = llvm::APIntOps::smax(least, range.umin());
    most = llvm::APIntOps::smin(most, range.umax());
  }
  return symshape::Range::between(least.getSExtValue(), most.getSExtValue());
}

ConstantIntRanges symshape::typedRange(Value value, symshape::Range range) {
  unsigned width = ConstantIntRanges::getStorageBitwidth(value.getType());
  range = symshape::Range::intersect(
      range,
      symshape::Range::between(llvm::minIntN(width), llvm::maxIntN(width)));
  if (range.isEmpty())
    return wholeRange(value);
  return ConstantIntRanges::fromSigned(
      APInt(width, int64_t(*range.min), /*isSigned=*/true),
      APInt(width, int64_t(*range.max), /*isSigned=*/true));
}

//===----------------------------------------------------------------------===//
// Maps
//===----------------------------------------------------------------------===//

/// A map in exact arithmetic; its divisors are at least 1.
static symshape::Range rangeOfMap(AffineExpr e, ValueRange operands,
                                  unsigned numDims, RangeLookup of) {
  if (auto constant = dyn_cast<AffineConstantExpr>(e))
    return symshape::Range::between(constant.getValue(), constant.getValue());
  if (auto dim = dyn_cast<AffineDimExpr>(e))
    return signedRange(of(operands[dim.getPosition()]));
  if (auto symbol = dyn_cast<AffineSymbolExpr>(e))
    return signedRange(of(operands[numDims + symbol.getPosition()]));
  auto binary = cast<AffineBinaryOpExpr>(e);
  symshape::Range lhs = rangeOfMap(binary.getLHS(), operands, numDims, of),
                  rhs = rangeOfMap(binary.getRHS(), operands, numDims, of);
  if (e.getKind() == AffineExprKind::Add)
    return symshape::Range::add(lhs, rhs);
  if (e.getKind() == AffineExprKind::Mul)
    return symshape::Range::mul(lhs, rhs);
  rhs = symshape::Range::intersect(rhs, symshape::Range::atLeast(1));
  if (rhs.isEmpty())
    return symshape::Range::all();
  if (e.getKind() == AffineExprKind::FloorDiv)
    return symshape::Range::floorDiv(lhs, rhs);
  if (e.getKind() == AffineExprKind::CeilDiv)
    return symshape::Range::neg(
        symshape::Range::floorDiv(symshape::Range::neg(lhs), rhs));
  symshape::Range quotient = symshape::Range::floorDiv(lhs, rhs);
  if (quotient.min && quotient.min == quotient.max && rhs.min == rhs.max)
    return symshape::Range::add(
        lhs, symshape::Range::neg(symshape::Range::mul(quotient, rhs)));
  symshape::Range rest = symshape::Range::atLeast(0);
  if (rhs.max)
    rest.max = *rhs.max - 1;
  return lhs.isAtLeast(0)
             ? symshape::Range::intersect(rest, {rest.min, lhs.max})
             : rest;
}

symshape::Range symshape::counterRange(AffineMap lower,
                                       ValueRange lowerOperands,
                                       AffineMap upper,
                                       ValueRange upperOperands,
                                       RangeLookup of) {
  auto range = symshape::Range::between(INT64_MIN, INT64_MAX - 1);
  for (AffineExpr e : lower.getResults())
    if (auto least = rangeOfMap(e, lowerOperands, lower.getNumDims(), of).min)
      range.min = std::max(*range.min, *least);
  for (AffineExpr e : upper.getResults())
    if (auto end = rangeOfMap(e, upperOperands, upper.getNumDims(), of).max)
      range.max = std::min(*range.max, *end - 1);
  return range;
}

/// The results of the map fit; what is computed on the way need not. `choose`
/// is of two results of which the op gives one.
static ConstantIntRanges
rangeOfMaps(Operation *op, AffineMap map, RangeLookup of,
            symshape::Range (*choose)(const symshape::Range &,
                                      const symshape::Range &)) {
  auto all = symshape::Range::between(INT64_MIN, INT64_MAX);
  symshape::Range known;
  for (auto [i, e] : llvm::enumerate(map.getResults())) {
    symshape::Range each = symshape::Range::intersect(
        rangeOfMap(e, op->getOperands(), map.getNumDims(), of), all);
    if (each.isEmpty())
      each = all;
    known = i == 0 ? each : choose(known, each);
  }
  return typedRange(op->getResult(0), known);
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

/// A signed division that rounds down, or up, in exact arithmetic; one by 0, or
/// whose result does not fit, is undefined.
static ConstantIntRanges rangeOfRounding(Operation *op, RangeLookup of,
                                         bool isUp) {
  symshape::Range lhs = signedRange(of(op->getOperand(0))),
                  rhs = signedRange(of(op->getOperand(1)));
  if (rhs.isAtLeast(0))
    rhs = symshape::Range::intersect(rhs, symshape::Range::atLeast(1));
  if (rhs.isAtMost(0))
    rhs = symshape::Range::intersect(rhs,
                                     symshape::Range::between(INT64_MIN, -1));
  return typedRange(op->getResult(0),
                    isUp ? symshape::Range::neg(symshape::Range::floorDiv(
                               symshape::Range::neg(lhs), rhs))
                         : symshape::Range::floorDiv(lhs, rhs));
}

bool symshape::isRangeWrong(Operation *op) {
  return isa<arith::CeilDivSIOp, arith::FloorDivSIOp, index::CeilDivSOp,
             index::FloorDivSOp, affine::AffineApplyOp>(op);
}

std::optional<ConstantIntRanges> symshape::exactRange(Operation *op,
                                                      RangeLookup of) {
  if (auto apply = dyn_cast<affine::AffineApplyOp>(op))
    return rangeOfMaps(op, apply.getAffineMap(), of, nullptr);
  if (auto min = dyn_cast<affine::AffineMinOp>(op))
    return rangeOfMaps(op, min.getAffineMap(), of, symshape::Range::minOf);
  if (auto max = dyn_cast<affine::AffineMaxOp>(op))
    return rangeOfMaps(op, max.getAffineMap(), of, symshape::Range::maxOf);
  bool isUp = isa<arith::CeilDivSIOp, index::CeilDivSOp>(op);
  if ((isUp || isa<arith::FloorDivSIOp, index::FloorDivSOp>(op)) &&
      hasIntegerRange(op->getResult(0)))
    return rangeOfRounding(op, of, isUp);
  return std::nullopt;
}
