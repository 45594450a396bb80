/*===- Json.h - JSON as a tree ------------------------------------*- C -*-===*\
|* Part of the SymShape project, under the Apache License v2.0 with LLVM     *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* Reads the texts of a bundle and the headers of weight files. Not for:      *|
|* writing.                                                                   *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef SYMSHAPE_BUNDLE_JSON_H
#define SYMSHAPE_BUNDLE_JSON_H

#include "Errors.h"

#include <stdint.h>

typedef enum JsonKind {
  jsonNull,
  jsonBool,
  jsonNumber,
  jsonString,
  jsonArray,
  jsonObject,
} JsonKind;

/* A value, with those after it in its array or object. */
typedef struct Json {
  JsonKind kind;
  int isInteger;   /* a number that `integer` is */
  int64_t integer; /* also 0 or 1 of a boolean */
  char *key;       /* in an object, else NULL */
  char *text;      /* of a string, in UTF-8, else NULL */
  struct Json *first, *next;
} Json;

/* The value that the text is, to be freed with `freeJson`; NULL after an error.
   Strings hold no character 0, and values nest to a depth of 64. */
Json *parseJson(const char *text, size_t length, Errors *errors);

void freeJson(Json *value);

/* The member of an object; NULL if there is none, or `value` is NULL or no
   object. */
const Json *jsonMember(const Json *value, const char *key);

/* What a member is, or what it is in its absence. */
const char *jsonTextOf(const Json *value, const char *key,
                       const char *otherwise);
int64_t jsonIntegerOf(const Json *value, const char *key, int64_t otherwise);

/* The first element of a member that is an array or an object; NULL if there is
   none. */
const Json *jsonElementsOf(const Json *value, const char *key);

/* Reads at most `most` integers, each at least `least`, of an array. Returns
   their number, or -1 if it is no such array. */
int jsonIntegers(const Json *array, int64_t least, int64_t *list, int most);

#endif /* SYMSHAPE_BUNDLE_JSON_H */
