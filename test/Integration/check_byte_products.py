# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products and convolutions of quantised operands, and copies of bytes, beside NumPy, in int64.

    check_byte_products.py LIBRARY FOLDER NAME...

Random models of ONNX and programs of TOSA, each compiled for some of several CPUs, with or without instructions that
add products of bytes (with the variable SYMSHAPE_LONG for all), and called at extents that are 0, 1, odd and larger than tiles. All
results must be the same numbers, sums modulo 2^32, on one thread or two. CPUs whose code this machine cannot run
are left out. Names are those of the groups below.
"""

import sys
from pathlib import Path

import numpy as np
import symrun
import symshape_c

from checking import Checks, Groups, turn
from onnx_file import FLOAT, INT8, UINT8, model, node

group = Groups()
CPUS = [None, "skylake-avx512", "x86-64-v3"]
LEAST = {"products": (13, 120), "overflow": (1, 2), "requantised": (4, 20), "tosa": (2, 14), "convolutions": (10, 40),
         "chains": (1, 4), "guarded": (10, 44), "transposes": (3, 30)}  # programs and calls of each group for each CPU
BYTES = {np.int8: INT8, np.uint8: UINT8}
ROWS = [1, 0, 2, 15, 33]
COLUMNS = [1, 0, 5, 16, 33, 48, 70]
TERMS = [1, 0, 2, 3, 4, 7, 63, 66, 130]


class Programs:
    def __init__(self, checks, library, folder):
        self.checks, self.library, self.folder = checks, library, folder
        self.programs = self.calls = self.files = 0
        self.cpus = set()

    def run(self, what, file, calls, oracle):
        """`oracle` gives the result from the arrays of a call."""
        expected = [oracle(*call) for call in calls]
        self.files += 1
        # Of each type of operands, of which there are four in turn, for each CPU.
        for cpu in turn(CPUS, self.files + self.files // 4):
            threads = 1 + self.files // 2 % 2
            try:
                program = symshape_c.Program(file, library=self.library, cpu=cpu, threads=threads)
            except symshape_c.Error as error:
                if cpu and "cannot run code for" in str(error):
                    continue
                self.checks.that(False, f"{what} compiles for {cpu}", f"  {error}")
                continue
            self.cpus.add(cpu)
            self.programs += 1
            for number, (call, wanted) in enumerate(zip(calls, expected)):
                self.calls += 1
                result, = program(*call)
                self.checks.that(result.dtype == wanted.dtype and np.array_equal(result, wanted),
                                 f"{what} for {cpu} on {threads}, call {number} of {[array.shape for array in call]}",
                                 f"  {result.dtype} {result.shape}\n{result}\n  {wanted.dtype} {wanted.shape}\n{wanted}")

    def onnx(self, what, nodes, inputs, weights, calls, oracle):
        """The last of `nodes` makes y; weights with a capital come as inputs of the file, and are prepared."""
        file = self.folder / "m.onnx"
        file.write_bytes(model(nodes, inputs, ["y"], weights))
        self.run(what, file, calls, oracle)

    def onnx_guarded(self, what, nodes, inputs, weights, calls, oracle):
        """In a process of its own, with everything at an inaccessible page."""
        file = self.folder / "m.onnx"
        file.write_bytes(model(nodes, inputs, ["y"], weights))
        run = symrun.run(file, calls, options=["--guard-pages"])
        self.programs += 1
        self.cpus.add(None)
        if not self.checks.ran(run, len(calls), what):
            return
        for number, (call, (result,)) in enumerate(zip(calls, run.results, strict=True)):
            self.calls += 1
            self.checks.that(np.array_equal(result, oracle(*call)), f"{what}, call {number}, between inaccessible pages")

    def mlir(self, what, text, calls, oracle):
        file = self.folder / "m.mlir"
        file.write_text(text)
        self.run(what, file, calls, oracle)


def draw(random, type_, *shape):
    """Bytes, the ends of the type among them."""
    info = np.iinfo(type_)
    values = random.integers(info.min, info.max, shape, endpoint=True)
    ends = random.random(shape)
    return np.where(ends < 0.1, info.min, np.where(ends > 0.9, info.max, values)).astype(type_)


def wrapped(sums):
    return sums.astype(np.int64).astype(np.int32)


def wide(x, zero=None):
    return x.astype(np.int64) if zero is None else x.astype(np.int64) - np.asarray(zero).astype(np.int64)


def draw_zero(random, type_, extent):
    """None, the number in the middle, another number, or one for each of `extent`."""
    kind = random.integers(4)
    middle = type_(128 if type_ == np.uint8 else 0)
    return [None, middle, draw(random, type_), draw(random, type_, extent)][kind] if kind != 2 else type_(draw(random, type_))


@group
def products(programs):
    """MatMulInteger: each type, rank, zero and place of the weights."""
    for seed in range(28):
        random = np.random.default_rng([1, seed])
        left, right = [(np.uint8, np.int8), (np.int8, np.int8), (np.uint8, np.uint8), (np.int8, np.uint8)][seed % 4]
        rank, rows = 2 + seed % 2, int(random.choice(ROWS))
        terms, columns = int(random.choice(TERMS)), int(random.choice(COLUMNS))
        isOpen, isWeight = seed % 3 == 0, random.random() < 0.7
        zero_right = draw_zero(random, right, columns)
        zero_left = draw_zero(random, left, rows) if rank == 2 else draw_zero(random, left, 1)
        if zero_left is not None and np.ndim(zero_left) and (rank > 2 or len(zero_left) == 1):
            zero_left = left(zero_left[0]) if zero_left.size else None
        is_for_rows = zero_left is not None and np.ndim(zero_left) == 1
        inputs = {"a": (BYTES[left], ["M", "K"] if rank == 2 else ["B", "M", "K"])}
        if not isOpen:
            inputs["a"][1][-1] = terms
        constants = {}
        if is_for_rows:
            inputs["a"][1][0] = rows
        if isWeight:
            constants["b"] = draw(random, right, terms, columns)
            inputs["a"][1][-1] = terms
        else:
            inputs["b"] = (BYTES[right], ["K", "N"] if isOpen and not (zero_right is not None and np.ndim(zero_right))
                           else [inputs["a"][1][-1], columns])
        names = "a b"
        for name, zero in (("za", zero_left), ("zb", zero_right)):
            if zero is not None:
                constants[name] = zero
        if zero_right is not None or zero_left is not None:
            names += " za" if zero_left is not None else " -"
            names += " zb" if zero_right is not None else ""
        calls = []
        for extent in [rows] if is_for_rows else ROWS:
            for inner in TERMS if inputs["a"][1][-1] == "K" else [terms]:
                shape = (extent, inner) if rank == 2 else (2 * (seed % 5 != 4) + (extent == 15), extent, inner)
                call = [draw(random, left, *shape)]
                if not isWeight:
                    call.append(draw(random, right, inner, columns))
                calls.append(call)
        row_zero = zero_left[:, None] if is_for_rows else zero_left
        programs.onnx(f"product {seed}", [node("MatMulInteger", names, "y")], inputs, constants, calls,
                      lambda a, b=None: wrapped(wide(a, row_zero) @ wide(constants["b"] if b is None else b, zero_right)))


@group
def overflow(programs):
    """Sums past 2^31 wrap as they do term by term."""
    random = np.random.default_rng(2)
    for left, right in ((np.uint8, np.uint8), (np.int8, np.int8), (np.uint8, np.int8)):
        weights = np.full((70001, 3), np.iinfo(right).min if right == np.int8 else 255, right)
        weights[::97] = draw(random, right, len(weights[::97]), 3)
        a = np.full((2, 70001), np.iinfo(left).max, left)
        programs.onnx(f"sums past the end, {left.__name__} {right.__name__}", [node("MatMulInteger", "a b za", "y")],
                      {"a": (BYTES[left], ["M", 70001])}, {"b": weights, "za": left(3)}, [[a], [a[:1]]],
                      lambda x: wrapped(wide(x, 3) @ wide(weights)))


def rounded(x, zero, type_):
    info = np.iinfo(type_)
    return np.clip(np.rint(x.astype(np.float32)) + np.float32(zero), info.min, info.max).astype(type_)


@group
def requantised(programs):
    """QLinearMatMul, and MatMulInteger behind DynamicQuantizeLinear."""
    for seed in range(4):
        random = np.random.default_rng([3, seed])
        left, right = [(np.uint8, np.int8), (np.int8, np.int8)][seed % 2]
        terms, columns = int(random.choice(TERMS[2:])), int(random.choice(COLUMNS[2:]))
        b = draw(random, right, terms, columns)
        scales = {"sa": np.float32(0.02), "sb": np.float32(0.01), "sy": np.float32(0.5)}
        zeros = {"za": left(draw(random, left)), "zb": right(0), "zy": left(3)}
        factor = scales["sa"] * scales["sb"] / scales["sy"]
        programs.onnx(f"QLinearMatMul {seed}", [node("QLinearMatMul", "a sa za b sb zb sy zy", "y")],
                      {"a": (BYTES[left], ["M", terms])}, {"b": b, **scales, **zeros},
                      [[draw(random, left, rows, terms)] for rows in ROWS],
                      lambda a: rounded(wrapped(wide(a, zeros["za"]) @ wide(b)).astype(np.float32) * factor, 3, left))

        def dynamic(x):
            low, high = np.minimum(x.min(initial=0), np.float32(0)), np.maximum(x.max(initial=0), np.float32(0))
            scale = (high - low) / np.float32(255) if high != low else np.float32(1)
            zero = np.rint(np.clip((0 - low) / scale, 0, 255).astype(np.float32))
            return wrapped(wide(rounded(x / scale, zero, np.uint8), np.uint8(zero)) @ wide(b))
        programs.onnx(f"DynamicQuantizeLinear {seed}",
                      [node("DynamicQuantizeLinear", "x", "q s z"), node("MatMulInteger", "q b z", "y")],
                      {"x": (FLOAT, ["M", terms])}, {"b": b},
                      [[random.standard_normal((rows, terms)).astype(np.float32)] for rows in ROWS], dynamic)


def convolve(x, w, stride, pad, dilation, groups):
    """Of int64 arrays, term by term: n c h v and f c i j."""
    x = np.pad(x, ((0, 0), (0, 0), (pad, pad), (pad, pad)))
    n, c, f = x.shape[0], x.shape[1], w.shape[0]
    reach = [(extent - 1) * dilation + 1 for extent in w.shape[2:]]
    count = [max((extent - r) // stride + 1, 0) for extent, r in zip(x.shape[2:], reach)]
    result = np.zeros((n, f, *count), np.int64)
    for i, j in np.ndindex(*w.shape[2:]):
        part = x[:, :, i * dilation:i * dilation + (count[0] - 1) * stride + 1:stride,
                 j * dilation:j * dilation + (count[1] - 1) * stride + 1:stride]
        part = part.reshape(n, groups, c // groups, *count)
        result += np.einsum("ngchv,gfc->ngfhv", part, w[:, :, i, j].reshape(groups, f // groups, -1)).reshape(result.shape)
    return result


def draw_convolution(random, seed):
    """Channels, features, kernel, and attributes."""
    channels, features = int(random.choice([1, 3, 4, 8, 17, 32])), int(random.choice([1, 7, 8, 16, 33, 40]))
    groups = [1, 1, 1, channels, 2][seed % 5]
    if groups == channels:
        features = channels
    elif groups == 2:
        channels, features = 2 * channels, 2 * features
    kernel = [(1, 1), (3, 3), (3, 1), (2, 5)][int(random.integers(4))]
    attributes = {"stride": int(random.choice([1, 1, 2])), "pad": int(random.choice([0, 1])),
                  "dilation": int(random.choice([1, 1, 2])), "groups": groups}
    return channels, features, kernel, attributes


def describe(attributes):
    return {"strides": [attributes["stride"]] * 2, "pads": [attributes["pad"]] * 4,
            "dilations": [attributes["dilation"]] * 2, "group": attributes["groups"]}


IMAGES = [(1, 5, 9), (0, 6, 9), (2, 9, 20), (3, 10, 37)]


@group
def convolutions(programs):
    """ConvInteger: types, zeros, groups, steps, borders."""
    for seed in range(22):
        random = np.random.default_rng([4, seed])
        left, right = [(np.uint8, np.int8), (np.int8, np.int8), (np.uint8, np.uint8), (np.int8, np.uint8)][seed % 4]
        channels, features, kernel, attributes = draw_convolution(random, seed)
        w = draw(random, right, features, channels // attributes["groups"], *kernel)
        zero_left = [None, left(draw(random, left))][seed % 3 != 0]
        zero_right = draw_zero(random, right, features)
        if zero_right is not None and np.ndim(zero_right) and features == 1:
            zero_right = None
        constants = {"w": w}
        names = "x w" + (" za" if zero_left is not None else " -" if zero_right is not None else "")
        if zero_left is not None:
            constants["za"] = zero_left
        if zero_right is not None:
            names, constants["zw"] = names + " zw", zero_right
        by_feature = zero_right[:, None, None, None] if zero_right is not None and np.ndim(zero_right) else zero_right
        programs.onnx(f"convolution {seed}", [node("ConvInteger", names, "y", **describe(attributes))],
                      {"x": (BYTES[left], ["B", channels, "H", "W"])}, constants,
                      [[draw(random, left, batch, channels, h, v)] for batch, h, v in IMAGES],
                      lambda x: wrapped(convolve(wide(x, zero_left), wide(w, by_feature), **attributes)))


@group
def transposes(programs):
    """Copies of bytes with another last dimension, smaller and larger than the squares they are made in."""
    for seed, order in enumerate([(1, 0), (0, 2, 1), (2, 0, 1), (2, 1, 0), (0, 2, 3, 1), (0, 3, 1, 2), (3, 1, 0, 2)]):
        random = np.random.default_rng([9, seed])
        rank, last = len(order), order[-1]
        type_ = f"tensor<{'?x' * rank}i8>"
        extents = [[int(random.choice([1, 2, 3])) for _ in order] for _ in range(10)]
        for shape, (a, b) in zip(extents, [(1, 1), (7, 16), (8, 8), (9, 15), (16, 16), (17, 33), (64, 8), (65, 130), (0, 20), (40, 0)]):
            shape[-1], shape[last] = a, b
        sizes = "".join(f"%i{i} = arith.constant {d} : index\n%n{i} = tensor.dim %x, %i{i} : {type_}\n" for i, d in enumerate(order))
        programs.mlir(f"transpose {order}", f"func.func @main(%x: {type_}) -> {type_} {{\n{sizes}"
                      f"%e = tensor.empty({', '.join(f'%n{i}' for i in range(rank))}) : {type_}\n"
                      f"%r = linalg.transpose ins(%x : {type_}) outs(%e : {type_}) permutation = {list(order)}\n"
                      f"return %r : {type_}\n}}\n", [[draw(random, np.int8, *shape)] for shape in extents],
                      lambda x, order=order: np.ascontiguousarray(x.transpose(order)))


@group
def guarded(programs):
    """Nothing outside an operand is read: terms that fill no group, columns that fill no panel."""
    for seed, terms in enumerate((1, 2, 3, 5, 7, 66)):
        random = np.random.default_rng([7, seed])
        left, right = [(np.uint8, np.int8), (np.int8, np.int8)][seed % 2]
        b = draw(random, right, terms, 33)
        inputs = {"a": (BYTES[left], ["M", "K"])} | ({"b": (BYTES[right], ["K", "N"])} if seed % 3 == 0 else {})
        calls = [[draw(random, left, rows, terms), *([b] if "b" in inputs else [])] for rows in ROWS]
        programs.onnx_guarded(f"guarded product of {terms} terms", [node("MatMulInteger", "a b", "y")], inputs,
                              {} if "b" in inputs else {"b": b}, calls, lambda a, b=b: wrapped(wide(a) @ wide(b)))
    for seed, (channels, features, kernel, pad) in enumerate([(3, 8, 3, 1), (1, 16, 1, 0), (5, 33, 3, 0), (8, 9, 1, 0)]):
        random = np.random.default_rng([8, seed])
        w = draw(random, np.int8, features, channels, kernel, kernel)
        attributes = {"stride": 1 + seed % 2, "pad": pad, "dilation": 1, "groups": 1}
        programs.onnx_guarded(f"guarded convolution of {channels} channels", [node("ConvInteger", "x w z", "y", **describe(attributes))],
                              {"x": (UINT8, ["B", channels, "H", "W"])}, {"w": w, "z": np.uint8(9)},
                              [[draw(random, np.uint8, batch, channels, h, v)] for batch, h, v in IMAGES],
                              lambda x: wrapped(convolve(wide(x, 9), wide(w), **attributes)))


@group
def chains(programs):
    """QLinearConv: two of all channels around one of each channel by itself."""
    for seed in range(4):
        random = np.random.default_rng([5, seed])
        kind = [np.uint8, np.int8][seed % 2]
        channels = [(4, 8, 24), (3, 16, 9), (16, 32, 40), (5, 17, 8)][seed]
        shapes = [(channels[1], channels[0], 3, 3), (channels[1], 1, 3, 3), (channels[2], channels[1], 1, 1)]
        constants, nodes, steps = {}, [], []
        for i, shape in enumerate(shapes):
            attributes = {"stride": 1, "pad": int(shape[2] == 3), "dilation": 1, "groups": channels[1] if i == 1 else 1}
            features = shape[0]
            w, scale = draw(random, np.int8, *shape), random.uniform(0.5, 1, features).astype(np.float32) * np.float32(0.01)
            bias, zero, next_ = random.integers(-500, 500, features).astype(np.int32), draw(random, kind), draw(random, kind)
            constants |= {f"w{i}": w, f"sw{i}": scale, f"zw{i}": np.zeros(features, np.int8), f"b{i}": bias,
                          f"sx{i}": np.float32(0.7), f"sy{i}": np.float32(1.1), f"zx{i}": kind(zero), f"zy{i}": kind(next_)}
            nodes.append(node("QLinearConv", f"{'x' if i == 0 else f't{i}'} sx{i} zx{i} w{i} sw{i} zw{i} sy{i} zy{i} b{i}",
                              "y" if i == 2 else f"t{i + 1}", **describe(attributes)))
            steps.append((w, scale, bias, kind(zero), kind(next_), attributes))

        def chain(x):
            for w, scale, bias, zero, next_, attributes in steps:
                sums = wrapped(convolve(wide(x, zero), wide(w), **attributes) + bias[:, None, None])
                factor = np.float32(0.7) * scale / np.float32(1.1)
                x = rounded(sums.astype(np.float32) * factor[:, None, None], next_, kind)
            return x
        programs.onnx(f"chain {seed}", nodes, {"x": (BYTES[kind], ["B", channels[0], "H", "W"])}, constants,
                      [[draw(random, kind, batch, channels[0], h, v)] for batch, h, v in IMAGES], chain)


@group
def tosa(programs):
    """Signed bytes with zeros: conv2d of constant weights, and matmul of operands that both come with the call."""
    t8, t32 = "tensor<?x?x?xi8>", "tensor<?x?x?xi32>"
    for seed, zeros in enumerate([(0, 0), (5, 0), (-128, 7)]):
        random = np.random.default_rng([6, seed])
        constant = "".join(f'%z{i} = "tosa.const"() <{{values = dense<{zero}> : tensor<1xi8>}}> : () -> tensor<1xi8>\n'
                           for i, zero in enumerate(zeros))
        calls = [[draw(random, np.int8, batch, rows, terms), draw(random, np.int8, batch, terms, columns)]
                 for batch, rows, columns, terms in ((1, 1, 1, 1), (2, 15, 33, 7), (0, 3, 3, 3), (3, 5, 1, 64), (2, 0, 4, 5),
                                                     (1, 4, 40, 0), (2, 29, 70, 130))]
        programs.mlir(f"tosa.matmul {zeros}", f"func.func @main(%a: {t8}, %b: {t8}) -> {t32} {{\n{constant}"
                      f"%r = tosa.matmul %a, %b, %z0, %z1 : ({t8}, {t8}, tensor<1xi8>, tensor<1xi8>) -> {t32}\n"
                      f"return %r : {t32}\n}}\n", calls, lambda a, b: wrapped(wide(a, zeros[0]) @ wide(b, zeros[1])))
        channels, features = [(4, 16), (3, 40), (17, 9)][seed]
        w, bias = draw(random, np.int8, features, 3, 3, channels), random.integers(-99, 99, features).astype(np.int32)
        w_type = f"tensor<{features}x3x3x{channels}xi8>"
        constant += (f'%w = "tosa.const"() <{{values = dense<{w.tolist()}> : {w_type}}}> : () -> {w_type}\n'
                     f'%c = "tosa.const"() <{{values = dense<{bias.tolist()}> : tensor<{features}xi32>}}> : () '
                     f"-> tensor<{features}xi32>\n")
        x_type, y_type = f"tensor<?x?x?x{channels}xi8>", f"tensor<?x?x?x{features}xi32>"
        programs.mlir(f"tosa.conv2d {zeros}", f"func.func @main(%x: {x_type}) -> {y_type} {{\n{constant}"
                      "%r = tosa.conv2d %x, %w, %c, %z0, %z1 {acc_type = i32, dilation = array<i64: 1, 1>, "
                      f"pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>}} : ({x_type}, {w_type}, "
                      f"tensor<{features}xi32>, tensor<1xi8>, tensor<1xi8>) -> {y_type}\nreturn %r : {y_type}\n}}\n",
                      [[draw(random, np.int8, batch, h, v, channels)] for batch, h, v in IMAGES],
                      lambda x: wrapped(np.moveaxis(convolve(wide(np.moveaxis(x, 3, 1), zeros[0]),
                                                             wide(np.moveaxis(w, 3, 1), zeros[1]), 1, 1, 1, 1), 1, 3) + bias))


def main(library, folder, *names):
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    checks = Checks()
    programs = Programs(checks, symshape_c.load(library), folder)
    for name in names:
        programs.programs, programs.calls, programs.files, programs.cpus = 0, 0, 0, set()
        group.functions[name](programs)
        least = LEAST[name]
        print(f"{name}: {programs.programs} programs, {programs.calls} calls, CPUs: {', '.join(sorted(map(str, programs.cpus)))}")
        checks.that(programs.programs >= least[0] * len(programs.cpus) and programs.calls >= least[1] * len(programs.cpus)
                    and None in programs.cpus, f"{name}: at least {least} programs and calls for each CPU")
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
