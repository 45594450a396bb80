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

#include "Loops.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::symshape;

static constexpr int64_t floatTileSize = 64; ///< rows and columns of a block
static constexpr int64_t floatSteps = 16; ///< terms at a time in shared memory
static constexpr int64_t partSteps = 128; ///< terms of a partial sum
static constexpr int64_t perThread = 4;   ///< rows and columns of a thread
static constexpr int64_t side =
    floatTileSize / perThread; ///< threads along a side

namespace {
class FloatTiles : public ContractionBlock {
public:
  FloatTiles(OpBuilder &builder, ContractOp op, const ContractionLoops &loops)
      : ContractionBlock(builder, op, loops,
                         {floatTileSize, floatTileSize, floatSteps, side * side,
                          op.getSumType()}) {}

private:
  bool keepsTerms(unsigned) override { return false; }
  int64_t countSums() override { return perThread * perThread; }
  int64_t getPartSteps() override { return partSteps / floatSteps; }
  std::pair<Value, Value> getPlace(int64_t number) override;
  Values addStep(ValueRange sums, Value stage) override;
  /// The first row and column of the thread.
  Value getRow() {
    return multiply(divide(thread, index(side)), index(perThread));
  }
  Value getColumn() {
    return multiply(remainder(thread, index(side)), index(perThread));
  }
};
} // namespace

std::pair<Value, Value> FloatTiles::getPlace(int64_t number) {
  return {add(getRow(), index(number / perThread)),
          add(getColumn(), index(number % perThread))};
}

FloatTiles::Values FloatTiles::addStep(ValueRange sums, Value stage) {
  auto vector = VectorType::get(perThread, op.getSumType());
  Value row = getRow(), column = getColumn();
  return makeLoop(
      builder, loc, index(0), index(floatSteps), index(1), sums,
      [&](Value k, ValueRange carried) {
        auto read = [&](const Tile &tile, Value place) -> Value {
          auto load = vector::LoadOp::create(builder, loc, vector, tile.shared,
                                             ValueRange{stage, k, place});
          load.setAlignment(chunkBytes);
          return load;
        };
        Value a = read(tiles[0], row), b = read(tiles[1], column);
        Values next;
        for (auto [number, sum] : llvm::enumerate(carried)) {
          auto part = [&](Value from, int64_t lane) -> Value {
            return vector::ExtractOp::create(builder, loc, from, lane);
          };
          next.push_back(math::FmaOp::create(builder, loc,
                                             part(a, number / perThread),
                                             part(b, number % perThread), sum));
        }
        return next;
      });
}

std::unique_ptr<ContractionBlock>
mlir::symshape::makeFloatTiles(OpBuilder &builder, ContractOp op,
                               const ContractionLoops &loops) {
  return std::make_unique<FloatTiles>(builder, op, loops);
}
