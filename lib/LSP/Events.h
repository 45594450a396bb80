//===- Events.h - Messages in the order of arrival --------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to LSP.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_LSP_EVENTS_H
#define SYMSHAPE_LIB_LSP_EVENTS_H

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <string>

namespace mlir::symshape {

struct Event {
  enum Source { Editor, Upstream };
  Source source;
  bool isEnd;          ///< nothing will follow from there
  std::string message; ///< JSON
  unsigned child = 0;  ///< of Upstream: which of those started one by one
};

/// A queue that threads fill and one reads.
class EventQueue {
public:
  void push(Event event) {
    std::lock_guard<std::mutex> lock(mutex);
    events.push_back(std::move(event));
    filled.notify_one();
  }

  /// The next event; nullopt if none comes within `patience`.
  std::optional<Event> pop(std::chrono::milliseconds patience) {
    std::unique_lock<std::mutex> lock(mutex);
    if (!filled.wait_for(lock, patience, [&] { return !events.empty(); }))
      return std::nullopt;
    Event event = std::move(events.front());
    events.pop_front();
    return event;
  }

private:
  std::mutex mutex;
  std::condition_variable filled;
  std::deque<Event> events;
};

/// Pushes what arrives at standard input, and its end after an `exit`.
void readEditor(EventQueue &events);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_LSP_EVENTS_H
