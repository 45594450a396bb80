//===- ContractionBlock.cpp - A contraction in tiles of blocks ------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Steps count through all terms, the outer ones first. Shared memory holds
// `stages` steps: while one is multiplied, the next ones arrive. Not for: which
// contractions, and how products are computed.
//
//===----------------------------------------------------------------------===//

#include "GPU/ContractionBlock.h"

#include "GPU/Buffers.h"
#include "Structure/Loops.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"

using namespace mlir;
using namespace mlir::symshape;

/// The fewest bytes that a thread can copy without waiting for them.
static constexpr int64_t leastAsyncBytes = 4;

bool ContractionBlock::isLastDim(unsigned operand, unsigned loop) {
  AffineMap map = op.getMap(operand);
  return map.getResult(map.getNumResults() - 1) ==
         builder.getAffineDimExpr(loop);
}

int64_t ContractionBlock::getWidth(unsigned operand) {
  unsigned across = operand == 0 ? *loops.row : loops.column;
  auto type = cast<MemRefType>(op->getOperand(operand).getType());
  bool isSameOrder =
      keepsTerms(operand) ? hasTermsLast(operand) : isLastDim(operand, across);
  return isSameOrder && type.getElementType() == tiling.type
             ? chunkBytes / bytesOf(tiling.type)
             : 1;
}

/// Loops whose every iteration is tiles of its own.
static SmallVector<unsigned> getOuterLoops(const ContractionLoops &loops) {
  SmallVector<unsigned> outer(loops.batch);
  llvm::append_range(outer, loops.outerRows);
  llvm::append_range(outer, loops.blocks);
  return outer;
}

Value ContractionBlock::countTiles(Value size, int64_t tile) {
  return divide(add(size, index(tile - 1)), index(tile));
}

Value ContractionBlock::countBlocks() {
  Value count = multiply(countTiles(sizes[*loops.row], tiling.rows),
                         countTiles(sizes[loops.column], tiling.columns));
  for (unsigned loop : getOuterLoops(loops))
    count = multiply(count, sizes[loop]);
  return count;
}

void ContractionBlock::enterBlock(Value block) {
  auto take = [&](Value count) {
    Value number = remainder(block, count);
    block = divide(block, count);
    return number;
  };
  firstColumn = multiply(take(countTiles(sizes[loops.column], tiling.columns)),
                         index(tiling.columns));
  firstRow = multiply(take(countTiles(sizes[*loops.row], tiling.rows)),
                      index(tiling.rows));
  SmallVector<unsigned> outer = getOuterLoops(loops);
  for (unsigned loop : llvm::reverse(outer))
    ivs[loop] = take(sizes[loop]);
}

Value ContractionBlock::countSteps() {
  Value count = countTiles(sizes[loops.reductions.back()], tiling.terms);
  for (unsigned loop : ArrayRef(loops.reductions).drop_back())
    count = multiply(count, sizes[loop]);
  return count;
}

Value ContractionBlock::enterStep(Value step) {
  Value width = index(tiling.terms);
  ArrayRef<unsigned> outer = ArrayRef(loops.reductions).drop_back();
  if (outer.empty())
    return multiply(step, width);
  auto take = [&](Value count) {
    count = maximum(count, index(1)); // without terms there are no steps
    Value number = remainder(step, count);
    step = divide(step, count);
    return number;
  };
  Value size = sizes[loops.reductions.back()];
  Value first = multiply(take(countTiles(size, tiling.terms)), width);
  Value end = sizes[outer.front()];
  for (unsigned loop : llvm::reverse(outer.drop_front())) {
    ivs[loop] = take(sizes[loop]);
    end = multiply(end, minimum(sizes[loop], index(1)));
  }
  ivs[outer.front()] = step;
  return select(isBelow(step, end), first, size);
}

ContractionBlock::Tile ContractionBlock::makeTile(unsigned operand,
                                                  bool isWide) {
  Tile tile;
  tile.operand = operand;
  tile.across = operand == 0 ? *loops.row : loops.column;
  tile.keepsTerms = keepsTerms(operand);
  tile.width = isWide ? getWidth(operand) : 1;
  tile.acrossSize = operand == 0 ? tiling.rows : tiling.columns;
  tile.origin = operand == 0 ? firstRow : firstColumn;
  int64_t rows = tile.keepsTerms ? tile.acrossSize : tiling.terms;
  int64_t row = tile.keepsTerms ? tiling.terms : tile.acrossSize;
  // 16 bytes more, so that what threads read together is in other banks.
  if (!tiling.isSwizzled)
    row += chunkBytes / bytesOf(tiling.type);
  if (tiling.panel && row > tiling.panel) {
    rows *= row / tiling.panel;
    row = tiling.panel;
  }
  tile.shape = {tiling.stages, rows, row};
  return tile;
}

Value ContractionBlock::getColumn(const Tile &tile, Value row, Value column) {
  if (!tiling.isSwizzled)
    return column;
  // As many rows as fill all banks have their chunks in the same order.
  static constexpr int64_t chunksOfBanks = 8;
  int64_t width = chunkBytes / bytesOf(tiling.type);
  int64_t chunks = std::min(tile.shape.back() / width, chunksOfBanks);
  Value change =
      remainder(divide(row, index(chunksOfBanks / chunks)), index(chunks));
  Value chunk =
      arith::XOrIOp::create(builder, loc, divide(column, index(width)), change);
  return add(multiply(chunk, index(width)), remainder(column, index(width)));
}

/// Where the element, or the chunk that begins there, at `place` across and
/// `term` is.
SmallVector<Value> ContractionBlock::getSharedPlace(const Tile &tile,
                                                    Value stage, Value place,
                                                    Value term) {
  Value row = tile.keepsTerms ? place : term;
  Value column = tile.keepsTerms ? term : place;
  int64_t rows = tile.keepsTerms ? tile.acrossSize : tiling.terms;
  if (rows != tile.shape[1]) {
    Value panel = index(tile.shape[2]);
    row = add(row, multiply(divide(column, panel), index(rows)));
    column = remainder(column, panel);
  }
  return {stage, row, getColumn(tile, row, column)};
}

/// The memory of the steps is that of the sums later.
void ContractionBlock::makeShared(gpu::LaunchOp launch) {
  auto space = gpu::AddressSpaceAttr::get(launch.getContext(),
                                          gpu::AddressSpace::Workgroup);
  auto typeOf = [&](ArrayRef<int64_t> shape, Type type) {
    return MemRefType::get(shape, type, MemRefLayoutAttrInterface(), space);
  };
  auto bytes = [](MemRefType type) {
    return type.getNumElements() * bytesOf(type.getElementType());
  };
  // 32 bytes more, so that neighbouring rows are in other banks.
  MemRefType sums = typeOf({tiling.slices * getPassRows(), tiling.columns + 8},
                           op.getSumType());
  SmallVector<MemRefType> types;
  SmallVector<int64_t> offsets;
  int64_t end = 0;
  for (const Tile &tile : tiles) {
    types.push_back(typeOf(tile.shape, tiling.type));
    offsets.push_back(end);
    end += bytes(types.back());
  }
  Value memory = launch.addWorkgroupAttribution(
      typeOf(std::max(end, bytes(sums)), builder.getI8Type()), loc);
  auto view = [&](MemRefType type, int64_t offset) {
    return memref::ViewOp::create(builder, loc, type, memory, index(offset),
                                  ValueRange());
  };
  for (auto [tile, type, offset] : llvm::zip(tiles, types, offsets))
    tile.shared = view(type, offset);
  staging = view(sums, 0);
}

/// Copies the terms from `firstTerm` on. Where they or what is across end,
/// shared memory gets zeros, and nothing is read.
void ContractionBlock::copyTile(const Tile &tile, Value stage,
                                Value firstTerm) {
  unsigned term = loops.reductions.back();
  Value source = op->getOperand(tile.operand);
  auto sourceType = cast<MemRefType>(source.getType());
  Type type = sourceType.getElementType();
  int64_t bytes = tile.width * bytesOf(type);
  bool isAsync = type == tiling.type && bytes >= leastAsyncBytes &&
                 sourceType.isLastDimUnitStride();
  // Neighbouring threads read what is next to each other in memory.
  bool termsLast = hasTermsLast(tile.operand);
  Value width = index(tile.width), zero = index(0);
  Value chunks =
      index((termsLast ? tiling.terms : tile.acrossSize) / tile.width);
  int64_t copies =
      tiling.terms * tile.acrossSize / (tile.width * tiling.threads);
  for (int64_t i = 0; i < copies; ++i) {
    Value number = add(thread, index(i * tiling.threads));
    Value fast = multiply(remainder(number, chunks), width);
    Value slow = divide(number, chunks);
    Value k = termsLast ? fast : slow, place = termsLast ? slow : fast;
    SmallVector<Value> to = getSharedPlace(tile, stage, place, k);
    SmallVector<Value> at(ivs);
    at[tile.across] = add(tile.origin, place);
    at[term] = add(firstTerm, k);
    Value isAcross = isBelow(at[tile.across], sizes[tile.across]);
    Value isInside = arith::AndIOp::create(builder, loc, isAcross,
                                           isBelow(at[term], sizes[term]));
    if (isAsync) {
      // A copy of no bytes does not read at its address: only what stays the
      // same in all steps is kept inside.
      at[tile.across] = select(isAcross, at[tile.across], zero);
      UnitAttr bypass =
          bytes == chunkBytes ? builder.getUnitAttr() : UnitAttr();
      nvgpu::DeviceAsyncCopyOp::create(
          builder, loc, nvgpu::DeviceAsyncTokenType::get(builder.getContext()),
          tile.shared, to, source,
          getElementPlace(builder, loc, op.getMap(tile.operand), at),
          builder.getIndexAttr(tile.width), select(isInside, width, zero),
          bypass);
      continue;
    }
    auto branch = scf::IfOp::create(
        builder, loc, isInside,
        [&](OpBuilder &, Location) {
          Value value = loadMapped(builder, op, tile.operand, at);
          if (type != tiling.type)
            value = arith::ExtFOp::create(builder, loc, tiling.type, value);
          scf::YieldOp::create(builder, loc, value);
        },
        [&](OpBuilder &, Location) {
          Value none = arith::ConstantOp::create(
              builder, loc, builder.getZeroAttr(tiling.type));
          scf::YieldOp::create(builder, loc, none);
        });
    memref::StoreOp::create(builder, loc, branch.getResult(0), tile.shared, to);
  }
}

void ContractionBlock::copyStep(Value step, Value stage) {
  Value firstTerm = enterStep(step);
  for (const Tile &tile : tiles)
    copyTile(tile, stage, firstTerm);
  NVVM::CpAsyncCommitGroupOp::create(builder, loc);
}

/// Adds the products of the steps from `begin` to `end`.
ContractionBlock::Values ContractionBlock::addSteps(Value begin, Value end,
                                                    ValueRange sums) {
  // A stage that were the remainder of the step would be an expression in each
  // address of shared memory, which costs code generation seconds.
  Value zero = index(0), one = index(1);
  Values carried(sums);
  carried.push_back(remainder(begin, index(tiling.stages)));
  Values last = makeLoop(
      builder, loc, begin, end, one, carried,
      [&](Value step, ValueRange carried) {
        // The step's copies have arrived, for all threads; and all
        // of them have read the stage that is written next.
        int64_t behind = 1 + tiling.lag, ahead = tiling.stages - behind;
        NVVM::CpAsyncWaitGroupOp::create(builder, loc, ahead - 1);
        arrive();
        gpu::BarrierOp::create(builder, loc);
        Value stage = carried.back();
        Values begun = beginStep(carried.drop_back(), stage);
        // Steps past the last one have terms past their end: none
        // is read.
        Value wraps = compare(arith::CmpIPredicate::ult, stage, index(behind));
        copyStep(add(step, index(ahead)),
                 select(wraps, add(stage, index(ahead)),
                        subtract(stage, index(behind))));
        Values next = endStep(begun, stage);
        Value isLast =
            compare(arith::CmpIPredicate::eq, stage, index(tiling.stages - 1));
        next.push_back(select(isLast, zero, add(stage, one)));
        return next;
      });
  last.pop_back();
  return last;
}

ContractionBlock::Values ContractionBlock::addAll() {
  for (int64_t stage = 0; stage + 1 + tiling.lag < tiling.stages; ++stage)
    copyStep(index(stage), index(stage));
  Value steps = countSteps();
  int64_t part = getPartSteps();
  Value zero = arith::ConstantOp::create(builder, loc,
                                         builder.getZeroAttr(op.getSumType()));
  Values zeros(countSums(), zero);
  if (part == 0)
    return finish(addSteps(index(0), steps, zeros));
  return makeLoop(builder, loc, index(0), steps, index(part), zeros,
                  [&](Value first, ValueRange carried) {
                    Value end = minimum(add(first, index(part)), steps);
                    Values parts = addSteps(first, end, zeros);
                    Values next;
                    for (auto [sum, one] : llvm::zip(carried, parts))
                      next.push_back(add(sum, one));
                    return next;
                  });
}

/// Through shared memory: neighbouring threads write neighbours, and the code
/// of the region is there once.
void ContractionBlock::storeSums(ValueRange sums) {
  // The memory holds steps, which all threads have read, and the zeros of steps
  // past the last one, which may still arrive.
  NVVM::CpAsyncWaitGroupOp::create(builder, loc, 0);
  int64_t passes = countPasses(), ofPass = countSums() / passes;
  makeLoop(builder, loc, index(0), index(passes), index(1), {},
           [&](Value pass, ValueRange) -> Values {
             gpu::BarrierOp::create(builder, loc);
             for (int64_t i = 0; i < passes; ++i) {
               Value isPass = compare(arith::CmpIPredicate::eq, pass, index(i));
               auto branch = scf::IfOp::create(builder, loc, isPass);
               OpBuilder::InsertionGuard guard(builder);
               builder.setInsertionPointToStart(branch.thenBlock());
               for (int64_t number = i * ofPass; number < (i + 1) * ofPass;
                    ++number) {
                 auto [row, column] = getPlace(number);
                 memref::StoreOp::create(builder, loc, sums[number], staging,
                                         ValueRange{row, column});
               }
             }
             gpu::BarrierOp::create(builder, loc);
             storePass(pass);
             return {};
           });
}

/// Stores the results of a pass; a thread has some rows of one column.
void ContractionBlock::storePass(Value pass) {
  Value column = remainder(thread, index(tiling.columns));
  SmallVector<Value> at(ivs);
  at[loops.column] = add(firstColumn, column);
  Value isColumn = isBelow(at[loops.column], sizes[loops.column]);
  makeLoop(
      builder, loc, divide(thread, index(tiling.columns)), index(getPassRows()),
      index(tiling.threads / tiling.columns), {},
      [&](Value row, ValueRange) -> Values {
        at[*loops.row] = add(firstRow, getTileRow(pass, row));
        Value isInside = arith::AndIOp::create(
            builder, loc, isBelow(at[*loops.row], sizes[*loops.row]), isColumn);
        auto branch = scf::IfOp::create(builder, loc, isInside);
        OpBuilder::InsertionGuard guard(builder);
        builder.setInsertionPointToStart(branch.thenBlock());
        auto read = [&](int64_t slice) -> Value {
          Value at = add(row, index(slice * getPassRows()));
          return memref::LoadOp::create(builder, loc, staging,
                                        ValueRange{at, column});
        };
        Value sum = read(0);
        for (int64_t slice = 1; slice < tiling.slices; ++slice)
          sum = add(sum, read(slice));
        if (op.getAccumulate())
          sum =
              add(loadMapped(builder, op, 2 + op.getOthers().size(), at), sum);
        storeResult(builder, op, sum, at);
        return {};
      });
}

void ContractionBlock::form(StringRef name, std::array<bool, 2> isWide) {
  builder.setInsertionPoint(op);
  for (OpFoldResult extent : getLoopExtents(builder, op))
    sizes.push_back(makeIndex(builder, loc, extent));
  ivs.resize(sizes.size());
  gpu::LaunchOp launch =
      beginKernel(builder, loc, name, countBlocks(), tiling.threads);
  // Copies of single elements need more registers.
  int64_t blocks = isWide[0] && isWide[1] ? tiling.blocks : 1;
  launch->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                  builder.getI32IntegerAttr(blocks));
  thread = launch.getThreadIds().x;
  enterBlock(launch.getBlockIds().x);
  for (unsigned operand : {0, 1})
    tiles.push_back(makeTile(operand, isWide[operand]));
  makeShared(launch);
  storeSums(addAll());
  op.erase();
}
