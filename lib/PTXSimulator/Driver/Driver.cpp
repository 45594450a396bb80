//===- Driver.cpp - The state of the simulated driver ---------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Streams, faults, counts, and what the environment sets.
//
//===----------------------------------------------------------------------===//

#include "Driver.h"
#include "symshape-c/PTXSimulator.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace mlir::symshape::ptx;

Driver &Driver::get() {
  static Driver driver;
  return driver;
}

static std::string setting(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

Driver::Driver() {
  SimulatorOptions options;
  std::string order = setting("SYMSHAPE_PTXSIM_ORDER");
  options.order = order == "backward" ? Order::Backward
                  : order == "both"   ? Order::Both
                                      : Order::Forward;
  std::string checks = setting("SYMSHAPE_PTXSIM_CHECKS");
  if (!checks.empty()) {
    options.checkRaces = checks.find("races") != std::string::npos;
    options.checkUninitialized =
        checks.find("uninitialized") != std::string::npos;
  }
  isEager = setting("SYMSHAPE_PTXSIM_STREAMS") == "eager";
  isTraced = !setting("SYMSHAPE_PTXSIM_TRACE").empty();
  std::string fail = setting("SYMSHAPE_PTXSIM_FAIL"); // CALL or CALL:RESULT
  failAt = std::strtoull(fail.c_str(), nullptr, 10);
  size_t colon = fail.find(':');
  if (colon != std::string::npos)
    failure = CUresult(std::atoi(fail.c_str() + colon + 1));
  device = std::make_unique<Simulator>(options);
}

Driver::~Driver() {
  if (setting("SYMSHAPE_PTXSIM_REPORT").empty())
    return;
  for (const char *what :
       {"calls", "launches", "blocks", "instructions", "thread instructions",
        "contexts", "modules", "allocations", "bytes", "host allocations",
        "streams", "events", "graphs", "leaked"})
    std::fprintf(stderr, "symshape-ptxsim: %lld %s\n",
                 static_cast<long long>(count(what)), what);
}

void Driver::say(const std::string &text) {
  message = text;
  std::fprintf(stderr, "symshape-ptxsim: error: %s\n", text.c_str());
}

int64_t Driver::count(const std::string &what) const {
  const std::map<std::string, uint64_t> counts = {
      {"calls", calls},
      {"launches", device->counts.launches},
      {"blocks", device->counts.blocks},
      {"instructions", device->counts.instructions},
      {"thread instructions", device->counts.threadInstructions},
      {"contexts", uint64_t(contexts)},
      {"modules", modules.size()},
      {"allocations", device->liveAllocations()},
      {"bytes", device->liveBytes()},
      {"host allocations", hostAllocations.size()},
      {"streams", streams.size()},
      {"events", events.size()},
      {"graphs", graphs.size() + executables.size()},
      {"leaked", leaked}};
  auto found = counts.find(what);
  return found == counts.end() ? -1 : int64_t(found->second);
}

bool &mlir::symshape::ptx::contextOfThread() {
  static thread_local bool isCurrent = false;
  return isCurrent;
}

bool mlir::symshape::ptx::countCall(Driver &driver, const char *name) {
  ++driver.calls;
  if (driver.isTraced)
    std::fprintf(stderr, "symshape-ptxsim: %llu %s\n",
                 static_cast<unsigned long long>(driver.calls), name);
  return driver.calls == driver.failAt;
}

CUstream_st *Driver::find(CUstream stream) {
  if (reinterpret_cast<uintptr_t>(stream) <=
      2) // the legacy one, also by its names
    return &defaultStream;
  return streams.has(stream) ? stream : nullptr;
}

CUresult Driver::drain(CUstream_st &stream, const CUevent_st *event) {
  while (!stream.queue.empty()) {
    if (event && event->happened == event->records)
      return sticky;
    Operation operation = std::move(stream.queue.front());
    stream.queue.pop_front();
    CUresult result = sticky == CUDA_SUCCESS ? operation(*this) : sticky;
    if (result != CUDA_SUCCESS && sticky == CUDA_SUCCESS)
      sticky = result;
  }
  return sticky;
}

CUresult Driver::drainBlocking() {
  drain(defaultStream);
  for (auto &entry : streams.objects)
    if (entry.second->isBlocking)
      drain(*entry.second);
  return sticky;
}

CUresult Driver::drainAll() {
  drain(defaultStream);
  for (auto &entry : streams.objects)
    drain(*entry.second);
  return sticky;
}

CUresult Driver::submit(CUstream handle, Operation operation) {
  CUstream_st *stream = find(handle);
  if (!stream)
    return CUDA_ERROR_INVALID_HANDLE;
  if (stream->capture) {
    stream->capture->operations.push_back(std::move(operation));
    return CUDA_SUCCESS;
  }
  if (stream == &defaultStream)
    drainBlocking();
  else if (stream->isBlocking)
    drain(defaultStream);
  stream->queue.push_back(std::move(operation));
  return isEager ? drain(*stream) : CUDA_SUCCESS;
}

CUresult Driver::launch(const Kernel *kernel, const LaunchShape &shape,
                        const std::vector<uint8_t> &parameters) {
  Fault fault = device->launch(kernel, shape, parameters);
  if (fault.kind == Fault::None)
    return CUDA_SUCCESS;
  say(fault.line ? "line " + std::to_string(fault.line) +
                       " of the PTX: " + fault.message
                 : fault.message);
  switch (fault.kind) {
  case Fault::Bounds:
    return CUDA_ERROR_ILLEGAL_ADDRESS;
  case Fault::Alignment:
    return CUDA_ERROR_MISALIGNED_ADDRESS;
  case Fault::Limit:
  case Fault::MissingBarrier:
    return CUDA_ERROR_LAUNCH_TIMEOUT;
  case Fault::Launch:
    return CUDA_ERROR_INVALID_VALUE;
  default:
    return CUDA_ERROR_LAUNCH_FAILED;
  }
}

bool Driver::isPinned(const void *pointer, size_t bytes) const {
  auto address = reinterpret_cast<uintptr_t>(pointer);
  auto after = hostAllocations.upper_bound(address);
  if (after == hostAllocations.begin())
    return false;
  --after;
  return address + bytes <= after->first + after->second;
}

void Driver::reset() {
  for (auto &entry : modules.objects)
    device->unload(entry.second->loaded);
  leaked += device->liveAllocations() + hostAllocations.size() +
            modules.size() + streams.size() + events.size() + graphs.size() +
            executables.size();
  for (auto &entry : hostAllocations)
    std::free(reinterpret_cast<void *>(entry.first));
  hostAllocations.clear();
  executables.objects.clear();
  graphs.objects.clear();
  events.objects.clear();
  streams.objects.clear();
  functions.objects.clear();
  modules.objects.clear();
  defaultStream = {};
  SimulatorOptions options = device->options;
  SimulatorCounts counts = device->counts;
  device = std::make_unique<Simulator>(options);
  device->counts = counts;
  sticky = CUDA_SUCCESS;
}

extern "C" int64_t symshape_ptxsim_count(const char *what) {
  if (!what)
    return -1;
  Driver &driver = Driver::get();
  std::lock_guard<std::recursive_mutex> guard(driver.lock);
  return driver.count(what);
}

extern "C" const char *symshape_ptxsim_message(void) {
  return Driver::get().message.c_str();
}

extern "C" void symshape_ptxsim_fail_at(int64_t call, int code) {
  Driver &driver = Driver::get();
  std::lock_guard<std::recursive_mutex> guard(driver.lock);
  driver.failAt = call > 0 ? driver.calls + uint64_t(call) : 0;
  driver.failure = CUresult(code);
}
