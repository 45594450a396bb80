//===- FormulaTest.cpp - Boolean combinations of relations ----------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Canonical form, proof under negated alternatives, assumption of what remains.
//
//===----------------------------------------------------------------------===//

#include "symshape/Constraints/Formula.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <random>

using namespace mlir::symshape;
using testing::ElementsAre;

namespace {
class FormulaTest : public testing::Test {
protected:
  ExprArena arena;
  ConstraintSet set{arena};

  Formula f(llvm::StringRef text) {
    ParseError error;
    return *Relation::parse(arena, text, error);
  }
  char proves(const Formula &formula) {
    Answer answer = prove(set, formula);
    return answer.isYes() ? 'Y' : answer.isNo() ? 'N' : '?';
  }
};
} // namespace

TEST_F(FormulaTest, CanonicalForm) {
  Formula both = Formula::conj(f("a == b"), f("c <= d"));
  EXPECT_EQ(both.str(), "a == b and c <= d");
  EXPECT_EQ(Formula::conj(both, f("a == b")), both);
  EXPECT_EQ(Formula::conj(Formula::truth(true), both), both);
  EXPECT_TRUE(Formula::conj(Formula::truth(false), both).isFalse());
  EXPECT_TRUE(Formula::disj(Formula::truth(true), both).isTrue());
  EXPECT_EQ(Formula::disj(both, f("2 | e")).str(),
            "(a == b and c <= d) or 2 | e");
  EXPECT_EQ(Formula::disj(f("a == b"), f("a == b")), f("a == b"));
}

TEST_F(FormulaTest, Negation) {
  Formula g =
      Formula::conj(f("a == b"), Formula::disj(f("c <= d"), f("2 | e")));
  EXPECT_EQ(Formula::negate(g).str(), "a != b or (d + 1 <= c and not 2 | e)");
  EXPECT_EQ(Formula::negate(Formula::negate(g)).str(),
            "a == b and (c <= d or 2 | e)");
  EXPECT_EQ(Formula::negate(Formula::opaque()).str(), "?");
}

TEST_F(FormulaTest, ParsesWhatItPrints) {
  std::mt19937 random(7);
  auto pick = [&](unsigned n) { return random() % n; };
  std::function<Formula(unsigned)> make = [&](unsigned depth) {
    const char *relations[] = {"a == b",
                               "(a + 1)*b <= c",
                               "2 | e",
                               "d != 3",
                               "min(a, b) <= c floordiv 2",
                               "\"a name (or <two>)\" == a"};
    if (depth == 0 || pick(4) == 0) {
      Formula one = f(relations[pick(std::size(relations))]);
      return pick(3) ? one : Formula::negate(one);
    }
    Formula left = make(depth - 1), right = make(depth - 1);
    return pick(2) ? Formula::conj(left, right) : Formula::disj(left, right);
  };
  unsigned numNested = 0;
  for (unsigned i = 0; i < 500; ++i) {
    Formula formula = make(4);
    ParseError error;
    ASSERT_TRUE(formula.isWritable());
    std::optional<Formula> read = Formula::parse(arena, formula.str(), error);
    ASSERT_TRUE(read) << formula.str() << ": " << error.message;
    EXPECT_EQ(*read, formula) << formula.str();
    numNested += llvm::any_of(
        formula.parts, [](const Formula &part) { return !part.parts.empty(); });
  }
  EXPECT_GE(numNested, 200u);
}

TEST_F(FormulaTest, RefusesToParse) {
  auto fails = [&](llvm::StringRef text) {
    ParseError error;
    EXPECT_FALSE(Formula::parse(arena, text, error)) << text.str();
    return error.message;
  };
  EXPECT_EQ(fails("a == b or"), "expected an expression, but got end of text");
  EXPECT_EQ(fails("a == b or c == d and e == f"),
            "expected an operator or end of text, but got 'and'");
  EXPECT_EQ(fails("(a == b or c == d"), "expected ')', but got end of text");
  EXPECT_EQ(fails("or == 1"), "expected an expression, but got 'or'");
  EXPECT_EQ(fails("(a + b)"),
            "expected one of == != <= < >= > |, but got end of text");
  EXPECT_EQ(fails(std::string(100, '(') + "a == b"),
            "expected ')', but got end of text");
}

TEST_F(FormulaTest, ProvesDisjunctionsByTheirAlternatives) {
  EXPECT_EQ(proves(Formula::disj(f("a <= b"), f("b <= a"))), 'Y');
  EXPECT_EQ(proves(Formula::disj(f("a == 0"), f("1 <= a"))), 'Y');
  EXPECT_EQ(proves(Formula::disj(f("a == 0"), f("2 <= a"))), '?');
  EXPECT_EQ(proves(Formula::conj(f("a + 1 <= b"), f("b <= a"))), 'N');
  EXPECT_EQ(proves(Formula::implies(f("a == b"), f("a*c == b*c"))), 'Y');
  EXPECT_EQ(proves(Formula::disj(Formula::opaque(), f("a == a"))), 'Y');
  EXPECT_EQ(proves(Formula::opaque()), '?');
  EXPECT_EQ(set.numFacts(), 0u);
}

TEST_F(FormulaTest, AssumesWhatRemainsOfADisjunction) {
  set.push();
  assume(set, Formula::disj(f("a == b"), f("c + 1 <= c")));
  EXPECT_EQ(proves(f("a == b")), 'Y');
  set.pop();
  set.push();
  assume(set, Formula::disj(f("a == b"), f("c == d")));
  EXPECT_EQ(proves(f("a == b")), '?');
  EXPECT_FALSE(set.isContradictory());
  set.pop();
  set.push();
  assume(set, Formula::negate(f("2 | e")));
  EXPECT_EQ(proves(f("2 | e")), 'N');
  EXPECT_EQ(proves(f("2 | e + 1")), 'Y');
  set.pop();
  assume(set, Formula::truth(false));
  EXPECT_TRUE(set.isContradictory());
}

TEST_F(FormulaTest, Simplifies) {
  assume(set, f("a == b"));
  Formula g = Formula::conj(f("a == b"), f("c <= d"));
  EXPECT_EQ(simplify(set, g), f("c <= d"));
  EXPECT_TRUE(simplify(set, Formula::disj(g, f("b == a"))).isTrue());
  EXPECT_TRUE(simplify(set, Formula::conj(f("a != b"), g)).isFalse());
}

TEST_F(FormulaTest, Minimises) {
  std::vector<Formula> required{Formula::disj(f("L == 0"), f("B == C")),
                                f("B == C"), f("B*2 == C*2"),
                                Formula::implies(f("L != 0"), f("D == E")),
                                Formula::implies(f("L != 0"), f("D*2 == 2*E"))};
  EXPECT_THAT(minimise(set, required), ElementsAre(1, 3));
}

TEST_F(FormulaTest, Certifies) {
  std::vector<Formula> given{f("A <= B"),
                             Formula::disj(f("L == 0"), f("D == E")),
                             f("B <= C"), f("A <= D")};
  EXPECT_THAT(certify(set, given, f("A <= C")), ElementsAre(0, 2));
  EXPECT_THAT(certify(set, given, Formula::disj(f("L == 0"), f("D*2 == 2*E"))),
              ElementsAre(1));
  EXPECT_THAT(certify(set, given, f("A <= A + 1")), ElementsAre());
  // Not implied: no proof, so none is left out.
  EXPECT_THAT(certify(set, given, f("C <= A")), ElementsAre(0, 1, 2, 3));
}

TEST_F(FormulaTest, Evaluates) {
  auto at = [&](const Formula &g, int64_t a) {
    return g.evaluate(
        [&](Expr) { return std::optional(llvm::DynamicAPInt(a)); });
  };
  Formula g = Formula::disj(f("a == 0"), f("a floordiv a == 1"));
  EXPECT_EQ(at(g, 0), true);
  EXPECT_EQ(at(g, 3), true);
  EXPECT_EQ(at(Formula::negate(g), 3), false);
  EXPECT_EQ(at(f("1 floordiv a == 1"), 0), std::nullopt);
  EXPECT_EQ(at(Formula::negate(f("2 | a")), 3), true);
}
