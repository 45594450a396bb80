//===- ExpandReshapes.cpp - Expanded buffers by explicit metadata ---------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rewrites memref.expand_shape by the extents that it is given. MLIR 22 derives
// them from the source, which is impossible, and crashes, if two dynamic
// dimensions come from one. Other views are left to expand-strided-metadata,
// which folds operands that are constants into attributes, where negative
// numbers are refused: behind a check that always fails, these are replaced.
//
//===----------------------------------------------------------------------===//

#include "symshape/Conversion/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::symshape {
#define GEN_PASS_DEF_EXPANDRESHAPESPASS
#include "symshape/Conversion/Passes.h.inc"
} // namespace mlir::symshape

using namespace mlir;
using namespace mlir::symshape;

static void expandReshape(IRRewriter &rewriter, memref::ExpandShapeOp op) {
  rewriter.setInsertionPoint(op);
  Location loc = op.getLoc();
  auto metadata =
      memref::ExtractStridedMetadataOp::create(rewriter, loc, op.getSrc());
  auto [resultStrides, resultOffset] = op.getResultType().getStridesAndOffset();
  SmallVector<OpFoldResult> sizes = op.getMixedOutputShape();
  SmallVector<OpFoldResult> strides(sizes.size());
  AffineExpr product =
      rewriter.getAffineSymbolExpr(0) * rewriter.getAffineSymbolExpr(1);
  for (auto [group, stride] : llvm::zip(op.getReassociationIndices(),
                                        metadata.getConstifiedMixedStrides())) {
    OpFoldResult running = stride;
    for (int64_t dim : llvm::reverse(group)) {
      strides[dim] = running;
      running = affine::makeComposedFoldedAffineApply(rewriter, loc, product,
                                                      {running, sizes[dim]});
    }
  }
  // The result type may know a stride that is computed here, and the reverse.
  for (auto [stride, type] : llvm::zip(strides, resultStrides)) {
    if (!ShapedType::isDynamic(type))
      stride = rewriter.getIndexAttr(type);
    else
      stride = getValueOrCreateConstantIndexOp(rewriter, loc, stride);
  }
  OpFoldResult offset = ShapedType::isDynamic(resultOffset)
                            ? OpFoldResult(metadata.getOffset())
                            : OpFoldResult(rewriter.getIndexAttr(resultOffset));
  rewriter.replaceOpWithNewOp<memref::ReinterpretCastOp>(
      op, op.getResultType(), metadata.getBaseBuffer(), offset, sizes, strides);
}

/// No call gets to a view at a negative offset, or of a negative size.
static void replaceNegativeOperands(OpBuilder &builder, memref::SubViewOp op) {
  builder.setInsertionPoint(op);
  for (OpOperand &operand :
       llvm::concat<OpOperand>(op.getOffsetsMutable(), op.getSizesMutable()))
    if (getConstantIntValue(operand.get()).value_or(0) < 0)
      operand.set(arith::ConstantIndexOp::create(builder, op.getLoc(), 0));
}

namespace {
struct ExpandReshapesPass
    : symshape::impl::ExpandReshapesPassBase<ExpandReshapesPass> {
  void runOnOperation() override {
    SmallVector<memref::ExpandShapeOp> ops;
    getOperation()->walk([&](memref::ExpandShapeOp op) { ops.push_back(op); });
    IRRewriter rewriter(&getContext());
    for (memref::ExpandShapeOp op : ops)
      expandReshape(rewriter, op);
    getOperation()->walk(
        [&](memref::SubViewOp op) { replaceNegativeOperands(rewriter, op); });
  }
};
} // namespace
