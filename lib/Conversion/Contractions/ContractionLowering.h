//===- ContractionLowering.h - One contraction as loops ---------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The loops around the tiles of one contraction, in three files: loops
// (LowerContractions), panels that are packed at run time (ContractionPanels),
// and the region of the op on a tile (ContractionRegion). Private to
// Conversion.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_CONVERSION_CONTRACTIONS_CONTRACTIONLOWERING_H
#define SYMSHAPE_LIB_CONVERSION_CONTRACTIONS_CONTRACTIONLOWERING_H

#include "Arithmetic.h"
#include "ContractionKernel.h"
#include "Structure/Contraction.h"
#include "Structure/Loops.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace mlir::symshape {

/// An operand in memory: where it begins, and how far apart the elements of
/// each of its loops are.
struct Layout {
  Value pointer;                   ///< !llvm.ptr
  DenseMap<unsigned, Value> steps; ///< loop to i64, in elements
};

class ContractionLowering : Arithmetic {
public:
  ContractionLowering(RewriterBase &rewriter, ContractOp op, TileKernel kernel,
                      int64_t cacheBytes, bool parallel)
      : Arithmetic(rewriter, op.getLoc()), rewriter(rewriter), op(op),
        kernel(kernel), cacheBytes(cacheBytes), parallel(parallel),
        loops(*assignLoops(op.getMap(0), op.getMap(1), op.getInitMap())),
        sizes(op.getMap(0).getNumDims()), ivs(sizes.size()) {}

  void lower();

private:
  Value integer(Value value) {
    return arith::IndexCastOp::create(rewriter, loc, rewriter.getI64Type(),
                                      value);
  }
  Value integer(int64_t value) {
    return arith::ConstantIntOp::create(rewriter, loc, rewriter.getI64Type(),
                                        value);
  }
  Value advance(Value pointer, Type type, Value elements) {
    return LLVM::GEPOp::create(rewriter, loc, pointer.getType(), type, pointer,
                               ArrayRef<LLVM::GEPArg>{elements});
  }
  void nest(ValueRange loopSizes, function_ref<void(ValueRange)> body) {
    makePositionLoops(rewriter, loc, getAsOpFoldResult(loopSizes), {},
                      [&](ValueRange counters, ValueRange) {
                        body(counters);
                        return scf::ValueVector();
                      });
  }

  void findSizes();
  Layout describe(unsigned number);
  Value getAddress(const Layout &layout, unsigned number);
  /// True if the last panel is known to have all its columns.
  bool hasFullPanels() { return hasWholePanels(op, kernel.width); }
  bool canGather();
  Value areNeighbours(ArrayRef<Layout> layouts);
  Value hasTermsSideBySide();
  void joinRows();
  Value countTerms();
  void withGatheredRows(function_ref<void()> body);
  void chooseRows();
  void gatherRows(Value firstRow, Value terms);
  void copyVector(Value place);
  void countTiles();
  void useWorkspaces(ValueRange workspaces);
  void withOwnWorkspaces(function_ref<void()> body);
  void lowerInOrder();
  Value countPanelsPerPiece();
  void lowerOnThreads();
  void enterBlock(ValueRange counters);
  void lowerPanel(ValueRange counters);
  void lowerRows();
  void lowerTile();
  void choosePanel();
  void packPanel();
  Value readTerm(SmallVector<Value> indices, Value exists);
  Value countPanelSteps(unsigned loop);
  void prefetchTerm(ArrayRef<Value> present, Value term);
  Value getPanelOf(Value buffer);
  void applyRegion();
  void applyRegionTo(OpFoldResult width);
  Value view(unsigned number, OpFoldResult width, AffineMap &viewMap);
  Value viewJoinedRows(unsigned number, ArrayRef<OpFoldResult> extents);
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
  TileKernel kernel;
  int64_t cacheBytes;
  bool parallel;
  ContractionLoops loops;
  SmallVector<Value> sizes; ///< per loop
  SmallVector<Value> ivs;   ///< per loop; of rows and columns: the tile's first
  SmallVector<Value> rowSizes; ///< per loop, before rows are joined
  Value gathers;               ///< rows are copied; null if they never are
  Value gatherBuffer;
  Layout a, b, c;
  Layout rows;   ///< of A in the present block
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

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_CONVERSION_CONTRACTIONS_CONTRACTIONLOWERING_H
