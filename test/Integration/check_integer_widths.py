# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Integers of odd widths, such as i4 and i48, beside NumPy.

    check_integer_widths.py [NAME]...

Each program is compiled once and run under --guard-pages. Oracles compute with Python's
integers, or int64, and wrap what has more bits than the type. Without names, all groups.
"""

import itertools
import sys
from pathlib import Path

import numpy as np

import symrun
from checking import Groups

group = Groups()
WIDTHS = {4: np.int8, 13: np.int16, 20: np.int32, 33: np.int64, 48: np.int64, 63: np.int64}
SHAPES = [(0,), (1,), (3,), (8,), (37,)]


def low(value, width):
    """The low bits, without a sign."""
    return value & ((1 << width) - 1)


def signed(value, width):
    """The low bits, with a sign."""
    return low(value + (1 << (width - 1)), width) - (1 << (width - 1))


def draw(width, shape, seed=0):
    """Values of all magnitudes, the first and the last of the type among them."""
    random = np.random.default_rng([width, seed, *shape])
    last = (1 << (width - 1)) - 1
    edges = [-last - 1, last, -1, 0, 1]
    count = int(np.prod(shape, dtype=np.int64))
    return np.array([edges[i % 5] if random.random() < 0.4 else random.integers(-last - 1, last, endpoint=True)
                     for i in range(count)], WIDTHS[width]).reshape(shape)


def open_type(rank, element):
    return f"tensor<{'?x' * rank}{element}>"


class Programs:
    def __init__(self, checks, folder):
        self.checks, self.path = checks, Path(folder) / "m.mlir"

    def run(self, what, text, calls, oracle, results=1):
        """`oracle` gives the results of @main from the arrays of a call; all must be equal, in type too."""
        self.path.write_text(text)
        run = symrun.run(self.path, calls, results=results, options=["--guard-pages"])
        if not self.checks.ran(run, len(calls), what):
            return
        for number, (actual, call) in enumerate(zip(run.results, calls)):
            for i, (one, other) in enumerate(zip(actual, oracle(*call), strict=True)):
                self.checks.that(one.dtype == other.dtype and np.array_equal(one, other),
                                 f"{what}, call {number}, result {i}", f"  {one.dtype} {one}\n  {other.dtype} {other}")


def truncated_division(x, y):
    return (abs(x) // abs(y)) * (1 if (x < 0) == (y < 0) else -1)


def make_ops(width):
    """Name of an op on two integers: what it gives."""
    def bits(f):
        return lambda x, y: f(low(x, width), low(y, width))
    return {
        "addi": lambda x, y: x + y, "subi": lambda x, y: x - y, "muli": lambda x, y: x * y,
        "andi": lambda x, y: x & y, "ori": lambda x, y: x | y, "xori": lambda x, y: x ^ y,
        "maxsi": max, "minsi": min, "maxui": bits(max), "minui": bits(min),
        # By an amount in range, and by what is not 0 or -1.
        "shli": lambda x, y: x << (y & 3), "shrsi": lambda x, y: x >> (y & 3), "shrui": bits(lambda x, y: x >> (y & 3)),
        "divsi": lambda x, y: truncated_division(x, (y & 3) | 1), "divui": bits(lambda x, y: x // ((y & 3) | 1)),
        "remui": bits(lambda x, y: x % ((y & 3) | 1)),
        "floordivsi": lambda x, y: x // ((y & 3) | 1), "ceildivsi": lambda x, y: -((-x) // ((y & 3) | 1)),
    }


@group
def arithmetic(programs):
    """On whole tensors, on elements in a loop, and on scalars of the function: all wrap."""
    for width, dtype in WIDTHS.items():
        i, ops = f"i{width}", make_ops(width)
        limited = ("shli", "shrsi", "shrui", "divsi", "divui", "remui", "floordivsi", "ceildivsi")
        def text(type_, constant):
            body = f"%c3 = arith.constant {constant(3)} : {type_}\n%c1 = arith.constant {constant(1)} : {type_}\n"
            body += f"%s = arith.andi %{{y}}, %c3 : {type_}\n%d = arith.ori %s, %c1 : {type_}\n"
            for name in ops:
                operand = "%{y}" if name not in limited else "%s" if name.startswith("sh") else "%d"
                body += f"%{name} = arith.{name} %{{x}}, {operand} : {type_}\n"
            return body
        t = f"tensor<37x{i}>"
        names = ", ".join(f"%{name}" for name in ops)
        types = ", ".join([t] * len(ops))
        programs.run(f"tensors of {i}", f"func.func @main(%x: {t}, %y: {t}) -> ({types}) {{\n"
                     + text(t, lambda c: f"dense<{c}>").format(x="x", y="y") + f"return {names} : {types}\n}}\n",
                     [[draw(width, (37,), seed), draw(width, (37,), seed + 1)] for seed in range(3)],
                     lambda x, y: [np.array([signed(f(int(a), int(b)), width) for a, b in zip(x, y)], dtype)
                                   for f in ops.values()], len(ops))
        t = f"tensor<?x{i}>"
        types = ", ".join([t] * len(ops))
        empties = "".join(f"%e_{name} = tensor.empty(%n) : {t}\n" for name in ops)
        carried = ", ".join(f"%t_{name} = %e_{name}" for name in ops)
        inserts = "".join(f"%r_{name} = tensor.insert %{name} into %t_{name}[%i] : {t}\n" for name in ops)
        yields = ", ".join(f"%r_{name}" for name in ops)
        programs.run(f"elements of {i}", f"""func.func @main(%x: {t}, %y: {t}) -> ({types}) {{
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %n = tensor.dim %x, %zero : {t}
  {empties}
  %r:{len(ops)} = scf.for %i = %zero to %n step %one iter_args({carried}) -> ({types}) {{
    %a = tensor.extract %x[%i] : {t}
    %b = tensor.extract %y[%i] : {t}
    {text(i, str).format(x="a", y="b")}
    {inserts}
    scf.yield {yields} : {types}
  }}
  return {", ".join(f"%r#{j}" for j in range(len(ops)))} : {types}
}}
""", [[draw(width, shape), draw(width, shape, 1)] for shape in SHAPES],
                     lambda x, y: [np.array([signed(f(int(a), int(b)), width) for a, b in zip(x, y)], dtype)
                                   for f in ops.values()], len(ops))
        types = ", ".join([i] * len(ops))
        programs.run(f"scalars of {i}", f"func.func @main(%x: {i}, %y: {i}) -> ({types}) {{\n"
                     + text(i, str).format(x="x", y="y") + f"return {names} : {types}\n}}\n",
                     [[draw(width, (1,), seed)[0], draw(width, (1,), seed + 1)[0]] for seed in range(4)],
                     lambda x, y: [np.array(signed(f(int(x), int(y)), width), dtype) for f in ops.values()], len(ops))


@group
def conversions(programs):
    for width in WIDTHS:
        i = f"i{width}"
        def typed(element):
            return f"tensor<?x{element}>"
        t = typed(i)
        wide = "i64"
        ops = {
            f"extui %x : {t} to {typed(wide)}": (wide, lambda v: np.array([low(int(a), width) for a in v], np.int64)),
            f"extsi %x : {t} to {typed(wide)}": (wide, lambda v: v.astype(np.int64)),
            f"trunci %x : {t} to {typed('i3')}": ("i3", lambda v: np.array([signed(int(a), 3) for a in v], np.int8)),
            f"uitofp %x : {t} to {typed('f64')}": ("f64", lambda v: np.array([low(int(a), width) for a in v], np.float64)),
            f"sitofp %x : {t} to {typed('f64')}": ("f64", lambda v: v.astype(np.float64)),
            f"index_cast %x : {t} to {typed('index')}": ("index", lambda v: v.astype(np.int64)),
            f"index_castui %x : {t} to {typed('index')}":
                ("index", lambda v: np.array([low(int(a), width) for a in v], np.int64)),
            f"cmpi ult, %x, %y : {t}": ("i1", lambda v: np.array([low(int(a), width) < low(5, width) for a in v], bool)),
            f"cmpi slt, %x, %y : {t}": ("i1", lambda v: v < 5),
        }
        types = ", ".join(typed(element) for element, _ in ops.values())
        body = "".join(f"%r{n} = arith.{op}\n" for n, op in enumerate(ops))
        names = ", ".join(f"%r{n}" for n in range(len(ops)))
        programs.run(f"conversions from {i}", f"""func.func @main(%x: {t}) -> ({types}) {{
  %zero = arith.constant 0 : index
  %n = tensor.dim %x, %zero : {t}
  %c = arith.constant 5 : {i}
  %y = tensor.splat %c[%n] : {t}
  {body}
  return {names} : {types}
}}
""", [[draw(width, shape)] for shape in SHAPES], lambda v: [f(v) for _, f in ops.values()], len(ops))
        programs.run(f"conversions to {i}", f"""func.func @main(%x: tensor<?xi64>, %f: tensor<?xf64>) -> ({t}, {t}) {{
  %0 = arith.trunci %x : tensor<?xi64> to {t}
  %1 = arith.fptosi %f : tensor<?xf64> to {t}
  return %0, %1 : {t}, {t}
}}
""", [[np.random.default_rng(7).integers(-2**63, 2**63 - 1, shape), draw(min(width, 48), shape).astype(np.float64)]
      for shape in SHAPES],
                     lambda x, f: [np.array([signed(int(a), width) for a in x], WIDTHS[width]), f.astype(WIDTHS[width])], 2)


@group
def contractions(programs):
    """Products of matrices and sums: by their names, sums of 48 bits would be sums of 64."""
    def wrap(array, width):
        return np.vectorize(lambda v: signed(int(v), width), otypes=[WIDTHS[width]])(array)
    for width, a, b in ((48, 48, 48), (48, 13, 4), (20, 4, 4), (4, 4, 4), (33, 20, 33)):
        types = [f"tensor<?x?xi{w}>" for w in (a, b, width)]
        calls = [[draw(a, (m, k), 1), draw(b, (k, n), 2), draw(width, (m, n), 3)]
                 for m, k, n in ((0, 3, 2), (2, 0, 3), (3, 4, 0), (1, 1, 1), (5, 7, 3), (17, 33, 19))]
        programs.run(f"matmul {a} {b} {width}", f"""func.func @main(%a: {types[0]}, %b: {types[1]}, %c: {types[2]}) -> {types[2]} {{
  %r = linalg.matmul ins(%a, %b : {types[0]}, {types[1]}) outs(%c : {types[2]}) -> {types[2]}
  return %r : {types[2]}
}}
""", calls, lambda x, y, z: [wrap(np.dot(x.astype(object), y.astype(object)) + z, width)])
    for width in WIDTHS:
        t = f"tensor<?x?xi{width}>"
        programs.run(f"sums of i{width}", f"""func.func @main(%x: {t}, %init: tensor<?xi{width}>) -> (tensor<?xi{width}>, {t}) {{
  %r = linalg.reduce {{ arith.addi }} ins(%x : {t}) outs(%init : tensor<?xi{width}>) dimensions = [1]
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %m = tensor.dim %x, %0 : {t}
  %n = tensor.dim %x, %1 : {t}
  %e = tensor.empty(%n, %m) : {t}
  %t = linalg.transpose ins(%x : {t}) outs(%e : {t}) permutation = [1, 0]
  return %r, %t : tensor<?xi{width}>, {t}
}}
""", [[draw(width, (m, n)), draw(width, (m,))] for m, n in ((0, 3), (2, 0), (1, 1), (4, 33), (33, 5))],
                     lambda x, init: [wrap(x.astype(object).sum(axis=1) + init, width) if len(x) else init, x.T], 2)


def convolve(x, w, stride, pad, dilation):
    """Windows by weights as (feature, places in the window, channel): sums in int64."""
    spatial = len(stride)
    x = np.pad(x.astype(np.int64), [(0, 0), *zip(pad[::2], pad[1::2]), (0, 0)])
    kernel = w.shape[1:1 + spatial]
    counts = [(x.shape[1 + i] - (kernel[i] - 1) * dilation[i] - 1) // stride[i] + 1 for i in range(spatial)]
    out = np.zeros((x.shape[0], *counts, w.shape[0]), np.int64)
    for place in itertools.product(*map(range, kernel)):
        at = tuple(slice(p * d, p * d + (n - 1) * s + 1, s) for p, d, n, s in zip(place, dilation, counts, stride))
        out += x[(slice(None), *at)] @ w[(slice(None), *place)].T.astype(np.int64)
    return out


@group
def convolutions(programs):
    """Images of 16 bits by weights of 8: sums of 48 bits, which the bias makes wrap."""
    zeros = ('%xz = "tosa.const"() <{values = dense<0> : tensor<1xi16>}> : () -> tensor<1xi16>\n'
             '%wz = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>\n')
    def images(*shape):
        return np.random.default_rng(shape).integers(-2**15, 2**15, shape).astype(np.int16)
    def weights(*shape):
        return np.random.default_rng(shape).integers(-128, 128, shape).astype(np.int8)
    def attributes(**arrays):
        return ", ".join(f"{name} = array<i64: {', '.join(map(str, value))}>" for name, value in arrays.items())
    def wrap(v):
        return (v + 2**47 & 2**48 - 1) - 2**47
    def program(op, rank, text):
        t = open_type(rank, "i48")
        types = [open_type(rank, "i16"), open_type(rank, "i8"), open_type(1, "i48")]
        return (f"func.func @main(%x: {types[0]}, %w: {types[1]}, %b: {types[2]}) -> {t} {{\n{zeros}"
                f"%r = tosa.{op} %x, %w, %b, %xz, %wz {{acc_type = i48, {text}}} : "
                f"({', '.join(types)}, tensor<1xi16>, tensor<1xi8>) -> {t}\nreturn %r : {t}\n}}\n")
    sizes = [(n, h, v, c, o) for n, h, v in ((1, 5, 7), (0, 5, 7), (2, 9, 3), (1, 3, 1), (1, 33, 21))
             for c, o in ((3, 5), (0, 2), (1, 1), (17, 0), (16, 24))]
    stride, pad, dilation = (2, 1), (1, 1, 2, 2), (1, 2)
    programs.run("conv2d", program("conv2d", 4, attributes(stride=stride, pad=pad, dilation=dilation)),
                 [[images(n, h, v, c), weights(o, 3, 3, c), draw(48, (o,))] for n, h, v, c, o in sizes],
                 lambda x, w, b: [wrap(convolve(x, w, stride, pad, dilation) + b)])
    stride, pad, dilation = (1, 2, 1), (0, 0, 1, 0, 1, 1), (1, 1, 2)
    programs.run("conv3d", program("conv3d", 5, attributes(stride=stride, pad=pad, dilation=dilation)),
                 [[images(n, 3, h, v, c), weights(o, 2, 2, 2, c), draw(48, (o,))] for n, h, v, c, o in sizes],
                 lambda x, w, b: [wrap(convolve(x, w, stride, pad, dilation) + b)])

    def per_channel(x, w, b):
        out = np.stack([convolve(x[..., c:c + 1], np.moveaxis(w[:, :, c:c + 1], -1, 0), (1, 1), (1, 1, 0, 1), (1, 1))
                        for c in range(x.shape[3])], -2)
        return [wrap(out.reshape(*out.shape[:3], len(b)) + b)]
    programs.run("depthwise", program("depthwise_conv2d", 4,
                                      attributes(stride=(1, 1), pad=(1, 1, 0, 1), dilation=(1, 1))),
                 [[images(n, h, v, c), weights(3, 2, c, m), draw(48, (c * m,))]
                  for n, h, v, c, _ in sizes if c for m in (1, 2)], per_channel)

    def transposed(x, w, b):
        n, h, v, _ = x.shape
        out = np.zeros((n, (h - 1) * 2 + 3, (v - 1) * 3 + 2, w.shape[0]), np.int64)
        for i, j in itertools.product(range(3), range(2)):
            out[:, i:i + 2 * h - 1:2, j:j + 3 * v - 2:3] += x.astype(np.int64) @ w[:, i, j].T.astype(np.int64)
        return [wrap(np.pad(out, ((0, 0), (1, 0), (0, 0), (0, 0)))[:, :, 1:] + b)]
    programs.run("transposed", program("transpose_conv2d", 4, attributes(stride=(2, 3), out_pad=(1, 0, -1, 0))),
                 [[images(n, h, v, c), weights(o, 3, 2, c), draw(48, (o,))] for n, h, v, c, o in sizes], transposed)
    w, b = weights(5, 3, 3, 4), draw(48, (5,))
    t = open_type(4, "i48")
    programs.run("constant weights", f"""func.func @main(%x: {open_type(4, "i16")}) -> {t} {{
{zeros}
  %w = "tosa.const"() <{{values = dense<{w.tolist()}> : tensor<5x3x3x4xi8>}}> : () -> tensor<5x3x3x4xi8>
  %b = "tosa.const"() <{{values = dense<{b.tolist()}> : tensor<5xi48>}}> : () -> tensor<5xi48>
  %r = tosa.conv2d %x, %w, %b, %xz, %wz {{acc_type = i48, {attributes(stride=(1, 1), pad=(1, 1, 1, 1), dilation=(1, 1))}}}
      : ({open_type(4, "i16")}, tensor<5x3x3x4xi8>, tensor<5xi48>, tensor<1xi16>, tensor<1xi8>) -> {t}
  return %r : {t}
}}
""", [[images(*shape, 4)] for shape in ((1, 5, 7), (0, 3, 3), (2, 1, 1), (1, 33, 21))],
                 lambda x: [wrap(convolve(x, w, (1, 1), (1, 1, 1, 1), (1, 1)) + b)])


@group
def movement(programs):
    """What tosa moves about: elements keep their sign."""
    for width in (4, 48):
        t = open_type(2, f"i{width}")
        programs.run(f"movement of i{width}", f"""func.func @main(%x: {t}, %y: {t}) -> ({t}, {t}, {t}, {t}, {t}) {{
  %0 = tosa.concat %x, %y {{axis = 0 : i32}} : ({t}, {t}) -> {t}
  %p = tosa.const_shape {{values = dense<[1, 0, 2, 1]> : tensor<4xindex>}} : () -> !tosa.shape<4>
  %c = "tosa.const"() <{{values = dense<-3> : tensor<1xi{width}>}}> : () -> tensor<1xi{width}>
  %1 = tosa.pad %x, %p, %c : ({t}, !tosa.shape<4>, tensor<1xi{width}>) -> {t}
  %2 = tosa.reverse %x {{axis = 1 : i32}} : ({t}) -> {t}
  %3 = tosa.transpose %x {{perms = array<i32: 1, 0>}} : ({t}) -> {t}
  %m = tosa.const_shape {{values = dense<[2, 3]> : tensor<2xindex>}} : () -> !tosa.shape<2>
  %4 = tosa.tile %x, %m : ({t}, !tosa.shape<2>) -> {t}
  return %0, %1, %2, %3, %4 : {t}, {t}, {t}, {t}, {t}
}}
""", [[draw(width, shape), draw(width, (2, shape[1]))] for shape in ((0, 3), (1, 1), (3, 0), (5, 7))],
                     lambda x, y: [np.concatenate([x, y]), np.pad(x, ((1, 0), (2, 1)), constant_values=-3), x[:, ::-1], x.T,
                                   np.tile(x, (2, 3))], 5)


@group
def boundaries(programs):
    """Values through functions, branches and loops; those that the type does not have are refused."""
    programs.run("control flow", """func.func private @twice(%x: i48, %t: tensor<?xi4>) -> (i48, tensor<?xi4>) {
  %r = arith.addi %x, %x : i48
  %s = arith.addi %t, %t : tensor<?xi4>
  return %r, %s : i48, tensor<?xi4>
}
func.func @main(%n: index, %c: i1, %x: i48, %t: tensor<?xi4>) -> (i48, tensor<?xi4>, tensor<?xi48>) {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %r:2 = scf.for %i = %0 to %n step %1 iter_args(%y = %x, %u = %t) -> (i48, tensor<?xi4>) {
    %v:2 = func.call @twice(%y, %u) : (i48, tensor<?xi4>) -> (i48, tensor<?xi4>)
    scf.yield %v#0, %v#1 : i48, tensor<?xi4>
  }
  %s:2 = scf.if %c -> (i48, tensor<?xi4>) {
    scf.yield %x, %t : i48, tensor<?xi4>
  } else {
    scf.yield %r#0, %r#1 : i48, tensor<?xi4>
  }
  %f = tensor.from_elements %s#0, %x : tensor<2xi48>
  %g = tensor.cast %f : tensor<2xi48> to tensor<?xi48>
  return %s#0, %s#1, %g : i48, tensor<?xi4>, tensor<?xi48>
}
""", [[np.int64(n), np.bool_(c), draw(48, (1,), n)[0], draw(4, shape)] for n in (0, 1, 3, 50) for c in (0, 1) for shape in SHAPES],
                 lambda n, c, x, t: [r := np.array(signed(int(x) << (0 if c else int(n)), 48), np.int64),
                                     np.array([signed(int(v) << (0 if c else int(n)), 4) for v in t], np.int8),
                                     np.array([r, x], np.int64)], 3)
    for width, dtype in WIDTHS.items():
        t = f"tensor<?xi{width}>"
        programs.path.write_text(f"func.func @main(%x: {t}) -> {t} {{\n  return %x : {t}\n}}\n")
        last = 2**(width - 1) - 1
        for value, fits in ((last, True), (-last - 1, True), (last + 1, False), (-last - 2, False)):
            run = symrun.run(programs.path, [[np.array([0, 1, value], dtype)]])
            what = f"{value} as i{width}"
            programs.checks.that(run.status == (0 if fits else 2), what, f"  exit status {run.status}\n{run.stderr}")
            message = f"expected values of {t} for %x, but got {value}"
            programs.checks.that(fits or message in run.stderr, f"{what}: the message", run.stderr)


if __name__ == "__main__":
    sys.exit(group.run(sys.argv[1:], Programs))
