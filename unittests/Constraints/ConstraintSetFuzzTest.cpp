//===- ConstraintSetFuzzTest.cpp - Answers against enumeration ------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Random facts over small domains: no Yes, No, bound, residue or simplification
// may be contradicted by an assignment that satisfies the facts; levels restore
// answers; minimised requirements imply the others. SYMSHAPE_FUZZ_ITERATIONS
// runs more, from SYMSHAPE_FUZZ_SEED on.
//
//===----------------------------------------------------------------------===//

#include "../Expr/RandomExpr.h"
#include "symshape/Constraints/ConstraintSet.h"
#include "symshape/Constraints/Formula.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"
#include <cstdlib>

using namespace mlir::symshape;
using namespace mlir::symshape::test;
using llvm::DynamicAPInt;

namespace {
struct Setting {
  static unsigned number(const char *name, unsigned standard) {
    const char *text = std::getenv(name);
    return text ? unsigned(std::atoi(text)) : standard;
  }
};

/// A relation between trees, decided directly, beside the one over expressions.
struct Claim {
  Relation::Kind kind = Relation::Eq;
  Tree lhs, rhs;
  Relation relation;

  bool holds(const Assignment &at) const {
    int64_t a = lhs.evaluate(at), b = rhs.evaluate(at);
    switch (kind) {
    case Relation::Eq:
      return a == b;
    case Relation::Ne:
      return a != b;
    case Relation::Le:
      return a <= b;
    case Relation::Divides:
      return a == 0 ? b == 0 : b % a == 0;
    }
    return false;
  }
};

/// Symbols with small domains, facts, and the assignments that satisfy them.
struct Problem {
  ExprArena arena;
  ConstraintSet set{arena};
  RandomTrees random;
  std::vector<Expr> symbols;
  std::vector<Claim> facts;
  std::vector<Assignment> models;

  explicit Problem(unsigned seed) : random(seed, 1) {
    unsigned count = 2 + seed % 3;
    random = RandomTrees(seed, count);
    static const char *const names[] = {"x", "y", "B", "n"};
    std::vector<Assignment> domains;
    for (unsigned i = 0; i < count; ++i) {
      symbols.push_back(arena.symbol(names[i]));
      domains.push_back(declare(symbols.back(), count));
    }
    enumerate(domains);
    if (models.empty())
      return;
    Assignment witness = models[random.uniform(0, models.size() - 1)];
    unsigned wanted = random.uniform(0, 6);
    for (unsigned i = 0; i < wanted; ++i) {
      Claim fact = claim(2);
      if (fact.holds(witness) || random.chance(10))
        assume(fact);
    }
  }

  /// Declares a symbol, or leaves the default; returns values to try.
  Assignment declare(Expr symbol, unsigned count) {
    int64_t lo = 0, hi = count == 4 ? 4 : 6;
    if (random.chance(60)) {
      SymbolInfo info;
      lo = random.uniform(-4, 2);
      hi = lo + random.uniform(0, count == 4 ? 4 : 6);
      info.range = Range::between(lo, hi);
      if (random.chance(20))
        info.range.max.reset();
      if (random.chance(30))
        info.residue = Residue::of(DynamicAPInt(random.uniform(-2, 3)),
                                   DynamicAPInt(random.uniform(1, 3)));
      set.declare(symbol, info);
    }
    Assignment values;
    SymbolInfo declared = set.info(symbol);
    for (int64_t v = lo; v <= hi; ++v)
      if (declared.range.contains(DynamicAPInt(v)) &&
          declared.residue.contains(DynamicAPInt(v)))
        values.push_back(v);
    return values;
  }

  void enumerate(const std::vector<Assignment> &domains) {
    models.assign(1, {});
    for (const Assignment &domain : domains) {
      std::vector<Assignment> longer;
      for (const Assignment &prefix : models)
        for (int64_t value : domain) {
          longer.push_back(prefix);
          longer.back().push_back(value);
        }
      models = std::move(longer);
    }
  }

  Claim claim(int depth) {
    Claim c;
    c.kind = Relation::Kind(random.uniform(0, 3));
    if (c.kind == Relation::Ne && random.chance(50))
      c.kind = Relation::Le;
    bool isLinear = random.chance(40);
    c.lhs = isLinear ? random.linear() : random.tree(depth);
    c.rhs = isLinear ? random.linear() : random.tree(depth);
    if (c.kind == Relation::Divides && random.chance(70)) {
      c.lhs = Tree();
      c.lhs.value = random.uniform(-3, 4);
    }
    // Claims near the facts are the interesting ones.
    if (!facts.empty() && random.chance(40)) {
      const Claim &near = facts[random.uniform(0, facts.size() - 1)];
      c.lhs = random.chance(70) ? near.lhs : near.rhs;
      if (random.chance(60))
        c.rhs = random.chance(50) ? near.rhs : near.lhs;
    }
    c.relation = {c.kind, c.lhs.build(arena, symbols),
                  c.rhs.build(arena, symbols)};
    return c;
  }

  void assume(const Claim &fact) {
    set.assume(fact.relation);
    facts.push_back(fact);
    llvm::erase_if(models,
                   [&](const Assignment &at) { return !fact.holds(at); });
  }

  std::string describe() const {
    std::string text;
    for (Expr symbol : symbols) {
      llvm::raw_string_ostream os(text);
      os << symbol.str() << " in ";
      set.info(symbol).range.print(os);
      os << ", ";
      set.info(symbol).residue.print(os);
      os << "\n";
    }
    for (const Claim &fact : facts)
      text += "assume " + fact.relation.str() + "\n";
    return text;
  }
};

struct Score {
  unsigned decided = 0, decidable = 0;
};

/// What the set answers may not contradict a model.
void checkClaim(Problem &p, const Claim &c, Score &score) {
  bool someTrue = false, someFalse = false;
  for (const Assignment &at : p.models)
    (c.holds(at) ? someTrue : someFalse) = true;
  Answer answer = p.set.prove(c.relation);
  ASSERT_FALSE(answer.isYes() && someFalse)
      << p.describe() << "wrong yes: " << c.relation.str() << " by "
      << answer.reason;
  ASSERT_FALSE(answer.isNo() && someTrue && !p.set.isContradictory())
      << p.describe() << "wrong no: " << c.relation.str() << " by "
      << answer.reason;
  if (someTrue != someFalse) {
    ++score.decidable;
    score.decided += answer.verdict != Verdict::Unknown;
  }
}

void checkExpr(Problem &p, const Tree &tree) {
  Expr e = tree.build(p.arena, p.symbols);
  Range range = p.set.bounds(e);
  Residue residue = p.set.residue(e);
  Expr simple = p.set.simplify(e);
  for (const Assignment &at : p.models) {
    int64_t value = tree.evaluate(at);
    ASSERT_TRUE(range.contains(DynamicAPInt(value)))
        << p.describe() << "bounds of " << e.str();
    ASSERT_TRUE(residue.contains(DynamicAPInt(value)))
        << p.describe() << "residue of " << e.str();
    ASSERT_EQ(value, evaluateCanonical(simple, at, p.symbols))
        << p.describe() << e.str() << " simplified to " << simple.str();
  }
}

unsigned firstSeed() { return Setting::number("SYMSHAPE_FUZZ_SEED", 0); }
unsigned lastSeed(unsigned standard) {
  return firstSeed() + Setting::number("SYMSHAPE_FUZZ_ITERATIONS", standard);
}
} // namespace

TEST(ConstraintSetFuzz, AnswersAreNotContradicted) {
  Score score;
  for (unsigned seed = firstSeed(), end = lastSeed(1500); seed < end; ++seed) {
    Problem p(seed);
    ASSERT_FALSE(p.set.isContradictory() && !p.models.empty())
        << "seed " << seed << "\n"
        << p.describe();
    for (int i = 0; i < 8; ++i) {
      checkClaim(p, p.claim(i % 3), score);
      checkExpr(p, p.random.tree(2));
      if (testing::Test::HasFatalFailure()) {
        ADD_FAILURE() << "seed " << seed;
        return;
      }
    }
  }
  RecordProperty("decided", score.decided);
  RecordProperty("decidable", score.decidable);
  if (std::getenv("SYMSHAPE_FUZZ_ITERATIONS"))
    llvm::errs() << "decided " << score.decided << " of " << score.decidable
                 << "\n";
}

TEST(ConstraintSetFuzz, LevelsRestoreAnswers) {
  for (unsigned seed = firstSeed(), end = lastSeed(400); seed < end; ++seed) {
    Problem p(seed);
    std::vector<Claim> claims;
    std::vector<Answer> before;
    for (int i = 0; i < 6; ++i) {
      claims.push_back(p.claim(2));
      before.push_back(p.set.prove(claims.back().relation));
    }
    std::vector<Assignment> models = p.models;
    std::vector<Claim> facts = p.facts;
    Score score;
    p.set.push();
    p.assume(p.claim(2));
    p.set.push();
    p.assume(p.claim(1));
    for (const Claim &c : claims)
      checkClaim(p, c, score);
    p.set.pop();
    p.set.pop();
    p.models = models;
    p.facts = facts;
    for (size_t i = claims.size(); i-- > 0;) {
      Answer after = p.set.prove(claims[i].relation);
      ASSERT_EQ(int(after.verdict), int(before[i].verdict))
          << "seed " << seed << "\n"
          << p.describe() << claims[i].relation.str();
      ASSERT_TRUE(after.facts == before[i].facts) << "seed " << seed;
    }
    if (testing::Test::HasFatalFailure())
      return;
  }
}

TEST(ConstraintSetFuzz, FactsNamedSuffice) {
  for (unsigned seed = firstSeed(), end = lastSeed(400); seed < end; ++seed) {
    Problem p(seed);
    Claim c = p.claim(2);
    std::vector<std::string> chain;
    Answer answer = p.set.explain(c.relation, chain);
    ASSERT_FALSE(chain.empty());
    if (answer.verdict == Verdict::Unknown || p.set.isContradictory())
      continue;
    // Models of the named facts alone may not contradict the answer.
    Problem again(seed);
    std::vector<Assignment> domain;
    for (Expr symbol : again.symbols) {
      SymbolInfo info = again.set.info(symbol);
      domain.emplace_back();
      for (int64_t v = -4; v <= 8; ++v)
        if (info.range.contains(DynamicAPInt(v)) &&
            info.residue.contains(DynamicAPInt(v)))
          domain.back().push_back(v);
    }
    again.enumerate(domain);
    for (const Assignment &at : again.models) {
      bool satisfied = true;
      for (FactId id : answer.facts)
        satisfied &= p.facts[id].holds(at);
      ASSERT_FALSE(satisfied && c.holds(at) != answer.isYes())
          << "seed " << seed << "\n"
          << p.describe() << c.relation.str();
    }
  }
}

TEST(ConstraintSetFuzz, MinimisedRequirementsImplyTheOthers) {
  for (unsigned seed = firstSeed(), end = lastSeed(300); seed < end; ++seed) {
    Problem p(seed);
    std::vector<Claim> claims;
    std::vector<Relation> required;
    for (int i = 0; i < 5; ++i) {
      claims.push_back(p.claim(1));
      required.push_back(claims.back().relation);
    }
    std::vector<unsigned> kept = p.set.minimise(required);
    for (const Assignment &at : p.models) {
      bool allKept = true, all = true;
      for (unsigned i : kept)
        allKept &= claims[i].holds(at);
      for (const Claim &c : claims)
        all &= c.holds(at);
      ASSERT_EQ(allKept, all) << "seed " << seed << "\n" << p.describe();
    }
  }
}

TEST(ConstraintSetFuzz, FormulasAreNotContradicted) {
  for (unsigned seed = firstSeed(), end = lastSeed(400); seed < end; ++seed) {
    Problem p(seed);
    std::vector<Claim> claims{p.claim(1), p.claim(1), p.claim(1)};
    auto literal = [&](int i) { return Formula::literal(claims[i].relation); };
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
      ASSERT_FALSE(answer.isYes() && !holds(at)) << p.describe() << f.str();
      ASSERT_FALSE(answer.isNo() && holds(at)) << p.describe() << f.str();
      if (simple.isTrue() || simple.isFalse())
        ASSERT_EQ(simple.isTrue(), holds(at)) << p.describe() << f.str();
      if (!holds(at))
        continue;
      ASSERT_FALSE(contradictory) << p.describe() << f.str();
      ASSERT_FALSE(under.isYes() && !c.holds(at)) << p.describe() << f.str();
      ASSERT_FALSE(under.isNo() && c.holds(at)) << p.describe() << f.str();
    }
  }
}
