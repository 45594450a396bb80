//===- CheckAllocations.cpp - Sizes that do not fit -----------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The lowering of memref.alloc multiplies extents in 64 bits, so three extents
// of 2^22 give 2^66, which wraps to 0. Not for: the arena, whose size is
// computed without wrapping.
//
//===----------------------------------------------------------------------===//

#include "symshape/Conversion/Passes.h"
#include "symshape/Transforms/FailMessage.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "symshape/IR/ElementBytes.h"
#include "symshape/IR/SymShape.h"
#include "llvm/Support/ScopedPrinter.h"

namespace mlir::symshape {
#define GEN_PASS_DEF_CHECKALLOCATIONSPASS
#include "symshape/Conversion/Passes.h.inc"
} // namespace mlir::symshape

using namespace mlir;
using namespace mlir::symshape;

// The largest size that the runtime allocates, and what larger ones count as.
static constexpr int64_t maxBytes = int64_t(1) << 47;
static constexpr int64_t tooManyBytes = maxBytes * 2;

// As much as symshape-hoist-allocations leaves on the stack.
static constexpr int64_t maxStackBytes = int64_t(64) << 10;

/// Whether the size is above 2^47 bytes. Each factor is below 2^63 and each
/// product is cut off at 2^48, so none wraps 128 bits; what is cut off is too
/// large in any case, unless an extent is 0, and then so is the product.
static Value emitTooMany(OpBuilder &builder, memref::AllocOp alloc,
                         int64_t bytes) {
  Location loc = alloc.getLoc();
  Type wide = builder.getIntegerType(128);
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getIntegerAttr(wide, value));
  };
  Value total = constant(bytes), limit = constant(tooManyBytes);
  for (Value extent : alloc.getDynamicSizes()) {
    Value narrow =
        arith::IndexCastOp::create(builder, loc, builder.getI64Type(), extent);
    Value factor = arith::ExtSIOp::create(builder, loc, wide, narrow);
    total = arith::MulIOp::create(builder, loc, total, factor);
    total = arith::MinSIOp::create(builder, loc, total, limit);
  }
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ugt, total,
                               constant(maxBytes));
}

static symshape::FailMessage messageOf(memref::AllocOp alloc) {
  symshape::FailMessage message;
  message << "allocation refused: expected at most 2^47 bytes, but got ";
  for (OpFoldResult extent : alloc.getMixedSizes()) {
    if (auto value = dyn_cast<Value>(extent))
      message << value;
    else
      message << Twine(*getConstantIntValue(extent));
    message << "x";
  }
  return message << llvm::to_string(alloc.getType().getElementType());
}

/// Puts a check before an allocation that may be too large.
static void check(memref::AllocOp alloc) {
  MemRefType type = alloc.getType();
  int64_t bytes = symshape::staticBytes(alloc, type, tooManyBytes);
  if (!type.getLayout().isIdentity() || bytes < 0 ||
      (alloc.getDynamicSizes().empty() && bytes <= maxBytes))
    return;
  // An arena, whose bytes are counted by the runtime.
  if (bytes == 1 && alloc.getDynamicSizes().size() == 1 &&
      alloc.getDynamicSizes()[0].getDefiningOp<arith::MinSIOp>())
    return;
  OpBuilder builder(alloc);
  Value tooMany = emitTooMany(builder, alloc, bytes);
  OpBuilder refused = symshape::branchIf(builder, alloc.getLoc(), tooMany);
  messageOf(alloc).emit(refused, alloc.getLoc());
}

/// An allocation for what may not fit the stack; the deallocation that follows
/// frees it at the end of its scope.
static void leaveStack(memref::AllocaOp alloca) {
  MemRefType type = alloca.getType();
  int64_t bytes = symshape::staticBytes(alloca, type, maxStackBytes + 1);
  if (type.getMemorySpace() || bytes < 0 ||
      (alloca.getDynamicSizes().empty() && bytes <= maxStackBytes))
    return;
  OpBuilder builder(alloca);
  Value alloc = memref::AllocOp::create(
      builder, alloca.getLoc(), type, alloca.getDynamicSizes(),
      alloca.getSymbolOperands(), alloca.getAlignmentAttr());
  alloca.replaceAllUsesWith(alloc);
  alloca.erase();
}

namespace {
struct CheckAllocationsPass
    : symshape::impl::CheckAllocationsPassBase<CheckAllocationsPass> {
  void runOnOperation() override {
    // What follows frees each buffer once, when nothing can see it any more.
    getOperation()->walk([](memref::DeallocOp dealloc) { dealloc.erase(); });
    getOperation()->walk(leaveStack);
    getOperation()->walk(check);
  }
};
} // namespace
