# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of bf16 and f16 by wgmma, on the simulator of sm_90a, against NumPy.

    check_nvvm_wgmma.py

Tiles of 128 x 128 and of 128 x 256, at extents of 0, 1, some tiles and steps of terms, and others; both
ways in which terms of an operand can lie in memory; sums that are added to; terms along three loops.
"""

import sys

import numpy as np

import symrun
from check_nvvm import FILE, floats
from checking import Checks

TILES = ["narrow", "wide"]
LEAST = 100000  # results

# Rows, terms, columns. Rows in memory are whole chunks of 16 bytes, but for the last two.
SHAPES = [(0, 8, 8), (8, 0, 8), (8, 8, 0), (8, 8, 8), (136, 72, 264), (264, 336, 40), (66, 17, 70), (1, 1, 1)]


def cut(array):
    """The nearest bf16 towards zero, as floats."""
    return (array.view(np.uint32) & np.uint32(0xffff0000)).view(np.float32)


def product_bf16(rng, m, k, n):
    """Terms of A are neighbours in memory, and columns of B."""
    a, b = cut(floats(rng, m, k)), cut(floats(rng, k, n))
    return [a, b], a.astype(float) @ b.astype(float)


def product_f16(rng, m, k, n):
    """Rows of A are neighbours in memory, and terms of B; sums begin with C."""
    a, b, c = floats(rng, k, m).astype(np.float16), floats(rng, n, k).astype(np.float16), floats(rng, m, n)
    return [a, b, c], a.astype(float).T @ b.astype(float).T + c


def convolution_f16(rng, batch, height, width):
    """Terms along two loops of a window and the channels; channels last."""
    x = floats(rng, batch, height + 2, width + 1, 8).astype(np.float16)
    w, c = floats(rng, 3, 2, 8, 16).astype(np.float16), floats(rng, batch, height, width, 16)
    want = c.astype(float)
    for i in range(3):
        for j in range(2):
            want = want + x[:, i:i + height, j:j + width].astype(float) @ w[i, j].astype(float)
    return [x, w, c], want


# Which makes inputs and what is wanted, and of which extents.
PROGRAMS = {"product_bf16": (product_bf16, [*SHAPES, (1, 8, 8), (129, 136, 8)]),
            "product_f16": (product_f16, [*SHAPES, (8, 72, 129)]),
            "convolution_f16": (convolution_f16, [(0, 1, 1), (1, 1, 1), (2, 3, 67)])}


def compare(checks, name, tile):
    make, shapes = PROGRAMS[name]
    rng = np.random.default_rng(5)
    calls, wanted = zip(*(make(rng, *shape) for shape in shapes))
    run = symrun.run(FILE, calls, entry=name, options=["--target=nvvm", f"--wgmma={tile}"])
    if not checks.ran(run, len(calls), f"{name}, {tile}"):
        return 0
    for shape, (got,), want in zip(shapes, run.results, wanted):
        checks.near(got, want, 2e-4, f"{name} at {shape}, {tile}")
    return sum(want.size for want in wanted)


def main():
    checks, count = Checks(), 0
    for tile in TILES:
        count += sum(compare(checks, name, tile) for name in PROGRAMS)
    checks.that(count >= LEAST, f"at least {LEAST} results", count)
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
