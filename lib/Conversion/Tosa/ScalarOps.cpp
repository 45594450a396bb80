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

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::symshape;

Value symshape::makeIndexValue(OpBuilder &b, Location loc, OpFoldResult value) {
  return getValueOrCreateConstantIndexOp(b, loc, value);
}

template <typename OpTy>
static OpFoldResult compute(OpBuilder &b, Location loc, OpFoldResult x,
                            OpFoldResult y) {
  return getAsOpFoldResult(b.createOrFold<OpTy>(loc, makeIndexValue(b, loc, x),
                                                makeIndexValue(b, loc, y)));
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

Value symshape::extendInteger(OpBuilder &b, Location loc, Value v, Type type,
                              bool isUnsigned) {
  unsigned from = v.getType().getIntOrFloatBitWidth(),
           to = type.getIntOrFloatBitWidth();
  if (from == to)
    return v;
  if (from > to)
    return arith::TruncIOp::create(b, loc, type, v);
  if (isUnsigned)
    return arith::ExtUIOp::create(b, loc, type, v);
  return arith::ExtSIOp::create(b, loc, type, v);
}
