//===- ProgramsTest.cpp - Questions that programs ask ---------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Relations as shape inference, tiling, slicing and convolution need them,
// where several tiers must work together.
//
//===----------------------------------------------------------------------===//

#include "ConstraintSetFixture.h"

using namespace mlir::symshape;
using namespace mlir::symshape::test;

TEST_F(ConstraintSetTest, Clamps) {
  declare("x", Range::all());
  EXPECT_EQ(prove("0 <= min(max(x, 0), n)"), 'Y');
  EXPECT_EQ(prove("min(max(x, 0), n) <= n"), 'Y');
  EXPECT_EQ(prove("min(max(x, 0), n) <= x"), '?');
  EXPECT_EQ(prove("x <= max(x, 0)"), 'Y');
}

TEST_F(ConstraintSetTest, Tiles) {
  EXPECT_EQ(prove("i + min(32, L - i) <= L"), 'Y');
  EXPECT_EQ(prove("min(32, L - i) <= 32"), 'Y');
  EXPECT_EQ(prove("1 <= min(32, L - i)"), '?');
  assume("i < L");
  EXPECT_EQ(prove("1 <= min(32, L - i)"), 'Y');
  EXPECT_EQ(prove("L <= 4*(L ceildiv 4)"), 'Y');
  EXPECT_EQ(prove("4*(L ceildiv 4) <= L + 3"), 'Y');
}

TEST_F(ConstraintSetTest, ConvolutionExtents) {
  EXPECT_EQ(prove("(L + 2 - 3) floordiv 1 + 1 == L"), 'Y');
  EXPECT_EQ(prove("(L - 1) floordiv 2 + 1 == (L + 1) floordiv 2"), 'Y');
  EXPECT_EQ(prove("L ceildiv 2 == (L + 1) floordiv 2"), 'Y');
  assume("3 <= L");
  EXPECT_EQ(prove("1 <= (L - 3) floordiv 2 + 1"), 'Y');
  EXPECT_EQ(prove("2*((L - 3) floordiv 2) + 3 <= L"), 'Y');
}

TEST_F(ConstraintSetTest, HeadsOfAttention) {
  assume("H*D == E");
  EXPECT_EQ(prove("B*L*E == B*L*H*D"), 'Y');
  EXPECT_EQ(prove("H | E"), 'Y');
  EXPECT_EQ(prove("E floordiv H == D"), '?'); // H may be 0
  assume("H != 0");
  EXPECT_EQ(prove("E floordiv H == D"), 'Y');
}

TEST_F(ConstraintSetTest, Slices) {
  declare("o", Range::all());
  assume("0 <= o");
  assume("o + k <= n");
  EXPECT_EQ(prove("o <= n"), 'Y');
  EXPECT_EQ(prove("k <= n"), 'Y');
  assume("m == n");
  EXPECT_EQ(prove("o + k <= m + 1"), 'Y');
  assume("i < k");
  EXPECT_EQ(prove("o + i < m"), 'Y');
}

TEST_F(ConstraintSetTest, FactorsOfBoundedProducts) {
  assume("x*y <= z");
  EXPECT_EQ(prove("x <= z"), '?');
  assume("1 <= y");
  EXPECT_EQ(prove("x <= z"), 'Y');
  EXPECT_EQ(prove("x <= x*y"), 'Y');
}

TEST_F(ConstraintSetTest, DivisibilityFromExactDivision) {
  assume("2*(L floordiv 2) == L");
  EXPECT_EQ(prove("2 | L"), 'Y');
  assume("L floordiv 2 == K");
  EXPECT_EQ(prove("L == 2*K"), 'Y');
  EXPECT_EQ(prove("16*B*L == 32*B*K"), 'Y');
}

TEST_F(ConstraintSetTest, LinearIndexStaysInside) {
  declare("i", Range::all());
  declare("j", Range::all());
  assume("0 <= i");
  assume("i < M");
  assume("0 <= j");
  assume("j < N");
  EXPECT_EQ(prove("0 <= i*N + j"), 'Y');
  EXPECT_EQ(prove("i*N + j < M*N"), 'Y');
  EXPECT_EQ(prove("i*N + j < M"), '?');
}
