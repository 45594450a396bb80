# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of bf16 with sums of f32, and products of f32 by the precision bf16, beside NumPy's f64.

    check_bfloat_products.py LIBRARY FOLDER NAME...

Each program is compiled for two of several CPUs, with an instruction for such products or without (with the
variable SYMSHAPE_LONG for all), and called at
extents that are 0, 1, odd and larger than tiles, with up to 100,000 terms, on one thread or two. CPUs whose code
this machine cannot run are left out, by name. Names are those of the groups below.

A result is the exact sum of the products of rounded operands, but for the rounding of sums: parts of up to 192
terms are formed one after the other, and then added. What is printed is the largest error as a share of the sum
of the sizes of all products, in units of 2^-24.
"""

import sys
from pathlib import Path

import numpy as np
import symshape_c

from checking import Checks, Groups, turn
from weights_file import safetensors

group = Groups()
CPUS = [None, "cooperlake", "skylake-avx512", "x86-64-v3"]
# Programs and calls of each group for each CPU.
LEAST = {"products": (5, 30), "long": (2, 4), "special": (1, 4), "precision": (2, 12), "convolutions": (2, 4)}
ROWS = [1, 0, 2, 3, 15, 33]
COLUMNS = [1, 5, 16, 33, 48, 70]
TERMS = [1, 0, 2, 3, 7, 64, 131, 1000]
UNIT = 2.0**-24
LARGEST_TINY = 2.0**-126  # what counts as nothing where denormals do


def rounded(x):
    """f32 to the nearest numbers of bf16, as f32; ties to even. Of finite numbers and infinities."""
    bits = x.astype(np.float32).view(np.uint32).astype(np.uint64)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000).astype(np.uint32).view(np.float32).reshape(x.shape)


def round_text(name, type_):
    return f"  %{name}h = arith.truncf %{name} : {type_} to {type_.replace('f32', 'bf16')}\n"


def product_text(a, b, maps, result, weight, small, start=False):
    """MLIR of a product of a and b, types of tensors of f32, whose `maps` are letters as in "mk kn mn". With `small`
    the operands are made bf16 first; with `start` the sums start at a third argument."""
    left, right, sums = maps.split()
    loops = "bmnk" if "b" in left else "mnk"
    affine = ", ".join(f"affine_map<({', '.join(loops)}) -> ({', '.join(m)})>" for m in (left, right, sums))
    kinds = ", ".join('"reduction"' if x == "k" else '"parallel"' for x in loops)
    attribute = ' {symshape.weight = "b"}' if weight else ""
    text = f"func.func @main(%a: {a}, %b: {b}{attribute}{f', %c: {result}' if start else ''}) -> {result} {{\n"
    dims = []
    for position, (letter, extent) in enumerate(zip(sums, result[7:].split("x")[:-1])):
        if extent != "?":
            continue
        source, map_, type_ = ("a", left, a) if letter in left else ("b", right, b)
        text += (f"  %i{position} = arith.constant {map_.index(letter)} : index\n"
                 f"  %d{position} = tensor.dim %{source}, %i{position} : {type_}\n")
        dims.append(f"%d{position}")
    inner = "bf16" if small else "f32"
    if small:
        text += round_text("a", a) + round_text("b", b)
        a, b = a.replace("f32", "bf16"), b.replace("f32", "bf16")
    if start:
        text += "  %f = tensor.cast %c : " + f"{result} to {result}\n"
    else:
        text += (f"  %z = arith.constant 0.0 : f32\n  %e = tensor.empty({', '.join(dims)}) : {result}\n"
                 f"  %f = linalg.fill ins(%z : f32) outs(%e : {result}) -> {result}\n")
    suffix = "h" if small else ""
    widen = "    %p = arith.extf %x : bf16 to f32\n    %q = arith.extf %y : bf16 to f32\n" if small else ""
    p, q = ("%p", "%q") if small else ("%x", "%y")
    return text + f"""  %r = linalg.generic {{indexing_maps = [{affine}], iterator_types = [{kinds}]}}
      ins(%a{suffix}, %b{suffix} : {a}, {b}) outs(%f : {result}) {{
  ^bb0(%x: {inner}, %y: {inner}, %o: f32):
{widen}    %s = arith.mulf {p}, {q} : f32
    %t = arith.addf %o, %s : f32
    linalg.yield %t : f32
  }} -> {result}
  return %r : {result}
}}
"""


class Programs:
    def __init__(self, checks, library, folder):
        self.checks, self.library, self.folder = checks, library, folder
        self.programs = self.calls = self.texts = 0
        self.largest, self.cpus, self.missing = {}, set(), set()

    def run(self, what, text, calls, oracle, weights=None, precision=None):
        """`oracle` gives from the arrays of a call the exact sums, and those of the sizes."""
        file = self.folder / "m.mlir"
        file.write_text(text)
        if weights:
            (self.folder / "weights").write_bytes(safetensors(weights))
        self.texts += 1
        for cpu in turn(CPUS, self.texts):
            threads = 1 + self.texts // 2 % 2
            try:
                program = symshape_c.Program(file, library=self.library, cpu=cpu, threads=threads, precision=precision,
                                             weights=self.folder / "weights" if weights else None)
            except symshape_c.Error as error:
                if cpu and "cannot run code for" in str(error):
                    self.missing.add(cpu)
                    continue
                self.checks.that(False, f"{what} compiles for {cpu}", f"  {error}")
                continue
            self.cpus.add(cpu)
            self.programs += 1
            for number, call in enumerate(calls):
                self.calls += 1
                exact, sizes, terms = oracle(*call)
                result, = program(*call)
                share = np.abs(result.astype(np.float64) - exact) / np.maximum(sizes * UNIT, 1e-30)
                worst = float(share.max(initial=0))
                self.largest[cpu] = max(self.largest.get(cpu, 0), worst)
                self.checks.that(result.shape == exact.shape and worst <= min(terms, 200) + terms / 64 + 2,
                                 f"{what} for {cpu} on {threads}, call {number} of {[x.shape for x in call]}",
                                 f"  error of {worst} units in {result.shape}, {exact.shape}")

    def product(self, what, maps, a, b, result, calls, weights=None, precision=None, start=False):
        letters = maps.split()
        equation = f"{letters[0]},{letters[1]}->{letters[2]}"
        fixed = weights["b"] if weights else None

        def oracle(x, y=None, c=None):
            if fixed is not None:
                y, c = fixed, y
            x, y = (rounded(v).astype(np.float64) for v in (x, y))
            sums, sizes = np.einsum(equation, x, y), np.einsum(equation, np.abs(x), np.abs(y))
            if c is not None:
                sums, sizes = sums + c, sizes + np.abs(c)
            return sums, sizes, x.shape[letters[0].index("k")]
        text = product_text(a, b, maps, result, weights is not None, precision is None, start)
        self.run(what, text, calls, oracle, weights, precision)


def draw(random, *shape):
    """Numbers that bf16 has not got, of several sizes."""
    return (random.standard_normal(shape) * 2.0**random.integers(-4, 5, shape)).astype(np.float32)


def each_product(programs, random, precision, seed):
    maps = ["mk kn mn", "mk nk mn", "km kn mn", "bmk bkn bmn", "mk kn mn"][seed % 5]
    columns, terms = int(random.choice(COLUMNS)), int(random.choice(TERMS))
    is_weight, is_open = seed % 5 == 4 or (seed % 5 == 1 and seed % 2), seed % 3 == 0 and seed % 5 != 4
    left, right, sums = maps.split()
    known = {} if is_open else {"k": terms, "n": columns}
    a, b, result = ("tensor<" + "x".join(str(known.get(x, "?")) for x in m) + "xf32>" for m in (left, right, sums))
    weights = {"b": draw(random, *({"k": terms, "n": columns}[x] for x in right))} if is_weight else None
    if weights:
        b = f"tensor<{'x'.join(map(str, weights['b'].shape))}xf32>"
        a = a.replace("?xf32", f"{terms}xf32") if left.endswith("k") else a
        result = result.replace("?xf32", f"{columns}xf32")
    start = seed % 7 == 3
    calls = []
    for rows in ROWS:
        for inner in ([1, 2, 77] if is_open else [terms]):
            extents = {"m": rows, "k": inner if not weights else terms, "n": columns, "b": 2}
            call = [draw(random, *(extents[x] for x in left))]
            if not weights:
                call.append(draw(random, *(extents[x] for x in right)))
            if start:
                call.append(draw(random, *(extents[x] for x in sums)))
            calls.append(call)
    programs.product(f"product {seed} of {maps}", maps, a, b, result, calls, weights, precision, start)


@group
def products(programs):
    """Operands of bf16: each layout, with weights and without."""
    for seed in range(10):
        each_product(programs, np.random.default_rng([1, seed]), None, seed)


@group
def precision(programs):
    """The same of f32, rounded where the user asks for it."""
    for seed in range(5):
        each_product(programs, np.random.default_rng([2, seed]), "bf16", seed)


@group
def long(programs):
    """Sums of 1,000 to 100,000 terms; rows that lie a multiple of 4096 bytes apart, of which parts are copied."""
    random = np.random.default_rng(3)
    for terms in (1000, 4096, 100000, 100001):
        b = draw(random, terms, 40)
        calls = [[draw(random, rows, terms)] for rows in (15, 2)]
        programs.product(f"sums of {terms}", "mk kn mn", f"tensor<?x{terms}xf32>", f"tensor<{terms}x40xf32>",
                         "tensor<?x40xf32>", calls, {"b": b})


@group
def special(programs):
    """Infinities and NaN go where the products put them; denormals count as themselves or as zero."""
    random = np.random.default_rng(4)
    for terms in (2, 33):
        text = product_text(f"tensor<?x{terms}xf32>", f"tensor<{terms}x17xf32>", "mk kn mn", "tensor<?x17xf32>", False, True)
        file = programs.folder / "m.mlir"
        file.write_text(text)
        a, b = rounded(draw(random, 20, terms)), rounded(draw(random, terms, 17))
        values = [np.inf, -np.inf, np.nan, 0, -0.0]
        for number, value in enumerate(values * 3):
            a[number, number % terms] = value
        b[0, 3], b[1, 4] = np.inf, np.nan
        tiny = np.full((5, terms), 2.0**-130, np.float32)
        ones = np.full((terms, 17), 2.0**20, np.float32)
        least = np.full((5, terms), 2.0**-70, np.float32)
        for cpu in turn(CPUS, terms):
            try:
                program = symshape_c.Program(file, library=programs.library, cpu=cpu)
            except symshape_c.Error as error:
                programs.checks.that(cpu and "cannot run code for" in str(error), f"compiles for {cpu}", f"  {error}")
                continue
            programs.cpus.add(cpu)
            programs.programs += 1
            with np.errstate(invalid="ignore"):
                expected = a.astype(np.float64) @ b.astype(np.float64)
            result, = program(a, b)
            programs.calls += 4
            same = np.isfinite(expected) == np.isfinite(result)
            same &= (np.isnan(expected) == np.isnan(result)) & (np.isfinite(expected) | np.isnan(expected) | (expected == result))
            programs.checks.that(same.all(), f"what is not finite, of {terms} terms for {cpu}")
            result, = program(tiny, ones)
            exact = terms * 2.0**-110
            programs.checks.that(np.isin(result, [0, np.float32(exact)]).all() and len(np.unique(result)) == 1,
                                 f"denormal operands for {cpu}", f"  {result}")
            result, = program(least, ones * np.float32(2.0**-80))
            programs.checks.that((np.abs(result - terms * 2.0**-130) <= terms * LARGEST_TINY).all(), f"denormal sums for {cpu}")
            result, = program(np.full((1, terms), -0.0, np.float32), ones)
            programs.checks.that((result == 0).all(), f"zeros for {cpu}")


@group
def convolutions(programs):
    """Convolutions of f32 by weights, rounded where the user asks for it: windows, strides, borders, few channels."""
    # Lines of 3 x 7 terms stay in f32: they are short, and odd.
    for seed, (channels, features, kernel, stride, is_exact) in enumerate((
            (6, 17, 3, 1, False), (13, 33, 5, 2, False), (16, 40, 1, 1, False), (3, 33, 7, 2, True))):
        taken = (lambda x: x) if is_exact else rounded
        random = np.random.default_rng([5, seed])
        w = draw(random, features, channels, kernel, kernel)
        text = f"""func.func @main(%x: tensor<?x{channels}x?x?xf32>, %w: tensor<{features}x{channels}x{kernel}x{kernel}xf32> {{symshape.weight = "b"}}) -> tensor<?x{features}x?x?xf32> {{
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %z = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 0, {kernel // 2}, {kernel // 2}] high[0, 0, {kernel // 2}, {kernel // 2}] {{
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %z : f32
  }} : tensor<?x{channels}x?x?xf32> to tensor<?x{channels}x?x?xf32>
  %n = tensor.dim %x, %c0 : tensor<?x{channels}x?x?xf32>
  %h = tensor.dim %x, %c2 : tensor<?x{channels}x?x?xf32>
  %v = tensor.dim %x, %c3 : tensor<?x{channels}x?x?xf32>
  %s = arith.constant {stride} : index
  %oh = arith.ceildivui %h, %s : index
  %ov = arith.ceildivui %v, %s : index
  %e = tensor.empty(%n, %oh, %ov) : tensor<?x{features}x?x?xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<?x{features}x?x?xf32>) -> tensor<?x{features}x?x?xf32>
  %r = linalg.generic {{indexing_maps = [affine_map<(n, f, y, x, c, i, j) -> (n, c, y * {stride} + i, x * {stride} + j)>,
                                        affine_map<(n, f, y, x, c, i, j) -> (f, c, i, j)>,
                                        affine_map<(n, f, y, x, c, i, j) -> (n, f, y, x)>],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}}
      ins(%p, %w : tensor<?x{channels}x?x?xf32>, tensor<{features}x{channels}x{kernel}x{kernel}xf32>)
      outs(%f : tensor<?x{features}x?x?xf32>) {{
  ^bb0(%a: f32, %b: f32, %o: f32):
    %u = arith.mulf %a, %b : f32
    %t = arith.addf %o, %u : f32
    linalg.yield %t : f32
  }} -> tensor<?x{features}x?x?xf32>
  return %r : tensor<?x{features}x?x?xf32>
}}
"""
        calls = [[draw(random, batch, channels, height, width)] for batch, height, width in ((1, 9, 20), (2, 4, 1))]

        def oracle(x):
            border = kernel // 2
            x = np.pad(taken(x).astype(np.float64), ((0, 0), (0, 0), (border, border), (border, border)))
            windows = np.lib.stride_tricks.sliding_window_view(x, (kernel, kernel), (2, 3))[:, :, ::stride, ::stride]
            y = taken(w).astype(np.float64)
            sums = [np.einsum("nchwij,fcij->nfhw", p, q) for p, q in ((windows, y), (np.abs(windows), np.abs(y)))]
            return *sums, channels * kernel**2
        programs.run(f"convolution {seed}", text, calls, oracle, {"b": w}, "bf16")


def main():
    checks = Checks()
    library = symshape_c.load(sys.argv[1])
    folder = Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    for name in sys.argv[3:]:
        programs = Programs(checks, library, folder)
        group.functions[name](programs)
        least = LEAST[name]
        known = len(programs.cpus)
        checks.that(programs.programs >= least[0] * known and programs.calls >= least[1] * known,
                    f"{name}: enough was run", f"  {programs.programs} programs, {programs.calls} calls")
        print(f"{name}: {programs.programs} programs, {programs.calls} calls for {sorted(map(str, programs.cpus))}; largest error "
              + ", ".join(f"{cpu} {share:.1f}" for cpu, share in programs.largest.items()))
        for cpu in sorted(programs.missing):
            print(f"left out: {cpu}, whose code this machine cannot run")
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
