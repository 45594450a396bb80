//===- RequirementWords.h - What ops need, in words -------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to LSP.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_LSP_REQUIREMENTWORDS_H
#define SYMSHAPE_LIB_LSP_REQUIREMENTWORDS_H

#include "symshape/Analysis/GuardAnalysis.h"

namespace mlir::symshape {

/// Adds to `words` of each op, in Markdown, what it needs, and where that is
/// checked or that it is proved.
void describeRequirements(FunctionShapes &shapes, GuardPlans &plans,
                          DenseMap<Operation *, std::string> &words);

/// How much is proved and checked, and each check at entry with the ops that
/// need it, in Markdown.
std::string summariseRequirements(FunctionShapes &shapes, GuardPlans &plans);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_LSP_REQUIREMENTWORDS_H
