//===- ValueBounds.cpp - Value bounds of our ops --------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What upstream's value bounds learn from `bind_shape`, `assume` and `size`:
// affine relations of operands. Symbols of the function are unknown there.
//
//===----------------------------------------------------------------------===//

#include "symshape/IR/AffineExprs.h"
#include "symshape/IR/SymShape.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace mlir::symshape;

/// The translation of symbols named after operands; other monomials have none.
static auto leavesOf(ArrayRef<StringRef> names, ValueRange operands,
                     ValueBoundsConstraintSet &cstr) {
  llvm::StringMap<Value> values;
  for (auto [name, operand] : llvm::zip(names, operands))
    values[name] = operand;
  return [values = std::move(values), &cstr](Expr monomial) -> AffineExpr {
    std::optional<StringRef> name = monomial.asSymbol();
    Value value = name ? values.lookup(*name) : Value();
    return value && value.getType().isIndex() ? cstr.getExpr(value)
                                              : AffineExpr();
  };
}

void BindShapeOp::populateBoundsForShapedValueDim(
    Value value, int64_t dim, ValueBoundsConstraintSet &cstr) {
  cstr.bound(value)[dim] == cstr.getExpr(getSource(), dim);
}

/// Each fact, solved for the name of the result.
void AssumeOp::populateBoundsForIndexValue(Value value,
                                           ValueBoundsConstraintSet &cstr) {
  unsigned number = cast<OpResult>(value).getResultNumber();
  cstr.bound(value) == cstr.getExpr(getSources()[number]);
  SmallVector<StringRef> names(getNames().getAsValueRange<StringAttr>());
  // In terms of results, which have the bounds from other facts.
  auto leaf = leavesOf(names, getResults(), cstr);
  ExprArena arena;
  ConstraintSet facts(arena);
  for (StringRef name : names)
    facts.declare(arena.symbol(name), {symshape::Range::all(), {}, {}});
  Expr symbol = arena.symbol(names[number]);
  for (const Relation &relation : getRelations(arena)) {
    std::optional<int64_t> divisor = relation.lhs.asInt64();
    if (relation.kind == Relation::Divides && divisor && *divisor > 0 &&
        relation.rhs == symbol) {
      AffineExpr e = cstr.getExpr(value);
      cstr.bound(value) == e.floorDiv(*divisor) * *divisor;
      continue;
    }
    std::optional<Relation> alone = facts.isolate(relation, symbol);
    if (!alone)
      continue;
    bool isUpper = alone->lhs == symbol;
    AffineExpr bound =
        toAffineExpr(isUpper ? alone->rhs : alone->lhs, getContext(), leaf);
    if (!bound)
      continue;
    if (alone->kind == Relation::Eq)
      cstr.bound(value) == bound;
    else if (isUpper)
      cstr.bound(value) <= bound;
    else
      cstr.bound(value) >= bound;
  }
}

/// The expression; for min and max, the side that each operand bounds.
void SizeOp::populateBoundsForIndexValue(Value value,
                                         ValueBoundsConstraintSet &cstr) {
  ExprArena arena;
  Expr e = getParsedExpression(arena);
  auto leaf = leavesOf(getNames(), getOperands(), cstr);
  Atom atom = e.asAtom();
  bool isMin = atom && atom.kind() == AtomKind::Min;
  if (!isMin && !(atom && atom.kind() == AtomKind::Max)) {
    if (AffineExpr exact = toAffineExpr(e, getContext(), leaf))
      cstr.bound(value) == exact;
    return;
  }
  for (Expr operand : atom.operands()) {
    AffineExpr bound = toAffineExpr(operand, getContext(), leaf);
    if (!bound)
      continue;
    if (isMin)
      cstr.bound(value) <= bound;
    else
      cstr.bound(value) >= bound;
  }
}
