//===- ContractionChoice.cpp - Which kernels a contraction becomes --------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Types decide what computes products; layouts and extents, how operands are
// copied: 16 bytes at a time if types or facts prove that rows are multiples of
// them, else by one of two kernels that the host chooses per call.
//
//===----------------------------------------------------------------------===//

#include "GPU/ContractionChoice.h"

#include "GPU/Chunks.h"
#include "GPU/ContractionBlock.h"

#include "Loops.h"

using namespace mlir;
using namespace mlir::symshape;

/// From how many tiles on they are used: they should give most multiprocessors
/// work, of which an H100 has 132.
static constexpr int64_t leastLargeTiles = 100, largeSize = 128;
static constexpr int64_t leastSmallTiles = 96, smallSize = 64;
/// From how many rows on small tiles are used: with less, most of them would
/// be empty.
static constexpr int64_t leastSmallRows = 49;

static std::unique_ptr<ContractionBlock>
makeBlock(OpBuilder &builder, ContractOp op, const ContractionLoops &loops,
          TileSize size) {
  auto elementOf = [](Value value) {
    return cast<MemRefType>(value.getType()).getElementType();
  };
  Type type = elementOf(op.getLhs());
  if (type == elementOf(op.getRhs()) && (type.isBF16() || type.isF16()))
    return makeTensorCoreTiles(builder, op, loops, size);
  return makeFloatTiles(builder, op, loops, size);
}

namespace {
/// Counts on the host.
class SizeTest : Arithmetic {
public:
  SizeTest(OpBuilder &builder, ContractOp op, const ContractionLoops &loops)
      : Arithmetic(builder, op.getLoc()), builder(builder), loops(loops) {
    for (OpFoldResult extent : getLoopExtents(builder, op))
      sizes.push_back(makeIndex(builder, loc, extent));
  }
  Value isLarge() { return hasTiles(largeSize, leastLargeTiles); }
  Value isSmall() {
    Value isHigh = compare(arith::CmpIPredicate::uge, sizes[*loops.row],
                           index(leastSmallRows));
    return arith::AndIOp::create(builder, loc, isHigh,
                                 hasTiles(smallSize, leastSmallTiles));
  }

private:
  /// Whether the results are at least `least` tiles of `size` x `size`.
  Value hasTiles(int64_t size, int64_t least) {
    Value count = index(1);
    for (auto [loop, extent] : llvm::enumerate(sizes)) {
      if (llvm::is_contained(loops.reductions, loop))
        continue;
      bool isAlong = loop == *loops.row || loop == loops.column;
      count =
          multiply(count, isAlong ? ceilDivide(extent, index(size)) : extent);
    }
    return compare(arith::CmpIPredicate::uge, count, index(least));
  }

  OpBuilder &builder;
  const ContractionLoops &loops;
  SmallVector<Value> sizes;
};
} // namespace

LogicalResult mlir::symshape::formContractionBlocks(OpBuilder &builder,
                                                    ContractOp op,
                                                    StringRef name) {
  auto loops = assignLoops(op.getMap(0), op.getMap(1), op.getInitMap());
  if (failed(loops) || !loops->row || loops->reductions.empty() ||
      !op.getSumType().isF32() || op.isPacked())
    return failure();
  Location loc = op.getLoc();
  builder.setInsertionPoint(op);
  std::unique_ptr<ContractionBlock> block =
      makeBlock(builder, op, *loops, TileSize::Small);
  std::array<bool, 2> proved, tested;
  Value test;
  for (unsigned operand : {0, 1}) {
    Chunks chunks;
    if (int64_t width = block->getWidth(operand); width > 1)
      chunks = findChunks(builder, op, op->getOperand(operand),
                          op.getMap(operand), width);
    proved[operand] = chunks.always;
    tested[operand] = chunks.always || chunks.test;
    test = combineTests(builder, loc, test, chunks.test);
  }
  auto form = [&](Operation *at, std::array<bool, 2> isWide) {
    auto formSize = [&](TileSize size) {
      return [&, size](Operation *at) {
        makeBlock(builder, cast<ContractOp>(at), *loops, size)
            ->form(name, isWide);
      };
    };
    builder.setInsertionPoint(at);
    SizeTest sizes(builder, cast<ContractOp>(at), *loops);
    chooseOnHost(builder, at, sizes.isLarge(), formSize(TileSize::Large),
                 [&](Operation *at) {
                   chooseOnHost(builder, at, sizes.isSmall(),
                                formSize(TileSize::Small),
                                formSize(TileSize::Few));
                 });
  };
  if (test)
    chooseOnHost(
        builder, op, test, [&](Operation *at) { form(at, tested); },
        [&](Operation *at) { form(at, proved); });
  else
    form(op, proved);
  return success();
}
