//===- EventLog.h - What happened to a program ------------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One line for each event that somebody wants to know: for people on standard
// error, or as JSON in a file. Not for: results, and errors, which are told
// anyway.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_EXECUTION_EVENTLOG_H
#define SYMSHAPE_EXECUTION_EVENTLOG_H

#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include <memory>
#include <mutex>

namespace mlir::symshape {

struct ProgramSource;
class ShapeProfile;

/// Events, each of a category. Names of events and fields stay what they are;
/// times, which differ between runs, are in fields that end in `Ms`.
///
///   symshape: compiles: compiled code="%x: ?x3xf32" reason="..." totalMs=8.1
///   {"category":"compiles","event":"compiled","code":"%x: ?x3xf32",...}
///
/// Several threads may use one object.
class EventLog {
public:
  enum Category { Symbols, Guards, Versions, Compiles, Dispatch };

  /// The categories are names separated by commas; none stands for all. Writes
  /// JSON to the file at `path`, which is replaced, or lines to standard error
  /// if it is empty.
  static llvm::Expected<std::unique_ptr<EventLog>>
  open(llvm::StringRef categories, llvm::StringRef path);

  bool wants(Category category) const { return wanted & (1u << category); }
  void tell(Category category, llvm::StringRef event,
            llvm::json::Object fields);

  /// Why the file does not hold all events; success if it does. Nothing more is
  /// written to it after a failure.
  llvm::Error checkWritten();

private:
  EventLog() = default;

  unsigned wanted = 0;
  std::string path; ///< empty: standard error
  std::mutex mutex; ///< of what follows
  std::unique_ptr<llvm::raw_fd_ostream> file;
  std::error_code problem; ///< of the file
};

/// Tells the symbols, guards and versions of the entry of `source`, as far as
/// they are wanted; nothing where the program cannot be analysed.
void tellProgram(EventLog &log, const ProgramSource &source);

/// Which dims have varied in the calls of the entry, an array: dim (`%x dim
/// 0`), min, max, and says, what that makes of them in mode auto. Empty where
/// no call is known.
llvm::json::Array describeProfile(const ProgramSource &source,
                                  const ShapeProfile &profile);

} // namespace mlir::symshape

#endif // SYMSHAPE_EXECUTION_EVENTLOG_H
