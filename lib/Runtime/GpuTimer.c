/*===- GpuTimer.c - How long kernels take -------------------------*- C -*-===*\
|* Part of the SymShape project, under the Apache License v2.0 with LLVM     *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* Two events in the stream of a thread: one before the first launch of a     *|
|* call, one after the last. The copies of inputs come before the first, and  *|
|* those of results after the second.                                         *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "GpuDriver.h"
#include "symshape-c/RuntimeGPU.h"

static _Thread_local struct {
  int isOn;
  int isBegun;     /* `begin` is recorded */
  int hasLaunched; /* since `end` was recorded */
  GpuEvent begin, end;
} timer;

void symshape_gpu_time_kernels(int isOn) { timer.isOn = isOn; }

static void makeEvents(void) {
  if (!timer.begin)
    symshapeGpuCheck(symshapeGpuDriver.eventCreate(&timer.begin, 0),
                     "cuEventCreate");
  if (!timer.end)
    symshapeGpuCheck(symshapeGpuDriver.eventCreate(&timer.end, 0),
                     "cuEventCreate");
}

void symshapeGpuTimeLaunch(GpuStream stream) {
  if (!timer.isOn)
    return;
  makeEvents();
  if (!timer.isBegun)
    symshapeGpuCheck(symshapeGpuDriver.eventRecord(timer.begin, stream),
                     "cuEventRecord");
  timer.isBegun = timer.hasLaunched = 1;
}

void symshapeGpuTimeEnd(GpuStream stream) {
  if (!timer.isOn || !timer.hasLaunched)
    return;
  timer.hasLaunched = 0;
  symshapeGpuCheck(symshapeGpuDriver.eventRecord(timer.end, stream),
                   "cuEventRecord");
}

double symshape_gpu_kernel_seconds(void) {
  float milliseconds = 0;
  if (timer.isBegun && !timer.hasLaunched)
    (void)symshapeGpuDriver.eventElapsedTime(&milliseconds, timer.begin,
                                             timer.end);
  timer.isBegun = timer.hasLaunched = 0;
  return 1e-3 * (double)milliseconds;
}

void symshapeGpuTimerLeave(void) {
  if (timer.begin)
    (void)symshapeGpuDriver.eventDestroy(timer.begin);
  if (timer.end)
    (void)symshapeGpuDriver.eventDestroy(timer.end);
  timer.begin = timer.end = NULL;
  timer.isBegun = timer.hasLaunched = 0;
}
