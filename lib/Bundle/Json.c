/*===- Json.c - JSON as a tree ------------------------------------*- C -*-===*\
|* Part of the SymShape project, under the Apache License v2.0 with LLVM     *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* See the header.                                                            *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "Json.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { mostDepth = 64 };

typedef struct Parser {
  const char *at, *end;
  int depth;
} Parser;

static void skipBlanks(Parser *parser) {
  while (parser->at < parser->end && *parser->at &&
         strchr(" \t\r\n", *parser->at))
    ++parser->at;
}

/* Moves past the token, if it is next. */
static int take(Parser *parser, const char *token) {
  size_t length = strlen(token);
  if ((size_t)(parser->end - parser->at) < length ||
      memcmp(parser->at, token, length) != 0)
    return 0;
  parser->at += length;
  return 1;
}

static Json *makeValue(JsonKind kind) {
  Json *value = allocate(sizeof(Json));
  value->kind = kind;
  return value;
}

void freeJson(Json *value) {
  while (value) {
    Json *next = value->next;
    freeJson(value->first);
    free(value->key);
    free(value->text);
    free(value);
    value = next;
  }
}

/* Four hexadecimal digits, or -1. */
static long takeHex(Parser *parser) {
  if (parser->end - parser->at < 4)
    return -1;
  long value = 0;
  for (int i = 0; i < 4; ++i) {
    char c = *parser->at++;
    int digit = c >= '0' && c <= '9'   ? c - '0'
                : c >= 'a' && c <= 'f' ? c - 'a' + 10
                : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                       : -1;
    if (digit < 0)
      return -1;
    value = value * 16 + digit;
  }
  return value;
}

/* Writes a character in UTF-8; returns its bytes. */
static size_t encode(long code, char *out) {
  if (code < 0x80) {
    out[0] = (char)code;
    return 1;
  }
  size_t bytes = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  static const unsigned char marks[] = {0, 0, 0xc0, 0xe0, 0xf0};
  for (size_t i = bytes; i-- > 1; code >>= 6)
    out[i] = (char)(0x80 | (code & 0x3f));
  out[0] = (char)(marks[bytes] | code);
  return bytes;
}

/* What follows a backslash; 0 if it is nothing that may. */
static size_t takeEscape(Parser *parser, char *out) {
  static const char letters[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
  if (parser->at == parser->end)
    return 0;
  char letter = *parser->at++;
  const char *known = letter ? strchr(letters, letter) : NULL;
  if (known) {
    *out = values[known - letters];
    return 1;
  }
  long code = letter == 'u' ? takeHex(parser) : -1;
  if (code >= 0xd800 && code < 0xdc00 && take(parser, "\\u")) {
    long low = takeHex(parser);
    code = low >= 0xdc00 && low < 0xe000
               ? 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00)
               : -1;
  }
  return code > 0 ? encode(code, out) : 0;
}

/* The string that begins here, or NULL. */
static char *takeString(Parser *parser) {
  if (!take(parser, "\""))
    return NULL;
  size_t room = 32;
  char *text = allocate(room);
  size_t used = 0;
  while (parser->at < parser->end && *parser->at != '"' && *parser->at) {
    if (used + 8 > room) {
      room *= 2;
      text = growMemory(text, room);
    }
    if (*parser->at != '\\') {
      text[used++] = *parser->at++;
      continue;
    }
    ++parser->at;
    size_t bytes = takeEscape(parser, text + used);
    if (!bytes)
      break;
    used += bytes;
  }
  if (!take(parser, "\"")) {
    free(text);
    return NULL;
  }
  text[used] = 0;
  return text;
}

static Json *takeNumber(Parser *parser) {
  char digits[64];
  size_t length = 0;
  while (parser->at + length < parser->end && length + 1 < sizeof(digits) &&
         parser->at[length] && strchr("+-.eE0123456789", parser->at[length])) {
    digits[length] = parser->at[length];
    ++length;
  }
  digits[length] = 0;
  char *end = digits;
  errno = 0;
  long long integer = strtoll(digits, &end, 10);
  int isInteger = length > 0 && *end == 0 && errno == 0;
  if (!isInteger) {
    (void)strtod(digits, &end);
    if (length == 0 || *end != 0)
      return NULL;
  }
  parser->at += length;
  Json *value = makeValue(jsonNumber);
  value->isInteger = isInteger;
  value->integer = isInteger ? integer : 0;
  return value;
}

static Json *takeValue(Parser *parser);

/* The elements up to `close`, which end `value`; NULL if there are none. */
static Json *takeElements(Parser *parser, Json *value, const char *close) {
  int isObject = value->kind == jsonObject;
  Json **place = &value->first;
  skipBlanks(parser);
  if (take(parser, close))
    return value;
  for (;;) {
    char *key = NULL;
    skipBlanks(parser);
    if (isObject) {
      key = takeString(parser);
      skipBlanks(parser);
    }
    Json *element =
        isObject && (!key || !take(parser, ":")) ? NULL : takeValue(parser);
    if (!element) {
      free(key);
      break;
    }
    element->key = key;
    *place = element;
    place = &element->next;
    skipBlanks(parser);
    if (take(parser, close))
      return value;
    if (!take(parser, ","))
      break;
  }
  freeJson(value);
  return NULL;
}

static Json *takeValue(Parser *parser) {
  skipBlanks(parser);
  if (parser->at == parser->end || parser->depth == mostDepth)
    return NULL;
  Json *value = NULL;
  if (*parser->at == '"') {
    char *text = takeString(parser);
    if (!text)
      return NULL;
    value = makeValue(jsonString);
    value->text = text;
    return value;
  }
  int isObject = take(parser, "{");
  if (isObject || take(parser, "[")) {
    ++parser->depth;
    value = takeElements(parser, makeValue(isObject ? jsonObject : jsonArray),
                         isObject ? "}" : "]");
    --parser->depth;
    return value;
  }
  if (take(parser, "null"))
    return makeValue(jsonNull);
  int isTrue = take(parser, "true");
  if (isTrue || take(parser, "false")) {
    value = makeValue(jsonBool);
    value->integer = isTrue;
    return value;
  }
  return takeNumber(parser);
}

Json *parseJson(const char *text, size_t length, Errors *errors) {
  Parser parser = {text, text + length, 0};
  Json *value = takeValue(&parser);
  skipBlanks(&parser);
  if (value && parser.at == parser.end)
    return value;
  freeJson(value);
  size_t line = 1;
  for (const char *c = text; c < parser.at; ++c)
    line += *c == '\n';
  addError(errors, statusBadInput, "expected JSON, but line %zu is none", line);
  return NULL;
}

const Json *jsonMember(const Json *value, const char *key) {
  if (!value || value->kind != jsonObject)
    return NULL;
  const Json *member = value->first;
  while (member && strcmp(member->key, key) != 0)
    member = member->next;
  return member;
}

const char *jsonTextOf(const Json *value, const char *key,
                       const char *otherwise) {
  const Json *member = jsonMember(value, key);
  return member && member->kind == jsonString ? member->text : otherwise;
}

int64_t jsonIntegerOf(const Json *value, const char *key, int64_t otherwise) {
  const Json *member = jsonMember(value, key);
  return member && (member->isInteger || member->kind == jsonBool)
             ? member->integer
             : otherwise;
}

const Json *jsonElementsOf(const Json *value, const char *key) {
  const Json *member = jsonMember(value, key);
  return member ? member->first : NULL;
}

int jsonIntegers(const Json *array, int64_t least, int64_t *list, int most) {
  if (!array || array->kind != jsonArray)
    return -1;
  int count = 0;
  for (const Json *element = array->first; element; element = element->next) {
    if (!element->isInteger || element->integer < least || count == most)
      return -1;
    list[count++] = element->integer;
  }
  return count;
}
