/*===- GpuCalls.c - What a call does on the device ------------------*- C
-*-===*\
|* Part of the SymShape project, under the Apache License v2.0 with LLVM     *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* A thread's stream, the status that its kernels leave, copies, and a cache  *|
|* of freed blocks: as everything of a thread runs in one stream, a block can *|
|* be used again as soon as it is freed.                                      *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#define _GNU_SOURCE
#include "GpuDriver.h"
#include "symshape-c/RuntimeGPU.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum {
  maxFreeBlocks = 64, /* that a thread keeps */
  statusWords = 1 + SYMSHAPE_GPU_STATUS_VALUES,
};

/* The last one freed comes first. */
typedef struct FreeBlock {
  GpuAddress address;
  int64_t bytes;
  struct FreeBlock *next;
} FreeBlock;

typedef struct Device {
  GpuStream stream; /* NULL: the thread has nothing on the device */
  GpuAddress status;
  FreeBlock *freeBlocks;
  int numFreeBlocks;
  int isUsed; /* since the last wait */
} Device;

static _Thread_local Device device;
static _Thread_local int64_t numReads;
static _Thread_local int isPoisoned;

static pthread_once_t exitKeyOnce = PTHREAD_ONCE_INIT;
static pthread_key_t exitKey;

int64_t symshape_gpu_num_reads(void) { return numReads; }

static void leaveAtExit(void *unused) {
  (void)unused;
  symshapeGpuLeave();
}

static void makeExitKey(void) { pthread_key_create(&exitKey, leaveAtExit); }

/* Returns all but the last `kept` free blocks to the driver. */
static void trim(int kept) {
  FreeBlock **place = &device.freeBlocks;
  for (int i = 0; i < kept && *place; ++i)
    place = &(*place)->next;
  for (FreeBlock *block; (block = *place); --device.numFreeBlocks) {
    *place = block->next;
    (void)symshapeGpuDriver.memoryFree(block->address);
    free(block);
  }
}

void symshapeGpuLeave(void) {
  if (!device.stream)
    return;
  (void)symshapeGpuDriver.streamSynchronize(device.stream);
  trim(0);
  symshapeGpuTimerLeave();
  (void)symshapeGpuDriver.memoryFree(device.status);
  (void)symshapeGpuDriver.streamDestroy(device.stream);
  memset(&device, 0, sizeof(device));
}

/* Says that no check has failed. */
static GpuResult clearStatus(void) {
  static const int64_t none[statusWords] = {-1};
  return symshapeGpuDriver.copyToDevice(device.status, none, sizeof(none),
                                        device.stream);
}

GpuStream symshapeGpuStream(void) {
  symshapeGpuEnter();
  device.isUsed = 1;
  if (device.stream)
    return device.stream;
  symshapeGpuCheck(
      symshapeGpuDriver.streamCreate(&device.stream, gpuStreamNonBlocking),
      "cuStreamCreate");
  const char *failed = "cuMemAlloc";
  GpuResult result = symshapeGpuDriver.memoryAlloc(
      &device.status, statusWords * sizeof(int64_t));
  if (!result) {
    failed = "cuMemcpyHtoDAsync";
    result = clearStatus();
    if (result)
      (void)symshapeGpuDriver.memoryFree(device.status);
  }
  if (result) {
    (void)symshapeGpuDriver.streamDestroy(device.stream);
    device.stream = NULL;
    symshapeGpuCheck(result, failed);
  }
  pthread_once(&exitKeyOnce, makeExitKey);
  pthread_setspecific(exitKey, &device);
  return device.stream;
}

/* The free block that fits best, of at most a quarter more bytes; 0 if there is
   none. */
static GpuAddress takeFree(int64_t *bytes) {
  FreeBlock **best = NULL;
  for (FreeBlock **place = &device.freeBlocks; *place; place = &(*place)->next)
    if ((*place)->bytes >= *bytes && (*place)->bytes <= *bytes + *bytes / 4 &&
        (!best || (*place)->bytes < (*best)->bytes))
      best = place;
  if (!best)
    return 0;
  FreeBlock *block = *best;
  GpuAddress address = block->address;
  *bytes = block->bytes;
  *best = block->next;
  --device.numFreeBlocks;
  free(block);
  return address;
}

void symshape_gpu_poison(int isOn) { isPoisoned = isOn; }

/* A block from the cache or the driver; fails if there is none. */
static GpuAddress takeBlock(int64_t *bytes) {
  GpuAddress address = takeFree(bytes);
  if (address)
    return address;
  GpuResult result = symshapeGpuDriver.memoryAlloc(&address, (size_t)*bytes);
  if (result == gpuOutOfMemory) {
    (void)symshapeGpuDriver.streamSynchronize(device.stream);
    trim(0);
    result = symshapeGpuDriver.memoryAlloc(&address, (size_t)*bytes);
  }
  if (result == gpuOutOfMemory)
    symshape_rt_fail("out of device memory: could not allocate {0} bytes",
                     bytes, 1);
  symshapeGpuCheck(result, "cuMemAlloc");
  return address;
}

uint64_t symshapeGpuTake(int64_t *bytes) {
  GpuStream stream = symshapeGpuStream();
  if (*bytes == 0) /* an address of its own */
    *bytes = 1;
  GpuAddress address = takeBlock(bytes);
  GpuResult result =
      isPoisoned
          ? symshapeGpuDriver.memoryFill(address, 0xff, (size_t)*bytes, stream)
          : 0;
  if (result)
    symshapeGpuGive(address, *bytes);
  symshapeGpuCheck(result, "cuMemsetD8Async");
  return address;
}

void symshapeGpuGive(uint64_t address, int64_t bytes) {
  FreeBlock *block = device.stream ? malloc(sizeof(FreeBlock)) : NULL;
  if (!block) { /* a thread without calls, or after the last one */
    (void)symshapeGpuDriver.memoryFree(address);
    return;
  }
  *block = (FreeBlock){address, bytes, device.freeBlocks};
  device.freeBlocks = block;
  if (++device.numFreeBlocks > maxFreeBlocks) {
    (void)symshapeGpuDriver.streamSynchronize(device.stream);
    trim(maxFreeBlocks / 2);
  }
}

int64_t symshape_gpu_send(const void *data, int64_t bytes) {
  int64_t address = (int64_t)(intptr_t)symshape_gpu_alloc(bytes);
  symshape_gpu_write(address, data, bytes);
  return address;
}

void symshape_gpu_write(int64_t address, const void *data, int64_t bytes) {
  if (bytes <= 0)
    return;
  GpuStream stream = symshapeGpuStream();
  symshapeGpuCheck(symshapeGpuDriver.copyToDevice((GpuAddress)address, data,
                                                  (size_t)bytes, stream),
                   "cuMemcpyHtoDAsync");
}

void *symshape_gpu_fetch(int64_t address, int64_t bytes) {
  void *data = _mlir_memref_to_llvm_alloc(bytes);
  if (bytes <= 0)
    return data;
  GpuStream stream = symshapeGpuStream();
  symshapeGpuTimeEnd(stream);
  symshapeGpuCheck(symshapeGpuDriver.copyToHost(data, (GpuAddress)address,
                                                (size_t)bytes, stream),
                   "cuMemcpyDtoHAsync");
  return data;
}

/* Ends the call with the message of a failed check. */
static void failCheck(const symshape_gpu_program *program,
                      const int64_t *status) {
  GpuResult result = clearStatus();
  symshapeGpuCheck(result, "cuMemcpyHtoDAsync");
  const char *message = program->messages;
  for (int64_t i = 0; i < status[0] && i + 1 < program->numMessages; ++i)
    message += strlen(message) + 1;
  symshape_rt_fail(message, status + 1, SYMSHAPE_GPU_STATUS_VALUES);
}

void symshape_gpu_finish(const symshape_gpu_program *program) {
  GpuStream stream = symshapeGpuStream();
  symshapeGpuTimeEnd(stream);
  int64_t status[statusWords] = {-1};
  symshapeGpuCheck(symshapeGpuDriver.copyToHost(status, device.status,
                                                sizeof(status), stream),
                   "cuMemcpyDtoHAsync");
  symshapeGpuCheck(symshapeGpuDriver.streamSynchronize(stream),
                   "cuStreamSynchronize");
  device.isUsed = 0;
  if (status[0] != -1)
    failCheck(program, status);
}

void symshape_gpu_read(const symshape_gpu_program *program, int64_t address,
                       void *data, int64_t bytes) {
  GpuStream stream = symshapeGpuStream();
  ++numReads;
  symshapeGpuCheck(symshapeGpuDriver.copyToHost(data, (GpuAddress)address,
                                                (size_t)bytes, stream),
                   "cuMemcpyDtoHAsync");
  symshape_gpu_finish(program);
}

int64_t symshape_gpu_status(void) {
  (void)symshapeGpuStream();
  return (int64_t)device.status;
}

void symshapeGpuCallFailed(void) {
  if (!device.stream || !device.isUsed)
    return;
  /* What still runs may write to what is freed next, and leave a status. */
  (void)symshapeGpuDriver.streamSynchronize(device.stream);
  (void)clearStatus();
  device.isUsed = 0;
}
