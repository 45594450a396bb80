//===- LowerStructuredOps.cpp - Structured ops to vector loops ------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which structured ops on memrefs become loops of vectors, and of what kind.
// Not for: the loops (VectorNest.cpp); contractions (LowerContractions), which
// are lowered before they reach memrefs.
//
//===----------------------------------------------------------------------===//

#include "symshape/Conversion/Passes.h"

#include "OneThread.h"
#include "SkipEmptyLoops.h"
#include "TransposeSquares.h"
#include "VectorChoice.h"
#include "VectorNest.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace mlir::symshape {
#define GEN_PASS_DEF_LOWERSTRUCTUREDOPSPASS
#include "symshape/Conversion/Passes.h.inc"
} // namespace mlir::symshape

using namespace mlir;
using namespace mlir::symshape;

/// Whether a part of a vector of each operand along `dim` is loaded and stored
/// by one instruction.
static bool hasBoundedVectors(linalg::GenericOp op, unsigned dim,
                              int64_t maskedBits) {
  return llvm::all_of(op->getOpOperands(), [&](OpOperand &operand) {
    Type type = getElementTypeOrSelf(operand.get().getType());
    int64_t bits = type.isIntOrFloat() ? type.getIntOrFloatBitWidth() : 64;
    return getAccess(op, operand, dim) != Access::Contiguous ||
           (maskedBits != 0 && bits >= maskedBits);
  });
}

/// Replaces a structured op on memrefs by vectorised loops; fails, without a
/// change, if its body or its maps do not allow it. `vectorBits` is the width
/// of a vector register in bits, at least 32; parts of vectors are loaded and
/// stored for elements of at least `maskedBits`, 0: for none. With `onThreads`
/// the outer dimensions run in an scf.parallel.
static LogicalResult lowerToVectorLoops(RewriterBase &rewriter,
                                        linalg::GenericOp op,
                                        int64_t vectorBits, int64_t maskedBits,
                                        bool onThreads) {
  if (!op.hasPureBufferSemantics() || !hasRegisterResults(op))
    return failure();
  for (OpOperand &operand : op->getOpOperands())
    if (isa<ShapedType>(operand.get().getType()) &&
        !isa<MemRefType>(operand.get().getType()))
      return failure();
  std::optional<unsigned> dim = chooseVectorDim(op);
  int64_t width = dim ? chooseVectorWidth(op, *dim, vectorBits) : 0;
  if (width <= 1)
    dim.reset();
  rewriter.setInsertionPoint(op);
  bool hasScalarTail = dim && (needsScalarTail(op, *dim) ||
                               !hasBoundedVectors(op, *dim, maskedBits));
  VectorNest nest(rewriter, op, dim, width, hasScalarTail);
  if (onThreads)
    nest.buildOnThreads();
  else
    nest.build();
  rewriter.eraseOp(op);
  return success();
}

namespace {
struct LowerStructuredOpsPass
    : symshape::impl::LowerStructuredOpsPassBase<LowerStructuredOpsPass> {
  using LowerStructuredOpsPassBase::LowerStructuredOpsPassBase;

  /// Copies between buffers of different layout become structured ops; the rest
  /// copy whole blocks of memory.
  void generalizeCopies(IRRewriter &rewriter) {
    SmallVector<memref::CopyOp> copies;
    getOperation()->walk([&](memref::CopyOp op) {
      auto isPlain = [](Value value) {
        auto type = dyn_cast<MemRefType>(value.getType());
        return !type || type.getLayout().isIdentity();
      };
      if (!isPlain(op.getSource()) || !isPlain(op.getTarget()))
        copies.push_back(op);
    });
    for (memref::CopyOp op : copies) {
      if (!isa<MemRefType>(op.getSource().getType()) ||
          !isa<MemRefType>(op.getTarget().getType()))
        continue;
      rewriter.setInsertionPoint(op);
      linalg::makeMemRefCopyOp(rewriter, op.getLoc(), op.getSource(),
                               op.getTarget());
      rewriter.eraseOp(op);
    }
  }

  void runOnOperation() override {
    if (vectorBits < 32) {
      emitError(getOperation()->getLoc())
          << "expected vector-bits of at least 32, but got "
          << int64_t(vectorBits);
      return signalPassFailure();
    }
    IRRewriter rewriter(&getContext());
    generalizeCopies(rewriter);
    SmallVector<linalg::LinalgOp> ops;
    getOperation()->walk([&](linalg::LinalgOp op) { ops.push_back(op); });
    for (linalg::LinalgOp op : ops) {
      if (!op.hasPureBufferSemantics())
        continue;
      auto generic = dyn_cast<linalg::GenericOp>(op.getOperation());
      bool onThreads = parallel && !runsOnOneThread(op);
      rewriter.setInsertionPoint(op);
      if (!generic) {
        FailureOr<linalg::GenericOp> general =
            linalg::generalizeNamedOp(rewriter, op);
        if (succeeded(general))
          generic = *general;
      }
      if (generic && vectorBits >= 128 && isTransposition(generic))
        transposeInSquares(rewriter, generic, vectorBits, onThreads);
      if (generic && succeeded(lowerToVectorLoops(rewriter, generic, vectorBits,
                                                  maskedBits, onThreads)))
        continue;
      auto remaining =
          generic ? cast<linalg::LinalgOp>(generic.getOperation()) : op;
      rewriter.setInsertionPoint(remaining);
      if (failed(linalg::linalgOpToLoops(rewriter, remaining))) {
        remaining->emitOpError("expected an op that loops can express");
        return signalPassFailure();
      }
      rewriter.eraseOp(remaining);
    }
    skipEmptyLoops(getOperation());
  }
};
} // namespace
