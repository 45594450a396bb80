//===- LowerMasks.cpp - Ops in masks to ops with masks --------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A vector.mask has no room for a second op: not for a copy of what it writes
// to, nor for what passes put before an op. Not for: what masks are made of.
//
//===----------------------------------------------------------------------===//

#include "symshape/Conversion/Passes.h"
#include "symshape/Transforms/Canonicalizer.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"

namespace mlir::symshape {
#define GEN_PASS_DEF_LOWERMASKSPASS
#include "symshape/Conversion/Passes.h.inc"
} // namespace mlir::symshape

using namespace mlir;
using namespace mlir::symshape;

/// What a lane that is masked off adds to a reduction: nothing.
static std::optional<TypedAttr> neutralElement(vector::CombiningKind kind,
                                               Type type, OpBuilder &b,
                                               Location loc) {
  using vector::CombiningKind;
  auto identity = [&](arith::AtomicRMWKind of) {
    return arith::getIdentityValueAttr(of, type, b, loc);
  };
  switch (kind) {
  case CombiningKind::ADD:
    if (isa<FloatType>(type))
      return b.getFloatAttr(type, -0.0); // 0.0 would make -0.0 positive
    return identity(arith::AtomicRMWKind::addi);
  case CombiningKind::MUL:
    return identity(isa<FloatType>(type) ? arith::AtomicRMWKind::mulf
                                         : arith::AtomicRMWKind::muli);
  case CombiningKind::MINUI:
    return identity(arith::AtomicRMWKind::minu);
  case CombiningKind::MINSI:
    return identity(arith::AtomicRMWKind::mins);
  case CombiningKind::MINNUMF:
    return identity(arith::AtomicRMWKind::minnumf);
  case CombiningKind::MAXUI:
    return identity(arith::AtomicRMWKind::maxu);
  case CombiningKind::MAXSI:
    return identity(arith::AtomicRMWKind::maxs);
  case CombiningKind::MAXNUMF:
    return identity(arith::AtomicRMWKind::maxnumf);
  case CombiningKind::AND:
    return identity(arith::AtomicRMWKind::andi);
  case CombiningKind::OR:
  case CombiningKind::XOR:
    return identity(arith::AtomicRMWKind::ori);
  case CombiningKind::MAXIMUMF:
    return identity(arith::AtomicRMWKind::maximumf);
  case CombiningKind::MINIMUMF:
    return identity(arith::AtomicRMWKind::minimumf);
  }
  return std::nullopt;
}

/// A reduction of what the mask keeps. Upstream gives a masked maximum a
/// neutral element that is not.
static void lowerReduction(RewriterBase &b, vector::MaskOp op) {
  Operation *inner = op.getMaskableOp();
  if (!isa_and_nonnull<vector::ReductionOp, vector::MultiDimReductionOp>(
          inner) ||
      op.hasPassthru())
    return;
  auto kind = isa<vector::ReductionOp>(inner)
                  ? cast<vector::ReductionOp>(inner).getKind()
                  : cast<vector::MultiDimReductionOp>(inner).getKind();
  Value source = inner->getOperand(0);
  auto type = cast<VectorType>(source.getType());
  Location loc = op.getLoc();
  std::optional<TypedAttr> neutral =
      neutralElement(kind, type.getElementType(), b, loc);
  if (!neutral || type.getShape() != op.getMask().getType().getShape())
    return;
  Value fill = vector::BroadcastOp::create(
      b, loc, type, arith::ConstantOp::create(b, loc, *neutral));
  Value kept = arith::SelectOp::create(b, loc, op.getMask(), source, fill);
  Operation *plain = b.clone(*inner);
  plain->setOperand(0, kept);
  b.replaceOp(op, plain->getResults());
}

namespace {
struct LowerMasksPass : symshape::impl::LowerMasksPassBase<LowerMasksPass> {
  void runOnOperation() override {
    SmallVector<Operation *> masks, accesses;
    getOperation()->walk([&](vector::MaskOp op) { masks.push_back(op); });
    IRRewriter rewriter(&getContext());
    for (Operation *mask : masks) {
      auto op = cast<vector::MaskOp>(mask);
      Operation *inner = op.getMaskableOp();
      if (isa_and_nonnull<VectorTransferOpInterface, vector::GatherOp>(inner)) {
        accesses.push_back(op);
        continue;
      }
      rewriter.setInsertionPoint(op);
      lowerReduction(rewriter, op);
    }
    if (accesses.empty())
      return;
    RewritePatternSet patterns(&getContext());
    vector::populateVectorMaskLoweringPatternsForSideEffectingOps(patterns);
    applySoundPatterns(accesses, std::move(patterns));
  }
};
} // namespace
