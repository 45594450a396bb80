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

/// From how many large tiles on they are used: they should give most
/// multiprocessors work.
static constexpr int64_t leastLargeTiles = 100;
static constexpr int64_t largeRows = 128, largeColumns = 128;

static std::unique_ptr<ContractionBlock>
makeBlock(OpBuilder &builder, ContractOp op, const ContractionLoops &loops,
          TileSize size) {
  auto elementOf = [](Value value) {
    return cast<MemRefType>(value.getType()).getElementType();
  };
  Type type = elementOf(op.getLhs());
  if (type == elementOf(op.getRhs()) && (type.isBF16() || type.isF16()))
    return makeTensorCoreTiles(builder, op, loops);
  return makeFloatTiles(builder, op, loops, size);
}

namespace {
/// Counts on the host.
class SizeTest : Arithmetic {
public:
  SizeTest(OpBuilder &builder, ContractOp op)
      : Arithmetic(builder, op.getLoc()), builder(builder), op(op) {}
  /// Whether there are enough large tiles.
  Value isLarge(const ContractionLoops &loops) {
    SmallVector<OpFoldResult> extents = getLoopExtents(builder, op);
    Value count = index(1);
    for (auto [loop, extent] : llvm::enumerate(extents)) {
      if (llvm::is_contained(loops.reductions, loop))
        continue;
      Value size = makeIndex(builder, loc, extent);
      if (loop == *loops.row)
        size = ceilDivide(size, index(largeRows));
      else if (loop == loops.column)
        size = ceilDivide(size, index(largeColumns));
      count = multiply(count, size);
    }
    return compare(arith::CmpIPredicate::uge, count, index(leastLargeTiles));
  }

private:
  OpBuilder &builder;
  ContractOp op;
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
    auto contract = cast<ContractOp>(at);
    builder.setInsertionPoint(contract);
    auto formSize = [&](TileSize size) {
      return [&, size](Operation *at) {
        makeBlock(builder, cast<ContractOp>(at), *loops, size)
            ->form(name, isWide);
      };
    };
    chooseOnHost(builder, contract, SizeTest(builder, contract).isLarge(*loops),
                 formSize(TileSize::Large), formSize(TileSize::Small));
  };
  if (test)
    chooseOnHost(
        builder, op, test, [&](Operation *at) { form(at, tested); },
        [&](Operation *at) { form(at, proved); });
  else
    form(op, proved);
  return success();
}
