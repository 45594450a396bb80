/*===- GpuDriver.h - The driver's functions ------------------------*- C
-*-===*\
|* Part of the SymShape project, under the Apache License v2.0 with LLVM     *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* Own prototypes of what is used of the CUDA driver's interface, which is    *|
|* stable: its names and types do not change between versions.                *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef SYMSHAPE_RUNTIME_GPUDRIVER_H
#define SYMSHAPE_RUNTIME_GPUDRIVER_H

#include "Internal.h"

typedef int GpuResult;  /* 0: success */
typedef int GpuOrdinal; /* of a device */
typedef uint64_t GpuAddress;
typedef struct GpuContextTag *GpuContext;
typedef struct GpuModuleTag *GpuModule;
typedef struct GpuFunctionTag *GpuFunction;
typedef struct GpuStreamTag *GpuStream;
typedef struct GpuEventTag *GpuEvent;

enum {
  gpuOutOfMemory = 2,
  gpuCapabilityMajor = 75, /* attributes of a device */
  gpuCapabilityMinor = 76,
  gpuMaxDynamicShared = 8, /* attribute of a function */
  gpuStreamNonBlocking = 1,
  gpuInfoLogBuffer = 3, /* options of a module */
  gpuErrorLogBuffer = 5,
  gpuErrorLogBytes = 6,
};

/* X(name in this struct, name in the library, parameters) */
#define SYMSHAPE_GPU_FUNCTIONS(X)                                              \
  X(init, "cuInit", (unsigned flags))                                          \
  X(deviceGetCount, "cuDeviceGetCount", (int *count))                          \
  X(deviceGet, "cuDeviceGet", (GpuOrdinal * device, int number))               \
  X(deviceGetAttribute, "cuDeviceGetAttribute",                                \
    (int *value, int attribute, GpuOrdinal device))                            \
  X(contextRetain, "cuDevicePrimaryCtxRetain",                                 \
    (GpuContext * context, GpuOrdinal device))                                 \
  X(contextRelease, "cuDevicePrimaryCtxRelease_v2", (GpuOrdinal device))       \
  X(contextSetCurrent, "cuCtxSetCurrent", (GpuContext context))                \
  X(moduleLoad, "cuModuleLoadDataEx",                                          \
    (GpuModule * module, const void *image, unsigned numOptions, int *options, \
     void **values))                                                           \
  X(moduleUnload, "cuModuleUnload", (GpuModule module))                        \
  X(moduleGetFunction, "cuModuleGetFunction",                                  \
    (GpuFunction * function, GpuModule module, const char *name))              \
  X(functionSetAttribute, "cuFuncSetAttribute",                                \
    (GpuFunction function, int attribute, int value))                          \
  X(memoryAlloc, "cuMemAlloc_v2", (GpuAddress * address, size_t bytes))        \
  X(memoryFree, "cuMemFree_v2", (GpuAddress address))                          \
  X(memoryFill, "cuMemsetD8Async",                                             \
    (GpuAddress address, unsigned char byte, size_t bytes, GpuStream stream))  \
  X(copyToDevice, "cuMemcpyHtoDAsync_v2",                                      \
    (GpuAddress to, const void *from, size_t bytes, GpuStream stream))         \
  X(copyToHost, "cuMemcpyDtoHAsync_v2",                                        \
    (void *to, GpuAddress from, size_t bytes, GpuStream stream))               \
  X(streamCreate, "cuStreamCreate", (GpuStream * stream, unsigned flags))      \
  X(streamDestroy, "cuStreamDestroy_v2", (GpuStream stream))                   \
  X(streamSynchronize, "cuStreamSynchronize", (GpuStream stream))              \
  X(eventCreate, "cuEventCreate", (GpuEvent * event, unsigned flags))          \
  X(eventDestroy, "cuEventDestroy_v2", (GpuEvent event))                       \
  X(eventRecord, "cuEventRecord", (GpuEvent event, GpuStream stream))          \
  X(eventElapsedTime, "cuEventElapsedTime",                                    \
    (float *milliseconds, GpuEvent begin, GpuEvent end))                       \
  X(launch, "cuLaunchKernel",                                                  \
    (GpuFunction function, unsigned blocksX, unsigned blocksY,                 \
     unsigned blocksZ, unsigned threadsX, unsigned threadsY,                   \
     unsigned threadsZ, unsigned sharedBytes, GpuStream stream,                \
     void **parameters, void **extra))                                         \
  X(getErrorString, "cuGetErrorString", (GpuResult result, const char **text))

typedef struct GpuDriver {
#define SYMSHAPE_GPU_MEMBER(member, name, parameters)                          \
  GpuResult(*member) parameters;
  SYMSHAPE_GPU_FUNCTIONS(SYMSHAPE_GPU_MEMBER)
#undef SYMSHAPE_GPU_MEMBER
} GpuDriver;

/* The driver, after `symshape_gpu_open`. */
extern GpuDriver symshapeGpuDriver;

/* Sets the message of `symshape_gpu_error`. */
void symshapeGpuSetError(const char *what, const char *why);

/* What the driver says of a result other than 0. */
const char *symshapeGpuDescribe(GpuResult result);

/* The open device's context is the calling thread's; fails otherwise. */
void symshapeGpuEnter(void);

/* Fails the call unless `result` is 0. */
void symshapeGpuCheck(GpuResult result, const char *function);

/* GpuCalls.c: the calling thread's stream, which it makes. */
GpuStream symshapeGpuStream(void);

/* GpuCalls.c: frees what the calling thread keeps on the device. */
void symshapeGpuLeave(void);

/* GpuTimer.c: a kernel is about to be launched; all have been that results come
   from; what the calling thread has on the device is freed. */
void symshapeGpuTimeLaunch(GpuStream stream);
void symshapeGpuTimeEnd(GpuStream stream);
void symshapeGpuTimerLeave(void);

#endif /* SYMSHAPE_RUNTIME_GPUDRIVER_H */
