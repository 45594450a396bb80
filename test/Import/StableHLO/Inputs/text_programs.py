# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs in text, each compiled once and run beside NumPy: what the scripts that have them share."""

import sys
from pathlib import Path

import numpy as np
import symshape_c

SIZES = (0, 1, 2, 7, 33)
PROGRAMS = {}
random = np.random.default_rng(5)


def floats(*shape):
    return (4 * random.standard_normal(shape)).astype(np.float32)


def program(text):
    def add(check):
        PROGRAMS[check.__name__] = text, check
    return add


def main():
    library, folder = sys.argv[1], Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    compared = 0
    for name, (text, check) in PROGRAMS.items():
        path = folder / f"{name}.mlir"
        path.write_text(text)
        for results, expected, bound in check(symshape_c.Program(path, library=library)):
            bounds = bound if isinstance(bound, tuple) else [bound] * len(results)
            for one, two, most in zip(results, expected, bounds, strict=True):
                assert one.dtype == two.dtype and one.shape == two.shape, (name, one.dtype, one.shape, two.dtype, two.shape)
                apart = np.abs(one.astype(np.float64) - two).max(initial=0)
                assert apart <= most, f"{name}: {apart} of at most {most} apart:\n{one}\n{two}"
                compared += 1
    print(f"{len(PROGRAMS)} programs, {compared} results")
