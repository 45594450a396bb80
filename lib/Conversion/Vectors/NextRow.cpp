//===- NextRow.cpp - The row to fetch ahead of its turn -------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NextRow.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;
using namespace mlir::symshape;

/// Whether ops of the block write to views of `source`, or read such views
/// after `op`.
static bool isUsedAgain(Operation *op, Value source) {
  bool isAfter = false;
  for (Operation &other : *op->getBlock()) {
    for (OpOperand &operand : other.getOpOperands()) {
      auto view = operand.get().getDefiningOp<memref::SubViewOp>();
      if (!view || view.getSource() != source)
        continue;
      auto structured = dyn_cast<linalg::LinalgOp>(&other);
      if (!structured || isAfter || structured.isDpsInit(&operand))
        return true;
    }
    isAfter |= &other == op;
  }
  return false;
}

/// Whether each loop around `loop` moves the view as well. One that does not
/// comes back to the same rows, a block of them, which are in a cache then.
static bool movesWithAll(LoopLikeOpInterface loop,
                         ArrayRef<OpFoldResult> offsets) {
  for (auto outer = loop->getParentOfType<LoopLikeOpInterface>(); outer;
       outer = outer->getParentOfType<LoopLikeOpInterface>()) {
    auto ivs = outer.getLoopInductionVars();
    if (!ivs || !llvm::all_of(*ivs, [&](Value iv) {
          return llvm::is_contained(offsets, OpFoldResult(iv));
        }))
      return false;
  }
  return true;
}

Value symshape::makeNextRow(RewriterBase &rewriter, OpOperand &input) {
  Operation *op = input.getOwner();
  auto view = input.get().getDefiningOp<memref::SubViewOp>();
  auto loop = dyn_cast<LoopLikeOpInterface>(op->getParentOp());
  if (!view || !loop || !loop.isDefinedOutsideOfLoop(view.getSource()))
    return nullptr;
  auto ivs = loop.getLoopInductionVars();
  auto ends = loop.getLoopUpperBounds();
  auto steps = loop.getLoopSteps();
  if (!ivs || !ends || !steps)
    return nullptr;
  SmallVector<OpFoldResult> offsets = view.getMixedOffsets();
  for (auto [iv, end, step] : llvm::zip(*ivs, *ends, *steps)) {
    auto offset = llvm::find(offsets, OpFoldResult(iv));
    if (offset == offsets.end() || !isConstantIntValue(step, 1))
      continue;
    if (!movesWithAll(loop, offsets) || isUsedAgain(op, view.getSource()))
      return nullptr;
    Location loc = op->getLoc();
    Value one = arith::ConstantIndexOp::create(rewriter, loc, 1);
    Value next = arith::AddIOp::create(rewriter, loc, iv, one);
    Value last = arith::SubIOp::create(
        rewriter, loc, getValueOrCreateConstantIndexOp(rewriter, loc, end),
        one);
    *offset = arith::MinSIOp::create(rewriter, loc, next, last).getResult();
    return memref::SubViewOp::create(
        rewriter, loc, view.getType(), view.getSource(), offsets,
        view.getMixedSizes(), view.getMixedStrides());
  }
  return nullptr;
}
