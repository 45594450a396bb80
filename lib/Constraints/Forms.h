//===- Forms.h - Taking polynomials apart -----------------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Syntactic decompositions of expressions that the tiers share. Private to
// Constraints. No facts here.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_CONSTRAINTS_FORMS_H
#define SYMSHAPE_LIB_CONSTRAINTS_FORMS_H

#include "symshape/Expr/Expr.h"

namespace mlir::symshape {

using llvm::ArrayRef;
using llvm::DynamicAPInt;
using llvm::SmallVector;
using llvm::SmallVectorImpl;
using llvm::StringRef;

/// e = scale * primitive + offset, where the primitive has no constant term,
/// content 1 and a positive first coefficient; null for a constant e.
///
/// Example: 6 - 4*B*L - 2*C is -2 * (2*B*L + C) + 6.
struct Form {
  Expr primitive;
  DynamicAPInt scale, offset;
};
Form toForm(Expr e);

/// e = positive - negative + offset, both with positive coefficients only.
struct Sides {
  Expr positive, negative;
};
Sides splitSigns(Expr e);

/// The monomial with coefficient 1 and the given powers.
Expr monomial(ExprArena &arena, ArrayRef<std::pair<Atom, unsigned>> powers);

/// The product of the atoms common to all terms; 1 when there is none.
Expr commonMonomial(Expr e);

/// e / d when that is a polynomial with integer coefficients; else null. What
/// it returns times d is e, always.
Expr divideExactly(Expr e, Expr d);

/// e = cofactor * atom + rest, with the atom in neither at the top level; null
/// cofactor when the atom occurs there with a higher power.
struct LinearSplit {
  Expr cofactor, rest;
};
LinearSplit splitLinear(Expr e, Atom atom);

/// The positive divisors of a number >= 1. Cost: its root.
SmallVector<int64_t, 16> positiveDivisors(int64_t number);

/// The atoms of an expression, at any depth, the outermost first.
SmallVector<Atom, 8> atomsOf(Expr e);

/// Whether `atom` occurs in `e`, at any depth.
bool mentions(Expr e, Atom atom);

/// The first atom of one of the kinds that occurs as a factor of a term.
Atom findFactor(Expr e, llvm::function_ref<bool(Atom)> matches);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_CONSTRAINTS_FORMS_H
