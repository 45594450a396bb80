/*===- Execution.h - Compile and call programs --------------------*- C -*-===*\
|*                                                                            *|
|* Part of the SymShape project, under the Apache License v2.0 with LLVM     *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* What symshape-run does, for other languages: compile a function of a file  *|
|* or of text in memory once, bind its weights, and call it at many shapes.   *|
|* Inspect.h says what is known of a program, Facts.h asks the engine without *|
|* one. The library is libSymShapeC.                                          *|
|*                                                                            *|
|* Versions: this is version 1. Later ones add functions, fields at the end   *|
|* of structs that begin with their size, and numbers at the end of enums;    *|
|* nothing is changed or taken away. A program that was compiled against this *|
|* header runs with the library of any later version.                         *|
|*                                                                            *|
|* Errors: a function that can fail returns 0 or NULL for success as stated,  *|
|* and leaves a message, lower case and without a full stop, in               *|
|* `symshape_last_error`. Nothing is written to standard error.               *|
|*                                                                            *|
|* A pointer that may not be NULL, and is, or leads to such a one, is an      *|
|* error (SYMSHAPE_BAD_INPUT) that names it; a function that returns a number *|
|* then returns 0. A list of no elements may be NULL.                         *|
|*                                                                            *|
|* Ownership: arguments are the caller's, and are needed until the function   *|
|* returns, unless stated otherwise. Text that is returned as `char *` is     *|
|* freed with `symshape_free_text`.                                           *|
|*                                                                            *|
|* Threads: every function may be called from any thread. Several threads may *|
|* call one program at a time, each with results of its own. The last error   *|
|* belongs to the thread.                                                     *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef SYMSHAPE_C_EXECUTION_H
#define SYMSHAPE_C_EXECUTION_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Marks what the library exports. */
#define SYMSHAPE_C_EXPORTED __attribute__((visibility("default")))

/** The version of this header. */
#define SYMSHAPE_VERSION 1

/** The version of the library: at least that of the header that a program was
    compiled against, or the program needs a newer library. */
SYMSHAPE_C_EXPORTED int32_t symshape_version(void);

/** The release of symshape, such as "0.1.0". */
SYMSHAPE_C_EXPORTED const char *symshape_release(void);

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

    As an input: the caller's; `data` is only read unless donated, is aligned to
   its elements (faster if to 64 bytes), and may be anything where an extent is
   0; `owner` is not looked at.

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

/** Why something failed; the numbers are the exit statuses of symshape-run. */
typedef enum symshape_status {
  SYMSHAPE_OK = 0,
  SYMSHAPE_CANNOT_COMPILE = 1, /**< it does not parse, or cannot be lowered */
  SYMSHAPE_BAD_INPUT = 2,      /**< a file, a weight, an option, a type or a
                                    rank; text that is no relation */
  SYMSHAPE_GUARD_FAILED = 3,   /**< a guard or assert; an extent contradicts
                                    the type */
  SYMSHAPE_INTERNAL = 70,      /**< a crash of the compiler */
} symshape_status;

typedef enum symshape_severity {
  SYMSHAPE_ERROR,
  SYMSHAPE_WARNING,
  SYMSHAPE_NOTE, /**< belongs to the error or warning before it */
  SYMSHAPE_REMARK,
} symshape_severity;

/** What the compiler has to say about a program. */
typedef struct symshape_diagnostic {
  size_t size;         /**< of this struct, as the library knows it */
  int32_t severity;    /**< a `symshape_severity` */
  const char *message; /**< lower case, without a full stop */
  const char *file;    /**< "" where no place is known; of a node of a model,
                            the file and the node */
  int64_t line;        /**< from 1; 0: not known */
  int64_t column;      /**< from 1; 0: not known */
} symshape_diagnostic;

/** Is given each diagnostic, one at a time per program, on a thread of the
    library; what it points to lives until the handler returns. */
typedef void (*symshape_diagnostic_handler)(
    void *context, const symshape_diagnostic *diagnostic);

/** Is given each event as a JSON object with "category" and "event"; fields are
    those of `symshape-run --log-file`. One at a time per program, on any
    thread. */
typedef void (*symshape_event_handler)(void *context, const char *event);

/** Whether calls wait for code. */
typedef enum symshape_compile_when {
  SYMSHAPE_COMPILE_SYNC,  /**< they do */
  SYMSHAPE_COMPILE_ASYNC, /**< code for all shapes that is made quickly serves
                               calls until better code is there, which is
                               compiled in the background: results may then
                               differ between calls in rounding */
  SYMSHAPE_COMPILE_AUTO,  /**< ASYNC for a program that takes about a second or
                               more to compile, else SYNC */
  SYMSHAPE_COMPILE_QUICK, /**< they wait for code that is made quickly, and get
                               no other */
} symshape_compile_when;

/** Which dims are symbols in the code. */
typedef enum symshape_dynamic {
  SYMSHAPE_DYNAMIC_ALWAYS, /**< all: one compilation, made at once */
  SYMSHAPE_DYNAMIC_AUTO,   /**< those that have differed between calls; a call
                                compiles where no code serves it */
  SYMSHAPE_DYNAMIC_NEVER,  /**< none: a compilation for each shape */
} symshape_dynamic;

/** A version of the function: code for calls that meet the condition. */
typedef struct symshape_version_request {
  const char *name;      /**< a plain identifier */
  const char *condition; /**< over names of dims of the function, such as
                              "L <= 128 and 16 | L" */
} symshape_version_request;

/** A tensor by the name of an argument. */
typedef struct symshape_named_tensor {
  const char *name; /**< as `symshape.weight` or the program calls it */
  symshape_tensor tensor;
} symshape_named_tensor;

/** An input, and a result of its type that may take its memory. */
typedef struct symshape_donation {
  const char *input;
  const char *result; /**< a name, or # and the number from 0 */
} symshape_donation;

/** How to compile. All zero but for `size` is the default. */
typedef struct symshape_options {
  size_t size;         /**< sizeof(symshape_options) */
  const char *entry;   /**< the function; NULL: main, or else the only public
                            function */
  const char *weights; /**< a .safetensors file for arguments that carry
                            `symshape.weight`; NULL: there are none */
  int32_t no_guards;   /**< 1: do not check what the program requires of its
                            inputs; a call that breaks it is undefined */
  int32_t threads;     /**< the most that a call uses, the caller's included;
                            0: SYMSHAPE_THREADS of the environment, or 1.
                            Results do not depend on it. When several
                            threads call at a time, only one call uses more
                            threads than its own */
  const char *cpu;     /**< whose instructions to use, as LLVM calls it, such as
                            "x86-64-v3"; this machine must have them. NULL:
                            all that this machine has */
  int32_t no_memory_plan; /**< 1: each temporary buffer of a call is an
                            allocation of its own, of the size that it has in
                            this call; 0: they share one, see
                            docs/Rationale/Memory.md */
  int32_t dynamic;        /**< a `symshape_dynamic` */
  /** The inputs of the first call, or NULL. Read where an ONNX model depends on
      the values of some, such as axes: the program is then for these values,
      and checks them in every call. */
  const symshape_tensor *first_inputs;
  int64_t num_first_inputs;
  /** Which extents of ops of TOSA expand: "strict", "numpy", or NULL, which
      leaves it to the program; docs/Rationale/TOSA.md */
  const char *tosa_broadcast;
  /** Tensors for arguments, by the name of the weight or of the argument, which
      becomes a weight then: bound once, and no input of calls. They are not
      copied, and must live and stay as they are as long as the program. */
  const symshape_named_tensor *weight_tensors;
  int64_t num_weight_tensors;
  /** Versions beside those that the program declares. */
  const symshape_version_request *versions;
  int64_t num_versions;
  /** Relations over names of dims of the function that calls must meet, beside
      those that it declares, such as "L <= 512". */
  const char *const *facts;
  int64_t num_facts;
  const char *target; /**< "cpu", or "nvvm" for a GPU; NULL: "cpu" */
  int32_t async;      /**< a `symshape_compile_when` */
  const char *state;  /**< a folder that keeps machine code, and which dims have
                           varied, for later processes; NULL: code is kept in
                           the user's cache (the variable SYMSHAPE_CACHE:
                           another folder, or "off") */
  uint64_t state_limit; /**< bytes of code that it keeps; 0: all */
  symshape_diagnostic_handler on_diagnostic; /**< NULL: errors are in
                           `symshape_last_error`, the rest is dropped */
  void *diagnostic_context;
  symshape_event_handler on_event; /**< NULL: nothing is logged */
  void *event_context;
  const char *events; /**< categories separated by commas, of symbols, guards,
                           versions, compiles, dispatch; NULL: all */
  const char *chip;   /**< with "nvvm", the GPU to compile for, such as
                           "sm_90a"; NULL: what the device is */
  int32_t device;     /**< with "nvvm", its number */
  int32_t show_progress; /**< 1: while it compiles for more than a second, a
                           line on standard error, a terminal, says how far it
                           is; it is erased at the end */
  /** In which type products of f32 are formed: "f32"; "bf16", which rounds
     their operands and nothing else; "int8" or "int4", which keeps their weights
     in 8 or 4 bits, in blocks with a scale; or such a word with names of layers
     that stay, as in "bf16,-NAME,-NAME". NULL leaves it to the program;
     docs/HowTo/UseLowPrecision.md */
  const char *precision;
  /** Inputs whose memory a result may take, by the names of both, such as a
      cache and what it becomes. Where the compiler proves it safe, the result
      is written there and has no `owner`; else it is a new block. What an input
      holds after a call, also one that fails, is not specified: it must be
      writable. */
  const symshape_donation *donations;
  int64_t num_donations;
  int32_t donate_all; /**< 1: those as well that the program proposes, as
                           `jax.jit(donate_argnums=...)` does */
} symshape_options;

/** A compiled function with its weights. */
typedef struct symshape_program symshape_program;

/** Compiles the entry of the file at `path` (text, bytecode, or by its ending
    `.onnx` a model), binds its weights and computes what depends on them alone.
    `options` may be NULL. NULL after an error. To be destroyed with
    `symshape_destroy`. With another mode than SYMSHAPE_DYNAMIC_ALWAYS, or where
    the program declares a dim as static, calls compile, and fail where that
    does. */
SYMSHAPE_C_EXPORTED symshape_program *
symshape_compile(const char *path, const symshape_options *options);

/** What is in memory. */
typedef enum symshape_format {
  SYMSHAPE_MLIR, /**< text or bytecode */
  SYMSHAPE_ONNX, /**< a serialised ModelProto */
} symshape_format;

/** The same for `size` bytes, which are copied. `name` stands for the file in
    messages; external data of a model is looked for in its folder. */
SYMSHAPE_C_EXPORTED symshape_program *
symshape_compile_memory(const void *bytes, size_t size, int32_t format,
                        const char *name, const symshape_options *options);

/** Frees the program, and gives up what it compiles in the background, which
    may take a moment; results of its calls live on. NULL is ignored. */
SYMSHAPE_C_EXPORTED void symshape_destroy(symshape_program *program);

/** The numbers of inputs (arguments without `symshape.weight`) and results. */
SYMSHAPE_C_EXPORTED int64_t
symshape_num_inputs(const symshape_program *program);
SYMSHAPE_C_EXPORTED int64_t
symshape_num_results(const symshape_program *program);

/** The number of the result that may be returned in the memory of an input,
    which a call may overwrite; -1 if there is none. */
SYMSHAPE_C_EXPORTED int64_t
symshape_donated_to(const symshape_program *program, int64_t input);

/** How many times code was made so far, by calls as well; code from the state
    folder or the cache does not count. */
SYMSHAPE_C_EXPORTED int64_t
symshape_num_compilations(const symshape_program *program);

/** Seconds of wall time that the parts of `symshape_compile` took; 0 for those
    that are left to calls, or to the background. */
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

/** How far apart the elements of an input are along each dimension, in
    elements; negative for a view from the end. */
typedef struct symshape_strides {
  int64_t strides[SYMSHAPE_MAX_RANK];
} symshape_strides;

/** Calls the program with inputs that lie elsewhere than in row-major order, as
    views do: the `data` of an input is its first element, and `strides` has one
    entry per input. Only an argument that is a memref takes other strides than
    those of row-major order; one that has a stride in its type takes that one
    (SYMSHAPE_GUARD_FAILED). */
SYMSHAPE_C_EXPORTED symshape_status symshape_call_strided(
    const symshape_program *program, const symshape_tensor *inputs,
    const symshape_strides *strides, int64_t num_inputs,
    symshape_tensor *results, int64_t num_results);

/** Frees what results hold and makes them all zero. On any thread. */
SYMSHAPE_C_EXPORTED void symshape_release_results(symshape_tensor *results,
                                                  int64_t num_results);

/** The message of the calling thread's last error, or "" before any; the
    status as well if `status` is not NULL. Valid until its next error. Of a
    refused call there is more in `symshape_describe_failure` (Inspect.h). */
SYMSHAPE_C_EXPORTED const char *symshape_last_error(symshape_status *status);

/** Frees text that the library returned; NULL is ignored. */
SYMSHAPE_C_EXPORTED void symshape_free_text(char *text);

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
