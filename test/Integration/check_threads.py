# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs programs of Inputs/kernels.mlir on 1, 2 and 3 threads: the same bits.

Extents are those of check_kernels.py and larger ones, so that loops are handed
out; with two threads once more under --guard-pages. A failure in a loop's body is
the same refusal on any number of threads.
"""

import sys
import tempfile
from pathlib import Path

import numpy as np

import check_kernels
import symrun
from checking import Checks

LARGE = {
    "matmul": [(200, 300, 500), (500, 300, 20), (1, 2000, 1000)],
    "matmul_i32": [(100, 200, 300)],
    "batch_matmul": [(7, 60, 70, 80)],
    "matmul_transposed": [(100, 200, 300)],
    "attention": [(6, 300, 200)],
    "softmax": [(500, 300), (3, 40000)],
    "functions": [(50000,)],
    "projection": [(2000,)],
    "column_sums": [(700, 333)],
    "largest": [(400, 1001, True)],
    "transpose": [(30, 100, 110)],
    "convolution": [(2, 60, 50)],
    "pooling": [(2, 90, 100)],
}
OPTIONS = [["--threads=1"], ["--threads=2"], ["--threads=3"], ["--threads=2", "--guard-pages"]]
POSITIVE = """
#rc = affine_map<(r, c) -> (r, c)>
func.func @main(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %r = linalg.generic {indexing_maps = [#rc, #rc], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%v: f32, %out: f32):
    %ok = arith.cmpf oge, %v, %zero : f32
    cf.assert %ok, "expected no negative number"
    %0 = math.sqrt %v : f32
    linalg.yield %0 : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
"""


def same_bits(checks, folder, name, text):
    shapes, _, oracle = check_kernels.KERNELS[name]
    rng = np.random.default_rng(1)
    made = [oracle(rng, *shape) for shape in [*shapes, *LARGE[name]]]
    calls = [inputs for inputs, _ in made]
    path = folder / f"{name}.mlir"
    path.write_text(text)
    runs = [symrun.run(path, calls, results=len(made[0][1]), options=options) for options in OPTIONS]
    for run in runs:
        checks.ran(run, len(calls), name)
        for number, (one, many) in enumerate(zip(runs[0].results, run.results)):
            same = all(a.shape == b.shape and a.tobytes() == b.tobytes() for a, b in zip(one, many))
            checks.that(same, f"{name}, call {number}: the bits do not depend on the threads")


def same_refusal(checks, folder):
    path = folder / "positive.mlir"
    path.write_text(POSITIVE)
    x = np.ones((300, 1000), np.float32)
    bad = x.copy()
    bad[299, 999] = -1
    for options in OPTIONS:
        checks.ran(symrun.run(path, [[x]], options=options), 1, "no negative number")
        run = symrun.run(path, [[bad]], options=options)
        checks.refused(run, ["expected no negative number"], f"a negative number, {options}")


def main():
    checks = Checks()
    texts = check_kernels.programs()
    with tempfile.TemporaryDirectory() as folder:
        for name in LARGE:
            same_bits(checks, Path(folder), name, texts[name])
        same_refusal(checks, Path(folder))
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
