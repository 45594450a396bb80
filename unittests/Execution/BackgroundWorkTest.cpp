//===- BackgroundWorkTest.cpp - A thread that can be cancelled ------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "symshape/Execution/BackgroundWork.h"
#include "gtest/gtest.h"
#include <future>
#include <sys/wait.h>
#include <unistd.h>

using namespace mlir::symshape;

namespace {

TEST(BackgroundWorkTest, oneAtATime) {
  BackgroundWork work;
  std::promise<void> open;
  std::shared_future<void> gate = open.get_future().share();
  std::atomic<int> done{0};
  EXPECT_TRUE(work.start([&] {
    gate.wait();
    ++done;
  }));
  EXPECT_FALSE(work.start([&] { done += 100; }));
  open.set_value();
  work.wait();
  EXPECT_EQ(done, 1);
  EXPECT_TRUE(work.start([&] { ++done; }));
  work.wait();
  EXPECT_EQ(done, 2);
}

TEST(BackgroundWorkTest, theOwnerWaitsForWorkThatItTellsToStop) {
  std::atomic<bool> hasLeft{false};
  {
    BackgroundWork work;
    ASSERT_TRUE(work.start([&] {
      while (!work.isStopping())
        std::this_thread::yield();
      hasLeft = true;
    }));
  }
  EXPECT_TRUE(hasLeft);
}

TEST(BackgroundWorkTest, nothingStartsAfterAStop) {
  BackgroundWork work;
  work.stop();
  EXPECT_FALSE(work.start([] { ADD_FAILURE() << "started"; }));
}

TEST(BackgroundWorkTest, aForkEndsWithoutTheThread) {
  BackgroundWork work;
  ASSERT_TRUE(work.start([&] {
    while (!work.isStopping())
      std::this_thread::yield();
  }));
  pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    alarm(60); // kills a child that waits
    std::exit(3);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 3);
}

/// The handler of the exit does what the owner, which is leaked, does not.
TEST(BackgroundWorkDeathTest, anExitWaits) {
  EXPECT_EXIT(
      {
        auto *work = new BackgroundWork();
        auto *text = new std::string("not cancelled");
        work->start([=] {
          while (!work->isStopping())
            std::this_thread::yield();
          std::fputs("cancelled\n", stderr);
          text->clear();
        });
        std::exit(text->empty() ? 1 : 7);
      },
      testing::ExitedWithCode(7), "cancelled");
}

} // namespace
