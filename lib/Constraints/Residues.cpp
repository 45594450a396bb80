//===- Residues.cpp - Residue classes -------------------------------------===//
//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Residues of expressions from those of their atoms and of assumed forms, and
// the verdict on `d | e` for a number d.
//
//===----------------------------------------------------------------------===//

#include "Knowledge.h"

using namespace mlir::symshape;

static constexpr unsigned maxResidueDepth = 60;
// Of an atom; and how many one after the other.
static constexpr unsigned maxResidueForms = 4;

/// The common members of two classes that both hold; contradictory classes
/// (facts at odds) give the first.
static std::pair<Residue, Why> meet(Reasons &reasons,
                                    const std::pair<Residue, Why> &a,
                                    const std::pair<Residue, Why> &b) {
  if (a.first.isAll())
    return b;
  if (b.first.isAll())
    return a;
  std::optional<Residue> both = Residue::intersect(a.first, b.first);
  if (!both || *both == a.first)
    return a;
  return {*both, reasons.both(a.second, b.second)};
}

// x is determined by r = x mod (d*k): floor(x / d) = floor(r / d) mod k.
static Residue floorDivResidue(const Residue &dividend, const DynamicAPInt &d) {
  if (dividend.modulus == 0)
    return Residue::of(floorDiv(dividend.remainder, d), DynamicAPInt(0));
  if (mod(dividend.modulus, d) != 0)
    return {};
  return Residue::of(floorDiv(dividend.remainder, d), dividend.modulus / d);
}

std::pair<Residue, Why> Knowledge::atomResidue(Atom atom) {
  std::pair<Residue, Why> result;
  ArrayRef<Expr> operands = atom.operands();
  if (atom.depth() > maxResidueDepth)
    return result;
  switch (atom.kind()) {
  case AtomKind::Symbol: {
    auto it = declarations.find(atom.asExpr());
    if (it != declarations.end())
      result.first = it->second.residue;
    break;
  }
  case AtomKind::FloorDiv: {
    std::optional<DynamicAPInt> divisor = operands[1].asConstant();
    if (divisor && *divisor > 0) {
      result = residue(operands[0]);
      result.first = floorDivResidue(result.first, *divisor);
    }
    break;
  }
  case AtomKind::Min:
  case AtomKind::Max:
  case AtomKind::Bc:
  case AtomKind::Named:
    result = residue(operands[0]);
    for (Expr operand : operands.drop_front()) {
      std::pair<Residue, Why> next = residue(operand);
      if (atom.kind() != AtomKind::Named)
        result.first = Residue::join(result.first, next.first);
      else if (atom.namedIsProduct())
        result.first = Residue::mul(result.first, next.first);
      else
        result.first = Residue::add(result.first, next.first);
      result.second = reasons.both(result.second, next.second);
    }
    break;
  }
  auto it = forms.find(atom.asExpr());
  if (it != forms.end())
    result = meet(reasons, result, {it->second.residue, it->second.residueWhy});
  Bound bound = atomBound(atom, 0);
  if (bound.range.isSingle())
    result = {Residue::of(*bound.range.min, DynamicAPInt(0)),
              reasons.both(bound.lo, bound.hi)};
  return result;
}

/// What the terms say, and, unless it is `e`, what is known of each product.
std::pair<Residue, Why> Knowledge::residueOfTerms(Expr e) {
  std::pair<Residue, Why> sum{Residue::of(DynamicAPInt(0), DynamicAPInt(0)), 0};
  for (const Expr::Term &term : e.terms()) {
    std::pair<Residue, Why> product{
        Residue::of(DynamicAPInt(1), DynamicAPInt(0)), 0};
    for (auto [atom, power] : term.powers) {
      std::pair<Residue, Why> factor = atomResidue(atom);
      for (unsigned i = 0; i < power; ++i)
        product.first = Residue::mul(product.first, factor.first);
      product.second = reasons.both(product.second, factor.second);
    }
    bool isMonomial = term.powers.size() > 1 ||
                      (term.powers.size() == 1 && term.powers[0].second > 1);
    if (isMonomial) {
      Expr factors = monomial(arena, term.powers);
      auto it = forms.find(factors);
      if (it != forms.end() && factors != e)
        product =
            meet(reasons, product, {it->second.residue, it->second.residueWhy});
    }
    product.first = Residue::mul(
        product.first, Residue::of(term.coefficient, DynamicAPInt(0)));
    sum.first = Residue::add(sum.first, product.first);
    sum.second = reasons.both(sum.second, product.second);
  }
  return sum;
}

/// Contradicts if the terms of a form that has the atom have residues that what
/// is known of the form has not.
void Knowledge::checkResiduesAround(Atom atom) {
  auto around = formsOf.find(atom);
  if (around == formsOf.end())
    return;
  for (Expr primitive : around->second) {
    auto it = forms.find(primitive);
    if (primitive.asAtom() || it == forms.end() || it->second.residue.isAll())
      continue;
    auto [residue, why] = residueOfTerms(primitive);
    if (!Residue::intersect(it->second.residue, residue))
      return contradict(reasons.both(it->second.residueWhy, why));
  }
}

std::pair<Residue, Why> Knowledge::residue(Expr e) {
  auto cached = residueCache.find(e);
  if (cached != residueCache.end())
    return cached->second;
  ++steps;
  std::pair<Residue, Why> sum = residueOfTerms(e);
  Form form = toForm(e);
  auto it = form.primitive ? forms.find(form.primitive) : forms.end();
  if (it != forms.end() && !it->second.residue.isAll()) {
    Residue known = Residue::mul(it->second.residue,
                                 Residue::of(form.scale, DynamicAPInt(0)));
    known = Residue::add(known, Residue::of(form.offset, DynamicAPInt(0)));
    sum = meet(reasons, sum, {known, it->second.residueWhy});
  }
  if (sum.first.isAll())
    sum.second = 0;
  residueCache[e] = sum;
  noteRead(e);
  return sum;
}

/// Drops the terms that `d` divides, and reduces coefficients modulo `d`; for a
/// small prime also powers.
// Fermat: x^d - x is a multiple of a prime d, so x^k - x^(k-(d-1)) is for k >=
// d.
static Expr reduceModulo(Expr e, const DynamicAPInt &d) {
  SmallVector<Expr::Term, 4> terms;
  unsigned cycle =
      d == 2 || d == 3 || d == 5 || d == 7 ? unsigned(int64_t(d)) - 1 : 0;
  bool isMerged = false;
  for (const Expr::Term &term : e.terms()) {
    terms.push_back({mod(term.coefficient, d), term.powers});
    for (auto &[atom, power] : terms.back().powers)
      if (cycle && power > cycle) {
        power = (power - 1) % cycle + 1;
        isMerged = true;
      }
  }
  Expr reduced = e.arena().fromTerms(std::move(terms));
  return isMerged ? reduceModulo(reduced, d) : reduced;
}

/// Whether members of the class are multiples of d >= 1.
static Verdict dividesClass(const DynamicAPInt &d, const Residue &r) {
  if (r.modulus == 0 || mod(r.modulus, d) == 0)
    return mod(r.remainder, d) == 0 ? Verdict::Yes : Verdict::No;
  return mod(r.remainder, gcd(r.modulus, d)) == 0 ? Verdict::Unknown
                                                  : Verdict::No;
}

/// An expression that differs from `e` by a multiple of d, without a term that
/// occurs in a form of a known residue; null if there is none.
// With p = r modulo m, k*p - k*r is a multiple of k*m.
Reduced Knowledge::withoutForms(Expr e, const DynamicAPInt &d) {
  for (const Expr::Term &term : e.terms()) {
    if (term.powers.size() != 1 || term.powers[0].second != 1)
      continue;
    ArrayRef<Expr> around = formsAround(term.powers[0].first);
    for (Expr form : around.take_front(maxResidueForms)) {
      const FormInfo &info = forms.find(form)->second;
      if (info.residue.isAll() || form.terms().size() < 2)
        continue;
      for (const Expr::Term &own : form.terms()) {
        if (own.powers != term.powers ||
            mod(term.coefficient, abs(own.coefficient)) != 0)
          continue;
        DynamicAPInt times = term.coefficient / own.coefficient;
        if (mod(times * info.residue.modulus, d) != 0)
          continue;
        Expr k = arena.constant(times);
        return {reduceModulo(e - k * form +
                                 k * arena.constant(info.residue.remainder),
                             d),
                info.residueWhy};
      }
    }
  }
  return {};
}

Verdict Knowledge::dividesLiteral(const DynamicAPInt &d, Expr e, Why &why) {
  Expr reduced = reduceModulo(e, d);
  Why used = 0;
  auto decide = [&](Expr candidate) {
    auto [known, knownWhy] = residue(candidate);
    Verdict verdict = dividesClass(d, known);
    if (verdict != Verdict::Unknown)
      why = reasons.both(why, reasons.both(used, knownWhy));
    return verdict;
  };
  Verdict verdict = decide(e);
  if (verdict == Verdict::Unknown)
    verdict = decide(reduced);
  for (unsigned i = 0; i < maxResidueForms && verdict == Verdict::Unknown;
       ++i) {
    Reduced next = withoutForms(reduced, d);
    if (!next.expr)
      break;
    reduced = next.expr;
    used = reasons.both(used, next.why);
    verdict = decide(reduced);
  }
  return verdict;
}
