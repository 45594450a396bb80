//===- ArithConditionRules.cpp - Comparisons, logic, select ---------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What an i1 of arith says, and the value that it selects. Not for: numbers
// (ArithRules.cpp).
//
//===----------------------------------------------------------------------===//

#include "ArithRules.h"
#include "ScalarRules.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "symshape/Extensions/RuleHelpers.h"

using namespace mlir;
using namespace mlir::symshape;
using namespace mlir::arith;

namespace {
Formula exclusiveOr(const Formula &a, const Formula &b) {
  return Formula::disj(Formula::conj(a, Formula::negate(b)),
                       Formula::conj(Formula::negate(a), b));
}

void cmpIRule(CmpIOp op, ShapeFacts &facts) {
  if (elementwiseRule(op, facts) || !hasIntegerValue(op.getLhs().getType()))
    return;
  if (!op.getLhs().getType().isInteger(1))
    return facts.setCondition(op, compareIntegers(facts, op.getPredicate(),
                                                  facts.value(op.getLhs()),
                                                  facts.value(op.getRhs())));
  Formula differ =
      exclusiveOr(facts.condition(op.getLhs()), facts.condition(op.getRhs()));
  if (op.getPredicate() == CmpIPredicate::ne)
    facts.setCondition(op, differ);
  else if (op.getPredicate() == CmpIPredicate::eq)
    facts.setCondition(op, Formula::negate(differ));
}

template <typename OpTy>
void logicRule(OpTy op, ShapeFacts &facts) {
  if (elementwiseRule(op, facts))
    return;
  if (op.getType().isInteger(1)) {
    Formula a = facts.condition(op.getLhs()), b = facts.condition(op.getRhs());
    if constexpr (std::is_same_v<OpTy, AndIOp>)
      facts.setCondition(op, Formula::conj(a, b));
    else if constexpr (std::is_same_v<OpTy, OrIOp>)
      facts.setCondition(op, Formula::disj(a, b));
    else
      facts.setCondition(op, exclusiveOr(a, b));
    return;
  }
  if (!hasIntegerValue(op.getType()))
    return;
  Expr a = facts.value(op.getLhs()), b = facts.value(op.getRhs());
  if constexpr (std::is_same_v<OpTy, AndIOp>)
    setBitAnd(facts, op.getResult(), a, b);
  else if constexpr (std::is_same_v<OpTy, XOrIOp>)
    setBitXor(facts, op.getResult(), a, b);
}

/// The value of `v` if `condition` holds. A sum that may wrap in general is
/// exact if the condition keeps it in range.
Expr valueUnder(ShapeFacts &facts, const Formula &condition, Value v) {
  Operation *def = v.getDefiningOp();
  Expr exact = def ? exactResult(def, facts) : Expr();
  Expr known = facts.value(v);
  if (!exact || exact == known || !v.getType().isIntOrIndex())
    return known;
  unsigned width =
      v.getType().isIndex() ? 64 : v.getType().getIntOrFloatBitWidth();
  ConstraintSet &set = facts.constraints();
  auto bound = [&](const APInt &b) {
    return facts.arena().constant(llvm::DynamicAPInt(b));
  };
  set.push();
  assume(set, condition);
  bool fits = set.isProvably(Relation::le(
                  bound(APInt::getSignedMinValue(width)), exact)) &&
              set.isProvably(
                  Relation::le(exact, bound(APInt::getSignedMaxValue(width))));
  set.pop();
  return fits ? exact : known;
}

void selectRule(SelectOp op, ShapeFacts &facts) {
  Type type = op.getType();
  if (!op.getCondition().getType().isInteger(1)) {
    elementwiseRule(op, facts);
    return;
  }
  Formula condition = facts.condition(op.getCondition());
  if (hasIntegerValue(type) && !type.isInteger(1)) {
    Expr a = valueUnder(facts, condition, op.getTrueValue());
    Expr b = valueUnder(facts, Formula::negate(condition), op.getFalseValue());
    facts.setValue(op, facts.join(condition, a, b));
  } else if (hasIntegerValue(type) || isRankedShaped(type)) {
    facts.setJoin(op.getResult(), condition, op.getTrueValue(),
                  op.getFalseValue());
  }
}
} // namespace

void symshape::attachArithConditionRules(MLIRContext *context) {
  attachRule<CmpIOp, cmpIRule>(context);
  attachRule<AndIOp, logicRule<AndIOp>>(context);
  attachRule<OrIOp, logicRule<OrIOp>>(context);
  attachRule<XOrIOp, logicRule<XOrIOp>>(context);
  attachRule<SelectOp, selectRule>(context);
}
