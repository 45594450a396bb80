//===- Windows.cpp - Average pools of tosa --------------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The border is padded first; what is left is one structured op, with channels
// last. Upstream's patterns take images of static extents only. Not for:
// convolutions (Convolutions) and resize (Resize).
//
//===----------------------------------------------------------------------===//

#include "Convolutions.h"
#include "Images.h"
#include "ScalarOps.h"
#include "Structure/Loops.h"
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
// All windows
//===----------------------------------------------------------------------===//

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
          .Case([&](tosa::ResizeOp op) { return resize(op); })
          .Default([&](Operation *op) { return lowerConvolution(b, op); });
  if (result)
    replace(op, result);
  return bool(result);
}
