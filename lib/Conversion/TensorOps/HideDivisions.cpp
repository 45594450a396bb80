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
// arguments. Each division there multiplies what that takes.
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

namespace {
struct HideDivisionsPass
    : symshape::impl::HideDivisionsPassBase<HideDivisionsPass> {
  using HideDivisionsPassBase::HideDivisionsPassBase;

  void runOnOperation() override {
    SmallVector<Operation *> ops;
    getOperation()->walk([&](Operation *op) {
      if (divides(op) && !isLoopDim(op))
        ops.push_back(op);
    });
    if (ops.size() < static_cast<uint64_t>(least))
      return;
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
