# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Networks in TOSA with open extents beside NumPy, by both rules of broadcasting.

    check_tosa_networks.py PROGRAMS.mlir [NAME]...

Each runs under --guard-pages; results of integers must be equal, floats near 1e-5. Calls that
only NumPy's rule allows, and calls that none does, are refused.
"""

import sys
from pathlib import Path

import numpy as np

import symrun
from check_tosa_ops import pad_image, windows
from checking import Groups

group = Groups()
MODES = ("strict", "numpy")


class Programs:
    path = None

    def __init__(self, checks, _):
        self.checks = checks

    def run(self, name, calls, oracle, refused=(), numpy_only=()):
        """`refused` are refused by both rules; `numpy_only` by the strict one."""
        for mode in MODES:
            options = ["--guard-pages", f"--symshape-tosa-broadcast={mode}"]
            good = [*calls, *numpy_only] if mode == "numpy" else calls
            bad = refused if mode == "numpy" else [*refused, *numpy_only]
            expected = [oracle(*call) for call in good]
            run = symrun.run(self.path, good, entry=name, results=len(expected[0]), options=options)
            if self.checks.ran(run, len(good), f"{name}, {mode}"):
                for number, (actual, wanted) in enumerate(zip(run.results, expected)):
                    for i, (one, other) in enumerate(zip(actual, wanted, strict=True)):
                        what = f"{name}, {mode}, call {number}, result {i}"
                        self.checks.that(one.dtype == other.dtype, f"{what}: {other.dtype}", f"  {one.dtype}")
                        self.checks.near(one, other, 0 if other.dtype.kind == "i" else 1e-5, what)
            for call in bad:
                self.checks.refused(symrun.run(self.path, [call], entry=name, results=len(expected[0]), options=options),
                                    ["tosa."], f"{name}, {mode}, {[a.shape for a in call]}")


def floats(*extents):
    return np.random.default_rng(sum(extents)).standard_normal(extents).astype(np.float32)


def bytes_(*extents):
    return np.random.default_rng(sum(extents)).integers(-128, 128, extents).astype(np.int8)


@group
def separable(programs):
    def oracle(x, stem, depth, point, bias):
        wide = [a.astype(np.float64) for a in (x, stem, depth, point, bias)]
        x64, stem, depth, point, bias = wide
        s = np.einsum("nyxijc,oijc->nyxo", windows(pad_image(x64, (1, 0, 1, 0)), (3, 3), (2, 2)), stem)
        d = np.einsum("nyxijc,ijc->nyxc", windows(pad_image(s, (2, 2, 1, 1)), (3, 3), (1, 1), (2, 1)), depth[..., 0])
        p = np.einsum("nyxc,oc->nyxo", np.clip(d, 0, 6), point[:, 0, 0]) + bias
        # Places between two rows are those of the later one.
        rows, columns = (np.minimum((np.arange(2 * e) + 1) // 2, e - 1) for e in p.shape[1:3])
        both = np.concatenate([p[:, rows][:, :, columns], x64], 3)
        pool = both.reshape(both.shape[0], both.shape[1] // 2, 2, both.shape[2] // 2, 2, both.shape[3]).max((2, 4))
        return [pool.sum((1, 2), keepdims=True).astype(np.float32)]

    def call(n, h, w, c=3, mid=5, out=4, bias=None):
        return [floats(n, h, w, c), floats(mid, 3, 3, c) / 3, floats(3, 3, mid, 1), floats(out, 1, 1, mid) / 2, floats(bias or out)]
    programs.run("separable", [call(1, 4, 6), call(2, 2, 2), call(0, 4, 4), call(1, 10, 14, 1, 1, 1), call(3, 32, 18, 2, 17, 9),
                               call(1, 4, 4, 3, 8, 0), call(1, 66, 130, 3, 16, 8)], oracle,
                 [call(1, 5, 6), call(1, 4, 7), call(1, 0, 4), call(1, 4, 6, bias=3)], [call(1, 4, 6, bias=1)])


@group
def quantised(programs):
    def rescale(v, multiplier, shift, twice):
        v, multiplier, shift = v.astype(object), np.array(multiplier, object), np.array(shift, object)
        rounding = 1 << (shift - 1)
        if twice:
            rounding = rounding + np.where((v >= 0), 1 << 30, -(1 << 30)) * (shift > 31)
        return (v * multiplier + rounding) >> shift

    def oracle(x, w, m, bias, values):
        view = windows(np.pad(x, ((0, 0), (0, 1), (1, 0), (0, 0)), constant_values=-3), (2, 2), (1, 1)).astype(np.int64) + 3
        c = np.einsum("nyxijc,oijc->nyxo", view, w.astype(np.int64)) + bias
        q = np.clip(rescale(c, [1518500250, 2000000000, 1073741824], [36, 35, 34], True) + 5, -128, 127).astype(np.int64)
        t = values[q + 128]
        p = (t.reshape(1, -1, 3).astype(np.int64) - 5) @ m.astype(np.int64)
        codes = np.clip(rescale(p, 1288490189, 38, False), -128, 127).astype(np.int64)
        return [codes.argmax(2).astype(np.int32), t]

    def call(n, h, w, classes=4):
        return [bytes_(n, h, w, 2), bytes_(3, 2, 2, 2), bytes_(1, 3, classes), np.array([900, -77, 0], np.int32), bytes_(256)]
    programs.run("quantised", [call(1, 4, 5), call(2, 1, 1), call(0, 3, 3), call(1, 7, 9, 1), call(3, 33, 17, 10), call(1, 128, 65, 3)], oracle,
                 [call(1, 4, 5, 0), call(1, 0, 5), call(1, 5, 0)])


@group
def iterate(programs):
    def oracle(x, w, n):
        v = x.astype(np.float64)
        for _ in range(int(n)):
            v = w.astype(np.float64) @ v
            norm = (v * v).sum()
            v = v / np.sqrt(norm) if norm > 4 else v
        return [v.astype(np.float32), np.array(max(int(n), 0), np.int32)]

    def call(b, k, n, rows=None):
        return [floats(b, k, 1), floats(b, rows or k, k) / 2, np.array(n, np.int32)]
    programs.run("iterate", [call(b, k, n) for b, k in ((1, 1), (2, 3), (0, 3), (3, 0), (1, 17), (2, 65)) for n in (0, 1, 5, -2)], oracle,
                 [call(2, 3, 2, 4), [floats(2, 3, 1), floats(1, 3, 3), np.array(2, np.int32)]])


@group
def attention(programs):
    def oracle(q, cache, new, places, chosen, mask):
        full = cache.astype(np.float64)
        np.put_along_axis(full, places[:, :, None].astype(int), new.astype(np.float64), 1)
        k = np.take_along_axis(full, chosen[:, :, None].astype(int), 1)
        s = np.where(mask, q.astype(np.float64) @ k.transpose(0, 2, 1), -1e9)
        e = np.exp(s - s.max(2, keepdims=True))
        return [((e / e.sum(2, keepdims=True)) @ k).astype(np.float32), full.astype(np.float32)]

    def call(b, queries, rows, written, chosen, width, of_mask=None):
        rng = np.random.default_rng(b + queries + rows + written + chosen + width)
        places = np.array([rng.permutation(rows)[:written] for _ in range(b)], np.int32).reshape(b, written)
        return [floats(b, queries, width), floats(b, rows, width), floats(b, written, width), places,
                rng.integers(0, max(rows, 1), (b, chosen)).astype(np.int32), rng.integers(0, 2, of_mask or (1, queries, chosen)).astype(bool)]
    wrong = call(2, 3, 5, 2, 4, 6)
    outside = [*wrong[:4], np.full((2, 4), 5, np.int32), wrong[5]]
    programs.run("attention", [call(2, 3, 5, 2, 4, 6), call(1, 1, 1, 1, 1, 1), call(0, 3, 5, 2, 4, 6), call(2, 0, 5, 2, 4, 6),
                               call(2, 3, 5, 0, 4, 0), call(3, 17, 65, 9, 33, 16), call(2, 7, 128, 128, 1, 3)], oracle,
                 [call(2, 3, 5, 2, 0, 6), call(2, 3, 5, 2, 4, 6, (1, 2, 4)), [*wrong[:2], floats(2, 3, 6), *wrong[3:]],
                  [*wrong[:4], wrong[4][:1], wrong[5]]],
                 [call(2, 3, 5, 2, 4, 6, (1, 1, 4)), call(2, 3, 5, 2, 4, 6, (1, 3, 1))])
    for mode in MODES:
        run = symrun.run(programs.path, [outside], entry="attention", results=2, options=[f"--symshape-tosa-broadcast={mode}"])
        programs.checks.refused(run, ["gather", "indices"], f"attention, {mode}, an index outside")


@group
def patches(programs):
    def oracle(x, first, positions):
        n, h, w, _ = x.shape
        squares = x.reshape(n, h // 4, 4, w // 4, 4, 3).transpose(0, 1, 3, 2, 4, 5).reshape(n, (h // 4) * (w // 4), 48)
        return [np.concatenate([np.tile(first, (n, 1, 1)), squares], 1) + positions[:, :1 + squares.shape[1]]]

    def call(n, h, w, positions=50):
        return [floats(n, h, w, 3), floats(1, 1, 48), floats(1, positions, 48)]
    programs.run("patches", [call(1, 4, 4), call(2, 8, 12), call(0, 8, 4), call(1, 0, 8), call(1, 28, 28), call(3, 20, 4, 6)], oracle,
                 [call(1, 5, 4), call(1, 4, 6), call(1, 28, 32), call(1, 2, 2)])


@group
def gated(programs):
    def oracle(x, scale, gate):
        x, scale, gate = (a.astype(np.float64) for a in (x, scale, gate))
        scaled = x / np.sqrt((x * x).sum(2, keepdims=True) + 1) * scale
        opened = 1 / (1 + np.exp(-gate))
        return [np.where(opened >= scaled, scaled, opened).astype(np.float32)]

    def call(*shapes):
        return [floats(*shape) for shape in shapes]
    same = [call(e, e, e) for e in ((2, 3, 5), (1, 1, 1), (0, 3, 5), (2, 0, 3), (2, 3, 0), (3, 17, 33))]
    x = (2, 3, 5)
    programs.run("gated", same, oracle, [call(x, x, (2, 3, 4)), call(x, (3, 3, 5), x), call(x, (2, 0, 5), x)],
                 [call(x, (1, 1, 5), x), call(x, x, (2, 1, 5)), call(x, x, (2, 3, 1)), call((1, 1, 1), x, (1, 3, 1)), call(x, (1, 1, 1), (1, 1, 1)),
                  call((1, 3, 5), (2, 1, 1), (1, 1, 5)), call((2, 0, 5), (2, 1, 5), (1, 1, 1)), call((1, 1, 7), (0, 1, 1), (1, 4, 7)),
                  call((3, 1, 33), (1, 17, 33), (3, 17, 1))])


if __name__ == "__main__":
    Programs.path = Path(sys.argv[1])
    sys.exit(group.run(sys.argv[2:], Programs))
