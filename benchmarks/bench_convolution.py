# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convolutions and what stands beside them in networks; extents but channels unknown.

P7 is a block like those of PP-OCRv4, NCHW: 3x3 with relu, depthwise 3x3 with hardswish,
pointwise with hardswish; each with a bias; as one program, and each convolution alone.
Then, of ONNX files that both engines read, single layers of known networks, with a bias.
"""

import numpy as np
import symshape_c

import networks
import onnx_graphs
from contest import ORT, Group, Ratio, aligned
from onnx_graphs import node

OURS = "symshape"
CHANNELS, OUTPUT = 32, 64
SIZES = [(24, 80), (48, 160), (47, 161), (80, 80), (120, 160)]
QUICK_SIZES = [(24, 80), (47, 161)]
TOLERANCE = 1e-3

PRELUDE = """#nchw = affine_map<(n, c, h, w) -> (n, c, h, w)>
#c = affine_map<(n, c, h, w) -> (c)>
"""
ZERO = "    %zero = arith.constant 0.0 : f32\n"
RELU = ZERO + "    %y = arith.maximumf %v, %zero : f32\n"
# v * min(max(v / 6 + 1/2, 0), 1)
HARDSWISH = ZERO + """    %one = arith.constant 1.0 : f32
    %sixth = arith.constant 0.166666667 : f32
    %half = arith.constant 0.5 : f32
    %s0 = arith.mulf %v, %sixth : f32
    %s1 = arith.addf %s0, %half : f32
    %s2 = arith.maximumf %s1, %zero : f32
    %s3 = arith.minimumf %s2, %one : f32
    %y = arith.mulf %v, %s3 : f32
"""


class Layer:
    """One convolution with bias and activation, as text and as ONNX nodes."""

    def __init__(self, name, kind, inputs, outputs, activation):
        self.name, self.kind, self.inputs, self.outputs = name, kind, inputs, outputs
        self.activation = activation
        self.shape = {"conv": (outputs, inputs, 3, 3), "depthwise": (outputs, 3, 3),
                      "pointwise": (outputs, inputs, 1, 1)}[kind]

    def weights(self, rng):
        scale = np.float32(1 / np.sqrt(np.prod(self.shape[1:])))
        return {self.name + "_w": rng.standard_normal(self.shape, np.float32) * scale,
                self.name + "_b": rng.standard_normal(self.outputs, np.float32)}

    def work(self, height, width):
        return 2.0 * np.prod(self.shape) * height * width

    def arguments(self):
        filter_ = "x".join(map(str, self.shape))
        return [f'%{self.name}_w: tensor<{filter_}xf32> {{symshape.weight = "{self.name}_w"}}',
                f'%{self.name}_b: tensor<{self.outputs}xf32> {{symshape.weight = "{self.name}_b"}}']

    def text(self, x, y):
        """The lines that compute %y from %x; %h and %w are height and width."""
        name, source = self.name, f"tensor<1x{self.inputs}x?x?xf32>"
        target, filter_ = f"tensor<1x{self.outputs}x?x?xf32>", "x".join(map(str, self.shape))
        lines = []
        if self.kind != "pointwise":
            lines.append(f"""  %{name}_p = tensor.pad %{x} low[0, 0, 1, 1] high[0, 0, 1, 1] {{
  ^bb0(%n: index, %c: index, %i: index, %j: index):
    tensor.yield %z : f32
  }} : {source} to {source}""")
            x = f"{name}_p"
        kind = "depthwise_conv_2d_nchw_chw" if self.kind == "depthwise" else "conv_2d_nchw_fchw"
        lines.append(f"""  %{name}_e = tensor.empty(%h, %w) : {target}
  %{name}_f = linalg.fill ins(%z : f32) outs(%{name}_e : {target}) -> {target}
  %{name}_r = linalg.{kind} {{strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}}
      ins(%{x}, %{name}_w : {source}, tensor<{filter_}xf32>) outs(%{name}_f : {target}) -> {target}
  %{y} = linalg.generic {{indexing_maps = [#nchw, #c, #nchw],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}}
      ins(%{name}_r, %{name}_b : {target}, tensor<{self.outputs}xf32>) outs(%{name}_e : {target}) {{
  ^bb0(%a: f32, %b: f32, %out: f32):
    %v = arith.addf %a, %b : f32
{RELU if self.activation == 'Relu' else HARDSWISH}    linalg.yield %y : f32
  }} -> {target}""")
        return "\n".join(lines)

    def nodes(self, x, y):
        groups = self.outputs if self.kind == "depthwise" else 1
        pads = [0] * 4 if self.kind == "pointwise" else [1] * 4
        return [node("Conv", f"{x} {self.name}_w {self.name}_b", f"{self.name}_r", group=groups, pads=pads),
                node(self.activation, f"{self.name}_r", y)]


LAYERS = [Layer("c3", "conv", CHANNELS, CHANNELS, "Relu"),
          Layer("dw", "depthwise", CHANNELS, CHANNELS, "HardSwish"),
          Layer("pw", "pointwise", CHANNELS, OUTPUT, "HardSwish")]


def program(layers):
    """MLIR of the layers in a row."""
    source = f"tensor<1x{layers[0].inputs}x?x?xf32>"
    target = f"tensor<1x{layers[-1].outputs}x?x?xf32>"
    arguments = ",\n    ".join([f"%x0: {source}"] + [line for layer in layers for line in layer.arguments()])
    body = "\n".join(layer.text(f"x{i}", f"x{i + 1}") for i, layer in enumerate(layers))
    return PRELUDE + f"""func.func @main({arguments}) -> {target} {{
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %z = arith.constant 0.0 : f32
  %h = tensor.dim %x0, %c2 : {source}
  %w = tensor.dim %x0, %c3 : {source}
{body}
  return %x{len(layers)} : {target}
}}
"""


def onnx_model(layers, weights):
    nodes = [n for i, layer in enumerate(layers) for n in layer.nodes(f"x{i}", f"x{i + 1}")]
    constants = {name: array[:, None] if array.ndim == 3 else array for name, array in weights.items()}
    return onnx_graphs.graph(nodes, {"x0": [1, layers[0].inputs, "h", "w"]},
                             (f"x{len(layers)}", [1, layers[-1].outputs, "h", "w"]), constants)


def add(bench, group, name, layers, rng):
    weights = {key: array for layer in layers for key, array in layer.weights(rng).items()}
    compiled = bench.compile(f"convolution-{name}", program(layers), weights)
    session = onnx_graphs.session(onnx_model(layers, weights), bench.threads)
    for height, width in QUICK_SIZES if bench.quick else SIZES:
        x = aligned(rng.standard_normal((1, layers[0].inputs, height, width), np.float32))
        call = symshape_c.Call(compiled, [x])
        bound = onnx_graphs.Bound(session, {"x0": x}, (1, layers[-1].outputs, height, width))
        row = bench.entry(group, f"{name} {height} x {width}", {OURS: call, ORT: bound},
                          sum(layer.work(height, width) for layer in layers))
        row["difference"] = float(np.abs(call.results()[0] - bound.output).max())
        if not row["difference"] <= TOLERANCE:
            row["remark"] = f"DIFFERS by {row['difference']:.1e}"


def convolution(outputs, kernel, **options):
    return lambda b: b.conv("image", outputs, kernel, bias=True, **options)


def depthwise(kernel):
    return lambda b: b.conv("image", b.inputs, kernel, groups=b.inputs, bias=True)


def behind_transpose(b):
    """As between the stages of ConvNeXt: channels are last in what is normalised."""
    x = networks.layer_norm(b, networks.channels_last(b, "image"), b.inputs)
    return b.conv(networks.channels_first(b, x, b.inputs), 2 * b.inputs, 2, stride=2, pad=0, bias=True)


# Name, channels, how it is built, and the size of the call.
LAYERS_OF_NETWORKS = [
    ("3x3, 64 to 64", 64, convolution(64, 3), (1, 56, 56)),
    ("3x3, 512 to 512", 512, convolution(512, 3), (3, 4, 1)),
    ("3x3 / 2, 64 to 128", 64, convolution(128, 3, stride=2), (1, 56, 56)),
    ("7x7 / 2, 3 to 64", 3, convolution(64, 7, stride=2), (1, 224, 224)),
    ("1x1, 256 to 64", 256, convolution(64, 1), (1, 56, 56)),
    ("depthwise 3x3, 96", 96, depthwise(3), (1, 56, 56)),
    ("depthwise 7x7, 96", 96, depthwise(7), (1, 56, 56)),
    ("max pool 3x3 / 2, 64", 64, lambda b: b.max_pool("image"), (1, 112, 112)),
    ("patches 4x4, 3 to 48", 3, convolution(48, 4, stride=4, pad=0), (1, 224, 224)),
    ("2x2 / 2, 48, transposed", 48, behind_transpose, (1, 56, 56)),
    ("ConvNeXt block, 96", 96, lambda b: networks.convnext_block(b, "image"), (1, 56, 56)),
    ("ConvNeXt block, 384", 384, lambda b: networks.convnext_block(b, "image"), (1, 14, 14)),
]


def layers_of_networks(bench, rng):
    group = Group("layers of networks", [Ratio(OURS, ORT, None, 0.9)])
    for number, (name, channels, build, (count, height, width)) in enumerate(LAYERS_OF_NETWORKS):
        builder = networks.Builder(name, channels)
        path = bench.out / f"layer-{number}.onnx"
        path.write_bytes(builder.model(build(builder), images=True))
        x = aligned(rng.standard_normal((count, channels, height, width), np.float32))
        call = symshape_c.Call(bench.load(path), [x])
        bound = onnx_graphs.Bound(onnx_graphs.session(str(path), bench.threads), {"image": x})
        row = bench.entry(group, f"{name}, {f'{count} x ' * (count > 1)}{height} x {width}", {OURS: call, ORT: bound})
        row["difference"] = float(np.abs(call.results()[0] - bound.output).max())
        if not row["difference"] <= TOLERANCE:
            row["remark"] = f"DIFFERS by {row['difference']:.1e}"
    return group


def groups(bench):
    rng = np.random.default_rng(0)
    block = Group("P7 convolution block, NCHW, 3x3 + depthwise 3x3 + pointwise", [Ratio(OURS, ORT, None, 1.0)])
    add(bench, block, "block", LAYERS, rng)
    single = Group("its convolutions alone", [Ratio(OURS, ORT, None, 1.0)])
    for name, layer in zip(("3x3", "depthwise", "pointwise"), LAYERS):
        add(bench, single, name, [layer], rng)
    return [block, single, layers_of_networks(bench, rng)]
