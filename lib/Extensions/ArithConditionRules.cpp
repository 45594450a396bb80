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
#include "RuleHelpers.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::symshape;
using namespace mlir::arith;

namespace {
/// a < b (or a <= b) of the bits read as unsigned.
///
/// Proof: where b >= 0 (signed), a <u b iff 0 <= a < b, for a negative a reads
/// as at least 2^(w-1) > b. Where a >= 0, a <u b iff b < 0 or a < b, likewise.
Formula unsignedLess(ShapeFacts &facts, Expr a, Expr b, bool orEqual) {
  Expr zero = facts.constant(0);
  Formula less =
      Formula::literal(orEqual ? Relation::le(a, b) : Relation::lt(a, b));
  if (isAtLeast(facts, b, 0))
    return isAtLeast(facts, a, 0)
               ? less
               : Formula::conj(Formula::literal(Relation::ge(a, zero)), less);
  if (isAtLeast(facts, a, 0))
    return Formula::disj(Formula::literal(Relation::lt(b, zero)), less);
  return Formula::opaque();
}

Formula exclusiveOr(const Formula &a, const Formula &b) {
  return Formula::disj(Formula::conj(a, Formula::negate(b)),
                       Formula::conj(Formula::negate(a), b));
}

Formula compare(ShapeFacts &facts, CmpIPredicate predicate, Expr a, Expr b) {
  switch (predicate) {
  case CmpIPredicate::eq:
    return Formula::literal(Relation::eq(a, b));
  case CmpIPredicate::ne:
    return Formula::literal(Relation::ne(a, b));
  case CmpIPredicate::slt:
    return Formula::literal(Relation::lt(a, b));
  case CmpIPredicate::sle:
    return Formula::literal(Relation::le(a, b));
  case CmpIPredicate::sgt:
    return Formula::literal(Relation::gt(a, b));
  case CmpIPredicate::sge:
    return Formula::literal(Relation::ge(a, b));
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

void cmpIRule(CmpIOp op, ShapeFacts &facts) {
  if (elementwiseRule(op, facts) || !hasIntegerValue(op.getLhs().getType()))
    return;
  if (!op.getLhs().getType().isInteger(1))
    return facts.setCondition(op, compare(facts, op.getPredicate(),
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
  // In two's complement, a and (2^k - 1) is a mod 2^k, and a xor -1 is -a - 1.
  Expr a = facts.value(op.getLhs());
  std::optional<int64_t> mask = facts.value(op.getRhs()).asInt64();
  if (std::is_same_v<OpTy, AndIOp> && mask && *mask > 0 &&
      llvm::isMask_64(uint64_t(*mask)) && *mask != INT64_MAX) {
    facts.setValue(op, facts.arena().mod(a, facts.constant(*mask + 1)));
  } else if (std::is_same_v<OpTy, AndIOp> && mask && *mask >= 0) {
    Expr result = facts.value(op.getResult());
    facts.imply(Relation::ge(result, facts.constant(0)));
    facts.imply(Relation::le(result, facts.constant(*mask)));
  }
  if (std::is_same_v<OpTy, XOrIOp> && mask == -1)
    facts.setValue(op, -a - 1);
}

/// The value of `v` where `condition` holds. A sum that may wrap in general is
/// exact where the condition keeps it in range.
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

void symshape::attachConditionRules(MLIRContext *context) {
  attachRule<CmpIOp, cmpIRule>(context);
  attachRule<AndIOp, logicRule<AndIOp>>(context);
  attachRule<OrIOp, logicRule<OrIOp>>(context);
  attachRule<XOrIOp, logicRule<XOrIOp>>(context);
  attachRule<SelectOp, selectRule>(context);
}
