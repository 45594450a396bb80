# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The programs of test/Integration/Inputs/tosa-programs.mlir: which sizes are tried, and what is
known of them without the reference model.

Extents are those of the open dims of arguments, in order.
"""

import re
from dataclasses import dataclass
from typing import Callable

import numpy as np

FUNCTION = re.compile(r"^func\.func @(?P<name>\w+)\((?P<arguments>.*?)\) -> .*?^\}\n", re.M | re.S)
# Modules by the rule of broadcasting.
MODES = {"numpy": "module attributes {symshape.tosa_numpy_broadcast} {\n%s}\n", "strict": "%s"}
ARGUMENT = re.compile(r"%\w+: tensor<((?:[?\d]+x)*)(\w+)>")
TYPES = {"f32": np.float32, "i32": np.int32, "i8": np.int8, "i1": np.bool_}


@dataclass
class Program:
    """`tried` is the largest value of each extent, or all its values. Where the extents and `strict` say no, only
    NumPy's rule of broadcasting allows the call. `numpy` computes the result of arrays, and
    raises ValueError where there is none."""

    tried: tuple
    strict: Callable = lambda *extents: True
    numpy: Callable = None
    # Or "numpy", where the reference model does not decide: it does not divide what a target
    # extent of -1 leaves, and has no size of -1 up to the end.
    oracle: str = "tosa"

    def tried_extents(self, least=1):
        """The values of each extent, and 0 where that is `least`."""
        return [[*range(least, most + 1)] if isinstance(most, int) else [0] * (not least) + [*most] for most in self.tried]


@dataclass
class Function:
    name: str
    arguments: list  # (extents with None where one is open, type of NumPy)
    text: str

    def shapes(self, extents):
        """The shapes of arguments."""
        rest = iter(extents)
        return [tuple(next(rest) if e is None else e for e in shape) for shape, _ in self.arguments]

    def inputs(self, extents):
        """Small numbers; integers of rank 2 after one of rank 3 are places in that."""
        arrays = []
        for shape, (_, type_) in zip(self.shapes(extents), self.arguments):
            values = np.arange(np.prod(shape, dtype=int)).reshape(shape) * 7 % 11 - 5
            if type_ == np.int32 and arrays and arrays[0].ndim == 3:
                values = np.broadcast_to(np.arange(shape[1]) % max(arrays[0].shape[1], 1), shape)
            arrays.append(np.ascontiguousarray(values > 0 if type_ == np.bool_ else values.astype(type_)))
        return arrays


def read_functions(path):
    """The functions of the file, by name."""
    functions = {}
    for match in FUNCTION.finditer(path.read_text()):
        types = [([int(e) if e != "?" else None for e in extents.split("x")[:-1]], TYPES[element])
                 for extents, element in ARGUMENT.findall(match["arguments"])]
        functions[match["name"]] = Function(match["name"], types, match[0])
    return functions


def need(condition):
    if not condition:
        raise ValueError


def part(x, *ranges):
    """A slice by (start, size) of each axis, within bounds."""
    for extent, (start, size) in zip(x.shape, ranges):
        need(start >= 0 and size >= 0 and start + size <= extent)
    return x[tuple(slice(start, start + size) for start, size in ranges)]


def ceil_div(a, b):
    need(b > 0)
    return -(-a // b)


def matmul(x, y):
    need(x.shape[0] == y.shape[0])
    return x @ y


PROGRAMS = {
    "add": Program((6, 6), lambda a, b: a == b, np.add),
    "mul": Program((3, 4, 3, 4), lambda a, b, c, d: (a, b) == (c, d), np.multiply),
    "add_row": Program((4, 6, 6), lambda a, b, c: b == c, np.add),
    "add_static": Program((4, 4, 4), lambda a, b, c: a == 3 and b == c, np.add),
    "outer": Program((3, 4, 3, 4), lambda a, b, c, d: b == d, np.maximum),
    "integers": Program((3, 4, 3, 4), lambda a, b, c, d: (a, b) == (c, d), lambda x, y: (x & y) - y),
    "select": Program((2, 3, 2, 3, 2, 3), lambda a, b, c, d, e, f: (a, b) == (c, d) == (e, f), np.where),
    "chain": Program((4, 4, 4), lambda a, b, c: a == b == c, lambda x, y, z: np.maximum(np.abs(x) + y, z)),
    "compare": Program((3, 4, 3, 4), lambda a, b, c, d: (a, b) == (c, d), lambda x, y: np.where(x > y, x, y)),
    "table": Program((3, 4, 3, 4), lambda a, b, c, d: (a, b) == (c, d), lambda x, y: y + np.full_like(x, 3)),
    "rescale": Program((4, 4, 4), lambda a, b, c: a == b and c == 3),
    "conv2d": Program((2, 9, 9)),
    "conv2d_dilated": Program((12, 12)),
    "conv2d_arguments": Program((4, 2, 2, 3, 2, 2), lambda h, c, o, k, i, b: b == o),
    "conv2d_twice": Program((40,)),
    "conv3d": Program((4, 7, 7)),
    "depthwise": Program((6, 5, 3, 3)),
    "transpose_conv2d": Program((2, 5, 4)),
    "max_pool2d": Program((2, 8, 8)),
    "avg_pool2d": Program((2, 8, 4, 2)),
    "resize_nearest": Program((2, 6, 7)),
    "resize_bilinear": Program((3, 2, 6, 4), lambda a, b, c, d: (2 * a, 2 * b) == (c, d)),
    "matmul": Program((2, 2, 2, 2, 2, 2), numpy=matmul),
    "matmul_chain": Program((3, 3, 3, 3), numpy=lambda x, y, w: x @ y @ w),
    "matmul_transposed": Program((2, 3, 3, 2, 2),
                                 numpy=lambda x, y: matmul(x, y.transpose(1, 2, 0)[:, ::-1])),
    "fft2d": Program((2, (1, 2, 4, 8, 6), 2, (1, 2, 4, 8, 6))),
    "rfft2d": Program((2, 10, 10)),
    "reduce_sum": Program((3, 4, 3, 4), lambda a, b, c, d: (a, b) == (c, d),
                          lambda x, y: (x + y).sum(1, keepdims=True)),
    "reduce_max": Program((6, 4, 6), lambda a, b, c: a == c, lambda x, y: x - x.max(1, keepdims=True) + y),
    "argmax": Program((3, 2, 3, 3, 3), lambda a, b, c, d, e: (a, c) == (d, e),
                      lambda x, y: (x.argmax(1) + y).astype(np.int32)),
    "concat": Program((4, 5, 4, 5), numpy=lambda x, y: np.concatenate([x, y])),
    "concat_three": Program((2, 3, 2, 3, 3, 3), numpy=lambda *a: np.concatenate(a, 1)),
    "reshape": Program(((1, 2, 3, 4, 6, 8, 12, 24, 5),) * 2, numpy=lambda x: x.reshape(4, 6)),
    "reshape_open": Program((12, 12), numpy=lambda x: x.reshape(3, -1, 2), oracle="numpy"),
    "reshape_like": Program((4, 4, 4, 4), numpy=lambda x, y: x.reshape(y.shape)),
    "flatten": Program((3, 4, 12), lambda a, b, c: a * b == c, lambda x, y: x.reshape(x.size) + y),
    "split": Program((20, 6), numpy=lambda x: x.reshape(-(-x.shape[0] // 2), 2, x.shape[1])),
    "slice": Program((7, 7), numpy=lambda x: part(x, (1, 3), (2, 2))),
    "slice_rest": Program((7, 5, 4), lambda a, b, c: a - 2 == c,
                          lambda x, y: part(x, (2, x.shape[0] - 2), (1, 2)) + y, oracle="numpy"),
    "slice_like": Program((7, 7), numpy=lambda x, y: part(x, (1, len(y))) + y),
    "slice_window": Program((7, 4, 6), numpy=lambda x, y, z: part(x, (len(y), len(x) - len(z)))),
    "slice_least": Program((4, 4, 4), lambda a, b, c: min(a, b) == c,
                           lambda x, y, z: x[:min(len(x), len(y))] + y[:min(len(x), len(y))] + z),
    "pad": Program((3, 2, 4, 5), lambda a, b, c, d: (a + 1, b + 3) == (c, d),
                   lambda x, y: np.pad(x, ((1, 0), (2, 1)), constant_values=0.5) + y),
    "tile": Program((3, 3, 6, 3), lambda a, b, c, d: (2 * a, b) == (c, d), lambda x, y: np.tile(x, (2, 1)) - y),
    "tile_up_to": Program((5, 10), lambda a, b: b % a == 0, lambda x, y: np.tile(x, ceil_div(len(y), len(x))) + y),
    "remainder": Program((9, 6), numpy=lambda x, y: part(y, (1, max(int(np.remainder(len(x), len(y))), 1)))),
    "gather": Program((3, 5, 2, 3, 5)),
    "scatter": Program((2, 3, 2, 2, 3, 2, 3)),
    "unet": Program((2, 9, 9)),
    "perceptron": Program((5, 5, 3, 4), lambda a, b, c, d: c == 3),
    "attention": Program((2, 2, 3, 2, 3, 3, 2)),
    "residual": Program((2, 3, 4, 2, 3, 2), lambda n, h, w, m, i, j: (n, h, w - 2) == (m, i, j)),
    "classifier": Program((3, 8, 5)),
}
