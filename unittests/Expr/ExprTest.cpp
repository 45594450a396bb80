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
  EXPECT_EQ(errorOf("bc(B, C, D)"),
            "0: expected 2 operands of 'bc', but got 3");
  EXPECT_EQ(errorOf("min + 1"), "4: expected '(' after 'min', but got '+'");
  EXPECT_EQ(errorOf("2B"),
            "1: expected an operator after an integer, but got 'B'");
  EXPECT_EQ(errorOf("mod"), "0: expected an expression, but got 'mod'");
  EXPECT_EQ(errorOf("B \x01"),
            "2: expected an operator or end of text, but got byte 0x1");
}

TEST_F(ExprTest, NestingAndLiteralsAreBounded) {
  std::string open(100000, '('), minus(100000, '-');
  EXPECT_EQ(errorOf(open),
            "200: expected at most 200 levels of nesting, but got more");
  EXPECT_EQ(parse(minus + "B"), parse("B"));
  EXPECT_EQ(errorOf(std::string(2000, '9')),
            "0: expected an integer of at most 1000 digits, but got 2000");
  EXPECT_EQ(canonical("99999999999999999999 - 99999999999999999998"), "1");
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

// What multiplies out to more than can be written is refused as text, and
// shortened where it is printed; it may be computed with all the same.
TEST_F(ExprTest, WhatIsTooLargeIsNotWritten) {
  Expr product = arena.one(), nested = arena.symbol("y");
  std::string text = "1", nestedText = "y";
  for (int i = 0; i < 32; ++i) {
    std::string a = "a" + std::to_string(i), b = "b" + std::to_string(i);
    product = product * (arena.symbol(a) + arena.symbol(b));
    text += "*(" + a + " + " + b + ")";
  }
  for (int i = 0; i < 95; ++i) {
    nested = arena.floorDiv(nested + 1, arena.symbol("d"));
    nestedText = "((" + nestedText + " + 1) floordiv d)";
  }
  EXPECT_FALSE(product.isWritable());
  EXPECT_FALSE(nested.isWritable());
  EXPECT_LT(product.str().size(), 100000u);
  ParseError error;
  EXPECT_FALSE(arena.parse(text, error));
  EXPECT_EQ(error.message, "expected an expression of at most 4096 numbers and "
                           "factors, multiplied out, but got more");
  EXPECT_FALSE(arena.parse(nestedText, error));
  Evaluation value =
      arena.evaluate(product, [](Expr) { return std::optional<int64_t>(1); });
  EXPECT_EQ(value.value, int64_t(1) << 32);
}

// Whatever is writable is read back.
TEST_F(ExprTest, WhatIsWrittenIsRead) {
  Expr sum = arena.zero();
  unsigned largest = 0;
  for (int i = 0; i < 3000; ++i) {
    sum = sum + arena.symbol("s" + std::to_string(i)) * int64_t(i + 2);
    if (i % 499 != 0)
      continue;
    ParseError error;
    if (!sum.isWritable())
      break;
    EXPECT_EQ(arena.parse(sum.str(), error), sum) << error.message;
    largest = sum.size();
  }
  EXPECT_GT(largest, 2000u);
}
