//===- TensorDerivatives.cpp - Derivatives of tensor ----------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Slices, concatenations, casts, reshapes and elements: linear ops, each its
// own derivative.
//
//===----------------------------------------------------------------------===//

#include "DerivativeHelpers.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "symshape/Extensions/AllExtensions.h"
#include "symshape/IR/Diagnostics.h"
#include "symshape/IR/Slices.h"

using namespace mlir;
using namespace mlir::symshape;

namespace {
template <typename OpTy>
LogicalResult linearJvp(OpTy op, Tangents &tangents) {
  return applyToTangents(op, tangents);
}

//===----------------------------------------------------------------------===//
// Slices
//===----------------------------------------------------------------------===//

template <typename OpTy>
SliceBounds residualBounds(OpTy op, Cotangents &cotangents) {
  return {cotangents.residuals(op.getMixedOffsets()),
          cotangents.residuals(op.getMixedSizes()),
          cotangents.residuals(op.getMixedStrides())};
}

/// The transpose of a slice writes each element once: with a stride of 0
/// several are one element, which is refused.
LogicalResult requireStrides(Operation *op, const SliceBounds &bounds,
                             OpBuilder &b) {
  for (auto [d, stride, size] : llvm::enumerate(bounds.strides, bounds.sizes)) {
    std::optional<int64_t> constant = getConstantIntValue(stride);
    std::optional<int64_t> count = getConstantIntValue(size);
    if ((constant && *constant != 0) || (count && *count <= 1))
      continue;
    std::string field = "strides[" + std::to_string(d) + "]";
    if (constant && count)
      return emitFieldError(op, field, "to be other than 0 for its derivative",
                            "0");
    StringRef relation = constant ? "n <= 1"
                         : count  ? "s != 0"
                                  : "1 <= max(s, max(-1*s, 2 - n))";
    auto check = AssertOp::create(
        b, op->getLoc(), relation, {{"s", stride}, {"n", size}},
        "the derivative of a slice needs a stride that is not 0");
    check->setAttr(kTriple,
                   b.getStringAttr(makeTriple(primitiveName(op), field, "0")));
  }
  return success();
}

LogicalResult extractSliceTranspose(tensor::ExtractSliceOp op,
                                    Cotangents &cotangents) {
  OpBuilder &b = cotangents.builder();
  SliceBounds bounds = residualBounds(op, cotangents);
  if (failed(requireStrides(op, bounds, b)))
    return failure();
  Location loc = op.getLoc();
  Value cotangent = cotangents.of(op.getResult());
  if (Value sum = cotangents.of(op.getSource()))
    cotangent = makeSum(b, loc, extractSlice(b, loc, sum, bounds, op.getType()),
                        cotangent);
  cotangents.replace(
      op.getSource(),
      insertSlice(b, loc, cotangent, cotangents.sumOf(op.getSource()), bounds));
  return success();
}

LogicalResult insertSliceTranspose(tensor::InsertSliceOp op,
                                   Cotangents &cotangents) {
  OpBuilder &b = cotangents.builder();
  Value cotangent = cotangents.of(op.getResult());
  SliceBounds bounds = residualBounds(op, cotangents);
  bool isActive = cotangents.isLinear(op.getSource());
  if (isActive && failed(requireStrides(op, bounds, b)))
    return failure();
  if (isActive)
    cotangents.add(op.getSource(), extractSlice(b, op.getLoc(), cotangent,
                                                bounds, op.getSourceType()));
  if (cotangents.isLinear(op.getDest()))
    cotangents.add(op.getDest(),
                   insertSlice(b, op.getLoc(), cotangents.zeros(op.getSource()),
                               cotangent, bounds));
  return success();
}

LogicalResult padJvp(tensor::PadOp op, Tangents &tangents) {
  Value padding = op.getConstantPaddingValue();
  if (!padding || tangents.of(padding))
    return emitFieldError(op, "value", "to be constant for its derivative",
                          "a computed value");
  OpBuilder &b = tangents.builder();
  Value zero = makeZero(b, op.getLoc(), padding.getType(), {});
  // A width that became a constant makes an extent static.
  Value padded =
      tensor::PadOp::create(b, op.getLoc(), Type(), tangents.of(op.getSource()),
                            op.getMixedLowPad(), op.getMixedHighPad(), zero);
  if (padded.getType() != op.getType())
    padded = tensor::CastOp::create(b, op.getLoc(), op.getType(), padded);
  tangents.set(op.getResult(), padded);
  return success();
}

LogicalResult padTranspose(tensor::PadOp op, Cotangents &cotangents) {
  OpBuilder &b = cotangents.builder();
  SliceBounds bounds{cotangents.residuals(op.getMixedLowPad()),
                     cotangents.extents(op.getSource()),
                     SmallVector<OpFoldResult>(op.getSourceType().getRank(),
                                               b.getIndexAttr(1))};
  cotangents.add(
      op.getSource(),
      extractSlice(b, op.getLoc(), cotangents.of(op.getResult()), bounds));
  return success();
}

/// Each piece is a slice, at an offset that is a sum of extents at run time.
LogicalResult concatTranspose(tensor::ConcatOp op, Cotangents &cotangents) {
  OpBuilder &b = cotangents.builder();
  Location loc = op.getLoc();
  int64_t rank = op.getResultType().getRank(), axis = op.getDim();
  SmallVector<OpFoldResult> offsets(rank, b.getIndexAttr(0));
  SmallVector<OpFoldResult> ones(rank, b.getIndexAttr(1));
  AffineExpr x, y;
  bindDims(b.getContext(), x, y);
  for (Value piece : op.getInputs()) {
    SmallVector<OpFoldResult> sizes = cotangents.extents(piece);
    if (cotangents.isLinear(piece))
      cotangents.add(piece, extractSlice(b, loc, cotangents.of(op.getResult()),
                                         {offsets, sizes, ones}));
    offsets[axis] = affine::makeComposedFoldedAffineApply(
        b, loc, x + y, {offsets[axis], sizes[axis]});
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Reshapes
//===----------------------------------------------------------------------===//

/// The sum casts to the type of the operand.
LogicalResult castTranspose(tensor::CastOp op, Cotangents &cotangents) {
  cotangents.add(op.getSource(), cotangents.of(op.getResult()));
  return success();
}

LogicalResult collapseTranspose(tensor::CollapseShapeOp op,
                                Cotangents &cotangents) {
  cotangents.add(op.getSrc(),
                 tensor::ExpandShapeOp::create(
                     cotangents.builder(), op.getLoc(), op.getSrcType(),
                     cotangents.of(op.getResult()),
                     op.getReassociationIndices(),
                     cotangents.extents(op.getSrc())));
  return success();
}

LogicalResult expandTranspose(tensor::ExpandShapeOp op,
                              Cotangents &cotangents) {
  cotangents.add(op.getSrc(),
                 tensor::CollapseShapeOp::create(cotangents.builder(),
                                                 op.getLoc(), op.getSrcType(),
                                                 cotangents.of(op.getResult()),
                                                 op.getReassociationIndices()));
  return success();
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

LogicalResult extractTranspose(tensor::ExtractOp op, Cotangents &cotangents) {
  OpBuilder &b = cotangents.builder();
  Location loc = op.getLoc();
  SmallVector<Value> indices = cotangents.residuals(op.getIndices());
  Value cotangent = cotangents.of(op.getResult());
  if (Value sum = cotangents.of(op.getTensor()))
    cotangent = makeSum(b, loc, tensor::ExtractOp::create(b, loc, sum, indices),
                        cotangent);
  cotangents.replace(op.getTensor(),
                     tensor::InsertOp::create(b, loc, cotangent,
                                              cotangents.sumOf(op.getTensor()),
                                              indices));
  return success();
}

LogicalResult insertTranspose(tensor::InsertOp op, Cotangents &cotangents) {
  OpBuilder &b = cotangents.builder();
  Value cotangent = cotangents.of(op.getResult());
  SmallVector<Value> indices = cotangents.residuals(op.getIndices());
  if (cotangents.isLinear(op.getDest()))
    cotangents.add(op.getDest(),
                   tensor::InsertOp::create(b, op.getLoc(),
                                            cotangents.zeros(op.getScalar()),
                                            cotangent, indices));
  if (cotangents.isLinear(op.getScalar()))
    cotangents.add(op.getScalar(), tensor::ExtractOp::create(
                                       b, op.getLoc(), cotangent, indices));
  return success();
}

LogicalResult fromElementsTranspose(tensor::FromElementsOp op,
                                    Cotangents &cotangents) {
  OpBuilder &b = cotangents.builder();
  ArrayRef<int64_t> shape = op.getType().getShape();
  for (auto [number, element] : llvm::enumerate(op.getElements())) {
    if (!cotangents.isLinear(element))
      continue;
    SmallVector<Value> position(shape.size());
    int64_t rest = number;
    for (int64_t d = shape.size() - 1; d >= 0; --d) {
      position[d] =
          arith::ConstantIndexOp::create(b, op.getLoc(), rest % shape[d]);
      rest /= shape[d];
    }
    cotangents.add(
        element, tensor::ExtractOp::create(
                     b, op.getLoc(), cotangents.of(op.getResult()), position));
  }
  return success();
}
} // namespace

void symshape::registerTensorDerivatives(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, tensor::TensorDialect *) {
    using namespace mlir::tensor;
    attachDerivatives<CastOp, linearJvp<CastOp>, castTranspose>(context);
    attachDerivatives<CollapseShapeOp, linearJvp<CollapseShapeOp>,
                      collapseTranspose>(context);
    attachDerivatives<ConcatOp, linearJvp<ConcatOp>, concatTranspose>(context);
    attachDerivatives<ExpandShapeOp, linearJvp<ExpandShapeOp>, expandTranspose>(
        context);
    attachDerivatives<ExtractOp, linearJvp<ExtractOp>, extractTranspose>(
        context);
    attachDerivatives<ExtractSliceOp, linearJvp<ExtractSliceOp>,
                      extractSliceTranspose>(context);
    attachDerivatives<FromElementsOp, linearJvp<FromElementsOp>,
                      fromElementsTranspose>(context);
    attachDerivatives<InsertOp, linearJvp<InsertOp>, insertTranspose>(context);
    attachDerivatives<InsertSliceOp, linearJvp<InsertSliceOp>,
                      insertSliceTranspose>(context);
    attachDerivatives<tensor::PadOp, padJvp, padTranspose>(context);
  });
}
