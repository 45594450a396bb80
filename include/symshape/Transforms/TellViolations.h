//===- TellViolations.h - Errors, and corrections ---------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is done about violations once they are found.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_TRANSFORMS_TELLVIOLATIONS_H
#define SYMSHAPE_TRANSFORMS_TELLVIOLATIONS_H

#include "symshape/Transforms/Violations.h"

namespace mlir::symshape {

/// Loads the dialects of declarations and asserts, which corrections create.
void loadDialectsOfCorrections(ModuleOp module);

/// Reports violations: one error for all that are Narrowed, one per other.
/// Fails if there is an error.
LogicalResult reportViolations(const Violations &violations);

/// Finds and reports a module's errors; lowering it reports the warnings.
LogicalResult checkDeclarations(ModuleOp module, GuardPlans &plans,
                                bool frozen);

/// Applies corrections until no violation is left. Returns what was written.
/// Fails, after the diagnostics, if one has no correction.
FailureOr<std::vector<std::string>> correctViolations(ModuleOp module,
                                                      bool frozen);

} // namespace mlir::symshape

#endif // SYMSHAPE_TRANSFORMS_TELLVIOLATIONS_H
