//===- SortLoops.cpp - Sorting as loops -----------------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sort and top_k: line by line along the axis, a merge sort of positions from
// the bottom up, which is stable. Cost: n log n comparisons for a line of n.
//
//===----------------------------------------------------------------------===//

#include "SortLoops.h"

#include "Arithmetic.h"
#include "Structure/Loops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::symshape;

Value symshape::comesBefore(OpBuilder &b, Location loc, Value x, Value y,
                            bool descending) {
  if (descending)
    std::swap(x, y);
  if (!isa<FloatType>(x.getType()))
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, x, y);
  auto test = [&](arith::CmpFPredicate predicate, Value one, Value two) {
    return arith::CmpFOp::create(b, loc, predicate, one, two);
  };
  Value before = test(arith::CmpFPredicate::OLT, x, y);
  Value isNumber = test(arith::CmpFPredicate::ORD, x, x);
  Value isNone = test(arith::CmpFPredicate::UNO, y, y);
  Value beforeNone = arith::AndIOp::create(b, loc, isNumber, isNone);
  return arith::OrIOp::create(b, loc, before, beforeNone);
}

void symshape::replaceOrdered(RewriterBase &b, Operation *op,
                              ArrayRef<Value> results) {
  SmallVector<Value> replaced(results);
  for (auto [result, type] : llvm::zip(replaced, op->getResultTypes()))
    if (result.getType() != type)
      result = tensor::CastOp::create(b, op->getLoc(), type, result);
  b.replaceOp(op, replaced);
}

namespace {
/// The lowering of one sort: the first `size` elements of each line, by their
/// order, and their positions.
class SortLowering : Arithmetic {
public:
  SortLowering(RewriterBase &b, Operation *op, Value source, int64_t axis,
               bool descending)
      : Arithmetic(b, op->getLoc()), b(b), op(op), source(source), axis(axis),
        descending(descending) {}
  void run(ArrayRef<OpFoldResult> sizes);

private:
  /// A loop that carries `inits`; `body` gives what is yielded.
  scf::ValueVector loop(Value from, Value to, Value step, ValueRange inits,
                        function_ref<scf::ValueVector(Value, ValueRange)> body);
  Value read(Value place);
  scf::ValueVector mergeStep(Value place, ValueRange carried, Value positions,
                             Value middle, Value end);
  Value mergePass(Value width, Value positions, Value scratch);
  scf::ValueVector sortLine(ValueRange at, ValueRange carried);

  RewriterBase &b;
  Operation *op;
  Value source;
  int64_t axis;
  bool descending;
  Value extent, last, size, passes;
  SmallVector<Value> line; ///< the position of the line, without the axis
};
} // namespace

scf::ValueVector
SortLowering::loop(Value from, Value to, Value step, ValueRange inits,
                   function_ref<scf::ValueVector(Value, ValueRange)> body) {
  auto result = scf::ForOp::create(b, loc, from, to, step, inits);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(result.getBody());
  scf::YieldOp::create(
      b, loc, body(result.getInductionVar(), result.getRegionIterArgs()));
  return scf::ValueVector(result.getResults().begin(),
                          result.getResults().end());
}

/// The element of the source at a place of the line.
Value SortLowering::read(Value place) {
  SmallVector<Value> at(line);
  at.insert(at.begin() + axis, place);
  return tensor::ExtractOp::create(b, loc, source, at);
}

/// Writes the next of two sorted runs, of which `carried` has the heads; the
/// one on the left goes first unless the other is less.
scf::ValueVector SortLowering::mergeStep(Value place, ValueRange carried,
                                         Value positions, Value middle,
                                         Value end) {
  Value left = carried[0], right = carried[1];
  auto head = [&](Value run) -> Value {
    Value inside = minimum(run, last);
    return tensor::ExtractOp::create(b, loc, positions, inside);
  };
  Value ofLeft = head(left), ofRight = head(right);
  Value x = read(ofLeft), y = read(ofRight);
  Value isFirst = comesBefore(b, loc, y, x, descending);
  Value hasRight = compare(arith::CmpIPredicate::slt, right, end);
  isFirst = arith::AndIOp::create(b, loc, hasRight, isFirst);
  Value noLeft = compare(arith::CmpIPredicate::sge, left, middle);
  Value takesRight = arith::OrIOp::create(b, loc, noLeft, isFirst);
  Value taken = select(takesRight, ofRight, ofLeft);
  Value written = tensor::InsertOp::create(b, loc, taken, carried[2], place);
  Value one =
      arith::IndexCastUIOp::create(b, loc, b.getIndexType(), takesRight);
  Value other = subtract(index(1), one);
  return {add(left, other), add(right, one), written};
}

/// Merges pairs of runs of this width; returns the scratch line, which has
/// them.
Value SortLowering::mergePass(Value width, Value positions, Value scratch) {
  Value both = add(width, width);
  auto mergeRuns = [&](Value begin, ValueRange carried) -> scf::ValueVector {
    Value middle = add(begin, width);
    middle = minimum(middle, extent);
    Value end = add(begin, both);
    end = minimum(end, extent);
    return {loop(begin, end, index(1), ValueRange{begin, middle, carried[0]},
                 [&](Value place, ValueRange inner) {
                   return mergeStep(place, inner, positions, middle, end);
                 })[2]};
  };
  return loop(index(0), extent, both, scratch, mergeRuns).front();
}

/// Carries the values, the positions that are returned, and two lines.
scf::ValueVector SortLowering::sortLine(ValueRange at, ValueRange carried) {
  line.assign(at.begin(), at.end());
  Value zero = index(0), one = index(1);
  Value positions =
      loop(zero, extent, one, carried[2],
           [&](Value place, ValueRange inner) -> scf::ValueVector {
             return {tensor::InsertOp::create(b, loc, place, inner[0], place)};
           })
          .front();
  scf::ValueVector sorted =
      loop(zero, passes, one, ValueRange{positions, carried[3]},
           [&](Value pass, ValueRange inner) -> scf::ValueVector {
             Value width = arith::ShLIOp::create(b, loc, index(1), pass);
             Value merged = mergePass(width, inner[0], inner[1]);
             Value copied =
                 linalg::CopyOp::create(b, loc, merged, inner[0]).getResult(0);
             return {copied, merged};
           });
  Type element = getElementTypeOrSelf(carried[1]);
  scf::ValueVector results =
      loop(zero, size, one, carried.take_front(2),
           [&](Value place, ValueRange inner) -> scf::ValueVector {
             Value from = tensor::ExtractOp::create(b, loc, sorted[0], place);
             Value value = read(from);
             from = getValueOrCreateCastToIndexLike(b, loc, element, from);
             SmallVector<Value> to(line);
             to.insert(to.begin() + axis, place);
             return {tensor::InsertOp::create(b, loc, value, inner[0], to),
                     tensor::InsertOp::create(b, loc, from, inner[1], to)};
           });
  return {results[0], results[1], sorted[0], sorted[1]};
}

void SortLowering::run(ArrayRef<OpFoldResult> sizes) {
  auto type = cast<RankedTensorType>(source.getType());
  extent = tensor::DimOp::create(b, loc, source, axis);
  last = subtract(extent, index(1));
  size = getValueOrCreateConstantIndexOp(b, loc, sizes[axis]);
  passes = countDigits(b, loc, extent);
  Type positionType = getElementTypeOrSelf(op->getResult(1));
  Value values = tensor::EmptyOp::create(b, loc, sizes, type.getElementType());
  Value positions = tensor::EmptyOp::create(b, loc, sizes, positionType);
  SmallVector<Value> inits{values, positions};
  for (int i = 0; i < 2; ++i)
    inits.push_back(tensor::EmptyOp::create(b, loc, OpFoldResult(extent),
                                            b.getIndexType()));
  SmallVector<OpFoldResult> lines(sizes);
  lines.erase(lines.begin() + axis);
  scf::ValueVector results = makePositionLoops(
      b, loc, lines, inits,
      [&](ValueRange at, ValueRange carried) { return sortLine(at, carried); });
  replaceOrdered(b, op, ArrayRef(results).take_front(2));
}

void symshape::lower(RewriterBase &b, SortOp op, bool) {
  SortLowering(b, op, op.getSource(), op.getAxis(), /*descending=*/false)
      .run(tensor::getMixedSizes(b, op.getLoc(), op.getSource()));
}

void symshape::lower(RewriterBase &b, TopKOp op, bool) {
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(b, op.getLoc(), op.getSource());
  sizes[op.getAxis()] = op.getSize();
  SortLowering(b, op, op.getSource(), op.getAxis(), /*descending=*/true)
      .run(sizes);
}
