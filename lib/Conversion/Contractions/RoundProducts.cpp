//===- RoundProducts.cpp - Products of f32 by numbers of bf16 -------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where the user asks for it, the operands of products of f32 are rounded to
// bf16. Sums and all that is done to them stay f32. Not for: how products of
// bf16 are tiled (FormContractions).
//
//===----------------------------------------------------------------------===//

#include "symshape/Conversion/Passes.h"
#include "symshape/IR/Precision.h"

#include "Structure/Contraction.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mlir::symshape {
#define GEN_PASS_DEF_ROUNDPRODUCTSPASS
#include "symshape/Conversion/Passes.h.inc"
} // namespace mlir::symshape

using namespace mlir;
using namespace mlir::symshape;

static Value roundElements(OpBuilder &b, Location loc, Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  Value empty = tensor::EmptyOp::create(
      b, loc, tensor::getMixedSizes(b, loc, value), b.getBF16Type());
  SmallVector<AffineMap> maps(2, b.getMultiDimIdentityMap(type.getRank()));
  SmallVector<utils::IteratorType> kinds(type.getRank(),
                                         utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             b, loc, empty.getType(), value, empty, maps, kinds,
             [](OpBuilder &b, Location loc, ValueRange arguments) {
               Value rounded = arith::TruncFOp::create(b, loc, b.getBF16Type(),
                                                       arguments[0]);
               linalg::YieldOp::create(b, loc, rounded);
             })
      .getResult(0);
}

/// `value` rounded. What only moves numbers, as a border around an image does,
/// moves rounded ones: rounding is then done by what computes them.
static Value roundValue(OpBuilder &b, Location loc, Value value) {
  Operation *op = value.getDefiningOp();
  auto typeOf = [&](Value source) {
    return cast<RankedTensorType>(value.getType())
        .clone(cast<ShapedType>(source.getType()).getElementType());
  };
  if (auto pad = dyn_cast_if_present<tensor::PadOp>(op)) {
    Value border = pad.getConstantPaddingValue();
    if (!border)
      return roundElements(b, loc, value);
    Value source = roundValue(b, loc, pad.getSource());
    border = arith::TruncFOp::create(b, loc, b.getBF16Type(), border);
    return tensor::PadOp::create(b, loc, typeOf(source), source,
                                 pad.getMixedLowPad(), pad.getMixedHighPad(),
                                 border);
  }
  if (auto collapse = dyn_cast_if_present<tensor::CollapseShapeOp>(op)) {
    Value source = roundValue(b, loc, collapse.getSrc());
    return tensor::CollapseShapeOp::create(b, loc, typeOf(source), source,
                                           collapse.getReassociationIndices());
  }
  if (auto expand = dyn_cast_if_present<tensor::ExpandShapeOp>(op)) {
    Value source = roundValue(b, loc, expand.getSrc());
    return tensor::ExpandShapeOp::create(b, loc, typeOf(source), source,
                                         expand.getReassociationIndices(),
                                         expand.getMixedOutputShape());
  }
  if (auto transpose = dyn_cast_if_present<linalg::TransposeOp>(op)) {
    Value source = roundValue(b, loc, transpose.getInput());
    return makeTranspose(b, loc, source, transpose.getPermutation());
  }
  return roundElements(b, loc, value);
}

/// `op` with rounded operands, added up in f32.
static linalg::GenericOp makeRounded(OpBuilder &b, linalg::LinalgOp op) {
  Location loc = op.getLoc();
  SmallVector<Value> operands =
      llvm::map_to_vector(op.getDpsInputs(), [&](Value value) {
        return roundValue(b, loc, value);
      });
  Value init = op.getDpsInits()[0];
  return linalg::GenericOp::create(
      b, loc, init.getType(), operands, init, op.getIndexingMapsArray(),
      op.getIteratorTypesArray(),
      [](OpBuilder &b, Location loc, ValueRange arguments) {
        Type type = b.getF32Type();
        Value left = arith::ExtFOp::create(b, loc, type, arguments[0]);
        Value right = arith::ExtFOp::create(b, loc, type, arguments[1]);
        Value product = arith::MulFOp::create(b, loc, left, right);
        Value sum = arith::AddFOp::create(b, loc, arguments[2], product);
        linalg::YieldOp::create(b, loc, sum);
      });
}

namespace {
struct RoundProductsPass
    : symshape::impl::RoundProductsPassBase<RoundProductsPass> {
  void runOnOperation() override {
    SmallVector<linalg::LinalgOp> ops;
    ProductPrecision precision(Precision::Kind::BF16);
    getOperation()->walk([&](linalg::LinalgOp op) {
      if (multipliesFloats(op) && precision.of(op) == Precision::Kind::BF16)
        ops.push_back(op);
    });
    precision.warnOfUnused(getOperation());
    if (ops.empty())
      return;
    IRRewriter rewriter(&getContext());
    for (linalg::LinalgOp op : ops) {
      FailureOr<ContractionMatch> match = matchContraction(op);
      if (failed(match))
        continue;
      rewriter.setInsertionPoint(op);
      linalg::GenericOp rounded = makeRounded(rewriter, op);
      match = matchContraction(rounded);
      if (succeeded(match) && match->isBFloatProduct)
        rewriter.replaceOp(op, rounded);
      else
        rewriter.eraseOp(rounded);
    }
  }
};
} // namespace
