//===- Products.cpp - Sums of products ------------------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `dot_general`, and `dot`: a nest over batch axes, free axes of either side,
// and contracting axes. Elements are converted to the type of the result.
//
//===----------------------------------------------------------------------===//

#include "Products.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/ScopedPrinter.h"

using namespace mlir;
using namespace mlir::symshape::stablehlo;

Value mlir::symshape::stablehlo::addProduct(Node &n, Value sum, Value x,
                                            Type xType, Value y, Type yType,
                                            Type resultType) {
  Scalars s(n.b, n.loc);
  Value left = s.convert(x, xType, resultType);
  Value right = s.convert(y, yType, resultType);
  if (!left || !right) {
    (void)n.fail("elements of type " + llvm::to_string(xType) +
                 " are not supported");
    return sum;
  }
  Type types[] = {resultType, resultType};
  DictionaryAttr none = n.b.getDictionaryAttr({});
  Value product =
      s.compute(ScalarOp{"multiply", types, resultType, none}, {left, right});
  Value added = product ? s.compute(ScalarOp{"add", types, resultType, none},
                                    {sum, product})
                        : Value();
  if (!added)
    (void)n.fail("elements of type " + llvm::to_string(resultType) +
                 " are not supported");
  return added ? added : sum;
}

namespace {
struct DotAxes {
  SmallVector<int64_t> leftBatch, rightBatch, leftSum, rightSum;
};
} // namespace

static LogicalResult dotOver(Node &n, const DotAxes &axes) {
  Value x = n.tensor(0), y = n.tensor(1);
  auto declared = n.resultType();
  if (!x || !y || !declared || n.hasFailed())
    return failure();
  if (axes.leftBatch.size() != axes.rightBatch.size() ||
      axes.leftSum.size() != axes.rightSum.size())
    return n.fail("expected as many axes of either side");
  int64_t ranks[] = {n.rank(0), n.rank(1)};
  SmallVector<AffineExpr> left(ranks[0]), right(ranks[1]), out;
  SmallVector<OpFoldResult> sizes;
  unsigned next = 0;
  auto bind = [&](SmallVectorImpl<AffineExpr> &places, int64_t axis) {
    if (places[axis])
      (void)n.fail("expected no axis twice");
    places[axis] = n.b.getAffineDimExpr(next);
  };
  for (auto [i, j] : llvm::zip(axes.leftBatch, axes.rightBatch)) {
    sizes.push_back(n.extent(x, i));
    bind(left, i);
    bind(right, j);
    out.push_back(n.b.getAffineDimExpr(next++));
  }
  // Free axes: those that are neither batch nor sum.
  auto addFree = [&](Value tensor, SmallVectorImpl<AffineExpr> &places,
                     ArrayRef<int64_t> sum) {
    for (size_t axis = 0; axis < places.size(); ++axis) {
      if (places[axis] || llvm::is_contained(sum, axis))
        continue;
      sizes.push_back(n.extent(tensor, axis));
      bind(places, axis);
      out.push_back(n.b.getAffineDimExpr(next++));
    }
  };
  addFree(x, left, axes.leftSum);
  addFree(y, right, axes.rightSum);
  SmallVector<bool> isReduction(next, false);
  for (auto [i, j] : llvm::zip(axes.leftSum, axes.rightSum)) {
    bind(left, i);
    bind(right, j);
    ++next;
    isReduction.push_back(true);
  }
  if (n.hasFailed())
    return failure();
  Type element = declared.getElementType();
  MLIRContext *context = n.b.getContext();
  AffineMap maps[] = {AffineMap::get(next, 0, left, context),
                      AffineMap::get(next, 0, right, context),
                      AffineMap::get(next, 0, out, context)};
  Value init = n.fill(sizes, n.zero(signless(element)));
  SmallVector<Value> sums = n.generic(
      {x, y}, init, maps, isReduction,
      [&](OpBuilder &, Location, ValueRange v) {
        return SmallVector<Value>{addProduct(n, v[2], v[0], n.element(0), v[1],
                                             n.element(1), element)};
      });
  return n.hasFailed() ? failure() : n.set(0, sums.front());
}

static LogicalResult dotGeneral(Node &n) {
  int64_t left = n.rank(0), right = n.rank(1);
  return dotOver(n, {n.axes("lhs_batching_dimensions", left),
                     n.axes("rhs_batching_dimensions", right),
                     n.axes("lhs_contracting_dimensions", left),
                     n.axes("rhs_contracting_dimensions", right)});
}

/// The last axis of the left side and the first of the right one.
static LogicalResult dot(Node &n) {
  if (n.rank(0) < 1 || n.rank(1) < 1)
    return n.fail("expected vectors or matrices");
  return dotOver(n, {{}, {}, {n.rank(0) - 1}, {0}});
}

void mlir::symshape::stablehlo::addProductOps(Registry &registry) {
  registry["dot"] = Definition{dot, 2, 1};
  registry["dot_general"] = Definition{dotGeneral, 2, 1};
  addConvolutionOps(registry);
}
