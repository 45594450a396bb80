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
// registers allow but for the last one, which has the rows that are left: while
// the first ones wait for B, it is fast. Not for: the tile (ContractionKernel).
//
//===----------------------------------------------------------------------===//

#include "symshape/Conversion/Passes.h"

#include "CallCost.h"
#include "Contraction.h"
#include "ContractionKernel.h"
#include "ContractionRemarks.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace mlir::symshape {
#define GEN_PASS_DEF_LOWERCONTRACTIONSPASS
#include "symshape/Conversion/Passes.h.inc"
} // namespace mlir::symshape

using namespace mlir;
using namespace mlir::symshape;

/// How many parts a contraction falls into, at least, where it can: enough for
/// a few threads to share evenly.
static constexpr int64_t minPieces = 16;

/// How many terms ahead packing fetches.
static constexpr int64_t packAheadTerms = 8;

namespace {
/// An operand in memory: where it begins, and how far apart the elements of
/// each of its loops are.
struct Layout {
  Value pointer;                   ///< !llvm.ptr
  DenseMap<unsigned, Value> steps; ///< loop to i64, in elements
};

class ContractionLowering {
public:
  ContractionLowering(RewriterBase &rewriter, ContractOp op, TileKernel kernel,
                      int64_t cacheBytes, bool parallel)
      : rewriter(rewriter), op(op), loc(op.getLoc()), kernel(kernel),
        cacheBytes(cacheBytes), parallel(parallel),
        loops(*assignLoops(op.getMap(0), op.getMap(1), op.getInitMap())),
        sizes(op.getMap(0).getNumDims()), ivs(sizes.size()) {}

  void lower();

private:
  Value index(int64_t value) {
    return arith::ConstantIndexOp::create(rewriter, loc, value);
  }
  Value integer(Value value) {
    return arith::IndexCastOp::create(rewriter, loc, rewriter.getI64Type(),
                                      value);
  }
  Value integer(int64_t value) {
    return arith::ConstantIntOp::create(rewriter, loc, rewriter.getI64Type(),
                                        value);
  }
  Value add(Value lhs, Value rhs) {
    return arith::AddIOp::create(rewriter, loc, lhs, rhs);
  }
  Value multiply(Value lhs, Value rhs) {
    return arith::MulIOp::create(rewriter, loc, lhs, rhs);
  }
  Value minimum(Value lhs, Value rhs) {
    return arith::MinSIOp::create(rewriter, loc, lhs, rhs);
  }
  Value compare(arith::CmpIPredicate predicate, Value lhs, Value rhs) {
    return arith::CmpIOp::create(rewriter, loc, predicate, lhs, rhs);
  }
  /// ceil(lhs / rhs) for lhs >= 0, rhs > 0.
  Value ceilDivide(Value lhs, Value rhs) {
    Value last = subtract(rhs, index(1));
    return arith::DivUIOp::create(rewriter, loc, add(lhs, last), rhs);
  }
  Value subtract(Value lhs, Value rhs) {
    return arith::SubIOp::create(rewriter, loc, lhs, rhs);
  }
  Value advance(Value pointer, Type type, Value elements) {
    return LLVM::GEPOp::create(rewriter, loc, pointer.getType(), type, pointer,
                               ArrayRef<LLVM::GEPArg>{elements});
  }
  void nest(ValueRange loopSizes, function_ref<void(ValueRange)> body);

  void findSizes();
  Layout describe(unsigned number);
  Value getAddress(const Layout &layout, unsigned number);
  /// True if the last panel is known to have all its columns.
  bool hasFullPanels() { return hasWholePanels(op, kernel.width); }
  void countTiles();
  void useWorkspaces(ValueRange workspaces);
  void withOwnWorkspaces(function_ref<void()> body);
  void lowerInOrder();
  void lowerOnThreads();
  void enterBlock(ValueRange counters);
  void lowerPanel(ValueRange counters);
  void lowerRows();
  void lowerTile();
  void choosePanel();
  void packPanel();
  void prefetchTerm(ArrayRef<Value> present, ValueRange counters);
  void applyRegion();
  void applyRegionTo(OpFoldResult width);
  Value view(Value buffer, AffineMap map, OpFoldResult width,
             AffineMap &viewMap);
  Value viewPart(Value buffer, ArrayRef<OpFoldResult> offsets,
                 ArrayRef<OpFoldResult> extents);
  /// Where a buffer without offset begins.
  Value getPointer(Value buffer);
  /// The step of `layout` along `loop`; zero along any other.
  Value getStep(const Layout &layout, std::optional<unsigned> loop) {
    Value step = loop ? layout.steps.lookup(*loop) : nullptr;
    return step ? step : integer(0);
  }
  /// The reductions of B, innermost last.
  SmallVector<unsigned> getPanelLoops();

  RewriterBase &rewriter;
  ContractOp op;
  Location loc;
  TileKernel kernel;
  int64_t cacheBytes;
  bool parallel;
  ContractionLoops loops;
  SmallVector<Value> sizes; ///< per loop
  SmallVector<Value> ivs;   ///< per loop; of rows and columns: the tile's first
  Layout a, b, c;
  Layout panel;  ///< the present panel of B
  Value columns; ///< of the present panel
  func::FuncOp function;
  Value rowCount;   ///< of the present tile
  Value tileRows;   ///< of all tiles but the last
  Value tileCount;  ///< along the rows
  Value blockTiles; ///< of all blocks of rows but the last
  Value firstTile;  ///< of the present block of rows
  Value numTiles;   ///< of the present block of rows
  /// Trips of the loops around blocks of rows, and of those around a panel.
  SmallVector<Value> blockSizes, panelSizes;
  Value panelBuffer; ///< a packed panel; null if none is needed
  Value tileBuffer;  ///< sums of another type than the result; null if none
};
} // namespace

void ContractionLowering::nest(ValueRange loopSizes,
                               function_ref<void(ValueRange)> body) {
  SmallVector<Value> zeros(loopSizes.size(), index(0));
  SmallVector<Value> ones(loopSizes.size(), index(1));
  OpBuilder::InsertionGuard guard(rewriter);
  scf::buildLoopNest(rewriter, loc, zeros, loopSizes, ones,
                     [&](OpBuilder &builder, Location, ValueRange counters) {
                       rewriter.restoreInsertionPoint(
                           builder.saveInsertionPoint());
                       body(counters);
                     });
}

void ContractionLowering::findSizes() {
  for (auto [number, operand] : llvm::enumerate(op.getMappedOperands())) {
    for (auto [position, expr] :
         llvm::enumerate(op.getMap(number).getResults())) {
      unsigned loop = cast<AffineDimExpr>(expr).getPosition();
      bool isPanels = number == 1 && op.getPanelWidth() && loop == loops.column;
      if (!isPanels && !sizes[loop])
        sizes[loop] = memref::DimOp::create(rewriter, loc, operand, position);
    }
  }
}

Value ContractionLowering::getPointer(Value buffer) {
  Value address =
      memref::ExtractAlignedPointerAsIndexOp::create(rewriter, loc, buffer);
  return LLVM::IntToPtrOp::create(
      rewriter, loc, LLVM::LLVMPointerType::get(rewriter.getContext()),
      integer(address));
}

SmallVector<unsigned> ContractionLowering::getPanelLoops() {
  SmallVector<unsigned> dims;
  for (unsigned loop : loops.reductions)
    if (op.getMap(1).isFunctionOfDim(loop))
      dims.push_back(loop);
  return dims;
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
    layout.steps[cast<AffineDimExpr>(expr).getPosition()] =
        integer(metadata.getStrides()[position]);
  if (number == 1 && op.getPanelWidth())
    layout.steps[loops.column] = arith::DivUIOp::create(
        rewriter, loc, layout.steps[loops.column],
        integer(kernel.width)); // per column, at the first one of a panel
  return layout;
}

/// The element of operand `number` at the present place, with the reductions
/// that have no place yet at their first element.
Value ContractionLowering::getAddress(const Layout &layout, unsigned number) {
  Value offset = integer(0);
  for (AffineExpr expr : op.getMap(number).getResults()) {
    unsigned loop = cast<AffineDimExpr>(expr).getPosition();
    if (ivs[loop])
      offset =
          add(offset, multiply(integer(ivs[loop]), layout.steps.lookup(loop)));
  }
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
  if (!op.getPanelWidth() && kernel.streams == 0)
    panelBuffer = workspaces.front();
  if (getElementTypeOrSelf(op.getInit().getType()) != kernel.sum)
    tileBuffer = workspaces.back();
}

/// Tiles, and blocks of rows whose part of A stays in the cache while all
/// panels of B pass by.
void ContractionLowering::countTiles() {
  Value rows = loops.row ? sizes[*loops.row] : index(1);
  tileRows = index(kernel.getMaxRows());
  tileCount = ceilDivide(rows, tileRows);
  Value terms = index(1);
  for (unsigned loop : loops.reductions)
    if (op.getMap(0).isFunctionOfDim(loop))
      terms = multiply(terms, sizes[loop]);
  int64_t elementBytes = kernel.lhs.getIntOrFloatBitWidth() / 8;
  Value perTile = arith::MaxUIOp::create(rewriter, loc,
                                         multiply(terms, tileRows), index(1));
  blockTiles = arith::DivUIOp::create(
      rewriter, loc, index(cacheBytes / 2 / elementBytes), perTile);
  for (unsigned loop : loops.blocks)
    panelSizes.push_back(sizes[loop]);
  panelSizes.push_back(ceilDivide(sizes[loops.column], index(kernel.width)));
  for (unsigned loop : loops.batch)
    blockSizes.push_back(sizes[loop]);
  if (parallel) {
    // Smaller blocks where there are few panels to hand out.
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
    nest(blockSizes, [&](ValueRange blockCounters) {
      enterBlock(blockCounters);
      nest(panelSizes, [&](ValueRange counters) { lowerPanel(counters); });
    });
  };
  if (op.getWorkspaces().empty())
    return withOwnWorkspaces(lowerBlocks);
  useWorkspaces(op.getWorkspaces());
  lowerBlocks();
}

/// One parallel loop over blocks of rows and panels, with workspaces of their
/// own. Tiles are the same as in order, so that results are.
void ContractionLowering::lowerOnThreads() {
  function->setAttr(callCostName,
                    rewriter.getDenseI64ArrayAttr(kernel.getCallCost()));
  auto loopSizes = llvm::to_vector(llvm::concat<Value>(blockSizes, panelSizes));
  SmallVector<Value> zeros(loopSizes.size(), index(0));
  SmallVector<Value> ones(loopSizes.size(), index(1));
  OpBuilder::InsertionGuard guard(rewriter);
  auto loop = scf::ParallelOp::create(rewriter, loc, zeros, loopSizes, ones);
  rewriter.setInsertionPointToStart(loop.getBody());
  SmallVector<Value> counters(loop.getInductionVars());
  enterBlock(ArrayRef(counters).take_front(blockSizes.size()));
  withOwnWorkspaces(
      [&] { lowerPanel(ArrayRef(counters).drop_front(blockSizes.size())); });
}

void ContractionLowering::enterBlock(ValueRange counters) {
  for (auto [loop, counter] : llvm::zip(loops.batch, counters.drop_back()))
    ivs[loop] = counter;
  firstTile = multiply(counters.back(), blockTiles);
  numTiles = minimum(subtract(tileCount, firstTile), blockTiles);
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

/// Sets `panel`: where the present panel begins and how far apart its terms
/// are. A panel of an operand that is not packed is packed here if several
/// tiles read it, or if vectors would reach past its last column.
void ContractionLowering::choosePanel() {
  panel.pointer = getAddress(b, 1);
  panel.steps = b.steps;
  if (!panelBuffer)
    return;
  Value readers = tileCount;
  for (unsigned loop : loops.outerRows)
    readers = multiply(readers, sizes[loop]);
  Value isFull =
      compare(arith::CmpIPredicate::eq, columns, index(kernel.width));
  Value isSingle = compare(arith::CmpIPredicate::ult, readers, index(2));
  Value isDirect = arith::AndIOp::create(rewriter, loc, isFull, isSingle);

  SmallVector<Value> direct{panel.pointer}, packed(1);
  SmallVector<unsigned> dims = getPanelLoops();
  Value step = integer(kernel.width);
  for (unsigned loop : llvm::reverse(dims)) {
    direct.push_back(b.steps.lookup(loop));
    packed.push_back(step);
    step = multiply(step, integer(sizes[loop]));
  }
  auto choice = scf::IfOp::create(rewriter, loc, ValueRange(direct).getTypes(),
                                  isDirect, /*withElseRegion=*/true);
  {
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToStart(choice.thenBlock());
    scf::YieldOp::create(rewriter, loc, direct);
    rewriter.setInsertionPointToStart(choice.elseBlock());
    packPanel();
    packed.front() = getPointer(panelBuffer);
    scf::YieldOp::create(rewriter, loc, packed);
  }
  panel.pointer = choice.getResult(0);
  for (auto [loop, result] :
       llvm::zip(llvm::reverse(dims), choice.getResults().drop_front()))
    panel.steps[loop] = result;
}

/// Fetches the columns of a later term, each of which may lie on a page of its
/// own, where the hardware does not look ahead.
void ContractionLowering::prefetchTerm(ArrayRef<Value> present,
                                       ValueRange counters) {
  if (counters.empty())
    return;
  unsigned loop = getPanelLoops().back();
  Value last = subtract(sizes[loop], index(1));
  SmallVector<Value> indices(present);
  for (auto [position, expr] : llvm::enumerate(op.getMap(1).getResults()))
    if (cast<AffineDimExpr>(expr).getPosition() == loop)
      indices[position] =
          minimum(add(counters.back(), index(packAheadTerms)), last);
  memref::PrefetchOp::create(rewriter, loc, op.getRhs(), indices,
                             /*isWrite=*/false, /*localityHint=*/3,
                             /*isDataCache=*/true);
}

/// Copies the present panel, zeros past its last column.
void ContractionLowering::packPanel() {
  SmallVector<unsigned> dims = getPanelLoops();
  SmallVector<Value> dimSizes;
  for (unsigned loop : dims)
    dimSizes.push_back(sizes[loop]);
  nest(dimSizes, [&](ValueRange counters) {
    Value at = index(0);
    for (auto [size, counter] : llvm::zip(dimSizes, counters))
      at = add(multiply(at, size), counter);
    at = multiply(at, index(kernel.width));
    for (auto [dim, counter] : llvm::zip(dims, counters))
      ivs[dim] = counter;
    SmallVector<Value> indices;
    for (AffineExpr expr : op.getMap(1).getResults())
      indices.push_back(ivs[cast<AffineDimExpr>(expr).getPosition()]);
    prefetchTerm(indices, counters);
    Value zero = arith::ConstantOp::create(rewriter, loc,
                                           rewriter.getZeroAttr(kernel.rhs));
    auto type = VectorType::get({kernel.lanes}, kernel.rhs);
    for (int64_t lane = 0; lane < kernel.width; lane += kernel.lanes) {
      indices.back() = add(ivs[loops.column], index(lane));
      Value row = vector::TransferReadOp::create(
          rewriter, loc, type, op.getRhs(), indices, zero,
          ArrayRef<bool>{hasFullPanels()});
      vector::TransferWriteOp::create(rewriter, loc, row, panelBuffer,
                                      ValueRange{add(at, index(lane))},
                                      ArrayRef<bool>{true});
    }
    for (unsigned dim : dims)
      ivs[dim] = nullptr;
  });
}

/// The sums of a tile, and the region on them. All reductions but the last are
/// loops here, each call continuing the sums of the one before; with an empty
/// one among them, one call without terms gives the empty sum.
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
  for (unsigned loop : outer) {
    Value size = sizes[loop];
    Value isEmpty = compare(arith::CmpIPredicate::eq, size, index(0));
    terms = arith::SelectOp::create(rewriter, loc, isEmpty, integer(0), terms);
    outerSizes.push_back(arith::MaxUIOp::create(rewriter, loc, size, index(1)));
  }
  Value source = getAddress(a, 0);
  nest(outerSizes, [&](ValueRange counters) {
    Value continues = arith::ConstantIntOp::create(
        rewriter, loc, rewriter.getI1Type(), op.getAccumulate());
    Value aOffset = integer(0), bOffset = integer(0);
    for (auto [loop, counter] : llvm::zip(outer, counters)) {
      Value number = integer(counter);
      continues = arith::OrIOp::create(
          rewriter, loc, continues,
          compare(arith::CmpIPredicate::ne, counter, index(0)));
      aOffset = add(aOffset, multiply(number, getStep(a, loop)));
      bOffset = add(bOffset, multiply(number, getStep(panel, loop)));
    }
    func::CallOp::create(
        rewriter, loc, function,
        ValueRange{integer(rowCount), advance(source, kernel.lhs, aOffset),
                   getStep(a, loops.row), getStep(a, innermost),
                   advance(panel.pointer, kernel.rhs, bOffset),
                   getStep(panel, innermost), terms, target, targetStep,
                   integer(columns), continues});
  });
  applyRegion();
}

/// The part of `buffer` that belongs to the present tile, without its
/// dimensions along other loops; `viewMap` maps (row, column) to it.
Value ContractionLowering::view(Value buffer, AffineMap map, OpFoldResult width,
                                AffineMap &viewMap) {
  SmallVector<OpFoldResult> offsets, extents;
  SmallVector<AffineExpr> results;
  for (AffineExpr expr : map.getResults()) {
    unsigned loop = cast<AffineDimExpr>(expr).getPosition();
    offsets.push_back(ivs[loop]);
    if (loop != loops.column && loop != loops.row) {
      extents.push_back(rewriter.getIndexAttr(1));
      continue;
    }
    bool isColumn = loop == loops.column;
    extents.push_back(isColumn ? width : OpFoldResult(rowCount));
    results.push_back(rewriter.getAffineDimExpr(isColumn && loops.row));
  }
  viewMap = AffineMap::get(loops.row ? 2 : 1, 0, results, op.getContext());
  if (offsets.empty())
    return buffer;
  return viewPart(buffer, offsets, extents);
}

/// A part of `buffer` without its dimensions of extent 1 that is known.
Value ContractionLowering::viewPart(Value buffer,
                                    ArrayRef<OpFoldResult> offsets,
                                    ArrayRef<OpFoldResult> extents) {
  SmallVector<OpFoldResult> steps(offsets.size(), rewriter.getIndexAttr(1));
  SmallVector<int64_t> shape;
  for (OpFoldResult extent : extents)
    if (!isOneInteger(extent))
      shape.push_back(
          getConstantIntValue(extent).value_or(ShapedType::kDynamic));
  auto type = cast<MemRefType>(memref::SubViewOp::inferRankReducedResultType(
      shape, cast<MemRefType>(buffer.getType()), offsets, extents, steps));
  return memref::SubViewOp::create(rewriter, loc, type, buffer, offsets,
                                   extents, steps);
}

/// The region as a structured op on the tile, if it does anything.
void ContractionLowering::applyRegion() {
  Block &body = op.getBody().front();
  if (!tileBuffer && body.getTerminator()->getOperand(0) == body.getArgument(0))
    return;
  OpFoldResult full = rewriter.getIndexAttr(kernel.width);
  if (hasFullPanels())
    return applyRegionTo(full);
  if (kernel.streams > 0)
    return applyRegionTo(columns);
  auto branch = scf::IfOp::create(
      rewriter, loc,
      compare(arith::CmpIPredicate::eq, columns, index(kernel.width)),
      /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToStart(branch.thenBlock());
  applyRegionTo(full);
  rewriter.setInsertionPointToStart(branch.elseBlock());
  applyRegionTo(columns);
}

void ContractionLowering::applyRegionTo(OpFoldResult width) {
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  unsigned numOthers = op.getOthers().size();
  for (auto [number, other] : llvm::enumerate(op.getOthers()))
    inputs.push_back(
        view(other, op.getMap(2 + number), width, maps.emplace_back()));
  if (tileBuffer) {
    SmallVector<OpFoldResult> extents{OpFoldResult(rowCount), width};
    if (!loops.row)
      extents.front() = rewriter.getIndexAttr(1);
    SmallVector<OpFoldResult> zeros(2, rewriter.getIndexAttr(0));
    inputs.push_back(viewPart(tileBuffer, zeros, extents));
    maps.push_back(rewriter.getMultiDimIdentityMap(loops.row ? 2 : 1));
  }
  Value target =
      view(op.getInit(), op.getInitMap(), width, maps.emplace_back());
  SmallVector<utils::IteratorType> iterators(loops.row ? 2 : 1,
                                             utils::IteratorType::parallel);
  linalg::GenericOp::create(
      rewriter, loc, TypeRange(), inputs, target, maps, iterators,
      [&](OpBuilder &builder, Location, ValueRange arguments) {
        // The sum is in the last input, or in the result.
        Value result = cloneRegion(builder, op, arguments[numOthers],
                                   arguments.take_front(numOthers));
        linalg::YieldOp::create(builder, loc, result);
      });
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
  Value limit =
      arith::ConstantIndexOp::create(rewriter, loc, stream.getMaxRows());
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
    getOperation()->walk([&](ContractOp op) { ops.push_back(op); });
    IRRewriter rewriter(&getContext());
    for (ContractOp op : ops) {
      TileKernel kernel(op, vectorBits, vectorRegisters, fma);
      reportContraction(op, kernel);
      if (!hasContiguousColumns(op)) {
        decomposeContraction(rewriter, op);
        continue;
      }
      if (std::optional<TileKernel> stream = getTileForFewRows(op, kernel)) {
        if (parallel) // more runs to hand out
          stream->width /= 4;
        lower(rewriter, splitByRows(rewriter, op, *stream), *stream);
      }
      lower(rewriter, op, kernel);
    }
  }

  void lower(IRRewriter &rewriter, ContractOp op, const TileKernel &kernel) {
    // What encloses it has a thread already.
    bool isOutermost = !op->getParentOfType<scf::ForallOp>() &&
                       !op->getParentOfType<scf::ParallelOp>();
    ContractionLowering(rewriter, op, kernel, cacheBytes,
                        parallel && isOutermost)
        .lower();
  }
};
} // namespace
