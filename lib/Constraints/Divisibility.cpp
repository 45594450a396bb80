//===- Divisibility.cpp - Multiples of what is not a number ---------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The verdict on `d | e`. A known multiple f, with `m | f`, is rewritten as m *
// floor(f / m), which equals f: for m != 0 that is what divisibility says, and
// 0 | f says f == 0, which is 0 times anything. So d | e if the rewritten e is
// d times a polynomial.
//
//===----------------------------------------------------------------------===//

#include "Knowledge.h"
#include "llvm/ADT/STLExtras.h"
#include <numeric>

using namespace mlir::symshape;

/// Rewritings tried per question, facts looked at by each, parts of a sum.
static constexpr unsigned maxRewritings = 40;
/// Uses of one fact on one term: so many powers of its divisor are found.
static constexpr unsigned maxUses = 3;
static constexpr size_t maxFacts = 64;
static constexpr unsigned maxMultipleParts = 12;

Knowledge::MultipleSearch::MultipleSearch() : budget(maxRewritings) {}

void Knowledge::addMultiple(const Multiple &multiple) {
  size_t number = multiples.size();
  multiples.push_back(multiple);
  SmallVector<Atom, 8> atoms = atomsOf(multiple.value);
  for (Atom atom : atoms)
    multiplesOf[atom].push_back(number);
  undo([this, atoms] {
    multiples.pop_back();
    for (Atom atom : atoms)
      multiplesOf[atom].pop_back();
  });
}

/// The numbers of all multiples, while they are few; else the latest for each
/// atom, beginning with the atoms that have the fewest.
std::vector<size_t> Knowledge::multiplesAround(ArrayRef<Atom> around) const {
  std::vector<size_t> numbers;
  if (multiples.size() <= maxFacts) {
    numbers.resize(multiples.size());
    std::iota(numbers.begin(), numbers.end(), 0);
    return numbers;
  }
  SmallVector<ArrayRef<size_t>, 8> lists;
  for (Atom atom : around)
    if (auto it = multiplesOf.find(atom); it != multiplesOf.end())
      lists.push_back(it->second);
  llvm::stable_sort(lists, [](ArrayRef<size_t> a, ArrayRef<size_t> b) {
    return a.size() < b.size();
  });
  for (ArrayRef<size_t> list : lists)
    for (size_t number : llvm::reverse(list)) {
      if (numbers.size() == maxFacts)
        break;
      if (!llvm::is_contained(numbers, number))
        numbers.push_back(number);
    }
  llvm::sort(numbers);
  return numbers;
}

/// The facts as said, then as reduced by other facts.
std::vector<Knowledge::Multiple>
Knowledge::knownMultiples(ArrayRef<Atom> around) {
  std::vector<size_t> numbers = multiplesAround(around);
  std::vector<Multiple> known;
  if (!readsMultiples) {
    for (size_t number : numbers)
      known.push_back(multiples[number]);
    return known;
  }
  readsMultiples = false;
  bool isNew = false;
  for (size_t number : numbers) {
    auto [it, isFirst] = multiplesCache.try_emplace(number);
    if (!isFirst)
      continue;
    isNew = true;
    const Multiple fact = multiples[number];
    Reduced d = reduce(fact.divisor), f = reduce(fact.value);
    it->second = fact;
    if (!d.expr.terms().empty() && !f.expr.isConstant())
      it->second = {d.expr, f.expr,
                    reasons.both(fact.why, reasons.both(d.why, f.why))};
  }
  readsMultiples = true;
  // What was reduced meanwhile was reduced without some of them.
  if (isNew)
    reduceCache.clear();
  // Those of one term first: they leave nothing over.
  for (bool isSingle : {true, false})
    for (size_t number : numbers) {
      const Multiple &said = multiples[number];
      const Multiple &read = multiplesCache.find(number)->second;
      auto add = [&](const Multiple &fact) {
        if ((fact.value.terms().size() == 1) == isSingle)
          known.push_back(fact);
      };
      add(said);
      if (read.divisor != said.divisor || read.value != said.value)
        add(read);
    }
  return known;
}

/// Whether d divides the expression without facts about multiples.
bool Knowledge::isMultiple(Expr e, Expr d, Why &why) {
  std::optional<DynamicAPInt> literal = d.asConstant();
  if (!literal)
    return bool(divideExactly(e, d));
  return *literal != 0 && dividesLiteral(abs(*literal), e, why) == Verdict::Yes;
}

// With m | f and f = L + rest, a term t*L is t*m*floor(f / m) - t*rest. Where d
// divides the first part, or it does once rewritten in turn, that is a multiple
// of d, and -t*rest is left.
std::optional<Knowledge::MultiplePart>
Knowledge::multiplePart(Expr term, Expr d, MultipleSearch &search,
                        unsigned depth, Why &why) {
  if (isMultiple(term, d, why))
    return MultiplePart{term, arena.zero()};
  if (depth == 0)
    return std::nullopt;
  std::vector<Multiple> known = knownMultiples(atomsOf(term));
  for (const Multiple &fact : known) {
    std::pair<Expr, Expr> key(fact.divisor, fact.value);
    if (llvm::count(search.used, key) >= maxUses)
      continue;
    for (const Expr::Term &lead : fact.value.terms()) {
      if (lead.powers.empty())
        continue;
      Expr whole = arena.fromTerm(lead);
      Expr factor = divideExactly(term, whole);
      if (!factor)
        continue;
      if (search.budget == 0)
        return std::nullopt;
      --search.budget;
      ++steps;
      Expr scale = factor * fact.divisor;
      Expr product = scale * arena.floorDiv(fact.value, fact.divisor);
      Expr left = factor * (whole - fact.value);
      if (product.terms().size() > maxMultipleParts ||
          left.terms().size() > maxMultipleParts)
        continue;
      Why used = reasons.both(why, fact.why);
      std::optional<MultiplePart> found;
      search.used.push_back(key);
      if (isMultiple(scale, d, used))
        found = MultiplePart{product, arena.zero()};
      else if (product.terms().size() == 1)
        found = multiplePart(product, d, search, depth - 1, used);
      // A fact used in a product may be used again for another term.
      if (!found || left.terms().empty())
        search.used.pop_back();
      if (!found)
        continue;
      why = used;
      found->left = found->left + left;
      return found;
    }
  }
  return std::nullopt;
}

/// What is left of e without the multiples of d that are found in it: d | e iff
/// d divides that.
Reduced Knowledge::withoutMultiples(Expr d, Expr e) {
  Reduced rest{e, 0};
  MultipleSearch search;
  for (unsigned part = 0; part < maxMultipleParts; ++part) {
    if (rest.expr.terms().empty() || divideExactly(rest.expr, d))
      return {arena.zero(), rest.why};
    bool isTaken = false;
    for (const Expr::Term &term : rest.expr.terms()) {
      Expr whole = arena.fromTerm(term);
      Why why = rest.why;
      auto found = multiplePart(whole, d, search, maxMultipleDepth, why);
      if (!found)
        continue;
      rest = {rest.expr - whole + found->left, why};
      isTaken = true;
      break;
    }
    if (!isTaken)
      break;
  }
  return rest;
}

/// An equal expression where each term that is a multiple of a known one, of a
/// single term f with m | f, is one of m * floor(f / m). A term that has the
/// divisor already stays, except where `isWhole`.
Reduced Knowledge::asProducts(Expr e, bool isWhole) {
  Reduced result{e, 0};
  for (const Multiple &fact : knownMultiples(atomsOf(e))) {
    if (fact.value.terms().size() != 1 || fact.divisor.terms().size() != 1)
      continue;
    Expr sum = arena.zero();
    for (const Expr::Term &term : result.expr.terms()) {
      Expr whole = arena.fromTerm(term);
      Expr factor = divideExactly(whole, fact.value);
      if (!factor || (!isWhole && divideExactly(factor, fact.divisor))) {
        sum = sum + whole;
        continue;
      }
      Reduced quotient = reduce(arena.floorDiv(fact.value, fact.divisor));
      sum = sum + factor * fact.divisor * quotient.expr;
      result.why =
          reasons.both(result.why, reasons.both(fact.why, quotient.why));
    }
    result.expr = sum;
  }
  return result;
}

/// With m == v known for a monomial m, each factor d of m divides v, and so
/// each multiple of v.
bool Knowledge::dividesSolved(Expr d, Expr e, Why &why) {
  Expr first; // of those that do, in the order of expressions
  for (const auto &[atom, monomials] : rules)
    for (Expr m : monomials)
      if ((!first || Expr::compare(m, first) < 0) && divideExactly(m, d) &&
          divideExactly(e, solved.find(m)->second.expr))
        first = m;
  if (first)
    why = reasons.both(why, solved.find(first)->second.why);
  return bool(first);
}

Verdict Knowledge::dividesSymbolic(Expr d, Expr e, Why &why) {
  if (e.terms().empty() || divideExactly(e, d) || dividesSolved(d, e, why))
    return Verdict::Yes;
  // d | known, so d divides its multiples and what differs by a multiple.
  for (size_t number : multiplesAround(atomsOf(e))) {
    const Multiple &known = multiples[number];
    if (known.divisor == d &&
        (divideExactly(e, known.value) || divideExactly(e - known.value, d) ||
         divideExactly(e + known.value, d))) {
      why = reasons.both(why, known.why);
      return Verdict::Yes;
    }
  }
  Reduced rest = withoutMultiples(d, e);
  if (rest.expr.terms().empty()) {
    why = reasons.both(why, rest.why);
    return Verdict::Yes;
  }
  // 0 < |rest| < |d| excludes divisibility, and so does d == 0 with rest != 0.
  Bound divisor = bounds(d), value = bounds(rest.expr);
  Why both = reasons.both(reasons.both(divisor.lo, divisor.hi),
                          reasons.both(value.lo, value.hi));
  Why nonZero = rest.why;
  bool isZero = divisor.range.isSingle() && *divisor.range.min == 0;
  bool isSmaller = false;
  if (value.range.min && value.range.max) {
    DynamicAPInt size = std::max(abs(*value.range.min), abs(*value.range.max));
    isSmaller = (divisor.range.min && *divisor.range.min > size) ||
                (divisor.range.max && *divisor.range.max < -size);
  }
  if ((isZero || isSmaller) && provesNonZero(rest.expr, nonZero, 0)) {
    why = reasons.both(why, reasons.both(both, nonZero));
    return Verdict::No;
  }
  return Verdict::Unknown;
}

Verdict Knowledge::provesDivides(Expr d, Expr e, Why &why, unsigned splits) {
  rule = "residues";
  Why used = 0;
  if (provesZero(e, used)) {
    why = reasons.both(why, used);
    return Verdict::Yes;
  }
  Reduced divisor = reduce(d), dividend = reduce(e);
  // Also the divisor as given: facts may speak of it in that form.
  for (auto [a, b] :
       {std::pair(Reduced{d, 0}, Reduced{e, 0}),
        std::pair(Reduced{d, 0}, dividend), std::pair(divisor, dividend)}) {
    used = reasons.both(a.why, b.why);
    std::optional<DynamicAPInt> literal = a.expr.asConstant();
    Verdict verdict = Verdict::Unknown;
    if (literal && *literal != 0) {
      verdict = dividesLiteral(abs(*literal), b.expr, used);
      if (verdict == Verdict::Unknown && !multiples.empty()) {
        Reduced rest = withoutMultiples(a.expr, b.expr);
        used = reasons.both(used, rest.why);
        if (rest.expr != b.expr)
          verdict = dividesLiteral(abs(*literal), rest.expr, used);
      }
      // What is left over is known not to be 0.
      if (verdict == Verdict::Unknown &&
          nonZeroDirect(arena.mod(b.expr, arena.constant(abs(*literal))), used))
        verdict = Verdict::No;
    } else {
      verdict = dividesSymbolic(a.expr, b.expr, used);
    }
    if (verdict != Verdict::Unknown) {
      rule = literal ? "residues" : "divisibility";
      why = reasons.both(why, used);
      return verdict;
    }
    if (a.expr == divisor.expr && b.expr == dividend.expr)
      break;
  }
  used = dividend.why;
  if (splits && splitCases(dividend.expr, used, [&](Expr value, Why &w) {
        return provesDivides(d, value, w, splits - 1) == Verdict::Yes;
      })) {
    rule = "cases";
    why = reasons.both(why, used);
    return Verdict::Yes;
  }
  return Verdict::Unknown;
}
