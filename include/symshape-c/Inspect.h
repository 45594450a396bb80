/*===- Inspect.h - What is known of a program ---------------------*- C -*-===*\
|*                                                                            *|
|* Part of the SymShape project, under the Apache License v2.0 with LLVM     *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* Names, types, extents, guards and versions of a compiled program, why a    *|
|* call was refused, what extents a call would give, and derivatives. Not     *|
|* for: calls (Execution.h).                                                  *|
|*                                                                            *|
|* JSON: every object that is returned has "schemaVersion": 1. Later versions *|
|* of the library add fields; none is taken away or gets another meaning.     *|
|* Numbers beyond 64 bits are texts.                                          *|
|*                                                                            *|
|* Cost: the first question about a program analyses it once more, which      *|
|* takes as long as in its compilation; what is found is kept. Threads:       *|
|* questions about one program wait for each other; calls do not.             *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef SYMSHAPE_C_INSPECT_H
#define SYMSHAPE_C_INSPECT_H

#include "symshape-c/Execution.h"
#include "symshape-c/Facts.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What the function exchanges, from its types alone and at no cost, as JSON:
    name; arguments and results, each with name, type, element (such as "f32"),
    says (`%x: [?, 64] f32`), and, of an argument that is bound to one, weight
    (its name). */
SYMSHAPE_C_EXPORTED char *symshape_signature(const symshape_program *program);

/** What is known of the function, as JSON; NULL after an error.

      name
      fits:      (in words) what extents of arguments it takes
      numProved, numGuards, numChecks: how many requirements are proved, checked
                 at entry, and checked where data is known
      symbols:   name, range (in words), policy, origin, why; value and chain
                 where the signature leaves one value
      arguments: name, type, element (such as "f32"), extents (texts: `e` exact,
                 `<= e` a bound, `?` unknown), weight (its name) if it is one
      results:   the same without weight
      sentence:  for which sizes it is valid, in words
      guards:    condition (in words), formula, plain (the formula as a person
                 writes it, with the signs of Python), reasons, gone (what would
                 make it disappear), write (lines that declare it; may be
                 absent)
      dropped:   the same without plain and gone; impliedBy: formulas of guards
      checks:    of data, made inside: condition, formula, reasons, before
      proved:    what needs no check: condition, formula, reasons, impliedBy,
                 ranges
      versions:  name, condition, serves; absent where there are none

    Arguments are in the order of the function, weights among them. */
SYMSHAPE_C_EXPORTED char *symshape_describe(const symshape_program *program);

/** The report of symshape-report about the function and what it calls, memory
    included; `format` is "text", "json" with the fields that
    symshape/Pipelines/Report.h lists, or "html", a page that needs no other
    file. These lower the program, which takes a part of the time of a
    compilation. "brief" is a screen of text, which is there at once: inputs,
    results, weights, and for which sizes the function is valid. NULL after an
    error. */
SYMSHAPE_C_EXPORTED char *symshape_report(const symshape_program *program,
                                          const char *format);

/** What compiling the program for all shapes takes, as JSON with the fields
   that symshape/Execution/CompileReport.h lists: stages, passes, the costliest
    questions to the fact engine, and places that the code comes from. Compiles
    it once more to see, and leaves the program as it is. NULL after an
    error. */
SYMSHAPE_C_EXPORTED char *
symshape_compile_report(const symshape_program *program);

/** Where the time of a call goes, as JSON with the fields that
    symshape/Execution/Profile.h lists, `text`, a table of the same, and
   `trace`, for Chrome or Perfetto. Compiles the program once more, with timers,
   calls it `repeat` >= 1 times, and leaves it as it is; reports that are made
   later have the profile. Not for a program on a GPU. NULL after an error. */
SYMSHAPE_C_EXPORTED char *symshape_profile(const symshape_program *program,
                                           const symshape_tensor *inputs,
                                           int64_t num_inputs, int64_t repeat);

/** Extents of the results for inputs of these types and extents, whose data is
    not looked at, without running the program. Fills in type, rank and extents
    of `results`, which hold no data before or after; an extent is -1 where only
    the call itself finds it out. Fails as the call would where the inputs are
    refused for their extents. */
SYMSHAPE_C_EXPORTED symshape_status symshape_result_extents(
    const symshape_program *program, const symshape_tensor *inputs,
    int64_t num_inputs, symshape_tensor *results, int64_t num_results);

/** Why the calling thread's last call of `program`, or question for its
    extents, was refused, as JSON; NULL, with an error, if it was not.

      message, status, function
      failures: all that fail, in order:
        kind:      "guard" (at entry, of extents), "check" (of data), "assert"
                   (of the user), "type" (an extent that the type rules out),
                   "other"
        message:   in words, with the values seen
        relation:  the formula that did not hold; of guards and where the
                   message says no more than that
        symbols:   of guards: name, value, origin (such as "dim 0 of %q")
        reasons:   who needs it: text, op, place, file, line, column, field
        primitive, field, observed: as in the last line of the message */
SYMSHAPE_C_EXPORTED char *
symshape_describe_failure(const symshape_program *program);

/** The facts that hold in every call that the program accepts, over the names
    of its symbols. They can be asked, and not added to. Destroyed with
    `symshape_facts_destroy`, before or after the program. NULL after an
    error. */
SYMSHAPE_C_EXPORTED symshape_facts *
symshape_program_facts(const symshape_program *program);

/*===-- Derivatives -------------------------------------------------------===*/

typedef enum symshape_derivative {
  /** (arguments) -> (all results, gradient by each of `wrt`), of one result: a
      float or a tensor of rank 0. */
  SYMSHAPE_GRADIENT,
  /** (arguments, cotangent of each of `results`) -> (all results, cotangent of
      each of `wrt`). */
  SYMSHAPE_VJP,
  /** (arguments, tangent of each of `wrt`) -> (all results, tangent of each of
      `results`). */
  SYMSHAPE_JVP,
} symshape_derivative;

typedef struct symshape_derivative_options {
  size_t size;  /**< sizeof(symshape_derivative_options) */
  int32_t kind; /**< a `symshape_derivative` */
  /** Names of arguments, as `symshape_describe` gives them, `%` left out or
      not; weights by the name of the weight as well. None: all of floats. */
  const char *const *wrt;
  int64_t num_wrt;
  /** Numbers of results, from 0. None: all of floats. */
  const int64_t *results;
  int64_t num_results;
  /** As in symshape_options, for the derivative and its calls. */
  symshape_diagnostic_handler on_diagnostic;
  void *diagnostic_context;
} symshape_derivative_options;

/** Derives the function and compiles the derivative with the options of
    `program`, whose weights it shares; `program` may be destroyed before it. No
    events are logged. NULL after an error. */
SYMSHAPE_C_EXPORTED symshape_program *
symshape_differentiate(const symshape_program *program,
                       const symshape_derivative_options *options);

#ifdef __cplusplus
}
#endif

#endif /* SYMSHAPE_C_INSPECT_H */
