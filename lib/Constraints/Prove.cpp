//===- Prove.cpp - The tiers, in order ------------------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Is an expression zero, non-zero, non-negative? Each question tries the cheap
// tiers on the expression as given and as reduced, then chains of inequalities,
// then combinations of facts, then cases of min, max and bc. What all of these
// leave open goes to the affine tier, once per relation.
//
//===----------------------------------------------------------------------===//

#include "Knowledge.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir::symshape;

//===----------------------------------------------------------------------===//
// Tiers without search
//===----------------------------------------------------------------------===//

/// The rule by which `e` is >= 0; null if none says so.
const char *Knowledge::ruleForAtLeastZero(Expr e, Why &why) {
  Bound bound = bounds(e);
  if (!bound.range.min)
    return nullptr;
  if (*bound.range.min >= 0) {
    why = reasons.both(why, bound.lo);
    return e.isConstant() ? "canonical form" : "ranges";
  }
  auto [known, knownWhy] = residue(e);
  if (*alignTo(bound.range, known).min < 0)
    return nullptr;
  why = reasons.both(why, reasons.both(bound.lo, knownWhy));
  return "ranges and residues";
}

bool Knowledge::nonNegativeDirect(Expr e, Why &why) {
  const char *found = ruleForAtLeastZero(e, why);
  if (found)
    rule = found;
  return found;
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
  if (bound.range.isAtLeast(1)) {
    rule = "ranges";
    why = reasons.both(why, bound.lo);
    return true;
  }
  if (bound.range.isAtMost(-1)) {
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
  auto it = excluded.find(form.primitive);
  if (it == excluded.end() || mod(form.offset, abs(form.scale)) != 0)
    return false;
  auto value = it->second.find(-form.offset / form.scale);
  if (value == it->second.end())
    return false;
  rule = "assumed disequality";
  why = reasons.both(why, value->second);
  return true;
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

static bool hasCases(Atom atom) {
  return (atom.kind() == AtomKind::Min || atom.kind() == AtomKind::Max ||
          atom.kind() == AtomKind::Bc) &&
         atom.operands().size() <= 4;
}

/// Whether `proves` holds with all operands, or with any, in place of `atom` in
/// the terms of `e`.
bool Knowledge::splitAtom(Expr e, Atom atom, bool needsAll, Why &why,
                          llvm::function_ref<bool(Expr, Why &)> proves) {
  Why cases = 0;
  for (Expr operand : atom.operands()) {
    Expr value = arena.replaceAtoms(e, [&](Atom factor) {
      return factor == atom ? operand : factor.asExpr();
    });
    Why used = 0;
    bool holds = proves(value, used);
    if (holds)
      cases = reasons.both(cases, used);
    if (holds != needsAll) {
      why = reasons.both(why, cases);
      return holds;
    }
  }
  if (needsAll)
    why = reasons.both(why, cases);
  return needsAll;
}

// The value of min, max and bc is that of one of their operands; what holds
// with each operand in place of the atom, in the terms, holds.
bool Knowledge::splitCases(Expr e, Why &why,
                           llvm::function_ref<bool(Expr, Why &)> proves) {
  Atom atom = findFactor(e, hasCases);
  return atom && splitAtom(e, atom, /*needsAll=*/true, why, proves);
}

// For e = C*min(a, b) + R with C <= 0, e >= C*a + R and e >= C*b + R, so either
// being >= 0 suffices; the same for max and C >= 0. Otherwise all must be.
bool Knowledge::boundCases(Expr e, Why &why, unsigned splits) {
  SmallVector<Atom, 4> atoms;
  for (const Expr::Term &term : e.terms())
    for (auto [atom, power] : term.powers)
      if (hasCases(atom) && !llvm::is_contained(atoms, atom))
        atoms.push_back(atom);
  if (atoms.size() > 3)
    return false;
  auto proves = [&](Expr value, Why &used) {
    return provesNonNegative(value, used, splits - 1);
  };
  for (Atom atom : atoms) {
    Why used = 0;
    bool needsAll = true;
    LinearSplit split = splitLinear(e, atom);
    if (split.cofactor && atom.kind() != AtomKind::Bc) {
      bool isMin = atom.kind() == AtomKind::Min;
      Bound sign = bounds(isMin ? -split.cofactor : split.cofactor);
      needsAll = !sign.range.isAtLeast(0);
      if (!needsAll)
        used = sign.lo;
    }
    if (splitAtom(e, atom, needsAll, used, proves)) {
      why = reasons.both(why, used);
      return true;
    }
  }
  return false;
}

//===----------------------------------------------------------------------===//
// Questions
//===----------------------------------------------------------------------===//

/// By how much the replacement of an expression may be larger and still be
/// looked at first.
static constexpr unsigned maxGrowth = 16;

bool Knowledge::provesNonNegative(Expr e, Why &why, unsigned splits) {
  if (nonNegativeDirect(e, why))
    return true;
  if (e.isConstant())
    return false;
  // What is known of the difference as given is found sooner than what is known
  // of a large replacement.
  bool isGivenFirst = substituteSolved(e).expr.size() > e.size() + maxGrowth;
  if (isGivenFirst && provesByOrder(e, why))
    return true;
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
  if (provesByOrder(reduced.expr, used)) {
    why = reasons.both(why, used);
    return true;
  }
  if (reduced.expr != e && !isGivenFirst && provesByOrder(e, why))
    return true;
  if (provesByCombination(reduced.expr, used)) {
    why = reasons.both(why, used);
    return true;
  }
  used = reduced.why;
  if (splits && boundCases(reduced.expr, used, splits)) {
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

static bool hasPower(Expr e) {
  return llvm::any_of(e.terms(), [](const Expr::Term &term) {
    return llvm::any_of(term.powers,
                        [](auto power) { return power.second > 1; });
  });
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
  // Also as given: once its atom is solved, a polynomial may not be in one.
  for (const Reduced &form : {Reduced{e, 0}, reduced}) {
    used = form.why;
    if (hasNoRoot(form.expr, used))
      return accept();
    used = form.why;
    if (hasPower(form.expr) &&
        dividesLiteral(DynamicAPInt(2), form.expr, used) == Verdict::No) {
      rule = "residues";
      return accept();
    }
    if (reduced.expr == e)
      break;
  }
  used = reduced.why;
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

//===----------------------------------------------------------------------===//
// Relations
//===----------------------------------------------------------------------===//

Verdict Knowledge::decideGapQuickly(Relation::Kind kind, Expr gap, Why &why) {
  searchLeft = {};
  bool isLe = kind == Relation::Le;
  if (isLe ? provesNonNegative(gap, why) : provesZero(gap, why))
    return kind == Relation::Ne ? Verdict::No : Verdict::Yes;
  searchLeft = {};
  if (isLe ? provesNonNegative(-gap - 1, why) : provesNonZero(gap, why))
    return kind == Relation::Ne ? Verdict::Yes : Verdict::No;
  return Verdict::Unknown;
}

Verdict Knowledge::decideQuickly(const Relation &relation, Why &why) {
  rule = "";
  exhausted = nullptr;
  searchLeft = {};
  Verdict verdict;
  if (relation.kind == Relation::Divides) {
    verdict = provesDivides(relation.lhs, relation.rhs, why);
  } else {
    Expr gap = relation.rhs - relation.lhs;
    verdict = decideGapQuickly(relation.kind, gap, why);
    if (verdict == Verdict::Unknown) {
      Reduced reduced = reduce(gap), spread = spreadQuotients(reduced.expr);
      Why used = reasons.both(reduced.why, spread.why);
      if (spread.expr != reduced.expr)
        verdict = decideGapQuickly(relation.kind, spread.expr, used);
      if (verdict != Verdict::Unknown)
        why = used;
    }
  }
  if (verdict == Verdict::Unknown)
    why = 0;
  return verdict;
}
