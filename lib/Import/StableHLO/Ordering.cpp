//===- Ordering.cpp - Sorts by any comparator -----------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A merge sort of positions, line by line, which asks the comparator of the
// op; then each operand is read at these positions. It is stable, whether the
// op asks for that or not.
//
//===----------------------------------------------------------------------===//

#include "Ordering.h"
#include "CustomCalls.h"
#include "Scalars.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "symshape/IR/SymShape.h"
#include "llvm/Support/ScopedPrinter.h"

using namespace mlir;
using namespace mlir::symshape;
using namespace mlir::symshape::stablehlo;
using arith::CmpIPredicate;

namespace {
class MergeSort {
public:
  MergeSort(Node &n, ValueRange tensors, int64_t axis, Region &comparator)
      : n(n), s(n.b, n.loc), tensors(tensors), axis(axis),
        comparator(comparator) {}
  SmallVector<Value> run();

private:
  Value index(int64_t value) { return n.index(n.b.getIndexAttr(value)); }
  /// The element of each tensor at a position of the current line.
  SmallVector<Value> read(Value position);
  /// Whether the elements at one position come before those at another.
  Value comesBefore(Value one, Value other);
  SmallVector<Value> mergeStep(Value place, ValueRange carried, Value positions,
                               Value middle, Value end);
  Value mergePass(Value width, Value positions, Value scratch);
  SmallVector<Value> sortLine(ValueRange at, ValueRange carried);

  Node &n;
  Scalars s;
  SmallVector<Value> tensors;
  int64_t axis;
  Region &comparator;
  Value extent, last, passes;
  SmallVector<Value> line; ///< coordinates without the axis
};
} // namespace

SmallVector<Value> MergeSort::read(Value position) {
  SmallVector<Value> at(line), elements;
  at.insert(at.begin() + axis, position);
  for (Value tensor : tensors)
    elements.push_back(tensor::ExtractOp::create(n.b, n.loc, tensor, at));
  return elements;
}

Value MergeSort::comesBefore(Value one, Value other) {
  SmallVector<Value> left = read(one), right = read(other), inputs;
  for (auto [x, y] : llvm::zip(left, right)) {
    inputs.push_back(x);
    inputs.push_back(y);
  }
  auto result = n.inlineScalars(comparator, inputs);
  if (succeeded(result) && result->size() == 1 &&
      result->front().getType().isInteger(1))
    return result->front();
  (void)n.fail("expected a comparator that gives a boolean");
  return s.integer(n.b.getI1Type(), 0);
}

/// Takes the head of the right run only where it comes before the left one.
SmallVector<Value> MergeSort::mergeStep(Value place, ValueRange carried,
                                        Value positions, Value middle,
                                        Value end) {
  Value left = carried[0], right = carried[1];
  auto head = [&](Value run) -> Value {
    Value inside = s.create<arith::MinSIOp>(run, last);
    return tensor::ExtractOp::create(n.b, n.loc, positions, inside);
  };
  Value ofLeft = head(left), ofRight = head(right);
  Value isFirst = comesBefore(ofRight, ofLeft);
  Value hasRight = s.create<arith::CmpIOp>(CmpIPredicate::slt, right, end);
  Value noLeft = s.create<arith::CmpIOp>(CmpIPredicate::sge, left, middle);
  Value takesRight = s.create<arith::OrIOp>(
      noLeft, s.create<arith::AndIOp>(hasRight, isFirst));
  Value taken = s.select(takesRight, ofRight, ofLeft);
  Value written =
      tensor::InsertOp::create(n.b, n.loc, taken, carried[2], place);
  Value one = s.create<arith::IndexCastUIOp>(n.b.getIndexType(), takesRight);
  Value other = s.create<arith::SubIOp>(index(1), one);
  return {s.create<arith::AddIOp>(left, other),
          s.create<arith::AddIOp>(right, one), written};
}

Value MergeSort::mergePass(Value width, Value positions, Value scratch) {
  Value both = s.create<arith::AddIOp>(width, width);
  auto mergeRuns = [&](Value begin, ValueRange carried) -> SmallVector<Value> {
    Value middle =
        s.create<arith::MinSIOp>(s.create<arith::AddIOp>(begin, width), extent);
    Value end =
        s.create<arith::MinSIOp>(s.create<arith::AddIOp>(begin, both), extent);
    return {n.loop(begin, end, index(1), ValueRange{begin, middle, carried[0]},
                   [&](Value place, ValueRange inner) {
                     return mergeStep(place, inner, positions, middle, end);
                   })[2]};
  };
  return n.loop(index(0), extent, both, scratch, mergeRuns).front();
}

SmallVector<Value> MergeSort::sortLine(ValueRange at, ValueRange carried) {
  line.assign(at.begin(), at.end());
  size_t count = tensors.size();
  Value zero = index(0), one = index(1);
  Value positions =
      n.loop(zero, extent, one, carried[count],
             [&](Value place, ValueRange inner) -> SmallVector<Value> {
               return {tensor::InsertOp::create(n.b, n.loc, place, inner[0],
                                                place)};
             })
          .front();
  SmallVector<Value> sorted = n.loop(
      zero, passes, one, ValueRange{positions, carried[count + 1]},
      [&](Value pass, ValueRange inner) -> SmallVector<Value> {
        Value width = s.create<arith::ShLIOp>(index(1), pass);
        Value merged = mergePass(width, inner[0], inner[1]);
        Value copied =
            linalg::CopyOp::create(n.b, n.loc, merged, inner[0]).getResult(0);
        return {copied, merged};
      });
  SmallVector<Value> results =
      n.loop(zero, extent, one, carried.take_front(count),
             [&](Value place, ValueRange inner) {
               Value from =
                   tensor::ExtractOp::create(n.b, n.loc, sorted[0], place);
               SmallVector<Value> to(line), written;
               to.insert(to.begin() + axis, place);
               for (auto [element, tensor] : llvm::zip(read(from), inner))
                 written.push_back(
                     tensor::InsertOp::create(n.b, n.loc, element, tensor, to));
               return written;
             });
  results.push_back(sorted[0]);
  results.push_back(sorted[1]);
  return results;
}

SmallVector<Value> MergeSort::run() {
  SmallVector<OpFoldResult> sizes = n.extents(tensors.front());
  extent = n.index(sizes[axis]);
  last = s.create<arith::SubIOp>(extent, index(1));
  // As many passes as extent - 1 has binary digits: none for 0 and 1.
  Value from = s.create<arith::MaxSIOp>(last, index(0));
  Value bits = s.create<arith::IndexCastOp>(n.b.getI64Type(), from);
  Value zeros = s.create<math::CountLeadingZerosOp>(bits);
  Value digits =
      s.create<arith::SubIOp>(s.integer(n.b.getI64Type(), 64), zeros);
  passes = s.create<arith::IndexCastOp>(n.b.getIndexType(), digits);
  SmallVector<Value> inits;
  for (Value tensor : tensors)
    inits.push_back(n.empty(sizes, getElementTypeOrSelf(tensor)));
  for (int i = 0; i < 2; ++i)
    inits.push_back(n.empty(sizes[axis], n.b.getIndexType()));
  SmallVector<OpFoldResult> lines(sizes);
  lines.erase(lines.begin() + axis);
  SmallVector<Value> results =
      n.loops(lines, inits, [&](ValueRange at, ValueRange carried) {
        return sortLine(at, carried);
      });
  results.truncate(tensors.size());
  return results;
}

static LogicalResult sort(Node &n) {
  SmallVector<Value> tensors;
  for (size_t i = 0; i < n.count(); ++i) {
    tensors.push_back(n.tensor(i));
    if (!tensors.back() || failed(verifyCompatibleShape(n.type(i), n.type(0))))
      return n.fail("expected operands of one shape");
  }
  if (n.count() != n.op->getNumResults() || n.rank(0) == 0)
    return n.fail("expected a result per operand, of rank 1 at least");
  int64_t rank = n.rank(0);
  int64_t axis = n.attribute("dimension")
                     ? n.integer("dimension", -rank, rank - 1)
                     : rank - 1;
  if (n.hasFailed())
    return failure();
  MergeSort sort(n, tensors, axis < 0 ? axis + rank : axis, n.op->getRegion(0));
  return n.setAll(ValueRange(sort.run()));
}

/// The greatest `k` along the last axis.
static LogicalResult topOf(Node &n, OpFoldResult k) {
  Value x = n.tensor(0);
  auto values = n.resultType(0), positions = n.resultType(1);
  int64_t rank = n.rank(0);
  if (!x || !values || !positions || n.hasFailed() || rank == 0)
    return n.fail("expected rank 1 at least");
  Type element = n.element(0), own = signless(element), ordered = own;
  if (!element.isIntOrFloat() || !positions.getElementType().isInteger(32))
    return n.fail("elements of type " + llvm::to_string(element) +
                  " are not supported");
  bool isTruth = element.isInteger(1);
  // Numbers without a sign, in the order of those with one.
  auto moveZero = [](Scalars &s, Value v) -> Value {
    APInt least = APInt::getSignedMinValue(v.getType().getIntOrFloatBitWidth());
    return s.create<arith::XOrIOp>(v, s.integer(v.getType(), least));
  };
  if (isTruth) {
    ordered = n.b.getI8Type();
    x = n.map(x, ordered, [&](Scalars &s, Value v) -> Value {
      return s.create<arith::ExtUIOp>(ordered, v);
    });
  } else if (element.isUnsignedInteger()) {
    x = n.map(x, own, moveZero);
  }
  SmallVector<int64_t> shape(cast<RankedTensorType>(x.getType()).getShape());
  shape.back() = getConstantIntValue(k).value_or(ShapedType::kDynamic);
  auto top = TopKOp::create(n.b, n.loc, RankedTensorType::get(shape, ordered),
                            RankedTensorType::get(shape, n.b.getI32Type()), x,
                            n.index(k), n.b.getI64IntegerAttr(rank - 1));
  Value best = top.getValues();
  if (isTruth)
    best = n.map(best, own, [&](Scalars &s, Value v) -> Value {
      return s.create<arith::TruncIOp>(own, v);
    });
  else if (element.isUnsignedInteger())
    best = n.map(best, own, moveZero);
  return n.setAll(ValueRange{best, top.getPositions()});
}

/// `top_k` of chlo.
static LogicalResult topK(Node &n) {
  int64_t k = n.integer("k", 0, std::numeric_limits<int32_t>::max());
  return n.hasFailed() ? failure() : topOf(n, n.b.getIndexAttr(k));
}

LogicalResult mlir::symshape::stablehlo::dynamicTopK(Node &n) {
  if (n.count() != 2 || n.op->getNumResults() != 2)
    return n.fail("expected a tensor and a number, and two results");
  auto k = n.list(1, 1);
  return k ? topOf(n, k->front().value) : failure();
}

LogicalResult mlir::symshape::stablehlo::approximateTopK(Node &n,
                                                         bool isDynamic) {
  auto config =
      dyn_cast_or_null<DictionaryAttr>(n.attribute("mhlo.backend_config"));
  auto axisOf = config ? config.getAs<IntegerAttr>("reduction_dim") : nullptr;
  auto isExact = config ? config.getAs<BoolAttr>("aggregate_to_topk") : nullptr;
  Region *comparator = calledComputation(n);
  if (!comparator)
    return failure();
  if (n.op->getNumResults() != 2 || n.count() < (isDynamic ? 5 : 4) ||
      !axisOf || !isExact || !isExact.getValue())
    return n.fail("expected tensors, their positions, initial values, an axis "
                  "and two results of as many as are asked for");
  SmallVector<Value> tensors{n.tensor(0), n.tensor(1)}, results;
  int64_t axis = axisOf.getInt();
  if (n.hasFailed() || axis < 0 || axis >= n.rank(0) ||
      failed(verifyCompatibleShape(n.type(0), n.type(1))))
    return n.fail("expected operands of one shape, of which the axis is one");
  OpFoldResult k;
  if (isDynamic) {
    auto list = n.list(4, 1);
    if (!list)
      return failure();
    k = list->front().value;
  } else if (auto number = config.getAs<IntegerAttr>("top_k")) {
    k = n.b.getIndexAttr(number.getInt());
  } else {
    return n.fail("expected a number of elements");
  }
  for (Value sorted : MergeSort(n, tensors, axis, *comparator).run()) {
    SmallVector<OpFoldResult> sizes = n.extents(sorted);
    SmallVector<OpFoldResult> zeros(sizes.size(), n.b.getIndexAttr(0)),
        ones(sizes.size(), n.b.getIndexAttr(1));
    sizes[axis] = k;
    results.push_back(
        tensor::ExtractSliceOp::create(n.b, n.loc, sorted, zeros, sizes, ones));
  }
  return n.setAll(ValueRange(results));
}

void mlir::symshape::stablehlo::addOrderingOps(Registry &registry) {
  registry["sort"] = Definition{sort, ~1, ~1, 1};
  registry["top_k"] = Definition{topK, 1, 2};
}
