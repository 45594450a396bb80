//===- MakeDense.cpp - Buffers whose type denies their strides ------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bufferization casts what a function returns to a type without strides. On a
// CPU the descriptor tells the strides all the same; kernels go by types.
//
//===----------------------------------------------------------------------===//

#include "symshape/Conversion/GPUPasses.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace mlir::symshape {
#define GEN_PASS_DEF_MAKEDENSEPASS
#include "symshape/Conversion/GPUPasses.h.inc"
} // namespace mlir::symshape

using namespace mlir;
using namespace mlir::symshape;

/// True if the elements of `from` may lie in another way than `to` says.
static bool deniesStrides(memref::CastOp op) {
  auto from = dyn_cast<MemRefType>(op.getSource().getType());
  auto to = dyn_cast<MemRefType>(op.getType());
  return from && to && to.getLayout().isIdentity() &&
         !from.getLayout().isIdentity();
}

static void copy(memref::CastOp op) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  auto type = cast<MemRefType>(op.getType());
  SmallVector<Value> extents;
  for (int64_t d = 0; d < type.getRank(); ++d)
    if (type.isDynamicDim(d))
      extents.push_back(memref::DimOp::create(builder, loc, op.getSource(), d));
  Value dense = memref::AllocOp::create(builder, loc, type, extents,
                                        builder.getI64IntegerAttr(64));
  memref::CopyOp::create(builder, loc, op.getSource(), dense);
  op.replaceAllUsesWith(dense);
  op.erase();
}

namespace mlir::symshape {
namespace {
struct MakeDensePass : impl::MakeDensePassBase<MakeDensePass> {
  void runOnOperation() override {
    SmallVector<memref::CastOp> casts;
    getOperation()->walk([&](memref::CastOp op) {
      if (deniesStrides(op))
        casts.push_back(op);
    });
    for (memref::CastOp op : casts)
      copy(op);
  }
};
} // namespace
} // namespace mlir::symshape
