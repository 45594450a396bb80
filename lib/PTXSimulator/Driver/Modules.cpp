//===- Modules.cpp - Entries about modules, functions and launches --------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A module is PTX as text; a binary for a real device is refused.
//
//===----------------------------------------------------------------------===//

#include "Driver.h"
#include <cstring>

using namespace mlir::symshape::ptx;

/// Numbers of CUfunction_attribute, CUjit_option and the extras of a launch.
static constexpr int maxDynamicSharedAttribute = 8;
static constexpr int errorLogOption = 5, errorLogBytesOption = 6;
static constexpr uintptr_t parametersExtra = 1, parameterBytesExtra = 2;
static constexpr uint64_t staticSharedLimit = 48 * 1024;

static CUresult loadModule(Driver &driver, CUmodule *module,
                           const void *image) {
  const char *text = static_cast<const char *>(image);
  if (std::memcmp(text,
                  "\x7f"
                  "ELF",
                  4) == 0)
    return CUDA_ERROR_NO_BINARY_FOR_GPU;
  std::string error;
  LoadedModule *loaded = driver.device->load(text, error);
  if (!loaded) {
    driver.say("line " + error);
    return CUDA_ERROR_INVALID_PTX;
  }
  *module = driver.modules.make();
  (*module)->loaded = loaded;
  return CUDA_SUCCESS;
}

/// Puts the last message into the buffer that the options of a call name.
static void writeLog(const Driver &driver, unsigned count, const int *options,
                     void **values) {
  char *log = nullptr;
  size_t bytes = 0;
  for (unsigned i = 0; i < count; ++i) {
    if (options[i] == errorLogOption)
      log = static_cast<char *>(values[i]);
    else if (options[i] == errorLogBytesOption)
      bytes = size_t(uint32_t(reinterpret_cast<uintptr_t>(values[i])));
  }
  if (!log || bytes == 0)
    return;
  std::strncpy(log, driver.message.c_str(), bytes);
  log[bytes - 1] = '\0';
}

/// The bytes of the parameters, from one pointer each or from a buffer.
static bool gatherParameters(const KernelInfo &info, void **parameters,
                             void **extra, std::vector<uint8_t> &bytes) {
  if (extra) {
    const void *buffer = nullptr;
    const size_t *size = nullptr;
    for (; extra[0]; extra += 2) {
      if (reinterpret_cast<uintptr_t>(extra[0]) == parametersExtra)
        buffer = extra[1];
      else if (reinterpret_cast<uintptr_t>(extra[0]) == parameterBytesExtra)
        size = static_cast<const size_t *>(extra[1]);
    }
    if (!buffer || !size || *size < info.parameterBytes)
      return false;
    std::memcpy(bytes.data(), buffer, info.parameterBytes);
    return true;
  }
  if (!parameters && !info.parameters.empty())
    return false;
  for (size_t i = 0; i < info.parameters.size(); ++i)
    std::memcpy(bytes.data() + info.parameters[i].place, parameters[i],
                info.parameters[i].bytes);
  return true;
}

extern "C" {

CUresult cuModuleLoadData(CUmodule *module, const void *image) {
  return runCall("cuModuleLoadData", Needs::Context, [&](Driver &driver) {
    return loadModule(driver, module, image);
  });
}

CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned count,
                            int *options, void **values) {
  return runCall("cuModuleLoadDataEx", Needs::Context, [&](Driver &driver) {
    CUresult result = loadModule(driver, module, image);
    if (result != CUDA_SUCCESS)
      writeLog(driver, count, options, values);
    return result;
  });
}

CUresult cuModuleUnload(CUmodule module) {
  return runCall(
      "cuModuleUnload", Needs::Context,
      [&](Driver &driver) {
        if (!driver.modules.has(module))
          return CUDA_ERROR_INVALID_HANDLE;
        driver.drainAll();
        driver.device->unload(module->loaded);
        auto &functions = driver.functions.objects;
        for (auto entry = functions.begin(); entry != functions.end();)
          entry = entry->second->module == module ? functions.erase(entry)
                                                  : std::next(entry);
        driver.modules.remove(module);
        return CUDA_SUCCESS;
      },
      /*givesBack=*/true);
}

CUresult cuModuleGetFunction(CUfunction *function, CUmodule module,
                             const char *name) {
  return runCall("cuModuleGetFunction", Needs::Context, [&](Driver &driver) {
    if (!driver.modules.has(module))
      return CUDA_ERROR_INVALID_HANDLE;
    const Kernel *kernel = driver.device->kernel(module->loaded, name);
    if (!kernel)
      return CUDA_ERROR_NOT_FOUND;
    for (auto &entry : driver.functions.objects)
      if (entry.second->kernel == kernel) {
        *function = entry.first;
        return CUDA_SUCCESS;
      }
    *function = driver.functions.make();
    (*function)->kernel = kernel;
    (*function)->module = module;
    return CUDA_SUCCESS;
  });
}

CUresult cuModuleGetGlobal_v2(CUdeviceptr *pointer, size_t *bytes,
                              CUmodule module, const char *name) {
  return runCall("cuModuleGetGlobal_v2", Needs::Context, [&](Driver &driver) {
    uint64_t address = 0, size = 0;
    if (!driver.modules.has(module))
      return CUDA_ERROR_INVALID_HANDLE;
    if (!driver.device->variable(module->loaded, name, address, size))
      return CUDA_ERROR_NOT_FOUND;
    if (pointer)
      *pointer = address;
    if (bytes)
      *bytes = size;
    return CUDA_SUCCESS;
  });
}

CUresult cuFuncSetAttribute(CUfunction function, int attribute, int value) {
  return runCall("cuFuncSetAttribute", Needs::Context, [&](Driver &driver) {
    if (!driver.functions.has(function))
      return CUDA_ERROR_INVALID_HANDLE;
    if (attribute != maxDynamicSharedAttribute)
      return CUDA_SUCCESS; // preferences
    uint64_t fixed = Simulator::describe(function->kernel).staticSharedBytes;
    if (value < 0 || fixed + uint64_t(value) > Simulator::maxSharedBytes())
      return CUDA_ERROR_INVALID_VALUE;
    function->maxDynamicShared = uint64_t(value);
    return CUDA_SUCCESS;
  });
}

CUresult cuFuncGetAttribute(int *value, int attribute, CUfunction function) {
  return runCall("cuFuncGetAttribute", Needs::Context, [&](Driver &driver) {
    if (!driver.functions.has(function))
      return CUDA_ERROR_INVALID_HANDLE;
    KernelInfo info = Simulator::describe(function->kernel);
    const std::map<int, uint64_t> values = {
        {0, info.maxThreads},
        {1, info.staticSharedBytes},
        {2, 0},
        {3, info.localBytes},
        {4, 32},
        {5, Simulator::architecture()},
        {6, Simulator::architecture()},
        {maxDynamicSharedAttribute, function->maxDynamicShared}};
    auto found = values.find(attribute);
    *value = found == values.end() ? 0 : int(found->second);
    return CUDA_SUCCESS;
  });
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks,
                                                     CUfunction function,
                                                     int threads,
                                                     size_t sharedBytes) {
  return runCall("cuOccupancyMaxActiveBlocksPerMultiprocessor", Needs::Context,
                 [&](Driver &driver) {
                   if (!driver.functions.has(function) || threads < 1)
                     return driver.functions.has(function)
                                ? CUDA_ERROR_INVALID_VALUE
                                : CUDA_ERROR_INVALID_HANDLE;
                   uint64_t shared =
                       Simulator::describe(function->kernel).staticSharedBytes +
                       sharedBytes + 1024;
                   uint64_t byThreads = uint64_t(2048) / uint64_t(threads),
                            byShared =
                                (Simulator::maxSharedBytes() + 1024) / shared;
                   uint64_t most = byThreads < byShared ? byThreads : byShared;
                   *blocks = int(most < 32 ? most : 32);
                   return CUDA_SUCCESS;
                 });
}

CUresult cuLaunchKernel(CUfunction function, unsigned gridX, unsigned gridY,
                        unsigned gridZ, unsigned blockX, unsigned blockY,
                        unsigned blockZ, unsigned sharedBytes, CUstream stream,
                        void **parameters, void **extra) {
  return runCall("cuLaunchKernel", Needs::Context, [&](Driver &driver) {
    if (!driver.functions.has(function))
      return CUDA_ERROR_INVALID_HANDLE;
    const Kernel *kernel = function->kernel;
    KernelInfo info = Simulator::describe(kernel);
    LaunchShape shape;
    const unsigned grid[] = {gridX, gridY, gridZ},
                   block[] = {blockX, blockY, blockZ};
    std::memcpy(shape.grid, grid, sizeof(grid));
    std::memcpy(shape.block, block, sizeof(block));
    shape.sharedBytes = sharedBytes;
    std::vector<uint8_t> bytes(info.parameterBytes);
    // Without the attribute, static and dynamic memory are 48 KiB together.
    bool fits = sharedBytes <= function->maxDynamicShared &&
                (function->maxDynamicShared != staticSharedLimit ||
                 info.staticSharedBytes + sharedBytes <= staticSharedLimit);
    std::string refusal = Simulator::refusalOf(kernel, shape);
    if (refusal.empty() && !fits)
      refusal = "expected at most " +
                std::to_string(function->maxDynamicShared) +
                " bytes of dynamic shared memory, which cuFuncSetAttribute "
                "sets, but got " +
                std::to_string(sharedBytes);
    if (refusal.empty() && !gatherParameters(info, parameters, extra, bytes))
      refusal =
          "expected " + std::to_string(info.parameters.size()) + " parameters";
    if (!refusal.empty()) {
      driver.say("kernel '" + info.name + "': " + refusal);
      return CUDA_ERROR_INVALID_VALUE;
    }
    return driver.submit(stream, [=](Driver &later) {
      return later.launch(kernel, shape, bytes);
    });
  });
}

} // extern "C"
