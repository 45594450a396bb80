//===- Images.cpp - Steps of ops on images --------------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See the header.
//
//===----------------------------------------------------------------------===//

#include "Images.h"

#include "ScalarOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::symshape;

Value symshape::convertNumber(OpBuilder &b, Location loc, Value v, Type type) {
  return convertScalarToDtype(b, loc, v, type, /*isUnsignedCast=*/false);
}

Value symshape::readZeroPoint(OpBuilder &b, Location loc, Value tensor) {
  return isa<IntegerType>(getElementTypeOrSelf(tensor))
             ? readScalar(b, loc, tensor)
             : Value();
}

Value symshape::centerNumber(OpBuilder &b, Location loc, Value v,
                             Value zeroPoint, Type sumType) {
  v = convertNumber(b, loc, v, sumType);
  return zeroPoint ? ArithBuilder(b, loc).sub(
                         v, convertNumber(b, loc, zeroPoint, sumType))
                   : v;
}

Value symshape::makeZeroScalar(OpBuilder &b, Location loc, Type type) {
  return arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
}

Value symshape::makeBorder(OpBuilder &b, Location loc, Value image,
                           Value zeroPoint) {
  return zeroPoint ? zeroPoint
                   : makeZeroScalar(b, loc, getElementTypeOrSelf(image));
}

Value symshape::mapElements(
    OpBuilder &b, Location loc, Value source, ArrayRef<OpFoldResult> sizes,
    Type type, function_ref<Value(OpBuilder &, Location, Value)> body) {
  AffineMap identity = b.getMultiDimIdentityMap(sizes.size());
  SmallVector<utils::IteratorType> loops(sizes.size(),
                                         utils::IteratorType::parallel);
  Value init = tensor::EmptyOp::create(b, loc, sizes, type);
  return linalg::GenericOp::create(
             b, loc, init.getType(), source, init, ArrayRef{identity, identity},
             loops,
             [&](OpBuilder &b, Location loc, ValueRange args) {
               linalg::YieldOp::create(b, loc, body(b, loc, args[0]));
             })
      .getResult(0);
}

Value symshape::padImage(OpBuilder &b, Location loc, Value image,
                         ArrayRef<int64_t> pad, Value value) {
  if (llvm::all_of(pad, [](int64_t p) { return p == 0; }))
    return image;
  int64_t rank = cast<ShapedType>(image.getType()).getRank();
  SmallVector<OpFoldResult> low(rank, b.getIndexAttr(0)), high(low);
  for (size_t i = 0; i < pad.size() / 2; ++i) {
    low[1 + i] = b.getIndexAttr(pad[2 * i]);
    high[1 + i] = b.getIndexAttr(pad[2 * i + 1]);
  }
  return tensor::PadOp::create(b, loc, Type(), image, low, high, value);
}

OpFoldResult symshape::countPlaces(OpBuilder &b, Location loc,
                                   OpFoldResult extent, int64_t pad,
                                   OpFoldResult kernel, int64_t dilation,
                                   int64_t stride) {
  auto number = [&](int64_t value) -> OpFoldResult {
    return b.getIndexAttr(value);
  };
  OpFoldResult reach = mulIndices(b, loc, subIndices(b, loc, kernel, number(1)),
                                  number(dilation));
  OpFoldResult room =
      subIndices(b, loc, addIndices(b, loc, extent, number(pad - 1)), reach);
  return addIndices(b, loc, divIndices(b, loc, room, number(stride)),
                    number(1));
}
