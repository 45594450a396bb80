# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which calls of the exported programs are accepted, and what is said otherwise.

The programs carry no names or facts: each guard was found. A call that is
refused runs nothing.
"""

import sys
from pathlib import Path

import numpy as np

import symrun
from checking import Checks

INPUTS = Path(__file__).parent / "Inputs"


def run(name, *inputs):
    return symrun.run(INPUTS / f"{name}.mlir", [inputs], results=2 if name == "gather" else 1)


def check_pair(checks):
    """Accepted are exactly the calls with B*L*16 == B*(L floordiv 2)*32."""
    for batch in (0, 1, 2, 3):
        for length in (0, 1, 2, 5, 8):
            call = f"pair at B = {batch}, L = {length}"
            result = run("pair", np.zeros((batch, length, 16), np.float32))
            if batch * length * 16 == batch * (length // 2) * 32:
                checks.ran(result, 1, call)
            else:
                checks.refused(result, ["tensor.reshape"], call)


def check_encoder(checks):
    """The arguments have equal dims, L <= 64, ids lie in [0, 50)."""
    ones = lambda *shape: np.ones(shape, np.int64)
    checks.ran(run("encoder", ones(2, 64), ones(2, 64)), 1, "encoder at L = 64")
    checks.refused(run("encoder", ones(2, 65), ones(2, 65)), ["65", "64"], "encoder at L = 65")
    checks.refused(run("encoder", ones(2, 5), ones(2, 6)), ["5", "6"], "encoder, lengths 5 and 6")
    checks.refused(run("encoder", ones(2, 5), ones(3, 5)), ["2", "3"], "encoder, batches 2 and 3")
    checks.refused(run("encoder", ones(2, 5), ones(1, 5)), ["2", "1"], "encoder, batches 2 and 1")
    for bad in (50, -1, 2**62, -(2**63)):
        ids = ones(3, 7)
        ids[2, 4] = bad
        checks.refused(run("encoder", ids, ones(3, 7)), [str(bad), "2, 4"], f"encoder, id {bad}")
    ids = ones(1, 2)
    ids[0] = (49, 0)
    checks.ran(run("encoder", ids, ones(1, 2)), 1, "encoder, ids 49 and 0")


def check_gather(checks):
    """Ids lie in [-S, S): the program wraps negative ones itself."""
    rows = np.arange(30, dtype=np.float32).reshape(5, 6)
    for good in (0, 4, -1, -5):
        checks.ran(run("gather", rows, np.array([1, good])), 1, f"gather, id {good}")
    for bad in (5, -6, 2**62, -(2**63)):
        result = run("gather", rows, np.array([1, 2, bad]))
        checks.refused(result, ["tensor.extract"], f"gather, id {bad}")
    empty = np.zeros((0, 6), np.float32)
    checks.refused(run("gather", empty, np.array([0])), [], "gather from no rows")
    checks.ran(run("gather", empty, np.zeros(0, np.int64)), 1, "gather of nothing from no rows")


def main():
    checks = Checks()
    {"pair": check_pair, "encoder": check_encoder, "gather": check_gather}[sys.argv[1]](checks)
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
