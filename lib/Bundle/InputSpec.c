/*===- InputSpec.c - Inputs described in text ---------------------*- C -*-===*\
|* Part of the SymShape project, under the Apache License v2.0 with LLVM     *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* See the header.                                                            *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "InputSpec.h"
#include "Npy.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int isDigit(char c) { return c >= '0' && c <= '9'; }

/* The number that all of the text is: digits, after a sign if `isSigned`. */
static int parseMagnitude(const char *text, const char *end, uint64_t *value) {
  *value = 0;
  for (const char *c = text; c < end; ++c)
    if (!isDigit(*c) || __builtin_mul_overflow(*value, 10, value) ||
        __builtin_add_overflow(*value, (uint64_t)(*c - '0'), value))
      return 0;
  return text < end;
}

static int parseInteger(const char *text, const char *end, int64_t *value) {
  int isNegative = text < end && *text == '-';
  uint64_t magnitude, most = (uint64_t)INT64_MAX + (uint64_t)isNegative;
  if (!parseMagnitude(text + isNegative, end, &magnitude) || magnitude > most)
    return 0;
  *value = (int64_t)(isNegative ? 0 - magnitude : magnitude);
  return 1;
}

/* A decimal number that all of the text is. */
static int parseDouble(const char *text, const char *end, double *value) {
  size_t length = (size_t)(end - text);
  char *copy = makeText("%.*s", (int)length, text), *stop;
  *value = strtod(copy, &stop);
  int isNumber = length > 0 && *stop == 0;
  free(copy);
  return isNumber;
}

/* The values of an integer type, as far as int64_t holds them. */
static void rangeOfIntegers(ElementType type, int64_t *min, int64_t *max) {
  *min = 0;
  if (type.kind == kindBool) {
    *max = 1;
  } else if (type.kind == kindUnsigned) {
    *max = type.width == 64 ? INT64_MAX : ((int64_t)1 << type.width) - 1;
  } else {
    *max = (int64_t)(~(uint64_t)0 >> (65 - type.width));
    *min = -*max - 1;
  }
}

static const char *findEnd(const char *text, char separator) {
  const char *end = strchr(text, separator);
  return end ? end : text + strlen(text);
}

static int parseRandom(const char *text, InputSpec *spec, Errors *errors) {
  const char *end = findEnd(text, ':');
  if (!parseMagnitude(text, end, &spec->seed))
    return addError(errors, statusBadInput,
                    "expected a seed, a number from 0 to 2^64 - 1, but got "
                    "'%.*s'",
                    (int)(end - text), text);
  spec->low = -1;
  spec->high = 1;
  spec->lowInt = 0;
  spec->highInt = 2;
  if (!*end)
    return 1;
  const char *low = end + 1, *lowEnd = findEnd(low, ':');
  const char *high = *lowEnd ? lowEnd + 1 : lowEnd;
  const char *highEnd = high + strlen(high);
  ElementType type = spec->type.type;
  if (isFloatType(type)) {
    if (!parseDouble(low, lowEnd, &spec->low) ||
        !parseDouble(high, highEnd, &spec->high) ||
        !isfinite(spec->high - spec->low) || !(spec->low < spec->high))
      return addError(errors, statusBadInput,
                      "expected numbers LOW:HIGH with LOW < HIGH, but got '%s'",
                      low);
    return 1;
  }
  int64_t min, max;
  rangeOfIntegers(type, &min, &max);
  if (!parseInteger(low, lowEnd, &spec->lowInt) ||
      !parseInteger(high, highEnd, &spec->highInt) ||
      spec->lowInt >= spec->highInt || spec->lowInt < min ||
      spec->highInt - 1 > max) {
    char name[maxTypeName];
    nameElementType(type, name);
    return addError(errors, statusBadInput,
                    "expected integers LOW:HIGH of type %s with LOW < HIGH, "
                    "but got '%s'",
                    name, low);
  }
  return 1;
}

/* Whether the text is a value of the integer type, which it becomes. */
static int parseIntegerValue(const char *text, ElementType type,
                             int64_t *integer) {
  const char *end = text + strlen(text);
  uint64_t wide;
  int64_t min, max;
  rangeOfIntegers(type, &min, &max);
  if (type.kind == kindBool &&
      (strcmp(text, "true") == 0 || strcmp(text, "false") == 0)) {
    *integer = *text == 't';
    return 1;
  }
  if (type.kind == kindUnsigned && type.width == 64 &&
      parseMagnitude(text, end, &wide)) {
    *integer = (int64_t)wide;
    return 1;
  }
  return parseInteger(text, end, integer) && *integer >= min && *integer <= max;
}

static int parseNumber(const char *text, InputSpec *spec, Errors *errors) {
  ElementType type = spec->type.type;
  if (spec->type.rank)
    return addError(
        errors, statusBadInput,
        "expected random:SEED, zeros or iota for a tensor, but got '%s'", text);
  spec->rule = ruleNumber;
  if (isFloatType(type) ? parseDouble(text, text + strlen(text), &spec->number)
                        : parseIntegerValue(text, type, &spec->integer))
    return 1;
  char name[maxTypeName];
  nameElementType(type, name);
  return addError(errors, statusBadInput,
                  "expected a value of type %s, random:SEED, zeros or iota, "
                  "but got '%s'",
                  name, text);
}

static int parseRule(const char *text, InputSpec *spec, Errors *errors) {
  static const char random[] = "random:";
  if (strcmp(text, "zeros") == 0 || strcmp(text, "iota") == 0) {
    spec->rule = *text == 'z' ? ruleZeros : ruleIota;
    return 1;
  }
  if (strncmp(text, random, strlen(random)) == 0) {
    spec->rule = ruleRandom;
    return parseRandom(text + strlen(random), spec, errors);
  }
  return parseNumber(text, spec, errors);
}

/* Reads the type up to `end`, such as 2x3xf32. */
static int parseType(const char *text, const char *end, Tensor *type,
                     Errors *errors) {
  const char *rest = text;
  while (rest < end && isDigit(*rest)) {
    const char *digits = rest;
    int64_t extent;
    while (rest < end && isDigit(*rest))
      ++rest;
    if (!parseInteger(digits, rest, &extent) || rest == end || *rest != 'x')
      return addError(errors, statusBadInput,
                      "expected a type such as 2x3xf32, but got '%.*s'",
                      (int)(end - text), text);
    if (type->rank == maxRank)
      return addError(errors, statusBadInput, "expected at most %d dimensions",
                      maxRank);
    type->extents[type->rank++] = extent;
    ++rest;
  }
  if (!parseElementType(rest, (size_t)(end - rest), &type->type))
    return addError(errors, statusBadInput,
                    "expected an element type such as f32, i64, i1 or index, "
                    "but got '%.*s'",
                    (int)(end - rest), rest);
  if (bytesOfTensor(type) < 0)
    return addError(errors, statusBadInput,
                    "expected a size of at most 2^47 bytes");
  return 1;
}

static int parseSpec(const char *text, InputSpec *spec, Errors *errors) {
  size_t length = strlen(text);
  if (*text == '@') {
    spec->rule = ruleFile;
    spec->path = text + 1;
    if (length < 5 || strcmp(text + length - 4, ".npy") != 0)
      return addError(errors, statusBadInput,
                      "expected the name of a .npy file");
    return 1;
  }
  const char *equals = strchr(text, '=');
  if (!equals)
    return addError(errors, statusBadInput,
                    "expected @FILE.npy, or a type and what it holds, such as "
                    "2x3xf32=iota");
  return parseType(text, equals, &spec->type, errors) &&
         parseRule(equals + 1, spec, errors);
}

int parseInputSpec(const char *text, InputSpec *spec, Errors *errors) {
  size_t before = errors->count;
  *spec = (InputSpec){.path = NULL};
  int isRead = parseSpec(text, spec, errors);
  prefixErrors(errors, before, "input '%s': ", text);
  return isRead;
}

/* Next number of the SplitMix64 sequence (Steele, Lea and Flood, OOPSLA
   2014). */
static uint64_t nextRandom(uint64_t *state) {
  uint64_t z = (*state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

static void fillRandom(const InputSpec *spec, Tensor *tensor) {
  ElementType type = tensor->type;
  uint64_t state = spec->seed;
  uint64_t span = (uint64_t)spec->highInt - (uint64_t)spec->lowInt;
  int64_t count = elementsOfTensor(tensor);
  char *data = tensor->data;
  for (int64_t i = 0; i < count; ++i, data += bytesOfElement(type)) {
    uint64_t bits = nextRandom(&state);
    if (!isFloatType(type)) {
      writeIntegerElement(type, (int64_t)((uint64_t)spec->lowInt + bits % span),
                          data);
      continue;
    }
    double unit = (double)(bits >> 40) * 0x1p-24;
    writeFloatElement(type, spec->low + (spec->high - spec->low) * unit, data);
    /* Rounding to a narrow type may reach the upper bound, which is not
       included. */
    if (readFloatElement(type, data) >= spec->high)
      writeFloatElement(type, spec->low, data);
  }
}

static void fillIota(Tensor *tensor) {
  ElementType type = tensor->type;
  int64_t count = elementsOfTensor(tensor);
  char *data = tensor->data;
  for (int64_t i = 0; i < count; ++i, data += bytesOfElement(type))
    if (isFloatType(type))
      writeFloatElement(type, (double)i, data);
    else
      writeIntegerElement(type, i, data);
}

int loadInput(const InputSpec *spec, int withData, Tensor *tensor,
              Errors *errors) {
  if (spec->rule == ruleFile)
    return readNpy(spec->path, withData, tensor, errors);
  *tensor = spec->type;
  if (!withData)
    return 1;
  if (!allocateTensor(tensor, errors))
    return 0;
  ElementType type = tensor->type;
  switch (spec->rule) {
  case ruleFile:
    break;
  case ruleZeros:
    memset(tensor->data, 0, (size_t)bytesOfTensor(tensor));
    break;
  case ruleRandom:
    fillRandom(spec, tensor);
    break;
  case ruleIota:
    fillIota(tensor);
    break;
  case ruleNumber:
    if (isFloatType(type))
      writeFloatElement(type, spec->number, tensor->data);
    else
      writeIntegerElement(type, spec->integer, tensor->data);
  }
  return 1;
}
