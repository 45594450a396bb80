# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lets each call of the simulated driver fail in turn: a status, a message, nothing left behind.

An allocation that fails is tried again once what is not needed has been freed, so a run
may also succeed.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

from checking import Checks

FILE = Path(__file__).parent / "Inputs" / "nvvm.mlir"
COMMAND = ["symshape-run", str(FILE), "--entry=add", "--target=nvvm", "--input=2x3xf32=iota", "--input=2x3xf32=iota"]


def run(number):
    environment = dict(os.environ, SYMSHAPE_PTXSIM_FAIL=str(number), SYMSHAPE_PTXSIM_REPORT="1")
    return subprocess.run(COMMAND, capture_output=True, text=True, env=environment)


def main():
    checks = Checks()
    calls = int(sys.argv[1])
    statuses = set()
    for number in range(1, calls + 1):
        done = run(number)
        statuses.add(done.returncode)
        checks.that(done.returncode in (0, 1, 3), f"call {number}: a status", f"{done.returncode}\n{done.stderr}")
        message = re.search(r"^error: .*cu[A-Z]\w+.*out of memory", done.stderr, re.M)
        checks.that(done.returncode == 0 or message, f"call {number}: a message", done.stderr)
        checks.that("symshape-ptxsim: 0 leaked" in done.stderr, f"call {number}: nothing is left", done.stderr)
        if done.returncode == 0:
            checks.that("[[0, 2, 4], [6, 8, 10]]" in done.stdout, f"call {number}: the result", done.stdout)
    checks.that(statuses == {0, 1, 3}, "each status occurs", str(statuses))
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
