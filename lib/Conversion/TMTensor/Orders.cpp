//===- Orders.cpp - Sort and topk of tm_tensor ----------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TMTensorLowering.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "symshape/IR/Slices.h"

using namespace mlir;
using namespace mlir::symshape;

static RankedTensorType tensorType(Value tensor) {
  return cast<RankedTensorType>(tensor.getType());
}

LogicalResult TMTensorLowering::checkOrdered(Type element) {
  if (isa<FloatType>(element) ||
      (element.isSignlessInteger() && !element.isInteger(1)))
    return success();
  return op->emitOpError("expected floats, or integers of more than one bit, "
                         "but got ")
         << element;
}

/// `tensor` in another order along an axis.
Value TMTensorLowering::permute(Value tensor, Value permutation, int64_t axis) {
  Value empty = tensor::EmptyOp::create(
      b, loc, tensor::getMixedSizes(b, loc, permutation),
      tensorType(tensor).getElementType());
  return elementwise(
      permutation, empty,
      [&](OpBuilder &inner, Location where, ValueRange v) -> Value {
        SmallVector<Value> at;
        for (int64_t d = 0; d < tensorType(tensor).getRank(); ++d)
          at.push_back(d == axis
                           ? Value(arith::IndexCastOp::create(
                                 inner, where, inner.getIndexType(), v[0]))
                           : Value(linalg::IndexOp::create(inner, where, d)));
        return tensor::ExtractOp::create(inner, where, tensor, at);
      });
}

LogicalResult TMTensorLowering::lower(tm_tensor::TMSortOp sort) {
  auto order = readRegionOrder(sort.getRegion());
  if (!order)
    return op->emitOpError("expected a region that compares the elements of "
                           "one output, as floats or integers");
  Value keys = sort.getOutputs()[order->operand];
  RankedTensorType type = tensorType(keys);
  if (failed(checkOrdered(type.getElementType())))
    return failure();
  for (Value other : sort.getOutputs())
    if (failed(requireSameExtents(keys, other, "the outputs")))
      return failure();
  int64_t axis = sort.getDimension();
  auto places = RankedTensorType::get(type.getShape(), b.getI64Type());
  Operation *sorted =
      order->descending
          ? TopKOp::create(b, loc, type, places, keys, extent(keys, axis), axis)
          : SortOp::create(b, loc, type, places, keys, axis).getOperation();
  SmallVector<Value> results;
  for (auto [i, output] : llvm::enumerate(sort.getOutputs()))
    results.push_back(i == order->operand
                          ? sorted->getResult(0)
                          : permute(output, sorted->getResult(1), axis));
  return replace(results);
}

/// Whether all elements are the one that comes last in an order.
static bool isFilledWithLast(Value tensor, bool descending) {
  auto fill = tensor.getDefiningOp<linalg::FillOp>();
  Attribute value;
  if (!fill || !matchPattern(fill.getInputs()[0], m_Constant(&value)))
    return false;
  if (auto number = dyn_cast<FloatAttr>(value))
    return number.getValue().isInfinity() &&
           number.getValue().isNegative() == descending;
  auto number = dyn_cast<IntegerAttr>(value);
  return number && (descending ? number.getValue().isMinSignedValue()
                               : number.getValue().isMaxSignedValue());
}

LogicalResult TMTensorLowering::lower(tm_tensor::TMTopKOp top) {
  auto order = readRegionOrder(top.getRegion());
  if (!order || !order->strict)
    return op->emitOpError("expected a region that says whether one element is "
                           "greater, or less, as floats or integers");
  Value input = top.getInputs()[0];
  Value values = top.getOutputs()[0], places = top.getOutputs()[1];
  RankedTensorType type = tensorType(input);
  if (failed(checkOrdered(type.getElementType())))
    return failure();
  if (top.getInputs().size() != 1)
    return op->emitOpError("expected places along the axis alone, but got an "
                           "input of places");
  if (!isFilledWithLast(values, order->descending))
    return op->emitOpError("expected an output of values that is filled with "
                           "the last value of the order");
  int64_t axis = top.getDimension();
  if (failed(requireSameExtents(input, values, "the input and the values",
                                axis)) ||
      failed(requireSameExtents(values, places, "the values and the places")))
    return failure();
  Value size = extent(values, axis);
  Type placeType = tensorType(places).getElementType();
  if (order->descending) {
    SmallVector<int64_t> shape(type.getShape());
    shape[axis] = tensorType(values).getDimSize(axis);
    auto first = TopKOp::create(
        b, loc, RankedTensorType::get(shape, type.getElementType()),
        RankedTensorType::get(shape, placeType), input, size, axis);
    return replace(first.getResults());
  }
  auto sorted = SortOp::create(
      b, loc, type, RankedTensorType::get(type.getShape(), placeType), input,
      axis);
  SmallVector<OpFoldResult> offsets(type.getRank(), b.getIndexAttr(0));
  SmallVector<OpFoldResult> ones(type.getRank(), b.getIndexAttr(1));
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, input);
  sizes[axis] = getAsOpFoldResult(size);
  SmallVector<Value> results;
  for (Value one : sorted.getResults())
    results.push_back(extractSlice(b, loc, one, {offsets, sizes, ones}));
  return replace(results);
}
