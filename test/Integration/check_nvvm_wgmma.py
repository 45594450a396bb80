# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of bf16 and f16 by wgmma, on the simulator of sm_90a, against NumPy.

    check_nvvm_wgmma.py [NAME]...

Tiles of 128 x 128 and of 128 x 256, at extents of 0, 1, some tiles and steps of terms, and others; both
ways in which terms of an operand can lie in memory; sums that are added to; batches, terms along two
loops, and what follows a product.
"""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import check_nvvm
import symrun
from check_nvvm import FILE, floats
from checking import Checks

OWN = Path(__file__).parent / "Inputs" / "wgmma.mlir"

TILES = ["narrow", "wide"]
LEAST = 90000  # results

# Rows, terms, columns. Rows in memory are whole chunks of 16 bytes, but for the last two.
SHAPES = [(0, 8, 8), (8, 0, 8), (8, 8, 0), (8, 8, 8), (136, 72, 264), (264, 336, 40), (66, 17, 70), (1, 1, 1)]


def cut(array):
    """The nearest bf16 towards zero, as floats."""
    return (array.view(np.uint32) & np.uint32(0xffff0000)).view(np.float32)


def stored(array):
    """As two bytes an element."""
    return (array.view(np.uint32) >> 16).astype(np.uint16).view(np.dtype("V2"))


def floats_of(array):
    """What was stored so, or an array of f32."""
    return (array.view(np.uint16).astype(np.uint32) << 16).view(np.float32) if array.dtype.itemsize == 2 else array


def product_bf16(rng, m, k, n):
    """Terms of A are neighbours in memory, and columns of B."""
    a, b = cut(floats(rng, m, k)), cut(floats(rng, k, n))
    return [a, b], a.astype(float) @ b.astype(float)


def product_f16(rng, m, k, n):
    """Rows of A are neighbours in memory, and terms of B; sums begin with C."""
    a, b, c = floats(rng, k, m).astype(np.float16), floats(rng, n, k).astype(np.float16), floats(rng, m, n)
    return [a, b, c], a.astype(float).T @ b.astype(float).T + c


def blocks(rng, batch, j, m, k, n):
    """Batches, terms along two loops; then a bias, the larger of it and 0, and bf16 again."""
    a, b, bias = cut(floats(rng, batch, j, m, k)), cut(floats(rng, j, k, n)), floats(rng, n)
    want = np.maximum(np.einsum("ijmk,jkn->imn", a.astype(float), b.astype(float)) + bias, 0)
    return [stored(a), stored(b), bias], want


# Which makes inputs and what is wanted, and of which extents.
PROGRAMS = {"product_bf16": (product_bf16, [*SHAPES, (1, 8, 8), (129, 136, 8)]),
            "product_f16": (product_f16, [*SHAPES, (8, 72, 129)]),
            "blocks": (blocks, [(0, 1, 1, 8, 8), (2, 0, 3, 8, 8), (1, 1, 1, 8, 8), (3, 2, 130, 72, 8), (2, 3, 5, 136, 136)])}


def compare(checks, name, tile):
    make, shapes = PROGRAMS[name]
    rng = np.random.default_rng(5)
    calls, wanted = zip(*(make(rng, *shape) for shape in shapes))
    file = FILE if name in check_nvvm.PROGRAMS else OWN
    run = symrun.run(file, calls, entry=name, options=["--target=nvvm", f"--wgmma={tile}"])
    if not checks.ran(run, len(calls), f"{name}, {tile}"):
        return 0
    for shape, (got,), want in zip(shapes, run.results, wanted):
        # Half a unit of the last place of bf16, or what sums in another order may be off by.
        tolerance = 2.0**-8 * max(1, np.abs(want).max(initial=0)) if name == "blocks" else 2e-4
        checks.near(floats_of(got), want, tolerance, f"{name} at {shape}, {tile}")
    return sum(want.size for want in wanted)


def attempt(tile, shape, fail=0):
    """One call of `blocks`; what it gives, and the numbers of the driver's calls for more shared memory."""
    (a, b, bias), want = blocks(np.random.default_rng(2), *shape)
    with tempfile.TemporaryDirectory() as folder:
        paths = [f"{folder}/{i}.npy" for i in range(3)]
        for path, array in zip(paths, (a, b, bias)):
            np.save(path, array)
        environment = {**os.environ, "SYMSHAPE_PTXSIM_TRACE": "1", "SYMSHAPE_PTXSIM_FAIL": str(fail)}
        done = subprocess.run(["symshape-run", OWN, "--entry=blocks", "--target=nvvm", f"--wgmma={tile}",
                               *[f"--input=@{path}" for path in paths], f"--output={folder}/out.npy", "--repeat=2"],
                              capture_output=True, text=True, env=environment)
        got = floats_of(np.load(f"{folder}/out.npy")) if done.returncode == 0 else None
    return done, got, want, re.findall(r"^symshape-ptxsim: (\d+) cuFuncSetAttribute$", done.stderr, re.M)


def choose(checks):
    """Whether there are enough sums; the runtime asks for more shared memory once, and may not get it."""
    for tile, shape, wanted in (("on", (1, 1, 96, 8, 96), 0), ("on", (100, 1, 96, 8, 96), 1), ("wide", (1, 1, 9, 8, 8), 1),
                                ("wide", (1, 1, 9, 7, 8), 0)):
        done, got, want, asked = attempt(tile, shape)
        if checks.that(done.returncode == 0, f"{tile} at {shape}", done.stderr):
            checks.near(got, want, 2.0**-8 * np.abs(want).max(), f"{tile} at {shape}")
        checks.that(len(asked) == wanted, f"{tile} at {shape}: by four warps or not", asked)
    *_, asked = attempt("narrow", (1, 1, 9, 8, 8))
    done, *_ = attempt("narrow", (1, 1, 9, 8, 8), fail=int(asked[0]))
    checks.that(done.returncode == 3 and "cuFuncSetAttribute" in done.stderr.splitlines()[-1], "a refusal", done.stderr)


def main():
    checks, count = Checks(), 0
    if not sys.argv[1:]:
        choose(checks)
    for tile in TILES:
        count += sum(compare(checks, name, tile) for name in sys.argv[1:] or PROGRAMS)
    checks.that(count >= LEAST, f"at least {LEAST} results", count)
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
