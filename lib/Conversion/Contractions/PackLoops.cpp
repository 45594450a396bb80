//===- PackLoops.cpp - The loops of packing into panels -------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// It is copied in vectors: rows of a panel where the columns are innermost in
// the source, squares transposed in registers where another dimension is. Where
// terms are grouped, those of a group move as one number.
//
//===----------------------------------------------------------------------===//

#include "PackLoops.h"

#include "Arithmetic.h"
#include "Structure/Loops.h"
#include "Vectors/TransposeSquares.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include <numeric>

using namespace mlir;
using namespace mlir::symshape;

/// The position in the source of packed dimension `position`.
static int64_t getSourcePosition(linalg::PackOp op, int64_t position) {
  ArrayRef<int64_t> order = op.getOuterDimsPerm();
  return order.empty() ? position : order[position];
}

/// How many neighbours along the second packed dimension stay together.
static int64_t getGroup(linalg::PackOp op) {
  ArrayRef<int64_t> tiles = op.getStaticInnerTiles();
  return tiles.size() == 2 ? tiles[1] : 1;
}

static int64_t getUnitBits(linalg::PackOp op) {
  return op.getSourceType().getElementTypeBitWidth() * getGroup(op);
}

namespace {
/// Emits the loops of one packing op: of one dimension into tiles, and maybe of
/// another into groups.
class PackLowering : Arithmetic {
public:
  PackLowering(RewriterBase &rewriter, linalg::PackOp op, int64_t vectorBits)
      : Arithmetic(rewriter, op.getLoc()), rewriter(rewriter), op(op),
        elementType(op.getSourceType().getElementType()),
        rank(op.getSourceRank()), column(op.getInnerDimsPos().front()),
        tile(op.getStaticInnerTiles().front()), group(getGroup(op)),
        width(std::gcd(tile, vectorBits / getUnitBits(op))) {}

  void lower();

private:
  Value plus(Value lhs, int64_t rhs) {
    return rhs == 0 ? lhs : add(lhs, index(rhs));
  }
  Value apply(AffineExpr expr, Value operand);
  Value read(ValueRange indices, int64_t count, bool inBounds);
  Value write(Value vector, Value target, ValueRange indices);
  SmallVector<Value> getSourceIndices(ValueRange outer, Value columnIndex);
  SmallVector<ReassociationIndices> getReassociation() const {
    SmallVector<ReassociationIndices> dims;
    for (int64_t position = 0; position <= rank; ++position)
      dims.push_back({position});
    dims.back().push_back(rank + 1);
    return dims;
  }
  Value flatten(Value panels);
  Value unflatten(Value panels);
  Value nest(ValueRange sizes, Value target,
             function_ref<Value(SmallVector<Value> outer, Value target)> body);
  void findColumns();
  /// The first column of the panel at `outer`.
  Value getFirstColumn(ValueRange outer) {
    return multiply(outer[panel], index(tile));
  }
  Value packRow(ValueRange outer, Value target);
  Value readGroups(ValueRange outer, Value columnIndex);
  Value interleave(Value first, Value second, int64_t unit);
  Value clearUnless(Value exists, Value vector);
  Value asUnits(Value vector);
  Value packSquares(ValueRange outer, Value rest, Value target);
  Value writeRows(ArrayRef<Value> rows, MutableArrayRef<Value> indices,
                  Value rest, Value target);

  RewriterBase &rewriter;
  linalg::PackOp op;
  Type elementType;
  int64_t rank, column, tile, group;
  int64_t width; ///< units of a vector, each an element or a group of them
  /// Of the packed dimensions: the one that is innermost in the source, and
  /// those that count panels and groups.
  int64_t inner = 0, panel = 0, groups = -1;
  Value columns;
  bool isFull = false; ///< known to be: the last panel
};
} // namespace

Value PackLowering::apply(AffineExpr expr, Value operand) {
  return makeIndex(rewriter, loc,
                   affine::makeComposedFoldedAffineApply(
                       rewriter, loc, expr, {OpFoldResult(operand)}));
}

Value PackLowering::read(ValueRange indices, int64_t count, bool inBounds) {
  Value padding = op.getPaddingValue();
  if (!padding)
    padding = arith::ConstantOp::create(rewriter, loc,
                                        rewriter.getZeroAttr(elementType));
  return vector::TransferReadOp::create(
      rewriter, loc, VectorType::get({count}, elementType), op.getSource(),
      indices, padding, ArrayRef<bool>{inBounds});
}

Value PackLowering::write(Value vector, Value target, ValueRange indices) {
  auto type = VectorType::get({width * group}, elementType);
  if (vector.getType() != type)
    vector = vector::BitCastOp::create(rewriter, loc, type, vector);
  return vector::TransferWriteOp::create(rewriter, loc, vector, target, indices,
                                         ArrayRef<bool>{true})
      .getResult();
}

/// `outer` holds one index per packed dimension but the tile.
SmallVector<Value> PackLowering::getSourceIndices(ValueRange outer,
                                                  Value columnIndex) {
  SmallVector<Value> indices(rank);
  for (int64_t position = 0; position < rank; ++position)
    indices[getSourcePosition(op, position)] =
        position == groups ? multiply(outer[position], index(group))
                           : outer[position];
  indices[column] = columnIndex;
  return indices;
}

/// `vector` where `exists`, else the padding.
Value PackLowering::clearUnless(Value exists, Value vector) {
  Value padding = vector::BroadcastOp::create(
      rewriter, loc, vector.getType(),
      cast<vector::TransferReadOp>(vector.getDefiningOp()).getPadding());
  return select(exists, vector, padding);
}

/// The elements of a group as one number.
Value PackLowering::asUnits(Value vector) {
  if (group == 1)
    return vector;
  auto type =
      VectorType::get({width}, rewriter.getIntegerType(getUnitBits(op)));
  return vector::BitCastOp::create(rewriter, loc, type, vector);
}

/// `unit` elements of one vector, as many of the other, and so on.
Value PackLowering::interleave(Value first, Value second, int64_t unit) {
  int64_t size = cast<VectorType>(first.getType()).getNumElements();
  SmallVector<int64_t> lanes;
  for (int64_t at = 0; at < size; at += unit)
    for (int64_t begin : {at, at + size})
      llvm::append_range(lanes, llvm::seq(begin, begin + unit));
  return vector::ShuffleOp::create(rewriter, loc, first, second, lanes);
}

/// Columns innermost in the source: `width` groups, from as many rows as a
/// group has terms, of which the last ones may not exist.
Value PackLowering::readGroups(ValueRange outer, Value columnIndex) {
  SmallVector<Value> indices = getSourceIndices(outer, columnIndex);
  int64_t position = getSourcePosition(op, groups);
  Value first = indices[position];
  Value terms = tensor::DimOp::create(rewriter, loc, op.getSource(), position);
  Value last = subtract(terms, index(1));
  int64_t known = op.getSourceType().getDimSize(position);
  bool areWhole = !ShapedType::isDynamic(known) && known % group == 0;
  SmallVector<Value> rows;
  for (int64_t number = 0; number < group; ++number) {
    Value term = plus(first, number);
    indices[position] = areWhole ? term : minimum(term, last);
    Value row = read(indices, width, isFull);
    if (!areWhole)
      row = clearUnless(compare(arith::CmpIPredicate::slt, term, terms), row);
    rows.push_back(row);
  }
  if (group == 2)
    return interleave(rows[0], rows[1], 1);
  return interleave(interleave(rows[0], rows[1], 1),
                    interleave(rows[2], rows[3], 1), 2);
}

/// Columns innermost in the source: a row of a panel is `tile` neighbours.
Value PackLowering::packRow(ValueRange outer, Value target) {
  Value begin = getFirstColumn(outer);
  SmallVector<Value> to(outer);
  to.push_back(nullptr);
  for (int64_t lane = 0; lane < tile; lane += width) {
    Value at = plus(begin, lane);
    Value row = group > 1 ? readGroups(outer, at)
                          : read(getSourceIndices(outer, at), width, isFull);
    to.back() = index(lane * group);
    target = write(row, target, to);
  }
  return target;
}

/// Writes rows of a panel, of which `rest` >= 1 exist; null: all of them. Rows
/// that do not exist are written where the last one is, before it: a branch for
/// each would cost bufferization time exponential in their number.
Value PackLowering::writeRows(ArrayRef<Value> rows,
                              MutableArrayRef<Value> indices, Value rest,
                              Value target) {
  Value first = indices[inner];
  Value last;
  if (rest)
    last = plus(add(first, rest), -1);
  for (int64_t number = rows.size() - 1; number >= 0; --number) {
    indices[inner] = plus(first, number);
    if (rest)
      indices[inner] = minimum(indices[inner], last);
    target = write(rows[number], target, indices);
  }
  indices[inner] = first;
  return target;
}

/// Another dimension innermost in the source: `width` of its units, of which
/// `rest` exist, for all columns of a panel.
Value PackLowering::packSquares(ValueRange outer, Value rest, Value target) {
  Value begin = getFirstColumn(outer);
  Value last = subtract(columns, index(1));
  SmallVector<Value> to(outer);
  to.push_back(nullptr);
  for (int64_t lane = 0; lane < tile; lane += width) {
    SmallVector<Value> rows;
    for (int64_t row = 0; row < width; ++row) {
      Value at = plus(begin, lane + row);
      Value inside = at;
      if (!isFull)
        inside = minimum(at, last);
      Value value = read(getSourceIndices(outer, inside), width * group,
                         /*inBounds=*/!rest);
      if (!isFull)
        value =
            clearUnless(compare(arith::CmpIPredicate::slt, at, columns), value);
      rows.push_back(asUnits(value));
    }
    to.back() = index(lane * group);
    target = writeRows(transposeSquare(rewriter, loc, std::move(rows)), to,
                       rest, target);
  }
  return target;
}

Value PackLowering::nest(
    ValueRange sizes, Value target,
    function_ref<Value(SmallVector<Value> outer, Value target)> body) {
  return makePositionLoops(rewriter, loc, getAsOpFoldResult(sizes), target,
                           [&](ValueRange ivs, ValueRange carried) {
                             return scf::ValueVector{
                                 body(llvm::to_vector(ivs), carried.front())};
                           })
      .front();
}

void PackLowering::findColumns() {
  for (int64_t position = 0; position < rank; ++position) {
    if (getSourcePosition(op, position) == rank - 1)
      inner = position;
    if (getSourcePosition(op, position) == column)
      panel = position;
    if (group > 1 && getSourcePosition(op, position) == op.getInnerDimsPos()[1])
      groups = position;
  }
  columns = tensor::DimOp::create(rewriter, loc, op.getSource(), column);
  int64_t extent = op.getSourceType().getDimSize(column);
  isFull = !ShapedType::isDynamic(extent) && extent % tile == 0;
}

/// Panels with the terms of a group in line with the columns.
Value PackLowering::flatten(Value panels) {
  if (group == 1)
    return panels;
  return tensor::CollapseShapeOp::create(rewriter, loc, panels,
                                         getReassociation());
}

Value PackLowering::unflatten(Value panels) {
  if (group == 1)
    return panels;
  return tensor::ExpandShapeOp::create(
      rewriter, loc, op.getDestType(), panels, getReassociation(),
      tensor::getMixedSizes(rewriter, loc, op.getDest()));
}

void PackLowering::lower() {
  rewriter.setInsertionPoint(op);
  findColumns();
  SmallVector<Value> sizes;
  for (int64_t position = 0; position < rank; ++position) {
    int64_t from = getSourcePosition(op, position);
    sizes.push_back(tensor::DimOp::create(rewriter, loc, op.getSource(), from));
  }
  AffineExpr size = rewriter.getAffineDimExpr(0);
  sizes[panel] = apply(size.ceilDiv(tile), columns);
  Value extent = sizes[inner];
  if (group > 1)
    sizes[groups] = apply(size.ceilDiv(group), sizes[groups]);
  Value panels = flatten(op.getDest());
  if (column == rank - 1) {
    auto body = [&](SmallVector<Value> outer, Value target) {
      return packRow(outer, target);
    };
    rewriter.replaceOp(op, unflatten(nest(sizes, panels, body)));
    return;
  }
  int64_t square = width * group;
  sizes[inner] = apply(size.floorDiv(square), extent);
  Value main = nest(sizes, panels, [&](SmallVector<Value> outer, Value target) {
    outer[inner] = multiply(outer[inner], index(width));
    return packSquares(outer, nullptr, target);
  });
  int64_t known = op.getSourceType().getShape().back();
  if (!ShapedType::isDynamic(known) && known % square == 0) {
    rewriter.replaceOp(op, unflatten(main));
    return;
  }
  // In units, the last of which may be part of a group.
  Value rest = apply((size % square).ceilDiv(group), extent);
  Value begin = apply(size.floorDiv(square) * width, extent);
  // One more square if elements are left.
  sizes[inner] = minimum(rest, index(1));
  auto body = [&](SmallVector<Value> outer, Value target) {
    outer[inner] = begin;
    return packSquares(outer, rest, target);
  };
  rewriter.replaceOp(op, unflatten(nest(sizes, main, body)));
}

bool symshape::isPanelPack(linalg::PackOp op, int64_t vectorBits) {
  Type type = op.getSourceType().getElementType();
  ArrayRef<int64_t> tiles = op.getStaticInnerTiles();
  if (vectorBits == 0 || !op.hasPureTensorSemantics() || tiles.empty() ||
      !op.getInnerTiles().empty() || tiles.size() > 2 || !type.isIntOrFloat() ||
      type.getIntOrFloatBitWidth() < 8)
    return false;
  if (tiles.size() == 2 &&
      ((tiles[1] != 2 && tiles[1] != 4) ||
       !llvm::is_contained(op.getInnerDimsPos(), op.getSourceRank() - 1)))
    return false;
  int64_t bits = getUnitBits(op);
  return bits <= 64 && std::gcd(tiles.front(), vectorBits / bits) > 1;
}

void symshape::lowerPanelPack(RewriterBase &rewriter, linalg::PackOp op,
                              int64_t vectorBits) {
  PackLowering(rewriter, op, vectorBits).lower();
}
