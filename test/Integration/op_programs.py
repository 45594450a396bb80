# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What tests of single ops share: a function around them, and arrays for it."""

from pathlib import Path

import numpy as np

import symrun

SHAPES = [(0, 3), (3, 0), (1, 1), (2, 1), (1, 5), (7, 9), (33, 4), (5, 64)]
DTYPES = {"f64": np.float64, "f32": np.float32, "i64": np.int64, "i32": np.int32}


class Programs:
    """Writes and runs one program after the other."""

    def __init__(self, checks, folder):
        self.checks, self.path = checks, Path(folder) / "m.mlir"

    def write(self, body, arguments, types):
        """A function whose body defines %r0, %r1, ... of `types`."""
        texts = ", ".join(f"%a{i}: {type_}" for i, type_ in enumerate(arguments))
        names = ", ".join(f"%r{i}" for i in range(len(types)))
        listed = ", ".join(types)
        self.path.write_text(f"func.func @main({texts}) -> ({listed}) {{\n{body}\n  return {names} : {listed}\n}}\n")

    def run(self, what, body, arguments, types, calls, oracle, tolerance=0.0):
        """Compares the results of a call with those of `oracle`, all of them."""
        self.write(body, arguments, types)
        run = symrun.run(self.path, calls, results=len(types), options=["--guard-pages"])
        if self.checks.ran(run, len(calls), what):
            for number, (results, call) in enumerate(zip(run.results, calls)):
                for one, expected in zip(results, oracle(*call), strict=True):
                    self.checks.close(one, np.asarray(expected), tolerance, f"{what}, call {number}")
                    self.checks.that(one.dtype == np.asarray(expected).dtype, f"{what}, call {number}: type")

    def refused(self, what, body, arguments, types, call, words=()):
        self.write(body, arguments, types)
        self.checks.refused(symrun.run(self.path, [call], results=len(types)), words, what)


def integers(shape, dtype, seed=3):
    """With ties; sums of them are exact."""
    return np.random.default_rng(seed).integers(-4, 5, shape).astype(DTYPES[dtype])
