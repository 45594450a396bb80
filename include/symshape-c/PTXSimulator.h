/*===- PTXSimulator.h - What tests ask the simulated driver -------*- C -*-===*\
|* Part of the SymShape project, under the Apache License v2.0 with LLVM     *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* libsymshape_ptxsim.so has the entries of a CUDA driver, and these.         *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef SYMSHAPE_C_PTXSIMULATOR_H
#define SYMSHAPE_C_PTXSIMULATOR_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How many there are: "allocations", "bytes", "host allocations", "modules",
   "streams", "events", "graphs", "contexts" (retained and not released); or how
   many there were: "calls", "launches", "blocks", "instructions", "thread
   instructions", and "leaked", which were left when the last user of the
   context released it. -1 for another word. */
int64_t symshape_ptxsim_count(const char *what);

/* The message of the last kernel that failed or module that was refused, with
   the line of the PTX; empty if there is none. Valid until the next call. */
const char *symshape_ptxsim_message(void);

/* Makes the call-th call from now fail with this CUresult, once; 0 for none. A
   call that gives something back does so and fails then. */
void symshape_ptxsim_fail_at(int64_t call, int code);

#ifdef __cplusplus
}
#endif

#endif /* SYMSHAPE_C_PTXSIMULATOR_H */
