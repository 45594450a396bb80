//===- Crashes.cpp - What a crash says ------------------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "symshape/Process/Crashes.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/Signals.h"
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <unistd.h>

using namespace mlir::symshape;

static thread_local const char *noteOfThread = nullptr;
static std::atomic<const char *> noteOfAll{nullptr};
static std::atomic<const char *> noteOfLimit{nullptr};
static const char *noteOtherwise = nullptr;
static int statusOfStreams = crashStatus;

CrashNote::CrashNote(const char *message)
    : message(message), outer(noteOfThread) {
  noteOfThread = message;
  noteOfAll = message;
}

CrashNote::~CrashNote() {
  noteOfThread = outer;
  const char *own = message; // another thread may have set its own since
  noteOfAll.compare_exchange_strong(own, nullptr);
}

/// Ends the process with one line. Allocates nothing and takes no lock.
[[noreturn]] static void leave(int status, llvm::StringRef note,
                               llvm::StringRef reason) {
  static std::atomic_flag isLeaving = ATOMIC_FLAG_INIT;
  while (isLeaving.test_and_set())
    pause(); // another thread has crashed, and ends the process
  char line[1024];
  size_t size = 0;
  auto add = [&](llvm::StringRef text) {
    text = text.take_front(sizeof(line) - 1 - size);
    std::memcpy(line + size, text.data(), text.size());
    size += text.size();
  };
  add("error: ");
  add(note);
  if (!reason.empty()) {
    add(": ");
    add(reason.take_until([](char c) { return c == '\n'; }));
  }
  line[size++] = '\n';
  (void)!write(STDERR_FILENO, line, size);
  llvm::sys::RunInterruptHandlers(); // removes unfinished files
  _exit(status);
}

static llvm::StringRef currentNote() {
  if (noteOfThread)
    return noteOfThread;
  const char *note = noteOfAll;
  return note ? note : noteOtherwise;
}

static void handleSignal(int) { leave(crashStatus, currentNote(), ""); }

static void handleReadingLimit(int) {
  const char *note = noteOfLimit;
  leave(crashStatus, note ? note : noteOtherwise, "");
}

static void handleFatalError(void *, const char *reason, bool) {
  llvm::StringRef text(reason);
  if (text.consume_front("IO failure on output stream: "))
    leave(statusOfStreams, "cannot write", text);
  leave(crashStatus, currentNote(), text);
}

static void handleBadAlloc(void *, const char *, bool) {
  leave(crashStatus, currentNote(), "out of memory");
}

void mlir::symshape::exitOnCrash(const char *otherwise, int cannotWrite) {
  noteOtherwise = otherwise;
  statusOfStreams = cannotWrite;
  static SignalStack stackOfMain;
  struct sigaction action = {};
  action.sa_handler = handleSignal;
  action.sa_flags = SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  for (int signal : {SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGSYS, SIGTRAP})
    sigaction(signal, &action, nullptr);
  action.sa_handler = handleReadingLimit;
  sigaction(SIGXCPU, &action, nullptr);
  llvm::install_fatal_error_handler(handleFatalError);
  llvm::install_bad_alloc_error_handler(handleBadAlloc);
  std::set_terminate(abort); // says nothing itself
}

ReadingLimit::ReadingLimit(const llvm::MemoryBuffer &file)
    : message(("internal error: MLIR does not come to the end of '" +
               file.getBufferIdentifier() + "'")
                  .str()),
      isSet(false) {
  if (!noteOtherwise)
    return;
  noteOfLimit = message.c_str();
  struct sigevent event = {};
  event.sigev_notify = SIGEV_SIGNAL;
  event.sigev_signo = SIGXCPU;
  isSet = timer_create(CLOCK_PROCESS_CPUTIME_ID, &event, &timer) == 0;
  struct itimerspec when = {};
  when.it_value.tv_sec = 2 + (file.getBufferSize() >> 20);
  if (isSet)
    timer_settime(timer, 0, &when, nullptr);
}

ReadingLimit::~ReadingLimit() {
  if (isSet)
    timer_delete(timer);
  noteOfLimit = nullptr;
}

static constexpr size_t signalStackBytes = 1 << 16;

SignalStack::SignalStack() : memory(std::malloc(signalStackBytes)) {
  stack_t stack = {};
  stack.ss_sp = memory;
  stack.ss_size = signalStackBytes;
  if (memory)
    sigaltstack(&stack, nullptr);
}

SignalStack::~SignalStack() {
  stack_t none = {};
  none.ss_flags = SS_DISABLE;
  sigaltstack(&none, nullptr);
  std::free(memory);
}
