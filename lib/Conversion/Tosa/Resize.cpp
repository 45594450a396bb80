//===- Resize.cpp - Other numbers of pixels -------------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Places and weights as the specification has them, in whole numbers, for
// symshape.resample.
//
//===----------------------------------------------------------------------===//

#include "Images.h"
#include "ScalarOps.h"
#include "Structure/Loops.h"
#include "TosaLowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/TypeUtilities.h"
#include "symshape/IR/ResampleOps.h"
#include "symshape/IR/SumType.h"

using namespace mlir;
using namespace mlir::symshape;

namespace {
/// Place `o` of the result lies at `(o * d + offset) / n` of the input, for
/// `count` places.
struct ResizeAxis {
  Value n, d, offset;
  OpFoldResult count;
};
} // namespace

/// A table of an element for each of some taps and each place of the result.
/// `body` gets the tap, the place of the input before that of the result, and
/// how far behind it that lies, in parts of n.
static Value makeTable(
    OpBuilder &b, Location loc, const ResizeAxis &axis, int64_t taps, Type type,
    function_ref<Value(OpBuilder &, Value tap, Value whole, Value part)> body) {
  SmallVector<Value> dynamic;
  SmallVector<int64_t> shape;
  dispatchIndexOpFoldResults({b.getIndexAttr(taps), axis.count}, dynamic,
                             shape);
  return tensor::GenerateOp::create(
      b, loc, RankedTensorType::get(shape, type), dynamic,
      [&](OpBuilder &b, Location loc, ValueRange at) {
        ArithBuilder numbers(b, loc);
        Value scaled = numbers.add(numbers.mul(at[1], axis.d), axis.offset);
        Value whole = arith::FloorDivSIOp::create(b, loc, scaled, axis.n);
        Value part = numbers.sub(scaled, numbers.mul(whole, axis.n));
        tensor::YieldOp::create(b, loc, body(b, at[0], whole, part));
      });
}

/// The nearest place, the one behind at a half; or, for two taps, that before
/// and that behind.
static Value makePlaces(OpBuilder &b, Location loc, const ResizeAxis &axis,
                        bool isNearest) {
  Value zero = makeIndex(b, loc, 0), one = makeIndex(b, loc, 1);
  return makeTable(
      b, loc, axis, isNearest ? 1 : 2, b.getIndexType(),
      [&](OpBuilder &b, Value tap, Value whole, Value part) {
        ArithBuilder numbers(b, loc);
        if (!isNearest)
          return numbers.add(whole, tap);
        Value isBefore = numbers.slt(numbers.add(part, part), axis.n);
        return numbers.add(whole, numbers.select(isBefore, zero, one));
      });
}

/// The weights of the two neighbours: multiples of 1/n, times n for integers.
static Value makeWeights(OpBuilder &b, Location loc, const ResizeAxis &axis,
                         Type type) {
  Value zero = makeIndex(b, loc, 0);
  Type exact = isa<FloatType>(type) && type.getIntOrFloatBitWidth() <= 32
                   ? b.getF32Type()
                   : type;
  return makeTable(
      b, loc, axis, 2, type, [&](OpBuilder &b, Value tap, Value, Value part) {
        ArithBuilder numbers(b, loc);
        auto number = [&](Value v) {
          v = arith::IndexCastOp::create(b, loc, b.getI64Type(), v);
          return convertNumber(b, loc, v, exact);
        };
        Value isFirst =
            arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, tap, zero);
        Value weight =
            number(numbers.select(isFirst, numbers.sub(axis.n, part), part));
        if (isa<FloatType>(type))
          weight = arith::DivFOp::create(b, loc, weight, number(axis.n));
        return convertNumber(b, loc, weight, type);
      });
}

Value TosaLowering::resize(tosa::ResizeOp op) {
  Location loc = op.getLoc();
  SmallVector<OpFoldResult> scale = shapes.elementsOf(op.getScale());
  SmallVector<OpFoldResult> offset = shapes.elementsOf(op.getOffset());
  SmallVector<OpFoldResult> border = shapes.elementsOf(op.getBorder());
  if (scale.size() != 4 || offset.size() != 2 || border.size() != 2)
    return Value();
  Value image = op.getInput();
  auto type = cast<RankedTensorType>(op.getType());
  bool isNearest = op.getMode() == tosa::ResizeMode::NEAREST_NEIGHBOR;
  SmallVector<int64_t> shape(
      cast<RankedTensorType>(image.getType()).getShape());
  SmallVector<Value> places, weights;
  OpFoldResult one = b.getIndexAttr(1);
  for (int64_t i = 0; i < 2; ++i) {
    OpFoldResult last =
        subIndices(b, loc, tensor::getMixedSize(b, loc, image, 1 + i), one);
    OpFoldResult reach = addIndices(
        b, loc,
        subIndices(b, loc, mulIndices(b, loc, last, scale[2 * i]), offset[i]),
        border[i]);
    ResizeAxis axis{
        makeIndex(b, loc, scale[2 * i]), makeIndex(b, loc, scale[2 * i + 1]),
        makeIndex(b, loc, offset[i]),
        addIndices(b, loc, divIndices(b, loc, reach, scale[2 * i + 1]), one)};
    if (!type.isDynamicDim(1 + i))
      axis.count = b.getIndexAttr(type.getDimSize(1 + i));
    shape[1 + i] =
        getConstantIntValue(axis.count).value_or(ShapedType::kDynamic);
    places.push_back(makePlaces(b, loc, axis, isNearest));
    if (!isNearest)
      weights.push_back(
          makeWeights(b, loc, axis, getSumType(type.getElementType())));
  }
  Type sumType =
      isNearest ? type.getElementType() : getSumType(type.getElementType());
  Value sums =
      ResampleOp::create(b, loc, RankedTensorType::get(shape, sumType), image,
                         places, weights, ArrayRef<int64_t>{1, 2});
  if (sumType == type.getElementType())
    return sums;
  return arith::TruncFOp::create(
      b, loc, RankedTensorType::get(shape, type.getElementType()), sums);
}
