//===- RaggedDot.cpp - Products of groups of rows -------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `ragged_dot` of chlo: an axis of the left side is cut into groups, whose
// sizes are data. If it is a free axis, each group is multiplied by a matrix of
// its own; if it is summed over, each group has a sum of its own. Groups lie
// one behind the other; what is behind the last one is 0. Source:
// jax.lax.ragged_dot_general.
//
//===----------------------------------------------------------------------===//

#include "Products.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::symshape::stablehlo;

namespace {
/// A part of a tensor that grows smaller, axis by axis.
struct Part {
  Part(Node &n, Value tensor)
      : tensor(tensor), sizes(n.extents(tensor)),
        starts(sizes.size(), n.b.getIndexAttr(0)),
        steps(sizes.size(), n.b.getIndexAttr(1)) {}
  void take(int64_t axis, OpFoldResult start, OpFoldResult size) {
    starts[axis] = start;
    sizes[axis] = size;
  }
  /// Without axis `without`, of extent 1, if that is given.
  Value extract(Node &n, std::optional<int64_t> without) const {
    SmallVector<int64_t> shape;
    for (auto [axis, size] : llvm::enumerate(sizes))
      if (without != static_cast<int64_t>(axis))
        shape.push_back(
            getConstantIntValue(size).value_or(ShapedType::kDynamic));
    auto type = RankedTensorType::get(shape, getElementTypeOrSelf(tensor));
    return tensor::ExtractSliceOp::create(n.b, n.loc, type, tensor, starts,
                                          sizes, steps);
  }
  Value insert(Node &n, Value part) const {
    return tensor::InsertSliceOp::create(n.b, n.loc, part, tensor, starts,
                                         sizes, steps);
  }

  Value tensor;
  SmallVector<OpFoldResult> sizes, starts, steps;
};

class RaggedDot {
public:
  explicit RaggedDot(Node &n) : n(n), axes(readDotAxes(n)) {}
  LogicalResult run();

private:
  LogicalResult readGroups();
  /// Of the group `at` of the lines `line`, from `start` on.
  OpFoldResult groupLength(ValueRange line, Value at, Value start);
  Value addGroup(Value result, ValueRange line, Value at, Value start,
                 OpFoldResult length);
  Value makeResult();

  Node &n;
  DotAxes axes;
  Value x, y, groupSizes;
  int64_t ragged = 0;
  bool isSummed = false; ///< the ragged axis, so that the result has groups
  std::optional<int64_t> groupAxis; ///< of the right side
  /// Axes of the left side that have groups of their own.
  SmallVector<int64_t> lines;
  SmallVector<int64_t> leftFree; ///< in the order of the result
  OpFoldResult numGroups;
  bool isUnsigned = false;
};
} // namespace

LogicalResult RaggedDot::readGroups() {
  x = n.tensor(0);
  y = n.tensor(1);
  groupSizes = n.tensor(2);
  ragged = n.ints("lhs_ragged_dimensions", 1)[0];
  SmallVector<int64_t> groups = n.axes("rhs_group_dimensions", n.rank(1));
  if (!x || !y || !groupSizes || n.hasFailed())
    return failure();
  auto sizesType = cast<RankedTensorType>(groupSizes.getType());
  if (ragged < 0 || ragged >= n.rank(0) || sizesType.getRank() < 1 ||
      !sizesType.getElementType().isInteger())
    return n.fail("expected an axis that is ragged, and sizes of its groups");
  for (int64_t axis = 0; axis < n.rank(0); ++axis)
    if (!llvm::is_contained(axes.leftBatch, axis) &&
        !llvm::is_contained(axes.leftSum, axis))
      leftFree.push_back(axis);
  isSummed = llvm::is_contained(axes.leftSum, ragged);
  if (groups.size() != (isSummed ? 0 : 1) ||
      (!isSummed && (llvm::is_contained(axes.rightBatch, groups[0]) ||
                     llvm::is_contained(axes.rightSum, groups[0]))))
    return n.fail("expected an axis of groups of the right side, unless the "
                  "ragged axis is summed over");
  if (!isSummed)
    groupAxis = groups[0];
  numGroups = n.extent(groupSizes, sizesType.getRank() - 1);
  isUnsigned = isWithoutSign(n.element(2));
  if (sizesType.getRank() == 1)
    return success();
  lines = axes.leftBatch;
  llvm::append_range(
      lines, ArrayRef(isSummed ? axes.leftSum : leftFree)
                 .take_until([&](int64_t axis) { return axis == ragged; }));
  if (sizesType.getRank() != static_cast<int64_t>(lines.size()) + 1)
    return n.fail("expected sizes of groups for each line of axes before the "
                  "ragged one, or for all together");
  return success();
}

/// What `dot_general` gives, behind the groups if these are sums.
Value RaggedDot::makeResult() {
  SmallVector<OpFoldResult> sizes;
  if (isSummed)
    sizes.push_back(numGroups);
  for (int64_t axis : axes.leftBatch)
    sizes.push_back(n.extent(x, axis));
  for (int64_t axis : leftFree)
    sizes.push_back(n.extent(x, axis));
  for (int64_t axis = 0; axis < n.rank(1); ++axis)
    if (!llvm::is_contained(axes.rightBatch, axis) &&
        !llvm::is_contained(axes.rightSum, axis) && groupAxis != axis)
      sizes.push_back(n.extent(y, axis));
  return n.fill(sizes, n.zero(signless(n.resultElement())));
}

OpFoldResult RaggedDot::groupLength(ValueRange line, Value at, Value start) {
  SmallVector<Value> place(line);
  place.push_back(at);
  Value size = tensor::ExtractOp::create(n.b, n.loc, groupSizes, place);
  Size given = n.importer.sizes.any(
      isUnsigned
          ? arith::IndexCastUIOp::create(n.b, n.loc, n.b.getIndexType(), size)
                .getResult()
          : arith::IndexCastOp::create(n.b, n.loc, n.b.getIndexType(), size)
                .getResult());
  OpFoldResult left =
      n.importer.sizes.expression("p - q", n.extent(x, ragged), start);
  return n.importer.sizes.expression("min(max(p, 0), q)", given.value, left);
}

Value RaggedDot::addGroup(Value result, ValueRange line, Value at, Value start,
                          OpFoldResult length) {
  OpFoldResult one = n.b.getIndexAttr(1);
  Part left(n, x), right(n, y), sum(n, result);
  int64_t shift = isSummed;
  auto takeAxis = [&](int64_t axis, OpFoldResult first, OpFoldResult size) {
    left.take(axis, first, size);
    if (const auto *k = llvm::find(axes.leftSum, axis); k != axes.leftSum.end())
      return right.take(axes.rightSum[k - axes.leftSum.begin()], first, size);
    const auto *k = llvm::find(axes.leftBatch, axis);
    if (k == axes.leftBatch.end()) {
      const auto *free = llvm::find(leftFree, axis);
      return sum.take(shift + axes.leftBatch.size() + (free - leftFree.begin()),
                      first, size);
    }
    right.take(axes.rightBatch[k - axes.leftBatch.begin()], first, size);
    sum.take(shift + (k - axes.leftBatch.begin()), first, size);
  };
  for (auto [axis, place] : llvm::zip_equal(lines, line))
    takeAxis(axis, place, one);
  takeAxis(ragged, start, length);
  if (isSummed)
    sum.take(0, at, one);
  DotAxes inner = axes;
  if (groupAxis) {
    right.take(*groupAxis, at, one);
    for (SmallVector<int64_t> *list : {&inner.rightBatch, &inner.rightSum})
      for (int64_t &axis : *list)
        axis -= axis > *groupAxis;
  }
  std::optional<int64_t> without =
      isSummed ? std::optional<int64_t>(0) : std::nullopt;
  Value added =
      dotOver(n, left.extract(n, std::nullopt), right.extract(n, groupAxis),
              inner, sum.extract(n, without));
  return added ? sum.insert(n, added) : result;
}

LogicalResult RaggedDot::run() {
  if (n.hasFailed())
    return failure();
  int64_t batch = n.ints("lhs_ragged_dimensions", 1)[0];
  if (llvm::is_contained(axes.leftBatch, batch)) {
    // Each group has what is its own already.
    Value all = dotOver(n, n.tensor(0), n.tensor(1), axes);
    return all ? n.set(0, all) : failure();
  }
  if (failed(readGroups()))
    return failure();
  SmallVector<OpFoldResult> counts;
  for (int64_t axis : lines)
    counts.push_back(n.extent(x, axis));
  Value zero = n.index(n.b.getIndexAttr(0)), one = n.index(n.b.getIndexAttr(1));
  SmallVector<Value> results =
      n.loops(counts, makeResult(), [&](ValueRange line, ValueRange carried) {
        Value inits[] = {carried.front(), zero};
        SmallVector<Value> done =
            n.loop(zero, n.index(numGroups), one, inits,
                   [&](Value at, ValueRange state) {
                     OpFoldResult length = groupLength(line, at, state[1]);
                     Value next = arith::AddIOp::create(n.b, n.loc, state[1],
                                                        n.index(length));
                     return SmallVector<Value>{
                         addGroup(state[0], line, at, state[1], length), next};
                   });
        return SmallVector<Value>{done.front()};
      });
  return n.hasFailed() ? failure() : n.set(0, results.front());
}

static LogicalResult raggedDot(Node &n) { return RaggedDot(n).run(); }

void mlir::symshape::stablehlo::addRaggedDotOps(Registry &registry) {
  registry["ragged_dot"] = Definition{raggedDot, 3, 1};
}
