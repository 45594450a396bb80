//===- ProblemFile.h - Questions and facts as text --------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The text form of a constraint problem: symbols, facts, questions, one per
// line. For: trying a question, reporting a bug, tests. Not for: the tool
// around it (symshape-prove).
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_CONSTRAINTS_PROBLEMFILE_H
#define SYMSHAPE_CONSTRAINTS_PROBLEMFILE_H

#include "llvm/ADT/StringRef.h"

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace mlir::symshape {

struct ProblemOptions {
  /// After each answer, indented lines: the facts it rests on, or what is
  /// missing.
  bool explain = false;
  /// After each answer, an indented line: the tier that decided, and the steps
  /// that it took.
  bool stats = false;
  /// A line of JSON for each question instead: its line and text, the answer,
  /// and the indented lines as a list.
  bool json = false;
};

/// Runs the statements of `text` in order:
///
///  symbol NAME [in [LO, HI]] [multiple_of D | residue R mod D] [likely V, ...]
///  assume RELATION | push | pop
///  prove RELATION | simplify EXPR | bounds EXPR | solve RELATION for NAME
///
/// `#` begins a comment. LO and HI are integers, `-inf` or `inf`; the range of
/// a symbol without one, declared or not, is [0, inf]. `pop` forgets facts,
/// declarations and names since its `push`.
///
/// Writes one answer per question to `out`. Stops at the first error, which it
/// writes to `err` as `NAME:LINE:COLUMN: error: ...`, and returns false: text
/// that is not a statement, a declaration of a name in use, an empty range, a
/// `pop` too many, or facts that contradict one another.
bool runProblem(llvm::StringRef text, llvm::StringRef name,
                const ProblemOptions &options, llvm::raw_ostream &out,
                llvm::raw_ostream &err);

} // namespace mlir::symshape

#endif // SYMSHAPE_CONSTRAINTS_PROBLEMFILE_H
