//===- RowKernels.cpp - Kernels of a row per block ------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The threads of a row run one op after the other, and wait for each other in
// between: what one op writes to memory is there for the next one. Not for:
// which ops have the same rows (MarkRows).
//
//===----------------------------------------------------------------------===//

#include "GPU/RowKernels.h"

#include "Arithmetic.h"
#include "GPU/Chunks.h"
#include "GPU/Combiners.h"
#include "GPU/Kernels.h"
#include "GPU/PointEmitter.h"
#include "Loops.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::symshape;

/// Elements of a row from which on a block works on it.
static constexpr int64_t longRow = 1024;

bool mlir::symshape::hasRows(linalg::LinalgOp op, unsigned rows) {
  unsigned loops = op.getNumLoops();
  if (!PointEmitter::canEmit(op) || (loops != rows && loops != rows + 1))
    return false;
  SmallVector<utils::IteratorType> types = op.getIteratorTypesArray();
  return llvm::all_of(ArrayRef(types).take_front(rows),
                      linalg::isParallelIterator) &&
         (loops == rows || linalg::isParallelIterator(types.back()) ||
          reducesRows(op));
}

bool mlir::symshape::reducesRows(linalg::LinalgOp op) {
  unsigned loops = op.getNumLoops();
  if (loops < 2 || op.getNumReductionLoops() != 1 ||
      !linalg::isReductionIterator(op.getIteratorTypesArray().back()))
    return false;
  return llvm::all_of(
      llvm::enumerate(op.getRegionOutputArgs()), [&](auto output) {
        return output.value().getType().getIntOrFloatBitWidth() == 32 &&
               findCombiner(op, output.index());
      });
}

namespace {
/// The kernel in one form.
class RowEmitter : Arithmetic {
public:
  RowEmitter(OpBuilder &builder, Location loc, int64_t threads, Value lane,
             ArrayRef<Value> row)
      : Arithmetic(builder, loc), builder(builder), threads(threads),
        lane(lane), row(row) {}
  /// Emits one op; its loop along rows has `extent` elements, null if it has
  /// none, and takes `width` at once.
  void emit(linalg::LinalgOp op, Value extent, int64_t width);
  /// Waits until all threads of the row have got here.
  void wait();

private:
  void runFirst(function_ref<void()> body);
  void emitAlong(linalg::LinalgOp op, Value extent, int64_t width);
  void emitReduction(linalg::LinalgOp op, Value extent, int64_t width);
  SmallVector<Value> addParts(linalg::LinalgOp op, Value extent, int64_t width);
  Value combineThreads(Operation *combiner, Value part);
  SmallVector<Value> at(Value along = Value());

  OpBuilder &builder;
  int64_t threads; ///< of a row
  Value lane;      ///< the thread's number among them
  ArrayRef<Value> row;
};
} // namespace

SmallVector<Value> RowEmitter::at(Value along) {
  SmallVector<Value> ivs(row);
  if (along)
    ivs.push_back(along);
  return ivs;
}

void RowEmitter::wait() {
  if (threads > warpThreads) {
    gpu::BarrierOp::create(builder, loc);
    return;
  }
  Value all = arith::ConstantIntOp::create(builder, loc, -1, 32);
  NVVM::SyncWarpOp::create(builder, loc, all);
}

void RowEmitter::runFirst(function_ref<void()> body) {
  Value isFirst = compare(arith::CmpIPredicate::eq, lane, index(0));
  auto branch = scf::IfOp::create(builder, loc, isFirst);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  body();
}

/// An op with as many results along the row.
void RowEmitter::emitAlong(linalg::LinalgOp op, Value extent, int64_t width) {
  IRMapping known;
  readBeforeLoop(builder, op, at(extent), known);
  makeLoop(builder, loc, multiply(lane, index(width)), extent,
           index(threads * width), {},
           [&](Value along, ValueRange) -> SmallVector<Value> {
             emitElementwiseChunk(builder, op, at(along), width, known);
             return {};
           });
}

/// What this thread's elements of the row add up to, one part for each of the
/// `width` elements of a chunk, for each result.
SmallVector<Value> RowEmitter::addParts(linalg::LinalgOp op, Value extent,
                                        int64_t width) {
  IRMapping known;
  readBeforeLoop(builder, op, at(extent), known);
  SmallVector<Value> starts;
  for (unsigned result = 0; result < op.getNumDpsInits(); ++result)
    starts.append(
        width,
        arith::ConstantOp::create(
            builder, loc, *arith::getNeutralElement(findCombiner(op, result))));
  return makeLoop(
      builder, loc, multiply(lane, index(width)), extent,
      index(threads * width), starts, [&](Value along, ValueRange carried) {
        SmallVector<Value> next(carried.size());
        ChunkReader reader(builder, op, at(along), width, known);
        for (int64_t part = 0; part < width; ++part) {
          IRMapping mapping;
          reader.map(builder, part, mapping);
          for (auto [result, argument] :
               llvm::enumerate(op.getRegionOutputArgs()))
            mapping.map(argument, carried[result * width + part]);
          SmallVector<Value> ivs = at(add(along, index(part)));
          for (auto [result, value] :
               llvm::enumerate(cloneStructuredBody(builder, op, ivs, mapping)))
            next[result * width + part] = value;
        }
        return next;
      });
}

/// Combines a value of each thread of the row; each gets the result.
Value RowEmitter::combineThreads(Operation *combiner, Value part) {
  part = combineWarp(builder, loc, combiner, part);
  int64_t warps = threads / warpThreads;
  if (warps == 1)
    return part;
  auto launch = builder.getInsertionBlock()
                    ->getParent()
                    ->getParentOfType<gpu::LaunchOp>();
  Value shared = makeShared(launch, {warps}, part.getType());
  Value warp = arith::DivUIOp::create(builder, loc, lane, index(warpThreads));
  Value inWarp = arith::RemUIOp::create(builder, loc, lane, index(warpThreads));
  auto branch = scf::IfOp::create(
      builder, loc, compare(arith::CmpIPredicate::eq, inWarp, index(0)));
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    memref::StoreOp::create(builder, loc, part, shared, warp);
  }
  gpu::BarrierOp::create(builder, loc);
  for (int64_t i = 0; i < warps; ++i) {
    Value other = memref::LoadOp::create(builder, loc, shared, index(i));
    part = i == 0 ? other : combineTwo(builder, combiner, part, other);
  }
  return part;
}

void RowEmitter::emitReduction(linalg::LinalgOp op, Value extent,
                               int64_t width) {
  SmallVector<Value> parts = addParts(op, extent, width), sums;
  for (unsigned result = 0; result < op.getNumDpsInits(); ++result) {
    Operation *combiner = findCombiner(op, result);
    Value sum = parts[result * width];
    for (int64_t part = 1; part < width; ++part)
      sum = combineTwo(builder, combiner, sum, parts[result * width + part]);
    sums.push_back(combineThreads(combiner, sum));
  }
  runFirst([&] {
    for (auto [result, init] : llvm::enumerate(op.getDpsInitsMutable())) {
      SmallVector<Value> place = getElementPlace(
          builder, loc, op.getMatchingIndexingMap(&init), at(extent));
      Value start = memref::LoadOp::create(builder, loc, init.get(), place);
      Value all =
          combineTwo(builder, findCombiner(op, result), start, sums[result]);
      memref::StoreOp::create(builder, loc, all, init.get(), place);
    }
  });
}

void RowEmitter::emit(linalg::LinalgOp op, Value extent, int64_t width) {
  if (!extent)
    runFirst([&] { emitElementwiseChunk(builder, op, at(), 1); });
  else if (op.getNumReductionLoops() == 0)
    emitAlong(op, extent, width);
  else
    emitReduction(op, extent, width);
}

/// `wide` where `test` holds, else `narrow`; without a test, `narrow`.
static void choose(OpBuilder &builder, Location loc, Value test,
                   function_ref<void()> wide, function_ref<void()> narrow) {
  if (!test)
    return narrow();
  auto branch = scf::IfOp::create(builder, loc, test, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  wide();
  builder.setInsertionPointToStart(branch.elseBlock());
  narrow();
}

void mlir::symshape::formRows(OpBuilder &builder,
                              ArrayRef<linalg::LinalgOp> ops, unsigned rows,
                              StringRef name) {
  linalg::LinalgOp last = ops.back();
  Location loc = last.getLoc();
  builder.setInsertionPoint(last);
  SmallVector<OpFoldResult> extents;
  SmallVector<Value> alongs; // per op
  SmallVector<LoopChunks> chunks;
  Value most = makeIndex(builder, loc, 0), test;
  for (linalg::LinalgOp op : ops) {
    SmallVector<mlir::Range> ranges = op.createLoopRanges(builder, loc);
    extents.clear();
    for (const mlir::Range &range : ArrayRef(ranges).take_front(rows))
      extents.push_back(range.size);
    alongs.push_back(Value());
    chunks.push_back({});
    if (ranges.size() == rows)
      continue;
    alongs.back() = makeIndex(builder, loc, ranges.back().size);
    most = arith::MaxSIOp::create(builder, loc, most, alongs.back());
    chunks.back() = findLoopChunks(builder, op);
    test = combineTests(builder, loc, test, chunks.back().test);
  }
  auto emit = [&](bool isTested, int64_t threads) {
    OpBuilder::InsertionGuard guard(builder);
    PointThread thread = beginPoints(builder, loc, name, extents, threads);
    RowEmitter emitter(builder, loc, threads, thread.lane, thread.position);
    for (auto [number, op] : llvm::enumerate(ops)) {
      if (number > 0)
        emitter.wait();
      const LoopChunks &chunk = chunks[number];
      emitter.emit(op, alongs[number],
                   chunk.test && !isTested ? 1 : chunk.width);
    }
  };
  auto emitLengths = [&](bool isTested) {
    Value isLong =
        arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sgt, most,
                              makeIndex(builder, loc, longRow));
    choose(
        builder, loc, isLong, [&] { emit(isTested, pointThreads); },
        [&] { emit(isTested, warpThreads); });
  };
  choose(
      builder, loc, test, [&] { emitLengths(true); },
      [&] { emitLengths(false); });
  for (linalg::LinalgOp op : ops)
    op.erase();
}
