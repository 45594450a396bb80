//===- QuestionLogTest.cpp - What is asked, counted -----------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "symshape/Constraints/QuestionLog.h"
#include "ConstraintSetFixture.h"
#include <thread>

using namespace mlir::symshape;
using namespace mlir::symshape::test;
using QuestionLogTest = ConstraintSetTest;

namespace {
/// The question of this text; one that was never asked if there is none.
QuestionLog::Question find(const QuestionLog &log, llvm::StringRef text) {
  for (QuestionLog::Question &one : log.getCostliest(1000))
    if (one.text == text)
      return one;
  return {};
}
} // namespace

TEST_F(QuestionLogTest, CountsWhatIsAsked) {
  prove("n <= 7"); // before there is a log
  QuestionLog log;
  declare("n", Range::between(0, 7));
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(prove("n <= 8"), 'Y');
  EXPECT_EQ(prove("2 | n"), '?');
  set.bounds(expr("2*n"));
  set.residue(expr("3*n"));
  set.simplify(expr("n + m"));
  (void)set.isContradictory();
  QuestionLog::Question asked = find(log, "n <= 8");
  EXPECT_EQ(asked.numAsked, 3u);
  EXPECT_EQ(asked.numDecided, 1u);
  EXPECT_GT(asked.numSteps, 0u);
  EXPECT_GT(asked.seconds, 0);
  for (const char *text :
       {"2 | n", "bounds of 2*n", "residues of 3*n", "a simpler form of m + n",
        "whether the facts contradict one another"})
    EXPECT_EQ(find(log, text).numAsked, 1u) << text;
  EXPECT_EQ(find(log, "n <= 7").numAsked, 0u);
  EXPECT_EQ(log.getTotal().numAsked, 8u);
  EXPECT_EQ(log.getCostliest(2).size(), 2u);
  EXPECT_GE(log.getCostliest(2)[0].seconds, log.getCostliest(2)[1].seconds);
}

TEST_F(QuestionLogTest, KeepsPlacesApart) {
  int here = 0, there = 0;
  QuestionLog log;
  log.describe(expr("n"), "the length");
  log.setPlace(set, &here);
  prove("n <= 8");
  log.setPlace(set, &there);
  prove("n <= 8");
  std::vector<QuestionLog::Question> all = log.getCostliest(9);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].text, "n <= 8; n: the length");
  EXPECT_EQ(all[1].text, all[0].text);
  EXPECT_NE(all[0].place, all[1].place);
  EXPECT_EQ(all[0].numDecided + all[1].numDecided, 1u);
}

TEST_F(QuestionLogTest, OutlivesArenas) {
  QuestionLog log;
  for (int i = 0; i < 50; ++i) {
    ExprArena other;
    ConstraintSet facts(other);
    log.describe(other.symbol("k"), "number " + std::to_string(i));
    facts.prove(Relation::le(other.symbol("k"), other.constant(i % 2)));
  }
  EXPECT_EQ(log.getTotal().numAsked, 50u);
  // None is taken for another that lay where it lies.
  for (int i = 0; i < 50; ++i) {
    std::string text =
        "k <= " + std::to_string(i % 2) + "; k: number " + std::to_string(i);
    EXPECT_EQ(find(log, text).numAsked, 1u) << text;
  }
}

TEST_F(QuestionLogTest, IsOfItsThread) {
  QuestionLog log;
  std::thread([&] {
    EXPECT_EQ(QuestionLog::current(), nullptr);
    prove("n <= 8");
  }).join();
  EXPECT_EQ(log.getTotal().numAsked, 0u);
  {
    QuestionLog inner;
    prove("n <= 9");
    EXPECT_EQ(inner.getTotal().numAsked, 1u);
  }
  EXPECT_EQ(QuestionLog::current(), &log);
  EXPECT_EQ(log.getTotal().numAsked, 0u);
}

/// Also where nobody keeps a log.
TEST_F(QuestionLogTest, CountsWhatItsThreadAsks) {
  QuestionCount before = QuestionCount::ofThread();
  prove("n <= 7");
  prove("n <= 7");
  std::thread([&] { prove("n <= 8"); }).join();
  QuestionCount now = QuestionCount::ofThread();
  EXPECT_EQ(now.numAsked - before.numAsked, 2u);
  EXPECT_EQ(now.numDecided - before.numDecided, 1u);
}

TEST_F(QuestionLogTest, SaysHowLargeWhatNobodyReadsIs) {
  QuestionLog log;
  Expr sum = expr("n");
  for (int i = 0; i < 200; ++i)
    sum = sum + arena.symbol("x" + std::to_string(i));
  set.bounds(sum);
  std::string text = log.getCostliest(1)[0].text;
  EXPECT_TRUE(llvm::StringRef(text).starts_with("bounds of an expression of "))
      << text;
  EXPECT_LT(text.size(), 200u);
}
