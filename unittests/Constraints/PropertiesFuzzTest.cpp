//===- PropertiesFuzzTest.cpp - What must not change an answer ------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Random problems: more facts take back no answer, levels restore answers, and
// neither the order of questions nor a fact said twice changes one.
//
//===----------------------------------------------------------------------===//

#include "FuzzSettings.h"
#include "RandomProblem.h"
#include "gtest/gtest.h"

using namespace mlir::symshape;
using namespace mlir::symshape::test;

namespace {
/// A question, and all that a set answers to it.
struct Asked {
  Claim claim;
  Expr e;
  Answer answer;
  Range bounds;
  Residue residue;
  Expr simple;

  Asked(RandomProblem &p)
      : claim(p.claim(2)), e(p.random.tree(2).build(p.arena, p.symbols)) {}

  void ask(const ConstraintSet &set) {
    answer = set.prove(claim.relation);
    bounds = set.bounds(e);
    residue = set.residue(e);
    simple = set.simplify(e);
  }

  /// Empty, or which answer differs.
  std::string difference(const Asked &other) const {
    if (answer.verdict != other.answer.verdict ||
        answer.reason != other.answer.reason)
      return claim.relation.str() + ": " + answer.reason + " before, " +
             other.answer.reason + " after";
    if (!(bounds == other.bounds && residue == other.residue))
      return "bounds or residue of " + e.str();
    if (simple != other.simple)
      return e.str() + " is " + simple.str() + " before, " +
             other.simple.str() + " after";
    return "";
  }
};

std::vector<Asked> askSome(RandomProblem &p, unsigned count) {
  std::vector<Asked> questions;
  for (unsigned i = 0; i < count; ++i) {
    questions.emplace_back(p);
    questions.back().ask(p.set);
  }
  return questions;
}

/// A set with the declarations of `p` and the given facts.
void copyFacts(const RandomProblem &p, llvm::ArrayRef<Claim> facts,
               ConstraintSet &set) {
  for (Expr symbol : p.symbols)
    set.declare(symbol, p.set.info(symbol));
  for (const Claim &fact : facts)
    set.assume(fact.relation);
}

/// Asks `set` each question, the last first; the first difference.
std::string compareBackwards(llvm::ArrayRef<Asked> questions,
                             const ConstraintSet &set) {
  for (const Asked &before : llvm::reverse(questions)) {
    Asked after = before;
    after.ask(set);
    std::string difference = before.difference(after);
    if (!difference.empty())
      return difference;
  }
  return "";
}
} // namespace

TEST(PropertiesFuzz, MoreFactsTakeBackNoAnswer) {
  for (unsigned seed : fuzzSeeds(600)) {
    RandomProblem p(chooseBySeed(seed));
    p.assumeSome(4);
    if (p.models.empty())
      continue;
    std::vector<Asked> before = askSome(p, 6);
    p.assumeSome(4);
    for (const Asked &question : before) {
      if (question.answer.verdict == Verdict::Unknown)
        continue;
      Answer answer = p.set.prove(question.claim.relation);
      if (answer.verdict == Verdict::Unknown)
        ASSERT_NE(answer.reason.find("budget"), std::string::npos)
            << "seed " << seed << "\n"
            << p.str() << question.claim.relation.str() << " was decided by "
            << question.answer.reason << ", missing now: " << answer.reason;
      else if (!p.models.empty()) // else both answers may be right
        ASSERT_EQ(int(answer.verdict), int(question.answer.verdict))
            << "seed " << seed << "\n"
            << p.str() << question.claim.relation.str();
    }
  }
}

TEST(PropertiesFuzz, LevelsRestoreAnswers) {
  for (unsigned seed : fuzzSeeds(400)) {
    RandomProblem p(chooseBySeed(seed));
    p.assumeSome(6);
    std::vector<Asked> questions = askSome(p, 6);
    for (int level = 0; level < 2; ++level) {
      p.push();
      if (p.random.chance(30))
        p.declareAgain();
      p.assume(p.claim(2 - level));
      for (const Asked &question : questions)
        ASSERT_EQ(p.checkVerdict(question.claim), "") << "seed " << seed << "\n"
                                                      << p.str();
    }
    p.pop();
    p.pop();
    ASSERT_EQ(compareBackwards(questions, p.set), "") << "seed " << seed << "\n"
                                                      << p.str();
    for (const Asked &question : questions)
      ASSERT_TRUE(p.set.prove(question.claim.relation).facts ==
                  question.answer.facts)
          << "seed " << seed;
  }
}

TEST(PropertiesFuzz, OrderOfQuestionsDoesNotMatter) {
  for (unsigned seed : fuzzSeeds(400)) {
    RandomProblem p(chooseBySeed(seed));
    p.assumeSome(6);
    std::vector<Asked> questions = askSome(p, 8);
    ConstraintSet again(p.arena);
    copyFacts(p, p.facts, again);
    ASSERT_EQ(compareBackwards(questions, again), "") << "seed " << seed << "\n"
                                                      << p.str();
  }
}

TEST(PropertiesFuzz, FactsSaidTwiceChangeNothing) {
  for (unsigned seed : fuzzSeeds(400)) {
    RandomProblem p(chooseBySeed(seed));
    p.assumeSome(6);
    std::vector<Asked> questions = askSome(p, 6);
    ConstraintSet doubled(p.arena);
    std::vector<Claim> twice;
    for (const Claim &fact : p.facts)
      twice.insert(twice.end(), 2, fact);
    twice.insert(twice.end(), p.facts.begin(), p.facts.end());
    copyFacts(p, twice, doubled);
    ASSERT_EQ(compareBackwards(questions, doubled), "")
        << "seed " << seed << "\n"
        << p.str();
  }
}
