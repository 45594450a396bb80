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

#include "Structure/Loops.h"

using namespace mlir;
using namespace mlir::symshape;

namespace {
/// When tiles of a size are used: there should be enough of them to give most
/// multiprocessors work, of which an H100 has 132; with fewer rows or columns,
/// most of a tile would be empty.
struct TileUse {
  int64_t rows, columns; ///< of a tile
  int64_t leastTiles, leastRows, leastColumns;
};
} // namespace
static constexpr TileUse largeUse = {128, 128, 100, 96, 96},
                         smallUse = {64, 64, 96, 49, 49};
/// A multiprocessor has one such tile at a time: there should be two for each.
static constexpr TileUse wideUse = {128, 256, 264, 96, 192};

/// Whether both operands are `bf16` or both `f16`.
static bool isForTensorCores(ContractOp op) {
  auto elementOf = [](Value value) {
    return cast<MemRefType>(value.getType()).getElementType();
  };
  Type type = elementOf(op.getLhs());
  return type == elementOf(op.getRhs()) && (type.isBF16() || type.isF16());
}

static std::unique_ptr<ContractionBlock>
makeBlock(OpBuilder &builder, ContractOp op, const ContractionLoops &loops,
          TileSize size, bool isWide) {
  if (isForTensorCores(op))
    return makeTensorCoreTiles(builder, op, loops, size);
  return makeFloatTiles(builder, op, loops, size, isWide);
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
  /// Whether tiles of a size should be used.
  Value fits(TileUse use) {
    Value count = index(1), isFilled;
    for (auto [loop, extent] : llvm::enumerate(sizes)) {
      if (llvm::is_contained(loops.reductions, loop))
        continue;
      if (loop != *loops.row && loop != loops.column) {
        count = multiply(count, extent);
        continue;
      }
      bool isRow = loop == *loops.row;
      count = multiply(
          count, ceilDivide(extent, index(isRow ? use.rows : use.columns)));
      isFilled = combineTests(
          builder, loc, isFilled,
          compare(arith::CmpIPredicate::uge, extent,
                  index(isRow ? use.leastRows : use.leastColumns)));
    }
    return combineTests(
        builder, loc, isFilled,
        compare(arith::CmpIPredicate::uge, count, index(use.leastTiles)));
  }

private:
  OpBuilder &builder;
  const ContractionLoops &loops;
  SmallVector<Value> sizes;
};
} // namespace

LogicalResult mlir::symshape::formContractionBlocks(OpBuilder &builder,
                                                    ContractOp op,
                                                    StringRef name,
                                                    WgmmaUse wgmma) {
  auto loops = assignLoops(op.getMap(0), op.getMap(1), op.getInitMap());
  if (failed(loops) || !loops->row || loops->reductions.empty() ||
      !op.getSumType().isF32() || op.isPacked())
    return failure();
  Location loc = op.getLoc();
  builder.setInsertionPoint(op);
  std::unique_ptr<ContractionBlock> block =
      makeBlock(builder, op, *loops, TileSize::Small, false);
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
        makeBlock(builder, cast<ContractOp>(at), *loops, size,
                  isWide[0] && isWide[1])
            ->form(name, isWide);
      };
    };
    auto formGroups = [&](TileSize size) {
      return [&, size](Operation *at) {
        makeWarpgroupTiles(builder, cast<ContractOp>(at), *loops, size)
            ->form(name, isWide);
      };
    };
    builder.setInsertionPoint(at);
    SizeTest sizes(builder, cast<ContractOp>(at), *loops);
    auto formSmall = [&](Operation *at) {
      chooseOnHost(builder, at, sizes.fits(smallUse), formSize(TileSize::Small),
                   formSize(TileSize::Few));
    };
    if (wgmma == WgmmaUse::Off || !isWide[0] || !isWide[1] ||
        !isForTensorCores(cast<ContractOp>(at)))
      return chooseOnHost(builder, at, sizes.fits(largeUse),
                          formSize(TileSize::Large), formSmall);
    if (wgmma != WgmmaUse::On)
      return formGroups(wgmma == WgmmaUse::Wide ? TileSize::Wide
                                                : TileSize::Large)(at);
    chooseOnHost(builder, at, sizes.fits(wideUse), formGroups(TileSize::Wide),
                 [&](Operation *at) {
                   chooseOnHost(builder, at, sizes.fits(largeUse),
                                formGroups(TileSize::Large), formSmall);
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
