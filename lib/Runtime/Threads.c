/*===- Threads.c - Parallel loops ---------------------------------*- C -*-===*\
|* Part of the SymShape project, under the Apache License v2.0 with LLVM     *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* One loop of the process runs at a time, on its caller and on helpers that  *|
|* wait for loops. Each takes ranges of iterations of its own share, the same *|
|* part of each loop, since what one loop wrote there is in the caches of its *|
|* core; and then of the shares of others, until none are left. The           *|
|* caller waits only for helpers that have entered the loop: one that the     *|
|* system does not run costs nothing, where the join of an OpenMP team waits  *|
|* for every member (docs/Rationale/Threads.md).                              *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#define _GNU_SOURCE
#include "Internal.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>

enum {
  maxHelpers = 1023,
  rangesPerThread = 4,
  /* How often a helper looks for the next loop before it sleeps: some 50 us.
     The loops of one call follow each other within less. */
  looksBeforeSleep = 2000,
  looksBeforeYield = 200,
};

/* The loop that runs, filled in by its caller before `gate` opens. */
static struct {
  void (*body)(void *, int64_t, int64_t);
  void *context;
  int64_t range, shares;
  atomic_int failed;
  pthread_mutex_t messageLock;
  char message[symshapeMessageBytes];
} loop = {.messageLock = PTHREAD_MUTEX_INITIALIZER};

/* Of the iterations of the loop: where the next range begins, and where the
   share ends. Each on a cache line of its own. */
typedef struct Share {
  _Alignas(64) _Atomic int64_t next;
  int64_t end;
} Share;
static Share shares[maxHelpers + 1];

/* Who may enter the loop: its number (high half), how many helpers it takes (0:
   it is closed), and how many are inside. */
static _Atomic uint64_t gate;
static const uint64_t oneInside = 1, oneSeat = 1 << 16;
static const uint64_t insideMask = 0xffff, seatMask = 0xffff0000u;

static uint64_t numberOf(uint64_t state) { return state >> 32; }

static int hasSeat(uint64_t state) {
  return (state & insideMask) < (state & seatMask) >> 16;
}

static atomic_flag loopRuns = ATOMIC_FLAG_INIT;
static _Thread_local int64_t maxThreads = 1;
static _Thread_local int insideBody;
/* One more than the number of calls in which this thread began its loop; 0: it
   runs none. */
static _Thread_local int64_t loopDepth;

/* Under `sleepLock`, except that `numSleeping` is read without it. */
static pthread_mutex_t sleepLock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t wakeUp = PTHREAD_COND_INITIALIZER;
static atomic_int numSleeping;
static int numHelpers;
static pthread_t helperThreads[maxHelpers];
static int avoidedProcessor = -1; /* by all helpers; -1: none */

static pthread_once_t forkOnce = PTHREAD_ONCE_INIT;

void symshape_rt_set_threads(int64_t threads) {
  maxThreads = threads < 1 ? 1 : threads;
}

static void pauseBriefly(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

/* Takes ranges until there are none, or a body has failed; first those of the
   share of thread `*number`. */
static void runRanges(void *number) {
  for (int64_t i = 0; i < loop.shares; ++i) {
    Share *share = &shares[(*(int64_t *)number + i) % loop.shares];
    while (!atomic_load_explicit(&loop.failed, memory_order_relaxed)) {
      int64_t begin = atomic_fetch_add(&share->next, loop.range);
      if (begin >= share->end)
        break;
      int64_t rest = share->end - begin;
      loop.body(loop.context, begin,
                begin + (rest < loop.range ? rest : loop.range));
    }
  }
}

/* Thread 0 is the caller. */
static void runShares(int64_t number) {
  insideBody = 1;
  if (symshapeCallQuietly(runRanges, &number)) {
    pthread_mutex_lock(&loop.messageLock);
    if (!atomic_exchange(&loop.failed, 1))
      strcpy(loop.message, symshape_rt_last_message());
    pthread_mutex_unlock(&loop.messageLock);
  }
  insideBody = 0;
}

/* Waits for a loop that has a seat and is not number `last`. */
static uint64_t waitForLoop(uint64_t last) {
  uint64_t state = 0;
  for (int i = 0; i < looksBeforeSleep; ++i) {
    state = atomic_load(&gate);
    if (hasSeat(state) && numberOf(state) != last)
      return state;
    pauseBriefly();
  }
  pthread_mutex_lock(&sleepLock);
  /* A caller opens the gate, then looks for sleepers; here it is the other way
     round, so that one of the two sees the other. */
  atomic_fetch_add(&numSleeping, 1);
  while (state = atomic_load(&gate), !hasSeat(state) || numberOf(state) == last)
    pthread_cond_wait(&wakeUp, &sleepLock);
  atomic_fetch_sub(&numSleeping, 1);
  pthread_mutex_unlock(&sleepLock);
  return state;
}

static void *help(void *number) {
  uint64_t last = 0;
  for (;;) {
    uint64_t state = waitForLoop(last);
    last = numberOf(state);
    while (hasSeat(state) && numberOf(state) == last)
      if (atomic_compare_exchange_weak(&gate, &state, state + oneInside)) {
        /* Where a loop takes few of the helpers, none begins with the share
           of the caller. */
        runShares(((int64_t)(intptr_t)number - 1) % (loop.shares - 1) + 1);
        atomic_fetch_sub(&gate, oneInside);
        break;
      }
  }
  return NULL;
}

/* A child of fork has only the thread that called fork. */
static void forgetHelpers(void) {
  numHelpers = 0;
  avoidedProcessor = -1;
  atomic_store(&numSleeping, 0);
  atomic_store(&gate, 0);
  atomic_flag_clear(&loopRuns);
  pthread_mutex_init(&sleepLock, NULL);
  pthread_mutex_init(&loop.messageLock, NULL);
  pthread_cond_init(&wakeUp, NULL);
}

static void watchForks(void) { pthread_atfork(NULL, NULL, forgetHelpers); }

/* Makes helpers until there are `wanted`; fewer if the system refuses. They
   take no signals but those of a crash of their own, and end with the
   process. */
static void makeHelpers(int wanted) {
  pthread_once(&forkOnce, watchForks);
  sigset_t all, before;
  sigfillset(&all);
  static const int crashes[] = {SIGABRT, SIGBUS,  SIGFPE,
                                SIGILL,  SIGSEGV, SIGTRAP};
  for (size_t i = 0; i < sizeof(crashes) / sizeof(*crashes); ++i)
    sigdelset(&all, crashes[i]);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  while (numHelpers < wanted &&
         !pthread_create(&helperThreads[numHelpers], NULL, help,
                         (void *)(intptr_t)(numHelpers + 1))) {
    pthread_detach(helperThreads[numHelpers]);
    ++numHelpers;
    avoidedProcessor = -1;
  }
  pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* Keeps helpers off the processor that this thread is on. Woken there, one
   would wait for this thread, even if others are idle, until the system
   balances its queues, which takes longer than most calls. */
static void makeRoomForCaller(void) {
  int processor = sched_getcpu();
  cpu_set_t allowed;
  if (processor < 0 || processor == avoidedProcessor ||
      sched_getaffinity(0, sizeof(allowed), &allowed))
    return;
  CPU_CLR(processor, &allowed);
  if (CPU_COUNT(&allowed) == 0)
    return;
  for (int i = 0; i < numHelpers; ++i)
    pthread_setaffinity_np(helperThreads[i], sizeof(allowed), &allowed);
  avoidedProcessor = processor;
}

/* Lets no more helpers in, and returns when none is inside. */
static void closeLoop(void) {
  atomic_fetch_and(&gate, ~seatMask);
  for (int i = 0; atomic_load(&gate) & insideMask; ++i)
    if (i < looksBeforeYield)
      pauseBriefly();
    else
      sched_yield();
}

/* Runs `loop` with up to `helpers` helpers; returns when none is in it. */
static void runWithHelpers(int helpers) {
  if (numHelpers < helpers)
    makeHelpers(helpers);
  uint64_t number = numberOf(atomic_load(&gate)) + 1;
  atomic_store(&gate, number << 32 | (uint64_t)helpers * oneSeat);
  if (atomic_load(&numSleeping) > 0) {
    makeRoomForCaller();
    pthread_mutex_lock(&sleepLock);
    for (int i = 0; i < helpers; ++i)
      pthread_cond_signal(&wakeUp);
    pthread_mutex_unlock(&sleepLock);
  }
  runShares(0);
  closeLoop();
}

void symshapeAbandonLoop(int64_t depth) {
  if (loopDepth <= depth)
    return;
  atomic_store(&loop.failed, 1);
  closeLoop();
  insideBody = 0;
  loopDepth = 0;
  atomic_flag_clear(&loopRuns);
}

/* ceil(a / b) of positive numbers. */
static int64_t ceilDiv(int64_t a, int64_t b) { return (a - 1) / b + 1; }

void symshape_rt_parallel(void (*body)(void *, int64_t, int64_t), void *context,
                          int64_t count, int64_t grain) {
  if (count <= 0)
    return;
  if (grain < 1)
    grain = 1;
  int64_t threads = ceilDiv(count, grain);
  if (threads > maxThreads)
    threads = maxThreads;
  if (threads > maxHelpers + 1)
    threads = maxHelpers + 1;
  if (threads == 1 || insideBody || atomic_flag_test_and_set(&loopRuns)) {
    body(context, 0, count);
    return;
  }
  loopDepth = symshape_rt_depth() + 1;
  int64_t range = ceilDiv(count, threads * rangesPerThread);
  loop.body = body;
  loop.context = context;
  loop.range = range > grain ? range : grain;
  loop.shares = threads;
  int64_t ranges = ceilDiv(count, loop.range);
  for (int64_t i = 0, begin = 0; i < threads; ++i) {
    int64_t end = ranges * (i + 1) / threads * loop.range;
    shares[i].end = end < count ? end : count;
    atomic_store(&shares[i].next, begin);
    begin = shares[i].end;
  }
  atomic_store(&loop.failed, 0);
  runWithHelpers((int)(threads - 1));
  char message[symshapeMessageBytes];
  int failed = loop.failed;
  if (failed)
    strcpy(message, loop.message);
  loopDepth = 0;
  atomic_flag_clear(&loopRuns);
  if (failed)
    symshapeFailAgain(message);
}
