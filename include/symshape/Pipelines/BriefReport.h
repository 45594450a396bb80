//===- BriefReport.h - A function on one screen -----------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a user looks at first: inputs, results, weights, and for which sizes a
// function is valid. Lowers nothing. Not for: guards one by one, memory
// (Report.h).
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_PIPELINES_BRIEFREPORT_H
#define SYMSHAPE_PIPELINES_BRIEFREPORT_H

#include "symshape/Analysis/GuardAnalysis.h"
#include "llvm/Support/JSON.h"

namespace mlir::symshape {

/// One function:
///
///   name
///   inputs, results: name, element (`f32`), extents: numbers, or texts in
///     Python's syntax; null of a scalar. A result of a function with several
///     returns has what its type says
///   weights: count, elements, bytes: of arguments that are weights
///   sentence: for which sizes it is valid; valid, whether any is; conditions:
///     guards, in Python's syntax and to be asked in this order; isComplete,
///     whether these are all of them; names, of these: name; text, as the
///     sentence has it; and input and dim of which
///     it is the extent, or is (in words)
///   numGuards, numChecks
llvm::json::Object makeBriefReport(FunctionShapes &shapes, GuardPlans &plans);

/// The same as text.
void printBriefReport(llvm::raw_ostream &os, const llvm::json::Object &report);

/// Whether the file of a module is a model, whose sizes people write in
/// Python's syntax.
bool isModelFile(llvm::StringRef path);

/// Extents and conditions, as messages about programs in MLIR print them, in
/// Python's syntax.
std::string spellInPython(std::string text);

} // namespace mlir::symshape

#endif // SYMSHAPE_PIPELINES_BRIEFREPORT_H
