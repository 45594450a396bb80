//===- MathDerivatives.cpp - Derivatives of math --------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tangent is that of the operand times a factor, which is given here for
// each function.
//
//===----------------------------------------------------------------------===//

#include "DerivativeHelpers.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "symshape/Extensions/AllExtensions.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::symshape;

namespace {
/// Arithmetic at one place on values of one type.
struct Calculator {
  OpBuilder &b;
  Location loc;
  Value like;

  Value constant(double value) { return makeConstant(b, loc, value, like); }
  Value mul(Value x, Value y) { return arith::MulFOp::create(b, loc, x, y); }
  Value div(Value x, Value y) { return arith::DivFOp::create(b, loc, x, y); }
  Value add(Value x, Value y) { return arith::AddFOp::create(b, loc, x, y); }
  Value sub(Value x, Value y) { return arith::SubFOp::create(b, loc, x, y); }
};

/// The tangent of a function of one operand, of which `factor` is the
/// derivative at `x`, where its value is `y`.
template <typename OpTy, Value (*factor)(Calculator &, Value x, Value y)>
LogicalResult unaryJvp(OpTy op, Tangents &tangents) {
  Value x = op.getOperand(), tangent = tangents.of(x);
  Calculator c{tangents.builder(), op.getLoc(), x};
  tangents.set(op.getResult(), c.mul(factor(c, x, op.getResult()), tangent));
  return success();
}

Value ofExp(Calculator &, Value, Value y) { return y; }
Value ofExp2(Calculator &c, Value, Value y) {
  return c.mul(y, c.constant(llvm::numbers::ln2));
}
Value ofExpM1(Calculator &c, Value, Value y) { return c.add(y, c.constant(1)); }
Value ofLog(Calculator &c, Value x, Value) { return c.div(c.constant(1), x); }
Value ofLog2(Calculator &c, Value x, Value) {
  return c.div(c.constant(llvm::numbers::log2e), x);
}
Value ofLog10(Calculator &c, Value x, Value) {
  return c.div(c.constant(1 / llvm::numbers::ln10), x);
}
Value ofLog1p(Calculator &c, Value x, Value) {
  return c.div(c.constant(1), c.add(x, c.constant(1)));
}
Value ofSin(Calculator &c, Value x, Value) {
  return math::CosOp::create(c.b, c.loc, x);
}
Value ofCos(Calculator &c, Value x, Value) {
  return arith::NegFOp::create(c.b, c.loc, math::SinOp::create(c.b, c.loc, x));
}
Value ofTanh(Calculator &c, Value, Value y) {
  return c.sub(c.constant(1), c.mul(y, y));
}
Value ofSqrt(Calculator &c, Value, Value y) {
  return c.div(c.constant(0.5), y);
}
Value ofRsqrt(Calculator &c, Value x, Value y) {
  return c.mul(c.constant(-0.5), c.div(y, x));
}
Value ofErf(Calculator &c, Value x, Value) {
  Value square = arith::NegFOp::create(c.b, c.loc, c.mul(x, x));
  return c.mul(c.constant(2 * llvm::numbers::inv_sqrtpi),
               math::ExpOp::create(c.b, c.loc, square));
}
Value ofErfc(Calculator &c, Value x, Value y) {
  return arith::NegFOp::create(c.b, c.loc, ofErf(c, x, y));
}
/// 1 - x^2, without cancellation near 1.
Value oneMinusSquare(Calculator &c, Value x) {
  Value one = c.constant(1);
  return c.mul(c.sub(one, x), c.add(one, x));
}
Value onePlusSquare(Calculator &c, Value x) {
  return c.add(c.constant(1), c.mul(x, x));
}
Value inverseRoot(Calculator &c, Value square) {
  return c.div(c.constant(1), math::SqrtOp::create(c.b, c.loc, square));
}
Value ofAsin(Calculator &c, Value x, Value) {
  return inverseRoot(c, oneMinusSquare(c, x));
}
Value ofAcos(Calculator &c, Value x, Value y) {
  return arith::NegFOp::create(c.b, c.loc, ofAsin(c, x, y));
}
Value ofAtan(Calculator &c, Value x, Value) {
  return c.div(c.constant(1), onePlusSquare(c, x));
}
Value ofAsinh(Calculator &c, Value x, Value) {
  return inverseRoot(c, onePlusSquare(c, x));
}
/// One root of each factor: of their product, it would be real below -1 too.
Value ofAcosh(Calculator &c, Value x, Value) {
  Value one = c.constant(1);
  return c.mul(inverseRoot(c, c.sub(x, one)), inverseRoot(c, c.add(x, one)));
}
Value ofAtanh(Calculator &c, Value x, Value) {
  return c.div(c.constant(1), oneMinusSquare(c, x));
}
Value ofSinh(Calculator &c, Value x, Value) {
  return math::CoshOp::create(c.b, c.loc, x);
}
Value ofCosh(Calculator &c, Value x, Value) {
  return math::SinhOp::create(c.b, c.loc, x);
}
Value ofTan(Calculator &c, Value, Value y) { return onePlusSquare(c, y); }
Value ofCbrt(Calculator &c, Value, Value y) {
  return c.div(c.constant(1.0 / 3), c.mul(y, y));
}
/// 1, -1, and 0 at 0.
Value ofAbs(Calculator &c, Value x, Value) {
  Value zero = c.constant(0);
  Value isZero =
      arith::CmpFOp::create(c.b, c.loc, arith::CmpFPredicate::OEQ, x, zero);
  Value sign = math::CopySignOp::create(c.b, c.loc, c.constant(1), x);
  return arith::SelectOp::create(c.b, c.loc, isZero, zero, sign);
}

/// Piecewise constant: no tangent at all.
template <typename OpTy>
LogicalResult noJvp(OpTy, Tangents &) {
  return success();
}

/// x^y: y x^(y-1) and x^y log x. If y = 0 and 1/x is infinite, the power is
/// taken as x, and if x = 0, the logarithm is that of 1: so all derivatives
/// stay finite if the power does. The selects are on operands, not results: a
/// result left out may be infinite, and 0 times that is NaN. For all other x, y
/// = 0 is no exception: d/dy of y x^(y-1) is 1/x there, as d/dx of x^y log x
/// is.
LogicalResult powJvp(math::PowFOp op, Tangents &tangents) {
  Value x = op.getLhs(), y = op.getRhs();
  Calculator c{tangents.builder(), op.getLoc(), x};
  Value one = c.constant(1), sum;
  auto isEqual = [&](Value v, double number) -> Value {
    return arith::CmpFOp::create(c.b, c.loc, arith::CmpFPredicate::OEQ, v,
                                 c.constant(number));
  };
  if (Value tangent = tangents.of(x)) {
    Value inverse = math::AbsFOp::create(c.b, c.loc, c.div(one, x));
    Value isInfinite = arith::AndIOp::create(
        c.b, c.loc, isEqual(y, 0),
        isEqual(inverse, std::numeric_limits<double>::infinity()));
    Value exponent =
        arith::SelectOp::create(c.b, c.loc, isInfinite, one, c.sub(y, one));
    Value power = math::PowFOp::create(c.b, c.loc, x, exponent);
    sum = c.mul(c.mul(y, power), tangent);
  }
  if (Value tangent = tangents.of(y)) {
    Value log = math::LogOp::create(
        c.b, c.loc, arith::SelectOp::create(c.b, c.loc, isEqual(x, 0), one, x));
    Value part = c.mul(c.mul(op.getResult(), log), tangent);
    sum = sum ? c.add(sum, part) : part;
  }
  tangents.set(op.getResult(), sum);
  return success();
}

/// The magnitude of one with the sign of another: flat in the second.
LogicalResult copySignJvp(math::CopySignOp op, Tangents &tangents) {
  Value x = op.getLhs(), tangent = tangents.of(x);
  if (!tangent)
    return success();
  Calculator c{tangents.builder(), op.getLoc(), x};
  Value sign = math::CopySignOp::create(c.b, c.loc, c.constant(1), op.getRhs());
  Value factor = c.mul(sign, ofAbs(c, x, op.getResult()));
  tangents.set(op.getResult(), c.mul(factor, tangent));
  return success();
}

/// The angle of a point: -y and x by the square of its distance.
LogicalResult atan2Jvp(math::Atan2Op op, Tangents &tangents) {
  Value y = op.getLhs(), x = op.getRhs(), sum;
  Calculator c{tangents.builder(), op.getLoc(), x};
  Value square = c.add(c.mul(x, x), c.mul(y, y));
  if (Value tangent = tangents.of(y))
    sum = c.mul(c.div(x, square), tangent);
  if (Value tangent = tangents.of(x)) {
    Value part = c.mul(c.div(y, square), tangent);
    sum = sum ? c.sub(sum, part)
              : arith::NegFOp::create(c.b, c.loc, part).getResult();
  }
  tangents.set(op.getResult(), sum);
  return success();
}

LogicalResult fmaJvp(math::FmaOp op, Tangents &tangents) {
  Calculator c{tangents.builder(), op.getLoc(), op.getA()};
  Value sum = tangents.of(op.getC());
  auto addProduct = [&](Value primal, Value other) {
    Value tangent = tangents.of(primal);
    if (!tangent)
      return;
    Value part = c.mul(tangent, other);
    sum = sum ? c.add(sum, part) : part;
  };
  addProduct(op.getA(), op.getB());
  addProduct(op.getB(), op.getA());
  tangents.set(op.getResult(), sum);
  return success();
}

/// The tangent of the operand if it is strictly inside the bounds, else of the
/// bound that it is strictly beyond; exactly at a bound, zero.
LogicalResult clampJvp(math::ClampFOp op, Tangents &tangents) {
  OpBuilder &b = tangents.builder();
  Location loc = op.getLoc();
  Value x = op.getValue(), low = op.getMin(), high = op.getMax();
  auto isLess = [&](Value one, Value two) -> Value {
    return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT, one, two);
  };
  Value sum = makeConstant(b, loc, 0, x);
  auto choose = [&](Value mask, Value primal) {
    if (Value tangent = tangents.of(primal))
      sum = arith::SelectOp::create(b, loc, mask, tangent, sum);
  };
  choose(isLess(x, low), low);
  choose(isLess(high, x), high);
  Value isInside =
      arith::AndIOp::create(b, loc, isLess(low, x), isLess(x, high));
  choose(isInside, x);
  tangents.set(op.getResult(), sum);
  return success();
}
} // namespace

void symshape::registerMathDerivatives(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, math::MathDialect *) {
    using namespace mlir::math;
    attachJvp<AbsFOp, unaryJvp<AbsFOp, ofAbs>>(context);
    attachJvp<AcosOp, unaryJvp<AcosOp, ofAcos>>(context);
    attachJvp<AcoshOp, unaryJvp<AcoshOp, ofAcosh>>(context);
    attachJvp<AsinOp, unaryJvp<AsinOp, ofAsin>>(context);
    attachJvp<AsinhOp, unaryJvp<AsinhOp, ofAsinh>>(context);
    attachJvp<Atan2Op, atan2Jvp>(context);
    attachJvp<AtanOp, unaryJvp<AtanOp, ofAtan>>(context);
    attachJvp<AtanhOp, unaryJvp<AtanhOp, ofAtanh>>(context);
    attachJvp<CbrtOp, unaryJvp<CbrtOp, ofCbrt>>(context);
    attachJvp<CeilOp, noJvp<CeilOp>>(context);
    attachJvp<ClampFOp, clampJvp>(context);
    attachJvp<CopySignOp, copySignJvp>(context);
    attachJvp<CosOp, unaryJvp<CosOp, ofCos>>(context);
    attachJvp<CoshOp, unaryJvp<CoshOp, ofCosh>>(context);
    attachJvp<ErfOp, unaryJvp<ErfOp, ofErf>>(context);
    attachJvp<ErfcOp, unaryJvp<ErfcOp, ofErfc>>(context);
    attachJvp<Exp2Op, unaryJvp<Exp2Op, ofExp2>>(context);
    attachJvp<ExpM1Op, unaryJvp<ExpM1Op, ofExpM1>>(context);
    attachJvp<ExpOp, unaryJvp<ExpOp, ofExp>>(context);
    attachJvp<FloorOp, noJvp<FloorOp>>(context);
    attachJvp<FmaOp, fmaJvp>(context);
    attachJvp<Log10Op, unaryJvp<Log10Op, ofLog10>>(context);
    attachJvp<Log1pOp, unaryJvp<Log1pOp, ofLog1p>>(context);
    attachJvp<Log2Op, unaryJvp<Log2Op, ofLog2>>(context);
    attachJvp<LogOp, unaryJvp<LogOp, ofLog>>(context);
    attachJvp<PowFOp, powJvp>(context);
    attachJvp<RoundEvenOp, noJvp<RoundEvenOp>>(context);
    attachJvp<RoundOp, noJvp<RoundOp>>(context);
    attachJvp<RsqrtOp, unaryJvp<RsqrtOp, ofRsqrt>>(context);
    attachJvp<SinOp, unaryJvp<SinOp, ofSin>>(context);
    attachJvp<SinhOp, unaryJvp<SinhOp, ofSinh>>(context);
    attachJvp<SqrtOp, unaryJvp<SqrtOp, ofSqrt>>(context);
    attachJvp<TanOp, unaryJvp<TanOp, ofTan>>(context);
    attachJvp<TanhOp, unaryJvp<TanhOp, ofTanh>>(context);
    attachJvp<TruncOp, noJvp<TruncOp>>(context);
  });
}
