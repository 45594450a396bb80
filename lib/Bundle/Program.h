/*===- Program.h - Calls of a bundle ------------------------------*- C -*-===*\
|* Part of the SymShape project, under the Apache License v2.0 with LLVM     *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* Loads the code of a bundle, binds its weights, and calls it: what          *|
|* symshape/Execution/Program.h does for code that was just compiled.         *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef SYMSHAPE_BUNDLE_PROGRAM_H
#define SYMSHAPE_BUNDLE_PROGRAM_H

#include "Bundle.h"
#include "Object.h"
#include "symshape-c/RuntimeGPU.h"

/* A memref descriptor as generated code lays it out: allocated pointer, aligned
   pointer, offset, extents, strides (in elements). */
typedef struct Descriptor {
  int rank;
  int64_t words[3 + 2 * maxRank];
} Descriptor;

/* Takes an array of pointers to its arguments, then to its result. */
typedef void (*PackedFunction)(void **);

typedef struct Program {
  const Bundle *bundle;
  Object object;
  PackedFunction entry, prepare; /* `prepare` is NULL if there is none */
  int64_t *preparedRanks;
  int numPrepared;
  symshape_gpu_program *kernels; /* NULL: the CPU computes */
  char *kernelCode;
  int64_t threads;
  Tensor *weights; /* in the order of the arguments that are weights */
  Descriptor *weightDescriptors, *prepared;
  int numWeights;
} Program;

/* A result, and the block of the runtime that it lies in, if it does. */
typedef struct CallResult {
  Tensor tensor;
  void *block;
} CallResult;

/* Checks that `weights` has what the signature names. */
void checkWeights(const Signature *signature, const Weights *weights,
                  Errors *errors);

/* Loads the code, and compares what it says of itself with the bundle, which
   must stay open. `program` must stay where it is, and is to be closed whatever
   comes of it. Returns 1, or 0 and an error. */
int loadProgram(Program *program, const Bundle *bundle, Errors *errors);

/* Binds the weights of a loaded program, which have been checked, and must stay
   open; for a GPU, a device is open. Returns 1, or 0 and an error. */
int openProgram(Program *program, const Weights *weights, int64_t threads,
                Errors *errors);

void closeProgram(Program *program);

/* Invoke.c: calls the program once. `results` has one element per result, to be
   released; none after an error. Inputs have been checked. Returns 1, or 0 and
   an error.
   `*seconds` is how long the call took. */
int callProgram(Program *program, const Tensor *inputs, CallResult *results,
                double *seconds, Errors *errors);

/* Invoke.c */
void releaseResults(const Program *program, CallResult *results);

/* Invoke.c: the descriptor of a tensor in row-major order at `data`. */
void describeTensor(const Tensor *tensor, const void *data,
                    Descriptor *descriptor);

/* Invoke.c: the bytes of a descriptor in memory, and what they say. */
size_t descriptorBytes(int rank);
void readDescriptor(const char *memory, int rank, Descriptor *descriptor);

/* Invoke.c: where a field of a struct begins, which `*size` grows by. */
size_t addField(size_t *size, size_t bytes, size_t alignment);

/* Invoke.c: calls a function of the code with the threads of the program.
   Returns 1, or 0 and an error. */
int runFunction(const Program *program, PackedFunction function,
                void **arguments, Errors *errors);

/* Recovery.c: from now on, a crash ends the process with one line and the
   status `statusInternal`; a file that grows beyond a limit is an error. */
void exitOnCrash(void);

/* Recovery.c: runs `body(argument)` under the runtime. Returns 1, or 0 and an
   error if it fails. */
int runChecked(void (*body)(void *), void *argument, Errors *errors);

#endif /* SYMSHAPE_BUNDLE_PROGRAM_H */
