//===- BackgroundWork.h - A thread that can be cancelled --------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One piece of work at a time beside the callers, which neither outlives its
// owner nor the process. Not for: loops of programs (Runtime).
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_EXECUTION_BACKGROUNDWORK_H
#define SYMSHAPE_EXECUTION_BACKGROUNDWORK_H

#include <atomic>
#include <functional>
#include <mutex>
#include <optional>
#include <pthread.h>

namespace mlir::symshape {

/// Where a process exits while work is under way, the work is cancelled, and
/// the exit waits for it: it may use what exit destroys. Several threads may
/// use one object.
class BackgroundWork {
public:
  BackgroundWork();
  /// Calls `stop`.
  ~BackgroundWork();
  BackgroundWork(const BackgroundWork &) = delete;

  /// Runs `work` on a thread; false, and nothing happens, if other work is
  /// under way or was cancelled, or if there is no room for a thread. `work`
  /// looks at `isStopping` where it can.
  bool start(std::function<void()> work);
  /// Waits for what is under way.
  void wait();
  /// Tells what is under way to stop, waits for it, and starts nothing more.
  void stop();

  const std::atomic<bool> &isStopping() const { return stopping; }

private:
  std::mutex mutex; ///< guards what follows
  std::optional<pthread_t> thread;
  bool isBusy = false;
  int process = 0; ///< that has the thread
  std::atomic<bool> stopping{false};
};

} // namespace mlir::symshape

#endif // SYMSHAPE_EXECUTION_BACKGROUNDWORK_H
