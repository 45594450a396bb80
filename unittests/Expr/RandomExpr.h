//===- RandomExpr.h - Random expressions with an oracle ---------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Random syntax trees over a few symbols, evaluated directly, beside the
// canonical expression built from the same tree. Division by zero has a fixed
// value that depends on the dividend alone: nothing may be concluded from
// which.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_UNITTESTS_EXPR_RANDOMEXPR_H
#define SYMSHAPE_UNITTESTS_EXPR_RANDOMEXPR_H

#include "symshape/Expr/Expr.h"
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace mlir::symshape::test {

using Assignment = std::vector<int64_t>;

inline int64_t floorDivide(int64_t a, int64_t b) {
  if (b == 0)
    return ((a % 5 + 5) % 5) * 3 - 4; // an arbitrary function of a
  int64_t q = a / b;
  return q - (a % b != 0 && (a < 0) != (b < 0));
}

struct Tree {
  enum Op {
    Const,
    Symbol,
    Add,
    Sub,
    Mul,
    FloorDiv,
    CeilDiv,
    Mod,
    Min,
    Max,
    Bc
  };
  Op op = Const;
  int64_t value = 0; ///< of a Const; the index of a Symbol
  std::vector<Tree> parts;

  int64_t evaluate(const Assignment &at) const {
    if (op == Const)
      return value;
    if (op == Symbol)
      return at[value];
    int64_t a = parts[0].evaluate(at), b = parts[1].evaluate(at);
    switch (op) {
    case Add:
      return a + b;
    case Sub:
      return a - b;
    case Mul:
      return a * b;
    case FloorDiv:
      return floorDivide(a, b);
    case CeilDiv:
      return -floorDivide(-a, b);
    case Mod:
      return a - b * floorDivide(a, b);
    case Min:
      return a < b ? a : b;
    case Max:
      return a > b ? a : b;
    case Bc:
      return a == 1 ? b : a;
    default:
      return 0;
    }
  }

  Expr build(ExprArena &arena, const std::vector<Expr> &symbols) const {
    if (op == Const)
      return arena.constant(value);
    if (op == Symbol)
      return symbols[value];
    Expr a = parts[0].build(arena, symbols), b = parts[1].build(arena, symbols);
    switch (op) {
    case Add:
      return arena.add(a, b);
    case Sub:
      return arena.sub(a, b);
    case Mul:
      return arena.mul(a, b);
    case FloorDiv:
      return arena.floorDiv(a, b);
    case CeilDiv:
      return arena.ceilDiv(a, b);
    case Mod:
      return arena.mod(a, b);
    case Min:
      return arena.min(a, b);
    case Max:
      return arena.max(a, b);
    case Bc:
      return arena.bc(a, b);
    default:
      return {};
    }
  }
};

/// Evaluates a canonical expression; division by zero as `floorDivide`.
inline int64_t evaluateCanonical(Expr e, const Assignment &at,
                                 const std::vector<Expr> &symbols);

inline int64_t evaluateAtom(Atom atom, const Assignment &at,
                            const std::vector<Expr> &symbols) {
  if (atom.kind() == AtomKind::Symbol) {
    for (size_t i = 0; i < symbols.size(); ++i)
      if (symbols[i] == atom.asExpr())
        return at[i];
    return 0;
  }
  std::vector<int64_t> v;
  for (Expr operand : atom.operands())
    v.push_back(evaluateCanonical(operand, at, symbols));
  int64_t result = v[0];
  switch (atom.kind()) {
  case AtomKind::FloorDiv:
    return floorDivide(v[0], v[1]);
  case AtomKind::Bc:
    for (int64_t next : v)
      result = result == 1 ? next : result;
    return result;
  case AtomKind::Min:
    return *std::min_element(v.begin(), v.end());
  case AtomKind::Max:
    return *std::max_element(v.begin(), v.end());
  default:
    for (size_t i = 1; i < v.size(); ++i)
      result = atom.namedIsProduct() ? result * v[i] : result + v[i];
    return result;
  }
}

inline int64_t evaluateCanonical(Expr e, const Assignment &at,
                                 const std::vector<Expr> &symbols) {
  int64_t sum = 0;
  for (const Expr::Term &term : e.terms()) {
    int64_t product = int64_t(term.coefficient);
    for (auto [atom, power] : term.powers)
      for (unsigned i = 0; i < power; ++i)
        product *= evaluateAtom(atom, at, symbols);
    sum += product;
  }
  return sum;
}

/// One of lo..hi: by a seed, or by the bytes of a fuzzer.
using Choose = std::function<int64_t(int64_t lo, int64_t hi)>;

inline Choose chooseBySeed(uint64_t seed) {
  auto engine = std::make_shared<std::mt19937_64>(seed);
  return [engine](int64_t lo, int64_t hi) {
    return std::uniform_int_distribution<int64_t>(lo, hi)(*engine);
  };
}

class RandomTrees {
public:
  RandomTrees(Choose choose, unsigned numSymbols)
      : choose(std::move(choose)), numSymbols(numSymbols) {}
  RandomTrees(uint64_t seed, unsigned numSymbols)
      : RandomTrees(chooseBySeed(seed), numSymbols) {}

  int64_t uniform(int64_t lo, int64_t hi) { return choose(lo, hi); }
  bool chance(int percent) { return uniform(0, 99) < percent; }

  Tree leaf() {
    Tree t;
    if (chance(65)) {
      t.op = Tree::Symbol;
      t.value = uniform(0, numSymbols - 1);
    } else {
      t.value = uniform(-4, 6);
    }
    return t;
  }

  Tree tree(int depth) {
    if (depth == 0 || chance(25))
      return leaf();
    static const Tree::Op ops[] = {Tree::Add,      Tree::Add, Tree::Sub,
                                   Tree::Sub,      Tree::Mul, Tree::Mul,
                                   Tree::FloorDiv, Tree::Mod, Tree::Min,
                                   Tree::Max,      Tree::Bc,  Tree::CeilDiv};
    Tree t;
    t.op = ops[uniform(0, 11)];
    t.parts.push_back(tree(depth - 1));
    t.parts.push_back(tree(depth - 1));
    bool divides =
        t.op == Tree::FloorDiv || t.op == Tree::Mod || t.op == Tree::CeilDiv;
    if (divides && chance(70)) {
      Tree divisor;
      divisor.value = chance(85) ? uniform(1, 4) : uniform(-3, 0);
      t.parts[1] = divisor;
    }
    return t;
  }

  /// A short sum of multiples of symbols or of products of two symbols.
  Tree linear() {
    Tree sum;
    sum.value = uniform(-2, 2);
    for (int64_t i = 0, count = uniform(1, 3); i < count; ++i) {
      Tree factor, product, total;
      factor.value = chance(70) ? 1 : uniform(-3, 3);
      product.op = total.op = Tree::Mul;
      product.parts = {factor, symbol()};
      if (chance(25))
        product = Tree{Tree::Mul, 0, {product, symbol()}};
      total.op = Tree::Add;
      total.parts = {sum, product};
      sum = total;
    }
    return sum;
  }

  Tree symbol() {
    Tree t;
    t.op = Tree::Symbol;
    t.value = uniform(0, numSymbols - 1);
    return t;
  }

private:
  Choose choose;
  unsigned numSymbols;
};

} // namespace mlir::symshape::test

#endif // SYMSHAPE_UNITTESTS_EXPR_RANDOMEXPR_H
