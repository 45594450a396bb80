//===- Bounds.cpp - Closed bounds of an expression ------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Interval evaluation, sharpened by what was assumed of whole forms, by common
// factors, and by eliminating divisions. Never consults the order graph.
//
//===----------------------------------------------------------------------===//

#include "Knowledge.h"

using namespace mlir::symshape;

/// Atoms nested deeper than this are unbounded: recursion stays shallow. The
/// analysis keeps extents up to a depth of 90, and tells the bounds of those
/// that it does not keep.
static constexpr unsigned maxBoundedDepth = 96;

Bound Knowledge::intersect(const Bound &a, const Bound &b) {
  Bound result = a;
  if (b.range.min && (!a.range.min || *b.range.min > *a.range.min)) {
    result.range.min = b.range.min;
    result.lo = b.lo;
  }
  if (b.range.max && (!a.range.max || *b.range.max < *a.range.max)) {
    result.range.max = b.range.max;
    result.hi = b.hi;
  }
  return result;
}

Bound Knowledge::affine(const Bound &b, const DynamicAPInt &scale,
                        const DynamicAPInt &offset) {
  Bound result = b;
  if (scale < 0) {
    std::swap(result.range.min, result.range.max);
    std::swap(result.lo, result.hi);
  }
  if (result.range.min)
    result.range.min = *result.range.min * scale + offset;
  if (result.range.max)
    result.range.max = *result.range.max * scale + offset;
  return result;
}

/// A bound computed by interval arithmetic from operands: each end may rest on
/// all of their ends.
static Bound fromOperands(Reasons &reasons, const Range &range, const Bound &a,
                          const Bound &b) {
  if (!range.min && !range.max)
    return {};
  Why why = reasons.both(reasons.both(a.lo, a.hi), reasons.both(b.lo, b.hi));
  return {range, why, why};
}

/// Detours of expressions of this depth. Each may take others at each level
/// below, so that all of them cost a power of the depth, which is the fuel.
static unsigned fuelFor(unsigned depth) {
  return depth <= 8 ? 3 : depth <= 20 ? 2 : depth <= 40;
}

Bound Knowledge::bounds(Expr e, unsigned fuel) {
  if (std::optional<DynamicAPInt> value = e.asConstant())
    return {Range::exactly(*value), 0, 0};
  Form form = toForm(e);
  fuel = std::min(fuel, fuelFor(form.primitive.depth()));
  auto key = std::make_pair(form.primitive, fuel);
  auto it = boundCache.find(key);
  Bound primitive;
  if (it != boundCache.end()) {
    primitive = it->second;
  } else {
    ++steps;
    primitive = computeBounds(form.primitive, fuel);
    boundCache[key] = primitive;
    noteRead(form.primitive);
  }
  return affine(primitive, form.scale, form.offset);
}

Bound Knowledge::computeBounds(Expr e, unsigned fuel) {
  if (e.depth() > maxBoundedDepth)
    return {};
  Bound result = termSumBounds(e, fuel);
  if (e.terms().size() < 2)
    return result;
  auto it = forms.find(e);
  if (it != forms.end())
    result = intersect(result, it->second.bound);
  Expr common = commonMonomial(e);
  if (!common.isConstant()) {
    Bound factor = bounds(common, fuel);
    Bound rest = bounds(divideExactly(e, common), fuel);
    result = intersect(
        result, fromOperands(reasons, Range::mul(factor.range, rest.range),
                             factor, rest));
  }
  // Fuel bounds the detours: without it, evaluation descends into operands.
  if (fuel == 0)
    return result;
  if (common.isConstant())
    result = intersect(result, strippedBound(e, fuel));
  result = intersect(result, eliminationBound(e, fuel));
  return result;
}

Bound Knowledge::termBound(const Expr::Term &term, unsigned fuel) {
  return affine(monomialBound(term.powers, fuel), term.coefficient,
                DynamicAPInt(0));
}

Bound Knowledge::sumOf(const Bound &a, const Bound &b) {
  return {Range::add(a.range, b.range), reasons.both(a.lo, b.lo),
          reasons.both(a.hi, b.hi)};
}

Bound Knowledge::termSumBounds(Expr e, unsigned fuel) {
  Bound sum{Range::exactly(DynamicAPInt(0)), 0, 0};
  for (const Expr::Term &term : e.terms())
    sum = sumOf(sum, termBound(term, fuel));
  return sum;
}

/// The range of x^power, for power >= 1.
static Range powerOf(const Range &x, unsigned power) {
  if (power == 1)
    return x;
  Range half = powerOf(x, power / 2);
  Range square = Range::intersect(Range::mul(half, half), Range::atLeast(0));
  return power % 2 == 0 ? square : Range::mul(square, x);
}

Bound Knowledge::monomialBound(ArrayRef<std::pair<Atom, unsigned>> powers,
                               unsigned fuel) {
  if (powers.empty())
    return {Range::exactly(DynamicAPInt(1)), 0, 0};
  if (powers.size() == 1 && powers[0].second == 1)
    return atomBound(powers[0].first, fuel);
  Bound product{Range::exactly(DynamicAPInt(1)), 0, 0};
  SmallVector<Bound, 4> factors;
  for (auto [atom, power] : powers) {
    Bound factor = atomBound(atom, fuel);
    factor.range = powerOf(factor.range, power);
    Range range = factors.empty() ? factor.range
                                  : Range::mul(product.range, factor.range);
    product = fromOperands(reasons, range, product, factor);
    factors.push_back(factor);
  }
  auto it = forms.find(monomial(arena, powers));
  if (it != forms.end())
    product = intersect(product, it->second.bound);
  if (powers.size() < 3 || powers.size() > 6)
    return product;
  // One factor split off from a product whose bounds were assumed.
  for (size_t i = 0; i < powers.size(); ++i) {
    SmallVector<std::pair<Atom, unsigned>, 4> others(powers.begin(),
                                                     powers.end());
    others.erase(others.begin() + i);
    auto known = forms.find(monomial(arena, others));
    if (known == forms.end())
      continue;
    const Bound &rest = known->second.bound;
    product = intersect(
        product, fromOperands(reasons, Range::mul(factors[i].range, rest.range),
                              factors[i], rest));
  }
  return product;
}

Bound Knowledge::symbolBound(Atom atom) {
  Expr symbol = atom.asExpr();
  auto it = declarations.find(symbol);
  if (it != declarations.end())
    return {it->second.range, 0, 0};
  return {Range::atLeast(0), 0, 0};
}

/// bc(a, b) is b, or a value of a other than 1.
Bound Knowledge::bcBound(Atom atom, unsigned fuel) {
  Bound b = bounds(atom.operands().back(), fuel);
  for (Expr operand : llvm::reverse(atom.operands().drop_back())) {
    Bound a = bounds(operand, fuel);
    if (!a.range.contains(DynamicAPInt(1))) {
      // Both ends rest on the end that excludes 1.
      Why excludes = a.range.isAtMost(0) ? a.hi : a.lo;
      a.lo = reasons.both(a.lo, excludes);
      a.hi = reasons.both(a.hi, excludes);
      b = a;
      continue;
    }
    Range other = a.range;
    if (other.min && *other.min == 1)
      other.min = DynamicAPInt(2);
    if (other.max && *other.max == 1)
      other.max = DynamicAPInt(0);
    b = fromOperands(reasons, Range::join(other, b.range), a, b);
  }
  return b;
}

// A non-zero multiple of b >= 1 is at least b in size: for a >= 1 the quotient
// is at least 1. Looks only at facts about the dividend itself.
Bound Knowledge::exactQuotientBound(Atom atom, unsigned fuel) {
  Expr a = atom.operands()[0], b = atom.operands()[1];
  if (b.isConstant())
    return {};
  for (size_t number : multiplesAround(atomsOf(a))) {
    const Multiple &known = multiples[number];
    if (known.value != a || !divideExactly(known.divisor, b))
      continue;
    Bound dividend = bounds(a, fuel), divisor = bounds(b, fuel);
    if (!dividend.range.isAtLeast(1) || !divisor.range.isAtLeast(1))
      return {};
    Why why = reasons.both(known.why, reasons.both(dividend.lo, divisor.lo));
    return {Range::atLeast(1), why, 0};
  }
  return {};
}

Bound Knowledge::atomBound(Atom atom, unsigned fuel) {
  if (atom.depth() > maxBoundedDepth)
    return {};
  Bound result;
  ArrayRef<Expr> operands = atom.operands();
  switch (atom.kind()) {
  case AtomKind::Symbol:
    result = symbolBound(atom);
    break;
  case AtomKind::Bc:
    result = bcBound(atom, fuel);
    break;
  case AtomKind::FloorDiv:
  case AtomKind::Min:
  case AtomKind::Max:
  case AtomKind::Named:
    result = bounds(operands[0], fuel);
    for (Expr operand : operands.drop_front()) {
      Bound next = bounds(operand, fuel);
      Range range;
      if (atom.kind() == AtomKind::FloorDiv)
        range = Range::floorDiv(result.range, next.range);
      else if (atom.kind() == AtomKind::Min)
        range = Range::minOf(result.range, next.range);
      else if (atom.kind() == AtomKind::Max)
        range = Range::maxOf(result.range, next.range);
      else
        range = atom.namedIsProduct() ? Range::mul(result.range, next.range)
                                      : Range::add(result.range, next.range);
      result = fromOperands(reasons, range, result, next);
    }
    break;
  }
  if (atom.kind() == AtomKind::FloorDiv && !multiples.empty())
    result = intersect(result, exactQuotientBound(atom, fuel));
  auto it = forms.find(atom.asExpr());
  if (it != forms.end())
    result = intersect(result, it->second.bound);
  return result;
}

// For q = floor(a / d) with a literal d >= 1, a - d + 1 <= d*q <= a. With
// e = C*q + R and C >= 0 this gives
//   (a - d + 1)*C + d*R <= d*e <= a*C + d*R,
// and the two sides swapped for C <= 0. For a divisor b known positive that is
// a polynomial, the same with C = b*C', without the scaling by d.
Bound Knowledge::eliminationBound(Expr e, unsigned fuel) {
  Atom q = findFactor(
      e, [](Atom atom) { return atom.kind() == AtomKind::FloorDiv; });
  if (!q)
    return {};
  Expr a = q.operands()[0], b = q.operands()[1];
  LinearSplit split = splitLinear(e, q);
  if (!split.cofactor)
    return {};
  Why why = 0;
  DynamicAPInt scale(1);
  Expr cofactor = split.cofactor, rest = split.rest;
  if (std::optional<DynamicAPInt> literal = b.asConstant()) {
    if (*literal <= 0)
      return {};
    scale = *literal;
    rest = rest * arena.constant(scale);
  } else {
    Bound divisor = bounds(b, fuel - 1);
    if (!divisor.range.isAtLeast(1))
      return {};
    why = divisor.lo;
    cofactor = divideExactly(cofactor, b);
    if (!cofactor)
      return {};
  }
  Bound sign = bounds(cofactor, fuel - 1);
  bool isPositive = sign.range.isAtLeast(0);
  bool isNegative = sign.range.isAtMost(0);
  if (!isPositive && !isNegative)
    return {};
  why = reasons.both(why, isPositive ? sign.lo : sign.hi);
  Expr less = (a - b + 1) * cofactor + rest, more = a * cofactor + rest;
  if (!isPositive)
    std::swap(less, more);
  Bound low = bounds(less, fuel - 1), high = bounds(more, fuel - 1);
  Bound result;
  if (low.range.min)
    result.range.min = ceilDiv(*low.range.min, scale);
  if (high.range.max)
    result.range.max = floorDiv(*high.range.max, scale);
  result.lo = reasons.both(why, low.lo);
  result.hi = reasons.both(why, high.hi);
  return result;
}

// A fact about m*p, with a monomial m of known sign, is one about p: for m >=
// 1, m*p >= 0 gives p >= 0, and m*p >= 1 gives p >= 1. For m != 0, m*p == 0
// gives p == 0.
Bound Knowledge::strippedBound(Expr primitive, unsigned fuel) {
  Bound result;
  auto it = stripped.find(primitive);
  if (it == stripped.end())
    return result;
  for (Expr product : it->second) {
    Bound known = forms.find(product)->second.bound;
    Expr factor = commonMonomial(product);
    Bound sign = bounds(factor, fuel - 1);
    Why why = 0;
    bool isPositive = sign.range.isAtLeast(1);
    if (isPositive) {
      why = sign.lo;
    } else if (sign.range.isAtMost(-1)) {
      why = sign.hi;
      known = affine(known, DynamicAPInt(-1), DynamicAPInt(0));
    } else if (!known.range.isSingle() || *known.range.min != 0 ||
               !isExcluded(factor, why, fuel - 1)) {
      continue;
    }
    Bound learnt;
    if (known.range.isAtLeast(0))
      learnt.range.min = DynamicAPInt(*known.range.min > 0 ? 1 : 0);
    if (known.range.isAtMost(0))
      learnt.range.max = DynamicAPInt(*known.range.max < 0 ? -1 : 0);
    learnt.lo = reasons.both(why, known.lo);
    learnt.hi = reasons.both(why, known.hi);
    result = intersect(result, learnt);
  }
  return result;
}
