//===- SortPoints.cpp - Sorting on many threads ---------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sort and top_k: runs of all lines are merged in pairs, from the bottom up.
// One pass is one structured op, each point of which finds for itself which
// element comes to lie there: by bisection along the "merge path" of the two
// runs, as in Odeh, Green, Mwassi, Shmueli, Birk, "Merge Path - Parallel
// Merging Made Simple", 2012. Cost: log n passes, which read and write a line
// of n once, and n log n searches of at most log n steps.
//
//===----------------------------------------------------------------------===//

#include "SortPoints.h"

#include "Arithmetic.h"
#include "Points.h"
#include "SortLoops.h"
#include "Structure/Loops.h"
#include "symshape/IR/Slices.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::symshape;

namespace {
/// The lowering of one sort: the first elements of each line, by their order,
/// and their positions.
class PointSort : Arithmetic {
public:
  PointSort(RewriterBase &b, Value source, int64_t axis, bool descending,
            Value size)
      : Arithmetic(b, source.getLoc()), b(b), axis(axis),
        descending(descending), size(size) {
    extents = tensor::getMixedSizes(b, loc, source);
    extent = makeIndex(b, loc, extents[axis]);
    sort(source);
  }

  Value values, positions; ///< all of each line, of which `size` are in order

private:
  void sort(Value source);
  SmallVector<Value> merge(Value values, Value positions, ValueRange into,
                           Value width);
  SmallVector<Value> mergePoint(Value values, Value positions, Value width,
                                SmallVector<Value> at);

  RewriterBase &b;
  int64_t axis;
  bool descending;
  Value size; ///< null: all
  SmallVector<OpFoldResult> extents;
  Value extent;
};
} // namespace

/// The element and its position that come to lie at this point when runs of
/// `width` are merged in pairs; without positions, elements are where they
/// were.
SmallVector<Value> PointSort::mergePoint(Value values, Value positions,
                                         Value width, SmallVector<Value> at) {
  Value place = at[axis];
  auto read = [&](Value tensor, Value where) -> Value {
    at[axis] = where;
    return tensor::ExtractOp::create(b, loc, tensor, at);
  };
  // Of both runs, `diagonal` elements come before this one. The number of those
  // from the left is the least at which the next one there comes after the last
  // one from the right.
  Value mask = subtract(add(width, width), index(1));
  Value diagonal = arith::AndIOp::create(b, loc, place, mask);
  Value begin = subtract(place, diagonal);
  Value middle = minimum(add(begin, width), extent);
  Value end = minimum(add(middle, width), extent);
  Value most = minimum(diagonal, subtract(middle, begin));
  Value least = maximum(subtract(diagonal, subtract(end, middle)), index(0));
  if (size) // What is not among the first of a run is not looked at again.
    most =
        select(compare(arith::CmpIPredicate::slt, diagonal, size), most, least);
  Value reflected = subtract(add(middle, diagonal), index(1));
  Value fromLeft = bisect(b, loc, least, most, [&](Value number) {
    Value left = read(values, add(begin, number));
    Value right = read(values, subtract(reflected, number));
    return comesBefore(b, loc, right, left, descending);
  });
  Value left = add(begin, fromLeft);
  Value right = add(middle, subtract(diagonal, fromLeft));
  Value noLeft = compare(arith::CmpIPredicate::sge, left, middle);
  Value hasRight = compare(arith::CmpIPredicate::slt, right, end);
  Value last = subtract(extent, index(1));
  Value x = read(values, minimum(left, last));
  Value y = read(values, minimum(right, last));
  Value isFirst = comesBefore(b, loc, y, x, descending);
  isFirst = arith::AndIOp::create(b, loc, hasRight, isFirst);
  Value takesRight = arith::OrIOp::create(b, loc, noLeft, isFirst);
  Value taken = select(takesRight, right, left);
  return {select(takesRight, y, x), positions ? read(positions, taken) : taken};
}

SmallVector<Value> PointSort::merge(Value values, Value positions,
                                    ValueRange into, Value width) {
  return computePoints(b, loc, into, [&](SmallVector<Value> at) {
    return mergePoint(values, positions, width, at);
  });
}

/// The first pass is made of the source. The others are two to an iteration, so
/// that each of two pairs of tensors is written in place; the last may have
/// nothing to merge.
void PointSort::sort(Value source) {
  SmallVector<Value> tensors;
  for (int i = 0; i < 2; ++i)
    for (Type type : {getElementTypeOrSelf(source), Type(b.getIndexType())})
      tensors.push_back(tensor::EmptyOp::create(b, loc, extents, type));
  SmallVector<Value> first =
      merge(source, Value(), ArrayRef(tensors).take_front(2), index(1));
  llvm::copy(first, tensors.begin());
  SmallVector<Value> sorted =
      makeLoop(b, loc, index(1), countDigits(b, loc, extent), index(2), tensors,
               [&](Value pass, ValueRange carried) {
                 Value width = arith::ShLIOp::create(b, loc, index(1), pass);
                 SmallVector<Value> one =
                     merge(carried[0], carried[1], carried.take_back(2), width);
                 SmallVector<Value> two = merge(
                     one[0], one[1], carried.take_front(2), add(width, width));
                 return SmallVector<Value>{two[0], two[1], one[0], one[1]};
               });
  values = sorted[0];
  positions = sorted[1];
}

/// Positions as elements of this type.
static Value convertPositions(OpBuilder &b, Value positions, Type element) {
  auto type = cast<RankedTensorType>(positions.getType());
  if (type.getElementType() == element)
    return positions;
  return arith::IndexCastOp::create(b, positions.getLoc(), type.clone(element),
                                    positions);
}

void symshape::lowerToPoints(RewriterBase &b, SortOp op) {
  PointSort sort(b, op.getSource(), op.getAxis(), /*descending=*/false,
                 /*size=*/Value());
  Type element = getElementTypeOrSelf(op.getPermutation());
  replaceOrdered(b, op,
                 {sort.values, convertPositions(b, sort.positions, element)});
}

void symshape::lowerToPoints(RewriterBase &b, TopKOp op) {
  Location loc = op.getLoc();
  int64_t axis = op.getAxis();
  PointSort sort(b, op.getSource(), axis, /*descending=*/true, op.getSize());
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(b, loc, op.getSource());
  SmallVector<OpFoldResult> zeros(sizes.size(), b.getIndexAttr(0)),
      ones(sizes.size(), b.getIndexAttr(1));
  sizes[axis] = op.getSize();
  auto take = [&](Value tensor) {
    return extractSlice(b, loc, tensor, SliceBounds{zeros, sizes, ones});
  };
  Type element = getElementTypeOrSelf(op.getPositions());
  replaceOrdered(
      b, op,
      {take(sort.values), convertPositions(b, take(sort.positions), element)});
}
