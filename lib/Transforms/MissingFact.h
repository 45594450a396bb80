//===- MissingFact.h - What to declare --------------------------*- C++ -*-===//
//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For remarks: the fact that a user could declare so that a relation that was
// not proved would be. Not for: deciding anything.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_TRANSFORMS_MISSINGFACT_H
#define SYMSHAPE_LIB_TRANSFORMS_MISSINGFACT_H

#include "symshape/Analysis/ShapeAnalysis.h"

namespace mlir::symshape {

/// `needs: ...`: what must hold for `wanted` to hold before `op`, in words.
/// If `wanted` mentions loop counters, names facts instead, each of which is
/// enough: a loop without a partial last step, a bound of one of the symbols.
/// `facts` are those before `op`; they are left as they were.
std::string describeMissing(FunctionShapes &shapes, ConstraintSet &facts,
                            Operation *op, const Relation &wanted);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_TRANSFORMS_MISSINGFACT_H
