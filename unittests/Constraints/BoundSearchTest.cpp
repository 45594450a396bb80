//===- BoundSearchTest.cpp - Bounds over chosen symbols -------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "symshape/Constraints/BoundSearch.h"
#include "ConstraintSetFixture.h"
#include "FuzzSettings.h"
#include "RandomProblem.h"
#include "symshape/Constraints/QuestionLog.h"
#include "gmock/gmock.h"

using namespace mlir::symshape;
using namespace mlir::symshape::test;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

namespace {
struct BoundSearchTest : ConstraintSetTest {
  /// Over the symbols of these names.
  std::vector<std::string> upper(std::vector<std::string> names,
                                 llvm::StringRef text) {
    auto isChosen = [&](Expr s) {
      return llvm::is_contained(names, s.asSymbol()->str());
    };
    return print(BoundSearch(set, isChosen).upper(expr(text)));
  }
  std::vector<std::string> lower(std::vector<std::string> names,
                                 llvm::StringRef text) {
    auto isChosen = [&](Expr s) {
      return llvm::is_contained(names, s.asSymbol()->str());
    };
    return print(BoundSearch(set, isChosen).lower(expr(text)));
  }
  static std::vector<std::string> print(llvm::ArrayRef<Expr> found) {
    std::vector<std::string> lines;
    for (Expr e : found)
      lines.push_back(e.str());
    return lines;
  }
};

TEST_F(BoundSearchTest, ChainsAndSigns) {
  declare("i", Range::all());
  assume("i <= n - 1");
  assume("k <= i");
  EXPECT_THAT(upper({"n", "m"}, "min(2*i, m)"),
              UnorderedElementsAre("2*n - 2", "m"));
  EXPECT_THAT(upper({"n"}, "3*k + 1"), ElementsAre("3*n - 2"));
  EXPECT_THAT(lower({"n"}, "-k"), ElementsAre("-n + 1"));
  // A constant where nothing else is known.
  EXPECT_THAT(lower({"n"}, "k + 4"), ElementsAre("4"));
  EXPECT_THAT(upper({"n"}, "x + n"), IsEmpty());
}

/// Of symbols that are all equal but for distances, each is tried once, and not
/// each order of them.
TEST_F(BoundSearchTest, ManyEqualities) {
  constexpr int count = 16;
  for (int i = 0; i < count; ++i)
    for (int j = 0; j < i; ++j)
      assume("s" + std::to_string(i) + " == s" + std::to_string(j) + " + " +
             std::to_string(i - j));
  uint64_t before = QuestionCount::ofThread().numAsked;
  EXPECT_THAT(upper({"n"}, "s3*s5 + s7"), IsEmpty());
  EXPECT_LT(QuestionCount::ofThread().numAsked - before, 5000u);
}

TEST_F(BoundSearchTest, Quotients) {
  EXPECT_THAT(upper({"a"}, "a - 8*(a floordiv 8) + b mod 4"),
              ElementsAre("a - 8*(a floordiv 8) + 3"));
  EXPECT_THAT(upper({"a"}, "8*((a + x) floordiv 8) - x"), ElementsAre("a"));
  EXPECT_THAT(lower({"a"}, "8*((a + x) floordiv 8) - x"), ElementsAre("a - 7"));
  assume("x <= a");
  EXPECT_THAT(upper({"a"}, "x floordiv 3"), ElementsAre("a floordiv 3"));
  declare("s", Range::between(2, 100));
  EXPECT_THAT(upper({"a"}, "x floordiv s"), ElementsAre("a floordiv 2"));
}

// Neither fact alone bounds x in terms of a and b; their sum does.
TEST_F(BoundSearchTest, FactsTogether) {
  for (const char *name : {"x", "y", "a", "b"})
    declare(name, Range::all());
  assume("x <= a + y");
  assume("x <= b - y");
  EXPECT_THAT(upper({"a", "b"}, "x"), ElementsAre("(a + b) floordiv 2"));
}

TEST_F(BoundSearchTest, DefinitionsAreReadBackwards) {
  auto none = [](Expr) { return false; };
  for (const char *name : {"u", "v"})
    set.declare(arena.symbol(name), {Range::all(), {}, {}});
  BoundSearch search(set, none);
  search.define(arena.symbol("u"), expr("a + b"));
  search.define(arena.symbol("v"), expr("a - b"));
  EXPECT_EQ(search.exact(expr("2*a")), expr("u + v"));
  EXPECT_EQ(search.exact(expr("(a + b + 1) floordiv 4")),
            expr("(u + 1) floordiv 4"));
  EXPECT_FALSE(search.exact(expr("2*a + b")));
  EXPECT_THAT(print(search.upper(expr("a"))), ElementsAre("u"));
}

// What is open while it lives is closed afterwards.
TEST_F(BoundSearchTest, LeavesTheFactsAlone) {
  assume("a <= b");
  {
    auto all = [](Expr) { return true; };
    BoundSearch search(set, all);
    search.define(arena.symbol("z"), expr("a - 7"));
    EXPECT_TRUE(set.isProvably(relation("z <= b - 7")));
  }
  EXPECT_EQ(set.numFacts(), 1u);
  EXPECT_FALSE(set.isProvably(relation("z <= b - 7")));
}

// Each bound holds in every model of the facts, and contains only what was
// chosen.
TEST(BoundSearchFuzz, BoundsHoldInEveryModel) {
  for (unsigned seed : fuzzSeeds(150)) {
    RandomProblem p(chooseBySeed(seed));
    p.assumeSome(3);
    unsigned mask = p.random.uniform(0, 14);
    auto isChosen = [&](Expr s) {
      size_t i = llvm::find(p.symbols, s) - p.symbols.begin();
      return i < p.symbols.size() && ((mask >> i) & 1);
    };
    Tree question = p.random.tree(3), given = p.random.tree(2);
    // A chosen name for an expression, and its value in each model.
    std::vector<Expr> symbols = p.symbols;
    symbols.push_back(p.arena.symbol("z"));
    p.set.declare(symbols.back(), {Range::all(), {}, {}});
    BoundSearch search(p.set, isChosen);
    search.define(symbols.back(), given.build(p.arena, p.symbols));
    Expr e = question.build(p.arena, p.symbols);
    auto check = [&](llvm::ArrayRef<Expr> bounds, auto holds) {
      for (Expr bound : bounds) {
        for (Expr s : bound.symbols())
          EXPECT_TRUE(isChosen(s) || s == symbols.back()) << bound.str();
        for (Assignment at : p.models) {
          at.push_back(given.evaluate(at));
          ASSERT_TRUE(holds(question.evaluate(at),
                            evaluateCanonical(bound, at, symbols)))
              << "seed " << seed << ": " << e.str() << " and " << bound.str();
        }
      }
    };
    check(search.upper(e), [](int64_t v, int64_t bound) { return v <= bound; });
    check(search.lower(e), [](int64_t v, int64_t bound) { return v >= bound; });
    if (Expr same = search.exact(e))
      check(same, [](int64_t v, int64_t bound) { return v == bound; });
  }
}
} // namespace
