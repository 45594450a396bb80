# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs programs on a GPU, or its simulator, beside the CPU.

    check_nvvm.py [NAME]...

Each program of Inputs/nvvm.mlir is compiled once for each of the two, and run at
small shapes, extents 0 and 1 among them. Elementwise results must be the same bits;
so must messages and exit statuses of calls that are refused.
"""

import os
import sys
from pathlib import Path

import numpy as np

import symrun
from checking import Checks

FILE = Path(__file__).parent / "Inputs" / "nvvm.mlir"
PROGRAMS = {}


def program(shapes, results=1, tolerance=0.0):
    """Registers a function from a random source and one of `shapes` to inputs."""

    def register(make):
        PROGRAMS[make.__name__] = (shapes, results, tolerance, make)
        return make

    return register


def floats(rng, *shape):
    return rng.uniform(-1, 1, shape).astype(np.float32)


PAIRS = [(0, 0), (0, 3), (3, 0), (1, 1), (2, 5), (3, 130)]
# Beyond a tile and a step of terms; of some, rows are whole chunks of 16 bytes.
TRIPLES = [(0, 3, 4), (3, 0, 4), (3, 4, 0), (1, 1, 1), (2, 3, 5), (5, 1100, 3), (66, 17, 70), (1, 8, 8), (72, 136, 80)]
# For tiles of 64 x 64 and of 128 x 128.
MANY = [(577, 72, 640), (577, 35, 641), (1153, 72, 1288), (1155, 37, 1281)]
LARGER = {"product": MANY, "product_bf16": MANY, "product_f16": MANY}


@program(PAIRS)
def add(rng, m, n):
    return [floats(rng, m, n), floats(rng, m, n)]


@program(PAIRS)
def functions(rng, m, n):
    return [floats(rng, m, n) * 4]


@program(PAIRS)
def scale(rng, m, n):
    return [floats(rng, m, n), floats(rng, n)]


# Rows for a warp and for a block, in whole chunks of 16 bytes and not.
ROWS = [*PAIRS, (9, 64), (3, 1025), (2, 2048)]


@program(ROWS, tolerance=1e-5)
def sums(rng, m, n):
    return [floats(rng, m, n)]


@program(PAIRS, tolerance=1e-5)
def columns(rng, m, n):
    return [floats(rng, m, n)]


@program([(0, 2, 2, 2), (2, 0, 2, 3), (2, 2, 0, 3), (2, 2, 3, 0), (1, 1, 1, 1), (3, 5, 7, 40)], tolerance=1e-5)
def groups(rng, n, channels, height, width):
    return [floats(rng, n, 2, channels, height, width)]


@program(PAIRS)
def counts(rng, m, n):
    return [floats(rng, m, n)]


@program([*PAIRS, (5, 67)], results=2)
def places_of_rows(rng, m, n):
    return [floats(rng, m, n)]


@program([shape for shape in ROWS if shape[1] > 0], tolerance=1e-5)
def softmax(rng, m, n):
    return [floats(rng, m, n)]


@program([(0, 0), (0, 1), (1, 1), (70, 2)], tolerance=1e-5)
def first(rng, m, n):
    return [floats(rng, m), floats(rng, n)]


@program([*PAIRS, (40, 40)])
def remainders(rng, m, n):
    special = np.array([0, -0.0, 1, -3, 1e-45, 3e-39, 1e38, np.inf, -np.inf, np.nan], np.float32)
    scales = np.float32(2) ** rng.integers(-140, 127, (2, m, n))
    x, y = (floats(rng, m, n) * scales[0]).astype(np.float32), (floats(rng, m, n) * scales[1]).astype(np.float32)
    if min(m, n) >= 10:
        x[:10, :10], y[:10, :10] = special[:, None], special
    return [x, y]


@program(TRIPLES, tolerance=1e-4)
def product(rng, m, k, n):
    return [floats(rng, m, k), floats(rng, k, n), floats(rng, n)]


@program(TRIPLES, tolerance=1e-4)
def product_bf16(rng, m, k, n):
    return [floats(rng, m, k), floats(rng, k, n)]


@program(TRIPLES, tolerance=1e-4)
def product_f16(rng, m, k, n):
    return [floats(rng, k, m).astype(np.float16), floats(rng, n, k).astype(np.float16), floats(rng, m, n)]


@program([(0, 1, 1, 1, 1), (1, 1, 1, 0, 3), (1, 1, 1, 1, 1), (2, 3, 5, 3, 4), (1, 2, 67, 20, 68)], tolerance=1e-4)
def convolution(rng, batch, height, width, channels, features):
    return [floats(rng, batch, height + 4, 2 * width, channels), floats(rng, 3, 2, channels, features),
            floats(rng, batch, height, width, features)]


@program([(0, 1, 1), (1, 1, 1), (2, 3, 5), (1, 2, 67)], tolerance=1e-4)
def convolution_f16(rng, batch, height, width):
    return [floats(rng, batch, height + 2, width + 1, 8).astype(np.float16),
            floats(rng, 3, 2, 8, 16).astype(np.float16), floats(rng, batch, height, width, 16)]


@program([(1, 0, 4, 2, 3), (0, 2, 2, 2, 3), (2, 3, 0, 2, 3), (1, 1, 1, 0, 1), (1, 1, 1, 1, 1), (2, 3, 5, 7, 17), (3, 2, 67, 20, 34)],
         tolerance=1e-4)
def terms(rng, batch, height, width, channels, features):
    return [floats(rng, batch, height, width, channels), floats(rng, batch, height, width, features),
            floats(rng, channels, features)]


@program(TRIPLES, tolerance=1e-4)
def batches(rng, m, k, n):
    return [floats(rng, 2, m, k), floats(rng, 2, n, k)]


@program([*PAIRS, (17, 70), (64, 33)])
def transpose(rng, m, n):
    return [floats(rng, m, n)]


@program([(0, 1), (1, 1), (4, 3), (7, 20)])
def rows(rng, m, n):
    return [floats(rng, n, 5), rng.integers(0, n, m)]


@program([(1, 0, 3), (1, 2, 0), (1, 1, 1), (4, 3, 7), (7, 20, 70)])
def spread(rng, m, n, k):
    return [floats(rng, m, k), rng.integers(-1, m + 1, n), floats(rng, n, k)]


@program([0, 1, 5, 33, 1025], results=2)
def order(rng, n):
    return [floats(rng, n)]


@program([(0, 2), (3, 0), (1, 1), (3, 7), (2, 700)], tolerance=1e-5)
def running(rng, m, n):
    return [floats(rng, m, n)]


@program([(0, 0), (3, 0), (1, 1), (3, 7), (70, 90)])
def places(rng, m, n):
    return [np.where(rng.uniform(size=(m, n)) < 0.5, 0, floats(rng, m, n)).astype(np.float32)]


@program([0, 1, 9])
def table(rng, n):
    return [rng.integers(0, 4, n)]


def one_nan(array):
    """The array with one bit pattern for all that is no number."""
    return np.where(np.isnan(array), np.array(np.nan, array.dtype), array) if array.dtype.kind == "f" else array


def compare(checks, name):
    shapes, results, tolerance, make = PROGRAMS[name]
    shapes = [*shapes, *LARGER.get(name, [])]
    rng = np.random.default_rng(7)
    calls = [make(rng, *(shape if isinstance(shape, tuple) else (shape,))) for shape in shapes]
    runs = [symrun.run(FILE, calls, entry=name, results=results, options=[f"--target={target}"])
            for target in ("cpu", "nvvm")]
    for run, target in zip(runs, ("cpu", "nvvm")):
        if not checks.ran(run, len(calls), f"{name} for {target}"):
            return
    for shape, cpu, gpu in zip(shapes, *(run.results for run in runs)):
        for a, b in zip(cpu, gpu):
            if tolerance:
                checks.near(b, a, tolerance, f"{name} at {shape}")
            else:
                a, b = one_nan(a), one_nan(b)
                checks.that(a.dtype == b.dtype and a.tobytes() == b.tobytes(), f"{name} at {shape}: the same bits",
                            f"{a}\n{b}")


def refuse(checks):
    """Guards, and checks inside of kernels, whose messages are those of the CPU."""
    # Once a check has failed, what other threads still write depends on their order.
    os.environ.pop("SYMSHAPE_PTXSIM_ORDER", None)
    calls = {"add": [np.zeros((2, 3), np.float32), np.zeros((2, 4), np.float32)],
             "rows": [np.zeros((4, 5), np.float32), np.array([1, 9])]}
    for name, call in calls.items():
        runs = [symrun.run(FILE, [call], entry=name, options=[f"--target={target}"]) for target in ("cpu", "nvvm")]
        checks.refused(runs[1], [], f"{name} refused")
        messages = [[line for line in run.stderr.splitlines() if "error" in line or "needed" in line]
                    for run in runs]
        checks.that(messages[0] == messages[1], f"{name}: the same message", f"{messages[0]}\n{messages[1]}")


def main():
    checks = Checks()
    for name in sys.argv[1:] or PROGRAMS:
        compare(checks, name)
    if not sys.argv[1:]:
        refuse(checks)
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
