/*===- Print.c - What vector.print calls --------------------------*- C -*-===*\
|*                                                                            *|
|* Part of the SymShape project, under the Apache License v2.0 with LLVM     *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* Numbers and punctuation to standard output, by the names that MLIR's       *|
|* lowering of vector.print calls, in the form of mlir_c_runner_utils; that   *|
|* library's functions come first where both are linked.                      *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "Internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define WEAK __attribute__((weak))

WEAK void printI64(int64_t value) { printf("%" PRId64, value); }
WEAK void printU64(uint64_t value) { printf("%" PRIu64, value); }
WEAK void printF64(double value) { printf("%g", value); }
WEAK void printF32(float value) { printF64(value); }
/* Floats of 16 bits come as their bits. */
WEAK void printBF16(uint16_t bits) {
  uint32_t wide = (uint32_t)bits << 16;
  float value;
  memcpy(&value, &wide, sizeof(value));
  printF32(value);
}
WEAK void printF16(uint16_t bits) {
  uint32_t wide = bits;
  float half;
  memcpy(&half, &wide, sizeof(half));
  printF32(__extendhfsf2(half));
}
WEAK void printString(const char *text) { fputs(text, stdout); }
WEAK void printOpen(void) { fputs("( ", stdout); }
WEAK void printClose(void) { fputs(" )", stdout); }
WEAK void printComma(void) { fputs(", ", stdout); }
WEAK void printNewline(void) {
  putchar('\n');
  fflush(stdout); /* what the caller prints otherwise comes after it */
}
