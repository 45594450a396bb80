//===- Witnesses.h - Values that violate one formula alone ------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which of many formulas do not follow from the others, by values that show
// it. For: leaving out proofs that cannot succeed. Not for: proofs. Private to
// Constraints.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_CONSTRAINTS_WITNESSES_H
#define SYMSHAPE_LIB_CONSTRAINTS_WITNESSES_H

#include "symshape/Constraints/ConstraintSet.h"
#include "symshape/Constraints/Formula.h"
#include "llvm/ADT/DenseMap.h"

namespace mlir::symshape {

/// Values of all symbols that satisfy formulas and the facts of a set, and one
/// value changed at a time.
///
/// A formula that such a change violates, while all others that mention the
/// changed symbol still hold, does not follow from the others: the values
/// are the counterexample. So a yes is exact, and a no only says that the
/// short search found nothing. Costs a limited number of evaluations per
/// formula.
///
/// Formulas that share no symbol, even through others, are looked at apart:
/// that no values satisfy some says nothing of the rest.
///
/// Example: of a <= 10, a <= 20 and b <= a, with all symbols 1: a == 11
/// violates the first alone, b == 2 the last. The second has no witness.
class Witnesses {
public:
  Witnesses(const ConstraintSet &set, llvm::ArrayRef<Formula> required);
  bool isNeeded(unsigned i);

private:
  using Value = llvm::DynamicAPInt;
  /// What one symbol is, and which conditions mention it.
  struct Symbol {
    Expr symbol;
    SymbolInfo info;
    Value value;
    llvm::SmallVector<unsigned, 4> conditions;
    unsigned group;
  };
  struct Condition {
    Formula formula;
    size_t size;
    llvm::SmallVector<unsigned, 4> symbols;
    bool holds = false;
  };

  void addCondition(const Formula &f);
  void findGroups();
  void startAlike();
  void repair();
  bool repairOne(unsigned condition);
  bool holds(const Condition &condition);
  bool violates(const Condition &condition);
  std::optional<bool> evaluate(const Condition &condition);
  llvm::SmallVector<Value, 12> valuesFor(const Symbol &symbol,
                                         const Condition &condition) const;
  /// Whether those of `symbol` that held, except `except`, still hold.
  bool keepsOthers(const Symbol &symbol, unsigned except);

  const ConstraintSet &set;
  std::vector<Symbol> symbols;
  std::vector<Condition> conditions;
  llvm::DenseMap<Expr, unsigned> indexOf;
  std::vector<bool> isSatisfied; ///< by group
  unsigned evaluationsLeft = 0;
};

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_CONSTRAINTS_WITNESSES_H
