/*===- Weights.c - Weight files -----------------------------------*- C -*-===*\
|* Part of the SymShape project, under the Apache License v2.0 with LLVM     *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* See the header.                                                            *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#define _GNU_SOURCE
#include "Weights.h"

#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>

static const uint64_t maxHeaderBytes = 100 << 20;

static int parseDtype(const char *dtype, ElementType *type) {
  static const struct {
    const char *dtype, *name;
  } names[] = {{"BOOL", "i1"},  {"I8", "i8"},     {"I16", "i16"},
               {"I32", "i32"},  {"I64", "i64"},   {"U8", "ui8"},
               {"U16", "ui16"}, {"U32", "ui32"},  {"U64", "ui64"},
               {"F16", "f16"},  {"BF16", "bf16"}, {"F32", "f32"},
               {"F64", "f64"}};
  for (size_t i = 0; i < sizeof(names) / sizeof(*names); ++i)
    if (strcmp(names[i].dtype, dtype) == 0)
      return parseElementType(names[i].name, strlen(names[i].name), type);
  return 0;
}

static int parseFile(Weights *weights, Errors *errors) {
  const File *file = &weights->file;
  uint64_t length;
  if (file->size < sizeof(length))
    return addError(errors, statusBadInput,
                    "expected a .safetensors file, but got %zu bytes",
                    file->size);
  memcpy(&length, file->data, sizeof(length));
  if (length > maxHeaderBytes || length > file->size - sizeof(length))
    return addError(errors, statusBadInput,
                    "expected a .safetensors file, but its header would have "
                    "%" PRIu64 " bytes",
                    length);
  size_t before = errors->count;
  weights->header = parseJson(file->data + sizeof(length), length, errors);
  prefixErrors(errors, before, "malformed header: ");
  weights->data = file->data + sizeof(length) + length;
  weights->dataBytes = file->size - sizeof(length) - length;
  return weights->header != NULL;
}

int openWeights(const char *path, Weights *weights, Errors *errors) {
  *weights = (Weights){.header = NULL};
  if (!readFile(path, /*isInputAllowed=*/0, &weights->file, errors))
    return 0;
  size_t before = errors->count;
  int isRead = parseFile(weights, errors);
  prefixErrors(errors, before, "'%s': ", path);
  if (!isRead)
    closeWeights(weights);
  return isRead;
}

void closeWeights(Weights *weights) {
  if (weights->file.data)
    closeFile(&weights->file);
  freeJson(weights->header);
  *weights = (Weights){.header = NULL};
}

/* Makes the tensor one over bytes of the file, or a copy: bytes of a bool may
   be anything in a file, but only 0 and 1 in a program. */
static int viewData(const char *data, Tensor *tensor, Errors *errors) {
  int isAligned =
      (uintptr_t)data % (uintptr_t)bytesOfElement(tensor->type) == 0;
  tensor->data = (char *)data;
  if (isAligned && tensor->type.kind != kindBool)
    return 1;
  if (!allocateTensor(tensor, errors))
    return 0;
  int64_t bytes = bytesOfTensor(tensor);
  if (bytes)
    memcpy(tensor->data, data, (size_t)bytes);
  for (int64_t i = 0; tensor->type.kind == kindBool && i < bytes; ++i)
    tensor->data[i] = tensor->data[i] != 0;
  return 1;
}

int findWeight(const Weights *weights, const char *name, Tensor *tensor,
               Errors *errors) {
  const Json *entry = jsonMember(weights->header, name);
  if (!entry)
    return addError(errors, statusBadInput,
                    "expected a tensor '%s' in the weights, but there is none",
                    name);
  int64_t offsets[2];
  const char *dtype = jsonTextOf(entry, "dtype", NULL);
  *tensor = (Tensor){.rank = 0};
  tensor->rank =
      jsonIntegers(jsonMember(entry, "shape"), 0, tensor->extents, maxRank);
  if (!dtype || tensor->rank < 0 ||
      jsonIntegers(jsonMember(entry, "data_offsets"), 0, offsets, 2) != 2)
    return addError(errors, statusBadInput,
                    "malformed header: expected dtype, shape and data_offsets "
                    "of tensor '%s'",
                    name);
  if (!parseDtype(dtype, &tensor->type))
    return addError(errors, statusBadInput,
                    "tensor '%s' has dtype %s, which is not supported", name,
                    dtype);
  if (offsets[0] > offsets[1] || (uint64_t)offsets[1] > weights->dataBytes ||
      offsets[1] - offsets[0] != bytesOfTensor(tensor))
    return addError(errors, statusBadInput,
                    "expected the data of tensor '%s' inside the %" PRIu64
                    " bytes of data, but got [%" PRId64 ", %" PRId64 ")",
                    name, weights->dataBytes, offsets[0], offsets[1]);
  return viewData(weights->data + offsets[0], tensor, errors);
}

void releaseWeightPages(const Weights *weights) {
  if (weights->file.isMapped)
    (void)madvise((void *)weights->file.data, weights->file.size,
                  MADV_DONTNEED);
}
