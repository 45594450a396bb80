//===- StoreSlices.cpp - Many slices of one tensor ------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bufferization asks of each slice whether any of the others is in its way, and
// takes a time that grows with the fourth power of their number: 150 parts of a
// concatenation took ten seconds. Nothing can be in the way where each slice is
// inserted into what the one before it leaves, and into nothing else.
//
//===----------------------------------------------------------------------===//

#include "symshape/Conversion/Passes.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mlir::symshape {
#define GEN_PASS_DEF_STORESLICESPASS
#include "symshape/Conversion/Passes.h.inc"
} // namespace mlir::symshape

using namespace mlir;
using namespace mlir::symshape;

/// The slice after `op`, if nothing else reads what `op` leaves.
static tensor::InsertSliceOp findNext(tensor::InsertSliceOp op) {
  if (!op->hasOneUse())
    return nullptr;
  auto next = dyn_cast<tensor::InsertSliceOp>(*op->user_begin());
  return next && next.getDest() == op.getResult() &&
                 next->getBlock() == op->getBlock()
             ? next
             : nullptr;
}

/// The slices from `first` on.
static SmallVector<tensor::InsertSliceOp>
findChain(tensor::InsertSliceOp first) {
  SmallVector<tensor::InsertSliceOp> chain;
  for (tensor::InsertSliceOp op = first; op; op = findNext(op))
    chain.push_back(op);
  return chain;
}

/// Copies the source of `op` to its place in `whole`.
static void store(tensor::InsertSliceOp op, Value whole) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  RankedTensorType type = op.getSourceType();
  // With any strides: it may be a view of another tensor.
  auto layout = StridedLayoutAttr::get(
      b.getContext(), ShapedType::kDynamic,
      SmallVector<int64_t>(type.getRank(), ShapedType::kDynamic));
  Value part = bufferization::ToBufferOp::create(
      b, loc, MemRefType::get(type.getShape(), type.getElementType(), layout),
      op.getSource(), /*read_only=*/true);
  auto sizes = op.getMixedSizes(), offsets = op.getMixedOffsets(),
       strides = op.getMixedStrides();
  MemRefType view = memref::SubViewOp::inferRankReducedResultType(
      type.getShape(), cast<MemRefType>(whole.getType()), offsets, sizes,
      strides);
  Value slice =
      memref::SubViewOp::create(b, loc, view, whole, offsets, sizes, strides);
  memref::CopyOp::create(b, loc, part, slice);
}

/// Stores a chain that begins with `empty`.
static void storeChain(ArrayRef<tensor::InsertSliceOp> chain,
                       tensor::EmptyOp empty) {
  tensor::InsertSliceOp first = chain.front(), last = chain.back();
  OpBuilder b(first);
  RankedTensorType type = empty.getType();
  constexpr int64_t alignment = 64; // as bufferization has it
  Value whole = memref::AllocOp::create(
      b, first.getLoc(),
      MemRefType::get(type.getShape(), type.getElementType()),
      empty.getDynamicSizes(), b.getI64IntegerAttr(alignment));
  for (tensor::InsertSliceOp op : chain)
    store(op, whole);
  b.setInsertionPoint(last);
  last.replaceAllUsesWith(
      bufferization::ToTensorOp::create(b, last.getLoc(), type, whole,
                                        /*restrict=*/true, /*writable=*/true)
          .getResult());
  for (tensor::InsertSliceOp op : llvm::reverse(chain))
    op.erase();
}

namespace {
struct StoreSlicesPass : symshape::impl::StoreSlicesPassBase<StoreSlicesPass> {
  using StoreSlicesPassBase::StoreSlicesPassBase;

  void runOnOperation() override {
    SmallVector<std::pair<tensor::InsertSliceOp, tensor::EmptyOp>> firsts;
    getOperation()->walk([&](tensor::InsertSliceOp op) {
      if (auto empty = op.getDest().getDefiningOp<tensor::EmptyOp>())
        firsts.push_back({op, empty});
    });
    for (auto [first, empty] : firsts)
      if (auto chain = findChain(first);
          static_cast<int64_t>(chain.size()) >= least)
        storeChain(chain, empty);
  }
};
} // namespace
