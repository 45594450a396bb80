//===- ShapeValues.cpp - Shape values as indices --------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `!tosa.shape<n>` becomes n indices, computed where the shape was.
//
//===----------------------------------------------------------------------===//

#include "Structure/Loops.h"
#include "TosaLowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::symshape;

SmallVector<OpFoldResult> ShapeValues::elementsOf(Value shape) const {
  return getAsOpFoldResult(elements.lookup(shape));
}

Value ShapeValues::makeTensor(OpBuilder &b, RankedTensorType type,
                              Value shape) const {
  auto found = elements.find(shape);
  return found == elements.end() ? Value()
                                 : tensor::FromElementsOp::create(
                                       b, shape.getLoc(), type, found->second);
}

/// The remainder that has the sign of the divisor, which is positive.
static Value makeModulo(OpBuilder &b, Location loc, Value x, Value y) {
  Value quotient = b.createOrFold<arith::FloorDivSIOp>(loc, x, y);
  Value part = b.createOrFold<arith::MulIOp>(loc, quotient, y);
  return b.createOrFold<arith::SubIOp>(loc, x, part);
}

/// How often a number from 1 can be halved, rounding down; a number from 1.
static Value makeLog2(OpBuilder &b, Location loc, Value x) {
  Type i64 = b.getI64Type();
  Value bits = arith::IndexCastOp::create(b, loc, i64, x);
  Value zeros = math::CountLeadingZerosOp::create(b, loc, bits);
  Value last = arith::ConstantIntOp::create(b, loc, 63, 64);
  return arith::IndexCastOp::create(b, loc, b.getIndexType(),
                                    arith::SubIOp::create(b, loc, last, zeros));
}

/// One element of the result of an elementwise op; null for other ops.
static Value computeElement(OpBuilder &b, Operation *op, ValueRange v) {
  Location loc = op->getLoc();
  auto one = [&] { return makeIndex(b, loc, 1); };
  return TypeSwitch<Operation *, Value>(op)
      .Case([&](tosa::AddShapeOp) {
        return b.createOrFold<arith::AddIOp>(loc, v[0], v[1]);
      })
      .Case([&](tosa::SubShapeOp) {
        return b.createOrFold<arith::SubIOp>(loc, v[0], v[1]);
      })
      .Case([&](tosa::MulShapeOp) {
        return b.createOrFold<arith::MulIOp>(loc, v[0], v[1]);
      })
      .Case([&](tosa::DivFloorShapeOp) {
        return b.createOrFold<arith::FloorDivSIOp>(loc, v[0], v[1]);
      })
      .Case([&](tosa::DivCeilShapeOp) {
        return b.createOrFold<arith::CeilDivSIOp>(loc, v[0], v[1]);
      })
      .Case([&](tosa::ModShapeOp) { return makeModulo(b, loc, v[0], v[1]); })
      .Case([&](tosa::MaxShapeOp) {
        return b.createOrFold<arith::MaxSIOp>(loc, v[0], v[1]);
      })
      .Case([&](tosa::MinShapeOp) {
        return b.createOrFold<arith::MinSIOp>(loc, v[0], v[1]);
      })
      .Case([&](tosa::Exp2ShapeOp) {
        return b.createOrFold<arith::ShLIOp>(loc, one(), v[0]);
      })
      .Case([&](tosa::Log2FloorShapeOp) { return makeLog2(b, loc, v[0]); })
      // One more than that of x - 1, and 0 for 1: the number of bits of x - 1.
      .Case([&](tosa::Log2CeilShapeOp) -> Value {
        Value bits =
            makeLog2(b, loc, arith::SubIOp::create(b, loc, v[0], one()));
        return arith::AddIOp::create(b, loc, bits, one());
      })
      .Default([](Operation *) { return Value(); });
}

bool ShapeValues::compute(OpBuilder &b, Operation *op) {
  if (op->getNumResults() != 1 ||
      !isa<tosa::shapeType>(op->getResult(0).getType()))
    return false;
  b.setInsertionPointAfter(op);
  Location loc = op->getLoc();
  SmallVector<Value> result;
  if (auto constant = dyn_cast<tosa::ConstShapeOp>(op)) {
    for (const APInt &value : constant.getValues().getValues<APInt>())
      result.push_back(
          arith::ConstantIndexOp::create(b, loc, value.getSExtValue()));
  } else if (auto dim = dyn_cast<tosa::DimOp>(op)) {
    result.push_back(makeIndex(
        b, loc, tensor::getMixedSize(b, loc, dim.getInput1(), dim.getAxis())));
  } else if (isa<tosa::ConcatShapeOp>(op)) {
    for (Value part : op->getOperands())
      llvm::append_range(result, elements.lookup(part));
  } else if (auto slice = dyn_cast<tosa::SliceShapeOp>(op)) {
    DenseIntElementsAttr start;
    ArrayRef<Value> all = elements[slice.getInput()];
    int64_t size = cast<tosa::shapeType>(slice.getType()).getRank();
    if (!matchPattern(slice.getStart(), m_Constant(&start)))
      return false;
    uint64_t first = start.getSplatValue<APInt>().getZExtValue();
    if (first + size > all.size())
      return false;
    llvm::append_range(result, all.slice(first, size));
  } else {
    SmallVector<SmallVector<Value>> operands;
    for (Value operand : op->getOperands())
      operands.push_back(elements.lookup(operand));
    int64_t rank = cast<tosa::shapeType>(op->getResult(0).getType()).getRank();
    for (int64_t i = 0; i < rank; ++i) {
      SmallVector<Value> at;
      for (ArrayRef<Value> operand : operands) {
        if (static_cast<int64_t>(operand.size()) != rank)
          return false;
        at.push_back(operand[i]);
      }
      Value element = computeElement(b, op, at);
      if (!element)
        return false;
      result.push_back(element);
    }
  }
  elements[op->getResult(0)] = std::move(result);
  return true;
}
