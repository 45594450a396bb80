//===- Handles.cpp - Reading and ordering expressions ---------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a handle tells about its node, and the order of atoms and terms.
//
//===----------------------------------------------------------------------===//

#include "ExprNodes.h"
#include "symshape/Expr/Integers.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir::symshape;

//===----------------------------------------------------------------------===//
// Handles
//===----------------------------------------------------------------------===//

ArrayRef<Expr::Term> Expr::terms() const { return node->terms; }
ExprArena &Expr::arena() const { return *node->arena; }
unsigned Expr::id() const { return node->id; }
unsigned Expr::depth() const { return node->depth; }
unsigned Expr::size() const { return node->size; }

bool Expr::isConstant() const {
  return node->terms.empty() ||
         (node->terms.size() == 1 && node->terms[0].powers.empty());
}

std::optional<DynamicAPInt> Expr::asConstant() const {
  if (!isConstant())
    return std::nullopt;
  return node->terms.empty() ? DynamicAPInt(0) : node->terms[0].coefficient;
}

std::optional<int64_t> Expr::asInt64() const {
  if (!isConstant())
    return std::nullopt;
  return node->terms.empty() ? 0 : tryInt64(node->terms[0].coefficient);
}

Atom Expr::asAtom() const {
  if (node->terms.size() != 1)
    return {};
  const Term &term = node->terms[0];
  if (term.coefficient != 1 || term.powers.size() != 1 ||
      term.powers[0].second != 1)
    return {};
  return term.powers[0].first;
}

std::optional<StringRef> Expr::asSymbol() const {
  Atom atom = asAtom();
  if (!atom || atom.kind() != AtomKind::Symbol)
    return std::nullopt;
  return atom.name();
}

AtomKind Atom::kind() const { return node->kind; }
StringRef Atom::name() const { return node->name; }
ArrayRef<Expr> Atom::operands() const { return node->operands; }
bool Atom::isFresh() const { return node->isFresh; }
bool Atom::namedIsProduct() const { return node->isProduct; }
unsigned Atom::id() const { return node->id; }
unsigned Atom::depth() const { return node->depth; }
unsigned Atom::size() const { return node->size; }

Expr Atom::asExpr() const {
  if (!node->expr) {
    SmallVector<Expr::Term, 1> terms(1);
    terms[0].coefficient = DynamicAPInt(1);
    terms[0].powers.push_back({*this, 1});
    node->expr = node->arena->fromTerms(std::move(terms));
  }
  return node->expr;
}

namespace mlir::symshape {
Expr operator+(Expr a, Expr b) { return a.arena().add(a, b); }
Expr operator-(Expr a, Expr b) { return a.arena().sub(a, b); }
Expr operator*(Expr a, Expr b) { return a.arena().mul(a, b); }
Expr operator-(Expr a) { return a.arena().neg(a); }
Expr operator+(Expr a, int64_t b) { return a + a.arena().constant(b); }
Expr operator-(Expr a, int64_t b) { return a - a.arena().constant(b); }
Expr operator*(Expr a, int64_t b) { return a * a.arena().constant(b); }
} // namespace mlir::symshape

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

// Two different atoms of one arena differ in structure, so at most one pair of
// operands is descended into: a comparison walks one path, of bounded depth.
int Atom::compare(Atom a, Atom b) {
  if (a == b)
    return 0;
  if (a.kind() != b.kind())
    return a.kind() < b.kind() ? -1 : 1;
  if (a.kind() == AtomKind::Symbol) {
    if (int order = a.name().compare_numeric(b.name()))
      return order;
    return a.name().compare(b.name());
  }
  if (a.depth() != b.depth())
    return a.depth() < b.depth() ? -1 : 1;
  if (a.depth() > maxOrderedDepth)
    return a.id() < b.id() ? -1 : 1;
  if (a.namedIsProduct() != b.namedIsProduct())
    return a.namedIsProduct() ? 1 : -1;
  if (a.operands().size() != b.operands().size())
    return a.operands().size() < b.operands().size() ? -1 : 1;
  for (auto [x, y] : llvm::zip(a.operands(), b.operands()))
    if (x != y)
      return Expr::compare(x, y);
  return a.id() < b.id() ? -1 : 1;
}

/// Higher degree first, then lexicographic; the constant term is last.
/// Reversed, this is an admissible monomial order (graded lexicographic).
int mlir::symshape::compareMonomials(Powers a, Powers b) {
  unsigned degreeA = 0, degreeB = 0;
  for (auto [atom, power] : a)
    degreeA += power;
  for (auto [atom, power] : b)
    degreeB += power;
  if (degreeA != degreeB)
    return degreeA > degreeB ? -1 : 1;
  for (auto [x, y] : llvm::zip(a, b)) {
    if (int order = Atom::compare(x.first, y.first))
      return order;
    if (x.second != y.second)
      return x.second > y.second ? -1 : 1;
  }
  return 0;
}

int Expr::compare(Expr a, Expr b) {
  if (a == b)
    return 0;
  for (auto [x, y] : llvm::zip(a.terms(), b.terms())) {
    if (int order = compareMonomials(x.powers, y.powers))
      return order;
    if (x.coefficient != y.coefficient)
      return x.coefficient < y.coefficient ? -1 : 1;
  }
  return a.terms().size() < b.terms().size() ? -1 : 1;
}
