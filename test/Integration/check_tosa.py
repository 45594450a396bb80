# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs Inputs/tosa.mlir, lowered by upstream passes, over many shapes.

    check_tosa.py LOWERED.mlir sum|rows|product

Calls that fit give the right result, also at inaccessible pages; all others are
refused with exit status 3 and a message that names the lowered op.
"""

import itertools
import sys

import numpy as np

import symrun
from checking import Checks


def values(*shape):
    return np.random.default_rng(sum(shape)).standard_normal(shape).astype(np.float32)


def sum_calls():
    fits = {(5, 5), (1, 5), (5, 1), (1, 1), (0, 0)}
    for n, m in sorted(fits | {(3, 5), (5, 3), (0, 1), (1, 0), (0, 5), (5, 0)}):
        x, y = values(n), values(m)
        yield [x, y], x + y if (n, m) in fits else None, "linalg.generic"


def rows_calls():
    for n in range(10):
        x = values(n, 4)
        yield [x], x.reshape(3, 4 * n // 3) if n % 3 == 0 else None, "tensor.expand_shape"


def product_calls():
    for k, l in itertools.product((0, 1, 2, 3, 4, 33), repeat=2):
        x, y = values(1, 2, k), values(1, l, 2)
        yield [x, y], x @ y if k == l else None, "linalg.batch_matmul"


def main():
    program, entry = sys.argv[1:]
    checks = Checks()
    calls = list({"sum": sum_calls, "rows": rows_calls, "product": product_calls}[entry]())
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
