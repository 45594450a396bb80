//===- FuseRows.cpp - Chains of structured ops, row by row ----------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs a group of structured ops for one row at a time, so that what one op
// leaves is in cache when the next needs it, and what only the group uses is
// never larger than a row. Not for: finding groups (RowGroups.cpp), the loop
// over rows (RowLoops.cpp), and the loops along a row (LowerStructuredOps.cpp).
//
//===----------------------------------------------------------------------===//

#include "Structure/Contraction.h"
#include "symshape/Conversion/Passes.h"

#include "DelayDivisions.h"
#include "RowLoops.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace mlir::symshape {
#define GEN_PASS_DEF_FUSEROWSPASS
#include "symshape/Conversion/Passes.h.inc"
} // namespace mlir::symshape

using namespace mlir;
using namespace mlir::symshape;

/// Whether one loop over the rows is worth it and can replace the ops.
static bool isWorthFusing(OpBuilder &builder, const RowGroup &group,
                          unsigned minContractions) {
  if (group.loops.size() < 2 || group.countContractions() < minContractions)
    return false;
  auto op = cast<linalg::LinalgOp>(group.loops.front().first);
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  if (llvm::all_of(group.loops.front().second,
                   [&](unsigned loop) { return ranges[loop] == 1; }))
    return false;
  return llvm::all_of(group.getDependents(),
                      [](Operation *op) { return isMemoryEffectFree(op); });
}

/// Results have the shapes of what they are written into.
static void resolveShapes(func::FuncOp function) {
  function.walk([](tensor::DimOp op) {
    op.getSourceMutable().assign(getShapeSource(op.getSource()));
  });
}

/// Divides after the contractions of a group instead of before. True if an op
/// has changed.
static bool delayDivisions(RewriterBase &rewriter, const RowGroup &group) {
  SmallVector<Operation *> ops =
      llvm::to_vector(llvm::make_first_range(group.loops));
  llvm::erase_if(ops, [](Operation *op) {
    return !isContraction(cast<linalg::LinalgOp>(op));
  });
  bool changed = false;
  for (Operation *op : ops)
    changed |= succeeded(delayDivision(rewriter, cast<linalg::LinalgOp>(op)));
  return changed;
}

static void fuseRows(func::FuncOp function, int64_t blockRows,
                     unsigned minContractions, bool parallel) {
  llvm::SetVector<Operation *> seeds;
  function.walk([&](linalg::GenericOp op) {
    if (op.getNumReductionLoops() > 0 && !isContraction(op))
      seeds.insert(op);
  });
  IRRewriter rewriter(function.getContext());
  while (!seeds.empty()) {
    auto seed = cast<linalg::GenericOp>(seeds.pop_back_val());
    RowGroup group = findRowGroup(seed, minContractions > 0);
    if (!isWorthFusing(rewriter, group, minContractions))
      continue;
    if (minContractions > 0 && delayDivisions(rewriter, group))
      group = findRowGroup(seed, /*withContractions=*/true);
    for (Operation *op : llvm::make_first_range(group.loops))
      seeds.remove(op);
    // Inside a block of rows, which already has a thread, buffers are shared.
    bool isOutermost = !seed->getParentOfType<scf::ForallOp>();
    RowLoops loops(rewriter, group, blockRows, parallel && isOutermost);
    loops.build();
    if (blockRows == 1)
      loops.fuseIntoReductions();
  }
}

namespace {
struct FuseRowsPass : symshape::impl::FuseRowsPassBase<FuseRowsPass> {
  using FuseRowsPassBase::FuseRowsPassBase;

  void runOnOperation() override {
    if (blockRows < 1) {
      emitError(getOperation().getLoc())
          << "expected block-rows of at least 1, but got "
          << blockRows.getValue();
      return signalPassFailure();
    }
    resolveShapes(getOperation());
    if (blockRows > 1)
      fuseRows(getOperation(), blockRows, /*minContractions=*/2, parallel);
    fuseRows(getOperation(), /*blockRows=*/1, /*minContractions=*/0, parallel);
  }
};
} // namespace
