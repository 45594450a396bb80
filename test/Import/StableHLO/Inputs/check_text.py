# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs in StableHLO's text, each compiled once, beside NumPy at several sizes, 0 and 1 among them.

    check_text.py LIBRARY FOLDER

Quantized ops are beside the words of the specification: dequantize, compute, quantize.
"""

import functools
import math

import numpy as np
from text_programs import PROGRAMS, SIZES, floats, main, program, random


def quantize(x, scale, zero, least=-128, most=127, type_=np.int8):
    scaled = np.asarray(x, np.float32) / np.float32(scale) + np.asarray(zero, np.float32)
    return np.round(np.clip(scaled, least, most)).astype(type_)


def dequantize(x, scale, zero):
    return ((x.astype(np.int64) - zero).astype(np.float32) * np.asarray(scale, np.float32)).astype(np.float32)


def pad(x, value, low, high, interior):
    rows, columns = x.shape
    whole = np.full((rows + low + high + interior * max(rows - 1, 0), columns), value, np.float32)
    whole[low : low + (rows - 1) * (interior + 1) + 1 : interior + 1] = x
    return whole


def collatz(x):
    steps = 0
    while x != 1:
        x, steps = (x // 2 if x % 2 == 0 else 3 * x + 1), steps + 1
    return steps


@program("""
func.func @main(%x: tensor<?x4xf32>, %w: tensor<4x3xf32>) -> (tensor<?x3xf32>, tensor<?xf32>) {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT]
      : (tensor<?x4xf32>, tensor<4x3xf32>) -> tensor<?x3xf32>
  %1 = stablehlo.maximum %0, %0 : tensor<?x3xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %2 = stablehlo.reduce(%1 init: %zero) applies stablehlo.add across dimensions = [1]
      : (tensor<?x3xf32>, tensor<f32>) -> tensor<?xf32>
  %3 = stablehlo.compare GT, %2, %2, FLOAT : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xi1>
  %4 = stablehlo.negate %2 : tensor<?xf32>
  %5 = stablehlo.select %3, %4, %2 : tensor<?xi1>, tensor<?xf32>
  return %1, %5 : tensor<?x3xf32>, tensor<?xf32>
}""")
def products(run):
    for n in SIZES:
        x, w = floats(n, 4), floats(4, 3)
        yield run(x, w), (x @ w, (x @ w).sum(1)), 1e-4


@program("""
func.func @main(%n: tensor<i32>) -> tensor<i32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %three = stablehlo.constant dense<3> : tensor<i32>
  %r:2 = stablehlo.while(%x = %n, %steps = %zero) : tensor<i32>, tensor<i32>
  cond {
    %c = stablehlo.compare NE, %x, %one : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %half = stablehlo.divide %x, %two : tensor<i32>
    %odd = stablehlo.remainder %x, %two : tensor<i32>
    %is = stablehlo.compare EQ, %odd, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %triple = stablehlo.multiply %x, %three : tensor<i32>
    %more = stablehlo.add %triple, %one : tensor<i32>
    %next = stablehlo.select %is, %half, %more : tensor<i1>, tensor<i32>
    %count = func.call @increment(%steps) : (tensor<i32>) -> tensor<i32>
    stablehlo.return %next, %count : tensor<i32>, tensor<i32>
  }
  return %r#1 : tensor<i32>
}
func.func private @increment(%x: tensor<i32>) -> tensor<i32> {
  %one = stablehlo.constant dense<1> : tensor<i32>
  %y = stablehlo.add %x, %one : tensor<i32>
  return %y : tensor<i32>
}""")
def loops(run):
    for n in (1, 2, 7, 27):
        yield run(np.array(n, np.int32)), (np.array(collatz(n), np.int32),), 0


@program("""
func.func @main(%x: tensor<?x5xf32>, %at: tensor<?x1xi32>) -> (tensor<?x5xf32>, tensor<?x2xf32>, tensor<5x?xf32>) {
  %0 = "stablehlo.gather"(%x, %at) <{dimension_numbers = #stablehlo.gather<offset_dims = [1],
      collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false,
      slice_sizes = array<i64: 1, 5>}> : (tensor<?x5xf32>, tensor<?x1xi32>) -> tensor<?x5xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %1 = "stablehlo.pad"(%0, %zero) {edge_padding_low = array<i64: 0, 0>, edge_padding_high = array<i64: 0, -3>,
      interior_padding = array<i64: 0, 0>} : (tensor<?x5xf32>, tensor<f32>) -> tensor<?x2xf32>
  %2 = stablehlo.transpose %0, dims = [1, 0] : (tensor<?x5xf32>) -> tensor<5x?xf32>
  return %0, %1, %2 : tensor<?x5xf32>, tensor<?x2xf32>, tensor<5x?xf32>
}""")
def generic(run):
    for n in SIZES[1:]:
        x, at = floats(n, 5), random.integers(0, n, (3, 1)).astype(np.int32)
        rows = x[at[:, 0]]
        yield run(x, at), (rows, rows[:, :2], rows.T), 0


@program("""
func.func @main(%x: tensor<?x3xf32>, %v: tensor<f32>, %low: tensor<2xi32>, %high: tensor<2xi32>,
                %between: tensor<2xi32>) -> tensor<?x3xf32> {
  %y = stablehlo.dynamic_pad %x, %v, %low, %high, %between
      : (tensor<?x3xf32>, tensor<f32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?x3xf32>
  return %y : tensor<?x3xf32>
}""")
def open_borders(run):
    for n in SIZES:
        for low, high, interior in ((0, 0, 0), (1, 2, 3), (2, 0, 1)):
            x = floats(n, 3)
            lists = [np.array([each, 0], np.int32) for each in (low, high, interior)]
            yield run(x, np.float32(7), *lists), (pad(x, 7, low, high, interior),), 0


X8, Y8, Z8, U8 = (f"!quant.uniform<{text}>" for text in ("i8:f32, 0.1:10", "i8:f32, 0.2:-1", "i8:f32, 0.5:-3",
                                                         "u8:f32, 0.05:128"))


@program(f"""
func.func @main(%x: tensor<?x4xf32>, %y: tensor<?x4xf32>)
    -> (tensor<?x4xf32>, tensor<?x4x{Z8}>, tensor<?x4x{U8}>, tensor<?x4x{X8}>, tensor<?x4xi1>) {{
  %a = stablehlo.uniform_quantize %x : (tensor<?x4xf32>) -> tensor<?x4x{X8}>
  %b = stablehlo.uniform_quantize %y : (tensor<?x4xf32>) -> tensor<?x4x{Y8}>
  %c = stablehlo.add %a, %b : (tensor<?x4x{X8}>, tensor<?x4x{Y8}>) -> tensor<?x4x{Z8}>
  %d = stablehlo.uniform_dequantize %c : (tensor<?x4x{Z8}>) -> tensor<?x4xf32>
  %e = stablehlo.uniform_quantize %a : (tensor<?x4x{X8}>) -> tensor<?x4x{U8}>
  %f = stablehlo.tanh %a : tensor<?x4x{X8}>
  %g = stablehlo.compare LT, %a, %f : (tensor<?x4x{X8}>, tensor<?x4x{X8}>) -> tensor<?x4xi1>
  return %d, %c, %e, %f, %g : tensor<?x4xf32>, tensor<?x4x{Z8}>, tensor<?x4x{U8}>, tensor<?x4x{X8}>, tensor<?x4xi1>
}}""")
def quantized_elements(run):
    for n in SIZES:
        x, y = floats(n, 4), floats(n, 4)
        a, b = quantize(x, 0.1, 10), quantize(y, 0.2, -1)
        real = dequantize(a, 0.1, 10)
        c = quantize(real + dequantize(b, 0.2, -1), 0.5, -3)
        f = quantize(np.tanh(real), 0.1, 10)
        yield run(x, y), (dequantize(c, 0.5, -3), c, quantize(real, 0.05, 128, 0, 255, np.uint8), f,
                          real < dequantize(f, 0.1, 10)), 0


AXIS = "!quant.uniform<i8:f32:1, {0.1:0, 0.25:3, 0.5:-2}>"


@program(f"""
func.func @main(%x: tensor<?x4xf32>, %w: tensor<4x3x{AXIS}>) -> (tensor<?x3x{Z8}>, tensor<?x3xf32>, tensor<4x3xf32>) {{
  %a = stablehlo.uniform_quantize %x : (tensor<?x4xf32>) -> tensor<?x4x{X8}>
  %p = stablehlo.dot_general %a, %w, contracting_dims = [1] x [0]
      : (tensor<?x4x{X8}>, tensor<4x3x{AXIS}>) -> tensor<?x3x{Z8}>
  %h = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
      : (tensor<?x4xf32>, tensor<4x3x{AXIS}>) -> tensor<?x3xf32>
  %d = stablehlo.uniform_dequantize %w : (tensor<4x3x{AXIS}>) -> tensor<4x3xf32>
  return %p, %h, %d : tensor<?x3x{Z8}>, tensor<?x3xf32>, tensor<4x3xf32>
}}""")
def quantized_products(run):
    scales, zeros = np.array([0.1, 0.25, 0.5], np.float32), np.array([0, 3, -2])
    for n in SIZES:
        x, w = floats(n, 4), random.integers(-20, 20, (4, 3)).astype(np.int8)
        real, weights = dequantize(quantize(x, 0.1, 10), 0.1, 10), dequantize(w, scales, zeros)
        # Sums may round to the other side of a tie: one step of the result.
        yield run(x, w), (quantize(real @ weights, 0.5, -3), x @ weights, weights), (1, 1e-3, 0)


@program(f"""
func.func @main(%x: tensor<?x6x2x{X8}>, %w: tensor<3x2x4x{Y8}>) -> tensor<?x4x4x{Z8}> {{
  %y = "stablehlo.convolution"(%x, %w) {{dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>,
      batch_group_count = 1 : i64, feature_group_count = 1 : i64}}
      : (tensor<?x6x2x{X8}>, tensor<3x2x4x{Y8}>) -> tensor<?x4x4x{Z8}>
  return %y : tensor<?x4x4x{Z8}>
}}""")
def quantized_convolutions(run):
    for n in SIZES:
        x, w = (random.integers(-30, 30, shape).astype(np.int8) for shape in ((n, 6, 2), (3, 2, 4)))
        real, weights = dequantize(x, 0.1, 10), dequantize(w, 0.2, -1)
        sums = np.stack([np.einsum("bki,kio->bo", real[:, at : at + 3], weights) for at in range(4)], 1)
        yield run(x, w), (quantize(sums, 0.5, -3),), 1


@program("""
func.func @main(%x: tensor<?x?x2xf32>, %w: tensor<?x2x4xf32>) -> (tensor<?x?x4xf32>, tensor<?x?x0xf32>) {
  %y = "stablehlo.convolution"(%x, %w) {dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>,
      window_strides = array<i64: 3>, rhs_dilation = array<i64: 2>, batch_group_count = 1 : i64,
      feature_group_count = 1 : i64} : (tensor<?x?x2xf32>, tensor<?x2x4xf32>) -> tensor<?x?x4xf32>
  %end = "stablehlo.slice"(%x) {start_indices = array<i64: 0, 0, 2>, limit_indices = array<i64: 1, 1, 2>,
      strides = array<i64: 1, 1, 1>} : (tensor<?x?x2xf32>) -> tensor<1x1x0xf32>
  %none = stablehlo.convert %end : (tensor<1x1x0xf32>) -> tensor<?x?x0xf32>
  return %y, %none : tensor<?x?x4xf32>, tensor<?x?x0xf32>
}""")
def open_windows(run):
    """As JAX has them in gradients of kernels; and a slice of nothing behind the last element."""
    for n, length, window in ((2, 9, 3), (1, 1, 1), (3, 5, 4), (1, 40, 20), (2, 12, 1), (1, 7, 3)):
        x, w = floats(n, length, 2), floats(window, 2, 4)
        count = max(0, (length - 2 * (window - 1) - 1 + 3) // 3)
        sums = [np.einsum("bki,kio->bo", x[:, 3 * at : 3 * at + 2 * window - 1 : 2], w) for at in range(count)]
        whole = np.stack(sums, 1) if sums else np.zeros((n, 0, 4), np.float32)
        yield run(x, w), (whole, np.zeros((1, 1, 0), np.float32)), 1e-3


def singular_values_text(mode, dtype):
    u, vt = ("?x?x?", "?x?x?")
    return f"""
func.func @main(%x: tensor<?x?x?x{dtype}>)
    -> (tensor<?x?x{dtype}>, tensor<{u}x{dtype}>, tensor<{vt}x{dtype}>, tensor<?xi32>) {{
  %r:5 = stablehlo.custom_call @lapack_{dict(f32="s", f64="d")[dtype]}gesdd_ffi(%x)
      {{mhlo.backend_config = {{mode = {ord(mode)} : ui8}}}} : (tensor<?x?x?x{dtype}>)
      -> (tensor<?x?x?x{dtype}>, tensor<?x?x{dtype}>, tensor<{u}x{dtype}>, tensor<{vt}x{dtype}>, tensor<?xi32>)
  return %r#1, %r#2, %r#3, %r#4 : tensor<?x?x{dtype}>, tensor<{u}x{dtype}>, tensor<{vt}x{dtype}>, tensor<?xi32>
}}"""


def matrices():
    """Tall, wide and square ones, of full rank and not, large and small numbers, empty ones."""
    for shape in ((2, 5, 3), (3, 3, 5), (1, 4, 4), (2, 1, 1), (1, 1, 7), (1, 33, 20), (0, 3, 2), (2, 0, 3), (2, 3, 0)):
        yield floats(*shape)
    low = floats(7, 2) @ floats(2, 5)
    yield np.stack([low, np.zeros_like(low), np.ones_like(low), 1e30 * low, 1e-30 * low])
    yield np.stack([np.eye(4, 6), np.diag([3, 0, -2, 0]) @ np.ones((4, 6))]).astype(np.float32)
    yield np.stack([np.full((3, 2), np.nan), np.ones((3, 2))]).astype(np.float32)


def check_singular(run, mode, dtype, precision):
    """Values are those of LAPACK; vectors, whose signs are free, are orthogonal, and multiply to the matrix."""
    for x in matrices():
        x = x.astype(dtype)
        if dtype == np.float64:
            x = x * 1e200  # whose squares overflow
        s, u, vt, info = run(x)
        isBad = np.isnan(x).any((1, 2))
        yield (info,), (np.where(isBad, -4, 0).astype(np.int32),), 0
        x, s, u, vt = (a[~isBad] for a in (x, s, u, vt))
        size = np.abs(x).max((1, 2), initial=0, keepdims=True).astype(np.float64)
        x = (x / np.where(size == 0, 1, size)).astype(np.float64)
        s = s / np.where(size == 0, 1, size)[..., 0]
        yield (s,), (np.linalg.svd(x, compute_uv=False),), precision * max(x.shape)
        if mode != "N":
            least = s.shape[1]
            assert u.shape[2] == (x.shape[1] if mode == "A" else least) and vt.shape[1] == (
                x.shape[2] if mode == "A" else least)
            whole = (u[..., :least].astype(np.float64) * s[:, None]) @ vt[:, :least]
            for vectors in (u, vt.swapaxes(1, 2)):
                square = vectors.swapaxes(1, 2).astype(np.float64) @ vectors
                yield (square,), (np.broadcast_to(np.eye(square.shape[1]), square.shape),), precision * max(x.shape)
            yield (whole,), (x,), precision * max(x.shape)


for letter, (name, precision) in {"f32": ("float32", 1e-6), "f64": ("float64", 1e-14)}.items():
    for mode in "NSA":
        PROGRAMS[f"singular_{letter}_{mode}"] = (singular_values_text(mode, letter), functools.partial(
            check_singular, mode=mode, dtype=np.dtype(name), precision=precision))


def einsum_text(equation, types):
    *operands, result = types
    names = ", ".join(f"%{i}" for i in range(len(operands)))
    arguments = ", ".join(f"%{i}: {type_}" for i, type_ in enumerate(operands))
    return f"""
func.func @main({arguments}) -> {result} {{
  %r = stablehlo.{"unary_" if len(operands) == 1 else ""}einsum {names}, config = "{equation}"
      : ({", ".join(operands)}) -> {result}
  return %r : {result}
}}"""


def check_einsum(run, equation, ranks):
    """Each letter has an extent of its own; those of an ellipsis are named by capitals."""
    known = equation.replace("...", "ZY" if "...a" in equation else "Z")
    terms = known.partition("->")[0].split(",")
    assert [len(term) for term in terms] == ranks
    for n in SIZES:
        letters = sorted(set(known) - set(",->"))
        extents = {letter: (n + 2 * i) % 8 if i % 2 else n for i, letter in enumerate(letters)}
        arrays = [floats(*(extents[letter] for letter in term)) for term in terms]
        yield run(*arrays), (np.einsum(known, *arrays),), 1e-2


def tensor_type(rank):
    return "tensor<" + "?x" * rank + "f32>"


for equation, ranks in {"ab,bc->ac": (2, 2, 2), "ab,cb->ca": (2, 2, 2), "a,b->ba": (1, 1, 2), "ab,ab->": (2, 2, 0),
                        "...ab,...bc->...ac": (4, 4, 4), "abc,cd->b": (3, 2, 1), "abc,b->cab": (3, 1, 3), "ab->b": (2, 1),
                        "ab->ba": (2, 2), "b...->...": (2, 1)}.items():
    PROGRAMS[f"einsum_{len(PROGRAMS)}"] = (einsum_text(equation, [tensor_type(rank) for rank in ranks]), functools.partial(
        check_einsum, equation=equation, ranks=list(ranks[:-1])))


@program("""
func.func @main(%x: tensor<?x?x3xf32>, %i: tensor<?xi32>, %j: tensor<?x2x?xui8>)
    -> (tensor<?x?x3xf32>, tensor<?x2x?x3xf32>, tensor<?x?x?x2x?xf32>) {
  %0 = "stablehlo.torch_index_select"(%x, %i) <{batch_dims = 0 : i64, dim = 0 : i64}>
      : (tensor<?x?x3xf32>, tensor<?xi32>) -> tensor<?x?x3xf32>
  %1 = "stablehlo.torch_index_select"(%x, %j) <{batch_dims = 1 : i64, dim = 1 : i64}>
      : (tensor<?x?x3xf32>, tensor<?x2x?xui8>) -> tensor<?x2x?x3xf32>
  %2 = "stablehlo.torch_index_select"(%x, %j) <{batch_dims = 0 : i64, dim = 2 : i64}>
      : (tensor<?x?x3xf32>, tensor<?x2x?xui8>) -> tensor<?x?x?x2x?xf32>
  return %0, %1, %2 : tensor<?x?x3xf32>, tensor<?x2x?x3xf32>, tensor<?x?x?x2x?xf32>
}""")
def index_selects(run):
    """What is not an index is the nearest one."""
    for n, rows, count in ((1, 1, 0), (1, 3, 4), (5, 2, 1), (7, 4, 3)):
        x, i = floats(n, rows, 3), random.integers(-1, n + 1, count).astype(np.int32)
        j = random.integers(0, 6, (n, 2, count)).astype(np.uint8)
        batches = [x[at][np.minimum(j[at], rows - 1)] for at in range(n)]
        yield run(x, i, j), (x[np.clip(i, 0, n - 1)], np.stack(batches), x[:, :, np.minimum(j, 2)]), 0


@program("""
func.func @main(%x: tensor<?x?xf32>, %s: tensor<3xi32>) -> tensor<?x?x?xf32> {
  %0 = stablehlo.dynamic_broadcast_in_dim %x, %s, dims = [0, 2]
      {known_expanding_dimensions = array<i64: 1>, known_nonexpanding_dimensions = array<i64: 0>}
      : (tensor<?x?xf32>, tensor<3xi32>) -> tensor<?x?x?xf32>
  return %0 : tensor<?x?x?xf32>
}""")
def repeated(run):
    for n in SIZES:
        x = floats(n, 1)
        yield run(x, np.array([n, 3, 5], np.int32)), (np.broadcast_to(x[:, None], (n, 3, 5)),), 0


@program("""
func.func @main(%x: tensor<?xui64>) -> (tensor<2xui64>, tensor<ui64>) {
  %a, %b = stablehlo.rng_bit_generator %x, algorithm = THREE_FRY : (tensor<?xui64>) -> (tensor<2xui64>, tensor<ui64>)
  return %a, %b : tensor<2xui64>, tensor<ui64>
}""")
def open_state(run):
    """Beside StableHLO's own test data."""
    state, bits = run(np.array([3, 3], np.uint64))
    yield (state, bits.reshape(1).view(np.uint32)), (np.array([3, 4], np.uint64),
                                                     np.array([3349939604322698703], np.uint64).view(np.uint32)), 0


if __name__ == "__main__":
    main()
