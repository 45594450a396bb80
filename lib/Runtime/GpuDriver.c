/*===- GpuDriver.c - Loading the driver, and its device -------------*- C
-*-===*\
|* Part of the SymShape project, under the Apache License v2.0 with LLVM     *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* The driver is a library of the system where there is a GPU, so it is       *|
|* looked for when a program wants one. Once loaded it stays.                 *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#define _GNU_SOURCE
#include "GpuDriver.h"
#include "symshape-c/RuntimeGPU.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

GpuDriver symshapeGpuDriver;

static pthread_mutex_t deviceLock = PTHREAD_MUTEX_INITIALIZER;
/* Under `deviceLock`. */
static void *library;
static int64_t numOpen, openDevice;
static GpuOrdinal ordinal;
static int64_t capability;
static GpuContext context;

static _Thread_local char errorText[512];
static _Thread_local GpuContext current;

const char *symshape_gpu_error(void) { return errorText; }

void symshapeGpuSetError(const char *what, const char *why) {
  snprintf(errorText, sizeof(errorText), "%s: %s", what, why);
}

const char *symshapeGpuDescribe(GpuResult result) {
  const char *text = NULL;
  if (symshapeGpuDriver.getErrorString(result, &text) || !text)
    return "unknown error";
  return text;
}

/* 1, and the message, if the driver has refused. */
static int refused(GpuResult result, const char *what) {
  if (result)
    symshapeGpuSetError(what, symshapeGpuDescribe(result));
  return result != 0;
}

static int loadDriver(void) {
  if (library)
    return 0;
  const char *name = getenv("SYMSHAPE_CUDA_LIBRARY");
  if (!name || !*name)
    name = "libcuda.so.1";
  void *loaded = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (!loaded) {
    symshapeGpuSetError("no GPU: cannot load the CUDA driver", dlerror());
    return 1;
  }
  const char *missing = NULL;
  void *found = NULL;
  /* A pointer to data becomes one to a function, as POSIX has it. */
#define SYMSHAPE_GPU_LOOK_UP(member, name, parameters)                         \
  found = dlsym(loaded, name);                                                 \
  missing = found ? missing : name;                                            \
  *(void **)&symshapeGpuDriver.member = found;
  SYMSHAPE_GPU_FUNCTIONS(SYMSHAPE_GPU_LOOK_UP)
#undef SYMSHAPE_GPU_LOOK_UP
  if (missing) {
    symshapeGpuSetError("no GPU: the CUDA driver has no function", missing);
    dlclose(loaded);
    return 1;
  }
  if (refused(symshapeGpuDriver.init(0), "no GPU: cuInit")) {
    dlclose(loaded);
    return 1;
  }
  library = loaded;
  return 0;
}

static int readCapability(void) {
  int major = 0, minor = 0;
  if (refused(symshapeGpuDriver.deviceGetAttribute(&major, gpuCapabilityMajor,
                                                   ordinal),
              "cuDeviceGetAttribute") ||
      refused(symshapeGpuDriver.deviceGetAttribute(&minor, gpuCapabilityMinor,
                                                   ordinal),
              "cuDeviceGetAttribute"))
    return 1;
  capability = 10 * major + minor;
  return 0;
}

static int openFirst(int64_t device) {
  int count = 0;
  if (loadDriver() ||
      refused(symshapeGpuDriver.deviceGetCount(&count), "cuDeviceGetCount"))
    return 1;
  if (device < 0 || device >= count) {
    char text[96];
    snprintf(text, sizeof(text), "expected a device from 0 to %d, but got %lld",
             count - 1, (long long)device);
    symshapeGpuSetError("no GPU", count == 0 ? "there is no device" : text);
    return 1;
  }
  if (refused(symshapeGpuDriver.deviceGet(&ordinal, (int)device),
              "cuDeviceGet") ||
      readCapability() ||
      refused(symshapeGpuDriver.contextRetain(&context, ordinal),
              "cuDevicePrimaryCtxRetain"))
    return 1;
  openDevice = device;
  return 0;
}

int symshape_gpu_open(int64_t device) {
  pthread_mutex_lock(&deviceLock);
  int failed = 0;
  if (numOpen == 0) {
    failed = openFirst(device);
  } else if (device != openDevice) {
    symshapeGpuSetError("no GPU", "another device is in use");
    failed = 1;
  }
  numOpen += !failed;
  pthread_mutex_unlock(&deviceLock);
  return failed;
}

void symshape_gpu_close(void) {
  pthread_mutex_lock(&deviceLock);
  if (--numOpen == 0) {
    (void)symshapeGpuDriver.contextSetCurrent(context);
    symshapeGpuLeave();
    (void)symshapeGpuDriver.contextSetCurrent(NULL);
    (void)symshapeGpuDriver.contextRelease(ordinal);
    context = NULL;
    current = NULL;
  }
  pthread_mutex_unlock(&deviceLock);
}

int64_t symshape_gpu_capability(void) { return capability; }

void symshapeGpuCheck(GpuResult result, const char *function) {
  if (!result)
    return;
  char text[512];
  snprintf(text, sizeof(text), "GPU: %s failed: %s", function,
           symshapeGpuDescribe(result));
  symshape_rt_fail(text, NULL, 0);
}

void symshapeGpuEnter(void) {
  if (current && current == context)
    return;
  if (!context)
    symshape_rt_fail("GPU: no device is open", NULL, 0);
  symshapeGpuCheck(symshapeGpuDriver.contextSetCurrent(context),
                   "cuCtxSetCurrent");
  current = context;
}
