//===- ContractionRows.cpp - Rows of images as rows of a product ----------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rows of several dimensions as one loop, so that a tile of an image of 4 x 1
// has more than one row; where windows overlap, what they read is copied side
// by side first, for a block of rows that all panels of B pass by. Whether, the
// extents of the call say, and the same extents say the same on any number of
// threads.
//
//===----------------------------------------------------------------------===//

#include "ContractionLowering.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::symshape;

/// As many terms in a row repay a call of the tile function.
static constexpr int64_t fewTerms = 64;

/// Whether the grouped terms, if there are any, are known to be whole groups.
static bool hasWholeGroups(ContractOp op) {
  std::optional<unsigned> grouped = op.getGroupedLoop();
  if (!grouped)
    return true;
  int64_t terms = op.getGroupedTerms().value_or(ShapedType::kDynamic);
  AffineExpr loop = getAffineDimExpr(*grouped, op.getContext());
  if (auto position = op.getMap(0).getResultPosition(loop))
    terms = cast<ShapedType>(op.getLhs().getType()).getDimSize(*position);
  return !ShapedType::isDynamic(terms) && terms % findTile(op).getGroup() == 0;
}

/// Whether the terms of a row can be copied in vectors: packed weights have
/// them side by side as well.
bool ContractionLowering::canGather() {
  if (!op.isPacked() || !hasWholeGroups(op) || loops.reductions.size() < 2 ||
      !cast<MemRefType>(op.getLhs().getType()).isLastDimUnitStride())
    return false;
  // Several taps, or steps over rows: else rows are neighbours as they are.
  auto packed = cast<MemRefType>(op.getRhs().getType());
  bool isApart = false;
  for (auto [extent, expr] :
       llvm::zip(packed.getShape(), op.getMap(1).getResults()))
    isApart |= extent != 1 &&
               llvm::is_contained(ArrayRef(loops.reductions).drop_back(),
                                  cast<AffineDimExpr>(expr).getPosition());
  for (AffineExpr expr : op.getMap(0).getResults().drop_back())
    forEachTerm(expr, [&](unsigned, int64_t by) { isApart |= by > 1; });
  int64_t factor = 0;
  forEachTerm(op.getMap(0).getResults().back(), [&](unsigned loop, int64_t by) {
    if (loop == loops.reductions.back())
      factor = by;
  });
  return isApart && factor == 1;
}

/// Whether all of `layouts` have the rows of all loops the same distance apart.
Value ContractionLowering::areNeighbours(ArrayRef<Layout> layouts) {
  Value all =
      arith::ConstantIntOp::create(rewriter, loc, rewriter.getI1Type(), 1);
  Value rows = sizes[*loops.row];
  for (unsigned loop : llvm::reverse(loops.outerRows)) {
    for (const Layout &layout : layouts)
      all = arith::AndIOp::create(
          rewriter, loc, all,
          compare(arith::CmpIPredicate::eq, getStep(layout, loop),
                  multiply(getStep(layout, loops.row), integer(rows))));
    rows = multiply(rows, sizes[loop]);
  }
  return all;
}

/// Whether B, which is packed, has the terms of a column in one line.
Value ContractionLowering::hasTermsSideBySide() {
  Value all =
      arith::ConstantIntOp::create(rewriter, loc, rewriter.getI1Type(), 1);
  Value step = getStep(b, loops.reductions.back());
  for (unsigned loop : llvm::reverse(loops.reductions)) {
    all = arith::AndIOp::create(
        rewriter, loc, all,
        compare(arith::CmpIPredicate::eq, getStep(b, loop), step));
    step = multiply(step, integer(countPanelSteps(loop)));
  }
  return all;
}

void ContractionLowering::joinRows() {
  rowSizes = sizes;
  if (loops.outerRows.empty())
    return;
  SmallVector<Layout> written{c};
  for (unsigned number = 0; number < op.getOthers().size(); ++number)
    written.push_back(describe(2 + number));
  Value canJoin = areNeighbours(written);
  Value joins = arith::AndIOp::create(rewriter, loc, canJoin, areNeighbours(a));
  if (canGather()) {
    Value isShort = compare(arith::CmpIPredicate::ult, sizes[*loops.row],
                            index(kernel.maxRows)),
          hasFew = compare(arith::CmpIPredicate::ult,
                           sizes[loops.reductions.back()], index(fewTerms));
    gathers = arith::OrIOp::create(rewriter, loc, isShort, hasFew);
    for (Value holds : {canJoin, hasTermsSideBySide()})
      gathers = arith::AndIOp::create(rewriter, loc, gathers, holds);
    joins = arith::OrIOp::create(rewriter, loc, joins, gathers);
  }
  Value rows = sizes[*loops.row];
  for (unsigned loop : loops.outerRows) {
    rows = multiply(rows, sizes[loop]);
    sizes[loop] = select(joins, index(1), sizes[loop]);
  }
  sizes[*loops.row] = select(joins, rows, sizes[*loops.row]);
}

/// The terms of a row, side by side.
Value ContractionLowering::countTerms() {
  Value terms = index(1);
  for (unsigned loop : loops.reductions)
    terms = multiply(terms, sizes[loop]);
  return terms;
}

/// Runs `body` with a buffer for the rows of a block.
void ContractionLowering::withGatheredRows(function_ref<void()> body) {
  if (!gathers)
    return body();
  Value tiles = minimum(blockTiles, tileCount);
  Value elements = add(multiply(multiply(tiles, tileRows), countTerms()),
                       index(kernel.lanes)); // the last vector reaches past it
  auto type = MemRefType::get({ShapedType::kDynamic}, kernel.lhs);
  gatherBuffer = memref::AllocOp::create(rewriter, loc, type,
                                         select(gathers, elements, index(0)));
  body();
  memref::DeallocOp::create(rewriter, loc, gatherBuffer);
}

/// Sets `rows`: where A has the rows of the present block.
void ContractionLowering::chooseRows() {
  rows = a;
  if (!gathers)
    return;
  Value terms = countTerms();
  Value firstRow = multiply(firstTile, tileRows);
  auto choice = scf::IfOp::create(rewriter, loc, a.pointer.getType(), gathers,
                                  /*withElseRegion=*/true);
  {
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToStart(choice.thenBlock());
    gatherRows(firstRow, terms);
    Value before = subtract(index(0), multiply(firstRow, terms));
    Value pointer =
        advance(getPointer(gatherBuffer), kernel.lhs, integer(before));
    scf::YieldOp::create(rewriter, loc, pointer);
    rewriter.setInsertionPointToStart(choice.elseBlock());
    scf::YieldOp::create(rewriter, loc, a.pointer);
  }
  rows.pointer = choice.getResult(0);
  Value step = integer(1);
  for (unsigned loop : llvm::reverse(loops.reductions)) {
    rows.steps[loop] = select(gathers, step, getStep(a, loop));
    step = multiply(step, integer(sizes[loop]));
  }
  rows.steps[*loops.row] =
      select(gathers, integer(terms), getStep(a, loops.row));
  for (unsigned loop : loops.batch)
    rows.steps[loop] = select(gathers, integer(0), getStep(a, loop));
}

/// Copies the rows from `firstRow` on. A vector that reaches past the terms
/// that are side by side in A is written over by the next one.
void ContractionLowering::gatherRows(Value firstRow, Value terms) {
  Value end =
      minimum(add(firstRow, multiply(numTiles, tileRows)), sizes[*loops.row]);
  SmallVector<Value> saved(ivs);
  unsigned inner = loops.reductions.back();
  ArrayRef<unsigned> taps = ArrayRef(loops.reductions).drop_back();
  SmallVector<Value> counts;
  for (unsigned loop : taps)
    counts.push_back(sizes[loop]);
  counts.push_back(ceilDivide(sizes[inner], index(kernel.lanes)));
  nest(subtract(end, firstRow), [&](ValueRange row) {
    Value at = add(firstRow, row.front());
    // The row of each loop.
    ivs[*loops.row] =
        arith::RemUIOp::create(rewriter, loc, at, rowSizes[*loops.row]);
    at = arith::DivUIOp::create(rewriter, loc, at, rowSizes[*loops.row]);
    for (unsigned loop : llvm::reverse(loops.outerRows)) {
      ivs[loop] = arith::RemUIOp::create(rewriter, loc, at, rowSizes[loop]);
      at = arith::DivUIOp::create(rewriter, loc, at, rowSizes[loop]);
    }
    Value begin = multiply(row.front(), terms);
    nest(counts, [&](ValueRange counters) {
      Value tap = index(0);
      for (auto [loop, counter] : llvm::zip(taps, counters.drop_back())) {
        ivs[loop] = counter;
        tap = add(multiply(tap, sizes[loop]), counter);
      }
      ivs[inner] = multiply(counters.back(), index(kernel.lanes));
      copyVector(add(begin, add(multiply(tap, sizes[inner]), ivs[inner])));
    });
  });
  ivs = saved;
}

/// Copies what A has at the present place to `place` in the buffer.
void ContractionLowering::copyVector(Value place) {
  SmallVector<Value> indices;
  for (AffineExpr expr : op.getMap(0).getResults()) {
    Value at = index(0);
    forEachTerm(expr, [&](unsigned loop, int64_t factor) {
      at = add(at, multiply(ivs[loop], index(factor)));
    });
    indices.push_back(at);
  }
  auto type = VectorType::get({kernel.lanes}, kernel.lhs);
  auto store = [&](OpBuilder &b, Location loc, Value vector) {
    vector::StoreOp::create(b, loc, vector, gatherBuffer, place);
    scf::YieldOp::create(b, loc);
  };
  // A mask costs much where the processor has none for the type.
  auto copyWhole = [&](OpBuilder &b, Location loc) {
    store(b, loc, vector::LoadOp::create(b, loc, type, op.getLhs(), indices));
  };
  auto copyPart = [&](OpBuilder &b, Location loc) {
    Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(kernel.lhs));
    store(b, loc,
          vector::TransferReadOp::create(b, loc, type, op.getLhs(), indices,
                                         zero, ArrayRef<bool>{false}));
  };
  Value size = memref::DimOp::create(rewriter, loc, op.getLhs(),
                                     static_cast<int64_t>(indices.size() - 1));
  Value isWhole = compare(arith::CmpIPredicate::sle,
                          add(indices.back(), index(kernel.lanes)), size);
  scf::IfOp::create(rewriter, loc, isWhole, copyWhole, copyPart);
}
