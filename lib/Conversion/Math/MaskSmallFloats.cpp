//===- MaskSmallFloats.cpp - bf16 under masks as integers -----------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM 22 makes a branch for each lane of a masked load or store of bf16 for a
// processor that is not said to have AVX512-BF16 (isLegalMaskedLoadStore in
// X86TargetTransformInfo.cpp), and code is not compiled for that extension: its
// conversions take denormals as zero (TargetFeatures.cpp). Of i16 it is one
// instruction.
//
//===----------------------------------------------------------------------===//

#include "symshape/Conversion/Passes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::symshape {
#define GEN_PASS_DEF_MASKSMALLFLOATSPASS
#include "symshape/Conversion/Passes.h.inc"
} // namespace mlir::symshape

using namespace mlir;
using namespace mlir::symshape;

/// The type of the bits of a vector of bf16; null for other types.
static Type getMaskedBits(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  if (!vector || !vector.getElementType().isBF16())
    return Type();
  return vector.clone(IntegerType::get(type.getContext(), 16));
}

static void loadBits(RewriterBase &rewriter, LLVM::MaskedLoadOp op) {
  Location loc = op.getLoc();
  Type type = op.getType(), bits = getMaskedBits(type);
  Value otherwise = op.getPassThru();
  if (otherwise)
    otherwise = LLVM::BitcastOp::create(rewriter, loc, bits, otherwise);
  Value loaded = LLVM::MaskedLoadOp::create(
      rewriter, loc, bits, op.getData(), op.getMask(), otherwise,
      op.getAlignmentAttr(), op.getNontemporalAttr());
  rewriter.replaceOpWithNewOp<LLVM::BitcastOp>(op, type, loaded);
}

static void storeBits(RewriterBase &rewriter, LLVM::MaskedStoreOp op) {
  Type bits = getMaskedBits(op.getValue().getType());
  Value value =
      LLVM::BitcastOp::create(rewriter, op.getLoc(), bits, op.getValue());
  rewriter.modifyOpInPlace(op, [&] { op.getValueMutable().assign(value); });
}

namespace {
struct MaskSmallFloatsPass
    : symshape::impl::MaskSmallFloatsPassBase<MaskSmallFloatsPass> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    getOperation()->walk([&](Operation *op) {
      rewriter.setInsertionPoint(op);
      if (auto load = dyn_cast<LLVM::MaskedLoadOp>(op);
          load && getMaskedBits(load.getType()))
        loadBits(rewriter, load);
      else if (auto store = dyn_cast<LLVM::MaskedStoreOp>(op);
               store && getMaskedBits(store.getValue().getType()))
        storeBits(rewriter, store);
    });
  }
};
} // namespace
