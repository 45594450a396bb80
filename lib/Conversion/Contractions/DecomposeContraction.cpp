//===- DecomposeContraction.cpp - A contraction as structured ops ---------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For contractions whose columns are not contiguous in memory: the sums and the
// region as structured ops on buffers, which take any layout.
//
//===----------------------------------------------------------------------===//

#include "Contraction.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::symshape;

/// The map of the right operand with its panels spelled out.
static AffineMap getUnpackedMap(ContractOp op) {
  AffineMap map = op.getMap(1);
  if (!op.isPacked())
    return map;
  int64_t width = op.getTile().getColumns();
  AffineExpr column = getAffineDimExpr(op.getColumnLoop(), op.getContext());
  SmallVector<AffineExpr> results;
  for (AffineExpr expr : map.getResults())
    results.push_back(expr == column ? column.floorDiv(width) : expr);
  results.push_back(column % width);
  return AffineMap::get(map.getNumDims(), 0, results, op.getContext());
}

/// Adds the products to `sums`.
static void emitProducts(OpBuilder &builder, ContractOp op, Value sums) {
  Location loc = op.getLoc();
  AffineMap resultMap = op.getInitMap();
  SmallVector<utils::IteratorType> iterators;
  for (unsigned loop = 0; loop < resultMap.getNumDims(); ++loop)
    iterators.push_back(resultMap.isFunctionOfDim(loop)
                            ? utils::IteratorType::parallel
                            : utils::IteratorType::reduction);
  Type type = op.getSumType();
  linalg::GenericOp::create(
      builder, loc, TypeRange(), ValueRange{op.getLhs(), op.getRhs()}, sums,
      ArrayRef<AffineMap>{op.getMap(0), getUnpackedMap(op), resultMap},
      iterators, [&](OpBuilder &inner, Location, ValueRange arguments) {
        Value lhs = extendNumber(inner, loc, arguments[0], type);
        Value rhs = extendNumber(inner, loc, arguments[1], type);
        Value product = multiplyNumbers(inner, loc, lhs, rhs);
        Value sum = addNumbers(inner, loc, arguments[2], product);
        linalg::YieldOp::create(inner, loc, sum);
      });
}

/// Applies the region to `sums`, one element per element of the result.
static void emitRegion(OpBuilder &builder, ContractOp op, Value sums) {
  // Loops of the result only, in its order.
  AffineMap resultMap = op.getInitMap();
  SmallVector<AffineExpr> loops(resultMap.getNumDims(),
                                builder.getAffineConstantExpr(0));
  unsigned rank = resultMap.getNumResults();
  for (unsigned position = 0; position < rank; ++position)
    loops[resultMap.getDimPosition(position)] =
        builder.getAffineDimExpr(position);
  SmallVector<AffineMap> maps;
  for (unsigned number = 0; number < op.getOthers().size(); ++number)
    maps.push_back(
        op.getMap(2 + number).replaceDimsAndSymbols(loops, {}, rank, 0));
  AffineMap identity = builder.getMultiDimIdentityMap(rank);
  SmallVector<Value> inputs(op.getOthers());
  bool isInPlace = sums == op.getInit();
  if (!isInPlace) {
    inputs.push_back(sums);
    maps.push_back(identity);
  }
  maps.push_back(identity);
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  linalg::GenericOp::create(
      builder, op.getLoc(), TypeRange(), inputs, op.getInit(), maps, iterators,
      [&](OpBuilder &inner, Location loc, ValueRange arguments) {
        unsigned numOthers = op.getOthers().size();
        Value result = cloneRegion(inner, op, arguments[numOthers],
                                   arguments.take_front(numOthers));
        linalg::YieldOp::create(inner, loc, result);
      });
}

void mlir::symshape::decomposeContraction(RewriterBase &rewriter,
                                          ContractOp op) {
  rewriter.setInsertionPoint(op);
  Location loc = op.getLoc();
  auto type = cast<MemRefType>(op.getInit().getType());
  Value sums = op.getInit();
  bool isInPlace = type.getElementType() == op.getSumType();
  if (!isInPlace) {
    SmallVector<Value> sizes;
    for (int64_t d = 0; d < type.getRank(); ++d)
      if (type.isDynamicDim(d))
        sizes.push_back(memref::DimOp::create(rewriter, loc, op.getInit(), d));
    sums = memref::AllocOp::create(
        rewriter, loc, MemRefType::get(type.getShape(), op.getSumType()),
        sizes);
  }
  if (!op.getAccumulate()) {
    Value zero = arith::ConstantOp::create(
        rewriter, loc, rewriter.getZeroAttr(op.getSumType()));
    linalg::FillOp::create(rewriter, loc, zero, sums);
  }
  emitProducts(rewriter, op, sums);
  emitRegion(rewriter, op, sums);
  if (!isInPlace)
    memref::DeallocOp::create(rewriter, loc, sums);
  rewriter.eraseOp(op);
}
