/*===- Call.c - Calls and how they fail ---------------------------*- C -*-===*\
|*                                                                            *|
|* Part of the SymShape project, under the Apache License v2.0 with LLVM     *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* A call runs under setjmp; a failure frees what the call allocated, tells   *|
|* the handler, and jumps back. Generated code has no cleanup of its own to   *|
|* run, so nothing is skipped by the jump.                                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#define _GNU_SOURCE
#include "Internal.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

/* Not on the stack: code that leaves calls by a signal still finds their frames
   (symshape_rt_abandon). */
typedef struct Frame {
  jmp_buf target;
  Link live; /* blocks allocated since the call began and not yet freed */
  struct Frame *outer;
  int quiet; /* a failure is not for the handler: it is raised again */
  int isUsed;
} Frame;

/* Outermost calls, which nearly all are, cost no allocation. */
static _Thread_local Frame firstFrame;
static _Thread_local Frame *innermost;
static _Thread_local symshape_rt_handler handlerFunction;
static _Thread_local void *handlerContext;

void symshape_rt_set_handler(symshape_rt_handler handler, void *context) {
  handlerFunction = handler;
  handlerContext = context;
}

/* NULL if out of memory. */
static Frame *makeFrame(int quiet) {
  Frame *frame = firstFrame.isUsed ? malloc(sizeof(Frame)) : &firstFrame;
  if (!frame)
    return NULL;
  linkInit(&frame->live);
  frame->outer = innermost;
  frame->quiet = quiet;
  frame->isUsed = 1;
  return frame;
}

static void releaseFrame(Frame *frame) {
  if (frame == &firstFrame)
    frame->isUsed = 0;
  else
    free(frame);
}

/* Makes the call around `frame` the innermost one. */
static void leaveFrame(Frame *frame) {
  innermost = frame->outer;
  symshapeSetLiveList(innermost ? &innermost->live : NULL);
}

/* Passes the message to the handler, or else to standard error. */
static void tellFailure(int isInCall) {
  if (handlerFunction)
    handlerFunction(handlerContext, symshape_rt_last_message());
  else if (!isInCall)
    fprintf(stderr, "error: symshape: %s\n", symshape_rt_last_message());
}

static int runInFrame(void (*fn)(void *), void *argument, int quiet) {
  Frame *frame = makeFrame(quiet);
  symshapeClearMessage();
  if (!frame) {
    symshape_rt_tell("out of memory: could not begin a call", NULL, 0);
    symshapeFinishMessage();
    if (!quiet)
      tellFailure(/*isInCall=*/1);
    return 1;
  }
  if (_setjmp(frame->target)) { /* the failure has left this frame already */
    releaseFrame(frame);
    return 1;
  }
  innermost = frame;
  symshapeSetLiveList(&frame->live);
  fn(argument);
  leaveFrame(frame);
  symshapeKeepAll(&frame->live, innermost ? &innermost->live : NULL);
  releaseFrame(frame);
  return 0;
}

int symshape_rt_call(void (*fn)(void *), void *argument) {
  return runInFrame(fn, argument, /*quiet=*/0);
}

int symshapeCallQuietly(void (*fn)(void *), void *argument) {
  return runInFrame(fn, argument, /*quiet=*/1);
}

int64_t symshape_rt_depth(void) {
  int64_t depth = 0;
  for (const Frame *frame = innermost; frame; frame = frame->outer)
    ++depth;
  return depth;
}

void symshape_rt_abandon(int64_t depth) {
  symshapeAbandonLoop(depth);
  for (int64_t excess = symshape_rt_depth() - depth; excess > 0; --excess) {
    Frame *frame = innermost;
    leaveFrame(frame);
    symshapeGpuCallFailed();
    symshapeFreeAll(&frame->live);
    releaseFrame(frame);
  }
}

/* Ends the innermost call with the messages so far. */
SYMSHAPE_RT_NORETURN static void fail(void) {
  symshapeFinishMessage();
  symshapeGpuCallFailed();
  Frame *frame = innermost;
  if (frame) {
    leaveFrame(frame);
    symshapeFreeAll(&frame->live);
  }
  if (!frame || !frame->quiet)
    tellFailure(frame != NULL);
  if (!frame)
    abort();
  _longjmp(frame->target, 1);
}

void symshape_rt_fail(const char *message, const int64_t *values,
                      int64_t numValues) {
  if (*message)
    symshape_rt_tell(message, values, numValues);
  fail();
}

void symshapeFailAgain(const char *message) {
  symshapeCopyMessage(message);
  fail();
}
