//===- MathRules.cpp - Shape rules of math --------------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Integer functions of scalars, and extents of all elementwise ops on tensors.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Math/IR/Math.h"
#include "symshape/Extensions/AllExtensions.h"
#include "symshape/Extensions/RuleHelpers.h"

using namespace mlir;
using namespace mlir::symshape;

template <typename OpTy>
static void elementwiseOnly(OpTy op, ShapeFacts &facts) {
  elementwiseRule(op, facts);
}

/// The absolute value; that of the least integer wraps to itself.
static void absIRule(math::AbsIOp op, ShapeFacts &facts) {
  if (elementwiseRule(op, facts) || !hasIntegerValue(op.getType()) ||
      op.getType().isInteger(1))
    return;
  Expr a = facts.value(op.getOperand());
  facts.setWrapped(op.getResult(), facts.arena().max(a, -a));
}

/// A count of bits lies between 0 and the width.
template <typename OpTy>
static void bitCountRule(OpTy op, ShapeFacts &facts) {
  if (elementwiseRule(op, facts) || !hasIntegerValue(op.getType()) ||
      op.getType().isInteger(1))
    return;
  unsigned width =
      op.getType().isIndex() ? 64 : op.getType().getIntOrFloatBitWidth();
  if (width < 8)
    return; // the width itself may not be a value of the type
  Expr count = facts.value(op.getResult());
  facts.imply(Relation::ge(count, facts.constant(0)));
  facts.imply(Relation::le(count, facts.constant(width)));
}

/// A constant power. A negative exponent, which divides by a power of the base,
/// is left unknown.
static void iPowIRule(math::IPowIOp op, ShapeFacts &facts) {
  if (elementwiseRule(op, facts) || !hasIntegerValue(op.getType()) ||
      op.getType().isInteger(1))
    return;
  Expr base = facts.value(op.getLhs()), power = facts.value(op.getRhs());
  facts.require(Formula::disj(Relation::ge(power, facts.constant(0)),
                              Relation::ne(base, facts.constant(0))),
                "divisor");
  std::optional<int64_t> exponent = power.asInt64();
  if (exponent && *exponent >= 0 && *exponent <= 8)
    facts.setWrapped(op.getResult(),
                     facts.arena().pow(facts.value(op.getLhs()), *exponent));
}

template <typename... Ops>
static void attachElementwiseMath(MLIRContext *context) {
  (attachRule<Ops, elementwiseOnly<Ops>>(context), ...);
}

void symshape::registerMathRules(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, math::MathDialect *) {
    using namespace math;
    attachRule<AbsIOp, absIRule>(context);
    attachRule<CountLeadingZerosOp, bitCountRule<CountLeadingZerosOp>>(context);
    attachRule<CountTrailingZerosOp, bitCountRule<CountTrailingZerosOp>>(
        context);
    attachRule<CtPopOp, bitCountRule<CtPopOp>>(context);
    attachRule<IPowIOp, iPowIRule>(context);
    attachElementwiseMath<
        AbsFOp, AcoshOp, AcosOp, AsinOp, AsinhOp, AtanOp, AtanhOp, Atan2Op,
        CbrtOp, CeilOp, ClampFOp, CopySignOp, CosOp, CoshOp, SinOp, SinhOp,
        ErfOp, ErfcOp, ExpOp, Exp2Op, ExpM1Op, FloorOp, FmaOp, IsFiniteOp,
        IsInfOp, IsNaNOp, IsNormalOp, LogOp, Log10Op, Log1pOp, Log2Op, PowFOp,
        RsqrtOp, SqrtOp, TanOp, TanhOp, RoundEvenOp, RoundOp, TruncOp, FPowIOp,
        SincosOp>(context);
  });
}
