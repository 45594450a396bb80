//===- LowerVectorOps.cpp - Vectors that the program came with ------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What no pass of ours makes: it is in programs that upstream's passes have
// vectorised, or people have written. Not for: transfers of one contiguous row,
// which passes of ours make too, and convert-vector-to-llvm lowers by itself.
//
//===----------------------------------------------------------------------===//

#include "symshape/Conversion/Passes.h"
#include "symshape/Transforms/Canonicalizer.h"

#include "mlir/Conversion/VectorToSCF/VectorToSCF.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"

namespace mlir::symshape {
#define GEN_PASS_DEF_LOWERVECTOROPSPASS
#include "symshape/Conversion/Passes.h.inc"

/// Whether `op` reads or writes anything but one contiguous row.
static bool needsLoops(VectorTransferOpInterface op) {
  auto type = dyn_cast<MemRefType>(op.getShapedType());
  return type && (op.getVectorType().getRank() != 1 ||
                  !op.getPermutationMap().isMinorIdentity() ||
                  !type.isLastDimUnitStride());
}

namespace {
struct LowerVectorOpsPass : impl::LowerVectorOpsPassBase<LowerVectorOpsPass> {
  void runOnOperation() override {
    auto result = getOperation()->walk([](Operation *op) {
      auto transfer = dyn_cast<VectorTransferOpInterface>(op);
      bool isOurs = transfer ? needsLoops(transfer)
                             : isa<vector::MultiDimReductionOp, vector::PrintOp,
                                   vector::ScanOp>(op);
      return isOurs ? WalkResult::interrupt() : WalkResult::advance();
    });
    if (!result.wasInterrupted())
      return;
    // Maps first: what becomes a loop has none but the identity.
    RewritePatternSet maps(&getContext());
    vector::populateVectorTransferPermutationMapLoweringPatterns(maps);
    vector::populateVectorMultiReductionLoweringPatterns(
        maps, vector::VectorMultiReductionLowering::InnerReduction);
    vector::populateVectorScanLoweringPatterns(maps);
    applySoundPatterns(getOperation(), std::move(maps));
    RewritePatternSet loops(&getContext());
    populateVectorToSCFConversionPatterns(loops);
    applySoundPatterns(getOperation(), std::move(loops));
  }
};
} // namespace
} // namespace mlir::symshape
