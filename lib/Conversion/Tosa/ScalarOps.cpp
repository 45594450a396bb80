//===- ScalarOps.cpp - Arithmetic on scalars ------------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Folds what is constant.
//
//===----------------------------------------------------------------------===//

#include "ScalarOps.h"

#include "Structure/Loops.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::symshape;

template <typename OpTy>
static OpFoldResult compute(OpBuilder &b, Location loc, OpFoldResult x,
                            OpFoldResult y) {
  return getAsOpFoldResult(
      b.createOrFold<OpTy>(loc, makeIndex(b, loc, x), makeIndex(b, loc, y)));
}

OpFoldResult symshape::addIndices(OpBuilder &b, Location loc, OpFoldResult x,
                                  OpFoldResult y) {
  return compute<arith::AddIOp>(b, loc, x, y);
}

OpFoldResult symshape::subIndices(OpBuilder &b, Location loc, OpFoldResult x,
                                  OpFoldResult y) {
  return compute<arith::SubIOp>(b, loc, x, y);
}

OpFoldResult symshape::mulIndices(OpBuilder &b, Location loc, OpFoldResult x,
                                  OpFoldResult y) {
  return compute<arith::MulIOp>(b, loc, x, y);
}

OpFoldResult symshape::divIndices(OpBuilder &b, Location loc, OpFoldResult x,
                                  OpFoldResult y) {
  return compute<arith::FloorDivSIOp>(b, loc, x, y);
}

Value symshape::readScalar(OpBuilder &b, Location loc, Value tensor) {
  SmallVector<Value> at(cast<ShapedType>(tensor.getType()).getRank());
  for (Value &index : at)
    index = arith::ConstantIndexOp::create(b, loc, 0);
  return tensor::ExtractOp::create(b, loc, tensor, at);
}

Value symshape::saturate(OpBuilder &b, Location loc, Value v, Type type,
                         bool isUnsigned) {
  unsigned width = type.getIntOrFloatBitWidth();
  if (width == 32)
    return v;
  APInt low =
      isUnsigned ? APInt::getZero(width) : APInt::getSignedMinValue(width);
  APInt high =
      isUnsigned ? APInt::getMaxValue(width) : APInt::getSignedMaxValue(width);
  auto bound = [&](const APInt &value) -> Value {
    return arith::ConstantOp::create(
        b, loc,
        b.getIntegerAttr(v.getType(),
                         isUnsigned ? value.zext(32) : value.sext(32)));
  };
  v = arith::MaxSIOp::create(b, loc, v, bound(low));
  v = arith::MinSIOp::create(b, loc, v, bound(high));
  return arith::TruncIOp::create(b, loc, type, v);
}
