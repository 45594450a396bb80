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
/// A formula that is violated after such a change, where all that mention the
/// changed symbol hold still, does not follow from the others: the values are
/// the counterexample. So it is exact where it answers yes, and a no says only
/// that the search, which is short, found nothing. Costs a number of
/// evaluations per formula that has a limit.
///
/// Formulas that share no symbol, also not through others, are looked at
/// apart: where no values satisfy some, that says nothing of the rest.
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
  /// Whether those of `symbol` that held, but `except`, hold still.
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
