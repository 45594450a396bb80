//===- AudioToLinalg.cpp - Frames as slices -------------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Audio.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
using namespace audio;

/// `signal[number * hop : number * hop + window]`, as offset and size.
static std::pair<SmallVector<OpFoldResult>, SmallVector<OpFoldResult>>
windowOf(ImplicitLocOpBuilder &b, Value number, int64_t hop,
         OpFoldResult window) {
  Value offset =
      arith::MulIOp::create(b, number, arith::ConstantIndexOp::create(b, hop));
  return {{OpFoldResult(offset)}, {window}};
}

/// A loop over the rows of frames that carries a tensor.
static Value forEachRow(
    ImplicitLocOpBuilder &b, Value rows, Value init,
    function_ref<Value(ImplicitLocOpBuilder &, Value number, Value carried)>
        body) {
  Value zero = arith::ConstantIndexOp::create(b, 0),
        one = arith::ConstantIndexOp::create(b, 1);
  auto loop = scf::ForOp::create(
      b, zero, rows, one, init,
      [&](OpBuilder &inner, Location loc, Value number, ValueRange carried) {
        ImplicitLocOpBuilder at(loc, inner);
        scf::YieldOp::create(at, body(at, number, carried.front()));
      });
  return loop.getResult(0);
}

static Value castTo(ImplicitLocOpBuilder &b, Value value, Type type) {
  return value.getType() == type ? value
                                 : tensor::CastOp::create(b, type, value);
}

namespace {
struct LowerFrames : OpRewritePattern<FramesOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(FramesOp op,
                                PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    ReifiedRankedShapedTypeDims shapes;
    if (failed(op.reifyResultShapes(rewriter, shapes)))
      return failure();
    Value rows = cast<Value>(shapes[0][0]);
    OpFoldResult one = b.getIndexAttr(1), width = shapes[0][1];
    auto element = cast<RankedTensorType>(op.getType()).getElementType();
    Value init = tensor::EmptyOp::create(b, ArrayRef<OpFoldResult>{rows, width},
                                         element);
    Value frames = forEachRow(
        b, rows, init,
        [&](ImplicitLocOpBuilder &at, Value number, Value carried) -> Value {
          auto [offset, size] = windowOf(at, number, op.getHop(), width);
          Value row = tensor::ExtractSliceOp::create(at, op.getSignal(), offset,
                                                     size, one);
          return tensor::InsertSliceOp::create(
              at, row, carried,
              ArrayRef<OpFoldResult>{number, at.getIndexAttr(0)},
              ArrayRef<OpFoldResult>{one, width},
              ArrayRef<OpFoldResult>{one, one});
        });
    rewriter.replaceOp(op, castTo(b, frames, op.getType()));
    return success();
  }
};

struct LowerOverlapAdd : OpRewritePattern<OverlapAddOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(OverlapAddOp op,
                                PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Type element = cast<RankedTensorType>(op.getType()).getElementType();
    Value rows = tensor::DimOp::create(b, op.getFrames(), 0);
    OpFoldResult one = b.getIndexAttr(1),
                 width = tensor::getMixedSize(b, b.getLoc(), op.getFrames(), 1);
    Value zero = arith::ConstantOp::create(b, b.getZeroAttr(element));
    Value init = tensor::EmptyOp::create(
        b, ArrayRef<OpFoldResult>{op.getLength()}, element);
    init = linalg::FillOp::create(b, zero, init).getResult(0);
    Value signal = forEachRow(
        b, rows, init,
        [&](ImplicitLocOpBuilder &at, Value number, Value carried) -> Value {
          auto [offset, size] = windowOf(at, number, op.getHop(), width);
          Value sum =
              tensor::ExtractSliceOp::create(at, carried, offset, size, one);
          Value row = tensor::ExtractSliceOp::create(
              at, cast<RankedTensorType>(sum.getType()), op.getFrames(),
              ArrayRef<OpFoldResult>{number, at.getIndexAttr(0)},
              ArrayRef<OpFoldResult>{one, width},
              ArrayRef<OpFoldResult>{one, one});
          sum = linalg::AddOp::create(at, ValueRange{sum, row}, ValueRange{sum})
                    .getResult(0);
          return tensor::InsertSliceOp::create(at, sum, carried, offset, size,
                                               one);
        });
    rewriter.replaceOp(op, castTo(b, signal, op.getType()));
    return success();
  }
};

struct AudioToLinalgPass
    : PassWrapper<AudioToLinalgPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(AudioToLinalgPass)

  StringRef getArgument() const override { return "audio-to-linalg"; }
  StringRef getDescription() const override {
    return "Lowers ops of audio to loops over slices of tensors";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<arith::ArithDialect, linalg::LinalgDialect, scf::SCFDialect,
                    tensor::TensorDialect>();
  }

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<LowerFrames, LowerOverlapAdd>(&getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace

void audio::registerAudioToLinalgPass() {
  PassRegistration<AudioToLinalgPass>();
}
