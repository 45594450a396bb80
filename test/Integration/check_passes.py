# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the programs of a pass before and after it, beside NumPy.

    check_passes.py PASS

The programs are the sections of Inputs/PASS.mlir. Each names itself and what the
pass has to report: `fires`, or words of the remark that says what is missing.
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import symrun
from checking import Checks

ORACLES = {}


def program(sizes, allocations=None, tolerance=0):
    """Registers an oracle: a function of a random source and one of `sizes`.

    It returns (inputs, outputs). `allocations` are those of one call at a size,
    before and after the pass.
    """

    def register(oracle):
        assert oracle.__name__ not in ORACLES
        ORACLES[oracle.__name__] = (sizes, allocations, tolerance, oracle)
        return oracle

    return register


def numbers(rng, *shape, low=-9, high=10):
    """Whole numbers: their sums and products are exact in any order."""
    return rng.integers(low, high, shape).astype(np.float32)


LENGTHS = [0, 1, 7, 8, 9, 31, 32, 33, 100]
PAIRS = [(0, 0), (0, 3), (3, 0), (1, 1), (2, 1), (5, 7), (8, 33), (3, 64)]


# --- symshape-hoist-allocations ----------------------------------------------


def tiles(n):
    return -(-n // 32)


@program(LENGTHS, lambda n: (1 + tiles(n), 2))
def tile(rng, n):
    x = numbers(rng, n)
    return [x], [x * x + x]


@program(PAIRS, lambda size: (1 + size[0] * size[1], 1 + size[0] * (size[1] > 0)))  # rows of nothing are not looked at
def tails(rng, size):
    x = numbers(rng, *size)
    return [x], [x * np.arange(1, size[1] + 1, dtype=np.float32)]


@program(PAIRS, lambda size: (1 + size[0] // 2, 2))
def branch(rng, size):
    x = numbers(rng, *size)
    return [x], [x[1::2].sum(axis=0)]


@program(PAIRS, lambda size: (1 + size[0] // 2,) * 2)
def undeclared(rng, size):
    return branch(rng, size)


@program(LENGTHS, lambda n: (1 + max(n.bit_length() - 1, 0), 2))
def halving(rng, n):
    x = numbers(rng, n)
    r, k = x.copy(), n
    while k > 1:
        k //= 2
        r[:k] += r[:k]
    return [x], [r]


@program(LENGTHS)
def carried(rng, n):
    x = numbers(rng, n)
    return [x], [5 * x]


@program(LENGTHS, lambda n: (1 + tiles(n),) * 2)
def parallel(rng, n):
    x = numbers(rng, n)
    return [x], [x * x]


# --- symshape-pad-to-static --------------------------------------------------

TRIPLES = [(0, 3, 4), (3, 0, 4), (3, 4, 0), (1, 1, 1), (5, 7, 9), (8, 4, 8), (17, 13, 33)]


@program(TRIPLES)
def matmul(rng, size):
    m, k, n = size
    a, b = numbers(rng, m, k), numbers(rng, k, n)
    return [a, b], [a @ b]


@program(LENGTHS, tolerance=1e-3)
def sum_of_exp(rng, n):
    x, s = rng.uniform(-1, 1, n).astype(np.float32), numbers(rng)
    return [x, s], [s + np.exp(x).sum(dtype=np.float32)]


@program(LENGTHS, tolerance=1e-3)
def fused_sum_of_exp(rng, n):
    return sum_of_exp(rng, n)


@program([(n, f) for n in LENGTHS for f in (3.0, -np.inf)])
def scaled_sum(rng, size):
    n, factor = size
    x = numbers(rng, n, low=1)
    return [x, np.float32(factor)], [(x * np.float32(factor)).sum(dtype=np.float32)]


@program([pair for pair in PAIRS if pair[1]])
def row_max(rng, size):
    x = numbers(rng, *size, high=0)
    return [x], [x.max(axis=1)]


@program(LENGTHS)
def convolution(rng, n):
    x, f, init = numbers(rng, n + 2), numbers(rng, 3), numbers(rng, n)
    return [x, f, init], [init + sum(f[i] * x[i : i + n] for i in range(3))]


@program(LENGTHS)
def divide(rng, n):
    x, y = rng.integers(-99, 99, n), rng.integers(1, 9, n)
    return [x.astype(np.int32), y.astype(np.int32)], [np.trunc(x / y).astype(np.int32)]


@program(PAIRS)
def rows(rng, size):
    x, s = numbers(rng, *size), numbers(rng, size[1])
    return [x, s], [s + x.sum(axis=0)]


@program(PAIRS)
def undeclared_rows(rng, size):
    return rows(rng, size)


# --- symshape-remove-masks ---------------------------------------------------


@program([0, 8, 16, 88])
def multiple(rng, n):
    x = numbers(rng, n)
    return [x], [3 * x]


@program(LENGTHS)
def any_length(rng, n):
    x = numbers(rng, n)
    return [x], [2 * x]


@program(LENGTHS)
def peeled(rng, n):
    return any_length(rng, n)


@program(LENGTHS)
def branch_on_length(rng, n):
    x = numbers(rng, n)
    return [x], [np.where(np.arange(n) < 8, x, 0)]


@program(LENGTHS)
def unknown_length(rng, n):
    x = numbers(rng, n)
    return [x], [np.pad(x[:8], (0, max(8 - n, 0)))]


@program([0, 1, 3, 8])
def columns(rng, m):
    x = numbers(rng, m, 16)
    return [x], [2 * x]


# --- the check ---------------------------------------------------------------


def apply_pass(name, source, target):
    """Rewrites the program; returns what it reported, as (kind, text)."""
    command = ["symshape-opt", str(source), f"--{name}", "-o", str(target),
               "--remarks-filter=symshape-.*", "--remark-policy=all",
               "--remark-format=emitRemark"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return re.findall(r'remark: \[(Passed|Missed)\].*Remark="(.*)"', done.stderr)


def count_allocations(path, calls, results):
    run = symrun.run(path, calls, results=results, options=["--verbose", "--plan-memory=off"])
    assert run.status == 0, run.stderr
    return int(re.search(r"allocations: .* total (\d+)", run.stderr)[1])


def check(checks, name, text, folder):
    section, expected = re.search(r"// program: (\S+) (.*)", text).groups()
    sizes, allocations, tolerance, oracle = ORACLES[section]
    rng = np.random.default_rng(7)
    calls = [oracle(rng, size) for size in sizes]
    inputs = [call for call, _ in calls]
    before, after = folder / f"{section}.mlir", folder / f"{section}.after.mlir"
    before.write_text(text)
    reported = apply_pass(name, before, after)
    missed = [words for kind, words in reported if kind == "Missed"]
    if expected == "fires":
        checks.that(not missed, f"{section}: nothing is missed", f"  {missed}")
        checks.that(reported, f"{section}: the pass fires")
    else:
        checks.that(any(expected in words for words in missed),
                    f"{section}: a remark has '{expected}'", f"  {reported}")
    for path in before, after:
        run = symrun.run(path, inputs, results=len(calls[0][1]), options=["--guard-pages"])
        if not checks.ran(run, len(calls), path.name):
            continue
        for size, (_, outputs), actual in zip(sizes, calls, run.results):
            for i, (a, e) in enumerate(zip(actual, outputs)):
                checks.close(a, e, tolerance, f"{path.name} at {size}, result {i}")
    if allocations:
        for i, path in enumerate([before, after]):
            number = count_allocations(path, inputs, len(calls[0][1]))
            wanted = sum(allocations(size)[i] for size in sizes)
            checks.that(number == wanted, f"{path.name}: {wanted} allocations", f"  {number}")


def main():
    checks = Checks()
    name = sys.argv[1]
    text = (Path(__file__).parent / "Inputs" / f"{name}.mlir").read_text()
    with tempfile.TemporaryDirectory(prefix="passes") as folder:
        for section in text.split("// -----"):
            check(checks, f"symshape-{name}", section, Path(folder))
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
