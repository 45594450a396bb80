//===- ExpandSmallFloats.cpp - bf16 and f16 by way of f32 -----------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Arithmetic of bf16 and f16 in f32, and conversions in terms of integers.
// Otherwise LLVM calls a function for each element if the target has no
// instruction, and the instruction of AVX-512 for bf16 takes denormals as zero.
// Not for: functions of the math dialect (MathExtendToSupportedTypes).
//
//===----------------------------------------------------------------------===//

#include "symshape/Conversion/Passes.h"
#include "symshape/Transforms/Canonicalizer.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace mlir::symshape {
#define GEN_PASS_DEF_EXPANDSMALLFLOATSPASS
#include "symshape/Conversion/Passes.h.inc"
} // namespace mlir::symshape

using namespace mlir;
using namespace mlir::symshape;

namespace {
/// What has to be done to an f32 that becomes a bf16.
enum class Rounding {
  none,   ///< it is exact
  finite, ///< a NaN has zeros in the last 16 bits
  any
};

/// Emits conversions of scalars, or of vectors of one shape.
class Converter {
public:
  Converter(OpBuilder &builder, Value like)
      : builder(like.getLoc(), builder), shape(like.getType()) {}

  /// The f32 next to a value of f64 whose last bit is 1, unless the value is
  /// exact in f32. Rounding it again to a type of at most 22 bits of precision
  /// gives what rounding the value itself gives: halfway cases stay apart.
  Value roundToOdd(Value x);
  /// To nearest, ties to even; NaN stays NaN, overflow is infinity.
  Value toBFloat(Value x, Rounding rounding);
  Value toHalf(Value x);
  Value fromBFloat(Value x);
  Value fromHalf(Value x);
  /// a*b + c in f64, rounded to odd, for operands of bf16 or f16.
  Value multiplyAdd(Value a, Value b, Value c);
  /// An i64 that is exact in f64 and is rounded like `x` to 22 bits or less.
  Value dropBits(Value x, bool isSigned);

  Type withElement(Type element) {
    auto vector = dyn_cast<VectorType>(shape);
    return vector ? Type(vector.clone(element)) : element;
  }

  ImplicitLocOpBuilder builder;

private:
  Value constant(Type element, int64_t value) {
    llvm::APInt number(element.getIntOrFloatBitWidth(), value, true);
    return createScalarOrSplatConstant(builder, builder.getLoc(),
                                       withElement(element), number);
  }
  Value bits(int64_t value) { return constant(builder.getI32Type(), value); }
  Value toBits(Value x) {
    return cast<arith::BitcastOp>(x, builder.getI32Type());
  }
  Value toFloat(Value x) {
    return cast<arith::BitcastOp>(x, builder.getF32Type());
  }
  template <typename Op>
  Value cast(Value x, Type element) {
    return Op::create(builder, withElement(element), x);
  }
  Value add(Value x, Value y) { return arith::AddIOp::create(builder, x, y); }
  Value subtract(Value x, Value y) {
    return arith::SubIOp::create(builder, x, y);
  }
  Value both(Value x, Value y) { return arith::AndIOp::create(builder, x, y); }
  Value either(Value x, Value y) { return arith::OrIOp::create(builder, x, y); }
  Value left(Value x, int64_t by) {
    return arith::ShLIOp::create(builder, x, bits(by));
  }
  Value right(Value x, int64_t by) {
    return arith::ShRUIOp::create(builder, x, bits(by));
  }
  Value select(Value condition, Value x, Value y) {
    return arith::SelectOp::create(builder, condition, x, y);
  }
  Value exceeds(Value x, int64_t bound) {
    return arith::CmpIOp::create(builder, arith::CmpIPredicate::ugt, x,
                                 bits(bound));
  }
  Value compare(arith::CmpFPredicate predicate, Value x, Value y) {
    return arith::CmpFOp::create(builder, predicate, x, y);
  }
  Value sum(Value x, Value y) { return arith::AddFOp::create(builder, x, y); }
  Value difference(Value x, Value y) {
    return arith::SubFOp::create(builder, x, y);
  }
  /// `x` increased so that its bits before the last `dropped` are those of the
  /// rounded number.
  Value roundBits(Value x, int64_t dropped) {
    Value isOdd = both(right(x, dropped), bits(1));
    return add(add(x, isOdd), bits((1 << (dropped - 1)) - 1));
  }
  /// The bits of a number of a type of 16 bits, behind 16 zeros.
  Value fromSmall(Value x) {
    return cast<arith::ExtUIOp>(cast<arith::BitcastOp>(x, builder.getI16Type()),
                                builder.getI32Type());
  }
  /// The number of the last 16 bits.
  Value toSmall(Value all, Type type) {
    return cast<arith::BitcastOp>(
        cast<arith::TruncIOp>(all, builder.getI16Type()), type);
  }

  Type shape; ///< of what is converted
};
} // namespace

/// Bits of f32.
static constexpr int64_t kInfinityBits = 0x7f800000, kMagnitude = 0x7fffffff;

Value Converter::roundToOdd(Value x) {
  Value nearest = cast<arith::TruncFOp>(x, builder.getF32Type());
  Value back = cast<arith::ExtFOp>(nearest, builder.getF64Type());
  // False for NaN.
  Value isInexact = compare(arith::CmpFPredicate::ONE, back, x);
  Value isLarger =
      compare(arith::CmpFPredicate::OGT, math::AbsFOp::create(builder, back),
              math::AbsFOp::create(builder, x));
  Value toZero = subtract(toBits(nearest),
                          cast<arith::ExtUIOp>(isLarger, builder.getI32Type()));
  return select(isInexact, toFloat(either(toZero, bits(1))), nearest);
}

Value Converter::toBFloat(Value x, Rounding rounding) {
  Value all = toBits(x), result = all;
  if (rounding != Rounding::none)
    result = roundBits(all, 16);
  if (rounding == Rounding::any) {
    // A quiet NaN: the addition could carry the payload into the sign.
    Value isNaN = compare(arith::CmpFPredicate::UNO, x, x);
    result = select(isNaN, either(all, bits(0x400000)), result);
  }
  return toSmall(right(result, 16), builder.getBF16Type());
}

Value Converter::toHalf(Value x) {
  Value all = toBits(x);
  Value magnitude = both(all, bits(kMagnitude));
  // Exponents are biased by 127 in f32 and by 15 in f16.
  Value unbiased = subtract(magnitude, bits((127 - 15) << 23));
  Value normal = right(roundBits(unbiased, 13), 13);
  // Below 2^-14 f16 counts in units of 2^-24, as f32 does from 0.5 to 1.
  Value half = bits(0x3f000000);
  Value shifted =
      arith::AddFOp::create(builder, toFloat(magnitude), toFloat(half));
  Value small = subtract(toBits(shifted), half);
  Value result =
      select(exceeds(magnitude, ((127 - 14) << 23) - 1), normal, small);
  // From 65520 numbers round to 65536, which f16 does not have.
  result = select(exceeds(magnitude, 0x477fefff), bits(0x7c00), result);
  Value quiet = either(bits(0x7e00), both(right(all, 13), bits(0x1ff)));
  result = select(exceeds(magnitude, kInfinityBits), quiet, result);
  result = either(result, both(right(all, 16), bits(0x8000)));
  return toSmall(result, builder.getF16Type());
}

Value Converter::fromBFloat(Value x) { return toFloat(left(fromSmall(x), 16)); }

Value Converter::fromHalf(Value x) {
  Value all = fromSmall(x);
  Value magnitude = left(both(all, bits(0x7fff)), 13);
  // The difference of the biases as a factor: exact, for denormals as well.
  Value scaled = arith::MulFOp::create(builder, toFloat(magnitude),
                                       toFloat(bits((127 + 127 - 15) << 23)));
  Value special = either(magnitude, bits(kInfinityBits));
  Value result =
      select(exceeds(magnitude, (0x7c00 << 13) - 1), special, toBits(scaled));
  return toFloat(either(result, left(both(all, bits(0x8000)), 16)));
}

/// The product of two numbers of at most 11 bits is exact in f64. The rest of
/// its sum s with c is exact as well (Knuth's two-sum; nothing in it is near
/// the ends of the range of f64 unless c is NaN, and then so is the rest). If
/// the rest is not 0, the exact sum lies between s and one of its neighbours,
/// and of these two the one with a last bit of 1 is taken: no shorter type has
/// a number or a halfway case there, so that rounding it again gives what
/// rounding the exact sum gives.
Value Converter::multiplyAdd(Value a, Value b, Value c) {
  Type f64 = builder.getF64Type(), i64 = builder.getI64Type();
  c = cast<arith::ExtFOp>(c, f64);
  Value p = arith::MulFOp::create(builder, cast<arith::ExtFOp>(a, f64),
                                  cast<arith::ExtFOp>(b, f64));
  Value s = sum(p, c), taken = difference(s, p);
  Value rest = sum(difference(p, difference(s, taken)), difference(c, taken));
  Value all = cast<arith::BitcastOp>(s, i64);
  Value zero = cast<arith::BitcastOp>(constant(i64, 0), f64);
  Value isInexact = compare(arith::CmpFPredicate::ONE, rest, zero);
  Value isEven =
      arith::CmpIOp::create(builder, arith::CmpIPredicate::eq,
                            both(all, constant(i64, 1)), constant(i64, 0));
  // Magnitudes of floats are in the order of their bits.
  Value isBeyond = compare(arith::CmpFPredicate::OGT,
                           arith::MulFOp::create(builder, rest, s), zero);
  Value step = select(isBeyond, constant(i64, 1), constant(i64, -1));
  Value odd = cast<arith::BitcastOp>(add(all, step), f64);
  return select(both(isInexact, isEven), odd, s);
}

Value Converter::dropBits(Value x, bool isSigned) {
  Type type = builder.getI64Type();
  // f64 cannot hold the last 11 bits of numbers beyond 2^53.
  constexpr int64_t exact = int64_t(1) << 53, dropped = 0x7ff;
  Value isLarge =
      isSigned ? arith::CmpIOp::create(builder, arith::CmpIPredicate::ugt,
                                       add(x, constant(type, exact)),
                                       constant(type, 2 * exact))
               : arith::CmpIOp::create(builder, arith::CmpIPredicate::ugt, x,
                                       constant(type, exact));
  Value isInexact = arith::CmpIOp::create(builder, arith::CmpIPredicate::ne,
                                          both(x, constant(type, dropped)),
                                          constant(type, 0));
  Value odd = select(isInexact, constant(type, dropped + 1), constant(type, 0));
  return select(isLarge, either(both(x, constant(type, ~dropped)), odd), x);
}

/// True if each number of `x`, an f32, is one of bf16. Looks through `depth`
/// ops: operands that meet again would be looked at once for each path.
static bool isExactInBFloat(Value x, unsigned depth = 4) {
  Operation *op = x.getDefiningOp();
  if (auto extension = dyn_cast_or_null<arith::ExtFOp>(op))
    return getElementTypeOrSelf(extension.getIn().getType()).isBF16();
  llvm::APFloat number(0.0f);
  if (matchPattern(x, m_ConstantFloat(&number))) {
    bool isInexact = false;
    number.convert(llvm::APFloat::BFloat(), llvm::APFloat::rmNearestTiesToEven,
                   &isInexact);
    return !isInexact;
  }
  if (depth == 0 ||
      !isa_and_nonnull<arith::NegFOp, arith::MaximumFOp, arith::MinimumFOp,
                       arith::SelectOp, math::AbsFOp, math::CopySignOp>(op))
    return false;
  auto numbers = op->getOperands().drop_front(isa<arith::SelectOp>(op));
  return llvm::all_of(
      numbers, [&](Value part) { return isExactInBFloat(part, depth - 1); });
}

/// How `x`, an f32, is rounded to bf16. On a CPU a NaN that arithmetic gives is
/// that of an operand, made quiet, or the processor's default, whose payload is
/// 0; a GPU's default has ones.
static Rounding getRounding(Value x, bool keepsNaNs) {
  if (isExactInBFloat(x))
    return Rounding::none;
  Operation *op = x.getDefiningOp();
  bool isArithmetic = isa_and_nonnull<arith::AddFOp, arith::SubFOp,
                                      arith::MulFOp, arith::DivFOp>(op);
  return keepsNaNs && isArithmetic &&
                 llvm::all_of(op->getOperands(),
                              [](Value x) { return isExactInBFloat(x); })
             ? Rounding::finite
             : Rounding::any;
}

/// True for bf16 and f16, and vectors of them. Tensors have no bits.
static bool isSmall(Type type) {
  Type element = getElementTypeOrSelf(type);
  return !isa<TensorType>(type) && (element.isBF16() || element.isF16());
}

namespace {
/// Integers by way of f64, so that they are rounded once. Those of 16 bits are
/// exact in f32.
template <typename Op>
struct ConvertInteger : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    Value x = op.getIn();
    unsigned width = getElementTypeOrSelf(x.getType()).getIntOrFloatBitWidth();
    if (!isSmall(op.getType()) || width <= 16 || width > 64)
      return failure();
    Converter convert(rewriter, x);
    if (width == 64)
      x = convert.dropBits(x, std::is_same_v<Op, arith::SIToFPOp>);
    Type wide = convert.withElement(rewriter.getF64Type());
    x = Op::create(rewriter, op.getLoc(), wide, x);
    rewriter.template replaceOpWithNewOp<arith::TruncFOp>(op, op.getType(), x);
    return success();
  }
};

/// LLVM computes this in the small type, by the instruction that takes
/// denormals as zero. In f32 it would be rounded twice.
struct ExpandMultiplyAdd : OpRewritePattern<math::FmaOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::FmaOp op,
                                PatternRewriter &rewriter) const override {
    if (!isSmall(op.getType()))
      return failure();
    Converter convert(rewriter, op.getA());
    Value result = convert.multiplyAdd(op.getA(), op.getB(), op.getC());
    rewriter.replaceOpWithNewOp<arith::TruncFOp>(op, op.getType(), result);
    return success();
  }
};

/// One of two numbers, by a comparison: LLVM moves the op itself from f32 to
/// the small type.
template <typename Op, arith::CmpFPredicate isBeyond>
struct ExpandExtreme : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    if (!isSmall(op.getType()))
      return failure();
    Location loc = op.getLoc();
    Value x = op.getLhs(), y = op.getRhs();
    Value takesSecond = arith::CmpFOp::create(rewriter, loc, isBeyond, y, x);
    Value isNaN =
        arith::CmpFOp::create(rewriter, loc, arith::CmpFPredicate::UNO, x, x);
    takesSecond = arith::OrIOp::create(rewriter, loc, takesSecond, isNaN);
    rewriter.template replaceOpWithNewOp<arith::SelectOp>(op, takesSecond, y,
                                                          x);
    return success();
  }
};

struct ExpandTruncation : OpRewritePattern<arith::TruncFOp> {
  ExpandTruncation(MLIRContext *context, bool hasHalfs, bool keepsNaNs)
      : OpRewritePattern(context), hasHalfs(hasHalfs), keepsNaNs(keepsNaNs) {}

  LogicalResult matchAndRewrite(arith::TruncFOp op,
                                PatternRewriter &rewriter) const override {
    Value x = op.getIn();
    Type from = getElementTypeOrSelf(x.getType());
    bool isHalf = getElementTypeOrSelf(op.getType()).isF16();
    auto rounding = op.getRoundingmode();
    if (!isSmall(op.getType()) || !(from.isF64() || from.isF32()) ||
        (isHalf && hasHalfs && from.isF32()) ||
        (rounding && *rounding != arith::RoundingMode::to_nearest_even))
      return failure();
    Converter convert(rewriter, x);
    if (from.isF64())
      x = convert.roundToOdd(x);
    if (isHalf && hasHalfs)
      x = arith::TruncFOp::create(rewriter, op.getLoc(), op.getType(), x);
    else
      x = isHalf ? convert.toHalf(x)
                 : convert.toBFloat(x, getRounding(x, keepsNaNs));
    rewriter.replaceOp(op, x);
    return success();
  }

  bool hasHalfs, keepsNaNs;
};

/// LLVM would compare, negate and choose bf16 rather than what it extends them
/// to, and do so lane by lane.
struct ExpandExtension : OpRewritePattern<arith::ExtFOp> {
  ExpandExtension(MLIRContext *context, bool hasHalfs)
      : OpRewritePattern(context), hasHalfs(hasHalfs) {}

  LogicalResult matchAndRewrite(arith::ExtFOp op,
                                PatternRewriter &rewriter) const override {
    Value x = op.getIn();
    Type to = getElementTypeOrSelf(op.getType());
    bool isHalf = getElementTypeOrSelf(x.getType()).isF16();
    if (!isSmall(x.getType()) || !(to.isF32() || to.isF64()) ||
        (isHalf && hasHalfs))
      return failure();
    Converter convert(rewriter, x);
    x = isHalf ? convert.fromHalf(x) : convert.fromBFloat(x);
    if (to.isF64())
      x = arith::ExtFOp::create(rewriter, op.getLoc(), op.getType(), x);
    rewriter.replaceOp(op, x);
    return success();
  }

  bool hasHalfs;
};

struct ExpandSmallFloatsPass
    : symshape::impl::ExpandSmallFloatsPassBase<ExpandSmallFloatsPass> {
  using ExpandSmallFloatsPassBase::ExpandSmallFloatsPassBase;

  void runOnOperation() override {
    MLIRContext *context = &getContext();
    if (failed(generalizeContractions()))
      return signalPassFailure();
    RewritePatternSet single(context);
    single.add<ConvertInteger<arith::SIToFPOp>, ConvertInteger<arith::UIToFPOp>,
               ExpandExtreme<arith::MaxNumFOp, arith::CmpFPredicate::OGT>,
               ExpandExtreme<arith::MinNumFOp, arith::CmpFPredicate::OLT>,
               ExpandMultiplyAdd>(context);
    walkAndApplyPatterns(getOperation(), std::move(single));
    if (failed(extendArithmetic()))
      return signalPassFailure();
    // Each op rounds its result: if pairs of conversions could be left out,
    // results would depend on which ops are neighbours.
    getOperation()->walk([](Operation *op) {
      if (auto conversion = dyn_cast<arith::ExtFOp>(op))
        conversion.removeFastmathAttr();
      if (auto conversion = dyn_cast<arith::TruncFOp>(op))
        conversion.removeFastmathAttr();
    });
    // While extensions tell which numbers are exact.
    RewritePatternSet truncations(context);
    truncations.add<ExpandTruncation>(context, halfConversions, keepsNaNs);
    walkAndApplyPatterns(getOperation(), std::move(truncations));
    RewritePatternSet extensions(context);
    extensions.add<ExpandExtension>(context, halfConversions);
    walkAndApplyPatterns(getOperation(), std::move(extensions));
  }

  /// A product with a name verifies only with the body that goes with it.
  LogicalResult generalizeContractions() {
    SmallVector<linalg::LinalgOp> ops;
    getOperation()->walk([&](linalg::LinalgOp op) {
      if (!isa<linalg::GenericOp>(op) &&
          linalg::isaContractionOpInterface(op) &&
          llvm::any_of(op->getOperandTypes(), [](Type type) {
            Type element = getElementTypeOrSelf(type);
            return element.isF16() || element.isBF16();
          }))
        ops.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (linalg::LinalgOp op : ops) {
      rewriter.setInsertionPoint(op);
      if (failed(linalg::generalizeNamedOp(rewriter, op)))
        return failure();
    }
    return success();
  }

  /// Arithmetic of small floats in f32.
  LogicalResult extendArithmetic() {
    Builder builder(&getContext());
    TypeConverter types;
    arith::populateEmulateUnsupportedFloatsConversions(
        types, {builder.getBF16Type(), builder.getF16Type()},
        builder.getF32Type());
    RewritePatternSet patterns(&getContext());
    arith::populateEmulateUnsupportedFloatsPatterns(patterns, types);
    ConversionTarget target(getContext());
    arith::populateEmulateUnsupportedFloatsLegality(target, types);
    // A mask is over one op.
    target.addLegalOp<vector::MaskOp>();
    target.markOpRecursivelyLegal<vector::MaskOp>();
    return applySoundConversion(getOperation(), target, std::move(patterns));
  }
};
} // namespace
