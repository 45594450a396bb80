//===- Diagnostics.cpp - Messages about programs, as values ---------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "symshape/Execution/Diagnostics.h"
#include "symshape/IR/Places.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::symshape;

std::string ProgramDiagnostic::str() const {
  constexpr llvm::StringLiteral names[] = {"error", "warning", "note",
                                           "remark"};
  std::string text = file;
  if (line > 0)
    text += ":" + std::to_string(line) + ":" + std::to_string(column);
  return (text.empty() ? "" : text + ": ") + names[severity].str() + ": " +
         message;
}

static ProgramDiagnostic::Severity toSeverity(DiagnosticSeverity severity) {
  switch (severity) {
  case DiagnosticSeverity::Error:
    return ProgramDiagnostic::Error;
  case DiagnosticSeverity::Warning:
    return ProgramDiagnostic::Warning;
  case DiagnosticSeverity::Note:
    return ProgramDiagnostic::Note;
  case DiagnosticSeverity::Remark:
    return ProgramDiagnostic::Remark;
  }
  llvm_unreachable("a severity is one of these");
}

static ProgramDiagnostic toValue(const Diagnostic &diagnostic) {
  ProgramDiagnostic value;
  value.severity = toSeverity(diagnostic.getSeverity());
  value.message = diagnostic.str();
  auto place = diagnostic.getLocation()->findInstanceOf<FileLineColLoc>();
  if (place && place.getLine() != 0) {
    value.file = place.getFilename().str();
    value.line = place.getLine();
    value.column = place.getColumn();
  } else {
    value.file = describePlace(diagnostic.getLocation());
  }
  return value;
}

SinkDiagnosticHandler::SinkDiagnosticHandler(MLIRContext *context,
                                             DiagnosticSink sink)
    : ScopedDiagnosticHandler(context) {
  setHandler([sink = std::move(sink)](Diagnostic &diagnostic) {
    sink(toValue(diagnostic));
    for (const Diagnostic &note : diagnostic.getNotes())
      sink(toValue(note));
    return success();
  });
}

void mlir::symshape::warn(const DiagnosticSink &sink,
                          const llvm::Twine &message) {
  ProgramDiagnostic warning;
  warning.severity = ProgramDiagnostic::Warning;
  warning.message = message.str();
  if (sink)
    sink(warning);
  else
    llvm::errs() << warning.str() << '\n';
}
