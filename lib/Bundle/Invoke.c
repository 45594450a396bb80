/*===- Invoke.c - How code is entered -----------------------------*- C -*-===*\
|* Part of the SymShape project, under the Apache License v2.0 with LLVM     *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* Packs tensors into what the C interface of generated code takes, and takes *|
|* over results.                                                              *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#define _GNU_SOURCE
#include "Program.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

void describeTensor(const Tensor *tensor, const void *data,
                    Descriptor *descriptor) {
  int rank = descriptor->rank = tensor->rank;
  int64_t *words = descriptor->words, stride = 1;
  words[0] = words[1] = (int64_t)(intptr_t)data;
  words[2] = 0;
  for (int i = rank; i-- > 0;) {
    words[3 + i] = tensor->extents[i];
    words[3 + rank + i] = stride;
    /* With a zero extent no stride is ever used; the product may overflow. */
    if (__builtin_mul_overflow(stride, tensor->extents[i], &stride))
      stride = INT64_MAX;
  }
}

typedef struct PackedCall {
  PackedFunction function;
  void **arguments;
} PackedCall;

static void runPacked(void *argument) {
  PackedCall *call = argument;
  call->function(call->arguments);
}

int runFunction(const Program *program, PackedFunction function,
                void **arguments, Errors *errors) {
  PackedCall call = {function, arguments};
  symshape_rt_set_threads(program->threads);
  int isFine = runChecked(runPacked, &call, errors);
  symshape_rt_set_threads(1);
  return isFine;
}

size_t addField(size_t *size, size_t bytes, size_t alignment) {
  size_t offset = (*size + alignment - 1) / alignment * alignment;
  *size = offset + bytes;
  return offset;
}

size_t descriptorBytes(int rank) {
  return sizeof(int64_t) * (size_t)(3 + 2 * rank);
}

void readDescriptor(const char *memory, int rank, Descriptor *descriptor) {
  descriptor->rank = rank;
  memcpy(descriptor->words, memory, descriptorBytes(rank));
}

/* Whether the elements lie in row-major order without gaps. */
static int isDense(const Descriptor *descriptor) {
  const int64_t *extents = descriptor->words + 3;
  const int64_t *strides = extents + descriptor->rank;
  int64_t dense = 1;
  for (int i = 0; i < descriptor->rank; ++i)
    if (extents[i] == 0)
      return 1;
  for (int i = descriptor->rank; i-- > 0;) {
    if (extents[i] != 1 && strides[i] != dense)
      return 0;
    if (__builtin_mul_overflow(dense, extents[i], &dense))
      return 0;
  }
  return 1;
}

typedef struct CopyRequest {
  int64_t elementBytes;
  symshape_rt_unranked_memref source, target;
} CopyRequest;

static void copyElements(void *argument) {
  CopyRequest *request = argument;
  symshape_rt_copy(request->elementBytes, &request->source, &request->target);
}

/* Makes a result a tensor, in its block if it can be. */
static int takeResult(Descriptor *returned, ElementType type,
                      CallResult *result, Errors *errors) {
  Tensor *tensor = &result->tensor;
  *tensor = (Tensor){.type = type, .rank = returned->rank};
  memcpy(tensor->extents, returned->words + 3,
         sizeof(int64_t) * (size_t)returned->rank);
  result->block = (void *)(intptr_t)returned->words[0];
  if (isDense(returned) && bytesOfTensor(tensor) >= 0) {
    tensor->data = (char *)(intptr_t)returned->words[1] +
                   returned->words[2] * bytesOfElement(type);
    return 1;
  }
  if (!allocateTensor(tensor, errors))
    return 0;
  Descriptor target;
  describeTensor(tensor, tensor->data, &target);
  CopyRequest request = {bytesOfElement(type),
                         {returned->rank, returned->words},
                         {target.rank, target.words}};
  return runChecked(copyElements, &request, errors);
}

static int takeResults(const Program *program, char *memory,
                       CallResult *results, Errors *errors) {
  const Signature *signature = &program->bundle->signature;
  size_t size = 0;
  int isFine = 1;
  for (int i = 0; i < signature->numResults; ++i) {
    const ValueSignature *value = &signature->results[i];
    size_t bytes = (size_t)bytesOfElement(value->type);
    results[i] = (CallResult){.block = NULL};
    if (value->isTensor) {
      Descriptor returned;
      readDescriptor(memory + addField(&size, descriptorBytes(value->rank), 8),
                     value->rank, &returned);
      isFine &= takeResult(&returned, value->type, &results[i], errors);
      continue;
    }
    Tensor *scalar = &results[i].tensor;
    *scalar = (Tensor){.type = value->type};
    char *field = memory + addField(&size, bytes, bytes);
    isFine &= allocateTensor(scalar, errors);
    if (scalar->data)
      memcpy(scalar->data, field, bytes);
  }
  if (!isFine)
    releaseResults(program, results);
  return isFine;
}

static size_t resultBytes(const Signature *signature) {
  size_t size = 0;
  for (int i = 0; i < signature->numResults; ++i) {
    const ValueSignature *value = &signature->results[i];
    size_t bytes = (size_t)bytesOfElement(value->type);
    if (value->isTensor)
      (void)addField(&size, descriptorBytes(value->rank), 8);
    else
      (void)addField(&size, bytes, bytes);
  }
  return size;
}

/* Fills in what the entry takes: descriptors by pointers, scalars as they are,
   each through a pointer. Results other than a single scalar come through a
   pointer, too. */
static void packArguments(Program *program, const Tensor *inputs,
                          Descriptor *inputDescriptors, int64_t **pointers,
                          void **packed, char **memory) {
  const Signature *signature = &program->bundle->signature;
  int numResults = signature->numResults;
  int isStruct =
      numResults > 1 || (numResults == 1 && signature->results[0].isTensor);
  int used = 0, nextInput = 0, nextWeight = 0;
  if (isStruct)
    packed[used++] = memory;
  for (int i = 0; i < signature->numArguments; ++i) {
    const ValueSignature *argument = &signature->arguments[i];
    const Tensor *tensor;
    if (argument->weight) {
      pointers[i] = program->weightDescriptors[nextWeight].words;
      tensor = &program->weights[nextWeight++];
    } else {
      tensor = &inputs[nextInput];
      describeTensor(tensor, tensor->data, &inputDescriptors[nextInput]);
      pointers[i] = inputDescriptors[nextInput++].words;
    }
    packed[used++] =
        argument->isTensor ? (void *)&pointers[i] : (void *)tensor->data;
  }
  for (int i = 0; i < program->numPrepared; ++i) {
    int64_t **pointer = &pointers[signature->numArguments + i];
    *pointer = program->prepared[i].words;
    packed[used++] = pointer;
  }
  if (!isStruct && numResults)
    packed[used] = *memory;
}

int callProgram(Program *program, const Tensor *inputs, CallResult *results,
                double *seconds, Errors *errors) {
  const Signature *signature = &program->bundle->signature;
  size_t count = (size_t)(signature->numArguments + program->numPrepared);
  char *memory = allocate(resultBytes(signature));
  Descriptor *descriptors =
      allocate((size_t)signature->numInputs * sizeof(*descriptors));
  int64_t **pointers = allocate(count * sizeof(*pointers));
  void **packed = allocate((count + 1) * sizeof(*packed));
  packArguments(program, inputs, descriptors, pointers, packed, &memory);
  struct timespec begin, end;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  int isFine = runFunction(program, program->entry, packed, errors) &&
               takeResults(program, memory, results, errors);
  clock_gettime(CLOCK_MONOTONIC, &end);
  *seconds = (double)(end.tv_sec - begin.tv_sec) +
             1e-9 * (double)(end.tv_nsec - begin.tv_nsec);
  free(packed);
  free(pointers);
  free(descriptors);
  free(memory);
  return isFine;
}

static int isPrepared(const Program *program, const void *block) {
  for (int i = 0; i < program->numPrepared; ++i)
    if ((void *)(intptr_t)program->prepared[i].words[0] == block)
      return 1;
  return 0;
}

void releaseResults(const Program *program, CallResult *results) {
  for (int i = 0; i < program->bundle->signature.numResults; ++i) {
    CallResult *result = &results[i];
    /* Two may share a block; once the first is freed, it is no longer owned. */
    if (result->block && !isPrepared(program, result->block) &&
        symshape_rt_owns(result->block))
      _mlir_memref_to_llvm_free(result->block);
    freeTensor(&result->tensor);
    result->block = NULL;
  }
}
