//===- Memory.cpp - Entries about memory ----------------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Allocations, copies and fills. A copy from memory of the host that is not
// pinned reads it at once, and one to such memory waits for the stream, as with
// a real device.
//
//===----------------------------------------------------------------------===//

#include "Driver.h"
#include <cstdlib>
#include <cstring>

using namespace mlir::symshape::ptx;

/// The result of a check of bounds.
static CUresult checked(Driver &driver, bool isFine, const char *what) {
  if (!isFine)
    driver.say(std::string(what) +
               ": bytes outside of an allocation of the device");
  return isFine ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

static CUresult allocate(Driver &driver, CUdeviceptr *pointer, size_t bytes) {
  if (bytes == 0)
    return CUDA_ERROR_INVALID_VALUE;
  CUdeviceptr made = driver.device->allocate(bytes);
  if (made)
    *pointer = made;
  return made ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

/// Copies after all that streams that wait for stream 0 do.
template <typename Copy>
static CUresult copyNow(Driver &driver, const char *name, Copy copy) {
  CUresult result = driver.drainBlocking();
  return result == CUDA_SUCCESS ? checked(driver, copy(), name) : result;
}

static CUresult fill(Driver &driver, CUdeviceptr to, uint32_t value,
                     unsigned bytes, size_t count) {
  return copyNow(driver, "cuMemset",
                 [&] { return driver.device->fill(to, value, bytes, count); });
}
static CUresult fillAsync(Driver &driver, CUstream stream, CUdeviceptr to,
                          uint32_t value, unsigned bytes, size_t count) {
  return driver.submit(stream, [=](Driver &later) {
    return checked(later, later.device->fill(to, value, bytes, count),
                   "cuMemsetAsync");
  });
}

extern "C" {

CUresult cuMemAlloc_v2(CUdeviceptr *pointer, size_t bytes) {
  return runCall("cuMemAlloc_v2", Needs::Context, [&](Driver &driver) {
    return allocate(driver, pointer, bytes);
  });
}

CUresult cuMemFree_v2(CUdeviceptr pointer) {
  return runCall(
      "cuMemFree_v2", Needs::Context,
      [&](Driver &driver) {
        driver.drainAll();
        return pointer == 0 || driver.device->free(pointer)
                   ? CUDA_SUCCESS
                   : CUDA_ERROR_INVALID_VALUE;
      },
      /*givesBack=*/true);
}

CUresult cuMemAllocAsync(CUdeviceptr *pointer, size_t bytes, CUstream stream) {
  return runCall("cuMemAllocAsync", Needs::Context, [&](Driver &driver) {
    return driver.find(stream) ? allocate(driver, pointer, bytes)
                               : CUDA_ERROR_INVALID_HANDLE;
  });
}

CUresult cuMemFreeAsync(CUdeviceptr pointer, CUstream stream) {
  return runCall(
      "cuMemFreeAsync", Needs::Context,
      [&](Driver &driver) {
        return driver.submit(stream, [=](Driver &later) {
          return later.device->free(pointer) ? CUDA_SUCCESS
                                             : CUDA_ERROR_INVALID_VALUE;
        });
      },
      /*givesBack=*/true);
}

CUresult cuMemGetInfo_v2(size_t *freeBytes, size_t *total) {
  return runCall("cuMemGetInfo_v2", Needs::Context, [&](Driver &driver) {
    *total = Simulator::totalBytes();
    *freeBytes = *total - driver.device->liveBytes();
    return CUDA_SUCCESS;
  });
}

CUresult cuMemGetAddressRange_v2(CUdeviceptr *begin, size_t *bytes,
                                 CUdeviceptr pointer) {
  return runCall("cuMemGetAddressRange_v2", Needs::Context,
                 [&](Driver &driver) {
                   uint64_t first = 0, size = 0;
                   if (!driver.device->rangeOf(pointer, first, size))
                     return CUDA_ERROR_NOT_FOUND;
                   if (begin)
                     *begin = first;
                   if (bytes)
                     *bytes = size;
                   return CUDA_SUCCESS;
                 });
}

CUresult cuMemHostAlloc(void **pointer, size_t bytes, unsigned) {
  return runCall("cuMemHostAlloc", Needs::Context, [&](Driver &driver) {
    void *made = bytes ? std::malloc(bytes) : nullptr;
    if (!made)
      return bytes ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_ERROR_INVALID_VALUE;
    driver.hostAllocations[reinterpret_cast<uintptr_t>(made)] = bytes;
    *pointer = made;
    return CUDA_SUCCESS;
  });
}

CUresult cuMemAllocHost_v2(void **pointer, size_t bytes) {
  return cuMemHostAlloc(pointer, bytes, 0);
}

CUresult cuMemFreeHost(void *pointer) {
  return runCall(
      "cuMemFreeHost", Needs::Context,
      [&](Driver &driver) {
        driver.drainAll();
        if (!driver.hostAllocations.erase(reinterpret_cast<uintptr_t>(pointer)))
          return CUDA_ERROR_INVALID_VALUE;
        std::free(pointer);
        return CUDA_SUCCESS;
      },
      /*givesBack=*/true);
}

CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void *from, size_t bytes) {
  return runCall("cuMemcpyHtoD_v2", Needs::Context, [&](Driver &driver) {
    return copyNow(driver, "cuMemcpyHtoD",
                   [&] { return driver.device->write(to, from, bytes); });
  });
}

CUresult cuMemcpyDtoH_v2(void *to, CUdeviceptr from, size_t bytes) {
  return runCall("cuMemcpyDtoH_v2", Needs::Context, [&](Driver &driver) {
    return copyNow(driver, "cuMemcpyDtoH",
                   [&] { return driver.device->read(to, from, bytes); });
  });
}

CUresult cuMemcpyDtoD_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  return runCall("cuMemcpyDtoD_v2", Needs::Context, [&](Driver &driver) {
    return copyNow(driver, "cuMemcpyDtoD",
                   [&] { return driver.device->copy(to, from, bytes); });
  });
}

CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t bytes,
                              CUstream stream) {
  return runCall("cuMemcpyHtoDAsync_v2", Needs::Context, [&](Driver &driver) {
    CUstream_st *target = driver.find(stream);
    std::vector<uint8_t> copy;
    bool isLate = driver.isPinned(from, bytes) || (target && target->capture);
    if (!isLate)
      copy.assign(static_cast<const uint8_t *>(from),
                  static_cast<const uint8_t *>(from) + bytes);
    return driver.submit(stream, [=, copy = std::move(copy)](Driver &later) {
      return checked(
          later, later.device->write(to, isLate ? from : copy.data(), bytes),
          "cuMemcpyHtoDAsync");
    });
  });
}

CUresult cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t bytes,
                              CUstream stream) {
  return runCall("cuMemcpyDtoHAsync_v2", Needs::Context, [&](Driver &driver) {
    CUresult result = driver.submit(stream, [=](Driver &later) {
      return checked(later, later.device->read(to, from, bytes),
                     "cuMemcpyDtoHAsync");
    });
    CUstream_st *source = driver.find(stream);
    bool isLate = driver.isPinned(to, bytes) || (source && source->capture);
    return result != CUDA_SUCCESS || isLate ? result : driver.drain(*source);
  });
}

CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes,
                              CUstream stream) {
  return runCall("cuMemcpyDtoDAsync_v2", Needs::Context, [&](Driver &driver) {
    return driver.submit(stream, [=](Driver &later) {
      return checked(later, later.device->copy(to, from, bytes),
                     "cuMemcpyDtoDAsync");
    });
  });
}

CUresult cuMemsetD8_v2(CUdeviceptr to, unsigned char value, size_t count) {
  return runCall("cuMemsetD8_v2", Needs::Context, [&](Driver &driver) {
    return fill(driver, to, value, 1, count);
  });
}

CUresult cuMemsetD32_v2(CUdeviceptr to, unsigned value, size_t count) {
  return runCall("cuMemsetD32_v2", Needs::Context, [&](Driver &driver) {
    return fill(driver, to, value, 4, count);
  });
}

CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t count,
                         CUstream stream) {
  return runCall("cuMemsetD8Async", Needs::Context, [&](Driver &driver) {
    return fillAsync(driver, stream, to, value, 1, count);
  });
}

CUresult cuMemsetD32Async(CUdeviceptr to, unsigned value, size_t count,
                          CUstream stream) {
  return runCall("cuMemsetD32Async", Needs::Context, [&](Driver &driver) {
    return fillAsync(driver, stream, to, value, 4, count);
  });
}

} // extern "C"
