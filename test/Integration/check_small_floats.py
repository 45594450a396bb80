# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Conversions to and from bf16 and f16, and arithmetic in them, beside NumPy.

    check_small_floats.py [--cpu=NAME]

Rounded once, to nearest, ties to even: around every value of the small type and
every middle of two, for both signs; denormals, infinities and NaN among them.
"""

import re
import sys
import tempfile
from fractions import Fraction
from pathlib import Path

import numpy as np

import symrun
from checking import Checks, split_arguments

KIND = {"f32": np.float32, "f64": np.float64, "f16": np.float16, "i16": np.int16, "i32": np.int32, "i64": np.int64}


def values_of(small):
    """All values from 0 to infinity as f64, in order: index and bits are the same."""
    if small == "f16":
        return np.arange(0x7C01, dtype=np.uint16).view(np.float16).astype(np.float64)
    return (np.arange(0x7F81, dtype=np.uint32) << 16).view(np.float32).astype(np.float64)


def round_to(small, values):
    """Bits of the nearest values. `values` are f64, or Python's integers or fractions."""
    table = values_of(small)
    largest = table[-2] + (table[-2] - table[-3])  # where rounding puts infinity
    finite = np.append(table[:-1], largest)
    result = []
    for value in values:
        if value != value:
            result.append(-1)
            continue
        size = abs(value)
        at = min(int(np.searchsorted(finite, float(min(size, largest)), "right")) - 1, len(finite) - 1)
        at -= at > 0 and size < finite[at]  # the float of an integer may be rounded up
        if at + 1 < len(finite):
            middle = (finite[at] + finite[at + 1]) / 2
            exact = int(middle) if isinstance(size, int) and middle == int(middle) else middle
            at += size > exact or (size == exact and at % 2)
        result.append(at | (0x8000 if np.signbit(float(value)) else 0))
    return np.array(result)


def around(small, dtype, rng):
    """Values of f32 or f64 at, and next to, values and middles of the small type."""
    table = values_of(small)[:-1]
    table = table[np.sort(rng.choice(len(table), 3000, replace=False))]
    table = np.concatenate([values_of(small)[:40], table, values_of(small)[-40:-1]])
    next_ = np.array([values_of(small)[np.searchsorted(values_of(small), v) + 1] for v in table])
    largest = 2.0 ** (16 if small == "f16" else 128)
    middles = (table + np.minimum(next_, largest)) / 2
    with np.errstate(over="ignore"):
        points = np.concatenate([table, middles]).astype(dtype)
        points = np.concatenate([points, np.nextafter(points, dtype(0)), np.nextafter(points, dtype(np.inf))])
        if dtype == np.float64:  # what rounding to f32 first would get wrong
            points = np.concatenate([points, points * (1 + 2.0**-40), points * (1 - 2.0**-40), [1e-300, 1e300]])
    points = np.concatenate([points, dtype([0, np.inf, np.nan])])
    return np.concatenate([points, -points])


def program(source, target, body):
    kind = "i16" if target in ("bf16", "f16") else target
    return f"""func.func @main(%x: tensor<?x{source}>) -> tensor<?x{kind}> {{
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x{source}>
  %e = tensor.empty(%n) : tensor<?x{kind}>
  %r = linalg.generic {{indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}}
      ins(%x : tensor<?x{source}>) outs(%e : tensor<?x{kind}>) {{
  ^bb0(%a: {source}, %o: {kind}):
{body}
    linalg.yield %y : {kind}
  }} -> tensor<?x{kind}>
  return %r : tensor<?x{kind}>
}}
"""


class Runner:
    def __init__(self, folder, cpu):
        self.checks, self.folder, self.cpu = Checks(), folder, cpu

    def run(self, text, inputs, what):
        """The results for all inputs, for one of them and for none."""
        path = self.folder / "program.mlir"
        path.write_text(text)
        run = symrun.run(path, [[inputs], [inputs[:1]], [inputs[:0]]], options=["--guard-pages", *self.cpu])
        if not self.checks.ran(run, 3, what):
            return None
        (all_,), (one,), (none,) = run.results
        self.checks.that(none.shape == (0,) and one.tobytes() == all_[:1].tobytes(), f"{what}: vectors and scalars")
        return all_

    def same(self, actual, expected, inputs, small, what):
        """Bits are those expected; where -1 is, those of any NaN."""
        if actual is None:
            return
        actual = actual.view(np.uint16).astype(int)
        infinity = 0x7C00 if small == "f16" else 0x7F80
        right = np.where(expected < 0, (actual & 0x7FFF) > infinity, actual == expected)
        bad = np.flatnonzero(~right)
        self.checks.that(not len(bad), what, "" if not len(bad) else
                         f"  {len(bad)} of {len(right)}, such as {inputs[bad[0]]!r}: {actual[bad[0]]:#x} "
                         f"instead of {expected[bad[0]]:#x}")


def check_conversions(runner, rng):
    for small in ("bf16", "f16"):
        for source in ("f32", "f64"):
            inputs = around(small, KIND[source], rng)
            text = program(source, small, f"    %t = arith.truncf %a : {source} to {small}\n"
                                          f"    %y = arith.bitcast %t : {small} to i16")
            what = f"{source} to {small}"
            runner.same(runner.run(text, inputs, what), round_to(small, inputs.astype(np.float64)), inputs, small, what)
            bits = np.arange(0x10000, dtype=np.uint16).view(np.int16)
            text = program("i16", source, f"    %t = arith.bitcast %a : i16 to {small}\n"
                                          f"    %y = arith.extf %t : {small} to {source}")
            actual = runner.run(text, bits, f"{small} to {source}")
            known = values_of(small)
            magnitude = bits.view(np.uint16) & 0x7FFF
            expected = np.where(magnitude < len(known), known[np.minimum(magnitude, len(known) - 1)], np.nan)
            expected = np.where(bits < 0, -expected, expected)
            if actual is not None:
                runner.checks.that(np.array_equal(actual, expected, equal_nan=True)
                                   and (np.signbit(actual) == np.signbit(expected))[expected == 0].all(),
                                   f"{small} to {source}")
        for source in ("i16", "i32", "i64"):
            bits = int(source[1:])
            inputs = [0, 1, -1] + [int(v) for v in rng.integers(-2**(bits - 1), 2**(bits - 1), 200)]
            inputs += [s * (2**e + d) for s in (1, -1) for e in range(5, bits - 1) for f in (8, 11)
                       for d in (-1, 0, 1, *(2**max(e - f, 0) + x for x in (-1, 0, 1)))]
            inputs = np.array([v for v in inputs if -2**(bits - 1) <= v < 2**(bits - 1)], KIND[source])
            for op in ("sitofp", "uitofp"):
                text = program(source, small, f"    %t = arith.{op} %a : {source} to {small}\n"
                                              f"    %y = arith.bitcast %t : {small} to i16")
                what = f"{op} {source} to {small}"
                numbers = [int(v) % 2**bits if op == "uitofp" else int(v) for v in inputs]
                runner.same(runner.run(text, inputs, what), round_to(small, numbers), inputs, small, what)


# Steps on %f, the operand, and what they give in f64, where each step is exact or rounding it twice harmless.
ARITHMETIC = {
    "x * x + x": ("""%p = arith.mulf %f, %f : S
    %r = arith.addf %p, %f : S""", lambda x, rounded: rounded(x * x) + x),
    "x / (1.5 - x)": ("""%c = arith.constant 1.5 : S
    %d = arith.subf %c, %f : S
    %r = arith.divf %f, %d : S""", lambda x, rounded: x / rounded(1.5 - x)),
    "max(-x, 1.5)": ("""%c = arith.constant 1.5 : S
    %m = arith.negf %f : S
    %r = arith.maximumf %m, %c : S""", lambda x, rounded: np.maximum(-x, 1.5)),
    "x + x + x": ("""%g = arith.extf %f : S to f32
    %d = arith.addf %g, %g : f32
    %t = arith.addf %d, %g : f32
    %r = arith.truncf %t : f32 to S""", lambda x, rounded: (x.astype(np.float32) * np.float32(3)).astype(np.float64)),
}


def check_arithmetic(runner):
    """Steps that are each rounded, for every value of the operand and so for every NaN."""
    for small in ("bf16", "f16"):
        bits = np.arange(0x10000, dtype=np.uint16)
        known = np.append(values_of(small), np.full(0x8000 - len(values_of(small)), np.nan))
        number = lambda b: np.where(b < 0, np.nan, np.where(b & 0x8000, -1.0, 1.0) * known[b & 0x7FFF])
        rounded = lambda values: number(round_to(small, values))
        for what, (steps, oracle) in ARITHMETIC.items():
            text = program("i16", small, f"    %f = arith.bitcast %a : i16 to {small}\n    "
                           + re.sub(r"\bS\b", small, steps) + f"\n    %y = arith.bitcast %r : {small} to i16")
            with np.errstate(all="ignore"):
                expected = round_to(small, oracle(number(bits.astype(int)), rounded))
            runner.same(runner.run(text, bits.view(np.int16), what), expected, bits, small, f"{what} in {small}")


def check_multiply_add(runner):
    """x*y + z, rounded once: where the sum is next to the middle of two values, f32 takes it for the middle."""
    for small in ("bf16", "f16"):
        rng = np.random.default_rng(5)
        known = values_of(small)[:-1]
        precision = 11 if small == "f16" else 8
        one = int(np.searchsorted(known, 1.0))  # bits of 1
        x, y, z = [rng.integers(1, len(known) // 2 + one // 2, 60000) for _ in range(3)]
        z[:20000] = rng.integers(1, 9, 20000)  # denormal
        x[20000:40000] = rng.integers(one, one + 2**(precision - 1), 20000)
        y[20000:40000] = np.maximum(z[20000:40000] - precision * 2**(precision - 1), 1)  # half of the last bit of z
        sign = rng.integers(0, 2, 60000)
        cases = []
        for a, b, c, s in zip(x, y, z, sign):
            exact = Fraction(known[a]) * Fraction(known[b]) + Fraction(known[c]) * (1 - 2 * int(s))
            if exact == 0 or abs(exact) > known[-1]:
                continue
            digits = abs(exact.numerator)
            digits //= digits & -digits
            # About halfway: a run of equal bits behind the first that is cut off.
            rest = bin(digits)[2 + precision:]
            if len(rest) > 13 and rest[:12] in ("1" + "0" * 11, "0" + "1" * 11):
                cases.append((a, b, c, s, exact))
        runner.checks.that(len(cases) >= 20, f"sums in {small} that are next to a middle", f"  {len(cases)}")
        packed = [int(a) | int(b) << 16 | (int(c) | int(s) << 15) << 32 for a, b, c, s, _ in cases]
        text = program("i64", small, f"""    %c16 = arith.constant 16 : i64
    %a1 = arith.shrui %a, %c16 : i64
    %a2 = arith.shrui %a1, %c16 : i64
    %i = arith.trunci %a : i64 to i16
    %j = arith.trunci %a1 : i64 to i16
    %k = arith.trunci %a2 : i64 to i16
    %u = arith.bitcast %i : i16 to {small}
    %w = arith.bitcast %j : i16 to {small}
    %z = arith.bitcast %k : i16 to {small}
    %f = math.fma %u, %w, %z : {small}
    %y = arith.bitcast %f : {small} to i16""")
        what = f"x * y + z in {small}"
        inputs = np.array(packed, np.int64)
        expected = round_to(small, [exact for *_, exact in cases])
        runner.same(runner.run(text, inputs, what), expected, inputs, small, what)


CARRIED = {
    "a loop": """%r = scf.for %i = %c0 to %n step %c1 iter_args(%t = %e) -> tensor<?xi16> {
    %x = tensor.extract %a[%i] : tensor<?xi16>
    %f = arith.bitcast %x : i16 to S
    %last = scf.for %j = %c0 to %i step %c1 iter_args(%s = %f) -> S {
      %y = tensor.extract %a[%j] : tensor<?xi16>
      %g = arith.bitcast %y : i16 to S
      %u = arith.cmpf uno, %g, %g : S
      %k = arith.select %u, %g, %s : S
      scf.yield %k : S
    }
    %b = arith.bitcast %last : S to i16""",
    "a branch": """%r = scf.for %i = %c0 to %n step %c1 iter_args(%t = %e) -> tensor<?xi16> {
    %x = tensor.extract %a[%i] : tensor<?xi16>
    %f = arith.bitcast %x : i16 to S
    %u = arith.cmpi sgt, %x, %zero : i16
    %k = scf.if %u -> S {
      %q = tensor.extract %a[%i] : tensor<?xi16>
      %g = arith.bitcast %q : i16 to S
      scf.yield %g : S
    } else {
      scf.yield %f : S
    }
    %b = arith.bitcast %k : S to i16""",
    "a call": """%r = scf.for %i = %c0 to %n step %c1 iter_args(%t = %e) -> tensor<?xi16> {
    %x = tensor.extract %a[%i] : tensor<?xi16>
    %f = arith.bitcast %x : i16 to S
    %k = func.call @same(%f, %i) : (S, index) -> S
    %b = arith.bitcast %k : S to i16""",
}
CALLEE = """func.func private @same(%x: S, %n: index) -> S attributes {no_inline} {
  %c0 = arith.constant 0 : index
  %u = arith.cmpi slt, %n, %c0 : index
  %k = scf.if %u -> S {
    %y = func.call @same(%x, %c0) : (S, index) -> S
    scf.yield %y : S
  } else {
    scf.yield %x : S
  }
  return %k : S
}
"""
REDUCED = """%f = arith.bitcast %a : tensor<?xi16> to tensor<?xS>
  %v = tensor.expand_shape %f [[0, 1]] output_shape [%n, 1] : tensor<?xS> into tensor<?x1xS>
  %m = math.absf %v : tensor<?x1xS>
  %l = tosa.reduce_max %v {axis = 1 : i32, nan_mode = IGNORE} : (tensor<?x1xS>) -> tensor<?x1xS>
  %k = tosa.reduce_min %m {axis = 1 : i32} : (tensor<?x1xS>) -> tensor<?x1xS>
  %s = math.copysign %k, %l : tensor<?x1xS>
  %w = tensor.collapse_shape %s [[0, 1]] : tensor<?x1xS> into tensor<?xS>
  %r = arith.bitcast %w : tensor<?xS> to tensor<?xi16>"""


def check_carried(runner):
    """Values that loops, branches, calls and reductions hand on stay as they are, denormals too."""
    for small in ("bf16", "f16"):
        numbers = [n for n in range(0, 0x7C00 if small == "f16" else 0x7F80, 157)]
        bits = np.array([*range(70), *numbers, *(n - 0x8000 for n in numbers[1:]), -0x8000, -0x7FFF], np.int16)
        for what, body in [*CARRIED.items(), ("a reduction", REDUCED)]:
            if body != REDUCED:
                body += "\n    %w = tensor.insert %b into %t[%i] : tensor<?xi16>\n    scf.yield %w : tensor<?xi16>\n  }"
            text = (f"{CALLEE}func.func @main(%a: tensor<?xi16>) -> tensor<?xi16> {{\n  %c0 = arith.constant 0 : index\n"
                    "  %c1 = arith.constant 1 : index\n  %zero = arith.constant 0 : i16\n  %n = tensor.dim %a, %c0 : tensor<?xi16>\n"
                    f"  %e = tensor.empty(%n) : tensor<?xi16>\n  {body}\n  return %r : tensor<?xi16>\n}}\n")
            text = text.replace("xS", f"x{small}").replace(": S", f": {small}").replace("to S", f"to {small}").replace("-> S", f"-> {small}")
            text = text.replace("(S, index)", f"({small}, index)")
            for part in (bits, bits[1:2]):
                seen = runner.run(text, part, f"{what} of {small}")
                runner.checks.that(seen is not None and np.array_equal(seen, part), f"{what} hands on {small}", f"{seen} {part}")


def main():
    cpu, _ = split_arguments(sys.argv[1:])
    rng = np.random.default_rng(5)
    with tempfile.TemporaryDirectory(prefix="small-floats") as folder:
        runner = Runner(Path(folder), cpu)
        check_conversions(runner, rng)
        check_arithmetic(runner)
        check_multiply_add(runner)
        check_carried(runner)
    return runner.checks.finish()


if __name__ == "__main__":
    sys.exit(main())
