//===- Devices.cpp - Entries about the driver, the device, its context ----===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One device, one context.
//
//===----------------------------------------------------------------------===//

#include "Driver.h"
#include <cstring>

using namespace mlir::symshape::ptx;

extern "C" {

CUresult cuInit(unsigned flags) {
  return runCall("cuInit", Needs::Nothing, [&](Driver &driver) {
    if (flags != 0)
      return CUDA_ERROR_INVALID_VALUE;
    driver.isInitialized = true;
    return CUDA_SUCCESS;
  });
}

CUresult cuDriverGetVersion(int *version) {
  return runCall("cuDriverGetVersion", Needs::Nothing, [&](Driver &) {
    *version = 12030; // the first one with PTX 8.3
    return CUDA_SUCCESS;
  });
}

CUresult cuDeviceGetCount(int *count) {
  return runCall("cuDeviceGetCount", Needs::Initialization, [&](Driver &) {
    *count = 1;
    return CUDA_SUCCESS;
  });
}

CUresult cuDeviceGet(CUdevice *device, int ordinal) {
  return runCall("cuDeviceGet", Needs::Initialization, [&](Driver &) {
    *device = 0;
    return ordinal == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
  });
}

CUresult cuDeviceGetName(char *name, int bytes, CUdevice device) {
  return runCall("cuDeviceGetName", Needs::Initialization, [&](Driver &) {
    if (bytes < 1 || device != 0)
      return CUDA_ERROR_INVALID_VALUE;
    std::strncpy(name, "symshape PTX simulator", size_t(bytes));
    name[bytes - 1] = '\0';
    return CUDA_SUCCESS;
  });
}

CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice device) {
  return runCall("cuDeviceTotalMem_v2", Needs::Initialization, [&](Driver &) {
    *bytes = Simulator::totalBytes();
    return device == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
  });
}

CUresult cuDeviceGetAttribute(int *value, int attribute, CUdevice device) {
  // Numbers of CUdevice_attribute. What is not here is 0: the device cannot do
  // it.
  static const std::map<int, int> attributes = {
      {1, 1024}, // threads of a block
      {2, 1024},
      {3, 1024},
      {4, 64}, // along each axis
      {5, 2147483647},
      {6, 65535},
      {7, 65535},     // blocks of a grid along each axis
      {8, 48 * 1024}, // shared bytes of a block, unless the kernel asks for
                      // more
      {9, 64 * 1024}, // constant bytes
      {10, 32},       // lanes of a warp
      {12, 65536},    // registers of a block
      {13, 1410000},  // kHz
      {16, 4},        // multiprocessors: few, so that grids that ask are small
      {31, 1},        // kernels at once
      {36, 1215000},  // kHz of memory
      {37, 5120},     // bits to memory
      {38, 40 << 20}, // bytes of the L2 cache
      {39, 2048},     // threads of a multiprocessor
      {41, 1},        // one space of addresses
      {75, int(Simulator::architecture() / 10)},
      {76, int(Simulator::architecture() % 10)}, // compute capability
      // shared bytes of a multiprocessor
      {81, int(Simulator::maxSharedBytes() + 1024)},
      {82, 65536},                            // registers of a multiprocessor
      {97, int(Simulator::maxSharedBytes())}, // shared bytes of a block, at
                                              // most
      {106, 32},                              // blocks of a multiprocessor
      {111, 1024}, // shared bytes of a block that are taken
      {115, 1},    // memory pools
  };
  return runCall("cuDeviceGetAttribute", Needs::Initialization, [&](Driver &) {
    if (attribute < 1 || attribute > 150)
      return CUDA_ERROR_INVALID_VALUE;
    auto found = attributes.find(attribute);
    *value = found == attributes.end() ? 0 : found->second;
    return device == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
  });
}

/// One more user of the context, or one less.
static CUresult retain(Driver &driver) {
  ++driver.contexts;
  return CUDA_SUCCESS;
}
static CUresult release(Driver &driver) {
  if (driver.contexts == 0)
    return CUDA_ERROR_INVALID_CONTEXT;
  if (--driver.contexts == 0) {
    driver.drainAll();
    driver.reset();
  }
  return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device) {
  return runCall(
      "cuDevicePrimaryCtxRetain", Needs::Initialization, [&](Driver &driver) {
        *context = &driver.context;
        return device == 0 ? retain(driver) : CUDA_ERROR_INVALID_DEVICE;
      });
}

CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device) {
  return runCall(
      "cuDevicePrimaryCtxRelease_v2", Needs::Initialization,
      [&](Driver &driver) {
        return device == 0 ? release(driver) : CUDA_ERROR_INVALID_DEVICE;
      },
      /*givesBack=*/true);
}

CUresult cuDevicePrimaryCtxReset_v2(CUdevice device) {
  return runCall(
      "cuDevicePrimaryCtxReset_v2", Needs::Initialization, [&](Driver &driver) {
        driver.reset();
        return device == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
      });
}

CUresult cuCtxCreate_v2(CUcontext *context, unsigned, CUdevice device) {
  return runCall("cuCtxCreate_v2", Needs::Initialization, [&](Driver &driver) {
    *context = &driver.context;
    contextOfThread() = true;
    return device == 0 ? retain(driver) : CUDA_ERROR_INVALID_DEVICE;
  });
}

CUresult cuCtxDestroy_v2(CUcontext context) {
  return runCall(
      "cuCtxDestroy_v2", Needs::Initialization,
      [&](Driver &driver) {
        return context == &driver.context ? release(driver)
                                          : CUDA_ERROR_INVALID_CONTEXT;
      },
      /*givesBack=*/true);
}

CUresult cuCtxSetCurrent(CUcontext context) {
  return runCall("cuCtxSetCurrent", Needs::Initialization, [&](Driver &driver) {
    if (context && context != &driver.context)
      return CUDA_ERROR_INVALID_CONTEXT;
    contextOfThread() = context != nullptr;
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxGetCurrent(CUcontext *context) {
  return runCall("cuCtxGetCurrent", Needs::Initialization, [&](Driver &driver) {
    *context = driver.contexts && contextOfThread() ? &driver.context : nullptr;
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxPushCurrent_v2(CUcontext context) {
  return runCall("cuCtxPushCurrent_v2", Needs::Initialization,
                 [&](Driver &driver) {
                   if (context != &driver.context)
                     return CUDA_ERROR_INVALID_CONTEXT;
                   contextOfThread() = true;
                   return CUDA_SUCCESS;
                 });
}

CUresult cuCtxPopCurrent_v2(CUcontext *context) {
  return runCall("cuCtxPopCurrent_v2", Needs::Context, [&](Driver &driver) {
    if (context)
      *context = &driver.context;
    contextOfThread() = false;
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxSynchronize() {
  return runCall("cuCtxSynchronize", Needs::Context,
                 [&](Driver &driver) { return driver.drainAll(); });
}

static const std::map<int, std::pair<const char *, const char *>> &results() {
  static const std::map<int, std::pair<const char *, const char *>> texts = {
      {CUDA_SUCCESS, {"CUDA_SUCCESS", "no error"}},
      {CUDA_ERROR_INVALID_VALUE,
       {"CUDA_ERROR_INVALID_VALUE", "invalid argument"}},
      {CUDA_ERROR_OUT_OF_MEMORY, {"CUDA_ERROR_OUT_OF_MEMORY", "out of memory"}},
      {CUDA_ERROR_NOT_INITIALIZED,
       {"CUDA_ERROR_NOT_INITIALIZED", "initialization error"}},
      {CUDA_ERROR_INVALID_DEVICE,
       {"CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"}},
      {CUDA_ERROR_INVALID_CONTEXT,
       {"CUDA_ERROR_INVALID_CONTEXT", "invalid device context"}},
      {CUDA_ERROR_NO_BINARY_FOR_GPU,
       {"CUDA_ERROR_NO_BINARY_FOR_GPU",
        "no kernel image is available for execution on the device"}},
      {CUDA_ERROR_INVALID_PTX,
       {"CUDA_ERROR_INVALID_PTX", "a PTX JIT compilation failed"}},
      {CUDA_ERROR_INVALID_HANDLE,
       {"CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"}},
      {CUDA_ERROR_ILLEGAL_STATE,
       {"CUDA_ERROR_ILLEGAL_STATE",
        "the operation cannot be performed in the present state"}},
      {CUDA_ERROR_NOT_FOUND,
       {"CUDA_ERROR_NOT_FOUND", "named symbol not found"}},
      {CUDA_ERROR_NOT_READY, {"CUDA_ERROR_NOT_READY", "device not ready"}},
      {CUDA_ERROR_ILLEGAL_ADDRESS,
       {"CUDA_ERROR_ILLEGAL_ADDRESS",
        "an illegal memory access was encountered"}},
      {CUDA_ERROR_LAUNCH_TIMEOUT,
       {"CUDA_ERROR_LAUNCH_TIMEOUT",
        "the launch timed out and was terminated"}},
      {CUDA_ERROR_MISALIGNED_ADDRESS,
       {"CUDA_ERROR_MISALIGNED_ADDRESS", "misaligned address"}},
      {CUDA_ERROR_LAUNCH_FAILED,
       {"CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"}},
      {CUDA_ERROR_NOT_SUPPORTED,
       {"CUDA_ERROR_NOT_SUPPORTED", "operation not supported"}},
      {CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
       {"CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED",
        "operation not permitted when stream is capturing"}}};
  return texts;
}

// These two are not counted: programs call them to say what failed.
CUresult cuGetErrorName(CUresult error, const char **text) {
  auto found = results().find(error);
  *text = found == results().end() ? nullptr : found->second.first;
  return *text ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGetErrorString(CUresult error, const char **text) {
  auto found = results().find(error);
  *text = found == results().end() ? nullptr : found->second.second;
  return *text ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

} // extern "C"
