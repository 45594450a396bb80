//===- Windows.cpp - Pools and resize of tosa -----------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The border is padded first; what is left is one structured op, with channels
// last. Upstream's patterns take images of static extents only. Not for:
// convolutions (Convolutions).
//
//===----------------------------------------------------------------------===//

#include "Convolutions.h"
#include "Images.h"
#include "Loops.h"
#include "ScalarOps.h"
#include "TosaLowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "symshape/IR/SumType.h"
#include "symshape/IR/SymShape.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::symshape;

//===----------------------------------------------------------------------===//
// Pools
//===----------------------------------------------------------------------===//

/// How many places of a window from `first` on lie in the image.
static Value countInside(OpBuilder &b, Location loc, Value first,
                         int64_t kernel, Value extent) {
  Value end = arith::MinSIOp::create(
      b, loc, arith::AddIOp::create(b, loc, first, makeIndex(b, loc, kernel)),
      extent);
  Value begin = arith::MaxSIOp::create(b, loc, first, makeIndex(b, loc, 0));
  return arith::SubIOp::create(b, loc, end, begin);
}

/// An integer sum divided by `count`, from 1, as the specification divides: by
/// a multiplier of 31 bits and a shift.
static Value divideSum(OpBuilder &b, Location loc, Value sum, Value count) {
  Type i32 = b.getI32Type(), i64 = b.getI64Type(), i8 = b.getI8Type();
  auto number = [&](int64_t value, unsigned width) -> Value {
    return arith::ConstantIntOp::create(b, loc, value, width);
  };
  Value n = arith::IndexCastOp::create(b, loc, i32, count);
  Value zeros = math::CountLeadingZerosOp::create(
      b, loc, arith::SubIOp::create(b, loc, n, number(1, 32)));
  Value k = arith::SubIOp::create(b, loc, number(32, 32), zeros);
  Value numerator =
      arith::ShLIOp::create(b, loc, number((int64_t(1) << 30) + 1, 64),
                            arith::ExtUIOp::create(b, loc, i64, k));
  Value multiplier = arith::TruncIOp::create(
      b, loc, i32,
      arith::DivUIOp::create(b, loc, numerator,
                             arith::ExtUIOp::create(b, loc, i64, n)));
  Value shift = arith::TruncIOp::create(
      b, loc, i8, arith::AddIOp::create(b, loc, k, number(30, 32)));
  return tosa::ApplyScaleOp::create(b, loc, i32, sum, multiplier, shift,
                                    tosa::RoundingMode::SINGLE_ROUND);
}

Value TosaLowering::averagePool(tosa::AvgPool2dOp op) {
  Location loc = op.getLoc();
  Value input = op.getInput();
  Type element = getElementTypeOrSelf(input),
       sumType = getSumType(op.getAccType());
  ArrayRef<int64_t> kernel = op.getKernel(), pad = op.getPad(),
                    stride = op.getStride();
  Value inputZero = readZeroPoint(b, loc, op.getInputZp());
  Value outputZero = readZeroPoint(b, loc, op.getOutputZp());
  Value image =
      padImage(b, loc, input, pad, makeBorder(b, loc, input, inputZero));
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, input);
  SmallVector<Value> extents;
  for (size_t i = 0; i < 2; ++i) {
    extents.push_back(makeIndex(b, loc, sizes[1 + i]));
    sizes[1 + i] =
        countPlaces(b, loc, sizes[1 + i], pad[2 * i] + pad[2 * i + 1],
                    b.getIndexAttr(kernel[i]), 1, stride[i]);
  }
  Value empty = tensor::EmptyOp::create(b, loc, sizes, sumType);
  Value zero = makeZeroScalar(b, loc, sumType);
  Value init = linalg::FillOp::create(b, loc, zero, empty).getResult(0);
  Value window = tensor::EmptyOp::create(
      b, loc, {b.getIndexAttr(kernel[0]), b.getIndexAttr(kernel[1])}, sumType);
  AffineExpr n, y, x, c, ky, kx;
  bindDims(b.getContext(), n, y, x, c, ky, kx);
  AffineMap maps[] = {
      AffineMap::get(6, 0, {n, y * stride[0] + ky, x * stride[1] + kx, c},
                     b.getContext()),
      AffineMap::get(6, 0, {ky, kx}, b.getContext()),
      AffineMap::get(6, 0, {n, y, x, c}, b.getContext())};
  SmallVector<utils::IteratorType> loops(6, utils::IteratorType::parallel);
  loops[4] = loops[5] = utils::IteratorType::reduction;
  auto sums = linalg::GenericOp::create(
      b, loc, empty.getType(), ValueRange{image, window}, init, maps, loops,
      [&](OpBuilder &b, Location loc, ValueRange args) {
        Value v = centerNumber(b, loc, args[0], inputZero, sumType);
        linalg::YieldOp::create(b, loc, ArithBuilder(b, loc).add(args[2], v));
      });
  auto divide = [&](OpBuilder &b, Location loc, Value sum) {
    Value count = makeIndex(b, loc, 1);
    for (int64_t i = 0; i < 2; ++i) {
      Value place = linalg::IndexOp::create(b, loc, 1 + i);
      Value first = arith::SubIOp::create(
          b, loc,
          arith::MulIOp::create(b, loc, place, makeIndex(b, loc, stride[i])),
          makeIndex(b, loc, pad[2 * i]));
      count = arith::MulIOp::create(
          b, loc, count, countInside(b, loc, first, kernel[i], extents[i]));
    }
    if (!outputZero) {
      Value divisor = arith::SIToFPOp::create(
          b, loc, sumType,
          arith::IndexCastOp::create(b, loc, b.getI32Type(), count));
      return convertNumber(b, loc, arith::DivFOp::create(b, loc, sum, divisor),
                           element);
    }
    Value quotient = divideSum(b, loc, sum, count);
    Value v = arith::AddIOp::create(
        b, loc, quotient,
        convertNumber(b, loc, outputZero, quotient.getType()));
    return saturate(b, loc, v, element);
  };
  return mapElements(b, loc, sums.getResult(0), sizes, element, divide);
}

//===----------------------------------------------------------------------===//
// Resize
//===----------------------------------------------------------------------===//

namespace {
/// Where one axis of a result is read from.
struct ResizeAxis {
  Value n, d, offset, last; ///< scale n / d, and the last place of the input
};

/// The two places between which one lies, and how far behind the first, in
/// parts of n.
struct Between {
  Value first, second, part;
};
} // namespace

static Between findPlaces(OpBuilder &b, Location loc, const ResizeAxis &axis,
                          Value place) {
  Value zero = makeIndex(b, loc, 0), one = makeIndex(b, loc, 1);
  Value scaled = arith::AddIOp::create(
      b, loc, arith::MulIOp::create(b, loc, place, axis.d), axis.offset);
  Value whole = arith::FloorDivSIOp::create(b, loc, scaled, axis.n);
  Value part = arith::SubIOp::create(
      b, loc, scaled, arith::MulIOp::create(b, loc, whole, axis.n));
  auto clamp = [&](Value v) -> Value {
    return arith::MinSIOp::create(
        b, loc, arith::MaxSIOp::create(b, loc, v, zero), axis.last);
  };
  return {clamp(whole), clamp(arith::AddIOp::create(b, loc, whole, one)), part};
}

/// An element of the image, in the batch and the channel of the loops around.
static Value readPlace(OpBuilder &b, Location loc, Value image, Value y,
                       Value x) {
  Value n = linalg::IndexOp::create(b, loc, 0);
  Value c = linalg::IndexOp::create(b, loc, 3);
  return tensor::ExtractOp::create(b, loc, image, ValueRange{n, y, x, c});
}

static Value readNearest(OpBuilder &b, Location loc, Value image,
                         ArrayRef<ResizeAxis> axes, ArrayRef<Between> found) {
  SmallVector<Value> near;
  for (auto [axis, place] : llvm::zip(axes, found)) {
    Value twice = arith::AddIOp::create(b, loc, place.part, place.part);
    Value isSecond =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, twice, axis.n);
    near.push_back(
        arith::SelectOp::create(b, loc, isSecond, place.second, place.first));
  }
  return readPlace(b, loc, image, near[0], near[1]);
}

/// How much a place counts: in parts of n for integers, of 1 for floats.
static Value makeWeight(OpBuilder &b, Location loc, Value part, Value n,
                        Type type) {
  auto bits = [&](Value v) -> Value {
    return arith::IndexCastOp::create(b, loc, b.getI64Type(), v);
  };
  if (isa<IntegerType>(type))
    return convertNumber(b, loc, bits(part), type);
  Type exact = type.getIntOrFloatBitWidth() > 32 ? type : b.getF32Type();
  Value quotient = arith::DivFOp::create(
      b, loc, arith::SIToFPOp::create(b, loc, exact, bits(part)),
      arith::SIToFPOp::create(b, loc, exact, bits(n)));
  return convertNumber(b, loc, quotient, type);
}

static Value interpolate(OpBuilder &b, Location loc, Value image,
                         ArrayRef<ResizeAxis> axes, ArrayRef<Between> found,
                         Type type) {
  ArithBuilder numbers(b, loc);
  auto mix = [&](Value first, Value second, size_t i) {
    Value rest = arith::SubIOp::create(b, loc, axes[i].n, found[i].part);
    return numbers.add(
        numbers.mul(first, makeWeight(b, loc, rest, axes[i].n, type)),
        numbers.mul(second,
                    makeWeight(b, loc, found[i].part, axes[i].n, type)));
  };
  auto row = [&](Value y) {
    auto read = [&](Value x) {
      return convertNumber(b, loc, readPlace(b, loc, image, y, x), type);
    };
    return mix(read(found[1].first), read(found[1].second), 1);
  };
  return mix(row(found[0].first), row(found[0].second), 0);
}

Value TosaLowering::resize(tosa::ResizeOp op) {
  Location loc = op.getLoc();
  SmallVector<OpFoldResult> scale = shapes.elementsOf(op.getScale());
  SmallVector<OpFoldResult> offset = shapes.elementsOf(op.getOffset());
  SmallVector<OpFoldResult> border = shapes.elementsOf(op.getBorder());
  if (scale.size() != 4 || offset.size() != 2 || border.size() != 2)
    return Value();
  Value input = op.getInput();
  auto type = cast<RankedTensorType>(op.getType());
  Type element = type.getElementType();
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, input);
  SmallVector<ResizeAxis> axes;
  OpFoldResult one = b.getIndexAttr(1);
  for (size_t i = 0; i < 2; ++i) {
    OpFoldResult last = subIndices(b, loc, sizes[1 + i], one);
    axes.push_back({makeIndex(b, loc, scale[2 * i]),
                    makeIndex(b, loc, scale[2 * i + 1]),
                    makeIndex(b, loc, offset[i]), makeIndex(b, loc, last)});
    OpFoldResult reach = addIndices(
        b, loc,
        subIndices(b, loc, mulIndices(b, loc, last, scale[2 * i]), offset[i]),
        border[i]);
    sizes[1 + i] =
        addIndices(b, loc, divIndices(b, loc, reach, scale[2 * i + 1]), one);
    if (!type.isDynamicDim(1 + i))
      sizes[1 + i] = b.getIndexAttr(type.getDimSize(1 + i));
  }
  bool isNearest = op.getMode() == tosa::ResizeMode::NEAREST_NEIGHBOR;
  Value init = tensor::EmptyOp::create(b, loc, sizes, element);
  SmallVector<utils::IteratorType> loops(4, utils::IteratorType::parallel);
  auto body = [&](OpBuilder &b, Location loc, ValueRange) {
    SmallVector<Between> found;
    for (auto [i, axis] : llvm::enumerate(axes))
      found.push_back(
          findPlaces(b, loc, axis, linalg::IndexOp::create(b, loc, 1 + i)));
    linalg::YieldOp::create(
        b, loc,
        isNearest ? readNearest(b, loc, input, axes, found)
                  : convertNumber(b, loc,
                                  interpolate(b, loc, input, axes, found,
                                              getSumType(element)),
                                  element));
  };
  return linalg::GenericOp::create(b, loc, init.getType(), ValueRange(), init,
                                   b.getMultiDimIdentityMap(4), loops, body)
      .getResult(0);
}

/// Gives a bias that may turn out to have one number one per channel.
void TosaLowering::expandBias(Operation *op) {
  if (!isConvolution(op) || !expanding.contains(op))
    return;
  bool isDepthwise = isa<tosa::DepthwiseConv2DOp>(op);
  Location loc = op->getLoc();
  Value weights = op->getOperand(1);
  OpFoldResult channels =
      tensor::getMixedSize(b, loc, weights, isDepthwise ? 2 : 0);
  if (isDepthwise)
    channels =
        mulIndices(b, loc, channels, tensor::getMixedSize(b, loc, weights, 3));
  op->setOperand(2, expand(op, 2, channels));
}

bool TosaLowering::lowerWindows(Operation *op) {
  expandBias(op);
  Value result =
      TypeSwitch<Operation *, Value>(op)
          .Case([&](tosa::AvgPool2dOp op) { return averagePool(op); })
          .Case([&](tosa::ResizeOp op) {
            return useGathers && isa<FloatType>(getElementTypeOrSelf(op))
                       ? resizeByGathers(op)
                       : resize(op);
          })
          .Default([&](Operation *op) { return lowerConvolution(b, op); });
  if (result)
    replace(op, result);
  return bool(result);
}
