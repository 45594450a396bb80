/*===- Execution.h - Compile and call programs --------------------*- C -*-===*\
|*                                                                            *|
|* Part of the SymShape project, under the Apache License v2.0 with LLVM     *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* What symshape-run does, for other languages: compile a function of an MLIR *|
|* file once, bind its weights, and call it at many shapes. The library is    *|
|* libSymShapeC; utils/symshape_c.py wraps it for NumPy. Not for: looking at  *|
|* or changing programs.                                                      *|
|*                                                                            *|
|* Errors: a function that can fail returns 0 or NULL for success as stated,  *|
|* and leaves a message, lower case and without a full stop, in               *|
|* `symshape_last_error`. Diagnostics about a program go to standard error.   *|
|*                                                                            *|
|* Threads: every function may be called from any thread. Several threads may *|
|* call one program at a time, each with results of its own. The last error   *|
|* belongs to the thread.                                                     *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef SYMSHAPE_C_EXECUTION_H
#define SYMSHAPE_C_EXECUTION_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Marks what the library exports. */
#define SYMSHAPE_C_EXPORTED __attribute__((visibility("default")))

/*===-- Tensors -----------------------------------------------------------===*/

/** Element types. A boolean takes one byte, 0 or 1; an index is a signed 64-bit
    integer. MLIR's signless integers count as signed. */
typedef enum symshape_type {
  SYMSHAPE_BOOL,
  SYMSHAPE_I8,
  SYMSHAPE_I16,
  SYMSHAPE_I32,
  SYMSHAPE_I64,
  SYMSHAPE_U8,
  SYMSHAPE_U16,
  SYMSHAPE_U32,
  SYMSHAPE_U64,
  SYMSHAPE_F16,
  SYMSHAPE_BF16,
  SYMSHAPE_F32,
  SYMSHAPE_F64,
  SYMSHAPE_INDEX,
} symshape_type;

enum { SYMSHAPE_MAX_RANK = 16 };

/** A dense tensor in row-major order, or a scalar (rank 0).

    As an input: the caller's; `data` is only read, is aligned to its elements
    (faster if to 64 bytes), and may be anything where an extent is 0; `owner`
    is not looked at.

    As a result: all bytes 0 before the first call. A call first frees what the
    object holds from an earlier one, then fills it in; `data` lives until then,
    or until `symshape_release_results`. Only `data[...]` may be written. */
typedef struct symshape_tensor {
  void *data;
  void *owner;  /**< memory of the library, or NULL */
  int32_t type; /**< a `symshape_type` */
  int32_t rank; /**< at most SYMSHAPE_MAX_RANK */
  int64_t extents[SYMSHAPE_MAX_RANK];
} symshape_tensor;

/*===-- Programs ----------------------------------------------------------===*/

/** How to compile. All zero is the default. */
typedef struct symshape_options {
  const char *entry;   /**< the function; NULL: "main" */
  const char *weights; /**< a .safetensors file for arguments that carry
                            `symshape.weight`; NULL: there are none */
  int32_t no_guards;   /**< 1: do not check what the program requires of its
                            inputs; a call that breaks it is undefined */
  int32_t threads;     /**< the most that a call uses, the caller's included;
                            0: 1. Results do not depend on it. When several
                            threads call at a time, only one call uses more
                            threads than its own */
  const char *cpu;     /**< whose instructions to use, as LLVM calls it, such as
                            "x86-64-v3"; this machine must have them. NULL:
                            all that this machine has */
  int32_t no_memory_plan; /**< 1: each temporary buffer of a call is an
                            allocation of its own, of the size that it has in
                            this call; 0: they share one, see
                            docs/Rationale/Memory.md */
  /** The inputs of the first call, or NULL. Read where an ONNX model depends on
      the values of some, such as axes: the program is then for these values,
      and checks them in every call. */
  const symshape_tensor *first_inputs;
  int64_t num_first_inputs;
  /** Which extents of ops of TOSA expand: "strict", "numpy", or NULL, which
      leaves it to the program; docs/Rationale/TOSA.md */
  const char *tosa_broadcast;
} symshape_options;

/** Why something failed; the numbers are the exit statuses of symshape-run. */
typedef enum symshape_status {
  SYMSHAPE_OK = 0,
  SYMSHAPE_CANNOT_COMPILE = 1, /**< it does not parse, or cannot be lowered */
  SYMSHAPE_BAD_INPUT = 2,      /**< a file, a weight, a type or a rank */
  SYMSHAPE_GUARD_FAILED = 3,   /**< a guard or assert; an extent contradicts
                                    the type */
  SYMSHAPE_INTERNAL = 70,      /**< a crash of the compiler */
} symshape_status;

/** A compiled function with its weights. */
typedef struct symshape_program symshape_program;

/** Compiles the entry of the file at `path` (text or bytecode), binds its
    weights and computes what depends on them alone. `options` may be NULL. NULL
    after an error. To be destroyed with `symshape_destroy`. */
SYMSHAPE_C_EXPORTED symshape_program *
symshape_compile(const char *path, const symshape_options *options);

/** Frees the program; results of its calls live on. NULL is ignored. */
SYMSHAPE_C_EXPORTED void symshape_destroy(symshape_program *program);

/** The numbers of inputs (arguments without `symshape.weight`) and results. */
SYMSHAPE_C_EXPORTED int64_t
symshape_num_inputs(const symshape_program *program);
SYMSHAPE_C_EXPORTED int64_t
symshape_num_results(const symshape_program *program);

/** Seconds of wall time that the parts of `symshape_compile` took. */
typedef struct symshape_times {
  double parse;
  double passes;
  double jit;     /**< from the LLVM dialect to machine code */
  double weights; /**< mapping the file, and what depends on weights alone */
} symshape_times;
SYMSHAPE_C_EXPORTED symshape_times
symshape_get_times(const symshape_program *program);

/*===-- Calls -------------------------------------------------------------===*/

/** Calls the program. `inputs` are its arguments without `symshape.weight`, in
    order; `results` has one element per result. Neither is copied. After an
    error `results` hold nothing, and the program may be called again. */
SYMSHAPE_C_EXPORTED symshape_status symshape_call(
    const symshape_program *program, const symshape_tensor *inputs,
    int64_t num_inputs, symshape_tensor *results, int64_t num_results);

/** Frees what results hold and makes them all zero. On any thread. */
SYMSHAPE_C_EXPORTED void symshape_release_results(symshape_tensor *results,
                                                  int64_t num_results);

/** The message of the calling thread's last error, or "" before any; the
    status as well if `status` is not NULL. Valid until its next error. */
SYMSHAPE_C_EXPORTED const char *symshape_last_error(symshape_status *status);

/** Memory that programs use on the calling thread: bytes now (results not yet
    released, and what was computed from weights), and the most since
    `symshape_reset_peak`. */
typedef struct symshape_memory {
  int64_t live_bytes;
  int64_t peak_bytes;
} symshape_memory;
SYMSHAPE_C_EXPORTED symshape_memory symshape_get_memory(void);
SYMSHAPE_C_EXPORTED void symshape_reset_peak(void);

#ifdef __cplusplus
}
#endif

#endif /* SYMSHAPE_C_EXECUTION_H */
