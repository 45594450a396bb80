# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Transformers, and networks of speech, as ONNX models, written down from the papers that describe them.

`ENCODERS` maps a name to a function that gives the serialised model. Batch, lengths, heights and widths are
open, and sizes are computed as exporters write them: of `Shape`, in scalars that are made vectors of one
number. Weights are random, in the ranges that keep the numbers of all layers near 1.
"""

import numpy as np
from onnx import TensorProto, checker, helper, numpy_helper

OPSET = 20
FLOAT, INT = TensorProto.FLOAT, TensorProto.INT64


class Graph:
    """Nodes in the order of use. Values are names."""

    def __init__(self, name):
        self.name, self.nodes, self.weights, self.inputs = name, [], [], []
        self.rng = np.random.default_rng(sum(map(ord, name)))

    def input(self, name, extents, kind=FLOAT):
        self.inputs.append(helper.make_tensor_value_info(name, kind, extents))
        return name

    def op(self, kind, *inputs, results=1, **attributes):
        names = [f"{kind}_{len(self.nodes)}" + (f"_{i}" if results > 1 else "") for i in range(results)]
        self.nodes.append(helper.make_node(kind, list(inputs), names, name=names[0], **attributes))
        return names[0] if results == 1 else names

    def constant(self, array):
        name = f"constant_{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(np.asarray(array), name))
        return name

    def integers(self, *numbers):
        return self.constant(np.array(numbers, np.int64))

    def scalar(self, number):
        return self.constant(np.array(number, np.int64))

    def normal(self, *shape, scale=1.0):
        return self.constant(self.rng.standard_normal(shape, np.float32) * np.float32(scale))

    def near_one(self, count):
        return self.constant(self.rng.uniform(0.7, 1.3, count).astype(np.float32))

    def extent(self, x, axis):
        """A scalar."""
        return self.op("Gather", self.op("Shape", x), self.scalar(axis), axis=0)

    def sizes(self, *parts):
        """A vector of scalars and numbers."""
        parts = [self.integers(part) if isinstance(part, int) else self.op("Reshape", part, self.integers(-1))
                 for part in parts]
        return self.op("Concat", *parts, axis=0)

    def reshape(self, x, *parts):
        return self.op("Reshape", x, self.sizes(*parts))

    def cut(self, x, axis, begin, end, step=1):
        """Bounds are numbers, or scalars."""
        bounds = [self.sizes(bound) for bound in (begin, end)]
        return self.op("Slice", x, *bounds, self.integers(axis), self.integers(step))

    def linear(self, x, inputs, outputs, bias=True):
        x = self.op("MatMul", x, self.normal(inputs, outputs, scale=inputs**-0.5))
        return self.op("Add", x, self.normal(outputs, scale=0.1)) if bias else x

    def layer_norm(self, x, width):
        return self.op("LayerNormalization", x, self.near_one(width), self.normal(width, scale=0.1), axis=-1, epsilon=1e-6)

    def rms_norm(self, x, width):
        square = self.op("ReduceMean", self.op("Mul", x, x), self.integers(-1), keepdims=1)
        root = self.op("Sqrt", self.op("Add", square, self.constant(np.float32(1e-6))))
        return self.op("Mul", self.op("Div", x, root), self.near_one(width))

    def gelu(self, x):
        """As exporters wrote it before ONNX had it."""
        erf = self.op("Erf", self.op("Div", x, self.constant(np.float32(2**0.5))))
        both = self.op("Mul", x, self.op("Add", erf, self.constant(np.float32(1))))
        return self.op("Mul", both, self.constant(np.float32(0.5)))

    def model(self, *outputs):
        """The serialised model; `outputs` are pairs of a value and its extents."""
        outputs = [helper.make_tensor_value_info(value, FLOAT, extents) for value, extents in outputs]
        graph = helper.make_graph(self.nodes, self.name, self.inputs, outputs, self.weights)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=9)
        checker.check_model(model)
        return model.SerializeToString()


# Vaswani et al., Attention Is All You Need, 2017.


def split_heads(g, x, width, heads):
    x = g.reshape(x, g.extent(x, 0), g.extent(x, 1), heads, width // heads)
    return g.op("Transpose", x, perm=[0, 2, 1, 3])


def attend(g, x, width, heads, bias=None, memory=None, plain=False):
    """`bias` maps scores to what is added to them; keys and values are of `memory`; `plain`, as in T5: no
    constants are added, and scores are not scaled."""
    memory = memory or x
    q, k, v = (split_heads(g, g.linear(y, width, width, not plain), width, heads) for y in (x, memory, memory))
    scores = g.op("MatMul", q, g.op("Transpose", k, perm=[0, 1, 3, 2]))
    if not plain:
        scores = g.op("Mul", scores, g.constant(np.float32((width // heads) ** -0.5)))
    if bias:
        scores = bias(scores)
    mixed = g.op("Transpose", g.op("MatMul", g.op("Softmax", scores, axis=-1), v), perm=[0, 2, 1, 3])
    return g.linear(g.reshape(mixed, g.extent(x, 0), g.extent(x, 1), width), width, width, not plain)


def feed(g, x, width):
    return g.linear(g.gelu(g.linear(x, width, 4 * width)), 4 * width, width)


def layer(g, x, width, heads, bias=None):
    """Norms come first."""
    x = g.op("Add", x, attend(g, g.layer_norm(x, width), width, heads, bias))
    return g.op("Add", x, feed(g, g.layer_norm(x, width), width))


def mask_bias(g, mask):
    """What is added to scores: much where [B, L] has a 0."""
    kept = g.op("Cast", g.op("Unsqueeze", mask, g.integers(1, 2)), to=FLOAT)
    dropped = g.op("Sub", g.constant(np.float32(1)), kept)
    return g.op("Mul", dropped, g.constant(np.float32(-1e9)))


# Devlin et al., BERT, 2018.


def bert(name, layers, width, heads, words):
    g = Graph(name)
    ids, mask = (g.input(each, ["B", "L"], INT) for each in ("ids", "mask"))
    places = g.cut(g.constant(np.arange(512)[None]), 1, 0, g.extent(ids, 1))
    x = g.op("Gather", g.normal(words, width), ids, axis=0)
    x = g.layer_norm(g.op("Add", x, g.op("Gather", g.normal(512, width), places, axis=0)), width)
    bias = mask_bias(g, mask)
    for _ in range(layers):
        x = g.layer_norm(g.op("Add", x, attend(g, x, width, heads, lambda s: g.op("Add", s, bias))), width)
        x = g.layer_norm(g.op("Add", x, feed(g, x, width)), width)
    return g.model((x, ["B", "L", width]))


# Dosovitskiy et al., An Image is Worth 16x16 Words, 2020; learned places are interpolated
# for images of other sizes than 224 x 224.


def vit(name, layers, width, heads):
    g, side = Graph(name), 14
    image = g.input("image", ["B", 3, "H", "W"])
    patches = g.op("Conv", image, g.normal(width, 3, 16, 16, scale=0.04), g.normal(width, scale=0.1), strides=[16, 16])
    batch = g.extent(image, 0)
    rows, columns = (g.op("Div", g.extent(image, axis), g.scalar(16)) for axis in (2, 3))
    x = g.op("Transpose", g.reshape(patches, batch, width, -1), perm=[0, 2, 1])
    first = g.op("Expand", g.normal(1, 1, width), g.sizes(batch, 1, width))
    places = g.op("Transpose", g.normal(1, side, side, width, scale=0.1), perm=[0, 3, 1, 2])
    places = g.op("Resize", places, "", "", g.sizes(1, width, rows, columns), mode="linear")
    places = g.reshape(g.op("Transpose", places, perm=[0, 2, 3, 1]), 1, -1, width)
    x = g.op("Concat", first, g.op("Add", x, places), axis=1)
    for _ in range(layers):
        x = layer(g, x, width, heads)
    x = g.op("Gather", g.layer_norm(x, width), g.scalar(0), axis=1)
    return g.model((g.linear(x, width, 1000), ["B", 1000]))


# Liu et al., Swin Transformer, 2021. An image is filled up to whole windows in each block.

WINDOW, SHIFT = 7, 3


class Swin:
    def __init__(self, name, depths, width):
        self.g, self.depths, self.width = Graph(name), depths, width

    def fill_up(self, extent, unit):
        """How much is missing to a multiple of `unit`."""
        g = self.g
        left = g.op("Mod", extent, g.scalar(unit))
        return g.op("Mod", g.op("Sub", g.scalar(unit), left), g.scalar(unit))

    def pad(self, x, rows, columns, unit):
        """(`x` filled up, its rows, its columns)."""
        g = self.g
        more = [self.fill_up(extent, unit) for extent in (rows, columns)]
        x = g.op("Pad", x, g.sizes(0, 0, 0, 0, 0, *more, 0))
        return x, *(g.op("Add", extent, extra) for extent, extra in zip((rows, columns), more))

    def roll(self, x, amount):
        g, end = self.g, np.iinfo(np.int64).max
        for axis in (1, 2):
            x = g.op("Concat", g.cut(x, axis, amount, int(end)), g.cut(x, axis, 0, amount), axis=axis)
        return x

    def windows(self, extents):
        return [self.g.op("Div", extent, self.g.scalar(WINDOW)) for extent in extents]

    def mask(self, rows, columns):
        """[windows, 1, 49, 49]: much where places come from different borders of the image."""
        g, parts = self.g, []
        for extent in (rows, columns):
            places = g.op("Range", g.scalar(0), extent, g.scalar(1))
            borders = [g.op("GreaterOrEqual", places, g.op("Sub", extent, g.scalar(amount))) for amount in (WINDOW, SHIFT)]
            parts.append(g.op("Add", *(g.op("Cast", border, to=INT) for border in borders)))
        upper = g.op("Unsqueeze", g.op("Mul", parts[0], g.scalar(3)), g.integers(1))
        kinds = g.op("Add", upper, g.op("Unsqueeze", parts[1], g.integers(0)))
        down, across = self.windows((rows, columns))
        kinds = g.op("Transpose", g.reshape(kinds, down, WINDOW, across, WINDOW), perm=[0, 2, 1, 3])
        kinds = g.reshape(kinds, -1, WINDOW * WINDOW)
        same = g.op("Equal", g.op("Unsqueeze", kinds, g.integers(1)), g.op("Unsqueeze", kinds, g.integers(2)))
        bias = g.op("Where", same, g.constant(np.float32(0)), g.constant(np.float32(-100)))
        return g.op("Unsqueeze", bias, g.integers(1))

    def block(self, x, rows, columns, width, heads, shifted):
        """`x` is [B, rows columns, width]."""
        g, batch, area = self.g, self.g.extent(x, 0), WINDOW * WINDOW
        y = g.reshape(g.layer_norm(x, width), batch, rows, columns, width)
        y, high, wide = self.pad(y, rows, columns, WINDOW)
        y = self.roll(y, SHIFT) if shifted else y
        down, across = self.windows((high, wide))
        y = g.op("Transpose", g.reshape(y, batch, down, WINDOW, across, WINDOW, width), perm=[0, 1, 3, 2, 4, 5])
        places, mask = g.normal(1, heads, area, area, scale=0.1), shifted and self.mask(high, wide)

        def bias(scores):
            scores = g.op("Add", scores, places)
            if not mask:
                return scores
            each = g.reshape(scores, batch, g.op("Mul", down, across), heads, area, area)
            return g.reshape(g.op("Add", each, mask), -1, heads, area, area)
        y = attend(g, g.reshape(y, -1, area, width), width, heads, bias)
        y = g.op("Transpose", g.reshape(y, batch, down, across, WINDOW, WINDOW, width), perm=[0, 1, 3, 2, 4, 5])
        y = g.reshape(y, batch, high, wide, width)
        y = self.roll(y, -SHIFT) if shifted else y
        y = g.cut(g.cut(y, 1, 0, rows), 2, 0, columns)
        x = g.op("Add", x, g.reshape(y, batch, g.op("Mul", rows, columns), width))
        return g.op("Add", x, feed(g, g.layer_norm(x, width), width))

    def merge(self, x, rows, columns, width):
        """Squares of four places become one of twice the width."""
        g, end = self.g, int(np.iinfo(np.int64).max)
        x = g.reshape(x, g.extent(x, 0), rows, columns, width)
        x, rows, columns = self.pad(x, rows, columns, 2)
        parts = [g.cut(g.cut(x, 1, i, end, 2), 2, j, end, 2) for j in (0, 1) for i in (0, 1)]
        x = g.reshape(g.op("Concat", *parts, axis=-1), g.extent(x, 0), -1, 4 * width)
        x = g.linear(g.layer_norm(x, 4 * width), 4 * width, 2 * width, bias=False)
        return x, *(g.op("Div", extent, g.scalar(2)) for extent in (rows, columns))

    def build(self):
        g, width = self.g, self.width
        image = g.input("image", ["B", 3, "H", "W"])
        x = g.op("Conv", image, g.normal(width, 3, 4, 4, scale=0.1), g.normal(width, scale=0.1), strides=[4, 4])
        rows, columns = (g.extent(x, axis) for axis in (2, 3))
        x = g.op("Transpose", g.reshape(x, g.extent(x, 0), width, -1), perm=[0, 2, 1])
        for stage, depth in enumerate(self.depths):
            if stage:
                x, rows, columns = self.merge(x, rows, columns, width)
                width *= 2
            for i in range(depth):
                x = self.block(x, rows, columns, width, width // 16, shifted=i % 2 == 1)
        x = g.op("ReduceMean", g.layer_norm(x, width), g.integers(1), keepdims=0)
        return g.model((g.linear(x, width, 1000), ["B", 1000]))


# Radford et al., Robust Speech Recognition via Large-Scale Weak Supervision, 2022: the encoder of Whisper.


def whisper(name, layers, width, heads):
    g = Graph(name)
    sound = g.input("mel", ["B", 80, "T"])
    for inputs, stride in ((80, 1), (width, 2)):
        sound = g.op("Conv", sound, g.normal(width, inputs, 3, scale=(3 * inputs) ** -0.5), g.normal(width, scale=0.1),
                     strides=[stride], pads=[1, 1])
        sound = g.gelu(sound)
    x = g.op("Transpose", sound, perm=[0, 2, 1])
    x = g.op("Add", x, g.cut(g.normal(1500, width), 0, 0, g.extent(x, 1)))
    for _ in range(layers):
        x = layer(g, x, width, heads)
    return g.model((g.layer_norm(x, width), ["B", "T2", width]))


# Raffel et al., Exploring the Limits of Transfer Learning, 2019: T5.

BUCKETS, FARTHEST = 32, 128


def t5_places(g, heads, rows, columns, both_ways):
    """[1, heads, rows, columns]: what scores gain by distance, of which there are classes."""
    ranges = [g.op("Range", g.scalar(0), extent, g.scalar(1)) for extent in (columns, rows)]
    far = g.op("Sub", g.op("Unsqueeze", ranges[0], g.integers(0)), g.op("Unsqueeze", ranges[1], g.integers(1)))
    count = BUCKETS // 2 if both_ways else BUCKETS
    if both_ways:
        ahead = g.op("Mul", g.op("Cast", g.op("Greater", far, g.scalar(0)), to=INT), g.scalar(count))
        far = g.op("Abs", far)
    else:
        far = g.op("Neg", g.op("Min", far, g.scalar(0)))
    exact = count // 2
    share = g.op("Div", g.op("Cast", g.op("Max", far, g.scalar(1)), to=FLOAT), g.constant(np.float32(exact)))
    grown = g.op("Mul", g.op("Log", share), g.constant(np.float32((count - exact) / np.log(FARTHEST / exact))))
    large = g.op("Min", g.op("Add", g.op("Cast", grown, to=INT), g.scalar(exact)), g.scalar(count - 1))
    kinds = g.op("Where", g.op("Less", far, g.scalar(exact)), far, large)
    kinds = g.op("Add", kinds, ahead) if both_ways else kinds
    bias = g.op("Gather", g.normal(BUCKETS, heads), kinds, axis=0)
    return g.op("Unsqueeze", g.op("Transpose", bias, perm=[2, 0, 1]), g.integers(0))


def t5_feed(g, x, width):
    y = g.op("Relu", g.linear(g.rms_norm(x, width), width, 4 * width, bias=False))
    return g.op("Add", x, g.linear(y, 4 * width, width, bias=False))


def t5(name, layers, width, heads):
    g, words = Graph(name), 512
    ids, mask, said = (g.input(each, extents, INT) for each, extents in
                       (("ids", ["B", "S"]), ("mask", ["B", "S"]), ("said", ["B", "T"])))
    table = g.normal(words, width)

    def attended(x, bias, memory=None):
        """`bias` is added to scores."""
        y = attend(g, g.rms_norm(x, width), width, heads, lambda s: g.op("Add", s, bias), memory, plain=True)
        return g.op("Add", x, y)
    hidden = mask_bias(g, mask)
    x, length = g.op("Gather", table, ids, axis=0), g.extent(ids, 1)
    bias = g.op("Add", t5_places(g, heads, length, length, both_ways=True), hidden)
    for _ in range(layers):
        x = t5_feed(g, attended(x, bias), width)
    memory = g.rms_norm(x, width)
    x, length = g.op("Gather", table, said, axis=0), g.extent(said, 1)
    steps = g.op("Range", g.scalar(0), length, g.scalar(1))
    later = g.op("Greater", g.op("Unsqueeze", steps, g.integers(0)), g.op("Unsqueeze", steps, g.integers(1)))
    later = g.op("Where", later, g.constant(np.float32(-1e9)), g.constant(np.float32(0)))
    bias = g.op("Add", t5_places(g, heads, length, length, both_ways=False), later)
    for _ in range(layers):
        x = t5_feed(g, attended(attended(x, bias), hidden, memory), width)
    return g.model((g.linear(g.rms_norm(x, width), width, words, bias=False), ["B", "T", words]))


# A front end of text to speech, in the form of FastSpeech (Ren et al., 2019) with recurrent layers: hidden states
# of tokens, how long each lasts, and its pitch.


def recurrent(g, x, width):
    """A GRU in both directions over [L, B, width], and its states side by side."""
    half = width // 2
    weights = [g.normal(2, 3 * half, inputs, scale=inputs**-0.5) for inputs in (width, half)]
    states, _ = g.op("GRU", x, *weights, g.normal(2, 6 * half, scale=0.1), results=2, hidden_size=half,
                     direction="bidirectional", linear_before_reset=1)
    return g.op("Reshape", g.op("Transpose", states, perm=[0, 2, 1, 3]), g.integers(0, 0, -1))


def speaker(name, width):
    g = Graph(name)
    x = g.op("Transpose", g.op("Gather", g.normal(100, width), g.input("ids", ["B", "L"], INT), axis=0), perm=[0, 2, 1])
    for _ in range(3):
        taps = g.normal(width, width, 5, scale=(5 * width) ** -0.5)
        x = g.op("Relu", g.op("Conv", x, taps, g.normal(width, scale=0.1), pads=[2, 2]))
    x, results = g.op("Transpose", x, perm=[2, 0, 1]), []
    for kind in ("hidden", "lasts", "pitch"):
        y = x
        for _ in range(3):
            # By rows of [L, B], which the directions of the states are joined in.
            y = g.op("Reshape", recurrent(g, y, width), g.sizes(g.extent(x, 0), g.extent(x, 1), width))
        outputs = width if kind == "hidden" else 1
        results.append((g.op("Transpose", g.linear(y, width, outputs), perm=[1, 0, 2]), ["B", "L", outputs]))
    return g.model(*results)


# A network that rates speech, in the form of DNSMOS (Reddy et al., 2020): of a spectrogram, three numbers.


def rating(name):
    g, channels = Graph(name), 1
    x = g.op("Unsqueeze", g.input("spectrogram", ["B", "T", 120]), g.integers(1))
    for width, pools in ((32, True), (32, True), (32, True), (64, False)):
        x = g.op("Conv", x, g.normal(width, channels, 3, 3, scale=(9 * channels) ** -0.5), g.normal(width, scale=0.1),
                 pads=[1] * 4)
        x, channels = g.op("Relu", x), width
        x = g.op("MaxPool", x, kernel_shape=[2, 2], strides=[2, 2]) if pools else x
    x = g.op("Flatten", g.op("GlobalMaxPool", x), axis=1)
    for inputs, outputs in ((64, 64), (64, 64)):
        x = g.op("Relu", g.linear(x, inputs, outputs))
    return g.model((g.linear(x, 64, 3), ["B", 3]))


ENCODERS = {
    "BERT, 3 layers": lambda name: bert(name, 3, 64, 4, 1000),
    "BERT-base": lambda name: bert(name, 12, 768, 12, 30522),
    "ViT, 3 layers": lambda name: vit(name, 3, 64, 4),
    "ViT-B": lambda name: vit(name, 12, 768, 12),
    "Swin, 2 + 2 layers": lambda name: Swin(name, (2, 2), 32).build(),
    "Whisper encoder": lambda name: whisper(name, 4, 64, 4),
    "T5, 2 + 2 layers": lambda name: t5(name, 2, 64, 4),
    "text to speech, 9 GRUs": lambda name: speaker(name, 64),
    "speech quality": rating,
}


def build(name):
    """The serialised model of `name`, one of ENCODERS. Cost: up to 440 MB."""
    return ENCODERS[name](name)
