//===- ConstraintSetTest.cpp - Single cases of every tier -----------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What each tier proves, and what it must not.
//
//===----------------------------------------------------------------------===//

#include "ConstraintSetFixture.h"
#include "gmock/gmock.h"

using namespace mlir::symshape;
using namespace mlir::symshape::test;
using testing::ElementsAre;

TEST_F(ConstraintSetTest, CanonicalForm) {
  EXPECT_EQ(prove("B + B == 2*B"), 'Y');
  EXPECT_EQ(prove("B*L*96 == (B*L)*96"), 'Y');
  EXPECT_EQ(prove("B + 1 == B"), 'N');
  EXPECT_EQ(prove("B <= B + 1"), 'Y');
  EXPECT_EQ(prove("B == L"), '?');
}

TEST_F(ConstraintSetTest, SymbolsAreNonNegativeUnlessDeclared) {
  EXPECT_EQ(prove("0 <= B"), 'Y');
  EXPECT_EQ(prove("1 <= B"), '?');
  declare("i", Range::all());
  EXPECT_EQ(prove("0 <= i"), '?');
}

TEST_F(ConstraintSetTest, ZeroAndOneAreOrdinary) {
  EXPECT_EQ(prove("B != 0"), '?');
  EXPECT_EQ(prove("B != 1"), '?');
  EXPECT_EQ(prove("B <= B*L"), '?');
  EXPECT_EQ(prove("bc(B, C) == B"), '?');
}

TEST_F(ConstraintSetTest, Ranges) {
  declare("B", Range::between(1, 64));
  declare("S", Range::between(0, 4096), Residue::multipleOf(8));
  EXPECT_EQ(prove("B <= 64"), 'Y');
  EXPECT_EQ(prove("B*S <= 262144"), 'Y');
  EXPECT_EQ(prove("65 <= B"), 'N');
  EXPECT_EQ(prove("B == 0"), 'N');
  EXPECT_EQ(bounds("B floordiv 2"), "[0, 32]");
  EXPECT_EQ(bounds("min(B, 10)"), "[1, 10]");
  EXPECT_EQ(bounds("max(B, 10)"), "[10, 64]");
  EXPECT_EQ(bounds("L mod 4"), "[0, 3]");
  EXPECT_EQ(bounds("bc(B, S)"), "[0, 4096]");
  EXPECT_EQ(bounds("S*S"), "[0, 16777216]");
}

TEST_F(ConstraintSetTest, AssumedBoundOfAProduct) {
  assume("8*B*L <= 9223372036854775807");
  EXPECT_EQ(prove("8*B*L <= 9223372036854775807"), 'Y');
  EXPECT_EQ(prove("B*L <= 1152921504606846975"), 'Y');
  EXPECT_EQ(prove("B*L <= 1152921504606846974"), '?');
  EXPECT_EQ(prove("4*B*L + 3 <= 9223372036854775807"), 'Y');
  EXPECT_EQ(prove("8*B*L*H <= 9223372036854775807"), '?');
}

TEST_F(ConstraintSetTest, BoundOfAProductBoundsItsFactors) {
  assume("1 <= B");
  assume("B*L <= 100");
  EXPECT_EQ(prove("L <= 100"), 'Y');
  EXPECT_EQ(prove("B <= 100"), '?'); // L may be 0
  assume("B*L != 0");
  EXPECT_EQ(prove("L != 0"), 'Y');
  EXPECT_EQ(prove("B <= 100"), 'Y');
}

TEST_F(ConstraintSetTest, Residues) {
  declare("S", Range::atLeast(0), Residue::multipleOf(8));
  EXPECT_EQ(prove("8 | S"), 'Y');
  EXPECT_EQ(prove("4 | S*B + 12"), 'Y');
  EXPECT_EQ(prove("S == 4"), 'N');
  EXPECT_EQ(prove("8 | S + 4"), 'N');
  EXPECT_EQ(prove("16 | S"), '?');
  assume("3 | B");
  EXPECT_EQ(prove("24 | B*S"), 'Y');
  EXPECT_EQ(prove("2 | B"), '?');
  assume("4 | B + L");
  EXPECT_EQ(prove("2 | B + L + 8*C"), 'Y');
  EXPECT_EQ(prove("4 | 3*B + 3*L + 1"), 'N');
  EXPECT_EQ(prove("0 | B - B"), 'Y');
  EXPECT_EQ(prove("0 | 5"), 'N');
}

TEST_F(ConstraintSetTest, SymbolicDivisibility) {
  EXPECT_EQ(prove("B | B*L"), 'Y');
  EXPECT_EQ(prove("B | 0"), 'Y');
  EXPECT_EQ(prove("B | B + 1"), '?');
  assume("H | D");
  EXPECT_EQ(prove("H | D*B"), 'Y');
  EXPECT_EQ(prove("H | D + 2*H"), 'Y');
  EXPECT_EQ(prove("H | D + 1"), '?');
  assume("N | 6");
  EXPECT_EQ(prove("N <= 6"), 'Y');
  EXPECT_EQ(prove("N != 0"), 'Y');
}

TEST_F(ConstraintSetTest, EqualitiesAreTransitive) {
  FactId first = assume("B == C");
  assume("X == Y");
  FactId second = assume("C == D");
  Answer answer = set.prove(relation("B*L == D*L"));
  EXPECT_TRUE(answer.isYes());
  EXPECT_THAT(answer.facts, ElementsAre(first, second));
  EXPECT_EQ(set.simplify(expr("C + D")).str(), "2*B");
  EXPECT_EQ(prove("B == X"), '?');
}

TEST_F(ConstraintSetTest, EqualitiesCarryRangesAndResidues) {
  declare("S", Range::between(2, 100), Residue::multipleOf(8));
  assume("A == S");
  EXPECT_EQ(prove("8 <= A"), 'Y');
  EXPECT_EQ(prove("A <= 96"), 'Y');
  EXPECT_EQ(prove("4 | A"), 'Y');
  assume("2*x == 3*y");
  EXPECT_EQ(prove("3 | x"), 'Y');
  EXPECT_EQ(prove("2 | y"), 'Y');
  EXPECT_EQ(prove("4*x == 6*y"), 'Y');
}

TEST_F(ConstraintSetTest, MonomialEqualities) {
  assume("B*L == 128");
  EXPECT_EQ(prove("3*B*L == 384"), 'Y');
  EXPECT_EQ(prove("B*L*S == 128*S"), 'Y');
  EXPECT_EQ(prove("B <= 128"), 'Y');
  EXPECT_EQ(prove("B == 0"), 'N');
}

TEST_F(ConstraintSetTest, SolvedBothWays) {
  assume("n == B*L + 1");
  EXPECT_EQ(prove("n - 1 == L*B"), 'Y');
  assume("m == n");
  EXPECT_EQ(prove("m*2 == 2*B*L + 2"), 'Y');
}

TEST_F(ConstraintSetTest, ReshapeOfPairNeedsEvenLength) {
  EXPECT_EQ(prove("16*B*L == 32*B*(L floordiv 2)"), '?');
  set.push();
  assume("2 | L");
  EXPECT_EQ(prove("16*B*L == 32*B*(L floordiv 2)"), 'Y');
  set.pop();
  set.push();
  assume("B == 0");
  EXPECT_EQ(prove("16*B*L == 32*B*(L floordiv 2)"), 'Y');
  set.pop();
  set.push();
  assume("16*B*L == 32*B*(L floordiv 2)");
  EXPECT_EQ(prove("16*B*L == 32*B*(L floordiv 2)"), 'Y');
  EXPECT_EQ(prove("B*L*48 == 96*(L floordiv 2)*B"), 'Y');
  EXPECT_EQ(prove("2 | L"), '?');
  assume("1 <= B");
  EXPECT_EQ(prove("2 | L"), 'Y');
  set.pop();
  EXPECT_EQ(prove("16*B*L == 32*B*(L floordiv 2)"), '?');
}

TEST_F(ConstraintSetTest, FactorsCancelOnlyWhereNonZero) {
  assume("a*x == b*x");
  EXPECT_EQ(prove("a == b"), '?');
  assume("x != 0");
  EXPECT_EQ(prove("a == b"), 'Y');
  EXPECT_EQ(prove("a*y*y == b*y*y"), 'Y');
}

TEST_F(ConstraintSetTest, ProductsAreMonotone) {
  assume("a <= b");
  EXPECT_EQ(prove("x*a <= x*b"), 'Y');
  EXPECT_EQ(prove("x*a + 3 <= x*b + 4"), 'Y');
  declare("i", Range::all());
  EXPECT_EQ(prove("i*a <= i*b"), '?');
}

TEST_F(ConstraintSetTest, ChainsOfInequalities) {
  for (int i = 0; i < 300; ++i)
    assume("s" + std::to_string(i) + " + 1 <= s" + std::to_string(i + 1));
  EXPECT_EQ(prove("s0 <= s300"), 'Y');
  EXPECT_EQ(prove("s0 + 300 <= s300"), 'Y');
  EXPECT_EQ(prove("s0 + 301 <= s300"), '?');
  EXPECT_EQ(prove("s300 <= s0"), 'N');
  EXPECT_EQ(prove("s7 == s9"), 'N');
}

TEST_F(ConstraintSetTest, BothDirectionsAreEquality) {
  assume("a <= b");
  assume("b <= c");
  assume("c <= a");
  EXPECT_EQ(prove("a == c"), 'Y');
}

TEST_F(ConstraintSetTest, SumsOfInequalities) {
  assume("a <= b");
  assume("c <= d");
  EXPECT_EQ(prove("a + c <= b + d"), 'Y');
  EXPECT_EQ(prove("a + 2*c <= b + 2*d + 1"), 'Y');
  EXPECT_EQ(prove("a + c <= b"), '?');
  assume("o + k <= n");
  EXPECT_EQ(prove("o <= n"), 'Y');
  EXPECT_EQ(prove("o + j <= n"), '?');
  assume("j <= k");
  EXPECT_EQ(prove("o + j <= n"), 'Y');
}

TEST_F(ConstraintSetTest, Divisions) {
  EXPECT_EQ(prove("2*(L floordiv 2) <= L"), 'Y');
  EXPECT_EQ(prove("L <= 2*(L floordiv 2) + 1"), 'Y');
  EXPECT_EQ(prove("L mod 2 <= 1"), 'Y');
  EXPECT_EQ(prove("L floordiv 2 <= L"), 'Y');
  EXPECT_EQ(prove("32*B*(L floordiv 2) <= 16*B*L"), 'Y');
  EXPECT_EQ(prove("L mod D <= D - 1"), '?'); // D may be 0
  assume("1 <= D");
  EXPECT_EQ(prove("L mod D <= D - 1"), 'Y');
  EXPECT_EQ(prove("0 <= L mod D"), 'Y');
  EXPECT_EQ(prove("(D*L) floordiv D == L"), 'Y');
  EXPECT_EQ(prove("(E*L) floordiv E == L"), '?'); // E may be 0
}

TEST_F(ConstraintSetTest, NothingFollowsFromDivisionByZero) {
  declare("z", Range::between(0, 0));
  EXPECT_EQ(prove("x floordiv z == 0"), '?');
  EXPECT_EQ(prove("x floordiv z <= x"), '?');
  EXPECT_EQ(prove("x floordiv z == x floordiv 0"), 'Y');
}

TEST_F(ConstraintSetTest, MinMaxBroadcast) {
  EXPECT_EQ(prove("min(a, b) <= a"), 'Y');
  EXPECT_EQ(prove("a <= max(a, b)"), 'Y');
  EXPECT_EQ(prove("min(a, b) + max(a, b) == a + b"), 'Y');
  assume("a <= b");
  EXPECT_EQ(prove("min(a, b) == a"), 'Y');
  EXPECT_EQ(prove("max(a, b) == b"), 'Y');
  EXPECT_EQ(prove("min(a, b, c) <= b"), 'Y');
  assume("x == y");
  EXPECT_EQ(prove("bc(x, y) == x"), 'Y');
  assume("2 <= p");
  EXPECT_EQ(prove("bc(p, q) == p"), 'Y');
  assume("u == 1");
  EXPECT_EQ(prove("bc(u, q) == q"), 'Y');
  EXPECT_EQ(prove("bc(r, q) <= max(r, q)"), 'Y');
}

TEST_F(ConstraintSetTest, NoAnswers) {
  assume("a + 1 <= b");
  EXPECT_EQ(prove("a == b"), 'N');
  EXPECT_EQ(prove("a != b"), 'Y');
  EXPECT_EQ(prove("b <= a"), 'N');
  assume("x != y");
  EXPECT_EQ(prove("x == y"), 'N');
  EXPECT_EQ(prove("2*x == 2*y"), 'N');
  EXPECT_EQ(prove("x != y"), 'Y');
}

TEST_F(ConstraintSetTest, DisequalitiesMoveEnds) {
  assume("B != 0");
  EXPECT_EQ(prove("1 <= B"), 'Y');
  assume("B <= 3");
  assume("B != 3");
  EXPECT_EQ(prove("B <= 2"), 'Y');
  assume("B != 1");
  EXPECT_EQ(prove("B == 2"), 'Y');
}
