//===- RangeTest.cpp - Intervals and residue classes ----------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every operation against all members of small intervals and classes.
//
//===----------------------------------------------------------------------===//

#include "symshape/Constraints/Range.h"
#include "symshape/Expr/Integers.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

using namespace mlir::symshape;
using llvm::DynamicAPInt;

namespace {
/// Intervals with ends in [-3, 3], and with open ends.
std::vector<Range> someRanges() {
  std::vector<Range> ranges{Range::all()};
  for (int64_t lo = -3; lo <= 3; ++lo) {
    ranges.push_back(Range::atLeast(lo));
    ranges.push_back({std::nullopt, DynamicAPInt(lo)});
    for (int64_t hi = lo; hi <= 3; ++hi)
      ranges.push_back(Range::between(lo, hi));
  }
  return ranges;
}

std::vector<Residue> someResidues() {
  std::vector<Residue> residues;
  for (int64_t modulus = 0; modulus <= 6; ++modulus)
    for (int64_t r = -2; r < 6; ++r)
      residues.push_back(Residue::of(DynamicAPInt(r), DynamicAPInt(modulus)));
  return residues;
}

std::vector<int64_t> members(const Range &r, int64_t limit) {
  std::vector<int64_t> values;
  for (int64_t v = -limit; v <= limit; ++v)
    if (r.contains(DynamicAPInt(v)))
      values.push_back(v);
  return values;
}

std::string str(const Range &r) {
  std::string text;
  llvm::raw_string_ostream os(text);
  r.print(os);
  return text;
}
} // namespace

TEST(RangeTest, OperationsContainAllResults) {
  for (const Range &a : someRanges())
    for (const Range &b : someRanges())
      for (int64_t x : members(a, 9))
        for (int64_t y : members(b, 9)) {
          DynamicAPInt p(x), q(y);
          ASSERT_TRUE(Range::add(a, b).contains(p + q));
          ASSERT_TRUE(Range::mul(a, b).contains(p * q))
              << str(a) << " * " << str(b);
          ASSERT_TRUE(Range::minOf(a, b).contains(std::min(p, q)));
          ASSERT_TRUE(Range::maxOf(a, b).contains(std::max(p, q)));
          ASSERT_TRUE(Range::join(a, b).contains(p));
          ASSERT_TRUE(Range::neg(a).contains(-p));
          if (y != 0)
            ASSERT_TRUE(Range::floorDiv(a, b).contains(floorDiv(p, q)))
                << str(a) << " / " << str(b) << " at " << x << ", " << y;
          else
            ASSERT_EQ(Range::floorDiv(a, b), Range::all());
        }
}

TEST(RangeTest, BoundedOperationsAreTight) {
  for (const Range &a : someRanges())
    for (const Range &b : someRanges()) {
      if (!a.min || !a.max || !b.min || !b.max)
        continue;
      Range products = Range::between(100, -100);
      for (int64_t x : members(a, 3))
        for (int64_t y : members(b, 3))
          products = Range::join(products, Range::exactly(DynamicAPInt(x * y)));
      EXPECT_EQ(Range::mul(a, b), products);
    }
}

TEST(RangeTest, Prints) {
  EXPECT_EQ(str(Range::atLeast(0)), "[0, inf]");
  EXPECT_EQ(str(Range::all()), "[-inf, inf]");
  EXPECT_EQ(str(Range::between(-2, 4)), "[-2, 4]");
}

TEST(ResidueTest, OperationsContainAllResults) {
  for (const Residue &a : someResidues())
    for (const Residue &b : someResidues()) {
      Residue joined = Residue::join(a, b);
      std::optional<Residue> both = Residue::intersect(a, b);
      for (int64_t x = -12; x <= 12; ++x) {
        DynamicAPInt p(x);
        bool inA = a.contains(p), inB = b.contains(p);
        ASSERT_TRUE(joined.contains(p) || (!inA && !inB));
        ASSERT_EQ(both && both->contains(p), inA && inB);
        ASSERT_TRUE(!inA || Residue::neg(a).contains(-p));
        for (int64_t y = -12; inA && y <= 12; ++y) {
          DynamicAPInt q(y);
          if (!b.contains(q))
            continue;
          ASSERT_TRUE(Residue::add(a, b).contains(p + q));
          ASSERT_TRUE(Residue::mul(a, b).contains(p * q));
        }
      }
    }
}

TEST(ResidueTest, DividesOutFactors) {
  for (const Residue &r : someResidues())
    for (int64_t factor = -6; factor <= 6; ++factor) {
      std::optional<Residue> x = Residue::divideOut(DynamicAPInt(factor), r);
      for (int64_t v = -20; v <= 20; ++v)
        ASSERT_EQ(r.contains(DynamicAPInt(factor * v)),
                  x && x->contains(DynamicAPInt(v)));
    }
}

TEST(RangeTest, ProductsHaveShortEnds) {
  Range wide = Range::between(-3, 7), high = Range::between(5, 9);
  Range low = Range::between(-9, -5);
  for (int i = 0; i < 40; ++i) {
    wide = Range::mul(wide, wide);
    high = Range::mul(high, high);
    low = Range::mul(low, Range::intersect(high, Range::atLeast(1)));
    for (const Range &range : {wide, high, low})
      for (const auto &end : {range.min, range.max})
        EXPECT_TRUE(!end || fitsBits(*end, 1024));
  }
  EXPECT_EQ(wide, Range::all());
  EXPECT_TRUE(high.min && *high.min == powerOfTwo(1024) && !high.max);
  EXPECT_TRUE(low.max && *low.max == -powerOfTwo(1024) && !low.min);
}

TEST(ResidueTest, ProductsHaveShortModuli) {
  // The members of each class times those of another are members of the
  // product.
  Residue six = Residue::of(DynamicAPInt(6), DynamicAPInt(24)), power = six;
  DynamicAPInt least(6), next(30);
  for (int i = 0; i < 12; ++i) {
    power = Residue::mul(power, power);
    least = least * least;
    next = next * next;
    EXPECT_TRUE(fitsBits(power.modulus, 1024));
    EXPECT_TRUE(power.contains(least));
    EXPECT_TRUE(power.contains(next));
  }
  EXPECT_EQ(power, Residue::of(DynamicAPInt(0), powerOfTwo(1024)));
}
