# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs an exported program on each call of its .npz, from one compilation.

    check_exports.py NAME [option of symshape-run]...

Compares with what PyTorch computed, to 1e-5; extents 0 are among the calls.
"""

import sys
from pathlib import Path

import numpy as np

import symrun
from checking import Checks

INPUTS = Path(__file__).parent / "Inputs"
TOLERANCE = 1e-5


def recorded_calls(name):
    """(inputs, outputs) of each call of NAME.npz, in order."""
    data = np.load(INPUTS / f"{name}.npz")

    def arrays(call, kind):
        keys = sorted((k for k in data.files if k.startswith(f"c{call}_{kind}")),
                      key=lambda key: int(key.split(kind)[1]))
        return [data[key] for key in keys]

    count = len({key.split("_")[0] for key in data.files})
    return [(arrays(call, "in"), arrays(call, "out")) for call in range(count)]


def empty_calls(name):
    """Calls with an extent 0 and what they give."""
    if name == "pair":
        return [([np.zeros((0, length, 16), np.float32)],
                 [np.zeros((0, length // 2, 16), np.float32)]) for length in (2, 3, 0)]
    if name == "encoder":
        return [([np.zeros((0, 5), np.int64)] * 2, [np.zeros((0, 32), np.float32)])]
    rows = np.arange(18, dtype=np.float32).reshape(3, 6)
    return [([rows, np.zeros(0, np.int64)],
             [np.zeros((0, 6), np.float32), np.full(6, np.nan, np.float32)])]


def main():
    name, options = sys.argv[1], sys.argv[2:]
    calls = recorded_calls(name) + empty_calls(name)
    run = symrun.run(INPUTS / f"{name}.mlir", [inputs for inputs, _ in calls],
                     results=len(calls[0][1]), options=options)
    checks = Checks()
    if checks.ran(run, len(calls), name):
        for i, ((_, expected), actual) in enumerate(zip(calls, run.results)):
            for j, (a, e) in enumerate(zip(actual, expected)):
                checks.close(a, e, TOLERANCE, f"{name} call {i} result {j}")
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
