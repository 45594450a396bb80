//===- WindowTiling.cpp - How reductions over windows are tiled -----------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Chooses how many points and channels a tile has: as many sums as registers
// hold. Not for: the loops around tiles (WindowNest.cpp).
//
//===----------------------------------------------------------------------===//

#include "WindowNest.h"

#include "Structure/WindowMaps.h"
#include "Vectors/PayloadEmitter.h"
#include "Vectors/VectorChoice.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"

using namespace mlir;
using namespace mlir::symshape;

// Vectors that the body of a reduction loop computes, over all its taps: more
// makes the code too long to pay off.
static constexpr int64_t maxUnrolled = 256;

static bool isParallel(linalg::GenericOp op, unsigned dim) {
  return op.getIteratorTypesArray()[dim] == utils::IteratorType::parallel;
}

/// Whether the op is of the kind that `chooseWindowTiling` covers.
static bool isCovered(linalg::GenericOp op) {
  if (!op.hasPureBufferSemantics() || op.getNumDpsInits() != 1 ||
      !readsWindows(op) || !hasRegisterResults(op) || !isVectorizableBody(op) ||
      !linalg::getCombinerOpKind(getCombiner(op, 0)) || op.hasIndexSemantics())
    return false;
  for (Operation &inner : op.getBody()->without_terminator())
    if (!isSpeculatable(&inner) || !isMemoryEffectFree(&inner))
      return false;
  for (OpOperand &operand : op->getOpOperands())
    if (isa<ShapedType>(operand.get().getType()) &&
        !isa<MemRefType>(operand.get().getType()))
      return false;
  return true;
}

/// The dimension along which tiles of several points reuse most of what they
/// read: an operand that does not depend on it is read once for all of them,
/// and windows of neighbours overlap.
static std::optional<unsigned> chooseRowDim(linalg::GenericOp op,
                                            unsigned vectorDim) {
  std::optional<unsigned> best;
  int bestScore = 0;
  for (unsigned dim = 0; dim < op.getNumLoops(); ++dim) {
    if (!isParallel(op, dim) || dim == vectorDim)
      continue;
    int score = 0;
    for (OpOperand *operand : op.getDpsInputOperands()) {
      AffineMap map = op.getMatchingIndexingMap(operand);
      if (!map.isFunctionOfDim(vectorDim))
        continue;
      if (!map.isFunctionOfDim(dim))
        score += 2;
      for (AffineExpr e : map.getResults())
        if (e.isFunctionOfDim(dim) && !isa<AffineDimExpr>(e))
          score += 1;
    }
    if (score >= bestScore) {
      best = dim;
      bestScore = score;
    }
  }
  return best;
}

/// As many rows as have their sums in registers, beside the factors of a row's
/// taps and two vectors of what is read.
static int64_t countRows(linalg::GenericOp op, const WindowTiling &tiling,
                         int64_t registers) {
  if (!isSharedByRows(op, tiling.vectorDim, tiling.rowDim))
    return 4;
  SmallVector<unsigned> reductions;
  op.getReductionDims(reductions);
  auto overlap = findOverlap(op, tiling.rowDim, reductions);
  int64_t taps =
      overlap ? op.getStaticLoopRanges()[reductions[overlap->tap]] : 1;
  int64_t factors = std::clamp<int64_t>(taps, 1, 9) * tiling.vectors;
  return std::max<int64_t>((registers - factors - 2) / tiling.vectors, 4);
}

/// The largest number of rows that registers allow, or one that divides a
/// static extent into as few tiles.
static int64_t chooseRows(int64_t mostRows, int64_t extent) {
  if (ShapedType::isDynamic(extent) || extent <= 0)
    return mostRows;
  int64_t tiles = llvm::divideCeil(extent, mostRows);
  return llvm::divideCeil(extent, tiles);
}

std::optional<WindowTiling>
mlir::symshape::chooseWindowTiling(linalg::GenericOp op, int64_t vectorBits,
                                   int64_t registers) {
  if (!isCovered(op))
    return std::nullopt;
  WindowTiling tiling;
  OpOperand &init = *op.getDpsInitOperand(0);
  AffineMap resultMap = op.getMatchingIndexingMap(&init);
  if (resultMap.getNumResults() == 0 ||
      !isa<AffineDimExpr>(resultMap.getResults().back()))
    return std::nullopt;
  tiling.vectorDim =
      cast<AffineDimExpr>(resultMap.getResults().back()).getPosition();
  if (getAccess(op, init, tiling.vectorDim) != Access::Contiguous)
    return std::nullopt;
  std::optional<unsigned> rowDim = chooseRowDim(op, tiling.vectorDim);
  if (!rowDim)
    return std::nullopt;
  tiling.rowDim = *rowDim;
  for (OpOperand *operand : op.getDpsInputOperands()) {
    auto step = getStepOfVector(op, *operand, tiling.vectorDim);
    if (!step || *step < 0 || *step > 2)
      return std::nullopt;
  }
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  tiling.lanes = chooseVectorWidth(op, tiling.vectorDim, vectorBits);
  if (tiling.lanes < 4 || !llvm::isPowerOf2_64(tiling.lanes))
    return std::nullopt;

  int64_t extent = extents[tiling.vectorDim];
  tiling.vectors = extent == tiling.lanes ? 1 : 2;
  int64_t mostRows = countRows(op, tiling, registers);
  tiling.rows =
      chooseRows(std::min<int64_t>(mostRows, 12), extents[tiling.rowDim]);

  int64_t unrolled = tiling.rows * tiling.vectors;
  for (unsigned dim = op.getNumLoops(); dim-- > 0;) {
    if (isParallel(op, dim))
      continue;
    if (isAlongWindow(op, dim) && !ShapedType::isDynamic(extents[dim]) &&
        unrolled * extents[dim] <= maxUnrolled) {
      unrolled *= std::max<int64_t>(extents[dim], 1);
      tiling.unrolled.insert(tiling.unrolled.begin(), dim);
    } else {
      tiling.looped.insert(tiling.looped.begin(), dim);
    }
  }
  return tiling;
}
