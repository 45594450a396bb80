//===- ValueSearch.h - Values that answer a question one way ----*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A longer search for values than that of Models, for questions that would cost
// much more. For: telling that a question stays open. Not for: proofs. Private
// to Constraints.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_CONSTRAINTS_VALUESEARCH_H
#define SYMSHAPE_LIB_CONSTRAINTS_VALUESEARCH_H

#include "Forms.h"
#include "symshape/Constraints/ConstraintSet.h"
#include "llvm/ADT/DenseMap.h"

namespace mlir::symshape {

/// Values of 64 bits at which conditions hold: a local search, which changes
/// one symbol of a violated condition at a time, and starts again from other
/// small values if that leads nowhere.
///
/// Deterministic. Undefined or overflowing arithmetic counts as violated; so
/// what is found is right, and nothing follows from finding nothing.
class ValueSearch {
public:
  ValueSearch() = default;

  /// A symbol, which takes values of its declaration alone. False: there is
  /// none of 64 bits.
  bool addSymbol(Expr symbol, const SymbolInfo &info);
  /// The relation shall hold, or shall not, at the values. False: it is too
  /// large. Its symbols have been added.
  bool addCondition(const Relation &relation, bool holds);
  void dropLastCondition();

  /// Whether values were found at which all conditions hold.
  bool findValues();

  /// How often the last search had values at which condition `number` does not
  /// hold. Those that contradict one another have been in its way most.
  unsigned timesViolated(unsigned number) const {
    return conditions[number].timesViolated;
  }

  /// What it has cost: evaluations of small conditions, a few per step.
  uint64_t steps() const { return numEvaluations / 4; }

private:
  /// What one instruction computes from values before it; constants and symbols
  /// have values already.
  struct Instruction {
    enum Op { Add, Multiply, FloorDiv, Min, Max, Bc } op;
    unsigned target, lhs, rhs;
  };
  struct Condition {
    Relation relation;
    bool holds;
    unsigned lhs, rhs; ///< of Divides; of others, `rhs` is the gap
    std::vector<Instruction> code;
    SmallVector<unsigned, 4> symbols;
    unsigned timesViolated = 0;
  };
  struct Symbol {
    int64_t min, max, modulus, remainder;
    SmallVector<unsigned, 8> conditions;
  };
  class Compiler;

  uint64_t random(uint64_t end);
  int64_t allowed(const Symbol &symbol, int64_t value) const;
  int64_t smallValue(const Symbol &symbol);
  std::optional<int64_t> evaluate(const Condition &condition);
  unsigned violation(const Condition &condition);
  unsigned violationAround(unsigned symbol, int64_t value);
  void restart(unsigned round);
  void assign(unsigned symbol, int64_t value);
  void improve();
  bool isExact() const;
  SmallVector<int64_t, 24> valuesFor(unsigned symbol,
                                     const Condition &condition);

  std::vector<Symbol> symbols; ///< value i is that of symbol i
  llvm::DenseMap<Expr, unsigned> numberOf;
  std::vector<int64_t> values;
  std::vector<Condition> conditions;
  std::vector<unsigned> violations; ///< by condition; 0: it holds
  uint64_t state = 0x9e3779b97f4a7c15;
  uint64_t numEvaluations = 0;
};

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_CONSTRAINTS_VALUESEARCH_H
