//===- AffineTierTest.cpp - Linear facts together -------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Questions that need several facts at once: the affine tier decides them, or
// says that its budget ran out. What each answer is follows from arithmetic, in
// a comment where that is not plain.
//
//===----------------------------------------------------------------------===//

#include "ConstraintSetFixture.h"

using namespace mlir::symshape;
using namespace mlir::symshape::test;
using llvm::DynamicAPInt;

namespace {
class AffineTierTest : public ConstraintSetTest {
protected:
  std::string rule(llvm::StringRef text) {
    return set.prove(relation(text)).reason;
  }
  static Residue residue(int64_t remainder, int64_t modulus) {
    return Residue::of(DynamicAPInt(remainder), DynamicAPInt(modulus));
  }
  /// s0 + .. + s<n-1>.
  Expr sum(int n) {
    Expr total = arena.zero();
    for (int i = 0; i < n; ++i)
      total = total + arena.symbol("s" + std::to_string(i));
    return total;
  }
};
} // namespace

TEST_F(AffineTierTest, TwoSidesAndASum) {
  assume("a <= b");
  assume("a >= b");
  assume("a + b == 10");
  EXPECT_EQ(prove("a == 5"), 'Y');
  EXPECT_EQ(prove("b == 5"), 'Y');
  EXPECT_EQ(prove("a == 4"), 'N');
}

TEST_F(AffineTierTest, UniqueSolution) {
  declare("x", Range::all());
  declare("y", Range::all());
  declare("z", Range::all());
  assume("x + y <= 7");
  assume("y + z <= 5");
  assume("x + z <= 6");
  assume("x + y + z >= 9");
  // The sum of the first three halved is 9, so all are tight.
  EXPECT_EQ(prove("x == 4"), 'Y');
  EXPECT_EQ(prove("y == 3"), 'Y');
  EXPECT_EQ(prove("z == 2"), 'Y');
  EXPECT_EQ(rule("y == 3"), "linear facts");
  EXPECT_EQ(bounds("z"), "[2, 2]");
}

TEST_F(AffineTierTest, SumOfManyUnknowns) {
  set.assume(Relation::eq(sum(200), arena.constant(1000)));
  for (int i : {0, 63, 64, 120, 199}) {
    Expr s = arena.symbol("s" + std::to_string(i));
    EXPECT_TRUE(set.isProvably(Relation::le(s, arena.constant(1000))));
    EXPECT_FALSE(set.isProvably(Relation::le(s, arena.constant(999))));
  }
  EXPECT_EQ(prove("s3 + s190 <= 1000"), 'Y');
  EXPECT_EQ(prove("s3 + s190 <= 999"), '?');
  EXPECT_EQ(prove("s3 + s190 >= 1001"), 'N');
}

TEST_F(AffineTierTest, ChainOfStrictRelations) {
  for (int i = 0; i < 200; ++i)
    assume("s" + std::to_string(i) + " < s" + std::to_string(i + 1));
  EXPECT_EQ(prove("s0 < s200"), 'Y');
  EXPECT_EQ(prove("s0 + 200 <= s200"), 'Y');
  EXPECT_EQ(prove("s0 + 201 <= s200"), '?');
  EXPECT_EQ(prove("s200 <= s0"), 'N');
}

TEST_F(AffineTierTest, ChainOfSums) {
  // Not differences of two: the order tier has no path.
  for (int i = 0; i < 12; ++i) {
    std::string n = std::to_string(i), next = std::to_string(i + 1);
    assume("s" + n + " + t" + n + " + 1 <= s" + next + " + t" + next);
    assume("t" + next + " <= t" + n);
  }
  EXPECT_EQ(prove("s0 + 12 <= s12"), 'Y');
  EXPECT_EQ(prove("s0 + 13 <= s12"), '?');
}

TEST_F(AffineTierTest, Disequalities) {
  assume("x + y <= 6");
  assume("x - y >= 5");
  // 2*y <= 1, so y == 0 and 5 <= x <= 6.
  EXPECT_EQ(prove("y == 0"), 'Y');
  EXPECT_EQ(prove("x != y"), 'Y');
  assume("x + y != 6");
  EXPECT_EQ(prove("x == 5"), 'Y');
}

TEST_F(AffineTierTest, Residues) {
  declare("m", Range::atLeast(2), residue(0, 4));
  EXPECT_EQ(prove("m >= 4"), 'Y');
  declare("c", Range::between(0, 34), residue(2, 5));
  assume("7 | c - 3");
  EXPECT_EQ(prove("c == 17"), 'Y'); // Chinese remainder
  declare("a", Range::all());
  declare("b", Range::all());
  assume("3 | a + b");
  assume("3 | a - b");
  EXPECT_EQ(prove("3 | a"), 'Y'); // 2*a is a multiple of 3
  EXPECT_EQ(prove("3 | b + 1"), 'N');
  EXPECT_EQ(prove("9 | a"), '?');
}

TEST_F(AffineTierTest, NoIntegerBetweenFractions) {
  declare("x", Range::all());
  declare("y", Range::all());
  assume("3*x - 2*y >= 1");
  assume("3*x - 2*y <= 1");
  EXPECT_EQ(prove("2 | x"), 'N'); // 3*x is odd
  assume("x <= 6");
  EXPECT_EQ(prove("x <= 5"), 'Y');
  EXPECT_EQ(bounds("y"), "[-inf, 7]");
}

TEST_F(AffineTierTest, ExtentsOfConvolutions) {
  declare("h", Range::atLeast(1));
  declare("k", Range::between(1, 7));
  assume("k <= h + 2*p");
  assume("2*p <= k - 1");
  // Padding by less than half of the window never grows the extent.
  EXPECT_EQ(prove("(h + 2*p - k) floordiv 2 + 1 <= h"), 'Y');
  EXPECT_EQ(prove("(h + 2*p - k) floordiv 2 + 1 >= 1"), 'Y');
  EXPECT_EQ(prove("2*((h + 2*p - k) floordiv 2) + k <= h + 2*p"), 'Y');
  assume("2*p == k - 1");
  EXPECT_EQ(prove("(h + 2*p - k) floordiv 1 + 1 == h"), 'Y');
  EXPECT_EQ(prove("(h + 2*p - k) floordiv 2 + 1 == h ceildiv 2"), 'Y');
}

TEST_F(AffineTierTest, SymbolicDivisor) {
  declare("s", Range::atLeast(1));
  EXPECT_EQ(prove("s * (n floordiv s) <= n"), 'Y');
  EXPECT_EQ(prove("n < s * (n floordiv s) + s"), 'Y');
  EXPECT_EQ(prove("n mod s <= s - 1"), 'Y');
  EXPECT_EQ(prove("s * (n ceildiv s) <= n + s - 1"), 'Y');
}

TEST_F(AffineTierTest, Padding) {
  EXPECT_EQ(prove("8 * (n ceildiv 8) - n <= 7"), 'Y');
  EXPECT_EQ(prove("8 * (n ceildiv 8) >= n"), 'Y');
  assume("m == 8 * (n ceildiv 8)");
  assume("n >= 9");
  EXPECT_EQ(prove("m >= 16"), 'Y');
  assume("n <= 16");
  EXPECT_EQ(prove("m == 16"), 'Y');
}

TEST_F(AffineTierTest, MinMax) {
  EXPECT_EQ(prove("min(a, b) + max(a, b) == a + b"), 'Y');
  EXPECT_EQ(prove("max(a, b) - min(a, b) >= a - b"), 'Y');
  assume("a + b <= 9");
  EXPECT_EQ(prove("min(a, b) <= 4"), 'Y');
  EXPECT_EQ(prove("min(a, b) <= 3"), '?');
  assume("max(a, b) <= min(a, b)");
  EXPECT_EQ(prove("a == b"), 'Y');
}

TEST_F(AffineTierTest, Products) {
  declare("x", Range::between(2, 5));
  declare("y", Range::between(3, 7));
  EXPECT_EQ(prove("x * y >= 3*x + 2*y - 6"), 'Y');  // (x - 2) * (y - 3) >= 0
  EXPECT_EQ(prove("x * y <= 3*x + 5*y - 15"), 'Y'); // (5 - x) * (y - 3) >= 0
  EXPECT_EQ(prove("x * y == 3*x + 2*y - 6"), '?');
  declare("z", Range::all());
  EXPECT_EQ(prove("2 | z * (z + 1)"), 'Y');
  EXPECT_EQ(prove("z * z >= z"), 'Y');
  EXPECT_EQ(prove("4 | z * (z + 1)"), '?');
}

TEST_F(AffineTierTest, BoundsUnderLinearFacts) {
  assume("x + 2*y <= 14");
  assume("3*x - y >= 0");
  assume("x - y <= 2");
  // The corner of the first and third is (6, 4).
  EXPECT_EQ(bounds("x"), "[0, 6]");
  EXPECT_EQ(bounds("x + y"), "[0, 10]");
  EXPECT_EQ(bounds("3*x + 4*y"), "[0, 34]");
}

TEST_F(AffineTierTest, ContradictionSeenByAQuestion) {
  assume("x + y <= 4");
  assume("y + z <= 4");
  assume("x + z <= 4");
  assume("x + y + z >= 7");
  EXPECT_EQ(prove("x == w"), 'Y');
  EXPECT_EQ(prove("x != w"), 'Y');
}

TEST_F(AffineTierTest, FactsAreNamed) {
  assume("u <= v");
  FactId first = assume("x + y <= 7");
  FactId second = assume("y + z <= 5");
  FactId third = assume("x + z <= 6");
  FactId fourth = assume("x + y + z >= 9");
  assume("x <= u + 100");
  std::vector<std::string> chain;
  Answer answer = set.explain(relation("z <= 2"), chain);
  EXPECT_TRUE(answer.isYes());
  // 2*z <= 2*(x + y + z) - 14 + ..: from the last, x + y is at least 9 - z.
  EXPECT_LE(answer.facts.size(), 4u);
  for (FactId id : answer.facts)
    EXPECT_TRUE(id == first || id == second || id == third || id == fourth);
}

TEST_F(AffineTierTest, CheaperTiersComeFirst) {
  assume("a <= b");
  assume("b <= c");
  EXPECT_EQ(rule("a <= c"), "order");
  EXPECT_EQ(rule("a + 1 >= 0"), "ranges");
  EXPECT_EQ(rule("a == a + 1"), "canonical form");
}

TEST_F(AffineTierTest, ExhaustedBudgetIsSaid) {
  // A dense web: every pair sum bounded, nothing to drop, too wide.
  for (int i = 0; i < 90; ++i)
    for (int j : {1, 7, 31}) {
      Expr a = arena.symbol("s" + std::to_string(i));
      Expr b = arena.symbol("s" + std::to_string((i + j) % 90));
      set.assume(Relation::le(a + b, arena.constant(20)));
      set.assume(Relation::ge(a * 3 + b * 5, arena.constant(11)));
    }
  Expr sum = arena.zero(); // of 45 pairs, each at most 20
  for (int i = 0; i < 90; ++i)
    sum = sum + arena.symbol("s" + std::to_string(i));
  Answer answer = set.prove(Relation::le(sum, arena.constant(900)));
  EXPECT_EQ(answer.verdict, Verdict::Unknown);
  EXPECT_NE(answer.reason.find("budget of linear facts exhausted"),
            std::string::npos);
}

TEST_F(AffineTierTest, LongQuestionsAmongManyFacts) {
  // More monomials than the system of the nearest facts has columns.
  Expr sum = arena.zero();
  for (int i = 0; i < 60; ++i) {
    Expr a = arena.symbol("s" + std::to_string(i));
    Expr b = arena.symbol("s" + std::to_string((i + 7) % 60));
    set.assume(Relation::le(a * b, arena.symbol("n") + a * 3));
    set.assume(Relation::ge(a * 3 + b * 5, arena.constant(11)));
    if (i < 30)
      sum = sum + a * b * (i + 1);
  }
  Answer answer = set.prove(Relation::le(sum, arena.symbol("n") * 7));
  EXPECT_EQ(answer.verdict, Verdict::Unknown);
  EXPECT_NE(answer.reason.find("budget of linear facts exhausted"),
            std::string::npos);
}

// Facts that need more rows than there may be hide none that is near, wherever
// it stands among them.
TEST_F(AffineTierTest, ManyFactsHideNoneThatIsNear) {
  auto assumeNear = [&] {
    for (const char *fact :
         {"x + y <= 7", "y + z <= 5", "x + z <= 6", "x + y + z >= 9"})
      assume(fact);
  };
  auto assumeFar = [&](int count) {
    for (int i = 0; i < count; ++i) {
      std::string n = std::to_string(i), u = "u" + n, v = "v" + n, w = "w" + n;
      assume("x + 2*" + u + " + 3*" + v + " <= 5*" + w + " + 1000");
      assume(u + " + " + w + " <= y + 3*" + v + " + 1000");
      assume("2*" + w + " <= 3*z + " + u + " + 1000");
    }
  };
  set.push();
  assumeNear();
  assumeFar(60);
  StepBudget budget{100'000};
  set.spendFrom(&budget);
  EXPECT_EQ(prove("y + z <= 4 + x"), 'Y');
  set.pop();
  set.spendFrom(nullptr);
  assumeFar(120);
  assumeNear();
  EXPECT_TRUE(set.prove(relation("x == 4"), Effort::Exhaustive).isYes());
}

// What is open only because a budget is used up is asked again once there is
// more, or none.
TEST_F(AffineTierTest, AsksAgainWithMoreBudget) {
  assume("x + y <= 7");
  assume("y + z <= 5");
  assume("x + z <= 6");
  assume("x + y + z >= 9");
  Relation hard = relation("x == 4");
  Expr x = expr("x");
  StepBudget budget{0};
  set.spendFrom(&budget);
  EXPECT_EQ(set.prove(hard).verdict, Verdict::Unknown);
  EXPECT_FALSE(set.bounds(x).isSingle());
  budget.add(1'000'000);
  EXPECT_TRUE(set.bounds(x).isSingle());
  EXPECT_TRUE(set.prove(hard).isYes());

  Relation open = relation("x == 5 - y");
  set.push();
  budget.left = 0;
  EXPECT_EQ(set.prove(open).verdict, Verdict::Unknown);
  set.spendFrom(nullptr);
  EXPECT_FALSE(set.prove(open).verdict == Verdict::Unknown);
  set.pop();
}

// What the affine tier alone decides is open once nothing may be spent on it;
// what others decide is not, and a budget that suffices changes nothing.
TEST_F(AffineTierTest, SpendsABudget) {
  // As above, over integers >= 0.
  assume("x + y <= 7");
  assume("y + z <= 5");
  assume("x + z <= 6");
  assume("x + y + z >= 9");
  Relation hard = relation("x == 4"), easy = relation("x + y <= 8");
  auto ask = [&](StepBudget *budget, const Relation &question) {
    ConstraintSet fresh(arena);
    for (FactId id = 0; id < set.numFacts(); ++id)
      fresh.assume(set.fact(id));
    fresh.spendFrom(budget);
    return fresh.prove(question);
  };
  uint64_t before = set.steps();
  EXPECT_TRUE(set.prove(hard).isYes());
  EXPECT_EQ(set.prove(hard).reason, "linear facts");
  uint64_t cost = set.steps() - before;
  StepBudget none, little{2}, enough{2 * cost};
  EXPECT_TRUE(ask(nullptr, hard).isYes());
  EXPECT_TRUE(ask(&enough, hard).isYes());
  EXPECT_LT(enough.left, 2 * cost);
  for (StepBudget *budget : {&none, &little}) {
    Answer answer = ask(budget, hard);
    EXPECT_EQ(answer.verdict, Verdict::Unknown);
    EXPECT_NE(answer.reason.find("budget of linear facts"), std::string::npos);
    EXPECT_EQ(budget->left, 0u);
    EXPECT_TRUE(ask(budget, easy).isYes());
  }
}
