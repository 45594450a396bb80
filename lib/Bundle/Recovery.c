/*===- Recovery.c - Calls that cannot end the process -------------*- C -*-===*\
|* Part of the SymShape project, under the Apache License v2.0 with LLVM     *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* A crash ends the process with one line, as with symshape-run: what has *|
|* crashed may hold any lock, so nothing else can be done. *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#define _GNU_SOURCE
#include "Program.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

static const char *volatile crashMessage;

static void leaveProcess(int number) {
  (void)number;
  const char *message = crashMessage;
  (void)!write(STDERR_FILENO, message, strlen(message));
  _exit(statusInternal);
}

/* A stack of its own serves where that of the code has run over. */
void exitOnCrash(void) {
  static char memory[1 << 16];
  static const int signals[] = {SIGABRT, SIGBUS,  SIGFPE,
                                SIGILL,  SIGSEGV, SIGTRAP};
  crashMessage = "error: internal error: symshape-bundle-run crashed\n";
  stack_t stack = {.ss_sp = memory, .ss_size = sizeof(memory)};
  sigaltstack(&stack, NULL);
  struct sigaction action = {.sa_handler = leaveProcess,
                             .sa_flags = SA_ONSTACK};
  sigemptyset(&action.sa_mask);
  for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); ++i)
    sigaction(signals[i], &action, NULL);
  signal(SIGXFSZ, SIG_IGN); /* an error of writing */
}

int runChecked(void (*body)(void *), void *argument, Errors *errors) {
  const char *before = crashMessage;
  crashMessage = "error: internal error: compiled code accessed memory out of "
                 "bounds, or trapped\n";
  int status = symshape_rt_call(body, argument);
  crashMessage = before;
  if (status)
    return addError(errors, statusGuardFailed, "%s",
                    symshape_rt_last_message());
  return 1;
}
