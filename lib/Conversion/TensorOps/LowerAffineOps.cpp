//===- LowerAffineOps.cpp - Affine ops by arithmetic that wraps -----------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All affine ops of a function or none: the counter of an scf.for cannot be a
// dim of an affine map, so affine ops inside a loop are lowered with it.
//
//===----------------------------------------------------------------------===//

#include "symshape/Conversion/Passes.h"
#include "symshape/Transforms/Canonicalizer.h"

#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Affine/Transforms/Transforms.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "symshape/IR/Places.h"

namespace mlir::symshape {
#define GEN_PASS_DEF_LOWERAFFINEOPSPASS
#include "symshape/Conversion/Passes.h.inc"
} // namespace mlir::symshape

using namespace mlir;
using namespace mlir::symshape;

/// Whether the result of an affine loop or branch inside is a tensor or memref.
static bool carriesArrays(Operation *root) {
  return root
      ->walk([](Operation *op) {
        return WalkResult(
            failure(isa<affine::AffineForOp, affine::AffineIfOp>(op) &&
                    llvm::any_of(op->getResultTypes(),
                                 llvm::IsaPred<TensorType, BaseMemRefType>)));
      })
      .wasInterrupted();
}

/// MLIR rewrites `(a mod 2) * -2` as `a * -2 + (a floordiv 2) * 4`, and then
/// says that no product overflows. The sum is right even if they do.
static void letProductsWrap(Operation *root,
                            const DenseSet<Operation *> &except) {
  root->walk([&](arith::MulIOp op) {
    if (!except.contains(op))
      op.setOverflowFlags(arith::IntegerOverflowFlags::none);
  });
}

/// Upstream knows what each reduction begins with but one, and crashes on that.
static LogicalResult verifyReductions(affine::AffineParallelOp op) {
  for (Attribute kind : op.getReductions())
    if (arith::symbolizeAtomicRMWKind(cast<IntegerAttr>(kind).getInt()) ==
        arith::AtomicRMWKind::assign)
      return symshape::findPlaced(op)->emitError()
             << "expected reductions that begin with a number, but got "
                "'assign'";
  return success();
}

/// Without dimensions the body runs once; upstream makes an invalid loop of it.
static void inlineIfSingle(RewriterBase &b, affine::AffineParallelOp op) {
  if (op.getNumDims() != 0)
    return;
  Operation *yield = op.getBody()->getTerminator();
  b.inlineBlockBefore(op.getBody(), op);
  b.replaceOp(op, yield->getOperands());
  b.eraseOp(yield);
}

namespace {
struct LowerAffineOpsPass
    : symshape::impl::LowerAffineOpsPassBase<LowerAffineOpsPass> {
  using LowerAffineOpsPassBase::LowerAffineOpsPassBase;

  void runOnOperation() override {
    SmallVector<Operation *> functions;
    getOperation()->walk(
        [&](FunctionOpInterface function) { functions.push_back(function); });
    auto verified = getOperation()->walk([](affine::AffineParallelOp op) {
      return WalkResult(verifyReductions(op));
    });
    if (verified.wasInterrupted())
      return signalPassFailure();
    for (Operation *function : functions)
      if (!onlyIfArrays || carriesArrays(function))
        lower(function);
  }

  void lower(Operation *function) {
    DenseSet<Operation *> before;
    function->walk([&](arith::MulIOp op) { before.insert(op); });
    IRRewriter b(&getContext());
    function->walk([&](affine::AffineParallelOp op) { inlineIfSingle(b, op); });
    RewritePatternSet patterns(&getContext());
    populateAffineToStdConversionPatterns(patterns);
    populateAffineToVectorConversionPatterns(patterns);
    affine::populateAffineExpandIndexOpsPatterns(patterns);
    ConversionTarget target(getContext());
    target.addLegalDialect<arith::ArithDialect, memref::MemRefDialect,
                           scf::SCFDialect, vector::VectorDialect>();
    // Upstream tells an error of a division by 0, and goes on.
    bool isRefused = false;
    ScopedDiagnosticHandler errors(&getContext(), [&](Diagnostic &diagnostic) {
      isRefused |= diagnostic.getSeverity() == DiagnosticSeverity::Error;
      return failure();
    });
    if (failed(symshape::applySoundConversion(function, target,
                                              std::move(patterns))) ||
        isRefused)
      return signalPassFailure();
    letProductsWrap(function, before);
  }
};
} // namespace
