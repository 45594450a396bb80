//===- DimTextTest.cpp - Expressions in dim_param -------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "symshape/Import/ONNX/DimText.h"

#include "../Expr/RandomExpr.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"

using namespace mlir::symshape;
using namespace mlir::symshape::onnx;
using namespace mlir::symshape::test;

namespace {
class DimTextTest : public ::testing::Test {
protected:
  Expr parse(llvm::StringRef text) {
    return parseDimText(
        arena, text, [&](llvm::StringRef name) { return arena.symbol(name); });
  }
  std::string print(Expr e) {
    return printDimText(
        e, [](llvm::StringRef name) { return name.str(); },
        [](Expr, Expr) { return false; });
  }
  int64_t evaluate(Expr e, int64_t n, int64_t m) {
    return evaluateCanonical(e, {n, m}, {arena.symbol("N"), arena.symbol("M")});
  }

  ExprArena arena;
};

/// The values are Python's.
TEST_F(DimTextTest, ReadsWhatPythonReads) {
  struct {
    const char *text;
    int64_t value; ///< for N = 7 and M = 3
  } cases[] = {
      {"N", 7},
      {"-N**2 + 100", 51},
      {"-N**2", -49},
      {"(-N)**2", 49},
      {"100 - N**2", 51},
      {"-2*N**2", -98},
      {"2**-N*0", -1}, // refused: below
      {"N*-M", -21},
      {"N - -M", 10},
      {"--N", 7},
      {"2**2**3", 256},
      {"N**2*M", 147},
      {"-N//2", -4},
      {"-(N//2)", -3},
      {"-N % 4", 1},
      {"N - M*2 + 1", 2},
      {"N//2*2", 6},
      {"N % 4 * M", 9},
      {"floor(N/2 - 1/2)", 3},
      {"ceiling(N/2)", 4},
      {"ceil(-N/2)", -3},
      {"Mod(N, M) + max(N, M, 9) - Min(N, M)", 7},
      {"(N + M)//(M - 1)", 5},
  };
  for (auto [text, value] : cases) {
    Expr e = parse(text);
    if (llvm::StringRef(text).contains("**-")) {
      EXPECT_FALSE(e) << text;
      continue;
    }
    ASSERT_TRUE(e) << text;
    EXPECT_EQ(evaluate(e, 7, 3), value) << text;
  }
  for (const char *text :
       {"", "N +", "N/2", "N**M", "N**17", "N M", "2N", "(N", "N)", "f(N)",
        "mod(N)", "N % 0.5", "N ** 1/2", "1/0", "+"})
    EXPECT_FALSE(parse(text)) << text;
  std::string deep = std::string(10000, '(') + "N" + std::string(10000, ')');
  EXPECT_FALSE(parse(deep));
  EXPECT_FALSE(parse(std::string(10000, '-') + "N"));
  std::string tower = "N";
  for (int i = 0; i < 10000; ++i)
    tower += "**1";
  EXPECT_FALSE(parse(tower));
}

/// Whether an operand of a broadcast may be negative, which no extent is.
bool broadcastsNegatives(const Tree &tree) {
  auto mayBeNegative = [](const Tree &part) {
    return part.op != Tree::Symbol &&
           !(part.op == Tree::Const && part.value >= 0);
  };
  return (tree.op == Tree::Bc && llvm::any_of(tree.parts, mayBeNegative)) ||
         llvm::any_of(tree.parts, broadcastsNegatives);
}

/// What is written is read as the same function of symbols that are at least 0.
TEST_F(DimTextTest, ReadsWhatItWrites) {
  std::vector<Expr> symbols = {arena.symbol("N"), arena.symbol("M")};
  unsigned numRead = 0, numNegativePowers = 0;
  for (uint64_t seed = 0; seed < 20000; ++seed) {
    RandomTrees trees(seed, 2);
    Tree tree = seed % 3 ? trees.tree(4) : trees.linear();
    Expr e = tree.build(arena, symbols);
    if (!e || broadcastsNegatives(tree))
      continue;
    std::string text = print(e);
    Expr again = text.empty() ? Expr() : parse(text);
    if (!again)
      continue;
    ++numRead;
    numNegativePowers += llvm::StringRef(text).starts_with("-") &&
                         llvm::StringRef(text).contains("**2");
    for (int64_t n : {0, 1, 2, 5, 12})
      for (int64_t m : {0, 1, 3, 8})
        ASSERT_EQ(evaluate(e, n, m), evaluate(again, n, m))
            << e.str() << " written as " << text << ", seed " << seed;
  }
  EXPECT_GT(numRead, 15000u);
  EXPECT_GT(numNegativePowers, 50u);
}
} // namespace
