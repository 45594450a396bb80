//===- AffineComponent.cpp - Facts around a question ----------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Monomials become columns; bounds, residues and excluded values of forms, and
// what is known of non-linear atoms and products, become rows and splits.
//
//===----------------------------------------------------------------------===//

#include "AffineComponent.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir::symshape;

/// Products of a higher degree have no rows of their own.
static constexpr unsigned maxRowDegree = 4;
/// Atoms of the question, at any depth, that come before those of facts.
static constexpr size_t maxNested = 32;
/// Excluded values of one form that are told apart.
static constexpr unsigned maxExcluded = 16;

//===----------------------------------------------------------------------===//
// Columns and rows
//===----------------------------------------------------------------------===//

AffineComponent::AffineComponent(Knowledge &k, Expr e, const Limits &limits)
    : k(k), question(e), limits(limits), formsLeft(2 * limits.rows) {
  budget.left = limits.budget;
  unsigned self = freshColumn(Range::all());
  std::optional<LinearRow> row =
      makeRow({{e, DynamicAPInt(1)}}, DynamicAPInt(0), true, 0);
  if (!row) // more monomials than columns: nothing is known of the first
    return;
  row->terms.push_back({self, DynamicAPInt(-1)});
  system.rows.push_back(*row);
  // The question's own parts are nearer to it than what facts say of them.
  for (Atom atom : atomsOf(e))
    if (monomials.size() < maxNested)
      column(atom.asExpr());
  for (size_t i = 0; i < monomials.size(); ++i)
    visitMonomial(monomials[i]);
}

unsigned AffineComponent::freshColumn(const Range &range) {
  system.columns.push_back({range, 0, 0});
  return system.columns.size() - 1;
}

Bound AffineComponent::boundsOf(Expr monomial) {
  Bound bound = k.bounds(monomial);
  if (!limits.hasUpperEnds && bound.range.min && !bound.range.isSingle())
    bound.range.max = std::nullopt;
  return bound;
}

bool AffineComponent::hasUpperEnds() const {
  return llvm::any_of(monomials, [&](Expr monomial) {
    const Range &range = system.columns[columnOf.lookup(monomial)].range;
    return range.min && range.max && !range.isSingle();
  });
}

/// The column of a monomial, with what bounds say of it.
std::optional<unsigned> AffineComponent::column(Expr monomial) {
  auto it = columnOf.find(monomial);
  if (it != columnOf.end())
    return it->second;
  if (system.columns.size() >= limits.columns) {
    exhausted = true;
    return std::nullopt;
  }
  system.columns.push_back(boundsOf(monomial));
  monomials.push_back(monomial);
  return columnOf[monomial] = system.columns.size() - 1;
}

/// The row sum + constant >= 0, or == 0; none when a budget is exhausted.
std::optional<LinearRow> AffineComponent::makeRow(Sum sum,
                                                  const DynamicAPInt &constant,
                                                  bool isEquality, Why why) {
  LinearRow row{{}, constant, isEquality, why};
  for (const auto &[e, scale] : sum)
    for (const Expr::Term &term : e.terms()) {
      DynamicAPInt coefficient = term.coefficient * scale;
      if (term.powers.empty()) {
        row.constant += coefficient;
        continue;
      }
      bool isAtom = term.powers.size() == 1 && term.powers[0].second == 1;
      std::optional<unsigned> index =
          column(isAtom ? term.powers[0].first.asExpr()
                        : monomial(k.arena, term.powers));
      if (!index)
        return std::nullopt;
      auto *known = llvm::find_if(
          row.terms, [&](const auto &entry) { return entry.first == *index; });
      if (known == row.terms.end())
        row.terms.push_back({*index, coefficient});
      else
        known->second += coefficient;
    }
  llvm::erase_if(row.terms,
                 [](const auto &entry) { return entry.second == 0; });
  return row;
}

bool AffineComponent::addRow(Sum sum, const DynamicAPInt &constant,
                             bool isEquality, Why why) {
  if (system.rows.size() >= limits.rows) {
    exhausted = true;
    return false;
  }
  std::optional<LinearRow> row = makeRow(sum, constant, isEquality, why);
  if (row)
    system.rows.push_back(std::move(*row));
  return row.has_value();
}

// A member of r mod m is m*q + r for some integer q.
void AffineComponent::addResidue(Expr e, const Residue &residue, Why why) {
  if (residue.isAll())
    return;
  if (!addRow({{e, DynamicAPInt(1)}}, -residue.remainder, true, why) ||
      residue.modulus == 0)
    return;
  unsigned quotient = freshColumn(Range::all());
  system.rows.back().terms.push_back({quotient, -residue.modulus});
}

/// One of the cases holds; each is a conjunction.
void AffineComponent::addSplit(
    ArrayRef<SmallVector<std::optional<LinearRow>, 3>> cases) {
  CaseSplit split;
  for (const auto &rows : cases) {
    split.emplace_back();
    for (const std::optional<LinearRow> &row : rows) {
      if (!row)
        return;
      split.back().push_back(*row);
    }
  }
  splits.push_back(std::move(split));
}

//===----------------------------------------------------------------------===//
// What is known of a monomial
//===----------------------------------------------------------------------===//

void AffineComponent::visitMonomial(Expr monomial) {
  const auto &powers = monomial.terms()[0].powers;
  auto [residue, residueWhy] = k.residue(monomial);
  addResidue(monomial, residue, residueWhy);
  unsigned degree = 0;
  for (auto [atom, power] : powers)
    degree += power;
  if (degree == 2 && powers.size() == 1)
    squareRows(monomial, powers[0].first.asExpr());
  for (auto [atom, power] : powers) {
    if (degree > 1 && degree <= maxRowDegree)
      productRows(monomial, atom);
    if (seenAtoms.insert(atom).second)
      visitAtom(atom);
  }
}

void AffineComponent::visitAtom(Atom atom) {
  atomOrder.push_back(atom);
  switch (atom.kind()) {
  case AtomKind::Symbol:
    break;
  case AtomKind::FloorDiv:
    floorDivRows(atom);
    break;
  case AtomKind::Min:
  case AtomKind::Max:
    minMaxRows(atom);
    break;
  case AtomKind::Bc:
    bcRows(atom);
    break;
  case AtomKind::Named: // a sum too long to be one polynomial is its parts
    if (!atom.namedIsProduct()) {
      SmallVector<std::pair<Expr, DynamicAPInt>, 4> sum{
          {atom.asExpr(), DynamicAPInt(-1)}};
      for (Expr operand : atom.operands())
        sum.push_back({operand, DynamicAPInt(1)});
      addRow(sum, DynamicAPInt(0), true, 0);
    }
    break;
  }
  for (Expr form : k.formsAround(atom)) { // queries add no forms
    if (system.rows.size() >= limits.rows || formsLeft == 0 ||
        !limits.hasForms) {
      exhausted = true;
      return;
    }
    --formsLeft;
    if (seenForms.insert(form).second)
      visitForm(form);
  }
}

/// Bounds, residue and excluded values of a form that facts speak of.
void AffineComponent::visitForm(Expr primitive) {
  formOrder.push_back(primitive);
  const FormInfo info = k.forms.find(primitive)->second;
  const DynamicAPInt one(1), minusOne(-1);
  if (primitive.terms().size() == 1) {
    column(primitive);
  } else {
    const auto &[min, max] = info.bound.range;
    if (info.bound.range.isSingle()) {
      addRow({{primitive, one}}, -*min, true,
             k.reasons.both(info.bound.lo, info.bound.hi));
    } else {
      if (min)
        addRow({{primitive, one}}, -*min, false, info.bound.lo);
      if (max)
        addRow({{primitive, minusOne}}, *max, false, info.bound.hi);
    }
    addResidue(primitive, info.residue, info.residueWhy);
  }
  auto values = k.excluded.find(primitive);
  if (values == k.excluded.end())
    return;
  const auto &[min, max] = info.bound.range;
  const ExcludedValues &all = values->second;
  auto first = min ? all.lower_bound(*min) : all.begin();
  unsigned left = maxExcluded;
  for (auto it = first; it != all.end(); ++it) {
    const auto &[value, why] = *it;
    if (max && value > *max)
      break;
    if (left-- == 0) {
      exhausted = true;
      break;
    }
    addSplit({{makeRow({{primitive, one}}, -value - 1, false, why)},
              {makeRow({{primitive, minusOne}}, value - 1, false, why)}});
  }
}

//===----------------------------------------------------------------------===//
// Axioms
//===----------------------------------------------------------------------===//

// q = floor(a / b) rounds to minus infinity: for b >= 1, 0 <= a - b*q <= b - 1;
// for b <= -1, b + 1 <= a - b*q <= 0. Nothing is known for b == 0.
void AffineComponent::floorDivRows(Atom atom) {
  Expr a = atom.operands()[0], b = atom.operands()[1];
  Bound divisor = k.bounds(b);
  bool isPositive = divisor.range.isAtLeast(1);
  bool isNegative = divisor.range.isAtMost(-1);
  if (!isPositive && !isNegative)
    return;
  Why why = isPositive ? divisor.lo : divisor.hi;
  DynamicAPInt sign(isPositive ? 1 : -1);
  Expr multiple = b * atom.asExpr();
  addRow({{a, sign}, {multiple, -sign}}, DynamicAPInt(0), false, why);
  addRow({{b, sign}, {a, -sign}, {multiple, sign}}, DynamicAPInt(-1), false,
         why);
  if (isPositive && !b.isConstant())
    quotientRows(atom, divisor);
}

// With q = floor(a / b), a >= 0 and 1 <= l <= b <= h: q >= 0, so l*q <= b*q <=
// a, and a <= b*q + b - 1 <= h*q + h - 1.
void AffineComponent::quotientRows(Atom atom, const Bound &divisor) {
  Expr a = atom.operands()[0], q = atom.asExpr();
  Why why = 0;
  if (!k.provesNonNegative(a, why, 0))
    return;
  DynamicAPInt one(1), zero(0);
  why = k.reasons.both(why, divisor.lo);
  addRow({{q, one}}, zero, false, why);
  addRow({{a, one}, {q, -*divisor.range.min}}, zero, false, why);
  if (const auto &h = divisor.range.max)
    addRow({{q, *h}, {a, -one}}, *h - 1, false,
           k.reasons.both(why, divisor.hi));
}

// min(a, ..) is at most each operand, and is one of them; max is at least each.
void AffineComponent::minMaxRows(Atom atom) {
  DynamicAPInt sign(atom.kind() == AtomKind::Min ? 1 : -1);
  SmallVector<SmallVector<std::optional<LinearRow>, 3>, 4> cases;
  for (Expr operand : atom.operands()) {
    addRow({{operand, sign}, {atom.asExpr(), -sign}}, DynamicAPInt(0), false,
           0);
    cases.push_back({makeRow({{operand, sign}, {atom.asExpr(), -sign}},
                             DynamicAPInt(0), true, 0)});
  }
  size_t before = splits.size();
  addSplit(cases);
  if (splits.size() > before)
    minMaxSplits.push_back({before, atom});
}

// bc(a, b) is b where a == 1, and a where a <= 0 or a >= 2.
void AffineComponent::bcRows(Atom atom) {
  Expr a = atom.operands()[0], self = atom.asExpr();
  Expr b = k.arena.bc(atom.operands().drop_front());
  const DynamicAPInt one(1), minusOne(-1), zero(0);
  std::optional<LinearRow> isA =
      makeRow({{self, one}, {a, minusOne}}, zero, true, 0);
  addSplit({{makeRow({{a, one}}, minusOne, true, 0),
             makeRow({{self, one}, {b, minusOne}}, zero, true, 0)},
            {makeRow({{a, minusOne}}, zero, false, 0), isA},
            {makeRow({{a, one}}, DynamicAPInt(-2), false, 0), isA}});
}

// With p = x*y, from x >= l and y >= m: (x - l)*(y - m) >= 0, that is
// p - m*x - l*y + l*m >= 0; likewise for each pair of ends, where an upper end
// turns its factor's sign.
void AffineComponent::productRows(Expr product, Atom factor) {
  Expr x = factor.asExpr(), y = divideExactly(product, x);
  if (y.asAtom() && Atom::compare(y.asAtom(), factor) < 0)
    return; // the same rows as with the other factor
  Bound ofX = boundsOf(x), ofY = boundsOf(y);
  for (bool lowX : {true, false})
    for (bool lowY : {true, false}) {
      const auto &endX = lowX ? ofX.range.min : ofX.range.max;
      const auto &endY = lowY ? ofY.range.min : ofY.range.max;
      if (!endX || !endY)
        continue;
      DynamicAPInt sign(lowX == lowY ? 1 : -1);
      addRow({{product, sign}, {x, -sign * *endY}, {y, -sign * *endX}},
             sign * *endX * *endY, false,
             k.reasons.both(lowX ? ofX.lo : ofX.hi, lowY ? ofY.lo : ofY.hi));
    }
}

// Of two neighbours, one is even, and both have the same sign or one is 0: so
// x*x - x == 2*h with h >= 0, and x*x + x >= 0.
void AffineComponent::squareRows(Expr square, Expr root) {
  const DynamicAPInt one(1);
  if (!addRow({{square, one}, {root, -one}}, DynamicAPInt(0), true, 0))
    return;
  unsigned half = freshColumn(Range::atLeast(0));
  system.rows.back().terms.push_back({half, DynamicAPInt(-2)});
  addRow({{square, one}, {root, one}}, DynamicAPInt(0), false, 0);
}
