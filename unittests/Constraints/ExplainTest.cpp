//===- ExplainTest.cpp - Levels, contradictions, reasons ------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What surrounds a proof: contradictions, levels, missing facts, explanations,
// minimisation, solving.
//
//===----------------------------------------------------------------------===//

#include "ConstraintSetFixture.h"
#include "symshape/Constraints/Formula.h"
#include "gmock/gmock.h"

using namespace mlir::symshape;
using namespace mlir::symshape::test;
using testing::ElementsAre;
TEST_F(ConstraintSetTest, ContradictionsImplyEverything) {
  assume("x <= 100");
  FactId first = assume("a <= b");
  FactId second = assume("b <= c");
  FactId third = assume("c + 1 <= a");
  EXPECT_TRUE(set.isContradictory());
  EXPECT_EQ(prove("0 == 1"), 'Y');
  EXPECT_THAT(set.conflictCore(), ElementsAre(first, second, third));
}

TEST_F(ConstraintSetTest, ContradictionsOfEveryKind) {
  for (auto [first, second] :
       {std::pair("a == 3", "a == 4"), std::pair("2 | a", "2 | a + 1"),
        std::pair("a <= 3", "4 <= a"), std::pair("a == b", "a != b"),
        std::pair("a == b", "a + 1 <= b"), std::pair("a == 0", "a*b == 3"),
        std::pair("2*a == 5", "0 <= b")}) {
    set.push();
    assume(first);
    assume(second);
    EXPECT_TRUE(set.isContradictory()) << first << ", " << second;
    set.pop();
    EXPECT_FALSE(set.isContradictory());
  }
}

TEST_F(ConstraintSetTest, LevelsRestoreFactsAndDeclarations) {
  assume("a <= 10");
  set.push();
  assume("a == b");
  declare("b", Range::between(3, 5));
  EXPECT_EQ(prove("3 <= a"), 'Y');
  EXPECT_EQ(set.numFacts(), 2u);
  set.pop();
  EXPECT_EQ(prove("a == b"), '?');
  EXPECT_EQ(prove("3 <= a"), '?');
  EXPECT_EQ(prove("a <= 10"), 'Y');
  EXPECT_EQ(set.numFacts(), 1u);
  EXPECT_FALSE(set.info(arena.symbol("b")).range.max);
}

TEST_F(ConstraintSetTest, DeclaringNegativeAfterUseWithdrawsTheDefault) {
  assume("i <= j");
  EXPECT_EQ(prove("0 <= j"), 'Y');
  set.push();
  declare("i", Range::between(-5, 5));
  declare("j", Range::between(-5, 5));
  EXPECT_EQ(prove("0 <= j"), '?');
  EXPECT_EQ(prove("i <= j"), 'Y');
  set.pop();
  EXPECT_EQ(prove("0 <= j"), 'Y');
}

// A declaration draws consequences, too: their reasons outlive the level, the
// fact or the declaration that comes next.
TEST_F(ConstraintSetTest, ReasonsSurviveALateDeclaration) {
  FactId sum = assume("x == y + z"), part = assume("z == w + 1");
  FactId product = assume("p == q*r"), factor = assume("r == 2*t");
  FactId quotient = assume("n floordiv 4 == m"), same = assume("m == k");
  FactId order = assume("a + 2 <= b"), next = assume("b <= c");
  declare("x", Range::between(5, 9));
  declare("p", Range::between(2, 2));
  declare("m", Range::between(3, 3));
  declare("c", Range::between(0, 2));
  auto check = [&] {
    auto facts = [&](const char *text) {
      return set.prove(relation(text)).facts;
    };
    EXPECT_THAT(facts("y + w >= 4"), ElementsAre(sum, part));
    EXPECT_THAT(facts("q*t == 1"), ElementsAre(product, factor));
    EXPECT_THAT(facts("k == 3"), ElementsAre(quotient, same));
    EXPECT_THAT(facts("n <= 15"), ElementsAre(quotient));
    EXPECT_THAT(facts("a == 0"), ElementsAre(order, next));
  };
  check();
  set.push();
  for (int i = 0; i < 10; ++i)
    assume("u" + std::to_string(i) + " <= v*" + std::to_string(i + 2));
  check();
  declare("v", Range::between(1, 3));
  check();
  set.pop();
  check();
}

TEST_F(ConstraintSetTest, UnknownNamesTheMissingFact) {
  assume("A == C");
  EXPECT_EQ(set.prove(relation("2*B == 2*C")).reason, "A == B");
  EXPECT_EQ(set.prove(relation("L <= 64")).reason, "L <= 64");
  EXPECT_EQ(set.prove(relation("3 | L")).reason, "3 | L");
  EXPECT_EQ(set.prove(relation("0 != L")).reason, "L != 0");
}

// That bc(a, b) is a, with a bound of a that no fact states, rests on the
// other.
TEST_F(ConstraintSetTest, ExplainNamesWhatExcludesOne) {
  FactId excludes = assume("a <= 0");
  std::vector<std::string> chain;
  Answer answer = set.explain(relation("0 <= bc(a, b - 9)"), chain);
  EXPECT_TRUE(answer.isYes());
  EXPECT_THAT(answer.facts, ElementsAre(excludes));
}

TEST_F(ConstraintSetTest, ExplainNamesFactsThatSuffice) {
  assume("x == 7");
  FactId first = assume("a <= b");
  FactId second = assume("b + 2 <= c");
  assume("a <= 1000");
  std::vector<std::string> chain;
  Answer answer = set.explain(relation("a + 1 <= c"), chain);
  EXPECT_TRUE(answer.isYes());
  EXPECT_THAT(answer.facts, ElementsAre(first, second));
  EXPECT_THAT(chain, ElementsAre("assumed: a <= b", "assumed: b + 2 <= c",
                                 "hence: a + 1 <= c (order)"));
}

TEST_F(ConstraintSetTest, Minimise) {
  assume("A == B");
  auto formulas = [&](std::initializer_list<const char *> texts) {
    std::vector<Formula> result;
    for (const char *text : texts)
      result.push_back(relation(text));
    return result;
  };
  auto required =
      formulas({"B == C", "A == C", "B*L == C*L", "0 <= B", "L <= 64",
                "L <= 100", "C <= B*2", "4 | S", "2 | S"});
  EXPECT_THAT(minimise(set, required), ElementsAre(0, 4, 7));
  EXPECT_EQ(set.numFacts(), 1u);
  // An earlier one is dropped only where later ones imply it.
  auto weak = formulas({"L <= 100", "L <= 64"});
  EXPECT_THAT(minimise(set, weak), ElementsAre(1));
}

TEST_F(ConstraintSetTest, Solve) {
  auto solve = [&](llvm::StringRef r, llvm::StringRef symbol) {
    Expr e = set.solve(relation(r), arena.symbol(symbol));
    return e ? e.str() : "";
  };
  EXPECT_EQ(solve("2*x + 4 == 6*y", "x"), "3*y - 2");
  EXPECT_EQ(solve("2*x + 3 == 6*y", "x"), "");
  EXPECT_EQ(solve("x*y == 4", "x"), "");
  EXPECT_EQ(solve("x + x floordiv 2 == y", "x"), "");
  EXPECT_EQ(solve("x + x floordiv 2 == y", "y"), "x + x floordiv 2");
  EXPECT_EQ(solve("x <= y", "x"), "");
}

TEST_F(ConstraintSetTest, AnswersDoNotDependOnQueries) {
  assume("a <= b");
  assume("16*B*L == 32*B*(L floordiv 2)");
  char before = prove("a <= b + L mod 3");
  for (const char *text : {"a == b", "B == 0", "2 | L", "b <= a"})
    prove(text);
  EXPECT_EQ(prove("a <= b + L mod 3"), before);
}
