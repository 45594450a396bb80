//===- TrialValues.h - Values of symbols worth a try ------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What searches for counterexamples try. Private to Constraints.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_CONSTRAINTS_TRIALVALUES_H
#define SYMSHAPE_LIB_CONSTRAINTS_TRIALVALUES_H

#include "symshape/Constraints/ConstraintSet.h"

namespace mlir::symshape {

/// The declared value nearest to `value` from above, else from below; nullopt
/// if none is near.
std::optional<llvm::DynamicAPInt> allowedValue(const SymbolInfo &info,
                                               llvm::DynamicAPInt value);

using ValueOf =
    llvm::function_ref<std::optional<llvm::DynamicAPInt>(Expr symbol)>;

/// Allowed values of one of its symbols, other than the present one, that may
/// change whether `relation` holds: near values, 0, what makes both sides equal
/// where the symbol is on one of them, and the ends. Null: no relation to aim
/// at.
llvm::SmallVector<llvm::DynamicAPInt, 12>
trialValues(const Relation *relation, const SymbolInfo &info,
            const llvm::DynamicAPInt &present, ValueOf valueOf);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_CONSTRAINTS_TRIALVALUES_H
