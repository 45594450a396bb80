//===- Kernels.cpp - Kernels while they are formed ------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See the header.
//
//===----------------------------------------------------------------------===//

#include "GPU/Kernels.h"

#include "Structure/Loops.h"
#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::symshape;

gpu::LaunchOp mlir::symshape::beginKernel(OpBuilder &builder, Location loc,
                                          StringRef name, Value blocks,
                                          int64_t threads) {
  Value one = makeIndex(builder, loc, 1);
  auto launch =
      gpu::LaunchOp::create(builder, loc, blocks, one, one,
                            makeIndex(builder, loc, threads), one, one);
  launch->setAttr(kernelNameAttr, builder.getStringAttr(name));
  builder.setInsertionPointToStart(&launch.getBody().front());
  gpu::TerminatorOp::create(builder, loc);
  builder.setInsertionPointToStart(&launch.getBody().front());
  return launch;
}

/// The index along each of `extents` of point number `number`.
static SmallVector<Value> splitNumber(OpBuilder &builder, Location loc,
                                      Value number,
                                      ArrayRef<OpFoldResult> extents) {
  SmallVector<Value> position(extents.size());
  for (size_t d = extents.size(); d-- > 0;) {
    if (isOneInteger(extents[d])) {
      position[d] = makeIndex(builder, loc, 0);
      continue;
    }
    bool isLast = llvm::all_of(extents.take_front(d), isOneInteger);
    Value extent = makeIndex(builder, loc, extents[d]);
    position[d] =
        isLast ? number : arith::RemUIOp::create(builder, loc, number, extent);
    if (!isLast)
      number = arith::DivUIOp::create(builder, loc, number, extent);
  }
  return position;
}

PointThread mlir::symshape::beginPoints(OpBuilder &builder, Location loc,
                                        StringRef name,
                                        ArrayRef<OpFoldResult> extents,
                                        int64_t perPoint, int64_t threads) {
  Value count = makeIndex(builder, loc, 1);
  for (OpFoldResult extent : extents)
    count = arith::MulIOp::create(builder, loc, count,
                                  makeIndex(builder, loc, extent));
  int64_t perBlock = threads / perPoint; // points
  Value rest = makeIndex(builder, loc, perBlock - 1);
  Value blocks = arith::AddIOp::create(builder, loc, count, rest);
  blocks = arith::DivUIOp::create(builder, loc, blocks,
                                  makeIndex(builder, loc, perBlock));
  gpu::LaunchOp launch = beginKernel(builder, loc, name, blocks, threads);
  Value thread = launch.getThreadIds().x;
  Value each = makeIndex(builder, loc, perPoint);
  Value number = arith::MulIOp::create(builder, loc, launch.getBlockIds().x,
                                       makeIndex(builder, loc, perBlock));
  number = arith::AddIOp::create(
      builder, loc, number, arith::DivUIOp::create(builder, loc, thread, each));
  Value isInside = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::ult, number, count);
  auto branch = scf::IfOp::create(builder, loc, isInside);
  builder.setInsertionPointToStart(branch.thenBlock());
  Value lane = arith::RemUIOp::create(builder, loc, thread, each);
  return {splitNumber(builder, loc, number, extents), lane};
}

bool mlir::symshape::isCopy(Operation *op) {
  auto copy = dyn_cast<memref::CopyOp>(op);
  return copy && isa<MemRefType>(copy.getSource().getType()) &&
         isa<MemRefType>(copy.getTarget().getType());
}

Operation *mlir::symshape::makeStructured(OpBuilder &builder, Operation *op) {
  auto copy = dyn_cast<memref::CopyOp>(op);
  if (!copy)
    return op;
  builder.setInsertionPoint(op);
  Operation *structured = linalg::CopyOp::create(
      builder, op->getLoc(), copy.getSource(), copy.getTarget());
  op->erase();
  return structured;
}

Value mlir::symshape::makeShared(gpu::LaunchOp launch, ArrayRef<int64_t> shape,
                                 Type type) {
  auto space = gpu::AddressSpaceAttr::get(launch.getContext(),
                                          gpu::AddressSpace::Workgroup);
  return launch.addWorkgroupAttribution(
      MemRefType::get(shape, type, MemRefLayoutAttrInterface(), space),
      launch.getLoc());
}

SmallVector<OpFoldResult> mlir::symshape::getLoopExtents(OpBuilder &builder,
                                                         ContractOp op) {
  SmallVector<OpFoldResult> extents(op.getInitMap().getNumDims());
  for (auto [number, operand] : llvm::enumerate(op.getMappedOperands()))
    for (auto [position, expr] :
         llvm::enumerate(op.getMap(number).getResults())) {
      auto dim = dyn_cast<AffineDimExpr>(expr);
      if (dim && !extents[dim.getPosition()])
        extents[dim.getPosition()] =
            memref::getMixedSize(builder, op.getLoc(), operand, position);
    }
  return extents;
}

SmallVector<Value> mlir::symshape::getElementPlace(OpBuilder &builder,
                                                   Location loc, AffineMap map,
                                                   ArrayRef<Value> ivs) {
  return llvm::map_to_vector(map.getResults(), [&](AffineExpr expr) {
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      return ivs[dim.getPosition()];
    return affine::expandAffineExpr(builder, loc, expr, ivs, {});
  });
}

SmallVector<Value> mlir::symshape::cloneStructuredBody(OpBuilder &builder,
                                                       linalg::LinalgOp op,
                                                       ArrayRef<Value> ivs,
                                                       IRMapping &mapping) {
  Block *body = op.getBlock();
  for (Operation &inner : body->without_terminator()) {
    if (auto index = dyn_cast<linalg::IndexOp>(inner)) {
      mapping.map(index.getResult(), ivs[index.getDim()]);
      continue;
    }
    Operation *clone = builder.clone(inner, mapping);
    clone->walk([&](linalg::IndexOp index) {
      index.replaceAllUsesWith(ivs[index.getDim()]);
      index.erase();
    });
  }
  return llvm::map_to_vector(
      body->getTerminator()->getOperands(),
      [&](Value value) { return mapping.lookupOrDefault(value); });
}

Value mlir::symshape::loadMapped(OpBuilder &builder, ContractOp op,
                                 unsigned number, ArrayRef<Value> ivs) {
  Location loc = op.getLoc();
  return memref::LoadOp::create(
      builder, loc, op->getOperand(number),
      getElementPlace(builder, loc, op.getMap(number), ivs));
}

void mlir::symshape::storeResult(OpBuilder &builder, ContractOp op, Value sum,
                                 ArrayRef<Value> ivs) {
  Location loc = op.getLoc();
  IRMapping mapping;
  Block &body = op.getBody().front();
  mapping.map(body.getArgument(0), sum);
  for (unsigned i = 0; i < op.getOthers().size(); ++i)
    mapping.map(body.getArgument(1 + i), loadMapped(builder, op, 2 + i, ivs));
  for (Operation &inside : body.without_terminator())
    builder.clone(inside, mapping);
  memref::StoreOp::create(
      builder, loc,
      mapping.lookupOrDefault(body.getTerminator()->getOperand(0)),
      op.getInit(), getElementPlace(builder, loc, op.getInitMap(), ivs));
}
