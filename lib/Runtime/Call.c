/*===- Call.c - Calls, failures and their messages ----------------*- C -*-===*\
|* Part of the SymShape project, under the Apache License v2.0 with LLVM     *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* A call runs under setjmp; a failure formats its message, frees what the    *|
|* call allocated, tells the handler, and jumps back. Generated code has no   *|
|* cleanup of its own to run, so nothing is skipped by the jump.              *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#define _GNU_SOURCE
#include "Internal.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Frame {
  jmp_buf target;
  Link live; /* blocks allocated since the call began and not yet freed */
  struct Frame *outer;
  int quiet; /* a failure is not for the handler: somebody carries it on */
} Frame;

static _Thread_local Frame *innermost;
static _Thread_local symshape_rt_handler handlerFunction;
static _Thread_local void *handlerContext;

/* Messages are cut at this length; a failure must not need memory. */
static _Thread_local char lastMessage[symshapeMessageBytes];

void symshape_rt_set_handler(symshape_rt_handler handler, void *context) {
  handlerFunction = handler;
  handlerContext = context;
}

const char *symshape_rt_last_message(void) { return lastMessage; }

/* The index of a placeholder `{digits}` at `text`, and its length; -1 if there
   is none. */
static int64_t parsePlaceholder(const char *text, size_t *length) {
  if (text[0] != '{')
    return -1;
  int64_t index = 0;
  size_t i = 1;
  for (; text[i] >= '0' && text[i] <= '9'; ++i) {
    if (i > 9)
      return -1;
    index = index * 10 + (text[i] - '0');
  }
  if (i == 1 || text[i] != '}')
    return -1;
  *length = i + 1;
  return index;
}

static void formatMessage(const char *message, const int64_t *values,
                          int64_t numValues) {
  char *out = lastMessage;
  char *end = lastMessage + sizeof(lastMessage) - 1;
  while (*message && out < end) {
    size_t length = 0;
    if (message[0] == '{' && message[1] == '{') {
      *out++ = '{';
      message += 2;
      continue;
    }
    int64_t index = parsePlaceholder(message, &length);
    if (index < 0 || index >= numValues) {
      *out++ = *message++;
      continue;
    }
    char digits[32];
    int count = snprintf(digits, sizeof(digits), "%" PRId64, values[index]);
    if (count < 0 || count > end - out)
      break;
    memcpy(out, digits, (size_t)count);
    out += count;
    message += length;
  }
  *out = 0;
}

static int runInFrame(void (*fn)(void *), void *argument, int quiet) {
  Frame frame;
  linkInit(&frame.live);
  frame.outer = innermost;
  frame.quiet = quiet;
  if (_setjmp(frame.target)) /* the failure has left this frame already */
    return 1;
  innermost = &frame;
  symshapeSetLiveList(&frame.live);
  fn(argument);
  innermost = frame.outer;
  Link *outer = frame.outer ? &frame.outer->live : NULL;
  symshapeSetLiveList(outer);
  symshapeKeepAll(&frame.live, outer);
  return 0;
}

int symshape_rt_call(void (*fn)(void *), void *argument) {
  return runInFrame(fn, argument, /*quiet=*/0);
}

int symshapeCallQuietly(void (*fn)(void *), void *argument) {
  return runInFrame(fn, argument, /*quiet=*/1);
}

/* Ends the innermost call; `lastMessage` says why. */
SYMSHAPE_RT_NORETURN static void leaveFrame(void) {
  Frame *frame = innermost;
  if (frame) {
    innermost = frame->outer;
    symshapeSetLiveList(innermost ? &innermost->live : NULL);
    symshapeFreeAll(&frame->live);
  }
  if (frame && frame->quiet)
    _longjmp(frame->target, 1);
  if (handlerFunction)
    handlerFunction(handlerContext, lastMessage);
  else if (!frame)
    fprintf(stderr, "error: symshape: %s\n", lastMessage);
  if (!frame)
    abort();
  _longjmp(frame->target, 1);
}

void symshape_rt_fail(const char *message, const int64_t *values,
                      int64_t numValues) {
  formatMessage(message, values, numValues);
  leaveFrame();
}

void symshapeFailAgain(const char *message) {
  snprintf(lastMessage, sizeof(lastMessage), "%s", message);
  leaveFrame();
}
