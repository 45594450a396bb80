//===- AffineChains.cpp - Affine maps that stay short ---------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AffineChains.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"

using namespace mlir;
using namespace mlir::symshape;
using namespace mlir::affine;

/// Operands and divisions of a map once it is composed with what makes its
/// operands, each as often as it stands there.
static constexpr unsigned maxLength = 32;
/// As many as this are composed wherever they are used.
static constexpr unsigned shortLength = 8;

namespace {
/// Measures a map, up to some number above `most`. It takes as many steps,
/// however many parts of the map are shared.
class MapLength {
public:
  explicit MapLength(unsigned most) : most(most) {}

  unsigned measure(AffineMap map, ValueRange operands) {
    for (AffineExpr result : map.getResults())
      add(result, map, operands);
    return length;
  }

  unsigned measure(Value operand) {
    addOperand(operand);
    return length;
  }

private:
  void addOperand(Value operand) {
    auto apply = operand.getDefiningOp<AffineApplyOp>();
    if (apply && !apply.getAffineMap().isConstant())
      add(apply.getAffineMap().getResult(0), apply.getAffineMap(),
          apply.getMapOperands());
    else
      ++length;
  }

  void add(AffineExpr expr, AffineMap map, ValueRange operands) {
    if (length > most)
      return;
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      return addOperand(operands[dim.getPosition()]);
    if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
      return addOperand(operands[map.getNumDims() + symbol.getPosition()]);
    auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
    if (!binary)
      return;
    add(binary.getLHS(), map, operands);
    add(binary.getRHS(), map, operands);
    // symshape-expand-divisions writes the dividend twice.
    if (expr.getKind() == AffineExprKind::CeilDiv)
      add(binary.getLHS(), map, operands);
    length += expr.getKind() != AffineExprKind::Add &&
              expr.getKind() != AffineExprKind::Mul;
  }

  unsigned most, length = 0;
};
} // namespace

/// What the result of an `affine.min` may not be: a dim of an affine loop or
/// access, unless it stands where every value is a symbol.
static bool mayBeCut(AffineApplyOp op) {
  return isTopLevelValue(op.getResult()) || !isValidDim(op.getResult());
}

namespace {
struct CutAffineChain : OpRewritePattern<AffineApplyOp> {
  explicit CutAffineChain(MLIRContext *context)
      : OpRewritePattern(context, /*benefit=*/100) {}

  /// Cuts behind the longest of what makes the operands.
  LogicalResult matchAndRewrite(AffineApplyOp op,
                                PatternRewriter &rewriter) const override {
    if (MapLength(maxLength).measure(op.getAffineMap(), op.getMapOperands()) <=
        maxLength)
      return failure();
    AffineApplyOp longest;
    unsigned most = shortLength;
    for (Value operand : op.getMapOperands()) {
      auto apply = operand.getDefiningOp<AffineApplyOp>();
      unsigned length = MapLength(maxLength).measure(operand);
      if (length > most && mayBeCut(apply)) {
        longest = apply;
        most = length;
      }
    }
    if (!longest)
      return failure();
    rewriter.setInsertionPoint(longest);
    rewriter.replaceOpWithNewOp<AffineMinOp>(longest, longest.getAffineMap(),
                                             longest.getMapOperands());
    return success();
  }
};
} // namespace

void symshape::populateAffineChainPatterns(RewritePatternSet &patterns) {
  patterns.add<CutAffineChain>(patterns.getContext());
}

bool symshape::mayBecomeApply(Operation *op) {
  AffineMap map = isa<AffineMinOp>(op) ? cast<AffineMinOp>(op).getMap()
                                       : cast<AffineMaxOp>(op).getMap();
  return isa<AffineMaxOp>(op) ||
         MapLength(shortLength).measure(map, op->getOperands()) <= shortLength;
}
