//===- Crashes.h - What a crash says ----------------------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread that crashes may hold any lock, that of the heap among them. So a
// tool does not go on after a crash: the handler of the signal writes one line,
// which was made before, and ends the process. Not for: processes that only
// link the libraries, whose signals are their own.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_PROCESS_CRASHES_H
#define SYMSHAPE_PROCESS_CRASHES_H

#include "llvm/Support/MemoryBuffer.h"
#include <ctime>
#include <string>

namespace mlir::symshape {

/// While it lives, what a crash of this thread says; also of a thread that says
/// nothing itself. `message` must live as long. Costs no allocation.
class CrashNote {
public:
  explicit CrashNote(const char *message);
  ~CrashNote();
  CrashNote(const CrashNote &) = delete;
  CrashNote &operator=(const CrashNote &) = delete;

private:
  const char *message, *outer;
};

/// The exit status after a crash.
inline constexpr int crashStatus = 70;

/// From now on a signal that ends processes, out of memory and LLVM's fatal
/// errors end this one with one line and status 70: that of the CrashNote, or
/// else `otherwise`, which must live as long as the process. A stream that
/// cannot write ends it with `cannotWrite`.
void exitOnCrash(const char *otherwise, int cannotWrite);

/// While it lives, a process that has called `exitOnCrash` ends as by a crash
/// if reading a program takes seconds of processor time, for which its size is
/// no reason: MLIR's reader of bytecode has loops without an end. One at a
/// time.
class ReadingLimit {
public:
  explicit ReadingLimit(const llvm::MemoryBuffer &file);
  ~ReadingLimit();
  ReadingLimit(const ReadingLimit &) = delete;
  ReadingLimit &operator=(const ReadingLimit &) = delete;

private:
  std::string message;
  timer_t timer;
  bool isSet;
};

/// Gives this thread a stack for the handlers of signals, which works where its
/// own has run over.
class SignalStack {
public:
  SignalStack();
  ~SignalStack();
  SignalStack(const SignalStack &) = delete;
  SignalStack &operator=(const SignalStack &) = delete;

private:
  void *memory;
};

} // namespace mlir::symshape

#endif // SYMSHAPE_PROCESS_CRASHES_H
