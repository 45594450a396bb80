//===- ApproximateMath.cpp - Polynomials for math functions ---------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Chooses which functions are computed by polynomials on the CPU, which powers
// by products, and how to clamp. The rest become calls of the C library, or
// instructions: upstream's expansions of such functions (MathExpandOps) are not
// used, since most are wrong at zeros, infinities or large values. Not for: the
// polynomials (Float32Functions.cpp).
//
//===----------------------------------------------------------------------===//

#include "symshape/Conversion/Passes.h"
#include "symshape/Transforms/Canonicalizer.h"

#include "Float32Functions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include <limits>

namespace mlir::symshape {
#define GEN_PASS_DEF_APPROXIMATEMATHPASS
#include "symshape/Conversion/Passes.h.inc"

namespace {
/// A function of f32, scalar or vector of fixed length, as a polynomial.
template <typename Op, Value (Float32Functions::*emit)(Value)>
struct ExpandFunction : OpRewritePattern<Op> {
  ExpandFunction(MLIRContext *context, bool hasScaleInstruction)
      : OpRewritePattern<Op>(context),
        hasScaleInstruction(hasScaleInstruction) {}

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    Type type = op.getType();
    auto vector = dyn_cast<VectorType>(type);
    if (!getElementTypeOrSelf(type).isF32() || isa<TensorType>(type) ||
        (vector && vector.isScalable()))
      return failure();
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    Float32Functions functions(builder, type, hasScaleInstruction);
    rewriter.replaceOp(op, (functions.*emit)(op.getOperand()));
    return success();
  }

  bool hasScaleInstruction;
};

/// What patterns below compute with: scalars or vectors of one float type.
class Emitter {
public:
  Emitter(PatternRewriter &rewriter, Location loc, Type type)
      : builder(loc, rewriter), type(type) {}

  Value constant(double value) {
    auto element = cast<FloatType>(getElementTypeOrSelf(type));
    llvm::APFloat number(value);
    bool losesBits;
    number.convert(element.getFloatSemantics(),
                   llvm::APFloat::rmNearestTiesToEven, &losesBits);
    return createScalarOrSplatConstant(builder, builder.getLoc(), type, number);
  }
  Value infinity() { return constant(std::numeric_limits<double>::infinity()); }
  Value multiply(Value x, Value y) {
    return arith::MulFOp::create(builder, x, y);
  }
  Value divide(Value x, Value y) {
    return arith::DivFOp::create(builder, x, y);
  }
  Value add(Value x, double y) {
    return arith::AddFOp::create(builder, x, constant(y));
  }
  Value isEqual(Value x, Value y) {
    return arith::CmpFOp::create(builder, arith::CmpFPredicate::OEQ, x, y);
  }
  Value select(Value condition, Value x, Value y) {
    return arith::SelectOp::create(builder, condition, x, y);
  }

  ImplicitLocOpBuilder builder;

private:
  Type type;
};

/// Powers with a constant exponent that a few operations give, even if x is
/// zero of either sign, infinite or NaN; others are calls of the C library.
struct ExpandSmallPower : OpRewritePattern<math::PowFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::PowFOp op,
                                PatternRewriter &rewriter) const override {
    llvm::APFloat exponent(0.0f);
    if (isa<TensorType>(op.getType()) ||
        !matchPattern(op.getRhs(), m_ConstantFloat(&exponent)))
      return failure();
    Emitter emit(rewriter, op.getLoc(), op.getType());
    Value x = op.getLhs(), result;
    if (exponent.isZero()) // of NaN, too
      result = emit.constant(1);
    else if (exponent.isExactlyValue(1.0))
      result = x;
    else if (exponent.isExactlyValue(2.0))
      result = emit.multiply(x, x);
    else if (exponent.isExactlyValue(3.0))
      result = emit.multiply(emit.multiply(x, x), x);
    else if (exponent.isExactlyValue(-1.0))
      result = emit.divide(emit.constant(1), x);
    else if (exponent.isExactlyValue(-2.0)) {
      // 1 / (x * x) would be 0 where the power is denormal.
      Value inverse = emit.divide(emit.constant(1), x);
      result = emit.multiply(inverse, inverse);
    } else if (exponent.isExactlyValue(0.5) || exponent.isExactlyValue(-0.5)) {
      // A root keeps the sign of zero and has none of -infinity.
      Value root = math::SqrtOp::create(emit.builder, emit.add(x, 0.0));
      bool isInverse = exponent.isNegative();
      if (isInverse)
        root = emit.divide(emit.constant(1), root);
      Value isInfinite = emit.isEqual(
          x, emit.constant(-std::numeric_limits<double>::infinity()));
      result = emit.select(
          isInfinite, isInverse ? emit.constant(0) : emit.infinity(), root);
    } else
      return failure();
    rewriter.replaceOp(op, result);
    return success();
  }
};

/// x to a whole number n, in f64, where every i32 is exact: |x| to n, with the
/// sign of x where n is odd.
struct ExpandWholePower : OpRewritePattern<math::FPowIOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::FPowIOp op,
                                PatternRewriter &rewriter) const override {
    Type type = op.getType(), integer = op.getRhs().getType();
    Type element = getElementTypeOrSelf(type);
    if (isa<TensorType>(type) || !(element.isF32() || element.isF64()))
      return failure();
    Emitter emit(rewriter, op.getLoc(), type);
    Value x = op.getLhs(), n = op.getRhs();
    llvm::APInt exponent;
    if (matchPattern(n, m_ConstantInt(&exponent)) &&
        exponent.getSignificantBits() <= 24) {
      rewriter.replaceOpWithNewOp<math::PowFOp>(
          op, x, emit.constant(exponent.getSExtValue()));
      return success();
    }
    auto withElement = [&](Type like, Type other) -> Type {
      auto vector = dyn_cast<VectorType>(like);
      return vector ? Type(vector.clone(other)) : other;
    };
    Type wide = withElement(type, rewriter.getF64Type());
    Value magnitude = math::AbsFOp::create(emit.builder, x);
    if (wide != type)
      magnitude = arith::ExtFOp::create(emit.builder, wide, magnitude);
    Value power =
        math::PowFOp::create(emit.builder, magnitude,
                             arith::SIToFPOp::create(emit.builder, wide, n));
    if (wide != type)
      power = arith::TruncFOp::create(emit.builder, type, power);
    Value one = createScalarOrSplatConstant(rewriter, op.getLoc(), integer, 1);
    Value isOdd =
        arith::CmpIOp::create(emit.builder, arith::CmpIPredicate::eq,
                              arith::AndIOp::create(emit.builder, n, one), one);
    rewriter.replaceOp(
        op, emit.select(isOdd, math::CopySignOp::create(emit.builder, power, x),
                        power));
    return success();
  }
};

/// exp(x) - 1 without cancellation: for u = exp(x) as computed, rounding errors
/// of u - 1 and log(u) are the same, so their quotient times x is exact to a
/// few ulp (Kahan).
struct ExpandExpM1 : OpRewritePattern<math::ExpM1Op> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::ExpM1Op op,
                                PatternRewriter &rewriter) const override {
    if (isa<TensorType>(op.getType()))
      return failure();
    Emitter emit(rewriter, op.getLoc(), op.getType());
    Value x = op.getOperand();
    Value u = math::ExpOp::create(emit.builder, x);
    Value less = emit.add(u, -1);
    Value quotient = emit.divide(x, math::LogOp::create(emit.builder, u));
    Value result = emit.multiply(less, quotient);
    // If u is 1, the result is x; if it is tiny or huge, u - 1 is exact enough,
    // and the quotient may be one of infinities.
    result = emit.select(emit.isEqual(u, emit.constant(1)), x, result);
    Value isSmall = arith::CmpFOp::create(
        emit.builder, arith::CmpFPredicate::OLT,
        math::AbsFOp::create(emit.builder, x), emit.constant(40));
    rewriter.replaceOp(op, emit.select(isSmall, result, less));
    return success();
  }
};

/// log(1 + x) likewise.
struct ExpandLog1p : OpRewritePattern<math::Log1pOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::Log1pOp op,
                                PatternRewriter &rewriter) const override {
    if (isa<TensorType>(op.getType()))
      return failure();
    Emitter emit(rewriter, op.getLoc(), op.getType());
    Value x = op.getOperand();
    Value u = emit.add(x, 1);
    Value logarithm = math::LogOp::create(emit.builder, u);
    Value result = emit.multiply(logarithm, emit.divide(x, emit.add(u, -1)));
    result = emit.select(emit.isEqual(u, emit.constant(1)), x, result);
    rewriter.replaceOp(
        op, emit.select(emit.isEqual(u, emit.infinity()), u, result));
    return success();
  }
};

/// Upstream's expansion wrongly takes the minimum with the lower bound.
struct ExpandClamp : OpRewritePattern<math::ClampFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::ClampFOp op,
                                PatternRewriter &rewriter) const override {
    Value raised = arith::MaximumFOp::create(
        rewriter, op.getLoc(), op.getValue(), op.getMin(), op.getFastmath());
    rewriter.replaceOpWithNewOp<arith::MinimumFOp>(op, raised, op.getMax(),
                                                   op.getFastmath());
    return success();
  }
};

/// An integer to a power, by squares; a negative power divides 1 by it, which
/// leaves 0 but for bases of 1 and -1.
struct ExpandIntegerPower : OpRewritePattern<math::IPowIOp> {
  using OpRewritePattern<math::IPowIOp>::OpRewritePattern;

  LogicalResult matchAndRewrite(math::IPowIOp op,
                                PatternRewriter &rewriter) const override {
    Type type = op.getType();
    auto vector = dyn_cast<VectorType>(type);
    Type element = getElementTypeOrSelf(type);
    if (isa<TensorType>(type) || (vector && vector.isScalable()))
      return failure();
    unsigned width = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    auto constant = [&](const APInt &value) {
      return createScalarOrSplatConstant(b, b.getLoc(), type, value);
    };
    auto is = [&](arith::CmpIPredicate predicate, Value x, const APInt &y) {
      return arith::CmpIOp::create(b, predicate, x, constant(y)).getResult();
    };
    auto select = [&](Value condition, Value x, Value y) {
      return arith::SelectOp::create(b, condition, x, y).getResult();
    };
    APInt zeroBits = APInt::getZero(width), oneBits(width, 1),
          minusOneBits = APInt::getAllOnes(width);
    Value base = op.getLhs(), power = op.getRhs(), one = constant(oneBits),
          zero = constant(zeroBits), square = base, result = one;
    for (unsigned k = 0; k + 1 < width; ++k) {
      Value bit = arith::AndIOp::create(
          b, power, constant(APInt::getOneBitSet(width, k)));
      Value isSet = is(arith::CmpIPredicate::ne, bit, zeroBits);
      result = select(isSet, arith::MulIOp::create(b, result, square), result);
      square = arith::MulIOp::create(b, square, square);
    }
    // The sign of -1 to a power depends on the last bit alone.
    Value isOdd = is(arith::CmpIPredicate::ne,
                     arith::AndIOp::create(b, power, one), zeroBits);
    Value sign = select(isOdd, base, one);
    Value isUnit =
        arith::OrIOp::create(b, is(arith::CmpIPredicate::eq, base, oneBits),
                             is(arith::CmpIPredicate::eq, base, minusOneBits));
    Value isNegative = is(arith::CmpIPredicate::slt, power, zeroBits);
    rewriter.replaceOp(op,
                       select(isNegative, select(isUnit, sign, zero), result));
    return success();
  }
};

struct ApproximateMathPass
    : impl::ApproximateMathPassBase<ApproximateMathPass> {
  using ApproximateMathPassBase::ApproximateMathPassBase;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<ExpandFunction<math::ExpOp, &Float32Functions::emitExp>,
                 ExpandFunction<math::ErfOp, &Float32Functions::emitErf>,
                 ExpandFunction<math::ErfcOp, &Float32Functions::emitErfc>,
                 ExpandFunction<math::TanhOp, &Float32Functions::emitTanh>,
                 ExpandFunction<math::LogOp, &Float32Functions::emitLog>>(
        &getContext(), scaleInstruction);
    patterns.add<ExpandClamp, ExpandExpM1, ExpandIntegerPower, ExpandLog1p,
                 ExpandSmallPower, ExpandWholePower>(&getContext());
    GreedyRewriteConfig config;
    config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
    applySoundPatterns(getOperation(), std::move(patterns), config);
  }
};
} // namespace
} // namespace mlir::symshape
