# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Code that calls functions of libraries, loaded into this Python: check_libraries.py LIBRARY.

The process has no functions of the compiler's library, and need not have those of
the C library: division of 128 bits and more, which guards use, 16-bit floats on
CPUs without instructions for them, and functions of numbers. The oracle is Python's
arithmetic and NumPy.
"""

import itertools
import math
import sys
import tempfile
from pathlib import Path

import numpy as np
import symshape_c

# Guards that divide in 128 bits: the extent of the view that is not given.
VIEW = """
func.func @main(%x: tensor<?x?xi8> {symshape.shape = #symshape.shape<[A, B]>},
                %y: tensor<?xi8> {symshape.shape = #symshape.shape<[N]>}) -> tensor<?x?xi8> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %y, %c0 : tensor<?xi8>
  %c1 = arith.constant 1 : index
  %a = tensor.dim %x, %c0 : tensor<?x?xi8>
  %b = tensor.dim %x, %c1 : tensor<?x?xi8>
  %s = arith.muli %a, %b : index
  %m = arith.divsi %s, %n : index
  %shape = tensor.from_elements %n, %m : tensor<2xindex>
  %r = tensor.reshape %x(%shape) : (tensor<?x?xi8>, tensor<2xindex>) -> tensor<?x?xi8>
  return %r : tensor<?x?xi8>
}
"""

# Facts that only wide arithmetic decides, and what they say.
FACTS = [("A*B floordiv N == N", lambda a, b, n: n != 0 and a * b // n == n),
         ("A*B mod (N + 1) == 0", lambda a, b, n: a * b % (n + 1) == 0),
         ("N + 1 | A*B", lambda a, b, n: a * b % (n + 1) == 0),
         ("(A*B - A - 7) floordiv (N + 1) <= A", lambda a, b, n: (a * b - a - 7) // (n + 1) <= a),
         ("(A*B - A - 7) mod (N + 1) <= 3", lambda a, b, n: (a * b - a - 7) % (n + 1) <= 3),
         ("A*A*B*B floordiv (N + 1) == A", lambda a, b, n: a * a * b * b // (n + 1) == a),
         ("N*A + 1 | A*A*B*B*B", lambda a, b, n: (a * a * b * b * b) % (n * a + 1) == 0),
         ("(A*A*A*A*A*B) floordiv (N*N + 3) <= A", lambda a, b, n: a**5 * b // (n * n + 3) <= a)]
FACT = """
func.func @main(%x: tensor<0x?xi8> {{symshape.shape = #symshape.shape<[0, A]>}},
                %z: tensor<0x?xi8> {{symshape.shape = #symshape.shape<[0, B]>}},
                %y: tensor<0x?xi8> {{symshape.shape = #symshape.shape<[0, N]>}}) -> tensor<0x?xi8>
    attributes {{symshape.assume = [#symshape.fact<"{fact}">]}} {{
  return %y : tensor<0x?xi8>
}}
"""

UNARY = """
func.func @main(%x: tensor<?x{t}>) -> tensor<?x{t}> {{
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x{t}>
  %e = tensor.empty(%n) : tensor<?x{t}>
  %r = linalg.generic {{indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}}
      ins(%x : tensor<?x{t}>) outs(%e : tensor<?x{t}>) {{
  ^bb0(%a: {t}, %o: {t}):
    %v = {op} : {t}
    linalg.yield %v : {t}
  }} -> tensor<?x{t}>
  return %r : tensor<?x{t}>
}}
"""

CONVERT = """
func.func @main(%x: tensor<?x{s}>) -> tensor<?x{t}> {{
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x{s}>
  %e = tensor.empty(%n) : tensor<?x{t}>
  %r = linalg.generic {{indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}}
      ins(%x : tensor<?x{s}>) outs(%e : tensor<?x{t}>) {{
  ^bb0(%a: {s}, %o: {t}):
{ops}
    linalg.yield %v : {t}
  }} -> tensor<?x{t}>
  return %r : tensor<?x{t}>
}}
"""

FLOATS = {"f16": np.float16, "f32": np.float32, "f64": np.float64}
FUNCTIONS = {"sin": np.sin, "cos": np.cos, "tan": np.tan, "sinh": np.sinh, "cosh": np.cosh, "tanh": np.tanh,
             "asin": np.arcsin, "acos": np.arccos, "atan": np.arctan, "asinh": np.arcsinh, "atanh": np.arctanh,
             "exp": np.exp, "exp2": np.exp2, "expm1": np.expm1, "log": lambda x: np.log(x + 2),
             "log2": lambda x: np.log2(x + 2), "log10": lambda x: np.log10(x + 2), "log1p": np.log1p,
             "sqrt": lambda x: np.sqrt(x + 2), "rsqrt": lambda x: 1 / np.sqrt(x + 2), "cbrt": np.cbrt,
             "floor": np.floor, "ceil": np.ceil, "trunc": np.trunc, "roundeven": np.round,
             "round": lambda x: np.copysign(np.floor(np.abs(x) + 0.5), x),
             "erf": np.vectorize(math.erf), "erfc": np.vectorize(math.erfc), "absf": np.abs}
SHIFTED = {"log", "log2", "log10", "sqrt", "rsqrt"}


class Tests:
    def __init__(self, library, folder):
        self.library, self.folder = library, Path(folder)
        self.compiled = self.calls = self.refused = 0

    def compile(self, text, **options):
        path = self.folder / "m.mlir"
        path.write_text(text)
        self.compiled += 1
        return symshape_c.Program(path, library=self.library, **options)

    def call(self, program, *arrays):
        self.calls += 1
        return program(*arrays)[0]

    def serves(self, program, expected, what, *arrays):
        """The call is served exactly if `expected`."""
        try:
            result = self.call(program, *arrays)
        except symshape_c.Error as error:
            self.refused += 1
            assert not expected and error.status == 3, f"{what}: {error}"
            return None
        assert expected, f"{what}: a call was served"
        return result


def check_view(tests):
    program = tests.compile(VIEW)
    for a, b, n in itertools.product((0, 1, 2, 3, 6), (1, 4), (1, 2, 3, 5)):
        x = np.arange(a * b, dtype=np.int8).reshape(a, b)
        result = tests.serves(program, a * b % n == 0, (a, b, n), x, np.zeros(n, np.int8))
        if result is not None:
            np.testing.assert_array_equal(result, x.reshape(n, -1) if a * b else np.zeros((n, 0)))


def check_facts(tests):
    big = 2**48 - 1
    extents = (0, 1, 2, 3, 7, 15, 1 << 20, (1 << 24) - 1, 1 << 32, (1 << 40) + 1, big - 1, big)
    rng = np.random.default_rng(5)
    for fact, holds in FACTS:
        program = tests.compile(FACT.format(fact=fact))
        chosen = [tuple(int(e) for e in rng.choice(extents, 3)) for _ in range(60)]
        chosen += [(3, 3, 3), (1, 1, 0), (big, big, big), (1 << 32, 1 << 32, 1 << 32), (4, 8, 3), (big, 1, 0)]
        for a, b, n in chosen:
            if fact.startswith("A*B floordiv N") and n == 0:
                continue  # undefined
            tests.serves(program, holds(a, b, n), (fact, a, b, n),
                         *(np.zeros((0, extent), np.int8) for extent in (a, b, n)))


def check_functions(tests, cpu):
    rng = np.random.default_rng(6)
    for name, t in itertools.product(FUNCTIONS, FLOATS):
        x = rng.uniform(-0.9, 0.9, 37).astype(FLOATS[t])
        op = f"math.{name} %a"
        text = UNARY.format(t=t, op=op)
        if name in SHIFTED:
            text = text.replace(f"    %v = math.{name} %a",
                                f"    %two = arith.constant 2.0 : {t}\n    %s = arith.addf %a, %two : {t}\n"
                                f"    %v = math.{name} %s")
        expected = FUNCTIONS[name](x.astype(np.float64))
        actual = tests.call(tests.compile(text, cpu=cpu), x)
        tolerance = {"f16": 4e-3, "f32": 2e-6, "f64": 1e-13}[t]
        np.testing.assert_allclose(actual.astype(np.float64), expected, rtol=tolerance, atol=tolerance,
                                   err_msg=f"{name} of {t}, {cpu}")
    for t in FLOATS:
        x = rng.uniform(-20, 20, 37).astype(FLOATS[t])
        three = f"    %three = arith.constant 3.25 : {t}\n"
        for op, expected, tolerance in [("arith.remf %a, %three", np.fmod(x, FLOATS[t](3.25)), 0),
                                        ("math.powf %three, %a", 3.25 ** (x.astype(np.float64) / 8), 4e-3),
                                        ("math.atan2 %a, %three", np.arctan2(x.astype(np.float64), 3.25), 4e-3),
                                        ("math.copysign %three, %a", np.copysign(3.25, x), 0)]:
            text = UNARY.format(t=t, op=op).replace("    %v =", three + "    %v =")
            if "powf" in op:
                text = text.replace("    %v = math.powf %three, %a", f"    %q = arith.constant 0.125 : {t}\n"
                                    f"    %p = arith.mulf %a, %q : {t}\n    %v = math.powf %three, %p")
            actual = tests.call(tests.compile(text, cpu=cpu), x)
            np.testing.assert_allclose(actual.astype(np.float64), expected, rtol=tolerance, atol=tolerance,
                                       err_msg=f"{op} of {t}, {cpu}")


def check_conversions(tests, cpu):
    rng = np.random.default_rng(7)
    bits = np.concatenate([np.arange(0, 65536, 13), [0x7C00, 0xFC00, 0x7E00, 1, 0x8000, 0x3FF, 0x400]]).astype(np.uint16)
    halves = bits.view(np.float16)
    doubles = rng.standard_normal(500) * 2.0 ** rng.integers(-30, 18, 500)
    # Closely beside ties between two halves.
    finite = np.unique(halves[np.isfinite(halves)].astype(np.float64))
    ties = (finite[:-1] + finite[1:]) / 2
    doubles = np.concatenate([doubles, ties, ties * (1 + 2.0**-52), ties * (1 - 2.0**-52)])
    ints = np.concatenate([rng.integers(-2**63, 2**63 - 1, 200), rng.integers(-70000, 70000, 200)])

    def check(s, t, op, x, expected):
        program = tests.compile(CONVERT.format(s=s, t=t, ops=f"    %v = {op} %a : {s} to {t}"), cpu=cpu)
        np.testing.assert_array_equal(tests.call(program, x), expected, err_msg=f"{s} to {t}, {cpu}")

    with np.errstate(over="ignore"):
        check("f16", "f32", "arith.extf", halves, halves.astype(np.float32))
        check("f16", "f64", "arith.extf", halves, halves.astype(np.float64))
        check("f32", "f16", "arith.truncf", doubles.astype(np.float32), doubles.astype(np.float32).astype(np.float16))
        check("f64", "f16", "arith.truncf", doubles, doubles.astype(np.float16))
        check("i64", "f16", "arith.sitofp", ints, ints.astype(np.float64).astype(np.float16))
        check("i64", "f32", "arith.sitofp", ints, ints.astype(np.float32))
        check("i64", "f64", "arith.uitofp", ints, ints.view(np.uint64).astype(np.float64))
    small = rng.uniform(-1000, 1000, 300)
    check("f16", "i64", "arith.fptosi", small.astype(np.float16), np.trunc(small.astype(np.float16)).astype(np.int64))
    check("f64", "i64", "arith.fptoui", np.abs(small) * 2.0**50, (np.abs(small) * 2.0**50).astype(np.uint64).view(np.int64))

    # bf16 has no form in NumPy: by way of its bits.
    def rounded(x):
        word = x.astype(np.float64)
        near = word.astype(np.float32)  # then to odd
        bits = near.view(np.uint32).astype(np.int64)
        inexact = near.astype(np.float64) != word
        toward = np.where(np.abs(near.astype(np.float64)) > np.abs(word), bits - 1, bits)
        bits = np.where(inexact, toward | 1, bits)
        return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype(np.uint16).view(np.int16)

    for s, x in (("f32", doubles.astype(np.float32)), ("f64", doubles)):
        ops = f"    %b = arith.truncf %a : {s} to bf16\n    %v = arith.bitcast %b : bf16 to i16"
        program = tests.compile(CONVERT.format(s=s, t="i16", ops=ops), cpu=cpu)
        np.testing.assert_array_equal(tests.call(program, x), rounded(x), err_msg=f"{s} to bf16, {cpu}")
    ops = "    %b = arith.bitcast %a : i16 to bf16\n    %v = arith.extf %b : bf16 to f32"
    program = tests.compile(CONVERT.format(s="i16", t="f32", ops=ops), cpu=cpu)
    words = bits.view(np.int16)
    expected = (bits.astype(np.uint32) << 16).view(np.float32)
    np.testing.assert_array_equal(tests.call(program, words), expected, err_msg=f"bf16 to f32, {cpu}")


def check_wide(tests, cpu):
    """Integers of 128 and more bits, floats of 80 and 128, and powers by integers, inside of a program."""
    rng = np.random.default_rng(8)
    floats = np.concatenate([rng.uniform(-100, 100, 50), [0.0, -0.75, 0.75, 1.0]])
    halves = (floats / 10).astype(np.float16)
    ints = np.concatenate([rng.integers(-2**62, 2**62, 50), [1, -1, 7]])
    exact = [int(i) for i in ints]

    def low(values):
        return np.array([(value + 2**63) % 2**64 - 2**63 for value in values])

    def quotient(a, b):  # towards zero
        return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)

    def check(s, t, x, expected, *ops, tolerance=0.0):
        text = "\n".join(f"    {op}" for op in ops)
        actual = tests.call(tests.compile(CONVERT.format(s=s, t=t, ops=text), cpu=cpu), x)
        np.testing.assert_allclose(actual, expected, rtol=tolerance, err_msg=f"{ops}, {cpu}")

    square = ["%w = arith.extsi %a : i64 to i128", "%m = arith.muli %w, %w : i128", "%c = arith.constant 1000000007 : i128"]
    check("i64", "i64", ints, low(i * i // 1000000007 for i in exact), *square,
          "%q = arith.divsi %m, %c : i128", "%v = arith.trunci %q : i128 to i64")
    check("i64", "i64", ints, [i * i % 1000000007 for i in exact], *square,
          "%q = arith.remui %m, %c : i128", "%v = arith.trunci %q : i128 to i64")
    check("i64", "f64", ints, [float(i * i) for i in exact], *square, "%v = arith.sitofp %m : i128 to f64")
    check("i64", "f32", ints, [np.float32(i * i) for i in exact], *square, "%v = arith.uitofp %m : i128 to f32",
          tolerance=1e-6)
    check("i64", "i64", ints, [quotient(i**3, i * i) for i in exact], "%w = arith.extsi %a : i64 to i256",
          "%m = arith.muli %w, %w : i256", "%k = arith.muli %m, %w : i256", "%q = arith.divsi %k, %m : i256",
          "%v = arith.trunci %q : i256 to i64")
    check("i64", "i64", ints, [i * i >> 64 for i in exact], "%l, %v = arith.mulsi_extended %a, %a : i64")
    for long in ("f80", "f128"):
        widen = f"%w = arith.extf %a : f64 to {long}"
        check("f64", "f64", floats, floats * 3, widen, f"%s = arith.addf %w, %w : {long}",
              f"%t = arith.addf %s, %w : {long}", f"%v = arith.truncf %t : {long} to f64")
        check("f64", "f64", floats, floats * floats / (floats - 1000), widen, f"%k = arith.constant 1000.0 : {long}",
              f"%m = arith.mulf %w, %w : {long}", f"%p = arith.subf %w, %k : {long}",
              f"%q = arith.divf %m, %p : {long}", f"%v = arith.truncf %q : {long} to f64", tolerance=1e-15)
        check("f64", "i64", floats, floats < 0.75, widen, f"%k = arith.constant 0.75 : {long}",
              f"%q = arith.cmpf olt, %w, %k : {long}", "%v = arith.extui %q : i1 to i64")
        check("f64", "f64", floats, np.fmod(floats, 0.75), widen, f"%k = arith.constant 0.75 : {long}",
              f"%q = arith.remf %w, %k : {long}", f"%v = arith.truncf %q : {long} to f64")
        check("f64", "f16", floats, floats.astype(np.float16), widen, f"%v = arith.truncf %w : {long} to f16")
        check("f16", "f16", halves, (halves.astype(np.float64) ** 2).astype(np.float16),
              f"%w = arith.extf %a : f16 to {long}", f"%m = arith.mulf %w, %w : {long}",
              f"%v = arith.truncf %m : {long} to f16")
        check("i64", "i64", ints, exact, "%w = arith.extsi %a : i64 to i128", f"%f = arith.sitofp %w : i128 to {long}",
              f"%b = arith.fptosi %f : {long} to i128", "%v = arith.trunci %b : i128 to i64")
        # Closely beside ties between two of 8 bits: 2^-40 more or less decides.
        ties = (1 + np.arange(1, 256, 2) / 256)[:, None] * (1 + np.array([-2.0**-40, 0, 2.0**-40]))
        nearest = np.round(ties * 128) / 128  # to even, as NumPy does
        check("f64", "f32", ties.ravel(), nearest.ravel(), widen, f"%q = arith.truncf %w : {long} to bf16",
              "%v = arith.extf %q : bf16 to f32")
    check("f64", "f64", floats / 50, (floats / 50) ** 7, "%k = arith.constant 7 : i32",
          "%v = math.fpowi %a, %k : f64, i32", tolerance=1e-12)
    check("f64", "f64", floats, 1.01 ** np.trunc(floats), "%k = arith.fptosi %a : f64 to i32",
          "%b = arith.constant 1.01 : f64", "%v = math.fpowi %b, %k : f64, i32", tolerance=1e-10)
    check("i64", "i64", ints, [bin(i & (2**64 - 1)).count("1") for i in exact], "%v = math.ctpop %a : i64")


def main():
    library = symshape_c.load(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        tests = Tests(library, folder)
        check_view(tests)
        check_facts(tests)
        for cpu in sys.argv[2:] or ["native"]:
            check_functions(tests, cpu)
            check_conversions(tests, cpu)
            check_wide(tests, cpu)
    print(f"{tests.compiled} programs, {tests.calls} calls, {tests.refused} of them refused")
    assert tests.compiled >= 140 and tests.calls >= 690 and tests.refused >= 100


if __name__ == "__main__":
    main()
