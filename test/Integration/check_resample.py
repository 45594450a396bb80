# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""symshape.resample and its derivatives beside sums written out in NumPy.

    check_resample.py [NAME]...

Each program is compiled once and called at extents 0, 1 and odd ones, with places before and behind
the source.
"""

import sys
from pathlib import Path

import numpy as np
import symrun

from checking import Groups

group = Groups()
MODES = [["--guard-pages"], ["--compile=quick"], ["--dynamic=never", "--threads=2"]]
random = np.random.default_rng(1)


def numbers(shape, dtype):
    if np.issubdtype(dtype, np.integer):
        return random.integers(-100, 100, shape).astype(dtype)
    return random.standard_normal(shape).astype(dtype)


def resample(x, axes, tables):
    """`tables`: places and weights (or None) by axis. The sums along the first axis are made last."""
    for axis, (places, weights) in reversed(list(zip(axes, tables))):
        rows = np.moveaxis(x, axis, 0)
        taps = []
        for k in range(places.shape[0]):
            read = rows[np.clip(places[k], 0, max(rows.shape[0] - 1, 0))] if places.shape[1] else rows[:0]
            if weights is not None:
                read = read.astype(weights.dtype) * weights[k].reshape([-1] + [1] * (x.ndim - 1))
            taps.append(read)
        total = taps[0] if taps else np.zeros((places.shape[1], *rows.shape[1:]), weights.dtype)
        for part in taps[1:]:
            total = total + part
        x = np.moveaxis(total, 0, axis)
    return np.ascontiguousarray(x)


class Programs:
    def __init__(self, checks, folder):
        self.checks, self.folder = checks, Path(folder)

    def write(self, name, source, axes, taps, index, weight):
        """A program of one op; `taps` by axis, None for a number that is known late."""
        ranked = "x".join("?" * source[0])
        result = weight or source[1]
        places = [f"tensor<{'?' if n is None else n}x?x{index}>" for n in taps]
        weights = [f"tensor<{'?' if n is None else n}x?x{weight}>" for n in taps] if weight else []
        types = [f"tensor<{ranked}x{source[1]}>", *places, *weights]
        names = ["%x"] + [f"%p{i}" for i in range(len(places))] + [f"%w{i}" for i in range(len(weights))]
        used = f" weights {', '.join(names[1 + len(places):])}" if weight else ""
        typed = f" weights {', '.join(weights)}" if weight else ""
        path = self.folder / f"{name}.mlir"
        path.write_text(f"func.func @main({', '.join(f'{n}: {t}' for n, t in zip(names, types))}) -> tensor<{ranked}x{result}> {{\n"
                        f"  %r = symshape.resample %x along {list(axes)} at {', '.join(names[1:1 + len(places)])}{used} : "
                        f"{types[0]} at {', '.join(places)}{typed} to tensor<{ranked}x{result}>\n"
                        f"  return %r : tensor<{ranked}x{result}>\n}}\n")
        return path

    def call(self, shape, dtype, axes, taps, sizes, index, weight):
        places = [random.integers(-2, shape[a] + 2, (n, size)).astype(index) for a, n, size in zip(axes, taps, sizes)]
        weights = [numbers((n, size), weight) for n, size in zip(taps, sizes)] if weight else []
        x = numbers(shape, dtype)
        return [x, *places, *weights], resample(x, axes, list(zip(places, weights or [None] * len(places))))

    def compare(self, name, path, calls, tolerance):
        for options in MODES:
            run = symrun.run(path, [arguments for arguments, _ in calls], options=options)
            if self.checks.ran(run, len(calls), f"{name}, {options}"):
                for n, (results, (_, oracle)) in enumerate(zip(run.results, calls)):
                    self.checks.near(results[0], oracle, tolerance, f"{name}, {options}, call {n}")

    def gradient(self, name, path, calls, axes):
        """The transpose of a linear function: <jvp(d), c> is <d, vjp(c)>, and the jvp is the function itself."""
        derived = self.folder / f"{name}-vjp.mlir"
        done = symrun.subprocess.run(["symshape-opt", path, "--symshape-vjp=function=main wrt=0", "-o", derived],
                                     capture_output=True, text=True)
        if not self.checks.that(done.returncode == 0, f"{name}: derived", done.stderr):
            return
        for arguments, value in calls:
            cotangent = numbers(value.shape, value.dtype)
            run = symrun.run(derived, [[*arguments, cotangent]], entry="main.vjp", results=2, options=["--guard-pages"])
            if not self.checks.ran(run, 1, f"{name}, vjp"):
                continue
            count = len(axes)
            tables = list(zip(arguments[1:1 + count], arguments[1 + count:] or [None] * count))
            direction = numbers(arguments[0].shape, arguments[0].dtype)
            moved = resample(direction, axes, tables).astype(np.float64)
            left = (moved * cotangent).sum()
            right = (direction.astype(np.float64) * run.results[0][1]).sum()
            self.checks.near(right, left, 1e-4 * max(1, value.size), f"{name}, {arguments[0].shape}: transposed")


SHAPES = [((5, 3, 4), (7, 2)), ((1, 1, 1), (3, 4)), ((3, 6, 17), (1, 9)), ((0, 4, 2), (0, 3)), ((2, 3, 0), (4, 5)),
          ((3, 2, 5), (0, 3))]


@group
def copies(programs):
    for element, dtype in (("f32", np.float32), ("i8", np.int8), ("f16", np.float16)):
        path = programs.write(f"copy-{element}", (3, element), (1, 0), (1, 1), "i64", None)
        calls = [programs.call(shape, dtype, (1, 0), (1, 1), sizes[::-1], np.int64, None) for shape, sizes in SHAPES]
        programs.compare(f"copy-{element}", path, calls, 0)
        if element == "f32":
            programs.gradient("copy", path, calls, (1, 0))


@group
def sums(programs):
    for name, element, weight, dtype, number, tolerance in (
            ("f32", "f32", "f32", np.float32, np.float32, 0), ("wide", "f32", "f64", np.float32, np.float64, 0),
            ("half", "f16", "f32", np.float16, np.float32, 0), ("i8", "i8", "i32", np.int8, np.int32, 0)):
        path = programs.write(f"sum-{name}", (3, element), (0, 1), (2, 3), "i32", weight)
        calls = [programs.call(shape, dtype, (0, 1), (2, 3), sizes, np.int32, number) for shape, sizes in SHAPES]
        programs.compare(f"sum-{name}", path, calls, tolerance)
        if element != "i8":
            programs.gradient(f"sum-{name}", path, calls, (0, 1))


@group
def late_sums(programs):
    for axis in (0, 2):
        path = programs.write(f"late{axis}", (3, "f32"), (axis,), (None,), "i64", "f64")
        calls = [programs.call(shape, np.float32, (axis,), (taps,), (sizes[0] if shape[axis] else 0,), np.int64, np.float64)
                 for taps in (1, 4, 0) for shape, sizes in SHAPES]
        programs.compare(f"late{axis}", path, calls, 1e-12)
        programs.gradient(f"late{axis}", path, calls, (axis,))


@group
def refusals(programs):
    path = programs.write("refused", (2, "f32"), (0,), (1,), "i64", None)
    call = [np.zeros((0, 3), np.float32), np.zeros((1, 2), np.int64)]
    programs.checks.refused(symrun.run(path, [call]), ["symshape.resample", "source.shape[0]"], "an empty source")


if __name__ == "__main__":
    sys.exit(group.run(sys.argv[1:], Programs))
