//===- AxisLoops.cpp - Ops along an axis as loops -------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reverse, cumsum and iota. Not for: sort and top_k (SortLoops.cpp), nonzero
// (NonzeroLoops.cpp).
//
//===----------------------------------------------------------------------===//

#include "AxisLoops.h"

#include "ScatterLoops.h"
#include "Structure/Loops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "symshape/IR/Slices.h"

using namespace mlir;
using namespace mlir::symshape;

//===----------------------------------------------------------------------===//
// Reverse
//===----------------------------------------------------------------------===//

void symshape::lower(RewriterBase &b, ReverseOp op, bool) {
  Location loc = op.getLoc();
  Value source = op.getSource();
  auto type = cast<RankedTensorType>(op.getType());
  int64_t rank = type.getRank();
  SmallVector<Value> last(rank);
  for (int64_t axis : op.getAxes())
    last[axis] = arith::SubIOp::create(
        b, loc, tensor::DimOp::create(b, loc, source, axis),
        makeIndex(b, loc, 1));
  Value empty = tensor::EmptyOp::create(
      b, loc, tensor::getMixedSizes(b, loc, source), type.getElementType());
  SmallVector<AffineMap> maps{b.getMultiDimIdentityMap(rank)};
  SmallVector<utils::IteratorType> loops(rank, utils::IteratorType::parallel);
  b.replaceOpWithNewOp<linalg::GenericOp>(
      op, TypeRange(type), ValueRange{}, empty, maps, loops,
      [&](OpBuilder &inner, Location where, ValueRange) {
        SmallVector<Value> position;
        for (int64_t d = 0; d < rank; ++d) {
          position.push_back(linalg::IndexOp::create(inner, where, d));
          if (last[d])
            position[d] =
                arith::SubIOp::create(inner, where, last[d], position[d]);
        }
        Value element =
            tensor::ExtractOp::create(inner, where, source, position);
        linalg::YieldOp::create(inner, where, element);
      });
}

//===----------------------------------------------------------------------===//
// Cumsum
//===----------------------------------------------------------------------===//

namespace {
/// The lowering of one cumsum. The axes before `axis` are loops, and so is
/// `axis`; those after it are a slice, of which all sums are formed together.
class CumsumLowering {
public:
  CumsumLowering(RewriterBase &b, CumsumOp op)
      : b(b), op(op), loc(op.getLoc()), axis(op.getAxis()),
        type(cast<RankedTensorType>(op.getType())) {}
  void run();

private:
  scf::ValueVector sumAxis(ValueRange position, ValueRange carried);
  Value makeZeros(Value sums);

  RewriterBase &b;
  CumsumOp op;
  Location loc;
  int64_t axis;
  RankedTensorType type, sumType;
  SmallVector<OpFoldResult> extents, sizes; ///< of the source, of a slice
};
} // namespace

Value CumsumLowering::makeZeros(Value sums) {
  // A sum that begins with -0.0 has every element as it is, also -0.0.
  Type element = type.getElementType();
  Value zero = arith::ConstantOp::create(
      b, loc,
      isa<FloatType>(element) ? TypedAttr(b.getFloatAttr(element, -0.0))
                              : b.getZeroAttr(element));
  return linalg::FillOp::create(b, loc, zero, sums).getResult(0);
}

/// The sums of one line along the axis; carries the result and a slice.
scf::ValueVector CumsumLowering::sumAxis(ValueRange position,
                                         ValueRange carried) {
  Value extent = getValueOrCreateConstantIndexOp(b, loc, extents[axis]);
  Value last = arith::SubIOp::create(b, loc, extent, makeIndex(b, loc, 1));
  auto loop = scf::ForOp::create(b, loc, makeIndex(b, loc, 0), extent,
                                 makeIndex(b, loc, 1),
                                 ValueRange{carried[0], makeZeros(carried[1])});
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value step = loop.getInductionVar();
  if (op.getReverse())
    step = arith::SubIOp::create(b, loc, last, step);
  SliceBounds bounds{
      getAsOpFoldResult(position), sizes,
      SmallVector<OpFoldResult>(type.getRank(), b.getIndexAttr(1))};
  bounds.offsets.push_back(step);
  bounds.offsets.resize(type.getRank(), b.getIndexAttr(0));
  Value part = extractSlice(b, loc, op.getSource(), bounds, sumType);
  Value sums =
      combineWindows(b, loc, Combiner::Add, loop.getRegionIterArg(1), part);
  Value result = insertSlice(b, loc, sums, loop.getRegionIterArg(0), bounds);
  scf::YieldOp::create(b, loc, ValueRange{result, sums});
  return {loop.getResult(0), loop.getResult(1)};
}

void CumsumLowering::run() {
  extents = tensor::getMixedSizes(b, loc, op.getSource());
  Type element = type.getElementType();
  sizes.assign(type.getRank(), b.getIndexAttr(1));
  for (int64_t d = axis + 1; d < type.getRank(); ++d)
    sizes[d] = extents[d];
  sumType =
      RankedTensorType::get(type.getShape().drop_front(axis + 1), element);
  Value result = tensor::EmptyOp::create(b, loc, extents, element);
  Value sums = tensor::EmptyOp::create(
      b, loc, ArrayRef(extents).drop_front(axis + 1), element);
  scf::ValueVector results = makePositionLoops(
      b, loc, ArrayRef(extents).take_front(axis), {result, sums},
      [&](ValueRange position, ValueRange carried) {
        return sumAxis(position, carried);
      });
  b.replaceOp(op, results.front());
}

void symshape::lower(RewriterBase &b, CumsumOp op, bool) {
  CumsumLowering(b, op).run();
}

//===----------------------------------------------------------------------===//
// Iota
//===----------------------------------------------------------------------===//

/// `max(0, (limit - start) ceildiv step)`. The distance is read as unsigned,
/// which holds the distance of any two indices.
static Value countOf(OpBuilder &b, Location loc, ArrayRef<Value> bounds) {
  Value start = bounds[0], limit = bounds[1], step = bounds[2];
  Value zero = makeIndex(b, loc, 0), one = makeIndex(b, loc, 1);
  Value isDown =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, step, zero);
  Value low = arith::SelectOp::create(b, loc, isDown, limit, start);
  Value high = arith::SelectOp::create(b, loc, isDown, start, limit);
  Value minus = arith::SubIOp::create(b, loc, zero, step);
  Value stride = arith::SelectOp::create(b, loc, isDown, minus, step);
  Value isEmpty =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, low, high);
  Value distance = arith::SubIOp::create(b, loc, high, low);
  Value count = arith::SubIOp::create(b, loc, distance, one);
  count = arith::DivUIOp::create(b, loc, count, stride);
  count = arith::AddIOp::create(b, loc, count, one);
  return arith::SelectOp::create(b, loc, isEmpty, zero, count);
}

void symshape::lower(RewriterBase &b, IotaOp op, bool) {
  Location loc = op.getLoc();
  SmallVector<Value> bounds;
  for (OpFoldResult bound : op.getMixedBounds())
    bounds.push_back(getValueOrCreateConstantIndexOp(b, loc, bound));
  auto type = cast<RankedTensorType>(op.getType());
  Type element = type.getElementType();
  OpFoldResult count = b.getIndexAttr(type.getDimSize(0));
  if (type.isDynamicDim(0))
    count = countOf(b, loc, bounds);
  Value empty = tensor::EmptyOp::create(b, loc, count, element);
  SmallVector<AffineMap> maps{b.getMultiDimIdentityMap(1)};
  SmallVector<utils::IteratorType> loops(1, utils::IteratorType::parallel);
  b.replaceOpWithNewOp<linalg::GenericOp>(
      op, TypeRange(empty.getType()), ValueRange{}, empty, maps, loops,
      [&](OpBuilder &inner, Location where, ValueRange) {
        Value value = linalg::IndexOp::create(inner, where, 0);
        value = arith::MulIOp::create(inner, where, value, bounds[2]);
        value = arith::AddIOp::create(inner, where, bounds[0], value);
        linalg::YieldOp::create(
            inner, where,
            getValueOrCreateCastToIndexLike(inner, where, element, value));
      });
}
