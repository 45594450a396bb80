/*===- Runtime.h - What generated code calls at run time ----------*- C -*-===*\
|*                                                                            *|
|* Part of the SymShape project, under the Apache License v2.0 with LLVM     *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* The small C library that compiled programs call: memory, failed guards,    *|
|* and counters. For: generated code and whoever calls it. Not for: anything  *|
|* that knows a compiler; it is free of LLVM.                                 *|
|*                                                                            *|
|* Threads: every function may be called from any thread. A handler, the      *|
|* message of the last failure and the counters belong to the thread.         *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef SYMSHAPE_C_RUNTIME_H
#define SYMSHAPE_C_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#define SYMSHAPE_RT_NORETURN [[noreturn]]
#else
#define SYMSHAPE_RT_NORETURN _Noreturn
#endif

/*===-- Calls and failures ------------------------------------------------===*/

/** Called with the message of a failed guard or assert (no newline at its end)
    before the failing call returns. `message` lives until the handler returns.
    The handler may be left by an exception or a jump only where no
    `symshape_rt_call` encloses the failure. */
typedef void (*symshape_rt_handler)(void *context, const char *message);

/** Sets the calling thread's handler; NULL removes it. */
void symshape_rt_set_handler(symshape_rt_handler handler, void *context);

/** Runs `fn(argument)`. Returns 0 when it ran to its end: its results own what
    it left allocated. Returns 1 when a guard or assert failed inside: all that
    was allocated since the call began has been freed, and the handler, if any,
    has seen the message. Calls nest; a failure ends the innermost one. */
int symshape_rt_call(void (*fn)(void *), void *argument);

/** How many calls the calling thread is in. */
int64_t symshape_rt_depth(void);

/** Ends the calls of the calling thread but for the outermost `depth`, and
   frees what they have allocated; no handler is called. For code that leaves a
   call by a signal: `depth` is usually `symshape_rt_depth` before the call. */
void symshape_rt_abandon(int64_t depth);

/** The message of the calling thread's last failure, or "" before any. Valid
    until the thread's next failure. */
const char *symshape_rt_last_message(void);

/** Adds to the message of the failure that is about to end the call, as lines
    before it. `message` holds placeholders: `{0}`, `{1}`, ... become
   `values[i]` in decimal, `{2:3}` the number whose three words, the lowest
   first, begin at `values[2]`, in two's complement; `{{` is a brace. A
   placeholder without a value stays as it is. Once no room is left, further
   messages are only counted. */
void symshape_rt_tell(const char *message, const int64_t *values,
                      int64_t numValues);

/** Adds a message, unless it is empty, and ends the innermost call; never
    returns. Outside of a call, passes the message to the handler, or without
    one writes it to standard error, and aborts. */
SYMSHAPE_RT_NORETURN void
symshape_rt_fail(const char *message, const int64_t *values, int64_t numValues);

/*===-- Memory ------------------------------------------------------------===*/

/** Memory of `bytes` >= 0 bytes, aligned to 64 bytes; for 0 bytes a pointer of
    its own. A negative size, one above 2^47, or exhausted memory is a failure
    (`symshape_rt_fail`). The names are those that MLIR's lowering of memref
    allocations emits. */
void *_mlir_memref_to_llvm_alloc(int64_t bytes);

/** The same, aligned to `alignment` bytes, a power of two up to 2^30. */
void *_mlir_memref_to_llvm_aligned_alloc(int64_t alignment, int64_t bytes);

/** Frees a pointer that one of the two returned; NULL is ignored. A call may
    free what an earlier one left, on any thread. */
void _mlir_memref_to_llvm_free(void *pointer);

/** 1 if `pointer` is the beginning of a block that a finished call left
    allocated, or that was allocated outside of any call, and 0 otherwise. Any
    value may be passed. Cost: linear in the number of such blocks. */
int symshape_rt_owns(const void *pointer);

/** A memref whose rank is known at run time: `descriptor` points at allocated
    pointer, aligned pointer, offset, extents, strides (in elements). */
typedef struct symshape_rt_unranked_memref {
  int64_t rank;
  void *descriptor;
} symshape_rt_unranked_memref;

/** Copies `source` to `target`, of the same rank (at most 32) and extents;
    elements have `elementBytes` bytes. Generated code calls it `memrefCopy`. */
void symshape_rt_copy(int64_t elementBytes,
                      const symshape_rt_unranked_memref *source,
                      const symshape_rt_unranked_memref *target);

/** Returns the calling thread's cached free blocks to the system. */
void symshape_rt_trim(void);

/** Allocations and frees made by the calling thread. A block that another
    thread frees is counted there, so only the sum over threads is exact. */
typedef struct symshape_rt_counters {
  int64_t live_allocations;
  int64_t live_bytes;
  int64_t peak_bytes;
  int64_t total_allocations;
} symshape_rt_counters;
symshape_rt_counters symshape_rt_get_counters(void);

/** Makes the calling thread's `peak_bytes` what is live now. */
void symshape_rt_reset_peak(void);

/*===-- Threads -----------------------------------------------------------===*/

/** How many threads the parallel loops of the calling thread use, itself
    included: from 1, the value of a new thread. */
void symshape_rt_set_threads(int64_t threads);

/** Runs `body(context, begin, end)` for ranges that cover [0, count) without
    overlap, each of at least `grain` >= 1 iterations where that many are left,
    on the calling thread and others. Iterations must not depend on each other.
    Returns when all have run. A failure in a body ends the others after their
    range and becomes one of the calling thread. Within a body, and while
   another thread of the process is in a parallel loop, everything runs on the
   calling thread. A body's memory must be freed before it returns. */
void symshape_rt_parallel(void (*body)(void *context, int64_t begin,
                                       int64_t end),
                          void *context, int64_t count, int64_t grain);

/*===-- Time --------------------------------------------------------------===*/

/** When a kernel ran, in nanoseconds of a monotonic clock. `place` lives as
   long as the code. */
typedef struct symshape_rt_interval {
  const char *place;
  int64_t begin, end;
} symshape_rt_interval;

/** From now on, notes the first `capacity` intervals of kernels of the calling
    thread, in code that was compiled with timers, in `intervals`. Returns how
    many there were since this was called last, or were to be noted. */
int64_t symshape_rt_note_intervals(symshape_rt_interval *intervals,
                                   int64_t capacity);

/** What code that was compiled with timers calls before and after a kernel. */
void symshape_rt_enter(const char *place);
void symshape_rt_leave(void);

/*===-- Libraries ---------------------------------------------------------===*/

/** A function that compiled code may call by this name. */
typedef struct symshape_rt_function {
  const char *name;
  void (*address)(void);
} symshape_rt_function;

/** The `*count` functions that compiled code may call, for its loaders: those
    of this library, and those of the C library and the compiler's library that
    LLVM calls where a target has no instruction. */
const symshape_rt_function *symshape_rt_functions(int64_t *count);

/*===-- Guard pages -------------------------------------------------------===*/

/** Where inaccessible pages stand, so that an access outside of a block traps
    instead of reading a neighbour. Memory is filled with a pattern that
    differs between the two, so that reads of unwritten memory show as well. */
typedef enum symshape_rt_guard_mode {
  SYMSHAPE_RT_GUARD_NONE = 0,
  SYMSHAPE_RT_GUARD_END = 1,   /**< the block ends at an inaccessible page */
  SYMSHAPE_RT_GUARD_BEGIN = 2, /**< the block begins after one */
} symshape_rt_guard_mode;

/** The mode of all allocations from now on, of all threads. Blocks that are
    live keep theirs. With a mode other than NONE, alignment requests are not
    honoured beyond that of the element type. */
void symshape_rt_set_guard_mode(symshape_rt_guard_mode mode);

/** Memory of `bytes` bytes with an inaccessible page according to `mode` (not
    NONE), outside of the counters; for the inputs of a call. NULL on
    failure. */
void *symshape_rt_map_guarded(size_t bytes, symshape_rt_guard_mode mode);

/** Unmaps what `symshape_rt_map_guarded` returned for `bytes` and `mode`. */
void symshape_rt_unmap_guarded(void *pointer, size_t bytes,
                               symshape_rt_guard_mode mode);

#ifdef __cplusplus
}
#endif

#endif /* SYMSHAPE_C_RUNTIME_H */
