//===- Witnesses.cpp - Values that violate one formula alone --------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All symbols start alike, as near to one number as their declarations allow;
// conditions that this violates are repaired one by one.
//
//===----------------------------------------------------------------------===//

#include "Witnesses.h"
#include "TrialValues.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir::symshape;
using llvm::ArrayRef;
using llvm::DynamicAPInt;
using llvm::SmallVector;

/// What symbols start as, the best first. At 1, a product changes with each of
/// its factors.
static constexpr int64_t starts[] = {1, 0, 2, 16, 64, 1024};
/// How many evaluations of small conditions a repair may cost, and the search
/// for one witness: a change of a symbol concerns every condition of it.
static constexpr unsigned maxEvaluationsOfRepair = 200;
static constexpr unsigned maxEvaluations = 2000;
/// What is evaluated for the price of one small condition.
static constexpr size_t sizePerEvaluation = 48;
/// Symbols of one condition that are changed.
static constexpr unsigned maxSymbols = 8;
static constexpr unsigned maxRepairs = 3;
/// Larger conditions are not evaluated.
static constexpr size_t maxEvaluatedSize = 4096;

static size_t sizeOf(const Formula &f) {
  size_t size =
      f.isLiteral() ? f.relation.lhs.size() + f.relation.rhs.size() : 1;
  for (const Formula &part : f.parts)
    size += sizeOf(part);
  return size;
}

//===----------------------------------------------------------------------===//
// What there is
//===----------------------------------------------------------------------===//

Witnesses::Witnesses(const ConstraintSet &set, llvm::ArrayRef<Formula> required)
    : set(set) {
  for (const Formula &f : required)
    addCondition(f);
  for (FactId id = 0; id < set.numFacts(); ++id)
    addCondition(set.fact(id));
  findGroups();
  startAlike();
  repair();
  isSatisfied.assign(symbols.size(), true);
  for (const Condition &condition : conditions)
    if (!condition.holds)
      for (unsigned s : condition.symbols)
        isSatisfied[symbols[s].group] = false;
}

void Witnesses::addCondition(const Formula &f) {
  Condition condition{f, sizeOf(f), {}, false};
  for (Expr symbol : f.symbols()) {
    auto [it, isNew] = indexOf.try_emplace(symbol, symbols.size());
    if (isNew)
      symbols.push_back({symbol, set.info(symbol), Value(0), {}, 0});
    if (llvm::is_contained(condition.symbols, it->second))
      continue;
    condition.symbols.push_back(it->second);
    symbols[it->second].conditions.push_back(conditions.size());
  }
  conditions.push_back(std::move(condition));
}

void Witnesses::findGroups() {
  llvm::EquivalenceClasses<unsigned> classes;
  for (unsigned s = 0; s < symbols.size(); ++s)
    classes.insert(s);
  for (const Condition &condition : conditions)
    for (unsigned s : condition.symbols)
      classes.unionSets(condition.symbols.front(), s);
  for (unsigned s = 0; s < symbols.size(); ++s)
    symbols[s].group = classes.getLeaderValue(s);
}

//===----------------------------------------------------------------------===//
// Evaluation
//===----------------------------------------------------------------------===//

std::optional<bool> Witnesses::evaluate(const Condition &condition) {
  if (condition.size > maxEvaluatedSize)
    return std::nullopt;
  return condition.formula.evaluate(
      [&](Expr symbol) -> std::optional<DynamicAPInt> {
        return symbols[indexOf.lookup(symbol)].value;
      });
}

bool Witnesses::holds(const Condition &condition) {
  return evaluate(condition) == true;
}

/// Undefined does not count as violated: nothing is known of a quotient by 0.
bool Witnesses::violates(const Condition &condition) {
  return evaluate(condition) == false;
}

bool Witnesses::keepsOthers(const Symbol &symbol, unsigned except) {
  for (unsigned other : symbol.conditions) {
    if (other == except || !conditions[other].holds)
      continue;
    if (evaluationsLeft == 0)
      return false;
    size_t cost = 1 + conditions[other].size / sizePerEvaluation;
    evaluationsLeft -= std::min<size_t>(evaluationsLeft, cost);
    if (!holds(conditions[other]))
      return false;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

/// Starts each group with the number that violates the fewest of its
/// conditions.
void Witnesses::startAlike() {
  std::vector<unsigned> fewest(symbols.size(), conditions.size() + 1);
  std::vector<int64_t> best(symbols.size(), starts[0]);
  auto startAt = [&](llvm::function_ref<int64_t(const Symbol &)> start) {
    for (Symbol &symbol : symbols)
      symbol.value = allowedValue(symbol.info, DynamicAPInt(start(symbol)))
                         .value_or(Value(0));
  };
  for (int64_t start : starts) {
    startAt([&](const Symbol &) { return start; });
    std::vector<unsigned> violated(symbols.size(), 0);
    for (const Condition &condition : conditions) {
      if (condition.symbols.empty())
        continue;
      unsigned group = symbols[condition.symbols.front()].group;
      if (violated[group] < fewest[group] && fewest[group] > 0)
        violated[group] += !holds(condition);
    }
    for (unsigned group = 0; group < symbols.size(); ++group)
      if (violated[group] < fewest[group]) {
        fewest[group] = violated[group];
        best[group] = start;
      }
  }
  startAt([&](const Symbol &symbol) { return best[symbol.group]; });
  for (Condition &condition : conditions)
    condition.holds = holds(condition);
  // A symbol without an allowed value satisfies nothing.
  for (const Symbol &symbol : symbols)
    if (!symbol.info.range.contains(symbol.value) ||
        !symbol.info.residue.contains(symbol.value))
      for (unsigned index : symbol.conditions)
        conditions[index].holds = false;
}

SmallVector<Witnesses::Value, 12>
Witnesses::valuesFor(const Symbol &symbol, const Condition &condition) const {
  const Formula &f = condition.formula;
  return trialValues(f.isLiteral() ? &f.relation : nullptr, symbol.info,
                     symbol.value, [&](Expr s) -> std::optional<DynamicAPInt> {
                       return symbols[indexOf.lookup(s)].value;
                     });
}

bool Witnesses::repairOne(unsigned index) {
  Condition &condition = conditions[index];
  evaluationsLeft = maxEvaluationsOfRepair;
  for (unsigned s : ArrayRef(condition.symbols)
                        .take_front(std::min<size_t>(
                            maxSymbols, condition.symbols.size()))) {
    Symbol &symbol = symbols[s];
    Value before = symbol.value;
    for (const Value &value : valuesFor(symbol, condition)) {
      symbol.value = value;
      if (holds(condition) && keepsOthers(symbol, index)) {
        for (unsigned other : symbol.conditions)
          conditions[other].holds = holds(conditions[other]);
        return true;
      }
    }
    symbol.value = before;
  }
  return false;
}

void Witnesses::repair() {
  for (unsigned round = 0; round < maxRepairs; ++round) {
    bool isChanged = false;
    for (unsigned index = 0; index < conditions.size(); ++index)
      if (!conditions[index].holds &&
          conditions[index].size <= maxEvaluatedSize)
        isChanged |= repairOne(index);
    if (!isChanged)
      return;
  }
}

bool Witnesses::isNeeded(unsigned index) {
  const Condition &condition = conditions[index];
  if (condition.symbols.empty() ||
      !isSatisfied[symbols[condition.symbols.front()].group])
    return false;
  evaluationsLeft = maxEvaluations;
  // Symbols that few conditions mention are most likely free to change.
  SmallVector<unsigned, 8> order(condition.symbols.begin(),
                                 condition.symbols.end());
  llvm::sort(order, [&](unsigned a, unsigned b) {
    return std::pair(symbols[a].conditions.size(), a) <
           std::pair(symbols[b].conditions.size(), b);
  });
  if (order.size() > maxSymbols)
    order.resize(maxSymbols);
  for (unsigned s : order) {
    Symbol &symbol = symbols[s];
    Value before = symbol.value;
    bool isFound = false;
    for (const Value &value : valuesFor(symbol, condition)) {
      symbol.value = value;
      isFound = violates(condition) && keepsOthers(symbol, index);
      if (isFound)
        break;
    }
    symbol.value = before;
    if (isFound)
      return true;
  }
  return false;
}
