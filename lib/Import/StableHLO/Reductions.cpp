//===- Reductions.cpp - Folds over axes and windows -----------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `reduce` and `reduce_window` with any body on scalars and any number of
// operands: one structured op each.
//
//===----------------------------------------------------------------------===//

#include "Reductions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::symshape::stablehlo;

namespace {
/// The first half of the operands, of one shape, and the scalars they begin
/// from, which are the second half.
struct Folded {
  SmallVector<Value> tensors, inits;
};
} // namespace

static std::optional<Folded> readFolded(Node &n) {
  Folded all;
  size_t half = n.count() / 2;
  if (n.count() % 2 || n.op->getNumResults() != half) {
    (void)n.fail("expected as many initial values and results as operands");
    return std::nullopt;
  }
  for (size_t i = 0; i < half; ++i) {
    Value x = n.tensor(i), init = n.scalar(half + i);
    if (!x || !init || init.getType() != getElementTypeOrSelf(x) ||
        failed(verifyCompatibleShape(n.type(i), n.type(0)))) {
      (void)n.fail("expected operands of one shape, each with its initial "
                   "value");
      return std::nullopt;
    }
    all.tensors.push_back(x);
    all.inits.push_back(init);
  }
  return all;
}

/// Yields what the region makes of accumulated values and elements; what it
/// began from after an error.
static SmallVector<Value> combine(Node &n, Region &body, ValueRange elements,
                                  ValueRange accumulated) {
  SmallVector<Value> inputs(accumulated);
  llvm::append_range(inputs, elements);
  auto results = n.inlineScalars(body, inputs);
  bool fits = succeeded(results) && results->size() == accumulated.size();
  for (size_t i = 0; fits && i < accumulated.size(); ++i)
    fits = (*results)[i].getType() == accumulated[i].getType();
  if (fits)
    return *results;
  (void)n.fail("expected a body that gives what it is given");
  return SmallVector<Value>(accumulated);
}

static LogicalResult reduce(Node &n) {
  auto folded = readFolded(n);
  if (!folded)
    return failure();
  int64_t rank = n.rank(0);
  SmallVector<int64_t> axes = n.axes("dimensions", rank);
  if (n.hasFailed())
    return failure();
  SmallVector<bool> isReduction(rank, false);
  for (int64_t axis : axes)
    isReduction[axis] = true;
  SmallVector<AffineExpr> kept;
  SmallVector<OpFoldResult> sizes;
  for (int64_t i = 0; i < rank; ++i)
    if (!isReduction[i]) {
      kept.push_back(n.b.getAffineDimExpr(i));
      sizes.push_back(n.extent(folded->tensors.front(), i));
    }
  size_t count = folded->tensors.size();
  SmallVector<AffineMap> maps(count, n.b.getMultiDimIdentityMap(rank));
  maps.append(count, AffineMap::get(rank, 0, kept, n.b.getContext()));
  SmallVector<Value> inits;
  for (Value init : folded->inits)
    inits.push_back(n.fill(sizes, init));
  return n.setAll(n.generic(folded->tensors, inits, maps, isReduction,
                            [&](OpBuilder &, Location, ValueRange v) {
                              return combine(n, n.op->getRegion(0),
                                             v.take_front(count),
                                             v.drop_front(count));
                            }));
}

LogicalResult mlir::symshape::stablehlo::reduceWindows(Node &n, ValueRange xs,
                                                       ValueRange inits,
                                                       const Window &w,
                                                       Region &body) {
  SmallVector<Value> padded;
  for (auto [x, init] : llvm::zip(xs, inits))
    padded.push_back(w.pad(n, x, init));
  if (n.hasFailed())
    return failure();
  SmallVector<OpFoldResult> counts;
  for (size_t i = 0; i < w.size.size(); ++i)
    counts.push_back(w.count(n, padded.front(), i));
  size_t count = xs.size();
  return n.setAll(foldWindows(
      n, padded, inits, w, counts, [&](OpBuilder &, Location, ValueRange v) {
        return combine(n, body, v.take_front(count), v.drop_front(count + 1));
      }));
}

static LogicalResult reduceWindow(Node &n) {
  auto folded = readFolded(n);
  if (!folded)
    return failure();
  auto window = readWindow(n, n.rank(0), /*hasDilations=*/true);
  if (!window)
    return failure();
  return reduceWindows(n, folded->tensors, folded->inits, *window,
                       n.op->getRegion(0));
}

void mlir::symshape::stablehlo::addReductionOps(Registry &registry) {
  registry["reduce"] = Definition{reduce, ~2, ~1, 1};
  registry["reduce_window"] = Definition{reduceWindow, ~2, ~1, 1};
}
