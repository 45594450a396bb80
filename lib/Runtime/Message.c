/*===- Message.c - What a failure says ----------------------------*- C -*-===*\
|*                                                                            *|
|* Part of the SymShape project, under the Apache License v2.0 with LLVM     *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* Messages from templates and numbers. A failure must not need memory, so    *|
|* they have a length at which they are cut.                                  *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#define _GNU_SOURCE
#include "Internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
  maxWords = 64,
  bitsPerLimb = 32,
  maxLimbs = maxWords * 64 / bitsPerLimb,
  digitsPerStep = 9,
  stepBase = 1000000000,
  maxDigits = maxWords * 20 + 16,
  /* Reserved for the text after messages that were cut. */
  endBytes = 64,
  /* No message begins if so few bytes are left. */
  shortestMessage = 160,
};

static _Thread_local char text[symshapeMessageBytes];
static _Thread_local size_t length;
/* Messages that did not fit. */
static _Thread_local int64_t numLeftOut;

const char *symshape_rt_last_message(void) { return text; }

/* Numbers of a placeholder `{first}` or `{first:count}`. */
typedef struct Placeholder {
  int64_t first, count;
  size_t length; /* 0: it is not one */
} Placeholder;

/* The digits at `*at`, which moves past them; -1 if there are none, or too
   many. */
static int64_t parseDigits(const char *from, size_t *at) {
  size_t begin = *at;
  int64_t number = 0;
  for (; from[*at] >= '0' && from[*at] <= '9'; ++*at) {
    if (*at - begin > 8)
      return -1;
    number = number * 10 + (from[*at] - '0');
  }
  return *at == begin ? -1 : number;
}

static Placeholder parsePlaceholder(const char *from) {
  Placeholder none = {0, 0, 0}, found = {0, 1, 0};
  size_t at = 1;
  if (from[0] != '{' || (found.first = parseDigits(from, &at)) < 0)
    return none;
  if (from[at] == ':') {
    ++at;
    found.count = parseDigits(from, &at);
    if (found.count < 1 || found.count > maxWords)
      return none;
  }
  if (from[at] != '}')
    return none;
  found.length = at + 1;
  return found;
}

/* Writes, before `end`, the decimal digits of a number in two's complement, of
   `count` words, the lowest first; returns where they begin. */
static char *writeDecimal(const int64_t *words, int64_t count, char *end) {
  uint32_t limbs[maxLimbs];
  int isNegative = words[count - 1] < 0;
  uint64_t carry = (uint64_t)isNegative;
  for (int64_t i = 0; i < 2 * count; ++i) {
    uint32_t half = (uint32_t)((uint64_t)words[i / 2] >> (i % 2 * bitsPerLimb));
    carry += isNegative ? (uint32_t)~half : half;
    limbs[i] = (uint32_t)carry;
    carry >>= bitsPerLimb;
  }
  char *begin = end;
  int64_t used = 2 * count;
  do {
    uint64_t rest = 0;
    for (int64_t i = used; i-- > 0;) {
      uint64_t value = rest << bitsPerLimb | limbs[i];
      limbs[i] = (uint32_t)(value / stepBase);
      rest = value % stepBase;
    }
    while (used > 0 && limbs[used - 1] == 0)
      --used;
    for (int i = 0; i < digitsPerStep && (used > 0 || rest > 0 || begin == end);
         ++i) {
      *--begin = (char)('0' + rest % 10);
      rest /= 10;
    }
  } while (used > 0);
  if (isNegative)
    *--begin = '-';
  return begin;
}

/* Appends a message, as far as it fits. */
static void append(const char *from, const int64_t *values, int64_t numValues) {
  char *out = text + length;
  char *end = text + sizeof(text) - endBytes;
  while (*from && out < end) {
    if (from[0] == '{' && from[1] == '{') {
      *out++ = '{';
      from += 2;
      continue;
    }
    Placeholder place = parsePlaceholder(from);
    if (place.length == 0 || place.first > numValues - place.count) {
      *out++ = *from++;
      continue;
    }
    char digits[maxDigits];
    char *digitsEnd = digits + sizeof(digits);
    char *begin = writeDecimal(values + place.first, place.count, digitsEnd);
    if (digitsEnd - begin > end - out)
      break;
    memcpy(out, begin, (size_t)(digitsEnd - begin));
    out += digitsEnd - begin;
    from += place.length;
  }
  *out = 0;
  length = (size_t)(out - text);
}

void symshapeClearMessage(void) {
  length = 0;
  numLeftOut = 0;
}

void symshape_rt_tell(const char *message, const int64_t *values,
                      int64_t numValues) {
  if (length + shortestMessage > sizeof(text)) {
    ++numLeftOut;
    return;
  }
  if (length)
    append("\n", NULL, 0);
  append(message, values, numValues);
}

void symshapeCopyMessage(const char *message) {
  symshapeClearMessage();
  snprintf(text, sizeof(text), "%s", message);
  length = strlen(text);
}

void symshapeFinishMessage(void) {
  text[length] = 0; /* also if there is no message */
  if (numLeftOut)
    snprintf(text + length, sizeof(text) - length, "\nand %" PRId64 " more",
             numLeftOut);
  symshapeClearMessage();
}
