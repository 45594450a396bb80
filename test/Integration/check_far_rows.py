# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products whose left rows are a multiple of 4096 bytes apart, beside NumPy.

    check_far_rows.py [OPTION]...

Such rows share one set of the first-level cache, so a tile copies its part of them. The operand is columns of
a wider array; the same columns of a slightly wider one, whose rows are elsewhere in the cache, give the same bits.
"""

import sys
import tempfile
from pathlib import Path

import numpy as np

import symrun
from checking import Checks
from tensors import NUMPY

# Elements in 4096 or 8192 bytes; the largest difference, relative to the largest result.
TYPES = {"f32": (1024, 2e-6), "f64": (1024, 1e-14), "f16": (2048, 2e-3), "i32": (1024, 0)}
ROWS = [0, 1, 7, 8, 9, 13, 14, 15, 22, 31, 200]
# Columns of the left operand: from where, how many; and of the right one.
PARTS = [(0, 1024), (3, 300), (0, 128), (5, 129), (1, 255), (2, 1), (0, 0), (384, 128)]
COLUMNS = 35


def program(element, wide):
    """The product with columns of an array of rows that are `wide` apart."""
    a, b, c = f"tensor<?x{wide}x{element}>", f"tensor<?x?x{element}>", f"tensor<?x?x{element}>"
    zero = "0" if element.startswith("i") else "0.0"
    return f"""func.func @main(%a: {a}, %b: {b}, %from: index) -> {c} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant {zero} : {element}
  %m = tensor.dim %a, %c0 : {a}
  %k = tensor.dim %b, %c0 : {b}
  %n = tensor.dim %b, %c1 : {b}
  %part = tensor.extract_slice %a[0, %from] [%m, %k] [1, 1] : {a} to tensor<?x?x{element}>
  %e = tensor.empty(%m, %n) : {c}
  %f = linalg.fill ins(%zero : {element}) outs(%e : {c}) -> {c}
  %r = linalg.matmul ins(%part, %b : tensor<?x?x{element}>, {b}) outs(%f : {c}) -> {c}
  return %r : {c}
}}
"""


def check(checks, folder, element, options):
    wide, tolerance = TYPES[element]
    rng = np.random.default_rng(wide)

    def draw(*shape):
        values = rng.integers(-50, 50, shape) if element.startswith("i") else rng.standard_normal(shape)
        return values.astype(NUMPY[element])

    calls, more = [], []
    for rows in ROWS:
        for start, terms in PARTS:
            a, b = draw(rows, wide), draw(terms, COLUMNS)
            calls.append([a, b, np.int64(start)])
            more.append([np.pad(a, [(0, 0), (0, 24)]), b, np.int64(start)])
    runs = []
    for width, arguments in ((wide, calls), (wide + 24, more)):
        path = folder / f"{element}.{width}.mlir"
        path.write_text(program(element, width))
        runs.append(symrun.run(path, arguments, options=options))
        if not checks.ran(runs[-1], len(calls), f"{element}, rows {width} apart"):
            return
    for (a, b, start), (actual,), (other,) in zip(calls, *(run.results for run in runs)):
        part = a[:, start:start + len(b)].astype(np.float64)
        expected = part @ b.astype(np.float64)
        scale = np.abs(expected).max(initial=1)
        what = f"{element}, {len(a)} rows, columns {start} to {start + len(b)}"
        checks.close(actual.astype(np.float64) / scale, expected / scale, tolerance, what)
        checks.that(actual.tobytes() == other.tobytes(), f"{what}: the place of rows changes nothing")


def main():
    checks = Checks()
    with tempfile.TemporaryDirectory(prefix="far-rows") as folder:
        for element in TYPES:
            check(checks, Path(folder), element, sys.argv[1:])
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
