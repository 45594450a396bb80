//===- WindowNest.cpp - Loops over tiles of windows -----------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The loops around tiles. Not for: what is done in one (WindowTile.cpp).
//
//===----------------------------------------------------------------------===//

#include "WindowNestBuilder.h"

#include "Structure/WindowMaps.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::symshape;

WindowNestBuilder::WindowNestBuilder(RewriterBase &rewriter,
                                     const WindowGroup &group,
                                     const WindowTiling &tiling)
    : Arithmetic(rewriter, group.op->getLoc()), rewriter(rewriter),
      group(group), op(group.op), tiling(tiling) {
  extents = op.getStaticLoopRanges();
  for (const Range &range : cast<linalg::LinalgOp>(op.getOperation())
                                .createLoopRanges(rewriter, loc))
    sizes.push_back(getValueOrCreateConstantIndexOp(rewriter, loc, range.size));
  ivs.assign(sizes.size(), index(0));
  for (auto [dim, iterator] : llvm::enumerate(op.getIteratorTypesArray()))
    if (iterator == utils::IteratorType::parallel && dim != tiling.vectorDim &&
        dim != tiling.rowDim)
      outer.push_back(dim);
}

Value WindowNestBuilder::shifted(Value value, int64_t by) {
  return by == 0 ? value
                 : affine::AffineApplyOp::create(
                       rewriter, loc,
                       AffineMap::get(1, 0, rewriter.getAffineDimExpr(0) + by),
                       value)
                       .getResult();
}

void WindowNestBuilder::loop(Value begin, Value end, int64_t step, Body body) {
  makeLoop(rewriter, loc, begin, end, index(step), {},
           [&](Value iv, ValueRange) {
             body(iv);
             return SmallVector<Value>();
           });
}

void WindowNestBuilder::build() {
  if (tiling.parallel && !outer.empty())
    return buildParallel();
  withSums([&] { buildOuter(0); });
}

/// Of a cache line, and of the longest vectors.
static constexpr int64_t sumsAlignment = 64;

/// Whether the code of the epilogue, written out for each vector of a tile,
/// would be longer than that of the windows.
static bool isLong(linalg::GenericOp epilogue) {
  return epilogue && llvm::any_of(*epilogue.getBody(), [](Operation &op) {
           return isa<math::MathDialect>(op.getDialect());
         });
}

void WindowNestBuilder::withSums(function_ref<void()> body) {
  if (!isLong(group.epilogue) || tiling.rows == 1)
    return body();
  auto scope = memref::AllocaScopeOp::create(rewriter, loc, TypeRange());
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.createBlock(&scope.getBodyRegion());
  sums = memref::AllocaOp::create(
      rewriter, loc,
      MemRefType::get({tiling.rows, tiling.vectors * tiling.lanes},
                      getElementTypeOrSelf(op.getDpsInits()[0].getType())),
      rewriter.getI64IntegerAttr(sumsAlignment));
  body();
  memref::AllocaScopeReturnOp::create(rewriter, loc, ValueRange());
}

void WindowNestBuilder::buildOuter(unsigned depth) {
  if (depth == outer.size())
    return buildTiles();
  unsigned dim = outer[depth];
  loop(index(0), sizes[dim], 1, [&](Value iv) {
    ivs[dim] = iv;
    buildOuter(depth + 1);
  });
}

/// The outer loops as one whose iterations may run at the same time: they write
/// different parts of the result.
void WindowNestBuilder::buildParallel() {
  SmallVector<Value> ends;
  for (unsigned dim : outer)
    ends.push_back(sizes[dim]);
  SmallVector<Value> begins(outer.size(), index(0)),
      steps(outer.size(), index(1));
  OpBuilder::InsertionGuard guard(rewriter);
  auto loop = scf::ParallelOp::create(rewriter, loc, begins, ends, steps);
  rewriter.setInsertionPointToStart(loop.getBody());
  for (auto [dim, iv] : llvm::zip(outer, loop.getInductionVars()))
    ivs[dim] = iv;
  withSums([&] { buildTiles(); });
}

/// What several rows share is best kept for all rows; else a row is walked to
/// its end.
void WindowNestBuilder::buildTiles() {
  preload();
  if (isSharedByRows(op, tiling.vectorDim, tiling.rowDim))
    return forVectors([&](int64_t vectors, Value count) {
      forRows([&](int64_t rows) { buildTile({rows, vectors, count}); });
    });
  forRows([&](int64_t rows) {
    forVectors([&](int64_t vectors, Value count) {
      buildTile({rows, vectors, count});
    });
  });
}

void WindowNestBuilder::forRows(function_ref<void(int64_t)> body) {
  unsigned dim = tiling.rowDim;
  auto run = [&](int64_t rows) {
    return [&, rows](Value iv) {
      ivs[dim] = iv;
      body(rows);
    };
  };
  Value mainEnd = roundDown(rewriter, loc, sizes[dim], tiling.rows);
  loop(index(0), mainEnd, tiling.rows, run(tiling.rows));
  if (ShapedType::isDynamic(extents[dim]))
    return loop(mainEnd, sizes[dim], 1, run(1));
  if (int64_t rest = extents[dim] % tiling.rows)
    loop(mainEnd, sizes[dim], rest, run(rest));
}

void WindowNestBuilder::forVectors(function_ref<void(int64_t, Value)> body) {
  unsigned dim = tiling.vectorDim;
  int64_t step = tiling.lanes * tiling.vectors;
  Value mainEnd = roundDown(rewriter, loc, sizes[dim], step);
  loop(index(0), mainEnd, step, [&](Value iv) {
    ivs[dim] = iv;
    body(tiling.vectors, Value());
  });
  if (!ShapedType::isDynamic(extents[dim]) && extents[dim] % step == 0)
    return;
  loop(mainEnd, sizes[dim], tiling.lanes, [&](Value iv) {
    ivs[dim] = iv;
    body(1, subtract(sizes[dim], iv));
  });
}

void mlir::symshape::buildWindowNest(RewriterBase &rewriter,
                                     const WindowGroup &group,
                                     const WindowTiling &tiling) {
  WindowNestBuilder(rewriter, group, tiling).build();
}
