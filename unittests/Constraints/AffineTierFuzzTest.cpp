//===- AffineTierFuzzTest.cpp - Linear problems against enumeration -------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Random linear facts over small domains, with residues, divisions by literals,
// min, max and disequalities: no answer or bound may be contradicted by an
// assignment, and under linear facts, ranges and residues alone, what
// enumeration decides is decided, and bounds are attained.
// SYMSHAPE_FUZZ_ITERATIONS runs more, from SYMSHAPE_FUZZ_SEED on.
//
//===----------------------------------------------------------------------===//

#include "../Expr/RandomExpr.h"
#include "symshape/Constraints/ConstraintSet.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"
#include <cstdlib>

using namespace mlir::symshape;
using namespace mlir::symshape::test;
using llvm::DynamicAPInt;

namespace {
unsigned setting(const char *name, unsigned standard) {
  const char *text = std::getenv(name);
  return text ? unsigned(std::atoi(text)) : standard;
}

/// `sum` compared with zero, or divided by `divisor`.
struct LinearClaim {
  Relation::Kind kind;
  Tree sum;
  int64_t divisor = 1;

  bool holds(const Assignment &at) const {
    int64_t value = sum.evaluate(at);
    switch (kind) {
    case Relation::Eq:
      return value == 0;
    case Relation::Ne:
      return value != 0;
    case Relation::Le:
      return value <= 0;
    case Relation::Divides:
      return value % divisor == 0;
    }
    return false;
  }
};

/// Which operations problems have, beside sums.
enum class Shape { Linear, Atoms, Disequalities };

struct LinearProblem {
  ExprArena arena;
  ConstraintSet set{arena};
  std::mt19937 random;
  Shape shape;
  std::vector<Expr> symbols;
  std::vector<Assignment> models{{}};
  std::string text;

  LinearProblem(unsigned seed, Shape shape) : random(seed), shape(shape) {
    unsigned count = 2 + seed % 3;
    for (unsigned i = 0; i < count; ++i)
      declare(i, count);
    Assignment witness = models[uniform(0, models.size() - 1)];
    for (int64_t i = uniform(1, 5); i > 0; --i) {
      LinearClaim fact = claim();
      if (!fact.holds(witness) && uniform(0, 9))
        continue;
      text += relation(fact).str() + "\n";
      set.assume(relation(fact));
      llvm::erase_if(models,
                     [&](const Assignment &at) { return !fact.holds(at); });
    }
  }

  int64_t uniform(int64_t lo, int64_t hi) {
    return lo + int64_t(random() % (hi - lo + 1));
  }

  void declare(unsigned index, unsigned count) {
    symbols.push_back(arena.symbol(std::string(1, "xyzw"[index])));
    SymbolInfo info;
    int64_t lo = uniform(-5, 1), hi = lo + uniform(1, count == 4 ? 5 : 9);
    info.range = Range::between(lo, hi);
    if (uniform(0, 2) == 0)
      info.residue = Residue::of(DynamicAPInt(uniform(-2, 3)), DynamicAPInt(2));
    set.declare(symbols.back(), info);
    std::vector<Assignment> longer;
    for (const Assignment &prefix : models)
      for (int64_t v = lo; v <= hi; ++v)
        if (info.residue.contains(DynamicAPInt(v))) {
          longer.push_back(prefix);
          longer.back().push_back(v);
        }
    models = std::move(longer);
    llvm::raw_string_ostream os(text);
    os << symbols.back().str() << " in ";
    info.range.print(os);
    os << ", ";
    info.residue.print(os);
    os << "\n";
  }

  static Tree node(Tree::Op op, const Tree &a, const Tree &b) {
    Tree tree;
    tree.op = op;
    tree.parts = {a, b};
    return tree;
  }
  static Tree constant(int64_t value) {
    Tree tree;
    tree.value = value;
    return tree;
  }

  Tree symbol() {
    Tree tree;
    tree.op = Tree::Symbol;
    tree.value = uniform(0, symbols.size() - 1);
    return tree;
  }

  Tree sum(unsigned terms) {
    Tree result = constant(uniform(-7, 7));
    for (unsigned i = 0; i < terms; ++i)
      result = node(Tree::Add, result,
                    node(Tree::Mul, constant(uniform(-3, 3)), term()));
    return result;
  }

  Tree term() {
    if (shape == Shape::Linear || uniform(0, 2))
      return symbol();
    switch (uniform(0, 3)) {
    case 0:
      return node(Tree::Min, node(Tree::Sub, symbol(), symbol()), symbol());
    case 1:
      return node(Tree::Max, symbol(), node(Tree::Add, symbol(), symbol()));
    case 2:
      return node(Tree::Mod, node(Tree::Add, symbol(), symbol()),
                  constant(uniform(2, 4)));
    default:
      return node(Tree::FloorDiv, node(Tree::Add, symbol(), symbol()),
                  constant(uniform(0, 3) ? uniform(2, 5) : -2));
    }
  }

  LinearClaim claim() {
    LinearClaim c{Relation::Le, sum(2 + uniform(0, 2))};
    int64_t kind = uniform(0, 9);
    if (kind >= 8)
      c.kind = Relation::Eq;
    else if (kind == 7) {
      c.kind = Relation::Divides;
      c.divisor = uniform(2, 4);
    } else if (kind == 6 && shape == Shape::Disequalities)
      c.kind = Relation::Ne;
    return c;
  }

  Relation relation(const LinearClaim &c) {
    Expr e = c.sum.build(arena, symbols);
    return c.kind == Relation::Divides
               ? Relation::divides(arena.constant(c.divisor), e)
               : Relation{c.kind, e, arena.zero()};
  }
};

struct Tally {
  unsigned decidable = 0, decided = 0, ends = 0, exactEnds = 0;
};

void checkClaim(LinearProblem &p, const LinearClaim &c, Tally &tally) {
  bool someTrue = false, someFalse = false;
  for (const Assignment &at : p.models)
    (c.holds(at) ? someTrue : someFalse) = true;
  Relation relation = p.relation(c);
  Answer answer = p.set.prove(relation);
  ASSERT_FALSE(answer.isYes() && someFalse)
      << p.text << "wrong yes: " << relation.str() << " by " << answer.reason;
  ASSERT_FALSE(answer.isNo() && someTrue)
      << p.text << "wrong no: " << relation.str() << " by " << answer.reason;
  if (someTrue == someFalse)
    return;
  ++tally.decidable;
  tally.decided += answer.verdict != Verdict::Unknown;
  if (p.shape == Shape::Linear)
    ASSERT_NE(int(answer.verdict), int(Verdict::Unknown))
        << p.text << "undecided: " << relation.str() << " by " << answer.reason;
}

void checkBounds(LinearProblem &p, Tally &tally) {
  Tree tree = p.sum(2);
  Expr e = tree.build(p.arena, p.symbols);
  Range range = p.set.bounds(e);
  if (p.models.empty())
    return;
  int64_t least = tree.evaluate(p.models[0]), most = least;
  for (const Assignment &at : p.models) {
    least = std::min(least, tree.evaluate(at));
    most = std::max(most, tree.evaluate(at));
  }
  ASSERT_TRUE(range.contains(DynamicAPInt(least)) &&
              range.contains(DynamicAPInt(most)))
      << p.text << "bounds of " << e.str();
  tally.ends += 2;
  tally.exactEnds +=
      (range.min && *range.min == least) + (range.max && *range.max == most);
  if (p.shape == Shape::Linear)
    ASSERT_TRUE(range == Range::between(least, most))
        << p.text << "bounds of " << e.str() << " are not attained";
}

void run(Shape shape, unsigned standard, Tally &tally) {
  unsigned first = setting("SYMSHAPE_FUZZ_SEED", 0);
  unsigned count = setting("SYMSHAPE_FUZZ_ITERATIONS", standard);
  for (unsigned seed = first; seed < first + count; ++seed) {
    LinearProblem p(seed, shape);
    for (int i = 0; i < 4; ++i) {
      checkClaim(p, p.claim(), tally);
      checkBounds(p, tally);
      if (testing::Test::HasFatalFailure()) {
        ADD_FAILURE() << "seed " << seed;
        return;
      }
    }
  }
  llvm::errs() << "decided " << tally.decided << " of " << tally.decidable
               << ", exact bounds " << tally.exactEnds << " of " << tally.ends
               << "\n";
}
} // namespace

TEST(AffineTierFuzz, LinearFactsAreDecided) {
  Tally tally;
  run(Shape::Linear, 1000, tally);
  EXPECT_EQ(tally.decided, tally.decidable);
  EXPECT_EQ(tally.exactEnds, tally.ends);
}

TEST(AffineTierFuzz, DivisionsMinAndMax) {
  Tally tally;
  run(Shape::Atoms, 600, tally);
  EXPECT_GE(tally.decided * 100, tally.decidable * 95);
}

TEST(AffineTierFuzz, Disequalities) {
  Tally tally;
  run(Shape::Disequalities, 600, tally);
  EXPECT_GE(tally.decided * 100, tally.decidable * 95);
}
