//===- LowerContractions.cpp - Register-tiled loop nests ------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Emits, for a contraction on tensors, loops whose innermost one carries a tile
// of the result in vectors; the same tile serves every extent. Not for: memory,
// which bufferization decides.
//
// Rows. Of tile heights 8, 4, 2, 1 the largest that is at most M serves all
// ceildiv(M, R) tiles: tile i begins at min(i*R, M - R), so that the last one
// overlaps its neighbour instead of ending outside. Sound because a tile is
// computed from A, B and the initial value only, never from the tensor that the
// loops carry: rows computed twice get the same value twice. With M = 0 the
// height is 1 and there are no tiles.
//
// Columns. Static: panels overlap in the same way. Dynamic: see Contraction.h.
//
//===----------------------------------------------------------------------===//

#include "symshape/Conversion/Passes.h"
#include "symshape/Conversion/StructuredOps.h"

#include "Contraction.h"
#include "PayloadEmitter.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace mlir::symshape {
#define GEN_PASS_DEF_LOWERCONTRACTIONSPASS
#include "symshape/Conversion/Passes.h.inc"
} // namespace mlir::symshape

using namespace mlir;
using namespace mlir::symshape;

/// An elementwise op on nothing but the result of the contraction and operands
/// that are read along its columns in vectors; null if there is none.
static linalg::GenericOp findEpilogue(const Contraction &contraction) {
  Value result = contraction.op->getResult(0);
  if (!result.hasOneUse())
    return nullptr;
  OpOperand &use = *result.use_begin();
  auto generic = dyn_cast<linalg::GenericOp>(use.getOwner());
  if (!generic || generic.getNumReductionLoops() != 0 ||
      !generic.hasPureTensorSemantics() || generic.getNumDpsInits() != 1 ||
      !generic.isDpsInput(&use) ||
      generic->getBlock() != contraction.op->getBlock())
    return nullptr;
  AffineMap map = generic.getMatchingIndexingMap(&use);
  AffineMap initMap =
      generic.getMatchingIndexingMap(generic.getDpsInitOperand(0));
  if (!map.isPermutation() || map != initMap || !isVectorizableBody(generic))
    return nullptr;
  unsigned n = map.getDimPosition(map.getNumResults() - 1);
  for (OpOperand &operand : generic->getOpOperands())
    if (getAccess(generic, operand, n) == Access::Lanes)
      return nullptr;
  return needsScalarTail(generic, n) ? nullptr : generic;
}

/// Rows of A between two passes over the panels of B.
static constexpr int64_t blockRows = 192;

namespace {
class ContractionLowering {
public:
  ContractionLowering(RewriterBase &rewriter, const Contraction &match,
                      int64_t vectorLanes)
      : builder(rewriter), loc(match.op->getLoc()), contraction(match),
        tiling(chooseColumnTiling(contraction, vectorLanes)),
        epilogue(findEpilogue(contraction)), maxRows(vectorLanes >= 16 ? 8 : 4),
        maxStaticRows(vectorLanes >= 16 ? 12 : 5),
        ivs(contraction.extents.size()) {}

  /// The value that replaces the contraction, or its epilogue.
  Value build();
  linalg::GenericOp getEpilogue() const { return epilogue; }
  Operation *getLast() {
    return epilogue ? epilogue.getOperation() : contraction.op.getOperation();
  }

private:
  Value index(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }
  Value add(Value lhs, int64_t rhs) {
    return rhs == 0 ? lhs
                    : arith::AddIOp::create(builder, loc, lhs, index(rhs));
  }
  Value getTileStart(Value tile, int64_t length, Value size, bool overlaps);
  Value dispatchRows(int64_t rows, Value target);
  Value buildTiles(int64_t rows, Value target);
  Value buildTile(int64_t rows, Value panel, Value target);
  SmallVector<Value> startAccumulators(int64_t rows);
  SmallVector<Value> reduce(unsigned depth, int64_t rows, Value panel,
                            SmallVector<Value> accumulators);
  SmallVector<Value> multiplyAdd(int64_t rows, Value panel,
                                 ValueRange accumulators);
  Value finish(Value accumulator, int64_t row, Value column);
  SmallVector<Value> getIndices(AffineMap map, Value row, Value column);
  Value readVector(Value tensor, ValueRange indices, bool inBounds);

  OpBuilder &builder;
  Location loc;
  Contraction contraction;
  ColumnTiling tiling;
  linalg::GenericOp epilogue;
  int64_t maxRows, maxStaticRows;
  SmallVector<Value> ivs; ///< per loop; of m and n: the start of the tile
  Value rowCount, columnCount, packed;
  Value start; ///< constant that the sums start from; null: the init tensor
};
} // namespace

SmallVector<Value> ContractionLowering::getIndices(AffineMap map, Value row,
                                                   Value column) {
  SmallVector<Value> indices;
  for (AffineExpr expr : map.getResults()) {
    unsigned dim = cast<AffineDimExpr>(expr).getPosition();
    if (dim == contraction.m)
      indices.push_back(row);
    else if (dim == contraction.n)
      indices.push_back(column);
    else
      indices.push_back(ivs[dim]);
  }
  return indices;
}

Value ContractionLowering::readVector(Value tensor, ValueRange indices,
                                      bool inBounds) {
  auto type = VectorType::get({tiling.vectorWidth}, builder.getF32Type());
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getF32FloatAttr(0));
  return vector::TransferReadOp::create(builder, loc, type, tensor, indices,
                                        zero, ArrayRef<bool>{inBounds});
}

Value ContractionLowering::getTileStart(Value tile, int64_t length, Value size,
                                        bool overlaps) {
  Value begin = arith::MulIOp::create(builder, loc, tile, index(length));
  if (!overlaps)
    return begin;
  Value last = arith::SubIOp::create(builder, loc, size, index(length));
  return arith::MinSIOp::create(builder, loc, begin, last);
}

SmallVector<Value> ContractionLowering::startAccumulators(int64_t rows) {
  SmallVector<Value> accumulators;
  auto type = VectorType::get({tiling.vectorWidth}, builder.getF32Type());
  Value constant;
  if (start)
    constant = vector::BroadcastOp::create(builder, loc, type, start);
  Value init = contraction.op.getDpsInitOperand(0)->get();
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t lane = 0; lane < tiling.panelWidth; lane += tiling.vectorWidth)
      accumulators.push_back(
          constant ? constant
                   : readVector(init,
                                getIndices(contraction.resultMap,
                                           add(ivs[contraction.m], row),
                                           add(ivs[contraction.n], lane)),
                                !tiling.isBounded));
  return accumulators;
}

SmallVector<Value>
ContractionLowering::reduce(unsigned depth, int64_t rows, Value panel,
                            SmallVector<Value> accumulators) {
  if (depth == contraction.reductions.size())
    return multiplyAdd(rows, panel, accumulators);
  unsigned dim = contraction.reductions[depth];
  auto loop = scf::ForOp::create(builder, loc, index(0),
                                 contraction.getSize(builder, dim), index(1),
                                 accumulators);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  ivs[dim] = loop.getInductionVar();
  SmallVector<Value> next =
      reduce(depth + 1, rows, panel,
             llvm::to_vector_of<Value>(loop.getRegionIterArgs()));
  scf::YieldOp::create(builder, loc, next);
  return llvm::to_vector_of<Value>(loop.getResults());
}

/// One step of the reduction for the whole tile.
SmallVector<Value> ContractionLowering::multiplyAdd(int64_t rows, Value panel,
                                                    ValueRange accumulators) {
  SmallVector<Value> columns;
  for (int64_t lane = 0; lane < tiling.panelWidth; lane += tiling.vectorWidth) {
    if (!packed) {
      columns.push_back(readVector(contraction.columnOperand->get(),
                                   getIndices(contraction.columnMap, nullptr,
                                              add(ivs[contraction.n], lane)),
                                   /*inBounds=*/true));
      continue;
    }
    SmallVector<Value> indices;
    for (unsigned dim : getPackedOuterDims(contraction))
      indices.push_back(ivs[dim]);
    indices.push_back(panel);
    for (unsigned dim : getPackedReductions(contraction))
      indices.push_back(ivs[dim]);
    indices.push_back(index(lane));
    columns.push_back(readVector(packed, indices, /*inBounds=*/true));
  }
  SmallVector<Value> next;
  auto type = VectorType::get({tiling.vectorWidth}, builder.getF32Type());
  for (int64_t row = 0; row < rows; ++row) {
    Value element = tensor::ExtractOp::create(
        builder, loc, contraction.rowOperand->get(),
        getIndices(contraction.rowMap, add(ivs[contraction.m], row), nullptr));
    Value factor = vector::BroadcastOp::create(builder, loc, type, element);
    for (Value column : columns)
      next.push_back(vector::FMAOp::create(builder, loc, factor, column,
                                           accumulators[next.size()]));
  }
  return next;
}

/// The accumulator after the epilogue.
Value ContractionLowering::finish(Value accumulator, int64_t row,
                                  Value column) {
  if (!epilogue)
    return accumulator;
  OpOperand &use = *contraction.op->getResult(0).use_begin();
  AffineMap map = epilogue.getMatchingIndexingMap(&use);
  SmallVector<Value> position =
      getIndices(contraction.resultMap, add(ivs[contraction.m], row), column);
  Place place;
  place.op = epilogue;
  place.ivs.resize(map.getNumDims());
  for (auto [result, iv] : llvm::zip(map.getResults(), position))
    place.ivs[cast<AffineDimExpr>(result).getPosition()] = iv;
  place.vectorDim = map.getDimPosition(map.getNumResults() - 1);
  place.width = tiling.vectorWidth;
  if (tiling.isBounded)
    place.count = columnCount;
  PayloadEmitter emitter(builder, loc, place);
  IRMapping mapping;
  mapping.map(cast<linalg::LinalgOp>(epilogue.getOperation())
                  .getMatchingBlockArgument(&use),
              accumulator);
  return emitter.broadcast(emitter.emitBody(mapping).front());
}

Value ContractionLowering::buildTile(int64_t rows, Value panel, Value target) {
  SmallVector<Value> accumulators =
      reduce(0, rows, panel, startAccumulators(rows));
  unsigned next = 0;
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t lane = 0; lane < tiling.panelWidth;
         lane += tiling.vectorWidth) {
      Value column = add(ivs[contraction.n], lane);
      Value vector = finish(accumulators[next++], row, column);
      target = vector::TransferWriteOp::create(
                   builder, loc, vector, target,
                   getIndices(contraction.resultMap,
                              add(ivs[contraction.m], row), column),
                   ArrayRef<bool>{!tiling.isBounded})
                   .getResult();
    }
  }
  return target;
}

/// Outer loops, blocks of rows, panels, tiles of `rows` rows. A block of A
/// stays in the second-level cache while the panels pass by.
Value ContractionLowering::buildTiles(int64_t rows, Value target) {
  Value tiles = ceilDiv(builder, loc, rowCount, rows);
  int64_t blockTiles = std::max<int64_t>(1, blockRows / rows);
  SmallVector<Value> sizes;
  // Columns beside n come after the blocks of rows, as the panels do.
  SmallVector<unsigned> order;
  for (unsigned dim : contraction.outer)
    if (contraction.rowMap.isFunctionOfDim(dim))
      order.push_back(dim);
  size_t numBatch = order.size();
  for (unsigned dim : contraction.outer)
    if (!contraction.rowMap.isFunctionOfDim(dim))
      order.push_back(dim);
  for (unsigned dim : order)
    sizes.push_back(contraction.getSize(builder, dim));
  sizes.insert(sizes.begin() + numBatch,
               ceilDiv(builder, loc, tiles, blockTiles));
  sizes.push_back(ceilDiv(builder, loc, columnCount, tiling.panelWidth));
  int64_t columns = contraction.extents[contraction.n];
  bool columnsOverlap = !tiling.isPacked && columns % tiling.panelWidth != 0;
  int64_t staticRows = contraction.extents[contraction.m];
  bool rowsOverlap =
      rows > 1 && (ShapedType::isDynamic(staticRows) || staticRows % rows != 0);
  return buildLoops(
      builder, loc, sizes, target,
      [&](OpBuilder &, ValueRange loopIvs, Value carried) {
        for (auto [number, dim] : llvm::enumerate(order))
          ivs[dim] = loopIvs[number < numBatch ? number : number + 1];
        Value panel = loopIvs.back();
        ivs[contraction.n] =
            getTileStart(panel, tiling.panelWidth, columnCount, columnsOverlap);
        Value first = arith::MulIOp::create(builder, loc, loopIvs[numBatch],
                                            index(blockTiles));
        Value rest = arith::SubIOp::create(builder, loc, tiles, first);
        Value count =
            arith::MinSIOp::create(builder, loc, rest, index(blockTiles));
        return buildLoops(builder, loc, count, carried,
                          [&](OpBuilder &, ValueRange tileIv, Value inner) {
                            Value tile = arith::AddIOp::create(
                                builder, loc, first, tileIv.front());
                            ivs[contraction.m] =
                                getTileStart(tile, rows, rowCount, rowsOverlap);
                            return buildTile(rows, panel, inner);
                          });
      });
}

/// The tallest tile that fits, among `rows`, `rows / 2`, ..., 1.
Value ContractionLowering::dispatchRows(int64_t rows, Value target) {
  if (rows == 1)
    return buildTiles(1, target);
  Value fits = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sge,
                                     rowCount, index(rows));
  auto branch = scf::IfOp::create(builder, loc, TypeRange(target.getType()),
                                  fits, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(builder, loc, buildTiles(rows, target));
  builder.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(builder, loc, dispatchRows(rows / 2, target));
  return branch.getResult(0);
}

Value ContractionLowering::build() {
  builder.setInsertionPoint(getLast());
  rowCount = contraction.getSize(builder, contraction.m);
  columnCount = contraction.getSize(builder, contraction.n);
  Value target = contraction.op.getDpsInitOperand(0)->get();
  if (auto fill = target.getDefiningOp<linalg::FillOp>()) {
    start = fill.value();
    target = fill.output();
  }
  if (epilogue)
    target = epilogue.getDpsInitOperand(0)->get();
  if (tiling.isPacked)
    packed = packColumns(builder, loc, contraction, tiling);
  int64_t rows = contraction.extents[contraction.m];
  if (ShapedType::isDynamic(rows))
    return dispatchRows(maxRows, target);
  int64_t tiles = std::max<int64_t>(1, llvm::divideCeil(rows, maxStaticRows));
  return buildTiles(std::max<int64_t>(1, llvm::divideCeil(rows, tiles)),
                    target);
}

LogicalResult mlir::symshape::lowerContraction(RewriterBase &rewriter,
                                               linalg::LinalgOp op,
                                               int64_t vectorBits) {
  FailureOr<Contraction> contraction = matchContraction(op);
  if (failed(contraction))
    return failure();
  int64_t lanes = std::max<int64_t>(2, vectorBits / 32);
  ContractionLowering lowering(rewriter, *contraction, lanes);
  Operation *last = lowering.getLast();
  Value result = lowering.build();
  rewriter.replaceOp(last, result);
  if (last != op.getOperation())
    rewriter.eraseOp(op);
  return success();
}

namespace {
struct LowerContractionsPass
    : symshape::impl::LowerContractionsPassBase<LowerContractionsPass> {
  using LowerContractionsPassBase::LowerContractionsPassBase;

  void runOnOperation() override {
    if (vectorBits < 64 || !llvm::isPowerOf2_64(vectorBits)) {
      emitError(getOperation()->getLoc())
          << "expected vector-bits to be a power of two of at least 64, but "
             "got "
          << vectorBits.getValue();
      return signalPassFailure();
    }
    SmallVector<linalg::LinalgOp> ops;
    getOperation()->walk([&](linalg::LinalgOp op) {
      if (isContraction(op))
        ops.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (linalg::LinalgOp op : ops)
      (void)lowerContraction(rewriter, op, vectorBits);
  }
};
} // namespace
