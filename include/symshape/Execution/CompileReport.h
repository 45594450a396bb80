//===- CompileReport.h - What a compilation took ----------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For people who wonder where the seconds go. Not for: what is known of the
// program (symshape/Pipelines/Report.h).
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_EXECUTION_COMPILEREPORT_H
#define SYMSHAPE_EXECUTION_COMPILEREPORT_H

#include "symshape/Execution/ProgramSource.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace mlir::symshape {

struct CompileOptions;

/// What a compilation took, an object:
///
///   function: the entry
///   seconds: of wall time, in all
///   stages: name, seconds; in order
///   passes: name, seconds, of all runs together; the longest first. A name
///     that begins with `(A)` is that of an analysis, which is a part of
///     a pass
///   fact engine, what it was asked:
///     numAsked, numDecided (of these, not answered from memory), and
///     questionSeconds, of the processor
///     questions: the ten costliest: question, place (that of the op it is
///       about, of a model the node), asked, decided, steps, seconds. The first
///       question after a fact pays for what follows from that fact
///   numRewriteSteps: how often rewrite patterns looked at an op
///   numInstructions: of the code before it is optimized
///   places: of the program, or nodes, that most of these come from: place,
///     instructions; ten
///
/// Compiles the entry for all shapes to see, and throws the code away.
llvm::Expected<llvm::json::Object>
measureCompilation(const ProgramSource &source, const CompileOptions &options);

/// The same as text.
void printCompileReport(llvm::raw_ostream &os,
                        const llvm::json::Object &report);

} // namespace mlir::symshape

#endif // SYMSHAPE_EXECUTION_COMPILEREPORT_H
