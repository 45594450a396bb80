//===- QuestionLog.cpp - What questions cost ------------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See QuestionLog.h.
//
//===----------------------------------------------------------------------===//

#include "symshape/Constraints/QuestionLog.h"
#include "llvm/ADT/STLExtras.h"
#include <ctime>

using namespace mlir::symshape;

/// What there is of each thread.
static thread_local struct {
  QuestionLog *log = nullptr;
  QuestionCount count;
  bool isAsking = false;
} ofThread;

QuestionCount QuestionCount::ofThread() { return ::ofThread.count; }

QuestionLog::QuestionLog() : outer(ofThread.log) { ofThread.log = this; }
QuestionLog::~QuestionLog() { ofThread.log = outer; }
QuestionLog *QuestionLog::current() { return ofThread.log; }

void QuestionLog::tellMade(const ConstraintSet &set) {
  if (QuestionLog *log = ofThread.log)
    ++log->arenas[&set.arena()].numSets;
}

void QuestionLog::tellGone(const ConstraintSet &set) {
  QuestionLog *log = ofThread.log;
  if (!log)
    return;
  log->places.erase(&set);
  auto it = log->arenas.find(&set.arena());
  if (it != log->arenas.end() && --it->second.numSets <= 0)
    log->arenas.erase(it);
}

//===----------------------------------------------------------------------===//
// One question
//===----------------------------------------------------------------------===//

/// Seconds of the processor that the thread has had.
static double now() {
  timespec time = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return double(time.tv_sec) + 1e-9 * double(time.tv_nsec);
}

QuestionLog::Watch::Watch(const ConstraintSet &set, Kind kind, Expr lhs,
                          Expr rhs, Relation::Kind relation)
    : set(set), kind(kind), relation{relation, lhs, rhs},
      isInner(std::exchange(ofThread.isAsking, true)) {
  if (isInner)
    return;
  ++ofThread.count.numAsked;
  if (ofThread.log && !ofThread.log->isAsking)
    log = ofThread.log;
  if (!log)
    return;
  log->isAsking = true;
  stepsBefore = set.steps();
  begin = now();
}

QuestionLog::Watch::~Watch() {
  if (isInner)
    return;
  ofThread.isAsking = false;
  ofThread.count.numDecided += isDecided;
  if (log)
    stop();
}

void QuestionLog::Watch::stop() {
  double seconds = now() - begin;
  uint64_t steps = set.steps() - stepsBefore;
  const void *place = log->places.lookup(&set);
  unsigned number = unsigned(kind) * 8 + unsigned(relation.kind);
  OfArena &arena = log->arenas[&set.arena()];
  auto [it, isNew] = arena.indices.try_emplace(
      Key{{number, place}, {relation.lhs, relation.rhs}},
      log->questions.size());
  if (isNew)
    log->questions.push_back({spell(arena, kind, relation), place, 0, 0, 0, 0});
  Question &question = log->questions[it->second];
  ++question.numAsked;
  question.numDecided += isDecided;
  question.numSteps += steps;
  question.seconds += seconds;
  log->isAsking = false;
}

/// The text of an expression, unless nobody would read it.
static std::string spellSide(Expr e) {
  constexpr unsigned longest = 100;
  return e.size() <= longest
             ? e.str()
             : "an expression of " + std::to_string(e.size()) + " parts";
}

static std::string spellRelation(const Relation &relation) {
  static constexpr const char *words[] = {" == ", " != ", " <= ", " | "};
  return spellSide(relation.lhs) + words[relation.kind] +
         spellSide(relation.rhs);
}

std::string QuestionLog::spell(const OfArena &arena, Kind kind,
                               const Relation &relation) {
  std::string text;
  switch (kind) {
  case Kind::Relation:
    text = spellRelation(relation);
    break;
  case Kind::Bounds:
    text = "bounds of " + spellSide(relation.lhs);
    break;
  case Kind::Residue:
    text = "residues of " + spellSide(relation.lhs);
    break;
  case Kind::Simplest:
    text = "a simpler form of " + spellSide(relation.lhs);
    break;
  case Kind::Conflict:
    return "whether the facts contradict one another";
  }
  constexpr unsigned most = 4;
  unsigned count = 0;
  llvm::SmallVector<Expr, 4> symbols =
      kind == Kind::Relation
          ? relation.symbols()
          : Relation::eq(relation.lhs, relation.lhs).symbols();
  for (Expr symbol : symbols) {
    auto it = arena.meanings.find(symbol);
    if (it == arena.meanings.end())
      continue;
    if (count++ == most)
      return text + ", ...";
    text += (count == 1 ? "; " : ", ") + symbol.str() + ": " + it->second;
  }
  return text;
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

static void add(QuestionLog::Question &sum,
                const QuestionLog::Question &question) {
  sum.numAsked += question.numAsked;
  sum.numDecided += question.numDecided;
  sum.numSteps += question.numSteps;
  sum.seconds += question.seconds;
}

std::vector<QuestionLog::Question>
QuestionLog::getCostliest(size_t most) const {
  // One analysis asks what another has asked, of expressions of its own.
  std::map<std::pair<const void *, llvm::StringRef>, Question> sums;
  for (const Question &question : questions) {
    Question &sum = sums[{question.place, question.text}];
    sum.text = question.text;
    sum.place = question.place;
    add(sum, question);
  }
  std::vector<Question> sorted;
  for (auto &[key, sum] : sums)
    sorted.push_back(std::move(sum));
  llvm::sort(sorted, [](const Question &a, const Question &b) {
    return std::tie(b.seconds, a.text) < std::tie(a.seconds, b.text);
  });
  if (sorted.size() > most)
    sorted.resize(most);
  return sorted;
}

QuestionLog::Question QuestionLog::getTotal() const {
  Question total;
  for (const Question &question : questions)
    add(total, question);
  return total;
}
