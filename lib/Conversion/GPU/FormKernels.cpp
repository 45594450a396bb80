//===- FormKernels.cpp - What computes on buffers becomes kernels ---------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Decides what runs on the device, and as how many threads. Not for: how
// kernels get their operands (OutlineKernels).
//
//===----------------------------------------------------------------------===//

#include "symshape/Conversion/GPUPasses.h"

#include "Arithmetic.h"
#include "GPU/Chunks.h"
#include "GPU/ContractionChoice.h"
#include "GPU/Kernels.h"
#include "GPU/PointEmitter.h"
#include "Loops.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "symshape/IR/SymShape.h"

namespace mlir::symshape {
#define GEN_PASS_DEF_FORMKERNELSPASS
#include "symshape/Conversion/GPUPasses.h.inc"
} // namespace mlir::symshape

using namespace mlir;
using namespace mlir::symshape;

namespace {
class KernelFormer {
public:
  explicit KernelFormer(func::FuncOp function)
      : builder(function.getContext()), function(function) {}
  void visit(Region &region);

private:
  void formPoints(Operation *op);
  void formPoints(Operation *op, StringRef name, int64_t width);
  void formNest(Operation *op);
  std::string nameFor(StringRef kind);

  OpBuilder builder;
  func::FuncOp function;
};
} // namespace

std::string KernelFormer::nameFor(StringRef kind) {
  std::string name = (function.getName() + "_" + kind).str();
  for (char &c : name)
    if (!llvm::isAlnum(c))
      c = '_';
  return name;
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

/// True for a copy that can be made a structured op.
static bool isCopy(Operation *op) {
  auto copy = dyn_cast<memref::CopyOp>(op);
  return copy && isa<MemRefType>(copy.getSource().getType()) &&
         isa<MemRefType>(copy.getTarget().getType());
}

/// `op`, or the structured op that a copy becomes.
static Operation *makeStructured(OpBuilder &builder, Operation *op) {
  auto copy = dyn_cast<memref::CopyOp>(op);
  if (!copy)
    return op;
  builder.setInsertionPoint(op);
  Operation *structured = linalg::CopyOp::create(
      builder, op->getLoc(), copy.getSource(), copy.getTarget());
  op->erase();
  return structured;
}

void KernelFormer::formPoints(Operation *op) {
  StringRef kind = op->getName().stripDialect();
  std::string name = nameFor(kind);
  if (auto contract = dyn_cast<ContractOp>(op))
    if (succeeded(formContractionBlocks(builder, contract, name)))
      return;
  op = makeStructured(builder, op);
  builder.setInsertionPoint(op);
  auto structured = dyn_cast<linalg::LinalgOp>(op);
  ElementwiseChunks chunks;
  if (structured)
    chunks = findElementwiseChunks(builder, structured);
  if (chunks.test)
    chooseOnHost(
        builder, op, chunks.test,
        [&](Operation *at) { formPoints(at, name, chunks.width); },
        [&](Operation *at) { formPoints(at, name, 1); });
  else
    formPoints(op, name, chunks.width);
}

/// Makes the kernel of `op`, in chunks of `width` points of the last loop.
void KernelFormer::formPoints(Operation *op, StringRef name, int64_t width) {
  Location loc = op->getLoc();
  builder.setInsertionPoint(op);
  PointEmitter emitter(builder, op);
  SmallVector<OpFoldResult> extents = emitter.getPointExtents();
  if (width > 1) {
    Value chunks = arith::DivUIOp::create(
        builder, loc, makeIndex(builder, loc, extents.back()),
        makeIndex(builder, loc, width));
    extents.back() = chunks;
  }
  Value count = makeIndex(builder, loc, 1);
  for (OpFoldResult extent : extents)
    count = arith::MulIOp::create(builder, loc, count,
                                  makeIndex(builder, loc, extent));
  std::optional<unsigned> warpLoop = emitter.findWarpLoop();
  int64_t perPoint = warpLoop ? warpThreads : 1; // threads
  int64_t perBlock = pointThreads / perPoint;    // points
  Value rest = makeIndex(builder, loc, perBlock - 1);
  Value blocks = arith::AddIOp::create(builder, loc, count, rest);
  blocks = arith::DivUIOp::create(builder, loc, blocks,
                                  makeIndex(builder, loc, perBlock));
  gpu::LaunchOp launch = beginKernel(builder, loc, name, blocks, pointThreads);
  Value thread = launch.getThreadIds().x;
  Value threads = makeIndex(builder, loc, perPoint);
  Value number = arith::MulIOp::create(builder, loc, launch.getBlockIds().x,
                                       makeIndex(builder, loc, perBlock));
  number = arith::AddIOp::create(
      builder, loc, number,
      arith::DivUIOp::create(builder, loc, thread, threads));
  Value isInside = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::ult, number, count);
  auto branch = scf::IfOp::create(builder, loc, isInside);
  builder.setInsertionPointToStart(branch.thenBlock());
  SmallVector<Value> position = splitNumber(builder, loc, number, extents);
  if (width > 1) {
    position.back() = arith::MulIOp::create(builder, loc, position.back(),
                                            makeIndex(builder, loc, width));
    emitElementwiseChunk(builder, cast<linalg::LinalgOp>(op), position, width);
  } else if (warpLoop) {
    emitter.emitPointOfWarp(
        builder, position, *warpLoop,
        arith::RemUIOp::create(builder, loc, thread, threads));
  } else {
    emitter.emitPoint(builder, position);
  }
  op->erase();
}

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

/// True for a loop or branch that runs as one thread: it touches elements
/// itself, and holds nothing that the host or many threads should do.
static bool isNest(Operation *op) {
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

void KernelFormer::formNest(Operation *op) {
  Location loc = op->getLoc();
  builder.setInsertionPoint(op);
  // Scalars that are needed outside go through buffers.
  SmallVector<Value> places;
  for (Value result : op->getResults())
    places.push_back(
        result.use_empty()
            ? Value()
            : memref::AllocOp::create(builder, loc,
                                      MemRefType::get({}, result.getType())));
  StringRef kind = op->getName().stripDialect();
  gpu::LaunchOp launch =
      beginKernel(builder, loc, nameFor(kind), makeIndex(builder, loc, 1), 1);
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
  expandInside(op);
}

void KernelFormer::visit(Region &region) {
  for (Block &block : region)
    for (Operation &op : llvm::make_early_inc_range(block)) {
      if (PointEmitter::canEmit(&op) || isCopy(&op))
        formPoints(&op);
      else if (isNest(&op))
        formNest(&op);
      else
        for (Region &inside : op.getRegions())
          visit(inside);
    }
}

namespace {
struct FormKernelsPass : symshape::impl::FormKernelsPassBase<FormKernelsPass> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.isExternal() &&
          !function.getName().starts_with(hostHelperName))
        KernelFormer(function).visit(function.getBody());
  }
};
} // namespace
