//===- Expr.cpp - Polynomials, hash-consed --------------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Interning and polynomial arithmetic. Division,
// min, max and bc are in Canonical.cpp.
//
//===----------------------------------------------------------------------===//

#include "symshape/Expr/Expr.h"
#include "ExprNodes.h"
#include "symshape/Expr/Integers.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace mlir::symshape;

//===----------------------------------------------------------------------===//
// Hash-consing
//===----------------------------------------------------------------------===//

bool ExprNodeInfo::isEqual(const Key &key, const Entry &entry) {
  if (!mayEqual(key.hash, entry) ||
      entry.node->terms.size() != key.terms.size())
    return false;
  for (auto [x, y] : llvm::zip(key.terms, entry.node->terms))
    if (x.coefficient != y.coefficient || x.powers != y.powers)
      return false;
  return true;
}

bool AtomNodeInfo::isEqual(const Key &key, const Entry &entry) {
  return mayEqual(key.hash, entry) && entry.node->kind == key.kind &&
         entry.node->isProduct == key.isProduct &&
         ArrayRef<Expr>(entry.node->operands) == key.operands;
}

/// For a long number, the cost of multiplying it by a like one: 2048 bits count
/// as a thousand factors.
static unsigned sizeOf(DynamicAPInt coefficient) {
  unsigned words = 0;
  for (; !tryInt64(coefficient); coefficient /= powerOfTwo(64))
    ++words;
  return 1 + words * words;
}

Expr ExprArena::Impl::intern(ExprArena &arena, ArrayRef<Expr::Term> terms) {
  using llvm::detail::combineHashValue;
  unsigned hash = terms.size();
  unsigned depth = 0, size = 0;
  for (const Expr::Term &term : terms) {
    hash = combineHashValue(hash, hashInteger(term.coefficient));
    size = llvm::SaturatingAdd(size, sizeOf(term.coefficient));
    for (auto [atom, power] : term.powers) {
      hash = combineHashValue(hash, combineHashValue(atom.id(), power));
      depth = std::max(depth, atom.depth() + 1);
      size = llvm::SaturatingMultiplyAdd(atom.size(), power, size);
    }
  }
  ExprNodeInfo::Key key{hash, terms};
  auto it = exprTable.find_as(key);
  if (it != exprTable.end())
    return Expr(it->node);
  exprs.push_back(ExprNode{&arena,
                           unsigned(exprs.size()),
                           depth,
                           size,
                           {terms.begin(), terms.end()}});
  exprTable.insert({&exprs.back(), hash});
  return Expr(&exprs.back());
}

Atom ExprArena::Impl::internAtom(ExprArena &arena, AtomKind kind,
                                 ArrayRef<Expr> operands, bool isProduct) {
  using llvm::detail::combineHashValue;
  unsigned hash = combineHashValue(unsigned(kind), isProduct);
  unsigned depth = 1, size = 1;
  for (Expr operand : operands) {
    hash = combineHashValue(hash, operand.id());
    depth = std::max(depth, operand.depth() + 1);
    size = llvm::SaturatingAdd(size, operand.size());
  }
  AtomNodeInfo::Key key{hash, kind, isProduct, operands};
  auto it = atomTable.find_as(key);
  if (it != atomTable.end())
    return Atom(it->node);
  std::string name;
  if (kind == AtomKind::Named)
    name = "named#" + std::to_string(nextNamed++);
  atoms.push_back(AtomNode{&arena,
                           unsigned(atoms.size()),
                           depth,
                           size,
                           kind,
                           isProduct,
                           false,
                           std::move(name),
                           {operands.begin(), operands.end()},
                           Expr()});
  atomTable.insert({&atoms.back(), hash});
  return Atom(&atoms.back());
}

Atom ExprArena::Impl::symbolAtom(ExprArena &arena, StringRef name) {
  const AtomNode *&node = symbols[name];
  if (!node) {
    atoms.push_back(AtomNode{&arena,
                             unsigned(atoms.size()),
                             0,
                             1,
                             AtomKind::Symbol,
                             false,
                             false,
                             name.str(),
                             {},
                             Expr()});
    node = &atoms.back();
  }
  return Atom(node);
}

ExprArena::ExprArena() : impl(std::make_unique<Impl>()) {}
ExprArena::~ExprArena() = default;

Expr ExprArena::constant(int64_t value) {
  return constant(DynamicAPInt(value));
}

Expr ExprArena::constant(const DynamicAPInt &value) {
  SmallVector<Expr::Term, 1> terms;
  if (value != 0)
    terms.push_back(Expr::Term{value, {}});
  return impl->intern(*this, terms);
}

Expr ExprArena::symbol(StringRef name) {
  return impl->symbolAtom(*this, name).asExpr();
}

Expr ExprArena::freshSymbol(StringRef hint) {
  std::string name = hint.empty() ? "s" : hint.str();
  while (impl->symbols.count(name))
    name = hint.str() + "_" + std::to_string(impl->nextFresh++);
  Atom atom = impl->symbolAtom(*this, name);
  impl->markFresh(atom);
  return atom.asExpr();
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

static bool termBefore(const Expr::Term &a, const Expr::Term &b) {
  return compareMonomials(a.powers, b.powers) < 0;
}

/// Whether the terms respect the bounds on number, power and coefficient.
static bool isBounded(ArrayRef<Expr::Term> terms) {
  if (terms.size() > maxTerms)
    return false;
  for (const Expr::Term &term : terms) {
    if (!fitsBits(term.coefficient, maxCoefficientBits))
      return false;
    for (auto [atom, power] : term.powers)
      if (power > maxPower)
        return false;
  }
  return true;
}

/// Sorts, merges like monomials, drops zeros.
static void normalise(SmallVectorImpl<Expr::Term> &terms) {
  if (!llvm::is_sorted(terms, termBefore))
    llvm::sort(terms, termBefore);
  size_t out = 0;
  for (size_t i = 0; i < terms.size();) {
    Expr::Term merged = std::move(terms[i++]);
    while (i < terms.size() && terms[i].powers == merged.powers)
      merged.coefficient += terms[i++].coefficient;
    if (merged.coefficient == 0)
      continue;
    if (std::optional<int64_t> small = tryInt64(merged.coefficient))
      merged.coefficient = DynamicAPInt(*small);
    terms[out++] = std::move(merged);
  }
  terms.truncate(out);
}

Expr ExprArena::fromTerm(const Expr::Term &term) {
  return fromTerms(SmallVector<Expr::Term, 1>{term});
}

Expr ExprArena::fromTerms(SmallVectorImpl<Expr::Term> &&terms) {
  normalise(terms);
  if (isBounded(terms))
    return impl->intern(*this, terms);
  // Too large: the sum of bounded pieces, each within the limits if possible.
  Expr sum = zero();
  for (const Expr::Term &term : terms) {
    Expr product = constant(term.coefficient);
    for (auto [atom, power] : term.powers)
      product = mul(product, pow(atom.asExpr(), power));
    sum = add(sum, product);
  }
  return sum;
}

Expr ExprArena::add(Expr a, Expr b) {
  SmallVector<Expr::Term, 4> terms;
  ArrayRef<Expr::Term> x = a.terms(), y = b.terms();
  if (x.empty())
    return b;
  if (y.empty())
    return a;
  while (!x.empty() || !y.empty()) {
    int order = x.empty()   ? 1
                : y.empty() ? -1
                            : compareMonomials(x[0].powers, y[0].powers);
    const Expr::Term &first = order <= 0 ? x[0] : y[0];
    terms.push_back(first);
    if (order == 0)
      terms.back().coefficient += y[0].coefficient;
    if (terms.back().coefficient == 0)
      terms.pop_back();
    else if (std::optional<int64_t> small = tryInt64(terms.back().coefficient))
      terms.back().coefficient = DynamicAPInt(*small);
    if (order <= 0)
      x = x.drop_front();
    if (order >= 0)
      y = y.drop_front();
  }
  if (isBounded(terms))
    return impl->intern(*this, terms);
  if (Expr::compare(b, a) < 0)
    std::swap(a, b);
  return impl->internAtom(*this, AtomKind::Named, {a, b}).asExpr();
}

Expr ExprArena::neg(Expr a) {
  SmallVector<Expr::Term, 4> terms(a.terms().begin(), a.terms().end());
  for (Expr::Term &term : terms)
    term.coefficient = -term.coefficient;
  return impl->intern(*this, terms);
}

Expr ExprArena::sub(Expr a, Expr b) { return add(a, neg(b)); }

/// The product of two monomials, both sorted.
static void
multiplyPowers(Powers a, Powers b,
               SmallVectorImpl<std::pair<Atom, unsigned>> &product) {
  while (!a.empty() || !b.empty()) {
    int order = a.empty()   ? 1
                : b.empty() ? -1
                            : Atom::compare(a[0].first, b[0].first);
    product.push_back(order <= 0 ? a[0] : b[0]);
    if (order == 0)
      product.back().second += b[0].second;
    if (order <= 0)
      a = a.drop_front();
    if (order >= 0)
      b = b.drop_front();
  }
}

Expr ExprArena::mul(Expr a, Expr b) {
  if (a.terms().empty() || b.isConstant(1))
    return a;
  if (b.terms().empty() || a.isConstant(1))
    return b;
  size_t pairs = a.terms().size() * b.terms().size();
  if (pairs <= maxExpansion) {
    SmallVector<Expr::Term, 8> terms;
    terms.reserve(pairs);
    for (const Expr::Term &x : a.terms())
      for (const Expr::Term &y : b.terms()) {
        terms.emplace_back();
        terms.back().coefficient = x.coefficient * y.coefficient;
        multiplyPowers(x.powers, y.powers, terms.back().powers);
      }
    normalise(terms);
    if (isBounded(terms))
      return impl->intern(*this, terms);
  }
  if (Expr::compare(b, a) < 0)
    std::swap(a, b);
  return impl->internAtom(*this, AtomKind::Named, {a, b}, true).asExpr();
}

Expr ExprArena::pow(Expr a, unsigned exponent) {
  Expr result = one();
  for (Expr square = a; exponent; exponent >>= 1) {
    if (exponent & 1)
      result = mul(result, square);
    if (exponent > 1)
      square = mul(square, square);
  }
  return result;
}
