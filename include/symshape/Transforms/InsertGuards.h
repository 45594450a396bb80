//===- InsertGuards.h - Checks of what the program requires -----*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The guards and deferred asserts of a module, as a function that passes and
// tests call.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_TRANSFORMS_INSERTGUARDS_H
#define SYMSHAPE_TRANSFORMS_INSERTGUARDS_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/LogicalResult.h"

namespace mlir::symshape {
class GuardPlans;

/// What was inserted.
struct InsertGuardsResult {
  unsigned numGuards = 0;
  unsigned numDeferred = 0;
  unsigned numProved = 0;
};

/// Makes every function of `module` check what it requires: a guard function
/// and its call at the entry of each function that others may call, deferred
/// checks for what depends on data. A function that has the attribute
/// `symshape.guarded` is left alone; the others get it. Fails, with a
/// diagnostic, where a requirement can never be met or cannot be checked, where
/// one goes beyond what is declared of a dynamic symbol, and, if `frozen`,
/// where one is neither proved nor declared. `ofSame`, if not null, are plans
/// of a module of which `module` is a copy; what they decide is not decided
/// again.
FailureOr<InsertGuardsResult> insertGuards(ModuleOp module, bool frozen = false,
                                           GuardPlans *ofSame = nullptr);

} // namespace mlir::symshape

#endif // SYMSHAPE_TRANSFORMS_INSERTGUARDS_H
