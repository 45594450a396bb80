# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convolutional networks as ONNX models, written down from the papers that describe them.

`NETWORKS` maps a name to a function that gives the serialised model: one input `image`,
[N, 3, H, W] with N, H and W open, and float weights that are random, in the ranges that
keep the numbers of all layers near 1. Convolutions are followed by BatchNormalization
where the paper has one, as a model is before an optimiser has folded it.
"""

import numpy as np
from onnx import TensorProto, checker, helper, numpy_helper

OPSET = 20
CLASSES = 1000


class Builder:
    """Nodes in the order of use. Values are names; `channels` is the extent of their dimension 1."""

    def __init__(self, name, channels=3):
        self.name, self.nodes, self.weights, self.inputs = name, [], [], channels
        self.rng = np.random.default_rng(sum(map(ord, name)))
        self.channels = {"image": channels}

    def op(self, kind, *inputs, channels=None, **attributes):
        """A node with one result, which has the channels of the first input if nothing is said."""
        result = f"{kind}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(inputs), [result], name=result, **attributes))
        self.channels[result] = channels or self.channels.get(inputs[0])
        return result

    def constant(self, array):
        name = f"constant_{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(np.ascontiguousarray(array), name))
        return name

    def normal(self, *shape, scale=1.0):
        return self.constant(self.rng.standard_normal(shape, np.float32) * np.float32(scale))

    def near_one(self, count):
        return self.constant(self.rng.uniform(0.7, 1.3, count).astype(np.float32))

    def conv(self, x, outputs, kernel, stride=1, groups=1, pad=None, bias=False):
        """`pad` of each border; if nothing is said, that of a window around its element."""
        inputs = self.channels[x] // groups
        pad = kernel // 2 if pad is None else pad
        operands = [x, self.normal(outputs, inputs, kernel, kernel, scale=(2 / (inputs * kernel**2)) ** 0.5)]
        if bias:
            operands.append(self.normal(outputs, scale=0.1))
        return self.op("Conv", *operands, channels=outputs, strides=[stride] * 2, pads=[pad] * 4, group=groups)

    def batch_norm(self, x):
        count = self.channels[x]
        return self.op("BatchNormalization", x, self.near_one(count), self.normal(count, scale=0.1),
                       self.normal(count, scale=0.1), self.near_one(count))

    def conv_norm(self, x, outputs, kernel, activation=None, **options):
        x = self.batch_norm(self.conv(x, outputs, kernel, **options))
        return self.activate(x, activation)

    def activate(self, x, activation):
        if activation == "Swish":
            return self.op("Mul", x, self.op("Sigmoid", x))
        return self.op(activation, x) if activation else x

    def max_pool(self, x):
        return self.op("MaxPool", x, kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4)

    def squeeze_excite(self, x, width, inner, outer):
        """Channels weighted by what they are on average (Hu et al., 2018)."""
        y = self.op("GlobalAveragePool", x)
        y = self.activate(self.conv(y, width, 1, bias=True), inner)
        return self.op("Mul", x, self.op(outer, self.conv(y, self.channels[x], 1, bias=True)))

    def linear(self, x, inputs, outputs):
        product = self.op("MatMul", x, self.normal(inputs, outputs, scale=inputs**-0.5), channels=outputs)
        return self.op("Add", product, self.normal(outputs, scale=0.1), channels=outputs)

    def classify(self, x, hidden=None, activation=None):
        x = self.op("Flatten", self.op("GlobalAveragePool", x), axis=1)
        if hidden:
            x = self.activate(self.linear(x, self.channels[x], hidden), activation)
        return self.linear(x, self.channels[x], CLASSES)

    def resize_like(self, x, other, mode):
        """`x` with the height and width of `other`."""
        from_, to, axis = (self.constant(np.array([value])) for value in (2, 4, 0))
        image = self.op("Slice", self.op("Shape", other), from_, to, axis)
        ahead = self.op("Slice", self.op("Shape", x), axis, from_, axis)
        sizes = self.op("Concat", ahead, image, axis=0)
        options = {"nearest_mode": "floor"} if mode == "nearest" else {}
        where = "asymmetric" if mode == "nearest" else "half_pixel"
        return self.op("Resize", x, "", "", sizes, channels=self.channels[x], mode=mode,
                       coordinate_transformation_mode=where, **options)

    def model(self, *results, images=False):
        """The serialised model; `results` are images, or rows of numbers."""
        image = helper.make_tensor_value_info("image", TensorProto.FLOAT, ["N", self.inputs, "H", "W"])
        outputs = [helper.make_tensor_value_info(result, TensorProto.FLOAT, ["N", self.channels[result]]
                                                 + [f"H{i}", f"W{i}"] * images) for i, result in enumerate(results)]
        graph = helper.make_graph(self.nodes, self.name, [image], outputs, self.weights)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=9)
        checker.check_model(model)
        return model.SerializeToString()


# He et al., Deep Residual Learning for Image Recognition, 2015: table 1.


def basic_block(b, x, width, stride):
    y = b.conv_norm(x, width, 3, "Relu", stride=stride)
    y = b.conv_norm(y, width, 3)
    return residual(b, x, y, stride)


def bottleneck(b, x, width, stride):
    y = b.conv_norm(x, width, 1, "Relu")
    y = b.conv_norm(y, width, 3, "Relu", stride=stride)
    y = b.conv_norm(y, 4 * width, 1)
    return residual(b, x, y, stride)


def residual(b, x, y, stride):
    if stride != 1 or b.channels[x] != b.channels[y]:
        x = b.conv_norm(x, b.channels[y], 1, stride=stride)
    return b.op("Relu", b.op("Add", y, x))


def resnet_stages(b, block, counts):
    """What each of the four stages gives."""
    x = b.max_pool(b.conv_norm("image", 64, 7, "Relu", stride=2))
    for stage, count in enumerate(counts):
        for i in range(count):
            x = block(b, x, 64 << stage, 2 if stage and i == 0 else 1)
        yield x


def resnet(name, block, counts):
    b = Builder(name)
    return b.model(b.classify(list(resnet_stages(b, block, counts))[-1]))


# Howard et al., Searching for MobileNetV3, 2019: table 1. Of each block: kernel, width
# inside, channels, whether it weighs channels, activation, stride.

MOBILE_BLOCKS = [
    (3, 16, 16, False, "Relu", 1), (3, 64, 24, False, "Relu", 2), (3, 72, 24, False, "Relu", 1),
    (5, 72, 40, True, "Relu", 2), (5, 120, 40, True, "Relu", 1), (5, 120, 40, True, "Relu", 1),
    (3, 240, 80, False, "HardSwish", 2), (3, 200, 80, False, "HardSwish", 1), (3, 184, 80, False, "HardSwish", 1),
    (3, 184, 80, False, "HardSwish", 1), (3, 480, 112, True, "HardSwish", 1), (3, 672, 112, True, "HardSwish", 1),
    (5, 672, 160, True, "HardSwish", 2), (5, 960, 160, True, "HardSwish", 1), (5, 960, 160, True, "HardSwish", 1)]


def rounded(channels):
    """The multiple of 8 that is nearest, at least 8."""
    return max(8, (channels + 4) // 8 * 8)


def mobilenet_v3(name):
    b = Builder(name)
    x = b.conv_norm("image", 16, 3, "HardSwish", stride=2)
    for kernel, inner, outer, weighs, activation, stride in MOBILE_BLOCKS:
        y = x if inner == b.channels[x] else b.conv_norm(x, inner, 1, activation)
        y = b.conv_norm(y, inner, kernel, activation, stride=stride, groups=inner)
        if weighs:
            y = b.squeeze_excite(y, rounded(inner // 4), "Relu", "HardSigmoid")
        y = b.conv_norm(y, outer, 1)
        x = b.op("Add", x, y) if stride == 1 and b.channels[x] == outer else y
    x = b.conv_norm(x, 960, 1, "HardSwish")
    return b.model(b.classify(x, 1280, "HardSwish"))


# Tan and Le, EfficientNet, 2019: table 1. Of each stage: how much wider its blocks are
# inside, channels, blocks, stride, kernel.

EFFICIENT_STAGES = [(1, 16, 1, 1, 3), (6, 24, 2, 2, 3), (6, 40, 2, 2, 5), (6, 80, 3, 2, 3), (6, 112, 3, 1, 5),
                    (6, 192, 4, 2, 5), (6, 320, 1, 1, 3)]


def efficientnet_b0(name):
    b = Builder(name)
    x = b.conv_norm("image", 32, 3, "Swish", stride=2)
    for wider, outer, count, first, kernel in EFFICIENT_STAGES:
        for i in range(count):
            inputs, stride = b.channels[x], first if i == 0 else 1
            y = x if wider == 1 else b.conv_norm(x, wider * inputs, 1, "Swish")
            y = b.conv_norm(y, b.channels[y], kernel, "Swish", stride=stride, groups=b.channels[y])
            y = b.conv_norm(b.squeeze_excite(y, inputs // 4, "Swish", "Sigmoid"), outer, 1)
            x = b.op("Add", x, y) if stride == 1 and inputs == outer else y
    return b.model(b.classify(b.conv_norm(x, 1280, 1, "Swish")))


# Liu et al., A ConvNet for the 2020s, 2022: ConvNeXt-T.


def channels_last(b, x):
    return b.op("Transpose", x, perm=[0, 2, 3, 1])


def channels_first(b, x, channels):
    return b.op("Transpose", x, perm=[0, 3, 1, 2], channels=channels)


def layer_norm(b, x, channels):
    return b.op("LayerNormalization", x, b.near_one(channels), b.normal(channels, scale=0.1), axis=-1, epsilon=1e-6)


def convnext_block(b, x):
    channels = b.channels[x]
    y = channels_last(b, b.conv(x, channels, 7, groups=channels, bias=True))
    y = b.linear(layer_norm(b, y, channels), channels, 4 * channels)
    y = b.linear(b.op("Gelu", y), 4 * channels, channels)
    y = b.op("Mul", y, b.normal(channels, scale=0.3))
    return b.op("Add", x, channels_first(b, y, channels))


def convnext_tiny(name):
    b = Builder(name)
    x = "image"
    for stage, (channels, count) in enumerate(((96, 3), (192, 3), (384, 9), (768, 3))):
        if stage == 0:
            x = b.conv(x, channels, 4, stride=4, pad=0, bias=True)
        x = channels_first(b, layer_norm(b, channels_last(b, x), b.channels[x]), b.channels[x])
        if stage:
            x = b.conv(x, channels, 2, stride=2, pad=0, bias=True)
        for _ in range(count):
            x = convnext_block(b, x)
    x = b.op("Flatten", b.op("GlobalAveragePool", x), axis=1)
    return b.model(b.linear(layer_norm(b, x, 768), 768, CLASSES))


# Ronneberger et al., U-Net, 2015, with borders that keep the size, a quarter of the
# channels, and interpolation to the size of what it is joined to: any size is valid.


def unet(name):
    b = Builder(name)
    x, kept = "image", []

    def twice(x, channels):
        return b.conv_norm(b.conv_norm(x, channels, 3, "Relu"), channels, 3, "Relu")

    for channels in (16, 32, 64, 128):
        x = twice(x, channels)
        kept.append(x)
        x = b.op("MaxPool", x, kernel_shape=[2, 2], strides=[2, 2], ceil_mode=1)
    x = twice(x, 256)
    for other in reversed(kept):
        channels = b.channels[other]
        x = b.conv(b.resize_like(x, other, "linear"), channels, 1, bias=True)
        x = twice(b.op("Concat", other, x, axis=1, channels=2 * channels), channels)
    return b.model(b.conv(x, 2, 1, bias=True), images=True)


# Lin et al., Feature Pyramid Networks for Object Detection, 2017, on ResNet-18.


def feature_pyramid(name):
    b = Builder(name)
    stages = list(resnet_stages(b, basic_block, [2, 2, 2, 2]))
    x, results = None, []
    for stage in reversed(stages):
        side = b.conv(stage, 256, 1, bias=True)
        x = side if x is None else b.op("Add", side, b.resize_like(x, side, "nearest"))
        results.append(b.conv(x, 256, 3, bias=True))
    return b.model(*results, images=True)


# Radosavovic et al., Designing Network Design Spaces, 2020: table 8, groups of 16 channels.


def regnet_x(name):
    b = Builder(name)
    x = b.conv_norm("image", 32, 3, "Relu", stride=2)
    for width, count in ((32, 1), (64, 2), (160, 7), (400, 12)):
        for i in range(count):
            stride = 1 if i else 2
            y = b.conv_norm(x, width, 1, "Relu")
            y = b.conv_norm(y, width, 3, "Relu", stride=stride, groups=width // 16)
            x = residual(b, x, b.conv_norm(y, width, 1), stride)
    return b.model(b.classify(x))


NETWORKS = {
    "ResNet-18": lambda name: resnet(name, basic_block, [2, 2, 2, 2]),
    "ResNet-50": lambda name: resnet(name, bottleneck, [3, 4, 6, 3]),
    "MobileNetV3-Large": mobilenet_v3,
    "EfficientNet-B0": efficientnet_b0,
    "ConvNeXt-T": convnext_tiny,
    "RegNetX-400MF": regnet_x,
    "U-Net": unet,
    "feature pyramid": feature_pyramid,
}


def build(name):
    """The serialised model of `name`, one of NETWORKS. Cost: up to 110 MB."""
    return NETWORKS[name](name)
