//===- PythonConditions.h - Conditions as Python evaluates them -*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For programs that read what is known of a function. Not for people: see
// Validity.h.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_ANALYSIS_PYTHONCONDITIONS_H
#define SYMSHAPE_ANALYSIS_PYTHONCONDITIONS_H

#include "symshape/Analysis/Validity.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringSet.h"

namespace mlir::symshape {

/// Conditions as expressions of Python over integers, whose names are
/// identifiers: `H >= 3`, `N % 32 == 0`, `x_dim0 == (M if L == 1 else L)`.
/// Names of people are kept where Python takes them.
class PythonConditions {
public:
  /// A name in the conditions; what a person reads in its place (`spellPlainly`
  /// over `ConditionNames`), empty if that is a number; and the dim of an
  /// argument that it is, or, of another value, words.
  struct Name {
    std::string name, text;
    std::optional<unsigned> argument;
    unsigned dim = 0;
    std::string origin;
  };

  PythonConditions(FunctionShapes &shapes, IsWritten isWritten)
      : shapes(shapes), isWritten(std::move(isWritten)) {}

  /// nullopt where no relation says it, or where the text would be very long.
  /// A division by 0, of which Python makes an exception, is in no valid call.
  std::optional<std::string> spell(const Formula &condition);
  /// The names of all conditions so far, in the order of first use.
  std::vector<Name> names() const;

private:
  std::string spell(Expr e, bool isWhole);
  std::string spell(const Expr::Term &term);
  std::string spell(Atom atom);
  std::string spellBroadcast(ArrayRef<Expr> operands);
  std::string spellList(ArrayRef<Expr> operands);
  std::string spellPart(const Formula &f, bool isInner);
  std::string spellDivides(const Formula &f);
  std::string nameOf(Expr symbol);
  std::string makeIdentifier(std::string text);

  FunctionShapes &shapes;
  IsWritten isWritten;
  llvm::MapVector<Expr, Name> known;
  llvm::StringSet<> taken;
  bool isTooLong = false;
};

} // namespace mlir::symshape

#endif // SYMSHAPE_ANALYSIS_PYTHONCONDITIONS_H
