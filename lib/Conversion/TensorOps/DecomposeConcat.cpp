//===- DecomposeConcat.cpp - Parts of a concatenation -------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DecomposeConcat.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::symshape;

namespace {
struct DecomposeConcat : OpRewritePattern<tensor::ConcatOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tensor::ConcatOp op,
                                PatternRewriter &b) const override {
    Location loc = op.getLoc();
    auto sum = [&](OpFoldResult x, OpFoldResult y) -> OpFoldResult {
      if (getConstantIntValue(x) && getConstantIntValue(y))
        return b.getIndexAttr(*getConstantIntValue(x) +
                              *getConstantIntValue(y));
      return arith::AddIOp::create(b, loc,
                                   getValueOrCreateConstantIndexOp(b, loc, x),
                                   getValueOrCreateConstantIndexOp(b, loc, y))
          .getResult();
    };
    int64_t dim = op.getDim();
    SmallVector<SmallVector<OpFoldResult>> sizes;
    SmallVector<OpFoldResult> ends{b.getIndexAttr(0)};
    for (Value part : op.getInputs()) {
      sizes.push_back(tensor::getMixedSizes(b, loc, part));
      ends.push_back(sum(ends.back(), sizes.back()[dim]));
    }
    SmallVector<OpFoldResult> offsets(sizes[0].size(), b.getIndexAttr(0)),
        strides(sizes[0].size(), b.getIndexAttr(1)), all(sizes[0]);
    all[dim] = ends.back();
    Value whole =
        tensor::EmptyOp::create(b, loc, all, op.getType().getElementType());
    for (auto [part, own, begin] : llvm::zip(op.getInputs(), sizes, ends)) {
      offsets[dim] = begin;
      whole = tensor::InsertSliceOp::create(b, loc, part, whole, offsets, own,
                                            strides);
    }
    if (whole.getType() != op.getType())
      whole = tensor::CastOp::create(b, loc, op.getType(), whole);
    b.replaceOp(op, whole);
    return success();
  }
};
} // namespace

void symshape::populateDecomposeConcatPatterns(RewritePatternSet &patterns) {
  patterns.add<DecomposeConcat>(patterns.getContext());
}
