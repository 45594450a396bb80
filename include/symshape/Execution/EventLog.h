//===- EventLog.h - What happened to a program ------------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One line for each event of interest: for people on standard error, or
// as JSON in a file. Not for: results and errors, which are reported
// anyway.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_EXECUTION_EVENTLOG_H
#define SYMSHAPE_EXECUTION_EVENTLOG_H

#include "symshape/Execution/Diagnostics.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include <memory>
#include <mutex>

namespace mlir::symshape {

struct ProgramSource;
class ShapeProfile;

/// Events, each of a category. Names of events and fields do not change; times,
/// which differ between runs, are in fields that end in `Ms`.
///
///   symshape: compiles: compiled code="%x: ?x3xf32" reason="..." totalMs=8.1
///   {"category":"compiles","event":"compiled","code":"%x: ?x3xf32",...}
///
/// Several threads may use one object.
class EventLog {
public:
  enum Category { Symbols, Guards, Versions, Compiles, Dispatch };

  /// The categories are names separated by commas; empty text stands for all.
  /// Writes JSON to the file at `path`, which is replaced, or lines to standard
  /// error if it is empty.
  static llvm::Expected<std::unique_ptr<EventLog>>
  open(llvm::StringRef categories, llvm::StringRef path);

  /// Gives each event to `receiver` as a line of JSON without its end; one at a
  /// time.
  static llvm::Expected<std::unique_ptr<EventLog>>
  open(llvm::StringRef categories,
       std::function<void(const std::string &)> receiver);

  bool wants(Category category) const { return wanted & (1u << category); }
  void tell(Category category, llvm::StringRef event,
            llvm::json::Object fields);

  /// An error if the file does not hold all events. Nothing more is written to
  /// it after a failure.
  llvm::Error checkWritten();

private:
  EventLog() = default;
  llvm::Error select(llvm::StringRef categories);

  unsigned wanted = 0;
  std::string path; ///< empty: standard error, or the receiver
  std::function<void(const std::string &)> receiver;
  std::mutex mutex; ///< guards what follows
  std::unique_ptr<llvm::raw_fd_ostream> file;
  std::error_code problem; ///< of the file
};

/// Logs the symbols, guards and versions of the entry of `source`, if those are
/// wanted; nothing if the program cannot be analysed.
void tellProgram(EventLog &log, const ProgramSource &source,
                 const DiagnosticSink &diagnostics);

/// Which dims have varied in the calls of the entry, as an array: dim
/// (`%x dim 0`), min, max, and `says`: what mode auto makes of it. Empty if no
/// call is known.
llvm::json::Array describeProfile(const ProgramSource &source,
                                  const ShapeProfile &profile);

} // namespace mlir::symshape

#endif // SYMSHAPE_EXECUTION_EVENTLOG_H
