# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random programs of contractions, and what may be fused with them, beside NumPy.

    check_contractions.py SEED COUNT [--cpu=NAME] [OPTION]...

Program number i of a seed is the same whatever COUNT is; a failure prints seed and
number, and `check_contractions.py SEED I..J` runs a part. Each program is compiled
and run, at a few shapes, once for each option of symshape-run; without options,
with guard pages and, again, with all buffers in one arena.
"""

import sys
import tempfile
from pathlib import Path

import numpy as np

import epilogues
import symrun
from checking import Checks, split_arguments
from tensors import NUMPY, Program
from weights_file import safetensors

# Around the rows and columns of register tiles, which depend on the machine.
EXTENTS = [0, 1, 2, 6, 7, 8, 13, 14, 15, 16, 17, 31, 32, 33, 48, 63, 65]
SMALL = [0, 1, 2, 3, 5]
LONG = [255, 256, 257, 300]  # sums of about one block of terms
LARGEST = 30000  # elements of a tensor
CALLS = 4
TYPES = [("f32", "f32")] * 4 + [("f64", "f64"), ("bf16", "f32"), ("bf16", "bf16"), ("f16", "f32"),
                                ("f16", "f16"), ("i8", "i32"), ("i32", "i32")]
NAMED = {("mk", "kn", "mn"): "matmul", ("bmk", "bkn", "bmn"): "batch_matmul", ("mk", "k", "m"): "matvec",
         ("k", "kn", "n"): "vecmat", ("bmk", "bk", "bm"): "batch_matvec"}


class Generator:
    def __init__(self, rng):
        self.rng = rng
        self.program = Program()
        self.roles = {}  # symbol to tile, small or sum

    def pick(self, *choices):
        return choices[self.rng.integers(len(choices))]

    def chance(self, percent):
        return self.rng.integers(100) < percent

    def shuffled(self, items):
        return [items[i] for i in self.rng.permutation(len(items))]

    def extent(self, role):
        if role == "sum" and self.chance(15):
            return int(self.pick(*LONG))
        return int(self.pick(*(SMALL if role == "small" else EXTENTS)))

    def symbols(self, role, count):
        """Extents, all but the first of which are small; some are static."""
        made = []
        for i in range(count):
            symbol = f"s{len(self.roles)}"
            self.roles[symbol] = role if i == 0 else "small"
            if self.chance(40):
                self.program.known[symbol] = self.extent(self.roles[symbol])
            made.append(symbol)
        return made

    def operand(self, dims, element, weight):
        """An argument, a transposed one, a weight or, at times, a value that is there."""
        same = [v for v in self.program.values if v.dims == dims and v.element == element]
        if same and self.chance(50):
            return self.pick(*same)
        weight = weight and all(d in self.program.known for d in dims) and self.chance(60)
        if len(dims) > 1 and self.chance(25):
            order = self.shuffled(range(len(dims)))
            source = self.program.argument([dims[i] for i in order], element, weight)
            return epilogues.transpose(self.program, source, [order.index(i) for i in range(len(dims))])
        return self.program.argument(dims, element, weight)

    def start(self, dims, element):
        kind = self.pick("zero", "zero", "zero", "constant", "argument", "value")
        same = [v for v in self.program.values if v.dims == dims and v.element == element]
        if kind == "value" and same:
            return self.pick(*same), False
        if kind == "argument":
            return self.program.argument(dims, element), False
        number = 0 if kind != "constant" else 3 if element[0] == "i" else 0.5
        return self.program.filled(dims, element, number), number == 0

    def loops(self, a):
        """Letter to symbol: b for batches, m rows, k sums, n columns, and their capitals."""
        if a:
            sums = self.pick(len(a.dims) - 1, len(a.dims) - 1, *range(len(a.dims)))
            letters = [("k" if i == sums else self.pick("m", "m", "m", "b")) for i in range(len(a.dims))]
            found = {letter: [d for d, x in zip(a.dims, letters) if x == letter] for letter in "bmk"}
        else:
            found = {"b": self.symbols("small", self.pick(0, 0, 0, 1, 1, 2)),
                     "m": self.symbols("tile", self.pick(0, 1, 1, 1, 1, 2)),
                     "k": self.symbols("sum", self.pick(1, 1, 1, 2))}
        found["n"] = self.symbols("tile", self.pick(0, 1, 1, 1, 1, 2))
        if found["n"] and self.chance(25):  # the result may have the shape of an operand
            found["n"][0] = self.pick(found["k"][-1], *found["m"])
        names = {"b": "bBcC", "m": "mMpP", "k": "kKqQ", "n": "nN"}
        return {name: d for x, symbols in found.items() for name, d in zip(names[x], symbols)}

    def contraction(self, element, total, a=None):
        loops = self.loops(a)
        of = lambda letters: [x for x in loops if x.lower().translate(str.maketrans("cpq", "bmk")) in letters]
        first, second, result = of("bmk"), of("bkn"), of("bmn")
        if a:  # in the order of its dimensions
            left = list(first)
            first = []
            for dim in a.dims:
                first.append(next(x for x in left if loops[x] == dim))
                left.remove(first[-1])
        first = first if a else sorted(first, key="bBcCmMpPkKqQ".index)
        second = sorted(second, key="bBcCkKqQnN".index)
        result = sorted(result, key="bBcCmMpPnN".index)
        name = NAMED.get(tuple("".join(x) for x in (first, second, result)))
        if not name or element != total or self.chance(40):
            name = None
            first = first if a else self.shuffled(first)
            second, result = self.shuffled(second), self.shuffled(result)
        dims = lambda letters: tuple(loops[x] for x in letters)
        a = a or self.operand(dims(first), element, False)
        b = self.operand(dims(second), element, True)
        start, zero = self.start(dims(result), total)
        last = result[-1] if result else "b"
        wide = zero and (last in first) != (last in second)  # what Contraction.cpp wants of 16 bits
        texts = ["".join(x) for x in (first, second, result, self.shuffled(list(loops)))]
        return self.program.contract(a, b, start, texts, name=name, swap=self.chance(30),
                                     exact=wide or total not in ("f16", "bf16"))

    def generate(self):
        element, total = self.pick(*TYPES)
        chain = 1 if element in ("i8", "f16") else self.pick(1, 1, 2, 3) if total[0] == "f" else self.pick(1, 2)
        value = None
        for i in range(chain):
            value = self.contraction(element, total, value)
            for _ in range(self.pick(0, 0, 1, 1, 2, 3)):
                value = epilogues.append(self, value)
            if i + 1 < chain:
                if total in ("f32", "f64") and value.dims:
                    value = self.pick(lambda p, v: v, epilogues.softmax, epilogues.layer_norm)(self.program, value)
                if not 0 < len(value.dims) <= 4:  # as many letters as `loops` has for a role
                    break
                element = value.element
                total = element if element != "bf16" else self.pick("bf16", "f32")
        self.program.results.append(value)
        return self.program

    def sizes(self):
        """Extents of one call, such that no tensor is too large."""
        for _ in range(60):
            sizes = {s: self.program.known.get(s, self.extent(role)) for s, role in self.roles.items()}
            if max(np.prod([sizes[d] for d in v.dims]) for v in self.program.values) <= LARGEST:
                return sizes
        return None

    def arrays(self, sizes, weights):
        made = []
        for a in self.program.arguments:
            shape = [sizes[d] for d in a.dims]
            low = {"i8": -128, "i32": -3, "i1": 0}.get(a.element, -8)
            high = {"i8": 128, "i32": 4, "i1": 2}.get(a.element, 9)
            array = self.rng.integers(low, high, shape).astype(NUMPY[a.element])
            array = array / NUMPY[a.element](8) if a.element[0] != "i" else array
            made.append(weights.setdefault(a.name, array) if a in self.program.weights else array)
        return made


def bits_of(array, element):
    return ("BF16", (array.view(np.uint32) >> 16).astype(np.uint16)) if element == "bf16" else array


def check(checks, seed, number, options, cpu, folder):
    generator = Generator(np.random.default_rng([seed, number]))
    program = generator.generate()
    sizes = [s for s in (generator.sizes() for _ in range(CALLS)) if s]
    if not sizes:
        return False
    weights = {}
    calls = [generator.arrays(s, weights) for s in sizes]
    (folder / "program.mlir").write_text(program.text(inline=generator.chance(50)))
    (folder / "weights").write_bytes(
        safetensors({w.name[1:]: bits_of(weights[w.name], w.element) for w in program.weights}))
    given = [[x for x, a in zip(call, program.arguments) if a not in program.weights] for call in calls]
    with np.errstate(invalid="ignore", over="ignore", divide="ignore"):
        expected = [program.evaluate(call, s) for call, s in zip(calls, sizes)]
    failed = checks.failed
    for option in options:
        what = f"program {number} of seed {seed}, {option} {cpu}"
        run = symrun.run(folder / "program.mlir", given, results=len(program.results),
                         options=[option, *cpu, *([f"--weights={folder}/weights"] if weights else [])])
        if not checks.ran(run, len(calls), what):
            break
        for s, results, pairs in zip(sizes, run.results, expected):
            for i, (actual, (value, bound)) in enumerate(zip(results, pairs)):
                difference = np.abs(actual.astype(np.float64) - value)
                bad = actual.shape != value.shape or not (difference <= bound + 1e-30).all()
                checks.that(not bad, f"{what}, result {i} at {s}",
                            "" if not bad else f"  shapes {actual.shape}, {value.shape}, difference "
                            f"{difference.max(initial=0)}, bound {bound.max(initial=0)}")
    if checks.failed > failed:
        print(program.text(inline=False), file=sys.stderr)
    return True


def main():
    cpu, arguments = split_arguments(sys.argv[1:])
    seed, count, options = int(arguments[0]), arguments[1], arguments[2:] or ["--guard-pages", "--plan-memory=on"]
    first, last = (int(x) for x in count.split("..")) if ".." in count else (0, int(count))
    checks, ran = Checks(), 0
    with tempfile.TemporaryDirectory(prefix="contractions") as folder:
        for number in range(first, last):
            ran += check(checks, seed, number, options, cpu, Path(folder))
    print(f"{ran} programs")
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
