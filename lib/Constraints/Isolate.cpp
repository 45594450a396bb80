//===- Isolate.cpp - One symbol on a side of its own ----------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From c*x + rest == 0 or <= 0 to x == e, x <= e or x >= e.
//
//===----------------------------------------------------------------------===//

#include "Forms.h"
#include "symshape/Constraints/ConstraintSet.h"

using namespace mlir::symshape;

// c*x == -rest with c != 0: x == (-rest) floordiv c, exactly. c*x <= -rest with
// c > 0: x <= -rest/c, so x <= (-rest) floordiv c. With c < 0: -c*x >= rest, so
// x >= rest ceildiv -c.
std::optional<Relation> ConstraintSet::isolate(const Relation &relation,
                                               Expr symbol) const {
  Atom atom = symbol.asAtom();
  if (!atom || (relation.kind != Relation::Eq && relation.kind != Relation::Le))
    return std::nullopt;
  LinearSplit split = splitLinear(relation.lhs - relation.rhs, atom);
  if (!split.cofactor || mentions(split.cofactor, atom) ||
      mentions(split.rest, atom))
    return std::nullopt;
  ExprArena &exprs = arena();
  Expr c = split.cofactor, rest = split.rest, zero = exprs.zero();
  if (relation.kind == Relation::Eq) {
    if (!isProvably(Relation::ne(c, zero)))
      return std::nullopt;
    Expr quotient = divideExactly(-rest, c);
    return Relation::eq(symbol, quotient ? quotient
                                         : simplify(exprs.floorDiv(-rest, c)));
  }
  if (isProvably(Relation::gt(c, zero)))
    return Relation::le(symbol, simplify(exprs.floorDiv(-rest, c)));
  if (isProvably(Relation::lt(c, zero)))
    return Relation::ge(symbol, simplify(exprs.ceilDiv(rest, -c)));
  return std::nullopt;
}
