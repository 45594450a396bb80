//===- ProgressLine.h - A line on a terminal --------------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shows how far a compilation is that takes long. Private to Execution.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_EXECUTION_PROGRESSLINE_H
#define SYMSHAPE_LIB_EXECUTION_PROGRESSLINE_H

#include "symshape/Process/Progress.h"
#include <chrono>
#include <condition_variable>
#include <optional>
#include <pthread.h>

namespace mlir {
class PassManager;
} // namespace mlir

namespace mlir::symshape {

/// While it lives, and once a second is over, a line on standard error says
/// what the thread that made it does; it is gone before anything else is
/// written. Nothing if it is not wanted.
class ProgressLine {
public:
  explicit ProgressLine(bool isWanted);
  ~ProgressLine();
  ProgressLine(const ProgressLine &) = delete;
  ProgressLine &operator=(const ProgressLine &) = delete;

  /// Follows the passes of `manager`.
  void follow(PassManager &manager);
  void enter(const char *stage) {
    if (progress)
      progress->enter(stage);
  }
  /// Takes the line away, since something else is to be written.
  void erase();

private:
  void show();

  std::optional<Progress> progress;
  std::optional<pthread_t> thread;
  std::chrono::steady_clock::time_point begin;
  std::mutex mutex; ///< guards what follows, and the terminal
  std::condition_variable ends;
  bool isOver = false, isShown = false;
};

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_EXECUTION_PROGRESSLINE_H
