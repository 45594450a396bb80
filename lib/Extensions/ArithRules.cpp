//===- ArithRules.cpp - Shape rules of arith ------------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Values of integer arithmetic, and extents of the same ops on tensors. A value
// is read as signed; an unsigned op is exact only where its operands are proved
// non-negative. Not for: comparisons and select (ArithConditionRules.cpp).
//
//===----------------------------------------------------------------------===//

#include "ArithRules.h"
#include "RuleHelpers.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "symshape/Extensions/AllExtensions.h"

using namespace mlir;
using namespace mlir::symshape;
using namespace mlir::arith;

namespace {
/// A constant shift amount or mask, when there is one.
std::optional<int64_t> asConstant(ShapeFacts &facts, Value v) {
  return facts.value(v).asInt64();
}

/// Width of a value: index counts as 64 bits.
unsigned widthOf(Type type) {
  return type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
}

/// Whether the rule of scalars applies; if not, that of tensors has been.
bool isScalarRule(Operation *op, ShapeFacts &facts) {
  if (elementwiseRule(op, facts))
    return false;
  return hasIntegerValue(op->getResult(0).getType()) &&
         llvm::all_of(op->getOperandTypes(), hasIntegerValue);
}

template <typename OpTy>
void elementwiseOnly(OpTy op, ShapeFacts &facts) {
  elementwiseRule(op, facts);
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

/// An element of a constant; i1 is 0 or 1.
APInt readElement(const APInt &v) {
  return v.getBitWidth() == 1 ? v.zext(64) : v;
}

void constantRule(ConstantOp op, ShapeFacts &facts) {
  Type type = op.getType();
  if (auto scalar = dyn_cast<IntegerAttr>(op.getValue())) {
    if (type.isInteger(1))
      facts.setCondition(op, Formula::truth(!scalar.getValue().isZero()));
    else if (hasIntegerValue(type))
      facts.setValue(
          op, facts.arena().constant(llvm::DynamicAPInt(scalar.getValue())));
    return;
  }
  auto elements = dyn_cast<DenseIntElementsAttr>(op.getValue());
  if (!elements || !isa<RankedTensorType>(type) ||
      !hasIntegerValue(elements.getElementType()))
    return;
  ExprArena *arena = &facts.arena();
  facts.setElements(op, [arena, elements](ArrayRef<Expr> position) -> Expr {
    auto toExpr = [&](const APInt &v) {
      return arena->constant(llvm::DynamicAPInt(readElement(v)));
    };
    if (elements.isSplat())
      return toExpr(elements.getSplatValue<APInt>());
    int64_t linear = 0;
    for (auto [e, size] : llvm::zip(position, elements.getType().getShape())) {
      std::optional<int64_t> i = e.asInt64();
      if (!i || *i < 0 || *i >= size)
        return Expr();
      linear = linear * size + *i;
    }
    return toExpr(*(elements.value_begin<APInt>() + linear));
  });
}

//===----------------------------------------------------------------------===//
// Sums and products
//===----------------------------------------------------------------------===//

template <typename OpTy>
void wrappingRule(OpTy op, ShapeFacts &facts) {
  if (!isScalarRule(op, facts) || op.getType().isInteger(1))
    return;
  Expr e = exactResult(op, facts);
  bool isExact =
      bitEnumContainsAny(op.getOverflowFlags(), IntegerOverflowFlags::nsw);
  isExact ? facts.setValue(op.getResult(), e)
          : facts.setWrapped(op.getResult(), e);
}

//===----------------------------------------------------------------------===//
// Division
//===----------------------------------------------------------------------===//

/// Requires what a signed division needs: a divisor that is not zero, and a
/// quotient that fits.
void requireDivision(ShapeFacts &facts, Expr a, Expr b, Type type) {
  facts.require(Relation::ne(b, facts.constant(0)), "divisor");
  if (isAtLeast(facts, b, 0))
    return;
  APInt least = APInt::getSignedMinValue(widthOf(type));
  Expr smallest = facts.arena().constant(llvm::DynamicAPInt(least));
  facts.require(
      Formula::disj(Formula::literal(Relation::ne(b, facts.constant(-1))),
                    Formula::literal(Relation::ne(a, smallest))),
      "quotient");
}

/// a / b rounded to zero; null where the sign of b is not known.
///
/// For b > 0, and with p = max(a, 0), n = max(-a, 0), of which one is 0:
/// trunc(a / b) = p floordiv b - n floordiv b.
Expr truncatedQuotient(ShapeFacts &facts, Expr a, Expr b) {
  ExprArena &arena = facts.arena();
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

void divSIRule(DivSIOp op, ShapeFacts &facts) {
  if (!isScalarRule(op, facts) || op.getType().isInteger(1))
    return;
  Expr a = facts.value(op.getLhs()), b = facts.value(op.getRhs());
  requireDivision(facts, a, b, op.getType());
  if (Expr quotient = truncatedQuotient(facts, a, b))
    facts.setWrapped(op, quotient);
}

void remSIRule(RemSIOp op, ShapeFacts &facts) {
  if (!isScalarRule(op, facts) || op.getType().isInteger(1))
    return;
  Expr a = facts.value(op.getLhs()), b = facts.value(op.getRhs());
  requireDivision(facts, a, b, op.getType());
  if (Expr quotient = truncatedQuotient(facts, a, b))
    facts.setWrapped(op, a - b * quotient);
}

template <typename OpTy>
void roundedDivRule(OpTy op, ShapeFacts &facts) {
  if (!isScalarRule(op, facts) || op.getType().isInteger(1))
    return;
  Expr a = facts.value(op.getLhs()), b = facts.value(op.getRhs());
  requireDivision(facts, a, b, op.getType());
  facts.setWrapped(op, std::is_same_v<OpTy, FloorDivSIOp>
                           ? facts.arena().floorDiv(a, b)
                           : facts.arena().ceilDiv(a, b));
}

/// Unsigned division and remainder, which agree with the signed ones on
/// non-negative operands.
template <typename OpTy>
void unsignedDivRule(OpTy op, ShapeFacts &facts) {
  if (!isScalarRule(op, facts) || op.getType().isInteger(1))
    return;
  Expr a = facts.value(op.getLhs()), b = facts.value(op.getRhs());
  facts.require(Relation::ne(b, facts.constant(0)), "divisor");
  if (!isAtLeast(facts, b, 1))
    return;
  if (!isAtLeast(facts, a, 0)) { // it reads as a large number
    Expr result = facts.value(op.getResult());
    if (std::is_same_v<OpTy, RemUIOp>) {
      facts.imply(Relation::ge(result, facts.constant(0)));
      facts.imply(Relation::lt(result, b));
    }
    return;
  }
  ExprArena &arena = facts.arena();
  if constexpr (std::is_same_v<OpTy, DivUIOp>)
    facts.setValue(op, arena.floorDiv(a, b));
  else if constexpr (std::is_same_v<OpTy, CeilDivUIOp>)
    facts.setValue(op, arena.ceilDiv(a, b));
  else
    facts.setValue(op, arena.mod(a, b));
}

//===----------------------------------------------------------------------===//
// Shifts, minima and maxima
//===----------------------------------------------------------------------===//

template <typename OpTy>
void shiftRule(OpTy op, ShapeFacts &facts) {
  if (!isScalarRule(op, facts) || op.getType().isInteger(1))
    return;
  std::optional<int64_t> amount = asConstant(facts, op.getRhs());
  if (!amount || *amount < 0 || *amount >= widthOf(op.getType()) ||
      *amount > 62)
    return;
  Expr a = facts.value(op.getLhs());
  Expr factor = facts.constant(int64_t(1) << *amount);
  if constexpr (std::is_same_v<OpTy, ShLIOp>) {
    bool isExact =
        bitEnumContainsAny(op.getOverflowFlags(), IntegerOverflowFlags::nsw);
    isExact ? facts.setValue(op, a * factor) : facts.setWrapped(op, a * factor);
  } else if (std::is_same_v<OpTy, ShRSIOp> || isAtLeast(facts, a, 0)) {
    facts.setValue(op, facts.arena().floorDiv(a, factor));
  }
}

template <typename OpTy>
void minMaxRule(OpTy op, ShapeFacts &facts) {
  if (!isScalarRule(op, facts) || op.getType().isInteger(1))
    return;
  Expr a = facts.value(op.getLhs()), b = facts.value(op.getRhs());
  constexpr bool isUnsigned =
      std::is_same_v<OpTy, MinUIOp> || std::is_same_v<OpTy, MaxUIOp>;
  if (isUnsigned && (!isAtLeast(facts, a, 0) || !isAtLeast(facts, b, 0)))
    return;
  constexpr bool isMin =
      std::is_same_v<OpTy, MinSIOp> || std::is_same_v<OpTy, MinUIOp>;
  facts.setValue(op, isMin ? facts.arena().min(a, b) : facts.arena().max(a, b));
}

//===----------------------------------------------------------------------===//
// Casts
//===----------------------------------------------------------------------===//

/// A cast of a signed value, cut where the result is narrower.
template <typename OpTy>
void signedCastRule(OpTy op, ShapeFacts &facts) {
  if (!isScalarRule(op, facts))
    return;
  if (op.getIn().getType().isInteger(1)) // true is -1
    facts.setValue(op, facts.join(facts.condition(op.getIn()),
                                  facts.constant(-1), facts.constant(0)));
  else if (!op.getType().isInteger(1))
    facts.setWrapped(op, facts.value(op.getIn()));
}

template <typename OpTy>
void unsignedCastRule(OpTy op, ShapeFacts &facts) {
  if (!isScalarRule(op, facts))
    return;
  if (op.getIn().getType().isInteger(1)) {
    facts.setValue(op, facts.join(facts.condition(op.getIn()),
                                  facts.constant(1), facts.constant(0)));
    return;
  }
  if (op.getType().isInteger(1))
    return;
  Expr e = facts.value(op.getIn());
  if (isAtLeast(facts, e, 0))
    return facts.setWrapped(op, e);
  if (widthOf(op.getIn().getType()) < widthOf(op.getType()))
    facts.imply(Relation::ge(facts.value(op.getResult()), facts.constant(0)));
}

void truncIRule(TruncIOp op, ShapeFacts &facts) {
  if (!isScalarRule(op, facts))
    return;
  Expr e = facts.value(op.getIn());
  if (op.getType().isInteger(1))
    facts.setCondition(op, Formula::negate(Formula::literal(
                               Relation::divides(facts.constant(2), e))));
  else
    facts.setWrapped(op, e);
}

void bitcastRule(BitcastOp op, ShapeFacts &facts) {
  if (isScalarRule(op, facts) && op.getIn().getType() == op.getType() &&
      !op.getType().isInteger(1))
    facts.setValue(op, facts.value(op.getIn()));
}

template <typename... Ops>
void attachElementwise(MLIRContext *context) {
  (attachRule<Ops, elementwiseOnly<Ops>>(context), ...);
}
} // namespace

Expr symshape::exactResult(Operation *op, ShapeFacts &facts) {
  if (op->getNumOperands() != 2 ||
      !hasIntegerValue(op->getOperand(0).getType()))
    return Expr();
  auto combine = [&](auto f) {
    return f(facts.value(op->getOperand(0)), facts.value(op->getOperand(1)));
  };
  if (isa<AddIOp>(op))
    return combine([](Expr a, Expr b) { return a + b; });
  if (isa<SubIOp>(op))
    return combine([](Expr a, Expr b) { return a - b; });
  if (isa<MulIOp>(op))
    return combine([](Expr a, Expr b) { return a * b; });
  return Expr();
}

void symshape::registerArithRules(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, ArithDialect *) {
    attachRule<ConstantOp, constantRule>(context);
    attachRule<AddIOp, wrappingRule<AddIOp>>(context);
    attachRule<SubIOp, wrappingRule<SubIOp>>(context);
    attachRule<MulIOp, wrappingRule<MulIOp>>(context);
    attachRule<DivSIOp, divSIRule>(context);
    attachRule<RemSIOp, remSIRule>(context);
    attachRule<FloorDivSIOp, roundedDivRule<FloorDivSIOp>>(context);
    attachRule<CeilDivSIOp, roundedDivRule<CeilDivSIOp>>(context);
    attachRule<DivUIOp, unsignedDivRule<DivUIOp>>(context);
    attachRule<CeilDivUIOp, unsignedDivRule<CeilDivUIOp>>(context);
    attachRule<RemUIOp, unsignedDivRule<RemUIOp>>(context);
    attachRule<ShLIOp, shiftRule<ShLIOp>>(context);
    attachRule<ShRSIOp, shiftRule<ShRSIOp>>(context);
    attachRule<ShRUIOp, shiftRule<ShRUIOp>>(context);
    attachRule<MinSIOp, minMaxRule<MinSIOp>>(context);
    attachRule<MaxSIOp, minMaxRule<MaxSIOp>>(context);
    attachRule<MinUIOp, minMaxRule<MinUIOp>>(context);
    attachRule<MaxUIOp, minMaxRule<MaxUIOp>>(context);
    attachRule<IndexCastOp, signedCastRule<IndexCastOp>>(context);
    attachRule<ExtSIOp, signedCastRule<ExtSIOp>>(context);
    attachRule<IndexCastUIOp, unsignedCastRule<IndexCastUIOp>>(context);
    attachRule<ExtUIOp, unsignedCastRule<ExtUIOp>>(context);
    attachRule<TruncIOp, truncIRule>(context);
    attachRule<BitcastOp, bitcastRule>(context);
    attachElementwise<NegFOp, AddFOp, SubFOp, MulFOp, DivFOp, RemFOp,
                      MaximumFOp, MaxNumFOp, MinimumFOp, MinNumFOp, ExtFOp,
                      TruncFOp, UIToFPOp, SIToFPOp, FPToUIOp, FPToSIOp, CmpFOp>(
        context);
    attachConditionRules(context);
  });
}
