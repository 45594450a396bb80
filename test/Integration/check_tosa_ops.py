# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops of TOSA with open extents beside NumPy.

    check_tosa_ops.py [NAME]...

Each program is compiled once and run under --guard-pages; calls that an op does not
allow are refused by name. Without names, all groups.
"""

import itertools
import sys
from pathlib import Path

import numpy as np

import symrun
from checking import Groups

group = Groups()
ZERO = '%z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>\n'


def shape(name, *values):
    return (f"%{name} = tosa.const_shape {{values = dense<{list(values)}> : tensor<{len(values)}xindex>}} "
            f": () -> !tosa.shape<{len(values)}>\n")


class Programs:
    def __init__(self, checks, folder):
        self.checks, self.path = checks, Path(folder) / "m.mlir"

    def run(self, what, body, arguments, result, calls, oracle, refused=(), op="", module=""):
        """`body` computes %r from %a0, ...; `oracle` does so from the arrays of a call."""
        texts = ", ".join(f"%a{i}: {type_}" for i, type_ in enumerate(arguments))
        self.path.write_text(f"func.func @main({texts}) -> {result} {{\n{ZERO}{body}\nreturn %r : {result}\n}}\n")
        if module:
            self.path.write_text(f"module attributes {{{module}}} {{\n{self.path.read_text()}}}\n")
        run = symrun.run(self.path, calls, options=["--guard-pages"])
        if self.checks.ran(run, len(calls), what):
            for number, ((actual,), call) in enumerate(zip(run.results, calls)):
                self.checks.close(actual, np.asarray(oracle(*call)), 1e-5, f"{what}, call {number}")
        for call in refused:
            self.checks.refused(symrun.run(self.path, [call]), [op], f"{what}, shapes {[a.shape for a in call]}")


def values(*extents):
    return np.random.default_rng(sum(extents)).integers(-4, 5, extents).astype(np.float32)


def open_type(rank, element="f32"):
    return f"tensor<{'?x' * rank}{element}>"


def windows(x, kernel, stride, dilation=(1, 1)):
    """Windows of an image as (batch, height, width, kernel height, kernel width, channel)."""
    reach = [(k - 1) * d + 1 for k, d in zip(kernel, dilation)]
    count = [(x.shape[1 + i] - reach[i]) // stride[i] + 1 for i in (0, 1)]
    out = np.zeros((x.shape[0], *count, *kernel, x.shape[3]), x.dtype)
    for y, z, i, j in itertools.product(*map(range, (*count, *kernel))):
        out[:, y, z, i, j] = x[:, y * stride[0] + i * dilation[0], z * stride[1] + j * dilation[1]]
    return out


def pad_image(x, pad):
    return np.pad(x, ((0, 0), pad[:2], pad[2:], (0, 0)))


IMAGES = [(1, 5, 7), (0, 5, 7), (2, 9, 3), (3, 3, 3), (1, 33, 21)]


@group
def convolutions(programs):
    t = open_type(4)
    attributes = "{acc_type = f32, dilation = array<i64: 1, 2>, pad = array<i64: 1, 1, 2, 2>, stride = array<i64: 2, 1>}"
    for c, o in ((3, 5), (0, 2), (1, 1)):
        calls = [[values(*image, c), values(o, 3, 3, c), values(o)] for image in IMAGES]
        bad = [[values(1, 4, 7, c), values(o, 3, 3, c), values(o)], [values(1, 5, 7, c + 1), values(o, 3, 3, c), values(o)],
               [values(1, 5, 7, c), values(o, 3, 3, c), values(o + 2)]]
        programs.run(f"conv2d {c} {o}", f"%r = tosa.conv2d %a0, %a1, %a2, %z, %z {attributes} : ({t}, {t}, {open_type(1)}, "
                     f"tensor<1xf32>, tensor<1xf32>) -> {t}", [t, t, open_type(1)], t, calls,
                     lambda x, w, b: np.einsum("nyxijc,oijc->nyxo", windows(pad_image(x, (1, 1, 2, 2)), (3, 3), (2, 1), (1, 2)),
                                               w) + b, bad, "tosa.conv2d")
    attributes = "{acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>}"
    calls = [[values(*image, 3), values(3, 2, 3, 2), values(6)] for image in IMAGES]
    programs.run("depthwise", f"%r = tosa.depthwise_conv2d %a0, %a1, %a2, %z, %z {attributes} : ({t}, {t}, {open_type(1)}, "
                 f"tensor<1xf32>, tensor<1xf32>) -> {t}", [t, t, open_type(1)], t, calls,
                 lambda x, w, b: np.einsum("nyxijc,ijcm->nyxcm", windows(x, (3, 2), (1, 1)), w).reshape(
                     x.shape[0], x.shape[1] - 2, x.shape[2] - 1, 6) + b,
                 [[values(1, 2, 5, 3), values(3, 2, 3, 2), values(6)]], "tosa.depthwise_conv2d")
    # Without a multiplier; and one number for all channels, as NumPy has it.
    one = "tensor<?x?x?x1xf32>"
    for module, biases in (("", ["c"]), ("symshape.tosa_numpy_broadcast", ["c", 1])):
        calls = [[values(*image, c), values(3, 2, c, 1), values(c if bias == "c" else 1)]
                 for image in IMAGES for c in (0, 1, 5, 16) for bias in biases]
        programs.run("depthwise without multiplier", f"%r = tosa.depthwise_conv2d %a0, %a1, %a2, %z, %z {attributes} : "
                     f"({t}, {one}, {open_type(1)}, tensor<1xf32>, tensor<1xf32>) -> {t}", [t, one, open_type(1)], t, calls,
                     lambda x, w, b: np.einsum("nyxijc,ijc->nyxc", windows(x, (3, 2), (1, 1)), w[..., 0]) + b,
                     [[values(1, 5, 5, 3), values(3, 2, 3, 1), values(2)]], "tosa.depthwise_conv2d", module)
    for o, c, name, weights, einsum in ((5, 3, "conv2d", (5, 2, 2, 3), "nyxijc,oijc->nyxo"),
                                        (6, 3, "depthwise_conv2d", (2, 2, 3, 2), "nyxijc,ijcm->nyxcm")):
        calls = [[values(*image, c), values(*weights), values(b)] for image in IMAGES for b in (1, o)]
        programs.run(f"bias of {name}", f"%r = tosa.{name} %a0, %a1, %a2, %z, %z {attributes} : ({t}, {t}, "
                     f"{open_type(1)}, tensor<1xf32>, tensor<1xf32>) -> {t}", [t, t, open_type(1)], t, calls,
                     lambda x, w, b: (y := np.einsum(einsum, windows(x, (2, 2), (1, 1)), w)).reshape(*y.shape[:3], -1) + b
                     if x.size else np.zeros((0, x.shape[1] - 1, x.shape[2] - 1, o), np.float32),
                     [[values(1, 5, 7, c), values(*weights), values(o - 1)]], f"tosa.{name}", "symshape.tosa_numpy_broadcast")

    def transposed(x, w, b):
        n, h, v, _ = x.shape
        out = np.zeros((n, (h - 1) * 2 + 3, (v - 1) * 3 + 2, w.shape[0]), np.float32)
        for y, z, i, j in itertools.product(range(h), range(v), range(3), range(2)):
            out[:, 2 * y + i, 3 * z + j] += x[:, y, z] @ w[:, i, j].T
        return np.pad(out, ((0, 0), (1, 0), (0, 0), (0, 0)))[:, :, 1:] + b
    weights, bias = values(4, 3, 2, 3), values(4)
    constants = (f'%w = "tosa.const"() <{{values = dense<{weights.tolist()}> : tensor<4x3x2x3xf32>}}> : () -> tensor<4x3x2x3xf32>\n'
                 f'%b = "tosa.const"() <{{values = dense<{bias.tolist()}> : tensor<4xf32>}}> : () -> tensor<4xf32>\n')
    types = f"({t}, tensor<4x3x2x3xf32>, tensor<4xf32>, tensor<1xf32>, tensor<1xf32>) -> {t}"
    images = [[values(*image, 3)] for image in IMAGES]
    programs.run("constant weights", f"{constants}%r = tosa.conv2d %a0, %w, %b, %z, %z {attributes} : {types}", [t], t, images,
                 lambda x: np.einsum("nyxijc,oijc->nyxo", windows(x, (3, 2), (1, 1)), weights) + bias,
                 [[values(1, 2, 7, 3)]], "tosa.conv2d")
    programs.run("constant weights, transposed", f"{constants}%r = tosa.transpose_conv2d %a0, %w, %b, %z, %z {{acc_type = f32, "
                 f"out_pad = array<i64: 1, 0, -1, 0>, stride = array<i64: 2, 3>}} : {types}", [t], t, images,
                 lambda x: transposed(x, weights, bias), [[values(1, 0, 5, 3)]], "tosa.transpose_conv2d")
    small = constants.replace("xf32>", "xi8>", 2).replace(".0", "").replace("xf32>", "xi32>")
    integer = f"tensor<{'?x' * 4}i8>"
    sums = f"tensor<{'?x' * 4}i32>"
    programs.run("constant weights of integers", small +
                 '%x0 = "tosa.const"() <{values = dense<2> : tensor<1xi8>}> : () -> tensor<1xi8>\n'
                 '%w0 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>\n'
                 f"%r = tosa.conv2d %a0, %w, %b, %x0, %w0 {attributes.replace('f32', 'i32')} : ({integer}, "
                 f"tensor<4x3x2x3xi8>, tensor<4xi32>, tensor<1xi8>, tensor<1xi8>) -> {sums}", [integer], sums,
                 [[image.astype(np.int8)] for image, in images],
                 lambda x: np.einsum("nyxijc,oijc->nyxo", windows(x.astype(np.int32) - 2, (3, 2), (1, 1)),
                                     weights.astype(np.int32)) + bias.astype(np.int32))
    calls = [[values(*image, 3), values(4, 3, 2, 3), values(4)] for image in IMAGES]
    programs.run("transpose_conv2d", "%r = tosa.transpose_conv2d %a0, %a1, %a2, %z, %z {acc_type = f32, "
                 f"out_pad = array<i64: 1, 0, -1, 0>, stride = array<i64: 2, 3>}} : ({t}, {t}, {open_type(1)}, "
                 f"tensor<1xf32>, tensor<1xf32>) -> {t}", [t, t, open_type(1)], t, calls, transposed,
                 [[values(1, 0, 5, 3), values(4, 3, 2, 3), values(4)]], "tosa.transpose_conv2d")


@group
def phases(programs):
    """Transposed convolutions at steps that kernels cover: no zeros are multiplied."""
    def spread(x, w, b, stride, pad):
        n, h, v, _ = x.shape
        kernel = w.shape[1:3]
        out = np.zeros((n, (h - 1) * stride[0] + kernel[0], (v - 1) * stride[1] + kernel[1], w.shape[0]), x.dtype)
        for y, z, i, j in itertools.product(range(h), range(v), *map(range, kernel)):
            out[:, y * stride[0] + i, z * stride[1] + j] += x[:, y, z] @ w[:, i, j].T
        out = np.pad(out, ((0, 0), *((max(a, 0), max(c, 0)) for a, c in (pad[:2], pad[2:])), (0, 0)))
        return out[:, max(-pad[0], 0):out.shape[1] + min(pad[1], 0), max(-pad[2], 0):out.shape[2] + min(pad[3], 0)] + b
    open_image, open_line = open_type(4), open_type(1)
    for kernel, stride, pad in (((4, 4), (2, 2), (-1, -1, -1, -1)), ((3, 3), (2, 2), (0, 1, -1, 0)), ((2, 2), (2, 2), (0, 0, 0, 0)),
                                ((5, 3), (2, 3), (2, -3, -1, 1)), ((1, 4), (1, 3), (0, 2, 1, -2))):
        attributes = f"out_pad = array<i64: {', '.join(map(str, pad))}>, stride = array<i64: {stride[0]}, {stride[1]}>}}"
        for o, c in ((16, 17), (1, 1)):
            weights = f"tensor<?x{kernel[0]}x{kernel[1]}x?xf32>"
            calls = [[values(*image, c), values(o, *kernel, c), values(o)] for image in (*IMAGES, (2, 1, 1))]
            programs.run(f"phases {kernel} {stride} {pad} {o} {c}",
                         f"%r = tosa.transpose_conv2d %a0, %a1, %a2, %z, %z {{acc_type = f32, {attributes} : ({open_image}, {weights}, "
                         f"{open_line}, tensor<1xf32>, tensor<1xf32>) -> {open_image}", [open_image, weights, open_line],
                         open_image, calls, lambda x, w, b: spread(x, w, b, stride, pad),
                         [[values(1, 5, 7, c), values(o, *kernel, c), values(o + 1)]], "tosa.transpose_conv2d")
        # Bytes with zero points, and a bias of one number.
        images, small, sums = open_image.replace("f32", "i8"), f"tensor<5x{kernel[0]}x{kernel[1]}x3xi8>", open_image.replace("f32", "i32")
        numbers = (values(5, *kernel, 3) * 20).astype(np.int8)
        programs.run(f"phases of bytes {kernel} {stride} {pad}",
                     '%x0 = "tosa.const"() <{values = dense<2> : tensor<1xi8>}> : () -> tensor<1xi8>\n'
                     '%w0 = "tosa.const"() <{values = dense<-3> : tensor<1xi8>}> : () -> tensor<1xi8>\n'
                     '%b = "tosa.const"() <{values = dense<7> : tensor<1xi32>}> : () -> tensor<1xi32>\n'
                     f'%w = "tosa.const"() <{{values = dense<{numbers.tolist()}> : {small}}}> : () -> {small}\n'
                     f"%r = tosa.transpose_conv2d %a0, %w, %b, %x0, %w0 {{acc_type = i32, {attributes} : ({images}, {small}, "
                     f"tensor<1xi32>, tensor<1xi8>, tensor<1xi8>) -> {sums}", [images], sums,
                     [[(values(*image, 3) * 40).astype(np.int8)] for image in IMAGES],
                     lambda x: spread(x.astype(np.int32) - 2, numbers.astype(np.int32) + 3, 7, stride, pad))


@group
def biases(programs):
    """A bias of one number, which only a call shows, is that of all channels under NumPy's rule."""
    t = open_type(4)
    attributes = "dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>}"

    def sums(x, w):
        return np.einsum("nyxijc,oijc->nyxo", windows(x, (2, 2), (1, 1)), w)

    def of_each_channel(x, w):
        return np.einsum("nyxijc,ijcm->nyxcm", windows(x, (2, 2), (1, 1)), w).reshape(1, 2, 3, -1)

    def transposed(x, w):
        return sums(np.pad(x, ((0, 0), (1, 1), (1, 1), (0, 0))), w[:, ::-1, ::-1])
    for op, weights, oracle, more in (
            ("conv2d", (5, 2, 2, 3), sums, attributes), ("depthwise_conv2d", (2, 2, 3, 2), of_each_channel, attributes),
            ("transpose_conv2d", (4, 2, 2, 3), transposed, "out_pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>}")):
        channels = weights[2] * weights[3] if op == "depthwise_conv2d" else weights[0]
        calls = [[values(1, 3, 4, 3), values(*weights), values(n) + 1] for n in (1, channels)]
        programs.run(f"{op} with a bias", f"%r = tosa.{op} %a0, %a1, %a2, %z, %z {{acc_type = f32, {more} : ({t}, {t}, "
                     f"{open_type(1)}, tensor<1xf32>, tensor<1xf32>) -> {t}", [t, t, open_type(1)], t, calls,
                     lambda x, w, b, oracle=oracle: oracle(x, w) + b,
                     [[*calls[0][:2], values(2)]], f"tosa.{op}", module="symshape.tosa_numpy_broadcast")


@group
def pools(programs):
    t = open_type(4)
    attributes = "kernel = array<i64: 3, 2>, pad = array<i64: 1, 1, 0, 0>, stride = array<i64: 2, 1>}"
    calls = [[values(*image, c)] for image in IMAGES for c in (0, 1, 5)]

    def average(x):
        ones = windows(pad_image(np.ones_like(x[:1]), (1, 1, 0, 0)), (3, 2), (2, 1)).sum((3, 4))
        return windows(pad_image(x, (1, 1, 0, 0)), (3, 2), (2, 1)).sum((3, 4)) / (ones if x.shape[0] else 1)
    programs.run("avg_pool2d", f"%r = tosa.avg_pool2d %a0, %z, %z {{acc_type = f32, {attributes} : ({t}, tensor<1xf32>, "
                 f"tensor<1xf32>) -> {t}", [t], t, calls, average, [[values(1, 4, 4, 1)]], "tosa.avg_pool2d")
    programs.run("max_pool2d", f"%r = tosa.max_pool2d %a0 {{{attributes} : ({t}) -> {t}", [t], t, calls,
                 lambda x: windows(np.pad(x, ((0, 0), (1, 1), (0, 0), (0, 0)), constant_values=-np.inf), (3, 2),
                                   (2, 1)).max((3, 4)), [[values(1, 4, 4, 1)]], "tosa.max_pool2d")


@group
def resizes(programs):
    t = open_type(4)

    def nearest(x):
        return x.repeat(2, 1).repeat(2, 2)

    def bilinear(x):
        def lines(x, axis):
            extent = x.shape[axis]
            place = (np.arange(2 * extent) * 2 - 1) / 4
            first = np.floor(place).astype(int)
            part = (place - first).reshape([-1 if i == axis else 1 for i in range(4)])
            low, high = (np.take(x, np.clip(first + i, 0, extent - 1), axis) for i in (0, 1))
            return low * (1 - part) + high * part
        return lines(lines(x, 1), 2).astype(np.float32)
    calls = [[values(*image, c)] for image in IMAGES + [(1, 1, 1)] for c in (0, 1, 5)]
    for mode, oracle in (("NEAREST_NEIGHBOR", nearest), ("BILINEAR", bilinear)):
        programs.run(mode, shape("s", 4, 2, 4, 2) + shape("o", -1, -1) + shape("b", 1, 1) +
                     f"%r = tosa.resize %a0, %s, %o, %b {{mode = {mode}}} : ({t}, !tosa.shape<4>, !tosa.shape<2>, "
                     f"!tosa.shape<2>) -> {t}", [t], t, calls, oracle, [[values(1, 0, 3, 1)]], "tosa.resize")


@group
def transforms(programs):
    t = open_type(3)
    calls = [[values(*extents), values(*extents[::-1]).reshape(extents)]
             for extents in ((0, 4, 2), (1, 1, 1), (2, 1, 8), (3, 4, 1), (2, 8, 4))]
    refused = [[values(1, 3, 4)] * 2, [values(1, 4, 6)] * 2]
    for part, name in ((np.real, "re"), (np.imag, "im")):
        keep = f"\n%r = tosa.identity %{name} : ({t}) -> {t}"
        programs.run(f"rfft2d, {name}", f"%re, %im = tosa.rfft2d %a0 {{local_bound = true}} : ({t}) -> ({t}, {t}){keep}",
                     [t], t, [call[:1] for call in calls], lambda x, part=part: part(np.fft.rfft2(x)),
                     [call[:1] for call in refused], "tosa.rfft2d")
        for inverse in (False, True):
            def whole(x, y, part=part, inverse=inverse):
                z = x + 1j * y.astype(np.complex128)
                return part(np.fft.ifft2(z, norm="forward") if inverse else np.fft.fft2(z))
            programs.run(f"fft2d, {name}, inverse {inverse}",
                         f"%re, %im = tosa.fft2d %a0, %a1 {{inverse = {str(inverse).lower()}, local_bound = true}} "
                         f": ({t}, {t}) -> ({t}, {t}){keep}", [t, t], t, calls, whole, refused, "tosa.fft2d")

    def zeros(x):
        """Where all sines are those of half turns, whatever the numbers."""
        rows, columns = (np.arange(n) * 2 % x.shape[axis] == 0 for n, axis in ((x.shape[1], 1), (x.shape[2] // 2 + 1, 2)))
        return np.broadcast_to(rows[:, None] & columns, (x.shape[0], len(rows), len(columns)))
    numbers = [[np.random.default_rng(n).standard_normal((2, n, 2 * n)).astype(np.float32)] for n in (1, 4, 16)]
    programs.run("zeros of rfft2d", f"""%c = "tosa.const"() <{{values = dense<0.0> : tensor<1x1x1xf32>}}> : () -> tensor<1x1x1xf32>
%re, %im = tosa.rfft2d %a0 {{local_bound = true}} : ({t}) -> ({t}, {t})
%r = tosa.equal %im, %c : ({t}, tensor<1x1x1xf32>) -> {open_type(3, "i1")}""", [t], open_type(3, "i1"), numbers, zeros)


@group
def movement(programs):
    t = open_type(2)
    shapes = [(0, 3), (3, 0), (1, 1), (2, 6), (7, 9), (33, 4)]
    one = [[values(*extents)] for extents in shapes]
    programs.run("tile", shape("m", 2, 3) + f"%r = tosa.tile %a0, %m : ({t}, !tosa.shape<2>) -> {t}", [t], t, one,
                 lambda x: np.tile(x, (2, 3)))
    programs.run("pad", shape("p", 1, 0, 2, 3) + f"%r = tosa.pad %a0, %p, %z : ({t}, !tosa.shape<4>, tensor<1xf32>) -> {t}",
                 [t], t, one, lambda x: np.pad(x, ((1, 0), (2, 3))))
    programs.run("slice", shape("s", 1, 2) + shape("n", -1, 2) +
                 f"%r = tosa.slice %a0, %s, %n : ({t}, !tosa.shape<2>, !tosa.shape<2>) -> {t}", [t], t,
                 [[values(n, m)] for n, m in ((1, 4), (3, 5), (33, 9))], lambda x: x[1:, 2:4],
                 [[values(0, 4)], [values(3, 3)]], "tosa.slice")
    programs.run("reshape", shape("s", 3, -1) + f"%r = tosa.reshape %a0, %s : ({t}, !tosa.shape<2>) -> {t}", [t], t,
                 [[values(*extents)] for extents in ((0, 3), (3, 0), (2, 6), (7, 9), (33, 4))], lambda x: x.reshape(3, -1),
                 [[values(1, 1)], [values(2, 7)]], "tosa.reshape")
    programs.run("computed reshape", """%n = tosa.dim %a0 {axis = 0 : i32} : (tensor<?x?xf32>) -> !tosa.shape<1>
%m = tosa.dim %a0 {axis = 1 : i32} : (tensor<?x?xf32>) -> !tosa.shape<1>
%k = tosa.mul_shape %n, %m : (!tosa.shape<1>, !tosa.shape<1>) -> !tosa.shape<1>
%p = tosa.dim %a1 {axis = 0 : i32} : (tensor<?xf32>) -> !tosa.shape<1>
%q = tosa.div_floor_shape %k, %p : (!tosa.shape<1>, !tosa.shape<1>) -> !tosa.shape<1>
%s = tosa.concat_shape %q, %p : (!tosa.shape<1>, !tosa.shape<1>) -> !tosa.shape<2>
""" + f"%r = tosa.reshape %a0, %s : ({t}, !tosa.shape<2>) -> {t}", [t, open_type(1)], t,
                 [[values(2, 6), values(3)], [values(0, 4), values(5)], [values(7, 9), values(21)]],
                 lambda x, y: x.reshape(-1, len(y)) if x.size else np.zeros((0, len(y)), np.float32),
                 [[values(2, 6), values(5)], [values(2, 6), values(0)]], "tosa.")
    programs.run("concat", f"%r = tosa.concat %a0, %a1, %a0 {{axis = 1 : i32}} : ({t}, {t}, {t}) -> {t}", [t, t], t,
                 [[values(n, m), values(n, k)] for n, m, k in ((0, 2, 3), (3, 0, 1), (7, 9, 2))],
                 lambda x, y: np.concatenate([x, y, x], 1), [[values(2, 3), values(3, 3)]], "tosa.concat")
    cube = open_type(3)
    indices = [[values(n, k, c), np.random.default_rng(k).integers(0, max(k, 1), (n, w)).astype(np.int32)]
               for n, k, c, w in ((2, 3, 4, 5), (0, 3, 4, 5), (1, 1, 1, 0), (3, 7, 1, 9))]
    programs.run("gather", f"%r = tosa.gather %a0, %a1 : ({cube}, tensor<?x?xi32>) -> {cube}", [cube, "tensor<?x?xi32>"], cube,
                 indices, lambda x, i: np.take_along_axis(x, i[:, :, None].astype(int), 1) if i.size else
                 np.zeros((*i.shape, x.shape[2]), np.float32),
                 [[values(2, 3, 4), np.full((2, 2), 3, np.int32)], [values(2, 3, 4), np.zeros((3, 2), np.int32)],
                  [values(2, 0, 4), np.zeros((2, 1), np.int32)]], "gather")


@group
def elementwise(programs):
    t = open_type(2)
    calls = [[values(*extents), values(*extents)] for extents in ((0, 3), (3, 0), (1, 1), (7, 9))]
    programs.run("add", f"%r = tosa.add %a0, %a1 : ({t}, {t}) -> {t}", [t, t], t, calls, np.add,
                 [[values(1, 3), values(2, 3)], [values(0, 3), values(1, 3)]], "tosa.add")
    row = "tensor<1x?xf32>"
    programs.run("add a row", f"%r = tosa.add %a0, %a1 : ({t}, {row}) -> {t}", [t, row], t,
                 [[values(n, m), values(1, m)] for n, m in ((0, 3), (3, 0), (7, 9))], np.add,
                 [[values(2, 3), values(1, 1)]], "tosa.add")
    programs.run("chain", f"%x = tosa.exp %a0 : ({t}) -> {t}\n%c = tosa.greater %x, %a1 : ({t}, {t}) -> tensor<?x?xi1>\n"
                 f"%r = tosa.select %c, %x, %a1 : (tensor<?x?xi1>, {t}, {t}) -> {t}", [t, t], t, calls,
                 lambda x, y: np.maximum(np.exp(x), y), [[values(1, 3), values(1, 4)]], "tosa.greater")
    pairs = [((7, 9), (7, 9)), ((1, 9), (7, 1)), ((7, 9), (1, 1)), ((0, 1), (1, 3)), ((1, 1), (1, 0)), ((1, 1), (1, 1))]
    programs.run("add as NumPy", f"%r = tosa.add %a0, %a1 : ({t}, {t}) -> {t}", [t, t], t,
                 [[values(*a), values(*b)] for a, b in pairs], np.add, [[values(2, 3), values(3, 3)]], "tosa.add",
                 module="symshape.tosa_numpy_broadcast")
    programs.run("reduce_sum", f"%r = tosa.reduce_sum %a0 {{axis = 1 : i32}} : ({t}) -> {t}", [t], t,
                 [[values(*extents)] for extents in ((0, 3), (3, 0), (1, 1), (7, 9))], lambda x: x.sum(1, keepdims=True))
    programs.run("reduce_max", f"%r = tosa.reduce_max %a0 {{axis = 1 : i32}} : ({t}) -> {t}", [t], t,
                 [[values(*extents)] for extents in ((0, 3), (1, 1), (7, 9))], lambda x: x.max(1, keepdims=True),
                 [[values(3, 0)]], "tosa.reduce_max")
    branch = f"""%r = "tosa.cond_if"(%a1, %a0) ({{
^bb0(%x: {t}):
  %y = tosa.abs %x : ({t}) -> {t}
  tosa.yield %y : {t}
}}, {{
^bb0(%x: {t}):
  tosa.yield %x : {t}
}}) : (tensor<1xi1>, {t}) -> {t}"""
    programs.run("cond_if", branch, [t, "tensor<1xi1>"], t,
                 [[values(*extents), np.array([c])] for extents in ((0, 3), (1, 1), (7, 9)) for c in (False, True)],
                 lambda x, c: np.abs(x) if c[0] else x)
    loop = """%r, %n = "tosa.while_loop"(%a0, %a1) ({
^bb0(%x: tensor<?x4xf32>, %i: tensor<i32>):
  %one = "tosa.const"() <{values = dense<0> : tensor<i32>}> : () -> tensor<i32>
  %go = tosa.greater %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i1>
  tosa.yield %go : tensor<i1>
}, {
^bb0(%x: tensor<?x?xf32>, %i: tensor<i32>):
  %one = "tosa.const"() <{values = dense<1> : tensor<i32>}> : () -> tensor<i32>
  %y = tosa.add %x, %x : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  %j = tosa.sub %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
  tosa.yield %y, %j : tensor<?x?xf32>, tensor<i32>
}) : (tensor<?x4xf32>, tensor<i32>) -> (tensor<?x?xf32>, tensor<i32>)"""
    programs.run("while_loop", loop, ["tensor<?x4xf32>", "tensor<i32>"], t,
                 [[values(n, 4), np.array(k, np.int32)] for n in (0, 1, 7) for k in (0, 1, 3)], lambda x, k: x * 2**int(k))


@group
def stock_bugs(programs):
    """What upstream's patterns get wrong or have no form for, and no other group looks at."""
    table = values(2, 5, 3)
    programs.run("gather from a constant", f'%v = "tosa.const"() <{{values = dense<{table.tolist()}> : tensor<2x5x3xf32>}}> : () -> '
                 "tensor<2x5x3xf32>\n%r = tosa.gather %v, %a0 : (tensor<2x5x3xf32>, tensor<2x?xi32>) -> tensor<2x?x3xf32>",
                 ["tensor<2x?xi32>"], "tensor<2x?x3xf32>",
                 [[np.array([[4, 0, 4][:n], [1, 2, 3][:n]], np.int32)] for n in (0, 1, 3)],
                 lambda i: np.take_along_axis(table, i[:, :, None].astype(int), 1), [[np.full((2, 1), 5, np.int32)]], "gather")
    for width, type_ in ((16, np.int16), (48, np.int64)):
        t = open_type(2, f"i{width}")
        programs.run(f"pad of i{width}", shape("p", 1, 0, 2, 3) + f'%v = "tosa.const"() <{{values = dense<-7> : tensor<1xi{width}>}}> : '
                     f"() -> tensor<1xi{width}>\n%r = tosa.pad %a0, %p, %v : ({t}, !tosa.shape<4>, tensor<1xi{width}>) -> {t}", [t], t,
                     [[values(*e).astype(type_) * 8000] for e in ((0, 3), (1, 1), (7, 9))],
                     lambda x: np.pad(x, ((1, 0), (2, 3)), constant_values=-7))
    images, sums = open_type(4, "i16"), open_type(4, "i48")
    zeros = "".join(f'%{n} = "tosa.const"() <{{values = dense<0> : tensor<1xi{w}>}}> : () -> tensor<1xi{w}>\n' for n, w in (("x0", 16), ("w0", 8)))
    programs.run("conv2d of i16 with a border", zeros + "%r = tosa.conv2d %a0, %a1, %a2, %x0, %w0 {acc_type = i48, dilation = array<i64: 1, 1>, "
                 f"pad = array<i64: 1, 0, 2, 1>, stride = array<i64: 1, 1>}} : ({images}, {open_type(4, 'i8')}, {open_type(1, 'i48')}, "
                 f"tensor<1xi16>, tensor<1xi8>) -> {sums}", [images, open_type(4, "i8"), open_type(1, "i48")], sums,
                 [[values(*image, 3).astype(np.int16) * 8000, values(2, 2, 3, 3).astype(np.int8) * 30, np.array([2**40, -5])]
                  for image in IMAGES],
                 lambda x, w, b: np.einsum("nyxijc,oijc->nyxo", windows(pad_image(x.astype(np.int64), (1, 0, 2, 1)), (2, 3), (1, 1)),
                                           w.astype(np.int64)) + b)
    constants = "".join(f'%{n} = "tosa.const"() <{{values = dense<{v}> : tensor<{t}>}}> : () -> tensor<{t}>\n' for n, v, t in (
        ("m", "[1518500250, 1073741824, 2000000000]", "3xi32"), ("s", "[31, 33, 40]", "3xi8"), ("i0", 0, "1xi32"), ("o0", -3, "1xi8")))
    programs.run("rescale with a free rounding", constants + "%r = tosa.rescale %a0, %m, %s, %i0, %o0 {input_unsigned = false, "
                 "output_unsigned = false, per_channel = true, rounding_mode = INEXACT_ROUND, scale32 = true} : (tensor<?x3xi32>, "
                 "tensor<3xi32>, tensor<3xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<?x3xi8>", ["tensor<?x3xi32>"], "tensor<?x3xi8>",
                 [[values(n, 3).astype(np.int32) * 37] for n in (0, 1, 33)],
                 lambda x: np.clip(((x.astype(np.int64) * [1518500250, 1073741824, 2000000000] + [2**30, 2**32, 2**39]) >> [31, 33, 40])
                                   - 3, -128, 127).astype(np.int8))
    tall = "tensor<1x1x1x1x?x1x3xi8>"
    programs.run("negate with zero points that are values", f"%r = tosa.negate %a0, %a1, %a2 : ({tall}, tensor<1xi8>, tensor<1xi8>) -> {tall}",
                 [tall, "tensor<1xi8>", "tensor<1xi8>"], tall,
                 [[np.random.default_rng(n).integers(-128, 128, (1, 1, 1, 1, n, 1, 3)).astype(np.int8), np.array([5], np.int8), np.array([-100], np.int8)]
                  for n in (0, 1, 33)],
                 lambda x, a, b: np.clip(int(a.item()) + int(b.item()) - x.astype(np.int64), -128, 127).astype(np.int8))
    programs.run("condition of rank 2", f"""%r = "tosa.cond_if"(%a1, %a0) ({{
^bb0(%x: {open_type(2)}):
  %y = tosa.negate %x, %z, %z : ({open_type(2)}, tensor<1xf32>, tensor<1xf32>) -> {open_type(2)}
  tosa.yield %y : {open_type(2)}
}}, {{
^bb0(%x: {open_type(2)}):
  tosa.yield %x : {open_type(2)}
}}) : (tensor<1x1xi1>, {open_type(2)}) -> {open_type(2)}""", [open_type(2), "tensor<1x1xi1>"], open_type(2),
                 [[values(3, 4), np.array([[c]])] for c in (False, True)], lambda x, c: -x if c.item() else x)


if __name__ == "__main__":
    sys.exit(group.run(sys.argv[1:], Programs))
