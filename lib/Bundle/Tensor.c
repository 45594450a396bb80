/*===- Tensor.c - Tensors of a caller -----------------------------*- C -*-===*\
|* Part of the SymShape project, under the Apache License v2.0 with LLVM     *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* See the header.                                                            *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "Tensor.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const int64_t maxTensorBytes = (int64_t)1 << 47;

static int isText(const char *text, size_t length, const char *expected) {
  return strlen(expected) == length && memcmp(text, expected, length) == 0;
}

/* The number that all of the text is; -1 if it is none, or above 64. */
static int parseWidth(const char *text, size_t length) {
  int width = length ? 0 : -1;
  for (size_t i = 0; i < length && width >= 0; ++i) {
    int isDigit = text[i] >= '0' && text[i] <= '9';
    width = isDigit ? 10 * width + (text[i] - '0') : -1;
    width = width > 64 ? -1 : width;
  }
  return width;
}

int parseElementType(const char *text, size_t length, ElementType *type) {
  if (length > 1 && text[0] == 'i') {
    int width = parseWidth(text + 1, length - 1);
    if (width == 1) {
      *type = (ElementType){kindBool, 1};
      return text[1] == '1';
    }
    int stored = 8;
    while (stored < width)
      stored *= 2;
    *type = (ElementType){kindSigned, stored};
    if (width > 1)
      return width < 64 || isText(text, length, "i64");
  }
  static const struct {
    const char *name;
    ElementType type;
  } names[] = {
      {"si8", {kindSigned, 8}},     {"si16", {kindSigned, 16}},
      {"si32", {kindSigned, 32}},   {"si64", {kindSigned, 64}},
      {"ui8", {kindUnsigned, 8}},   {"ui16", {kindUnsigned, 16}},
      {"ui32", {kindUnsigned, 32}}, {"ui64", {kindUnsigned, 64}},
      {"f16", {kindFloat, 16}},     {"bf16", {kindBFloat, 16}},
      {"f32", {kindFloat, 32}},     {"f64", {kindFloat, 64}},
      {"index", {kindIndex, 64}},
  };
  for (size_t i = 0; i < sizeof(names) / sizeof(*names); ++i)
    if (isText(text, length, names[i].name)) {
      *type = names[i].type;
      return 1;
    }
  return 0;
}

void nameElementType(ElementType type, char *name) {
  static const char *const letters[] = {"i", "i", "ui", "f", "bf", "index"};
  if (type.kind == kindIndex)
    strcpy(name, "index");
  else
    snprintf(name, maxTypeName, "%s%d", letters[type.kind], type.width);
}

static uint64_t readBits(ElementType type, const char *data) {
  uint8_t one;
  uint16_t two;
  uint32_t four;
  uint64_t eight;
  switch (bytesOfElement(type)) {
  case 1:
    memcpy(&one, data, 1);
    return one;
  case 2:
    memcpy(&two, data, 2);
    return two;
  case 4:
    memcpy(&four, data, 4);
    return four;
  default:
    memcpy(&eight, data, 8);
    return eight;
  }
}

static void writeBits(ElementType type, uint64_t bits, char *data) {
  uint8_t one = (uint8_t)bits;
  uint16_t two = (uint16_t)bits;
  uint32_t four = (uint32_t)bits;
  switch (bytesOfElement(type)) {
  case 1:
    memcpy(data, &one, 1);
    break;
  case 2:
    memcpy(data, &two, 2);
    break;
  case 4:
    memcpy(data, &four, 4);
    break;
  default:
    memcpy(data, &bits, 8);
  }
}

int64_t readIntegerElement(ElementType type, const char *data) {
  uint64_t bits = readBits(type, data);
  int unused = 64 - 8 * (int)bytesOfElement(type);
  return (int64_t)(bits << unused) >> unused;
}

/* The bits of the significand of a 16-bit float, without the one in front. */
static int significandBits(ElementType type) {
  return type.kind == kindBFloat ? 7 : 10;
}

static double expandHalf(ElementType type, uint64_t bits) {
  int digits = significandBits(type), exponentMask = 0x7fff >> digits;
  int exponent = (int)(bits >> digits) & exponentMask;
  double significand = (double)(bits & ((1u << digits) - 1));
  double value;
  if (exponent == exponentMask)
    value = significand != 0 ? NAN : INFINITY;
  else if (exponent == 0)
    value = ldexp(significand, 1 - exponentMask / 2 - digits);
  else
    value = ldexp(significand + (1 << digits),
                  exponent - exponentMask / 2 - digits);
  return bits >> 15 ? -value : value;
}

static uint64_t roundToHalf(ElementType type, double value) {
  int digits = significandBits(type), exponentMask = 0x7fff >> digits;
  uint64_t sign = signbit(value) ? 0x8000 : 0;
  uint64_t infinity = (uint64_t)exponentMask << digits;
  if (isnan(value))
    return sign | infinity | (uint64_t)1 << (digits - 1);
  if (isinf(value) || value == 0)
    return sign | (value == 0 ? 0 : infinity);
  int exponent;
  (void)frexp(value, &exponent);
  int least = 2 - exponentMask / 2; /* of what frexp says of normal numbers */
  exponent = exponent < least ? least : exponent;
  /* A multiple of the last place, exact but for the rounding. */
  uint64_t places =
      (uint64_t)nearbyint(ldexp(fabs(value), digits + 1 - exponent));
  uint64_t bits = places + ((uint64_t)(exponent - least) << digits);
  return sign | (bits > infinity ? infinity : bits);
}

double readFloatElement(ElementType type, const char *data) {
  float narrow;
  double wide;
  switch (type.width) {
  case 64:
    memcpy(&wide, data, sizeof(wide));
    return wide;
  case 32:
    memcpy(&narrow, data, sizeof(narrow));
    return narrow;
  default:
    return expandHalf(type, readBits(type, data));
  }
}

void writeFloatElement(ElementType type, double value, char *data) {
  float narrow = (float)value;
  switch (type.width) {
  case 64:
    memcpy(data, &value, sizeof(value));
    break;
  case 32:
    memcpy(data, &narrow, sizeof(narrow));
    break;
  default:
    writeBits(type, roundToHalf(type, value), data);
  }
}

void writeIntegerElement(ElementType type, int64_t value, char *data) {
  writeBits(type, type.kind == kindBool ? value != 0 : (uint64_t)value, data);
}

void printElement(FILE *out, ElementType type, const char *data) {
  if (type.kind == kindBool) {
    fputs(readBits(type, data) ? "true" : "false", out);
  } else if (type.kind == kindUnsigned) {
    fprintf(out, "%" PRIu64, readBits(type, data));
  } else if (!isFloatType(type)) {
    fprintf(out, "%" PRId64, readIntegerElement(type, data));
  } else {
    double value = readFloatElement(type, data);
    int digits = type.width == 64          ? 17
                 : type.width == 32        ? 9
                 : type.kind == kindBFloat ? 4
                                           : 5;
    if (isnan(value))
      fputs("nan", out);
    else if (isinf(value))
      fputs(value < 0 ? "-inf" : "inf", out);
    else
      fprintf(out, "%.*g", digits, value);
  }
}

int64_t bytesOfTensor(const Tensor *tensor) {
  /* If an extent is zero, the size is 0, whatever the others are. */
  int isEmpty = 0;
  for (int i = 0; i < tensor->rank; ++i) {
    if (tensor->extents[i] < 0)
      return -1;
    isEmpty |= tensor->extents[i] == 0;
  }
  if (isEmpty)
    return 0;
  int64_t bytes = bytesOfElement(tensor->type);
  for (int i = 0; i < tensor->rank; ++i)
    if (__builtin_mul_overflow(bytes, tensor->extents[i], &bytes) ||
        bytes > maxTensorBytes)
      return -1;
  return bytes;
}

int64_t elementsOfTensor(const Tensor *tensor) {
  int64_t bytes = bytesOfTensor(tensor);
  return bytes < 0 ? 0 : bytes / bytesOfElement(tensor->type);
}

int allocateTensor(Tensor *tensor, Errors *errors) {
  int64_t bytes = bytesOfTensor(tensor);
  if (bytes >= 0) {
    tensor->owned = aligned_alloc(64, ((size_t)bytes + 64) / 64 * 64);
    tensor->data = tensor->owned;
  }
  if (bytes >= 0 && tensor->data)
    return 1;
  char *text = describeType(tensor->type, tensor->rank, tensor->extents);
  if (bytes < 0)
    addError(errors, statusBadInput,
             "expected extents from 0 and a size of at most 2^47 bytes, but "
             "got %s",
             text);
  else
    addError(errors, statusBadInput, "out of memory for %s", text);
  free(text);
  return 0;
}

void freeTensor(Tensor *tensor) {
  free(tensor->owned);
  tensor->owned = NULL;
  tensor->data = NULL;
}

char *describeType(ElementType type, int rank, const int64_t *extents) {
  char *text = allocate((size_t)rank * 21 + maxTypeName);
  char *end = text;
  for (int i = 0; i < rank; ++i)
    end += extents[i] < 0 ? sprintf(end, "?x")
                          : sprintf(end, "%" PRId64 "x", extents[i]);
  nameElementType(type, end);
  return text;
}

/* How many brackets open before element number `element`, and close before it
   where one ended: one for each trailing block of dimensions. */
static int bracketsAt(const Tensor *tensor, int64_t element) {
  int brackets = 0;
  for (int i = tensor->rank; i > 0 && element % tensor->extents[i - 1] == 0;
       --i) {
    element /= tensor->extents[i - 1];
    ++brackets;
  }
  return brackets;
}

/* In JSON, what is no number is a text. */
static void printElements(FILE *out, const Tensor *tensor, int isJSON) {
  int64_t count = elementsOfTensor(tensor);
  if (count == 0)
    fputs("[]", out);
  const char *data = tensor->data;
  for (int64_t i = 0; i < count; ++i, data += bytesOfElement(tensor->type)) {
    int isText = isJSON && isFloatType(tensor->type) &&
                 !isfinite(readFloatElement(tensor->type, data));
    if (i)
      fputs(", ", out);
    for (int n = bracketsAt(tensor, i); n > 0; --n)
      putc('[', out);
    fputs(isText ? "\"" : "", out);
    printElement(out, tensor->type, data);
    fputs(isText ? "\"" : "", out);
    for (int n = bracketsAt(tensor, i + 1); n > 0; --n)
      putc(']', out);
  }
}

void printTensor(FILE *out, const Tensor *tensor) {
  char *type = describeType(tensor->type, tensor->rank, tensor->extents);
  fprintf(out, "%s: ", type);
  free(type);
  printElements(out, tensor, /*isJSON=*/0);
  putc('\n', out);
}

void printElementsAsJSON(FILE *out, const Tensor *tensor) {
  printElements(out, tensor, /*isJSON=*/1);
}
