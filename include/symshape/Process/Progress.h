//===- Progress.h - How far long work is ------------------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the thread that works says, for another that shows it. Not for: how it
// is shown (lib/Execution/ProgressLine.h).
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_PROCESS_PROGRESS_H
#define SYMSHAPE_PROCESS_PROGRESS_H

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>

namespace mlir::symshape {

/// Of the thread that makes it, while it lives. Without one, work looks at one
/// pointer more.
class Progress {
public:
  Progress() : outer(ofThread) { ofThread = this; }
  ~Progress() { ofThread = outer; }
  Progress(const Progress &) = delete;
  Progress &operator=(const Progress &) = delete;

  /// That of the thread, or null.
  static Progress *current() { return ofThread; }

  /// Begins the stage of this name.
  void enter(std::string name) {
    std::lock_guard<std::mutex> lock(mutex);
    stage = std::move(name);
    unit.clear();
    numDone = numInAll = 0;
  }
  /// Within a stage, so many of `things` are to be done from now on.
  void expect(uint64_t count, std::string things) {
    std::lock_guard<std::mutex> lock(mutex);
    unit = std::move(things);
    numDone = 0;
    numInAll = count;
  }
  /// One more is done.
  void step() { numDone.fetch_add(1, std::memory_order_relaxed); }

  /// `analysis, 12 of 340 ops`; from any thread. Empty before the first stage.
  std::string describe() {
    std::lock_guard<std::mutex> lock(mutex);
    uint64_t done = numDone, all = numInAll;
    return unit.empty() ? stage
                        : stage + ", " + std::to_string(std::min(done, all)) +
                              " of " + std::to_string(all) + " " + unit;
  }

private:
  static inline thread_local Progress *ofThread = nullptr;

  Progress *outer; ///< that of the thread before
  std::mutex mutex;
  std::string stage, unit;
  std::atomic<uint64_t> numDone{0}, numInAll{0};
};

} // namespace mlir::symshape

#endif // SYMSHAPE_PROCESS_PROGRESS_H
