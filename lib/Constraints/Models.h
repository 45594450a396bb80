//===- Models.h - Values at which all facts hold ----------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tells questions that stay open before the expensive tiers look for a proof.
// Private to Constraints.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_CONSTRAINTS_MODELS_H
#define SYMSHAPE_LIB_CONSTRAINTS_MODELS_H

#include "symshape/Constraints/ConstraintSet.h"
#include "llvm/ADT/DenseMap.h"
#include <memory>

namespace mlir::symshape {

/// Which answers to a question are not excluded.
struct Possible {
  bool isYes = true, isNo = true;
};

/// A few assignments of numbers to the symbols of a ConstraintSet, at each of
/// which all its declarations and facts hold (models, as logic has the word).
/// A question that is true at one is not excluded, and one that is false at one
/// is not implied, so that no sound proof of that can be found. Where there are
/// no models, or too few, nothing is said: answers never depend on them, only
/// their cost.
///
/// Facts are looked at when a question comes. One that a model violates is
/// repaired by another value of one of its symbols, where all other facts still
/// hold; else the model goes, until the level ends. Costs per model one
/// evaluation of each fact, and at most `maxModelEvaluations` for a repair.
class Models {
public:
  explicit Models(const ConstraintSet &set) : set(set) {}

  /// After a symbol was declared; `widens`: with values that its default range
  /// does not have. Otherwise there are fewer than before.
  void declare(Expr symbol, bool widens);
  /// Before the set begins, or ends, a level.
  void push();
  void pop();
  /// What a proof of the question may be found for; nothing: it stays open.
  Possible possibleAnswers(const Relation &question);

private:
  using Value = llvm::DynamicAPInt;
  struct Model {
    Value start; ///< of symbols without a value, as far as it is allowed
    bool isSpread = false; ///< they start at different values
    llvm::DenseMap<Expr, Value> values;
  };
  struct State {
    bool isStarted = false;
    size_t numChecked = 0; ///< facts
    size_t numWidened = 0; ///< as the level began
    llvm::SmallVector<std::shared_ptr<Model>, 8> models;
  };

  void start();
  void sync();
  /// A copy: levels around this one may have the model too.
  static std::shared_ptr<Model> withValue(const Model &model, Expr symbol,
                                          const Value &value);
  std::optional<Value> valueOf(Model &model, Expr symbol) const;
  std::optional<bool> evaluate(Model &model, const Relation &relation) const;
  /// A value of one symbol of `relation` that makes it `wanted`, while the
  /// facts that were checked hold; nullopt if there is none in reach.
  std::optional<std::pair<Expr, Value>>
  findChange(Model &model, const Relation &relation, bool wanted);
  std::optional<Value> findTurn(Model &model, const Relation &relation,
                                Expr symbol, const Value &end);
  bool keepsFacts(Model &model, Expr symbol);

  const ConstraintSet &set;
  State state;
  std::vector<State> levels;
  /// Symbols whose values only the level may see that declared them, with
  /// models that outer levels have, too.
  std::vector<std::pair<std::shared_ptr<Model>, Expr>> widened;
  bool isAsked = false;
  llvm::DenseMap<Expr, llvm::SmallVector<FactId, 4>> factsOf;
  unsigned evaluationsLeft = 0;
};

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_CONSTRAINTS_MODELS_H
