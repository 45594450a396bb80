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
#include <system_error>

using namespace mlir::symshape;

/// Addresses, not memory: what is not used costs nothing. Where a limit leaves
/// less of them, a smaller stack serves all but the deepest programs.
static constexpr size_t mostStackBytes = size_t(512) << 20;
static constexpr size_t leastStackBytes = size_t(8) << 20;

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
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_t thread;
  int problem = 0;
  for (size_t bytes = mostStackBytes; bytes >= leastStackBytes; bytes /= 2) {
    pthread_attr_setstacksize(&attributes, bytes);
    problem = pthread_create(&thread, &attributes, body, &work);
    if (!problem)
      break;
  }
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
