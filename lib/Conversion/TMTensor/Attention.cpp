//===- Attention.cpp - Attention of tm_tensor -----------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Structured ops, which the pipelines fuse. What is required of extents, they
// require.
//
//===----------------------------------------------------------------------===//

#include "TMTensorLowering.h"
#include "symshape/IR/SumType.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include <cmath>
#include <limits>

using namespace mlir;
using namespace mlir::symshape;

static constexpr double infinity = std::numeric_limits<double>::infinity();

/// A factor or a mask in the type of sums.
static Value toSumType(OpBuilder &b, Location loc, Value v) {
  Type type = getSumType(v.getType());
  return type == v.getType() ? v : arith::ExtFOp::create(b, loc, type, v);
}

/// What scores are multiplied by.
Value TMTensorLowering::scaleOf(tm_tensor::TMAttentionOp attention) {
  Value query = attention.getInputs()[0];
  auto type = cast<RankedTensorType>(query.getType());
  Type element = getSumType(type.getElementType());
  if (auto given = attention->getAttrOfType<FloatAttr>("scale"))
    return constant(element, given.getValueAsDouble());
  int64_t last = type.getRank() - 1;
  if (!type.isDynamicDim(last))
    return constant(element, 1.0 / std::sqrt(double(type.getDimSize(last))));
  Value size =
      arith::IndexCastOp::create(b, loc, b.getI64Type(), extent(query, last));
  Value root = math::SqrtOp::create(
      b, loc, arith::SIToFPOp::create(b, loc, element, size));
  return arith::DivFOp::create(b, loc, constant(element, 1.0), root);
}

/// Scores times the scale, with the mask.
Value TMTensorLowering::maskScores(tm_tensor::TMAttentionOp attention,
                                   Value scores) {
  Value scale = scaleOf(attention);
  Type element = scale.getType();
  Value nothing = constant(element, -infinity);
  return elementwise(
      attention.getInputs().drop_front(3), scores,
      [&](OpBuilder &inner, Location where, ValueRange v) -> Value {
        Value score = arith::MulFOp::create(inner, where, v.back(), scale);
        if (v.size() == 1)
          return score;
        if (v[0].getType().isInteger(1))
          return arith::SelectOp::create(inner, where, v[0], score, nothing);
        return arith::AddFOp::create(inner, where, score,
                                     toSumType(inner, where, v[0]));
      });
}

LogicalResult TMTensorLowering::lower(tm_tensor::TMAttentionOp attention) {
  ValueRange inputs = attention.getInputs();
  Value query = inputs[0], key = inputs[1], value = inputs[2];
  auto type = cast<RankedTensorType>(query.getType());
  Type element = getSumType(type.getElementType());
  unsigned rank = type.getRank(), batch = rank - 2;
  // Loops: those of batches, then rows i, columns j, and the sum over k.
  auto map = [&](ArrayRef<unsigned> axes, unsigned loops) {
    SmallVector<AffineExpr> results;
    for (unsigned d = 0; d < batch; ++d)
      results.push_back(b.getAffineDimExpr(d));
    for (unsigned axis : axes)
      results.push_back(b.getAffineDimExpr(batch + axis));
    return AffineMap::get(loops, 0, results, b.getContext());
  };
  SmallVector<utils::IteratorType> contraction(rank + 1,
                                               utils::IteratorType::parallel),
      rows(rank, utils::IteratorType::parallel);
  contraction.back() = rows.back() = utils::IteratorType::reduction;
  auto multiplyAdd = [](OpBuilder &inner, Location where,
                        ValueRange v) -> Value {
    Value product =
        arith::MulFOp::create(inner, where, toSumType(inner, where, v[0]),
                              toSumType(inner, where, v[1]));
    return arith::AddFOp::create(inner, where, v[2], product);
  };
  Value zero = constant(element, 0.0);
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, query);
  SmallVector<OpFoldResult> rowSizes(ArrayRef(sizes).drop_back());
  sizes.back() = tensor::getMixedSize(b, loc, key, batch);
  Value scores = structured(
      {query, key}, fill(sizes, zero),
      {map({0, 2}, rank + 1), map({1, 2}, rank + 1), map({0, 1}, rank + 1)},
      contraction, multiplyAdd);
  scores = maskScores(attention, scores);
  AffineMap rowMaps[] = {map({0, 1}, rank), map({0}, rank)};
  Value greatest = structured(
      scores, fill(rowSizes, constant(element, -infinity)), rowMaps, rows,
      [](OpBuilder &inner, Location where, ValueRange v) {
        return arith::MaximumFOp::create(inner, where, v[1], v[0]).getResult();
      });
  AffineMap byRow[] = {map({0}, rank), map({0, 1}, rank)};
  SmallVector<utils::IteratorType> all(rank, utils::IteratorType::parallel);
  scores =
      structured(greatest, scores, byRow, all,
                 [](OpBuilder &inner, Location where, ValueRange v) -> Value {
                   Value less = arith::SubFOp::create(inner, where, v[1], v[0]);
                   return math::ExpOp::create(inner, where, less);
                 });
  Value sums =
      structured(scores, fill(rowSizes, zero), rowMaps, rows,
                 [](OpBuilder &inner, Location where, ValueRange v) -> Value {
                   return arith::AddFOp::create(inner, where, v[1], v[0]);
                 });
  scores =
      structured(sums, scores, byRow, all,
                 [](OpBuilder &inner, Location where, ValueRange v) -> Value {
                   return arith::DivFOp::create(inner, where, v[1], v[0]);
                 });
  Value output = attention.getOutputs()[0];
  Value result = structured(
      {scores, value}, fill(tensor::getMixedSizes(b, loc, output), zero),
      {map({0, 2}, rank + 1), map({2, 1}, rank + 1), map({0, 1}, rank + 1)},
      contraction, multiplyAdd);
  if (element == type.getElementType())
    return replace(result);
  return replace(elementwise(
      result, output, [&](OpBuilder &inner, Location where, ValueRange v) {
        return arith::TruncFOp::create(inner, where, type.getElementType(),
                                       v[0])
            .getResult();
      }));
}
