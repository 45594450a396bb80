/*===- first_caller.c - A program of version 1 of the C API -------*- C -*-===*\
|*                                                                            *|
|* Part of the SymShape project, under the Apache License v2.0 with LLVM     *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* first_caller FOLDER: uses every function of the headers in v1/, which is   *|
|* what it is compiled against, with whatever library there is. Prints how    *|
|* many checks were made, and each that failed.                               *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "symshape-c/Inspect.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int numChecks, numFailed;

static void check(int holds, const char *what, int line) {
  ++numChecks;
  if (holds)
    return;
  ++numFailed;
  printf("line %d: failed: %s (last error: %s)\n", line, what,
         symshape_last_error(NULL));
}
#define CHECK(condition) check((condition) != 0, #condition, __LINE__)

/* Whether text that the library returned has `part`; frees it. */
static int hasText(char *text, const char *part) {
  int found = text && strstr(text, part);
  if (text && !found)
    printf("no '%s' in %s\n", part, text);
  symshape_free_text(text);
  return found;
}

static const char *const squares =
    "func.func @main(%x: tensor<?x?xf64> {symshape.shape = "
    "#symshape.shape<[M, N]>}, %y: tensor<?x?xf64> {symshape.shape = "
    "#symshape.shape<[P, Q]>}) -> tensor<?x?xf64> {\n"
    "  %c0 = arith.constant 0 : index\n"
    "  %c1 = arith.constant 1 : index\n"
    "  %m = tensor.dim %x, %c0 : tensor<?x?xf64>\n"
    "  %n = tensor.dim %x, %c1 : tensor<?x?xf64>\n"
    "  %e = tensor.empty(%m, %n) : tensor<?x?xf64>\n"
    "  %r = linalg.mul ins(%x, %y : tensor<?x?xf64>, tensor<?x?xf64>) "
    "outs(%e : tensor<?x?xf64>) -> tensor<?x?xf64>\n"
    "  return %r : tensor<?x?xf64>\n"
    "}\n";

static const char *const product =
    "func.func @product(%a: f64, %b: f64) -> f64 {\n"
    "  %c = arith.mulf %a, %b : f64\n"
    "  return %c : f64\n"
    "}\n";

static symshape_tensor matrix(double *data, int64_t rows, int64_t columns) {
  symshape_tensor tensor = {.data = data, .type = SYMSHAPE_F64, .rank = 2};
  tensor.extents[0] = rows;
  tensor.extents[1] = columns;
  return tensor;
}

static symshape_tensor scalar(double *data) {
  return (symshape_tensor){.data = data, .type = SYMSHAPE_F64};
}

static symshape_program *compile(const char *text,
                                 const symshape_options *options) {
  return symshape_compile_memory(text, strlen(text), SYMSHAPE_MLIR,
                                 "memory.mlir", options);
}

static void checkCalls(void) {
  symshape_options options = {.size = sizeof(options), .threads = 2};
  symshape_program *program = compile(squares, &options);
  CHECK(program);
  if (!program)
    return;
  CHECK(symshape_num_inputs(program) == 2);
  CHECK(symshape_num_results(program) == 1);
  CHECK(symshape_num_compilations(program) == 1);
  CHECK(symshape_get_times(program).jit > 0);
  double x[] = {1, 2, 3, 4, 5, 6}, y[] = {2, 3, 4, 5, 6, 7};
  symshape_tensor inputs[] = {matrix(x, 2, 3), matrix(y, 2, 3)}, result = {0};
  CHECK(symshape_call(program, inputs, 2, &result, 1) == SYMSHAPE_OK);
  CHECK(result.type == SYMSHAPE_F64 && result.rank == 2 &&
        result.extents[0] == 2 && result.extents[1] == 3);
  CHECK(result.data && ((double *)result.data)[5] == 42);
  CHECK(symshape_get_memory().live_bytes >= 48);
  symshape_reset_peak();
  symshape_release_results(&result, 1);
  CHECK(!result.data && !result.owner);

  /* Without running; then what no call may pass, as structure. */
  symshape_tensor shape = {0};
  inputs[0] = matrix(NULL, 7, 0), inputs[1] = matrix(NULL, 7, 0);
  CHECK(symshape_result_extents(program, inputs, 2, &shape, 1) == SYMSHAPE_OK);
  CHECK(shape.rank == 2 && shape.extents[0] == 7 && shape.extents[1] == 0);
  inputs[0] = matrix(x, 2, 3), inputs[1] = matrix(y, 3, 2);
  for (int runs = 0; runs < 2; ++runs) {
    CHECK((runs ? symshape_call(program, inputs, 2, &result, 1)
                : symshape_result_extents(program, inputs, 2, &shape, 1)) ==
          SYMSHAPE_GUARD_FAILED);
    symshape_status status;
    CHECK(strstr(symshape_last_error(&status), "(M = 2) must equal"));
    CHECK(status == SYMSHAPE_GUARD_FAILED);
    CHECK(hasText(symshape_describe_failure(program), "\"M == P\""));
    CHECK(hasText(symshape_describe_failure(program), "\"N == Q\""));
  }
  CHECK(symshape_call(program, inputs, 1, &result, 1) == SYMSHAPE_BAD_INPUT);
  symshape_destroy(program);
  symshape_destroy(NULL);
}

static void checkQuestions(void) {
  symshape_program *program = compile(squares, NULL);
  CHECK(program);
  if (!program)
    return;
  CHECK(hasText(symshape_signature(program), "\"element\":\"f64\""));
  CHECK(hasText(symshape_describe(program), "\"formula\":\"M == P\""));
  CHECK(hasText(symshape_describe(program), "\"schemaVersion\":1"));
  CHECK(hasText(symshape_report(program, "text"), "guard: extent of %x dim 0"));
  CHECK(hasText(symshape_report(program, "json"), "\"schemaVersion\": 1"));
  CHECK(!symshape_report(program, "yaml"));
  CHECK(!symshape_describe_failure(program)); /* no call has failed */
  symshape_facts *facts = symshape_program_facts(program);
  symshape_destroy(program);
  CHECK(hasText(symshape_facts_prove(facts, "M*N == P*Q"), "\"yes\""));
  CHECK(hasText(symshape_facts_prove(facts, "M == N"), "\"unknown\""));
  CHECK(symshape_facts_assume(facts, "M == N") == SYMSHAPE_BAD_INPUT);
  symshape_facts_destroy(facts);
}

static void checkFacts(void) {
  symshape_facts *facts = symshape_facts_create();
  symshape_symbol symbol = {.size = sizeof(symbol),
                            .name = "B",
                            .has_min = 1,
                            .has_max = 1,
                            .min = 1,
                            .max = 64,
                            .modulus = 8};
  CHECK(symshape_facts_declare(facts, &symbol) == SYMSHAPE_OK);
  CHECK(symshape_facts_push(facts) == SYMSHAPE_OK);
  CHECK(symshape_facts_assume(facts, "B <= L") == SYMSHAPE_OK);
  CHECK(hasText(symshape_facts_prove(facts, "8 <= L"), "\"yes\""));
  CHECK(symshape_facts_assume(facts, "L < 8") == SYMSHAPE_BAD_INPUT);
  CHECK(symshape_facts_pop(facts) == SYMSHAPE_OK);
  CHECK(symshape_facts_pop(facts) == SYMSHAPE_BAD_INPUT);
  CHECK(hasText(symshape_facts_prove(facts, "8 <= L"), "\"unknown\""));
  CHECK(!symshape_facts_prove(facts, "8 <="));
  CHECK(hasText(symshape_facts_simplify(facts, "2*L - L"), "L"));
  CHECK(hasText(symshape_facts_bounds(facts, "B + 1"), "\"max\":\"65\""));
  symshape_facts_destroy(facts);
  const char *names[] = {"B", "L"};
  int64_t values[] = {3, 5};
  CHECK(hasText(symshape_evaluate("B*L floordiv 2", names, values, 2), "7"));
  CHECK(!symshape_evaluate("B floordiv C", names, values, 2));
  CHECK(hasText(symshape_expression_symbols("L*B + L"), "\"L\""));
}

static int numErrors, numNotes, numEvents;
static int64_t errorLine;

static void onDiagnostic(void *context, const symshape_diagnostic *given) {
  *(int *)context += 1;
  if (given->severity == SYMSHAPE_ERROR && given->size >= sizeof(*given)) {
    ++numErrors;
    errorLine = given->line;
  }
  numNotes += given->severity == SYMSHAPE_NOTE;
}

static void onEvent(void *context, const char *event) {
  *(int *)context += 1;
  numEvents += strstr(event, "\"event\":\"compiled\"") != NULL;
}

static void checkModes(const char *folder) {
  int numTold = 0, numLogged = 0;
  symshape_version_request version = {.name = "small",
                                      .condition = "M <= 8 and N <= 8"};
  const char *facts[] = {"M <= 5"};
  symshape_options options = {.size = sizeof(options),
                              .facts = facts,
                              .num_facts = 1,
                              .dynamic = SYMSHAPE_DYNAMIC_NEVER,
                              .versions = &version,
                              .num_versions = 1,
                              .target = "cpu",
                              .state = folder,
                              .on_diagnostic = onDiagnostic,
                              .diagnostic_context = &numTold,
                              .on_event = onEvent,
                              .event_context = &numLogged,
                              .events = "compiles"};
  symshape_program *program = compile(squares, &options);
  CHECK(program);
  if (!program)
    return;
  double x[] = {1, 2, 3, 4};
  symshape_tensor result = {0};
  for (int64_t rows = 1; rows <= 2; ++rows) {
    symshape_tensor inputs[] = {matrix(x, rows, 2), matrix(x, rows, 2)};
    CHECK(symshape_call(program, inputs, 2, &result, 1) == SYMSHAPE_OK);
    CHECK(result.data && ((double *)result.data)[2 * rows - 1] == 4 * rows * rows);
  }
  symshape_tensor many[] = {matrix(NULL, 6, 0), matrix(NULL, 6, 0)};
  CHECK(symshape_call(program, many, 2, &result, 1) == SYMSHAPE_GUARD_FAILED);
  CHECK(hasText(symshape_describe_failure(program), "\"M <= 5\""));
  CHECK(symshape_num_compilations(program) >= 2);
  CHECK(numEvents >= 2 && numLogged >= 2 && numTold == 0);
  CHECK(hasText(symshape_describe(program), "\"small\""));
  symshape_release_results(&result, 1);
  symshape_destroy(program);

  CHECK(!compile("func.func @main(\n  %x: tensor<?xf32>) {\n  oops\n}\n",
                 &options));
  CHECK(numErrors == 1 && errorLine == 3 && numTold >= 1);
  options.on_diagnostic = NULL;
  CHECK(!compile("oops", &options));
  CHECK(strstr(symshape_last_error(NULL), "memory.mlir:1:1: error:"));
  CHECK(!symshape_compile("no/such/file.mlir", NULL));
}

static void checkDerivatives(void) {
  symshape_options options = {.size = sizeof(options), .entry = "product"};
  symshape_program *program = compile(product, &options);
  CHECK(program);
  if (!program)
    return;
  const char *names[] = {"b"};
  symshape_derivative_options request = {.size = sizeof(request),
                                         .kind = SYMSHAPE_GRADIENT,
                                         .wrt = names,
                                         .num_wrt = 1};
  symshape_program *derived = symshape_differentiate(program, &request);
  names[0] = "z";
  CHECK(!symshape_differentiate(program, &request));
  symshape_destroy(program);
  CHECK(derived);
  if (!derived)
    return;
  double a = 3, b = 5;
  symshape_tensor inputs[] = {scalar(&a), scalar(&b)}, results[2] = {{0}};
  CHECK(symshape_call(derived, inputs, 2, results, 2) == SYMSHAPE_OK);
  CHECK(*(double *)results[0].data == 15 && *(double *)results[1].data == 3);
  symshape_release_results(results, 2);
  symshape_destroy(derived);

  /* An argument that is bound once. */
  symshape_named_tensor weight = {.name = "b", .tensor = scalar(&b)};
  options.weight_tensors = &weight;
  options.num_weight_tensors = 1;
  program = compile(product, &options);
  CHECK(program && symshape_num_inputs(program) == 1);
  CHECK(symshape_call(program, inputs, 1, results, 1) == SYMSHAPE_OK);
  CHECK(results[0].data && *(double *)results[0].data == 15);
  symshape_release_results(results, 1);
  symshape_destroy(program);
}

/* Callers of other versions: with fewer fields, and with more. */
static void checkSizes(void) {
  symshape_options options = {.size = 2 * sizeof(char *), .entry = "product"};
  options.threads = -1; /* beyond the size: not read */
  symshape_program *program = compile(product, &options);
  CHECK(program);
  symshape_destroy(program);
  struct {
    symshape_options known;
    int64_t more[16]; /* the first of which later versions know */
  } later = {{.size = sizeof(later), .entry = "product"}, {0}};
  program = compile(product, &later.known);
  CHECK(program);
  symshape_destroy(program);
  later.more[15] = 1;
  CHECK(!compile(product, &later.known));
  options.size = 0;
  CHECK(!compile(product, &options));
}

int main(int argc, char **argv) {
  CHECK(symshape_version() >= SYMSHAPE_VERSION);
  CHECK(strchr(symshape_release(), '.'));
  checkCalls();
  checkQuestions();
  checkFacts();
  checkModes(argc > 1 ? argv[1] : NULL);
  checkDerivatives();
  checkSizes();
  printf("%d checks, %d failed\n", numChecks, numFailed);
  return numFailed != 0;
}
