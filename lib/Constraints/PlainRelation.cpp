//===- PlainRelation.cpp - A relation as a person would say it ------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "symshape/Constraints/PlainRelation.h"

using namespace mlir;
using namespace mlir::symshape;
using llvm::ArrayRef;
using llvm::DynamicAPInt;
using llvm::SmallVector;

/// Takes from both sides what they share: the smaller multiple of a monomial
/// that both have with the same sign. A number alone on a side stays: it is an
/// extent of the program.
static void cancelTerms(Expr &lhs, Expr &rhs) {
  if (lhs.isConstant() || rhs.isConstant() || (lhs - rhs).isConstant())
    return;
  Expr shared = lhs.arena().zero();
  for (const Expr::Term &left : lhs.terms())
    for (const Expr::Term &right : rhs.terms()) {
      if (left.powers != right.powers ||
          (left.coefficient > 0) != (right.coefficient > 0))
        continue;
      Expr::Term term = left;
      if (llvm::abs(right.coefficient) < llvm::abs(left.coefficient))
        term.coefficient = right.coefficient;
      SmallVector<Expr::Term> terms{term};
      shared = shared + lhs.arena().fromTerms(std::move(terms));
    }
  lhs = lhs - shared;
  rhs = rhs - shared;
}

/// The greatest number that divides all coefficients; 0 if there are none.
static DynamicAPInt getContent(ArrayRef<Expr> sides) {
  DynamicAPInt content(0);
  for (Expr side : sides)
    for (const Expr::Term &term : side.terms())
      content = llvm::gcd(content, llvm::abs(term.coefficient));
  return content;
}

/// `e` divided by `content` and by `atom`, each of which divides it.
static Expr divide(Expr e, const DynamicAPInt &content, Atom atom = Atom()) {
  SmallVector<Expr::Term> terms(e.terms());
  for (Expr::Term &term : terms) {
    term.coefficient /= content;
    for (auto &power : term.powers)
      if (atom && power.first == atom)
        --power.second;
    llvm::erase_if(term.powers,
                   [](const auto &power) { return power.second == 0; });
  }
  return e.arena().fromTerms(std::move(terms));
}

/// The atoms that divide all terms of both sides.
static SmallVector<Atom> getSharedFactors(Expr lhs, Expr rhs) {
  SmallVector<Atom> factors;
  if (lhs.terms().empty() || rhs.terms().empty())
    return factors; // a side that is 0 has them all
  auto divides = [](Atom atom, Expr e) {
    return llvm::all_of(e.terms(), [&](const Expr::Term &term) {
      return llvm::any_of(
          term.powers, [&](const auto &power) { return power.first == atom; });
    });
  };
  for (const auto &power : lhs.terms().front().powers)
    if (divides(power.first, lhs) && divides(power.first, rhs))
      factors.push_back(power.first);
  return factors;
}

/// c*a*b*... != 0 exactly where none of a, b, ... is 0.
static SmallVector<Expr> getFactorsOfNonzero(const Relation &relation) {
  Expr side = relation.rhs.isConstant(0)   ? relation.lhs
              : relation.lhs.isConstant(0) ? relation.rhs
                                           : Expr();
  SmallVector<Expr> factors;
  if (relation.kind == Relation::Ne && side && side.terms().size() == 1)
    for (const auto &power : side.terms().front().powers)
      factors.push_back(power.first.asExpr());
  return factors;
}

/// Moves names that are subtracted on a side to the other: 0 <= n - k is k <=
/// n. A number that would then be subtracted goes with them. Longer terms stay,
/// and so does what is compared with the end of a type.
static void moveSubtracted(Expr &lhs, Expr &rhs) {
  constexpr int64_t endOfType = INT32_MAX;
  Expr subtracted = lhs.arena().zero();
  for (Expr side : {lhs, rhs}) {
    if (auto value = side.asConstant(); value && llvm::abs(*value) >= endOfType)
      return;
    for (const Expr::Term &term : side.terms()) {
      if (term.coefficient > 0 || term.powers.empty())
        continue;
      if (term.powers.size() > 1 || term.powers[0].second > 1 ||
          term.powers[0].first.kind() != AtomKind::Symbol)
        return;
      SmallVector<Expr::Term> terms{term};
      subtracted = subtracted + lhs.arena().fromTerms(std::move(terms));
    }
  }
  if (subtracted.isConstant(0))
    return;
  lhs = lhs - subtracted;
  rhs = rhs - subtracted;
  if (lhs.isConstant() || rhs.isConstant())
    return;
  for (const Expr::Term &term : SmallVector<Expr::Term>(lhs.terms()))
    if (term.coefficient < 0) {
      Expr number = lhs.arena().constant(term.coefficient);
      lhs = lhs - number;
      rhs = rhs - number;
    }
}

/// x == min(x, y) is x <= y, and x == max(x, y) is y <= x; so are
/// x <= min(x, y) and max(x, y) <= x.
static Relation foldExtremum(const Relation &relation) {
  if (relation.kind == Relation::Le) {
    auto othersOf = [](Expr extremum, AtomKind kind, Expr x) {
      SmallVector<Expr> others;
      if (Atom atom = extremum.asAtom();
          atom && atom.kind() == kind &&
          llvm::is_contained(atom.operands(), x)) {
        others.assign(atom.operands().begin(), atom.operands().end());
        llvm::erase(others, x);
      }
      return others;
    };
    Expr lhs = relation.lhs, rhs = relation.rhs;
    if (auto others = othersOf(lhs, AtomKind::Max, rhs); !others.empty())
      return Relation::le(lhs.arena().max(others), rhs);
    if (auto others = othersOf(rhs, AtomKind::Min, lhs); !others.empty())
      return Relation::le(lhs, lhs.arena().min(others));
    return relation;
  }
  for (auto [x, e] : {std::pair(relation.lhs, relation.rhs),
                      std::pair(relation.rhs, relation.lhs)}) {
    Atom atom = e.asAtom();
    if (relation.kind != Relation::Eq || !atom ||
        (atom.kind() != AtomKind::Min && atom.kind() != AtomKind::Max) ||
        !llvm::is_contained(atom.operands(), x))
      continue;
    SmallVector<Expr> others(atom.operands());
    llvm::erase(others, x);
    return atom.kind() == AtomKind::Min
               ? Relation::le(x, x.arena().min(others))
               : Relation::le(x.arena().max(others), x);
  }
  return relation;
}

// k*floor((e + c) / k) = e + c - r with 0 <= r < k: it is e exactly where r ==
// c, that is, where k divides e, if 0 <= c < k. With c == 0 it is never more
// than e, so that it is at least e only where it is e.
Relation
mlir::symshape::foldMultiple(const Relation &relation,
                             llvm::function_ref<bool(Expr)> isPositive) {
  bool isEq = relation.kind == Relation::Eq;
  if (!isEq && relation.kind != Relation::Le)
    return relation;
  SmallVector<std::pair<Expr, Expr>, 4> sides{{relation.rhs, relation.lhs}};
  if (isEq) { // wherever its terms stand
    Expr difference = relation.lhs - relation.rhs;
    sides.clear();
    for (const Expr::Term &term : difference.terms()) {
      SmallVector<Expr::Term> terms{term};
      Expr one = difference.arena().fromTerms(std::move(terms));
      Expr others = difference - one;
      sides.push_back(term.coefficient > 0 ? std::pair(one, -others)
                                           : std::pair(-one, others));
    }
  }
  for (auto [multiple, e] : sides) {
    if (multiple.terms().size() != 1)
      continue;
    for (const auto &[atom, power] : multiple.terms()[0].powers) {
      if (atom.kind() != AtomKind::FloorDiv)
        continue;
      Expr a = atom.operands()[0], k = atom.operands()[1];
      std::optional<DynamicAPInt> rest = (a - e).asConstant();
      if (!rest || k * atom.asExpr() != multiple)
        continue;
      std::optional<DynamicAPInt> number = k.asConstant();
      bool isMultiple = number ? *number > 0 : isPositive(k);
      if (*rest != 0)
        isMultiple &= isEq && *rest > 0 && number && *rest < *number;
      if (isMultiple)
        return Relation::divides(k, e);
    }
  }
  return relation;
}

/// With a common factor f of two sides l*f and r*f:
///   l*f == r*f  exactly where l == r or f == 0;
///   l*f <= r*f  the same with <=, if f is at least 0.
/// A number f is positive here, and drops out of ==, <= and != alike. Dropping
/// terms that both sides share does not change their difference.
PlainRelation mlir::symshape::makePlain(const Relation &relation,
                                        ConstraintSet &facts) {
  PlainRelation plain{relation, {}, getFactorsOfNonzero(relation)};
  // Two numbers are those of the program: 6 and 4 do not become 3 and 2.
  bool areNumbers = relation.lhs.isConstant() && relation.rhs.isConstant();
  if (relation.kind == Relation::Divides || !plain.nonzero.empty() ||
      areNumbers)
    return plain;
  Expr lhs = relation.lhs, rhs = relation.rhs;
  cancelTerms(lhs, rhs);
  moveSubtracted(lhs, rhs);
  if (DynamicAPInt content = getContent({lhs, rhs}); content > 1) {
    lhs = divide(lhs, content);
    rhs = divide(rhs, content);
  }
  if (relation.kind != Relation::Ne)
    for (Atom atom : getSharedFactors(lhs, rhs)) {
      Expr factor = atom.asExpr();
      Expr zero = factor.arena().zero();
      if (relation.kind == Relation::Le &&
          !facts.isProvably(Relation::le(zero, factor)))
        continue;
      lhs = divide(lhs, DynamicAPInt(1), atom);
      rhs = divide(rhs, DynamicAPInt(1), atom);
      if (!facts.isProvably(Relation::ne(factor, zero)))
        plain.factors.push_back(factor);
    }
  auto isPositive = [&](Expr e) {
    return facts.isProvably(Relation::le(e.arena().one(), e));
  };
  plain.relation =
      foldExtremum(foldMultiple({relation.kind, lhs, rhs}, isPositive));
  return plain;
}
