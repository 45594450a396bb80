//===- NestKernels.cpp - Kernels of loops over elements -------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Not for: which loops are independent (Nests).
//
//===----------------------------------------------------------------------===//

#include "GPU/NestKernels.h"

#include "GPU/Kernels.h"
#include "GPU/Nests.h"
#include "GPU/PointEmitter.h"
#include "Loops.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "symshape/IR/SymShape.h"

using namespace mlir;
using namespace mlir::symshape;

/// Threads of a block of a kernel whose threads share the inner loops of a
/// nest alone: each runs long, and there are few.
static constexpr int64_t innerThreads = 64;

/// True for an op that a thread can run.
static bool runsInThread(Operation *op) {
  if (isa<func::CallOp, memref::AllocOp, memref::DeallocOp, ContractOp>(op))
    return false;
  if (isa<linalg::LinalgOp>(op))
    return PointEmitter::canEmit(op);
  StringRef dialect = op->getName().getDialectNamespace();
  if (isa<memref::LoadOp, memref::StoreOp, memref::SubViewOp, memref::CastOp,
          memref::ReinterpretCastOp, memref::ExpandShapeOp, memref::DimOp,
          memref::CollapseShapeOp, memref::ExtractStridedMetadataOp, FailOp,
          cf::AssertOp, UnrealizedConversionCastOp, linalg::YieldOp,
          linalg::IndexOp>(op))
    return true;
  if (isa<memref::CopyOp>(op))
    return isCopy(op);
  return dialect == "arith" || dialect == "math" || dialect == "scf" ||
         dialect == "affine" || dialect == "index" || dialect == "ub";
}

/// True for an op that touches single elements.
static bool touchesElement(Operation *op) {
  if (auto structured = dyn_cast<linalg::LinalgOp>(op))
    return structured.getNumLoops() == 0;
  return isa<memref::LoadOp, memref::StoreOp, affine::AffineLoadOp,
             affine::AffineStoreOp>(op);
}

/// True for a branch that tells what has failed: the host has its condition,
/// and hardly ever takes it.
static bool isFailure(Operation *op) {
  return isa<scf::IfOp>(op) && op->walk([](FailOp) {
                                   return WalkResult::interrupt();
                                 }).wasInterrupted();
}

bool mlir::symshape::isNest(Operation *op) {
  if (op->getNumRegions() == 0 || isFailure(op) ||
      llvm::any_of(op->getResultTypes(), llvm::IsaPred<BaseMemRefType>))
    return false;
  bool touches = false;
  WalkResult walk = op->walk([&](Operation *inside) {
    if (!runsInThread(inside))
      return WalkResult::interrupt();
    bool isInBody = inside->getParentOfType<linalg::LinalgOp>() != nullptr;
    touches |= touchesElement(inside) && !isInBody;
    return WalkResult::advance();
  });
  return touches && !walk.wasInterrupted();
}

/// Turns structured ops and copies inside of `op` into loops.
static void expandInside(Operation *op) {
  SmallVector<Operation *> ops;
  op->walk([&](Operation *inside) {
    if (isa<linalg::LinalgOp, memref::CopyOp>(inside))
      ops.push_back(inside);
  });
  for (Operation *inside : ops) {
    OpBuilder builder(op->getContext());
    inside = makeStructured(builder, inside);
    builder.setInsertionPoint(inside);
    PointEmitter(builder, inside).emitInOrder(builder);
    inside->erase();
  }
}

/// Spreads the iterations of a nest over threads.
static void formThreads(OpBuilder &builder, scf::ForOp nest, StringRef name,
                        NestThreads threads) {
  Location loc = nest.getLoc();
  Value one = makeIndex(builder, loc, 1);
  if (threads.outer.empty()) {
    Value most = one; // what is outside of the inner loops runs in any case
    for (Value extent : threads.innerExtents)
      most = arith::MaxSIOp::create(builder, loc, most, extent);
    PointThread thread =
        beginPoints(builder, loc, name, OpFoldResult(most), 1, innerThreads);
    for (auto [loop, extent] : llvm::zip(threads.inner, threads.innerExtents)) {
      Value iteration = thread.position.front();
      Value next = arith::AddIOp::create(builder, loc, iteration, one);
      loop.setLowerBound(iteration);
      loop.setUpperBound(arith::MinSIOp::create(builder, loc, next, extent));
    }
  } else {
    int64_t perPoint = threads.inner.empty() ? 1 : warpThreads;
    PointThread thread = beginPoints(
        builder, loc, name, getAsOpFoldResult(threads.outerExtents), perPoint);
    for (auto [loop, iteration] : llvm::zip(threads.outer, thread.position)) {
      loop.setLowerBound(iteration);
      loop.setUpperBound(arith::AddIOp::create(builder, loc, iteration, one));
    }
    Value step = makeIndex(builder, loc, perPoint);
    for (scf::ForOp loop : threads.inner) {
      loop.setLowerBound(thread.lane);
      loop.setStep(step);
    }
  }
  nest->moveBefore(builder.getInsertionBlock(), builder.getInsertionPoint());
}

/// Makes `op` a kernel of one thread.
static void formSingle(OpBuilder &builder, Operation *op, StringRef name) {
  Location loc = op->getLoc();
  // Scalars that are needed outside go through buffers.
  SmallVector<Value> places;
  for (Value result : op->getResults())
    places.push_back(
        result.use_empty()
            ? Value()
            : memref::AllocOp::create(builder, loc,
                                      MemRefType::get({}, result.getType())));
  gpu::LaunchOp launch =
      beginKernel(builder, loc, name, makeIndex(builder, loc, 1), 1);
  Block &body = launch.getBody().front();
  builder.setInsertionPointAfter(launch);
  for (auto [result, buffer] : llvm::zip(op->getResults(), places)) {
    if (!buffer)
      continue;
    Value read = memref::LoadOp::create(builder, loc, buffer);
    result.replaceAllUsesWith(read);
  }
  for (Value buffer : places)
    if (buffer)
      memref::DeallocOp::create(builder, loc, buffer);
  op->moveBefore(body.getTerminator());
  builder.setInsertionPoint(body.getTerminator());
  for (auto [result, buffer] : llvm::zip(op->getResults(), places))
    if (buffer)
      memref::StoreOp::create(builder, loc, result, buffer, ValueRange());
}

void mlir::symshape::formNest(OpBuilder &builder, Operation *op,
                              StringRef name) {
  expandInside(op);
  builder.setInsertionPoint(op);
  if (auto loop = dyn_cast<scf::ForOp>(op))
    if (NestThreads threads = findThreads(builder, loop); !threads.isEmpty())
      return formThreads(builder, loop, name, threads);
  formSingle(builder, op, name);
}
