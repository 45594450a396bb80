//===- Constants.cpp - Constants of tosa in another form ------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Elements are moved as bytes, and widened as numbers.
//
//===----------------------------------------------------------------------===//

#include "Constants.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::symshape;

Value symshape::moveFirstAxisLast(OpBuilder &b, Location loc, Value constant) {
  DenseElementsAttr value;
  auto type = dyn_cast<RankedTensorType>(constant.getType());
  if (!type || !matchPattern(constant, m_Constant(&value)))
    return Value();
  SmallVector<int64_t> shape(type.getShape().drop_front());
  shape.push_back(type.getDimSize(0));
  auto moved = RankedTensorType::get(shape, type.getElementType());
  if (value.isSplat())
    return arith::ConstantOp::create(b, loc, value.resizeSplat(moved));
  ArrayRef<char> from = value.getRawData();
  size_t count = value.getNumElements(), rows = type.getDimSize(0);
  if (count == 0 || from.size() % count != 0)
    return Value();
  size_t bytes = from.size() / count, columns = count / rows;
  SmallVector<char> to(from.size());
  for (size_t row = 0; row < rows; ++row)
    for (size_t column = 0; column < columns; ++column)
      std::copy_n(from.begin() + (row * columns + column) * bytes, bytes,
                  to.begin() + (column * rows + row) * bytes);
  return arith::ConstantOp::create(
      b, loc, DenseElementsAttr::getFromRawBuffer(moved, to));
}

bool symshape::foldWidening(RewriterBase &b, tosa::CastOp op) {
  DenseElementsAttr value;
  auto to = dyn_cast<FloatType>(getElementTypeOrSelf(op.getType()));
  auto from = dyn_cast<FloatType>(getElementTypeOrSelf(op.getInput()));
  if (!to || !from || from.getWidth() < 16 ||
      to.getWidth() <= from.getWidth() ||
      !matchPattern(op.getInput(), m_Constant(&value)) ||
      cast<ShapedType>(op.getType()).getShape() != value.getType().getShape())
    return false;
  auto wide = value.mapValues(to, [&](const APFloat &v) {
    APFloat result = v;
    bool losesInfo;
    result.convert(to.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                   &losesInfo);
    return result.bitcastToAPInt();
  });
  b.setInsertionPoint(op);
  b.replaceOpWithNewOp<tosa::ConstOp>(op, op.getType(), wide);
  return true;
}
