//===- IntervalsTest.cpp - When kernels run -------------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "symshape-c/Runtime.h"
#include "gtest/gtest.h"
#include <thread>

static void runKernel(const char *place) {
  symshape_rt_enter(place);
  symshape_rt_leave();
}

TEST(Intervals, NotesKernelsInOrder) {
  symshape_rt_interval noted[2] = {};
  symshape_rt_note_intervals(noted, 2);
  runKernel("a");
  runKernel("b");
  EXPECT_EQ(symshape_rt_note_intervals(nullptr, 0), 2);
  EXPECT_STREQ(noted[0].place, "a");
  EXPECT_STREQ(noted[1].place, "b");
  EXPECT_LE(noted[0].begin, noted[0].end);
  EXPECT_LE(noted[0].end, noted[1].begin);
}

TEST(Intervals, CountsWhatHasNoRoom) {
  symshape_rt_interval noted[2] = {{}, {"untouched", 0, 0}};
  symshape_rt_note_intervals(noted, 1);
  for (const char *place : {"a", "b", "c"})
    runKernel(place);
  EXPECT_EQ(symshape_rt_note_intervals(nullptr, 0), 3);
  EXPECT_STREQ(noted[1].place, "untouched");
  runKernel("d"); // nobody notes it
  EXPECT_EQ(symshape_rt_note_intervals(nullptr, 0), 1);
}

TEST(Intervals, KernelInAKernelIsAPartOfIt) {
  symshape_rt_interval noted[2] = {};
  symshape_rt_note_intervals(noted, 2);
  symshape_rt_enter("outer");
  runKernel("inner");
  symshape_rt_leave();
  EXPECT_EQ(symshape_rt_note_intervals(nullptr, 0), 1);
  EXPECT_STREQ(noted[0].place, "outer");
}

TEST(Intervals, BeginsAnewAfterACallThatFailedInAKernel) {
  symshape_rt_interval noted[1] = {};
  symshape_rt_note_intervals(noted, 1);
  symshape_rt_enter("fails");
  symshape_rt_note_intervals(noted, 1);
  runKernel("next");
  EXPECT_EQ(symshape_rt_note_intervals(nullptr, 0), 1);
  EXPECT_STREQ(noted[0].place, "next");
}

TEST(Intervals, AreOfTheThreadThatAsksForThem) {
  symshape_rt_interval noted[1] = {};
  symshape_rt_note_intervals(noted, 1);
  std::thread([] { runKernel("elsewhere"); }).join();
  EXPECT_EQ(symshape_rt_note_intervals(nullptr, 0), 0);
  EXPECT_EQ(noted[0].place, nullptr);
}
