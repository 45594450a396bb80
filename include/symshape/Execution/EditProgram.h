//===- EditProgram.h - Programs changed before they are compiled *- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a caller asks for that stands in no file: versions, weights, and
// derivatives. Each makes a program from another, which stays as it is; the
// weights of a model are shared. Not for: the text of a file (EditSource.h).
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_EXECUTION_EDITPROGRAM_H
#define SYMSHAPE_EXECUTION_EDITPROGRAM_H

#include "symshape/Execution/ProgramSource.h"

namespace mlir::symshape {

/// A version of the entry: a name, and relations under `and`.
struct VersionRequest {
  std::string name, condition;
};

/// What a caller adds to the entry.
struct EntryAdditions {
  std::vector<VersionRequest> versions;
  std::vector<std::string> facts; ///< relations that calls must meet
  /// Arguments of these names, without `%`, become weights of these names;
  /// names of no argument are for weights that are there already.
  std::vector<std::string> weights;
  /// Names of arguments whose memory a result may take, and of the results.
  std::vector<std::pair<std::string, std::string>> donations;
  bool donatesAll = false; ///< what the program proposes to donate

  bool isEmpty() const {
    return versions.empty() && facts.empty() && weights.empty() &&
           donations.empty() && !donatesAll;
  }
};

/// The program with additions; an error where a condition is none.
llvm::Expected<ProgramSource> addToEntry(const ProgramSource &source,
                                         const EntryAdditions &additions,
                                         const DiagnosticSink &diagnostics);

enum class DerivativeKind {
  Gradient, ///< `@f.grad`
  Vjp,      ///< `@f.vjp`
  Jvp       ///< `@f.jvp`
};

/// What is differentiated (AutoDiff.h).
struct DerivativeRequest {
  DerivativeKind kind = DerivativeKind::Gradient;
  /// Names of arguments, with `%` or without, or of weights; empty: all of
  /// floats.
  std::vector<std::string> wrt;
  std::vector<int64_t> results; ///< numbers, from 0; empty: all of floats
};

/// The program whose entry is the derivative of that of `source`. An error
/// where a name is unknown, or an op has no rule.
llvm::Expected<ProgramSource> differentiate(const ProgramSource &source,
                                            const DerivativeRequest &request,
                                            const DiagnosticSink &diagnostics);

} // namespace mlir::symshape

#endif // SYMSHAPE_EXECUTION_EDITPROGRAM_H
