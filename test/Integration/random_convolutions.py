# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random convolutional networks: nodes of ONNX, and beside each what it computes, by NumPy in f64."""

import itertools
import math
from dataclasses import dataclass

import numpy as np

import onnx_file

# Attributes are numbers of f32.
FIFTH, HUNDREDTH, EPSILON = (float(np.float32(x)) for x in (0.2, 0.01, 1e-5))
CHANNELS = [1, 2, 3, 4, 5, 8, 12, 16, 17, 24, 32, 33, 48, 64, 70, 129]
ACTIVATIONS = {
    "Relu": lambda x: np.maximum(x, 0),
    "Sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "HardSigmoid": lambda x: np.clip(FIFTH * x + 0.5, 0, 1),
    "HardSwish": lambda x: x * np.clip(x / 6 + 0.5, 0, 1),
    "LeakyRelu": lambda x: np.where(x < 0, HUNDREDTH * x, x),
    "Softplus": lambda x: np.log1p(np.exp(x)),
}


class Refused(Exception):
    """At these extents the network is not valid."""


@dataclass
class Window:
    """Kernel, strides, dilations and borders of a convolution or a pool, each by axis of the image."""

    kernel: list
    strides: list
    dilations: list
    before: list
    after: list
    auto: str = "NOTSET"
    up: bool = False  # the extent of a result is rounded up
    part: bool = False  # the only window may end past the border by less than a step, as in ONNX Runtime

    @property
    def reach(self):
        return [(k - 1) * d + 1 for k, d in zip(self.kernel, self.dilations)]

    def borders(self, image):
        """(before, after) by axis for an image of these extents."""
        if self.auto == "NOTSET":
            return list(zip(self.before, self.after))
        if self.auto == "VALID":
            return [(0, 0)] * len(image)
        out = []
        for extent, stride, reach in zip(image, self.strides, self.reach):
            whole = max((-(-extent // stride) - 1) * stride + reach - extent, 0)
            small, large = whole // 2, whole - whole // 2
            out.append((small, large) if self.auto == "SAME_UPPER" else (large, small))
        return out

    def counts(self, image):
        """Extents of the result."""
        if self.auto.startswith("SAME"):
            return [-(-extent // stride) for extent, stride in zip(image, self.strides)]
        out = []
        for extent, (before, after), stride, reach in zip(image, self.borders(image), self.strides, self.reach):
            room = extent + before + after - reach
            if room < 0 and not (self.part and extent and room + stride > 0):
                raise Refused
            count = max(room // stride, 0) + 1
            if self.up:
                count = -(-room // stride) + 1
                count -= (count - 1) * stride >= extent + before
            out.append(count)
        return out

    def attributes(self):
        out = {"kernel_shape": self.kernel, "strides": self.strides}
        if any(d != 1 for d in self.dilations):
            out["dilations"] = self.dilations
        if self.auto != "NOTSET":
            return {**out, "auto_pad": self.auto}
        return {**out, "pads": self.before + self.after}

    def taps(self, x, fill):
        """(place of the tap, elements of all windows there), of an image that is surrounded by `fill`."""
        image = x.shape[2:]
        counts, borders = self.counts(image), self.borders(image)
        room = [max((n - 1) * s + r - e - b, a, 0) for n, s, r, e, (b, a) in
                zip(counts, self.strides, self.reach, image, borders)]
        x = np.pad(x, [(0, 0)] * 2 + [(b, r) for (b, _), r in zip(borders, room)], constant_values=fill)
        for place in itertools.product(*map(range, self.kernel)):
            first = [p * d for p, d in zip(place, self.dilations)]
            yield place, x[(..., *(slice(f, f + max((n - 1) * s + 1, 0), s) for f, n, s in zip(first, counts, self.strides)))]


def convolve(x, w, window, groups):
    """`w` is outputs x inputs of a group x kernel."""
    window.counts(x.shape[2:])
    weights = w.reshape(groups, w.shape[0] // groups, *w.shape[1:])
    out = 0
    for place, part in window.taps(x, 0):
        part = part.reshape(part.shape[0], groups, w.shape[1], *part.shape[2:])
        out = out + np.einsum("ngc...,gfc->ngf...", part, weights[(..., *place)])
    return out.reshape(x.shape[0], w.shape[0], *out.shape[3:])


def convolve_back(x, w, window, groups, extra):
    """The transpose of a convolution; `w` is inputs x outputs of a group x kernel."""
    image = x.shape[2:]
    whole = [(e - 1) * s + r + o for e, s, r, o in zip(image, window.strides, window.reach, extra)]
    sizes = [n - b - a for n, b, a in zip(whole, window.before, window.after)]
    if min(sizes) < 0:
        raise Refused
    if 0 in image:
        return np.zeros((x.shape[0], groups * w.shape[1], *sizes))
    out = np.zeros((x.shape[0], groups, w.shape[1], *whole))
    parts = x.reshape(x.shape[0], groups, x.shape[1] // groups, *image)
    weights = w.reshape(groups, w.shape[0] // groups, *w.shape[1:])
    for place in itertools.product(*map(range, window.kernel)):
        at = [slice(p * d, p * d + (e - 1) * s + 1, s) for p, d, e, s in
              zip(place, window.dilations, image, window.strides)]
        out[(..., *at)] += np.einsum("ngc...,gcf->ngf...", parts, weights[(..., *place)])
    out = out.reshape(x.shape[0], groups * w.shape[1], *whole)
    return out[(..., *(slice(b, b + n) for b, n in zip(window.before, sizes)))]


def average(x, window, with_borders):
    """Borders that are part of the image count if `with_borders`; what rounding up adds never does."""
    sums = sum(part for _, part in window.taps(x, 0))
    if not sums.size:
        return sums
    ones = np.ones((1, 1, *x.shape[2:]))
    if with_borders:
        ones = np.pad(ones, [(0, 0)] * 2 + window.borders(x.shape[2:]), constant_values=1)
        inner = Window(window.kernel, window.strides, window.dilations, [0] * len(window.kernel),
                       [0] * len(window.kernel))
        room = [(n - 1) * s + r - e for n, s, r, e in
                zip(window.counts(x.shape[2:]), window.strides, window.reach, ones.shape[2:])]
        ones = np.pad(ones, [(0, 0)] * 2 + [(0, max(r, 0)) for r in room])
        counts = sum(part for _, part in inner.taps(ones, 0))
        counts = counts[(..., *(slice(0, n) for n in sums.shape[2:]))]
    else:
        counts = sum(part for _, part in window.taps(ones, 0))
    with np.errstate(invalid="ignore", divide="ignore"):
        return sums / counts


@dataclass
class Value:
    """A result: its name, its channels, a key that equal extents share, and how an array becomes it."""

    name: str
    channels: int
    key: object
    compute: object  # without arguments; after `Network.start`


class Network:
    def __init__(self, rng, takes_parts):
        self.rng, self.nodes, self.weights, self.values = rng, [], {}, []
        self.rank = int(rng.choice([1, 2, 2, 2, 2, 2, 3]))
        self.dtype = rng.choice([np.float32] * 6 + [np.float16, np.float64])
        self.count, self.cache, self.image = 0, {}, None
        channels = self.pick([1, 2, 3, 3, 3, 4, 7, 8, 16, 19, 32, 40, 64])
        # Of the image: None is open.
        self.extents = [None if rng.random() < 0.85 else int(rng.integers(1, 18)) for _ in range(self.rank)]
        self.batch = None if rng.random() < 0.8 else int(rng.integers(1, 4))
        self.values.append(Value("image", channels, "image", lambda: self.image))
        makers = [self.conv] * 5 + [self.depthwise] * 2 + [self.grouped, self.pool, self.pool, self.back, self.norm,
                                    self.activation, self.activation, self.join, self.residual, self.squeeze, self.turned,
                                    self.resize] + [self.part] * takes_parts
        steps, tries = int(rng.integers(1, 6)), 0
        while len(self.values) <= steps and tries < 40:
            tries += 1
            self.pick(makers)()
        self.results = [self.values[-1]]
        if rng.random() < 0.3 and len(self.values) > 2:
            self.results.append(self.values[-2])

    def pick(self, choices):
        return choices[int(self.rng.integers(len(choices)))]

    def constant(self, array):
        name = f"w{len(self.weights)}"
        self.weights[name] = np.asarray(array)
        return name

    def weight(self, *shape, scale=1.0):
        array = (self.rng.standard_normal(shape) * scale).astype(self.dtype)
        return self.constant(array), array.astype(np.float64)

    def emit(self, kind, inputs, channels, key, compute, **attributes):
        """A node whose result is rounded to the type of the network once."""
        name = f"v{self.count}"
        self.count += 1
        self.nodes.append(onnx_file.node(kind, " ".join(inputs), name, name, **attributes))

        def cached():
            if name not in self.cache:
                self.cache[name] = np.asarray(compute()).astype(self.dtype).astype(np.float64)
            return self.cache[name]
        value = Value(name, channels, key, cached)
        self.values.append(value)
        return value

    def source(self):
        """Mostly the last value."""
        return self.values[-1] if self.rng.random() < 0.8 else self.pick(self.values)

    def window(self, most, plain=False):
        rank = self.rank
        most = min(most, 3) if rank == 3 else most
        if self.rng.random() < 0.5:
            kernel = [self.pick([1, 3, 3, 3, 5, 7, 2, 4])] * rank
            kernel = [min(k, most) for k in kernel]
        else:
            kernel = [int(self.rng.integers(1, most + 1)) for _ in range(rank)]
        alike = self.rng.random() < 0.8
        strides = [self.pick([1, 1, 1, 2, 2, 3, 4])] * rank if alike else [int(self.rng.integers(1, 4)) for _ in range(rank)]
        dilations = [1] * rank
        if not plain and self.rng.random() < 0.25:
            dilations = [int(self.rng.integers(1, 4)) for _ in range(rank)]
        window = Window(kernel, strides, dilations, [], [])
        if self.rng.random() < 0.6:
            window.before = [(r - 1) // 2 for r in window.reach]
            window.after = [r // 2 for r in window.reach]
        else:
            window.before = [int(self.rng.integers(0, r)) for r in window.reach]
            window.after = [int(self.rng.integers(0, r)) for r in window.reach]
        if self.rng.random() < 0.2 and (plain or dilations == [1] * rank):
            window.auto = self.pick(["SAME_UPPER", "SAME_LOWER", "VALID"])
        return window

    def add_conv(self, x, outputs, groups, most):
        window = self.window(most)
        inputs = x.channels // groups
        terms = inputs * math.prod(window.kernel)
        name, w = self.weight(outputs, inputs, *window.kernel, scale=terms**-0.5)
        operands, bias = [x.name, name], 0
        if self.rng.random() < 0.6:
            name, bias = self.weight(outputs)
            operands.append(name)
            bias = bias.reshape(-1, *[1] * self.rank)
        self.emit("Conv", operands, outputs, object(), lambda: convolve(x.compute(), w, window, groups) + bias,
                  group=groups, **window.attributes())

    def conv(self):
        self.add_conv(self.source(), self.pick(CHANNELS), 1, 7)

    def depthwise(self):
        x = self.source()
        self.add_conv(x, x.channels * self.pick([1, 1, 1, 2]), x.channels, 7)

    def grouped(self):
        x = self.source()
        groups = self.pick([g for g in range(1, x.channels + 1) if x.channels % g == 0])
        self.add_conv(x, groups * self.pick([1, 2, 3, 8]), groups, 5)

    def back(self):
        x = self.source()
        window = self.window(4)
        window.auto = "NOTSET"
        groups = self.pick([1, 1, x.channels])
        outputs = self.pick([1, 2, 5, 16]) if groups == 1 else 1
        extra = [int(self.rng.integers(0, s)) for s in window.strides]
        window.before = [min(b, (r - 1) // 2) for b, r in zip(window.before, window.reach)]
        window.after = [min(a, (r - 1) // 2) for a, r in zip(window.after, window.reach)]
        name, w = self.weight(x.channels, outputs, *window.kernel, scale=(x.channels * math.prod(window.kernel))**-0.5)
        self.emit("ConvTranspose", [x.name, name], outputs * groups, object(),
                  lambda: convolve_back(x.compute(), w, window, groups, extra),
                  group=groups, output_padding=extra, **window.attributes())

    def pool(self):
        x = self.source()
        window = self.window(5, plain=self.rng.random() < 0.7)
        window.up = bool(window.auto == "NOTSET" and self.rng.random() < 0.3)
        attributes = window.attributes()
        if window.up:
            attributes["ceil_mode"] = 1
        if self.rng.random() < 0.5:
            window.part = window.up

            def largest():
                parts = [part for _, part in window.taps(x.compute(), -np.inf)]
                return np.max(parts, axis=0)
            self.emit("MaxPool", [x.name], x.channels, object(), largest, **attributes)
        else:
            window.part, with_borders = True, bool(self.rng.random() < 0.5)
            self.emit("AveragePool", [x.name], x.channels, object(),
                      lambda: average(x.compute(), window, with_borders),
                      count_include_pad=int(with_borders), **attributes)

    def norm(self):
        x = self.source()
        (scale, s), (shift, b), (mean, m) = (self.weight(x.channels) for _ in range(3))
        variance = self.rng.uniform(0.5, 2, x.channels).astype(self.dtype)
        factor = s / np.sqrt(variance.astype(np.float64) + EPSILON)
        factor, offset = (a.reshape(-1, *[1] * self.rank) for a in (factor, b - m * factor))
        self.emit("BatchNormalization", [x.name, scale, shift, mean, self.constant(variance)], x.channels, x.key,
                  lambda: x.compute() * factor + offset)

    def activation(self):
        x = self.source()
        kind = self.pick(sorted(ACTIVATIONS))
        self.emit(kind, [x.name], x.channels, x.key, lambda: ACTIVATIONS[kind](x.compute()))

    def join(self):
        x = self.source()
        others = [v for v in self.values if v.key == x.key]
        y = self.pick(others)
        if x.channels + y.channels <= 130:
            self.emit("Concat", [x.name, y.name], x.channels + y.channels, x.key,
                      lambda: np.concatenate([x.compute(), y.compute()], 1), axis=1)

    def part(self):
        """Some channels, or places some steps apart along one axis."""
        x = self.source()
        axis = self.pick([1, 1, 2 + int(self.rng.integers(self.rank))])
        begin, step = int(self.rng.integers(0, 3)), int(self.rng.integers(1, 4))
        end = int(self.rng.integers(x.channels // 2 + 1, x.channels + 1)) if axis == 1 else 2**31 - 1
        if axis == 1 and begin >= end:
            return
        taken = (*[slice(None)] * axis, slice(begin, end, step))
        operands = [self.constant(np.array([n], np.int64)) for n in (begin, end, axis, step)]
        channels, key = (len(range(begin, end, step)), x.key) if axis == 1 else (x.channels, object())
        self.emit("Slice", [x.name, *operands], channels, key, lambda: x.compute()[taken])

    def residual(self):
        x = self.source()
        y = self.pick([v for v in self.values if v.key == x.key and v.channels == x.channels])
        self.emit("Add", [x.name, y.name], x.channels, x.key, lambda: x.compute() + y.compute())

    def squeeze(self):
        """Channels weighted by a function of their means."""
        x = self.source()
        name, w = self.weight(x.channels, x.channels, *[1] * self.rank, scale=x.channels**-0.5)
        axes = tuple(range(2, 2 + self.rank))

        def mean():
            with np.errstate(invalid="ignore"):  # of nothing: not a number
                return x.compute().sum(axes, keepdims=True) / np.prod(x.compute().shape[2:])
        m = self.emit("GlobalAveragePool", [x.name], x.channels, object(), mean)
        one = Window([1] * self.rank, [1] * self.rank, [1] * self.rank, [0] * self.rank, [0] * self.rank)
        c = self.emit("Conv", [m.name, name], x.channels, m.key, lambda: convolve(m.compute(), w, one, 1))
        s = self.emit("Sigmoid", [c.name], x.channels, m.key, lambda: ACTIVATIONS["Sigmoid"](c.compute()))
        self.emit("Mul", [x.name, s.name], x.channels, x.key, lambda: x.compute() * s.compute())

    def turned(self):
        """Something by channel, with channels last."""
        x = self.source()
        last, first = [0, *range(2, 2 + self.rank), 1], [0, 1 + self.rank, *range(1, 1 + self.rank)]
        name, w = self.weight(x.channels)
        t = self.emit("Transpose", [x.name], None, None, lambda: x.compute().transpose(last), perm=last)
        m = self.emit("Mul", [t.name, name], None, None, lambda: t.compute() * w)
        del self.values[-2:]
        self.emit("Transpose", [m.name], x.channels, x.key, lambda: m.compute().transpose(first), perm=first)

    def resize(self):
        """Twice as large, the nearest element."""
        x = self.source()
        if self.rank == 3 and len(self.values) > 3:
            return
        scales = self.constant(np.array([1, 1] + [2] * self.rank, np.float32))

        def twice():
            y = x.compute()
            for axis in range(2, 2 + self.rank):
                y = y.repeat(2, axis)
            return y
        self.emit("Resize", [x.name, "-", scales], x.channels, object(), twice, mode="nearest",
                  coordinate_transformation_mode="asymmetric", nearest_mode="floor")

    def file(self):
        kind = onnx_file.TYPES[np.dtype(self.dtype)]
        names = ["N" if self.batch is None else self.batch, self.values[0].channels]
        names += [f"D{i}" if e is None else e for i, e in enumerate(self.extents)]
        return onnx_file.model(self.nodes, {"image": (kind, names)}, [v.name for v in self.results], self.weights)

    def start(self, image):
        """What the network gives for an image; raises Refused."""
        self.cache, self.image = {}, image.astype(np.float64)
        with np.errstate(over="ignore", invalid="ignore"):
            for value in self.values:  # what no result needs must be valid too
                value.compute()
            return [value.compute() for value in self.results]
