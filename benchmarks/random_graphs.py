# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random graphs as ONNX models: of a few small convolutions and pools, and of many nodes over rows.

`RANDOM` maps a name to a function that gives the serialised model. All values of one graph of rows are
[N, L, width] with N and L open; most numbers stay between -3 and 3.
"""

import numpy as np

from encoders import Graph

WIDTHS = [8, 16, 24, 32, 48]
UNARY = ["Relu", "Sigmoid", "Tanh", "Erf", "Abs", "Neg", "HardSwish", "Softplus"]


class Rows:
    def __init__(self, seed, count):
        self.g, self.rng = Graph(f"rows {seed}"), np.random.default_rng(seed)
        width = self.pick(WIDTHS)
        self.values = [(self.g.input("x", ["N", "L", width]), width)]
        while len(self.g.nodes) < count:
            makers = [self.unary, self.unary, self.binary, self.binary, self.by_column, self.product, self.norm,
                      self.softmax, self.mean, self.join, self.half, self.mix]
            self.values.append(self.pick(makers)(*self.source()))

    def pick(self, choices):
        return choices[int(self.rng.integers(len(choices)))]

    def source(self):
        return self.values[-1] if self.rng.random() < 0.7 else self.pick(self.values)

    def unary(self, x, width):
        return self.g.op(self.pick(UNARY), x), width

    def binary(self, x, width):
        y, _ = self.pick([value for value in self.values if value[1] == width])
        return self.g.op("Tanh", self.g.op(self.pick(["Add", "Sub", "Mul", "Max"]), x, y)), width

    def by_column(self, x, width):
        return self.g.op(self.pick(["Add", "Mul"]), x, self.g.near_one(width)), width

    def product(self, x, width):
        outputs = self.pick(WIDTHS)
        return self.g.linear(x, width, outputs), outputs

    def norm(self, x, width):
        return self.g.layer_norm(x, width), width

    def softmax(self, x, width):
        return self.g.op("Softmax", x, axis=-1), width

    def mean(self, x, width):
        axis = self.g.integers(self.pick([1, 2]))
        return self.g.op("Sub", x, self.g.op(self.pick(["ReduceMean", "ReduceMax"]), x, axis, keepdims=1)), width

    def join(self, x, width):
        y, other = self.pick(self.values)
        if width + other > 96:
            return self.half(x, width)
        return self.g.op("Concat", x, y, axis=-1), width + other

    def half(self, x, width):
        return (self.g.cut(x, 2, 0, width // 2), width // 2) if width > 8 else self.product(x, width)

    def mix(self, x, width):
        """Rows weighted by how alike they are."""
        scores = self.g.op("MatMul", x, self.g.op("Transpose", x, perm=[0, 2, 1]))
        scores = self.g.op("Mul", scores, self.g.constant(np.float32(1 / width)))
        return self.g.op("MatMul", self.g.op("Softmax", scores, axis=-1), x), width

    def model(self):
        x, width = self.values[-1]
        return self.g.model((x, ["N", "L", width]))


def images(seed, count):
    """Convolutions and pools over [N, 3, H, W]."""
    g, rng = Graph(f"images {seed}"), np.random.default_rng(seed)
    x, channels = g.input("image", ["N", 3, "H", "W"]), 3
    for _ in range(count):
        kind, size = rng.choice(["conv", "conv", "depthwise", "pool"]), int(rng.choice([2, 3, 5]))
        stride, pads = int(rng.choice([1, 1, 2])), [(size - 1) // 2] * 2 + [size // 2] * 2
        if kind == "pool":
            x = g.op(str(rng.choice(["MaxPool", "AveragePool"])), x, kernel_shape=[size] * 2, strides=[stride] * 2, pads=pads)
            continue
        outputs, groups = (channels, channels) if kind == "depthwise" else (int(rng.choice([4, 8, 13, 16, 32])), 1)
        taps = g.normal(outputs, channels // groups, size, size, scale=(channels // groups * size**2) ** -0.5)
        x = g.op("Conv", x, taps, g.normal(outputs, scale=0.1), strides=[stride] * 2, pads=pads, group=groups)
        x, channels = g.op(str(rng.choice(["Relu", "Sigmoid", "HardSwish"])), x), outputs
    return g.model((x, ["N", channels, "H2", "W2"]))


RANDOM = {f"random, {count} windows": lambda name, count=count: images(count, count) for count in (3, 5, 7)}
RANDOM |= {f"random, {count} nodes, {'ab'[seed]}": lambda name, count=count, seed=seed: Rows(seed + 4, count).model()
           for count in (30, 120) for seed in range(2)}


def build(name):
    """The serialised model of `name`, one of RANDOM."""
    return RANDOM[name](name)
