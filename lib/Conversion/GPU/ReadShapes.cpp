//===- ReadShapes.cpp - Reshapes with sizes that are values ---------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The shape of a memref.reshape is an array in memory, but sizes belong to the
// host, and memory to the device.
//
//===----------------------------------------------------------------------===//

#include "symshape/Conversion/GPUPasses.h"

#include "GPU/Buffers.h"
#include "Structure/Loops.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::symshape {
#define GEN_PASS_DEF_READSHAPESPASS
#include "symshape/Conversion/GPUPasses.h.inc"
} // namespace mlir::symshape

using namespace mlir;
using namespace mlir::symshape;

/// The value that was last stored to element `number` of `shape` before `op`,
/// in the same block, if nothing else can have written there; or null.
static Value findStored(memref::ReshapeOp op, Value shape, int64_t number) {
  if (!shape.getDefiningOp<memref::AllocOp>() &&
      !shape.getDefiningOp<memref::AllocaOp>())
    return Value();
  Value stored;
  for (Operation *user : shape.getUsers()) {
    auto store = dyn_cast<memref::StoreOp>(user);
    if (isa<memref::ReshapeOp, memref::DeallocOp>(user))
      continue;
    if (!store || store.getMemRef() != shape ||
        store->getBlock() != op->getBlock() || !store->isBeforeInBlock(op))
      return Value();
    std::optional<int64_t> index = getConstantIntValue(store.getIndices()[0]);
    if (!index)
      return Value();
    if (*index != number)
      continue;
    if (stored) // twice
      return Value();
    stored = store.getValueToStore();
  }
  return stored;
}

/// Removes the shape if it was only written to.
static void eraseUnread(Value shape) {
  Operation *alloc = shape.getDefiningOp();
  if (!isa_and_nonnull<memref::AllocOp, memref::AllocaOp>(alloc) ||
      !llvm::all_of(shape.getUsers(),
                    llvm::IsaPred<memref::StoreOp, memref::DeallocOp>))
    return;
  for (Operation *user : llvm::make_early_inc_range(shape.getUsers()))
    user->erase();
  alloc->erase();
}

static void readShape(memref::ReshapeOp op) {
  auto type = dyn_cast<MemRefType>(op.getResult().getType());
  auto source = dyn_cast<MemRefType>(op.getSource().getType());
  if (!type || !source || !type.getLayout().isIdentity() ||
      !source.getLayout().isIdentity())
    return;
  OpBuilder builder(op);
  Location loc = op.getLoc();
  Value shape = op.getShape();
  SmallVector<OpFoldResult> sizes;
  for (int64_t d = 0; d < type.getRank(); ++d) {
    if (!type.isDynamicDim(d)) {
      sizes.push_back(builder.getIndexAttr(type.getDimSize(d)));
      continue;
    }
    Value size = findStored(op, shape, d);
    if (!size)
      size = memref::LoadOp::create(builder, loc, shape,
                                    makeIndex(builder, loc, d));
    sizes.push_back(getValueOrCreateCastToIndexLike(
        builder, loc, builder.getIndexType(), size));
  }
  SmallVector<OpFoldResult> strides = denseStrides(builder, loc, sizes);
  for (auto [stride, known] :
       llvm::zip(strides, type.getStridesAndOffset().first))
    stride = ShapedType::isDynamic(known)
                 ? OpFoldResult(makeIndex(builder, loc, stride))
                 : builder.getIndexAttr(known);
  Value result = memref::ReinterpretCastOp::create(
      builder, loc, type, op.getSource(), builder.getIndexAttr(0), sizes,
      strides);
  op.replaceAllUsesWith(result);
  op.erase();
  eraseUnread(shape);
}

namespace {
struct ReadShapesPass : symshape::impl::ReadShapesPassBase<ReadShapesPass> {
  void runOnOperation() override {
    SmallVector<memref::ReshapeOp> ops;
    getOperation()->walk([&](memref::ReshapeOp op) { ops.push_back(op); });
    for (memref::ReshapeOp op : ops)
      readShape(op);
  }
};
} // namespace
