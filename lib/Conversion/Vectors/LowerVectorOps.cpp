//===- LowerVectorOps.cpp - Vectors that the program came with
//-------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What no pass of ours makes: it is in programs that upstream's passes have
// vectorised, or people have written. Not for: what convert-vector-to-llvm
// lowers by itself, such as transfers of one contiguous row.
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

namespace {
struct LowerVectorOpsPass : impl::LowerVectorOpsPassBase<LowerVectorOpsPass> {
  void runOnOperation() override {
    auto result = getOperation()->walk([](Operation *op) {
      bool isOurs = isa<VectorTransferOpInterface, vector::MultiDimReductionOp,
                        vector::PrintOp, vector::ScanOp>(op);
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
