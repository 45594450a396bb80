//===- EntailmentsBench.cpp - The time of questions without IR ------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Benchmarks.h"
#include "Entailments.h"

#include "benchmark/benchmark.h"
#include <chrono>
#include <map>

using namespace mlir::symshape;

namespace {
using Clock = std::chrono::steady_clock;

double microseconds(Clock::time_point begin, Clock::time_point end) {
  return std::chrono::duration<double, std::micro>(end - begin).count();
}

struct Share {
  unsigned questions = 0;
  double time = 0;
};

void runEntailments(benchmark::State &state,
                    llvm::ArrayRef<Entailment> entailments, ExprArena &arena) {
  double assumed = 0, cold = 0, memoised = 0;
  unsigned right = 0, rounds = 0;
  std::map<std::string, Share> tiers, kinds;
  for (auto _ : state) {
    double before = cold;
    ++rounds;
    for (const Entailment &entailment : entailments) {
      ConstraintSet set(arena);
      auto start = Clock::now();
      for (const auto &[symbol, info] : entailment.symbols)
        set.declare(symbol, info);
      for (const Relation &fact : entailment.facts)
        set.assume(fact);
      auto asked = Clock::now();
      Answer answer = set.prove(entailment.question);
      auto answered = Clock::now();
      benchmark::DoNotOptimize(set.prove(entailment.question));
      auto again = Clock::now();
      assumed += microseconds(start, asked);
      double time = microseconds(asked, answered);
      cold += time;
      memoised += microseconds(answered, again);
      right += entailment.holds ? answer.isYes() : answer.isNo();
      std::string tier =
          answer.verdict == Verdict::Unknown ? "undecided" : answer.reason;
      for (Share *share : {&tiers[tier], &kinds[entailment.kind.str()]}) {
        ++share->questions;
        share->time += time;
      }
    }
    state.SetIterationTime((cold - before) * 1e-6);
  }
  double questions = double(rounds) * entailments.size();
  state.counters["right"] = right / questions;
  state.counters["assume"] = assumed / questions;
  state.counters["cold"] = cold / questions;
  state.counters["memoised"] = memoised / questions;
  for (const auto &[group, shares] :
       {std::make_pair("tier ", &tiers), std::make_pair("kind ", &kinds)})
    for (const auto &[name, share] : *shares) {
      state.counters[group + name + ", share"] = share.questions / questions;
      state.counters[group + name] = share.time / share.questions;
    }
}

/// x0 < x1 < ... < x200: is x0 < x200?
Entailment makeChain(ExprArena &arena) {
  Entailment chain;
  auto link = [&](unsigned i) { return arena.symbol("x" + std::to_string(i)); };
  for (unsigned i = 0; i < 200; ++i)
    chain.facts.push_back(Relation::lt(link(i), link(i + 1)));
  chain.question = Relation::lt(link(0), link(200));
  return chain;
}

/// x0 + ... + x199 == 1000: is each <= 1000? The last one is asked about.
Entailment makeSum(ExprArena &arena) {
  Entailment sum;
  Expr all = arena.zero(), last;
  for (unsigned i = 0; i < 200; ++i) {
    last = arena.symbol("x" + std::to_string(i));
    all = all + last;
  }
  sum.facts.push_back(Relation::eq(all, arena.constant(1000)));
  sum.question = Relation::le(last, arena.constant(1000));
  return sum;
}
} // namespace

void mlir::symshape::registerEntailments(unsigned count, unsigned seed) {
  static ExprArena arena;
  auto add = [](const char *name, std::vector<Entailment> entailments) {
    benchmark::RegisterBenchmark(
        name,
        [entailments = std::move(entailments)](benchmark::State &state) {
          runEntailments(state, entailments, arena);
        })
        ->UseManualTime()
        ->Unit(benchmark::kMicrosecond);
  };
  add("entailments", makeEntailments(arena, count, seed));
  add("chain of 200", {makeChain(arena)});
  add("sum of 200", {makeSum(arena)});
}
