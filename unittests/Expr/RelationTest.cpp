//===- RelationTest.cpp - Relations as text and values --------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parsing, printing, negating and evaluating relations.
//
//===----------------------------------------------------------------------===//

#include "symshape/Expr/Relation.h"
#include "gtest/gtest.h"

using namespace mlir::symshape;

namespace {
class RelationTest : public testing::Test {
protected:
  ExprArena arena;

  std::string canonical(llvm::StringRef text) {
    ParseError error;
    std::optional<Relation> r = Relation::parse(arena, text, error);
    return r ? r->str() : std::to_string(error.offset) + ": " + error.message;
  }
  std::optional<bool> at(llvm::StringRef text, int64_t value) {
    ParseError error;
    return Relation::parse(arena, text, error)->evaluate([&](Expr) {
      return std::optional(llvm::DynamicAPInt(value));
    });
  }
};
} // namespace

TEST_F(RelationTest, ParsesAndPrints) {
  EXPECT_EQ(canonical("B == L"), "B == L");
  EXPECT_EQ(canonical("B != 0"), "B != 0");
  EXPECT_EQ(canonical("B <= 8*L"), "B <= 8*L");
  EXPECT_EQ(canonical("B < L"), "B + 1 <= L");
  EXPECT_EQ(canonical("B > L"), "L + 1 <= B");
  EXPECT_EQ(canonical("B >= L"), "L <= B");
  EXPECT_EQ(canonical("4 | B*L"), "4 | B*L");
}

TEST_F(RelationTest, RefusesWhatIsNotARelation) {
  EXPECT_EQ(canonical("B"), "1: expected one of == != <= < >= > |, but got end "
                            "of text");
  EXPECT_EQ(canonical("B == "), "5: expected an expression, but got end of "
                                "text");
  EXPECT_EQ(canonical("B == L == C"),
            "7: expected an operator or end of text, but got '='");
}

TEST_F(RelationTest, Evaluates) {
  EXPECT_EQ(at("B <= 4", 4), true);
  EXPECT_EQ(at("B < 4", 4), false);
  EXPECT_EQ(at("-3 | B", 6), true);
  EXPECT_EQ(at("4 | B", 6), false);
  EXPECT_EQ(at("B | 0", 0), true);
  EXPECT_EQ(at("B | 5", 0), false);
  EXPECT_EQ(at("1 == 1 floordiv B", 0), std::nullopt);
}

TEST_F(RelationTest, Negates) {
  ParseError error;
  auto negated = [&](llvm::StringRef text) {
    return Relation::parse(arena, text, error)->negation();
  };
  EXPECT_EQ(negated("B <= L")->str(), "L + 1 <= B");
  EXPECT_EQ(negated("B == L")->str(), "B != L");
  EXPECT_FALSE(negated("2 | B"));
}
