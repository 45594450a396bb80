//===- AffineRules.cpp - Shape rules of affine ----------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Maps of indices, loops and branches over them. Affine arithmetic does not
// wrap.
//
//===----------------------------------------------------------------------===//

#include "LoopRules.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/IR/IntegerSet.h"
#include "symshape/Extensions/AllExtensions.h"

using namespace mlir;
using namespace mlir::symshape;
using namespace mlir::affine;

namespace {
/// Requires divisors to be positive.
void requireDivisors(ShapeFacts &facts, AffineExpr root, ArrayRef<Expr> dims,
                     ArrayRef<Expr> symbols) {
  root.walk([&](AffineExpr e) {
    auto binary = dyn_cast<AffineBinaryOpExpr>(e);
    bool divides = e.getKind() == AffineExprKind::FloorDiv ||
                   e.getKind() == AffineExprKind::CeilDiv ||
                   e.getKind() == AffineExprKind::Mod;
    if (binary && divides)
      facts.require(Relation::ge(facts.apply(binary.getRHS(), dims, symbols),
                                 facts.constant(1)),
                    "divisor");
  });
}

/// The results of `map` at `operands`.
SmallVector<Expr> applyMap(ShapeFacts &facts, AffineMap map,
                           ValueRange operands) {
  SmallVector<Expr> values, results;
  for (Value operand : operands)
    values.push_back(facts.value(operand));
  ArrayRef<Expr> all(values);
  ArrayRef<Expr> dims = all.take_front(map.getNumDims());
  ArrayRef<Expr> symbols = all.drop_front(map.getNumDims());
  for (AffineExpr e : map.getResults()) {
    requireDivisors(facts, e, dims, symbols);
    results.push_back(facts.apply(e, dims, symbols));
  }
  return results;
}

void applyRule(AffineApplyOp op, ShapeFacts &facts) {
  facts.setValue(op.getResult(),
                 applyMap(facts, op.getAffineMap(), op.getMapOperands())[0]);
}

void minRule(AffineMinOp op, ShapeFacts &facts) {
  facts.setValue(op.getResult(), facts.arena().min(applyMap(facts, op.getMap(),
                                                            op.getOperands())));
}

void maxRule(AffineMaxOp op, ShapeFacts &facts) {
  facts.setValue(op.getResult(), facts.arena().max(applyMap(facts, op.getMap(),
                                                            op.getOperands())));
}

/// `disjoint` says that indices are within the basis, except that the outermost
/// may be negative: foldings rely on it, and so it is checked.
void requireDigits(AffineLinearizeIndexOp op, ShapeFacts &facts) {
  if (!op.getDisjoint())
    return;
  SmallVector<OpFoldResult> basis = op.getMixedBasis();
  size_t skipped = op.getMultiIndex().size() - basis.size();
  for (auto [i, extent] : llvm::enumerate(basis)) {
    Expr index = facts.value(op.getMultiIndex()[i + skipped]);
    facts.require(Relation::lt(index, facts.value(extent)), "index");
    if (i + skipped > 0)
      facts.require(Relation::ge(index, facts.constant(0)), "index");
  }
}

/// The linear index of a position; the basis may leave out the outermost
/// extent.
void linearizeRule(AffineLinearizeIndexOp op, ShapeFacts &facts) {
  SmallVector<OpFoldResult> basis = op.getMixedBasis();
  Expr linear = facts.constant(0);
  size_t skipped = op.getMultiIndex().size() - basis.size();
  for (auto [i, index] : llvm::enumerate(op.getMultiIndex())) {
    if (i > 0 && i >= skipped)
      linear = linear * facts.value(basis[i - skipped]);
    linear = linear + facts.value(index);
  }
  requireDigits(op, facts);
  // An overflow of the sum is undefined, as for other affine ops.
  facts.setValue(op.getResult(), linear);
}

/// The position of a linear index. With exact integers and extents >= 1,
/// (x mod (b * c)) floordiv c is (x floordiv c) mod b, so the digits are split
/// off from the innermost on; the outermost is what is left.
void delinearizeRule(AffineDelinearizeIndexOp op, ShapeFacts &facts) {
  Expr rest = facts.value(op.getLinearIndex());
  SmallVector<OpFoldResult> basis = op.getEffectiveBasis();
  for (size_t i = basis.size(); i > 0; --i) {
    Expr extent = facts.value(basis[i - 1]);
    facts.require(Relation::ge(extent, facts.constant(1)), "basis");
    facts.setValue(op.getMultiIndex()[i], facts.arena().mod(rest, extent));
    rest = facts.arena().floorDiv(rest, extent);
  }
  facts.setValue(op.getMultiIndex()[0], rest);
  // Not used to compute, but foldings rely on what it says of the linear index.
  if (op.hasOuterBound()) {
    facts.require(Relation::lt(rest, facts.value(op.getMixedBasis().front())),
                  "linear index");
    facts.require(Relation::ge(rest, facts.constant(0)), "linear index");
  }
}

void forRule(AffineForOp op, ShapeFacts &facts) {
  Expr lower = facts.arena().max(
      applyMap(facts, op.getLowerBoundMap(), op.getLowerBoundOperands()));
  Expr upper = facts.arena().min(
      applyMap(facts, op.getUpperBoundMap(), op.getUpperBoundOperands()));
  countedLoopRule(facts,
                  {op.getInits(), llvm::to_vector(op.getRegionIterArgs()),
                   op.getYieldedValues(), op.getResults(), Expr(), Expr(),
                   Value(), Expr(), Expr()},
                  op.getRegion(), lower, upper,
                  facts.constant(op.getStep().getSExtValue()));
}

void parallelRule(AffineParallelOp op, ShapeFacts &facts) {
  Formula isReached = Formula::truth(true);
  for (auto [i, iv] : llvm::enumerate(op.getIVs())) {
    Expr lower = facts.arena().max(
        applyMap(facts, op.getLowerBoundMap(i), op.getLowerBoundsOperands()));
    Expr upper = facts.arena().min(
        applyMap(facts, op.getUpperBoundMap(i), op.getUpperBoundsOperands()));
    isReached = Formula::conj(
        isReached, setLoopVariable(facts, iv, lower, upper,
                                   facts.constant(op.getSteps()[i])));
  }
  facts.visitRegion(op.getRegion(), isReached);
}

void ifRule(AffineIfOp op, ShapeFacts &facts) {
  IntegerSet set = op.getIntegerSet();
  SmallVector<Expr> values;
  for (Value operand : op.getOperands())
    values.push_back(facts.value(operand));
  ArrayRef<Expr> all(values);
  Formula condition = Formula::truth(true);
  for (auto [i, e] : llvm::enumerate(set.getConstraints())) {
    ArrayRef<Expr> dims = all.take_front(set.getNumDims());
    ArrayRef<Expr> symbols = all.drop_front(set.getNumDims());
    requireDivisors(facts, e, dims, symbols);
    Expr lhs = facts.apply(e, dims, symbols);
    Expr zero = facts.constant(0);
    condition = Formula::conj(condition, set.isEq(i) ? Relation::eq(lhs, zero)
                                                     : Relation::ge(lhs, zero));
  }
  facts.visitRegion(op.getThenRegion(), condition);
  if (op.getElseRegion().empty())
    return;
  facts.visitRegion(op.getElseRegion(), Formula::negate(condition));
  Operation *thenYield = op.getThenBlock()->getTerminator();
  Operation *elseYield = op.getElseBlock()->getTerminator();
  for (auto [result, a, b] : llvm::zip(
           op.getResults(), thenYield->getOperands(), elseYield->getOperands()))
    if (hasIntegerValue(result.getType()) || isRankedShaped(result.getType()))
      facts.setJoin(result, condition, a, b);
}

/// An access at the results of a map; that of a vector, along the last
/// dimensions.
template <typename OpTy>
void accessRule(OpTy op, ShapeFacts &facts) {
  SmallVector<Expr> indices =
      applyMap(facts, op.getAffineMap(), op.getMapOperands());
  SmallVector<int64_t> counts(indices.size(), 1);
  if constexpr (llvm::is_one_of<OpTy, AffineVectorLoadOp,
                                AffineVectorStoreOp>::value)
    llvm::copy(op.getVectorType().getShape(),
               counts.end() - op.getVectorType().getRank());
  for (auto [d, index, count] : llvm::enumerate(indices, counts))
    facts.require(Formula::conj(Relation::ge(index, facts.constant(0)),
                                Relation::le(index + count,
                                             facts.dim(op.getMemRef(), d))),
                  "index of dimension " + Twine(d));
}
} // namespace

void symshape::registerAffineRules(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, AffineDialect *) {
    attachRule<AffineApplyOp, applyRule>(context);
    attachRule<AffineDelinearizeIndexOp, delinearizeRule>(context);
    attachRule<AffineForOp, forRule>(context);
    attachRule<AffineIfOp, ifRule>(context);
    attachRule<AffineLinearizeIndexOp, linearizeRule>(context);
    attachRule<AffineLoadOp, accessRule<AffineLoadOp>>(context);
    attachRule<AffineMaxOp, maxRule>(context);
    attachRule<AffineMinOp, minRule>(context);
    attachRule<AffineParallelOp, parallelRule>(context);
    attachRule<AffineStoreOp, accessRule<AffineStoreOp>>(context);
    attachRule<AffineVectorLoadOp, accessRule<AffineVectorLoadOp>>(context);
    attachRule<AffineVectorStoreOp, accessRule<AffineVectorStoreOp>>(context);
  });
}
