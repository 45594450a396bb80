# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sums of bf16 and f16 that no program writes out are formed in f32, along whatever axis.

    check_sums.py [ROWS]

Each op runs on numbers of the small type and is compared with f64: it may be
off by half a unit in the last place, and by what f32 adds to that. What a
program writes out in the small type stays so: a sum of 5000 ones is 2048 (f16)
or 256 (bf16). Sums of a million terms in f32 are off by a few units; on a GPU,
where a thread still adds up all terms of a column, by some hundreds.
"""

import os
import sys
import tempfile
from pathlib import Path

import numpy as np

import symrun
from checking import Checks

MANY = 1_000_000
UNITS = 512 if "nvvm" in os.environ.get("SYMRUN_OPTIONS", "") else 16
DIGITS = {"f16": (10, -14), "bf16": (7, -126)}


def softmax(x, axis):
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


def tosa_reduce(op, axis):
    shape = "1x?" if axis == 0 else "?x1"
    return f"%v = tosa.{op} %h {{axis = {axis} : i32}} : (tensor<?x?xS>) -> tensor<{shape}xS>", f"tensor<{shape}x"


def linalg_softmax(axis):
    return (f"%e = tensor.empty(%n, %m) : tensor<?x?xS>\n"
            f"  %v = linalg.softmax dimension({axis}) ins(%h : tensor<?x?xS>) outs(%e : tensor<?x?xS>) -> tensor<?x?xS>",
            "tensor<?x?x")


def cumsum(axis, reverse=""):
    return f"%v = symshape.cumsum %h axis {axis} {reverse} : tensor<?x?xS>", "tensor<?x?x"


POOL = """%image = tensor.expand_shape %h [[0], [1, 2, 3]] output_shape [%n, %m, 1, 1] : tensor<?x?xS> into tensor<?x?x1x1xS>
  %w = tensor.empty() : tensor<1x1xS>
  %z = arith.constant 0.0 : S
  %k = tensor.empty(%m) : tensor<?x1xS>
  %d = tensor.empty(%n) : tensor<?x1x1x1xS>
  %i = linalg.fill ins(%z : S) outs(%d : tensor<?x1x1x1xS>) -> tensor<?x1x1x1xS>
  %v = linalg.pooling_nhwc_sum ins(%image, %k : tensor<?x?x1x1xS>, tensor<?x1xS>) outs(%i : tensor<?x1x1x1xS>) -> tensor<?x1x1x1xS>"""
AVERAGE = """%row = tensor.extract_slice %h[0, 0] [1, 60] [1, 1] : tensor<?x?xS> to tensor<1x60xS>
  %image = tensor.expand_shape %row [[0], [1, 2, 3]] output_shape [1, 60, 1, 1] : tensor<1x60xS> into tensor<1x60x1x1xS>
  %zp = "tosa.const"() {values = dense<0.0> : tensor<1xS>} : () -> tensor<1xS>
  %v = tosa.avg_pool2d %image, %zp, %zp {acc_type = ACC, kernel = array<i64: 60, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<1x60x1x1xS>, tensor<1xS>, tensor<1xS>) -> tensor<1x1x1x1xS>"""
SCATTER = """%zero = arith.constant 0.0 : S
  %e = tensor.empty(%m) : tensor<?xS>
  %t = linalg.fill ins(%zero : S) outs(%e : tensor<?xS>) -> tensor<?xS>
  %t1 = tensor.expand_shape %t [[0, 1]] output_shape [1, %m] : tensor<?xS> into tensor<1x?xS>
  %f = tensor.empty(%n) : tensor<?x1xi64>
  %c = arith.constant 0 : i64
  %at = linalg.fill ins(%c : i64) outs(%f : tensor<?x1xi64>) -> tensor<?x1xi64>
  %v = symshape.scatter add promise_in_bounds %h into %t1[%at] {update_window_dims = array<i64: 1>, inserted_window_dims = array<i64: 0>, scatter_dims_to_operand_dims = array<i64: 0>, operand_batching_dims = array<i64>, scatter_indices_batching_dims = array<i64>, index_vector_dim = 1 : i64} : tensor<?x?xS> into tensor<1x?xS>[tensor<?x1xi64>]"""

#: name: (text that makes %v of %h and its extents %n and %m, its type without element, what NumPy makes of x)
CASES = {
    "tosa sum 0": (*tosa_reduce("reduce_sum", 0), lambda x: x.sum(0, keepdims=True)),
    "tosa sum 1": (*tosa_reduce("reduce_sum", 1), lambda x: x.sum(1, keepdims=True)),
    "tosa product 0": (*tosa_reduce("reduce_product", 0), lambda x: x.prod(0, keepdims=True)),
    "tosa product 1": (*tosa_reduce("reduce_product", 1), lambda x: x.prod(1, keepdims=True)),
    "tosa sigmoid": ("%v = tosa.sigmoid %h : (tensor<?x?xS>) -> tensor<?x?xS>", "tensor<?x?x",
                     lambda x: 1 / (1 + np.exp(-x))),
    "softmax 0": (*linalg_softmax(0), lambda x: softmax(x, 0)),
    "softmax 1": (*linalg_softmax(1), lambda x: softmax(x, 1)),
    "cumsum 0": (*cumsum(0), lambda x: np.cumsum(x, 0)),
    "cumsum 1": (*cumsum(1), lambda x: np.cumsum(x, 1)),
    "cumsum 1 reverse": (*cumsum(1, "reverse"), lambda x: np.cumsum(x[:, ::-1], 1)[:, ::-1]),
    "pool": (POOL, "tensor<?x1x1x1x", lambda x: x.sum(1).reshape(-1, 1, 1, 1)),
    "average": (AVERAGE, "tensor<1x1x1x1x", lambda x: x[:1, :60].mean(1).reshape(1, 1, 1, 1)),
    "scatter": (SCATTER, "tensor<1x?x", lambda x: x.sum(0, keepdims=True)),
}


def program(text, prefix, kind):
    acc = "f16" if kind == "f16" else "f32"
    text = text.replace("xS", f"x{kind}").replace(": S", f": {kind}").replace("ACC", acc)
    x, r, narrow, widen = "%h", "%v", "", ""
    if kind in DIGITS:
        x, narrow = "%x", f"%h = arith.truncf %x : tensor<?x?xf32> to tensor<?x?x{kind}>"
        r, widen = "%r", f"%r = arith.extf %v : {prefix}{kind}> to {prefix}f32>"
    return f"""func.func @main({x}: tensor<?x?xf32>) -> {prefix}f32> {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim {x}, %c0 : tensor<?x?xf32>
  %m = tensor.dim {x}, %c1 : tensor<?x?xf32>
  {narrow}
  {text}
  {widen}
  return {r} : {prefix}f32>
}}
"""


WRITTEN = """%z = arith.constant 0.0 : S
  %e = tensor.empty(%m) : tensor<?xS>
  %i = linalg.fill ins(%z : S) outs(%e : tensor<?xS>) -> tensor<?xS>
  %v = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>], iterator_types = ["reduction", "parallel"]}
      ins(%h : tensor<?x?xS>) outs(%i : tensor<?xS>) {
  ^bb0(%a: S, %o: S):
    %s = arith.addf %o, %a : S
    linalg.yield %s : S
  } -> tensor<?xS>"""


def unit_of(x, small):
    digits, least = DIGITS[small]
    return 2.0 ** (np.maximum(np.frexp(x)[1] - 1, least) - digits)


def check_many_terms(checks, path, random, what):
    """One by one, a sum of terms of nearly one size would be off by hundreds of units."""
    text, prefix, f = (WRITTEN, "tensor<?x", lambda x: x.sum(0)) if what == "sum" else CASES[what]
    path.write_text(program(text, prefix, "f32"))
    x = random.uniform(0.9, 1.1, (MANY, 2)).astype(np.float32)
    run = symrun.run(path, [[x]])
    if checks.ran(run, 1, f"f32 {what} of {MANY} terms"):
        want = f(x.astype(np.float64))
        off = np.abs(run.results[0][0] - want).max() / (want.max() * np.finfo(np.float32).eps)
        checks.that(off < UNITS, f"f32 {what} of {MANY} terms", f"  off by {off} units")


def main():
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    random, checks = np.random.default_rng(4), Checks()
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "program.mlir"
        for small in DIGITS:
            for what, (text, prefix, f) in CASES.items():
                inputs = []
                for shape in [(rows, 61), (2, 60 + rows), (1, 60)]:
                    x = random.uniform(0.9, 1.1, shape)
                    unit = unit_of(x, small)
                    inputs.append((np.rint(x / unit) * unit).astype(np.float32))
                path.write_text(program(text, prefix, small))
                run = symrun.run(path, [[x] for x in inputs])
                if not checks.ran(run, len(inputs), f"{small} {what}"):
                    continue
                for x, (got,) in zip(inputs, run.results, strict=True):
                    want = f(x.astype(np.float64))
                    off = np.abs(got - want) - 0.5 * unit_of(want, small) - 1e-5 * np.abs(want)
                    checks.that(got.shape == want.shape and (off <= 0).all(), f"{small} {what} {x.shape}",
                                f"  off by {off.max()} more than half a unit")
            path.write_text(program(WRITTEN, "tensor<?x", small))
            run = symrun.run(path, [[np.ones((5000, 2), np.float32)]])
            if checks.ran(run, 1, f"{small} as written"):
                ends = 2048 if small == "f16" else 256
                checks.that((run.results[0][0] == ends).all(), f"{small} as written")
        for what in ("sum", "softmax 0"):
            check_many_terms(checks, path, random, what)
    assert checks.made >= 2 * (5 * len(CASES) + 3), checks.made
    sys.exit(checks.finish())


if __name__ == "__main__":
    main()
