//===- LowerContractions.cpp - Loops around register tiles ----------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For each contraction: loops over batches, blocks of rows that fit in the
// cache, panels of columns, tiles of rows; in the innermost one a call of the
// tile function, and the region of the op on the tile. Tiles are as high as
// registers allow; the last one has the rows that are left: the first ones wait
// for B, it does not. Not for: the tile (ContractionKernel).
//
//===----------------------------------------------------------------------===//

#include "symshape/Conversion/Passes.h"

#include "CallCost.h"
#include "ContractionLowering.h"
#include "ContractionRemarks.h"
#include "OneThread.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace mlir::symshape {
#define GEN_PASS_DEF_LOWERCONTRACTIONSPASS
#include "symshape/Conversion/Passes.h.inc"
} // namespace mlir::symshape

using namespace mlir;
using namespace mlir::symshape;

/// Into at least how many parts a contraction is split, if it can be: enough
/// for a few threads to share evenly.
static constexpr int64_t minPieces = 16;
/// A block has at least so many tiles: with fewer, what of B passes by each of
/// them costs more than reading A from beyond the second-level cache.
static constexpr int64_t minBlockTiles = 12;

void ContractionLowering::findSizes() {
  for (auto [number, operand] : llvm::enumerate(op.getMappedOperands())) {
    for (auto [position, expr] :
         llvm::enumerate(op.getMap(number).getResults())) {
      auto dim = dyn_cast<AffineDimExpr>(expr);
      if (!dim)
        continue; // windows: the other operands say how many, and how large
      unsigned loop = dim.getPosition();
      if (!(number == 1 && op.isBlocked(position)) && !sizes[loop])
        sizes[loop] = memref::DimOp::create(rewriter, loc, operand, position);
    }
  }
  if (auto grouped = op.getGroupedLoop(); grouped && !sizes[*grouped])
    sizes[*grouped] = index(*op.getGroupedTerms());
}

Value ContractionLowering::getPointer(Value buffer) {
  Value address =
      memref::ExtractAlignedPointerAsIndexOp::create(rewriter, loc, buffer);
  return LLVM::IntToPtrOp::create(
      rewriter, loc, LLVM::LLVMPointerType::get(rewriter.getContext()),
      integer(address));
}

Layout ContractionLowering::describe(unsigned number) {
  Value buffer = op->getOperand(number);
  auto metadata =
      memref::ExtractStridedMetadataOp::create(rewriter, loc, buffer);
  Layout layout;
  layout.pointer =
      advance(getPointer(buffer), getElementTypeOrSelf(buffer.getType()),
              integer(metadata.getOffset()));
  for (auto [position, expr] : llvm::enumerate(op.getMap(number).getResults()))
    forEachTerm(expr, [&, position = position](unsigned loop, int64_t factor) {
      Value stride = integer(metadata.getStrides()[position]);
      layout.steps[loop] =
          factor == 1 ? stride : multiply(stride, integer(factor));
    });
  if (number == 1 && op.isPacked())
    layout.steps[loops.column] = arith::DivUIOp::create(
        rewriter, loc, layout.steps[loops.column],
        integer(kernel.width)); // per column, at the first one of a panel
  return layout;
}

/// The element of operand `number` at the current place, with the reductions
/// that have no place yet at their first element.
Value ContractionLowering::getAddress(const Layout &layout, unsigned number) {
  Value offset = integer(0);
  for (AffineExpr expr : op.getMap(number).getResults())
    forEachTerm(expr, [&](unsigned loop, int64_t) {
      if (ivs[loop])
        offset = add(offset,
                     multiply(integer(ivs[loop]), layout.steps.lookup(loop)));
    });
  return advance(layout.pointer,
                 getElementTypeOrSelf(op->getOperand(number).getType()),
                 offset);
}

void ContractionLowering::lower() {
  rewriter.setInsertionPoint(op);
  findSizes();
  a = describe(0);
  b = describe(1);
  c = describe(2 + op.getOthers().size());
  joinRows();
  function = kernel.getOrCreate(op->getParentOfType<ModuleOp>());
  countTiles();
  if (parallel)
    lowerOnThreads();
  else
    lowerInOrder();
  rewriter.eraseOp(op);
}

/// Uses these buffers for panels and tiles.
void ContractionLowering::useWorkspaces(ValueRange workspaces) {
  if (!op.isPacked() && kernel.streams == 0 && !kernel.isInPlace)
    panelBuffer = workspaces.front();
  if (needsTileOfSums(op))
    tileBuffer = workspaces.back();
}

/// Tiles, and blocks of rows whose part of A stays in the cache while all
/// panels of B pass by.
void ContractionLowering::countTiles() {
  Value numRows = loops.row ? sizes[*loops.row] : index(1);
  tileRows = index(kernel.maxRows);
  tileCount = ceilDivide(numRows, tileRows);
  Value terms = index(1);
  for (unsigned loop : loops.reductions)
    if (op.getMap(0).isFunctionOfDim(loop))
      terms = multiply(terms, sizes[loop]);
  int64_t elementBytes = kernel.lhs.getIntOrFloatBitWidth() / 8;
  Value perTile = arith::MaxUIOp::create(rewriter, loc,
                                         multiply(terms, tileRows), index(1));
  blockTiles = arith::DivUIOp::create(
      rewriter, loc, index(cacheBytes / 2 / elementBytes), perTile);
  blockTiles =
      arith::MaxUIOp::create(rewriter, loc, blockTiles, index(minBlockTiles));
  for (unsigned loop : loops.blocks)
    panelSizes.push_back(sizes[loop]);
  panelSizes.push_back(ceilDivide(sizes[loops.column], index(kernel.width)));
  for (unsigned loop : loops.batch)
    blockSizes.push_back(sizes[loop]);
  if (parallel) {
    // Smaller blocks if there are few panels to hand out.
    Value pieces = tileCount;
    for (Value size : llvm::concat<Value>(blockSizes, panelSizes))
      pieces = multiply(pieces, size);
    blockTiles = minimum(blockTiles, ceilDivide(pieces, index(minPieces)));
  }
  blockTiles = arith::MaxUIOp::create(rewriter, loc, blockTiles, index(1));
  blockSizes.push_back(ceilDivide(tileCount, blockTiles));
}

void ContractionLowering::withOwnWorkspaces(function_ref<void()> body) {
  SmallVector<Value> workspaces = allocateWorkspaces(rewriter, op, kernel);
  useWorkspaces(workspaces);
  body();
  for (Value buffer : workspaces)
    memref::DeallocOp::create(rewriter, loc, buffer);
}

void ContractionLowering::lowerInOrder() {
  auto lowerBlocks = [&] {
    withGatheredRows([&] {
      nest(blockSizes, [&](ValueRange blockCounters) {
        enterBlock(blockCounters);
        nest(panelSizes, [&](ValueRange counters) { lowerPanel(counters); });
      });
    });
  };
  if (op.getWorkspaces().empty())
    return withOwnWorkspaces(lowerBlocks);
  useWorkspaces(op.getWorkspaces());
  lowerBlocks();
}

/// How many panels a thread takes at once: one, or where it copies the rows of
/// its block first, as many as leave enough pieces to share.
Value ContractionLowering::countPanelsPerPiece() {
  if (!gathers)
    return index(1);
  Value others = index(1), panels = panelSizes.back();
  for (Value size :
       llvm::concat<Value>(blockSizes, MutableArrayRef(panelSizes).drop_back()))
    others = multiply(others, size);
  others = arith::MaxUIOp::create(rewriter, loc, others, index(1));
  Value parts = arith::MaxUIOp::create(
      rewriter, loc,
      arith::DivUIOp::create(rewriter, loc, index(minPieces), others),
      index(1));
  Value perPiece = arith::MaxUIOp::create( // also where there are no panels
      rewriter, loc, ceilDivide(panels, parts), index(1));
  return select(gathers, perPiece, index(1));
}

/// One parallel loop over blocks of rows and panels, with workspaces of their
/// own. Tiles are the same as in order, and so are results.
void ContractionLowering::lowerOnThreads() {
  function->setAttr(callCostName,
                    rewriter.getDenseI64ArrayAttr(kernel.getCallCost()));
  Value panels = panelSizes.back(), perPiece = countPanelsPerPiece();
  auto loopSizes = llvm::to_vector(llvm::concat<Value>(blockSizes, panelSizes));
  loopSizes.back() = ceilDivide(panels, perPiece);
  SmallVector<Value> zeros(loopSizes.size(), index(0));
  SmallVector<Value> ones(loopSizes.size(), index(1));
  OpBuilder::InsertionGuard guard(rewriter);
  auto loop = scf::ParallelOp::create(rewriter, loc, zeros, loopSizes, ones);
  rewriter.setInsertionPointToStart(loop.getBody());
  SmallVector<Value> counters(loop.getInductionVars());
  withGatheredRows([&] {
    enterBlock(ArrayRef(counters).take_front(blockSizes.size()));
    withOwnWorkspaces([&] {
      SmallVector<Value> panel(counters.begin() + blockSizes.size(),
                               counters.end());
      Value first = multiply(panel.back(), perPiece);
      nest(minimum(perPiece, subtract(panels, first)), [&](ValueRange next) {
        panel.back() = add(first, next.front());
        lowerPanel(panel);
      });
    });
  });
}

void ContractionLowering::enterBlock(ValueRange counters) {
  for (auto [loop, counter] : llvm::zip(loops.batch, counters.drop_back()))
    ivs[loop] = counter;
  firstTile = multiply(counters.back(), blockTiles);
  numTiles = minimum(subtract(tileCount, firstTile), blockTiles);
  chooseRows();
}

/// One panel, and the tiles of one block of rows.
void ContractionLowering::lowerPanel(ValueRange counters) {
  for (auto [loop, counter] : llvm::zip(loops.blocks, counters.drop_back()))
    ivs[loop] = counter;
  Value width = index(kernel.width);
  ivs[loops.column] = multiply(counters.back(), width);
  columns = width;
  if (!hasFullPanels())
    columns = minimum(width, subtract(sizes[loops.column], ivs[loops.column]));
  choosePanel();
  lowerRows();
}

/// The tiles of one panel.
void ContractionLowering::lowerRows() {
  SmallVector<Value> rowSizes;
  for (unsigned loop : loops.outerRows)
    rowSizes.push_back(sizes[loop]);
  rowSizes.push_back(numTiles);
  nest(rowSizes, [&](ValueRange counters) {
    for (auto [loop, counter] :
         llvm::zip(loops.outerRows, counters.drop_back()))
      ivs[loop] = counter;
    rowCount = index(1);
    if (loops.row) {
      Value row = multiply(add(firstTile, counters.back()), tileRows);
      ivs[*loops.row] = row;
      rowCount = minimum(tileRows, subtract(sizes[*loops.row], row));
    }
    lowerTile();
  });
}

/// The sums of a tile, and the region on them. All reductions but the last are
/// loops here, each call continuing the sums of the one before; if one of them
/// is empty, one call without terms gives the empty sum.
void ContractionLowering::lowerTile() {
  Value target = getAddress(c, 2 + op.getOthers().size());
  Value targetStep = getStep(c, loops.row);
  if (tileBuffer) {
    target = getPointer(tileBuffer);
    targetStep = integer(kernel.width);
  }
  std::optional<unsigned> innermost;
  Value terms = integer(1);
  ArrayRef<unsigned> outer;
  if (!loops.reductions.empty()) {
    innermost = loops.reductions.back();
    terms = integer(sizes[*innermost]);
    outer = ArrayRef(loops.reductions).drop_back();
  }
  SmallVector<Value> outerSizes;
  if (gathers) // one loop in B as well: it is packed
    terms = select(gathers, integer(countTerms()), terms);
  for (unsigned loop : outer) {
    Value size = sizes[loop];
    if (gathers)
      size = select(gathers, index(1), size);
    Value isEmpty = compare(arith::CmpIPredicate::eq, size, index(0));
    terms = arith::SelectOp::create(rewriter, loc, isEmpty, integer(0), terms);
    outerSizes.push_back(arith::MaxUIOp::create(rewriter, loc, size, index(1)));
  }
  Value source = getAddress(rows, 0);
  nest(outerSizes, [&](ValueRange counters) {
    Value continues = arith::ConstantIntOp::create(
        rewriter, loc, rewriter.getI1Type(), op.getAccumulate());
    Value aOffset = integer(0), bOffset = integer(0);
    for (auto [loop, counter] : llvm::zip(outer, counters)) {
      Value number = integer(counter);
      continues = arith::OrIOp::create(
          rewriter, loc, continues,
          compare(arith::CmpIPredicate::ne, counter, index(0)));
      aOffset = add(aOffset, multiply(number, getStep(rows, loop)));
      bOffset = add(bOffset, multiply(number, getStep(panel, loop)));
    }
    SmallVector<Value> arguments{
        integer(rowCount),
        advance(source, kernel.lhs, aOffset),
        getStep(rows, loops.row),
        getStep(rows, innermost),
        advance(panel.pointer, kernel.rhs, bOffset),
        getStep(panel, kernel.isInPlace ? loops.column : innermost),
        terms,
        target,
        targetStep,
        integer(columns),
        continues};
    for (Value value : {op.getScales(), op.getZeros()})
      if (value)
        arguments.push_back(getPanelOf(value));
    func::CallOp::create(rewriter, loc, function, arguments);
  });
  applyRegion();
}

/// Where the present panel begins in `buffer`, which counts panels first.
Value ContractionLowering::getPanelOf(Value buffer) {
  auto metadata =
      memref::ExtractStridedMetadataOp::create(rewriter, loc, buffer);
  Type type = getElementTypeOrSelf(buffer.getType());
  Value number = arith::DivUIOp::create(rewriter, loc, ivs[loops.column],
                                        index(kernel.width));
  Value offset = add(metadata.getOffset(),
                     multiply(number, metadata.getStrides().front()));
  return advance(getPointer(buffer), type, integer(offset));
}

/// Puts `op` under a branch that is taken where its rows are too many for one
/// tile of `stream`, and returns a copy for the other branch.
static ContractOp splitByRows(RewriterBase &rewriter, ContractOp op,
                              const TileKernel &stream) {
  Location loc = op.getLoc();
  ContractionLoops loops =
      *assignLoops(op.getMap(0), op.getMap(1), op.getInitMap());
  rewriter.setInsertionPoint(op);
  Value rows = arith::ConstantIndexOp::create(rewriter, loc, 1);
  for (auto [position, expr] : llvm::enumerate(op.getInitMap().getResults())) {
    if (!loops.isRow(cast<AffineDimExpr>(expr).getPosition()))
      continue;
    Value size = memref::DimOp::create(rewriter, loc, op.getInit(), position);
    rows = arith::MulIOp::create(rewriter, loc, rows, size);
  }
  Value limit = arith::ConstantIndexOp::create(rewriter, loc, stream.maxRows);
  Value isFew = arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::ule,
                                      rows, limit);
  auto branch =
      scf::IfOp::create(rewriter, loc, isFew, /*withElseRegion=*/true);
  rewriter.setInsertionPointToStart(branch.thenBlock());
  auto few = cast<ContractOp>(rewriter.clone(*op));
  rewriter.moveOpBefore(op, branch.elseBlock(), branch.elseBlock()->begin());
  return few;
}

namespace {
struct LowerContractionsPass
    : symshape::impl::LowerContractionsPassBase<LowerContractionsPass> {
  using LowerContractionsPassBase::LowerContractionsPassBase;

  void runOnOperation() override {
    SmallVector<ContractOp> ops;
    getOperation()->walk([&](ContractOp op) {
      if (findTile(op) && op.hasPureBufferSemantics())
        ops.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (ContractOp op : ops) {
      TileKernel kernel(op);
      kernel.fma = fma;
      kernel.permutes = permutations;
      kernel.masks =
          maskedBits > 0 && kernel.sum.getIntOrFloatBitWidth() >= maskedBits;
      reportContraction(op, kernel);
      copyColumns(rewriter, op, /*frees=*/true);
      std::optional<TileKernel> stream;
      if (fewRows)
        stream = getTileForFewRows(op, kernel);
      if (stream) {
        if (parallel) // more runs to hand out
          stream->width /= 4;
        lower(rewriter, splitByRows(rewriter, op, *stream), *stream);
      }
      lower(rewriter, op, kernel);
    }
  }

  void lower(IRRewriter &rewriter, ContractOp op, const TileKernel &kernel) {
    // An enclosing loop has its thread already.
    bool isOutermost = !op->getParentOfType<scf::ForallOp>() &&
                       !op->getParentOfType<scf::ParallelOp>() &&
                       !runsOnOneThread(op);
    ContractionLowering(rewriter, op, kernel, cacheBytes,
                        parallel && isOutermost)
        .lower();
  }
};
} // namespace
