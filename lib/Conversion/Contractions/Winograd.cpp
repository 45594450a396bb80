//===- Winograd.cpp - Convolutions with fewer products --------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// When the algorithm pays, and its weights. Not for: images and results
// (WinogradFunctions).
//
//===----------------------------------------------------------------------===//

#include "Winograd.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::symshape;

/// Fewer channels than these are not worth the transformations.
static constexpr int64_t leastWinogradChannels = 16;
/// Transformed weights of more are read from memory in each call; and they take
/// four times the place of those that they stand for.
static constexpr int64_t mostWinogradWeights = 256 * 256;

bool winograd::isPossible(const ContractionMatch &match) {
  auto isFloat = [](Value value) {
    return getElementTypeOrSelf(value.getType()).isF32();
  };
  if (!isFloat(match.a) || !isFloat(match.b) || !match.sumType.isF32() ||
      !isFloat(match.op->getResult(0)) || match.aMap.getNumResults() != 4 ||
      match.bMap.getNumResults() != 4 || match.resultMap.getNumResults() != 4)
    return false;
  MLIRContext *context = match.op->getContext();
  auto getExtent = [&](AffineExpr loop) {
    auto position = match.bMap.getResultPosition(loop);
    return position ? cast<ShapedType>(match.b.getType()).getDimSize(*position)
                    : ShapedType::kDynamic;
  };
  AffineExpr channel = match.aMap.getResult(3);
  auto feature = getAffineDimExpr(match.loops.column, context);
  if (match.aMap.getResult(0) != match.resultMap.getResult(0))
    return false;
  for (unsigned d : {1, 2}) {
    AffineExpr place = match.resultMap.getResult(d);
    unsigned taps = 0;
    bool isPlain = true;
    forEachTerm(match.aMap.getResult(d), [&](unsigned loop, int64_t factor) {
      AffineExpr expr = getAffineDimExpr(loop, context);
      isPlain &= factor == 1;
      taps += expr != place && getExtent(expr) == kernelSize;
      isPlain &= expr == place || getExtent(expr) == kernelSize;
    });
    if (!isPlain || taps != 1)
      return false;
  }
  int64_t channels = getExtent(channel), features = getExtent(feature);
  return channels >= leastWinogradChannels &&
         features >= leastWinogradChannels &&
         channels * features <= mostWinogradWeights;
}

winograd::Costs::Costs(int64_t channels, int64_t features, int64_t tileRows) {
  // A transformed element costs as much as about eight terms of a sum.
  int64_t terms = channels * features;
  int64_t transformed = (16 * 8 * (channels + features) + terms - 1) / terms;
  int64_t places = patchSize * patchSize, taps = kernelSize * kernelSize;
  // Transformed weights are read as fast as some rows are multiplied by them.
  // A quarter more, so that a small gain does not change a result.
  perPatch = places * (16 + transformed) * 5 / 4;
  perCall = places * 16 * tileRows * 5 / 4;
  perTile = taps * 16 * tileRows;
}

/// result[...] = sum over k of matrix[first, k] * operand, where `loops` are
/// the maps of matrix, operand and result, and k is the last of six loops.
static Value multiplyByMatrix(OpBuilder &builder, Location loc, Value matrix,
                              Value operand, ArrayRef<AffineMap> maps,
                              ArrayRef<int64_t> shape) {
  Type type = getElementTypeOrSelf(operand.getType());
  Value empty = tensor::EmptyOp::create(builder, loc, shape, type);
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
  Value init = linalg::FillOp::create(builder, loc, zero, empty).getResult(0);
  SmallVector<utils::IteratorType> iterators(shape.size(),
                                             utils::IteratorType::parallel);
  iterators.push_back(utils::IteratorType::reduction);
  return linalg::GenericOp::create(
             builder, loc, init.getType(), ValueRange{matrix, operand}, init,
             maps, iterators,
             [](OpBuilder &b, Location loc, ValueRange v) {
               Value product = arith::MulFOp::create(b, loc, v[0], v[1]);
               Value sum = arith::AddFOp::create(b, loc, v[2], product);
               linalg::YieldOp::create(b, loc, sum);
             })
      .getResult(0);
}

Value winograd::transformWeights(OpBuilder &builder, Location loc,
                                 const ContractionMatch &match) {
  SmallVector<float> numbers;
  auto addRow = [&](double point, double divisor) {
    for (double power : {1.0, point, point * point})
      numbers.push_back(power / divisor);
  };
  constexpr double a = nearPoint, b = farPoint;
  addRow(0, a * a * b * b);
  for (double point : {a, -a})
    addRow(point, 2 * a * a * (a * a - b * b));
  for (double point : {b, -b})
    addRow(point, 2 * b * b * (b * b - a * a));
  llvm::append_values(numbers, 0.0f, 0.0f, 1.0f);
  auto matrixType =
      RankedTensorType::get({patchSize, kernelSize}, builder.getF32Type());
  Value matrix = arith::ConstantOp::create(
      builder, loc, DenseElementsAttr::get(matrixType, ArrayRef(numbers)));
  // Loops: place in the patch, the other tap, channel, feature, tap.
  MLIRContext *context = builder.getContext();
  SmallVector<AffineExpr> d;
  for (unsigned i = 0; i < 5; ++i)
    d.push_back(getAffineDimExpr(i, context));
  auto getTap = [&](unsigned position) {
    unsigned tap = 0;
    forEachTerm(match.aMap.getResult(position), [&](unsigned loop, int64_t) {
      if (getAffineDimExpr(loop, context) !=
          match.resultMap.getResult(position))
        tap = loop;
    });
    return tap;
  };
  auto weights = cast<RankedTensorType>(match.b.getType());
  int64_t channels = 0, features = 0;
  SmallVector<AffineExpr> read;
  for (auto [position, expr] : llvm::enumerate(match.bMap.getResults())) {
    int64_t extent = weights.getDimSize(position);
    unsigned loop = cast<AffineDimExpr>(expr).getPosition();
    if (loop == match.loops.column) {
      features = extent;
      read.push_back(d[3]);
    } else if (expr == match.aMap.getResult(3)) {
      channels = extent;
      read.push_back(d[2]);
    } else {
      read.push_back(loop == getTap(1) ? d[4] : d[1]);
    }
  }
  auto map = [&](ArrayRef<AffineExpr> results) {
    return AffineMap::get(5, 0, results, context);
  };
  AffineMap identity = map(ArrayRef(d).take_front(4));
  Value half = multiplyByMatrix(builder, loc, matrix, match.b,
                                {map({d[0], d[4]}), map(read), identity},
                                {patchSize, kernelSize, channels, features});
  return multiplyByMatrix(
      builder, loc, matrix, half,
      {map({d[1], d[4]}), map({d[0], d[4], d[2], d[3]}), identity},
      {patchSize, patchSize, channels, features});
}
