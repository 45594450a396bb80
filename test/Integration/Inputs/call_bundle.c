/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
   Calls the object of a bundle that was linked to this program: a matrix times
   a weight, from which something is computed once. */
#include "program.h"

#include <stdio.h>
#include <stdlib.h>

static float weight[64 * 48], input[8 * 64];
static symshape_main_argument1 weights = {weight, weight, 0, {64, 48}, {48, 1}};
static symshape_main_prepared prepared;

static void prepare(void *unused) {
  (void)unused;
  symshape_main_prepare(&prepared, &weights);
}

static void call(void *rows) {
  int64_t n = *(int64_t *)rows;
  symshape_main_argument0 argument = {input, input, 0, {n, 64}, {64, 1}};
  symshape_main_results results;
  symshape_main(&results, &argument, &weights, &prepared.prepared0);
  symshape_main_result0 *r = &results.result0;
  printf("%dx%d:", (int)r->extents[0], (int)r->extents[1]);
  for (int64_t i = 0; i < r->extents[0]; ++i)
    printf(" %g", r->data[r->offset + i * r->strides[0] + i]);
  printf("\n");
}

int main(void) {
  for (int i = 0; i < 64; ++i)
    for (int j = 0; j < 48; ++j)
      weight[48 * i + j] = i == j ? (float)(j + 1) : 0;
  for (int i = 0; i < 8 * 64; ++i)
    input[i] = 1;
  if (symshape_rt_call(prepare, NULL))
    return 1;
  for (int64_t rows = 0; rows < 11; rows += 2)
    if (symshape_rt_call(call, &rows))
      printf("%s\n", symshape_rt_last_message());
  return 0;
}
