//===- ExprFuzzTest.cpp - Canonical form against values -------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Canonicalisation keeps the value, printing and parsing give the same
// expression, substitution commutes with evaluation. SYMSHAPE_FUZZ_ITERATIONS
// runs more.
//
//===----------------------------------------------------------------------===//

#include "RandomExpr.h"
#include "gtest/gtest.h"
#include <cstdlib>

using namespace mlir::symshape;
using namespace mlir::symshape::test;

static unsigned iterations(unsigned standard) {
  const char *text = std::getenv("SYMSHAPE_FUZZ_ITERATIONS");
  return text ? unsigned(std::atoi(text)) : standard;
}

TEST(ExprFuzz, CanonicalFormKeepsValues) {
  for (unsigned seed = 0, end = iterations(3000); seed < end; ++seed) {
    ExprArena arena;
    std::vector<Expr> symbols{arena.symbol("x"), arena.symbol("B"),
                              arena.symbol("d2")};
    RandomTrees random(seed, symbols.size());
    Tree tree = random.tree(4);
    Expr e = tree.build(arena, symbols);
    for (int k = 0; k < 20; ++k) {
      Assignment at{random.uniform(-6, 6), random.uniform(-2, 2),
                    random.uniform(-20, 20)};
      ASSERT_EQ(tree.evaluate(at), evaluateCanonical(e, at, symbols))
          << "seed " << seed << ": " << e.str();
    }
  }
}

TEST(ExprFuzz, ParseOfPrintIsTheSame) {
  for (unsigned seed = 0, end = iterations(3000); seed < end; ++seed) {
    ExprArena arena;
    std::vector<Expr> symbols{arena.symbol("x"), arena.symbol("B"),
                              arena.symbol("d2")};
    Expr e = RandomTrees(seed, symbols.size()).tree(4).build(arena, symbols);
    ParseError error;
    Expr again = arena.parse(e.str(), error);
    ASSERT_TRUE(again) << e.str() << ": " << error.message;
    ASSERT_EQ(e, again) << e.str() << " became " << again.str();
  }
}

TEST(ExprFuzz, SubstitutionCommutesWithEvaluation) {
  for (unsigned seed = 0, end = iterations(2000); seed < end; ++seed) {
    ExprArena arena;
    std::vector<Expr> symbols{arena.symbol("x"), arena.symbol("y")};
    RandomTrees random(seed, symbols.size());
    Tree tree = random.tree(3), value = random.tree(2);
    Expr e = tree.build(arena, symbols), v = value.build(arena, symbols);
    Expr replaced = arena.substitute(
        e, [&](Expr s) { return s == symbols[0] ? v : Expr(); });
    for (int k = 0; k < 10; ++k) {
      Assignment at{random.uniform(-4, 4), random.uniform(-9, 9)};
      Assignment inner{value.evaluate(at), at[1]};
      ASSERT_EQ(tree.evaluate(inner), evaluateCanonical(replaced, at, symbols))
          << "seed " << seed << ": " << e.str() << " with " << v.str();
    }
  }
}

TEST(ExprFuzz, EvaluationAgreesWhereDefined) {
  for (unsigned seed = 0, end = iterations(2000); seed < end; ++seed) {
    ExprArena arena;
    std::vector<Expr> symbols{arena.symbol("x"), arena.symbol("y")};
    RandomTrees random(seed, symbols.size());
    Expr e = random.tree(4).build(arena, symbols);
    Assignment at{random.uniform(-9, 9), random.uniform(-9, 9)};
    Evaluation result = arena.evaluate(e, [&](Expr s) {
      return std::optional<int64_t>(at[s == symbols[0] ? 0 : 1]);
    });
    if (result.status == Evaluation::Value)
      ASSERT_EQ(result.value, evaluateCanonical(e, at, symbols)) << e.str();
    else
      ASSERT_EQ(result.status, Evaluation::DivisionByZero) << e.str();
  }
}
