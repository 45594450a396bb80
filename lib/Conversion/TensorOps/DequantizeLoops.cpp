//===- DequantizeLoops.cpp - Numbers of few bits as loops -----------------===//
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

#include "DequantizeLoops.h"
#include "GatherWindows.h"
#include "Structure/Loops.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::symshape;

/// Number `term` of row `row`, as an i8 without sign.
static Value readCode(OpBuilder &b, DequantizeOp op, Value row, Value term) {
  Location loc = op.getLoc();
  int64_t inByte = op.getTermsPerByte();
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIntOp::create(b, loc, b.getI8Type(), value);
  };
  Value count = makeIndex(b, loc, inByte);
  Value place = arith::DivUIOp::create(b, loc, term, count);
  Value byte =
      tensor::ExtractOp::create(b, loc, op.getCodes(), ValueRange{row, place});
  if (inByte == 1)
    return byte;
  Value number = arith::IndexCastOp::create(
      b, loc, b.getI8Type(), arith::RemUIOp::create(b, loc, term, count));
  Value shift = arith::MulIOp::create(b, loc, number, constant(op.getBits()));
  return arith::AndIOp::create(b, loc,
                               arith::ShRUIOp::create(b, loc, byte, shift),
                               constant((1 << op.getBits()) - 1));
}

void symshape::lower(RewriterBase &b, DequantizeOp op, bool) {
  Location loc = op.getLoc();
  auto type = cast<RankedTensorType>(op.getType());
  Type element = type.getElementType();
  auto asFloat = [&](OpBuilder &b, Value value) -> Value {
    if (value.getType().isInteger())
      return arith::UIToFPOp::create(b, loc, element, value);
    return value.getType() == element
               ? value
               : arith::ExtFOp::create(b, loc, element, value).getResult();
  };
  ReifiedRankedShapedTypeDims shapes;
  (void)op.reifyResultShapes(b, shapes); // never fails
  Value empty = tensor::EmptyOp::create(b, loc, shapes.front(), element);
  SmallVector<utils::IteratorType> loops(2, utils::IteratorType::parallel);
  auto numbers = linalg::GenericOp::create(
      b, loc, empty.getType(), ValueRange(), empty, b.getMultiDimIdentityMap(2),
      loops, [&](OpBuilder &b, Location loc, ValueRange) {
        Value row = linalg::IndexOp::create(b, loc, 0),
              term = linalg::IndexOp::create(b, loc, 1);
        SmallVector<Value> ofBlock{
            row, arith::DivUIOp::create(b, loc, term,
                                        makeIndex(b, loc, op.getBlock()))};
        Value zero = arith::ConstantOp::create(
            b, loc, b.getFloatAttr(element, 1 << (op.getBits() - 1)));
        if (op.getZeros())
          zero = asFloat(
              b, tensor::ExtractOp::create(b, loc, op.getZeros(), ofBlock));
        Value scale = asFloat(
            b, tensor::ExtractOp::create(b, loc, op.getScales(), ofBlock));
        Value code = asFloat(b, readCode(b, op, row, term));
        code = arith::SubFOp::create(b, loc, code, zero);
        linalg::YieldOp::create(
            b, loc, arith::MulFOp::create(b, loc, code, scale).getResult());
      });
  replaceCast(b, op, numbers.getResult(0));
}
