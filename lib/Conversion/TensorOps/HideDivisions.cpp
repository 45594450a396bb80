//===- HideDivisions.cpp - Divisions that bufferization leaves alone ------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bufferization asks whether two slices are the same, or apart, and for that
// eliminates all that their offsets and sizes are computed from, back to the
// arguments. Each division there multiplies what that takes, and a chain takes
// more than the square of its length.
//
//===----------------------------------------------------------------------===//

#include "symshape/Conversion/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace mlir::symshape {
#define GEN_PASS_DEF_HIDEDIVISIONSPASS
#include "symshape/Conversion/Passes.h.inc"
} // namespace mlir::symshape

using namespace mlir;
using namespace mlir::symshape;

static bool divides(AffineMap map) {
  bool any = false;
  map.walkExprs([&](AffineExpr expr) {
    any |= expr.getKind() == AffineExprKind::FloorDiv ||
           expr.getKind() == AffineExprKind::CeilDiv ||
           expr.getKind() == AffineExprKind::Mod;
  });
  return any;
}

/// Whether upstream computes bounds of the result by way of a division.
static bool divides(Operation *op) {
  if (auto apply = dyn_cast<affine::AffineApplyOp>(op))
    return divides(apply.getMap());
  if (auto min = dyn_cast<affine::AffineMinOp>(op))
    return divides(min.getMap());
  if (auto max = dyn_cast<affine::AffineMaxOp>(op))
    return divides(max.getMap());
  return isa<arith::FloorDivSIOp>(op) && op->getResult(0).getType().isIndex();
}

/// Whether the result may be a dimension of an affine loop or access, as a cast
/// may not.
static bool isLoopDim(Operation *op) {
  return isa<affine::AffineApplyOp>(op) &&
         !affine::isTopLevelValue(op->getResult(0)) &&
         affine::isValidDim(op->getResult(0));
}

/// How many steps of arithmetic bufferization may go back from an offset or
/// size before it meets a hidden value.
static constexpr unsigned longestChain = 16;

/// Index values, in order, at which chains of arithmetic and of sizes of
/// tensors have become too long; what is in `hidden` already begins anew.
static SmallVector<Operation *> cutChains(func::FuncOp function,
                                          const DenseSet<Operation *> &hidden) {
  SmallVector<Operation *> cuts;
  DenseMap<Value, unsigned> lengths;
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op->getNumResults() == 0)
      return;
    unsigned length = 0;
    for (Value operand : op->getOperands())
      length = std::max(length, lengths.lookup(operand));
    bool isIndex = op->getNumResults() == 1 && op->getNumOperands() > 0 &&
                   op->getResult(0).getType().isIndex();
    length += isIndex;
    if (isIndex && length > longestChain && !isLoopDim(op)) {
      cuts.push_back(op);
      length = 0;
    }
    if (hidden.contains(op))
      length = 0;
    if (length > 0)
      for (Value result : op->getResults())
        lengths[result] = length;
  });
  return cuts;
}

namespace {
struct HideDivisionsPass
    : symshape::impl::HideDivisionsPassBase<HideDivisionsPass> {
  using HideDivisionsPassBase::HideDivisionsPassBase;

  void runOnOperation() override {
    SetVector<Operation *> ops;
    getOperation()->walk([&](Operation *op) {
      if (divides(op) && !isLoopDim(op))
        ops.insert(op);
    });
    if (ops.size() < static_cast<uint64_t>(least))
      ops.clear();
    ops.insert_range(cutChains(getOperation(),
                               DenseSet<Operation *>(ops.begin(), ops.end())));
    for (Operation *op : ops) {
      OpBuilder b(op->getContext());
      b.setInsertionPointAfter(op);
      Value result = op->getResult(0);
      auto hidden = UnrealizedConversionCastOp::create(
          b, op->getLoc(), TypeRange(b.getIndexType()), result);
      result.replaceAllUsesExcept(hidden.getResult(0), hidden);
    }
  }
};
} // namespace
