# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Outcomes of cases that end their process, and of those beside them (utils/vector_workers.py)."""

import os
import signal
import sys
import time

import vector_workers


def run(case, report):
    report(f"{case}: ")
    if case == "crash":
        os.kill(os.getpid(), signal.SIGSEGV)
    elif case == "exit":
        os._exit(3)
    elif case == "hang":
        time.sleep(60)
    elif case == "memory":
        bytearray(4 << 30)
    elif case == "skip":
        return "skipped", "no program"
    return "passed", None


EXPECTED = {
    "one": ("passed", None), "crash": ("failed", "crash: ended by SIGSEGV"), "two": ("passed", None),
    "exit": ("failed", "exit: ended with status 3"), "hang": ("failed", "hang: took more than 1 s"),
    "memory": ("failed", "MemoryError: "), "skip": ("skipped", "no program"), "three": ("passed", None)}


def main():
    failed = False
    for jobs in (1, 2):
        outcomes = dict(vector_workers.run_all(run, list(EXPECTED), jobs, 1, 2 << 30))
        same = outcomes == EXPECTED
        print(f"{jobs} job{'s' if jobs > 1 else ''}: {'ok' if same else outcomes}")
        failed |= not same
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
