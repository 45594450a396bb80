//===- ProgressLine.cpp - A line on a terminal ----------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread of its own writes the line: a pass may take long.
//
//===----------------------------------------------------------------------===//

#include "ProgressLine.h"

#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"
#include "symshape/Process/Threads.h"
#include "llvm/Support/FormatVariadic.h"
#include <sys/ioctl.h>
#include <unistd.h>

using namespace mlir;
using namespace mlir::symshape;

/// What takes less needs no line.
static constexpr std::chrono::milliseconds patience(1000), interval(100);

ProgressLine::ProgressLine(bool isWanted)
    : begin(std::chrono::steady_clock::now()) {
  if (!isWanted)
    return;
  progress.emplace();
  auto started = startThread([this] {
    std::unique_lock<std::mutex> lock(mutex);
    for (auto wait = patience;
         !ends.wait_for(lock, wait, [&] { return isOver; }); wait = interval)
      show();
  });
  if (started)
    thread = *started;
  else
    llvm::consumeError(started.takeError()); // it goes without
}

ProgressLine::~ProgressLine() {
  if (!thread)
    return;
  {
    std::lock_guard<std::mutex> lock(mutex);
    isOver = true;
  }
  ends.notify_one();
  pthread_join(*thread, nullptr);
  erase();
}

/// Writes to standard error; what cannot be written is not shown.
static void writeOut(llvm::StringRef text) {
  [[maybe_unused]] ssize_t written =
      ::write(STDERR_FILENO, text.data(), text.size());
}

/// `mutex` is held. A line that does not fit would stay when it is erased.
void ProgressLine::show() {
  winsize size = {};
  bool isKnown = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0;
  size_t width = isKnown && size.ws_col > 1 ? size.ws_col - 1 : 79;
  std::chrono::duration<double> passed =
      std::chrono::steady_clock::now() - begin;
  std::string line = llvm::formatv("compiling, {0:f1} s: {1}", passed.count(),
                                   progress->describe());
  line.resize(std::min(line.size(), width));
  isShown = true;
  writeOut("\r" + line + "\x1b[K");
}

void ProgressLine::erase() {
  std::lock_guard<std::mutex> lock(mutex);
  if (isShown)
    writeOut("\r\x1b[K");
  isShown = false;
}

namespace {
/// Says which pass of a pipeline runs.
class PassFollower : public PassInstrumentation {
public:
  PassFollower(Progress &progress, size_t count)
      : progress(progress), count(count) {}

  void runBeforePass(Pass *pass, Operation *) override {
    if (depth++ == 0)
      ++number;
    StringRef name = pass->getName();
    if (name.ends_with("PassAdaptor"))
      return; // what it runs says more
    name.consume_back("Pass");
    progress.enter(llvm::formatv("pass {0} of {1}, {2}", number, count, name));
  }
  void runAfterPass(Pass *, Operation *) override { --depth; }
  void runAfterPassFailed(Pass *, Operation *) override { --depth; }

private:
  Progress &progress;
  size_t count, number = 0, depth = 0;
};
} // namespace

void ProgressLine::follow(PassManager &manager) {
  if (progress)
    manager.addInstrumentation(
        std::make_unique<PassFollower>(*progress, manager.size()));
}
