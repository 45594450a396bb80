# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares models of one op or a few with NumPy, each compiled once and called at many sizes.

    check_ops.py LIBRARY FOLDER
"""

import sys
from pathlib import Path

import numpy as np
import symshape_c

from onnx_file import BOOL, FLOAT, INT64, graph, model, node

random = np.random.default_rng(1)
I64 = np.int64


def f32(*shape):
    return random.standard_normal(shape).astype(np.float32)


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True, initial=-np.inf))
    return e / e.sum(-1, keepdims=True)


def convolution(x, w):
    """Stride 2, a border of 1 on each side."""
    x = np.pad(x, ((0, 0), (0, 0), (1, 1)))
    count = (x.shape[2] - w.shape[2]) // 2 + 1
    windows = np.stack([x[:, :, 2 * o:2 * o + w.shape[2]] for o in range(count)], 2)
    return np.einsum("nock,fck->nfo", windows.transpose(0, 2, 1, 3), w)


def max_pool(x):
    """Windows of 3 in steps of 2, the last of which may stick out."""
    length = x.shape[2]
    count = -(-(length - 3) // 2) + 1
    count -= (count - 1) * 2 >= length
    return np.stack([x[:, :, 2 * o:2 * o + 3].max(2) for o in range(count)], 2)


def part_pools(x):
    """Windows of 5 in steps of 3 with a border of 1, of which the only one may stick out."""
    count = max((x.shape[2] + 2 - 5) // 3 + 1, 1)
    outside = ((0, 0), (0, 0), (1, 1))
    sums, inside = np.pad(x, outside), np.pad(np.ones_like(x), outside)
    steps = [slice(3 * o, 3 * o + 5) for o in range(count)]
    return [np.stack(each, 2) for each in (
        [sums[:, :, step].sum(2) / inside[:, :, step].sum(2) for step in steps],
        [sums[:, :, step].mean(2) for step in steps])]


def crop(x, start, end, outside):
    """Half as many places from `start` to `end` of each row, by kernels of twice the length; `outside` beyond it."""
    length, count = x.shape[1], x.shape[1] // 2
    result = np.full((x.shape[0], count), outside, np.float32)
    for o in range(count):
        place = (length - 1) * (start + (end - start) * (o / (count - 1) if count > 1 else 0.5))
        read = np.arange(int(np.floor(place)) - 1, int(np.floor(place)) + 3)
        weights = np.maximum(0, 1 - np.abs(read - place) / 2)
        if 0 <= place <= length - 1:
            result[:, o] = x[:, np.clip(read, 0, length - 1)].astype(np.float64) @ weights / weights.sum()
    return result


def lstm(x, w, r):
    """Gates in the order of ONNX: input, output, forget, cell."""
    sigmoid = lambda v: 1 / (1 + np.exp(-v))  # noqa: E731
    h = c = np.zeros((x.shape[1], r.shape[2]), np.float32)
    steps = []
    for each in x:
        i, o, f, g = np.split(each @ w[0].T + h @ r[0].T, 4, 1)
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        h = sigmoid(o) * np.tanh(c)
        steps.append(h)
    return np.array(steps, np.float32).reshape(len(x), *h.shape)[:, None], h[None], c[None]


def scatter(x, ids, updates):
    x = x.copy()
    np.add.at(x, ids[:, 0], updates)
    return x


def arm(source, value):
    """source plus a constant of the arm's own."""
    constant = node("Constant", "", "k", value=np.full(1, value, np.float32))
    return graph([constant, node("Add", f"{source} k", "sum")], {}, ["sum"])


def choices(count):
    """Ifs behind one another: the constants of arms come and go."""
    names = ["x", *(f"t{i}" for i in range(1, count)), "z"]
    return [node("If", "c", names[i + 1], then_branch=arm(names[i], 10.0 ** i), else_branch=arm(names[i], 2 * 10.0 ** i))
            for i in range(count)]


W3, W, R = f32(4, 3, 3), f32(1, 20, 3), f32(1, 20, 5)
FAR = np.iinfo(I64).max

#: name: (nodes, inputs, outputs, constants, NumPy, arrays of each call)
CASES = {
    "add": ([node("Add", "x y", "z")], {"x": (FLOAT, ["A", "B"]), "y": (FLOAT, ["C", "D"])}, ["z"], {},
            lambda x, y: [x + y],
            [(f32(2, 3), f32(2, 3)), (f32(1, 3), f32(2, 1)), (f32(2, 1), f32(1, 3)), (f32(1, 1), f32(0, 4)),
             (f32(0, 1), f32(1, 4)), (f32(4, 5), f32(1, 1))]),
    "slice": ([node("Slice", "x s e a t", "z")], {"x": (FLOAT, ["N", "M"])}, ["z"],
              {"s": np.array([-3, 1], I64), "e": np.array([FAR, -1], I64), "a": np.array([0, 1], I64),
               "t": np.array([1, 2], I64)},
              lambda x: [x[-3:, 1:-1:2]], [(f32(n, m),) for n, m in [(5, 7), (2, 1), (0, 4), (3, 2), (1, 6)]]),
    # A start before the first element is the first, unlike in NumPy.
    "backwards": ([node("Slice", "x s e a t", "z")], {"x": (FLOAT, ["N"])}, ["z"],
                  {"s": np.array([-2], I64), "e": np.array([-FAR - 1], I64), "a": np.array([0], I64),
                   "t": np.array([-2], I64)},
                  lambda x: [x[max(len(x) - 2, 0)::-2]], [(f32(n),) for n in (0, 1, 2, 5, 8)]),
    "halves": ([node("Split", "x", "a b", axis=1, num_outputs=2), node("Concat", "b a", "z", axis=0)],
               {"x": (FLOAT, ["N", "M"])}, ["z"], {},
               lambda x: [np.concatenate(np.split(x, 2, 1)[::-1], 0)],
               [(f32(n, m),) for n, m in [(3, 4), (1, 2), (0, 6), (2, 0)]]),
    "gather": ([node("Gather", "x i", "z", axis=1)], {"x": (FLOAT, ["N", "M"]), "i": (INT64, ["K"])}, ["z"], {},
               lambda x, i: [x[:, i]],
               [(f32(2, 5), np.array([0, -1, 4, -5], I64)), (f32(0, 3), np.array([1], I64)),
                (f32(3, 1), np.array([], I64))]),
    "none": ([node("Split", "x s", "a b z", axis=0)], {"x": (FLOAT, ["N"])}, ["a", "b", "z"],
             {"s": np.array([2, 1, 0], I64)}, lambda x: [x[:2], x[2:], x[3:]], [(f32(3),)]),
    "power": ([node("Pow", "x y", "z")], {"x": (INT64, ["N"]), "y": (INT64, ["N"])}, ["z"], {},
              lambda x, y: [np.array([int(a) ** int(b) for a, b in zip(x, y)], I64)],
              [(np.array([3, -2, 0, 7, 1], I64), np.array([4, 3, 0, 21, 40], I64)), (np.zeros(0, I64), np.zeros(0, I64))]),
    "softmax": ([node("Softmax", "x", "z", axis=-1)], {"x": (FLOAT, ["N", "M"])}, ["z"], {},
                lambda x: [softmax(x)], [(f32(n, m),) for n, m in [(3, 5), (1, 1), (0, 4), (2, 33)]]),
    "mean": ([node("ReduceMean", "x a", "z", keepdims=0)], {"x": (FLOAT, ["N", "M"])}, ["z"],
             {"a": np.array([1], I64)}, lambda x: [x.mean(1)], [(f32(n, m),) for n, m in [(3, 5), (1, 1), (0, 4)]]),
    "heads": ([node("Shape", "x", "s"), node("Slice", "s zero two", "front"), node("Concat", "front tail", "t", axis=0),
               node("Reshape", "x t", "r"), node("Transpose", "r", "z", perm=[0, 2, 1, 3])],
              {"x": (FLOAT, ["B", "L", 12])}, ["z"],
              {"zero": np.array([0], I64), "two": np.array([2], I64), "tail": np.array([3, 4], I64)},
              lambda x: [x.reshape(*x.shape[:2], 3, 4).transpose(0, 2, 1, 3)],
              [(f32(b, l, 12),) for b, l in [(2, 3), (1, 1), (0, 3), (4, 0)]]),
    # Where other extents are 0, -1 is what it is for all other sizes.
    "groups": ([node("Reshape", "x t", "z")], {"x": (FLOAT, ["B", 6, "L"])}, ["z"],
               {"t": np.array([0, 3, -1], I64)}, lambda x: [x.reshape(len(x), 3, 2 * x.shape[2])],
               [(f32(b, 6, n),) for b, n in [(2, 3), (1, 1), (0, 3), (4, 0), (0, 0)]]),
    "groups of none": ([node("Reshape", "x t", "z")], {"x": (FLOAT, [0, 6, "N"])}, ["z"],
                       {"t": np.array([0, 3, -1], I64)}, lambda x: [x.reshape(0, 3, 2 * x.shape[2])],
                       [(f32(0, 6, n),) for n in (3, 1, 0)]),
    "rows": ([node("Shape", "x", "s"), node("Slice", "s zero two", "front"), node("ReduceProd", "front", "n", keepdims=1),
              node("Concat", "n left", "t", axis=0), node("Reshape", "x t", "z")],
             {"x": (FLOAT, ["B", "L", 4])}, ["z"],
             {"zero": np.array([0], I64), "two": np.array([2], I64), "left": np.array([-1], I64)},
             lambda x: [x.reshape(x.shape[0] * x.shape[1], 4)],
             [(f32(b, n, 4),) for b, n in [(2, 3), (1, 1), (0, 3), (4, 0)]]),
    "matmul": ([node("MatMul", "x y", "z")], {"x": (FLOAT, ["B", 1, "M", "K"]), "y": (FLOAT, ["H", "K", "N"])}, ["z"],
               {}, lambda x, y: [x @ y],
               [(f32(2, 1, 3, 4), f32(5, 4, 6)), (f32(1, 1, 1, 1), f32(1, 1, 1)), (f32(2, 1, 3, 0), f32(2, 0, 2)),
                (f32(0, 1, 3, 4), f32(2, 4, 2))]),
    "column": ([node("Conv", "x w", "z", pads=[1, 0, 1, 0], strides=[2, 1])], {"x": (FLOAT, ["N", 3, "L", 1])}, ["z"],
               {"w": W3[..., None]}, lambda x: [convolution(x[..., 0], W3)[..., None]],
               [(f32(n, 3, l, 1),) for n, l in [(2, 9), (1, 1), (0, 4), (3, 8)]]),
    "convolution": ([node("Conv", "x w", "z", strides=[2], pads=[1, 1])], {"x": (FLOAT, ["N", 3, "L"])}, ["z"],
                    {"w": W3}, lambda x: [convolution(x, W3)], [(f32(n, 3, l),) for n, l in [(2, 9), (1, 1), (0, 4), (3, 8)]]),
    "pool": ([node("MaxPool", "x", "z", kernel_shape=[3], strides=[2], ceil_mode=1)],
             {"x": (FLOAT, ["N", 2, "L"])}, ["z"], {}, lambda x: [max_pool(x)],
             [(f32(n, 2, l),) for n, l in [(2, 9), (1, 3), (1, 4), (1, 8), (0, 5), (2, 2)]]),
    "parts": ([node("AveragePool", "x", "a", kernel_shape=[5], strides=[3], pads=[1, 1]),
               node("AveragePool", "x", "b", kernel_shape=[5], strides=[3], pads=[1, 1], count_include_pad=1)],
              {"x": (FLOAT, ["N", 2, "L"])}, ["a", "b"], {}, part_pools,
              [(f32(n, 2, l),) for n, l in [(2, 1), (1, 2), (1, 3), (3, 5), (1, 6), (2, 11), (0, 2)]]),
    "sums": ([node("CumSum", "x a", "z", exclusive=1)], {"x": (FLOAT, ["N", "M"])}, ["z"], {"a": np.array(1, I64)},
             lambda x: [np.cumsum(x, 1) - x], [(f32(n, m),) for n, m in [(2, 5), (1, 1), (0, 3), (3, 0)]]),
    "largest": ([node("TopK", "x k", "v i")], {"x": (FLOAT, ["N", "M"])}, ["v", "i"], {"k": np.array([2], I64)},
                lambda x: [np.sort(x, 1)[:, ::-1][:, :2], np.argsort(-x, 1, kind="stable")[:, :2]],
                [(f32(n, m),) for n, m in [(3, 5), (1, 2), (0, 4)]]),
    "scatter": ([node("ScatterND", "x i u", "z", reduction="add")],
                {"x": (FLOAT, ["N", "M"]), "i": (INT64, ["K", 1]), "u": (FLOAT, ["K", "M"])}, ["z"], {},
                lambda x, i, u: [scatter(x, i, u)],
                [(f32(4, 3), np.array([[1], [-1], [1]], I64), f32(3, 3)), (f32(2, 0), np.array([[0]], I64), f32(1, 0)),
                 (f32(2, 3), np.zeros((0, 1), I64), f32(0, 3))]),
    "twice": ([node("Resize", "x - s", "z", mode="nearest", coordinate_transformation_mode="asymmetric",
                    nearest_mode="floor")], {"x": (FLOAT, ["N", "M"])}, ["z"],
              {"s": np.array([1, 2], np.float32)}, lambda x: [x.repeat(2, 1)],
              [(f32(n, m),) for n, m in [(2, 3), (1, 1), (0, 3), (3, 0)]]),
    "crop": ([node("Resize", "x roi s", "z", mode="linear", coordinate_transformation_mode="tf_crop_and_resize",
                   antialias=1, extrapolation_value=7.0)], {"x": (FLOAT, ["N", "M"])}, ["z"],
             {"roi": np.array([0, -0.25, 1, 1.25], np.float32), "s": np.array([1, 0.5], np.float32)},
             lambda x: [crop(x, -0.25, 1.25, 7)], [(f32(n, m),) for n, m in [(2, 12), (1, 2), (3, 7), (0, 4), (2, 1)]]),
    "choices": (choices(3), {"c": (BOOL, []), "x": (FLOAT, ["N"])}, ["z"], {},
                lambda c, x: [x + (111 if c else 222)],
                [(np.array(True), f32(3)), (np.array(False), f32(1)), (np.array(True), f32(0))]),
    "lstm": ([node("LSTM", "x w r", "y h c", hidden_size=5)], {"x": (FLOAT, ["T", "B", 3])}, ["y", "h", "c"],
             {"w": W, "r": R}, lambda x: lstm(x, W, R), [(f32(t, b, 3),) for t, b in [(4, 2), (1, 1), (0, 2), (3, 0)]]),
}



def run(cases, library, folder, **options):
    """Writes, compiles and calls all models, with options of `model`; the number of calls that agreed."""
    folder.mkdir(parents=True, exist_ok=True)
    calls = 0
    for name, (nodes, inputs, outputs, constants, expected, arrays) in cases.items():
        path = folder / f"{name}.onnx"
        path.write_bytes(model(nodes, inputs, outputs, constants, **{"opset": 27, **options}))
        program = symshape_c.Program(path, library=library, first=arrays[0])
        for each in arrays:
            got, want = program(*each), expected(*each)
            assert len(got) == len(want), name
            for a, b in zip(got, want):
                shapes = [array.shape for array in each]
                assert a.shape == b.shape, f"{name} {shapes}: expected {b.shape}, but got {a.shape}"
                np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5, err_msg=f"{name} {shapes}")
            calls += 1
    return calls


def main(cases, **options):
    library, folder = symshape_c.load(sys.argv[1]), Path(sys.argv[2])
    calls = run(cases, library, folder, **options)
    print(f"{len(cases)} models, {calls} calls")


if __name__ == "__main__":
    main(CASES)
