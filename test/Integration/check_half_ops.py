# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops of TOSA and tm_tensor on f16 and bf16 are computed in f32 inside, and rounded once, beside NumPy's f64.

    check_half_ops.py [functions|sums]

Results may be off by half a unit in the last place, and by what f32 adds to that. Functions are of every
number that the type has. Sums are of positive numbers, so that nothing is lost by differences.
"""

import sys
import tempfile
from pathlib import Path

import numpy as np

import symrun
from checking import Checks
from halves import HALVES, all_numbers, nearest, unit
from special_values import function_of_c


def rounded(x, small):
    return nearest(x, small).astype(np.float32)


def sigmoid(x):
    e = np.exp(-np.abs(x))
    return np.where(x < 0, e, 1) / (1 + e)


FUNCTIONS = {"abs": np.abs, "ceil": np.ceil, "cos": function_of_c("cos", 1), "erf": function_of_c("erf", 1), "exp": np.exp,
             "floor": np.floor, "log": np.log, "reciprocal": lambda x: 1 / x, "rsqrt": lambda x: 1 / np.sqrt(x),
             "sigmoid": sigmoid, "sin": function_of_c("sin", 1), "tanh": np.tanh}
ZERO = '%z = "tosa.const"() <{values = dense<0.0> : tensor<1xS>}> : () -> tensor<1xS>\n'


def opened(rank, element="S"):
    return f"tensor<{'?x' * rank}{element}>"


def windows(x, rows, columns):
    return np.lib.stride_tricks.sliding_window_view(x, (rows, columns), (1, 2))  # n h w c i j


def spread(x, w, b):
    """A transposed convolution with strides of 1."""
    n, rows, columns, _ = x.shape
    y = np.zeros((n, rows + w.shape[1] - 1, columns + w.shape[2] - 1, w.shape[0]))
    for i in range(w.shape[1]):
        for j in range(w.shape[2]):
            y[:, i:i + rows, j:j + columns] += np.einsum("nhwc,oc->nhwo", x, w[:, i, j])
    return y + b


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def attend(q, k, v, _):
    return softmax(q @ k.swapaxes(1, 2) / np.sqrt(q.shape[2])) @ v


def resized(x):
    """Twice the size, of two rows and columns at a time."""
    _, rows, columns, _ = x.shape
    at = [np.arange(2 * size - 1) / 2 for size in (rows, columns)]
    low = [np.floor(a).astype(int) for a in at]
    high = [np.minimum(a + 1, size - 1) for a, size in zip(low, (rows, columns))]
    part = [a - b for a, b in zip(at, low)]
    y = x[:, low[0]] * (1 - part[0])[:, None, None] + x[:, high[0]] * part[0][:, None, None]
    return y[:, :, low[1]] * (1 - part[1])[:, None] + y[:, :, high[1]] * part[1][:, None]


ATTRIBUTES = "pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>"
CONVOLUTION = f"acc_type = ACC, {ATTRIBUTES}, dilation = array<i64: 1, 1>"
T4, T3 = opened(4), opened(3)
SHAPES = "".join(f"%{name} = tosa.const_shape {{values = dense<[{values}]> : tensor<{n}xindex>}} : () -> !tosa.shape<{n}>\n"
                 for name, values, n in (("scale", "4, 2, 4, 2", 4), ("two", "0, 0", 2)))
#: name: (shapes of operands, lines that make %r of %a0 and so on, type of the result, NumPy, types)
SUMS = {
    "matmul": ([(2, 3, 900), (2, 900, 5)], f"%r = tosa.matmul %a0, %a1, %z, %z : ({T3}, {T3}, tensor<1xS>, tensor<1xS>) -> {T3}",
               T3, lambda a, b: a @ b, ["f16"]),
    "matmul to f32": ([(2, 3, 900), (2, 900, 5)], f"%r = tosa.matmul %a0, %a1, %z, %z : ({T3}, {T3}, tensor<1xS>, tensor<1xS>) -> {opened(3, 'f32')}",
                      opened(3, "f32"), lambda a, b: a @ b, ["f16", "bf16"]),
    "conv2d": ([(1, 6, 7, 90), (4, 3, 3, 90), (4,)], f"%r = tosa.conv2d %a0, %a1, %a2, %z, %z {{{CONVOLUTION}}} : ({T4}, {T4}, tensor<?xS>, "
               f"tensor<1xS>, tensor<1xS>) -> {T4}", T4, lambda x, w, b: np.einsum("nhwcij,oijc->nhwo", windows(x, 3, 3), w) + b, ["f16", "bf16"]),
    "depthwise_conv2d": ([(1, 31, 29, 3), (25, 25, 3, 2), (6,)], f"%r = tosa.depthwise_conv2d %a0, %a1, %a2, %z, %z {{{CONVOLUTION}}} : "
                         f"({T4}, {T4}, tensor<?xS>, tensor<1xS>, tensor<1xS>) -> {T4}", T4,
                         lambda x, w, b: np.einsum("nhwcij,ijcm->nhwcm", windows(x, 25, 25), w).reshape(1, 7, 5, 6) + b, ["f16", "bf16"]),
    "transpose_conv2d": ([(1, 4, 5, 90), (3, 3, 3, 90), (3,)], "%r = tosa.transpose_conv2d %a0, %a1, %a2, %z, %z {acc_type = ACC, out_pad = "
                         f"array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>}} : ({T4}, {T4}, tensor<?xS>, tensor<1xS>, tensor<1xS>) -> {T4}",
                         T4, spread, ["f16", "bf16"]),
    "avg_pool2d": ([(1, 34, 35, 3)], f"%r = tosa.avg_pool2d %a0, %z, %z {{acc_type = ACC, kernel = array<i64: 30, 30>, {ATTRIBUTES}}} : "
                   f"({T4}, tensor<1xS>, tensor<1xS>) -> {T4}", T4, lambda x: windows(x, 30, 30).mean((4, 5)), ["f16", "bf16"]),
    "resize": ([(1, 5, 7, 3)], f"{SHAPES}%r = tosa.resize %a0, %scale, %two, %two {{mode = BILINEAR}} : ({T4}, !tosa.shape<4>, "
               f"!tosa.shape<2>, !tosa.shape<2>) -> {T4}", T4, resized, ["f16", "bf16"]),
    "pow": ([(40, 50), (40, 50)], "%r = tosa.pow %a0, %a1 : (T2, T2) -> T2".replace("T2", opened(2)), opened(2), np.power, ["f16", "bf16"]),
    "attention": ([(2, 3, 64), (2, 700, 64), (2, 700, 5), (2, 3, 5)], f"%r = tm_tensor.attention ins(%a0, %a1, %a2 : {T3}, {T3}, {T3}) "
                  f"outs(%a3 : {T3}) -> {T3}", T3, attend, ["f16", "bf16"]),
}


def program(lines, ranks, result, small):
    arguments = ", ".join(f"%x{i}: {opened(rank, 'f32')}" for i, rank in enumerate(ranks))
    before = "\n  ".join(f"%a{i} = arith.truncf %x{i} : {opened(rank, 'f32')} to {opened(rank)}" for i, rank in enumerate(ranks))
    wide = result.replace("xS", "xf32")
    after = f"%y = arith.extf %r : {result} to {wide}" if wide != result else f"%y = tensor.cast %r : {result} to {wide}"
    text = f"{ZERO}  {before}\n  {lines}\n  {after}\n  return %y : {wide}\n"
    text = text.replace("xS", f"x{small}").replace("ACC", "f16" if small == "f16" else "f32")
    return f"func.func @main({arguments}) -> {wide} {{\n  {text}}}\n"


def off(got, want, small, kind):
    """How far beyond half a unit, in units; results of f32 have none of the type's rounding."""
    digits, _, most = HALVES[small]
    with np.errstate(all="ignore"):
        step = unit(want, small)
        if kind == "f32":
            return np.max(np.abs(got - want) / step - 1e-2, initial=0)
        largest = (2 - 2.0 ** -digits) * 2.0 ** most
        ends = np.where(np.abs(want) >= largest + 0.5 * 2.0 ** (most - digits), np.copysign(np.inf, want), want)
        units = np.abs(got.astype(np.float64) - ends) / step - 0.51
    same = (got == ends) | (np.isnan(got) & np.isnan(ends))
    return np.max(np.where(same, 0, np.where(np.isnan(units), np.inf, units)), initial=0)


def check_functions(checks, path, small):
    x = all_numbers(small)
    lines = "\n".join(f"%y{i} = tosa.{name} %a0 : (tensor<?xS>) -> tensor<?xS>" for i, name in enumerate(FUNCTIONS))
    wide = "\n".join(f"%r{i} = arith.extf %y{i} : tensor<?xS> to tensor<?xf32>" for i in range(len(FUNCTIONS)))
    types = ", ".join(["tensor<?xf32>"] * len(FUNCTIONS))
    names = ", ".join(f"%r{i}" for i in range(len(FUNCTIONS)))
    text = f"%a0 = arith.truncf %x : tensor<?xf32> to tensor<?xS>\n{lines}\n{wide}\nreturn {names} : {types}\n".replace("xS", f"x{small}")
    path.write_text(f"func.func @main(%x: tensor<?xf32>) -> ({types}) {{\n{text}}}\n")
    run = symrun.run(path, [[x], [x[::997]], [x[:1]], [x[:0]]], results=len(FUNCTIONS))
    if checks.ran(run, 4, f"functions of {small}"):
        with np.errstate(all="ignore"):
            for results, part in zip(run.results, (x, x[::997], x[:1], x[:0]), strict=True):
                for (name, f), got in zip(FUNCTIONS.items(), results, strict=True):
                    want = np.asarray(f(part.astype(np.float64))) if len(part) else np.zeros(0)
                    far = off(got, want, small, small)
                    checks.that(got.shape == part.shape and far == 0, f"tosa.{name} of {len(part)} {small}", f"  {far} units beyond a half")


def check_sums(checks, path, small):
    random = np.random.default_rng(8)
    for name, (shapes, lines, result, oracle, types) in SUMS.items():
        if small not in types:
            continue
        least = 0.25 if name != "resize" else 0.5
        call = [rounded(random.uniform(least, 2 * least if name != "pow" else 2, shape), small) for shape in shapes]
        path.write_text(program(lines, [len(shape) for shape in shapes], result, small))
        run = symrun.run(path, [call])
        if checks.ran(run, 1, f"{name} of {small}"):
            want, got = oracle(*(x.astype(np.float64) for x in call)), run.results[0][0]
            far = off(got, want, small, "f32" if "xf32" in result else small)
            checks.that(got.shape == want.shape and far == 0, f"{name} of {small}", f"  {far} units beyond a half")


def main():
    checks, wanted = Checks(), sys.argv[1:] or ["functions", "sums"]
    with tempfile.TemporaryDirectory(prefix="half-ops") as folder:
        for small in HALVES:
            if "functions" in wanted:
                check_functions(checks, Path(folder) / "functions.mlir", small)
            if "sums" in wanted:
                check_sums(checks, Path(folder) / "sums.mlir", small)
    floor = {"functions": 2 * 4 * len(FUNCTIONS), "sums": sum(len(types) for *_, types in SUMS.values())}
    assert checks.made >= sum(floor[name] for name in wanted), checks.made
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
