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
#include "ValueSearch.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir::symshape;

/// Facts around a question of which subsets are tried: if there are more, none
/// is, or, for a person, those of the nearest ones.
static constexpr size_t maxConnected = 24, maxNearest = 48;
/// What one search for cases may cost in the affine tier.
static constexpr uint64_t stepsOfCases = 500'000;
/// What one subset may cost in the affine tier, and all of them until the next
/// round. Most proofs that a fact has hidden are short, so many subsets are
/// looked at briefly, then the first ones for longer.
struct Round {
  uint64_t ofOne, ofAll;
};
static constexpr Round rounds[] = {{6'000, 200'000},
                                   {16'000, 300'000},
                                   {60'000, 700'000},
                                   {150'000, 1'500'000}};

FewerFacts::FewerFacts(ExprArena &arena, ArrayRef<Relation> facts,
                       const Declarations &declared, const Relation &question,
                       Effort effort)
    : arena(arena), declared(declared), question(question), effort(effort) {
  connect(facts);
  if (!isTooMuch)
    itemise();
}

/// The facts that share symbols with the question, or with one of these: what
/// bounds one symbol first, as if it had been declared so, then by age. Of what
/// is said twice, the first counts.
void FewerFacts::connect(ArrayRef<Relation> facts) {
  llvm::DenseSet<Expr> reached;
  auto reach = [&](const Relation &relation) {
    for (Expr symbol : relation.symbols())
      if (reached.insert(symbol).second)
        symbols.push_back(symbol);
  };
  reach(question);
  auto isReached = [&](const Relation &fact) {
    return llvm::any_of(fact.symbols(),
                        [&](Expr symbol) { return reached.contains(symbol); });
  };
  for (size_t before = 0; before != symbols.size();) {
    before = symbols.size();
    for (const Relation &fact : facts)
      if (isReached(fact))
        reach(fact);
  }
  llvm::DenseSet<std::pair<unsigned, std::pair<Expr, Expr>>> seen;
  for (bool isSingle : {true, false})
    for (auto [id, fact] : llvm::enumerate(facts)) {
      if ((fact.symbols().size() <= 1) != isSingle || !isReached(fact) ||
          !seen.insert({unsigned(fact.kind), {fact.lhs, fact.rhs}}).second)
        continue;
      connected.push_back({FactId(id), fact});
      isTooMuch =
          effort != Effort::Exhaustive && connected.size() > maxConnected;
      if (isTooMuch)
        return;
    }
  if (connected.size() > maxConnected)
    dropImplied();
  if (connected.size() > maxNearest)
    keepNearest();
}

/// Drops what bounds a symbol by a number, where another fact does so more
/// closely.
void FewerFacts::dropImplied() {
  llvm::DenseMap<std::pair<Expr, unsigned>, std::pair<DynamicAPInt, FactId>>
      best;
  auto read = [](const Relation &fact) {
    bool isUpper = fact.rhs.isConstant();
    Expr symbol = isUpper ? fact.lhs : fact.rhs;
    auto end = (isUpper ? fact.rhs : fact.lhs).asConstant();
    bool isBound = fact.kind == Relation::Le && end && symbol.asSymbol();
    return std::tuple(isBound, std::pair(symbol, unsigned(isUpper)),
                      isUpper ? -end.value_or(DynamicAPInt(0))
                              : end.value_or(DynamicAPInt(0)));
  };
  for (const auto &[id, fact] : connected)
    if (auto [isBound, side, end] = read(fact); isBound)
      if (auto it = best.try_emplace(side, end, id).first;
          end > it->second.first)
        it->second = {end, id};
  llvm::erase_if(connected, [&](const auto &one) {
    auto [isBound, side, end] = read(one.second);
    return isBound && best.find(side)->second.second != one.first;
  });
}

/// Keeps those that are taken first if the next is always the one that adds the
/// fewest symbols to those of the question and of the facts before: what a
/// proof needs is mostly about few symbols.
void FewerFacts::keepNearest() {
  llvm::DenseSet<Expr> reached;
  auto reach = [&](const SmallVector<Expr, 4> &more) {
    reached.insert(more.begin(), more.end());
  };
  auto isReached = [&](Expr symbol) { return reached.contains(symbol); };
  reach(question.symbols());
  std::vector<std::pair<size_t, SmallVector<Expr, 4>>> left;
  for (auto [number, one] : llvm::enumerate(connected))
    left.push_back({number, one.second.symbols()});
  llvm::BitVector isKept(connected.size());
  while (isKept.count() < maxNearest) {
    size_t fewest = SIZE_MAX, best = 0;
    for (auto [place, one] : llvm::enumerate(left)) {
      size_t known = llvm::count_if(one.second, isReached);
      if (known > 0 && one.second.size() - known < fewest) {
        fewest = one.second.size() - known;
        best = place;
      }
    }
    if (fewest == SIZE_MAX)
      break;
    isKept.set(left[best].first);
    reach(left[best].second);
    left.erase(left.begin() + best);
  }
  size_t number = 0;
  llvm::erase_if(connected, [&](const auto &) { return !isKept[number++]; });
  llvm::erase_if(symbols, [&](Expr symbol) { return !isReached(symbol); });
}

/// Without its lower end a symbol is still known to be positive, or not to be
/// negative, if it is.
SymbolInfo FewerFacts::infoWithout(Expr symbol, const LeftOut &leftOut) const {
  SymbolInfo info;
  if (auto it = declared.find(symbol); it != declared.end())
    info = it->second;
  for (unsigned number : leftOut.set_bits()) {
    const Item &item = items[number];
    if (item.kind == Item::Fact || !isAbout(number, symbol))
      continue;
    if (item.kind == Item::Class)
      info.residue = Residue();
    else if (item.kind == Item::High)
      info.range.max = std::nullopt;
    else if (*info.range.min > 1)
      info.range.min = DynamicAPInt(1);
    else
      info.range.min = std::nullopt;
  }
  return info;
}

/// The connected facts without those that are left out.
SmallVector<std::pair<FactId, Relation>, 16>
FewerFacts::factsWithout(const LeftOut &leftOut) const {
  llvm::SmallDenseSet<FactId, 16> idsOut;
  for (unsigned number : leftOut.set_bits())
    if (items[number].kind == Item::Fact)
      idsOut.insert(items[number].id);
  SmallVector<std::pair<FactId, Relation>, 16> facts = connected;
  llvm::erase_if(facts,
                 [&](const auto &one) { return idsOut.contains(one.first); });
  return facts;
}

/// Tells `k` all but what is left out.
void FewerFacts::tell(Knowledge &k, const LeftOut &leftOut) const {
  for (Expr symbol : symbols)
    k.declare(symbol, infoWithout(symbol, leftOut));
  for (const auto &[id, fact] : factsWithout(leftOut))
    k.add(fact, id);
}

Answer FewerFacts::decideWithout(const LeftOut &leftOut,
                                 const Possible &possible, uint64_t most) {
  Knowledge k(arena);
  StepBudget budget{most};
  if (leftOut.any())
    k.budget = &budget;
  tell(k, leftOut);
  Why why = k.contradictionWhy;
  Verdict verdict = Verdict::Yes;
  if (k.contradictory)
    k.rule = "contradictory facts";
  else if ((verdict = k.decideQuickly(question, why)) == Verdict::Unknown)
    verdict = k.decideByLinearFacts(question, possible, why);
  Answer answer;
  if (verdict != Verdict::Unknown)
    answer = {verdict, k.reasons.collect(why), k.rule};
  else
    answer = decideBySupposing(k, possible);
  numSteps += k.steps;
  return answer;
}

/// The id of what is supposed, which is no fact of the set.
static constexpr FactId supposedId = std::numeric_limits<FactId>::max() / 2;

/// What cannot be true together with the facts is false.
Answer FewerFacts::decideBySupposing(Knowledge &k, const Possible &possible) {
  auto excludes = [&](const Relation &supposed, Verdict verdict) -> Answer {
    auto mark = k.beginLevel();
    k.add(supposed, supposedId);
    Why why = k.contradictionWhy;
    bool isExcluded = k.contradictory ||
                      k.refutesFactsAround(supposed.rhs - supposed.lhs, why);
    Answer answer;
    if (isExcluded)
      answer = {verdict, k.reasons.collect(why),
                "contradiction of its opposite"};
    k.endLevel(mark);
    llvm::erase(answer.facts, supposedId);
    return answer;
  };
  Answer answer;
  if (std::optional<Relation> opposite = question.negation();
      opposite && possible.isYes)
    answer = excludes(*opposite, Verdict::Yes);
  if (answer.verdict == Verdict::Unknown && possible.isNo)
    answer = excludes(question, Verdict::No);
  return answer;
}

/// The facts, but some, and the opposite of an answer, in cases.
Answer FewerFacts::decideByCases(const LeftOut &leftOut, Verdict wanted,
                                 CaseSearch::Kinds kinds) {
  Knowledge k(arena);
  StepBudget budget{stepsOfCases};
  tell(k, leftOut);
  SmallVector<Relation, 16> facts;
  for (const auto &[id, fact] : factsWithout(leftOut))
    facts.push_back(fact);
  std::optional<Relation> opposite =
      wanted == Verdict::No ? question : question.negation();
  if (!opposite && question.lhs.asConstant().value_or(DynamicAPInt(0)) > 0)
    opposite =
        Relation::ne(arena.mod(question.rhs, question.lhs), arena.zero());
  if (opposite) {
    facts.push_back(*opposite);
    k.add(*opposite, supposedId);
  }
  k.budget = &budget;
  auto used =
      CaseSearch(k, facts, symbols, supposedId).decide(question, wanted, kinds);
  numCaseSteps += k.steps;
  return used ? Answer{wanted, *used, "cases"} : Answer();
}

/// With all facts, then without the latest, or the bounds of one kind.
Answer FewerFacts::decideByCases(const Possible &possible) {
  for (const LeftOut &leftOut : choicesOfLatest())
    for (auto kinds : {CaseSearch::Kinds::Values, CaseSearch::Kinds::All})
      for (Verdict wanted : {Verdict::Yes, Verdict::No}) {
        if (!(wanted == Verdict::Yes ? possible.isYes : possible.isNo))
          continue;
        Answer answer = decideByCases(leftOut, wanted, kinds);
        if (answer.verdict != Verdict::Unknown)
          return answer;
      }
  return {};
}

/// Adds all facts to the search; false if one is too large.
bool FewerFacts::state(ValueSearch &search) const {
  auto hasSymbol = [&](Expr symbol) {
    return search.addSymbol(symbol, infoWithout(symbol, {}));
  };
  auto isCondition = [&](const auto &fact) {
    return search.addCondition(fact.second, /*holds=*/true);
  };
  return llvm::all_of(symbols, hasSymbol) &&
         llvm::all_of(connected, isCondition);
}

/// Without the answers that values exclude at which the facts hold.
Possible FewerFacts::withoutExcluded(Possible possible) {
  ValueSearch search;
  if (!state(search))
    return possible;
  auto isExcluded = [&](bool holds) {
    if (!search.addCondition(question, !holds))
      return false;
    bool isFound = search.findValues();
    for (auto [number, fact] : llvm::enumerate(connected))
      if (!isFound)
        resistance[fact.first] += search.timesViolated(number);
    search.dropLastCondition();
    return isFound;
  };
  possible.isYes = possible.isYes && !isExcluded(true);
  possible.isNo = possible.isNo && !isExcluded(false);
  numSteps += search.steps();
  return possible;
}

Answer FewerFacts::decide(const Possible &given) {
  if (isTooMuch)
    return {};
  Possible possible = withoutExcluded(given);
  if (!possible.isYes && !possible.isNo)
    return {};
  std::vector<LeftOut> all = choices();
  size_t numRounds = effort == Effort::Exhaustive ? std::size(rounds) : 1;
  for (const Round &round : ArrayRef(rounds).take_front(numRounds)) {
    for (const LeftOut &leftOut : all) {
      if (numSteps > round.ofAll)
        break;
      if (leftOut.none() && &round != rounds)
        continue; // that had no limit
      Answer answer = decideWithout(leftOut, possible, round.ofOne);
      if (answer.verdict != Verdict::Unknown)
        return answer;
    }
    if (&round == rounds && numRounds > 1) {
      if (Answer answer = decideByCases(possible);
          answer.verdict != Verdict::Unknown)
        return answer;
      std::vector<LeftOut> few = choicesOfFew();
      all.insert(all.begin(), few.begin(), few.end());
    }
  }
  return {};
}

/// Where values as far as this are found, there is taken to be no end.
static constexpr int64_t farValue = int64_t(1) << 24;

Range FewerFacts::bounds(Expr e, Range known) {
  ValueSearch search;
  if (isTooMuch || !state(search))
    return known;
  // Whether no values are found at which `e` is at this end.
  auto isOpen = [&](bool isUpper) {
    const auto &end = isUpper ? known.max : known.min;
    Expr value = arena.constant(
        end.value_or(DynamicAPInt(isUpper ? farValue : -farValue)));
    Relation reaches =
        isUpper ? Relation::le(value, e) : Relation::le(e, value);
    if (!search.addCondition(reaches, /*holds=*/true))
      return false;
    uint64_t before = search.steps();
    bool isFound = search.findValues();
    numSteps += search.steps() - before;
    search.dropLastCondition();
    return !isFound;
  };
  bool isMinOpen = isOpen(/*isUpper=*/false), isMaxOpen = isOpen(true);
  std::vector<LeftOut> all = choices();
  for (const Round &round : ArrayRef(rounds).slice(1, 2))
    for (const LeftOut &leftOut : all) {
      if ((!isMinOpen && !isMaxOpen) || numSteps > round.ofAll)
        break;
      if (leftOut.none())
        continue; // that is what is known
      Knowledge k(arena);
      StepBudget budget{round.ofOne};
      k.budget = &budget;
      tell(k, leftOut);
      Range found = alignTo(k.boundsByLinearFacts(e, k.bounds(e)).range,
                            k.residue(e).first);
      numSteps += k.steps;
      Range both = Range::intersect(known, found);
      if (k.contradictory || both.isEmpty())
        return known;
      bool isMinMoved = both.min != known.min;
      bool isMaxMoved = both.max != known.max;
      known = both;
      if (isMinMoved)
        isMinOpen = isOpen(/*isUpper=*/false);
      if (isMaxMoved)
        isMaxOpen = isOpen(/*isUpper=*/true);
    }
  return known;
}
