//===- LowerKernelChecks.cpp - Failed checks become status words ----------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A trap would lose the context, and with it all that the process has on the
// device. Not for: who reads the words (the runtime).
//
//===----------------------------------------------------------------------===//

#include "symshape/Conversion/GPUPasses.h"

#include "GPU/Kernels.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/RegionUtils.h"
#include "symshape-c/Gpu.h"
#include "symshape/IR/SymShape.h"

namespace mlir::symshape {
#define GEN_PASS_DEF_LOWERKERNELCHECKSPASS
#include "symshape/Conversion/GPUPasses.h.inc"
} // namespace mlir::symshape

using namespace mlir;
using namespace mlir::symshape;

/// Writes the values of the check to the words after its number.
static void storeValues(OpBuilder &builder, FailOp op, Value status) {
  Location loc = op.getLoc();
  Type i64 = builder.getI64Type();
  for (auto [number, value] : llvm::enumerate(op.getOperands())) {
    if (number >= SYMSHAPE_GPU_STATUS_VALUES)
      return;
    Value slot = LLVM::GEPOp::create(
        builder, loc, status.getType(), i64, status,
        ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(number + 1)});
    Value integer = arith::IndexCastOp::create(builder, loc, i64, value);
    LLVM::StoreOp::create(builder, loc, integer, slot);
  }
}

/// Ends the thread at `op`, after the first one to fail has told its number.
static void lowerFail(FailOp op, Value status) {
  Location loc = op.getLoc();
  Block *block = op->getBlock();
  Block *store = block->splitBlock(op);
  Block *done = store->splitBlock(op);
  OpBuilder builder(op.getContext());
  builder.setInsertionPointToEnd(block);
  Type i64 = builder.getI64Type();
  Value none = LLVM::ConstantOp::create(builder, loc, i64, -1);
  Value number = LLVM::ConstantOp::create(
      builder, loc, i64, op->getAttrOfType<IntegerAttr>(checkAttr).getInt());
  Value exchange = LLVM::AtomicCmpXchgOp::create(
      builder, loc, status, none, number, LLVM::AtomicOrdering::monotonic,
      LLVM::AtomicOrdering::monotonic);
  Value isFirst = LLVM::ExtractValueOp::create(builder, loc, exchange, 1);
  cf::CondBranchOp::create(builder, loc, isFirst, store, done);
  builder.setInsertionPointToEnd(store);
  storeValues(builder, op, status);
  cf::BranchOp::create(builder, loc, done);
  while (&done->back() != op.getOperation()) {
    done->back().dropAllUses(); // in blocks that are not reached any more
    done->back().erase();
  }
  builder.setInsertionPointToEnd(done);
  gpu::ReturnOp::create(builder, loc);
  op.erase();
}

/// Whether LLVM has instructions for the op of math.
static bool hasInstructions(Operation *op) {
  return isa<math::AbsFOp, math::AbsIOp, math::CeilOp, math::CopySignOp,
             math::CountLeadingZerosOp, math::CountTrailingZerosOp,
             math::CtPopOp, math::FloorOp, math::FmaOp, math::IsFiniteOp,
             math::IsInfOp, math::IsNaNOp, math::IsNormalOp, math::RoundEvenOp,
             math::RoundOp, math::RsqrtOp, math::SqrtOp, math::TruncOp>(op);
}

namespace {
struct LowerKernelChecksPass
    : symshape::impl::LowerKernelChecksPassBase<LowerKernelChecksPass> {
  void runOnOperation() override {
    WalkResult walk = getOperation().walk([](Operation *op) {
      if (!isa_and_nonnull<math::MathDialect>(op->getDialect()) ||
          hasInstructions(op))
        return WalkResult::advance();
      op->emitOpError("is not supported in a kernel");
      return WalkResult::interrupt();
    });
    if (walk.wasInterrupted())
      return signalPassFailure();
    IRRewriter rewriter(&getContext());
    getOperation().walk([&](gpu::GPUFuncOp kernel) {
      SmallVector<FailOp> failures;
      kernel.walk([&](FailOp op) { failures.push_back(op); });
      if (failures.empty())
        return;
      // The words are the last parameter.
      Value status = kernel.getArguments().back();
      for (FailOp op : failures)
        lowerFail(op, status);
      (void)eraseUnreachableBlocks(rewriter, kernel->getRegions());
    });
  }
};
} // namespace
