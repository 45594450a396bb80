//===- AffineProducts.cpp - Rows multiplied by what is not negative -------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// More rows for a system that the linear ones leave open: facts, and the values
// asked about, multiplied by monomials. A monomial is tried if it makes a
// product that the system has; so t*floor(a / t), in the inequalities of
// Euclid, suggests the multiplier t.
//
// For an integer e and t >= 1, t*e + t - 1 >= 0 implies e >= 0: the values e <=
// -1, multiplied by t, say t*e <= -t, which contradicts that.
//
//===----------------------------------------------------------------------===//

#include "AffineComponent.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir::symshape;

// Products that are made, new monomials in one of them, their degree; columns
// of a system that gets any; squares whose roots are close to one another.
static constexpr unsigned maxProducts = 90;
static constexpr unsigned maxProductTrials = 400;
static constexpr unsigned maxNewColumns = 2;
static constexpr unsigned maxProductDegree = 5;
static constexpr unsigned maxDividedFactors = 8;
static constexpr unsigned maxMonomials = 60;
static constexpr int64_t maxTangents = 12;
static constexpr unsigned maxMonotone = 24;
/// Quotients that are compared with one another.
static constexpr unsigned maxComparedQuotients = 4;

static unsigned degreeOf(const Expr::Term &term) {
  unsigned degree = 0;
  for (auto [atom, power] : term.powers)
    degree += power;
  return degree;
}

static bool isProduct(Expr monomial) {
  return degreeOf(monomial.terms()[0]) > 1;
}

/// The monomials that divide a product, except 1 and itself: its factors, and
/// what is left beside each; for degree 4, also products of two factors. None
/// of a product of many factors, which would have the square of their number.
static SmallVector<Expr, 8> divisorsOf(ExprArena &arena, Expr product) {
  SmallVector<Expr, 8> divisors;
  auto add = [&](Expr divisor) {
    if (divisor && !divisor.isConstant() && divisor != product &&
        !llvm::is_contained(divisors, divisor))
      divisors.push_back(divisor);
  };
  const auto &powers = product.terms()[0].powers;
  if (powers.size() > maxDividedFactors)
    return divisors;
  for (auto [atom, power] : powers) {
    add(atom.asExpr());
    add(divideExactly(product, atom.asExpr()));
    for (auto [other, otherPower] : powers)
      add(divideExactly(product, atom.asExpr() * other.asExpr()));
  }
  return divisors;
}

//===----------------------------------------------------------------------===//
// What is multiplied
//===----------------------------------------------------------------------===//

/// What holds of several monomials: forms with bounds, the inequalities of
/// Euclid, and those of the operands of min and max.
std::vector<AffineComponent::Fact> AffineComponent::factsToMultiply() {
  std::vector<Fact> facts;
  for (Expr form : formOrder) {
    if (form.terms().size() < 2)
      continue;
    const Bound bound = k.forms.find(form)->second.bound;
    const auto &[min, max] = bound.range;
    if (bound.range.isSingle()) {
      facts.push_back({form - k.arena.constant(*min), true,
                       k.reasons.both(bound.lo, bound.hi)});
      continue;
    }
    if (min)
      facts.push_back({form - k.arena.constant(*min), false, bound.lo});
    if (max)
      facts.push_back({k.arena.constant(*max) - form, false, bound.hi});
  }
  for (Atom atom : atomOrder) {
    Expr self = atom.asExpr();
    if (atom.kind() == AtomKind::FloorDiv) {
      Expr a = atom.operands()[0], b = atom.operands()[1];
      Bound divisor = k.bounds(b);
      if (!divisor.range.isAtLeast(1))
        continue;
      Expr rest = a - b * self;
      facts.push_back({rest, false, divisor.lo});
      facts.push_back({b - rest - 1, false, divisor.lo});
    } else if (atom.kind() == AtomKind::Min || atom.kind() == AtomKind::Max) {
      for (Expr operand : atom.operands())
        facts.push_back(
            {atom.kind() == AtomKind::Min ? operand - self : self - operand,
             false, 0});
    }
  }
  return facts;
}

/// By what each monomial is multiplied to make one of the products.
llvm::DenseMap<Expr, SmallVector<Expr, 4>>
AffineComponent::multipliersOf() const {
  llvm::DenseMap<Expr, SmallVector<Expr, 4>> multipliers;
  for (Expr product : monomials)
    if (isProduct(product))
      for (Expr part : divisorsOf(k.arena, product))
        multipliers[divideExactly(product, part)].push_back(part);
  return multipliers;
}

/// How many monomials of `product` the system does not have; many if one of
/// them has too high a degree.
unsigned AffineComponent::newColumnsOf(Expr product) const {
  unsigned count = 0;
  for (const Expr::Term &term : product.terms()) {
    if (degreeOf(term) > maxProductDegree)
      return maxNewColumns + 1;
    if (!term.powers.empty() &&
        !columnOf.contains(monomial(k.arena, term.powers)))
      ++count;
  }
  return count;
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

// With f >= 0: (t - l)*f >= 0 for t >= l, and (u - t)*f >= 0 for t <= u. With f
// == 0, t*f == 0.
void AffineComponent::addProduct(const Fact &fact, Expr t) {
  if (fact.isEquality) {
    addRow({{fact.e * t, DynamicAPInt(1)}}, DynamicAPInt(0), true, fact.why);
    return;
  }
  Bound sign = k.bounds(t);
  if (sign.range.isAtLeast(0))
    addRow(
        {{fact.e * (t - k.arena.constant(*sign.range.min)), DynamicAPInt(1)}},
        DynamicAPInt(0), false, k.reasons.both(fact.why, sign.lo));
  else if (sign.range.isAtMost(0))
    addRow(
        {{fact.e * (k.arena.constant(*sign.range.max) - t), DynamicAPInt(1)}},
        DynamicAPInt(0), false, k.reasons.both(fact.why, sign.hi));
}

bool AffineComponent::hasSign(Expr t) {
  Bound bound = k.bounds(t);
  return bound.range.isAtLeast(0) || bound.range.isAtMost(0);
}

/// The expression times t, for values of it that a question excludes.
void AffineComponent::addGoalProduct(Expr t) {
  auto product =
      makeRow({{question * t, DynamicAPInt(1)}}, DynamicAPInt(0), false, 0);
  auto factor = makeRow({{t, DynamicAPInt(1)}}, DynamicAPInt(0), false, 0);
  if (product && factor)
    goalProducts.push_back({*product, *factor, k.bounds(t)});
}

static void addScaled(LinearRow &sum, const LinearRow &row,
                      const DynamicAPInt &scale) {
  sum.constant += row.constant * scale;
  for (const auto &[column, coefficient] : row.terms) {
    auto *known =
        llvm::find_if(sum.terms, [column = column](const auto &entry) {
          return entry.first == column;
        });
    if (known == sum.terms.end())
      sum.terms.push_back({column, coefficient * scale});
    else
      known->second += coefficient * scale;
  }
  llvm::erase_if(sum.terms,
                 [](const auto &entry) { return entry.second == 0; });
}

// For e in [lo, hi]: (t - l)*(hi - e) >= 0 and (t - l)*(e - lo) >= 0, with t >=
// l or, both turned, t <= l; for e == lo, t*e == lo*t.
void AffineComponent::multiplyGoal(LinearSystem &candidate) const {
  const Range values = candidate.columns[0].range;
  const LinearRow self{{{0, DynamicAPInt(1)}}, DynamicAPInt(0), false, 0};
  for (const GoalProduct &goal : goalProducts) {
    const Range &sign = goal.bound.range;
    if (values.isSingle()) {
      LinearRow row = goal.product;
      row.isEquality = true;
      addScaled(row, goal.factor, -*values.min);
      candidate.rows.push_back(row);
      continue;
    }
    bool isLow = sign.isAtLeast(0);
    if (!isLow && !sign.isAtMost(0))
      continue;
    const DynamicAPInt &l = isLow ? *sign.min : *sign.max;
    Why why = isLow ? goal.bound.lo : goal.bound.hi;
    for (bool usesMin : {true, false}) {
      const auto &end = usesMin ? values.min : values.max;
      if (!end)
        continue;
      // (t - l)*(e - end) = t*e - end*t - l*e + l*end, or minus that.
      DynamicAPInt scale(usesMin == isLow ? 1 : -1);
      LinearRow row{{}, l * *end * scale, false, why};
      addScaled(row, goal.product, scale);
      addScaled(row, goal.factor, -*end * scale);
      addScaled(row, self, -l * scale);
      candidate.rows.push_back(row);
    }
  }
}

// (x - y)^2 >= 0 and (x + y)^2 >= 0; and (x - c)*(x - c - 1) >= 0 for each
// number c, since no integer lies between two neighbours.
void AffineComponent::addSquares() {
  const DynamicAPInt one(1), two(2);
  for (size_t i = 0, count = monomials.size(); i < count; ++i) {
    const auto powers = monomials[i].terms()[0].powers;
    if (powers.size() == 2 && powers[0].second == 1 && powers[1].second == 1) {
      Expr x = powers[0].first.asExpr(), y = powers[1].first.asExpr();
      if (!columnOf.contains(x * x) || !columnOf.contains(y * y))
        continue;
      for (const DynamicAPInt &sign : {two, -two})
        addRow({{x * x, one}, {y * y, one}, {x * y, sign}}, DynamicAPInt(0),
               false, 0);
    }
    if (powers.size() != 1 || powers[0].second != 2)
      continue;
    Expr x = powers[0].first.asExpr();
    Bound bound = k.bounds(x);
    if (!bound.range.min || !bound.range.max ||
        *bound.range.max - *bound.range.min > maxTangents)
      continue;
    for (DynamicAPInt c = *bound.range.min; c < *bound.range.max; ++c)
      addRow({{x * x, one}, {x, -(c + c + 1)}}, c * (c + 1), false, 0);
  }
}

// floor is monotone: with t >= 1, a <= c gives floor(a / t) <= floor(c / t),
// and c <= a the other way round. Only where the other quotient is a
// polynomial, or one that the system has.
void AffineComponent::addMonotone(std::vector<Fact> &facts) {
  size_t count = facts.size();
  unsigned left = maxMonotone;
  for (size_t number = 0; number < atomOrder.size(); ++number) {
    Atom atom = atomOrder[number];
    if (atom.kind() != AtomKind::FloorDiv)
      continue;
    Expr a = atom.operands()[0], t = atom.operands()[1];
    Bound divisor = k.bounds(t);
    if (a.terms().empty() || t.isConstant() || !divisor.range.isAtLeast(1))
      continue;
    Expr lead = k.arena.fromTerm(a.terms()[0]);
    for (size_t i = 0; i < count && left; ++i) {
      const Fact fact = facts[i];
      for (const Expr::Term &term : fact.e.terms()) {
        Expr part = k.arena.fromTerm(term);
        if (part != lead && part != -lead)
          continue;
        bool isAbove = part != lead; // c - a >= 0
        Expr c = isAbove ? fact.e + a : a - fact.e;
        --left;
        Reduced other = k.reduce(k.arena.floorDiv(c, t));
        if (findFactor(other.expr, [&](Atom factor) {
              return factor.kind() == AtomKind::FloorDiv &&
                     !seenAtoms.contains(factor);
            }))
          break;
        Expr gap = other.expr - atom.asExpr();
        facts.push_back(
            {isAbove ? gap : -gap, false,
             k.reasons.both(fact.why, k.reasons.both(other.why, divisor.lo))});
        addRow({{facts.back().e, DynamicAPInt(1)}}, DynamicAPInt(0), false,
               facts.back().why);
        break;
      }
    }
  }
}

// With t >= 1 and u >= 1, c*t <= a*u is c/u <= a/t, so floor(c / u) <= floor(a
// / t). And floor(a / t) == ceil((a + 1) / t) - 1: so the same from (c + 1)*t
// <= (a + 1)*u.
void AffineComponent::compareQuotients(std::vector<Fact> &facts) {
  SmallVector<Atom, 8> quotients;
  for (Atom atom : atomOrder)
    if (atom.kind() == AtomKind::FloorDiv &&
        quotients.size() < maxComparedQuotients)
      quotients.push_back(atom);
  for (Atom less : quotients)
    for (Atom more : quotients) {
      Expr c = less.operands()[0], u = less.operands()[1];
      Expr a = more.operands()[0], t = more.operands()[1];
      // Equal divisors are left to the rule above.
      if (u == t || (u.isConstant() && t.isConstant()))
        continue;
      Bound ofT = k.bounds(t), ofU = k.bounds(u);
      if (!ofT.range.isAtLeast(1) || !ofU.range.isAtLeast(1))
        continue;
      Why why = k.reasons.both(ofT.lo, ofU.lo);
      Expr gap = a * u - c * t;
      if (!k.provesNonNegative(gap, why, 0) &&
          !k.provesNonNegative(gap + u - t, why, 0))
        continue;
      Expr order = more.asExpr() - less.asExpr();
      facts.push_back({order, false, why});
      addRow({{order, DynamicAPInt(1)}}, DynamicAPInt(0), false, why);
    }
}

// In the case of min(a, ..) == a, t*min(a, ..) == t*a.
void AffineComponent::multiplyCases(
    const llvm::DenseMap<Expr, SmallVector<Expr, 4>> &by) {
  for (auto [index, atom] : minMaxSplits) {
    auto it = by.find(atom.asExpr());
    if (it == by.end())
      continue;
    for (auto [number, operand] : llvm::enumerate(atom.operands()))
      for (Expr t : it->second) {
        Expr gap = t * (operand - atom.asExpr());
        if (newColumnsOf(gap) > maxNewColumns)
          continue;
        auto row = makeRow({{gap, DynamicAPInt(1)}}, DynamicAPInt(0), true, 0);
        if (row)
          splits[index][number].push_back(*row);
      }
  }
}

// d | f says f == d*floor(f / d), for d == 0 too, where f is 0.
void AffineComponent::addMultiples() {
  for (const Knowledge::Multiple &known : k.knownMultiples(atomOrder)) {
    Atom shared = findFactor(
        known.value, [&](Atom atom) { return seenAtoms.contains(atom); });
    if (!shared)
      continue;
    Reduced quotient = k.reduce(k.arena.floorDiv(known.value, known.divisor));
    addRow({{known.value, DynamicAPInt(1)},
            {known.divisor * quotient.expr, DynamicAPInt(-1)}},
           DynamicAPInt(0), true, k.reasons.both(known.why, quotient.why));
  }
}

bool AffineComponent::multiply() {
  if (llvm::none_of(monomials, isProduct) && k.multiples.empty())
    return false;
  size_t before = system.rows.size();
  size_t visited = monomials.size();
  addMultiples();
  for (; visited < monomials.size(); ++visited)
    visitMonomial(monomials[visited]);
  auto multipliers = multipliersOf();
  auto tried = [&](Expr e, llvm::function_ref<void(Expr)> use) {
    SmallVector<Expr, 8> seen;
    for (const Expr::Term &term : e.terms()) {
      if (term.powers.empty())
        continue;
      auto it = multipliers.find(monomial(k.arena, term.powers));
      if (it == multipliers.end())
        continue;
      for (Expr t : it->second)
        if (!llvm::is_contained(seen, t)) {
          seen.push_back(t);
          use(t);
        }
    }
  };
  tried(question, [&](Expr t) {
    if (goalProducts.size() < 8 && newColumnsOf(question * t) <= 4)
      addGoalProduct(t);
  });
  // First products of what the system has, then those with new monomials.
  std::vector<Fact> facts = factsToMultiply();
  addMonotone(facts);
  compareQuotients(facts);
  multiplyCases(multipliers);
  std::vector<std::vector<std::pair<size_t, Expr>>> byNew(maxNewColumns + 1);
  unsigned trials = 0;
  for (size_t i = 0; i < facts.size(); ++i)
    tried(facts[i].e, [&](Expr t) {
      if (++trials > maxProductTrials || (!facts[i].isEquality && !hasSign(t)))
        return;
      unsigned count = newColumnsOf(facts[i].e * t);
      if (count <= maxNewColumns)
        byNew[count].push_back({i, t});
    });
  unsigned left = maxProducts;
  for (const auto &products : byNew)
    for (auto [i, t] : products)
      if (left && monomials.size() < maxMonomials) {
        --left;
        budget.take(1);
        addProduct(facts[i], t);
      } else {
        exhausted = true;
      }
  if (trials > maxProductTrials)
    exhausted = true;
  for (; visited < monomials.size(); ++visited)
    visitMonomial(monomials[visited]);
  addSquares();
  for (; visited < monomials.size(); ++visited)
    visitMonomial(monomials[visited]);
  budget.left = SolverBudget::most;
  return system.rows.size() > before || !goalProducts.empty();
}
