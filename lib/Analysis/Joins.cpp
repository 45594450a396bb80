//===- Joins.cpp - Values that are one of two -----------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What `condition ? a : b` is as an expression: min, max, bc, one of the two,
// or a symbol with the facts that both share. Serves select, scf.if and clamps.
//
//===----------------------------------------------------------------------===//

#include "Internal.h"

using namespace mlir;
using namespace mlir::symshape;

/// `condition ? a : b` as min, max or bc; null when it is none of them.
///
/// Proof for Le: the condition is l <= r. If a - b == l - r it says a <= b, so
/// the value is min(a, b); with a - b == l - r - 1 it says a < b, so min too
/// (equal values make no difference). If b - a == l - r it says b <= a, with
/// b - a == l - r - 1 that b < a, and the value is max(a, b).
/// For x == 1: bc(x, a) is a if x == 1, else x; so b must be x.
static Expr joinByShape(ExprArena &arena, const Formula &condition, Expr a,
                        Expr b) {
  if (!condition.isLiteral() || condition.negated)
    return Expr();
  const Relation &r = condition.relation;
  if (r.kind == Relation::Le) {
    Expr order = r.lhs - r.rhs, difference = a - b;
    if (difference == order || difference == order - 1)
      return arena.min(a, b);
    if (-difference == order || -difference == order - 1)
      return arena.max(a, b);
    return Expr();
  }
  if (r.kind == Relation::Divides)
    return Expr();
  bool isEqual = r.kind == Relation::Eq;
  Expr whenOne = isEqual ? a : b, otherwise = isEqual ? b : a;
  if ((r.rhs.isConstant(1) && r.lhs == otherwise) ||
      (r.lhs.isConstant(1) && r.rhs == otherwise))
    return arena.bc(otherwise, whenOne);
  return Expr();
}

Expr FunctionShapes::join(const Formula &condition, Expr a, Expr b) {
  if (a == b)
    return a;
  if (Expr e = joinByShape(exprs, condition, a, b))
    return e;
  // If the condition makes the two equal, the other one serves for both.
  auto under = [&](const Formula &premise, auto question) {
    if (premise.kind == Formula::Opaque) // it says nothing
      return question();
    set.push();
    assume(set, premise);
    auto answer = question();
    set.pop();
    return answer;
  };
  // bc(x, c) and bc(x, d) are equal if x == 1 implies c == d: for other x both
  // are x. What was simplified in a branch may differ so from what was not.
  Atom left = a.asAtom(), right = b.asAtom();
  if (left && right && left.kind() == AtomKind::Bc &&
      right.kind() == AtomKind::Bc &&
      left.operands()[0] == right.operands()[0]) {
    Formula isOne = Relation::eq(left.operands()[0], exprs.one());
    auto rest = [&](Atom atom) {
      return exprs.bc(atom.operands().drop_front());
    };
    if (under(isOne, [&] {
          return set.isProvably(Relation::eq(rest(left), rest(right)));
        }))
      return a;
  }
  Formula negation = Formula::negate(condition);
  bool isLess = set.isProvably(Relation::le(a, b));
  // If both hold, the easier one is found at once.
  bool isGreater =
      set.isProvably(Relation::le(b, a), isLess ? Effort::Quick : Effort::Full);
  if (isLess && isGreater)
    return a;
  // To assume a condition costs more than to ask: each one is assumed once.
  struct Side {
    bool isOther = false; ///< where it holds, both are equal
    symshape::Range range;
    Residue residue;
  };
  auto look = [&](const Formula &premise, Expr e) {
    return under(premise, [&] {
      Side side;
      side.isOther =
          premise.kind != Formula::Opaque && set.isProvably(Relation::eq(a, b));
      if (!side.isOther) {
        side.range = set.bounds(e, Effort::Quick);
        side.residue = set.residue(e);
      }
      return side;
    });
  };
  Side first = look(condition, a);
  if (first.isOther)
    return b;
  Side second = look(negation, b);
  if (second.isOther)
    return a;
  SymbolInfo info;
  info.range = symshape::Range::join(first.range, second.range);
  info.residue = Residue::join(first.residue, second.residue);
  // Anonymous until a result is found to be it (bindIfAnonymous).
  Expr symbol = newSymbol("%j", SymbolDef(), info);
  if (isLess || isGreater) {
    imply(Relation::le(isLess ? a : b, symbol));
    imply(Relation::le(symbol, isLess ? b : a));
  } else {
    joins[symbol] = {a, b};
    imply(Relation::le(symbol, exprs.max(a, b)));
  }
  return symbol;
}

void FunctionShapes::setJoin(Value result, const Formula &condition, Value a,
                             Value b) {
  if (auto type = dyn_cast<ShapedType>(result.getType())) {
    if (!type.hasRank())
      return;
    for (int64_t d = 0, rank = type.getRank(); d < rank; ++d)
      if (type.isDynamicDim(d))
        setExact(result, d, join(condition, dim(a, d), dim(b, d)));
    return;
  }
  if (result.getType().isInteger(1)) {
    Formula fa = this->condition(a), fb = this->condition(b);
    setCondition(result,
                 Formula::disj(Formula::conj(condition, fa),
                               Formula::conj(Formula::negate(condition), fb)));
    return;
  }
  if (isScalarInteger(result.getType()))
    setValue(result, join(condition, value(a), value(b)));
}
