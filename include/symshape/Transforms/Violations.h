//===- Violations.h - What contradicts declarations -------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where a program and what it declares do not fit: requirements that rule out
// declared values, declarations that contradict one another, versions that no
// call reaches. Each comes with the change of the declarations that ends it.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_TRANSFORMS_VIOLATIONS_H
#define SYMSHAPE_TRANSFORMS_VIOLATIONS_H

#include "symshape/Analysis/GuardAnalysis.h"
#include <functional>

namespace mlir::symshape {

/// A change of what a function declares, or an assert in its body.
struct Correction {
  std::string text; ///< what to write, such as `declare ...`
  std::function<void()> apply;
};

struct Violation {
  enum Kind {
    Narrowed,      ///< a requirement rules out values; listed with others
    OneValue,      ///< a dynamic symbol is left one value
    Open,          ///< a static symbol has several
    Impossible,    ///< a requirement that no call can meet
    Contradictory, ///< declarations that no call can meet
    UnusedVersion  ///< a version that is never chosen: a warning
  };
  Kind kind;
  Location loc;
  std::string message;
  /// The op that needs it, then the chain of facts.
  SmallVector<std::pair<Location, std::string>> notes;
  /// Without `apply` where only the program itself can be changed.
  Correction correction;
};
using Violations = std::vector<Violation>;

/// What `plan` requires beyond what is declared. With `frozen`, that is each
/// guard and check not declared; without, only those that rule out values of
/// symbols with the policy `dynamic`. `shapes` must outlive the corrections.
Violations findPlanViolations(FunctionShapes &shapes, const GuardPlan &plan,
                              bool frozen);

/// Symbols whose policy the declarations alone contradict.
Violations findPolicyViolations(FunctionShapes &shapes);

/// All of these, and versions that no call reaches, of every function with a
/// body.
Violations findViolations(ModuleOp module, GuardPlans &plans, bool frozen);

} // namespace mlir::symshape

#endif // SYMSHAPE_TRANSFORMS_VIOLATIONS_H
