# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Unsigned integers in TOSA, tm_tensor and linalg: by their own order, beside NumPy's unsigned types.

    check_unsigned_ops.py [WIDTH...]

Arrays hold the bits; numbers of the upper half are negative as signed ones, so an op that takes them for signed
gives another result.
"""

import sys
import tempfile
from pathlib import Path

import numpy as np

import symrun
from checking import Checks

WIDTHS = {8: (np.int8, np.uint8), 16: (np.int16, np.uint16), 32: (np.int32, np.uint32), 64: (np.int64, np.uint64)}
SHAPES = [(0, 3), (3, 0), (1, 1), (2, 5), (3, 41)]


def draw(shape, width, seed=0):
    signed, unsigned = WIDTHS[width]
    random = np.random.default_rng([width, seed, *shape])
    values = random.integers(0, np.iinfo(unsigned).max, shape, unsigned, endpoint=True)
    small = random.integers(0, 3, shape).astype(unsigned)
    return np.where(random.uniform(size=shape) < 0.3, small, values).view(signed)


def scan(op, t, row):
    return f"""%r, %l = tm_tensor.scan dimension(1) inclusive(true) ins(%x : {t}) outs(%x, %c : {t}, {row}) {{
  ^bb0(%last: E, %element: E):
    %s = arith.{op} %last, %element : E
    tm_tensor.yield %s : E
  }} -> {t}, {row}"""


def sort(predicate, t):
    return f"""%r, %l = tm_tensor.sort dimension(1) outs(%x, %i : {t}, tensor<?x?xi64>) {{
  ^bb0(%a: E, %b: E, %v: i64, %w: i64):
    %s = arith.cmpi {predicate}, %a, %b : E
    tm_tensor.yield %s : i1
  }} -> {t}, tensor<?x?xi64>"""


def topk(predicate, last, t):
    return f"""%z = arith.constant {last} : E
  %ve = tensor.empty(%n, %m) : {t}
  %v = linalg.fill ins(%z : E) outs(%ve : {t}) -> {t}
  %r, %l = tm_tensor.topk dimension(1) ins(%x : {t}) outs(%v, %i : {t}, tensor<?x?xi64>) {{
  ^bb0(%a: E, %b: E):
    %s = arith.cmpi {predicate}, %a, %b : E
    tm_tensor.yield %s : i1
  }} -> {t}, tensor<?x?xi64>"""


def scatter(op, t):
    return f"""%z = arith.constant 0 : i64
  %f = tensor.empty(%n) : tensor<?xi64>
  %at0 = linalg.fill ins(%z : i64) outs(%f : tensor<?xi64>) -> tensor<?xi64>
  %at = tensor.expand_shape %at0 [[0, 1]] output_shape [%n, 1] : tensor<?xi64> into tensor<?x1xi64>
  %r = tm_tensor.scatter {{dimension_map = array<i64: 0>}} unique_indices(false) ins(%x, %at : {t}, tensor<?x1xi64>) outs(%one : {t}) {{
  ^bb0(%update: E, %element: E):
    %s = arith.{op} %update, %element : E
    tm_tensor.yield %s : E
  }} -> {t}"""


def reduce(op, axis):
    kept = "%m" if axis == 0 else "%n"
    start = {"maxui": "0", "minui": "-1"}[op]
    return f"""%z = arith.constant {start} : E
  %e = tensor.empty({kept}) : tensor<?xE>
  %b = linalg.fill ins(%z : E) outs(%e : tensor<?xE>) -> tensor<?xE>
  %r0 = linalg.reduce {{arith.{op}}} ins(%x : tensor<?x?xE>) outs(%b : tensor<?xE>) dimensions = [{axis}]
  %r = tensor.expand_shape %r0 [[0, 1]] output_shape [{kept}, 1] : tensor<?xE> into tensor<?x1xE>"""


T = "tensor<?x?xE>"
#: name: (lines from %x to %r, type of %r, NumPy from unsigned numbers)
OPS = {
    "scan maxui": (scan("maxui", T, "tensor<?xE>"), T, lambda x: np.maximum.accumulate(x, 1)),
    "scan minui": (scan("minui", T, "tensor<?xE>"), T, lambda x: np.minimum.accumulate(x, 1)),
    "sort ule": (sort("ule", T), T, lambda x: np.sort(x, 1)),
    "sort ult": (sort("ult", T), T, lambda x: np.sort(x, 1)),
    "sort uge": (sort("uge", T), T, lambda x: np.sort(x, 1)[:, ::-1]),
    "topk ugt": (topk("ugt", 0, T), T, lambda x: np.sort(x, 1)[:, ::-1]),
    "topk ult": (topk("ult", -1, T), T, lambda x: np.sort(x, 1)),
    "scatter maxui": (scatter("maxui", T), T, lambda x: x.max(0, keepdims=True, initial=0)),
    "scatter minui": (scatter("minui", T), T, lambda x: np.minimum(x.min(0, keepdims=True, initial=np.iinfo(x.dtype).max), 0)),
    "reduce maxui 0": (reduce("maxui", 0), "tensor<?x1xE>", lambda x: x.max(0, initial=0)[:, None]),
    "reduce maxui 1": (reduce("maxui", 1), "tensor<?x1xE>", lambda x: x.max(1, initial=0)[:, None]),
    "reduce minui 0": (reduce("minui", 0), "tensor<?x1xE>", lambda x: x.min(0, initial=np.iinfo(x.dtype).max)[:, None]),
    "reduce minui 1": (reduce("minui", 1), "tensor<?x1xE>", lambda x: x.min(1, initial=np.iinfo(x.dtype).max)[:, None]),
}
HEAD = """func.func @main(%x: tensor<?x?xE>) -> RESULTS {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?x?xE>
  %m = tensor.dim %x, %c1 : tensor<?x?xE>
  %zero = arith.constant 0 : E
  %ce = tensor.empty(%n) : tensor<?xE>
  %c = linalg.fill ins(%zero : E) outs(%ce : tensor<?xE>) -> tensor<?xE>
  %ie = tensor.empty(%n, %m) : tensor<?x?xi64>
  %i0 = arith.constant 0 : i64
  %i = linalg.fill ins(%i0 : i64) outs(%ie : tensor<?x?xi64>) -> tensor<?x?xi64>
  %oe = tensor.empty(%c1, %m) : tensor<?x?xE>
  %one = linalg.fill ins(%zero : E) outs(%oe : tensor<?x?xE>) -> tensor<?x?xE>
"""


def check_orders(checks, path, widths):
    for width in widths:
        unsigned = WIDTHS[width][1]
        for name, (lines, result, oracle) in OPS.items():
            text = HEAD.replace("RESULTS", result) + f"  {lines}\n  return %r : {result}\n}}\n"
            path.write_text(text.replace("xE>", f"xi{width}>").replace(": E", f": i{width}"))
            calls = [draw(shape, width) for shape in SHAPES]
            run = symrun.run(path, [[x] for x in calls])
            if checks.ran(run, len(calls), f"{name} of u{width}"):
                for x, (got,) in zip(calls, run.results, strict=True):
                    want = oracle(x.view(unsigned))
                    checks.that(got.shape == want.shape and np.array_equal(got.view(unsigned), want), f"{name} of u{width} {x.shape}",
                                f"{got.view(unsigned)}\n{want}")


def check_rescales(checks, path):
    """(x - zero) * multiplier / 2^shift + zero, rounded, cut off at the ends of the type of the result."""
    multiplier, shift = 1518500250, 31
    for source, from_, target, to in [(8, True, 8, False), (8, False, 8, True), (8, True, 16, False), (16, True, 8, False), (16, False, 8, True),
                                      (16, False, 16, True)]:  # the others are forbidden
        zeros = [(7 if from_ else -7) if source == 8 else 32768 - 65536 if from_ and source == 16 else 0,
                 (200 - 256 if to else -5) if target == 8 else 32768 - 65536 if to and target == 16 else 0]
        constants = "".join(f'%{name} = "tosa.const"() <{{values = dense<{value}> : tensor<1x{t}>}}> : () -> tensor<1x{t}>\n' for name, value, t in (
            ("m", multiplier, "i32"), ("s", shift, "i8"), ("a", zeros[0], f"i{source}"), ("b", zeros[1], f"i{target}")))
        result = f"tensor<?x?xi{target}>"
        path.write_text(f"func.func @main(%x: tensor<?x?xi{source}>) -> {result} {{\n{constants}%r = tosa.rescale %x, %m, %s, %a, %b "
                        f"{{input_unsigned = {str(from_).lower()}, output_unsigned = {str(to).lower()}, per_channel = false, rounding_mode = SINGLE_ROUND, "
                        f"scale32 = true}} : (tensor<?x?xi{source}>, tensor<1xi32>, tensor<1xi8>, tensor<1xi{source}>, tensor<1xi{target}>) -> {result}\n"
                        f"return %r : {result}\n}}\n")
        calls = [draw(shape, source, 1) for shape in SHAPES]
        what = f"rescale {'u' if from_ else 'i'}{source} to {'u' if to else 'i'}{target}"
        run = symrun.run(path, [[x] for x in calls])
        if not checks.ran(run, len(calls), what):
            continue
        zero, end = ((z % (1 << width) if is_unsigned else z) for z, width, is_unsigned in ((zeros[0], source, from_), (zeros[1], target, to)))
        kind = WIDTHS[target][to]
        for x, (got,) in zip(calls, run.results, strict=True):
            numbers = (x.view(WIDTHS[source][1]) if from_ else x).astype(object) - zero
            want = np.array([[min(max(((int(v) * multiplier + (1 << shift - 1)) >> shift) + end, int(np.iinfo(kind).min)), int(np.iinfo(kind).max))
                              for v in row] for row in numbers], kind).reshape(x.shape)
            checks.that(np.array_equal(got.view(kind), want), f"{what} {x.shape}", f"{got.view(kind)}\n{want}")


def main():
    checks, widths = Checks(), [int(argument) for argument in sys.argv[1:]] or list(WIDTHS)
    with tempfile.TemporaryDirectory(prefix="unsigned") as folder:
        check_orders(checks, Path(folder) / "m.mlir", widths)
        check_rescales(checks, Path(folder) / "m.mlir")
    assert checks.made >= len(SHAPES) * (len(widths) * len(OPS) + 6), checks.made
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
