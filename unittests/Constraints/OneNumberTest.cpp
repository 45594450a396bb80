//===- OneNumberTest.cpp - Tests of OneNumber -----------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "symshape/Constraints/OneNumber.h"
#include "gtest/gtest.h"
#include <functional>
#include <random>

using namespace mlir::symshape;
using llvm::DynamicAPInt;

namespace {
/// Of numbers whose periods are not aligned with one another's.
constexpr int64_t tried = 20000;

class OneNumberTest : public testing::Test {
protected:
  Formula parse(const std::string &text) {
    ParseError error;
    std::optional<Formula> f = Formula::parse(arena, text, error);
    EXPECT_TRUE(f) << text << ": " << error.message;
    return f.value_or(Formula::opaque());
  }
  static std::optional<bool> holds(const Formula &f, int64_t n) {
    return f.evaluate([&](Expr) { return DynamicAPInt(n); });
  }
  /// What is said of the condition, which `want` decides.
  Formula say(const std::string &text, std::function<bool(int64_t)> want) {
    Formula f = parse(text);
    std::optional<Formula> said = sayByClasses(f);
    EXPECT_TRUE(said) << text;
    if (!said)
      return f;
    for (int64_t n = 0; n < tried; ++n)
      if (holds(*said, n) != want(n)) {
        ADD_FAILURE() << text << " at " << n << ": " << said->str();
        break;
      }
    return *said;
  }
  void expectNothing(const std::string &text) {
    std::optional<Formula> said = sayByClasses(parse(text));
    EXPECT_FALSE(said) << text << ": " << (said ? said->str() : "");
  }

  std::vector<Formula> parseAll(const std::vector<std::string> &texts) {
    std::vector<Formula> all;
    for (const std::string &text : texts)
      all.push_back(parse(text));
    return all;
  }
  std::vector<unsigned> minimise(const std::vector<std::string> &texts) {
    return minimiseOfOneNumber(parseAll(texts));
  }

  ExprArena arena;
};
} // namespace

TEST_F(OneNumberTest, RoundingTwiceIsASetOfResidues) {
  Formula said = say("4*((N + 31) floordiv 32) == (N + 7) floordiv 8",
                     [](int64_t n) { return n % 32 == 0 || n % 32 >= 25; });
  std::optional<ResidueSet> set = readResidueSet(said);
  ASSERT_TRUE(set);
  EXPECT_EQ(set->symbol.str(), "N");
  EXPECT_EQ(set->modulus, 32);
  EXPECT_EQ(std::vector<int64_t>(set->residues.begin(), set->residues.end()),
            (std::vector<int64_t>{0, 25, 26, 27, 28, 29, 30, 31}));
}

TEST_F(OneNumberTest, FirstNumbersMayBeOthers) {
  say("bc((N + 3) floordiv 4, 8) == 8*((N + 31) floordiv 32)", [](int64_t n) {
    return n % 32 == 0 || n % 32 >= 29 || (n >= 1 && n <= 4);
  });
  say("min(N, 7) == 7", [](int64_t n) { return n >= 7; });
  say("(N + 320) floordiv 512 == 1",
      [](int64_t n) { return n >= 192 && n <= 703; });
  say("max(N - 3, 2) == 5", [](int64_t n) { return n == 8; });
  say("4 | N floordiv 3 and 5 <= N",
      [](int64_t n) { return n >= 5 && n / 3 % 4 == 0; });
}

TEST_F(OneNumberTest, NothingWhereItIsNotShorter) {
  expectNothing("N <= 7");
  expectNothing("32 | N");
  expectNothing("N == M");
  expectNothing("(N + 7) floordiv 8 == M");
  expectNothing("N floordiv M == 1");
  expectNothing("N*N == 7 + N floordiv 2");
  expectNothing("(N + 7) floordiv 8 <= 100000");
  expectNothing("2 | N floordiv 5003");
  expectNothing("2 | N floordiv 3 + N floordiv 5 + N floordiv 7");
}

TEST_F(OneNumberTest, TheCoarsestRoundingImpliesOthers) {
  using Kept = std::vector<unsigned>;
  std::string two = "2*((N + 15) floordiv 16) == (N + 7) floordiv 8",
              four = "4*((N + 15) floordiv 16) == (N + 3) floordiv 4",
              other = "3*((N + 11) floordiv 12) == (N + 3) floordiv 4";
  EXPECT_EQ(minimise({two, four}), Kept({1}));
  EXPECT_EQ(minimise({four, "1 <= N", two}), Kept({0, 1}));
  EXPECT_EQ(minimise({two, other, four}), Kept({1, 2}));
  EXPECT_EQ(minimise({two, two}), Kept({1}));
  // One that two others imply together, and none alone.
  EXPECT_EQ(minimise({"2 | N floordiv 3", "3 | N", "6 | N"}), Kept({2}));
  EXPECT_EQ(minimise({"(N + 5) floordiv 6 == N floordiv 6", "3 | N", "2 | N"}),
            Kept({1, 2}));
  // Nothing is known of the first one.
  EXPECT_EQ(minimise({"2 | N floordiv 5003", two, four}), Kept({0, 2}));
  // Only those with roundings are looked at.
  EXPECT_EQ(minimise({"3 <= N", "2 <= N"}), Kept({0, 1}));
}

/// Against evaluation: those that stay imply all, and none is to spare.
TEST_F(OneNumberTest, KeepsWhatImpliesAll) {
  std::mt19937 random(55);
  auto draw = [&](int64_t least, int64_t most) {
    return std::uniform_int_distribution<int64_t>(least, most)(random);
  };
  auto text = [](int64_t n) { return std::to_string(n); };
  unsigned numDropped = 0, numKept = 0;
  for (int round = 0; round < 400; ++round) {
    std::vector<std::string> texts;
    for (int64_t i = 0, count = draw(2, 4); i < count; ++i) {
      int64_t fine = draw(1, 4), times = draw(2, 4), coarse = fine * times;
      std::string finer = "(N + " + text(draw(0, fine)) + ") floordiv " +
                          text(fine),
                  coarser = text(times) + "*((N + " + text(draw(0, coarse)) +
                            ") floordiv " + text(coarse) + ")";
      texts.push_back(draw(0, 4)   ? coarser + " == " + finer
                      : draw(0, 1) ? text(draw(0, 9)) + " <= " + finer
                                   : text(fine) + " | N");
    }
    std::vector<Formula> all = parseAll(texts);
    std::vector<unsigned> kept = minimiseOfOneNumber(all);
    // All periods divide 144, and all begin below 100.
    std::vector<char> isNeeded(texts.size());
    for (int64_t n = 0; n < 250; ++n) {
      std::vector<size_t> failed;
      for (size_t i = 0; i < all.size(); ++i)
        if (!*holds(all[i], n))
          failed.push_back(i);
      auto isKept = [&](size_t i) { return llvm::is_contained(kept, i); };
      ASSERT_TRUE(failed.empty() || llvm::any_of(failed, isKept))
          << texts[failed.front()] << " at " << n;
      if (llvm::count_if(failed, isKept) == 1)
        isNeeded[*llvm::find_if(failed, isKept)] = true;
    }
    numKept += kept.size();
    numDropped += texts.size() - kept.size();
    if (llvm::any_of(texts, [](const std::string &each) {
          return each.find("floordiv") != std::string::npos;
        }))
      for (unsigned i : kept)
        ASSERT_TRUE(isNeeded[i]) << texts[i];
  }
  EXPECT_GE(numDropped, 200u);
  EXPECT_GE(numKept, 400u);
}

/// Against evaluation, of the condition by the numbers and of what is said.
TEST_F(OneNumberTest, SaysTheSame) {
  std::mt19937 random(54);
  auto draw = [&](int64_t least, int64_t most) {
    return std::uniform_int_distribution<int64_t>(least, most)(random);
  };
  std::function<std::string(int)> expression = [&](int depth) -> std::string {
    int64_t kind = depth ? draw(0, 6) : draw(0, 1);
    auto text = [](int64_t n) { return std::to_string(n); };
    if (kind <= 1)
      return kind ? "N" : text(draw(0, 9));
    std::string a = expression(depth - 1), b = expression(depth - 1);
    switch (kind) {
    case 2:
      return "(" + a + " + " + b + ")";
    case 3:
      return "(" + text(draw(-3, 4)) + "*" + a + ")";
    case 4:
      return "((" + a + ") floordiv " + text(draw(1, 6)) + ")";
    case 5:
      return (draw(0, 1) ? "min(" : "max(") + a + ", " + b + ")";
    default:
      return "bc(" + a + ", " + b + ")";
    }
  };
  unsigned numSaid = 0;
  for (int round = 0; round < 1500; ++round) {
    const char *signs[] = {" == ", " != ", " <= "};
    std::string text;
    for (int64_t part = 0, parts = draw(1, 2); part < parts; ++part)
      text += (part ? " or " : "") +
              (draw(0, 3) ? expression(2) + signs[draw(0, 2)] + expression(2)
                          : std::to_string(draw(2, 6)) + " | " + expression(2));
    Formula f = parse(text);
    std::optional<Formula> said = sayByClasses(f);
    if (!said)
      continue;
    ++numSaid;
    for (int64_t n :
         {0,  1,  2,  3,  4,  5,   6,   7,   8,   9,   10,  11,   12,   17,
          24, 25, 59, 60, 61, 119, 120, 121, 359, 360, 841, 5039, 5040, 100003})
      ASSERT_EQ(holds(*said, n), holds(f, n))
          << text << " at " << n << ": " << said->str();
  }
  EXPECT_GE(numSaid, 250u);
}
