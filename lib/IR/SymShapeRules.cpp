//===- SymShapeRules.cpp - Shape rules of our own ops ---------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What each op of the dialect says of extents and values. Not for: ops of other
// dialects (Extensions).
//
//===----------------------------------------------------------------------===//

#include "symshape/IR/SymShape.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace mlir::symshape;

/// The substitution of names by the expressions of the operands that they stand
/// for; other symbols stay.
static auto substituteOperands(ShapeFacts &facts, ArrayRef<StringRef> names,
                               OperandRange operands) {
  llvm::StringMap<Expr> values;
  for (auto [name, operand] : llvm::zip(names, operands))
    values[name] = facts.value(operand);
  return [values = std::move(values)](Expr symbol) -> Expr {
    return values.lookup(*symbol.asSymbol());
  };
}

/// Requires that no divisor in `e` is zero.
static void requireDivisors(ShapeFacts &facts, Expr e) {
  SmallVector<Expr> work{e};
  llvm::SmallDenseSet<Expr> seen;
  while (!work.empty()) {
    Expr next = work.pop_back_val();
    if (!seen.insert(next).second)
      continue;
    for (const Expr::Term &term : next.terms())
      for (const auto &power : term.powers) {
        Atom atom = power.first;
        if (atom.kind() == AtomKind::Symbol)
          continue;
        llvm::append_range(work, atom.operands());
        if (atom.kind() == AtomKind::FloorDiv)
          facts.require(Relation::ne(atom.operands()[1], facts.constant(0)),
                        "divisor");
      }
  }
}

void BindShapeOp::populateShapeFacts(ShapeFacts &facts) {
  ShapeAttr shape = getShape();
  for (int64_t d = 0, rank = shape.getRank(); d < rank; ++d) {
    Extent given = shape.getExtent(d, facts.arena());
    Expr source = facts.dim(getSource(), d);
    if (given.kind == Extent::UpperBound) {
      facts.require(Relation::le(source, given.expr),
                    "bound of dimension " + Twine(d));
    } else if (given.kind == Extent::Exact) {
      bool isName = given.expr.asSymbol().has_value();
      if (!isName || !facts.bindSymbol(given.expr, source))
        facts.require(Relation::eq(source, given.expr),
                      "extent of dimension " + Twine(d));
    }
    // In the names given: what was said about the source holds for the result.
    facts.setExact(getResult(), d, source);
  }
}

void AssumeOp::populateShapeFacts(ShapeFacts &facts) {
  SmallVector<StringRef> names(getNames().getAsValueRange<StringAttr>());
  auto map = substituteOperands(facts, names, getSources());
  for (auto [source, result] : llvm::zip(getSources(), getResults()))
    facts.setValue(result, facts.value(source));
  for (const Formula &fact : getFormulas(facts.arena()))
    facts.imply(fact.substitute(map));
}

void AssertOp::populateShapeFacts(ShapeFacts &facts) {
  auto map = substituteOperands(facts, getNames(), getOperands());
  Relation relation = getParsedRelation(facts.arena()).substitute(map);
  requireDivisors(facts, relation.lhs);
  requireDivisors(facts, relation.rhs);
  facts.requireAsserted(relation, getMessage());
}

void SizeOp::populateShapeFacts(ShapeFacts &facts) {
  auto map = substituteOperands(facts, getNames(), getOperands());
  Expr e = facts.arena().substitute(getParsedExpression(facts.arena()), map);
  requireDivisors(facts, e);
  // The expression is exact, and so its value must fit.
  if (!facts.fitsType(e, getResult().getType())) {
    facts.require(Relation::ge(e, facts.constant(INT64_MIN)), "value");
    facts.require(Relation::le(e, facts.constant(INT64_MAX)), "value");
  }
  facts.setValue(getResult(), e);
}

/// Control does not pass it.
void FailOp::populateShapeFacts(ShapeFacts &facts) {}
