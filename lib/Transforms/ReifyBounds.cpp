//===- ReifyBounds.cpp - Bounds of values in the IR -----------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See ReifyBounds.h.
//
//===----------------------------------------------------------------------===//

#include "symshape/Transforms/ReifyBounds.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "symshape/Expr/Integers.h"
#include "symshape/IR/AffineExprs.h"
#include "symshape/Transforms/ExprEmitter.h"

using namespace mlir;
using namespace mlir::symshape;

//===----------------------------------------------------------------------===//
// Emission
//===----------------------------------------------------------------------===//

namespace {
/// Emits one bound as index values.
class BoundEmitter {
public:
  BoundEmitter(OpBuilder &builder, Location loc, ValueBounds &bounds,
               const SymbolicBound &bound)
      : builder(builder), loc(loc), bounds(bounds),
        meaning(bound.operands.begin(), bound.operands.end()),
        arith(
            builder, loc, [this](Expr symbol) { return valueOf(symbol); },
            [this](Expr symbol) { return rangeOf(symbol); }) {}

  Value emitArith(Expr e) { return arith.emitIndex(e); }
  /// Every part of `e`, its constants included, fits 64 bits.
  Value emitAffine(Expr e);

private:
  Value valueOf(Expr symbol);
  symshape::Range rangeOf(Expr symbol);
  AffineExpr dimOf(Value value, SmallVectorImpl<Value> &operands);
  AffineExpr toAffine(Expr e, SmallVectorImpl<Value> &operands);

  OpBuilder &builder;
  Location loc;
  ValueBounds &bounds;
  DenseMap<Expr, ValueDim> meaning;
  DenseMap<Expr, Value> values;
  ExprEmitter arith;
};
} // namespace

Value BoundEmitter::valueOf(Expr symbol) {
  Value &value = values[symbol];
  if (value)
    return value;
  auto [source, dim] = meaning.lookup(symbol);
  if (!dim)
    value = source;
  else if (isa<MemRefType>(source.getType()))
    value = memref::DimOp::create(builder, loc, source, *dim);
  else
    value = builder.createOrFold<tensor::DimOp>(loc, source, *dim);
  return value;
}

/// The range known where the value is computed: wider than at the place that
/// the bound is for, which control may not reach.
symshape::Range BoundEmitter::rangeOf(Expr symbol) {
  ValueDim place = meaning.lookup(symbol);
  Block *block = builder.getInsertionBlock();
  if (builder.getInsertionPoint() != block->end())
    return bounds.range(&*builder.getInsertionPoint(), place);
  return place.second ? symshape::Range::between(0, INT64_MAX)
                      : symshape::Range::between(INT64_MIN, INT64_MAX);
}

AffineExpr BoundEmitter::dimOf(Value value, SmallVectorImpl<Value> &operands) {
  if (!value.getType().isIndex())
    value =
        arith::IndexCastOp::create(builder, loc, builder.getIndexType(), value);
  size_t position = llvm::find(operands, value) - operands.begin();
  if (position == operands.size())
    operands.push_back(value);
  return builder.getAffineDimExpr(position);
}

AffineExpr BoundEmitter::toAffine(Expr e, SmallVectorImpl<Value> &operands) {
  return toAffineExpr(e, builder.getContext(), [&](Expr monomial) {
    Atom atom = monomial.asAtom();
    if (atom && atom.kind() == AtomKind::Symbol)
      return dimOf(valueOf(monomial), operands);
    bool isAffineOp =
        atom && (atom.kind() == AtomKind::Min || atom.kind() == AtomKind::Max);
    return dimOf(isAffineOp ? emitAffine(monomial) : emitArith(monomial),
                 operands);
  });
}

Value BoundEmitter::emitAffine(Expr e) {
  Atom atom = e.asAtom();
  if (atom && atom.kind() == AtomKind::Symbol && valueOf(e).getType().isIndex())
    return valueOf(e);
  bool isMin = atom && atom.kind() == AtomKind::Min;
  bool isMax = atom && atom.kind() == AtomKind::Max;
  SmallVector<Value> operands;
  SmallVector<AffineExpr> results;
  if (isMin || isMax)
    for (Expr operand : atom.operands())
      results.push_back(toAffine(operand, operands));
  else
    results.push_back(toAffine(e, operands));
  AffineMap map =
      AffineMap::get(operands.size(), 0, results, builder.getContext());
  if (isMin)
    return affine::AffineMinOp::create(builder, loc, map, operands);
  if (isMax)
    return affine::AffineMaxOp::create(builder, loc, map, operands);
  return affine::AffineApplyOp::create(builder, loc, map, operands);
}

//===----------------------------------------------------------------------===//
// Reification
//===----------------------------------------------------------------------===//

/// Whether an op at the insertion point may use the value.
static bool isAvailable(Value value, OpBuilder &builder,
                        DominanceInfo &dominance) {
  Block *home = value.getParentBlock(), *block = builder.getInsertionBlock();
  if (Operation *def = value.getDefiningOp())
    return dominance.properlyDominates(home, def->getIterator(), block,
                                       builder.getInsertionPoint(),
                                       /*enclosingOk=*/false);
  return dominance.dominates(home, block);
}

/// Whether the coefficients and divisors of `e` fit 64 bits, at any depth.
static bool hasSmallConstants(Expr e) {
  SmallVector<Expr> open{e};
  while (!open.empty()) {
    Expr next = open.pop_back_val();
    for (const Expr::Term &term : next.terms()) {
      if (!tryInt64(term.coefficient))
        return false;
      for (const auto &power : term.powers)
        llvm::append_range(open, power.first.operands());
    }
  }
  return true;
}

/// The bounds as one: each is right, so the least, or greatest, of all is.
static SymbolicBound combine(ArrayRef<SymbolicBound> found,
                             ValueBounds::BoundType type) {
  SymbolicBound result = found.front();
  SmallVector<Expr> exprs{result.expr};
  for (const SymbolicBound &bound : found.drop_front()) {
    exprs.push_back(bound.expr);
    for (const auto &operand : bound.operands)
      if (!llvm::is_contained(result.operands, operand))
        result.operands.push_back(operand);
    result.fits &= bound.fits;
  }
  ExprArena &arena = result.expr.arena();
  if (exprs.size() > 1)
    result.expr = type == ValueBounds::BoundType::UB ? arena.min(exprs)
                                                     : arena.max(exprs);
  return result;
}

FailureOr<OpFoldResult>
symshape::reifyBound(OpBuilder &builder, Location loc, ValueBounds &bounds,
                     Operation *place, ValueBounds::BoundType type,
                     const Quantity &q, const SymbolicBound &bound,
                     ReifyWith ops) {
  if (std::optional<int64_t> constant = bound.expr.asInt64())
    return OpFoldResult(builder.getIndexAttr(*constant));
  DominanceInfo dominance;
  for (const auto &[symbol, operand] : bound.operands)
    if (!isAvailable(operand.first, builder, dominance))
      return failure();
  BoundEmitter emitter(builder, loc, bounds, bound);
  if (bound.expr.asSymbol() || (bound.fits && ops == ReifyWith::AffineOps &&
                                hasSmallConstants(bound.expr)))
    return OpFoldResult(emitter.emitAffine(bound.expr));
  if (bound.fits)
    return OpFoldResult(emitter.emitArith(bound.expr));
  // A closed bound of an index also bounds it when cut to the range of one.
  if (!q.isPlace() || bound.isOpen)
    return failure();
  ExprArena &arena = bound.expr.arena();
  return OpFoldResult(emitter.emitArith(
      arena.max(arena.min(bound.expr, arena.constant(INT64_MAX)),
                arena.constant(INT64_MIN))));
}

FailureOr<OpFoldResult>
symshape::reifyBound(OpBuilder &builder, Location loc, ValueBounds &bounds,
                     Operation *place, ValueBounds::BoundType type,
                     const Quantity &q, ValueBounds::StopCondition stop,
                     ReifyWith ops, bool closedUB) {
  DominanceInfo dominance;
  auto isUsable = [&](Value v, std::optional<int64_t> dim) {
    return isAvailable(v, builder, dominance) && stop(v, dim);
  };
  SmallVector<SymbolicBound, 2> found =
      bounds.bounds(place, type, q, isUsable, closedUB);
  if (found.empty())
    return failure();
  return reifyBound(builder, loc, bounds, place, type, q, combine(found, type),
                    ops);
}
