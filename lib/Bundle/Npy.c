/*===- Npy.c - Files of NumPy's .npy format -----------------------*- C -*-===*\
|* Part of the SymShape project, under the Apache License v2.0 with LLVM     *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* Magic, version, length of the header, header (a Python dictionary in       *|
|* text), data. A header is untrusted: every length is checked before use.    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#define _GNU_SOURCE
#include "Npy.h"
#include "Files.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* What a header says. */
typedef struct Header {
  char descr[16];
  int hasDescr, hasOrder, hasShape, isFortranOrder;
  int rank;
  int64_t extents[maxRank];
} Header;

/* Reads the dictionary of a header: `{'descr': '<f4', 'fortran_order': False,
   'shape': (2, 3), }`, keys in any order. */
typedef struct Parser {
  const char *at, *end;
  Errors *errors;
} Parser;

static void skipBlanks(Parser *parser) {
  while (parser->at < parser->end && isspace((unsigned char)*parser->at))
    ++parser->at;
}

static int isNext(Parser *parser, const char *token) {
  skipBlanks(parser);
  size_t length = strlen(token);
  return (size_t)(parser->end - parser->at) >= length &&
         memcmp(parser->at, token, length) == 0;
}

static int take(Parser *parser, const char *token) {
  if (!isNext(parser, token))
    return 0;
  parser->at += strlen(token);
  return 1;
}

/* Copies at most `room` - 1 bytes as far as they can be printed. */
static void copyPrintable(const char *from, size_t length, char *to,
                          size_t room) {
  size_t used = 0;
  for (; used < length && used + 1 < room; ++used)
    to[used] = isprint((unsigned char)from[used]) ? from[used] : '?';
  to[used] = 0;
}

static int malformed(Parser *parser, const char *expected) {
  char got[17];
  copyPrintable(parser->at, (size_t)(parser->end - parser->at), got,
                sizeof(got));
  return addError(parser->errors, statusBadInput,
                  "malformed .npy header: expected %s, but got '%s'", expected,
                  got);
}

static int takeString(Parser *parser, char *text, size_t room) {
  const char *quote = take(parser, "'")    ? "'"
                      : take(parser, "\"") ? "\""
                                           : NULL;
  const char *close =
      quote ? memchr(parser->at, *quote, (size_t)(parser->end - parser->at))
            : NULL;
  if (!close)
    return malformed(parser, "a string");
  copyPrintable(parser->at, (size_t)(close - parser->at), text, room);
  parser->at = close + 1;
  return 1;
}

/* The digits at the parser's place; 0 if there are none, or too many. */
static int takeExtent(Parser *parser, int64_t *extent) {
  skipBlanks(parser);
  const char *begin = parser->at;
  *extent = 0;
  for (; parser->at < parser->end && isdigit((unsigned char)*parser->at);
       ++parser->at)
    if (__builtin_mul_overflow(*extent, 10, extent) ||
        __builtin_add_overflow(*extent, *parser->at - '0', extent)) {
      parser->at = begin;
      return 0;
    }
  return parser->at > begin;
}

static int takeShape(Parser *parser, Header *header) {
  if (!take(parser, "("))
    return malformed(parser, "a tuple of extents");
  while (!take(parser, ")")) {
    int64_t extent;
    if (!takeExtent(parser, &extent))
      return malformed(parser, "an extent");
    take(parser, "L");
    if (header->rank == maxRank)
      return malformed(parser, "at most 64 dimensions");
    header->extents[header->rank++] = extent;
    if (!take(parser, ",") && !isNext(parser, ")"))
      return malformed(parser, "',' or ')'");
  }
  header->hasShape = 1;
  return 1;
}

static int takeEntry(Parser *parser, Header *header) {
  char key[64], expected[160];
  if (!takeString(parser, key, sizeof(key)))
    return 0;
  if (!take(parser, ":"))
    return malformed(parser, "':'");
  if (strcmp(key, "shape") == 0)
    return takeShape(parser, header);
  if (strcmp(key, "fortran_order") == 0) {
    header->isFortranOrder = take(parser, "True");
    header->hasOrder = 1;
    return header->isFortranOrder || take(parser, "False") ||
           malformed(parser, "True or False");
  }
  if (strcmp(key, "descr") != 0) {
    snprintf(expected, sizeof(expected),
             "the keys descr, fortran_order and shape, but not '%s'", key);
    return malformed(parser, expected);
  }
  if (isNext(parser, "["))
    return addError(
        parser->errors, statusBadInput,
        "expected an array of numbers, but got one of a structured type");
  header->hasDescr = 1;
  return takeString(parser, header->descr, sizeof(header->descr));
}

static int parseHeader(Parser *parser, Header *header) {
  if (!take(parser, "{"))
    return malformed(parser, "'{'");
  while (!take(parser, "}")) {
    if (!takeEntry(parser, header))
      return 0;
    if (!take(parser, ",") && !isNext(parser, "}"))
      return malformed(parser, "',' or '}'");
  }
  skipBlanks(parser);
  if (parser->at != parser->end)
    return malformed(parser, "the end of the header");
  if (!header->hasDescr || !header->hasOrder || !header->hasShape)
    return addError(parser->errors, statusBadInput,
                    "malformed .npy header: expected the keys descr, "
                    "fortran_order and shape");
  return 1;
}

/* The element type of a descr such as `<f4`, and whether its bytes are swapped
   with respect to this machine. */
static int parseDescr(const char *descr, ElementType *type, int *isSwapped,
                      Errors *errors) {
  const char *rest = descr;
  int isBig = *rest == '>';
  rest += isBig || *rest == '<' || *rest == '|' || *rest == '=';
  int bytes = strlen(rest) == 2 ? rest[1] - '0' : 0;
  int isPower = bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
  *isSwapped = isBig && bytes > 1 && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
  type->width = 8 * bytes;
  if (strcmp(rest, "b1") == 0)
    *type = (ElementType){kindBool, 1};
  else if (strcmp(rest, "V2") == 0)
    type->kind = kindBFloat;
  else if (rest[0] == 'i' && isPower)
    type->kind = kindSigned;
  else if (rest[0] == 'u' && isPower)
    type->kind = kindUnsigned;
  else if (rest[0] == 'f' && isPower && bytes > 1)
    type->kind = kindFloat;
  else
    return addError(errors, statusBadInput,
                    "expected dtype bool, int, uint or float of 1 to 8 bytes "
                    "or bfloat16 (V2), but got '%s'",
                    descr);
  return 1;
}

/* The header's text and the data after it. */
static int splitFile(const File *file, Parser *header, const char **data) {
  const unsigned char *bytes = (const unsigned char *)file->data;
  if (file->size < 10 || memcmp(bytes, "\x93NUMPY", 6) != 0)
    return addError(header->errors, statusBadInput,
                    "expected a .npy file, but got something else");
  int version = bytes[6];
  if (version < 1 || version > 3)
    return addError(header->errors, statusBadInput,
                    "expected .npy version 1, 2 or 3, but got %d", version);
  size_t begin = version == 1 ? 10 : 12;
  if (file->size < begin)
    return addError(header->errors, statusBadInput, "truncated .npy header");
  size_t length = bytes[8] | (size_t)bytes[9] << 8;
  if (version > 1)
    length |= (size_t)bytes[10] << 16 | (size_t)bytes[11] << 24;
  if (file->size - begin < length)
    return addError(header->errors, statusBadInput,
                    "truncated .npy header: expected %zu bytes, but got %zu",
                    length, file->size - begin);
  header->at = file->data + begin;
  header->end = *data = header->at + length;
  return 1;
}

/* Copies elements in column-major order to row-major order; there are some. */
static void copyTransposed(const char *source, Tensor *tensor) {
  int64_t size = bytesOfElement(tensor->type), stride = size, offset = 0;
  int64_t count = elementsOfTensor(tensor), position[maxRank] = {0};
  int64_t strides[maxRank];
  for (int i = 0; i < tensor->rank; ++i) {
    strides[i] = stride;
    stride *= tensor->extents[i];
  }
  char *target = tensor->data;
  for (int64_t i = 0; i < count; ++i, target += size) {
    memcpy(target, source + offset, (size_t)size);
    for (int dim = tensor->rank; dim-- > 0;) {
      offset += strides[dim];
      if (++position[dim] < tensor->extents[dim])
        break;
      offset -= strides[dim] * tensor->extents[dim];
      position[dim] = 0;
    }
  }
}

static void swapBytes(char *data, int64_t size) {
  for (int64_t i = 0; i < size / 2; ++i) {
    char byte = data[i];
    data[i] = data[size - 1 - i];
    data[size - 1 - i] = byte;
  }
}

static int parseFile(const File *file, int withData, Tensor *tensor,
                     Errors *errors) {
  Header header = {.rank = 0};
  Parser parser = {NULL, NULL, errors};
  const char *data = NULL;
  int isSwapped;
  if (!splitFile(file, &parser, &data) || !parseHeader(&parser, &header) ||
      !parseDescr(header.descr, &tensor->type, &isSwapped, errors))
    return 0;
  tensor->rank = header.rank;
  memcpy(tensor->extents, header.extents, sizeof(header.extents));
  int64_t size = bytesOfTensor(tensor);
  int64_t given = file->data + file->size - data;
  if (size != given) {
    char *type = describeType(tensor->type, tensor->rank, tensor->extents);
    addError(errors, statusBadInput,
             "expected data for %s, but got %" PRId64 " bytes", type, given);
    free(type);
    return 0;
  }
  if (!withData)
    return 1;
  if (!allocateTensor(tensor, errors))
    return 0;
  if (header.isFortranOrder && tensor->rank > 1 && size > 0)
    copyTransposed(data, tensor);
  else if (size > 0)
    memcpy(tensor->data, data, (size_t)size);
  int64_t step = bytesOfElement(tensor->type);
  for (int64_t i = 0; isSwapped && i < size; i += step)
    swapBytes(tensor->data + i, step);
  for (int64_t i = 0; tensor->type.kind == kindBool && i < size; ++i)
    tensor->data[i] = tensor->data[i] != 0;
  return 1;
}

int readNpy(const char *path, int withData, Tensor *tensor, Errors *errors) {
  File file;
  *tensor = (Tensor){.rank = 0};
  if (!readFile(path, /*isInputAllowed=*/0, &file, errors))
    return 0;
  size_t before = errors->count;
  int isRead = parseFile(&file, withData, tensor, errors);
  prefixErrors(errors, before, "'%s': ", path);
  closeFile(&file);
  return isRead;
}

/* The file up to its data, which begin at a multiple of 64 bytes. To be
   freed. */
static char *makeHeader(const Tensor *tensor, size_t *length) {
  static const char codes[] = {'b', 'i', 'u', 'f', 'V', 'i'};
  size_t room = 256 + (size_t)tensor->rank * 22;
  char *header = allocate(room);
  char *end = header + 10;
  int64_t bytes = bytesOfElement(tensor->type);
  end += sprintf(end,
                 "{'descr': '%c%c%" PRId64 "', 'fortran_order': False, "
                 "'shape': (",
                 bytes == 1 ? '|' : '<', codes[tensor->type.kind], bytes);
  for (int i = 0; i < tensor->rank; ++i)
    end += sprintf(end, "%s%" PRId64, i ? ", " : "", tensor->extents[i]);
  end += sprintf(end, tensor->rank == 1 ? ",), }" : "), }");
  while ((end + 1 - header) % 64)
    *end++ = ' ';
  *end++ = '\n';
  size_t text = (size_t)(end - header) - 10;
  memcpy(header, "\x93NUMPY\x01\x00", 8);
  header[8] = (char)(text & 0xff);
  header[9] = (char)(text >> 8);
  *length = text + 10;
  return header;
}

static void writeArray(FILE *file, const void *argument) {
  const Tensor *tensor = argument;
  size_t length;
  char *header = makeHeader(tensor, &length);
  (void)fwrite(header, 1, length, file);
  int64_t bytes = bytesOfTensor(tensor);
  if (bytes > 0)
    (void)fwrite(tensor->data, 1, (size_t)bytes, file);
  free(header);
}

int writeNpy(const char *path, const Tensor *tensor, Errors *errors) {
  return replaceFile(path, writeArray, tensor, errors);
}
