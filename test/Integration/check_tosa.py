# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs Inputs/tosa.mlir, as it is or lowered by upstream passes, over many shapes.

    check_tosa.py PROGRAM.mlir sum|rows|product

As it is, only a literal 1 expands; lowered, any extent that turns out to be 1.

Calls that fit give the right result, also at inaccessible pages; all others are
refused with exit status 3 and a message that names the op.
"""

import itertools
import sys
from pathlib import Path

import numpy as np

import symrun
from checking import Checks


def values(*shape):
    return np.random.default_rng(sum(shape)).standard_normal(shape).astype(np.float32)


def sum_calls(is_lowered):
    fits = {(5, 5), (1, 1), (0, 0)} | ({(1, 5), (5, 1)} if is_lowered else set())
    for n, m in sorted(fits | {(1, 5), (5, 1), (3, 5), (5, 3), (0, 1), (1, 0), (0, 5), (5, 0)}):
        x, y = values(n), values(m)
        yield [x, y], x + y if (n, m) in fits else None, "linalg.generic" if is_lowered else "tosa.add"


def rows_calls(is_lowered):
    for n in range(10):
        x = values(n, 4)
        yield [x], x.reshape(3, 4 * n // 3) if n % 3 == 0 else None, "tensor.expand_shape" if is_lowered else "tosa.reshape"


def product_calls(is_lowered):
    for k, l in itertools.product((0, 1, 2, 3, 4, 33), repeat=2):
        x, y = values(1, 2, k), values(1, l, 2)
        yield [x, y], x @ y if k == l else None, "linalg.batch_matmul" if is_lowered else "tosa.matmul"


def main():
    program, entry = sys.argv[1:]
    checks = Checks()
    calls = list({"sum": sum_calls, "rows": rows_calls, "product": product_calls}[entry](
        "tosa." not in Path(program).read_text()))
    fitting = [(inputs, expected) for inputs, expected, _ in calls if expected is not None]
    for options in ([], ["--guard-pages"]):
        run = symrun.run(program, [inputs for inputs, _ in fitting], entry=entry, options=options)
        if checks.ran(run, len(fitting), f"{entry} {' '.join(options)}"):
            for (inputs, expected), (actual,) in zip(fitting, run.results):
                shapes = ", ".join(str(array.shape) for array in inputs)
                checks.close(actual, expected, 1e-5, f"{entry} of {shapes}")
    for inputs, expected, op in calls:
        if expected is None:
            shapes = ", ".join(str(array.shape) for array in inputs)
            run = symrun.run(program, [inputs], entry=entry)
            checks.refused(run, [op], f"{entry} of {shapes}")
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
