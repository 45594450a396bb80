# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Derivatives of programs in TOSA, by differences of what NumPy computes in doubles.

    check_tosa_derivatives.py PROGRAMS.mlir [NAME]...

Each loss is lowered, with its guards, and differentiated in reverse and forward; along a random
direction both must be the difference quotient. Calls that the loss refuses are refused by its
derivatives.
"""

import math
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import symrun
from check_tosa_addendum import border
from check_tosa_ops import pad_image, windows
from checking import Groups

group = Groups()
PASSES = ["--symshape-lower-tosa-control-flow", "--symshape-insert-guards", "--symshape-lower-tosa"]
STEP = 1e-6


class Programs:
    source = None

    def __init__(self, checks, folder):
        self.checks, self.folder = checks, Path(folder)

    def derive(self, name, how):
        """The program with one derivative of one loss; None, after a failed check, if there is none."""
        path = self.folder / f"{name}-{how}.mlir"
        done = subprocess.run(["symshape-opt", self.source, *PASSES, f"--symshape-{how}=function={name}", "-o", path],
                              capture_output=True, text=True)
        return path if self.checks.that(done.returncode == 0, f"{name}, {how}: derived", f"  {done.stderr}") else None

    def run(self, name, calls, loss, refused=()):
        grad, jvp = self.derive(name, "grad"), self.derive(name, "jvp")
        floats = [i for i, a in enumerate(calls[0]) if a.dtype == np.float32]
        directions = [[np.random.default_rng(n).standard_normal(call[i].shape).astype(np.float32) for i in floats]
                      for n, call in enumerate(calls)]
        slopes = []
        for call, direction in zip(calls, directions):
            ends = []
            for side in (STEP, -STEP):
                moved = [a.astype(np.float64) if a.dtype == np.float32 else a for a in call]
                for i, d in zip(floats, direction):
                    moved[i] = moved[i] + side * d
                ends.append(float(loss(*moved)))
            slopes.append((ends[0] - ends[1]) / (2 * STEP))
        if grad:
            run = symrun.run(grad, calls, entry=f"{name}.grad", results=1 + len(floats), options=["--guard-pages"])
            if self.checks.ran(run, len(calls), f"{name}, grad"):
                for n, (result, call) in enumerate(zip(run.results, calls)):
                    value, *gradients = result
                    wide = [a.astype(np.float64) if a.dtype == np.float32 else a for a in call]
                    self.checks.near(value, np.float32(loss(*wide)), 1e-4, f"{name}, call {n}: value")
                    along = sum(float((g.astype(np.float64) * d).sum()) for g, d in zip(gradients, directions[n]))
                    self.checks.near(np.float64(along), np.float64(slopes[n]), 1e-3, f"{name}, call {n}: gradient")
        if jvp:
            run = symrun.run(jvp, [[*call, *d] for call, d in zip(calls, directions)], entry=f"{name}.jvp", results=2,
                             options=["--guard-pages"])
            if self.checks.ran(run, len(calls), f"{name}, jvp"):
                for n, (_, tangent) in enumerate(run.results):
                    self.checks.near(tangent.astype(np.float64), np.float64(slopes[n]), 1e-3, f"{name}, call {n}: tangent")
        for call in refused if grad else ():
            self.checks.refused(symrun.run(grad, [call], entry=f"{name}.grad", results=1 + len(floats)), [],
                                f"{name}, {[a.shape for a in call]}")


def floats(*extents):
    return (np.random.default_rng(sum(extents)).standard_normal(extents) / 2).astype(np.float32)


@group
def network(programs):
    def loss(x, w, b, m):
        c = np.einsum("nyxijc,oijc->nyxo", windows(pad_image(x, (1, 0, 0, 1)), (2, 2), (2, 1)), w) + b
        return np.tanh(np.maximum(c, 0).reshape(-1, 3) @ m[0]).sum()

    def call(n, h, w, k=4, c=2):
        return [floats(n, h, w, c), floats(3, 2, 2, 2), floats(3), floats(1, 3, k)]
    programs.run("network", [call(1, 3, 3), call(2, 5, 4), call(0, 3, 3), call(1, 1, 1, 1), call(1, 7, 9, 0), call(3, 33, 17, 5)], loss,
                 [call(1, 4, 3), call(1, 3, 0)])


@group
def images(programs):
    def loss(x, d, t):
        ones = windows(pad_image(np.ones_like(x[:1, ..., :1]), (1, 1, 0, 0)), (2, 2), (1, 1)).sum((3, 4))
        a = windows(pad_image(x, (1, 1, 0, 0)), (2, 2), (1, 1)).sum((3, 4)) / (ones if len(x) else 1)
        c = np.einsum("nyxijc,ijcm->nyxcm", windows(a, (2, 2), (1, 1)), d)
        c = c.reshape(*c.shape[:3], c.shape[3] * c.shape[4])

        def lines(v, axis):
            extent = v.shape[axis]
            place = (np.arange(2 * extent) * 2 - 1) / 4
            first = np.floor(place).astype(int)
            part = (place - first).reshape([-1 if i == axis else 1 for i in range(4)])
            low, high = (np.take(v, np.clip(first + i, 0, extent - 1), axis) for i in (0, 1))
            return low * (1 - part) + high * part
        up = lines(lines(c, 1), 2)
        n, h, w, _ = up.shape
        e = np.zeros((n, (h - 1) * 2 + 3, w + 2, 2))
        for i in range(3):
            for j in range(3):
                e[:, i:i + 2 * h - 1:2, j:j + w] += up @ t[:, i, j].T
        e = border(e, ((0, 1), (-1, 0)))
        padded = np.pad(e.transpose(0, 3, 2, 1), ((0, 0), (1, 0), (0, 2), (0, 0)), constant_values=5)
        part = np.concatenate([padded, padded, padded], 1)[:, 2:8, 1:]
        return (part * part[:, :, ::-1]).sum()

    def call(n, h, w, c):
        return [floats(n, h, w, c), floats(2, 2, c, 2), floats(2, 3, 3, 2 * c)]
    programs.run("images", [call(1, 3, 3, 1), call(2, 1, 3, 2), call(0, 3, 3, 1), call(1, 5, 7, 3)], loss, [call(1, 3, 2, 1), call(1, 0, 3, 1)])


@group
def rows(programs):
    def loss(x, i, y):
        full = x.copy()
        np.put_along_axis(full, i[:, :, None].astype(int), y, 1)
        k = np.take_along_axis(full, i[:, :, None].astype(int), 1)
        e = np.exp(k - k.max(2, keepdims=True))
        p = e / e.sum(2, keepdims=True)
        b = 2 ** (1 / (1 + np.exp(-full)))
        h = np.where(full > 2, np.maximum(b ** -0.5, np.log(b)), full)
        return (p * p).sum() + np.sin(np.vectorize(math.erf, otypes=[float])(h)).sum()

    def call(b, k, w, c):
        places = np.array([np.random.default_rng(n).permutation(k)[:w] for n in range(b)], np.int32).reshape(b, w)
        return [floats(b, k, c), places, floats(b, w, c)]
    programs.run("rows", [call(2, 5, 3, 4), call(1, 1, 1, 1), call(0, 3, 2, 4), call(2, 4, 0, 3), call(3, 17, 9, 8)], loss,
                 [[floats(2, 5, 4), np.zeros((2, 3), np.int32), floats(2, 2, 4)]])


@group
def windows_by_values(programs):
    def loss(x, w, stride, dilation, low, spread):
        stride, dilation, low, spread = (int(v) for v in (stride, dilation, low, spread))
        n, extent, c = x.shape
        wide = np.full((n, (extent - 1) * spread + 1, c), 0.5)
        wide[:, ::spread] = x
        wide = np.pad(wide, ((0, 0), (max(low, 0), 1), (0, 0)), constant_values=0.5)[:, max(-low, 0):]
        count = (wide.shape[1] - (len(w) - 1) * dilation - 1) // stride + 1
        return sum(np.tanh(sum(wide[:, o * stride + k * dilation] @ w[k] for k in range(len(w)))).sum() for o in range(count))

    def call(n, extent, c, kernel, *numbers):
        return [floats(n, extent, c), floats(kernel, c), *(np.array(v, np.int64) for v in numbers)]
    programs.run("windows", [call(1, 5, 2, 3, 1, 1, 0, 1), call(2, 7, 3, 2, 2, 4, 1, 1), call(2, 4, 1, 2, 2, 1, 0, 2), call(0, 5, 2, 3, 1, 1, 0, 1),
                             call(1, 1, 1, 1, 1, 1, 0, 4), call(3, 6, 4, 3, 3, 1, -2, 3), call(1, 5, 0, 3, 1, 1, 0, 1)], loss,
                 [call(1, 5, 2, 3, 2, 1, 0, 1), call(1, 5, 2, 3, 0, 1, 0, 1), call(1, 5, 2, 9, 1, 1, 0, 1)])


@group
def loop(programs):
    def loss(x, n):
        for i in range(int(n)):
            x = np.sin(x) if i == 1 else x * x
        return x.sum()
    programs.run("loop", [[floats(e, 1), np.array(n, np.int32)] for e in (0, 1, 7) for n in (0, 1, 2, 5)], loss)


if __name__ == "__main__":
    Programs.source = Path(sys.argv[1])
    sys.exit(group.run(sys.argv[2:], Programs))
