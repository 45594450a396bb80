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
#include "symshape/IR/SymShape.h"
#include "llvm/ADT/TypeSwitch.h"

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
    if (number >= statusValues)
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

/// Ends all threads of `kernel` at once if a check has failed before.
static void checkAtEntry(gpu::GPUFuncOp kernel, Value status) {
  Location loc = kernel.getLoc();
  Block *entry = &kernel.getBody().front();
  Block *body = entry->splitBlock(entry->begin());
  OpBuilder builder(kernel.getContext());
  Block *done = builder.createBlock(&kernel.getBody());
  gpu::ReturnOp::create(builder, loc);
  builder.setInsertionPointToEnd(entry);
  Type i64 = builder.getI64Type();
  Value none = LLVM::ConstantOp::create(builder, loc, i64, -1);
  auto number = LLVM::LoadOp::create(builder, loc, i64, status);
  number.setAlignment(sizeof(int64_t));
  // Others may write it; but what earlier kernels wrote is enough, so that a
  // multiprocessor may read it once.
  number.setOrdering(LLVM::AtomicOrdering::monotonic);
  number.setSyncscope("block");
  Value isFine =
      LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::eq, number, none);
  cf::CondBranchOp::create(builder, loc, isFine, body, done);
}

/// The intrinsic of LLVM for an op on floats that is an instruction, or "".
static StringRef getIntrinsic(Operation *op) {
  return llvm::TypeSwitch<Operation *, StringRef>(op)
      .Case([](math::AbsFOp) { return "llvm.fabs"; })
      .Case([](math::CeilOp) { return "llvm.ceil"; })
      .Case([](math::CopySignOp) { return "llvm.copysign"; })
      .Case([](math::FloorOp) { return "llvm.floor"; })
      .Case([](arith::MaxNumFOp) { return "llvm.maxnum"; })
      .Case([](arith::MinNumFOp) { return "llvm.minnum"; })
      .Case([](math::RoundEvenOp) { return "llvm.roundeven"; })
      .Case([](math::RoundOp) { return "llvm.round"; })
      .Case([](math::RsqrtOp) { return "llvm.sqrt"; })
      .Case([](math::SqrtOp) { return "llvm.sqrt"; })
      .Case([](math::TruncOp) { return "llvm.trunc"; })
      .Default([](Operation *) { return ""; });
}

/// Replaces an op by a call of the intrinsic `name`, which upstream's
/// conversion would replace by a call of libdevice.
static void callIntrinsic(Operation *op, StringRef name) {
  OpBuilder builder(op);
  Location loc = op->getLoc();
  Type type = op->getResult(0).getType();
  std::string full = (name + ".f" + Twine(type.getIntOrFloatBitWidth())).str();
  Value result = LLVM::CallIntrinsicOp::create(builder, loc, type,
                                               builder.getStringAttr(full),
                                               op->getOperands())
                     .getResult(0);
  if (isa<math::RsqrtOp>(op)) {
    Value one = arith::ConstantOp::create(builder, loc,
                                          builder.getFloatAttr(type, 1.0));
    result = arith::DivFOp::create(builder, loc, one, result);
  }
  op->getResult(0).replaceAllUsesWith(result);
  op->erase();
}

/// Whether LLVM has instructions for the op, where upstream's conversion takes
/// it to.
static bool hasInstructions(Operation *op) {
  return isa<math::AbsIOp, math::CountLeadingZerosOp,
             math::CountTrailingZerosOp, math::CtPopOp, math::FmaOp,
             math::IsFiniteOp, math::IsInfOp, math::IsNaNOp, math::IsNormalOp>(
      op);
}

/// Lowers what is an instruction; an error, and no change, at the first op that
/// is none.
static LogicalResult lowerMath(Operation *root) {
  SmallVector<Operation *> ops;
  root->walk([&](Operation *op) {
    if (isa_and_nonnull<math::MathDialect>(op->getDialect()) ||
        isa<arith::RemFOp, arith::MaxNumFOp, arith::MinNumFOp>(op))
      ops.push_back(op);
  });
  auto callsIntrinsic = [](Operation *op) {
    return !getIntrinsic(op).empty() &&
           isa<FloatType>(op->getResult(0).getType());
  };
  for (Operation *op : ops)
    if (!callsIntrinsic(op) && !hasInstructions(op))
      return op->emitOpError("is not supported in a kernel");
  for (Operation *op : ops)
    if (callsIntrinsic(op))
      callIntrinsic(op, getIntrinsic(op));
  return success();
}

namespace {
struct LowerKernelChecksPass
    : symshape::impl::LowerKernelChecksPassBase<LowerKernelChecksPass> {
  void runOnOperation() override {
    if (failed(lowerMath(getOperation())))
      return signalPassFailure();
    auto messages = getOperation()->getAttrOfType<ArrayAttr>(messagesAttr);
    if (!messages || messages.empty())
      return;
    IRRewriter rewriter(&getContext());
    getOperation().walk([&](gpu::GPUFuncOp kernel) {
      SmallVector<FailOp> failures;
      kernel.walk([&](FailOp op) { failures.push_back(op); });
      // The words are the last parameter; shared memory comes after these.
      unsigned last = kernel.getFunctionType().getNumInputs() - 1;
      Value status = kernel.getArgument(last);
      for (FailOp op : failures)
        lowerFail(op, status);
      checkAtEntry(kernel, status);
      (void)eraseUnreachableBlocks(rewriter, kernel->getRegions());
    });
  }
};
} // namespace
