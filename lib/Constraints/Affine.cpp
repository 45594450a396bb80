//===- Affine.cpp - Linear facts together ---------------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The last tier. The facts connected with a question become one linear system,
// with monomials as columns and what is known of non-linear ones as rows
// (AffineComponent). A relation is proved by refutation: the system with the
// negated relation has no integer solution.
//
// Sound: an assignment that satisfies the facts and the negated relation would
// be a solution, since every row holds for it.
//
//===----------------------------------------------------------------------===//

#include "AffineComponent.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir::symshape;

// Cases told apart, systems solved per question, steps by which a bound is
// moved.
static constexpr unsigned maxSplits = 6;
static constexpr unsigned maxSystems = 24;
static constexpr unsigned maxBoundSteps = 12;

//===----------------------------------------------------------------------===//
// Refutation
//===----------------------------------------------------------------------===//

// A solution satisfies one case of each split: the system is empty if it is
// with each choice of cases added. Rational emptiness first, of all choices
// together; what is left of them, over integers.
bool AffineComponent::refute(const LinearSystem &candidate, Why &why) {
  ArrayRef<CaseSplit> told(splits);
  told = told.take_front(std::min<size_t>(maxSplits, told.size()));
  Why used = 0;
  unsigned systemsLeft = maxSystems;
  auto excludesChoice = [&](ArrayRef<unsigned> choice) {
    if (systemsLeft == 0 || budget.isOver())
      return Emptiness::TooLarge;
    --systemsLeft;
    LinearSystem chosen = candidate;
    for (auto [split, index] : llvm::zip_equal(told, choice))
      chosen.rows.insert(chosen.rows.end(), split[index].begin(),
                         split[index].end());
    LinearSolver solver(chosen, k.reasons, budget);
    Emptiness emptiness = solver.check(/*overIntegers=*/true);
    if (emptiness == Emptiness::Empty)
      used = k.reasons.both(used, solver.why);
    return emptiness;
  };
  Emptiness emptiness = Emptiness::Empty;
  if (told.empty()) {
    emptiness = excludesChoice({});
  } else {
    LinearSolver solver(candidate, k.reasons, budget);
    emptiness = solver.checkCases(told, excludesChoice);
    used = k.reasons.both(used, solver.why);
  }
  if (emptiness == Emptiness::Empty) {
    why = k.reasons.both(why, used);
    return true;
  }
  if (emptiness == Emptiness::TooLarge || told.size() < splits.size())
    exhausted = true;
  return false;
}

bool AffineComponent::excludes(const Range &values, Why &why) {
  LinearSystem candidate = system;
  candidate.columns[0].range = values;
  multiplyGoal(candidate);
  return refute(candidate, why);
}

bool AffineComponent::excludesClass(const DynamicAPInt &d,
                                    const Range &remainders, Why &why) {
  LinearSystem candidate = system;
  unsigned quotient = candidate.columns.size(), remainder = quotient + 1;
  candidate.columns.push_back({Range::all(), 0, 0});
  candidate.columns.push_back({remainders, 0, 0});
  const DynamicAPInt one(1);
  candidate.rows.push_back({{{0, one}, {quotient, -d}, {remainder, -one}},
                            DynamicAPInt(0),
                            true,
                            0});
  return refute(candidate, why);
}

/// Bounds of the rational solutions, then moved while integers are excluded.
Bound AffineComponent::bounds() {
  Bound result = LinearSolver(system, k.reasons, budget).boundsOf(0);
  for (bool isLow : {true, false}) {
    auto &end = isLow ? result.range.min : result.range.max;
    Why &why = isLow ? result.lo : result.hi;
    DynamicAPInt step(1);
    for (unsigned i = 0; end && i < maxBoundSteps; ++i) {
      if (result.range.isEmpty())
        return result;
      DynamicAPInt last = isLow ? *end + step - 1 : *end - step + 1;
      Range values =
          isLow ? Range{std::nullopt, last} : Range{last, std::nullopt};
      if (excludes(values, why)) {
        end = isLow ? last + 1 : last - 1;
        step = step * DynamicAPInt(2);
      } else if (step == 1) {
        break;
      } else {
        step = DynamicAPInt(1);
      }
    }
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Questions
//===----------------------------------------------------------------------===//

bool Knowledge::isSpent() {
  if (!budget || budget->left > 0)
    return false;
  exhausted = "linear facts";
  return true;
}

/// A relation holds when the values of the gap that contradict it are excluded,
/// and its negation when the others are. Only what is possible is tried.
static Verdict decideSystem(Knowledge &k, const Relation &relation,
                            const Reduced &gap, const Possible &possible,
                            AffineComponent &component, Why &why) {
  k.rule = "linear facts";
  const DynamicAPInt zero(0), one(1);
  Range below{std::nullopt, -one}, above{one, std::nullopt};
  auto excludes = [&](const Range &values) {
    return component.excludes(values, why);
  };
  auto isZero = [&] { return excludes(below) && excludes(above); };
  auto isNonZero = [&] { return excludes(Range::exactly(zero)); };
  bool isYes = false, isNo = false;
  why = gap.why;
  switch (relation.kind) {
  case Relation::Eq:
    isYes = possible.isYes && isZero();
    isNo = possible.isNo && !isYes && (why = gap.why, isNonZero());
    break;
  case Relation::Ne:
    isYes = possible.isYes && isNonZero();
    isNo = possible.isNo && !isYes && (why = gap.why, isZero());
    break;
  case Relation::Le:
    isYes = possible.isYes && excludes(below);
    isNo = possible.isNo && !isYes && excludes(Range::atLeast(0));
    break;
  case Relation::Divides: {
    DynamicAPInt size = abs(*relation.lhs.asConstant());
    isYes =
        possible.isYes && component.excludesClass(size, {one, size - 1}, why);
    isNo = possible.isNo && !isYes &&
           component.excludesClass(size, Range::exactly(zero), why);
    break;
  }
  }
  return isYes ? Verdict::Yes : isNo ? Verdict::No : Verdict::Unknown;
}

/// What the parts of the gap say without facts, if there are any.
static Verdict decideAlone(Knowledge &k, const Relation &relation,
                           const Reduced &gap, const Possible &possible,
                           Why &why) {
  AffineComponent alone(k, gap.expr, AffineComponent::alone);
  if (!alone.isExhausted() || !alone.hasFacts())
    return Verdict::Unknown;
  return decideSystem(k, relation, gap, possible, alone, why);
}

Verdict Knowledge::decideByLinearFacts(const Relation &relation,
                                       const Possible &possible, Why &why) {
  if (isSpent())
    return Verdict::Unknown;
  bool isDivides = relation.kind == Relation::Divides;
  Expr divisor = relation.lhs;
  if (isDivides && (!divisor.isConstant() || divisor.isConstant(0)))
    return Verdict::Unknown;
  Expr given = isDivides ? relation.rhs : relation.rhs - relation.lhs;
  Reduced reduced = reduce(given);
  Verdict verdict = Verdict::Unknown;
  if (reduced.expr != given)
    verdict = decideAlone(*this, relation, {given, 0}, possible, why);
  if (verdict == Verdict::Unknown)
    verdict = decideGap(relation, reduced, possible, why);
  // Solved symbols turn products into sums of them, of which less is known.
  if (verdict == Verdict::Unknown &&
      reduced.expr.terms().size() > given.terms().size())
    verdict = decideGap(relation, {given, 0}, possible, why);
  if (verdict == Verdict::Unknown && !isDivides) {
    Reduced products = asProducts(reduced.expr);
    products.why = reasons.both(products.why, reduced.why);
    verdict = decideWithoutFactor(relation, products, possible, why);
  }
  if (verdict == Verdict::Unknown && relation.kind == Relation::Le)
    verdict = decideOperands(reduced, why);
  return verdict;
}

/// The gap of the relation has been found to be a number.
static Verdict decideNumber(const Relation &relation, const DynamicAPInt &gap) {
  bool holds = relation.kind == Relation::Eq   ? gap == 0
               : relation.kind == Relation::Ne ? gap != 0
                                               : gap >= 0;
  return holds ? Verdict::Yes : Verdict::No;
}

// With m >= 1, m*p >= 0 is p >= 0, and m*p == 0 is p == 0. With m >= 0, p >= 0
// gives m*p >= 0; and p == 0 gives m*p == 0 whatever m is.
Verdict Knowledge::decideWithoutFactor(const Relation &relation,
                                       const Reduced &gap,
                                       const Possible &possible, Why &why) {
  if (std::optional<DynamicAPInt> number = gap.expr.asConstant()) {
    rule = "divisibility";
    why = gap.why;
    return decideNumber(relation, *number);
  }
  Expr common = commonMonomial(gap.expr);
  if (common.isConstant())
    return Verdict::Unknown;
  Bound bound = bounds(common);
  auto isAtLeast = [&](int64_t end) {
    return bound.range.min && *bound.range.min >= end;
  };
  bool isSame = isAtLeast(1);
  if (relation.kind == Relation::Le && !isAtLeast(0))
    return Verdict::Unknown;
  Reduced rest{divideExactly(gap.expr, common), gap.why};
  if (isSame || relation.kind == Relation::Le)
    rest.why = reasons.both(rest.why, bound.lo);
  Verdict verdict = decideGap(relation, rest, possible, why);
  bool isZero =
      verdict == (relation.kind == Relation::Ne ? Verdict::No : Verdict::Yes);
  return isSame || isZero ? verdict : Verdict::Unknown;
}

// With l > 0, l*min(a, ..) + r >= 0 iff it holds with each operand in place of
// the atom, and the same with some operand of max. With l < 0, the two are
// swapped. So each operand is a question of its own, which may be multiplied.
Verdict Knowledge::decideOperands(const Reduced &gap, Why &why,
                                  unsigned depth) {
  for (const Expr::Term &term : gap.expr.terms()) {
    if (term.powers.size() != 1 || term.powers[0].second != 1)
      continue;
    Atom atom = term.powers[0].first;
    bool isMin = atom.kind() == AtomKind::Min;
    if ((!isMin && atom.kind() != AtomKind::Max) || atom.operands().size() > 3)
      continue;
    bool needsAll = isMin == (term.coefficient > 0);
    Verdict deciding = needsAll ? Verdict::No : Verdict::Yes;
    Expr scale = arena.constant(term.coefficient);
    Expr rest = gap.expr - atom.asExpr() * scale;
    if (mentions(rest, atom))
      continue;
    Why all = gap.why;
    bool isOpen = false;
    for (Expr operand : atom.operands()) {
      Why used = gap.why;
      Verdict verdict = decideOperand(rest + operand * scale, depth, used);
      if (verdict == deciding) {
        why = used;
        return verdict;
      }
      isOpen |= verdict == Verdict::Unknown;
      if (isOpen && needsAll)
        break;
      all = reasons.both(all, used);
    }
    if (isOpen)
      return Verdict::Unknown;
    why = all;
    return needsAll ? Verdict::Yes : Verdict::No;
  }
  return Verdict::Unknown;
}

Verdict Knowledge::decideOperand(Expr e, unsigned depth, Why &why) {
  if (isSpent())
    return Verdict::Unknown;
  Why used = 0;
  if (provesNonNegative(e, used)) {
    why = reasons.both(why, used);
    return Verdict::Yes;
  }
  Reduced reduced = reduce(e);
  reduced.why = reasons.both(reduced.why, why);
  Relation relation = Relation::le(arena.zero(), reduced.expr);
  Verdict verdict = decideGap(relation, reduced, Possible(), why);
  if (verdict == Verdict::Unknown && depth > 0)
    verdict = decideOperands(reduced, why, depth - 1);
  return verdict;
}

/// The parts of the gap alone first, then the linear rows; where they leave it
/// open, with products of them.
Verdict Knowledge::decideGap(const Relation &relation, const Reduced &gap,
                             const Possible &possible, Why &why) {
  if (gap.expr.isConstant())
    return Verdict::Unknown;
  if (Verdict verdict = decideAlone(*this, relation, gap, possible, why);
      verdict != Verdict::Unknown)
    return verdict;
  AffineComponent component(*this, gap.expr);
  // For one sum alone the ranges are exact, but they do not say which values in
  // between it takes.
  Verdict verdict = Verdict::Unknown;
  if (component.hasFacts() || relation.kind != Relation::Le)
    verdict = decideSystem(*this, relation, gap, possible, component, why);
  // The rows of products that upper ends add may be too many.
  if (verdict == Verdict::Unknown && component.isExhausted() &&
      component.hasUpperEnds()) {
    AffineComponent less(*this, gap.expr, AffineComponent::fromBelow);
    verdict = decideSystem(*this, relation, gap, possible, less, why);
  }
  // So may those of many facts: what is near is mostly enough.
  if (verdict == Verdict::Unknown && component.isExhausted()) {
    AffineComponent less(*this, gap.expr, AffineComponent::nearest);
    verdict = decideSystem(*this, relation, gap, possible, less, why);
  }
  if (verdict == Verdict::Unknown && component.multiply()) {
    verdict = decideSystem(*this, relation, gap, possible, component, why);
    // With many facts, products of only the nearest may be few enough; with
    // ranges, those of their lower ends.
    for (const AffineComponent::Limits &limits :
         {AffineComponent::nearest, AffineComponent::fromBelow}) {
      if (verdict != Verdict::Unknown || !component.isExhausted() ||
          (!limits.hasUpperEnds && !component.hasUpperEnds()))
        break;
      AffineComponent less(*this, gap.expr, limits);
      if (less.multiply())
        verdict = decideSystem(*this, relation, gap, possible, less, why);
    }
    if (verdict != Verdict::Unknown)
      rule = "products of facts";
  }
  if (component.isExhausted())
    exhausted = "linear facts";
  return verdict;
}

bool Knowledge::refutesFactsAround(Expr e, Why &why) {
  Reduced reduced = reduce(e);
  if (reduced.expr.isConstant())
    return false;
  AffineComponent component(*this, reduced.expr, AffineComponent::nearby);
  return component.hasFacts() && component.excludes(Range::all(), why);
}

Bound Knowledge::boundsByLinearFacts(Expr e, const Bound &known) {
  Reduced reduced = reduce(e);
  if (reduced.expr.isConstant() || known.range.isSingle() || isSpent())
    return known;
  AffineComponent component(*this, reduced.expr);
  if (!component.hasFacts())
    return known;
  Bound learnt = component.bounds();
  if (learnt.range.isEmpty()) // contradictory facts: anything is a bound
    return known;
  learnt.lo = reasons.both(learnt.lo, reduced.why);
  learnt.hi = reasons.both(learnt.hi, reduced.why);
  return intersect(known, learnt);
}
