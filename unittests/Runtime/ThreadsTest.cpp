//===- ThreadsTest.cpp - Parallel loops -----------------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tests of lib/Runtime/Threads.c.
//
//===----------------------------------------------------------------------===//

#include "symshape-c/Runtime.h"
#include "gtest/gtest.h"
#include <atomic>
#include <chrono>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace {

/// A loop whose iterations are counted.
struct Counts {
  explicit Counts(int64_t count) : visits(count) {}

  void run(int64_t grain) {
    symshape_rt_parallel(
        [](void *context, int64_t begin, int64_t end) {
          static_cast<Counts *>(context)->visit(begin, end);
        },
        this, visits.size(), grain);
  }
  void visit(int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      ++visits[i];
    std::lock_guard<std::mutex> guard(lock);
    threads.insert(std::this_thread::get_id());
    shortest = std::min(shortest, end - begin);
    ++ranges;
  }
  bool isOnceEach() const {
    for (const std::atomic<int> &count : visits)
      if (count != 1)
        return false;
    return true;
  }

  std::vector<std::atomic<int>> visits;
  std::mutex lock;
  std::set<std::thread::id> threads;
  int64_t shortest = INT64_MAX, ranges = 0;
};

class ThreadsTest : public ::testing::Test {
protected:
  ~ThreadsTest() override { symshape_rt_set_threads(1); }
};

TEST_F(ThreadsTest, runsEachIterationOnce) {
  for (int64_t threads : {1, 2, 3, 7}) {
    symshape_rt_set_threads(threads);
    for (int64_t count : {0, 1, 2, 3, 16, 17, 1000, 1001})
      for (int64_t grain : {1, 2, 7, 5000}) {
        Counts counts(count);
        counts.run(grain);
        EXPECT_TRUE(counts.isOnceEach())
            << threads << " threads, " << count << " by " << grain;
        EXPECT_LE(int64_t(counts.threads.size()), threads);
      }
  }
}

TEST_F(ThreadsTest, rangesAreNotShorterThanTheGrain) {
  symshape_rt_set_threads(2);
  Counts counts(1024);
  counts.run(64);
  EXPECT_GE(counts.shortest, 64);
  EXPECT_GT(counts.ranges, 1);
  Counts few(64);
  few.run(64);
  EXPECT_EQ(few.ranges, 1);
}

TEST_F(ThreadsTest, anotherThreadTakesPart) {
  symshape_rt_set_threads(2);
  struct Meeting {
    std::atomic<int> present{0};
  } meeting;
  // Each iteration waits for the other: one thread alone would wait for ever.
  symshape_rt_parallel(
      [](void *context, int64_t, int64_t) {
        auto *meeting = static_cast<Meeting *>(context);
        ++meeting->present;
        while (meeting->present < 2)
          std::this_thread::yield();
      },
      &meeting, 2, 1);
  EXPECT_EQ(meeting.present, 2);
}

// What a thread has written is in the caches of its core: it begins with the
// same part of each loop.
TEST_F(ThreadsTest, threadsBeginWithTheirShares) {
  symshape_rt_set_threads(2);
  struct Meeting {
    std::thread::id caller = std::this_thread::get_id();
    std::atomic<int> present{0};
    std::atomic<int64_t> first{-1}, second{-1};
  };
  for (int repeat = 0; repeat < 20; ++repeat) {
    Meeting meeting;
    symshape_rt_parallel(
        [](void *context, int64_t begin, int64_t) {
          auto *meeting = static_cast<Meeting *>(context);
          bool isCaller = std::this_thread::get_id() == meeting->caller;
          auto &mine = isCaller ? meeting->first : meeting->second;
          if (mine >= 0)
            return;
          mine = begin;
          ++meeting->present;
          while (meeting->present < 2)
            std::this_thread::yield();
        },
        &meeting, 1000, 1);
    EXPECT_EQ(meeting.first, 0);
    EXPECT_EQ(meeting.second, 500);
  }
}

TEST_F(ThreadsTest, nestedLoopsStayOnTheirThread) {
  symshape_rt_set_threads(2);
  std::atomic<int> strangers{0};
  symshape_rt_parallel(
      [](void *context, int64_t, int64_t) {
        symshape_rt_set_threads(2);
        Counts inner(100);
        inner.run(1);
        if (inner.threads.size() != 1 ||
            !inner.threads.count(std::this_thread::get_id()) ||
            !inner.isOnceEach())
          ++*static_cast<std::atomic<int> *>(context);
      },
      &strangers, 8, 1);
  EXPECT_EQ(strangers, 0);
}

TEST_F(ThreadsTest, loopsOfOtherThreadsStayThere) {
  symshape_rt_set_threads(2);
  std::atomic<int> strangers{0};
  symshape_rt_parallel(
      [](void *context, int64_t, int64_t) {
        std::thread([context] {
          symshape_rt_set_threads(2);
          Counts other(100);
          other.run(1);
          if (other.threads.size() != 1 || !other.isOnceEach())
            ++*static_cast<std::atomic<int> *>(context);
        }).join();
      },
      &strangers, 2, 1);
  EXPECT_EQ(strangers, 0);
}

/// Runs a loop of 16 iterations under a call; those in `failing` fail.
std::string runFailing(std::set<int64_t> failing) {
  auto body = [](void *argument) {
    symshape_rt_parallel(
        [](void *context, int64_t begin, int64_t end) {
          void *memory = _mlir_memref_to_llvm_alloc(64);
          for (int64_t i = begin; i < end; ++i)
            if (static_cast<std::set<int64_t> *>(context)->count(i))
              symshape_rt_fail("iteration {0} of {{0}", &i, 1);
          _mlir_memref_to_llvm_free(memory);
        },
        argument, 16, 1);
  };
  int status = symshape_rt_call(body, &failing);
  return status ? symshape_rt_last_message() : "";
}

TEST_F(ThreadsTest, failuresReachTheCaller) {
  std::string seen;
  symshape_rt_set_handler(
      [](void *context, const char *message) {
        *static_cast<std::string *>(context) += std::string(message) + ";";
      },
      &seen);
  int64_t live = symshape_rt_get_counters().live_allocations;
  for (int64_t threads : {1, 2, 3}) {
    symshape_rt_set_threads(threads);
    for (int64_t i : {0, 7, 15}) {
      seen.clear();
      std::string message = "iteration " + std::to_string(i) + " of {0}";
      EXPECT_EQ(runFailing({i}), message);
      EXPECT_EQ(seen, message + ";"); // once, on the thread of the caller
    }
    EXPECT_NE(runFailing({0, 1, 2, 3, 4, 5, 6, 7, 8}), "");
    EXPECT_EQ(runFailing({}), "");
  }
  symshape_rt_set_handler(nullptr, nullptr);
  EXPECT_EQ(symshape_rt_get_counters().live_allocations, live);
}

TEST_F(ThreadsTest, anyThreadMayCall) {
  std::vector<std::thread> callers;
  std::atomic<int> wrong{0};
  for (int i = 0; i < 4; ++i)
    callers.emplace_back([&wrong] {
      symshape_rt_set_threads(2);
      for (int round = 0; round < 200; ++round) {
        Counts counts(50);
        counts.run(5);
        if (!counts.isOnceEach())
          ++wrong;
      }
    });
  for (std::thread &caller : callers)
    caller.join();
  EXPECT_EQ(wrong, 0);
}

} // namespace
