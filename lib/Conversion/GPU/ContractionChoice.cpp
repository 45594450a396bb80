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

using namespace mlir;
using namespace mlir::symshape;

static std::unique_ptr<ContractionBlock>
makeBlock(OpBuilder &builder, ContractOp op, const ContractionLoops &loops) {
  auto elementOf = [](Value value) {
    return cast<MemRefType>(value.getType()).getElementType();
  };
  Type type = elementOf(op.getLhs());
  if (type == elementOf(op.getRhs()) && (type.isBF16() || type.isF16()))
    return makeTensorCoreTiles(builder, op, loops);
  return makeFloatTiles(builder, op, loops);
}

LogicalResult mlir::symshape::formContractionBlocks(OpBuilder &builder,
                                                    ContractOp op,
                                                    StringRef name) {
  auto loops = assignLoops(op.getMap(0), op.getMap(1), op.getInitMap());
  if (failed(loops) || !loops->row || loops->reductions.empty() ||
      !op.getSumType().isF32() || op.isPacked())
    return failure();
  Location loc = op.getLoc();
  builder.setInsertionPoint(op);
  std::unique_ptr<ContractionBlock> block = makeBlock(builder, op, *loops);
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
    makeBlock(builder, cast<ContractOp>(at), *loops)->form(name, isWide);
  };
  if (test)
    chooseOnHost(
        builder, op, test, [&](Operation *at) { form(at, tested); },
        [&](Operation *at) { form(at, proved); });
  else
    form(op, proved);
  return success();
}
