/*===- Facts.h - The engine: facts, and what they imply -----------*- C -*-===*\
|*                                                                            *|
|* Part of the SymShape project, under the Apache License v2.0 with LLVM     *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* Questions about integers without any program: declare symbols, assume      *|
|* relations, ask whether others follow. What symshape-prove does with files. *|
|*                                                                            *|
|* Text: an expression is made of integers, names, `+ - *`, `floordiv`,       *|
|* `ceildiv`, `mod`, `min(a, b)`, `max(a, b)`, `bc(a, b)` and parentheses; a  *|
|* relation is `a OP b` with OP one of == != <= < >= > |, where `d | e` says  *|
|* that d divides e. A name that was not declared stands for any integer of   *|
|* at least 0.                                                                *|
|*                                                                            *|
|* Threads: functions of one set wait for each other.                         *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef SYMSHAPE_C_FACTS_H
#define SYMSHAPE_C_FACTS_H

#include "symshape-c/Execution.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A set of facts. */
typedef struct symshape_facts symshape_facts;

SYMSHAPE_C_EXPORTED symshape_facts *symshape_facts_create(void);
SYMSHAPE_C_EXPORTED void symshape_facts_destroy(symshape_facts *facts);

/** What is declared of a symbol. */
typedef struct symshape_symbol {
  size_t size; /**< sizeof(symshape_symbol) */
  const char *name;
  int32_t has_min, has_max; /**< 0: unbounded on that side */
  int64_t min, max;         /**< closed */
  int64_t modulus;          /**< the symbol is `remainder` mod `modulus`; 0 or
                                 1: anything */
  int64_t remainder;
} symshape_symbol;

/** Declares or narrows a symbol. Fails if no value is left. */
SYMSHAPE_C_EXPORTED symshape_status
symshape_facts_declare(symshape_facts *facts, const symshape_symbol *symbol);

/** Adds a relation. Fails where it is none, or contradicts the others. */
SYMSHAPE_C_EXPORTED symshape_status symshape_facts_assume(symshape_facts *facts,
                                                          const char *relation);

/** Forgets, at `pop`, what was declared and assumed since the last `push`. */
SYMSHAPE_C_EXPORTED symshape_status symshape_facts_push(symshape_facts *facts);
SYMSHAPE_C_EXPORTED symshape_status symshape_facts_pop(symshape_facts *facts);

/** Whether the facts imply a relation, as JSON: schemaVersion; verdict: "yes"
    (it holds for all values that the facts allow), "no" (for none), "unknown";
    reason: the rule that decided, or the missing fact; facts: the relations it
    rests on, none of which can be left out. NULL if it is no relation. */
SYMSHAPE_C_EXPORTED char *symshape_facts_prove(symshape_facts *facts,
                                               const char *relation);

/** An equal expression that is no larger, under the facts; NULL after an
    error. */
SYMSHAPE_C_EXPORTED char *symshape_facts_simplify(symshape_facts *facts,
                                                  const char *expression);

/** What values an expression has, as JSON: schemaVersion; min, max: closed
    bounds, texts, null where there is none; modulus, remainder: texts. NULL
    after an error. */
SYMSHAPE_C_EXPORTED char *symshape_facts_bounds(symshape_facts *facts,
                                                const char *expression);

/** The value of an expression, exact, in decimal, with `names[i]` as
    `values[i]`; NULL, with an error, where a name has no value or a divisor is
    0. Needs no facts. */
SYMSHAPE_C_EXPORTED char *symshape_evaluate(const char *expression,
                                            const char *const *names,
                                            const int64_t *values,
                                            int64_t num_values);

/** The names in an expression, in order, as a JSON array; NULL after an
    error. */
SYMSHAPE_C_EXPORTED char *symshape_expression_symbols(const char *expression);

#ifdef __cplusplus
}
#endif

#endif /* SYMSHAPE_C_FACTS_H */
