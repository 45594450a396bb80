//===- ConstraintSetFuzzTest.cpp - Answers against enumeration ------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Random facts over small domains: no Yes, No, bound, residue, simplification
// or solution may be contradicted by an assignment that satisfies the facts;
// minimised requirements imply the others. SYMSHAPE_FUZZ_ITERATIONS runs more,
// from SYMSHAPE_FUZZ_SEED on.
//
//===----------------------------------------------------------------------===//

#include "FuzzSettings.h"
#include "RandomProblem.h"
#include "symshape/Constraints/Formula.h"
#include "gtest/gtest.h"

using namespace mlir::symshape;
using namespace mlir::symshape::test;
using llvm::DynamicAPInt;

namespace {
/// One query of each kind about random trees; empty when all hold.
std::string askAll(RandomProblem &p, int depth) {
  Tree tree = p.random.tree(2);
  Claim solved = p.claim(1);
  unsigned symbol = p.random.uniform(0, p.symbols.size() - 1);
  for (const std::string &wrong :
       {p.checkVerdict(p.claim(depth)), p.checkBounds(tree),
        p.checkResidue(tree), p.checkSimplify(tree),
        p.checkIsolate(solved, symbol)})
    if (!wrong.empty())
      return wrong;
  return "";
}
} // namespace

TEST(ConstraintSetFuzz, AnswersAreNotContradicted) {
  Score total;
  for (unsigned seed : fuzzSeeds(2200)) {
    RandomProblem p(chooseBySeed(seed));
    p.assumeSome(6);
    ASSERT_EQ(p.checkContradiction(), "") << "seed " << seed << "\n" << p.str();
    for (int i = 0; i < 20; ++i)
      ASSERT_EQ(askAll(p, i % 3), "") << "seed " << seed << "\n" << p.str();
    total.queries += p.score.queries;
    total.decidable += p.score.decidable;
    total.decided += p.score.decided;
  }
  if (isFuzzStandard())
    EXPECT_GE(total.queries, 200000u);
  llvm::errs() << total.queries << " queries, decided " << total.decided
               << " of " << total.decidable << "\n";
}

namespace {
/// The same problem, of symbols whose values are far from zero.
struct FarProblem {
  RandomProblem &near;
  ConstraintSet set{near.arena};
  std::vector<Expr> symbols; ///< the far ones, less how far they are

  FarProblem(RandomProblem &near, const std::vector<DynamicAPInt> &offsets)
      : near(near) {
    ExprArena &arena = near.arena;
    for (size_t i = 0; i < near.symbols.size(); ++i) {
      const DynamicAPInt &offset = offsets[i % offsets.size()];
      SymbolInfo info = near.set.info(near.symbols[i]);
      for (auto *end : {&info.range.min, &info.range.max})
        if (*end)
          **end += offset;
      info.residue =
          Residue::add(info.residue, Residue::of(offset, DynamicAPInt(0)));
      Expr far = arena.symbol("far" + std::to_string(i));
      set.declare(far, info);
      symbols.push_back(far - arena.constant(offset));
    }
    for (const Claim &fact : near.facts)
      set.assume(relationOf(fact));
  }

  Relation relationOf(const Claim &c) {
    return {c.kind, c.lhs.build(near.arena, symbols),
            c.rhs.build(near.arena, symbols)};
  }
};
} // namespace

TEST(ConstraintSetFuzz, AnswersAreRightFarFromZero) {
  DynamicAPInt limit = DynamicAPInt(int64_t(1) << 62) * DynamicAPInt(2);
  const std::vector<DynamicAPInt> offsets{limit - 3, -limit + 2, limit * limit,
                                          DynamicAPInt(int64_t(1) << 31)};
  for (unsigned seed : fuzzSeeds(150)) {
    RandomProblem p(chooseBySeed(seed));
    p.assumeSome(5);
    FarProblem far(p, offsets);
    ASSERT_FALSE(far.set.isContradictory() && !p.models.empty());
    for (int i = 0; i < 6; ++i) {
      Claim c = p.claim(2);
      Tree tree = p.random.tree(2);
      Answer answer = far.set.prove(far.relationOf(c));
      Expr e = tree.build(p.arena, far.symbols);
      Range range = far.set.bounds(e);
      Residue residue = far.set.residue(e);
      for (const Assignment &at : p.models) {
        DynamicAPInt value(tree.evaluate(at));
        ASSERT_FALSE(c.holds(at) ? answer.isNo() : answer.isYes())
            << "seed " << seed << "\n"
            << p.str() << c.relation.str() << " by " << answer.reason;
        ASSERT_TRUE(range.contains(value) && residue.contains(value))
            << "seed " << seed << "\n"
            << p.str() << e.str();
      }
    }
  }
}

/// Empty, or a model of the named facts alone that contradicts the answer.
static std::string checkFactsNamed(const RandomProblem &p, const Claim &c,
                                   const Answer &answer) {
  for (const Assignment &at : p.assignments(-4, 8)) {
    bool satisfied = llvm::all_of(
        answer.facts, [&](FactId id) { return p.facts[id].holds(at); });
    if (satisfied && c.holds(at) != answer.isYes())
      return p.str() + c.relation.str() + " by " + answer.reason;
  }
  return "";
}

TEST(ConstraintSetFuzz, FactsNamedSuffice) {
  for (unsigned seed : fuzzSeeds(400)) {
    RandomProblem p(chooseBySeed(seed));
    p.assumeSome(6);
    Claim c = p.claim(2);
    std::vector<std::string> chain;
    Answer answer = p.set.explain(c.relation, chain);
    ASSERT_FALSE(chain.empty());
    if (answer.verdict == Verdict::Unknown || p.set.isContradictory())
      continue;
    ASSERT_EQ(checkFactsNamed(p, c, answer), "") << "seed " << seed;
  }
}

// Declarations that come after facts about their symbols, and levels after
// those: each may be undone, none may take away reasons of the others.
TEST(ConstraintSetFuzz, FactsNamedSufficeAfterLateDeclarations) {
  unsigned checked = 0;
  for (unsigned seed : fuzzSeeds(900)) {
    RandomProblem p(chooseBySeed(seed));
    p.assumeSome(3);
    p.declareAgain();
    for (bool isPushed : {false, true}) {
      if (isPushed)
        p.push();
      p.assumeSome(2);
      for (int i = 0; i < 4; ++i) {
        Claim c = p.claim(1);
        Answer answer = p.set.prove(c.relation);
        if (answer.verdict == Verdict::Unknown || p.set.isContradictory() ||
            answer.facts.empty())
          continue;
        ++checked;
        ASSERT_EQ(checkFactsNamed(p, c, answer), "") << "seed " << seed;
      }
      p.declareAgain();
    }
  }
  if (isFuzzStandard())
    EXPECT_GE(checked, 250u);
}

// The same questions, quick and full, while facts, levels and declarations come
// and go: what is remembered of one state must hold in the next.
TEST(ConstraintSetFuzz, RememberedAnswersHold) {
  unsigned decided = 0;
  for (unsigned seed : fuzzSeeds(500)) {
    RandomProblem p(chooseBySeed(seed));
    p.assumeSome(2);
    std::vector<Claim> claims;
    for (int i = 0; i < 5; ++i)
      claims.push_back(p.claim(1));
    Tree tree = p.random.tree(2);
    for (int step = 0; step < 8; ++step) {
      ASSERT_EQ(p.checkBounds(tree), "") << "seed " << seed << "\n" << p.str();
      for (const Claim &claim : claims) {
        p.set.prove(claim.relation, Effort::Quick);
        ASSERT_EQ(p.checkVerdict(claim), "") << "seed " << seed << "\n"
                                             << p.str();
        decided += !p.set.isContradictory() &&
                   p.set.prove(claim.relation).verdict != Verdict::Unknown;
      }
      switch (p.random.uniform(0, 3)) {
      case 0:
        p.push();
        break;
      case 1:
        p.pop(); // nothing, without a level
        break;
      case 2:
        p.declareAgain();
        break;
      default:
        p.assumeSome(1);
      }
    }
  }
  if (isFuzzStandard())
    EXPECT_GE(decided, 5000u);
}

TEST(ConstraintSetFuzz, MinimisedRequirementsImplyTheOthers) {
  unsigned numKept = 0, proved = 0;
  for (unsigned seed : fuzzSeeds(300)) {
    RandomProblem p(chooseBySeed(seed));
    p.assumeSome(6);
    std::vector<Claim> claims;
    std::vector<Relation> required;
    std::vector<Formula> formulas;
    for (int i = 0; i < 5; ++i) {
      claims.push_back(p.claim(1));
      required.push_back(claims.back().relation);
      formulas.push_back(required.back());
    }
    std::vector<unsigned> kept = minimise(p.set, formulas);
    for (unsigned index : kept) {
      p.set.push();
      for (unsigned other : kept)
        if (other != index)
          p.set.assume(required[other]);
      proved +=
          !p.set.isContradictory() && p.set.prove(required[index]).isYes();
      p.set.pop();
    }
    numKept += kept.size();
    for (const Assignment &at : p.models) {
      bool allKept =
          llvm::all_of(kept, [&](unsigned i) { return claims[i].holds(at); });
      bool all =
          llvm::all_of(claims, [&](const Claim &c) { return c.holds(at); });
      ASSERT_EQ(allKept, all) << "seed " << seed << "\n" << p.str();
    }
  }
  // In another order, facts may show what they did not.
  EXPECT_LE(proved * 100, numKept);
  if (isFuzzStandard())
    EXPECT_GE(numKept, 400u);
}

TEST(ConstraintSetFuzz, FormulasAreNotContradicted) {
  for (unsigned seed : fuzzSeeds(400)) {
    RandomProblem p(chooseBySeed(seed));
    p.assumeSome(6);
    std::vector<Claim> claims{p.claim(1), p.claim(1), p.claim(1)};
    auto literal = [&](int i) { return Formula(claims[i].relation); };
    Formula f = Formula::disj(Formula::conj(literal(0), literal(1)),
                              Formula::negate(literal(2)));
    auto holds = [&](const Assignment &at) {
      return (claims[0].holds(at) && claims[1].holds(at)) ||
             !claims[2].holds(at);
    };
    Answer answer = prove(p.set, f);
    Formula simple = simplify(p.set, f);
    size_t numFacts = p.set.numFacts();
    p.set.push();
    assume(p.set, f);
    Claim c = p.claim(1);
    Answer under = p.set.prove(c.relation);
    bool contradictory = p.set.isContradictory();
    p.set.pop();
    ASSERT_EQ(p.set.numFacts(), numFacts);
    for (const Assignment &at : p.models) {
      ASSERT_FALSE(answer.isYes() && !holds(at)) << p.str() << f.str();
      ASSERT_FALSE(answer.isNo() && holds(at)) << p.str() << f.str();
      if (simple.isTrue() || simple.isFalse())
        ASSERT_EQ(simple.isTrue(), holds(at)) << p.str() << f.str();
      if (!holds(at))
        continue;
      ASSERT_FALSE(contradictory) << p.str() << f.str();
      ASSERT_FALSE(under.isYes() && !c.holds(at)) << p.str() << f.str();
      ASSERT_FALSE(under.isNo() && c.holds(at)) << p.str() << f.str();
    }
  }
}
