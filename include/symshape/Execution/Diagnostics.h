//===- Diagnostics.h - Messages about programs, as values -------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where diagnostics of a compilation go when they do not go to standard error.
// Not for: errors that a function returns (Status.h).
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_EXECUTION_DIAGNOSTICS_H
#define SYMSHAPE_EXECUTION_DIAGNOSTICS_H

#include "mlir/IR/Diagnostics.h"
#include <functional>
#include <string>

namespace mlir::symshape {

/// A message, lower case and without a full stop, and its place if one is
/// known.
struct ProgramDiagnostic {
  enum Severity { Error, Warning, Note, Remark };
  Severity severity = Error;
  std::string message;
  std::string file;             ///< empty: no place is known
  int64_t line = 0, column = 0; ///< from 1; 0: not known

  /// `m.mlir:3:5: error: expected ...`.
  std::string str() const;
};

/// Is given each diagnostic, notes after what they belong to, on the thread
/// that compiles. Empty: they go to standard error.
using DiagnosticSink = std::function<void(const ProgramDiagnostic &)>;

/// Gives `sink`, which is not empty, what the diagnostics of a context say.
class SinkDiagnosticHandler : public ScopedDiagnosticHandler {
public:
  SinkDiagnosticHandler(MLIRContext *context, DiagnosticSink sink);
};

/// A warning without a place, to `sink` or to standard error.
void warn(const DiagnosticSink &sink, const llvm::Twine &message);

} // namespace mlir::symshape

#endif // SYMSHAPE_EXECUTION_DIAGNOSTICS_H
