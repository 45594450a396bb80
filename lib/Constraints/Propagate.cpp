//===- Propagate.cpp - Facts in, and their consequences -------------------===//
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

/// Multiples that a new one is compared with.
static constexpr size_t maxComparedMultiples = 32;

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

void Knowledge::add(const Relation &relation, FactId id) {
  Change change(*this);
  if (contradictory)
    return;
  searchLeft = {};
  noteRead(relation.lhs);
  noteRead(relation.rhs);
  Why why = reasons.fact(id), conflict = why;
  if (refutes(relation, conflict))
    return contradict(conflict);
  Expr gap = relation.rhs - relation.lhs;
  switch (relation.kind) {
  case Relation::Eq:
    addZero(gap, why);
    addOrder(gap, why);
    addOrder(-gap, why);
    break;
  case Relation::Ne:
    addNonZero(gap, why);
    break;
  case Relation::Le:
    addNonNegative(gap, why);
    addOrder(gap, why);
    break;
  case Relation::Divides:
    addDivides(relation.lhs, relation.rhs, why);
    break;
  }
  propagate();
}

//===----------------------------------------------------------------------===//
// Facts
//===----------------------------------------------------------------------===//

void Knowledge::addWithin(Expr e, const Bound &bound) {
  if (bound.range.min)
    addNonNegative(e - arena.constant(*bound.range.min), bound.lo);
  if (bound.range.max)
    addNonNegative(arena.constant(*bound.range.max) - e, bound.hi);
}

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
  // A symbol whose bounds leave one value reduces to that before it is solved,
  // which all that mentions it is told.
  if (Form given = toForm(e); reduced.expr.isConstant(0) && given.primitive &&
                              given.primitive.asSymbol())
    solveFor(e, why);
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
  if (!excluded[form.primitive].try_emplace(value, why).second)
    return;
  undo([this, primitive = form.primitive, value] {
    excluded.find(primitive)->second.erase(value);
  });
  FormInfo &info = touch(form.primitive);
  if (bound.range.contains(value))
    info.bound = intersect(info.bound, bound);
  tightenEnds(form.primitive, info);
  linkWithOwnValues(form.primitive);
  addEdges(form.primitive, info);
  addReaders(form.primitive, info);
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
  tightenEnds(form.primitive, info);
  linkWithOwnValues(form.primitive);
  addEdges(form.primitive, info);
  addReaders(form.primitive, info);
  if (info.bound.range.isEmpty())
    return contradict(reasons.both(info.residueWhy,
                                   reasons.both(info.bound.lo, info.bound.hi)));
  if (Atom atom = form.primitive.asAtom())
    checkResiduesAround(atom);
  if (contradictory)
    return;
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
  auto know = [&](const Multiple &multiple) {
    compareMultiples(multiple);
    addMultiple(multiple);
  };
  know({divisor.expr, dividend.expr, both});
  // As said, too: what it reduces to may change with later facts.
  if (divisor.expr != d || dividend.expr != e)
    know({d, e, why});
  boundDivisor(divisor.expr, dividend.expr, both);
}

// With d | s*p + a and d | t*p + b, d divides t*(s*p + a) - s*(t*p + b), which
// is the number t*a - s*b.
void Knowledge::compareMultiples(const Multiple &multiple) {
  Form form = toForm(multiple.value);
  if (!form.primitive)
    return;
  std::vector<size_t> numbers = multiplesAround(atomsOf(form.primitive));
  ArrayRef<size_t> latest(numbers);
  for (size_t number :
       latest.take_back(std::min(latest.size(), maxComparedMultiples))) {
    const Multiple other = multiples[number];
    if (other.divisor != multiple.divisor)
      continue;
    Form otherForm = toForm(other.value);
    if (otherForm.primitive != form.primitive)
      continue;
    DynamicAPInt rest =
        otherForm.scale * form.offset - form.scale * otherForm.offset;
    boundDivisor(multiple.divisor, arena.constant(rest),
                 reasons.both(multiple.why, other.why));
  }
}

/// A divisor of a number other than 0 is no larger than it.
void Knowledge::boundDivisor(Expr divisor, Expr dividend, Why why) {
  std::optional<DynamicAPInt> value = dividend.asConstant();
  if (!value || *value == 0)
    return;
  addNonZero(divisor, why);
  addNonNegative(arena.constant(abs(*value)) - divisor, why);
  addNonNegative(arena.constant(abs(*value)) + divisor, why);
}
