//===- NonzeroLoops.cpp - The positions of elements as loops --------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Nonzero in two sweeps: how many elements there are, then their positions.
//
//===----------------------------------------------------------------------===//

#include "NonzeroLoops.h"

#include "Structure/Loops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "symshape/IR/Slices.h"

using namespace mlir;
using namespace mlir::symshape;

Value symshape::countElement(OpBuilder &b, Location loc, Value source,
                             ValueRange position) {
  Value element = tensor::ExtractOp::create(b, loc, source, position);
  Value zero =
      arith::ConstantOp::create(b, loc, b.getZeroAttr(element.getType()));
  Value isOther = isa<FloatType>(element.getType())
                      ? arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNE,
                                              element, zero)
                            .getResult()
                      : arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne,
                                              element, zero)
                            .getResult();
  return arith::IndexCastUIOp::create(b, loc, b.getIndexType(), isOther);
}

void symshape::lower(RewriterBase &b, NonzeroOp op, bool) {
  Location loc = op.getLoc();
  Value source = op.getSource();
  int64_t rank = cast<RankedTensorType>(source.getType()).getRank();
  SmallVector<OpFoldResult> extents = tensor::getMixedSizes(b, loc, source);
  auto countOne = [&](ValueRange position,
                      ValueRange carried) -> scf::ValueVector {
    Value one = countElement(b, loc, source, position);
    return {arith::AddIOp::create(b, loc, carried[0], one)};
  };
  Value count =
      makePositionLoops(b, loc, extents, makeIndex(b, loc, 0), countOne)
          .front();
  // Each position is written to the next row, and stays there if its element is
  // not zero; so there is one more row, which is cut off.
  Value rows = arith::AddIOp::create(b, loc, count, makeIndex(b, loc, 1));
  OpFoldResult width = b.getIndexAttr(rank);
  Value empty = tensor::EmptyOp::create(
      b, loc, ArrayRef<OpFoldResult>{rows, width}, b.getIndexType());
  auto write = [&](ValueRange position,
                   ValueRange carried) -> scf::ValueVector {
    Value result = carried[0];
    for (int64_t d = 0; d < rank; ++d)
      result = tensor::InsertOp::create(
          b, loc, position[d], result,
          ValueRange{carried[1], makeIndex(b, loc, d)});
    Value one = countElement(b, loc, source, position);
    return {result, arith::AddIOp::create(b, loc, carried[1], one)};
  };
  Value all =
      makePositionLoops(b, loc, extents, {empty, makeIndex(b, loc, 0)}, write)
          .front();
  SmallVector<OpFoldResult> zeros(2, b.getIndexAttr(0)),
      ones(2, b.getIndexAttr(1));
  Value found = extractSlice(b, loc, all, {zeros, {count, width}, ones});
  if (found.getType() != op.getType())
    found = tensor::CastOp::create(b, loc, op.getType(), found);
  b.replaceOp(op, found);
}
