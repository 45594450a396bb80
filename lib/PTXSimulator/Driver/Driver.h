//===- Driver.h - The state of the simulated driver -------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One device, and what programs made on it. Calls are in the files beside this
// one. Work that is sent to a stream runs when somebody waits for it, no
// sooner: a program that forgets to wait does not see its results.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_PTXSIMULATOR_DRIVER_DRIVER_H
#define SYMSHAPE_PTXSIMULATOR_DRIVER_DRIVER_H

#include "symshape/PTXSimulator/Simulator.h"
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <set>

/// Results, with the numbers that the driver has.
enum CUresult : int {
  CUDA_SUCCESS = 0,
  CUDA_ERROR_INVALID_VALUE = 1,
  CUDA_ERROR_OUT_OF_MEMORY = 2,
  CUDA_ERROR_NOT_INITIALIZED = 3,
  CUDA_ERROR_INVALID_DEVICE = 101,
  CUDA_ERROR_INVALID_CONTEXT = 201,
  CUDA_ERROR_NO_BINARY_FOR_GPU = 209,
  CUDA_ERROR_INVALID_PTX = 218,
  CUDA_ERROR_INVALID_HANDLE = 400,
  CUDA_ERROR_ILLEGAL_STATE = 401,
  CUDA_ERROR_NOT_FOUND = 500,
  CUDA_ERROR_NOT_READY = 600,
  CUDA_ERROR_ILLEGAL_ADDRESS = 700,
  CUDA_ERROR_LAUNCH_TIMEOUT = 702,
  CUDA_ERROR_MISALIGNED_ADDRESS = 716,
  CUDA_ERROR_LAUNCH_FAILED = 719,
  CUDA_ERROR_NOT_SUPPORTED = 801,
  CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED = 900,
};

using CUdevice = int;
using CUdeviceptr = uint64_t;
struct CUctx_st {
  int unused = 0;
};
struct CUevent_st;
struct CUgraph_st;

namespace mlir::symshape::ptx {
class Driver;
/// Work of a stream. What it gives is what the stream's user sees when waiting.
using Operation = std::function<CUresult(Driver &)>;
} // namespace mlir::symshape::ptx

struct CUmod_st {
  mlir::symshape::ptx::LoadedModule *loaded = nullptr;
};
struct CUfunc_st {
  const mlir::symshape::ptx::Kernel *kernel = nullptr;
  CUmod_st *module = nullptr;
  uint64_t maxDynamicShared = 48 * 1024;
};
struct CUstream_st {
  std::deque<mlir::symshape::ptx::Operation> queue;
  bool isBlocking = true; ///< waits for stream 0, and that for it
  CUgraph_st *capture = nullptr;
};
struct CUevent_st {
  CUstream_st *stream =
      nullptr; ///< where it was recorded and has not happened yet
  uint64_t records = 0, happened = 0;
  double milliseconds = 0;
};
struct CUgraph_st {
  std::vector<mlir::symshape::ptx::Operation> operations;
};
struct CUgraphExec_st {
  std::vector<mlir::symshape::ptx::Operation> operations;
};

using CUcontext = CUctx_st *;
using CUmodule = CUmod_st *;
using CUfunction = CUfunc_st *;
using CUstream = CUstream_st *;
using CUevent = CUevent_st *;
using CUgraph = CUgraph_st *;
using CUgraphExec = CUgraphExec_st *;

namespace mlir::symshape::ptx {

/// Objects of one kind, by handle.
template <typename T>
class Handles {
public:
  T *make() {
    auto object = std::make_unique<T>();
    T *handle = object.get();
    objects[handle] = std::move(object);
    return handle;
  }
  bool has(T *handle) const { return objects.count(handle) != 0; }
  bool remove(T *handle) { return objects.erase(handle) != 0; }
  size_t size() const { return objects.size(); }
  std::map<T *, std::unique_ptr<T>> objects;
};

class Driver {
public:
  static Driver &get();

  /// Sends work to a stream, or to the graph that is captured from it.
  CUresult submit(CUstream stream, Operation operation);
  /// Runs what a stream has to do; up to an event if one is given.
  CUresult drain(CUstream_st &stream, const CUevent_st *event = nullptr);
  CUresult drainAll();
  /// What a call that waits on stream 0 waits for.
  CUresult drainBlocking();
  /// The stream of a handle, that of 0, 1 and 2 included; null if there is
  /// none.
  CUstream_st *find(CUstream stream);
  CUresult launch(const Kernel *kernel, const LaunchShape &shape,
                  const std::vector<uint8_t> &parameters);
  /// Whether the bytes are in memory from cuMemHostAlloc.
  bool isPinned(const void *pointer, size_t bytes) const;
  /// Forgets everything, as when the last user of the context has released it.
  void reset();
  int64_t count(const std::string &what) const;
  void say(const std::string &message);

  std::recursive_mutex lock;
  std::unique_ptr<Simulator> device;
  bool isInitialized = false, isEager = false, isTraced = false;
  CUresult sticky =
      CUDA_SUCCESS; ///< after a kernel failed, the result of all calls
  int contexts = 0; ///< users of the one context
  CUctx_st context;
  std::string message; ///< the last one
  uint64_t calls = 0, failAt = 0;
  uint64_t leaked = 0; ///< objects that were left when the context ended
  CUresult failure = CUDA_ERROR_OUT_OF_MEMORY;

  CUstream_st defaultStream;
  Handles<CUmod_st> modules;
  Handles<CUfunc_st> functions;
  Handles<CUstream_st> streams;
  Handles<CUevent_st> events;
  Handles<CUgraph_st> graphs;
  Handles<CUgraphExec_st> executables;
  std::map<uintptr_t, size_t> hostAllocations;

private:
  Driver();
  ~Driver();
};

/// What a call needs to hold before it does anything.
enum class Needs { Nothing, Initialization, Context };

/// Whether the context is the current one of this thread.
bool &contextOfThread();

/// True if this is the call that is to fail.
bool countCall(Driver &driver, const char *name);

/// Runs the body of an entry under the lock.
template <typename Body>
CUresult runCall(const char *name, Needs needs, Body body,
                 bool givesBack = false) {
  Driver &driver = Driver::get();
  std::lock_guard<std::recursive_mutex> guard(driver.lock);
  bool fails = countCall(driver, name);
  if (fails && !givesBack)
    return driver.failure;
  if (needs != Needs::Nothing && !driver.isInitialized)
    return CUDA_ERROR_NOT_INITIALIZED;
  if (needs == Needs::Context && (driver.contexts == 0 || !contextOfThread()))
    return CUDA_ERROR_INVALID_CONTEXT;
  CUresult result = body(driver);
  if (fails)
    return driver.failure;
  return needs == Needs::Context && driver.sticky != CUDA_SUCCESS
             ? driver.sticky
             : result;
}

} // namespace mlir::symshape::ptx

#endif // SYMSHAPE_PTXSIMULATOR_DRIVER_DRIVER_H
