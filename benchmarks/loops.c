//===- loops.c - Plain loops to be measured against -----------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a programmer writes in C for rows of floats: `width` of each, `rows` of
// the smaller operand. Indices are in range.
//
//===----------------------------------------------------------------------===//

#include <stdint.h>
#include <string.h>

void gather_rows(float *restrict result, const float *restrict table,
                 const int64_t *restrict indices, int64_t rows, int64_t width) {
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < width; ++c)
      result[r * width + c] = table[indices[r] * width + c];
}

/* Into a result of `size` rows of zeros. */
void scatter_add_rows(float *restrict result, const float *restrict updates,
                      const int64_t *restrict indices, int64_t rows,
                      int64_t width, int64_t size) {
  memset(result, 0, (size_t)(size * width) * sizeof(float));
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < width; ++c)
      result[indices[r] * width + c] += updates[r * width + c];
}

/* The first `rows` rows, and zeros up to `size` rows. */
void pad_rows(float *restrict result, const float *restrict source,
              int64_t rows, int64_t width, int64_t size) {
  memcpy(result, source, (size_t)(rows * width) * sizeof(float));
  memset(result + rows * width, 0,
         (size_t)((size - rows) * width) * sizeof(float));
}
