//===- Canonical.cpp - Division, min, max and bc in canonical form --------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Builds the atoms that are not symbols, after rewriting by rules that hold for
// all integers. A rule that needs a divisor to be non-zero is applied to
// literal divisors only: `a floordiv 0` is some unspecified function of its
// operands.
//
//===----------------------------------------------------------------------===//

#include "ExprNodes.h"
#include "symshape/Expr/Integers.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir::symshape;

//===----------------------------------------------------------------------===//
// floordiv
//===----------------------------------------------------------------------===//

// For an integer polynomial a and a positive literal d the following hold for
// all values, and together they give a canonical form of floor(a / d).
//  gcd:      with g dividing d and all coefficients but the constant's,
//            floor((g*a' + c) / (g*d')) = floor((a' + floor(c/g)) / d').
//  split:    floor((d*q + r) / d) = q + floor(r / d).
//  sign:     floor(-a / d) = -floor((a + d - 1) / d), so that the first
//            coefficient is positive.
//  nesting:  floor((floor(p / b) + q) / d) = floor((p + b*q) / (b*d)).
// Each is applied once per round; a round that nests removes one level.

namespace {
/// A division of a polynomial by a literal >= 1, while it is being rewritten:
/// the value is outside +- floor(dividend / divisor), minus when `negative`.
struct LiteralDivision {
  Expr outside, dividend;
  DynamicAPInt divisor;
  bool negative = false;
};
} // namespace

static DynamicAPInt constantTerm(Expr e) {
  ArrayRef<Expr::Term> terms = e.terms();
  if (terms.empty() || !terms.back().powers.empty())
    return DynamicAPInt(0);
  return terms.back().coefficient;
}

static void reduceByGcd(ExprArena &arena, LiteralDivision &div) {
  DynamicAPInt common = div.divisor;
  for (const Expr::Term &term : div.dividend.terms())
    if (!term.powers.empty())
      common = gcd(common, abs(term.coefficient));
  if (common == 1)
    return;
  SmallVector<Expr::Term, 4> terms;
  for (const Expr::Term &term : div.dividend.terms())
    terms.push_back({floorDiv(term.coefficient, common), term.powers});
  div.dividend = arena.fromTerms(std::move(terms));
  div.divisor /= common;
}

static void splitMultiples(ExprArena &arena, LiteralDivision &div) {
  SmallVector<Expr::Term, 4> outside, inside;
  for (const Expr::Term &term : div.dividend.terms()) {
    // Truncated for monomials, which keeps bounds tight; floored for the
    // constant, which makes it unique.
    DynamicAPInt quotient = term.powers.empty()
                                ? floorDiv(term.coefficient, div.divisor)
                                : term.coefficient / div.divisor;
    DynamicAPInt rest = term.coefficient - quotient * div.divisor;
    outside.push_back({div.negative ? -quotient : quotient, term.powers});
    inside.push_back({rest, term.powers});
  }
  div.outside = arena.add(div.outside, arena.fromTerms(std::move(outside)));
  div.dividend = arena.fromTerms(std::move(inside));
}

static void makeLeadingPositive(ExprArena &arena, LiteralDivision &div) {
  if (div.dividend.isConstant() || div.dividend.terms()[0].coefficient > 0)
    return;
  div.dividend = arena.add(arena.neg(div.dividend),
                           arena.constant(div.divisor - DynamicAPInt(1)));
  div.negative = !div.negative;
}

/// Merges the one inner division by a positive literal, if there is just one.
static bool mergeNested(ExprArena &arena, LiteralDivision &div) {
  const Expr::Term *inner = nullptr;
  for (const Expr::Term &term : div.dividend.terms()) {
    if (term.powers.size() != 1 || term.powers[0].second != 1 ||
        term.powers[0].first.kind() != AtomKind::FloorDiv)
      continue;
    if (inner)
      return false;
    inner = &term;
  }
  if (!inner || inner->coefficient != 1)
    return false;
  Atom atom = inner->powers[0].first;
  std::optional<DynamicAPInt> divisor = atom.operands()[1].asConstant();
  if (!divisor || *divisor <= 0 ||
      !fitsBits(*divisor * div.divisor, maxCoefficientBits))
    return false;
  Expr others = arena.sub(div.dividend, atom.asExpr());
  div.dividend = arena.add(atom.operands()[0],
                           arena.mul(others, arena.constant(*divisor)));
  div.divisor *= *divisor;
  return true;
}

Expr ExprArena::floorDiv(Expr a, Expr b) {
  std::optional<DynamicAPInt> literal = b.asConstant();
  if (!literal || *literal == 0)
    return impl->internAtom(*this, AtomKind::FloorDiv, {a, b}).asExpr();
  LiteralDivision div{zero(), a, *literal, false};
  if (*literal < 0) {
    div.dividend = neg(a);
    div.divisor = -*literal;
  }
  do {
    reduceByGcd(*this, div);
    splitMultiples(*this, div);
    makeLeadingPositive(*this, div);
  } while (mergeNested(*this, div));
  // A constant is 0 here: it was reduced modulo the divisor.
  if (div.dividend.isConstant())
    return div.outside;
  Expr atom = impl->internAtom(*this, AtomKind::FloorDiv,
                               {div.dividend, constant(div.divisor)})
                  .asExpr();
  return div.negative ? sub(div.outside, atom) : add(div.outside, atom);
}

Expr ExprArena::ceilDiv(Expr a, Expr b) { return neg(floorDiv(neg(a), b)); }

Expr ExprArena::mod(Expr a, Expr b) { return sub(a, mul(b, floorDiv(a, b))); }

//===----------------------------------------------------------------------===//
// min and max
//===----------------------------------------------------------------------===//

/// The operands of a min, max or bc, nested ones included.
static void flatten(AtomKind kind, ArrayRef<Expr> operands,
                    SmallVectorImpl<Expr> &flat) {
  for (Expr operand : operands) {
    Atom atom = operand.asAtom();
    if (atom && atom.kind() == kind)
      flat.append(atom.operands().begin(), atom.operands().end());
    else
      flat.push_back(operand);
  }
}

/// Sorts; among operands that differ by a constant, keeps the one that decides.
static void decideConstantDifferences(ExprArena &arena, AtomKind kind,
                                      SmallVectorImpl<Expr> &operands) {
  llvm::DenseMap<Expr, std::pair<Expr, DynamicAPInt>> best;
  for (Expr operand : operands) {
    DynamicAPInt offset = constantTerm(operand);
    Expr key = arena.sub(operand, arena.constant(offset));
    auto [it, inserted] = best.try_emplace(key, operand, offset);
    bool better = kind == AtomKind::Min ? offset < it->second.second
                                        : offset > it->second.second;
    if (!inserted && better)
      it->second = {operand, offset};
  }
  operands.clear();
  for (auto &[key, value] : best)
    operands.push_back(value.first);
  llvm::sort(operands, [](Expr a, Expr b) { return Expr::compare(a, b) < 0; });
}

static SmallVector<Expr, 4> minMaxOperands(ExprArena &arena, AtomKind kind,
                                           ArrayRef<Expr> operands) {
  SmallVector<Expr, 4> flat;
  flatten(kind, operands, flat);
  decideConstantDifferences(arena, kind, flat);
  return flat;
}

Expr ExprArena::min(ArrayRef<Expr> operands) {
  SmallVector<Expr, 4> flat = minMaxOperands(*this, AtomKind::Min, operands);
  if (flat.size() == 1)
    return flat[0];
  return impl->internAtom(*this, AtomKind::Min, flat).asExpr();
}

Expr ExprArena::max(ArrayRef<Expr> operands) {
  SmallVector<Expr, 4> flat = minMaxOperands(*this, AtomKind::Max, operands);
  if (flat.size() == 1)
    return flat[0];
  return impl->internAtom(*this, AtomKind::Max, flat).asExpr();
}

//===----------------------------------------------------------------------===//
// bc
//===----------------------------------------------------------------------===//

// bc(a, b) is the first of the list a, b that is not 1, or 1. So bc is
// associative, a repeated operand counts once, a literal 1 drops out, and any
// other literal ends the list. It does not commute: bc(2, 3) is 2. Canonical
// form: one list of any length, in the order given.
Expr ExprArena::bc(ArrayRef<Expr> operands) {
  SmallVector<Expr, 4> flat;
  flatten(AtomKind::Bc, operands, flat);
  llvm::SmallSetVector<Expr, 4> list;
  for (Expr e : flat) {
    if (!e.isConstant(1))
      list.insert(e);
    if (e.isConstant() && !e.isConstant(1))
      break;
  }
  if (list.empty())
    return one();
  if (list.size() == 1)
    return list[0];
  return impl->internAtom(*this, AtomKind::Bc, list.getArrayRef()).asExpr();
}
