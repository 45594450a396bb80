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
static int parseIntegerValue(const char *text, const char *end,
                             ElementType type, int64_t *integer) {
  size_t length = (size_t)(end - text);
  uint64_t wide;
  int64_t min, max;
  rangeOfIntegers(type, &min, &max);
  if (type.kind == kindBool && ((length == 4 && !memcmp(text, "true", 4)) ||
                                (length == 5 && !memcmp(text, "false", 5)))) {
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

/* Whether the text is a number of the type, which is written to `data` unless
   that is NULL. */
static int parseElement(const char *text, const char *end, ElementType type,
                        char *data) {
  double number = 0;
  int64_t integer = 0;
  if (isFloatType(type) ? !parseDouble(text, end, &number)
                        : !parseIntegerValue(text, end, type, &integer))
    return 0;
  if (data && isFloatType(type))
    writeFloatElement(type, number, data);
  else if (data)
    writeIntegerElement(type, integer, data);
  return 1;
}

static int parseNumber(const char *text, InputSpec *spec, Errors *errors) {
  ElementType type = spec->type.type;
  if (spec->type.rank)
    return addError(errors, statusBadInput,
                    "expected random:SEED, zeros, iota or [VALUES] for a "
                    "tensor, but got '%s'",
                    text);
  spec->rule = ruleValues;
  spec->values = text;
  if (parseElement(text, text + strlen(text), type, NULL))
    return 1;
  char name[maxTypeName];
  nameElementType(type, name);
  return addError(errors, statusBadInput,
                  "expected a value of type %s, random:SEED, zeros or iota, "
                  "but got '%s'",
                  name, text);
}

static const char *skipBlanks(const char *text) {
  return text + strspn(text, " \t\n\v\f\r");
}

/* Reads one number of a list, and moves the text behind it. */
static int parseListed(const char **rest, const char *text, ElementType type,
                       char *data, Errors *errors) {
  const char *begin = *rest, *end = begin + strcspn(begin, ",[]");
  *rest = end;
  while (end > begin && strchr(" \t\n\v\f\r", end[-1]))
    --end;
  if (parseElement(begin, end, type, data))
    return 1;
  char name[maxTypeName];
  nameElementType(type, name);
  return addError(errors, statusBadInput,
                  "expected values of type %s, but got '%.*s' in '%s'", name,
                  (int)(end - begin), begin, text);
}

/* Goes once over numbers in brackets, with the number of entries so far of each
   bracket that is open. Writes them to `data` unless that is NULL. */
static int parseValues(const char *text, const Tensor *type, char *data,
                       Errors *errors) {
  int64_t counts[maxRank];
  int depth = 0;
  const char *rest = text;
  do {
    rest = skipBlanks(rest);
    for (; *rest == '['; rest = skipBlanks(rest + 1), ++depth)
      if (depth < maxRank)
        counts[depth] = 0;
    int isEmpty = *rest == ']' && depth <= type->rank && !counts[depth - 1];
    if (depth > type->rank || (!isEmpty && depth < type->rank))
      return addError(errors, statusBadInput,
                      "expected values in %d brackets, one for each dimension, "
                      "but got %d in '%s'",
                      type->rank, depth, text);
    if (!isEmpty) {
      if (!parseListed(&rest, text, type->type, data, errors))
        return 0;
      data = data ? data + bytesOfElement(type->type) : NULL;
      ++counts[depth - 1];
    }
    for (; depth && *(rest = skipBlanks(rest)) == ']'; ++rest) {
      --depth;
      if (counts[depth] != type->extents[depth])
        return addError(errors, statusBadInput,
                        "expected %lld entries along dimension %d, but got "
                        "%lld in '%s'",
                        (long long)type->extents[depth], depth,
                        (long long)counts[depth], text);
      if (depth)
        ++counts[depth - 1];
    }
  } while (depth && *rest == ',' && rest++);
  if (!depth && !*skipBlanks(rest))
    return 1;
  return addError(errors, statusBadInput, "expected %s, but got '%s' in '%s'",
                  depth ? "',' or ']' after a value"
                        : "nothing after the last bracket",
                  rest, text);
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
  if (*text == '[' && spec->type.rank) {
    spec->rule = ruleValues;
    spec->values = text;
    return parseValues(text, &spec->type, NULL, errors);
  }
  return parseNumber(text, spec, errors);
}

/* Takes the extents at the start of a type such as 2x3xf32, which ends at
   `end`. Returns where they end, or NULL. */
static const char *parseShape(const char *text, const char *end, Tensor *type,
                              Errors *errors) {
  const char *rest = text;
  while (rest < end && isDigit(*rest)) {
    const char *digits = rest;
    int64_t extent;
    while (rest < end && isDigit(*rest))
      ++rest;
    int isExtent =
        parseInteger(digits, rest, &extent) && rest != end && *rest == 'x';
    if (isExtent && type->rank < maxRank) {
      type->extents[type->rank++] = extent;
      ++rest;
      continue;
    }
    if (errors && !isExtent)
      addError(errors, statusBadInput,
               "expected a type such as 2x3xf32, but got '%.*s'",
               (int)(end - text), text);
    else if (errors)
      addError(errors, statusBadInput, "expected at most %d dimensions",
               maxRank);
    return NULL;
  }
  return rest;
}

int isTypeText(const char *text) {
  Tensor type;
  memset(&type, 0, sizeof(type));
  const char *end = text + strlen(text);
  const char *rest = parseShape(text, end, &type, NULL);
  return rest && parseElementType(rest, (size_t)(end - rest), &type.type);
}

/* Reads the type up to `end`, such as 2x3xf32. */
static int parseType(const char *text, const char *end, Tensor *type,
                     Errors *errors) {
  const char *rest = parseShape(text, end, type, errors);
  if (!rest)
    return 0;
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
  case ruleValues: /* they were read once without an error */
    if (tensor->rank)
      return parseValues(spec->values, tensor, tensor->data, errors);
    return parseElement(spec->values, spec->values + strlen(spec->values),
                        tensor->type, tensor->data);
  }
  return 1;
}
