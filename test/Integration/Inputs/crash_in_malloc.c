/*===- crash_in_malloc.c - A heap that crashes -------------------*- C -*-===*\
|* Part of the SymShape project, under the Apache License v2.0 with LLVM     *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* To be preloaded. After $CRASH_AFTER allocations since main began, the next *|
|* one crashes with the lock of the heap held, as in a heap that was damaged. *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include <pthread.h>
#include <stdlib.h>

extern void *__libc_malloc(size_t);
extern void __libc_free(void *);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long left = -1; /* negative: not counted */

/* What a tool calls when its own handlers stand. */
extern void *__sysv_signal(int, void *);
void *signal(int number, void *handler) {
  left = atol(getenv("CRASH_AFTER"));
  return __sysv_signal(number, handler);
}

void *malloc(size_t bytes) {
  pthread_mutex_lock(&lock);
  if (left >= 0 && left-- == 0)
    *(volatile int *)0 = 1;
  void *block = __libc_malloc(bytes);
  pthread_mutex_unlock(&lock);
  return block;
}

void free(void *block) {
  pthread_mutex_lock(&lock);
  __libc_free(block);
  pthread_mutex_unlock(&lock);
}
