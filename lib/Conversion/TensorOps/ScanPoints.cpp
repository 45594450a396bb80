//===- ScanPoints.cpp - Running sums on many threads ----------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Cumsum in three steps: the sums of chunks of a line; the sums of all chunks
// so far, in passes each of which has a thread add up sums of the pass before,
// ever farther apart; and then each element by itself, of its chunk and the sum
// of those before. The order of additions depends on the extent of the line
// alone. Cost: the source is read twice, and the result written once; chunks
// are read by neighbouring threads at a time.
//
//===----------------------------------------------------------------------===//

#include "ScanPoints.h"

#include "Points.h"
#include "Structure/Loops.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::symshape;

/// The binary digits of a place in a chunk; a pass adds up as many sums.
static constexpr int64_t chunkDigits = 4;

//===----------------------------------------------------------------------===//
// Sums of chunks
//===----------------------------------------------------------------------===//

ChunkScan::ChunkScan(RewriterBase &b, Location loc,
                     ArrayRef<OpFoldResult> extents, int64_t axis, Type element)
    : Arithmetic(b, loc), b(b), axis(axis), element(element), counts(extents) {
  extent = makeIndex(b, loc, extents[axis]);
  AffineExpr count = b.getAffineDimExpr(0).ceilDiv(1 << chunkDigits);
  auto map =
      AffineMap::get(1, 0, {count, b.getAffineConstantExpr(1)}, b.getContext());
  counts[axis] =
      affine::makeComposedFoldedAffineMax(b, loc, map, extents[axis]);
}

Value ChunkScan::getChunk(Value place) {
  return arith::ShRUIOp::create(b, loc, place, index(chunkDigits));
}

Value ChunkScan::getBegin(Value chunk) {
  return arith::ShLIOp::create(b, loc, chunk, index(chunkDigits));
}

Value ChunkScan::getEnd(Value chunk) {
  return minimum(getBegin(add(chunk, index(1))), extent);
}

Value ChunkScan::readBefore(Value sums, ArrayRef<Value> at, Value chunk) {
  SmallVector<Value> before(at);
  before[axis] = maximum(subtract(chunk, index(1)), index(0));
  return tensor::ExtractOp::create(b, loc, sums, before);
}

Value ChunkScan::sum(ArrayRef<Value> at, Value first, Value step, Value count,
                     Read read) {
  // A sum that begins with -0.0 has every element as it is, also -0.0.
  Value zero = arith::ConstantOp::create(
      b, loc,
      isa<FloatType>(element) ? TypedAttr(b.getFloatAttr(element, -0.0))
                              : b.getZeroAttr(element));
  SmallVector<Value> position(at);
  return makeLoop(b, loc, index(0), count, index(1), zero,
                  [&](Value number, ValueRange carried) -> SmallVector<Value> {
                    position[axis] = add(first, multiply(number, step));
                    return {add(carried.front(), read(position))};
                  })
      .front();
}

/// Sums of as many chunks as before, times the number that a pass adds up; they
/// were of two to the power of `shift` chunks.
Value ChunkScan::scanStep(Value sums, Value into, Value shift) {
  auto sumOne = [&](SmallVector<Value> at) -> SmallVector<Value> {
    Value step = arith::ShLIOp::create(b, loc, index(1), shift);
    Value before = arith::ShRUIOp::create(b, loc, at[axis], shift);
    before = minimum(before, index((1 << chunkDigits) - 1));
    Value first = subtract(at[axis], multiply(before, step));
    auto read = [&](ArrayRef<Value> position) -> Value {
      return tensor::ExtractOp::create(b, loc, sums, position);
    };
    return {sum(at, first, step, add(before, index(1)), read)};
  };
  return computePoints(b, loc, into, sumOne).front();
}

Value ChunkScan::sumChunks(Read read) {
  Value empty = tensor::EmptyOp::create(b, loc, counts, element);
  Value other = tensor::EmptyOp::create(b, loc, counts, element);
  auto sumOne = [&](SmallVector<Value> at) -> SmallVector<Value> {
    Value begin = getBegin(at[axis]);
    Value size = subtract(getEnd(at[axis]), begin);
    return {sum(at, begin, index(1), size, read)};
  };
  Value sums = computePoints(b, loc, empty, sumOne).front();
  // Two passes at a time, so that both tensors are written in place.
  Value digits = countDigits(b, loc, makeIndex(b, loc, getCount()));
  return makeLoop(b, loc, index(0), digits, index(2 * chunkDigits),
                  {sums, other},
                  [&](Value shift, ValueRange carried) -> SmallVector<Value> {
                    Value one = scanStep(carried[0], carried[1], shift);
                    Value two = scanStep(one, carried[0],
                                         add(shift, index(chunkDigits)));
                    return {two, one};
                  })
      .front();
}

//===----------------------------------------------------------------------===//
// Cumsum
//===----------------------------------------------------------------------===//

namespace {
class PointCumsum : Arithmetic {
public:
  PointCumsum(RewriterBase &b, CumsumOp op)
      : Arithmetic(b, op.getLoc()), b(b), op(op),
        extents(tensor::getMixedSizes(b, loc, op.getSource())),
        last(subtract(makeIndex(b, loc, extents[op.getAxis()]), index(1))) {}
  Value run();

private:
  /// A place along the axis, from the end that sums begin at; or back.
  Value reflect(Value place) {
    return op.getReverse() ? subtract(last, place) : place;
  }

  RewriterBase &b;
  CumsumOp op;
  SmallVector<OpFoldResult> extents;
  Value last;
};
} // namespace

Value PointCumsum::run() {
  int64_t axis = op.getAxis();
  Type element = getElementTypeOrSelf(op.getType());
  auto read = [&](ArrayRef<Value> position) -> Value {
    SmallVector<Value> at(position);
    at[axis] = reflect(at[axis]);
    return tensor::ExtractOp::create(b, loc, op.getSource(), at);
  };
  ChunkScan scan(b, loc, extents, axis, element);
  Value sums = scan.sumChunks(read);
  Value empty = tensor::EmptyOp::create(b, loc, extents, element);
  auto sumOne = [&](SmallVector<Value> at) -> SmallVector<Value> {
    Value place = reflect(at[axis]);
    Value chunk = scan.getChunk(place), begin = scan.getBegin(chunk);
    Value count = add(subtract(place, begin), index(1));
    Value part = scan.sum(at, begin, index(1), count, read);
    Value all = add(scan.readBefore(sums, at, chunk), part);
    Value isFirst = compare(arith::CmpIPredicate::eq, chunk, index(0));
    return {select(isFirst, part, all)};
  };
  return computePoints(b, loc, empty, sumOne).front();
}

void symshape::lowerToPoints(RewriterBase &b, CumsumOp op) {
  Value sums = PointCumsum(b, op).run();
  if (sums.getType() != op.getType())
    sums = tensor::CastOp::create(b, op.getLoc(), op.getType(), sums);
  b.replaceOp(op, sums);
}
