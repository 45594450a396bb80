/*===- Memory.c - Blocks, their cache and their counters ----------*- C -*-===*\
|* Part of the SymShape project, under the Apache License v2.0 with LLVM     *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* A block is a 64-byte header and its data. Inside a call a block hangs on   *|
|* the call's list, so that a failure frees it; a finished call's blocks are  *|
|* results and hang on the process-wide list of escaped blocks, from where    *|
|* any thread may free them.                                                  *|
|*                                                                            *|
|* Freed blocks stay in lists per size class and thread: a program that is    *|
|* called again finds memory whose pages it has touched before, instead of    *|
|* faulting in fresh ones. Not where the C library fills memory as it is      *|
|* freed and allocated (MALLOC_PERTURB_): what nobody wrote is to show.       *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#define _GNU_SOURCE
#include "Internal.h"
#include "symshape-c/RuntimeGPU.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
  headerBytes = 64,
  numClasses = 4 * 48,
  hugePageBytes = 2 << 20,
  onDevice = 64, /* beside the guard modes */
};
static const int64_t maxBlockBytes = (int64_t)1 << 47;
static const int64_t maxCachedBytes = (int64_t)512 << 20; /* per thread */
static const uint64_t liveMagic = 0x53796d536861704cu;

typedef struct Block {
  Link link; /* first: a Link is its Block */
  uint64_t magic;
  void *data;
  void *base;          /* what the system gave; NULL for a guarded block */
  int64_t bytes;       /* as asked */
  int64_t systemBytes; /* of `base`; for guarded blocks unused */
  int16_t sizeClass;   /* -1: not cached */
  int8_t guard;        /* symshape_rt_guard_mode, or onDevice */
  int8_t escaped;      /* on the process-wide list, under its lock */
} Block;

_Static_assert(sizeof(Block) <= headerBytes, "a header holds a block");

static pthread_mutex_t escapedLock = PTHREAD_MUTEX_INITIALIZER;
static Link escapedBlocks = {&escapedBlocks, &escapedBlocks};
/* Live blocks that are guarded, or on a device: their headers lie apart. Under
   `escapedLock`. */
static Block *guardedBlocks[1024];
static int64_t numGuardedBlocks;
static symshape_rt_guard_mode guardMode;

typedef struct Cache {
  Block *classes[numClasses]; /* singly linked through link.next */
  int64_t bytes;
  int registered;
} Cache;

static _Thread_local Cache cache;
static _Thread_local Link *liveList;
static _Thread_local symshape_rt_counters counters;

static pthread_once_t exitKeyOnce = PTHREAD_ONCE_INIT;
static pthread_key_t exitKey;
static int isFilled; /* by the C library: no block is cached */

static void trimAtExit(void *unused) {
  (void)unused;
  symshape_rt_trim();
}

static void makeExitKey(void) {
  pthread_key_create(&exitKey, trimAtExit);
  const char *fill = getenv("MALLOC_PERTURB_");
  isFilled = fill && *fill && *fill != '0';
}

/* The size class of a block of `total` bytes, header included, and the size of
   the class: four classes per power of two, so at most a quarter is wasted. */
static int sizeClassOf(int64_t total, int64_t *classBytes) {
  if (total < 256)
    total = 256;
  int log = 63 - __builtin_clzll((unsigned long long)(total - 1));
  int64_t step = (int64_t)1 << (log - 2);
  int64_t rounded = (total + step - 1) / step * step;
  *classBytes = rounded;
  return 4 * (log - 7) + (int)((rounded - ((int64_t)1 << log)) / step) - 1;
}

static Block *takeCached(int sizeClass) {
  Block *block = cache.classes[sizeClass];
  if (!block)
    return NULL;
  cache.classes[sizeClass] = (Block *)block->link.next;
  cache.bytes -= block->systemBytes;
  return block;
}

/* Keeps a freed block for its class; 0 if it must go back to the system. */
static int putCached(Block *block) {
  if (!cache.registered) {
    pthread_once(&exitKeyOnce, makeExitKey);
    pthread_setspecific(exitKey, &cache);
    cache.registered = 1;
  }
  if (block->sizeClass < 0 || isFilled ||
      cache.bytes + block->systemBytes > maxCachedBytes)
    return 0;
  block->link.next = (Link *)cache.classes[block->sizeClass];
  cache.classes[block->sizeClass] = block;
  cache.bytes += block->systemBytes;
  return 1;
}

void symshape_rt_trim(void) {
  for (int i = 0; i < numClasses; ++i)
    for (Block *block; (block = takeCached(i));)
      free(block->base);
}

/* A block from the cache or the system; NULL if there is no memory. */
static Block *newBlock(int64_t alignment, int64_t bytes) {
  int64_t classBytes = 0;
  if (alignment <= headerBytes) {
    int sizeClass = sizeClassOf(bytes + headerBytes, &classBytes);
    Block *block = takeCached(sizeClass);
    if (block)
      return block;
    int huge = classBytes >= 2 * hugePageBytes;
    size_t baseAlignment = huge ? hugePageBytes : headerBytes;
    if (huge) /* whole huge pages, which hold wide matrices with few faults */
      classBytes = (classBytes + hugePageBytes - 1) & -(int64_t)hugePageBytes;
    char *base = aligned_alloc(baseAlignment,
                               (size_t)((classBytes + 63) & -(int64_t)64));
    if (!base)
      return NULL;
    if (huge)
      (void)madvise(base, (size_t)classBytes, MADV_HUGEPAGE);
    block = (Block *)base;
    block->base = base;
    block->data = base + headerBytes;
    block->systemBytes = classBytes;
    block->sizeClass = (int16_t)sizeClass;
    return block;
  }
  int64_t total = alignment + ((bytes + alignment - 1) & -alignment);
  char *base = aligned_alloc((size_t)alignment, (size_t)total);
  if (!base)
    return NULL;
  Block *block = (Block *)(base + alignment - headerBytes);
  block->base = base;
  block->data = base + alignment;
  block->systemBytes = total;
  block->sizeClass = -1;
  return block;
}

/* Makes `block` the header of `data`, which lies elsewhere. */
static void registerApart(Block *block, void *data) {
  block->data = data;
  block->sizeClass = -1;
  pthread_mutex_lock(&escapedLock);
  Block **bucket = &guardedBlocks[((uintptr_t)data >> 12) % 1024];
  block->base = *bucket; /* chains the bucket: such a block has no base */
  *bucket = block;
  ++numGuardedBlocks;
  pthread_mutex_unlock(&escapedLock);
}

static Block *newGuardedBlock(int64_t bytes, symshape_rt_guard_mode mode) {
  Block *block = calloc(1, sizeof(Block));
  void *data = block ? symshape_rt_map_guarded((size_t)bytes, mode) : NULL;
  if (!data) {
    free(block);
    return NULL;
  }
  registerApart(block, data);
  return block;
}

/* The guarded block whose data begins at `pointer`, removed from the table if
   `remove`; NULL if there is none. Under the lock. */
static Block *findGuarded(const void *pointer, int remove) {
  Block **slot = &guardedBlocks[((uintptr_t)pointer >> 12) % 1024];
  while (*slot && (*slot)->data != pointer)
    slot = (Block **)&(*slot)->base;
  Block *block = *slot;
  if (block && remove) {
    *slot = block->base;
    --numGuardedBlocks;
  }
  return block;
}

/* Puts a new block on the list of its call, and counts it. */
static void *enlist(Block *block, int64_t bytes, int guard) {
  block->magic = liveMagic;
  block->bytes = bytes;
  block->guard = (int8_t)guard;
  block->escaped = !liveList;
  if (liveList) {
    linkInsert(liveList, &block->link);
  } else {
    pthread_mutex_lock(&escapedLock);
    linkInsert(&escapedBlocks, &block->link);
    pthread_mutex_unlock(&escapedLock);
  }
  ++counters.live_allocations;
  ++counters.total_allocations;
  counters.live_bytes += bytes;
  if (counters.live_bytes > counters.peak_bytes)
    counters.peak_bytes = counters.live_bytes;
  return block->data;
}

static void checkSize(int64_t bytes) {
  if (bytes < 0 || bytes > maxBlockBytes)
    symshape_rt_fail("allocation refused: expected from 0 to at most 2^47 "
                     "bytes, but got {0}",
                     &bytes, 1);
}

static void *allocate(int64_t alignment, int64_t bytes) {
  checkSize(bytes);
  if (alignment < 1 || alignment > ((int64_t)1 << 30) ||
      (alignment & (alignment - 1)))
    symshape_rt_fail("allocation refused: expected an alignment that is a "
                     "power of two up to 2^30, but got {0}",
                     &alignment, 1);
  symshape_rt_guard_mode mode = guardMode;
  Block *block = mode == SYMSHAPE_RT_GUARD_NONE ? newBlock(alignment, bytes)
                                                : newGuardedBlock(bytes, mode);
  if (!block)
    symshape_rt_fail("out of memory: could not allocate {0} bytes", &bytes, 1);
  return enlist(block, bytes, mode);
}

void *symshape_gpu_alloc(int64_t bytes) {
  checkSize(bytes);
  int64_t taken = bytes;
  uint64_t address = symshapeGpuTake(&taken); /* may fail, so it comes first */
  Block *block = calloc(1, sizeof(Block));
  if (!block) {
    symshapeGpuGive(address, taken);
    symshape_rt_fail("out of memory: could not allocate {0} bytes", &bytes, 1);
  }
  block->systemBytes = taken;
  registerApart(block, (void *)(uintptr_t)address);
  return enlist(block, bytes, onDevice);
}

static void release(Block *block) {
  if (block->escaped) {
    pthread_mutex_lock(&escapedLock);
    linkRemove(&block->link);
    pthread_mutex_unlock(&escapedLock);
  } else {
    linkRemove(&block->link);
  }
  block->magic = 0;
  --counters.live_allocations;
  counters.live_bytes -= block->bytes;
  if (block->guard != SYMSHAPE_RT_GUARD_NONE) {
    pthread_mutex_lock(&escapedLock);
    findGuarded(block->data, /*remove=*/1);
    pthread_mutex_unlock(&escapedLock);
  }
  if (block->guard == onDevice) {
    symshapeGpuGive((uint64_t)(uintptr_t)block->data, block->systemBytes);
    free(block);
  } else if (block->guard != SYMSHAPE_RT_GUARD_NONE) {
    symshape_rt_unmap_guarded(block->data, (size_t)block->bytes,
                              (symshape_rt_guard_mode)block->guard);
    free(block);
  } else if (!putCached(block)) {
    free(block->base);
  }
}

void *_mlir_memref_to_llvm_alloc(int64_t bytes) {
  return allocate(headerBytes, bytes);
}

void *_mlir_memref_to_llvm_aligned_alloc(int64_t alignment, int64_t bytes) {
  return allocate(alignment, bytes);
}

void _mlir_memref_to_llvm_free(void *pointer) {
  if (!pointer)
    return;
  Block *block = NULL;
  if (__atomic_load_n(&numGuardedBlocks, __ATOMIC_RELAXED)) {
    pthread_mutex_lock(&escapedLock);
    block = findGuarded(pointer, /*remove=*/0);
    pthread_mutex_unlock(&escapedLock);
  }
  if (!block)
    block = (Block *)((char *)pointer - headerBytes);
  if (block->magic != liveMagic || block->data != pointer)
    symshape_rt_fail("free of memory that is not a live allocation", NULL, 0);
  release(block);
}

void symshape_gpu_drop(int64_t address) {
  pthread_mutex_lock(&escapedLock);
  Block *block = findGuarded((void *)(intptr_t)address, /*remove=*/0);
  pthread_mutex_unlock(&escapedLock);
  if (block)
    release(block);
}

int symshape_rt_owns(const void *pointer) {
  int found = 0;
  pthread_mutex_lock(&escapedLock);
  for (Link *link = escapedBlocks.next; link != &escapedBlocks && !found;
       link = link->next)
    found = ((Block *)link)->data == pointer;
  pthread_mutex_unlock(&escapedLock);
  return found;
}

symshape_rt_counters symshape_rt_get_counters(void) { return counters; }

void symshape_rt_reset_peak(void) { counters.peak_bytes = counters.live_bytes; }

void symshape_rt_set_guard_mode(symshape_rt_guard_mode mode) {
  guardMode = mode;
}

Link *symshapeSetLiveList(Link *list) {
  Link *previous = liveList;
  liveList = list;
  return previous;
}

void symshapeFreeAll(Link *list) {
  while (list->next != list)
    release((Block *)list->next);
}

void symshapeKeepAll(Link *list, Link *outer) {
  if (list->next == list)
    return;
  if (!outer)
    pthread_mutex_lock(&escapedLock);
  while (list->next != list) {
    Block *block = (Block *)list->next;
    linkRemove(&block->link);
    block->escaped = !outer;
    linkInsert(outer ? outer : &escapedBlocks, &block->link);
  }
  if (!outer)
    pthread_mutex_unlock(&escapedLock);
}
