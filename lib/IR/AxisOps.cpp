//===- AxisOps.cpp - Order and sums along an axis -------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Verification and shapes of reverse, cumsum, sort and top_k. Not for: their
// derivatives (AxisDerivatives.cpp) and lowering (Conversion).
//
//===----------------------------------------------------------------------===//

#include "TensorOpChecks.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::symshape;

/// Checks that the elements have an order.
static LogicalResult verifyOrdered(Operation *op, Value source) {
  Type element = getElementTypeOrSelf(source);
  if (isa<FloatType, IndexType>(element) ||
      (element.isSignlessInteger() && element.getIntOrFloatBitWidth() > 1))
    return success();
  return emitFieldError(
      op, "operand.element_type",
      "to be a float, an index, or an integer of more than one bit",
      llvm::to_string(element));
}

/// Checks that a tensor holds positions, and has the extents of another.
static LogicalResult verifyPositions(Operation *op, StringRef field,
                                     Value positions, Value like) {
  if (failed(verifyIndexElements(op, field, positions)))
    return failure();
  return verifySameShape(op, field, positions, like);
}

//===----------------------------------------------------------------------===//
// ReverseOp
//===----------------------------------------------------------------------===//

LogicalResult ReverseOp::verify() {
  // C1
  return verifyAxes(*this, "axes", getAxes(), rankOf(getSource()),
                    /*sorted=*/false);
}

OpFoldResult ReverseOp::fold(FoldAdaptor) {
  if (llvm::all_of(getAxes(), [&](int64_t axis) {
        int64_t extent = tensorTypeOf(getSource()).getDimSize(axis);
        return extent == 0 || extent == 1;
      }))
    return getSource();
  auto inner = getSource().getDefiningOp<ReverseOp>();
  return inner && inner.getAxes() == getAxes() ? inner.getSource()
                                               : OpFoldResult();
}

void ReverseOp::populateShapeFacts(ShapeFacts &facts) {
  facts.copyExtents(getSource(), getResult());
}

//===----------------------------------------------------------------------===//
// CumsumOp
//===----------------------------------------------------------------------===//

LogicalResult CumsumOp::verify() {
  // C1
  if (failed(verifyAxis(*this, getAxis(), rankOf(getSource()))))
    return failure();
  // C2
  return verifyNumberElements(*this, "operand", getSource());
}

void CumsumOp::populateShapeFacts(ShapeFacts &facts) {
  facts.copyExtents(getSource(), getResult());
}

//===----------------------------------------------------------------------===//
// SortOp
//===----------------------------------------------------------------------===//

LogicalResult SortOp::verify() {
  // C1
  if (failed(verifyAxis(*this, getAxis(), rankOf(getSource()))))
    return failure();
  // C2
  if (failed(verifyOrdered(*this, getSource())))
    return failure();
  // C3
  return verifyPositions(*this, "permutation", getPermutation(), getSource());
}

void SortOp::populateShapeFacts(ShapeFacts &facts) {
  facts.copyExtents(getSource(), getValues());
  for (int64_t d = 0; d < rankOf(getSource()); ++d)
    setOrRequireExtent(facts, getPermutation(), d, facts.dim(getSource(), d));
}

LogicalResult SortOp::reifyResultShapes(OpBuilder &builder,
                                        ReifiedRankedShapedTypeDims &shapes) {
  shapes.assign(2, tensor::getMixedSizes(builder, getLoc(), getSource()));
  return success();
}

//===----------------------------------------------------------------------===//
// TopKOp
//===----------------------------------------------------------------------===//

LogicalResult TopKOp::verify() {
  // C1
  if (failed(verifyAxis(*this, getAxis(), rankOf(getSource()))))
    return failure();
  // C2
  if (failed(verifyOrdered(*this, getSource())))
    return failure();
  // C3
  if (failed(verifyElementType(*this, "values", getValues(), getSource())))
    return failure();
  if (failed(verifySameShape(*this, "values", getValues(), getSource(),
                             /*except=*/getAxis())))
    return failure();
  return verifyPositions(*this, "positions", getPositions(), getValues());
}

void TopKOp::populateShapeFacts(ShapeFacts &facts) {
  Expr size = facts.value(getSize());
  requireSizeWithin(facts, size, facts.dim(getSource(), getAxis()), "size");
  for (int64_t d = 0; d < rankOf(getSource()); ++d) {
    Expr extent =
        d == static_cast<int64_t>(getAxis()) ? size : facts.dim(getSource(), d);
    setOrRequireExtent(facts, getValues(), d, extent);
    setOrRequireExtent(facts, getPositions(), d, extent);
  }
}

LogicalResult TopKOp::reifyResultShapes(OpBuilder &builder,
                                        ReifiedRankedShapedTypeDims &shapes) {
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(builder, getLoc(), getSource());
  sizes[getAxis()] = getSize();
  for (Value result : getResults())
    shapes.push_back(sizesOfResult(builder, result, sizes));
  return success();
}
