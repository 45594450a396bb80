//===- Contraction.cpp - What a contraction is made of --------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Matches contractions, chooses column panels and packs the right operand.
//
//===----------------------------------------------------------------------===//

#include "Contraction.h"

#include "symshape/Conversion/StructuredOps.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::symshape;

bool mlir::symshape::isContraction(linalg::LinalgOp op) {
  return linalg::isaContractionOpInterface(op) &&
         succeeded(linalg::inferContractionDims(op));
}

static bool multipliesFloats(linalg::LinalgOp op) {
  for (Type type : op.getBlock()->getArgumentTypes())
    if (!type.isF32())
      return false;
  auto body = op.getBlock()->without_terminator();
  return llvm::range_size(body) == 2 && isa<arith::MulFOp>(*body.begin()) &&
         isa<arith::AddFOp>(*std::next(body.begin()));
}

FailureOr<Contraction> mlir::symshape::matchContraction(linalg::LinalgOp op) {
  if (!op.hasPureTensorSemantics() || !isContraction(op) ||
      op.getNumDpsInputs() != 2 || op.getNumDpsInits() != 1 ||
      !multipliesFloats(op))
    return failure();
  Contraction result;
  result.op = op;
  result.rowOperand = op.getDpsInputOperand(0);
  result.columnOperand = op.getDpsInputOperand(1);
  result.resultMap = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  result.extents = op.getStaticLoopRanges();
  for (AffineMap map : op.getIndexingMapsArray())
    if (!map.isProjectedPermutation() || map.getNumResults() == 0)
      return failure();
  result.n =
      result.resultMap.getDimPosition(result.resultMap.getNumResults() - 1);
  auto has = [&](OpOperand *operand, unsigned dim) {
    return op.getMatchingIndexingMap(operand).isFunctionOfDim(dim);
  };
  if (!has(result.columnOperand, result.n))
    std::swap(result.rowOperand, result.columnOperand);
  if (has(result.rowOperand, result.n))
    return failure();
  result.rowMap = op.getMatchingIndexingMap(result.rowOperand);
  result.columnMap = op.getMatchingIndexingMap(result.columnOperand);

  std::optional<unsigned> row;
  for (AffineExpr expr : result.resultMap.getResults()) {
    unsigned dim = cast<AffineDimExpr>(expr).getPosition();
    if (has(result.rowOperand, dim) && !has(result.columnOperand, dim))
      row = dim;
  }
  if (!row)
    return failure();
  result.m = *row;
  for (unsigned dim = 0; dim < result.extents.size(); ++dim) {
    if (dim == result.m || dim == result.n)
      continue;
    bool isParallel = result.resultMap.isFunctionOfDim(dim);
    (isParallel ? result.outer : result.reductions).push_back(dim);
  }
  bool isSingleRow = result.extents[result.m] == 1;
  if (isSingleRow && !result.hasContiguousColumns())
    return failure(); // one dot product per column needs no packing
  return result;
}

Value Contraction::getSize(OpBuilder &builder, unsigned dim) const {
  Location loc = op->getLoc();
  if (!ShapedType::isDynamic(extents[dim]))
    return arith::ConstantIndexOp::create(builder, loc, extents[dim]);
  linalg::LinalgOp linalgOp = op;
  for (OpOperand &operand : linalgOp->getOpOperands()) {
    AffineMap map = linalgOp.getMatchingIndexingMap(&operand);
    for (auto [position, expr] : llvm::enumerate(map.getResults()))
      if (cast<AffineDimExpr>(expr).getPosition() == dim)
        return tensor::DimOp::create(builder, loc, operand.get(), position);
  }
  llvm_unreachable("each loop of a contraction has an operand");
}

bool Contraction::hasContiguousColumns() const {
  return columnMap.getDimPosition(columnMap.getNumResults() - 1) == n;
}

ColumnTiling mlir::symshape::chooseColumnTiling(const Contraction &contraction,
                                                int64_t vectorLanes) {
  int64_t columns = contraction.extents[contraction.n];
  bool isDynamic = ShapedType::isDynamic(columns);
  ColumnTiling tiling;
  tiling.isPacked = isDynamic || !contraction.hasContiguousColumns();
  tiling.vectorWidth = vectorLanes;
  tiling.panelWidth = vectorLanes * 2;
  if (!isDynamic && columns < tiling.panelWidth) {
    tiling.panelWidth = vectorLanes;
    if (columns < vectorLanes && !tiling.isPacked)
      tiling.panelWidth = tiling.vectorWidth = std::max<int64_t>(1, columns);
  }
  tiling.isBounded =
      tiling.isPacked && (isDynamic || columns % tiling.panelWidth != 0);
  return tiling;
}

SmallVector<unsigned>
mlir::symshape::getPackedOuterDims(const Contraction &contraction) {
  SmallVector<unsigned> dims;
  for (unsigned dim : contraction.outer)
    if (contraction.columnMap.isFunctionOfDim(dim))
      dims.push_back(dim);
  return dims;
}

/// The reduction that is innermost in B comes last.
SmallVector<unsigned>
mlir::symshape::getPackedReductions(const Contraction &contraction) {
  SmallVector<unsigned> dims;
  for (AffineExpr expr : contraction.columnMap.getResults()) {
    unsigned dim = cast<AffineDimExpr>(expr).getPosition();
    if (llvm::is_contained(contraction.reductions, dim))
      dims.push_back(dim);
  }
  return dims;
}

Value mlir::symshape::buildLoops(
    OpBuilder &builder, Location loc, ValueRange sizes, Value init,
    function_ref<Value(OpBuilder &, ValueRange, Value)> body) {
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  SmallVector<Value> ivs;
  SmallVector<scf::ForOp> loops;
  OpBuilder::InsertionGuard guard(builder);
  Value carried = init;
  for (Value size : sizes) {
    auto loop =
        scf::ForOp::create(builder, loc, zero, size, one, ValueRange(carried));
    loops.push_back(loop);
    ivs.push_back(loop.getInductionVar());
    carried = loop.getRegionIterArg(0);
    builder.setInsertionPointToStart(loop.getBody());
  }
  Value next = body(builder, ivs, carried);
  for (scf::ForOp loop : llvm::reverse(loops)) {
    builder.setInsertionPointToEnd(loop.getBody());
    scf::YieldOp::create(builder, loc, next);
    next = loop.getResult(0);
  }
  return next;
}

Value mlir::symshape::ceilDiv(OpBuilder &builder, Location loc, Value size,
                              int64_t divisor) {
  AffineExpr expr = builder.getAffineDimExpr(0).ceilDiv(divisor);
  return getValueOrCreateConstantIndexOp(
      builder, loc,
      affine::makeComposedFoldedAffineApply(
          builder, loc, AffineMap::get(1, 0, expr), {OpFoldResult(size)}));
}

namespace {
/// Copies B into panels.
class Packer {
public:
  Packer(OpBuilder &builder, Location loc, const Contraction &contraction,
         const ColumnTiling &tiling)
      : builder(builder), loc(loc), contraction(contraction), tiling(tiling),
        source(contraction.columnOperand->get()),
        outer(getPackedOuterDims(contraction)),
        reductions(getPackedReductions(contraction)) {}

  Value pack();

private:
  Value index(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }
  Value add(Value lhs, Value rhs) {
    return arith::AddIOp::create(builder, loc, lhs, rhs);
  }
  Value multiply(Value lhs, int64_t rhs) {
    return arith::MulIOp::create(builder, loc, lhs, index(rhs));
  }
  /// The indices into B of a point.
  SmallVector<Value> getSourceIndices(const DenseMap<unsigned, Value> &ivs);
  Value read(ValueRange indices, bool inBounds);
  Value write(Value vector, Value target, ValueRange indices);
  Value packRows(ValueRange ivs, Value target);
  Value packBlock(ValueRange ivs, Value target);
  SmallVector<Value> transpose(SmallVector<Value> rows);
  DenseMap<unsigned, Value> mapDims(ValueRange ivs);

  OpBuilder &builder;
  Location loc;
  const Contraction &contraction;
  const ColumnTiling &tiling;
  Value source;
  SmallVector<unsigned> outer, reductions;
  Value columns;
};
} // namespace

SmallVector<Value>
Packer::getSourceIndices(const DenseMap<unsigned, Value> &ivs) {
  SmallVector<Value> indices;
  for (AffineExpr expr : contraction.columnMap.getResults())
    indices.push_back(ivs.lookup(cast<AffineDimExpr>(expr).getPosition()));
  return indices;
}

Value Packer::read(ValueRange indices, bool inBounds) {
  auto type = VectorType::get({tiling.vectorWidth}, builder.getF32Type());
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getF32FloatAttr(0));
  return vector::TransferReadOp::create(builder, loc, type, source, indices,
                                        zero, ArrayRef<bool>{inBounds});
}

Value Packer::write(Value vector, Value target, ValueRange indices) {
  return vector::TransferWriteOp::create(builder, loc, vector, target, indices,
                                         ArrayRef<bool>{true})
      .getResult();
}

DenseMap<unsigned, Value> Packer::mapDims(ValueRange ivs) {
  DenseMap<unsigned, Value> dims;
  for (auto [dim, iv] : llvm::zip(outer, ivs.take_front(outer.size())))
    dims[dim] = iv;
  for (auto [dim, iv] : llvm::zip(reductions, ivs.drop_front(outer.size() + 1)))
    dims[dim] = iv;
  return dims;
}

/// B has its columns innermost: one row of a panel is `panelWidth` neighbours.
Value Packer::packRows(ValueRange ivs, Value target) {
  DenseMap<unsigned, Value> dims = mapDims(ivs);
  Value begin = multiply(ivs[outer.size()], tiling.panelWidth);
  SmallVector<Value> to(ivs);
  to.push_back(nullptr);
  for (int64_t lane = 0; lane < tiling.panelWidth; lane += tiling.vectorWidth) {
    dims[contraction.n] = add(begin, index(lane));
    Value row = read(getSourceIndices(dims), !tiling.isBounded);
    to.back() = index(lane);
    target = write(row, target, to);
  }
  return target;
}

/// B has a reduction innermost: square blocks are transposed in registers. A
/// column past the end is read as the last column.
Value Packer::packBlock(ValueRange ivs, Value target) {
  DenseMap<unsigned, Value> dims = mapDims(ivs);
  int64_t width = tiling.vectorWidth;
  unsigned inner = reductions.back();
  int64_t extent = contraction.extents[inner];
  bool inBounds = !ShapedType::isDynamic(extent) && extent % width == 0;
  Value start = multiply(ivs.back(), width);
  dims[inner] = start;
  Value begin = multiply(ivs[outer.size()], tiling.panelWidth);
  Value last = arith::SubIOp::create(builder, loc, columns, index(1));
  SmallVector<Value> to(ivs);
  to.push_back(nullptr);
  for (int64_t lane = 0; lane < tiling.panelWidth; lane += width) {
    SmallVector<Value> rows;
    for (int64_t row = 0; row < width; ++row) {
      Value column = add(begin, index(lane + row));
      if (tiling.isBounded)
        column = arith::MinSIOp::create(builder, loc, column, last);
      dims[contraction.n] = column;
      rows.push_back(read(getSourceIndices(dims), inBounds));
    }
    to.back() = index(lane);
    for (auto [k, row] : llvm::enumerate(transpose(std::move(rows)))) {
      to[to.size() - 2] = add(start, index(k));
      target = write(row, target, to);
    }
  }
  return target;
}

/// Transposes a square by log2(width) rounds of interleaving row i with row
/// i + width/2: each round rotates the bits of the position (row, lane) by one.
SmallVector<Value> Packer::transpose(SmallVector<Value> rows) {
  int64_t width = rows.size();
  SmallVector<int64_t> low, high;
  for (int64_t lane = 0; lane < width / 2; ++lane) {
    low.append({lane, lane + width});
    high.append({lane + width / 2, lane + width / 2 + width});
  }
  for (int64_t round = 1; round < width; round *= 2) {
    SmallVector<Value> next;
    for (int64_t row = 0; row < width / 2; ++row) {
      Value a = rows[row], b = rows[row + width / 2];
      next.push_back(vector::ShuffleOp::create(builder, loc, a, b, low));
      next.push_back(vector::ShuffleOp::create(builder, loc, a, b, high));
    }
    rows = std::move(next);
  }
  return rows;
}

Value Packer::pack() {
  columns = contraction.getSize(builder, contraction.n);
  bool isTransposed = !contraction.hasContiguousColumns();
  SmallVector<Value> loopSizes;
  SmallVector<OpFoldResult> shape;
  auto addDim = [&](Value loopSize, int64_t scale) {
    loopSizes.push_back(loopSize);
    Value size = scale == 1 ? loopSize : multiply(loopSize, scale);
    APInt constant;
    if (matchPattern(size, m_ConstantInt(&constant)))
      shape.push_back(builder.getIndexAttr(constant.getSExtValue()));
    else
      shape.push_back(size);
  };
  for (unsigned dim : outer)
    addDim(contraction.getSize(builder, dim), 1);
  addDim(ceilDiv(builder, loc, columns, tiling.panelWidth), 1);
  for (unsigned dim : reductions) {
    Value size = contraction.getSize(builder, dim);
    bool isBlocked = isTransposed && dim == reductions.back();
    if (isBlocked)
      size = ceilDiv(builder, loc, size, tiling.vectorWidth);
    addDim(size, isBlocked ? tiling.vectorWidth : 1);
  }
  shape.push_back(builder.getIndexAttr(tiling.panelWidth));
  Value empty =
      tensor::EmptyOp::create(builder, loc, shape, builder.getF32Type());
  return buildLoops(builder, loc, loopSizes, empty,
                    [&](OpBuilder &, ValueRange ivs, Value target) {
                      return isTransposed ? packBlock(ivs, target)
                                          : packRows(ivs, target);
                    });
}

Value mlir::symshape::packColumns(OpBuilder &builder, Location loc,
                                  const Contraction &contraction,
                                  const ColumnTiling &tiling) {
  return Packer(builder, loc, contraction, tiling).pack();
}
