//===- ArithRules.cpp - Shape rules of arith ------------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Values of integer arithmetic, and extents of the same ops on tensors. A value
// is read as signed. Not for: comparisons and select (ArithConditionRules.cpp),
// what ops on integers mean in any dialect (ScalarRules.cpp).
//
//===----------------------------------------------------------------------===//

#include "ArithRules.h"
#include "FloatSizeRules.h"
#include "ScalarRules.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "symshape/Expr/Integers.h"
#include "symshape/Extensions/AllExtensions.h"
#include "symshape/Extensions/RuleHelpers.h"

using namespace mlir;
using namespace mlir::symshape;
using namespace mlir::arith;

namespace {
/// Whether the rule for scalars applies; if not, that for tensors has run.
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
  setConstantElements(facts, op, op.getValue());
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
// Division, shifts, minima and maxima
//===----------------------------------------------------------------------===//

/// An op of two scalars whose meaning index ops share (ScalarRules.h).
template <typename OpTy, void (*rule)(ShapeFacts &, Value, Expr, Expr)>
void scalarRule(OpTy op, ShapeFacts &facts) {
  if (isScalarRule(op, facts) && !op.getType().isInteger(1))
    rule(facts, op.getResult(), facts.value(op.getLhs()),
         facts.value(op.getRhs()));
}

void shiftLeftRule(ShLIOp op, ShapeFacts &facts) {
  if (!isScalarRule(op, facts) || op.getType().isInteger(1))
    return;
  requireAmount(facts, op, facts.value(op.getRhs()));
  Expr factor = shiftFactor(facts, op.getType(), facts.value(op.getRhs()));
  if (!factor)
    return;
  Expr e = facts.value(op.getLhs()) * factor;
  bool isExact =
      bitEnumContainsAny(op.getOverflowFlags(), IntegerOverflowFlags::nsw);
  isExact ? facts.setValue(op, e) : facts.setWrapped(op, e);
}

//===----------------------------------------------------------------------===//
// Casts
//===----------------------------------------------------------------------===//

/// A cast of a signed value, cut if the result is narrower.
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
  unsigned from = integerWidth(op.getIn().getType());
  if (from >= integerWidth(op.getType()) || isAtLeast(facts, e, 0))
    return facts.setWrapped(op, e);
  ExprArena &arena = facts.arena();
  if (from <= kMaxModulusBits)
    facts.setValue(op, arena.mod(e, arena.constant(powerOfTwo(from))));
  else
    facts.imply(Relation::ge(facts.value(op.getResult()), facts.constant(0)));
}

void truncIRule(TruncIOp op, ShapeFacts &facts) {
  if (!isScalarRule(op, facts))
    return;
  Expr e = facts.value(op.getIn());
  if (op.getType().isInteger(1))
    facts.setCondition(
        op, Formula::negate(Relation::divides(facts.constant(2), e)));
  else
    facts.setWrapped(op, e);
}

void bitcastRule(BitcastOp op, ShapeFacts &facts) {
  if (isScalarRule(op, facts) && op.getIn().getType() == op.getType() &&
      !op.getType().isInteger(1))
    facts.setValue(op, facts.value(op.getIn()));
}

template <typename OpTy>
void fromFloatRule(OpTy op, ShapeFacts &facts) {
  if (!elementwiseRule(op, facts) && hasIntegerValue(op.getType()) &&
      !op.getType().isInteger(1))
    setFromFloat(facts, op.getResult(), op.getIn(),
                 std::is_same_v<OpTy, FPToUIOp>);
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
    attachRule<DivSIOp, scalarRule<DivSIOp, setQuotient>>(context);
    attachRule<RemSIOp, scalarRule<RemSIOp, setRemainder>>(context);
    attachRule<FloorDivSIOp, scalarRule<FloorDivSIOp, setFloorDiv>>(context);
    attachRule<CeilDivSIOp, scalarRule<CeilDivSIOp, setCeilDiv>>(context);
    attachRule<DivUIOp, scalarRule<DivUIOp, setUnsignedQuotient>>(context);
    attachRule<CeilDivUIOp, scalarRule<CeilDivUIOp, setUnsignedCeilDiv>>(
        context);
    attachRule<RemUIOp, scalarRule<RemUIOp, setUnsignedRemainder>>(context);
    attachRule<ShLIOp, shiftLeftRule>(context);
    attachRule<ShRSIOp, scalarRule<ShRSIOp, setShiftRight>>(context);
    attachRule<ShRUIOp, scalarRule<ShRUIOp, setUnsignedShiftRight>>(context);
    attachRule<MinSIOp, scalarRule<MinSIOp, setMin>>(context);
    attachRule<MaxSIOp, scalarRule<MaxSIOp, setMax>>(context);
    attachRule<MinUIOp, scalarRule<MinUIOp, setUnsignedMin>>(context);
    attachRule<MaxUIOp, scalarRule<MaxUIOp, setUnsignedMax>>(context);
    attachRule<IndexCastOp, signedCastRule<IndexCastOp>>(context);
    attachRule<ExtSIOp, signedCastRule<ExtSIOp>>(context);
    attachRule<IndexCastUIOp, unsignedCastRule<IndexCastUIOp>>(context);
    attachRule<ExtUIOp, unsignedCastRule<ExtUIOp>>(context);
    attachRule<TruncIOp, truncIRule>(context);
    attachRule<BitcastOp, bitcastRule>(context);
    attachRule<FPToSIOp, fromFloatRule<FPToSIOp>>(context);
    attachRule<FPToUIOp, fromFloatRule<FPToUIOp>>(context);
    attachElementwise<NegFOp, AddFOp, SubFOp, MulFOp, DivFOp, RemFOp,
                      MaximumFOp, MaxNumFOp, MinimumFOp, MinNumFOp, ExtFOp,
                      TruncFOp, UIToFPOp, SIToFPOp, CmpFOp, ScalingExtFOp,
                      ScalingTruncFOp, AddUIExtendedOp, MulSIExtendedOp,
                      MulUIExtendedOp>(context);
    attachArithConditionRules(context);
  });
}
