/*===- GuardPages.c - Memory beside inaccessible pages ------------*- C -*-===*\
|* Part of the SymShape project, under the Apache License v2.0 with LLVM     *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* One mapping per block: data pages and one page without access, after them  *|
|* (the block ends where it begins) or before them (the block begins there).  *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#define _GNU_SOURCE
#include "Internal.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static size_t pageSize(void) { return (size_t)sysconf(_SC_PAGESIZE); }

/* Bytes of the data pages of a block. */
static size_t dataLength(size_t bytes) {
  size_t page = pageSize();
  size_t length = (bytes + page - 1) / page * page;
  return length ? length : page;
}

void *symshape_rt_map_guarded(size_t bytes, symshape_rt_guard_mode mode) {
  if (bytes > ((size_t)1 << 47))
    return NULL;
  size_t page = pageSize(), length = dataLength(bytes);
  char *base = mmap(NULL, length + page, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (base == MAP_FAILED)
    return NULL;
  int atEnd = mode == SYMSHAPE_RT_GUARD_END;
  char *data = atEnd ? base : base + page;
  if (mprotect(atEnd ? base + length : base, page, PROT_NONE)) {
    munmap(base, length + page);
    return NULL;
  }
  /* All ones is a NaN in every float format; 0x7f7f... a large number. */
  memset(data, atEnd ? 0xff : 0x7f, length);
  return atEnd ? data + (length - bytes) : data;
}

void symshape_rt_unmap_guarded(void *pointer, size_t bytes,
                               symshape_rt_guard_mode mode) {
  if (!pointer)
    return;
  size_t page = pageSize(), length = dataLength(bytes);
  char *data = pointer;
  char *base =
      mode == SYMSHAPE_RT_GUARD_END ? data - (length - bytes) : data - page;
  munmap(base, length + page);
}
