//===- ApproximateMath.cpp - Polynomials for math functions ---------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Chooses which functions are computed by polynomials on the CPU, which powers
// by products, and what a clamp is. Not for: the polynomials
// (Float32Functions.cpp).
//
//===----------------------------------------------------------------------===//

#include "symshape/Conversion/Passes.h"

#include "Float32Functions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

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

/// Squares and cubes, as layer norm is often written.
struct ExpandSmallPower : OpRewritePattern<math::PowFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::PowFOp op,
                                PatternRewriter &rewriter) const override {
    llvm::APFloat exponent(0.0f);
    if (!matchPattern(op.getRhs(), m_ConstantFloat(&exponent)) ||
        !(exponent.isExactlyValue(2.0) || exponent.isExactlyValue(3.0)))
      return failure();
    Value x = op.getLhs();
    Value result = arith::MulFOp::create(rewriter, op.getLoc(), x, x);
    if (exponent.isExactlyValue(3.0))
      result = arith::MulFOp::create(rewriter, op.getLoc(), result, x);
    rewriter.replaceOp(op, result);
    return success();
  }
};

/// Upstream's expansion takes the minimum with the lower bound.
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

struct ApproximateMathPass
    : impl::ApproximateMathPassBase<ApproximateMathPass> {
  using ApproximateMathPassBase::ApproximateMathPassBase;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<ExpandFunction<math::ExpOp, &Float32Functions::emitExp>,
                 ExpandFunction<math::ErfOp, &Float32Functions::emitErf>,
                 ExpandFunction<math::TanhOp, &Float32Functions::emitTanh>,
                 ExpandFunction<math::LogOp, &Float32Functions::emitLog>>(
        &getContext(), scaleInstruction);
    patterns.add<ExpandClamp, ExpandSmallPower>(&getContext());
    GreedyRewriteConfig config;
    config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
    if (failed(
            applyPatternsGreedily(getOperation(), std::move(patterns), config)))
      signalPassFailure();
  }
};
} // namespace
} // namespace mlir::symshape
