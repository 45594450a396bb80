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
#include <stdlib.h>

static const int fatalSignals[] = {SIGABRT, SIGBUS,  SIGFPE,
                                   SIGILL,  SIGSEGV, SIGTRAP};
enum { numSignals = sizeof(fatalSignals) / sizeof(*fatalSignals) };

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

/* Its own stack serves where that of the code has run over. */
static void *makeSignalStack(void) {
  size_t bytes = (size_t)SIGSTKSZ + 4096;
  stack_t stack = {.ss_sp = allocate(bytes), .ss_size = bytes};
  sigaltstack(&stack, NULL);
  return stack.ss_sp;
}

static void freeSignalStack(void *memory) {
  stack_t none = {.ss_flags = SS_DISABLE};
  sigaltstack(&none, NULL);
  free(memory);
}

int runChecked(void (*body)(void *), void *argument, Errors *errors) {
  struct sigaction before[numSignals], action = {.sa_handler = leaveCall};
  action.sa_flags = SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  void *stack = makeSignalStack();
  for (int i = 0; i < numSignals; ++i)
    sigaction(fatalSignals[i], &action, &before[i]);
  int64_t depth = symshape_rt_depth();
  sigjmp_buf place;
  volatile int status = 0;
  int isLeft = sigsetjmp(place, /*savemask=*/1);
  if (!isLeft) {
    target = &place;
    status = symshape_rt_call(body, argument);
  }
  target = NULL;
  for (int i = 0; i < numSignals; ++i)
    sigaction(fatalSignals[i], &before[i], NULL);
  freeSignalStack(stack);
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
