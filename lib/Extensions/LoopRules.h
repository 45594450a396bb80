//===- LoopRules.h - Values carried by loops --------------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What carried tensors, carried scalars and loop variables are in each turn,
// for loops of any dialect.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_EXTENSIONS_LOOPRULES_H
#define SYMSHAPE_LIB_EXTENSIONS_LOOPRULES_H

#include "symshape/Extensions/RuleHelpers.h"

namespace mlir::symshape {

/// The extents of the tensors and memrefs that a loop carries. Each dimension
/// is guessed to be the same in all turns, else to change by the same amount in
/// each, else to stay on one side of the first one; the body is visited again
/// with weaker guesses until it confirms them all. Dimensions are independent:
/// one may grow where another is kept.
///
/// Invariant: what is said of a loop rests on guesses that its body confirmed.
class CarriedExtents {
public:
  CarriedExtents(ShapeFacts &facts, ValueRange inits,
                 ArrayRef<BlockArgument> arguments);

  /// Calls `rule`, which visits the loop, as often as it takes. What it says on
  /// wrong guesses is forgotten. It calls the others, in this order:
  void visit(llvm::function_ref<void()> rule);
  /// Before the body: what its arguments are. `iteration` is how many turns
  /// came before this one; null where turns are not counted.
  void setArguments(Expr iteration = Expr());
  /// At the end of the body, while its facts hold.
  void check(ValueRange yields);
  /// What is known of arguments that change.
  SmallVector<Relation> bounds() const;
  /// After the body, for results that are what the last turn hands on.
  void setResults(ValueRange results, Expr trips = Expr());

private:
  /// From the strongest on; the first one is what a new note says.
  enum class Guess { Same, Stepped, AtLeast, AtMost, None };
  struct Dim {
    unsigned position; ///< among what is carried
    int64_t number;
    BlockArgument argument;
    Expr first;
    Expr step; ///< what each turn adds, where that is guessed
    Guess guess;
    Guess rest = Guess::None; ///< what is tried after Stepped
  };

  void say(const Dim &dim, Value value, Expr turns);
  Relation claimOf(const Dim &dim, Expr next) const;
  void weaken(Dim &dim, Expr next);
  void begin(Dim &dim, Guess guess);
  bool isConfirmed();

  ShapeFacts &facts;
  SmallVector<Dim> carried;
  unsigned marker = 0; ///< symbols of larger id may be of the body
  Expr turn;
  bool isWrong = false, isChecked = false, isLastRound = false;
};

/// Before the body of a counted loop is visited: its variable starts at `lower`
/// and grows by `step` >= 1 while it is below `upper`. Returns the condition
/// under which there is an iteration.
Formula setLoopVariable(ShapeFacts &facts, Value variable, Expr lower,
                        Expr upper, Expr step);

/// How many iterations such a loop has, 0 at least.
Expr tripCount(ShapeFacts &facts, Expr lower, Expr upper, Expr step);

/// The values that a counted loop carries. `iteration` is how many iterations
/// came before the current one, `trips` how many there are, 0 at least.
struct CountedLoop {
  ValueRange inits;
  SmallVector<BlockArgument> arguments;
  ValueRange yields, results;
  Expr iteration, trips;
};

/// Before the body is visited: what the carried scalars are, inside and after
/// the loop.
void setCarriedScalars(ShapeFacts &facts, const CountedLoop &loop);

/// The rule of a counted loop, whose variable is the first argument of `body`
/// and starts at `lower`, and grows by `step` >= 1 while it is below `upper`.
void countedLoopRule(ShapeFacts &facts, CountedLoop loop, Region &body,
                     Expr lower, Expr upper, Expr step);

/// How a value compares with what was carried into the iteration.
struct Growth {
  bool atLeast = false, atMost = false;
};

/// How `value`, computed in an iteration, compares with `argument`, which the
/// loop carried into it. Sums count where their op does not wrap, or their
/// result fits whenever `premise` holds.
Growth growthOf(ShapeFacts &facts, Value value, BlockArgument argument,
                const Formula &premise);

/// That `later` is on its side of `start`, when each iteration grows so.
void implyGrowth(ShapeFacts &facts, Growth growth, Expr start, Expr later);

/// Makes the rule of scf.while the model of the op.
void attachWhileRule(MLIRContext *context);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_EXTENSIONS_LOOPRULES_H
