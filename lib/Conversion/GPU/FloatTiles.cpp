//===- FloatTiles.cpp - Contractions of f32 -------------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block computes 64 x 64 sums, a thread 4 x 4 of them in registers, in f32
// from f32. Sums restart every 128 terms, as on a CPU. Not for: contractions
// without rows or columns, and tensor cores.
//
//===----------------------------------------------------------------------===//

#include "GPU/ContractionBlock.h"

#include "Structure/Loops.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::symshape;

namespace {
/// How a block's sums are shared out.
struct FloatShape {
  int64_t rows, columns;       ///< of a block
  int64_t ownRows, ownColumns; ///< of a thread
  int64_t slices;              ///< groups of threads that share the terms
  int64_t terms;               ///< of a slice in a step
  int64_t stages;              ///< in shared memory
  int64_t blocks;              ///< of a multiprocessor, which limits registers
  int64_t partTerms;           ///< of a partial sum; 0: all
};

/// Rows, columns; those of a thread; slices, terms, stages; blocks; part. A
/// large block is alone on its multiprocessor: 8 x 8 sums of 512 terms and
/// their totals are 128 registers.
constexpr FloatShape fewShape = {16, 32, 4, 4, 8, 8, 3, 2, 128};
constexpr FloatShape smallShape = {64, 64, 4, 4, 1, 16, 3, 2, 128};
constexpr FloatShape largeShape = {128, 128, 8, 8, 1, 16, 2, 1, 512};
/// With more copies, or terms next to each other in both operands, the other
/// one's registers would not do.
constexpr FloatShape tightShape = {128, 128, 8, 8, 1, 8, 4, 1, 512};

/// Sums by threads. An operand's neighbouring terms are next to each other in
/// shared memory if they are in memory: a thread reads four of them at once, of
/// rows that threads take in turns. Else it reads four rows or columns at once.
class FloatTiles : public ContractionBlock {
public:
  FloatTiles(OpBuilder &builder, ContractOp op, const ContractionLoops &loops,
             FloatShape shape)
      : ContractionBlock(builder, op, loops,
                         {shape.rows, shape.columns, shape.slices * shape.terms,
                          shape.stages, shape.slices,
                          shape.slices * (shape.rows / shape.ownRows) *
                              (shape.columns / shape.ownColumns),
                          shape.blocks, /*isSwizzled=*/false, op.getSumType()}),
        shape(shape), threadRows(shape.rows / shape.ownRows),
        threadColumns(shape.columns / shape.ownColumns) {}

private:
  bool keepsTerms(unsigned operand) override { return hasTermsLast(operand); }
  int64_t countSums() override { return shape.ownRows * shape.ownColumns; }
  int64_t getPartSteps() override { return shape.partTerms / shape.terms; }
  std::pair<Value, Value> getPlace(int64_t number) override;
  Values endStep(ValueRange sums, Value stage) override;
  Value getSlice() { return divide(thread, index(threadRows * threadColumns)); }
  Value getAcross(unsigned operand, int64_t number);
  Values read(unsigned operand, Value stage, int64_t term);

  FloatShape shape;
  int64_t threadRows, threadColumns;
};
} // namespace

/// Elements that a thread reads at once.
static constexpr int64_t quad = 4;
/// Threads of a warp along rows and columns of a tile: what they read at once
/// is in different banks, and the least in all.
static constexpr int64_t laneRows = 4, laneColumns = 8;

/// Row or column `number` of the thread, in the tile.
Value FloatTiles::getAcross(unsigned operand, int64_t number) {
  Value inSlice = remainder(thread, index(threadRows * threadColumns));
  Value warp = divide(inSlice, index(warpThreads));
  Value lane = remainder(inSlice, index(warpThreads));
  Value warps = index(threadColumns / laneColumns);
  Value place = operand == 0
                    ? add(multiply(divide(warp, warps), index(laneRows)),
                          divide(lane, index(laneColumns)))
                    : add(multiply(remainder(warp, warps), index(laneColumns)),
                          remainder(lane, index(laneColumns)));
  int64_t threads = operand == 0 ? threadRows : threadColumns;
  if (keepsTerms(operand))
    return add(place, index(number * threads));
  return add(multiply(place, index(quad)),
             index(number / quad * threads * quad + number % quad));
}

std::pair<Value, Value> FloatTiles::getPlace(int64_t number) {
  int64_t rowsOfPass = shape.ownRows / countPasses();
  Value row = getAcross(0, number / shape.ownColumns % rowsOfPass);
  return {add(multiply(getSlice(), index(getPassRows())), row),
          getAcross(1, number % shape.ownColumns)};
}

/// What the thread needs of an operand for a quad of terms, term by term.
FloatTiles::Values FloatTiles::read(unsigned operand, Value stage,
                                    int64_t term) {
  auto vector = VectorType::get(quad, op.getSumType());
  int64_t own = operand == 0 ? shape.ownRows : shape.ownColumns;
  Values elements(quad * own);
  bool keeps = keepsTerms(operand);
  Value first = multiply(getSlice(), index(shape.terms));
  for (int64_t i = 0; i < own; ++i) { // a vector
    // Of the terms of row i, or else of four rows of a term.
    int64_t across = keeps ? i : i % (own / quad) * quad;
    int64_t k = keeps ? 0 : i / (own / quad);
    Value place = getAcross(operand, across);
    Value at = add(first, index(keeps ? term : term + k));
    auto load = vector::LoadOp::create(
        builder, loc, vector, tiles[operand].shared,
        keeps ? ValueRange{stage, place, at} : ValueRange{stage, at, place});
    load.setAlignment(chunkBytes);
    for (int64_t lane = 0; lane < quad; ++lane)
      elements[keeps ? lane * own + across : k * own + across + lane] =
          vector::ExtractOp::create(builder, loc, load, lane);
  }
  return elements;
}

FloatTiles::Values FloatTiles::endStep(ValueRange sums, Value stage) {
  Values all(sums);
  for (int64_t term = 0; term < shape.terms; term += quad) {
    Values a = read(0, stage, term), b = read(1, stage, term);
    auto addRow = [&](int64_t row, int64_t k) {
      for (int64_t column = 0; column < shape.ownColumns; ++column) {
        Value &sum = all[row * shape.ownColumns + column];
        sum = math::FmaOp::create(builder, loc, a[k * shape.ownRows + row],
                                  b[k * shape.ownColumns + column], sum);
      }
    };
    // If both have all terms in registers, a row's are free after it.
    bool rowByRow = keepsTerms(0) && keepsTerms(1);
    for (int64_t i = 0; i < quad * shape.ownRows; ++i)
      addRow(rowByRow ? i / quad : i % shape.ownRows,
             rowByRow ? i % quad : i / shape.ownRows);
  }
  return all;
}

std::unique_ptr<ContractionBlock>
mlir::symshape::makeFloatTiles(OpBuilder &builder, ContractOp op,
                               const ContractionLoops &loops, TileSize size,
                               bool isWide) {
  auto isTermLast = [&](unsigned operand) {
    return op.getMap(operand).getResults().back() ==
           builder.getAffineDimExpr(loops.reductions.back());
  };
  bool isTight = !isWide || (isTermLast(0) && isTermLast(1));
  FloatShape shape = isTight ? tightShape : largeShape;
  if (size == TileSize::Few)
    shape = fewShape;
  else if (size == TileSize::Small)
    shape = smallShape;
  return std::make_unique<FloatTiles>(builder, op, loops, shape);
}
