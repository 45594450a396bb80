# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Quantised products and convolutions beside ONNX Runtime: one program for all sizes.

Products with packed weights, rows unknown: sums of bytes alone, behind a quantisation of
floats, and with bytes as results. Convolutions of NCHW images, height and width unknown,
with bytes as results: what a network of them has at its ends is in each, two transposed
copies; three in a row have one pair. Both engines read the same file.
"""

import numpy as np
import symshape_c

import onnx_graphs
from contest import ORT, Group, Ratio, aligned
from onnx_file import FLOAT, INT8, UINT8, model, node

OURS = "symshape"
ASKED = 0.9
ROWS = [1, 3, 7, 16, 33, 128, 512]
QUICK_ROWS = [1, 16, 128]
SIZES = [(768, 768), (3072, 768), (768, 3072), (1000, 1001), (64, 64)]  # columns, terms
# Channels, features, kernel, stride, and the sides of images.
CONVOLUTIONS = [(64, 64, 3, 1, (14, 56)), (128, 128, 3, 1, (28, 56)), (64, 256, 1, 1, (28, 56)), (256, 64, 1, 1, (28, 56)),
                (256, 512, 1, 2, (28, 56)), (3, 64, 7, 2, (224,)), (3, 32, 3, 2, (224,))]
TYPES = {np.uint8: UINT8, np.int8: INT8}


def draw(rng, type_, *shape):
    """Weights without the least number: with it, some kernels of ONNX Runtime would not be exact."""
    info = np.iinfo(type_)
    return rng.integers(info.min + (type_ == np.int8), info.max, shape, endpoint=True).astype(type_)


class ByteBench:
    def __init__(self, bench):
        self.bench, self.rng = bench, np.random.default_rng(0)
        self.rows = QUICK_ROWS if bench.quick else ROWS

    def add(self, group, name, nodes, inputs, weights, calls):
        """A file of `nodes`, and an entry for each of `calls`: a label, the inputs, and operations."""
        path = self.bench.out / f"bytes-{name}.onnx"
        path.write_bytes(model(nodes, inputs, ["y"], weights))
        program = self.bench.load(path)
        session = onnx_graphs.session(str(path), self.bench.threads)
        for label, arrays, work in calls:
            arrays = [aligned(array, array.dtype) for array in arrays]
            call, bound = symshape_c.Call(program, arrays), onnx_graphs.Bound(session, dict(zip(inputs, arrays)))
            row = self.bench.entry(group, label, {OURS: call, ORT: bound}, work)
            ours, theirs = call.results()[0], bound.output
            row["difference"] = float(np.abs(ours.astype(np.float64) - theirs.astype(np.float64)).max(initial=0))
            if ours.dtype != np.float32 and row["difference"]:
                row["remark"] = f"DIFFERS by {row['difference']:g}"

    def products(self, title, name, type_, make):
        group = Group(title, [Ratio(OURS, ORT, None, ASKED)])
        for n, k in SIZES[:2] if self.bench.quick else SIZES:
            nodes, weights = make(n, k)
            is_float = type_ == np.float32
            calls = [(f"{m} x {n} x {k}",
                      [self.rng.standard_normal((m, k)).astype(type_) if is_float else draw(self.rng, type_, m, k)],
                      2.0 * m * n * k) for m in self.rows]
            self.add(group, f"{name}-{n}-{k}", nodes, {"x": (FLOAT if is_float else TYPES[type_], ["m", k])}, weights, calls)
        return group

    def sums(self, n, k):
        return [node("MatMulInteger", "x w zx", "y")], {"w": draw(self.rng, np.int8, k, n), "zx": np.uint8(113)}

    def dynamic(self, n, k):
        nodes = [node("DynamicQuantizeLinear", "x", "q s z"), node("MatMulInteger", "q w z", "i"), node("Cast", "i", "f", to=1),
                 node("Mul", "s sw", "t"), node("Mul", "f t", "y")]
        return nodes, {"w": draw(self.rng, np.int8, k, n), "sw": self.rng.uniform(0.01, 0.02, n).astype(np.float32)}

    def requantised(self, n, k):
        constants = {"sx": np.float32(0.02), "zx": np.uint8(113), "sw": np.float32(0.01), "zw": np.int8(0), "sy": np.float32(2),
                     "zy": np.uint8(120)}
        return [node("QLinearMatMul", "x sx zx w sw zw sy zy", "y")], {"w": draw(self.rng, np.int8, k, n), **constants}

    def both(self):
        """As in an attention: both operands come with the call."""
        group = Group("batches of products of bytes, nothing packed", [Ratio(OURS, ORT, None, ASKED)])
        calls = [(f"{batch} of {m} x {n} x {k}", [draw(self.rng, np.uint8, batch, m, k), draw(self.rng, np.int8, batch, k, n)],
                  2.0 * batch * m * n * k) for batch, m, n, k in ((12, 32, 32, 64), (12, 128, 128, 32), (12, 128, 64, 128),
                                                                  (4, 512, 512, 64))]
        self.add(group, "both", [node("MatMulInteger", "x w zx", "y")],
                 {"x": (UINT8, ["b", "m", "k"]), "w": (INT8, ["b", "k", "n"])}, {"zx": np.uint8(113)}, calls)
        return group

    def layer(self, i, last, channels, features, kernel, stride):
        """A convolution of t{i}, or of x if it is the first."""
        weights = {f"w{i}": draw(self.rng, np.int8, features, channels, kernel, kernel),
                   f"sw{i}": self.rng.uniform(0.01, 0.02, features).astype(np.float32), f"zw{i}": np.zeros(features, np.int8),
                   f"b{i}": self.rng.integers(-1000, 1000, features).astype(np.int32), f"s{i}": np.float32(0.5),
                   f"z{i}": np.uint8(120)}
        names = f"{f't{i}' if i else 'x'} s{i} z{i} w{i} sw{i} zw{i} s{i} z{i} b{i}"
        return node("QLinearConv", names, "y" if last else f"t{i + 1}", strides=[stride] * 2, pads=[kernel // 2] * 4), weights

    def convolutions(self):
        group = Group("convolutions of bytes, NCHW", [Ratio(OURS, ORT, None, ASKED)])
        for channels, features, kernel, stride, sides in CONVOLUTIONS[:3] if self.bench.quick else CONVOLUTIONS:
            made, weights = self.layer(0, True, channels, features, kernel, stride)
            name = f"{kernel}x{kernel} {channels} -> {features}" + (" / 2" if stride == 2 else "")
            calls = [(f"{name}, {side} x {side}", [draw(self.rng, np.uint8, 1, channels, side, side)],
                      2.0 * channels * features * kernel**2 * (side // stride)**2) for side in sides]
            self.add(group, f"convolution-{channels}-{features}-{kernel}", [made],
                     {"x": (UINT8, ["b", channels, "h", "w"])}, weights, calls)
        layers = [self.layer(i, i == 2, 64, 64, 3, 1) for i in range(3)]
        self.add(group, "convolution-row", [made for made, _ in layers], {"x": (UINT8, ["b", 64, "h", "w"])},
                 {name: array for _, weights in layers for name, array in weights.items()},
                 [(f"three 3x3 64, {side} x {side}", [draw(self.rng, np.uint8, 1, 64, side, side)], 6.0 * 64 * 64 * 9 * side**2)
                  for side in (28, 56)])
        return group


def groups(bench):
    each = ByteBench(bench)
    yield each.products("products of bytes, packed weights", "sums", np.uint8, each.sums)
    yield each.products("quantised on the way in, products of bytes", "dynamic", np.float32, each.dynamic)
    yield each.products("products of bytes, bytes as results", "requantised", np.uint8, each.requantised)
    yield each.both()
    yield each.convolutions()
