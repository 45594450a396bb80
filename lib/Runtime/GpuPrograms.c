/*===- GpuPrograms.c - Kernels, their launches and constants --------*- C
-*-===*\
|* Part of the SymShape project, under the Apache License v2.0 with LLVM     *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* A program is loaded once and launched from any thread. Constants of its    *|
|* host code are copied to the device the first time that they are used.      *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "GpuDriver.h"
#include "symshape-c/RuntimeGPU.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* A constant on the device. */
typedef struct Constant {
  const void *data;
  GpuAddress address;
  struct Constant *next;
} Constant;

typedef struct Kernel {
  GpuFunction function;
  _Atomic int64_t sharedBytes; /* that launches may ask for; 0: the default */
} Kernel;

typedef struct Program {
  GpuModule module;
  Constant *constants; /* under `constantsLock` */
  Kernel kernels[];
} Program;

static pthread_mutex_t constantsLock = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local int64_t numLaunches;

int64_t symshape_gpu_num_launches(void) { return numLaunches; }

/* 0, or what the driver's compiler or loader says. */
static int loadModule(GpuModule *module, const char *code) {
  static _Thread_local char log[400];
  log[0] = 0;
  int options[] = {gpuErrorLogBuffer, gpuErrorLogBytes};
  void *values[] = {log, (void *)(uintptr_t)sizeof(log)};
  GpuResult result =
      symshapeGpuDriver.moduleLoad(module, code, 2, options, values);
  if (!result)
    return 0;
  log[sizeof(log) - 1] = 0;
  symshapeGpuSetError("cuModuleLoadDataEx",
                      log[0] ? log : symshapeGpuDescribe(result));
  return 1;
}

static void enterToLoad(void *unused) {
  (void)unused;
  symshapeGpuEnter();
}

int symshape_gpu_load(symshape_gpu_program *program) {
  if (symshapeCallQuietly(enterToLoad, NULL)) {
    symshapeGpuSetError("no GPU", symshape_rt_last_message());
    return 1;
  }
  Program *state =
      calloc(1, sizeof(Program) + (size_t)program->numKernels * sizeof(Kernel));
  if (!state) {
    symshapeGpuSetError("GPU", "out of memory");
    return 1;
  }
  if (program->numKernels && loadModule(&state->module, program->code)) {
    free(state);
    return 1;
  }
  const char *name = program->kernels;
  for (int64_t i = 0; i < program->numKernels; ++i, name += strlen(name) + 1) {
    GpuResult result = symshapeGpuDriver.moduleGetFunction(
        &state->kernels[i].function, state->module, name);
    if (!result)
      continue;
    symshapeGpuSetError("cuModuleGetFunction", symshapeGpuDescribe(result));
    (void)symshapeGpuDriver.moduleUnload(state->module);
    free(state);
    return 1;
  }
  program->state = state;
  return 0;
}

void symshape_gpu_unload(symshape_gpu_program *program) {
  Program *state = program->state;
  program->state = NULL;
  if (!state || symshapeCallQuietly(enterToLoad, NULL))
    return;
  for (Constant *constant = state->constants, *next; constant;
       constant = next) {
    next = constant->next;
    (void)symshapeGpuDriver.memoryFree(constant->address);
    free(constant);
  }
  if (state->module)
    (void)symshapeGpuDriver.moduleUnload(state->module);
  free(state);
}

static Program *stateOf(const symshape_gpu_program *program) {
  if (!program->state)
    symshape_rt_fail("GPU: the program is not loaded", NULL, 0);
  return program->state;
}

void symshape_gpu_launch(symshape_gpu_program *program, int64_t kernel,
                         int64_t blocks, int64_t threads, void **parameters) {
  symshape_gpu_launch_shared(program, kernel, blocks, threads,
                             /*sharedBytes=*/0, parameters);
}

/* Allows launches of a kernel with so many bytes of shared memory. */
static void allowShared(Kernel *kernel, int64_t bytes) {
  if (bytes <= kernel->sharedBytes)
    return;
  symshapeGpuCheck(symshapeGpuDriver.functionSetAttribute(
                       kernel->function, gpuMaxDynamicShared, (int)bytes),
                   "cuFuncSetAttribute");
  kernel->sharedBytes = bytes;
}

void symshape_gpu_launch_shared(symshape_gpu_program *program, int64_t kernel,
                                int64_t blocks, int64_t threads,
                                int64_t sharedBytes, void **parameters) {
  if (blocks <= 0 || threads <= 0)
    return;
  if (blocks > INT32_MAX)
    symshape_rt_fail("GPU: expected at most 2^31 - 1 blocks, but got {0}",
                     &blocks, 1);
  Program *state = stateOf(program);
  GpuStream stream = symshapeGpuStream();
  allowShared(&state->kernels[kernel], sharedBytes);
  symshapeGpuTimeLaunch(stream);
  symshapeGpuCheck(
      symshapeGpuDriver.launch(state->kernels[kernel].function,
                               (unsigned)blocks, 1, 1, (unsigned)threads, 1, 1,
                               (unsigned)sharedBytes, stream, parameters,
                               /*extra=*/NULL),
      "cuLaunchKernel");
  ++numLaunches;
}

/* A new constant at the front of the list; fails with the lock held. */
static GpuResult addConstant(Program *state, const void *data, int64_t bytes) {
  Constant *constant = malloc(sizeof(Constant));
  if (!constant)
    return gpuOutOfMemory;
  GpuResult result = symshapeGpuDriver.memoryAlloc(
      &constant->address, (size_t)(bytes > 0 ? bytes : 1));
  if (!result && bytes > 0) {
    result = symshapeGpuDriver.copyToDevice(constant->address, data,
                                            (size_t)bytes, symshapeGpuStream());
    /* Other threads, with streams of their own, may use it next. */
    if (!result)
      result = symshapeGpuDriver.streamSynchronize(symshapeGpuStream());
    if (result)
      (void)symshapeGpuDriver.memoryFree(constant->address);
  }
  if (result) {
    free(constant);
    return result;
  }
  constant->data = data;
  constant->next = state->constants;
  state->constants = constant;
  return 0;
}

int64_t symshape_gpu_constant(symshape_gpu_program *program, const void *data,
                              int64_t bytes) {
  Program *state = stateOf(program);
  (void)symshapeGpuStream(); /* may fail, so not under the lock */
  pthread_mutex_lock(&constantsLock);
  Constant *found = state->constants;
  while (found && found->data != data)
    found = found->next;
  GpuResult result = found ? 0 : addConstant(state, data, bytes);
  if (!found && !result)
    found = state->constants;
  pthread_mutex_unlock(&constantsLock);
  symshapeGpuCheck(result, "copying a constant");
  return (int64_t)found->address;
}
