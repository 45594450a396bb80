//===- IndexRules.cpp - Shape rules of index ------------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Values of index arithmetic, of 64 bits; what each op means stands in
// ScalarRules.cpp.
//
//===----------------------------------------------------------------------===//

#include "ScalarRules.h"
#include "mlir/Dialect/Index/IR/IndexDialect.h"
#include "mlir/Dialect/Index/IR/IndexOps.h"
#include "symshape/Extensions/AllExtensions.h"
#include "symshape/Extensions/RuleHelpers.h"

using namespace mlir;
using namespace mlir::symshape;
using namespace mlir::index;

namespace {
void setSum(ShapeFacts &facts, Value result, Expr a, Expr b) {
  facts.setWrapped(result, a + b);
}

void setDifference(ShapeFacts &facts, Value result, Expr a, Expr b) {
  facts.setWrapped(result, a - b);
}

void setProduct(ShapeFacts &facts, Value result, Expr a, Expr b) {
  facts.setWrapped(result, a * b);
}

void setShiftLeft(ShapeFacts &facts, Value result, Expr a, Expr amount) {
  requireAmount(facts, result, amount);
  if (Expr factor = shiftFactor(facts, result.getType(), amount))
    facts.setWrapped(result, a * factor);
}

template <typename OpTy, void (*rule)(ShapeFacts &, Value, Expr, Expr)>
void binaryRule(OpTy op, ShapeFacts &facts) {
  rule(facts, op.getResult(), facts.value(op.getLhs()),
       facts.value(op.getRhs()));
}

void constantRule(ConstantOp op, ShapeFacts &facts) {
  facts.setValue(op, facts.arena().constant(
                         llvm::DynamicAPInt(op.getValueAttr().getValue())));
}

void boolConstantRule(BoolConstantOp op, ShapeFacts &facts) {
  facts.setCondition(op, Formula::truth(op.getValue()));
}

/// Sign-extended or cut: the same number if it fits. As a value an i1 is 0 or
/// 1, but here true is -1.
void castSignedRule(CastSOp op, ShapeFacts &facts) {
  if (hasIntegerValue(op.getInput().getType()) &&
      hasIntegerValue(op.getType()) && !op.getInput().getType().isInteger(1) &&
      !op.getType().isInteger(1))
    facts.setWrapped(op, facts.value(op.getInput()));
}

void castUnsignedRule(CastUOp op, ShapeFacts &facts) {
  Type from = op.getInput().getType(), to = op.getType();
  if (!hasIntegerValue(from) || !hasIntegerValue(to) || from.isInteger(1) ||
      to.isInteger(1))
    return;
  Expr e = facts.value(op.getInput());
  if (isAtLeast(facts, e, 0))
    return facts.setWrapped(op, e);
  if (integerWidth(from) < integerWidth(to))
    facts.imply(Relation::ge(facts.value(op.getResult()), facts.constant(0)));
}

arith::CmpIPredicate toArith(IndexCmpPredicate predicate) {
  switch (predicate) {
  case IndexCmpPredicate::EQ:
    return arith::CmpIPredicate::eq;
  case IndexCmpPredicate::NE:
    return arith::CmpIPredicate::ne;
  case IndexCmpPredicate::SLT:
    return arith::CmpIPredicate::slt;
  case IndexCmpPredicate::SLE:
    return arith::CmpIPredicate::sle;
  case IndexCmpPredicate::SGT:
    return arith::CmpIPredicate::sgt;
  case IndexCmpPredicate::SGE:
    return arith::CmpIPredicate::sge;
  case IndexCmpPredicate::ULT:
    return arith::CmpIPredicate::ult;
  case IndexCmpPredicate::ULE:
    return arith::CmpIPredicate::ule;
  case IndexCmpPredicate::UGT:
    return arith::CmpIPredicate::ugt;
  case IndexCmpPredicate::UGE:
    return arith::CmpIPredicate::uge;
  }
  llvm_unreachable("no other predicate");
}

void compareRule(CmpOp op, ShapeFacts &facts) {
  facts.setCondition(op, compareIntegers(facts, toArith(op.getPred()),
                                         facts.value(op.getLhs()),
                                         facts.value(op.getRhs())));
}

template <typename OpTy, void (*rule)(ShapeFacts &, Value, Expr, Expr)>
void attachBinary(MLIRContext *context) {
  attachRule<OpTy, binaryRule<OpTy, rule>>(context);
}
} // namespace

void symshape::registerIndexRules(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, IndexDialect *) {
    attachRule<ConstantOp, constantRule>(context);
    attachRule<BoolConstantOp, boolConstantRule>(context);
    attachRule<CastSOp, castSignedRule>(context);
    attachRule<CastUOp, castUnsignedRule>(context);
    attachRule<CmpOp, compareRule>(context);
    attachBinary<AddOp, setSum>(context);
    attachBinary<SubOp, setDifference>(context);
    attachBinary<MulOp, setProduct>(context);
    attachBinary<DivSOp, setQuotient>(context);
    attachBinary<DivUOp, setUnsignedQuotient>(context);
    attachBinary<CeilDivSOp, setCeilDiv>(context);
    attachBinary<CeilDivUOp, setUnsignedCeilDiv>(context);
    attachBinary<FloorDivSOp, setFloorDiv>(context);
    attachBinary<RemSOp, setRemainder>(context);
    attachBinary<RemUOp, setUnsignedRemainder>(context);
    attachBinary<MinSOp, setMin>(context);
    attachBinary<MaxSOp, setMax>(context);
    attachBinary<MinUOp, setUnsignedMin>(context);
    attachBinary<MaxUOp, setUnsignedMax>(context);
    attachBinary<ShlOp, setShiftLeft>(context);
    attachBinary<ShrSOp, setShiftRight>(context);
    attachBinary<ShrUOp, setUnsignedShiftRight>(context);
    attachBinary<AndOp, setBitAnd>(context);
    attachBinary<XOrOp, setBitXor>(context);
  });
}
