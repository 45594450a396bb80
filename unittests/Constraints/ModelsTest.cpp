//===- ModelsTest.cpp - Questions that stay open, against enumeration -----===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where a question is said to stay open, enumeration finds values at which it
// holds and values at which it does not, while facts come and go with levels.
//
//===----------------------------------------------------------------------===//

#include "../../lib/Constraints/Models.h"
#include "ConstraintSetFixture.h"
#include "FuzzSettings.h"
#include "RandomProblem.h"

using namespace mlir::symshape;
using namespace mlir::symshape::test;
using llvm::DynamicAPInt;

namespace {
constexpr int64_t least = -8, greatest = 8;

/// Whether enumeration from `least` to `greatest` is of all values.
bool isSmall(const RandomProblem &p) {
  return llvm::all_of(p.symbols, [&](Expr symbol) {
    const auto &[min, max] = p.set.info(symbol).range;
    return min && *min >= least && max && *max <= greatest;
  });
}

struct Count {
  unsigned open = 0, found = 0;
};

/// Empty, or what is wrong.
std::string ask(RandomProblem &p, Models &models, Count &count) {
  Claim claim = p.claim(1);
  bool isTrue = false, isFalse = false;
  for (const Assignment &at : p.assignments(least, greatest))
    if (llvm::all_of(p.facts, [&](const Claim &f) { return f.holds(at); }))
      (claim.holds(at) ? isTrue : isFalse) = true;
  count.open += isTrue && isFalse;
  Possible possible = models.possibleAnswers(claim.relation);
  if (!possible.isNo && !isTrue)
    return claim.relation.str() + " is excluded";
  if (!possible.isYes && !isFalse)
    return claim.relation.str() + " is implied";
  count.found += !possible.isNo && !possible.isYes;
  return "";
}

bool leavesOpen(Models &models, const Relation &question) {
  Possible possible = models.possibleAnswers(question);
  return !possible.isYes && !possible.isNo;
}

void assumeOne(RandomProblem &p) {
  Claim fact = p.claim(1);
  if (llvm::any_of(p.models,
                   [&](const Assignment &m) { return fact.holds(m); }))
    p.assume(fact);
}
} // namespace

TEST(Models, LeaveOpenWhatIsOpen) {
  Count count;
  for (unsigned seed : fuzzSeeds(600)) {
    RandomProblem p(chooseBySeed(seed));
    if (!isSmall(p))
      for (Expr symbol : p.symbols)
        p.set.declare(symbol, {Range::between(least, greatest)});
    p.models = p.assignments(least, greatest);
    if (p.models.empty()) // a declaration that nothing meets is not asked about
      continue;
    Models models(p.set);
    for (int step = 0; step < 24; ++step) {
      int64_t action = p.random.uniform(0, 9);
      if (action == 0) {
        models.push();
        p.push();
      } else if (action == 1 && p.hasLevels()) {
        models.pop();
        p.pop();
      } else if (action < 5) {
        assumeOne(p);
      } else {
        ASSERT_EQ(ask(p, models, count), "") << "seed " << seed << "\n"
                                             << p.str();
      }
    }
  }
  if (isFuzzStandard()) {
    EXPECT_GE(count.open, 2000u);
    EXPECT_GE(count.found * 10, count.open * 8); // most are found
  }
  llvm::errs() << "open: " << count.open << ", found: " << count.found << "\n";
}

TEST(Models, FollowDeclarations) {
  ExprArena arena;
  ConstraintSet set(arena);
  Models models(set);
  Expr a = arena.symbol("a"), b = arena.symbol("b");
  Relation isOne = Relation::eq(a, arena.constant(1));
  EXPECT_TRUE(leavesOpen(models, isOne));
  models.push();
  set.push();
  set.declare(a, {Range::between(2, 9)});
  models.declare(a, /*widens=*/false);
  EXPECT_FALSE(leavesOpen(models, isOne)); // it is excluded
  EXPECT_TRUE(leavesOpen(models, Relation::le(a, b)));
  set.assume(Relation::eq(b, a + 1));
  EXPECT_FALSE(leavesOpen(models, Relation::le(a, b)));
  EXPECT_TRUE(leavesOpen(models, Relation::eq(b, arena.constant(3))));
  models.pop();
  set.pop();
  EXPECT_TRUE(leavesOpen(models, isOne));
}

TEST(Models, ForgetNegativeValuesWithTheirLevel) {
  ExprArena arena;
  ConstraintSet set(arena);
  Models models(set);
  Expr a = arena.symbol("a"), b = arena.symbol("b");
  EXPECT_TRUE(leavesOpen(models, Relation::le(b, arena.constant(3))));
  models.push();
  set.push();
  set.declare(a, {Range::between(-8, -1)});
  models.declare(a, /*widens=*/true);
  EXPECT_TRUE(leavesOpen(models, Relation::le(a, arena.constant(-3))));
  models.pop();
  set.pop();
  EXPECT_FALSE(leavesOpen(models, Relation::le(a, arena.constant(-1))));
}

TEST(Models, SayNothingWithoutModels) {
  ExprArena arena;
  ConstraintSet set(arena);
  Models models(set);
  Expr a = arena.symbol("a");
  set.assume(Relation::le(a + 1, a));
  EXPECT_FALSE(leavesOpen(models, Relation::eq(a, arena.constant(1))));
}

TEST(Models, FindWhereSidesChange) {
  ExprArena arena;
  ConstraintSet set(arena);
  Models models(set);
  Expr h = arena.symbol("h"), w = arena.symbol("w");
  auto number = [&](int64_t n) { return arena.constant(n); };
  auto tiles = [&](Expr e, int64_t n) { return arena.ceilDiv(e, number(n)); };
  for (Expr e : {h, w})
    set.declare(e, {Range::between(1, int64_t(1) << 48)});
  // Far from where the symbols start, and with one other value of one of them.
  set.assume(Relation::eq(tiles(h, 16), number(100)));
  EXPECT_TRUE(leavesOpen(models, Relation::le(h, number(1590))));
  EXPECT_TRUE(leavesOpen(models, Relation::eq(tiles(h, 8), number(199))));
  EXPECT_FALSE(leavesOpen(models, Relation::le(h, number(1600))));
  set.assume(Relation::le(h * w, number(int64_t(1) << 40)));
  EXPECT_TRUE(leavesOpen(models, Relation::le(w, number(600'000'000))));
  EXPECT_FALSE(leavesOpen(models, Relation::le(w, number(700'000'000))));
}

TEST(Models, ExcludeOneAnswer) {
  ExprArena arena;
  ConstraintSet set(arena);
  Models models(set);
  Expr a = arena.symbol("a"), b = arena.symbol("b");
  set.assume(Relation::le(a, b));
  Possible implied = models.possibleAnswers(Relation::le(a, b + 1));
  EXPECT_TRUE(implied.isYes && !implied.isNo);
  Possible excluded = models.possibleAnswers(Relation::eq(a, b + 1));
  EXPECT_TRUE(!excluded.isYes && excluded.isNo);
}
