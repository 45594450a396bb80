//===- Threads.cpp - Threads that may not come to be ----------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "symshape/Process/Threads.h"
#include "symshape/Process/Crashes.h"
#include <memory>
#include <string>
#include <sys/mman.h>
#include <system_error>

using namespace mlir::symshape;

/// Addresses, not memory: what is not used costs nothing. Where a limit leaves
/// less of them, a smaller stack serves all but the deepest programs.
static constexpr size_t mostStackBytes = size_t(512) << 20;
static constexpr size_t leastStackBytes = size_t(8) << 20;
/// What else a small program takes, code included. Where this much is not left,
/// the process would end somewhere within.
static constexpr size_t leastWorkBytes = size_t(256) << 20;

static bool hasRoom(size_t bytes) {
  void *room = mmap(nullptr, bytes, PROT_NONE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return room != MAP_FAILED && munmap(room, bytes) == 0;
}

static llvm::Error cannotStart(int problem) {
  std::error_code code(problem, std::generic_category());
  return llvm::createStringError(code,
                                 "cannot start a thread: " + code.message());
}

llvm::Error mlir::symshape::runOnDeepStack(llvm::function_ref<void()> work) {
  auto body = [](void *argument) -> void * {
    SignalStack stack;
    (*static_cast<llvm::function_ref<void()> *>(argument))();
    return nullptr;
  };
  size_t bytes = mostStackBytes;
  while (bytes > leastStackBytes && !hasRoom(bytes + leastWorkBytes))
    bytes /= 2;
  if (!hasRoom(bytes + leastWorkBytes))
    return llvm::createStringError(
        std::make_error_code(std::errc::not_enough_memory),
        "expected 256 MiB of addresses to work in, but there are fewer");
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, bytes);
  pthread_t thread;
  int problem = pthread_create(&thread, &attributes, body, &work);
  pthread_attr_destroy(&attributes);
  if (problem)
    return cannotStart(problem);
  pthread_join(thread, nullptr);
  return llvm::Error::success();
}

llvm::Expected<pthread_t>
mlir::symshape::startThread(std::function<void()> work) {
  auto owned = std::make_unique<std::function<void()>>(std::move(work));
  auto body = [](void *argument) -> void * {
    std::unique_ptr<std::function<void()>> work(
        static_cast<std::function<void()> *>(argument));
    (*work)();
    return nullptr;
  };
  pthread_t thread;
  if (int problem = pthread_create(&thread, nullptr, body, owned.get()))
    return cannotStart(problem);
  owned.release();
  return thread;
}
