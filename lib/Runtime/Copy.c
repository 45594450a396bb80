/*===- Copy.c - Copies of strided memory --------------------------*- C -*-===*\
|* Part of the SymShape project, under the Apache License v2.0 with LLVM     *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* The function that MLIR's lowering of `memref.copy` calls when one side is  *|
|* not contiguous.                                                            *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "Internal.h"

#include <string.h>

enum { maxRank = 32 };

/* A descriptor's extents and strides follow its three first fields. */
typedef struct Descriptor {
  char *allocated, *aligned;
  int64_t offset;
  int64_t extentsAndStrides[];
} Descriptor;

void symshape_rt_copy(int64_t elementBytes,
                      const symshape_rt_unranked_memref *source,
                      const symshape_rt_unranked_memref *target) {
  int64_t rank = source->rank;
  if (rank != target->rank || rank > maxRank)
    symshape_rt_fail("copy between ranks {0} and {1} refused",
                     (int64_t[]){rank, target->rank}, 2);
  const Descriptor *from = source->descriptor, *to = target->descriptor;
  const int64_t *extents = from->extentsAndStrides;
  const int64_t *fromStrides = extents + rank;
  const int64_t *toStrides = to->extentsAndStrides + rank;
  for (int64_t i = 0; i < rank; ++i)
    if (extents[i] == 0)
      return;
  const char *read = from->aligned + from->offset * elementBytes;
  char *write = to->aligned + to->offset * elementBytes;

  /* Trailing dimensions that are dense on both sides are copied at once. */
  int64_t run = elementBytes, outer = rank;
  while (outer > 0 && (extents[outer - 1] == 1 ||
                       (fromStrides[outer - 1] * elementBytes == run &&
                        toStrides[outer - 1] * elementBytes == run)))
    run *= extents[--outer];
  int64_t position[maxRank] = {0};
  for (;;) {
    memmove(write, read, (size_t)run);
    int64_t dim = outer - 1;
    for (; dim >= 0; --dim) {
      read += fromStrides[dim] * elementBytes;
      write += toStrides[dim] * elementBytes;
      if (++position[dim] < extents[dim])
        break;
      read -= extents[dim] * fromStrides[dim] * elementBytes;
      write -= extents[dim] * toStrides[dim] * elementBytes;
      position[dim] = 0;
    }
    if (dim < 0)
      return;
  }
}

/* What generated code calls it where it is linked, and not loaded. */
void memrefCopy(int64_t elementBytes, const symshape_rt_unranked_memref *source,
                const symshape_rt_unranked_memref *target)
    __attribute__((weak, alias("symshape_rt_copy")));
