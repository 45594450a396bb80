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
#include "GPU/FlatPoints.h"
#include "GPU/Kernels.h"
#include "GPU/NestKernels.h"
#include "GPU/PointEmitter.h"
#include "GPU/RowKernels.h"
#include "GPU/TransposeTiles.h"
#include "Structure/Loops.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "symshape/IR/PassAttributes.h"
#include "symshape/IR/SymShape.h"

namespace mlir::symshape {
#define GEN_PASS_DEF_FORMKERNELSPASS
#include "symshape/Conversion/GPUPasses.h.inc"
} // namespace mlir::symshape

using namespace mlir;
using namespace mlir::symshape;

/// Blocks of a multiprocessor at a time where a point runs loops inside of
/// loops: `ptxas` would settle for more blocks, and 32 registers, and spill.
static constexpr int32_t nestedBlocks = 5;

namespace {
class KernelFormer {
public:
  KernelFormer(func::FuncOp function, WgmmaUse wgmma)
      : builder(function.getContext()), function(function), wgmma(wgmma) {}
  void visit(Region &region);

private:
  void formPoints(Operation *op);
  void formPoints(Operation *op, StringRef name, int64_t width);
  void formGroup(Operation *first);
  std::string nameFor(StringRef kind);

  OpBuilder builder;
  func::FuncOp function;
  WgmmaUse wgmma;
};
} // namespace

std::string KernelFormer::nameFor(StringRef kind) {
  std::string name = (function.getName() + "_" + kind).str();
  for (char &c : name)
    if (!llvm::isAlnum(c))
      c = '_';
  return name;
}

void KernelFormer::formPoints(Operation *op) {
  StringRef kind = op->getName().stripDialect();
  std::string name = nameFor(kind);
  if (auto contract = dyn_cast<ContractOp>(op))
    if (succeeded(formContractionBlocks(builder, contract, name, wgmma)))
      return;
  op = makeStructured(builder, op);
  builder.setInsertionPoint(op);
  auto structured = dyn_cast<linalg::LinalgOp>(op);
  LoopChunks chunks;
  if (structured && structured.getNumReductionLoops() == 0)
    chunks = findLoopChunks(builder, structured);
  bool isProved = chunks.width > 1 && !chunks.test;
  if (structured && !isProved && isFlat(structured))
    return formFlatPoints(builder, structured, name);
  TransposedInputs transposed;
  if (structured && chunks.width == 1)
    transposed = findTransposedInputs(structured);
  if (!transposed.from.empty())
    chooseOnHost(
        builder, op, makeTileTest(builder, structured, transposed),
        [&](Operation *at) {
          auto clone = cast<linalg::LinalgOp>(at);
          formTransposeTiles(builder, clone, findTransposedInputs(clone), name);
        },
        [&](Operation *at) { formPoints(at, name, 1); });
  else if (chunks.test)
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
  std::optional<unsigned> warpLoop = emitter.findWarpLoop();
  auto [position, lane] =
      beginPoints(builder, loc, name, extents, warpLoop ? warpThreads : 1);
  if (emitter.isNested())
    builder.getBlock()->getParent()->getParentOfType<gpu::LaunchOp>()->setAttr(
        NVVM::NVVMDialect::getMinctasmAttrName(),
        builder.getI32IntegerAttr(nestedBlocks));
  if (width > 1) {
    position.back() = arith::MulIOp::create(builder, loc, position.back(),
                                            makeIndex(builder, loc, width));
    emitElementwiseChunk(builder, cast<linalg::LinalgOp>(op), position, width);
  } else if (warpLoop) {
    emitter.emitPointOfWarp(builder, position, *warpLoop, lane);
  } else {
    emitter.emitPoint(builder, position);
  }
  op->erase();
}

/// Makes the group of ops that `first` begins one kernel, at its last one. What
/// is between them on the host touches no elements.
void KernelFormer::formGroup(Operation *first) {
  auto number = cast<ArrayAttr>(first->getAttr(kTogether));
  SmallVector<linalg::LinalgOp> ops;
  for (Operation *op = first; op; op = op->getNextNode())
    if (op->getAttr(kTogether) == number)
      ops.push_back(cast<linalg::LinalgOp>(op));
  Operation *last = ops.back(), *after = last->getNextNode();
  for (Operation *op = first; op != last;) {
    Operation *next = op->getNextNode();
    if (isa<memref::DeallocOp>(op))
      op->moveBefore(after);
    op = next;
  }
  formRows(builder, ops, cast<IntegerAttr>(number[1]).getInt(),
           nameFor("rows"));
}

void KernelFormer::visit(Region &region) {
  for (Block &block : region) {
    SmallVector<Operation *> groups;
    llvm::SmallDenseSet<Attribute> seen;
    for (Operation &op : block)
      if (Attribute group = op.getAttr(kTogether);
          group && seen.insert(group).second)
        groups.push_back(&op);
    for (Operation *first : groups)
      formGroup(first);
    for (Operation &op : llvm::make_early_inc_range(block)) {
      if (isa<gpu::LaunchOp>(op))
        continue;
      if (PointEmitter::canEmit(&op) || isCopy(&op))
        formPoints(&op);
      else if (isNest(&op))
        formNest(builder, &op, nameFor(op.getName().stripDialect()));
      else
        for (Region &inside : op.getRegions())
          visit(inside);
    }
  }
}

namespace {
struct FormKernelsPass : symshape::impl::FormKernelsPassBase<FormKernelsPass> {
  using FormKernelsPassBase::FormKernelsPassBase;

  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.isExternal() &&
          !function.getName().starts_with(hostHelperName))
        KernelFormer(function, wgmma).visit(function.getBody());
  }
};
} // namespace
