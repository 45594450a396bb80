//===- Threads.h - Threads that may not come to be --------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// std::thread and llvm::thread end the process where there is no room for one
// more. Not for: the threads of compiled code (lib/Runtime/Threads.c).
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_PROCESS_THREADS_H
#define SYMSHAPE_PROCESS_THREADS_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"
#include <functional>
#include <pthread.h>

namespace mlir::symshape {

/// Runs `work` on a thread with a stack for deep recursion, and waits for it.
/// An error if there is no room for it.
llvm::Error runOnDeepStack(llvm::function_ref<void()> work);

/// Starts a thread, to be joined. An error if there is no room for it.
llvm::Expected<pthread_t> startThread(std::function<void()> work);

} // namespace mlir::symshape

#endif // SYMSHAPE_PROCESS_THREADS_H
