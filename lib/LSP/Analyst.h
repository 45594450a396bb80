//===- Analyst.h - Analyses in a process of their own -----------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A text in an editor is half typed most of the time, and may crash a parser of
// upstream or take it for ever. The process that this happens to is not the one
// that talks to the editor. Private to LSP.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_LSP_ANALYST_H
#define SYMSHAPE_LIB_LSP_ANALYST_H

#include "Child.h"
#include "Notes.h"
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>

namespace mlir::symshape {

/// Asks a child that runs `runAnalyst`, one question at a time. One that
/// crashes or takes too long is replaced when the next question is asked.
class Analyst {
public:
  /// `command` begins with the path of an executable.
  Analyst(std::vector<std::string> command, std::chrono::seconds limit)
      : command(std::move(command)), limit(limit) {}

  /// What `makeNotes` gives; if that does not come to its end, notes that say
  /// nothing, and a line about `uri` at standard error.
  Notes makeNotes(llvm::StringRef uri, llvm::StringRef text,
                  llvm::StringRef name);
  /// What `correctText` gives, or nothing.
  std::optional<std::string> correct(llvm::StringRef uri, llvm::StringRef text,
                                     std::optional<size_t> index);

private:
  llvm::json::Value ask(llvm::StringRef uri, llvm::json::Object question);

  std::vector<std::string> command;
  std::chrono::seconds limit;
  std::mutex mutex; ///< of the answers
  std::condition_variable hasAnswer;
  std::deque<std::optional<std::string>> answers; ///< nothing: the end
  std::unique_ptr<Child> child; ///< null before it is needed; ends first
};

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_LSP_ANALYST_H
