//===- NonzeroPoints.cpp - Where elements are not zero, on threads --------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Nonzero by the numbers of elements so far, chunk by chunk, in row-major
// order: the last is the number of rows, and each row finds its chunk by
// bisection.
//
//===----------------------------------------------------------------------===//

#include "NonzeroPoints.h"

#include "NonzeroLoops.h"
#include "Points.h"
#include "ScanPoints.h"
#include "Structure/Loops.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::symshape;

namespace {
class PointNonzero : Arithmetic {
public:
  PointNonzero(RewriterBase &b, NonzeroOp op)
      : Arithmetic(b, op.getLoc()), b(b), line(flatten(op.getSource())) {}
  Value run();

private:
  Value flatten(Value source);
  Value findPlace(ChunkScan &scan, Value sums, Value row);
  Value getComponent(Value place, Value axis);

  RewriterBase &b;
  SmallVector<Value> extents;
  SmallVector<Value> distances; ///< per axis, of neighbours on the line
  Value line;                   ///< all elements
};
} // namespace

/// The elements in row-major order; sets extents and distances.
Value PointNonzero::flatten(Value source) {
  auto type = cast<RankedTensorType>(source.getType());
  for (OpFoldResult extent : tensor::getMixedSizes(b, loc, source))
    extents.push_back(makeIndex(b, loc, extent));
  distances.assign(extents.size(), index(1));
  for (int64_t d = type.getRank() - 2; d >= 0; --d)
    distances[d] = multiply(distances[d + 1], extents[d + 1]);
  if (type.getRank() == 1)
    return source;
  SmallVector<ReassociationIndices> groups(type.getRank() == 0 ? 0 : 1);
  if (groups.empty())
    return tensor::ExpandShapeOp::create(
        b, loc, RankedTensorType::get({1}, type.getElementType()), source,
        groups);
  llvm::append_range(groups.front(), llvm::seq<int64_t>(type.getRank()));
  return tensor::CollapseShapeOp::create(b, loc, source, groups);
}

/// Where the element of this row is on the line.
Value PointNonzero::findPlace(ChunkScan &scan, Value sums, Value row) {
  Value count = makeIndex(b, loc, scan.getCount());
  Value chunk =
      bisect(b, loc, index(0), subtract(count, index(1)), [&](Value number) {
        Value sum = tensor::ExtractOp::create(b, loc, sums, number);
        return compare(arith::CmpIPredicate::sgt, sum, row);
      });
  Value isFirst = compare(arith::CmpIPredicate::eq, chunk, index(0));
  Value before = scan.readBefore(sums, chunk, chunk);
  before = select(isFirst, index(0), before);
  Value begin = scan.getBegin(chunk);
  return makeLoop(b, loc, begin, scan.getEnd(chunk), index(1), {begin, before},
                  [&](Value place, ValueRange carried) -> SmallVector<Value> {
                    Value isNext =
                        compare(arith::CmpIPredicate::sle, carried[1], row);
                    Value one = countElement(b, loc, line, place);
                    return {select(isNext, place, carried[0]),
                            add(carried[1], one)};
                  })
      .front();
}

/// Along `axis`, which each thread knows for itself.
Value PointNonzero::getComponent(Value place, Value axis) {
  if (extents.size() == 1)
    return place;
  Value extent = extents[0], distance = distances[0];
  for (size_t d = 1; d < extents.size(); ++d) {
    Value isThis = compare(arith::CmpIPredicate::eq, axis, index(d));
    extent = select(isThis, extents[d], extent);
    distance = select(isThis, distances[d], distance);
  }
  Value component = arith::DivUIOp::create(b, loc, place, distance);
  return arith::RemUIOp::create(b, loc, component, extent);
}

Value PointNonzero::run() {
  Type number = b.getIndexType();
  ChunkScan scan(b, loc, tensor::getMixedSizes(b, loc, line), /*axis=*/0,
                 number);
  Value sums = scan.sumChunks(
      [&](ArrayRef<Value> at) { return countElement(b, loc, line, at); });
  Value last = subtract(makeIndex(b, loc, scan.getCount()), index(1));
  Value count = tensor::ExtractOp::create(b, loc, sums, last);
  OpFoldResult sizes[] = {count, b.getIndexAttr(extents.size())};
  Value rows = tensor::EmptyOp::create(b, loc, sizes, number);
  if (extents.empty())
    return rows;
  auto find = [&](SmallVector<Value> at) -> SmallVector<Value> {
    return {getComponent(findPlace(scan, sums, at[0]), at[1])};
  };
  return computePoints(b, loc, rows, find).front();
}

void symshape::lowerToPoints(RewriterBase &b, NonzeroOp op) {
  Value rows = PointNonzero(b, op).run();
  if (rows.getType() != op.getType())
    rows = tensor::CastOp::create(b, op.getLoc(), op.getType(), rows);
  b.replaceOp(op, rows);
}
