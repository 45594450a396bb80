//===- InvalidOps.cpp - Ops that static types show to be invalid ----------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InvalidOps.h"
#include "CastSources.h"
#include "StaticTypes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "symshape/IR/SymShape.h"

using namespace mlir;
using namespace mlir::symshape;

/// Whether a tensor that had one static extent is cast to another. Each cast of
/// the chain is valid by itself.
static bool isImpossible(tensor::CastOp cast) {
  auto type = dyn_cast<RankedTensorType>(cast.getType());
  Value source = cast.getSource();
  while (type) {
    auto known = dyn_cast<RankedTensorType>(source.getType());
    if (known && !mergeStatic(type, known))
      return true;
    auto before = source.getDefiningOp<tensor::CastOp>();
    if (!known || !before)
      return false;
    source = before.getSource();
  }
  return false;
}

/// Why `op` cannot run, alone; nullopt if it may.
static std::optional<std::string> findFault(Operation *op) {
  if (auto cast = dyn_cast<tensor::CastOp>(op)) {
    if (isImpossible(cast))
      return "a tensor has one extent and is taken for one of another";
    return std::nullopt;
  }
  std::string fault;
  ScopedDiagnosticHandler handler(op->getContext(), [&](Diagnostic &diag) {
    if (fault.empty())
      fault = diag.str();
  });
  if (succeeded(mlir::verify(op, /*verifyRecursively=*/false)))
    return std::nullopt;
  return fault;
}

/// Whether static types say that `op`, a structured op, visits no point.
static bool visitsNothing(linalg::LinalgOp op) {
  for (OpOperand &operand : op->getOpOperands())
    for (auto [expr, extent] :
         llvm::zip(op.getMatchingIndexingMap(&operand).getResults(),
                   op.getShape(&operand)))
      if (extent == 0 && isa<AffineDimExpr>(expr))
        return true;
  return false;
}

/// Whether `op`, which upstream's verifier refuses, may run and returns what it
/// writes to as it is: a window of no positions, for example, need not lie in
/// its image.
static bool returnsInits(Operation *op) {
  auto writes = dyn_cast<DestinationStyleOpInterface>(op);
  if (!writes || !writes.hasPureTensorSemantics())
    return false;
  auto structured = dyn_cast<linalg::LinalgOp>(op);
  auto isEmpty = [](Value value) {
    return llvm::is_contained(cast<ShapedType>(value.getType()).getShape(), 0);
  };
  return structured ? visitsNothing(structured)
                    : llvm::all_of(op->getResults(), isEmpty);
}

/// Fails wherever control gets there.
static void assertNever(OpBuilder builder, Location loc, StringRef message) {
  AssertOp::create(builder, loc, "0 == 1", {}, message);
}

/// Removes an insertion that does not verify: one of nothing, or into nothing,
/// has no effect, and any other could not have run.
static void removeInsertion(tensor::ParallelInsertSliceOp op,
                            const std::string &fault) {
  auto isEmpty = [](RankedTensorType type) {
    return llvm::is_contained(type.getShape(), 0);
  };
  // Beside it stand only ops of its kind.
  if (!isEmpty(op.getSourceType()) && !isEmpty(op.getDestType()))
    assertNever(OpBuilder(op->getParentOp()), op->getLoc(), fault);
  op->erase();
}

/// A tensor of any contents that nobody reads.
static Value createTensor(OpBuilder &builder, Location loc,
                          RankedTensorType type) {
  SmallVector<Value> sizes;
  for (int64_t d = 0, e = type.getNumDynamicDims(); d < e; ++d)
    sizes.push_back(arith::ConstantIndexOp::create(builder, loc, 0));
  return tensor::EmptyOp::create(builder, loc, type, sizes);
}

/// Canonicalization leaves casts where `op` would be refused without: a copy
/// that reads what they are of, null if there are none. If some extents are
/// open, also as sizes that are computed, the verifier may refuse it for want
/// of others: null, too.
static OwningOpRef<Operation *> cloneIfKnown(Operation *op) {
  auto isKnown = [](Value value) {
    auto type = dyn_cast<ShapedType>(skipCast(value).getType());
    return type ? type.hasStaticShape() : !value.getType().isIndex();
  };
  if (!isa<DestinationStyleOpInterface>(op) || isa<LoopLikeOpInterface>(op) ||
      !readsCasts(op) || !llvm::all_of(op->getOperands(), isKnown))
    return {};
  return cloneReadingSources(op);
}

void mlir::symshape::replaceInvalidOps(ModuleOp module) {
  SmallVector<Operation *> candidates;
  module.walk([&](Operation *op) {
    bool returnsTensors =
        op->getNumResults() != 0 &&
        llvm::all_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>);
    if ((returnsTensors || isa<tensor::ParallelInsertSliceOp>(op)) &&
        op->getParentOfType<func::FuncOp>())
      candidates.push_back(op);
  });
  for (Operation *op : candidates) {
    OwningOpRef<Operation *> copy = cloneIfKnown(op);
    Operation *known = copy ? *copy : op;
    std::optional<std::string> fault = findFault(known);
    if (!fault)
      continue;
    if (auto insertion = dyn_cast<tensor::ParallelInsertSliceOp>(op)) {
      removeInsertion(insertion, *fault);
      continue;
    }
    if (returnsInits(known)) {
      op->replaceAllUsesWith(
          cast<DestinationStyleOpInterface>(op).getDpsInits());
      op->erase();
      continue;
    }
    OpBuilder builder(op);
    assertNever(builder, op->getLoc(), *fault);
    for (Value result : op->getResults())
      result.replaceAllUsesWith(createTensor(
          builder, op->getLoc(), cast<RankedTensorType>(result.getType())));
    op->erase();
  }
}
