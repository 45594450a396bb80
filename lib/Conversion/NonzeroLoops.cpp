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

#include "AxisLoops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::symshape;

static Value makeIndex(OpBuilder &b, Location loc, int64_t value) {
  return arith::ConstantIndexOp::create(b, loc, value);
}

/// 1 where the element is not zero, else 0.
static Value countElement(OpBuilder &b, Location loc, Value source,
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

/// Runs the body for each position of the source, in row-major order.
static scf::ValueVector
makeSweep(OpBuilder &b, Location loc, Value source, ValueRange inits,
          function_ref<scf::ValueVector(OpBuilder &, Location, ValueRange,
                                        ValueRange)>
              body) {
  int64_t rank = cast<RankedTensorType>(source.getType()).getRank();
  if (rank == 0)
    return body(b, loc, {}, inits);
  SmallVector<Value> lower(rank, makeIndex(b, loc, 0)),
      step(rank, makeIndex(b, loc, 1)), upper;
  for (OpFoldResult extent : tensor::getMixedSizes(b, loc, source))
    upper.push_back(getValueOrCreateConstantIndexOp(b, loc, extent));
  return scf::buildLoopNest(b, loc, lower, upper, step, inits, body).results;
}

void symshape::lowerNonzero(RewriterBase &b, NonzeroOp op) {
  Location loc = op.getLoc();
  b.setInsertionPoint(op);
  Value source = op.getSource();
  int64_t rank = cast<RankedTensorType>(source.getType()).getRank();
  Value count =
      makeSweep(b, loc, source, makeIndex(b, loc, 0),
                [&](OpBuilder &inner, Location where, ValueRange position,
                    ValueRange carried) -> scf::ValueVector {
                  Value one = countElement(inner, where, source, position);
                  return {arith::AddIOp::create(inner, where, carried[0], one)};
                })
          .front();
  // Each position is written where the next one goes, and stays there if it is
  // one; so there is a row more, which is cut off.
  Value rows = arith::AddIOp::create(b, loc, count, makeIndex(b, loc, 1));
  OpFoldResult width = b.getIndexAttr(rank);
  Value empty = tensor::EmptyOp::create(
      b, loc, ArrayRef<OpFoldResult>{rows, width}, b.getIndexType());
  auto write = [&](OpBuilder &inner, Location where, ValueRange position,
                   ValueRange carried) -> scf::ValueVector {
    Value result = carried[0];
    for (int64_t d = 0; d < rank; ++d)
      result = tensor::InsertOp::create(
          inner, where, position[d], result,
          ValueRange{carried[1], makeIndex(inner, where, d)});
    Value one = countElement(inner, where, source, position);
    return {result, arith::AddIOp::create(inner, where, carried[1], one)};
  };
  Value all =
      makeSweep(b, loc, source, ValueRange{empty, makeIndex(b, loc, 0)}, write)
          .front();
  SmallVector<OpFoldResult> offsets(2, b.getIndexAttr(0)),
      ones(2, b.getIndexAttr(1));
  Value found = tensor::ExtractSliceOp::create(
      b, loc, all, offsets, ArrayRef<OpFoldResult>{count, width}, ones);
  if (found.getType() != op.getType())
    found = tensor::CastOp::create(b, loc, op.getType(), found);
  b.replaceOp(op, found);
}
