//===- TransposeTiles.cpp - Tiles whose rows become columns ---------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile is 32 x 32 points; of its 256 threads each has four of them.
//
//===----------------------------------------------------------------------===//

#include "GPU/TransposeTiles.h"

#include "Arithmetic.h"
#include "GPU/Chunks.h"
#include "GPU/Kernels.h"
#include "Structure/Loops.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::symshape;

static constexpr int64_t transposeSide = 32; ///< points of a tile along a loop
/// With fewer points along a loop, most of a tile is empty.
static constexpr int64_t leastTransposed = 16;
static constexpr unsigned maxTransposed = 4; ///< inputs; shared memory is small

TransposedInputs mlir::symshape::findTransposedInputs(linalg::LinalgOp op) {
  unsigned loops = op.getNumLoops();
  if (loops < 2 || op.getNumParallelLoops() != loops)
    return {};
  auto getLastLoop = [](AffineMap map) -> std::optional<unsigned> {
    if (map.getNumResults() == 0)
      return std::nullopt;
    auto dim = dyn_cast<AffineDimExpr>(map.getResults().back());
    return dim ? std::optional<unsigned>(dim.getPosition()) : std::nullopt;
  };
  for (OpOperand &init : op.getDpsInitsMutable())
    if (getLastLoop(op.getMatchingIndexingMap(&init)) != loops - 1)
      return {};
  TransposedInputs inputs;
  for (OpOperand *input : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(input);
    std::optional<unsigned> loop = getLastLoop(map);
    if (!isa<MemRefType>(input->get().getType()) || !loop ||
        *loop == loops - 1 || !map.isFunctionOfDim(loops - 1) ||
        !map.isProjectedPermutation() ||
        (!inputs.from.empty() && *loop != inputs.loop))
      continue;
    inputs.loop = *loop;
    inputs.from.push_back(input);
  }
  if (inputs.from.size() > maxTransposed)
    inputs.from.truncate(maxTransposed);
  return inputs;
}

static Value getExtent(OpBuilder &builder, linalg::LinalgOp op, unsigned loop) {
  return makeIndex(builder, op.getLoc(),
                   op.createLoopRanges(builder, op.getLoc())[loop].size);
}

Value mlir::symshape::makeTileTest(OpBuilder &builder, linalg::LinalgOp op,
                                   const TransposedInputs &inputs) {
  Location loc = op.getLoc();
  Value fewest =
      arith::MinSIOp::create(builder, loc, getExtent(builder, op, inputs.loop),
                             getExtent(builder, op, op.getNumLoops() - 1));
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sge, fewest,
                               makeIndex(builder, loc, leastTransposed));
}

namespace {
/// The kernel of one op.
class TransposeEmitter : Arithmetic {
public:
  TransposeEmitter(OpBuilder &builder, linalg::LinalgOp op,
                   const TransposedInputs &inputs)
      : Arithmetic(builder, op.getLoc()), builder(builder), op(op),
        inputs(inputs), along(op.getNumLoops() - 1) {}
  void run(StringRef name);

private:
  void forEachPoint(bool readsAlong,
                    function_ref<void(ArrayRef<Value> ivs, Value i, Value j)>);
  Value divideUp(Value size);

  OpBuilder &builder;
  linalg::LinalgOp op;
  const TransposedInputs &inputs;
  unsigned along; ///< the loop along which results are written
  Value extentAlong, extentAcross, lane;
  SmallVector<Value> first; ///< the tile's first point
};
} // namespace

Value TransposeEmitter::divideUp(Value size) {
  return arith::CeilDivUIOp::create(builder, loc, size, index(transposeSide));
}

/// Runs `body` for each point of the tile that the thread has, with its place
/// `i`, `j` in the tile; to read, also for those past the end. Neighbouring
/// threads have neighbours along the loop that inputs are read along, or else
/// along that of results.
void TransposeEmitter::forEachPoint(
    bool readsAlong,
    function_ref<void(ArrayRef<Value> ivs, Value i, Value j)> body) {
  Value side = index(transposeSide);
  Value fast = arith::RemUIOp::create(builder, loc, lane, side);
  Value slow = arith::DivUIOp::create(builder, loc, lane, side);
  for (int64_t step = 0; step < transposeSide;
       step += pointThreads / transposeSide) {
    Value other = add(slow, index(step));
    Value i = readsAlong ? other : fast, j = readsAlong ? fast : other;
    SmallVector<Value> ivs(first);
    ivs[along] = add(first[along], i);
    ivs[inputs.loop] = add(first[inputs.loop], j);
    if (readsAlong) { // past the end the last one is read again: no branches
      ivs[along] = minimum(ivs[along], subtract(extentAlong, index(1)));
      ivs[inputs.loop] =
          minimum(ivs[inputs.loop], subtract(extentAcross, index(1)));
      body(ivs, i, j);
      continue;
    }
    Value isInside = arith::AndIOp::create(
        builder, loc,
        compare(arith::CmpIPredicate::ult, ivs[along], extentAlong),
        compare(arith::CmpIPredicate::ult, ivs[inputs.loop], extentAcross));
    auto branch = scf::IfOp::create(builder, loc, isInside);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    body(ivs, i, j);
  }
}

void TransposeEmitter::run(StringRef name) {
  builder.setInsertionPoint(op);
  SmallVector<OpFoldResult> extents;
  for (const mlir::Range &range : op.createLoopRanges(builder, loc))
    extents.push_back(range.size);
  extentAlong = makeIndex(builder, loc, extents[along]);
  extentAcross = makeIndex(builder, loc, extents[inputs.loop]);
  extents[along] = divideUp(extentAlong);
  extents[inputs.loop] = divideUp(extentAcross);
  PointThread thread =
      beginPoints(builder, loc, name, extents, /*perPoint=*/pointThreads);
  lane = thread.lane;
  first = thread.position;
  for (unsigned loop : {along, inputs.loop})
    first[loop] = multiply(first[loop], index(transposeSide));
  auto launch = builder.getInsertionBlock()
                    ->getParent()
                    ->getParentOfType<gpu::LaunchOp>();
  SmallVector<Value> tiles;
  for (OpOperand *input : inputs.from)
    // A column more, so that the points of a column are in different banks.
    tiles.push_back(
        makeShared(launch, {transposeSide, transposeSide + 1},
                   cast<MemRefType>(input->get().getType()).getElementType()));
  struct Read {
    Value element, tile, i, j;
  };
  SmallVector<Read> read; // all of it, before the first wait
  forEachPoint(true, [&](ArrayRef<Value> ivs, Value i, Value j) {
    for (auto [input, tile] : llvm::zip(inputs.from, tiles)) {
      Value element = memref::LoadOp::create(
          builder, loc, input->get(),
          getElementPlace(builder, loc, op.getMatchingIndexingMap(input), ivs));
      read.push_back({element, tile, i, j});
    }
  });
  for (auto [element, tile, i, j] : read)
    memref::StoreOp::create(builder, loc, element, tile, ValueRange{i, j});
  gpu::BarrierOp::create(builder, loc);
  forEachPoint(false, [&](ArrayRef<Value> ivs, Value i, Value j) {
    IRMapping mapping;
    for (auto [input, tile] : llvm::zip(inputs.from, tiles))
      mapping.map(op.getMatchingBlockArgument(input),
                  memref::LoadOp::create(builder, loc, tile, ValueRange{i, j})
                      .getResult());
    emitElementwiseChunk(builder, op, ivs, /*width=*/1, mapping);
  });
  op.erase();
}

void mlir::symshape::formTransposeTiles(OpBuilder &builder, linalg::LinalgOp op,
                                        const TransposedInputs &inputs,
                                        StringRef name) {
  TransposeEmitter(builder, op, inputs).run(name);
}
