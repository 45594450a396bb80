//===- Models.cpp - Values at which all facts hold ------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Models.h"
#include "TrialValues.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"

using namespace mlir::symshape;
using llvm::DynamicAPInt;

/// What symbols start as: alike, where what broadcasts has equal extents, and
/// apart, where no two are equal.
static constexpr int64_t modelStarts[] = {1, 2, 0, 5, 64, 3};
static constexpr unsigned firstSpread = 3;
static constexpr unsigned maxModelEvaluations = 100;
/// Symbols of one relation that are changed.
static constexpr unsigned maxModelSymbols = 6;
/// Larger relations are not evaluated: a fact among them ends all models.
static constexpr unsigned maxModelledSize = 512;
/// What is evaluated for the price of one small relation.
static constexpr unsigned sizePerEvaluation = 48;

static bool isEvaluable(const Relation &relation) {
  return relation.lhs.size() <= maxModelledSize &&
         relation.rhs.size() <= maxModelledSize;
}

/// Takes what an evaluation costs from what is left: false if nothing is.
static bool pay(unsigned &left, const Relation &relation) {
  size_t size = relation.lhs.size() + relation.rhs.size();
  bool isLeft = left > 0;
  left -= std::min(left, 1 + unsigned(size / sizePerEvaluation));
  return isLeft;
}

//===----------------------------------------------------------------------===//
// Evaluation
//===----------------------------------------------------------------------===//

std::optional<DynamicAPInt> Models::valueOf(Model &model, Expr symbol) const {
  auto it = model.values.find(symbol);
  if (it != model.values.end())
    return it->second;
  Value start = model.start;
  if (model.isSpread)
    start += DynamicAPInt(int64_t(symbol.id() * 7 % 53));
  std::optional<Value> value = allowedValue(set.info(symbol), start);
  if (value)
    model.values[symbol] = *value;
  return value;
}

std::optional<bool> Models::evaluate(Model &model,
                                     const Relation &relation) const {
  return relation.evaluate([&](Expr s) { return valueOf(model, s); });
}

bool Models::keepsFacts(Model &model, Expr symbol) {
  auto it = factsOf.find(symbol);
  if (it == factsOf.end())
    return true;
  for (FactId id : it->second) {
    if (!pay(evaluationsLeft, set.fact(id)) ||
        evaluate(model, set.fact(id)) != true)
      return false;
  }
  return true;
}

std::optional<std::pair<Expr, DynamicAPInt>>
Models::findChange(Model &model, const Relation &relation, bool wanted) {
  evaluationsLeft = maxModelEvaluations;
  llvm::SmallVector<Expr, 4> symbols = relation.symbols();
  // The newest are most likely free to change.
  llvm::sort(symbols, [](Expr a, Expr b) { return a.id() > b.id(); });
  if (symbols.size() > maxModelSymbols)
    symbols.resize(maxModelSymbols);
  for (Expr symbol : symbols) {
    std::optional<Value> before = valueOf(model, symbol);
    if (!before)
      return std::nullopt;
    auto restore = llvm::scope_exit([&] { model.values[symbol] = *before; });
    for (const Value &value :
         trialValues(&relation, set.info(symbol), *before,
                     [&](Expr s) { return valueOf(model, s); })) {
      if (!pay(evaluationsLeft, relation))
        return std::nullopt;
      model.values[symbol] = value;
      if (evaluate(model, relation) == wanted && keepsFacts(model, symbol))
        return {{symbol, value}};
    }
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// State
//===----------------------------------------------------------------------===//

void Models::start() {
  state.isStarted = true;
  for (unsigned i = 0; i < std::size(modelStarts); ++i) {
    state.models.push_back(std::make_shared<Model>());
    state.models.back()->start = Value(modelStarts[i]);
    state.models.back()->isSpread = i >= firstSpread;
  }
}

std::shared_ptr<Models::Model>
Models::withValue(const Model &model, Expr symbol, const Value &value) {
  auto changed = std::make_shared<Model>(model);
  changed->values[symbol] = value;
  return changed;
}

/// Checks the facts that have come in.
void Models::sync() {
  if (!state.isStarted)
    start();
  for (; state.numChecked < set.numFacts(); ++state.numChecked) {
    const Relation &fact = set.fact(state.numChecked);
    if (!isEvaluable(fact))
      state.models.clear();
    for (std::shared_ptr<Model> &model : state.models) {
      if (evaluate(*model, fact) == true)
        continue;
      auto found = findChange(*model, fact, /*wanted=*/true);
      model = found ? withValue(*model, found->first, found->second) : nullptr;
    }
    llvm::erase(state.models, nullptr);
    for (Expr symbol : fact.symbols())
      factsOf[symbol].push_back(state.numChecked);
  }
}

void Models::declare(Expr symbol, bool widens) {
  const SymbolInfo info = set.info(symbol);
  for (std::shared_ptr<Model> &model : state.models) {
    auto it = model->values.find(symbol);
    if (it == model->values.end() && widens && !levels.empty())
      widened.push_back({model, symbol});
    if (it == model->values.end() ||
        (info.range.contains(it->second) && info.residue.contains(it->second)))
      continue;
    std::optional<Value> value = allowedValue(info, it->second);
    model = value ? withValue(*model, symbol, *value) : nullptr;
    evaluationsLeft = maxModelEvaluations;
    if (model && !keepsFacts(*model, symbol))
      model = nullptr;
  }
  llvm::erase(state.models, nullptr);
}

void Models::push() {
  if (isAsked) // once here, not in each level inside
    sync();
  levels.push_back(state);
  levels.back().numWidened = widened.size();
}

void Models::pop() {
  const State &outer = levels.back();
  while (state.numChecked > outer.numChecked)
    for (Expr symbol : set.fact(--state.numChecked).symbols())
      factsOf[symbol].pop_back();
  for (; widened.size() > outer.numWidened; widened.pop_back())
    widened.back().first->values.erase(widened.back().second);
  state = outer;
  levels.pop_back();
}

bool Models::leaveOpen(const Relation &question) {
  if (!isEvaluable(question))
    return false;
  isAsked = true;
  sync();
  bool isTrue = false, isFalse = false;
  for (const std::shared_ptr<Model> &model : state.models) {
    std::optional<bool> holds = evaluate(*model, question);
    isTrue |= holds == true;
    isFalse |= holds == false;
    if (isTrue && isFalse)
      return true;
  }
  if (isTrue == isFalse) // no models, or no value
    return false;
  // What is found is not kept: it would make one answer's reason depend on
  // which questions came before.
  return llvm::any_of(state.models, [&](const std::shared_ptr<Model> &model) {
    return findChange(*model, question, !isTrue).has_value();
  });
}
