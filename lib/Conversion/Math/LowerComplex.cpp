//===- LowerComplex.cpp - Functions of complex numbers --------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions of complex numbers by functions of their parts, as upstream does.
// Not for: sums and products, which the conversion to LLVM lowers.
//
//===----------------------------------------------------------------------===//

#include "symshape/Conversion/Passes.h"
#include "symshape/Transforms/Canonicalizer.h"

#include "mlir/Conversion/ComplexToStandard/ComplexToStandard.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::symshape {
#define GEN_PASS_DEF_LOWERCOMPLEXPASS
#include "symshape/Conversion/Passes.h.inc"

/// Whether the conversion to LLVM lowers `op` well: it forms absolute values
/// and quotients by way of squares, which overflow.
static bool isSimple(Operation *op) {
  return isa<complex::AddOp, complex::BitcastOp, complex::ConstantOp,
             complex::CreateOp, complex::ImOp, complex::MulOp, complex::ReOp,
             complex::SubOp>(op);
}

namespace {
/// sin(x + iy) = sin x cosh y + i cos x sinh y. Upstream takes the difference
/// of two exponentials for sinh y, which has no digits left for a small y.
struct ExpandSine : OpConversionPattern<complex::SinOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(complex::SinOp op, OpAdaptor operands,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Value x = complex::ReOp::create(b, operands.getComplex());
    Value y = complex::ImOp::create(b, operands.getComplex());
    Value re = arith::MulFOp::create(b, math::SinOp::create(b, x),
                                     math::CoshOp::create(b, y));
    Value im = arith::MulFOp::create(b, math::CosOp::create(b, x),
                                     math::SinhOp::create(b, y));
    rewriter.replaceOpWithNewOp<complex::CreateOp>(op, op.getType(), re, im);
    return success();
  }
};

struct LowerComplexPass : impl::LowerComplexPassBase<LowerComplexPass> {
  void runOnOperation() override {
    auto result = getOperation()->walk([](Operation *op) {
      bool isFunction =
          isa_and_nonnull<complex::ComplexDialect>(op->getDialect()) &&
          !isSimple(op);
      return isFunction ? WalkResult::interrupt() : WalkResult::advance();
    });
    if (!result.wasInterrupted())
      return;
    RewritePatternSet patterns(&getContext());
    populateComplexToStandardConversionPatterns(patterns);
    patterns.add<ExpandSine>(&getContext(), /*benefit=*/2);
    ConversionTarget target(getContext());
    target.addLegalDialect<arith::ArithDialect, math::MathDialect>();
    target.addDynamicallyLegalDialect<complex::ComplexDialect>(isSimple);
    if (failed(
            applySoundConversion(getOperation(), target, std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
} // namespace mlir::symshape
