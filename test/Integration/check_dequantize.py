# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""symshape.dequantize alone, and products whose right operand it is, beside NumPy.

    check_dequantize.py LIBRARY FOLDER

Codes of 2, 4 and 8 bits are in blocks from 16 terms to more than there are, without zeros, with bytes and with floats
as zeros, with scales of two types. Where codes are weights, products read them in registers; where they are ordinary
arguments, or a block is no multiple of 16, they read floats. Each program is compiled for this machine and in one
of four other ways, and called with 0, 1, odd and many rows. The error of a sum is at most BOUND of the
sum of |x||w|; the op alone is exact but for its roundings, and so are its
derivatives. CPUs whose code this machine cannot run are left out.
"""

import itertools
import sys
from pathlib import Path

import numpy as np
import symshape_c

from checking import Checks
from weights_file import safetensors

ROWS = [0, 1, 2, 5, 14, 15, 29]
BOUND = 2e-6
MODES = [{"threads": 2}, {"compile": "quick"}, {"cpu": "x86-64-v3"}, {"cpu": "x86-64-v2"}]
NUMPY = {"f16": np.float16, "f32": np.float32, "f64": np.float64, "i8": np.int8}
PROGRAMS, CALLS = 40, 300

#: Bits, block, columns, terms, element types of scales and of zeros. Codes that are weights are read in registers.
PRODUCTS = [
    (4, 32, 100, 128, "f32", "i8"),
    (4, 16, 33, 112, "f32", None),
    (4, 48, 64, 4094, "f16", "f16"),
    (4, 256, 31, 200, "f32", "f32"),
    (4, 4096, 1, 112, "f32", "i8"),
    (2, 64, 33, 200, "f16", "i8"),
    (2, 16, 64, 16, "f32", None),
    (2, 128, 31, 4092, "f32", "f32"),
    (8, 16, 31, 17, "f32", None),
    (8, 32, 100, 112, "f16", "i8"),
    (8, 256, 64, 4094, "f32", None),
    (8, 48, 1, 200, "f32", "f32"),
]
#: The same, whose floats are made in memory: of blocks of other lengths, or of terms that end within a byte.
OTHER_PRODUCTS = [(4, 24, 33, 112, "f32", "i8"), (4, 32, 31, 17, "f16", None), (2, 4, 64, 16, "f32", "f32")]
#: Bits, block, terms, element types of scales, zeros and result.
ALONE = [(4, 32, 65, "f16", "i8", "f32"), (2, 12, 200, "f32", "f32", "f64"), (8, 5, 17, "f32", None, "f32"),
         (8, 16, 31, "f16", "f16", "f16"), (4, 256, 16, "f64", "f64", "f64"), (2, 4, 1, "f32", "i8", "f32")]


class Codes:
    """Codes, scales and zeros as arrays, as types of MLIR, and as the numbers that they are. `more` is how many bytes
    and blocks a row has beyond what the terms take."""

    def __init__(self, random, bits, block, rows, terms, scale, zero, result="f32", more=0):
        per_byte, blocks = 8 // bits, -(-terms // block) + more
        self.bits, self.block, self.terms, self.result = bits, block, terms, result
        self.arrays = {"q": random.integers(-128, 128, (rows, -(-terms // per_byte) + more)).astype(np.int8),
                       "s": random.standard_normal((rows, blocks)).astype(NUMPY[scale])}
        if zero == "i8":
            self.arrays["z"] = random.integers(-128, 128, (rows, blocks)).astype(np.int8)
        elif zero:
            self.arrays["z"] = (2**bits * random.random((rows, blocks))).astype(NUMPY[zero])
        self.types = {"q": "i8", "s": scale, **({"z": zero} if zero else {})}

    def type_of(self, name, is_open=False):
        rows, columns = self.arrays[name].shape
        return f"tensor<{'?' if is_open else rows}x{columns}x{self.types[name]}>"

    def arguments(self, are_weights, is_open=False):
        return ", ".join(f"%{name}: {self.type_of(name, is_open)}" + f' {{symshape.weight = "{name}"}}' * are_weights
                         for name in self.arrays)

    def op(self, is_open=False):
        rows = "?" if is_open else len(self.arrays["q"])
        zeros = " zeros %z" if "z" in self.arrays else ""
        types = ", ".join(self.type_of(name, is_open) for name in self.arrays)
        self.made = f"tensor<{rows}x{self.terms}x{self.result}>"
        return (f"  %w = symshape.dequantize %q scales %s{zeros} bits {self.bits} block {self.block} : {types} "
                f"to {self.made}\n")

    def numbers(self, dtype):
        """Rounded to `dtype` as each op is."""
        parts = self.arrays["q"].view(np.uint8)[..., None] >> (self.bits * np.arange(8 // self.bits, dtype=np.uint8))
        codes = (parts & (2**self.bits - 1)).reshape(len(parts), parts.shape[1] * parts.shape[2])[:, :self.terms].astype(dtype)
        zeros, scales = self.arrays.get("z"), self.arrays["s"]
        if zeros is None:
            zeros = np.full_like(scales, 2**(self.bits - 1))
        zeros = zeros.view(np.uint8) if zeros.dtype == np.int8 else zeros
        zeros, scales = (x.astype(dtype).repeat(self.block, 1)[:, :self.terms] for x in (zeros, scales))
        return (codes - zeros) * scales


def product_text(codes, are_weights, is_batched=False, is_open=False):
    """Rows, in batches if `is_batched`, by the numbers of each row of codes. In batches a number for each column is
    added to the sums; the numbers themselves are a second result then."""
    columns = "?" if is_open else len(codes.arrays["q"])
    lead = "?x" if is_batched else ""
    rows, sums = f"tensor<{lead}?x{codes.terms}xf32>", f"tensor<{lead}?x{columns}xf32>"
    loops = "b, m, n, k" if is_batched else "m, n, k"
    first = "b, " if is_batched else ""
    maps = ", ".join(f"affine_map<({loops}) -> ({x})>" for x in (f"{first}m, k", "n, k", f"{first}m, n"))
    op = codes.op(is_open)
    results = f"({sums}, {codes.made})" if is_batched else sums
    bias = ", %v: tensor<?xf32>" if is_batched else ""
    text = (f"func.func @main(%x: {rows}{bias}, {codes.arguments(are_weights, is_open)}) -> {results} {{\n{op}"
            f"  %zero = arith.constant 0.0 : f32\n  %c0 = arith.constant 0 : index\n  %c1 = arith.constant 1 : index\n"
            f"  %d0 = tensor.dim %x, %c0 : {rows}\n")
    extents = ["%d0"]
    if is_batched:
        text += f"  %d1 = tensor.dim %x, %c1 : {rows}\n"
        extents.append("%d1")
    if is_open:
        text += f"  %n = tensor.dim %w, %c0 : {codes.made}\n"
        extents.append("%n")
    text += (f"  %e = tensor.empty({', '.join(extents)}) : {sums}\n"
             f"  %f = linalg.fill ins(%zero : f32) outs(%e : {sums}) -> {sums}\n"
             f"  %r = linalg.contract indexing_maps = [{maps}] ins(%x, %w : {rows}, {codes.made}) "
             f"outs(%f : {sums}) -> {sums}\n")
    if not is_batched:
        return text + f"  return %r : {sums}\n}}\n"
    return text + (f"  %t = linalg.generic {{indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (n)>, "
                   f'affine_map<(b, m, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]}} '
                   f"ins(%r, %v : {sums}, tensor<?xf32>) outs(%e : {sums}) {{\n"
                   f"  ^bb0(%a: f32, %b: f32, %o: f32):\n    %c = arith.addf %a, %b : f32\n    linalg.yield %c : f32\n"
                   f"  }} -> {sums}\n  return %t, %w : {sums}, {codes.made}\n}}\n")


class Programs:
    def __init__(self, checks, library, folder):
        self.checks, self.library, self.folder = checks, symshape_c.load(library), folder
        self.made = self.compiled = self.calls = 0
        self.missing = set()

    def compile(self, text, weights=None, more=()):
        """The program, as most calls have it, in another way, and as `more` says."""
        path, file = self.folder / f"{self.made}.mlir", None
        path.write_text(text)
        if weights:
            file = self.folder / f"{self.made}.safetensors"
            file.write_bytes(safetensors(weights))
        for mode in [{}, MODES[self.made % len(MODES)], *more]:
            try:
                program = symshape_c.Program(path, library=self.library, weights=file, **mode)
            except symshape_c.Error as error:
                if "cannot run code for" in str(error):
                    self.missing.add(mode["cpu"])
                else:
                    self.checks.that(False, f"{path.name}: compiled, {mode}", f"  {error}")
                continue
            self.compiled += 1
            yield program, f"{path.name}, {mode}"
        self.made += 1

    def compare(self, what, program, inputs, exact, bounds):
        results = program(*inputs)
        self.calls += 1
        for number, (result, sums, bound) in enumerate(zip(results, exact, bounds, strict=True)):
            difference = np.abs(result.astype(np.float64) - sums)
            self.checks.that(result.shape == sums.shape and bool((difference <= bound).all()),
                             f"{what}: result {number} at {[x.shape for x in inputs]}",
                             f"  error of {difference.max(initial=0)}, {result.shape}, {sums.shape}")


def check_products(programs, cases, are_weights):
    for number, (bits, block, columns, terms, scale, zero) in enumerate(cases):
        random = np.random.default_rng([are_weights, number])
        codes = Codes(random, bits, block, columns, terms, scale, zero)
        numbers, given = codes.numbers(np.float64).T, [] if are_weights else list(codes.arrays.values())
        is_open = not are_weights and number % 2 == 0
        text = product_text(codes, are_weights, is_open=is_open)
        for program, what in programs.compile(text, codes.arrays if are_weights else None):
            for rows in ROWS:
                x = random.standard_normal((rows, terms)).astype(np.float32)
                programs.compare(what, program, [x, *given], [x.astype(np.float64) @ numbers],
                                 [BOUND * (np.abs(x).astype(np.float64) @ np.abs(numbers))])


def check_batches(programs):
    """Codes with more bytes and blocks than the terms take, and another reader of the numbers."""
    for number, (bits, block, columns, terms, scale, zero) in enumerate([(4, 32, 100, 80, "f16", "i8"), (8, 16, 33, 17, "f32", None),
                                                                         (2, 64, 31, 200, "f32", "f32")]):
        random = np.random.default_rng([2, number])
        codes = Codes(random, bits, block, columns, terms, scale, zero, more=3)
        numbers = codes.numbers(np.float64).T
        for program, what in programs.compile(product_text(codes, True, is_batched=True), codes.arrays):
            for batches, rows in itertools.product([0, 1, 3], [0, 1, 5, 14]):
                x = random.standard_normal((batches, rows, terms)).astype(np.float32)
                v = random.standard_normal(columns).astype(np.float32)
                programs.compare(what, program, [x, v], [x.astype(np.float64) @ numbers + v, codes.numbers(np.float32)],
                                 [BOUND * (np.abs(x).astype(np.float64) @ np.abs(numbers) + np.abs(v)), 0])


def check_alone(programs):
    for number, (bits, block, terms, scale, zero, result) in enumerate(ALONE):
        random = np.random.default_rng([3, number])
        codes = Codes(random, bits, block, 1, terms, scale, zero, result)
        op = codes.op(is_open=True)
        text = f"func.func @main({codes.arguments(False, is_open=True)}) -> {codes.made} {{\n{op}  return %w : {codes.made}\n}}\n"
        for program, what in programs.compile(text):
            for rows in ROWS[:5]:
                codes = Codes(random, bits, block, rows, terms, scale, zero, result)
                programs.compare(what, program, list(codes.arrays.values()), [codes.numbers(NUMPY[result]).astype(np.float64)], [0])


def check_derivatives(programs):
    """By scales and zeros: the op is linear in either."""
    for number, (bits, block, terms, zero) in enumerate([(4, 32, 65, "f64"), (2, 12, 200, None), (8, 4096, 17, "f64"),
                                                         (8, 5, 20, "i8")]):
        random = np.random.default_rng([4, number])
        codes = Codes(random, bits, block, 1, terms, "f64", zero, "f64", more=number % 2)
        op = codes.op(is_open=True)
        text = f"func.func @main({codes.arguments(False, is_open=True)}) -> {codes.made} {{\n{op}  return %w : {codes.made}\n}}\n"
        program, what = next(programs.compile(text))
        vjp, jvp = program.derive("vjp"), program.derive("jvp")
        for rows in (0, 1, 5):
            codes = Codes(random, bits, block, rows, terms, "f64", zero, "f64", more=number % 2)
            arrays, floats = codes.arrays, ["s", "z"] if zero == "f64" else ["s"]
            numbers, scales = codes.numbers(np.float64), arrays["s"]
            tangents = {name: random.standard_normal(scales.shape) for name in floats}
            cotangent = random.standard_normal(numbers.shape)
            change = 0
            for name, tangent in tangents.items():  # of a linear function: a whole step
                codes.arrays = {**arrays, name: arrays[name] + tangent}
                change += codes.numbers(np.float64) - numbers
            each = {name: [] for name in floats}
            for name in floats:
                for place in range(scales.shape[1]):
                    step = np.zeros_like(scales)
                    step[:, place] = 1
                    codes.arrays = {**arrays, name: arrays[name] + step}
                    each[name].append(((codes.numbers(np.float64) - numbers) * cotangent).sum(1))
            expected = [np.stack(each[name], 1) for name in floats]
            inputs = list(arrays.values())
            programs.compare(f"{what}, vjp", lambda *x, y=cotangent: vjp(*x, y), inputs, [numbers, *expected], [1e-9] * (1 + len(floats)))
            programs.compare(f"{what}, jvp", lambda *x: jvp(*x, *tangents.values()), inputs, [numbers, change], [1e-9] * 2)


def check_refusals(programs):
    """Of rows that differ, and of too few bytes and blocks."""
    text = ("func.func @main(%q: tensor<?x?xi8>, %s: tensor<?x?xf32>) -> tensor<?x64xf32> {\n"
            "  %w = symshape.dequantize %q scales %s bits 4 block 16 : tensor<?x?xi8>, tensor<?x?xf32> to tensor<?x64xf32>\n"
            "  return %w : tensor<?x64xf32>\n}\n")
    for program, what in programs.compile(text):
        for codes, scales, field in (((3, 32), (2, 4), "scales.shape[0]"), ((3, 31), (3, 4), "codes.shape[1]"),
                                     ((3, 32), (3, 3), "scales.shape[1]")):
            try:
                program(np.zeros(codes, np.int8), np.zeros(scales, np.float32))
                message = "no error"
            except symshape_c.Error as error:
                message = str(error)
            programs.checks.that("symshape.dequantize" in message and field in message, f"{what}: {field} is refused",
                                 f"  {message}")


def main():
    folder = Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    checks = Checks()
    programs = Programs(checks, sys.argv[1], folder)
    check_products(programs, PRODUCTS + OTHER_PRODUCTS, True)
    check_products(programs, [PRODUCTS[0], PRODUCTS[8], OTHER_PRODUCTS[1], PRODUCTS[5]], False)
    check_batches(programs)
    check_alone(programs)
    check_derivatives(programs)
    check_refusals(programs)
    print(f"{programs.compiled} programs, {programs.calls} calls; not run here: {sorted(programs.missing) or 'none'}")
    checks.that(programs.compiled >= PROGRAMS and programs.calls >= CALLS, "as many as there should be")
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
