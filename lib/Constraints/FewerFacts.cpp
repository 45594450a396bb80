//===- FewerFacts.cpp - What some of the facts decide ---------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See FewerFacts.h.
//
//===----------------------------------------------------------------------===//

#include "FewerFacts.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir::symshape;

/// Facts around a question of which subsets are tried.
static constexpr size_t maxConnected = 24;
/// What all subsets may cost.
static constexpr uint64_t maxSteps = 300'000;

FewerFacts::FewerFacts(ExprArena &arena, ArrayRef<Relation> facts,
                       const Declarations &declared, const Relation &question)
    : arena(arena), declared(declared), question(question) {
  connect(facts);
  if (!isTooMuch)
    itemise();
}

/// The facts that share symbols with the question, or with one of these.
void FewerFacts::connect(ArrayRef<Relation> facts) {
  llvm::DenseSet<Expr> reached;
  auto reach = [&](const Relation &relation) {
    for (Expr symbol : relation.symbols())
      if (reached.insert(symbol).second)
        symbols.push_back(symbol);
  };
  reach(question);
  llvm::DenseSet<std::pair<unsigned, std::pair<Expr, Expr>>> seen;
  std::vector<bool> isTaken(facts.size());
  for (bool grows = true; grows;) {
    grows = false;
    for (auto [id, fact] : llvm::enumerate(facts)) {
      if (isTaken[id] || llvm::none_of(fact.symbols(), [&](Expr symbol) {
            return reached.contains(symbol);
          }))
        continue;
      isTaken[id] = grows = true;
      if (!seen.insert({unsigned(fact.kind), {fact.lhs, fact.rhs}}).second)
        continue;
      reach(fact);
      connected.push_back({FactId(id), fact});
      if (connected.size() > maxConnected) {
        isTooMuch = true;
        return;
      }
    }
  }
  llvm::sort(connected,
             [](const auto &a, const auto &b) { return a.first < b.first; });
}

/// The latest facts first, as those before them may have been asked already;
/// what bounds one symbol before what relates several.
void FewerFacts::itemise() {
  for (bool isSingle : {true, false}) {
    for (const auto &[id, fact] : llvm::reverse(connected))
      if ((fact.symbols().size() <= 1) == isSingle)
        items.push_back({Item::Fact, id, Expr()});
    if (!isSingle)
      continue;
    for (Expr symbol : symbols) {
      auto it = declared.find(symbol);
      if (it == declared.end())
        continue;
      const SymbolInfo &info = it->second;
      if (!info.residue.isAll())
        items.push_back({Item::Class, 0, symbol});
      if (info.range.max)
        items.push_back({Item::High, 0, symbol});
      if (info.range.min && (*info.range.min > 1 || *info.range.min < 0))
        items.push_back({Item::Low, 0, symbol});
    }
  }
}

/// Without its lower end a symbol is still known to be positive, or not to be
/// negative, if it is.
SymbolInfo FewerFacts::infoWithout(Expr symbol, size_t number) const {
  SymbolInfo info;
  if (auto it = declared.find(symbol); it != declared.end())
    info = it->second;
  const Item &item = items[number];
  if (item.symbol != symbol)
    return info;
  if (item.kind == Item::Class)
    info.residue = Residue();
  else if (item.kind == Item::High)
    info.range.max = std::nullopt;
  else if (*info.range.min > 1)
    info.range.min = DynamicAPInt(1);
  else
    info.range.min = std::nullopt;
  return info;
}

Answer FewerFacts::decideWithout(size_t number, const Possible &possible) {
  Knowledge k(arena);
  for (Expr symbol : symbols)
    k.declare(symbol, infoWithout(symbol, number));
  for (const auto &[id, fact] : connected)
    if (items[number].kind != Item::Fact || items[number].id != id)
      k.add(fact, id);
  Why why = k.contradictionWhy;
  Verdict verdict = Verdict::Yes;
  if (k.contradictory)
    k.rule = "contradictory facts";
  else if ((verdict = k.decideQuickly(question, why)) == Verdict::Unknown)
    verdict = k.decideByLinearFacts(question, possible, why);
  numSteps += k.steps;
  if (verdict == Verdict::Unknown)
    return {};
  return {verdict, k.reasons.collect(why), k.rule};
}

Answer FewerFacts::decide(const Possible &possible) {
  if (isTooMuch)
    return {};
  for (size_t without = 0; without < items.size(); ++without) {
    Answer answer = decideWithout(without, possible);
    if (answer.verdict != Verdict::Unknown || numSteps > maxSteps)
      return answer;
  }
  return {};
}
