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
using namespace mlir::symshape;

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

bool hasCeilDiv(AffineExpr expr) {
  return expr
      .walk([](AffineExpr e) {
        return WalkResult(failure(e.getKind() == AffineExprKind::CeilDiv));
      })
      .wasInterrupted();
}

/// Makes ops of dividends that are roundings themselves: written twice each,
/// they would make the map double with each that is within another.
class NamedDividends {
public:
  NamedDividends(OpBuilder &b, Location loc, AffineMap map, ValueRange operands)
      : b(b), loc(loc), map(map),
        dims(operands.take_front(map.getNumDims()).begin(),
             operands.take_front(map.getNumDims()).end()),
        symbols(operands.drop_front(map.getNumDims())) {}

  AffineMap name() {
    SmallVector<AffineExpr> results = llvm::map_to_vector(
        map.getResults(), [&](AffineExpr e) { return name(e); });
    return getMap(results);
  }

  SmallVector<Value> getOperands() const {
    SmallVector<Value> all(dims);
    llvm::append_range(all, symbols);
    return all;
  }

private:
  AffineMap getMap(ArrayRef<AffineExpr> results) const {
    return AffineMap::get(dims.size(), symbols.size(), results, b.getContext());
  }

  AffineExpr name(AffineExpr expr) {
    auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
    if (!binary)
      return expr;
    if (AffineExpr known = named.lookup(expr))
      return known;
    AffineExpr lhs = name(binary.getLHS()), rhs = name(binary.getRHS());
    if (expr.getKind() == AffineExprKind::CeilDiv && hasCeilDiv(lhs)) {
      dims.push_back(
          affine::AffineApplyOp::create(b, loc, getMap({lhs}), getOperands()));
      lhs = b.getAffineDimExpr(dims.size() - 1);
    }
    return named[expr] = getAffineBinaryOpExpr(expr.getKind(), lhs, rhs);
  }

  OpBuilder &b;
  Location loc;
  AffineMap map;
  SmallVector<Value> dims;
  ValueRange symbols;
  DenseMap<AffineExpr, AffineExpr> named;
};

template <typename Op>
void nameDividends(Op op) {
  OpBuilder b(op);
  NamedDividends dividends(b, op.getLoc(), op.getMap(), op.getOperands());
  AffineMap map = dividends.name();
  if (dividends.getOperands().size() == op->getNumOperands())
    return;
  op.replaceAllUsesWith(
      Op::create(b, op.getLoc(), map, dividends.getOperands()).getResult());
  op.erase();
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
  root->walk([](Operation *op) {
    llvm::TypeSwitch<Operation *>(op)
        .Case<affine::AffineApplyOp, affine::AffineMinOp, affine::AffineMaxOp>(
            [](auto op) { nameDividends(op); });
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
