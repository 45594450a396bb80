# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models whose program must not grow with a number that they give: each is compiled in seconds, and right.

    check_growth.py LIBRARY FOLDER

Windows of thousands, splits into hundreds, sizes that are squared again and again.
"""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import symshape_c

from onnx_file import FLOAT, model, node

X2 = {"x": (FLOAT, ["N", "M"])}
I64 = np.int64


def floats(*shape):
    return np.arange(np.prod(shape), dtype=np.float32).reshape(shape) % 7 - 3


def lrn(x, size):
    """Of rank 3, by its definition."""
    squares = np.zeros_like(x, dtype=float)
    for c in range(x.shape[1]):
        first, last = max(0, c - (size - 1) // 2), min(x.shape[1] - 1, c + size // 2)
        squares[:, c] = (x[:, first:last + 1].astype(float) ** 2).sum(1)
    return [x / (1 + 0.5 / size * squares) ** 0.75]


def window(size):
    return (13, [node("LRN", "x", "y", size=size, alpha=0.5)], {"x": (FLOAT, ["N", "C", "L"])}, ["y"], {},
            lambda x: lrn(x, size), [[floats(2, 5, 3)], [floats(1, 1, 1)], [floats(2, 0, 3)], [floats(1, 9, 2)]])


def split(opset, count, calls, sizes):
    names = [f"y{i}" for i in range(count)]
    attributes = {"num_outputs": count} if opset >= 18 else {}
    return (opset, [node("Split", "x", " ".join(names), axis=0, **attributes)], X2, names, {},
            lambda x: np.split(x, np.minimum(np.cumsum(sizes(len(x))), len(x))[:-1]), [[x] for x in calls])


def powers(count):
    """The number of rows, squared again and again; 1 and 0 stay what they are."""
    nodes = [node("Shape", "x", "s"), node("Gather", "s zero", "n0")]
    nodes += [node("Mul", f"n{i} n{i}", f"n{i + 1}") for i in range(count)]
    return (13, [*nodes, node("Identity", f"n{count}", "y")], X2, ["y"], {"zero": np.array(0, I64)},
            lambda x: [np.array(len(x) ** 2**count, I64)], [[x] for x in (floats(1, 2), floats(0, 2), *([floats(3, 1)] if count < 5 else []))])


def many(op, count, f, arrays, **attributes):
    """As many operands, each with names of its own for its extents."""
    names = [f"x{i}" for i in range(count)]
    return (13, [node(op, " ".join(names), "y", **attributes)], {n: (FLOAT, [f"{n}_rows", f"{n}_columns"]) for n in names}, ["y"],
            {}, f, arrays)


def broadcast(f):
    return lambda *xs: [f(np.broadcast_arrays(*xs), 0)]


def selections(count):
    """The most rows that an operand has: each Where selects among what the one before it has selected."""
    names = [f"x{i}" for i in range(count)]
    nodes = [node("Shape", name, f"n{i}", start=0, end=1) for i, name in enumerate(names)]
    for i in range(1, count):
        before = f"m{i - 1}" if i > 1 else "n0"
        nodes += [node("Less", f"{before} n{i}", f"less{i}"), node("Where", f"less{i} n{i} {before}", f"m{i}")]
    return (15, nodes, {name: (FLOAT, [f"{name}_rows"]) for name in names}, [f"m{count - 1}"], {},
            lambda *xs: [np.array([max(map(len, xs))], I64)], [rows(count, (2,), floats(0), floats(5)), rows(count, (0,))])


def rows(count, first, *others):
    """The operands of a call: of the first shape, but for these."""
    return [*others, *[floats(*first)] * (count - len(others))]


#: name, with -quick at its end for code that is made quickly: (opset, nodes, inputs, outputs, constants, NumPy, arrays)
MODELS = {
    "window-10000": window(10_000), "window-4": window(4), "window-1": window(1),
    "split-64": split(18, 64, [floats(n, 2) for n in (130, 64, 0, 5)], lambda n: [-(-n // 64)] * 64),
    "split-64-equal": split(13, 64, [floats(n, 2) for n in (128, 64, 0)], lambda n: [n // 64] * 64),
    "concat-60": many("Concat", 60, lambda *xs: [np.concatenate(xs)], [rows(60, (2, 1)), rows(60, (1, 3), floats(0, 3))], axis=0),
    "concat-120": many("Concat", 120, lambda *xs: [np.concatenate(xs, 1)], [rows(120, (2, 1)), rows(120, (3, 1), floats(3, 0), floats(3, 5)), rows(120, (0, 1))], axis=1),
    "concat-200-quick": many("Concat", 200, lambda *xs: [np.concatenate(xs)], [rows(200, (1, 3), floats(0, 3))], axis=0),
    "sum-30": many("Sum", 30, broadcast(np.sum),
                   [rows(30, (2, 3)), rows(30, (2, 3), floats(1, 3), floats(2, 1), floats(1, 1)), rows(30, (1, 1), floats(4, 1)), rows(30, (1, 1), floats(0, 1))]),
    "sum-150-quick": many("Sum", 150, broadcast(np.sum), [rows(150, (2, 3), floats(1, 3), floats(2, 1), floats(1, 1))]),
    "max-20": many("Max", 20, broadcast(np.max), [rows(20, (1, 2), floats(3, 1)), rows(20, (0, 2))]),
    "mean-12": many("Mean", 12, broadcast(np.mean), [rows(12, (1, 2), floats(3, 1))]),
    "square-4": powers(4), "square-12": powers(12), "square-30": powers(30),
    "select-250": selections(250),
}


class Quick:
    """The program that `symshape-run` makes in a short time, and makes for each call."""

    def __init__(self, path):
        self.path = path

    def __call__(self, *arrays):
        folder = self.path.with_suffix("")
        folder.mkdir(exist_ok=True)
        inputs = []
        for i, array in enumerate(arrays):
            np.save(folder / f"{i}.npy", array)
            inputs.append(f"--input=@{folder / str(i)}.npy")
        done = subprocess.run(["symshape-run", "--compile=quick", str(self.path), *inputs, f"--output={folder}/y.npy"], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return [np.load(folder / "y.npy")]


def main():
    library, folder = symshape_c.load(sys.argv[1]), Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    calls = 0
    for name, (opset, nodes, inputs, outputs, constants, f, arrays) in MODELS.items():
        path = folder / f"{name}.onnx"
        path.write_bytes(model(nodes, inputs, outputs, constants, opset=opset))
        begin = sum(os.times()[:4])  # of child processes too
        program = Quick(path) if name.endswith("-quick") else symshape_c.Program(path, library=library, first=arrays[0])
        for call in arrays:
            shapes = [x.shape for x in call[:4]]
            for got, want in zip(program(*call), f(*call), strict=True):
                assert got.shape == want.shape, f"{name} {shapes}: expected {want.shape}, but got {got.shape}"
                np.testing.assert_allclose(got, want, rtol=1e-5, err_msg=f"{name} {shapes}")
            calls += 1
        seconds = sum(os.times()[:4]) - begin
        assert seconds < 40, f"{name}: {seconds:.1f} s"  # growth without bound takes minutes
    print(f"{len(MODELS)} models, {calls} calls")


if __name__ == "__main__":
    main()
