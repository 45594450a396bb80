# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reverse derivatives of loops over many rows, in time and memory that grow as the rows do.

A copy of the rows per turn would move 200 GB and, where it is stored, need as much; a process gets 60 s and 4 GiB.
"""

import resource
import subprocess
import sys
import tempfile
from pathlib import Path

import derivative_bodies
import numpy as np
import symrun
from derivatives import Failure, near

TURNS, WIDTH, SECONDS = 60000, 8, 60
NAMES = ["loop_that_writes_rows", "loop_that_reads_rows", "loop_that_reads_the_row_before"]


def limit():
    resource.setrlimit(resource.RLIMIT_DATA, (4 << 30, 4 << 30))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))


def run(case, folder):
    """Along a direction, beside differences of the definition."""
    source, derived = folder / "m.mlir", folder / "d.mlir"
    source.write_text(case.text())
    subprocess.run(["symshape-opt", source, "--symshape-vjp=function=main", "-o", derived], check=True)
    rng = np.random.default_rng(0)
    x, w = rng.uniform(0.9, 1.1, (TURNS, WIDTH)), rng.uniform(-0.5, 0.5, WIDTH)
    u, v = rng.uniform(-1, 1, x.shape), rng.uniform(-1, 1, w.shape)
    (result,) = case.definition(x, w)
    cotangent = rng.uniform(-1, 1, result.shape)
    done = symrun.run(derived, [[x, w, cotangent]], entry="main.vjp", results=3, preexec=limit)
    if done.status:
        raise Failure(done.stderr)
    value, by_x, by_w = done.results[0]
    near("value", [value], [result], 1e-9)
    h = 1e-5
    ends = [(case.definition(x + s * h * u, w + s * h * v)[0] * cotangent).sum() for s in (1, -1)]
    near("derivative", [(by_x * u).sum() + (by_w * v).sum()], [(ends[0] - ends[1]) / (2 * h)], 1e-4)


def main():
    cases = {case.name: case for case, _, _ in derivative_bodies.loops()}
    for name in NAMES:
        with tempfile.TemporaryDirectory(prefix="loops") as folder:
            run(cases[name], Path(folder))
    print(f"{len(NAMES)} loops of {TURNS} turns")


if __name__ == "__main__":
    sys.exit(main())
