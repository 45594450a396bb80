/*===- Processor.c - Whether this machine can run code ------------*- C -*-===*\
|* Part of the SymShape project, under the Apache License v2.0 with LLVM     *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* A bundle names the instructions that its code was compiled for; one that   *|
|* is missing would end the process.                                          *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "Bundle.h"

#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__)

static const char architecture[] = "x86_64";

/* Whether the processor has a feature, as LLVM calls it; 0 also if the name is
   not known. */
static int hasFeature(const char *name) {
#define FEATURE(feature)                                                       \
  if (strcmp(name, feature) == 0)                                              \
    return __builtin_cpu_supports(feature) != 0;
  FEATURE("sse3")
  FEATURE("ssse3")
  FEATURE("sse4.1")
  FEATURE("sse4.2")
  FEATURE("popcnt")
  FEATURE("avx")
  FEATURE("avx2")
  FEATURE("fma")
  FEATURE("f16c")
  FEATURE("bmi")
  FEATURE("bmi2")
  FEATURE("lzcnt")
  FEATURE("movbe")
  FEATURE("aes")
  FEATURE("pclmul")
  FEATURE("gfni")
  FEATURE("vaes")
  FEATURE("vpclmulqdq")
  FEATURE("adx")
  FEATURE("sha")
  FEATURE("avx512f")
  FEATURE("avx512vl")
  FEATURE("avx512bw")
  FEATURE("avx512dq")
  FEATURE("avx512cd")
  FEATURE("avx512ifma")
  FEATURE("avx512vbmi")
  FEATURE("avx512vbmi2")
  FEATURE("avx512vnni")
  FEATURE("avx512bitalg")
  FEATURE("avx512vpopcntdq")
  FEATURE("avx512bf16")
  FEATURE("avx512fp16")
  FEATURE("avxvnni")
  FEATURE("amx-tile")
  FEATURE("amx-bf16")
  FEATURE("amx-int8")
#undef FEATURE
  return 0;
}

#else

static const char architecture[] = "aarch64";

/* Bundles name features of x86-64 only. */
static int hasFeature(const char *name) {
  (void)name;
  return 1;
}

#endif

int checkProcessor(const Bundle *bundle, Errors *errors) {
  const Json *cpu = jsonMember(bundle->manifest, "cpu");
  const char *wanted = jsonTextOf(cpu, "architecture", "another architecture");
  if (strcmp(wanted, architecture) != 0)
    return addError(errors, statusBadInput,
                    "this machine cannot run code for %s: save it with "
                    "symshape-run --mtriple=%s",
                    wanted, architecture);
  char *missing = NULL;
  for (const Json *feature = jsonElementsOf(cpu, "features"); feature;
       feature = feature->next) {
    if (!feature->text || hasFeature(feature->text))
      continue;
    char *longer = missing ? makeText("%s, %s", missing, feature->text)
                           : makeText("%s", feature->text);
    free(missing);
    missing = longer;
  }
  if (!missing)
    return 1;
  addError(errors, statusBadInput,
           "this machine cannot run code for %s: it lacks %s; save it with "
           "symshape-run --cpu=generic",
           jsonTextOf(cpu, "name", wanted), missing);
  free(missing);
  return 0;
}
