//===- FactChoices.cpp - Facts to leave out -------------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which subsets of the facts FewerFacts asks, in order.
//
//===----------------------------------------------------------------------===//

#include "FewerFacts.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include <numeric>

using namespace mlir::symshape;

/// Symbols beside those of the question of which all subsets are tried.
static constexpr size_t maxOthers = 5;
/// Latest facts without which cases are told apart.
static constexpr size_t maxLatest = 6;

/// Whether an item says something of a symbol.
bool FewerFacts::isAbout(unsigned number, Expr symbol) const {
  return llvm::is_contained(items[number].symbols, symbol);
}

/// Whether it says something of no other one.
bool FewerFacts::isAboutAlone(unsigned number, Expr symbol) const {
  return llvm::equal(items[number].symbols, ArrayRef(symbol));
}

/// The kind of a fact that bounds one symbol by a number, as a declaration
/// does.
FewerFacts::Item::Kind FewerFacts::boundOf(const Item &item) const {
  if (item.kind != Item::Fact || item.symbols.size() != 1)
    return item.kind;
  const Relation &fact = llvm::find_if(connected, [&](const auto &one) {
                           return one.first == item.id;
                         })->second;
  if (fact.kind == Relation::Divides)
    return Item::Class;
  if (fact.kind != Relation::Le)
    return Item::Fact;
  return fact.rhs.isConstant()   ? Item::High
         : fact.lhs.isConstant() ? Item::Low
                                 : Item::Fact;
}

/// Less for later facts; declarations are older than all.
uint64_t FewerFacts::ageOf(unsigned number) const {
  const Item &item = items[number];
  return item.kind == Item::Fact ? UINT32_MAX - uint64_t(item.id) : UINT64_MAX;
}

/// The latest first.
std::vector<unsigned> FewerFacts::itemsByAge() const {
  std::vector<unsigned> numbers(items.size());
  std::iota(numbers.begin(), numbers.end(), 0);
  llvm::stable_sort(numbers, [&](unsigned one, unsigned other) {
    return ageOf(one) < ageOf(other);
  });
  return numbers;
}

/// The latest facts first, as those before them may have been asked already;
/// what bounds one symbol before what relates several.
void FewerFacts::itemise() {
  for (bool isSingle : {true, false}) {
    for (const auto &[id, fact] : llvm::reverse(connected))
      if ((fact.symbols().size() <= 1) == isSingle)
        items.push_back({Item::Fact, id, fact.symbols()});
    if (!isSingle)
      continue;
    for (Expr symbol : symbols) {
      auto it = declared.find(symbol);
      if (it == declared.end())
        continue;
      const SymbolInfo &info = it->second;
      if (!info.residue.isAll())
        items.push_back({Item::Class, 0, {symbol}});
      if (info.range.max)
        items.push_back({Item::High, 0, {symbol}});
      if (info.range.min && (*info.range.min > 1 || *info.range.min < 0))
        items.push_back({Item::Low, 0, {symbol}});
    }
  }
}

/// Nothing; all facts about some symbols that the question does not have, which
/// is where most of what hides a proof is; all ends of one side, and all
/// residues; each item; what is said of one symbol alone; the latest ones, as
/// what came after the facts of a proof does not matter to it; what bounds one
/// symbol, with any other item.
std::vector<FewerFacts::LeftOut> FewerFacts::choices() const {
  unsigned count = items.size();
  auto all = llvm::to_vector(llvm::seq(0u, count));
  std::vector<LeftOut> chosen;
  llvm::DenseSet<LeftOut> seen;
  auto choose = [&](auto numbers) {
    LeftOut leftOut(count);
    for (unsigned number : numbers)
      leftOut.set(number);
    if (seen.insert(leftOut).second)
      chosen.push_back(std::move(leftOut));
  };
  auto chooseIf = [&](auto isChosen) {
    choose(llvm::make_filter_range(all, isChosen));
  };
  choose(ArrayRef<unsigned>());
  auto others = ArrayRef(symbols).drop_front(question.symbols().size());
  unsigned numTried = std::min<size_t>(others.size(), maxOthers);
  for (unsigned kept : llvm::seq(0u, 1u << numTried))
    chooseIf([&](unsigned number) {
      return llvm::any_of(llvm::enumerate(others), [&](auto other) {
        bool isKept = other.index() < numTried && (kept >> other.index() & 1);
        return !isKept && isAbout(number, other.value());
      });
    });
  std::vector<unsigned> byAge = itemsByAge();
  for (Item::Kind kind : {Item::High, Item::Low, Item::Class})
    chooseIf([&](unsigned number) { return boundOf(items[number]) == kind; });
  for (unsigned number : all)
    choose(ArrayRef(number));
  for (Expr symbol : symbols)
    chooseIf([&](unsigned number) { return isAboutAlone(number, symbol); });
  for (unsigned end = 2; end <= count; ++end) {
    choose(ArrayRef(byAge).take_front(end));
    choose(ArrayRef(all).take_front(end));
  }
  for (unsigned bound : all)
    if (items[bound].symbols.size() <= 1)
      for (unsigned other : all)
        choose(ArrayRef({bound, other}));
  return chosen;
}

/// Nothing, all ends of one side, or all residues; each also with the latest
/// items, so that one more fact leaves the same choices, and one more.
std::vector<FewerFacts::LeftOut> FewerFacts::choicesOfLatest() const {
  std::vector<unsigned> byAge = itemsByAge();
  std::vector<LeftOut> chosen;
  auto choose = [&](LeftOut leftOut) {
    if (!llvm::is_contained(chosen, leftOut))
      chosen.push_back(std::move(leftOut));
  };
  for (Item::Kind kind : {Item::Fact, Item::High, Item::Low, Item::Class}) {
    LeftOut leftOut(items.size());
    for (unsigned number : byAge)
      if (kind != Item::Fact && boundOf(items[number]) == kind)
        leftOut.set(number);
    choose(leftOut);
    for (unsigned number : ArrayRef(byAge).take_front(maxLatest)) {
      leftOut.set(number);
      choose(leftOut);
    }
  }
  return chosen;
}

/// All but the facts that were most in the way of values that answer otherwise:
/// one, two and so on. What a short proof needs is mostly among these.
std::vector<FewerFacts::LeftOut> FewerFacts::choicesOfFew() const {
  auto numbers = llvm::to_vector(llvm::seq<unsigned>(0, items.size()));
  llvm::erase_if(numbers, [&](unsigned number) {
    return items[number].kind != Item::Fact;
  });
  llvm::stable_sort(numbers, [&](unsigned one, unsigned other) {
    return resistance.lookup(items[one].id) <
           resistance.lookup(items[other].id);
  });
  std::vector<LeftOut> chosen;
  for (size_t count = numbers.size(); count-- > 1;) {
    LeftOut leftOut(items.size());
    for (unsigned number : ArrayRef(numbers).take_front(count))
      leftOut.set(number);
    chosen.push_back(std::move(leftOut));
  }
  return chosen;
}
