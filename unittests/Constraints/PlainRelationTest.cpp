//===- PlainRelationTest.cpp - Tests of PlainRelation ---------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "symshape/Constraints/PlainRelation.h"
#include "gtest/gtest.h"
#include <random>

using namespace mlir::symshape;
using llvm::DynamicAPInt;

namespace {
/// Facts over B >= 1 and L, S >= 0.
class PlainRelationTest : public testing::Test {
protected:
  PlainRelationTest() : facts(arena) {
    for (const char *name : {"B", "L", "S"}) {
      symbols.push_back(arena.symbol(name));
      facts.assume(Relation::le(arena.zero(), symbols.back()));
    }
    facts.assume(Relation::le(arena.one(), symbols[0]));
  }

  std::string plain(const char *text) {
    ParseError error;
    PlainRelation result =
        makePlain(*Relation::parse(arena, text, error), facts);
    std::string words = result.relation.str();
    for (Expr factor : result.factors)
      words += ", unless " + factor.str() + " is 0";
    for (Expr factor : result.nonzero)
      words = (words == result.relation.str() ? "not 0: " : words + " ") +
              factor.str();
    return words;
  }

  ExprArena arena;
  ConstraintSet facts;
  std::vector<Expr> symbols;
};
} // namespace

TEST_F(PlainRelationTest, LeavesOutWhatBothSidesShare) {
  EXPECT_EQ(plain("L + 1 == S + 1"), "L == S");
  EXPECT_EQ(plain("256*L*B + 256*L == 256*L*S + 256*L"),
            "B == S, unless L is 0");
  EXPECT_EQ(plain("256*B*L + 256*B == 256*B*S + 256*B"), "L == S");
  EXPECT_EQ(plain("64*L <= 64*S"), "L <= S");
  EXPECT_EQ(plain("L*S + 3 <= S*S + 3"), "L <= S, unless S is 0");
}

TEST_F(PlainRelationTest, FactorsOfWhatMustNotBeZero) {
  EXPECT_EQ(plain("64*L*S != 0"), "not 0: L S");
  EXPECT_EQ(plain("0 != L"), "not 0: L");
}

TEST_F(PlainRelationTest, OwnMinimumIsABound) {
  EXPECT_EQ(plain("L == min(L, 512)"), "L <= 512");
  EXPECT_EQ(plain("max(L, S) == S"), "L <= S");
  EXPECT_EQ(plain("L + 1 == min(L, 512) + 1"), "L <= 512");
  EXPECT_EQ(plain("L <= min(L, S)"), "L <= S");
  EXPECT_EQ(plain("max(L, S, 3) <= L"), "max(S, 3) <= L");
}

TEST_F(PlainRelationTest, WhatIsSubtractedStandsOnTheOtherSide) {
  ParseError error;
  EXPECT_EQ(plain("0 <= L - S"), "S <= L");
  EXPECT_EQ(plain("0 <= 2*L - 2*S"), "S <= L");
  EXPECT_EQ(plain("0 <= L - S + 1"), "S <= L + 1");
  EXPECT_EQ(plain("1 <= L - S"), "S + 1 <= L");
  EXPECT_EQ(plain("L - S == 3"), "L == S + 3");
  EXPECT_EQ(plain("L - S <= B - 2*S"), "L + S <= B");
  for (const char *text : {"L - S <= 9223372036854775807", "L - B*S <= S"})
    EXPECT_EQ(plain(text), Relation::parse(arena, text, error)->str());
}

TEST_F(PlainRelationTest, MultiplesAreSaidAsSuch) {
  EXPECT_EQ(plain("2*(L floordiv 2) == L"), "2 | L");
  EXPECT_EQ(plain("L == 2*((L + 1) floordiv 2)"), "2 | L");
  EXPECT_EQ(plain("8*(L ceildiv 8) == L"), "8 | L");
  EXPECT_EQ(plain("6*(L floordiv 2) == 3*L"), "2 | L");
  EXPECT_EQ(plain("L + S <= 4*((L + S) floordiv 4)"), "4 | L + S");
  EXPECT_EQ(plain("B*(S floordiv B) == S"), "B | S");
  for (const char *text :
       {"L*(S floordiv L) == S", "L <= 4*((L + 3) floordiv 4)",
        "2*(L floordiv 4) == L", "L == 2*(S floordiv 2)"})
    EXPECT_EQ(plain(text).find('|'), std::string::npos) << text;
}

TEST_F(PlainRelationTest, MultiplesSayTheSameAtAllValues) {
  Expr l = symbols[1];
  unsigned folded = 0;
  for (int divisor = -5; divisor <= 5; ++divisor)
    for (int shift = -3; shift <= 6; ++shift)
      for (int kind = 0; kind < 6; ++kind) {
        if (divisor == 0)
          continue;
        Expr multiple =
            arena.floorDiv(l + shift, arena.constant(divisor)) * divisor;
        Relation relation{static_cast<Relation::Kind>(kind / 2), multiple, l};
        if (kind % 2)
          std::swap(relation.lhs, relation.rhs);
        PlainRelation plain = makePlain(relation, facts);
        folded += plain.relation.kind == Relation::Divides;
        for (int value = -20; value <= 20; ++value) {
          auto valueOf = [&](Expr) {
            return std::optional(DynamicAPInt(value));
          };
          ASSERT_EQ(*plain.relation.evaluate(valueOf),
                    *relation.evaluate(valueOf))
              << relation.str() << " at " << value;
        }
      }
  EXPECT_GE(folded, 30u);
}

TEST_F(PlainRelationTest, KeepsWhatIsPlain) {
  for (const char *text : {"L == S", "L <= 512", "L == min(S, 512)", "L == B*S",
                           "L == S + 1", "L + 1 == 4", "L == L + 1"})
    EXPECT_EQ(plain(text), text);
  EXPECT_EQ(plain("4 | 2*L"), "4 | 2*L");
}

TEST_F(PlainRelationTest, SaysTheSameAtAllValues) {
  std::mt19937 random(7);
  auto pick = [&](int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(random);
  };
  auto randomAtom = [&] {
    Expr a = symbols[pick(0, 2)], b = symbols[pick(0, 2)] + pick(0, 2);
    int kind = pick(0, 5);
    return kind == 0 ? arena.min(a, b) : kind == 1 ? arena.max(a, b) : a;
  };
  auto randomSum = [&](unsigned terms) {
    Expr sum = arena.zero();
    for (unsigned i = 0; i < terms; ++i) {
      Expr product = arena.constant(pick(-3, 3));
      for (int factors = pick(0, 2); factors > 0; --factors)
        product = product * randomAtom();
      sum = sum + product;
    }
    return sum;
  };
  unsigned changed = 0, checked = 0;
  for (unsigned round = 0; round < 3000; ++round) {
    Expr shared = randomSum(pick(0, 2)), factor = randomSum(1);
    Expr lhs = randomSum(pick(1, 2)) * factor + shared;
    Expr rhs = randomSum(pick(0, 2)) * factor + shared;
    if (pick(0, 5) == 0)
      rhs = pick(0, 1) ? arena.min(lhs, rhs) : arena.max(lhs, rhs);
    auto kind = static_cast<Relation::Kind>(pick(0, 3));
    Relation relation{kind, lhs, rhs};
    PlainRelation plain = makePlain(relation, facts);
    changed += !(plain.relation == relation) || !plain.nonzero.empty();
    for (int b = 1; b <= 3; ++b)
      for (int l = 0; l <= 3; ++l)
        for (int s = 0; s <= 3; ++s) {
          auto valueOf = [&](Expr symbol) -> std::optional<DynamicAPInt> {
            return DynamicAPInt(symbol == symbols[0]   ? b
                                : symbol == symbols[1] ? l
                                                       : s);
          };
          auto isZero = [&](Expr e) {
            return *Relation::eq(e, arena.zero()).evaluate(valueOf);
          };
          bool holds = plain.nonzero.empty()
                           ? *plain.relation.evaluate(valueOf) ||
                                 llvm::any_of(plain.factors, isZero)
                           : llvm::none_of(plain.nonzero, isZero);
          ++checked;
          ASSERT_EQ(holds, *relation.evaluate(valueOf)) << relation.str();
        }
  }
  EXPECT_GE(changed, 1500u);
  EXPECT_EQ(checked, 3000u * 48);
}
