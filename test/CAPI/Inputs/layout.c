/*===- layout.c - Numbers that callers of the C API rely on -------*- C -*-===*\
|*                                                                            *|
|* Part of the SymShape project, under the Apache License v2.0 with LLVM     *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* Prints offsets of fields and numbers of enums, as the headers that it is   *|
|* compiled against have them.                                                *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "symshape-c/Inspect.h"

#include <stdio.h>

static void print(const char *what, long long number) {
  printf("%s %lld\n", what, number);
}
#define FIELD(type, field) print(#type "." #field, offsetof(type, field))
#define NUMBER(name) print(#name, name)

static void printOptions(void) {
  FIELD(symshape_options, size);
  FIELD(symshape_options, entry);
  FIELD(symshape_options, weights);
  FIELD(symshape_options, no_guards);
  FIELD(symshape_options, threads);
  FIELD(symshape_options, cpu);
  FIELD(symshape_options, no_memory_plan);
  FIELD(symshape_options, dynamic);
  FIELD(symshape_options, first_inputs);
  FIELD(symshape_options, num_first_inputs);
  FIELD(symshape_options, tosa_broadcast);
  FIELD(symshape_options, weight_tensors);
  FIELD(symshape_options, num_weight_tensors);
  FIELD(symshape_options, versions);
  FIELD(symshape_options, num_versions);
  FIELD(symshape_options, facts);
  FIELD(symshape_options, num_facts);
  FIELD(symshape_options, target);
  FIELD(symshape_options, async);
  FIELD(symshape_options, state);
  FIELD(symshape_options, state_limit);
  FIELD(symshape_options, on_diagnostic);
  FIELD(symshape_options, diagnostic_context);
  FIELD(symshape_options, on_event);
  FIELD(symshape_options, event_context);
  FIELD(symshape_options, events);
  FIELD(symshape_options, chip);
  FIELD(symshape_options, device);
}

static void printStructs(void) {
  FIELD(symshape_tensor, data);
  FIELD(symshape_tensor, owner);
  FIELD(symshape_tensor, type);
  FIELD(symshape_tensor, rank);
  FIELD(symshape_tensor, extents);
  NUMBER(sizeof(symshape_tensor));
  FIELD(symshape_named_tensor, tensor);
  NUMBER(sizeof(symshape_named_tensor));
  FIELD(symshape_version_request, condition);
  NUMBER(sizeof(symshape_version_request));
  FIELD(symshape_diagnostic, severity);
  FIELD(symshape_diagnostic, message);
  FIELD(symshape_diagnostic, file);
  FIELD(symshape_diagnostic, line);
  FIELD(symshape_diagnostic, column);
  NUMBER(sizeof(symshape_times));
  NUMBER(sizeof(symshape_memory));
  FIELD(symshape_symbol, name);
  FIELD(symshape_symbol, has_min);
  FIELD(symshape_symbol, has_max);
  FIELD(symshape_symbol, min);
  FIELD(symshape_symbol, max);
  FIELD(symshape_symbol, modulus);
  FIELD(symshape_symbol, remainder);
  FIELD(symshape_derivative_options, kind);
  FIELD(symshape_derivative_options, wrt);
  FIELD(symshape_derivative_options, num_wrt);
  FIELD(symshape_derivative_options, results);
  FIELD(symshape_derivative_options, num_results);
  FIELD(symshape_derivative_options, on_diagnostic);
  FIELD(symshape_derivative_options, diagnostic_context);
}

static void printNumbers(void) {
  NUMBER(SYMSHAPE_BOOL);
  NUMBER(SYMSHAPE_I8);
  NUMBER(SYMSHAPE_I64);
  NUMBER(SYMSHAPE_U8);
  NUMBER(SYMSHAPE_U64);
  NUMBER(SYMSHAPE_F16);
  NUMBER(SYMSHAPE_BF16);
  NUMBER(SYMSHAPE_F32);
  NUMBER(SYMSHAPE_F64);
  NUMBER(SYMSHAPE_INDEX);
  NUMBER(SYMSHAPE_MAX_RANK);
  NUMBER(SYMSHAPE_OK);
  NUMBER(SYMSHAPE_CANNOT_COMPILE);
  NUMBER(SYMSHAPE_BAD_INPUT);
  NUMBER(SYMSHAPE_GUARD_FAILED);
  NUMBER(SYMSHAPE_INTERNAL);
  NUMBER(SYMSHAPE_ERROR);
  NUMBER(SYMSHAPE_WARNING);
  NUMBER(SYMSHAPE_NOTE);
  NUMBER(SYMSHAPE_REMARK);
  NUMBER(SYMSHAPE_DYNAMIC_ALWAYS);
  NUMBER(SYMSHAPE_DYNAMIC_AUTO);
  NUMBER(SYMSHAPE_DYNAMIC_NEVER);
  NUMBER(SYMSHAPE_MLIR);
  NUMBER(SYMSHAPE_ONNX);
  NUMBER(SYMSHAPE_GRADIENT);
  NUMBER(SYMSHAPE_VJP);
  NUMBER(SYMSHAPE_JVP);
}

int main(void) {
  printOptions();
  printStructs();
  printNumbers();
  return 0;
}
