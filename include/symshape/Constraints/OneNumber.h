//===- OneNumber.h - Conditions on one number, as classes -------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which numbers from 0 up a condition on one unknown lets pass: for messages,
// where that is short to say, and for conditions of which others say more. Not
// for: what facts on several unknowns imply.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_CONSTRAINTS_ONENUMBER_H
#define SYMSHAPE_CONSTRAINTS_ONENUMBER_H

#include "symshape/Constraints/Formula.h"

namespace mlir::symshape {

/// The same condition, for every value from 0 up of the one symbol of `f`, made
/// of residues and intervals: `N mod 32` in {0, 25..31} for
/// `4*((N + 31) floordiv 32) == (N + 7) floordiv 8`. Nothing where it has
/// several symbols, says that already, or is not known to be so from some
/// number on, or where that takes more than a few of them.
///
/// A quotient by a number grows by the same over each period, so that from some
/// number on a relation between sums of them repeats, or is decided; what comes
/// before is tried.
std::optional<Formula> sayByClasses(const Formula &f);

/// Indices, ascending, of those of `conditions`, all on one same number, that
/// imply the others for every value of it from 0 up; of a rounding and a
/// coarser one, the coarser alone. All stay of which it is not known, or where
/// none has a quotient, `min`, `max` or `bc`. Of two that say the same the
/// later stays.
std::vector<unsigned> minimiseOfOneNumber(llvm::ArrayRef<Formula> conditions);

/// A run of residues: `dividend mod modulus <= most`, as `sayByClasses` writes
/// it.
struct ResidueRun {
  Expr dividend;
  int64_t modulus, most;
};
std::optional<ResidueRun> readResidueRun(const Formula &f);

/// Residues of one symbol, ascending: those of a run, of `d | N`, and of
/// several of them under `or`.
struct ResidueSet {
  Expr symbol;
  int64_t modulus;
  llvm::SmallVector<int64_t> residues;
};
std::optional<ResidueSet> readResidueSet(const Formula &f);

} // namespace mlir::symshape

#endif // SYMSHAPE_CONSTRAINTS_ONENUMBER_H
