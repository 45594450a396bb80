//===- CarriedExtents.h - Extents of what loops carry -----------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What carried tensors are in each iteration, for loops of any dialect. Private
// to Extensions.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_EXTENSIONS_CARRIEDEXTENTS_H
#define SYMSHAPE_LIB_EXTENSIONS_CARRIEDEXTENTS_H

#include "symshape/IR/ShapeFacts.h"

namespace mlir::symshape {

/// The extents of the tensors and memrefs that a loop carries. Each dimension
/// is guessed to be the same in all iterations, else to change by the same
/// amount in each, else to stay on one side of the first extent; the body is
/// visited again with weaker guesses until it confirms them all. Dimensions are
/// independent: one may grow where another is kept.
///
/// Invariant: what is said of a loop rests on guesses that its body confirmed.
class CarriedExtents {
public:
  CarriedExtents(ShapeFacts &facts, ValueRange inits,
                 ArrayRef<BlockArgument> arguments);

  /// Calls `rule`, which visits the loop, as often as needed. What it says on
  /// wrong guesses is forgotten. It calls the functions below, in this order:
  void visit(llvm::function_ref<void()> rule);
  /// Before the body: what its arguments are. `iteration` is how many
  /// iterations came before this one; null if that is not counted.
  void setArguments(Expr iteration = Expr());
  /// At the end of the body, while its facts hold.
  void check(ValueRange yields);
  /// What is known of arguments that change.
  SmallVector<Relation> bounds() const;
  /// After the body, for results that are what the last iteration yields.
  void setResults(ValueRange results, Expr trips = Expr());

private:
  /// From the strongest on; the first one is the value of a new note.
  enum class Guess { Same, Stepped, AtLeast, AtMost, None };
  struct Dim {
    unsigned position; ///< among what is carried
    int64_t number;
    BlockArgument argument;
    Expr first;
    Expr step; ///< what each iteration adds, if that is guessed
    Guess guess;
    Guess rest = Guess::None; ///< what is tried after Stepped
  };

  void say(const Dim &dim, Value value, Expr trips);
  Relation claimOf(const Dim &dim, Expr next) const;
  void weaken(Dim &dim, Expr next);
  void begin(Dim &dim, Guess guess);
  bool isConfirmed();

  ShapeFacts &facts;
  SmallVector<Dim> carried;
  unsigned marker = 0; ///< symbols of larger id may be of the body
  Expr iteration;
  bool isWrong = false, isChecked = false, isLastRound = false;
};

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_EXTENSIONS_CARRIEDEXTENTS_H
