# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions with versions beside NumPy, at the extents around each condition."""

import sys
from pathlib import Path

import numpy as np

import symrun
from checking import Checks

PROGRAM = Path(__file__).parent / "Inputs" / "versions.mlir"
LENGTHS = [0, 1, 2, 5, 15, 16, 17, 32, 33, 48, 64]


def version_of(length):
    if length == 1:
        return "decode"
    if length == 32:
        return "block"
    return "default" if length % 16 else "blocks"


def main():
    checks = Checks()
    rng = np.random.default_rng(0)
    w = rng.uniform(-1, 1, (8, 40)).astype(np.float32)
    calls = [[rng.uniform(-1, 1, (length, 8)).astype(np.float32) for _ in range(2)] + [w] for length in LENGTHS]
    for option in ("--guard-pages", "--plan-memory=on"):
        run = symrun.run(PROGRAM, calls, options=[option, "--verbose"])
        checks.that(run.versions == [version_of(length) for length in LENGTHS], f"versions {option}", f"  {run.versions}")
        if checks.ran(run, len(calls), option):
            for length, (x, y, _), [result] in zip(LENGTHS, calls, run.results):
                exact = np.maximum(x + y, 0).astype(np.float64) @ w
                checks.close(result, exact.astype(np.float32), 2e-5, f"L = {length} {option}")
    # What the program requires is required in every version.
    for length in (1, 2, 16):
        x, y = np.zeros((length, 8), np.float32), np.zeros((length + 1, 8), np.float32)
        checks.refused(symrun.run(PROGRAM, [[x, y, w]]), ["linalg.add", f"(L = {length})"], f"L = {length}, unequal")
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
