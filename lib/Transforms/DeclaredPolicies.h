//===- DeclaredPolicies.h - What may become of symbols ----------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks what a function requires, and what its symbols are, against what is
// declared of them. Private to Transforms.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_TRANSFORMS_DECLAREDPOLICIES_H
#define SYMSHAPE_LIB_TRANSFORMS_DECLAREDPOLICIES_H

#include "symshape/Analysis/GuardAnalysis.h"

namespace mlir::symshape {

/// Fails where a guard that nobody has declared rules out values of a symbol
/// with the policy `dynamic`, and, if `frozen`, where there is any such guard or
/// check. One error lists all of them: what must hold, the op that needs it, and
/// what to declare.
LogicalResult checkPlan(FunctionShapes &shapes, const GuardPlan &plan,
                        bool frozen);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_TRANSFORMS_DECLAREDPOLICIES_H
