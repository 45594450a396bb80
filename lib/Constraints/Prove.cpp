//===- Prove.cpp - The tiers, in order -------------------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Is an expression zero, non-zero, non-negative? Each question tries the cheap
// tiers on the expression as given and as reduced, then chains of inequalities,
// then combinations of facts, then cases of min, max and bc.
//
//===----------------------------------------------------------------------===//

#include "Knowledge.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir::symshape;

//===----------------------------------------------------------------------===//
// Tiers without search
//===----------------------------------------------------------------------===//

/// Rounds the ends of `range` inwards to members of `r`.
static Range alignTo(Range range, const Residue &r) {
  if (r.modulus <= 1)
    return range;
  if (range.min)
    range.min = *range.min + mod(r.remainder - *range.min, r.modulus);
  if (range.max)
    range.max = *range.max - mod(*range.max - r.remainder, r.modulus);
  return range;
}

bool Knowledge::nonNegativeDirect(Expr e, Why &why) {
  Bound bound = bounds(e);
  if (!bound.range.min)
    return false;
  if (*bound.range.min >= 0) {
    rule = e.isConstant() ? "canonical form" : "ranges";
    why = reasons.both(why, bound.lo);
    return true;
  }
  auto [known, knownWhy] = residue(e);
  if (*alignTo(bound.range, known).min < 0)
    return false;
  rule = "ranges and residues";
  why = reasons.both(why, reasons.both(bound.lo, knownWhy));
  return true;
}

bool Knowledge::zeroDirect(Expr e, Why &why) {
  if (e.isConstant()) {
    rule = "canonical form";
    return e.isConstant(0);
  }
  Bound bound = bounds(e);
  if (!bound.range.min || !bound.range.max)
    return false;
  auto [known, knownWhy] = residue(e);
  Range range = alignTo(bound.range, known);
  if (!range.isSingle() || *range.min != 0)
    return false;
  rule = "ranges";
  why = reasons.both(why, reasons.both(bound.lo, bound.hi));
  if (!bound.range.isSingle())
    why = reasons.both(why, knownWhy);
  return true;
}

/// Whether bounds, residues or an assumed disequality exclude e == 0.
bool Knowledge::isExcluded(Expr e, Why &why, unsigned fuel) {
  if (std::optional<DynamicAPInt> value = e.asConstant()) {
    rule = "canonical form";
    return *value != 0;
  }
  Bound bound = bounds(e, fuel);
  if (bound.range.min && *bound.range.min > 0) {
    rule = "ranges";
    why = reasons.both(why, bound.lo);
    return true;
  }
  if (bound.range.max && *bound.range.max < 0) {
    rule = "ranges";
    why = reasons.both(why, bound.hi);
    return true;
  }
  auto [known, knownWhy] = residue(e);
  if (!known.contains(DynamicAPInt(0))) {
    rule = "residues";
    why = reasons.both(why, knownWhy);
    return true;
  }
  Form form = toForm(e);
  auto it = forms.find(form.primitive);
  if (it == forms.end())
    return false;
  for (const auto &[value, valueWhy] : it->second.excluded)
    if (value * form.scale + form.offset == 0) {
      rule = "assumed disequality";
      why = reasons.both(why, valueWhy);
      return true;
    }
  return false;
}

/// A product is non-zero when each factor is.
bool Knowledge::nonZeroDirect(Expr e, Why &why) {
  if (isExcluded(e, why))
    return true;
  if (e.isConstant())
    return false;
  Expr common = commonMonomial(e);
  if (common.isConstant())
    return false;
  Why factors = 0;
  for (auto [atom, power] : common.terms()[0].powers)
    if (!isExcluded(atom.asExpr(), factors))
      return false;
  if (!isExcluded(divideExactly(e, common), factors))
    return false;
  rule = "factors";
  why = reasons.both(why, factors);
  return true;
}

//===----------------------------------------------------------------------===//
// Cases
//===----------------------------------------------------------------------===//

// The value of min, max and bc is that of one of their operands; what holds with
// each operand in place of the atom, at the top level, holds.
bool Knowledge::splitCases(Expr e, Why &why,
                           llvm::function_ref<bool(Expr, Why &)> proves) {
  Atom atom = findFactor(e, [](Atom candidate) {
    return candidate.kind() == AtomKind::Min ||
           candidate.kind() == AtomKind::Max ||
           candidate.kind() == AtomKind::Bc;
  });
  if (!atom || atom.operands().size() > 4)
    return false;
  Why cases = 0;
  for (Expr operand : atom.operands()) {
    Expr value = arena.zero();
    for (const Expr::Term &term : e.terms()) {
      Expr product = arena.constant(term.coefficient);
      for (auto [factor, power] : term.powers)
        product = product *
                  arena.pow(factor == atom ? operand : factor.asExpr(), power);
      value = value + product;
    }
    if (!proves(value, cases))
      return false;
  }
  why = reasons.both(why, cases);
  return true;
}

//===----------------------------------------------------------------------===//
// Questions
//===----------------------------------------------------------------------===//

bool Knowledge::provesNonNegative(Expr e, Why &why, unsigned splits) {
  if (nonNegativeDirect(e, why))
    return true;
  if (e.isConstant())
    return false;
  Reduced reduced = reduce(e);
  Why used = reduced.why;
  if (reduced.expr != e && nonNegativeDirect(reduced.expr, used)) {
    why = reasons.both(why, used);
    return true;
  }
  used = reduced.why;
  if (reduced.expr.isConstant())
    return false;
  Reduced scaled = multiplyOutDivisions(reduced.expr);
  if (scaled.expr != reduced.expr) {
    used = reasons.both(reduced.why, scaled.why);
    if (nonNegativeDirect(scaled.expr, used)) {
      why = reasons.both(why, used);
      return true;
    }
    used = reduced.why;
  }
  if (provesByOrder(reduced.expr, used) ||
      provesByCombination(reduced.expr, used)) {
    why = reasons.both(why, used);
    return true;
  }
  if (reduced.expr != e) {
    used = 0;
    if (provesByOrder(e, used)) {
      why = reasons.both(why, used);
      return true;
    }
  }
  used = reduced.why;
  if (splits && splitCases(reduced.expr, used, [&](Expr value, Why &w) {
        return provesNonNegative(value, w, splits - 1);
      })) {
    why = reasons.both(why, used);
    return true;
  }
  return false;
}

bool Knowledge::provesZero(Expr e, Why &why, unsigned splits) {
  if (zeroDirect(e, why))
    return true;
  if (e.isConstant())
    return false;
  Reduced reduced = reduce(e);
  Why used = reduced.why;
  auto accept = [&](const char *name) {
    if (name)
      rule = name;
    why = reasons.both(why, used);
    return true;
  };
  if (reduced.expr != e && zeroDirect(reduced.expr, used))
    return accept("solved equalities");
  if (reduced.expr.isConstant())
    return false;
  Reduced scaled = multiplyOutDivisions(reduced.expr);
  if (scaled.expr != reduced.expr) {
    used = reasons.both(reduced.why, scaled.why);
    Reduced again = reduce(scaled.expr);
    used = reasons.both(used, again.why);
    if (zeroDirect(again.expr, used))
      return accept("exact division");
  }
  // x*p == 0 from p == 0.
  Expr common = commonMonomial(reduced.expr);
  if (!common.isConstant()) {
    used = reduced.why;
    if (provesZero(divideExactly(reduced.expr, common), used, splits))
      return accept("factors");
  }
  used = reduced.why;
  Expr negated = -reduced.expr;
  if (provesByOrder(reduced.expr, used) && provesByOrder(negated, used))
    return accept("order");
  used = reduced.why;
  if (splits && splitCases(reduced.expr, used, [&](Expr value, Why &w) {
        return provesZero(value, w, splits - 1);
      }))
    return accept("cases");
  return false;
}

bool Knowledge::provesNonZero(Expr e, Why &why, unsigned splits) {
  if (nonZeroDirect(e, why))
    return true;
  if (e.isConstant())
    return false;
  Reduced reduced = reduce(e);
  Why used = reduced.why;
  auto accept = [&] {
    why = reasons.both(why, used);
    return true;
  };
  if (reduced.expr != e && nonZeroDirect(reduced.expr, used))
    return accept();
  used = reduced.why;
  if (reduced.expr.isConstant())
    return false;
  Reduced scaled = multiplyOutDivisions(reduced.expr);
  if (scaled.expr != reduced.expr) {
    used = reasons.both(reduced.why, scaled.why);
    if (nonZeroDirect(scaled.expr, used))
      return accept();
    used = reduced.why;
  }
  for (Expr positive : {reduced.expr - 1, -reduced.expr - 1}) {
    used = reduced.why;
    if (provesByOrder(positive, used) || provesByCombination(positive, used))
      return accept();
  }
  used = reduced.why;
  if (splits && splitCases(reduced.expr, used, [&](Expr value, Why &w) {
        return provesNonZero(value, w, splits - 1);
      }))
    return accept();
  return false;
}
