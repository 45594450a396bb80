//===- PlainRelation.h - A relation as a person would say it ----*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For messages: what two sides share is left out. Not for: what is checked.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_CONSTRAINTS_PLAINRELATION_H
#define SYMSHAPE_CONSTRAINTS_PLAINRELATION_H

#include "symshape/Constraints/ConstraintSet.h"

namespace mlir::symshape {

/// Says the same as a relation r, wherever the facts hold:
///
/// - if `nonzero` is empty, r holds exactly where `relation` holds or one of
///   `factors` is 0;
/// - else r holds exactly where none of `nonzero` is 0.
///
/// Example: `256*B*L + B == 256*B*S + B` is `L == S`, unless B is 0.
struct PlainRelation {
  Relation relation;
  llvm::SmallVector<Expr> factors;
  llvm::SmallVector<Expr> nonzero;
};

/// The same relation, as `k | e` where it says that k*(e floordiv k), or
/// k*(e ceildiv k), is e. `isPositive` is asked of a k that is not a number;
/// by default, of none is it known.
Relation foldMultiple(
    const Relation &relation,
    llvm::function_ref<bool(Expr)> isPositive = [](Expr) { return false; });

/// `relation` without the terms and factors that its sides have in common.
PlainRelation makePlain(const Relation &relation, ConstraintSet &facts);

} // namespace mlir::symshape

#endif // SYMSHAPE_CONSTRAINTS_PLAINRELATION_H
