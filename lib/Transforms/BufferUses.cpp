//===- BufferUses.cpp - What is done with a buffer ------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BufferUses.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "symshape/IR/SymShape.h"

using namespace mlir;
using namespace mlir::symshape;

bool mlir::symshape::isBufferView(Operation *op) {
  return isa<memref::AssumeAlignmentOp, memref::CastOp, memref::CollapseShapeOp,
             memref::ExpandShapeOp, memref::MemorySpaceCastOp,
             memref::ReinterpretCastOp, memref::ReshapeOp, memref::SubViewOp,
             memref::TransposeOp, memref::ViewOp, BindShapeOp>(op);
}

bool mlir::symshape::isBufferAccess(Operation *op) {
  if (isa<memref::AtomicRMWOp, memref::CopyOp, memref::DimOp,
          memref::GenericAtomicRMWOp, memref::LoadOp, memref::PrefetchOp,
          memref::RankOp, memref::StoreOp>(op))
    return true;
  if (isa<affine::AffineLoadOp, affine::AffineStoreOp,
          affine::AffineVectorLoadOp, affine::AffineVectorStoreOp,
          affine::AffinePrefetchOp>(op))
    return true;
  return (isa_and_nonnull<linalg::LinalgDialect, vector::VectorDialect>(
              op->getDialect()) ||
          isa<DestinationStyleOpInterface>(op)) &&
         !op->hasTrait<OpTrait::IsTerminator>() &&
         llvm::none_of(op->getResultTypes(),
                       [](Type type) { return isa<BaseMemRefType>(type); });
}

bool mlir::symshape::isStored(OpOperand &use) {
  auto store = dyn_cast<memref::StoreOp>(use.getOwner());
  auto affineStore = dyn_cast<affine::AffineStoreOp>(use.getOwner());
  return (store && &use == &store.getValueMutable()) ||
         (affineStore && affineStore.getValueToStore() == use.get());
}

bool mlir::symshape::runsInPlace(Operation *op) {
  return isa_and_nonnull<affine::AffineDialect, linalg::LinalgDialect,
                         memref::MemRefDialect, scf::SCFDialect,
                         vector::VectorDialect>(op->getDialect());
}

/// Whether the ops between `op` and the block of `value` have ended when the
/// next op of that block runs.
static bool endsBeforeNext(Operation *op, Value value) {
  for (Operation *outer = op; outer->getBlock() != value.getParentBlock();) {
    outer = outer->getParentOp();
    if (!runsInPlace(outer))
      return false;
  }
  return true;
}

// Each value is visited once, so it ends for recursive functions too.
BufferUses mlir::symshape::findBufferUses(Value buffer) {
  struct Alias {
    Value value;
    bool isInCallee;
  };
  BufferUses result;
  SmallVector<Alias> work{{buffer, false}};
  llvm::DenseSet<Value> seen;
  while (!work.empty()) {
    auto [value, isInCallee] = work.pop_back_val();
    if (!seen.insert(value).second)
      continue;
    for (OpOperand &use : value.getUses()) {
      Operation *op = use.getOwner();
      result.escape = op;
      auto dealloc = dyn_cast<memref::DeallocOp>(op);
      if (!endsBeforeNext(op, value) || (dealloc && isInCallee))
        return result;
      if (dealloc) {
        result.deallocations.push_back(dealloc);
      } else if (isBufferView(op)) {
        work.push_back({op->getResult(0), isInCallee});
      } else if (auto call = dyn_cast<func::CallOp>(op)) {
        auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
            call, call.getCalleeAttr());
        if (!callee || callee.isExternal())
          return result;
        work.push_back({callee.getArgument(use.getOperandNumber()), true});
      } else if (!isBufferAccess(op) || isStored(use)) {
        return result;
      }
      result.escape = nullptr;
    }
  }
  return result;
}
