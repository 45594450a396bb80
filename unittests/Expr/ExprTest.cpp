//===- ExprTest.cpp - Canonical form, text, evaluation --------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Single cases of the canonical form, of parsing and printing, and of
// evaluation.
//
//===----------------------------------------------------------------------===//

#include "symshape/Expr/Expr.h"
#include "symshape/Expr/ExprPrinter.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

using namespace mlir::symshape;

namespace {
class ExprTest : public testing::Test {
protected:
  ExprArena arena;

  Expr parse(llvm::StringRef text) {
    ParseError error;
    Expr e = arena.parse(text, error);
    EXPECT_TRUE(e) << text.str() << ": " << error.message;
    return e ? e : arena.zero();
  }
  std::string canonical(llvm::StringRef text) { return parse(text).str(); }
  std::string errorOf(llvm::StringRef text) {
    ParseError error;
    EXPECT_FALSE(arena.parse(text, error)) << text.str();
    return std::to_string(error.offset) + ": " + error.message;
  }
};

// What a message leaves out is no symbol of that name.
TEST_F(ExprTest, ShortenedTextIsNotReadBack) {
  Expr e = arena.symbol("x");
  for (unsigned i = 0; i < 60; ++i)
    e = e + arena.floorDiv(e, arena.symbol("y"));
  std::string text;
  llvm::raw_string_ostream os(text);
  printShortened(e, os, 20);
  EXPECT_LT(text.size(), 400u);
  EXPECT_NE(text.find("..."), std::string::npos);
  ParseError error;
  EXPECT_FALSE(arena.parse(text, error));
  EXPECT_FALSE(arena.parse("...", error));
}
} // namespace

TEST_F(ExprTest, PrintsCoefficientFirstConstantLast) {
  EXPECT_EQ(canonical("B*L*16"), "16*B*L");
  EXPECT_EQ(canonical("-3 + 2*B + B*16*L"), "16*B*L + 2*B - 3");
  EXPECT_EQ(canonical("L floordiv 2"), "L floordiv 2");
  EXPECT_EQ(canonical("B*32*(L floordiv 2)"), "32*B*(L floordiv 2)");
  EXPECT_EQ(canonical("-(L floordiv 3)"), "-(L floordiv 3)");
  EXPECT_EQ(canonical("-(L // 3)"), "-(L floordiv 3)");
  EXPECT_EQ(canonical("L//2 % 3"), canonical("(L floordiv 2) mod 3"));
  EXPECT_EQ(canonical("%a %2 + %a"), canonical("%a mod 2 + %a"));
  EXPECT_EQ(canonical("B - (L floordiv 3)"), "B - L floordiv 3");
  EXPECT_EQ(canonical("d10 + d9 + d1"), "d1 + d9 + d10");
  EXPECT_EQ(canonical("x - x"), "0");
  EXPECT_EQ(canonical("x*x*x"), "x*x*x");
}

TEST_F(ExprTest, OrderDoesNotDependOnCreation) {
  ExprArena other;
  ParseError error;
  other.symbol("L");
  other.symbol("B");
  EXPECT_EQ(other.parse("L*B + B", error).str(), canonical("B + B*L"));
}

TEST_F(ExprTest, MergesLikeTermsAndExpands) {
  EXPECT_EQ(parse("(B + L)*(B - L)"), parse("B*B - L*L"));
  EXPECT_EQ(parse("2*(B + 3) - 6"), parse("B + B"));
}

TEST_F(ExprTest, FloorDivByLiteral) {
  EXPECT_EQ(canonical("(4*B + 2) floordiv 4"), "B");
  EXPECT_EQ(canonical("(4*B + 6) floordiv 4"), "B + 1");
  EXPECT_EQ(canonical("(B + 7) floordiv 4"), "(B + 3) floordiv 4 + 1");
  EXPECT_EQ(canonical("(2*B + 1) floordiv 4"), "B floordiv 2");
  EXPECT_EQ(canonical("B floordiv 1"), "B");
  EXPECT_EQ(canonical("B floordiv -1"), "-B");
  EXPECT_EQ(canonical("7 floordiv -2"), "-4");
  EXPECT_EQ(canonical("-7 floordiv 2"), "-4");
  EXPECT_EQ(canonical("(B floordiv 2) floordiv 3"), "B floordiv 6");
  EXPECT_EQ(canonical("(B floordiv 2 + 1) floordiv 2"), "(B + 2) floordiv 4");
  EXPECT_EQ(parse("B ceildiv 4"), parse("(B + 3) floordiv 4"));
}

TEST_F(ExprTest, FloorDivByWhatMayBeZeroStays) {
  EXPECT_EQ(canonical("B floordiv B"), "B floordiv B");
  EXPECT_EQ(canonical("(2*B) floordiv (2*L)"), "(2*B) floordiv (2*L)");
  EXPECT_EQ(canonical("0 floordiv L"), "0 floordiv L");
  EXPECT_EQ(canonical("7 floordiv 0"), "7 floordiv 0");
}

TEST_F(ExprTest, ModAndCeilDivAreNormalisedAway) {
  EXPECT_EQ(parse("L mod 4"), parse("L - 4*(L floordiv 4)"));
  EXPECT_EQ(canonical("(4*L + 5) mod 4"), "1");
  EXPECT_EQ(parse("-7 mod -2"), parse("-1"));
  EXPECT_EQ(parse("-7 ceildiv 2"), parse("-3"));
}

TEST_F(ExprTest, MinMax) {
  EXPECT_EQ(canonical("min(B, B + 1)"), "B");
  EXPECT_EQ(canonical("max(B, B + 1)"), "B + 1");
  EXPECT_EQ(canonical("min(L, min(B, L), 4, 7)"), "min(B, L, 4)");
  EXPECT_EQ(parse("min(L, B)"), parse("min(B, L)"));
  EXPECT_EQ(canonical("max(B, B)"), "B");
}

TEST_F(ExprTest, Broadcast) {
  EXPECT_EQ(canonical("bc(1, B)"), "B");
  EXPECT_EQ(canonical("bc(5, B)"), "5");
  EXPECT_EQ(canonical("bc(B, 1)"), "B");
  EXPECT_EQ(canonical("bc(B, B)"), "B");
  EXPECT_EQ(canonical("bc(0, B)"), "0");
  EXPECT_EQ(parse("bc(bc(A, B), C)"), parse("bc(A, bc(B, C))"));
  EXPECT_EQ(parse("bc(A, bc(B, A))"), parse("bc(A, B)"));
  EXPECT_NE(parse("bc(A, B)"), parse("bc(B, A)"));
}

TEST_F(ExprTest, ParseErrorsNameWhatWasExpected) {
  EXPECT_EQ(errorOf(""), "0: expected an expression, but got end of text");
  EXPECT_EQ(errorOf("B +"), "3: expected an expression, but got end of text");
  EXPECT_EQ(errorOf("B ? L"),
            "2: expected an operator or end of text, but got '?'");
  EXPECT_EQ(errorOf("(B"), "2: expected ')', but got end of text");
  EXPECT_EQ(errorOf("min(B)"),
            "0: expected 2 or more operands of 'min', but got 1");
  EXPECT_EQ(errorOf("bc(B)"),
            "0: expected 2 or more operands of 'bc', but got 1");
  EXPECT_EQ(errorOf("min + 1"), "4: expected '(' after 'min', but got '+'");
  EXPECT_EQ(errorOf("2B"),
            "1: expected an operator after an integer, but got 'B'");
  EXPECT_EQ(errorOf("mod"), "0: expected an expression, but got 'mod'");
  EXPECT_EQ(errorOf("B \x01"),
            "2: expected an operator or end of text, but got byte 0x1");
}

TEST_F(ExprTest, NestingHasNoBound) {
  std::string open(100000, '('), close(100000, ')'), minus(100000, '-');
  EXPECT_EQ(errorOf(open),
            "100000: expected an expression, but got end of text");
  EXPECT_EQ(errorOf(open + "B"), "100001: expected ')', but got end of text");
  EXPECT_EQ(parse(open + "B" + close), parse("B"));
  EXPECT_EQ(parse(minus + "B"), parse("B"));
  EXPECT_EQ(errorOf(std::string(20000, '9')),
            "0: expected an integer of at most 10000 digits, but got 20000");
  EXPECT_EQ(canonical("99999999999999999999 - 99999999999999999998"), "1");
}

// bc of a list, of any length: the first that is not 1.
TEST_F(ExprTest, BroadcastIsOneList) {
  EXPECT_EQ(canonical("bc(A, bc(B, bc(A, 1)), C)"), "bc(A, B, C)");
  EXPECT_EQ(canonical("bc(A, 7, C)"), "bc(A, 7)");
  EXPECT_EQ(canonical("bc(1, 1, A)"), "A");
  EXPECT_NE(parse("bc(A, B)"), parse("bc(B, A)"));
  Expr list = parse("bc(A, bc(B, C), bc(A, bc(C, B)))");
  for (int64_t a : {0, 1, 2})
    for (int64_t b : {0, 1, 3})
      for (int64_t c : {0, 1, 4}) {
        auto value = [&](Expr e) -> std::optional<int64_t> {
          return e == parse("A") ? a : e == parse("B") ? b : c;
        };
        int64_t first = a != 1 ? a : b != 1 ? b : c;
        EXPECT_EQ(arena.evaluate(list, value).value, first);
      }
}

/// A chain of `count` joins, each of the last with a new symbol.
static std::vector<Expr> chains(ExprArena &arena, int count) {
  Expr d = arena.symbol("d");
  std::vector<Expr> all(7, arena.symbol("x"));
  for (int i = 0; i < count; ++i) {
    Expr next = arena.symbol("s" + std::to_string(i));
    all[0] = arena.bc(all[0], next);
    all[1] = i % 2 ? arena.max(all[1], next) : arena.min(all[1], next);
    all[2] = arena.floorDiv(all[2] + 1, d);
    all[3] = all[3] * (next - arena.symbol("t" + std::to_string(i)));
    all[4] = all[4] + arena.floorDiv(next, d);
    all[5] = arena.floorDiv(all[5] + next, arena.constant(3));
    // Each uses the last twice: written out, twice as long as that.
    all[6] = arena.min(arena.floorDiv(all[6], d), all[6] + next);
  }
  return all;
}

// Whatever is computed can be written, and read: of a thousand joins, in text
// that grows as they do.
TEST_F(ExprTest, WhatIsWrittenIsRead) {
  for (int count : {10, 100, 1000})
    for (Expr e : chains(arena, count)) {
      std::string text = e.str();
      EXPECT_LT(text.size(), size_t(2000) * count);
      ParseError error;
      Expr same = arena.parse(text, error);
      ASSERT_TRUE(same) << error.message;
      EXPECT_EQ(same, e) << text.substr(0, 200);
      ExprArena other;
      EXPECT_EQ(other.parse(text, error).str(), text);
    }
}

// Parts with names stand for what they name, in what follows.
TEST_F(ExprTest, PartsHaveNames) {
  EXPECT_EQ(parse("(@1 := A + B)*@1"), parse("A*A + 2*A*B + B*B"));
  EXPECT_EQ(parse("min((@2 := A floordiv B), @2 + 1, (@2 := C), @2*@2)"),
            parse("min(A floordiv B, C, C*C)"));
  EXPECT_EQ(errorOf("@1 + A"), "0: expected '(@1 := ...)' before '@1'");
  EXPECT_EQ(errorOf("(@1 := @1)"), "7: expected '(@1 := ...)' before '@1'");
  EXPECT_EQ(errorOf("(@1 + A)"), "1: expected '(@1 := ...)' before '@1'");
  EXPECT_EQ(errorOf("(@A := 1)"), "1: expected an expression, but got '@'");
}

TEST_F(ExprTest, LargeSumsAndProductsAreNamed) {
  Expr sum = arena.zero();
  for (int i = 0; i < 300; ++i)
    sum = sum + arena.symbol("s" + std::to_string(i));
  EXPECT_LE(sum.terms().size(), 64u);
  auto one = [](Expr) { return std::optional<int64_t>(1); };
  EXPECT_EQ(arena.evaluate(sum, one).value, 300);
  EXPECT_EQ(parse(sum.str()), sum);
  Expr product = sum * sum;
  EXPECT_EQ(arena.evaluate(product, one).value, 90000);
  Expr constant =
      arena.substitute(product, [&](Expr) { return arena.constant(2); });
  EXPECT_TRUE(constant.isConstant(360000));
}

TEST_F(ExprTest, PowersAndCoefficientsAreBounded) {
  Expr x = arena.symbol("x");
  Expr power = x;
  for (int i = 0; i < 40; ++i)
    power = power * power;
  auto one = [](Expr) { return std::optional<int64_t>(1); };
  EXPECT_EQ(arena.evaluate(power, one).value, 1);
  auto two = [](Expr) { return std::optional<int64_t>(2); };
  EXPECT_EQ(arena.evaluate(power, two).status, Evaluation::Overflow);
  Expr number = arena.constant(INT64_MIN);
  for (int i = 0; i < 40; ++i)
    number = number * number;
  EXPECT_EQ(arena.evaluate(number, one).status, Evaluation::Overflow);
}

TEST_F(ExprTest, DeepExpressionsDoNotRecurse) {
  Expr a = arena.symbol("a"), b = arena.symbol("b");
  Expr e = a, f = b;
  for (int i = 0; i < 20000; ++i) {
    e = arena.floorDiv(e + 1, b);
    f = arena.floorDiv(f + 1, a);
  }
  auto one = [](Expr) { return std::optional<int64_t>(1); };
  EXPECT_EQ(arena.evaluate(e + f, one).value, 40002);
  EXPECT_FALSE(e.str().empty());
  EXPECT_TRUE(
      arena.substitute(e, [&](Expr) { return arena.one(); }).isConstant(20001));
}

TEST_F(ExprTest, EvaluationReportsTheProblem) {
  auto at = [](int64_t v) {
    return [v](Expr) { return std::optional<int64_t>(v); };
  };
  EXPECT_EQ(arena.evaluate(parse("B*B"), at(1ll << 40)).status,
            Evaluation::Overflow);
  EXPECT_EQ(arena.evaluate(parse("4 floordiv B"), at(0)).status,
            Evaluation::DivisionByZero);
  EXPECT_EQ(
      arena.evaluate(parse("B"), [](Expr) { return std::optional<int64_t>(); })
          .status,
      Evaluation::Unbound);
  EXPECT_EQ(arena.evaluate(parse("-B"), at(INT64_MIN)).status,
            Evaluation::Overflow);
  EXPECT_EQ(arena.evaluate(parse("B floordiv -1"), at(INT64_MIN)).status,
            Evaluation::Overflow);
  EXPECT_EQ(arena.evaluate(parse("B floordiv 3"), at(-7)).value, -3);
}

TEST_F(ExprTest, CollectsSymbolsInPrintedOrder) {
  llvm::SmallVector<Expr> symbols =
      parse("C + min(B, A floordiv 2) * D").symbols();
  std::string names;
  for (Expr s : symbols)
    names += s.str();
  EXPECT_EQ(names, "DBAC");
}

TEST_F(ExprTest, FreshSymbolsAreNew) {
  Expr n = arena.symbol("n");
  Expr fresh = arena.freshSymbol("n");
  EXPECT_NE(n, fresh);
  EXPECT_NE(fresh, arena.freshSymbol("n"));
  EXPECT_TRUE(llvm::StringRef(fresh.str()).starts_with("n"));
}
