//===- AffineExprs.cpp - Expressions as affine expressions ----------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See AffineExprs.h.
//
//===----------------------------------------------------------------------===//

#include "symshape/IR/AffineExprs.h"

#include "symshape/Expr/Integers.h"

using namespace mlir;
using namespace mlir::symshape;

/// A quotient by a positive constant; null for any other monomial.
static AffineExpr
toQuotient(Expr monomial, MLIRContext *context,
           llvm::function_ref<AffineExpr(Expr monomial)> leaf) {
  Atom atom = monomial.asAtom();
  if (!atom || atom.kind() != AtomKind::FloorDiv)
    return {};
  std::optional<int64_t> divisor = atom.operands()[1].asInt64();
  if (!divisor || *divisor <= 0)
    return {};
  AffineExpr dividend = toAffineExpr(atom.operands()[0], context, leaf);
  return dividend ? dividend.floorDiv(*divisor) : AffineExpr();
}

AffineExpr
symshape::toAffineExpr(Expr e, MLIRContext *context,
                       llvm::function_ref<AffineExpr(Expr monomial)> leaf) {
  ExprArena &arena = e.arena();
  AffineExpr sum = getAffineConstantExpr(0, context);
  for (const Expr::Term &term : e.terms()) {
    std::optional<int64_t> coefficient = tryInt64(term.coefficient);
    if (!coefficient)
      return {};
    Expr monomial = arena.fromTerm({llvm::DynamicAPInt(1), term.powers});
    AffineExpr factor = getAffineConstantExpr(1, context);
    if (!term.powers.empty()) {
      factor = toQuotient(monomial, context, leaf);
      if (!factor)
        factor = leaf(monomial);
    }
    if (!factor)
      return {};
    sum = sum + factor * *coefficient;
  }
  return sum;
}
