/*===- Internal.h - Shared by the parts of the runtime ------------*- C -*-===*\
|* Part of the SymShape project, under the Apache License v2.0 with LLVM     *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
\*===----------------------------------------------------------------------===*/

#ifndef SYMSHAPE_RUNTIME_INTERNAL_H
#define SYMSHAPE_RUNTIME_INTERNAL_H

#include "symshape-c/Runtime.h"

/* A node of a circular doubly linked list; a list is its sentinel. */
typedef struct Link {
  struct Link *previous, *next;
} Link;

static inline void linkInit(Link *list) { list->previous = list->next = list; }

static inline void linkInsert(Link *list, Link *node) {
  node->previous = list;
  node->next = list->next;
  list->next->previous = node;
  list->next = node;
}

static inline void linkRemove(Link *node) {
  node->previous->next = node->next;
  node->next->previous = node->previous;
  node->previous = node->next = node;
}

/* Message.c: the length at which messages are cut, with the final 0. */
enum { symshapeMessageBytes = 8192 };

/* Message.c: forgets the messages so far. */
void symshapeClearMessage(void);

/* Message.c: replaces the messages by a whole one, which is not a template.
 */
void symshapeCopyMessage(const char *message);

/* Message.c: makes the messages so far the last message. */
void symshapeFinishMessage(void);

/* Call.c: symshape_rt_call, but no handler sees a failure. */
int symshapeCallQuietly(void (*fn)(void *), void *argument);

/* Call.c: fails with the message of an earlier failure. */
SYMSHAPE_RT_NORETURN void symshapeFailAgain(const char *message);

/* Threads.c: ends the parallel loop that the calling thread runs, if it began
   it inside at least so many calls and will not come back to it. */
void symshapeAbandonLoop(int64_t depth);

/* Memory.c: the list that takes the calling thread's new blocks; NULL outside
   of a call, when they go to the process-wide list of escaped blocks. Returns
   the list that was set before. */
Link *symshapeSetLiveList(Link *list);

/* Memory.c: frees every block of the list. */
void symshapeFreeAll(Link *list);

/* Memory.c: moves the blocks of a finished call to `outer`, or to the escaped
   blocks if that is NULL. */
void symshapeKeepAll(Link *list, Link *outer);

/* GpuCalls.c: device memory of at least `*bytes` bytes, which become what it
   has; fails the call if there is none. */
uint64_t symshapeGpuTake(int64_t *bytes);

/* GpuCalls.c: takes back device memory. */
void symshapeGpuGive(uint64_t address, int64_t bytes);

/* GpuCalls.c: waits for what a failed call has launched. */
void symshapeGpuCallFailed(void);

/* Print.c: see there. */
void printI64(int64_t value);
void printU64(uint64_t value);
void printF16(uint16_t bits);
void printBF16(uint16_t bits);
void printF32(float value);
void printF64(double value);
void printString(const char *text);
void printOpen(void);
void printClose(void);
void printComma(void);
void printNewline(void);

/* Of the compiler's library. A 16-bit float is passed and returned in the lower
   half of a float: written like this, it needs no compiler that knows the
   type. */
float __extendhfsf2(float);

#endif /* SYMSHAPE_RUNTIME_INTERNAL_H */
