//===- ConstraintSetScaleTest.cpp - Large sets ----------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Thousands of symbols and facts, and many thousands of questions: answers stay
// right where caches, trails and budgets are at work. How long they take is for
// the benchmarks; what does not end meets the time limit of the test driver.
//
//===----------------------------------------------------------------------===//

#include "symshape/Constraints/ConstraintSet.h"
#include "symshape/Constraints/Formula.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"
#include <functional>

using namespace mlir::symshape;

namespace {
class ScaleTest : public testing::Test {
protected:
  ExprArena arena;
  ConstraintSet set{arena};
  Expr symbol(int i) { return arena.symbol("s" + std::to_string(i)); }
};
} // namespace

TEST_F(ScaleTest, ChainOfEqualities) {
  const int n = 3000;
  for (int i = n; i-- > 0;)
    set.assume(Relation::eq(symbol(i), symbol(i + 1)));
  for (int i = 0; i <= n; ++i)
    EXPECT_TRUE(set.isProvably(Relation::eq(symbol(0), symbol(i))));
}

TEST_F(ScaleTest, EqualitiesAndQueriesInterleaved) {
  const int n = 3000;
  for (int i = 0; i < n; ++i) {
    set.assume(Relation::eq(symbol(i), symbol(i + 1)));
    EXPECT_TRUE(set.isProvably(Relation::eq(symbol(0), symbol(i + 1))));
  }
}

TEST_F(ScaleTest, LevelsWithoutQuestionsCostNothing) {
  Expr a = symbol(0), b = symbol(1);
  set.assume(Relation::le(a * b, arena.constant(100)));
  EXPECT_FALSE(set.isProvably(Relation::le(a, b)));
  uint64_t before = set.steps();
  for (int i = 0; i < 1000; ++i) {
    set.push();
    Expr counter = arena.freshSymbol("i");
    set.declare(counter, {Range::all()});
    set.assume(Relation::le(arena.zero(), counter));
    set.assume(Relation::lt(counter, a * b));
    set.push();
    set.assume(Relation::eq(a, b));
    set.pop();
    set.pop();
  }
  EXPECT_EQ(set.steps(), before);
  // What waited is there when asked for, level by level, and no longer.
  set.push();
  set.assume(Relation::eq(a, arena.constant(3)));
  set.push();
  set.declare(b, {Range::all()}); // withdraws b >= 0
  EXPECT_TRUE(set.isProvably(Relation::le(b, arena.constant(33))));
  EXPECT_TRUE(set.isProvably(Relation::eq(a, arena.constant(3))));
  EXPECT_FALSE(set.isProvably(Relation::ge(b, arena.zero())));
  set.pop();
  EXPECT_TRUE(set.isProvably(Relation::ge(b, arena.zero())));
  set.pop();
  EXPECT_FALSE(set.isProvably(Relation::eq(a, arena.constant(3))));
}

TEST_F(ScaleTest, ChainOfInequalities) {
  const int n = 2000;
  for (int i = 0; i < n; ++i)
    set.assume(Relation::lt(symbol(i), symbol(i + 1)));
  EXPECT_TRUE(set.isProvably(Relation::le(symbol(0) + n, symbol(n))));
  set.assume(Relation::le(symbol(n), arena.constant(5 * n)));
  EXPECT_TRUE(set.isProvably(Relation::le(symbol(0), arena.constant(4 * n))));
}

TEST_F(ScaleTest, ManySmallQueries) {
  const int n = 2000;
  for (int i = 0; i + 1 < n; i += 2)
    set.assume(Relation::eq(symbol(i), symbol(i + 1)));
  Expr hub = arena.symbol("B");
  for (int i = 0; i < n; ++i)
    set.assume(Relation::le(symbol(i), hub * 64));
  unsigned decided = 0;
  for (int round = 0; round < 10; ++round)
    for (int i = 0; i + 1 < n; ++i)
      decided +=
          set.prove(Relation::eq(symbol(i) * hub, symbol(i + 1) * hub)).isYes();
  EXPECT_EQ(decided, 10u * n / 2);
}

TEST_F(ScaleTest, ManyUnknownAnswers) {
  Expr hub = arena.symbol("B");
  for (int i = 0; i < 1000; ++i)
    set.assume(Relation::le(symbol(i) * hub, symbol(i + 1) * hub + i));
  for (int i = 0; i < 1000; ++i)
    EXPECT_EQ(
        set.prove(Relation::eq(symbol(i) + hub, symbol(i + 7) * 2)).verdict,
        Verdict::Unknown);
}

TEST_F(ScaleTest, ManyLevels) {
  for (int i = 0; i < 2000; ++i)
    set.assume(Relation::le(symbol(i), symbol(i + 1)));
  for (int i = 0; i < 2000; ++i) {
    set.push();
    set.assume(Relation::eq(symbol(i % 2000), symbol(3000)));
    EXPECT_TRUE(set.isProvably(Relation::eq(symbol(3000), symbol(i % 2000))));
    set.pop();
  }
  EXPECT_FALSE(set.isProvably(Relation::eq(symbol(3000), symbol(0))));
  EXPECT_TRUE(set.isProvably(Relation::le(symbol(0), symbol(2000))));
}

TEST_F(ScaleTest, MinimiseManyRequirements) {
  std::vector<Formula> required;
  for (int i = 0; i < 500; ++i)
    for (const Relation &relation : {Relation::eq(symbol(i), symbol(i + 1)),
                                     Relation::eq(symbol(0), symbol(i + 1)),
                                     Relation::le(symbol(i), symbol(0))})
      required.push_back(relation);
  EXPECT_EQ(minimise(set, required).size(), 500u);
}

// Of sums that grow with each term, the longest bounds the others from above,
// and the shortest from below.
TEST_F(ScaleTest, SumsThatGrow) {
  constexpr int n = 120;
  struct Kind {
    const char *name;
    std::function<int64_t(int)> coefficient;
    bool isBelow;
  };
  const Kind kinds[] = {{"sums", [](int) { return 1; }, true},
                        {"multiples", [](int i) { return 1 + i % 3; }, true},
                        {"least", [](int) { return 1; }, false}};
  for (const Kind &kind : kinds) {
    ConstraintSet facts(arena);
    std::vector<Formula> required;
    Expr sum = arena.zero(), end = arena.constant(int64_t(1) << 40);
    for (int i = 0; i < n; ++i) {
      facts.declare(symbol(i), {Range::all(), {}, {}});
      sum = sum + symbol(i) * kind.coefficient(i);
      required.push_back(Relation::le(arena.zero(), symbol(i)));
      required.push_back(kind.isBelow ? Relation::le(sum, end)
                                      : Relation::le(end, sum));
    }
    std::vector<unsigned> needed = minimise(facts, required);
    size_t numSums =
        llvm::count_if(needed, [](unsigned index) { return index % 2 == 1; });
    EXPECT_EQ(numSums, 1u) << kind.name;
    EXPECT_LT(facts.steps(), uint64_t(n) * 400) << kind.name;
  }
}

// No x satisfies these. Each round of consequences squares the bound before.
TEST_F(ScaleTest, SquaresOfBoundsEnd) {
  Expr x = symbol(0), y = symbol(1);
  set.declare(x, {Range{llvm::DynamicAPInt(-1), std::nullopt}, {}, {}});
  set.declare(y, {Range::between(-4, -1), {}, {}});
  set.assume(Relation::eq(x + y, x * x * 3));
  std::string text;
  llvm::raw_string_ostream os(text);
  set.bounds(x).print(os);
  EXPECT_LT(text.size(), 2000u);
}

//===----------------------------------------------------------------------===//
// Small inputs that multiply out to large ones, and growth; both in steps
//===----------------------------------------------------------------------===//

// What facts say of one another must not multiply out without end.
TEST_F(ScaleTest, SubstitutionsStaySmall) {
  auto x = [&](int i) { return symbol(i); };
  auto y = [&](int i) { return symbol(1000 + i); };
  using Value = std::function<Expr(int)>;
  Expr bound = symbol(2000);
  const std::pair<const char *, Value> chains[] = {
      {"x*x + x", [&](int i) { return x(i) * x(i) + x(i); }},
      {"(x + y)*(x - y)", [&](int i) { return (x(i) + y(i)) * (x(i) - y(i)); }},
      {"(x + y)*(x + y)*(x + y)",
       [&](int i) { return arena.pow(x(i) + y(i), 3); }},
      {"x + x floordiv 2",
       [&](int i) { return x(i) + arena.floorDiv(x(i), arena.constant(2)); }},
      {"x floordiv y + x mod y",
       [&](int i) {
         return arena.floorDiv(x(i), y(i)) + arena.mod(x(i), y(i));
       }},
      {"min(x + 1, 2*x, b)",
       [&](int i) { return arena.min({x(i) + 1, x(i) * 2, bound}); }},
      {"max(x, y)*min(x, y)",
       [&](int i) { return arena.max(x(i), y(i)) * arena.min(x(i), y(i)); }},
      {"bc(x, y) + bc(y, x)",
       [&](int i) { return arena.bc(x(i), y(i)) + arena.bc(y(i), x(i)); }},
      {"x*y*(10^60*x + 1)", [&](int i) {
         llvm::DynamicAPInt large(1);
         for (int k = 0; k < 60; ++k)
           large *= 10;
         return x(i) * y(i) * (x(i) * arena.constant(large) + 1);
       }}};
  for (bool isForward : {true, false})
    for (const auto &[name, value] : chains) {
      ConstraintSet facts(arena);
      for (int k = 0; k < 24; ++k) {
        int i = isForward ? k : 23 - k;
        facts.assume(Relation::eq(x(i), value(i + 1)));
      }
      facts.prove(Relation::le(x(24), x(0)));
      facts.bounds(x(0) - x(24));
      EXPECT_LE(facts.simplify(x(0)).size(), 1024u) << name;
      EXPECT_LT(facts.steps(), 400000u) << name;
    }
}

using Facts = std::vector<Relation>;

/// Facts that make chains, each with a question about two far ends that
/// follows.
struct Chain {
  const char *name;
  std::function<Facts(int)> facts;
  std::function<Relation(int, int)> question;
};

// Three times as many facts take not nine times as many steps, and long chains
// are followed to their ends.
TEST_F(ScaleTest, ChainsAreFollowed) {
  auto x = [&](int i) { return symbol(i); };
  auto y = [&](int i) { return symbol(10000 + i); };
  Expr hub = arena.symbol("hub"), top = arena.symbol("top");
  auto isBelow = [&](int i, int j) { return Relation::le(x(i), x(j)); };
  const Chain chains[] = {
      {"x <= x'", [&](int i) { return Facts{Relation::le(x(i), x(i + 1))}; },
       isBelow},
      {"x == x' and x <= x' in turn",
       [&](int i) {
         return Facts{i % 2 ? Relation::eq(x(i), x(i + 1))
                            : Relation::le(x(i), x(i + 1))};
       },
       isBelow},
      {"2*x <= x'",
       [&](int i) { return Facts{Relation::le(x(i) * 2, x(i + 1))}; }, isBelow},
      {"x' == 2*y + 1, x <= y",
       [&](int i) {
         return Facts{Relation::eq(x(i + 1), y(i) * 2 + 1),
                      Relation::le(x(i), y(i))};
       },
       isBelow},
      {"x' == max(x, y)",
       [&](int i) {
         return Facts{Relation::eq(x(i + 1), arena.max(x(i), y(i)))};
       },
       isBelow},
      {"x' == min(x + 1, y)",
       [&](int i) {
         return Facts{Relation::eq(x(i + 1), arena.min(x(i) + 1, y(i)))};
       },
       [&](int i, int j) { return Relation::le(x(j), x(i) + (j - i)); }},
      {"x' == min(x + 1, hub)",
       [&](int i) {
         return Facts{Relation::eq(x(i + 1), arena.min(x(i) + 1, hub))};
       },
       [&](int i, int j) { return Relation::le(x(j), x(i) + (j - i)); }},
      {"hub <= x, x <= x', x <= top",
       [&](int i) {
         return Facts{Relation::le(hub, x(i)), isBelow(i, i + 1),
                      Relation::le(x(i), top)};
       },
       isBelow}};
  for (const Chain &chain : chains) {
    uint64_t steps[2];
    for (int large : {0, 1}) {
      ConstraintSet facts(arena);
      const int n = large ? 900 : 300;
      for (int i = 0; i < n; ++i)
        for (const Relation &fact : chain.facts(i))
          facts.assume(fact);
      unsigned decided = 0;
      for (int i = 0; i < 20; ++i)
        decided +=
            facts.prove(chain.question(i * n / 40, n - 1 - i * n / 50)).isYes();
      EXPECT_EQ(decided, 20u) << chain.name;
      steps[large] = facts.steps();
    }
    EXPECT_LE(steps[1], 5 * steps[0]) << chain.name;
  }
}

// Guards as programs have them: what each needs is found by values, so ten
// times as many take ten times as many steps.
TEST_F(ScaleTest, StepsOfMinimisingGrowWithGuards) {
  auto x = [&](int i) { return symbol(i); };
  auto y = [&](int i) { return symbol(10000 + i); };
  Expr hub = arena.symbol("hub");
  struct Family {
    const char *name;
    std::function<Relation(int)> guard;
    bool isNeeded;
  };
  const Family families[] = {
      {"offset + size <= hub",
       [&](int i) { return Relation::le(x(i) + y(i), hub); }, true},
      {"x <= x'", [&](int i) { return Relation::le(x(i), x(i + 1)); }, true},
      {"x < x'", [&](int i) { return Relation::lt(x(i), x(i + 1)); }, true},
      {"x' == hub", [&](int i) { return Relation::eq(x(i), hub); }, true},
      {"x*y == z*w",
       [&](int i) {
         return Relation::eq(x(2 * i) * y(2 * i), x(2 * i + 1) * y(2 * i + 1));
       },
       true},
      {"8 | x",
       [&](int i) { return Relation::divides(arena.constant(8), x(i)); }, true},
      {"x <= hub + i", [&](int i) { return Relation::le(x(0), hub + i); },
       false}};
  for (const Family &family : families) {
    uint64_t steps[2];
    for (int large : {0, 1}) {
      ConstraintSet facts(arena);
      std::vector<Formula> guards;
      const int n = large ? 1000 : 100;
      for (int i = 0; i < n; ++i)
        // Said twice, it is needed once.
        guards.insert(guards.end(), 2, family.guard(i));
      for (Expr s : {hub, x(0), x(n)})
        facts.declare(s, {Range::between(0, 1 << 30), {}, {}});
      EXPECT_EQ(minimise(facts, guards).size(), family.isNeeded ? n : 1u)
          << family.name;
      steps[large] = facts.steps();
    }
    EXPECT_LE(steps[1], 15 * steps[0] + 1000) << family.name;
  }
}

// Three times as many facts and questions take three times as many steps, not
// nine times.
TEST_F(ScaleTest, StepsGrowWithFacts) {
  Expr y = arena.symbol("y");
  using Fact = std::function<Relation(int)>;
  const std::pair<const char *, Fact> families[] = {
      {"x_i <= x_i+1",
       [&](int i) { return Relation::le(symbol(i), symbol(i + 1)); }},
      {"x_i+1 == x_i + 1",
       [&](int i) { return Relation::eq(symbol(i + 1), symbol(i) + 1); }},
      {"x_i == x_i+1 + 1",
       [&](int i) { return Relation::eq(symbol(i), symbol(i + 1) + 1); }},
      {"x_i+1 == min(x_i + 1, y)",
       [&](int i) {
         return Relation::eq(symbol(i + 1), arena.min(symbol(i) + 1, y));
       }},
      {"x_i <= y", [&](int i) { return Relation::le(symbol(i), y); }},
      {"x_i+1 <= x_i + y",
       [&](int i) { return Relation::le(symbol(i + 1), symbol(i) + y); }},
      {"x_i+1 == x_i + y",
       [&](int i) { return Relation::eq(symbol(i + 1), symbol(i) + y); }},
      {"x_i != x_i+1",
       [&](int i) { return Relation::ne(symbol(i), symbol(i + 1)); }},
      {"x_i == max(z_i, 1)",
       [&](int i) {
         return Relation::eq(symbol(i),
                             arena.max(symbol(10000 + i), arena.one()));
       }},
      {"y | x_i - x_i+1",
       [&](int i) { return Relation::divides(y, symbol(i) - symbol(i + 1)); }}};
  for (const auto &[name, fact] : families) {
    uint64_t steps[2];
    for (int large : {0, 1}) {
      ConstraintSet facts(arena);
      const int n = large ? 1500 : 500;
      for (int i = 0; i < n; ++i) {
        facts.assume(fact(i));
        if (i % 20 == 0)
          facts.conflictCore(symbol(i));
      }
      for (int i = 0; i + 50 < n; i += 20)
        facts.prove(Relation::le(symbol(i), symbol(i + 5) + i));
      steps[large] = facts.steps();
    }
    EXPECT_LE(steps[1], 4 * steps[0]) << name;
  }
}
