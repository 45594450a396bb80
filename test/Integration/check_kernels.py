# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the programs of Inputs/kernels.mlir at many shapes beside NumPy.

    check_kernels.py [--cpu=NAME] [NAME]...

Each program is compiled once and run under --guard-pages, at three shapes or
more, extents 0 and 1 among them, and shapes beyond every block of rows and columns
and every part of a sum, of each CPU. Without names, all programs.
"""

import itertools
import math
import re
import sys
import tempfile
from pathlib import Path

import numpy as np

import symrun
from checking import Checks, split_arguments

FILE = Path(__file__).parent / "Inputs" / "kernels.mlir"
KERNELS = {}


def kernel(shapes, tolerance=2e-5, large=()):
    """Registers an oracle: a function of a random source and one of `shapes`, or of the `large` ones.

    It returns (inputs, outputs).
    """

    def register(oracle):
        assert oracle.__name__ not in KERNELS
        KERNELS[oracle.__name__] = ([*shapes, *large], tolerance, oracle)
        return oracle

    return register


def floats(rng, *shape):
    return rng.uniform(-1, 1, shape).astype(np.float32)


def product(a, b):
    """The matrix product, without the rounding of float32 sums."""
    return (a.astype(np.float64) @ b).astype(np.float32)


TRIPLES = [(0, 3, 4), (3, 0, 4), (3, 4, 0), (1, 1, 1), (2, 3, 5), (7, 16, 32), (8, 33, 31),
           (13, 64, 48), (65, 17, 100), (1, 384, 96)]
# One or two rows of sums stay in memory, in runs of a few thousand columns.
FEW_ROWS = [(m, k, n) for m in (1, 2) for k in (0, 1, 8, 265) for n in (1, 48, 4101)]
# Several panels of columns, parts of sums, and blocks of rows, whose part of the left operand takes at most
# half of a second-level cache: 128 KiB to 1 MiB. The last of each has a tail.
BLOCKS = [(300, 1000, 70), (700, 520, 33), (3, 2000, 1000)]
PAIRS = [(0, 0), (0, 3), (3, 0), (1, 1), (2, 5), (1, 16), (16, 1), (5, 33), (7, 77), (3, 130)]


@kernel(TRIPLES + FEW_ROWS, large=BLOCKS)
def matmul(rng, m, k, n):
    a, b = floats(rng, m, k), floats(rng, k, n)
    return [a, b], [product(a, b)]


@kernel(TRIPLES + FEW_ROWS, large=BLOCKS)
def matmul_f64(rng, m, k, n):
    a, b = rng.uniform(-1, 1, (m, k)), rng.uniform(-1, 1, (k, n))
    return [a, b], [a @ b]


@kernel(TRIPLES + FEW_ROWS, tolerance=0, large=BLOCKS)
def matmul_i32(rng, m, k, n):
    a, b = (rng.integers(-9, 9, shape).astype(np.int32) for shape in ((m, k), (k, n)))
    return [a, b], [a @ b]


@kernel(TRIPLES + FEW_ROWS, large=BLOCKS)
def matmul_f16(rng, m, k, n):
    a, b = floats(rng, m, k).astype(np.float16), floats(rng, k, n).astype(np.float16)
    return [a, b], [product(a, b)]


@kernel(TRIPLES, tolerance=0, large=[(130, 600, 70)])
def matmul_narrow(rng, m, k, n):
    a, b = (rng.integers(-999, 999, shape).astype(np.int16) for shape in ((m, k), (k, n)))
    narrow = lambda x, bits: (x.astype(np.int32) << (32 - bits)) >> (32 - bits)
    return [a, b], [narrow(a, bits) @ narrow(b, bits) for bits in (16, 4, 1)]


@kernel(TRIPLES + FEW_ROWS)
def matmul_apart(rng, m, k, n):
    a, b, c = floats(rng, m, k), floats(rng, k, 2 * n), floats(rng, m, 2 * n)
    sums = c.copy()
    sums[:, ::2] += product(a, b[:, ::2])
    return [a, b, c], [sums]


@kernel(TRIPLES + FEW_ROWS, large=BLOCKS)
def matmul_onto(rng, m, k, n):
    a, b, c = floats(rng, m, k), floats(rng, k, n), floats(rng, m, n)
    return [a, b, c], [c + product(a, b)]


@kernel([(m, k, n) for m in (0, 1, 2, 13, 14, 15, 33) for k in (0, 1, 17) for n in (0, 32, 64, 160)],
        large=[(300, 1000, 64), (700, 520, 96)])
def whole_panels(rng, m, k, n):
    a, b, bias = floats(rng, m, k), floats(rng, k, n), floats(rng, n)
    return [a, b, bias], [product(a, b) + bias]


@kernel([(m,) for m in (0, 1, 2, 3, 7, 8, 9, 33, 100)], large=[(2000,), (6001,)])
def projection(rng, m):
    x, w, b = floats(rng, m, 48), floats(rng, 48, 48), floats(rng, 48)
    v = x.astype(np.float64) @ w.T + b
    erf = np.vectorize(math.erf, otypes=[np.float64])(v / math.sqrt(2))
    return [x, w, b], [(0.5 * v * (1 + erf) + x).astype(np.float32)]


@kernel([(s, *triple) for s, triple in itertools.product((0, 1, 5), TRIPLES)],
        large=[(7, 60, 70, 80), (2, 300, 1000, 70)])
def batch_matmul(rng, s, m, k, n):
    a, b = floats(rng, s, m, k), floats(rng, s, k, n)
    return [a, b], [product(a, b)]


@kernel(TRIPLES, large=BLOCKS)
def matmul_transposed(rng, m, k, n):
    a, b = floats(rng, m, k), floats(rng, n, k)
    return [a, b], [product(a, b.T)]


@kernel([(m, k, n) for m in (0, 1, 8, 9, 10, 33) for k in (0, 1, 17) for n in (0, 48, 144)],
        large=[(300, 1000, 96)])
def panels_of_three(rng, m, k, n):
    return matmul_transposed(rng, m, k, n)


@kernel([(n,) for n in (0, 1, 2, 15, 16, 17, 100, 1000)], large=[(20001,)])
def dot(rng, n):
    a, b = floats(rng, n), floats(rng, n)
    return [a, b], [np.array(a.astype(np.float64) @ b, np.float32)]


@kernel(PAIRS, large=[(500, 300), (3, 40001)])
def softmax(rng, m, n):
    x = floats(rng, m, n) * 20
    e = np.exp(x.astype(np.float64) - x.max(axis=1, initial=-np.inf, keepdims=True))
    return [x], [(e / e.sum(axis=1, keepdims=True)).astype(np.float32)]


LENGTHS = [0, 1, 2, 15, 16, 17, 63, 64, 65, 130, 1000]


@kernel([(b, m, n, odd) for b, m in ((0, 2), (1, 1), (2, 3)) for n in LENGTHS for odd in (False, True)],
        large=[(3, 50, 1001, True)])
def softmax_named(rng, b, m, n, odd):
    x = floats(rng, b, m, n) * 20
    if odd and x.size:
        x[0, 0, rng.integers(n)] = np.nan
        x[-1, -1, rng.integers(n)] = np.inf
        x[0, m // 2] = -np.inf
        x[-1, m // 2, rng.integers(n)] = -np.inf
    with np.errstate(invalid="ignore"):
        largest = np.fmax.reduce(x, axis=2, initial=-np.inf, keepdims=True)
        e = np.exp(x.astype(np.float64) - largest)
        return [x], [(e / e.sum(axis=2, keepdims=True)).astype(np.float32)]


@kernel([(m, n) for m in (0, 1, 3) for n in LENGTHS], tolerance=1e-4, large=[(300, 1001), (2, 5000)])
def layer_norm(rng, m, n):
    x, g = floats(rng, m, n) + 1, floats(rng, n)
    v = x.astype(np.float64)
    mean = v.sum(axis=1, keepdims=True) / max(n, 1)
    variance = ((v - mean) ** 2).sum(axis=1, keepdims=True) / max(n, 1)
    y = (v - mean) / np.sqrt(variance + 1e-5) * g + v
    return [x, g], [y.astype(np.float32), v.sum(axis=1).astype(np.float32)]


@kernel([(1, 0, 3), (0, 2, 2), (2, 3, 0), (1, 1, 1), (2, 2, 2), (1, 15, 17), (2, 31, 16), (1, 32, 63), (1, 33, 64),
         (3, 65, 65), (1, 70, 1000)], large=[(6, 300, 200), (2, 120, 1001)])
def attention(rng, b, m, n):
    q, k, v = floats(rng, b, m, 8) * 9, floats(rng, b, n, 8) * 9, floats(rng, b, n, 24)
    mask = np.where(rng.integers(0, 4, (b, n)), 0, np.finfo(np.float32).min).astype(np.float32)
    if b > 2:
        v[1, 0, 0] = q[2, 1, 0] = np.nan
    with np.errstate(invalid="ignore"):
        s = product(q, k.transpose(0, 2, 1)) / 4 + mask[:, None]
        e = np.exp(s.astype(np.float64) - s.max(axis=2, initial=-np.inf, keepdims=True))
        p = e / e.sum(axis=2, keepdims=True)
        return [q, k, v, mask], [(p @ v).astype(np.float32)]


@kernel([(m, n) for m in (0, 1, 40) for n in LENGTHS], tolerance=0, large=[(5, 20001)])
def extremes(rng, m, n):
    x = floats(rng, m, n)
    few = rng.integers(0, 4, m)  # rows of zeros, of zeros and one sign, of all
    for i in range(m):
        if few[i] < 3:
            x[i] = rng.choice(np.array([0.0, -0.0], np.float32), n)
        if few[i] == 1:
            x[i] = np.where(rng.integers(0, 2, n), -0.0, -np.abs(floats(rng, n)))
        if few[i] == 2:
            x[i] = np.where(rng.integers(0, 2, n), 0.0, np.abs(floats(rng, n)))
    special = np.array([np.nan, -np.nan, np.inf, -np.inf], np.float32)
    for i in range(0, m if n else 0, 3):
        x[i, rng.integers(n)] = special[rng.integers(4)]
    largest, smallest = (f(x, axis=1, initial=i) for f, i in ((np.max, -np.inf), (np.min, np.inf)))
    numbers = [f.reduce(x, axis=1, initial=i) for f, i in ((np.fmax, -np.inf), (np.fmin, np.inf))]
    # NumPy leaves the sign of a zero to chance; NaN is the quiet one, without a sign.
    plus = np.array([((r == 0) & ~np.signbit(r)).any() for r in x], bool)
    minus = np.array([((r == 0) & np.signbit(r)).any() for r in x], bool)
    signs = [np.where(np.isnan(largest), 1, np.where(largest == 0, np.where(plus, 1, -1), np.copysign(1, largest))),
             np.where(np.isnan(smallest), 1, np.where(smallest == 0, np.where(minus, -1, 1), np.copysign(1, smallest)))]
    return [x], [largest, smallest, *numbers, *(s.astype(np.float32) for s in signs)]


@kernel([(n,) for n in (0, 1, 2, 15, 16, 17, 100)], large=[(50001,)])
def functions(rng, n):
    x = floats(rng, n) * 3
    x[np.abs(x) < 0.05] = 1.0
    v = x.astype(np.float64)
    erf = np.vectorize(math.erf, otypes=[np.float64])(v)
    expected = erf + np.exp(v) + np.tanh(v) + np.log(np.abs(v)) + 1 / np.sqrt(np.abs(v))
    return [x], [expected.astype(np.float32)]


@kernel(PAIRS, large=[(700, 333), (3, 20001)])
def column_sums(rng, m, n):
    x = floats(rng, m, n)
    return [x], [x.sum(axis=0)]


@kernel([(*pair, nan) for pair in PAIRS for nan in (False, True)], tolerance=0,
        large=[(400, 1001, False), (400, 1001, True)])
def largest(rng, m, n, nan):
    x = floats(rng, m, n)
    if nan and x.size:
        x.flat[x.size // 2] = np.nan
    return [x], [np.array(x.max(initial=-np.inf), np.float32)]


@kernel(TRIPLES, tolerance=0, large=[(30, 100, 110)])
def transpose(rng, a, b, c):
    x = floats(rng, a, b, c)
    return [x], [x.transpose(2, 0, 1)]


@kernel(TRIPLES, tolerance=0)
def concat(rng, m, a, b):
    x, y = floats(rng, m, a), floats(rng, m, b)
    return [x, y], [np.concatenate([x, y], axis=1)]


@kernel(PAIRS, tolerance=0)
def pad(rng, m, n):
    x = floats(rng, m, n)
    return [x], [np.pad(x, ((1, 2), (0, 3)), constant_values=7)]


@kernel([(1,), (2,), (9,), (33,)], tolerance=0)
def slices(rng, n):
    x = floats(rng, n, 6)
    return [x], [x[1:], x[:, 1::2]]


@kernel([(0, 0), (1, 0), (1, 1), (5, 2), (40, 17)], tolerance=0)
def insert(rng, m, n):
    x, y = floats(rng, m, 3), floats(rng, n, 3)
    return [x, y], [np.concatenate([y, x[n:]])]


@kernel([(0, 5, 5), (1, 3, 3), (1, 2, 5), (2, 6, 9), (3, 17, 4)], large=[(2, 60, 150)])
def convolution(rng, n, h, w):
    x, f = floats(rng, n, h, w, 2), floats(rng, 3, 3, 2, 5)
    r = np.zeros((n, h - 2, w - 2, 5), np.float32)
    for i, j in itertools.product(range(3), range(3)):
        r += x[:, i : i + h - 2, j : j + w - 2] @ f[i, j]
    return [x, f], [r]


@kernel([(0, 4, 4), (1, 1, 1), (1, 2, 3), (2, 7, 8), (1, 0, 6)], tolerance=0, large=[(2, 90, 200)])
def pooling(rng, n, h, w):
    x = floats(rng, n, h, w, 3)
    even = x[:, : h // 2 * 2, : w // 2 * 2].reshape(n, h // 2, 2, w // 2, 2, 3)
    return [x], [even.max(axis=(2, 4))]


@kernel([(1, 1, 0), (1, 1, 1), (9, 6, 4), (30, 33, 17), (5, 0, 3)], tolerance=0)
def look_up(rng, rows, width, n):
    table, ids = floats(rng, rows, width), rng.integers(0, rows, n)
    return [table, ids], [table[ids]]


@kernel([pair for pair in PAIRS if pair[1]], tolerance=0)
def argmax(rng, m, n):
    x = floats(rng, m, n)
    return [x], [x.max(axis=1), x.argmax(axis=1)]


@kernel([(n,) for n in (0, 1, 2, 31, 32, 33, 100)], tolerance=0)
def choose_elements(rng, n):
    c = rng.integers(0, 2, n).astype(bool)
    a, b = floats(rng, n).astype(np.float16), floats(rng, n).astype(np.float16)
    return [c, a, b], [np.where(c, a, b + b)]


@kernel(PAIRS)
def loop(rng, m, n):
    x = floats(rng, m, n)
    return [x], [x.sum(axis=0)]


@kernel(PAIRS, tolerance=0)
def branch(rng, m, n):
    x = floats(rng, m, n)
    return [x], [x + x if m > n else x]


@kernel([(0,), (1,), (5,), (100,)], tolerance=0)
def returned(rng, n):
    x = floats(rng, n)
    return [x], [x, np.array([1, 2, 3], np.float32), x + x, x + x]


@kernel([(2, 3, True), (2, 3, False), (0, 1, True), (0, 1, False), (5, 5, False)], tolerance=0)
def choose(rng, m, n, first):
    a, b = floats(rng, m), floats(rng, n)
    chosen = a if first else b
    return [a, b, np.bool_(first)], [chosen, chosen + chosen]


@kernel([(0, 3), (1, 0), (3, 1), (5, 4), (2, -1)], tolerance=0)
def grow(rng, n, times):
    x = floats(rng, n)
    return [x, np.int64(times)], [np.tile(x, 1 + max(times, 0))]


@kernel([(0,), (1,), (2,), (3,), (5,), (17,), (64,)], tolerance=0)
def halve(rng, n):
    x = floats(rng, n)
    t, steps = x, 0
    while len(t) > 2:
        half = len(t) // 2
        t, steps = 2 * t[half : 2 * half], steps + 1
    return [x], [t, np.int64(steps)]


@kernel([(0, 0), (0, 2), (2, 0), (1, 1), (7, 3), (3, 19)], tolerance=0)
def blocks(rng, m, n):
    x, y = floats(rng, m), floats(rng, n)
    return [x, y], [np.abs(x if m > n else y)]


@kernel([(0, 0), (0, 2), (2, 0), (1, 1), (2, 1), (7, 3), (3, 19)], tolerance=0)
def returns(rng, m, n):
    x, y = floats(rng, m), floats(rng, n)
    return [x, y], [x if m > n else y, x if m <= n else x + x if m < 3 else y]


@kernel([(0,), (1,), (2,), (5,), (16,), (39,)], tolerance=1e-6)
def calls(rng, n):
    def sums(t):
        return t[: len(t) // 2 * 2].reshape(-1, 2).sum(axis=1)

    x = floats(rng, n)
    return [x], [sums(x), sums(sums(x))]


@kernel([(0,), (1,), (5,), (16,), (33,)], tolerance=0)
def integers(rng, n):
    a, b = (rng.integers(-(2**31), 2**31, n).astype(np.int32) for _ in range(2))
    d = np.maximum(b, 1)
    return [a, b], [a * b, a // d, np.fmod(a, d)]


def programs():
    """Name to text of each section of the file."""
    sections = [(re.search(r"// kernel: (\w+)", section)[1], section) for section in FILE.read_text().split("// -----")]
    assert len(dict(sections)) == len(sections)
    return dict(sections)


def check(checks, name, text, cpu):
    shapes, tolerance, oracle = KERNELS[name]
    rng = np.random.default_rng(7)
    calls = [oracle(rng, *shape) for shape in shapes]
    with tempfile.NamedTemporaryFile("w", suffix=".mlir", prefix=name) as file:
        file.write(text)
        file.flush()
        # With guard pages each buffer is one of its own; without, they share an arena, of which no CPU knows.
        runs = {option: symrun.run(file.name, [inputs for inputs, _ in calls],
                                   results=len(calls[0][1]), options=[option, *cpu])
                for option in ("--guard-pages", *([] if cpu else ["--plan-memory=on"]))}
    for option, run in runs.items():
        if not checks.ran(run, len(calls), f"{name} {option} {cpu}"):
            continue
        for shape, (_, expected), actual in zip(shapes, calls, run.results):
            for i, (a, e) in enumerate(zip(actual, expected)):
                checks.near(a, e, tolerance, f"{name} {option} at {shape}, result {i}")


def main():
    checks = Checks()
    texts = programs()
    checks.that(set(texts) == set(KERNELS), "every program has an oracle")
    cpu, names = split_arguments(sys.argv[1:])
    for name in names or texts:
        check(checks, name, texts[name], cpu)
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
