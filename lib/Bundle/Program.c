/*===- Program.c - Calls of a bundle ------------------------------*- C -*-===*\
|* Part of the SymShape project, under the Apache License v2.0 with LLVM     *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* See the header.                                                            *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#define _GNU_SOURCE
#include "Program.h"

#include <stdlib.h>
#include <string.h>

static const int64_t maxPrepared = 1 << 20; /* values, and arguments */
/* What `symshape-nvvm` calls the kernels. */
static const char kernelsSymbol[] = "symshape_gpu.program";

/*===-- Weights -----------------------------------------------------------===*/

static int bindWeight(const Signature *signature,
                      const ValueSignature *argument, const Weights *weights,
                      Tensor *tensor, Errors *errors) {
  size_t before = errors->count;
  if (!weights->header)
    return addError(errors, statusBadInput,
                    "@%s: %s is the weight '%s', but no weights are given "
                    "(--weights)",
                    signature->name, argument->name, argument->weight);
  if (!findWeight(weights, argument->weight, tensor, errors)) {
    prefixErrors(errors, before, "@%s: %s (%s): ", signature->name,
                 argument->name, argument->typeText);
    return 0;
  }
  checkArgument(signature, argument, tensor, errors);
  suffixErrors(errors, before, " in weight '%s'", argument->weight);
  for (size_t i = before; i < errors->count; ++i)
    errors->list[i].status = statusBadInput;
  if (errors->count > before)
    freeTensor(tensor);
  return errors->count == before;
}

void checkWeights(const Signature *signature, const Weights *weights,
                  Errors *errors) {
  const int mostMissing = 3; /* a network has hundreds */
  int numMissing = 0;
  for (int i = 0; i < signature->numArguments; ++i) {
    Tensor tensor;
    const ValueSignature *argument = &signature->arguments[i];
    if (argument->weight && !weights->header && ++numMissing > mostMissing)
      continue;
    if (argument->weight &&
        bindWeight(signature, argument, weights, &tensor, errors))
      freeTensor(&tensor);
  }
  if (numMissing > mostMissing)
    addError(errors, statusBadInput, "@%s: %d more arguments are weights",
             signature->name, numMissing - mostMissing);
}

typedef struct SendRequest {
  const Tensor *tensor;
  int64_t address;
} SendRequest;

static void sendWeight(void *argument) {
  SendRequest *request = argument;
  request->address =
      symshape_gpu_send(request->tensor->data, bytesOfTensor(request->tensor));
  symshape_gpu_finish(/*program=*/NULL);
}

static int bindWeights(Program *program, const Weights *weights,
                       Errors *errors) {
  const Signature *signature = &program->bundle->signature;
  size_t most = (size_t)signature->numArguments;
  program->weights = allocate(most * sizeof(Tensor));
  program->weightDescriptors = allocate(most * sizeof(Descriptor));
  for (int i = 0; i < signature->numArguments; ++i) {
    if (!signature->arguments[i].weight)
      continue;
    Tensor *tensor = &program->weights[program->numWeights];
    Descriptor *descriptor = &program->weightDescriptors[program->numWeights];
    if (!bindWeight(signature, &signature->arguments[i], weights, tensor,
                    errors))
      return 0;
    ++program->numWeights;
    SendRequest request = {tensor, 0};
    if (program->kernels && !runChecked(sendWeight, &request, errors))
      return 0;
    describeTensor(tensor,
                   program->kernels ? (void *)(intptr_t)request.address
                                    : tensor->data,
                   descriptor);
  }
  return 1;
}

/* Computes what depends on weights alone. */
static int prepareWeights(Program *program, Errors *errors) {
  size_t size = 0;
  for (int i = 0; i < program->numPrepared; ++i)
    (void)addField(&size, descriptorBytes((int)program->preparedRanks[i]), 8);
  char *memory = allocate(size);
  size_t count = (size_t)program->numWeights;
  int64_t **pointers = allocate(count * sizeof(*pointers));
  void **packed = allocate((1 + count) * sizeof(*packed));
  packed[0] = &memory;
  for (size_t i = 0; i < count; ++i) {
    pointers[i] = program->weightDescriptors[i].words;
    packed[1 + i] = &pointers[i];
  }
  int isFine = runFunction(program, program->prepare, packed, errors);
  program->prepared =
      allocate((size_t)program->numPrepared * sizeof(Descriptor));
  for (int i = 0, at = 0; isFine && i < program->numPrepared; ++i) {
    int rank = (int)program->preparedRanks[i];
    readDescriptor(memory + at, rank, &program->prepared[i]);
    at += (int)descriptorBytes(rank);
  }
  free(packed);
  free(pointers);
  free(memory);
  return isFine;
}

/*===-- Loading -----------------------------------------------------------===*/

/* The wrapper of an exported function; NULL if there is none. */
static PackedFunction findFunction(const Program *program, const char *name) {
  char *wrapper = makeText("packed.%s", name);
  void *place = findSymbol(&program->object, wrapper, NULL);
  free(wrapper);
  PackedFunction function;
  /* A pointer to data becomes one to a function, as POSIX has it. */
  memcpy(&function, &place, sizeof(function));
  return function;
}

/* What is left to read of the interface in the code
   (symshape/Execution/CodeInterface.h). */
typedef struct Words {
  const char *data;
  size_t bytes;
} Words;

/* A number of 64 bits from 0 to `most`; -1 if there is none. */
static int64_t takeNumber(Words *words, int64_t most) {
  int64_t number;
  if (words->bytes < sizeof(number))
    return -1;
  memcpy(&number, words->data, sizeof(number));
  words->data += sizeof(number);
  words->bytes -= sizeof(number);
  return number <= most ? number : -1;
}

/* The next text; NULL if there is none. */
static char *takeText(Words *words) {
  int64_t length = takeNumber(words, INT32_MAX);
  if (length < 0 || (size_t)length > words->bytes)
    return NULL;
  char *text = makeText("%.*s", (int)length, words->data);
  words->data += length;
  words->bytes -= (size_t)length;
  return text;
}

/* Finds what prepares calls: the second of the functions, whose names follow
   those of versions. */
static void findPrepare(Program *program, Words *words) {
  int isThere = 1;
  for (int64_t left = takeNumber(words, INT32_MAX); isThere && left; --left) {
    char *version = takeText(words);
    isThere = version != NULL;
    free(version);
  }
  if (!isThere || takeNumber(words, INT32_MAX) < 2)
    return;
  char *entry = takeText(words), *prepare = takeText(words);
  if (prepare)
    program->prepare = findFunction(program, prepare);
  free(entry);
  free(prepare);
}

/* Whether the next list of texts is the records of these values. */
static int takeRecords(Words *words, const ValueSignature *values, int count) {
  int isSame = takeNumber(words, maxPrepared) == count;
  for (int i = 0; isSame && i < count; ++i) {
    char *record = recordValue(&values[i]);
    size_t length = strlen(record);
    isSame = takeNumber(words, INT32_MAX) == (int64_t)length &&
             length <= words->bytes && memcmp(words->data, record, length) == 0;
    free(record);
    if (isSame) {
      words->data += length;
      words->bytes -= length;
    }
  }
  return isSame;
}

/* Reads the ranks of what is prepared; 0 if they are not there. */
static int readPreparedRanks(Program *program, Words *words) {
  int64_t count = takeNumber(words, maxPrepared);
  if (count < 0 || (size_t)count > words->bytes / sizeof(int64_t))
    return 0;
  program->numPrepared = (int)count;
  program->preparedRanks = allocate((size_t)count * sizeof(int64_t));
  for (int i = 0; i < program->numPrepared; ++i)
    if ((program->preparedRanks[i] = takeNumber(words, maxRank)) < 0)
      return 0;
  return 1;
}

static int addMissingCode(const Bundle *bundle, Errors *errors) {
  return addError(errors, statusBadInput,
                  "'%s/program.o': expected the code of @%s, but it is not "
                  "there",
                  bundle->folder, bundle->signature.name);
}

/* Compares what the code says of itself with the signature: nothing else of
   the bundle says how the code is to be called. */
static int readInterface(Program *program, Errors *errors) {
  const Bundle *bundle = program->bundle;
  const Signature *signature = &bundle->signature;
  Words words = {NULL, 0};
  words.data = findSymbol(&program->object, "symshape.interface", &words.bytes);
  if (!words.data || takeNumber(&words, INT64_MAX) < 0 ||
      !readPreparedRanks(program, &words))
    return addMissingCode(bundle, errors);
  size_t bytes = 0;
  int hasKernels = findSymbol(&program->object, kernelsSymbol, &bytes) != NULL;
  if (!takeRecords(&words, signature->arguments, signature->numArguments) ||
      !takeRecords(&words, signature->results, signature->numResults) ||
      (hasKernels && !bundle->isForGPU))
    return addError(errors, statusBadInput,
                    "'%s': expected the signature and the target of the code, "
                    "but got others",
                    bundle->folder);
  if (program->numPrepared)
    findPrepare(program, &words);
  return !program->numPrepared || program->prepare
             ? 1
             : addMissingCode(bundle, errors);
}

static int loadKernels(Program *program, Errors *errors) {
  size_t bytes = 0;
  symshape_gpu_program *kernels =
      findSymbol(&program->object, kernelsSymbol, &bytes);
  if (!kernels || bytes < sizeof(*kernels))
    return addError(errors, statusBadInput,
                    "'%s/program.o': expected kernels for a GPU, but there are "
                    "none",
                    program->bundle->folder);
  const Bundle *bundle = program->bundle;
  size_t before = errors->count;
  program->kernelCode = readKernels(bundle, symshape_gpu_capability(), errors);
  kernels->code = program->kernelCode;
  /* The driver compiles the PTX where it does not take the cubin. */
  if (errors->count == before &&
      (!program->kernelCode || symshape_gpu_load(kernels))) {
    free(program->kernelCode);
    program->kernelCode = readKernels(bundle, /*capability=*/0, errors);
    kernels->code = program->kernelCode;
    if (program->kernelCode && symshape_gpu_load(kernels))
      addError(errors, statusCannotRun, "%s", symshape_gpu_error());
  }
  if (errors->count > before)
    return 0;
  program->kernels = kernels;
  return 1;
}

int loadProgram(Program *program, const Bundle *bundle, Errors *errors) {
  *program = (Program){.bundle = bundle};
  size_t before = errors->count;
  if (!loadObject(&bundle->code, thisProcessor(), &program->object, errors)) {
    prefixErrors(errors, before, "'%s/program.o': ", bundle->folder);
    return 0;
  }
  char *name = makeText("_mlir_ciface_%s", bundle->signature.name);
  program->entry = findFunction(program, name);
  free(name);
  if (!program->entry)
    return addMissingCode(bundle, errors);
  return readInterface(program, errors);
}

int openProgram(Program *program, const Weights *weights, int64_t threads,
                Errors *errors) {
  program->threads = threads;
  int isFine = (!program->bundle->isForGPU || loadKernels(program, errors)) &&
               bindWeights(program, weights, errors) &&
               (!program->prepare || prepareWeights(program, errors));
  if (isFine && program->prepare) /* calls read little of the rest */
    releaseWeightPages(weights);
  return isFine;
}

/* Frees a block unless that has been done. */
static void freeOwned(int64_t address) {
  void *block = (void *)(intptr_t)address;
  if (symshape_rt_owns(block))
    _mlir_memref_to_llvm_free(block);
}

void closeProgram(Program *program) {
  for (int i = 0; program->prepared && i < program->numPrepared; ++i)
    freeOwned(program->prepared[i].words[0]);
  for (int i = 0; i < program->numWeights; ++i) {
    if (program->kernels)
      freeOwned(program->weightDescriptors[i].words[0]);
    freeTensor(&program->weights[i]);
  }
  if (program->kernels)
    symshape_gpu_unload(program->kernels);
  free(program->kernelCode);
  free(program->prepared);
  free(program->weightDescriptors);
  free(program->weights);
  free(program->preparedRanks);
  unloadObject(&program->object);
  *program = (Program){.bundle = NULL};
}
