/*===- Recovery.c - Calls that cannot end the process -------------*- C -*-===*\
|* Part of the SymShape project, under the Apache License v2.0 with LLVM     *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* A signal of the code leaves the call, as with symshape-run. What the       *|
|* process holds is then in doubt: it should end soon.                        *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#define _GNU_SOURCE
#include "Program.h"

#include <setjmp.h>
#include <signal.h>

static const int fatalSignals[] = {SIGABRT, SIGBUS,  SIGFPE,
                                   SIGILL,  SIGSEGV, SIGTRAP};

static _Thread_local sigjmp_buf *target;

static void leaveCall(int number) {
  sigjmp_buf *place = target;
  target = NULL;
  if (place)
    siglongjmp(*place, 1);
  /* Not in a call: as if there were no handler. */
  signal(number, SIG_DFL);
  raise(number);
}

/* For all calls from now on. A stack of its own serves where that of the code
   has run over. */
static void installHandlers(void) {
  static char memory[1 << 16];
  static int isInstalled;
  if (isInstalled)
    return;
  isInstalled = 1;
  stack_t stack = {.ss_sp = memory, .ss_size = sizeof(memory)};
  sigaltstack(&stack, NULL);
  struct sigaction action = {.sa_handler = leaveCall, .sa_flags = SA_ONSTACK};
  sigemptyset(&action.sa_mask);
  for (size_t i = 0; i < sizeof(fatalSignals) / sizeof(*fatalSignals); ++i)
    sigaction(fatalSignals[i], &action, NULL);
}

int runChecked(void (*body)(void *), void *argument, Errors *errors) {
  installHandlers();
  int64_t depth = symshape_rt_depth();
  sigjmp_buf place;
  volatile int status = 0;
  int isLeft = sigsetjmp(place, /*savemask=*/1);
  if (!isLeft) {
    target = &place;
    status = symshape_rt_call(body, argument);
  }
  target = NULL;
  if (isLeft) {
    symshape_rt_abandon(depth);
    return addError(errors, statusInternal,
                    "internal error: compiled code accessed memory out of "
                    "bounds, or trapped");
  }
  if (status)
    return addError(errors, statusGuardFailed, "%s",
                    symshape_rt_last_message());
  return 1;
}
