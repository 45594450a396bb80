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

#include "GPU/Chunks.h"
#include "GPU/Kernels.h"
#include "GPU/Nests.h"
#include "GPU/PointEmitter.h"
#include "Structure/Loops.h"
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

/// The structured ops and copies inside of `op`, the latter as structured ops.
static SmallVector<linalg::LinalgOp> getStructured(Operation *op) {
  SmallVector<Operation *> ops;
  op->walk([&](Operation *inside) {
    if (isa<linalg::LinalgOp, memref::CopyOp>(inside))
      ops.push_back(inside);
  });
  return llvm::map_to_vector(ops, [](Operation *inside) {
    OpBuilder builder(inside);
    return cast<linalg::LinalgOp>(makeStructured(builder, inside));
  });
}

/// The extent of a dimension, as the value that a view was made with.
static OpFoldResult getSize(OpBuilder &builder, Value buffer, int64_t dim) {
  if (auto view = buffer.getDefiningOp<memref::ReinterpretCastOp>())
    return view.getMixedSizes()[dim];
  return memref::getMixedSize(builder, buffer.getLoc(), buffer, dim);
}

/// Whether the rows of `buffer`, which may be a part of a dense array that is
/// as wide, consist of whole chunks. The test is made where `builder` is.
static Chunks findRowChunks(OpBuilder &builder, Operation *nest,
                            linalg::LinalgOp op, OpOperand &operand,
                            int64_t width) {
  Value buffer = operand.get();
  AffineMap map = op.getMatchingIndexingMap(&operand);
  if (!isInside(nest, buffer))
    return findChunks(builder, op, buffer, map, width);
  auto part = buffer.getDefiningOp<memref::SubViewOp>();
  if (!part || isInside(nest, part.getSource()) || !part.hasUnitStride())
    return {};
  int64_t last = part.getSourceType().getRank() - 1;
  if (last < 0 || part.getDroppedDims().test(last) ||
      !isZeroInteger(part.getMixedOffsets()[last]) ||
      !isEqualConstantIntOrValue(part.getMixedSizes()[last],
                                 getSize(builder, part.getSource(), last)))
    return {};
  return findChunks(builder, op, part.getSource(),
                    builder.getMultiDimIdentityMap(last + 1), width);
}

/// For the elementwise ops of a nest, if all of them allow it.
static LoopChunks findNestChunks(OpBuilder &builder, Operation *nest,
                                 ArrayRef<linalg::LinalgOp> ops) {
  LoopChunks all;
  all.width = chunkBytes;
  for (linalg::LinalgOp op : ops)
    all.width = std::min(all.width, getPlainWidth(op));
  for (linalg::LinalgOp op : ops) {
    if (op.getNumLoops() != 1 || op.getNumParallelLoops() != 1)
      return {};
    for (OpOperand &operand : op->getOpOperands()) {
      if (!isa<MemRefType>(operand.get().getType()))
        continue;
      if (!op.getMatchingIndexingMap(&operand).isIdentity())
        return {};
      Chunks chunks = findRowChunks(builder, nest, op, operand, all.width);
      if (!chunks.always && !chunks.test)
        return {};
      all.test = combineTests(builder, op.getLoc(), all.test, chunks.test);
    }
  }
  return ops.empty() ? LoopChunks() : all;
}

/// Turns structured ops into loops, over chunks of `width` elements.
static void expand(ArrayRef<linalg::LinalgOp> ops, int64_t width) {
  for (linalg::LinalgOp op : ops) {
    OpBuilder builder(op);
    Location loc = op.getLoc();
    if (width == 1) {
      PointEmitter(builder, op).emitInOrder(builder);
      op.erase();
      continue;
    }
    Value size =
        makeIndex(builder, loc, op.createLoopRanges(builder, loc)[0].size);
    Value chunk = makeIndex(builder, loc, width);
    makeLoop(builder, loc, makeIndex(builder, loc, 0),
             arith::DivUIOp::create(builder, loc, size, chunk),
             makeIndex(builder, loc, 1), {},
             [&](Value number, ValueRange) -> SmallVector<Value> {
               Value place = arith::MulIOp::create(builder, loc, number, chunk);
               emitElementwiseChunk(builder, op, place, width);
               return {};
             });
    op.erase();
  }
}

/// Spreads the iterations of a nest over threads.
static void formThreads(OpBuilder &builder, scf::ForOp nest, StringRef name,
                        NestThreads threads) {
  Location loc = nest.getLoc();
  Value one = makeIndex(builder, loc, 1);
  auto runOnly = [&](scf::ForOp loop, Value iteration, Value extent) {
    Value next = arith::AddIOp::create(builder, loc, iteration, one);
    loop.setLowerBound(iteration);
    loop.setUpperBound(arith::MinSIOp::create(builder, loc, next, extent));
  };
  if (threads.outer.empty()) {
    Value most = one; // what is outside of the inner loops runs in any case
    for (Value extent : threads.innerExtents)
      most = arith::MaxSIOp::create(builder, loc, most, extent);
    PointThread thread =
        beginPoints(builder, loc, name, OpFoldResult(most), 1, innerThreads);
    for (auto [loop, extent] : llvm::zip(threads.inner, threads.innerExtents))
      runOnly(loop, thread.position.front(), extent);
  } else {
    int64_t perPoint = threads.inner.empty() ? 1 : warpThreads;
    SmallVector<OpFoldResult> points{threads.outerExtents.front()};
    for (Value extent : ArrayRef(threads.outerExtents).drop_front())
      points.push_back(
          arith::MaxSIOp::create(builder, loc, extent, one).getResult());
    PointThread thread = beginPoints(builder, loc, name, points, perPoint);
    for (auto [loop, extent, iteration] :
         llvm::zip(threads.outer, threads.outerExtents, thread.position))
      runOnly(loop, iteration, extent);
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

/// Makes the kernel of a nest, whose structured ops take chunks of `width`.
static void formNestOf(OpBuilder &builder, Operation *op, StringRef name,
                       int64_t width) {
  expand(getStructured(op), width);
  builder.setInsertionPoint(op);
  if (auto loop = dyn_cast<scf::ForOp>(op))
    if (NestThreads threads = findThreads(builder, loop); !threads.isEmpty())
      return formThreads(builder, loop, name, threads);
  formSingle(builder, op, name);
}

void mlir::symshape::formNest(OpBuilder &builder, Operation *op,
                              StringRef name) {
  builder.setInsertionPoint(op);
  LoopChunks chunks;
  if (op->getNumResults() == 0)
    chunks = findNestChunks(builder, op, getStructured(op));
  auto form = [&](int64_t width) {
    return [&, width](Operation *at) { formNestOf(builder, at, name, width); };
  };
  if (chunks.test)
    chooseOnHost(builder, op, chunks.test, form(chunks.width), form(1));
  else
    form(chunks.width)(op);
}
