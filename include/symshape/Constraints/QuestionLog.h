//===- QuestionLog.h - What questions cost ----------------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For those who want to know what fact sets are asked, from where, and what the
// answers cost. Without a log, a question looks at one pointer more. Not for:
// limits (StepBudget).
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_CONSTRAINTS_QUESTIONLOG_H
#define SYMSHAPE_CONSTRAINTS_QUESTIONLOG_H

#include "symshape/Constraints/ConstraintSet.h"
#include "llvm/ADT/DenseMap.h"
#include <map>

namespace mlir::symshape {

/// How many questions were put to fact sets, and how many of them were not
/// answered from memory. One inside another counts as a part of it.
struct QuestionCount {
  uint64_t numAsked = 0, numDecided = 0;
  /// Those of the thread so far.
  static QuestionCount ofThread();
};

/// Collects what is asked on the thread that makes it, while it lives. Of two
/// on one thread, the later one.
class QuestionLog {
public:
  /// A question in the words of the program, from one place.
  struct Question {
    std::string text;
    /// The place, as `setPlace` was given it; null: not known.
    const void *place = nullptr;
    uint64_t numAsked = 0;
    uint64_t numDecided = 0; ///< of these, not answered from memory
    uint64_t numSteps = 0;   ///< as `ConstraintSet::steps`
    double seconds = 0;      ///< of the processor
  };
  /// What is asked; of an expression unless it is about a relation.
  enum class Kind { Relation, Bounds, Residue, Simplest, Conflict };

  QuestionLog();
  ~QuestionLog();
  QuestionLog(const QuestionLog &) = delete;
  QuestionLog &operator=(const QuestionLog &) = delete;

  /// That of the thread, or null.
  static QuestionLog *current();

  /// From now on, questions to `set` come from `place`, which means something
  /// to the caller alone.
  void setPlace(const ConstraintSet &set, const void *place) {
    places[&set] = place;
  }
  /// What a symbol that the program does not name stands for.
  void describe(Expr symbol, std::string words) {
    arenas[&symbol.arena()].meanings[symbol] = std::move(words);
  }

  /// The costliest first; at most `most` of them.
  std::vector<Question> getCostliest(size_t most) const;
  /// The sums over all questions.
  Question getTotal() const;

  /// Around the work for one question. One inside another counts as a part of
  /// it.
  class Watch {
  public:
    Watch(const ConstraintSet &set, Kind kind, Expr lhs, Expr rhs = Expr(),
          Relation::Kind relation = Relation::Eq);
    Watch(const ConstraintSet &set, const Relation &relation)
        : Watch(set, Kind::Relation, relation.lhs, relation.rhs,
                relation.kind) {}
    Watch(const Watch &) = delete;
    Watch &operator=(const Watch &) = delete;
    ~Watch();
    /// The answer is not known from before.
    void decides() { isDecided = true; }

  private:
    void stop();

    QuestionLog *log = nullptr; ///< null: nobody wants to know
    const ConstraintSet &set;
    Kind kind;
    Relation relation;
    bool isDecided = false, isInner;
    uint64_t stepsBefore = 0;
    double begin = 0;
  };

  /// A set comes to be, or goes.
  static void tellMade(const ConstraintSet &set);
  static void tellGone(const ConstraintSet &set);

private:
  /// Kind and place of what is asked, and its sides.
  using Key =
      std::pair<std::pair<unsigned, const void *>, std::pair<Expr, Expr>>;

  /// What there is of an arena that has a set. With its last set its
  /// expressions may go, and others come to be where they were.
  struct OfArena {
    int numSets = 0;
    llvm::DenseMap<Key, size_t> indices;
    llvm::DenseMap<Expr, std::string> meanings;
  };

  static std::string spell(const OfArena &arena, Kind kind,
                           const Relation &relation);

  QuestionLog *outer; ///< that of the thread before
  bool isAsking = false;
  std::vector<Question> questions;
  std::map<const ExprArena *, OfArena> arenas;
  llvm::DenseMap<const ConstraintSet *, const void *> places;
};

} // namespace mlir::symshape

#endif // SYMSHAPE_CONSTRAINTS_QUESTIONLOG_H
