//===- GatheredResize.cpp - Images resized by gathers ---------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An axis at a time: the rows (or columns) that lie before and behind each
// place of the result, and their mean. It makes more tensors than a loop that
// reads all four neighbours (Windows.cpp), but each step has a derivative.
//
//===----------------------------------------------------------------------===//

#include "Loops.h"
#include "ScalarOps.h"
#include "TosaLowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/TypeUtilities.h"
#include "symshape/IR/SymShape.h"

using namespace mlir;
using namespace mlir::symshape;

namespace {
/// Place `o` of the result lies at `(o * d + offset) / n` of the input.
struct Axis {
  Value n, d, offset, last; ///< the last place of the input
  OpFoldResult count;       ///< of places of the result
};
} // namespace

/// A tensor with an element for each place of the result. `body` gets the place
/// of the input before it, and how far behind that it lies, in parts of n.
static Value makeForPlaces(
    OpBuilder &b, Location loc, const Axis &axis, Type element,
    function_ref<Value(OpBuilder &, Location, Value whole, Value part)> body) {
  SmallVector<Value> dynamic;
  SmallVector<int64_t> shape;
  dispatchIndexOpFoldResults(axis.count, dynamic, shape);
  return tensor::GenerateOp::create(
      b, loc, RankedTensorType::get(shape, element), dynamic,
      [&](OpBuilder &b, Location loc, ValueRange at) {
        ArithBuilder numbers(b, loc);
        Value scaled =
            numbers.add(numbers.mul(at.front(), axis.d), axis.offset);
        Value whole = arith::FloorDivSIOp::create(b, loc, scaled, axis.n);
        Value part = numbers.sub(scaled, numbers.mul(whole, axis.n));
        tensor::YieldOp::create(b, loc, body(b, loc, whole, part));
      });
}

/// Places of the input: `behind` more than the one before; the nearest one that
/// there is. `isNearest`: one more for a part of at least a half.
static Value makePlaces(OpBuilder &b, Location loc, const Axis &axis,
                        int64_t behind, bool isNearest) {
  return makeForPlaces(
      b, loc, axis, b.getIndexType(),
      [&](OpBuilder &b, Location loc, Value whole, Value part) -> Value {
        ArithBuilder numbers(b, loc);
        Value place = numbers.add(whole, makeIndex(b, loc, behind));
        if (isNearest) {
          Value isSecond =
              arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge,
                                    numbers.add(part, part), axis.n);
          place = numbers.add(place, arith::SelectOp::create(
                                         b, loc, isSecond, makeIndex(b, loc, 1),
                                         makeIndex(b, loc, 0)));
        }
        place = arith::MaxSIOp::create(b, loc, place, makeIndex(b, loc, 0));
        return arith::MinSIOp::create(b, loc, place, axis.last);
      });
}

/// How much the place behind counts, from 0 to 1.
static Value makeParts(OpBuilder &b, Location loc, const Axis &axis,
                       Type type) {
  Type exact = type.getIntOrFloatBitWidth() > 32 ? type : b.getF32Type();
  return makeForPlaces(
      b, loc, axis, type, [&](OpBuilder &b, Location loc, Value, Value part) {
        auto number = [&](Value v) -> Value {
          v = arith::IndexCastOp::create(b, loc, b.getI64Type(), v);
          return arith::SIToFPOp::create(b, loc, exact, v);
        };
        Value quotient =
            arith::DivFOp::create(b, loc, number(part), number(axis.n));
        return convertScalarToDtype(b, loc, quotient, type,
                                    /*isUnsignedCast=*/false);
      });
}

/// The rows (dimension 1) or columns (2) of an image at these places.
static Value gatherAlong(OpBuilder &b, Location loc, Value image, Value places,
                         int64_t d) {
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, image);
  SmallVector<OpFoldResult> window(sizes);
  window[d] = b.getIndexAttr(1);
  sizes[d] = tensor::getMixedSize(b, loc, places, 0);
  SmallVector<Value> dynamic, unused;
  SmallVector<int64_t> fixed, shape, others;
  dispatchIndexOpFoldResults(sizes, unused, shape);
  dispatchIndexOpFoldResults(window, dynamic, fixed);
  for (int64_t other = 0; other < 4; ++other)
    if (other != d)
      others.push_back(other);
  return GatherOp::create(
      b, loc, RankedTensorType::get(shape, getElementTypeOrSelf(image)), image,
      places, dynamic, fixed, GatherMode::Clip, /*fill_value=*/TypedAttr(),
      /*offset_dims=*/others, /*collapsed_slice_dims=*/d,
      /*operand_batching_dims=*/{}, /*start_indices_batching_dims=*/{},
      /*start_index_map=*/d, /*index_vector_dim=*/1);
}

/// What lies between two images, by the part for each place of dimension `d`.
static Value mix(OpBuilder &b, Location loc, Value first, Value second,
                 Value parts, int64_t d) {
  AffineMap identity = b.getMultiDimIdentityMap(4);
  AffineMap along = AffineMap::get(4, 0, b.getAffineDimExpr(d));
  SmallVector<utils::IteratorType> loops(4, utils::IteratorType::parallel);
  Type type = getElementTypeOrSelf(first);
  Value init = tensor::EmptyOp::create(
      b, loc, tensor::getMixedSizes(b, loc, first), type);
  return linalg::GenericOp::create(
             b, loc, init.getType(), ValueRange{first, second, parts}, init,
             ArrayRef{identity, identity, along, identity}, loops,
             [&](OpBuilder &b, Location loc, ValueRange args) {
               ArithBuilder numbers(b, loc);
               Value one =
                   arith::ConstantOp::create(b, loc, b.getFloatAttr(type, 1.0));
               Value rest = arith::SubFOp::create(b, loc, one, args[2]);
               linalg::YieldOp::create(
                   b, loc,
                   numbers.add(numbers.mul(args[0], rest),
                               numbers.mul(args[1], args[2])));
             })
      .getResult(0);
}

Value TosaLowering::resizeByGathers(tosa::ResizeOp op) {
  Location loc = op.getLoc();
  SmallVector<OpFoldResult> scale = shapes.elementsOf(op.getScale());
  SmallVector<OpFoldResult> offset = shapes.elementsOf(op.getOffset());
  SmallVector<OpFoldResult> border = shapes.elementsOf(op.getBorder());
  auto type = cast<RankedTensorType>(op.getType());
  if (scale.size() != 4 || offset.size() != 2 || border.size() != 2)
    return Value();
  Value image = op.getInput();
  OpFoldResult one = b.getIndexAttr(1);
  for (int64_t i = 0; i < 2; ++i) {
    OpFoldResult last =
        subIndices(b, loc, tensor::getMixedSize(b, loc, image, 1 + i), one);
    OpFoldResult reach = addIndices(
        b, loc,
        subIndices(b, loc, mulIndices(b, loc, last, scale[2 * i]), offset[i]),
        border[i]);
    Axis axis{
        makeIndex(b, loc, scale[2 * i]), makeIndex(b, loc, scale[2 * i + 1]),
        makeIndex(b, loc, offset[i]), makeIndex(b, loc, last),
        addIndices(b, loc, divIndices(b, loc, reach, scale[2 * i + 1]), one)};
    if (!type.isDynamicDim(1 + i))
      axis.count = b.getIndexAttr(type.getDimSize(1 + i));
    bool isNearest = op.getMode() == tosa::ResizeMode::NEAREST_NEIGHBOR;
    Value first = gatherAlong(b, loc, image,
                              makePlaces(b, loc, axis, 0, isNearest), 1 + i);
    if (isNearest) {
      image = first;
      continue;
    }
    Value second =
        gatherAlong(b, loc, image, makePlaces(b, loc, axis, 1, false), 1 + i);
    image = mix(b, loc, first, second,
                makeParts(b, loc, axis, type.getElementType()), 1 + i);
  }
  return image;
}
