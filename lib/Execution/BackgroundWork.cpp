//===- BackgroundWork.cpp - A thread that can be cancelled ----------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "symshape/Execution/BackgroundWork.h"
#include "symshape/Process/Threads.h"
#include <cstdlib>
#include <set>
#include <unistd.h>

using namespace mlir::symshape;

namespace {
/// All that exist. Never destroyed: an exit still needs it.
struct AllWork {
  std::mutex mutex;
  std::set<BackgroundWork *> works;
};
} // namespace

static AllWork &getAllWork() {
  static auto *all = new AllWork();
  return *all;
}

static void stopAllWork() {
  AllWork &all = getAllWork();
  std::lock_guard<std::mutex> lock(all.mutex);
  for (BackgroundWork *work : all.works)
    work->stop();
}

BackgroundWork::BackgroundWork() {
  AllWork &all = getAllWork();
  std::lock_guard<std::mutex> lock(all.mutex);
  all.works.insert(this);
}

BackgroundWork::~BackgroundWork() {
  {
    AllWork &all = getAllWork();
    std::lock_guard<std::mutex> lock(all.mutex);
    all.works.erase(this);
  }
  stop();
}

bool BackgroundWork::start(std::function<void()> work) {
  std::lock_guard<std::mutex> lock(mutex);
  if (isBusy || stopping)
    return false;
  // What exists by now is destroyed after this handler has run.
  static std::once_flag once;
  std::call_once(once, [] { std::atexit(stopAllWork); });
  if (thread)
    pthread_join(*thread, nullptr); // it has left
  thread.reset();
  auto started = startThread([this, work = std::move(work)] {
    work();
    std::lock_guard<std::mutex> lock(mutex);
    isBusy = false;
  });
  if (!started) {
    llvm::consumeError(started.takeError());
    return false;
  }
  isBusy = true;
  process = getpid();
  thread = *started;
  return true;
}

void BackgroundWork::wait() {
  std::optional<pthread_t> last;
  {
    std::lock_guard<std::mutex> lock(mutex);
    std::swap(last, thread);
  }
  if (last && process == getpid()) // a fork does not have the thread
    pthread_join(*last, nullptr);
}

void BackgroundWork::stop() {
  stopping = true;
  wait();
}
