/*===- Intervals.c - When kernels run -----------------------------*- C -*-===*\
|*                                                                            *|
|* Part of the SymShape project, under the Apache License v2.0 with LLVM      *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* What code that was compiled with timers calls around its kernels.          *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "Internal.h"

#include <time.h>

static _Thread_local struct {
  symshape_rt_interval *intervals;
  int64_t capacity, count, depth;
} noted;

static int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

int64_t symshape_rt_note_intervals(symshape_rt_interval *intervals,
                                   int64_t capacity) {
  int64_t count = noted.count;
  noted.intervals = intervals;
  noted.capacity = capacity;
  noted.count = 0;
  noted.depth = 0; /* a call may have failed within a kernel */
  return count;
}

/* A kernel inside of another one is a part of it. */
void symshape_rt_enter(const char *place) {
  if (noted.depth++ != 0)
    return;
  if (noted.count < noted.capacity) {
    noted.intervals[noted.count].place = place;
    noted.intervals[noted.count].begin = now();
  }
}

void symshape_rt_leave(void) {
  if (--noted.depth != 0)
    return;
  if (noted.count < noted.capacity)
    noted.intervals[noted.count].end = now();
  ++noted.count;
}
