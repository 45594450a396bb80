# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small networks as exporters write them in f16 and bf16, and what NumPy makes of each op in f64.

A network is a list of nodes, which becomes an ONNX file of one type or is computed here, node by node:
exactly, or with each result rounded as the type would.
"""

from math import erf

import halves
import numpy as np

from halves import HALVES, unit
from onnx_file import FLOAT, FLOAT16, INT64, model, node

BFLOAT16 = 16
#: numbers in ONNX
KINDS = {"f16": FLOAT16, "bf16": BFLOAT16}
ERF = np.vectorize(erf, otypes=[np.float64])


def overflown(x, kind):
    _, _, most = HALVES[kind]
    return np.where(np.abs(x) >= 2.0 ** (most + 1), np.copysign(np.inf, x), x)


def nearest(x, kind):
    """The number of the type that is nearest, halfway cases to even."""
    return overflown(halves.nearest(x, kind), kind)


def either(x, kind, random):
    """One of the two neighbours: off by as much as two roundings to the nearest can be."""
    step = unit(x, kind)
    return overflown(np.floor(x / step + random.integers(0, 2, x.shape) * (x / step != np.floor(x / step))) * step, kind)


def convolve(x, w, b=None, strides=(1, 1), pads=(0, 0, 0, 0), group=1, kernel_shape=None):
    assert kernel_shape is None or tuple(kernel_shape) == w.shape[2:]
    x = np.pad(x, ((0, 0), (0, 0), (pads[0], pads[2]), (pads[1], pads[3])))
    rows, columns = ((x.shape[2 + i] - w.shape[2 + i]) // strides[i] + 1 for i in range(2))
    parts = []
    for xs, ws in zip(np.split(x, group, 1), np.split(w, group, 0)):
        total = np.zeros((len(x), len(ws), rows, columns))
        for i in range(w.shape[2]):
            for j in range(w.shape[3]):
                taken = xs[:, :, i:i + rows * strides[0]:strides[0], j:j + columns * strides[1]:strides[1]][:, :, :rows, :columns]
                total += np.einsum("nchw,fc->nfhw", taken, ws[:, :, i, j])
        parts.append(total)
    return np.concatenate(parts, 1) + (0 if b is None else b[:, None, None])


def transposed_convolution(x, w, b, strides):
    """Windows that do not overlap."""
    assert tuple(strides) == w.shape[2:]
    n, _, rows, columns = x.shape
    y = np.einsum("nchw,cfij->nfhiwj", x, w)
    return y.reshape(n, w.shape[1], rows * strides[0], columns * strides[1]) + b[:, None, None]


def max_pool(x, kernel_shape, strides, pads):
    x = np.pad(x, ((0, 0), (0, 0), (pads[0], pads[2]), (pads[1], pads[3])), constant_values=-np.inf)
    windows = np.lib.stride_tricks.sliding_window_view(x, kernel_shape, (2, 3))
    return windows[:, :, ::strides[0], ::strides[1]].max((4, 5))


def normal(x, axes, epsilon):
    centred = x - x.mean(axes, keepdims=True)
    return centred / np.sqrt((centred ** 2).mean(axes, keepdims=True) + epsilon)


def softmax(x, axis):
    e = np.exp(x - x.max(axis, keepdims=True, initial=-np.inf))
    return e / e.sum(axis, keepdims=True)


def of_channels(*parameters):
    return [p[:, None, None] for p in parameters]


def batch_normalization(x, scale, bias, mean, variance, epsilon):
    scale, bias, mean, variance = of_channels(scale, bias, mean, variance)
    return (x - mean) / np.sqrt(variance + epsilon) * scale + bias


def resize(x, sizes):
    """Nearest, downwards, of two axes."""
    rows, columns = (np.arange(sizes[2 + i]) * x.shape[2 + i] // max(sizes[2 + i], 1) for i in range(2))
    return x[:, :, rows][:, :, :, columns]


def reshape(x, shape):
    shape = [x.shape[i] if n == 0 else n for i, n in enumerate(shape)]
    if -1 in shape and not x.size:  # of rows of nothing
        rest = [n for i, n in enumerate(shape) if n != -1 and n != 0]
        shape[shape.index(-1)] = int(np.prod([n for n in x.shape if n])) // int(np.prod(rest))
    return x.reshape(shape)


def cut(x, starts, ends, axes):
    index = [slice(None)] * x.ndim
    for start, end, axis in zip(starts, ends, axes):
        index[axis] = slice(start, end)
    return x[tuple(index)]


OPS = {
    "Add": np.add, "Sub": np.subtract, "Mul": np.multiply, "Div": np.divide, "MatMul": np.matmul, "Sqrt": np.sqrt,
    "Tanh": np.tanh, "Erf": ERF, "Relu": lambda x: np.maximum(x, 0), "Sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "Gather": lambda x, i, axis=0: np.take(x, i, axis), "Concat": lambda *x, axis: np.concatenate(x, axis),
    "Transpose": lambda x, perm: x.transpose(perm), "Reshape": reshape, "Softmax": softmax, "Slice": cut,
    "Shape": lambda x, start=0, end=None: np.array(x.shape[start:end], np.int64),
    "Gemm": lambda a, b, c, transB=0: a @ (b.T if transB else b) + c,
    "LayerNormalization": lambda x, s, b, axis, epsilon: normal(x, axis, epsilon) * s + b,
    "InstanceNormalization": lambda x, s, b, epsilon: normal(x, tuple(range(2, x.ndim)), epsilon) * s[:, None] + b[:, None],
    "BatchNormalization": batch_normalization, "Conv": convolve, "ConvTranspose": transposed_convolution,
    "MaxPool": max_pool, "GlobalAveragePool": lambda x: x.mean((2, 3), keepdims=True),
    "ReduceMean": lambda x, axes, keepdims=1: x.mean(tuple(axes), keepdims=bool(keepdims)),
    "Flatten": lambda x: x.reshape(len(x), x.shape[1] * x.shape[2] * x.shape[3]),
    "Resize": lambda x, sizes, **_: resize(x, sizes), "Unsqueeze": lambda x, axes: np.expand_dims(x, tuple(axes)),
}
#: operands that are left out, before those that are given
LEFT_OUT = {"Resize": "- -"}


class Network:
    """Nodes, constants and inputs; the inputs are floats but for those named `ids`."""

    def __init__(self, seed):
        self.random, self.nodes, self.constants, self.results = np.random.default_rng(seed), [], {}, []

    def constant(self, value):
        name = f"w{len(self.constants)}"
        self.constants[name] = np.asarray(value)
        return name

    def weight(self, *shape, terms=None):
        """Numbers that keep the size of what goes through: `terms` are added up."""
        return self.constant(self.random.standard_normal(shape) / np.sqrt(terms or 1))

    def near(self, centre, *shape):
        return self.constant(centre + 0.2 * self.random.uniform(-1, 1, shape))

    def ints(self, *values):
        return self.constant(np.array(values, np.int64))

    def op(self, kind, *inputs, **attributes):
        self.nodes.append((kind, inputs, f"v{len(self.nodes)}", attributes))
        return self.nodes[-1][2]

    def rounded_constants(self, kind):
        return {name: nearest(value, kind) if value.dtype.kind == "f" else value for name, value in self.constants.items()}

    def bytes(self, kind, inputs):
        """The file; `inputs` maps names to dims. Floats go in and out as f32, which has each number of the type."""
        number = KINDS[kind]
        floats = [name for name in inputs if name != "ids"]
        nodes = [node("Cast", f"{name}.f32", name, to=number) for name in floats]
        for op, operands, result, attributes in self.nodes:
            first, *others = operands
            nodes.append(node(op, " ".join([first, LEFT_OUT.get(op, ""), *others]), result, **attributes))
        nodes += [node("Cast", name, f"{name}.f32", to=FLOAT) for name in self.results]
        declared = {name if name == "ids" else f"{name}.f32": (INT64 if name == "ids" else FLOAT, dims) for name, dims in inputs.items()}
        return model(nodes, declared, [f"{name}.f32" for name in self.results], self.stored(kind), opset=22)

    def stored(self, kind):
        values = self.rounded_constants(kind)
        halves = {name: value for name, value in values.items() if value.dtype.kind == "f"}
        if kind == "f16":
            halves = {name: value.astype(np.float16) for name, value in halves.items()}
        else:
            halves = {name: (BFLOAT16, (value.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)) for name, value in halves.items()}
        return {**values, **halves}

    def compute(self, kind, inputs, rounding, ops=None):
        """Each result by NumPy's f64; `rounding` is of an array, or None."""
        values = {**self.rounded_constants(kind), **inputs}
        for op, operands, result, attributes in self.nodes:
            with np.errstate(all="ignore"):
                y = np.asarray({**OPS, **(ops or {})}[op](*(values[name] for name in operands), **attributes))
            values[result] = rounding(y) if rounding and y.dtype.kind == "f" else y
        return [values[name] for name in self.results]


def transformer(kind):
    """Two layers with a mask, a GELU of the parts that torch writes, and a pooled result."""
    n, width, heads = Network(1), 32, 2
    digits, _, most = HALVES[kind]
    least = -(2 - 2.0 ** -digits) * 2.0 ** most
    x = n.op("Add", n.op("Gather", n.weight(50, width), "ids"), n.op("Slice", n.weight(64, width), n.ints(0), n.op("Shape", "ids", start=1, end=2), n.ints(0)))
    mask = n.op("Mul", n.op("Sub", n.constant(1.0), n.op("Unsqueeze", "mask", n.ints(1, 2))), n.constant(least))
    split = n.op("Concat", n.op("Shape", "ids"), n.ints(heads, width // heads), axis=0)
    whole = n.op("Concat", n.op("Shape", "ids"), n.ints(width), axis=0)

    def dense(x, inner, outer):
        return n.op("Add", n.op("MatMul", x, n.weight(inner, outer, terms=inner)), n.near(0, outer))

    def norm(x):
        return n.op("LayerNormalization", x, n.near(1, width), n.near(0, width), axis=-1, epsilon=1e-5)

    x = norm(x)
    for _ in range(2):
        q, k, v = (n.op("Transpose", n.op("Reshape", dense(x, width, width), split), perm=perm) for perm in ([0, 2, 1, 3], [0, 2, 3, 1], [0, 2, 1, 3]))
        scores = n.op("Div", n.op("MatMul", q, k), n.constant(np.sqrt(width / heads)))
        attended = n.op("MatMul", n.op("Softmax", n.op("Add", scores, mask), axis=-1), v)
        x = norm(n.op("Add", x, dense(n.op("Reshape", n.op("Transpose", attended, perm=[0, 2, 1, 3]), whole), width, width)))
        h = dense(x, width, 4 * width)
        gate = n.op("Add", n.op("Erf", n.op("Div", h, n.constant(np.sqrt(2.0)))), n.constant(1.0))
        h = n.op("Mul", n.op("Mul", h, gate), n.constant(0.5))
        x = norm(n.op("Add", x, dense(h, 4 * width, width)))
    first = n.op("Gather", x, n.constant(np.array(0, np.int64)), axis=1)
    n.results = [x, n.op("Tanh", n.op("Gemm", first, n.weight(16, width, terms=width), n.near(0, 16), transB=1))]
    return n


def resnet(kind):
    """A stem, a block with a shortcut that is projected, one without, and a classifier."""
    n = Network(2)

    def conv(x, inner, outer, size, stride=1, relu=True):
        pad = size // 2
        y = n.op("Conv", x, n.weight(outer, inner, size, size, terms=inner * size * size / 2), strides=[stride] * 2, pads=[pad] * 4)
        y = n.op("BatchNormalization", y, n.near(1, outer), n.near(0, outer), n.near(0, outer), n.near(1, outer), epsilon=1e-5)
        return n.op("Relu", y) if relu else y

    x = conv("x", 3, 8, 7, 2)
    x = n.op("MaxPool", x, kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1])
    x = n.op("Relu", n.op("Add", conv(conv(x, 8, 16, 3, 2), 16, 16, 3, relu=False), conv(x, 8, 16, 1, 2, relu=False)))
    x = n.op("Relu", n.op("Add", conv(conv(x, 16, 16, 3), 16, 16, 3, relu=False), x))
    x = n.op("Flatten", n.op("GlobalAveragePool", x))
    n.results = [n.op("Gemm", x, n.weight(24, 16, terms=16), n.near(0, 24), transB=1)]
    return n


def unet(kind):
    """Two levels: norms of groups and SiLU as torch writes them, one way up by Resize, one by ConvTranspose."""
    n = Network(3)

    def block(x, inner, outer, stride=1):
        y = n.op("Conv", x, n.weight(outer, inner, 3, 3, terms=9 * inner), n.near(0, outer), strides=[stride] * 2, pads=[1] * 4)
        groups = n.op("Reshape", y, n.ints(0, 4, -1))
        groups = n.op("InstanceNormalization", groups, n.constant(np.ones(4)), n.constant(np.zeros(4)), epsilon=1e-5)
        y = n.op("Reshape", groups, n.op("Shape", y))
        y = n.op("Add", n.op("Mul", y, n.near(1, outer, 1, 1)), n.near(0, outer, 1, 1))
        return n.op("Mul", y, n.op("Sigmoid", y))

    top = block("x", 3, 8)
    middle = block(top, 8, 16, 2)
    low = block(block(middle, 16, 16, 2), 16, 16)
    sizes = n.op("Concat", n.op("Shape", low, start=0, end=2), n.op("Shape", middle, start=2, end=4), axis=0)
    up = n.op("Resize", low, sizes, mode="nearest", coordinate_transformation_mode="asymmetric", nearest_mode="floor")
    x = block(n.op("Concat", up, middle, axis=1), 32, 16)
    up = n.op("ConvTranspose", x, n.weight(16, 8, 2, 2, terms=16), n.near(0, 8), strides=[2, 2])
    up = n.op("Slice", up, n.ints(0, 0), n.op("Shape", top, start=2, end=4), n.ints(2, 3))
    x = block(n.op("Concat", up, top, axis=1), 16, 8)
    n.results = [n.op("Conv", x, n.weight(2, 8, 1, 1, terms=8), n.near(0, 2))]
    return n
