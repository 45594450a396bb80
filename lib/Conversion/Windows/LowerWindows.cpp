//===- LowerWindows.cpp - Convolutions and pooling on buffers -------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds which fill and which elementwise op belong to a reduction over windows:
// ops in between must not touch their buffers. The loops are built in
// WindowNest.cpp.
//
//===----------------------------------------------------------------------===//

#include "symshape/Conversion/Passes.h"

#include "Vectors/PayloadEmitter.h"
#include "WindowNest.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

namespace mlir::symshape {
#define GEN_PASS_DEF_LOWERWINDOWSPASS
#include "symshape/Conversion/Passes.h.inc"
} // namespace mlir::symshape

using namespace mlir;
using namespace mlir::symshape;

/// The buffer that `memref` is a view of.
static Value bufferOf(Value memref) {
  while (auto view = memref.getDefiningOp<ViewLikeOpInterface>())
    memref = view.getViewSource();
  return memref;
}

/// Whether the two may share an element: allocations are apart from each other
/// and from what the function is given.
static bool mayAlias(Value a, Value b) {
  a = bufferOf(a);
  b = bufferOf(b);
  auto isAlloc = [](Value v) { return v.getDefiningOp<memref::AllocOp>(); };
  auto isGiven = [](Value v) {
    auto argument = dyn_cast<BlockArgument>(v);
    return argument && isa<func::FuncOp>(argument.getOwner()->getParentOp());
  };
  if (a == b)
    return true;
  return !((isAlloc(a) && (isAlloc(b) || isGiven(b))) ||
           (isAlloc(b) && isGiven(a)));
}

/// Whether an op, or one inside it, may access the buffer of `memref`.
static bool mayTouch(Operation *op, Value memref) {
  WalkResult result = op->walk([&](Operation *inner) {
    if (isMemoryEffectFree(inner) || isa<memref::AllocOp>(inner))
      return WalkResult::advance();
    for (Value operand : inner->getOperands())
      if (isa<BaseMemRefType>(operand.getType()) && mayAlias(operand, memref))
        return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return result.wasInterrupted();
}

/// Whether an op between `from` and `to`, of one block, may access one of the
/// buffers.
static bool isTouchedBetween(Operation *from, Operation *to,
                             ArrayRef<Value> buffers) {
  for (Operation *op = from->getNextNode(); op != to; op = op->getNextNode())
    for (Value buffer : buffers)
      if (mayTouch(op, buffer))
        return true;
  return false;
}

/// The fill that gives `op` its initial value.
static linalg::FillOp findFill(linalg::GenericOp op) {
  Value result = op.getDpsInits().front();
  for (Operation *user : result.getUsers()) {
    auto fill = dyn_cast<linalg::FillOp>(user);
    if (fill && fill->getBlock() == op->getBlock() &&
        fill->isBeforeInBlock(op) && !isTouchedBetween(fill, op, result))
      return fill;
  }
  return nullptr;
}

/// Whether each element that `epilogue` computes needs only one element of the
/// result of `op`, in vectors along the same dimension.
static bool isElementwiseOn(linalg::GenericOp epilogue, linalg::GenericOp op,
                            unsigned vectorDim) {
  AffineMap result = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  if (epilogue.getNumReductionLoops() != 0 || epilogue.hasIndexSemantics() ||
      !epilogue.hasPureBufferSemantics() || !isVectorizableBody(epilogue) ||
      !result.isProjectedPermutation())
    return false;
  AffineMap read;
  for (OpOperand &operand : epilogue->getOpOperands()) {
    if (operand.get() != op.getDpsInits().front())
      continue;
    AffineMap map = epilogue.getMatchingIndexingMap(&operand);
    if (!map.isPermutation() || (read && read != map))
      return false;
    read = map;
  }
  // The result's last dimension is the one in vectors.
  unsigned dim = read.getDimPosition(read.getNumResults() - 1);
  return result.getDimPosition(result.getNumResults() - 1) == vectorDim &&
         !needsScalarTail(epilogue, dim);
}

/// Whether nothing but these ops needs what the buffer holds.
static bool isUsedOnlyBy(Value buffer, ArrayRef<Operation *> ops) {
  return buffer.getDefiningOp<memref::AllocOp>() &&
         llvm::all_of(buffer.getUsers(), [&](Operation *user) {
           return isa<memref::DimOp>(user) || is_contained(ops, user);
         });
}

/// Whether computing `epilogue` tile by tile with `op` gives the same.
static bool canAbsorb(linalg::GenericOp epilogue, const WindowGroup &group) {
  linalg::GenericOp op = group.op;
  Value result = op.getDpsInits().front();
  for (OpOperand *input : epilogue.getDpsInputOperands())
    if (input->get() != result && isa<MemRefType>(input->get().getType()) &&
        mayAlias(input->get(), result))
      return false;
  for (Value target : epilogue.getDpsInits()) {
    if (target != result && (mayAlias(target, result) ||
                             !isUsedOnlyBy(result, {group.fill, op, epilogue})))
      return false;
    for (Value input : op.getDpsInputs())
      if (isa<MemRefType>(input.getType()) && mayAlias(input, target))
        return false;
  }
  SmallVector<Value> buffers{result};
  for (Value input : op.getDpsInputs())
    if (isa<MemRefType>(input.getType()))
      buffers.push_back(input);
  return !isTouchedBetween(op, epilogue, buffers);
}

/// The elementwise op that is the next to use the result.
static linalg::GenericOp findEpilogue(const WindowGroup &group,
                                      const WindowTiling &tiling) {
  linalg::GenericOp op = group.op, first;
  Value result = op.getDpsInits().front();
  for (OpOperand &use : result.getUses()) {
    auto user = dyn_cast<linalg::GenericOp>(use.getOwner());
    if (!user || user->getBlock() != op->getBlock() ||
        !op->isBeforeInBlock(user) || !user.isDpsInput(&use))
      continue;
    if (!first || user->isBeforeInBlock(first))
      first = user;
  }
  if (first && isElementwiseOn(first, op, tiling.vectorDim) &&
      canAbsorb(first, group))
    return first;
  return nullptr;
}

namespace {
struct LowerWindowsPass
    : symshape::impl::LowerWindowsPassBase<LowerWindowsPass> {
  using LowerWindowsPassBase::LowerWindowsPassBase;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<linalg::GenericOp> ops;
    // Absorbed ops have no reductions, so none of these is absorbed.
    getOperation()->walk([&](linalg::GenericOp op) {
      if (op.getNumReductionLoops() > 0)
        ops.push_back(op);
    });
    for (linalg::GenericOp op : ops) {
      if (auto tiling = chooseWindowTiling(op, vectorBits, vectorRegisters)) {
        tiling->fma = fma;
        tiling->parallel = parallel;
        lower(rewriter, op, *tiling);
      }
    }
  }

  void lower(IRRewriter &rewriter, linalg::GenericOp op,
             const WindowTiling &tiling) {
    WindowGroup group;
    group.op = op;
    group.fill = findFill(op);
    group.epilogue = findEpilogue(group, tiling);
    rewriter.setInsertionPoint(group.epilogue ? group.epilogue : op);
    buildWindowNest(rewriter, group, tiling);
    if (group.epilogue)
      rewriter.eraseOp(group.epilogue);
    rewriter.eraseOp(op);
    if (group.fill)
      rewriter.eraseOp(group.fill);
  }
};
} // namespace
