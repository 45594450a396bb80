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
static constexpr int64_t modelStarts[] = {1, 2, 0, int64_t(1) << 40, 5, 64, 3};
static constexpr unsigned firstSpread = 4;
static constexpr unsigned maxModelEvaluations = 300;
/// Symbols of one relation that are changed.
static constexpr unsigned maxModelSymbols = 6;
/// Larger relations are not evaluated: a fact among them ends all models.
static constexpr unsigned maxModelledSize = 4096;
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

/// The value of `symbol`, on the way from its present one to `end`, from which
/// on the sides of `relation` compare in another way; one of them if there are
/// more, and nullopt if they compare the same at `end`.
std::optional<DynamicAPInt> Models::findTurn(Model &model,
                                             const Relation &relation,
                                             Expr symbol, const Value &end) {
  Expr gap = relation.rhs - relation.lhs;
  auto compare = [&](const Value &value) -> std::optional<int> {
    model.values[symbol] = value;
    auto difference = gap.arena().evaluateExact(
        gap, [&](Expr s) { return valueOf(model, s); });
    if (!difference || !pay(evaluationsLeft, relation))
      return std::nullopt;
    if (relation.kind == Relation::Le)
      return *difference >= 0;
    return *difference > 0 ? 1 : *difference < 0 ? -1 : 0;
  };
  Value near = model.values[symbol], far = end;
  std::optional<int> first = compare(near), last = compare(far);
  if (!first || !last || first == last)
    return std::nullopt;
  while (abs(far - near) > 1) {
    Value middle = floorDiv(near + far, Value(2));
    std::optional<int> between = compare(middle);
    if (!between)
      return std::nullopt;
    (between == first ? near : far) = middle;
  }
  return far;
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
    const SymbolInfo info = set.info(symbol);
    auto serves = [&](const Value &value) {
      model.values[symbol] = value;
      return evaluate(model, relation) == wanted && keepsFacts(model, symbol);
    };
    for (const Value &value :
         trialValues(&relation, info, *before,
                     [&](Expr s) { return valueOf(model, s); })) {
      if (!pay(evaluationsLeft, relation))
        return std::nullopt;
      if (serves(value))
        return {{symbol, value}};
    }
    if (relation.kind == Relation::Divides)
      continue;
    for (const auto &end : {info.range.max, info.range.min}) {
      model.values[symbol] = *before;
      auto turn = end ? findTurn(model, relation, symbol, *end) : std::nullopt;
      std::optional<Value> value =
          turn ? allowedValue(info, *turn) : std::nullopt;
      if (value && serves(*value))
        return {{symbol, *value}};
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

Possible Models::possibleAnswers(const Relation &question) {
  Possible possible;
  if (!isEvaluable(question))
    return possible;
  isAsked = true;
  sync();
  for (const std::shared_ptr<Model> &model : state.models) {
    std::optional<bool> holds = evaluate(*model, question);
    if (holds)
      (*holds ? possible.isNo : possible.isYes) = false;
    if (!possible.isYes && !possible.isNo)
      return possible;
  }
  if (possible.isYes && possible.isNo) // no models, or no value
    return possible;
  // What is found is not kept: it would make one answer's reason depend on
  // which questions came before.
  bool isFound =
      llvm::any_of(state.models, [&](const std::shared_ptr<Model> &model) {
        return findChange(*model, question, possible.isNo).has_value();
      });
  return isFound ? Possible{false, false} : possible;
}
