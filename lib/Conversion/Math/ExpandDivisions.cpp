//===- ExpandDivisions.cpp - Remainders by divisions ----------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLIR 22 declares arith.remsi, remui and floordivsi free of undefined
// behaviour, so its passes move them to where their divisor may be 0.
// arith.divsi and divui stay where they are. The others may stay if the
// divisor is a constant, and later analyses know what they compute. MLIR also
// expands the `ceildiv` of affine maps by way of -a, which wraps for the least
// a.
//
//===----------------------------------------------------------------------===//

#include "symshape/Conversion/Passes.h"
#include "symshape/Transforms/Canonicalizer.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Index/IR/IndexOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IntegerSet.h"
#include "llvm/ADT/TypeSwitch.h"

namespace mlir::symshape {
#define GEN_PASS_DEF_EXPANDDIVISIONSPASS
#include "symshape/Conversion/Passes.h.inc"
} // namespace mlir::symshape

using namespace mlir;

namespace {
/// a rem b = a - (a div b)*b, for the division that rounds as the remainder
/// does. Where the quotient overflows, so does the remainder.
template <typename RemOp, typename DivOp>
struct ExpandRemainder : OpRewritePattern<RemOp> {
  using OpRewritePattern<RemOp>::OpRewritePattern;
  LogicalResult matchAndRewrite(RemOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value quotient = DivOp::create(rewriter, loc, op.getLhs(), op.getRhs());
    Value product = arith::MulIOp::create(rewriter, loc, quotient, op.getRhs());
    rewriter.replaceOpWithNewOp<arith::SubIOp>(op, op.getLhs(), product);
    return success();
  }
};

template <typename Op>
Value createDivision(OpBuilder &b, Location loc, Value lhs, Value rhs) {
  return Op::create(b, loc, lhs, rhs);
}

/// a ceildiv b = a floordiv b + (a mod b + b - 1) floordiv b, for b > 0: the
/// last term is 1 if a remainder is left. No intermediate result is greater in
/// magnitude than a or 2*b.
AffineExpr withoutCeilDiv(AffineExpr expr) {
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return expr;
  AffineExpr a = withoutCeilDiv(binary.getLHS());
  AffineExpr b = withoutCeilDiv(binary.getRHS());
  // Checks keep such a division from being reached; it has no lowering.
  auto divisor = dyn_cast<AffineConstantExpr>(b);
  if (divisor && divisor.getValue() <= 0 &&
      llvm::is_contained({AffineExprKind::CeilDiv, AffineExprKind::FloorDiv,
                          AffineExprKind::Mod},
                         expr.getKind()))
    return getAffineConstantExpr(0, expr.getContext());
  if (expr.getKind() == AffineExprKind::CeilDiv)
    return a.floorDiv(b) + (a % b + b - 1).floorDiv(b);
  return getAffineBinaryOpExpr(expr.getKind(), a, b);
}

AffineMap withoutCeilDiv(AffineMap map) {
  SmallVector<AffineExpr> results = llvm::map_to_vector(
      map.getResults(), [](AffineExpr expr) { return withoutCeilDiv(expr); });
  return AffineMap::get(map.getNumDims(), map.getNumSymbols(), results,
                        map.getContext());
}

/// Upstream's own lowering of `index.ceildivs` wraps for the least index.
void useArith(Operation *root) {
  auto replace = [](auto op, auto make) {
    OpBuilder b(op);
    op.replaceAllUsesWith(make(b, op.getLoc(), op.getLhs(), op.getRhs()));
    op.erase();
  };
  root->walk([&](Operation *op) {
    llvm::TypeSwitch<Operation *>(op)
        .Case([&](index::CeilDivSOp op) {
          replace(op, createDivision<arith::CeilDivSIOp>);
        })
        .Case([&](index::CeilDivUOp op) {
          replace(op, createDivision<arith::CeilDivUIOp>);
        })
        .Case([&](index::FloorDivSOp op) {
          replace(op, createDivision<arith::FloorDivSIOp>);
        })
        .Case([&](index::RemSOp op) {
          replace(op, createDivision<arith::RemSIOp>);
        })
        .Case([&](index::RemUOp op) {
          replace(op, createDivision<arith::RemUIOp>);
        });
  });
}

/// The maps that upstream lowers to arithmetic.
void expandCeilDivs(Operation *root) {
  AttrTypeReplacer replacer;
  replacer.addReplacement([](AffineMapAttr map) -> Attribute {
    return AffineMapAttr::get(withoutCeilDiv(map.getValue()));
  });
  replacer.addReplacement([](IntegerSetAttr attr) -> Attribute {
    IntegerSet set = attr.getValue();
    SmallVector<AffineExpr> constraints =
        llvm::map_to_vector(set.getConstraints(), [](AffineExpr expr) {
          return withoutCeilDiv(expr);
        });
    return IntegerSetAttr::get(IntegerSet::get(
        set.getNumDims(), set.getNumSymbols(), constraints, set.getEqFlags()));
  });
  root->walk([&](Operation *op) {
    if (isa_and_nonnull<affine::AffineDialect>(op->getDialect()))
      replacer.replaceElementsIn(op);
  });
}

/// Whether no value makes the op trap, and it computes an extent or a position:
/// elements are computed in vectors, where divisions suit better.
bool isHarmless(Operation *op) {
  std::optional<int64_t> divisor = getConstantIntValue(op->getOperand(1));
  return divisor && *divisor != 0 && *divisor != -1 &&
         !op->getParentOfType<linalg::LinalgOp>();
}

struct ExpandDivisionsPass
    : symshape::impl::ExpandDivisionsPassBase<ExpandDivisionsPass> {
  void runOnOperation() override {
    useArith(getOperation());
    expandCeilDivs(getOperation());
    SmallVector<Operation *> ops;
    getOperation()->walk([&](Operation *op) {
      if (isa<arith::FloorDivSIOp, arith::RemSIOp, arith::RemUIOp>(op) &&
          !isa<TensorType>(op->getResult(0).getType()) && !isHarmless(op))
        ops.push_back(op);
    });
    RewritePatternSet patterns(&getContext());
    patterns.add<ExpandRemainder<arith::RemSIOp, arith::DivSIOp>,
                 ExpandRemainder<arith::RemUIOp, arith::DivUIOp>>(
        &getContext());
    arith::populateCeilFloorDivExpandOpsPatterns(patterns);
    applySoundPatterns(ops, std::move(patterns));
  }
};
} // namespace
