//===- Solve.cpp - Equalities, and consequences of bounds -----------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Solves equalities for atoms and monomials, and carries bounds of a form to
// its terms, of a product to its factors, and of an atom to its operands.
//
//===----------------------------------------------------------------------===//

#include "Knowledge.h"
#include "symshape/Expr/Integers.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir::symshape;

/// Forms visited per fact, and visits per form.
static constexpr unsigned maxVisits = 30000;
static constexpr unsigned maxVisitsPerForm = 8;
/// Numbers up to this size are taken apart into primes.
static constexpr int64_t maxModulus = 1 << 20;

//===----------------------------------------------------------------------===//
// Equalities
//===----------------------------------------------------------------------===//

// From c*m + rest == 0: rest mod g, with g the gcd of its coefficients, is its
// constant term, and so is c*m, negated.
void Knowledge::residuesOfEquality(Expr e, Why why) {
  if (e.terms().size() > 8)
    return;
  for (const Expr::Term &term : e.terms()) {
    if (term.powers.empty())
      continue;
    Expr part = arena.fromTerm(term);
    auto [rest, restWhy] = residue(e - part);
    addResidue(part, Residue::neg(rest), reasons.both(why, restWhy));
    if (contradictory)
      return;
  }
}

/// Whether a symbol that occurs in `e`, at any depth, has been solved for.
static bool mentionsAny(ExprArena &arena, Expr e,
                        const llvm::DenseMap<Expr, Reduced> &solved) {
  return llvm::any_of(e.symbols(),
                      [&](Expr symbol) { return solved.contains(symbol); });
}

/// How readily an equality is solved for an atom, best first: what a caller did
/// not name goes before what it did.
static unsigned rankForSolving(Atom atom) {
  if (atom.kind() != AtomKind::Symbol)
    return 2;
  return atom.isFresh() ? 0 : 1;
}

/// Solves e == 0 for a symbol, else for another atom, else for its leading
/// monomial, if the coefficient is 1 or -1 and the rest does not mention it.
void Knowledge::solveFor(Expr e, Why why) {
  if (mentionsAny(arena, e, solved))
    return;
  for (unsigned rank : {0, 1, 2})
    for (const Expr::Term &term : llvm::reverse(e.terms())) {
      if (term.powers.size() != 1 || term.powers[0].second != 1 ||
          abs(term.coefficient) != 1)
        continue;
      Atom atom = term.powers[0].first;
      Expr self = atom.asExpr();
      if (rankForSolving(atom) != rank || solved.contains(self))
        continue;
      Expr rest = e - self * arena.constant(term.coefficient);
      if (mentions(rest, atom) || rest.terms().size() > 16)
        continue;
      // What replaces an atom must not be nested deeper.
      if (rank == 2 && rest.depth() > self.depth())
        continue;
      return eliminate(self, rest * arena.constant(-term.coefficient), why);
    }
  const Expr::Term &lead = e.terms()[0];
  unsigned degree = 0;
  for (auto [atom, power] : lead.powers)
    degree += power;
  if (degree < 2 || abs(lead.coefficient) != 1)
    return;
  Expr left = monomial(arena, lead.powers);
  Expr value = (left * arena.constant(lead.coefficient) - e) *
               arena.constant(lead.coefficient);
  for (auto [atom, power] : lead.powers)
    if (mentions(value, atom) && !divideExactly(value, atom.asExpr()))
      return;
  if (solved.contains(left) || value.depth() > left.depth())
    return;
  eliminate(left, value, why);
}

/// The atom of a monomial that the fewest forms mention: whatever mentions the
/// monomial is among these.
Atom Knowledge::rarestAtomOf(Expr monomial) const {
  auto numForms = [&](Atom atom) {
    auto it = formsOf.find(atom);
    return it == formsOf.end() ? 0 : it->second.size();
  };
  Atom rarest;
  for (auto [atom, power] : monomial.terms()[0].powers)
    if (!rarest || numForms(atom) < numForms(rarest))
      rarest = atom;
  return rarest;
}

// A symbol's value mentions neither itself nor a symbol solved before, and
// symbols solved later do not mention it: so definitions are not cyclic.
void Knowledge::eliminate(Expr left, Expr value, Why why) {
  Atom atom = rarestAtomOf(left);
  Bound bound = bounds(left);
  auto [known, knownWhy] = residue(left);
  ExcludedValues notTaken = excluded.lookup(left);
  solved[left] = {value, why};
  ++numSolved;
  undo([this, left] {
    solved.erase(left);
    ++numSolved;
  });
  if (!left.asAtom()) {
    rules[atom].push_back(left);
    undo([this, atom] { rules[atom].pop_back(); });
  } else if (left.asSymbol()) {
    Expr definition = toForm(left - value).primitive;
    if (definitions.insert(definition).second)
      undo([this, definition] { definitions.erase(definition); });
  }
  stateChanged();
  addWithin(value, {bound.range, reasons.both(why, bound.lo),
                    reasons.both(why, bound.hi)});
  addResidue(value, known, reasons.both(why, knownWhy));
  for (const auto &[number, numberWhy] : notTaken)
    addNonZero(value - arena.constant(number), reasons.both(why, numberWhy));
  restate(left);
}

// An equality that was itself solved for a monomial reduces to 0 == 0. What is
// substituted in it may have a factor m != 0 in all terms: m*p == 0 is p == 0.
void Knowledge::stateWithoutFactor(Expr primitive, const Bound &bound) {
  Reduced plain = substituteSolved(primitive);
  Expr zero = plain.expr - arena.constant(*bound.range.min);
  Expr common = commonMonomial(zero);
  if (zero.terms().size() < 2 || common.isConstant())
    return;
  Why why = reasons.both(plain.why, reasons.both(bound.lo, bound.hi));
  if (nonZeroDirect(common, why))
    pendingZero.push_back({divideExactly(zero, common), why});
}

/// States again, reduced, what is known of forms that mention `left`.
void Knowledge::restate(Expr left) {
  Atom changed = rarestAtomOf(left);
  for (size_t number : std::vector<size_t>(multiplesOf.lookup(changed))) {
    const Multiple known = multiples[number];
    Reduced value = reduce(known.value);
    boundDivisor(known.divisor, value.expr, reasons.both(known.why, value.why));
  }
  auto it = formsOf.find(changed);
  if (it == formsOf.end())
    return;
  std::vector<Expr> affected = it->second;
  for (Expr primitive : affected) {
    if (contradictory)
      return;
    Reduced reduced = reduce(primitive);
    if (reduced.expr == primitive)
      continue;
    // An equality from which a monomial was solved reduces to 0, too.
    bool isSaid = reduced.expr.isConstant() ? definitions.contains(primitive)
                                            : !mentions(reduced.expr, changed);
    if (isSaid && left.asSymbol())
      noteRestated(primitive, changed);
    FormInfo info = forms.find(primitive)->second;
    Why lo = reasons.both(reduced.why, info.bound.lo);
    Why hi = reasons.both(reduced.why, info.bound.hi);
    if (info.bound.range.isSingle()) {
      stateWithoutFactor(primitive, info.bound);
      pendingZero.push_back(
          {reduced.expr - arena.constant(*info.bound.range.min),
           reasons.both(lo, hi)});
      continue;
    }
    addWithin(reduced.expr, {info.bound.range, lo, hi});
    addResidue(reduced.expr, info.residue,
               reasons.both(reduced.why, info.residueWhy));
    for (const auto &[number, why] : ExcludedValues(excluded.lookup(primitive)))
      addNonZero(reduced.expr - arena.constant(number),
                 reasons.both(reduced.why, why));
  }
}

//===----------------------------------------------------------------------===//
// Bounds
//===----------------------------------------------------------------------===//

/// m*p == 0, where m is by now known to be non-zero, is p == 0.
void Knowledge::propagateZeroProduct(Expr primitive, const Bound &whole) {
  Expr common = commonMonomial(primitive);
  if (common.isConstant() || !whole.range.isSingle() || *whole.range.min != 0)
    return;
  Expr rest = divideExactly(primitive, common);
  Why why = reasons.both(whole.lo, whole.hi);
  auto known = forms.find(rest);
  if ((known == forms.end() || !known->second.bound.range.isSingle()) &&
      nonZeroDirect(common, why))
    pendingZero.push_back({rest, why});
}

// lo <= c*m + rest <= hi gives lo - max(rest) <= c*m <= hi - min(rest).
void Knowledge::propagateForm(Expr primitive) {
  Bound whole = forms.find(primitive)->second.bound;
  ArrayRef<Expr::Term> terms = primitive.terms();
  if (terms.size() > 12 || (!whole.range.min && !whole.range.max))
    return;
  propagateZeroProduct(primitive, whole);
  for (size_t i = 0; i < terms.size(); ++i) {
    // What was learnt of a term before may bound this one.
    Bound known = termBound(terms[i], 0),
          rest{Range::exactly(DynamicAPInt(0)), 0, 0};
    for (size_t j = 0; j < terms.size(); ++j)
      if (j != i)
        rest = sumOf(rest, termBound(terms[j], 0));
    Bound learnt;
    if (whole.range.min && rest.range.max)
      learnt.range.min = *whole.range.min - *rest.range.max;
    if (whole.range.max && rest.range.min)
      learnt.range.max = *whole.range.max - *rest.range.min;
    if (known.range.min && learnt.range.min &&
        *learnt.range.min <= *known.range.min)
      learnt.range.min = std::nullopt;
    if (known.range.max && learnt.range.max &&
        *learnt.range.max >= *known.range.max)
      learnt.range.max = std::nullopt;
    if (!learnt.range.min && !learnt.range.max)
      continue;
    learnt.lo = reasons.both(whole.lo, rest.hi);
    learnt.hi = reasons.both(whole.hi, rest.lo);
    addWithin(arena.fromTerm(terms[i]), learnt);
    if (contradictory)
      return;
  }
}

/// The greatest r >= 0 with r^power <= value, for value >= 0.
static DynamicAPInt rootOf(const DynamicAPInt &value, unsigned power) {
  auto isAbove = [&](const DynamicAPInt &r) {
    DynamicAPInt product(1);
    for (unsigned i = 0; i < power && product <= value; ++i)
      product *= r;
    return product > value;
  };
  DynamicAPInt low(0), high(1);
  while (!isAbove(high))
    high = high + high;
  while (high - low > 1) {
    DynamicAPInt middle = (low + high) / DynamicAPInt(2);
    (isAbove(middle) ? high : low) = middle;
  }
  return low;
}

// x^k <= u with u >= 0 gives x <= root(u), since x > root(u) >= 0 gives x^k >
// u; for even k also -x <= root(u), for the same reason. x^k >= l > 0 with x >=
// 0 gives x > root(l - 1), since x^k grows with x. With y >= 1, x^k*y <= u
// gives x^k <= u / y for u >= 0, and says nothing here for u < 0.
void Knowledge::propagateRoots(Expr primitive, const Bound &bound) {
  const auto &powers = primitive.terms()[0].powers;
  for (auto [atom, power] : powers) {
    if (power < 2 || power > 8 || contradictory)
      continue;
    Expr x = atom.asExpr();
    Expr rest = divideExactly(primitive, arena.pow(x, power));
    Bound others = bounds(rest, 0);
    if (!others.range.isAtLeast(1) || others.range.isEmpty())
      continue;
    if (bound.range.max && *bound.range.max >= 0) {
      Expr root = arena.constant(
          rootOf(floorDiv(*bound.range.max, *others.range.min), power));
      Why why = reasons.both(bound.hi, others.lo);
      addNonNegative(root - x, why);
      if (power % 2 == 0)
        addNonNegative(root + x, why);
    }
    Bound own = bounds(x, 0);
    if (bound.range.isAtLeast(1) && others.range.max &&
        own.range.isAtLeast(0)) {
      DynamicAPInt least = ceilDiv(*bound.range.min, *others.range.max);
      addNonNegative(x - arena.constant(rootOf(least - 1, power) + 1),
                     reasons.both(reasons.both(bound.lo, own.lo),
                                  reasons.both(others.lo, others.hi)));
    }
  }
}

// With p^v | x^k for a prime p, p divides x at least v/k times, rounded up. So
// a multiple M of x^k makes x one of the product of those powers.
void Knowledge::propagateResidueRoots(Expr primitive) {
  const auto powers = primitive.terms()[0].powers;
  auto it = forms.find(primitive);
  if (powers.size() != 1 || powers[0].second < 2 || it == forms.end())
    return;
  const Residue known = it->second.residue;
  Why why = it->second.residueWhy;
  std::optional<int64_t> modulus = tryInt64(known.modulus);
  if (!modulus || known.remainder != 0 || *modulus < 2 || *modulus > maxModulus)
    return;
  unsigned power = powers[0].second;
  int64_t root = 1, rest = *modulus;
  for (int64_t p = 2; rest > 1; ++p) {
    if (p * p > rest)
      p = rest;
    for (unsigned count = 0; rest % p == 0; ++count, rest /= p)
      if (count % power == 0)
        root *= p;
  }
  addResidue(powers[0].first.asExpr(),
             Residue::of(DynamicAPInt(0), DynamicAPInt(root)), why);
}

/// x*y == 0 with x != 0 gives y == 0.
void Knowledge::propagateZeroFactors(Expr primitive, const Bound &bound) {
  if (!bound.range.isSingle() || *bound.range.min != 0)
    return;
  Why why = reasons.both(bound.lo, bound.hi);
  Expr open;
  for (auto [atom, power] : primitive.terms()[0].powers) {
    if (isExcluded(atom.asExpr(), why, 0))
      continue;
    if (open)
      return;
    open = atom.asExpr();
  }
  if (!open)
    return contradict(why);
  Bound known = bounds(open, 0);
  if (!known.range.isSingle())
    pendingZero.push_back({open, why});
}

// For a product x*y with y >= 1: x*y <= u gives x <= u / y, which is at most
// u / min(y) for u >= 0; x*y >= l > 0 gives x >= l / max(y).
void Knowledge::propagateFactors(Expr primitive, const Bound &bound) {
  const auto &powers = primitive.terms()[0].powers;
  bool isNonZero = bound.range.isAtLeast(1) || bound.range.isAtMost(-1);
  Why nonZeroWhy = bound.range.isAtLeast(1) ? bound.lo : bound.hi;
  for (auto [atom, power] : powers) {
    if (contradictory)
      return;
    if (isNonZero)
      addNonZero(atom.asExpr(), nonZeroWhy);
    if (power != 1)
      continue;
    Bound others = bounds(divideExactly(primitive, atom.asExpr()), 0);
    if (!others.range.isAtLeast(1) || others.range.isEmpty())
      continue;
    if (bound.range.max && *bound.range.max >= 0)
      addNonNegative(
          arena.constant(floorDiv(*bound.range.max, *others.range.min)) -
              atom.asExpr(),
          reasons.both(bound.hi, others.lo));
    if (bound.range.isAtLeast(1) && others.range.max)
      addNonNegative(
          atom.asExpr() -
              arena.constant(ceilDiv(*bound.range.min, *others.range.max)),
          reasons.both(bound.lo, reasons.both(others.lo, others.hi)));
  }
}

// min(a, ..) <= u, where every other operand is larger than u, is a, and a <=
// u; and max(a, ..) >= l, where every other one is smaller than l, is a, and a
// >= l: min and max are one of their operands.
void Knowledge::propagateOnlyOperand(Atom atom, const Bound &bound) {
  bool isMin = atom.kind() == AtomKind::Min;
  const auto &end = isMin ? bound.range.max : bound.range.min;
  if (!end)
    return;
  Expr only;
  Why why = isMin ? bound.hi : bound.lo;
  for (Expr operand : atom.operands()) {
    Bound other = bounds(operand, 0);
    const auto &near = isMin ? other.range.min : other.range.max;
    if (near && (isMin ? *near > *end : *near < *end)) {
      why = reasons.both(why, isMin ? other.lo : other.hi);
      continue;
    }
    if (only)
      return;
    only = operand;
  }
  if (!only)
    return;
  Expr gap = arena.constant(*end) - only;
  addNonNegative(isMin ? gap : -gap, why);
  Expr self = atom.asExpr();
  if (!contradictory && !solved.contains(self) &&
      !mentionsAny(arena, only, solved))
    eliminate(self, only, why);
}

// min(a, ..) >= l bounds each operand, as does max(a, ..) <= u; for a literal
// d >= 1, floor(a / d) >= l is a >= d*l, and floor(a / d) <= u is
// a <= d*u + d - 1.
void Knowledge::propagateOperands(Atom atom, const Bound &bound) {
  const auto &[min, max] = bound.range;
  if (atom.kind() == AtomKind::Min && min)
    for (Expr operand : atom.operands())
      addNonNegative(operand - arena.constant(*min), bound.lo);
  if (atom.kind() == AtomKind::Max && max)
    for (Expr operand : atom.operands())
      addNonNegative(arena.constant(*max) - operand, bound.hi);
  if (atom.kind() == AtomKind::Min || atom.kind() == AtomKind::Max)
    propagateOnlyOperand(atom, bound);
  if (atom.kind() != AtomKind::FloorDiv)
    return;
  std::optional<DynamicAPInt> d = atom.operands()[1].asConstant();
  if (!d || *d <= 0)
    return;
  if (min)
    addNonNegative(atom.operands()[0] - arena.constant(*min * *d), bound.lo);
  if (max)
    addNonNegative(arena.constant(*max * *d + *d - 1) - atom.operands()[0],
                   bound.hi);
}

/// After a change of what is known of the atom, queues forms to look at.
void Knowledge::queueFormsOf(Atom atom, const Range &now) {
  Expr self = atom.asExpr();
  auto queue = [&](ArrayRef<Expr> forms) {
    for (Expr form : forms)
      if (form != self && !definitions.contains(form) &&
          !restated.contains(form))
        pending.push_back(form);
  };
  auto before = lookedAt.find(self);
  bool isNew = before == lookedAt.end();
  queue(otherFormsOf[atom]);
  if (isNew || before->second.min != now.min)
    queue(readersOf[{atom, false}]);
  if (isNew || before->second.max != now.max)
    queue(readersOf[{atom, true}]);
  lookedAt[self] = now;
}

void Knowledge::propagate() {
  updates.clear();
  unsigned visits = 0;
  while (!contradictory && visits++ < maxVisits) {
    if (!pendingZero.empty()) {
      auto [zero, why] = pendingZero.back();
      pendingZero.pop_back();
      addZero(zero, why);
      continue;
    }
    if (pending.empty())
      break;
    Expr primitive = pending.back();
    pending.pop_back();
    if (++updates[primitive] > maxVisitsPerForm)
      continue;
    if (primitive.terms().size() >= 2) {
      propagateForm(primitive);
      continue;
    }
    const auto powers = primitive.terms()[0].powers;
    Bound bound = bounds(primitive, 0);
    if (Atom atom = primitive.asAtom()) {
      propagateOperands(atom, bound);
      queueFormsOf(atom, bound.range);
    } else {
      propagateFactors(primitive, bound);
      propagateRoots(primitive, bound);
      propagateZeroFactors(primitive, bound);
      propagateResidueRoots(primitive);
      // Sums of symbols contain no product, so they say nothing of this one.
      for (Expr form : otherFormsOf[powers[0].first])
        if (form != primitive && form.terms().size() > 1 &&
            !definitions.contains(form) && !restated.contains(form))
          pending.push_back(form);
    }
  }
  pending.clear();
  pendingZero.clear();
  lookedAt.clear();
}
