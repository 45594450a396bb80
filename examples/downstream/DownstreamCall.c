/*===- DownstreamCall.c - Compiles a program and calls it ---------*- C -*-===*\
|*                                                                            *|
|* Part of the SymShape project, under the Apache License v2.0 with LLVM     *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* downstream-call FILE: joins a 1x2 and a 2x2 tensor by @join of FILE, and   *|
|* prints the result.                                                         *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "symshape-c/Execution.h"

#include <stdio.h>

static int fail(void) {
  fprintf(stderr, "error: %s\n", symshape_last_error(NULL));
  return 1;
}

int main(int argc, char **argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: downstream-call FILE\n");
    return 2;
  }
  symshape_options options = {.size = sizeof(options), .entry = "join"};
  symshape_program *program = symshape_compile(argv[1], &options);
  if (!program)
    return fail();

  float upper[] = {1, 2}, lower[] = {3, 4, 5, 6};
  symshape_tensor inputs[] = {
      {.data = upper, .type = SYMSHAPE_F32, .rank = 2, .extents = {1, 2}},
      {.data = lower, .type = SYMSHAPE_F32, .rank = 2, .extents = {2, 2}}};
  symshape_tensor result = {0};
  if (symshape_call(program, inputs, 2, &result, 1))
    return fail();

  const float *elements = result.data;
  for (int64_t i = 0; i < result.extents[0]; ++i)
    for (int64_t j = 0; j < result.extents[1]; ++j)
      printf("%g%c", elements[i * result.extents[1] + j],
             j + 1 < result.extents[1] ? ' ' : '\n');
  symshape_release_results(&result, 1);
  symshape_destroy(program);
  return 0;
}
