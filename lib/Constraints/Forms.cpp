//===- Forms.cpp - Taking polynomials apart -------------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Syntactic decompositions of expressions that the tiers share.
//
//===----------------------------------------------------------------------===//

#include "Forms.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir::symshape;

Form mlir::symshape::toForm(Expr e) {
  ExprArena &arena = e.arena();
  Form form{Expr(), DynamicAPInt(0), DynamicAPInt(0)};
  SmallVector<Expr::Term, 4> terms(e.terms().begin(), e.terms().end());
  if (!terms.empty() && terms.back().powers.empty())
    form.offset = terms.pop_back_val().coefficient;
  if (terms.empty())
    return form;
  for (const Expr::Term &term : terms)
    form.scale = gcd(form.scale, abs(term.coefficient));
  if (terms[0].coefficient < 0)
    form.scale = -form.scale;
  if (form.scale == 1 && form.offset == 0) {
    form.primitive = e;
    return form;
  }
  for (Expr::Term &term : terms)
    term.coefficient /= form.scale;
  form.primitive = arena.fromTerms(std::move(terms));
  return form;
}

SmallVector<int64_t, 16> mlir::symshape::positiveDivisors(int64_t number) {
  SmallVector<int64_t, 16> divisors;
  for (int64_t d = 1; d * d <= number; ++d)
    if (number % d == 0) {
      divisors.push_back(d);
      if (d * d != number)
        divisors.push_back(number / d);
    }
  return divisors;
}

SmallVector<Atom, 8> mlir::symshape::atomsOf(Expr e) {
  llvm::SmallDenseSet<Atom, 8> seen;
  SmallVector<Atom, 8> atoms;
  SmallVector<Expr, 8> open{e};
  for (size_t i = 0; i < open.size(); ++i)
    for (const Expr::Term &term : open[i].terms())
      for (auto [atom, power] : term.powers) {
        if (!seen.insert(atom).second)
          continue;
        atoms.push_back(atom);
        open.append(atom.operands().begin(), atom.operands().end());
      }
  return atoms;
}

Sides mlir::symshape::splitSigns(Expr e) {
  SmallVector<Expr::Term, 4> positive, negative;
  for (const Expr::Term &term : e.terms()) {
    if (term.powers.empty())
      continue;
    if (term.coefficient > 0)
      positive.push_back(term);
    else
      negative.push_back({-term.coefficient, term.powers});
  }
  return {e.arena().fromTerms(std::move(positive)),
          e.arena().fromTerms(std::move(negative))};
}

Expr mlir::symshape::monomial(ExprArena &arena,
                              ArrayRef<std::pair<Atom, unsigned>> powers) {
  return arena.fromTerm(
      {DynamicAPInt(1), SmallVector<std::pair<Atom, unsigned>, 2>(powers)});
}

Expr mlir::symshape::commonMonomial(Expr e) {
  ArrayRef<Expr::Term> terms = e.terms();
  if (terms.empty())
    return e.arena().one();
  auto common = terms[0].powers;
  for (const Expr::Term &term : terms.drop_front()) {
    for (auto &[atom, power] : common) {
      unsigned other = 0;
      for (auto [candidate, candidatePower] : term.powers)
        if (candidate == atom)
          other = candidatePower;
      power = std::min(power, other);
    }
    llvm::erase_if(common, [](const auto &entry) { return entry.second == 0; });
    if (common.empty())
      return e.arena().one();
  }
  return monomial(e.arena(), common);
}

/// a / b for single terms, when it is one.
static std::optional<Expr::Term> divideTerm(const Expr::Term &a,
                                            const Expr::Term &b) {
  DynamicAPInt quotient = a.coefficient / b.coefficient;
  if (quotient * b.coefficient != a.coefficient)
    return std::nullopt;
  Expr::Term result{quotient, a.powers};
  for (auto [atom, power] : b.powers) {
    auto it = llvm::find_if(result.powers, [atom = atom](const auto &entry) {
      return entry.first == atom;
    });
    if (it == result.powers.end() || it->second < power)
      return std::nullopt;
    it->second -= power;
    if (it->second == 0)
      result.powers.erase(it);
  }
  return result;
}

/// e / d for a single term d: term by term.
static Expr divideByTerm(Expr e, const Expr::Term &d) {
  SmallVector<Expr::Term, 4> quotient;
  for (const Expr::Term &term : e.terms()) {
    std::optional<Expr::Term> part = divideTerm(term, d);
    if (!part)
      return {};
    quotient.push_back(*part);
  }
  return e.arena().fromTerms(std::move(quotient));
}

// Long division by leading terms; the order of terms is admissible, so an exact
// quotient is found. Each step removes a leading term, and steps are bounded.
Expr mlir::symshape::divideExactly(Expr e, Expr d) {
  ExprArena &arena = e.arena();
  if (d.terms().empty())
    return {};
  if (d.terms().size() == 1)
    return divideByTerm(e, d.terms()[0]);
  Expr quotient = arena.zero();
  for (unsigned step = 0; step < 64; ++step) {
    if (e.terms().empty())
      return quotient;
    std::optional<Expr::Term> next = divideTerm(e.terms()[0], d.terms()[0]);
    if (!next)
      return {};
    Expr factor = arena.fromTerm(*next);
    quotient = quotient + factor;
    e = e - factor * d;
  }
  return {};
}

LinearSplit mlir::symshape::splitLinear(Expr e, Atom atom) {
  SmallVector<Expr::Term, 4> cofactor, rest;
  for (const Expr::Term &term : e.terms()) {
    auto it = llvm::find_if(
        term.powers, [&](const auto &entry) { return entry.first == atom; });
    if (it == term.powers.end()) {
      rest.push_back(term);
      continue;
    }
    if (it->second != 1)
      return {};
    cofactor.push_back(term);
    auto &powers = cofactor.back().powers;
    powers.erase(powers.begin() + (it - term.powers.begin()));
  }
  return {e.arena().fromTerms(std::move(cofactor)),
          e.arena().fromTerms(std::move(rest))};
}

bool mlir::symshape::mentions(Expr e, Atom atom) {
  llvm::DenseSet<Atom> seen;
  SmallVector<Expr, 8> pending{e};
  while (!pending.empty()) {
    Expr next = pending.pop_back_val();
    for (const Expr::Term &term : next.terms())
      for (auto [candidate, power] : term.powers) {
        if (candidate == atom)
          return true;
        if (seen.insert(candidate).second)
          pending.append(candidate.operands().begin(),
                         candidate.operands().end());
      }
  }
  return false;
}

Atom mlir::symshape::findFactor(Expr e,
                                llvm::function_ref<bool(Atom)> matches) {
  for (const Expr::Term &term : e.terms())
    for (auto [atom, power] : term.powers)
      if (matches(atom))
        return atom;
  return {};
}
