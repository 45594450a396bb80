//===- Quotients.cpp - Quotients by divisors that are not literal ---------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One form for equal quotients whose divisor is not 0 by the facts, as
// Canonical.cpp has for literal divisors. Each step replaces floor(a / b) by
// what equals it; the steps repeat as `reduce` does.
//
//===----------------------------------------------------------------------===//

#include "Knowledge.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir::symshape;

/// Dividends and divisors with more terms are left as they are.
static constexpr unsigned maxTerms = 16;
/// Leading terms that are divided, or parts that are taken out, per step.
static constexpr unsigned maxQuotientParts = 16;

/// The greatest c*m that divides every term, with a number c >= 1 and a
/// monomial m.
static Expr commonTerm(Expr e) {
  DynamicAPInt content(0);
  for (const Expr::Term &term : e.terms())
    content = gcd(content, abs(term.coefficient));
  return commonMonomial(e) * e.arena().constant(content);
}

/// The greatest term that divides both of two single terms.
static Expr commonFactor(Expr a, Expr b) {
  const Expr::Term &first = a.terms()[0], &second = b.terms()[0];
  ExprArena &arena = a.arena();
  Expr ofA = monomial(arena, first.powers),
       ofB = monomial(arena, second.powers);
  Expr powers = ofA == ofB ? ofA : commonMonomial(ofA + ofB);
  return powers *
         arena.constant(gcd(abs(first.coefficient), abs(second.coefficient)));
}

/// Whether 0 <= r < b: then b >= 1, and floor(r / b) is 0.
bool Knowledge::isRemainder(Expr r, Expr b, Why &why) {
  Bound low = bounds(r), high = bounds(b - r);
  if (!low.range.isAtLeast(0) || !high.range.isAtLeast(1))
    return false;
  why = reasons.both(why, reasons.both(low.lo, high.lo));
  return true;
}

/// floor(r / b) for b >= 1 where it is the same number for all values.
std::optional<DynamicAPInt> Knowledge::constantQuotient(Expr r, Expr b,
                                                        Why &why) {
  if (r.terms().empty() || isRemainder(r, b, why))
    return DynamicAPInt(0);
  // -b <= r < 0 is 0 <= r + b < b, and floor(r / b) is floor((r + b) / b) - 1.
  if (isRemainder(r + b, b, why))
    return DynamicAPInt(-1);
  Bound ofR = bounds(r), ofB = bounds(b);
  Range range = Range::floorDiv(ofR.range, ofB.range);
  if (!range.isSingle())
    return std::nullopt;
  why = reasons.both(why, reasons.both(reasons.both(ofR.lo, ofR.hi),
                                       reasons.both(ofB.lo, ofB.hi)));
  return *range.min;
}

// floor(a / b) == floor(-a / -b) for b != 0: a divisor that is known to be
// negative becomes positive; one of unknown sign gets a positive first
// coefficient.
void Knowledge::orientDivisor(Division &div) {
  Bound bound = bounds(div.divisor);
  div.isPositive = bound.range.isAtLeast(1);
  if (div.isPositive) {
    div.why = reasons.both(div.why, bound.lo);
    return;
  }
  div.isPositive = bound.range.isAtMost(-1);
  if (!div.isPositive && div.divisor.terms()[0].coefficient > 0)
    return;
  if (div.isPositive)
    div.why = reasons.both(div.why, bound.hi);
  div.dividend = -div.dividend;
  div.divisor = -div.divisor;
}

// floor((q*b + r) / b) == q + floor(r / b) for b != 0, by long division with
// the first term of b. For a divisor of several terms, that must make the
// dividend shorter: each step trades a term for those of the divisor.
void Knowledge::divideTerms(Division &div) {
  const Expr::Term lead = div.divisor.terms()[0];
  Expr leadMonomial = monomial(arena, lead.powers), rest = div.dividend;
  Expr quotient = arena.zero();
  for (unsigned step = 0; step < maxQuotientParts; ++step) {
    Expr part;
    for (const Expr::Term &term : rest.terms()) {
      DynamicAPInt number = term.coefficient / lead.coefficient;
      if (number == 0)
        continue;
      Expr whole = monomial(arena, term.powers);
      if (Expr factor = divideExactly(whole, leadMonomial)) {
        part = factor * arena.constant(number);
        break;
      }
    }
    if (!part)
      break;
    quotient = quotient + part;
    rest = rest - part * div.divisor;
    if (rest.terms().size() > maxTerms)
      return;
  }
  Why why = div.why;
  if (div.divisor.terms().size() > 1 && !rest.isConstant() &&
      rest.terms().size() >= div.dividend.terms().size() &&
      !(div.isPositive && constantQuotient(rest, div.divisor, why)))
    return;
  div.outside = div.outside + quotient;
  div.dividend = rest;
}

// With b | m, floor((m + r) / b) == m / b + floor(r / b) for b != 0. A known
// multiple of the divisor, or of a multiple of it, comes out.
void Knowledge::takeMultiples(Division &div) {
  if (multiples.empty())
    return;
  for (const Expr::Term &term : div.dividend.terms()) {
    if (term.powers.empty())
      continue;
    Expr whole = arena.fromTerm(term);
    Why why = div.why;
    MultipleSearch search;
    std::optional<MultiplePart> found =
        multiplePart(whole, div.divisor, search, maxMultipleDepth, why);
    if (!found)
      continue;
    Expr rest = div.dividend - whole + found->left;
    // Taking a part of a longer sum is worth it if the sum vanishes.
    if (rest.terms().size() >= div.dividend.terms().size())
      continue;
    div.outside = div.outside + divideExactly(found->multiple, div.divisor);
    div.dividend = rest;
    div.why = why;
    return;
  }
}

// floor((g*a) / (g*b)) == floor(a / b) for g*b != 0, since both are the floor
// of one rational number. With g >= 1 and b >= 1 a remainder stays below:
//   floor((g*a + r) / (g*b)) == floor(floor(a + r/g) / b)
//                            == floor((a + floor(r / g)) / b).
void Knowledge::cancelFactors(Division &div) {
  Expr common = commonTerm(div.divisor);
  Expr sum = divideExactly(div.divisor, common);
  if (sum.terms().size() > 1)
    if (Expr quotient = divideExactly(div.dividend, sum)) {
      // The sign of what is left may not be that of the whole.
      div.isPositive = false;
      div.dividend = quotient;
      div.divisor = common;
      return;
    }
  Expr shared = commonFactor(common, commonTerm(div.dividend));
  if (!shared.isConstant(1)) {
    div.isPositive = false;
    div.dividend = divideExactly(div.dividend, shared);
    div.divisor = divideExactly(div.divisor, shared);
    return;
  }
  if (!div.isPositive)
    return;
  SmallVector<Expr, 4> factors{common};
  if (common.terms()[0].coefficient > 1)
    factors.push_back(arena.constant(common.terms()[0].coefficient));
  for (auto [atom, power] : common.terms()[0].powers)
    factors.push_back(atom.asExpr());
  for (Expr g : factors)
    if (!g.isConstant(1) && cancelAbove(div, g))
      return;
}

/// The second rule of `cancelFactors`, for the given factor of the divisor.
bool Knowledge::cancelAbove(Division &div, Expr g) {
  SmallVector<Expr::Term, 4> whole, rest;
  for (const Expr::Term &term : div.dividend.terms())
    (divideExactly(arena.fromTerm(term), g) ? whole : rest).push_back(term);
  // A part of a constant may be a multiple, too.
  if (whole.empty() || rest.empty())
    return false;
  Expr b = divideExactly(div.divisor, g);
  Bound ofG = bounds(g), ofB = bounds(b);
  if (!ofG.range.isAtLeast(1) || !ofB.range.isAtLeast(1))
    return false;
  Why why = reasons.both(div.why, reasons.both(ofG.lo, ofB.lo));
  Expr r = arena.fromTerms(std::move(rest));
  std::optional<DynamicAPInt> below = constantQuotient(r, g, why);
  if (!below)
    return false;
  Expr a = divideExactly(arena.fromTerms(std::move(whole)), g);
  div = {div.outside, a + arena.constant(*below), b, why, true};
  return true;
}

// floor((floor(p / c) + q) / b) == floor((p + c*q) / (c*b)) for c != 0 and
// b >= 1: for a real y, an integer q and b >= 1, floor((floor(y) + q) / b) ==
// floor((y + q) / b), here with y = p / c.
void Knowledge::mergeQuotients(Division &div) {
  Atom inner;
  for (const Expr::Term &term : div.dividend.terms())
    for (auto [atom, power] : term.powers) {
      if (atom.kind() != AtomKind::FloorDiv)
        continue;
      if (inner || term.powers.size() > 1 || power > 1 || term.coefficient != 1)
        return;
      inner = atom;
    }
  Why why = div.why;
  if (!inner || !div.isPositive || !nonZeroDirect(inner.operands()[1], why))
    return;
  Expr p = inner.operands()[0], c = inner.operands()[1];
  Expr dividend = p + c * (div.dividend - inner.asExpr());
  Expr divisor = c * div.divisor;
  if (dividend.terms().size() > maxTerms || divisor.terms().size() > maxTerms ||
      dividend.depth() > div.dividend.depth())
    return;
  // The sign of the new divisor is that of c.
  div = {div.outside, dividend, divisor, why, false};
}

/// Once known multiples are written as products, the divisor, which is not 0,
/// may divide the dividend; the exact quotient then takes its place.
bool Knowledge::divideProducts(Division &div) {
  Reduced a = asProducts(div.dividend, /*isWhole=*/true);
  Reduced b = asProducts(div.divisor, /*isWhole=*/true);
  if (a.expr == div.dividend && b.expr == div.divisor)
    return false;
  Expr quotient = divideExactly(a.expr, b.expr);
  if (!quotient)
    return false;
  div.dividend = quotient;
  div.why = reasons.both(div.why, reasons.both(a.why, b.why));
  return true;
}

// floor(-a / b) == -1 - floor((a - 1) / b) for b >= 1: with a - 1 = q*b + r and
// 0 <= r < b, -a = -(q + 1)*b + (b - 1 - r), where 0 <= b - 1 - r < b.
void Knowledge::makeDividendPositive(Division &div) {
  if (!div.isPositive || div.dividend.isConstant() ||
      div.dividend.terms()[0].coefficient > 0)
    return;
  div.outside = div.outside - 1;
  div.dividend = -div.dividend - 1;
  div.isNegated = true;
}

Reduced Knowledge::decideFloorDiv(Atom atom) {
  Expr a = atom.operands()[0], b = atom.operands()[1];
  Division div{arena.zero(), a, b, 0, false};
  if (a.terms().size() > maxTerms || b.terms().size() > maxTerms)
    return {atom.asExpr(), 0};
  if (std::optional<DynamicAPInt> literal = b.asConstant()) {
    div.isPositive = *literal >= 1;
    mergeQuotients(div);
    return div.divisor == b
               ? Reduced{atom.asExpr(), 0}
               : Reduced{arena.floorDiv(div.dividend, div.divisor), div.why};
  }
  if (!nonZeroDirect(b, div.why))
    return {atom.asExpr(), 0};
  orientDivisor(div);
  divideTerms(div);
  takeMultiples(div);
  if (div.isPositive) {
    Why why = div.why;
    if (auto number = constantQuotient(div.dividend, div.divisor, why))
      return {div.outside + arena.constant(*number), why};
  }
  if (div.dividend.terms().empty())
    return {div.outside, div.why};
  if (!multiples.empty() && divideProducts(div))
    return {div.outside + div.dividend, div.why};
  Expr divisor = div.divisor;
  cancelFactors(div);
  if (div.divisor == divisor) {
    mergeQuotients(div);
    makeDividendPositive(div);
  }
  Expr quotient = arena.floorDiv(div.dividend, div.divisor);
  Expr result = div.isNegated ? div.outside - quotient : div.outside + quotient;
  if (result == atom.asExpr())
    return {result, 0};
  return {result, div.why};
}

// For b >= 1, floor(x / b) grows with x, and c*x + r does for c >= 0: so
// floor((c*min(x, ..) + r) / b) == min(floor((c*x + r) / b), ..). For c <= 0,
// min and max are swapped.
Reduced Knowledge::spreadQuotient(Atom quotient) {
  Expr a = quotient.operands()[0], b = quotient.operands()[1];
  Bound divisor = bounds(b);
  if (!divisor.range.isAtLeast(1))
    return {quotient.asExpr(), 0};
  Atom inner = findFactor(a, [](Atom atom) {
    return (atom.kind() == AtomKind::Min || atom.kind() == AtomKind::Max) &&
           atom.operands().size() <= 4;
  });
  LinearSplit split = inner ? splitLinear(a, inner) : LinearSplit();
  if (!split.cofactor)
    return {quotient.asExpr(), 0};
  Bound sign = bounds(split.cofactor);
  bool isPositive = sign.range.isAtLeast(0);
  if (!isPositive && !sign.range.isAtMost(0))
    return {quotient.asExpr(), 0};
  SmallVector<Expr, 4> operands;
  for (Expr operand : inner.operands())
    operands.push_back(
        arena.floorDiv(split.cofactor * operand + split.rest, b));
  bool isMin = (inner.kind() == AtomKind::Min) == isPositive;
  return {isMin ? arena.min(operands) : arena.max(operands),
          reasons.both(divisor.lo, isPositive ? sign.lo : sign.hi)};
}

Reduced Knowledge::spreadQuotients(Expr e) {
  Why why = 0;
  Expr result = arena.replaceAtoms(e, [&](Atom atom) {
    if (atom.kind() != AtomKind::FloorDiv)
      return atom.asExpr();
    Reduced spread = spreadQuotient(atom);
    why = reasons.both(why, spread.why);
    return spread.expr;
  });
  return {result, why};
}
