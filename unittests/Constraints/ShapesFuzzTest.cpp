//===- ShapesFuzzTest.cpp - Sizes as compilers write them -----------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Random quotients by symbols and by products of them, nested ones, multiples
// of a least extent, squares, and divisibility by a symbol, as facts and as
// questions, with symbols that may be negative or 0: no answer may be
// contradicted by an assignment.
//
//===----------------------------------------------------------------------===//

#include "FuzzSettings.h"
#include "RandomProblem.h"
#include "gtest/gtest.h"

using namespace mlir::symshape;
using namespace mlir::symshape::test;

namespace {
Tree number(int64_t value) {
  Tree t;
  t.value = value;
  return t;
}

Tree make(Tree::Op op, Tree a, Tree b) {
  return Tree{op, 0, {std::move(a), std::move(b)}};
}

/// Sizes over a few divisors, so that facts and questions meet.
class Shapes {
public:
  explicit Shapes(RandomProblem &p) : p(p), random(p.random) {
    for (int i = 0; i < 2; ++i)
      divisors.push_back(divisor());
  }

  Tree size() {
    switch (random.uniform(0, 10)) {
    case 0:
      return make(Tree::FloorDiv, dividend(), some());
    case 10: {
      Tree product = make(Tree::Mul, random.symbol(), least(plain(), plain()));
      return make(quotient(), make(Tree::Add, product, random.leaf()), some());
    }
    case 1:
      return make(Tree::CeilDiv, dividend(), some());
    case 2:
      return make(Tree::Mod, dividend(), some());
    case 3:
      return make(Tree::FloorDiv, make(quotient(), dividend(), some()), some());
    case 4:
      return make(Tree::Mul, some(), make(quotient(), dividend(), some()));
    case 5:
      return make(Tree::Mul, random.symbol(), least(plain(), plain()));
    case 6: {
      Tree k = random.symbol();
      return least(make(Tree::Mul, k, random.leaf()),
                   make(Tree::Mul, k, random.leaf()));
    }
    case 7: {
      Tree x = random.symbol();
      Tree square = make(Tree::Mul, x, x);
      return random.chance(25) ? make(Tree::Mul, square, x) : square;
    }
    default:
      return dividend();
    }
  }

  Claim claim() {
    Claim c;
    c.kind = Relation::Kind(random.uniform(0, 3));
    if (c.kind == Relation::Ne)
      c.kind = Relation::Le;
    c.lhs = c.kind == Relation::Divides ? some() : size();
    c.rhs = random.chance(30) ? size() : plain();
    if (c.kind == Relation::Divides || random.chance(30))
      c.rhs = dividend();
    if (c.kind != Relation::Divides && random.chance(50))
      std::swap(c.lhs, c.rhs);
    // What the same operation gives for a neighbour.
    if (random.chance(20) && c.lhs.parts.size() == 2) {
      c.rhs = c.lhs;
      c.rhs.parts[random.uniform(0, 1)] = random.chance(50) ? plain() : some();
    }
    c.relation = {c.kind, c.lhs.build(p.arena, p.symbols),
                  c.rhs.build(p.arena, p.symbols)};
    return c;
  }

  /// Assumes up to `most` facts that a model satisfies.
  void assumeSome(int64_t most) {
    if (p.models.empty())
      return;
    Assignment witness = p.models[random.uniform(0, p.models.size() - 1)];
    for (int64_t left = random.uniform(0, most), tries = 0;
         left > 0 && tries < 20; ++tries) {
      Claim fact = claim();
      if (!fact.holds(witness))
        continue;
      p.assume(fact);
      --left;
    }
  }

private:
  Tree plain() { return random.chance(60) ? random.leaf() : random.linear(); }
  Tree::Op quotient() {
    return random.chance(50) ? Tree::FloorDiv : Tree::CeilDiv;
  }
  Tree least(Tree a, Tree b) {
    return make(random.chance(50) ? Tree::Min : Tree::Max, std::move(a),
                std::move(b));
  }
  Tree some() { return divisors[random.uniform(0, divisors.size() - 1)]; }
  Tree divisor() {
    Tree t = random.symbol();
    switch (random.uniform(0, 5)) {
    case 0:
      return make(Tree::Mul, t, random.symbol());
    case 1:
      return make(Tree::Mul, t, number(random.uniform(-2, 3)));
    case 2:
      return make(Tree::Add, t, number(1));
    default:
      return t;
    }
  }
  Tree dividend() {
    switch (random.uniform(0, 4)) {
    case 0:
      return make(Tree::Add, make(Tree::Mul, some(), plain()), plain());
    case 1:
      return make(Tree::Sub, plain(), random.symbol());
    case 2:
      return make(Tree::Mul, random.symbol(), plain());
    default:
      return plain();
    }
  }

  RandomProblem &p;
  RandomTrees &random;
  std::vector<Tree> divisors;
};
} // namespace

TEST(ShapesFuzz, AnswersAreNotContradicted) {
  Score total;
  for (unsigned seed : fuzzSeeds(220)) {
    RandomProblem p(chooseBySeed(seed));
    Shapes shapes(p);
    shapes.assumeSome(4);
    ASSERT_EQ(p.checkContradiction(), "") << "seed " << seed << "\n" << p.str();
    for (int i = 0; i < 8; ++i) {
      Tree size = shapes.size();
      for (const std::string &wrong :
           {p.checkVerdict(shapes.claim()), p.checkVerdict(shapes.claim()),
            p.checkBounds(size), p.checkResidue(size), p.checkSimplify(size),
            p.checkIsolate(shapes.claim(), 0)})
        ASSERT_EQ(wrong, "") << "seed " << seed << "\n" << p.str();
    }
    total.queries += p.score.queries;
    total.decidable += p.score.decidable;
    total.decided += p.score.decided;
  }
  llvm::errs() << total.queries << " queries, decided " << total.decided
               << " of " << total.decidable << "\n";
  if (isFuzzStandard()) {
    EXPECT_GE(total.queries, 10000u);
    // Of what small values decide, not all follows from the facts.
    EXPECT_GE(total.decided * 100, total.decidable * 55);
  }
}

TEST(ShapesFuzz, FactsNamedSuffice) {
  unsigned checked = 0;
  for (unsigned seed : fuzzSeeds(250)) {
    RandomProblem p(chooseBySeed(seed));
    Shapes shapes(p);
    shapes.assumeSome(4);
    if (p.set.isContradictory())
      continue;
    Claim c = shapes.claim();
    std::vector<std::string> chain;
    Answer answer = p.set.explain(c.relation, chain);
    ASSERT_FALSE(chain.empty());
    if (answer.verdict == Verdict::Unknown)
      continue;
    ++checked;
    for (const Assignment &at : p.assignments(-4, 8)) {
      bool satisfied = llvm::all_of(
          answer.facts, [&](FactId id) { return p.facts[id].holds(at); });
      ASSERT_FALSE(satisfied && c.holds(at) != answer.isYes())
          << "seed " << seed << "\n"
          << p.str() << c.relation.str();
    }
  }
  if (isFuzzStandard())
    EXPECT_GE(checked, 60u);
}
