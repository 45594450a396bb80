//===- Propagate.cpp - Facts in, and their consequences --------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Turns a fact into bounds, residues and exclusions of primitive forms, solves
// equalities, and draws the consequences that change what is known of parts.
// Work per fact is bounded; leaving a consequence out loses proofs, never
// soundness.
//
//===----------------------------------------------------------------------===//

#include "Knowledge.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir::symshape;

//===----------------------------------------------------------------------===//
// State
//===----------------------------------------------------------------------===//

void Knowledge::stateChanged() {
  boundCache.clear();
  reduceCache.clear();
  residueCache.clear();
  symbolCache.clear();
}

void Knowledge::trim() {
  stateChanged();
  reasons.truncate(reasonFloor);
}

void Knowledge::endLevel(size_t mark, size_t reasonMark) {
  while (trail.size() > mark) {
    trail.back()();
    trail.pop_back();
  }
  --levels;
  stateChanged();
  reasonFloor = reasonMark;
  reasons.truncate(reasonFloor);
}

void Knowledge::contradict(Why why) {
  if (contradictory)
    return;
  contradictory = true;
  contradictionWhy = why;
  undo([this] {
    contradictory = false;
    contradictionWhy = 0;
  });
}

void Knowledge::declare(Expr symbol, const SymbolInfo &info) {
  stateChanged();
  SymbolInfo aligned = info;
  const Residue &r = info.residue;
  if (r.modulus == 0) {
    aligned.range = Range::intersect(info.range, Range::exactly(r.remainder));
  } else if (r.modulus > 1) {
    Range &range = aligned.range;
    if (range.min)
      range.min = *range.min + mod(r.remainder - *range.min, r.modulus);
    if (range.max)
      range.max = *range.max - mod(*range.max - r.remainder, r.modulus);
  }
  auto old = declarations.find(symbol);
  if (old == declarations.end())
    undo([this, symbol] { declarations.erase(symbol); });
  else
    undo([this, symbol, before = old->second] {
      declarations[symbol] = before;
    });
  declarations[symbol] = aligned;
  if (aligned.range.isEmpty())
    return contradict(0);
  if (solved.contains(symbol)) {
    Expr value = reduce(symbol).expr;
    Why why = reduce(symbol).why;
    if (aligned.range.min)
      addNonNegative(value - arena.constant(*aligned.range.min), why);
    if (aligned.range.max)
      addNonNegative(arena.constant(*aligned.range.max) - value, why);
    addResidue(value, aligned.residue, why);
  }
  if (formsOf.contains(symbol.asAtom()))
    pending.push_back(symbol);
  propagate();
}

const SymbolInfo *Knowledge::declared(Expr symbol) const {
  auto it = declarations.find(symbol);
  return it == declarations.end() ? nullptr : &it->second;
}

/// Whether the facts so far refute `relation`, by the cheap tiers.
bool Knowledge::refutes(const Relation &relation, Why &why) {
  if (relation.kind == Relation::Divides)
    return provesDivides(relation.lhs, relation.rhs, why) == Verdict::No;
  Reduced gap = reduce(relation.rhs - relation.lhs);
  Why used = gap.why;
  bool isRefuted = false;
  switch (relation.kind) {
  case Relation::Eq:
    isRefuted = nonZeroDirect(gap.expr, used) ||
                provesByOrder(gap.expr - 1, used) ||
                provesByOrder(-gap.expr - 1, used);
    break;
  case Relation::Ne:
    isRefuted = zeroDirect(gap.expr, used);
    break;
  case Relation::Le:
    isRefuted = nonNegativeDirect(-gap.expr - 1, used) ||
                provesByOrder(-gap.expr - 1, used);
    break;
  case Relation::Divides:
    break;
  }
  if (isRefuted)
    why = reasons.both(why, used);
  return isRefuted;
}

void Knowledge::add(const Relation &relation, Why why) {
  stateChanged();
  if (contradictory) {
    reasonFloor = reasons.size();
    return;
  }
  Why conflict = why;
  if (refutes(relation, conflict)) {
    contradict(conflict);
    reasonFloor = reasons.size();
    return;
  }
  Expr gap = relation.rhs - relation.lhs;
  switch (relation.kind) {
  case Relation::Eq:
    addZero(gap, why);
    break;
  case Relation::Ne:
    addNonZero(gap, why);
    break;
  case Relation::Le:
    addNonNegative(gap, why);
    break;
  case Relation::Divides:
    addDivides(relation.lhs, relation.rhs, why);
    break;
  }
  propagate();
  stateChanged();
  reasonFloor = reasons.size();
}

//===----------------------------------------------------------------------===//
// Forms
//===----------------------------------------------------------------------===//

void Knowledge::index(Expr primitive) {
  llvm::SmallDenseSet<Atom, 8> seen;
  SmallVector<Expr, 8> open{primitive};
  while (!open.empty()) {
    Expr next = open.pop_back_val();
    for (const Expr::Term &term : next.terms())
      for (auto [atom, power] : term.powers) {
        if (!seen.insert(atom).second)
          continue;
        formsOf[atom].push_back(primitive);
        undo([this, atom = atom] { formsOf[atom].pop_back(); });
        open.append(atom.operands().begin(), atom.operands().end());
      }
  }
  if (primitive.terms().size() < 2)
    return;
  for (const Expr::Term &term : primitive.terms()) {
    Expr part = monomial(arena, term.powers);
    formsWithTerm[part].push_back(primitive);
    undo([this, part] { formsWithTerm[part].pop_back(); });
  }
  Sides sides = splitSigns(primitive);
  if (!sides.negative.terms().empty()) {
    edges[sides.negative].push_back({primitive, sides.positive, true});
    edges[sides.positive].push_back({primitive, sides.negative, false});
    undo([this, sides] {
      edges[sides.negative].pop_back();
      edges[sides.positive].pop_back();
    });
  }
  Expr common = commonMonomial(primitive);
  if (!common.isConstant()) {
    Expr rest = divideExactly(primitive, common);
    stripped[rest].push_back(primitive);
    undo([this, rest] { stripped[rest].pop_back(); });
  }
}

/// The entry of a form, about to change.
FormInfo &Knowledge::touch(Expr primitive) {
  auto it = forms.find(primitive);
  if (it == forms.end()) {
    undo([this, primitive] { forms.erase(primitive); });
    index(primitive);
    it = forms.try_emplace(primitive).first;
  } else {
    undo([this, primitive, before = it->second] { forms[primitive] = before; });
  }
  boundCache.clear();
  reduceCache.clear();
  residueCache.clear();
  symbolCache.clear();
  pending.push_back(primitive);
  return it->second;
}

/// Moves the ends of the bound to values that are not excluded.
void Knowledge::tightenEnds(FormInfo &info) {
  Bound &bound = info.bound;
  const Residue &r = info.residue;
  for (bool changed = true; changed;) {
    changed = false;
    if (bound.range.min && r.modulus > 1) {
      DynamicAPInt step = mod(r.remainder - *bound.range.min, r.modulus);
      if (step != 0) {
        bound.range.min = *bound.range.min + step;
        bound.lo = reasons.both(bound.lo, info.residueWhy);
      }
    }
    if (bound.range.max && r.modulus > 1) {
      DynamicAPInt step = mod(*bound.range.max - r.remainder, r.modulus);
      if (step != 0) {
        bound.range.max = *bound.range.max - step;
        bound.hi = reasons.both(bound.hi, info.residueWhy);
      }
    }
    for (const auto &[value, why] : info.excluded) {
      if (bound.range.isEmpty())
        return;
      if (bound.range.min && *bound.range.min == value) {
        bound.range.min = value + 1;
        bound.lo = reasons.both(bound.lo, why);
        changed = true;
      }
      if (bound.range.max && *bound.range.max == value) {
        bound.range.max = value - 1;
        bound.hi = reasons.both(bound.hi, why);
        changed = true;
      }
    }
  }
}

void Knowledge::addBound(Expr primitive, const Bound &learnt) {
  Bound before = bounds(primitive, 1);
  Bound joint = intersect(before, learnt);
  if (joint.range.isEmpty())
    return contradict(reasons.both(joint.lo, joint.hi));
  bool isKnown = forms.contains(primitive);
  if (joint.range == before.range && (isKnown || primitive.terms().size() == 1))
    return;
  FormInfo &info = touch(primitive);
  info.bound = intersect(info.bound, joint);
  tightenEnds(info);
  if (info.bound.range.isEmpty())
    return contradict(reasons.both(info.bound.lo, info.bound.hi));
  if (info.bound.range.isSingle())
    pendingZero.push_back({primitive - arena.constant(*info.bound.range.min),
                           reasons.both(info.bound.lo, info.bound.hi)});
}

//===----------------------------------------------------------------------===//
// Facts
//===----------------------------------------------------------------------===//

void Knowledge::addNonNegative(Expr e, Why why) {
  Reduced reduced = reduce(e);
  why = reasons.both(why, reduced.why);
  Form form = toForm(reduced.expr);
  if (!form.primitive) {
    if (form.offset < 0)
      contradict(why);
    return;
  }
  Bound bound;
  if (form.scale > 0) {
    bound.range.min = ceilDiv(-form.offset, form.scale);
    bound.lo = why;
  } else {
    bound.range.max = floorDiv(form.offset, -form.scale);
    bound.hi = why;
  }
  addBound(form.primitive, bound);
}

void Knowledge::addZero(Expr e, Why why) {
  Reduced reduced = reduce(e);
  why = reasons.both(why, reduced.why);
  Form form = toForm(reduced.expr);
  if (!form.primitive) {
    if (form.offset != 0)
      contradict(why);
    return;
  }
  if (mod(form.offset, abs(form.scale)) != 0)
    return contradict(why);
  DynamicAPInt value = -form.offset / form.scale;
  addBound(form.primitive, {Range::exactly(value), why, why});
  if (contradictory)
    return;
  Expr zero = form.primitive - arena.constant(value);
  Expr common = commonMonomial(zero);
  Why nonZero = why;
  if (!common.isConstant() && isExcluded(common, nonZero))
    pendingZero.push_back({divideExactly(zero, common), nonZero});
  residuesOfEquality(zero, why);
  solveFor(zero, why);
}

void Knowledge::addNonZero(Expr e, Why why) {
  Reduced reduced = reduce(e);
  why = reasons.both(why, reduced.why);
  Form form = toForm(reduced.expr);
  if (!form.primitive) {
    if (form.offset == 0)
      contradict(why);
    return;
  }
  if (mod(form.offset, abs(form.scale)) != 0)
    return;
  DynamicAPInt value = -form.offset / form.scale;
  Bound bound = bounds(form.primitive);
  FormInfo &info = touch(form.primitive);
  if (llvm::any_of(info.excluded,
                   [&](const auto &entry) { return entry.first == value; }))
    return;
  info.excluded.push_back({value, why});
  if (bound.range.contains(value))
    info.bound = intersect(info.bound, bound);
  tightenEnds(info);
  if (info.bound.range.isEmpty())
    return contradict(
        reasons.both(why, reasons.both(info.bound.lo, info.bound.hi)));
  if (info.bound.range.isSingle())
    pendingZero.push_back(
        {form.primitive - arena.constant(*info.bound.range.min),
         reasons.both(info.bound.lo, info.bound.hi)});
  // A product is non-zero only if each factor is.
  Expr zero = form.primitive - arena.constant(value);
  Expr common = commonMonomial(zero);
  if (common.isConstant() || common == form.primitive.arena().one())
    return;
  auto factors = common.terms()[0].powers;
  bool isMonomial = zero.terms().size() == 1;
  if (isMonomial && factors.size() == 1 && factors[0].second == 1)
    return;
  for (auto [atom, power] : factors)
    addNonZero(atom.asExpr(), why);
  if (!isMonomial)
    addNonZero(divideExactly(zero, common), why);
}

void Knowledge::addResidue(Expr e, const Residue &residue, Why why) {
  if (residue.isAll())
    return;
  Form form = toForm(e);
  Residue shifted =
      Residue::add(residue, Residue::of(-form.offset, DynamicAPInt(0)));
  if (!form.primitive) {
    if (!shifted.contains(DynamicAPInt(0)))
      contradict(why);
    return;
  }
  std::optional<Residue> learnt = Residue::divideOut(form.scale, shifted);
  if (!learnt)
    return contradict(why);
  auto [known, knownWhy] = this->residue(form.primitive);
  std::optional<Residue> joint = Residue::intersect(known, *learnt);
  if (!joint)
    return contradict(reasons.both(why, knownWhy));
  if (*joint == known)
    return;
  FormInfo &info = touch(form.primitive);
  info.residue = *joint;
  info.residueWhy = reasons.both(why, knownWhy);
  Bound bound = bounds(form.primitive);
  info.bound = intersect(info.bound, bound);
  if (joint->modulus == 0)
    info.bound = intersect(info.bound, {Range::exactly(joint->remainder),
                                        info.residueWhy, info.residueWhy});
  tightenEnds(info);
  if (info.bound.range.isEmpty())
    return contradict(reasons.both(info.residueWhy,
                                   reasons.both(info.bound.lo, info.bound.hi)));
  if (info.bound.range.isSingle())
    pendingZero.push_back(
        {form.primitive - arena.constant(*info.bound.range.min),
         reasons.both(info.bound.lo, info.bound.hi)});
}

void Knowledge::addDivides(Expr d, Expr e, Why why) {
  Reduced divisor = reduce(d), dividend = reduce(e);
  Why both = reasons.both(why, reasons.both(divisor.why, dividend.why));
  if (std::optional<DynamicAPInt> literal = divisor.expr.asConstant()) {
    if (*literal == 0)
      addZero(dividend.expr, both);
    else
      addResidue(dividend.expr, Residue::of(DynamicAPInt(0), abs(*literal)),
                 both);
    return;
  }
  divisibility[divisor.expr].push_back({dividend.expr, both});
  undo([this, key = divisor.expr] { divisibility[key].pop_back(); });
  // A divisor of a number other than 0 is no larger than it.
  std::optional<DynamicAPInt> value = dividend.expr.asConstant();
  if (!value || *value == 0)
    return;
  addNonZero(divisor.expr, both);
  addNonNegative(arena.constant(abs(*value)) - divisor.expr, both);
  addNonNegative(arena.constant(abs(*value)) + divisor.expr, both);
}
