//===- AllocateWorkspaces.cpp - Buffers that contractions work in ---------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Gives contractions their workspaces as operands before buffers have places,
// so that these are part of the memory plan.
//
//===----------------------------------------------------------------------===//

#include "symshape/Conversion/Passes.h"

#include "ContractionKernel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace mlir::symshape {
#define GEN_PASS_DEF_ALLOCATEWORKSPACESPASS
#include "symshape/Conversion/Passes.h.inc"
} // namespace mlir::symshape

using namespace mlir;
using namespace mlir::symshape;

SmallVector<Value>
mlir::symshape::allocateWorkspaces(OpBuilder &builder, ContractOp op,
                                   const TileKernel &kernel) {
  Location loc = op.getLoc();
  IntegerAttr alignment = builder.getI64IntegerAttr(64);
  SmallVector<Value> workspaces;
  if (!op.isPacked() && kernel.streams == 0 && !kernel.isInPlace) {
    Value elements = arith::ConstantIndexOp::create(builder, loc, kernel.width);
    for (auto [position, expr] : llvm::enumerate(op.getMap(1).getResults())) {
      unsigned loop = cast<AffineDimExpr>(expr).getPosition();
      if (op.getInitMap().isFunctionOfDim(loop))
        continue;
      Value terms = memref::DimOp::create(builder, loc, op.getRhs(), position);
      if (kernel.group > 1) { // the last group may be part of one
        Value more =
            arith::ConstantIndexOp::create(builder, loc, kernel.group - 1);
        terms = arith::AddIOp::create(builder, loc, terms, more);
      }
      elements = arith::MulIOp::create(builder, loc, elements, terms);
    }
    workspaces.push_back(memref::AllocOp::create(
        builder, loc, MemRefType::get({ShapedType::kDynamic}, kernel.rhs),
        elements, alignment));
  }
  if (needsTileOfSums(op))
    workspaces.push_back(memref::AllocOp::create(
        builder, loc,
        MemRefType::get({kernel.maxRows, kernel.width}, kernel.sum),
        alignment));
  return workspaces;
}

namespace {
struct AllocateWorkspacesPass
    : symshape::impl::AllocateWorkspacesPassBase<AllocateWorkspacesPass> {
  using AllocateWorkspacesPassBase::AllocateWorkspacesPassBase;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    getOperation()->walk([&](ContractOp op) {
      if (!findTile(op) || !op.hasPureBufferSemantics())
        return;
      copyColumns(rewriter, op, /*frees=*/false);
      if (!op.getWorkspaces().empty() || parallel)
        return;
      rewriter.setInsertionPoint(op);
      op.getWorkspacesMutable().assign(
          allocateWorkspaces(rewriter, op, TileKernel(op)));
    });
  }
};
} // namespace
