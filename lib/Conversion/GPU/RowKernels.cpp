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
#include "Structure/Loops.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::symshape;

/// Elements of a row from which on a block works on it.
static constexpr int64_t longRow = 1024;
/// Chunks that a thread reads before it computes.
static constexpr int64_t maxTogether = 4;

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
  return combinesInWarp(op);
}

namespace {
/// Which threads of a row access an element of a buffer: the first one alone;
/// the one that has the chunk it is in; or all of them.
struct Accessors {
  enum Kind { First, Owner, All } kind;
  int64_t width = 1; ///< of chunks

  bool areSame(Accessors other) const {
    return kind == other.kind && kind != All &&
           (kind == First || width == other.width);
  }
};

/// What has been accessed since the threads last waited for each other. What
/// is written is the same value for all ops of a group.
class PendingAccesses {
public:
  void clear() { pending.clear(); }
  void add(Value buffer, Accessors accessors, bool isWrite) {
    pending.push_back({buffer, accessors, isWrite});
  }
  /// Whether such an access must wait: another thread has written the element,
  /// or has read it before it is written.
  bool mustWait(Value buffer, Accessors accessors, bool isWrite) const {
    return llvm::any_of(pending, [&](const Access &access) {
      return access.buffer == buffer && (isWrite || access.isWrite) &&
             !accessors.areSame(access.accessors);
    });
  }

private:
  struct Access {
    Value buffer;
    Accessors accessors;
    bool isWrite;
  };
  SmallVector<Access> pending;
};

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

private:
  /// Waits until all threads of the row have got here.
  void wait();
  void waitFor(linalg::LinalgOp op, Value extent, int64_t width);
  void runFirst(function_ref<void()> body);
  using ChunksBody = function_ref<SmallVector<Value>(ArrayRef<Value> places,
                                                     ValueRange carried)>;
  SmallVector<Value> forChunks(linalg::LinalgOp op, Value extent, int64_t width,
                               ValueRange inits, ChunksBody body);
  void emitAlong(linalg::LinalgOp op, Value extent, int64_t width);
  void emitReduction(linalg::LinalgOp op, Value extent, int64_t width);
  SmallVector<Value> addParts(linalg::LinalgOp op, Value extent, int64_t width);
  Value combineThreads(Operation *combiner, Value part);
  SmallVector<Value> at(Value along = Value());

  OpBuilder &builder;
  int64_t threads; ///< of a row
  Value lane;      ///< the thread's number among them
  ArrayRef<Value> row;
  PendingAccesses pending;
};
} // namespace

SmallVector<Value> RowEmitter::at(Value along) {
  SmallVector<Value> ivs(row);
  if (along)
    ivs.push_back(along);
  return ivs;
}

void RowEmitter::wait() {
  pending.clear();
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

/// How many chunks of `op` a thread reads before it computes.
static int64_t countTogether(linalg::LinalgOp op) {
  int64_t inputs = llvm::count_if(op->getOpOperands(), [&](OpOperand &operand) {
    return isAlongLastLoop(op, operand) && !op.isDpsInit(&operand);
  });
  // Divisions and functions need many registers, and a division calls a
  // function where exponents are extreme: ptxas would spill.
  bool isLong = llvm::any_of(*op.getBlock(), [](Operation &inside) {
    return isa<arith::DivFOp>(inside) ||
           isa<math::MathDialect>(inside.getDialect());
  });
  int64_t most = isLong ? 1 : maxTogether;
  return std::max<int64_t>(1, most / std::max<int64_t>(1, inputs));
}

/// Runs `body` for the thread's chunks of a row, several of them at a time:
/// what they read is on its way together. It gets where the chunks begin, and
/// returns what is carried on.
SmallVector<Value> RowEmitter::forChunks(linalg::LinalgOp op, Value extent,
                                         int64_t width, ValueRange inits,
                                         ChunksBody body) {
  int64_t together = countTogether(op);
  int64_t step = threads * width;
  auto loop = [&](Value from, Value to, int64_t count, ValueRange carried) {
    return makeLoop(builder, loc, from, to, index(count * step), carried,
                    [&](Value along, ValueRange inner) {
                      SmallVector<Value> places;
                      for (int64_t i = 0; i < count; ++i)
                        places.push_back(add(along, index(i * step)));
                      return body(places, inner);
                    });
  };
  Value begin = multiply(lane, index(width));
  if (together == 1)
    return loop(begin, extent, 1, inits);
  // So many times all of them are in the row.
  Value last = add(begin, index((together - 1) * step));
  Value rest = maximum(subtract(extent, last), index(0));
  Value rounds =
      arith::CeilDivSIOp::create(builder, loc, rest, index(together * step));
  Value middle = add(begin, multiply(rounds, index(together * step)));
  return loop(middle, extent, 1, loop(begin, middle, together, inits));
}

/// An op with as many results along the row.
void RowEmitter::emitAlong(linalg::LinalgOp op, Value extent, int64_t width) {
  IRMapping known;
  readBeforeLoop(builder, op, at(extent), known);
  forChunks(op, extent, width, {},
            [&](ArrayRef<Value> places, ValueRange) -> SmallVector<Value> {
              SmallVector<ChunkReader> readers;
              for (Value place : places)
                readers.emplace_back(builder, op, at(place), width, known);
              for (auto [reader, place] : llvm::zip(readers, places))
                emitElementwiseChunk(builder, op, reader, at(place), width);
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
  return forChunks(
      op, extent, width, starts,
      [&](ArrayRef<Value> places, ValueRange carried) {
        SmallVector<Value> sums(carried);
        SmallVector<ChunkReader> readers;
        for (Value place : places)
          readers.emplace_back(builder, op, at(place), width, known);
        for (auto [reader, place] : llvm::zip(readers, places))
          for (int64_t part = 0; part < width; ++part) {
            IRMapping mapping;
            reader.map(builder, part, mapping);
            for (auto [result, argument] :
                 llvm::enumerate(op.getRegionOutputArgs()))
              mapping.map(argument, sums[result * width + part]);
            SmallVector<Value> ivs = at(add(place, index(part)));
            for (auto [result, value] : llvm::enumerate(
                     cloneStructuredBody(builder, op, ivs, mapping)))
              sums[result * width + part] = value;
          }
        return sums;
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
  wait();
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
  for (Value init : op.getDpsInits())
    pending.add(init, {Accessors::First}, /*isWrite=*/true);
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

/// Waits if `op` needs it, and notes what it accesses.
void RowEmitter::waitFor(linalg::LinalgOp op, Value extent, int64_t width) {
  struct Access {
    OpOperand &operand;
    Accessors accessors;
  };
  SmallVector<Access> accesses;
  for (OpOperand &operand : op->getOpOperands()) {
    bool isResult = op.isDpsInit(&operand);
    if (!isa<MemRefType>(operand.get().getType()) ||
        (!isResult && op.getMatchingBlockArgument(&operand).use_empty()))
      continue;
    Accessors accessors{Accessors::All};
    if (!extent || (isResult && op.getNumReductionLoops() != 0))
      accessors = {Accessors::First};
    else if (isAlongLastLoop(op, operand))
      accessors = {Accessors::Owner, width};
    accesses.push_back({operand, accessors});
  }
  if (llvm::any_of(accesses, [&](const Access &access) {
        return pending.mustWait(access.operand.get(), access.accessors,
                                op.isDpsInit(&access.operand));
      }))
    wait();
  for (const Access &access : accesses)
    pending.add(access.operand.get(), access.accessors,
                op.isDpsInit(&access.operand));
}

void RowEmitter::emit(linalg::LinalgOp op, Value extent, int64_t width) {
  waitFor(op, extent, width);
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
