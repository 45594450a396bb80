# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs programs of Inputs/kernels.mlir on 1, 2 and 3 threads: the same bits.

Extents are those of check_kernels.py, of which the larger ones hand loops out, and
results are compared with NumPy as well; with two threads once more under --guard-pages. A failure in a loop's body is
the same refusal on any number of threads.
"""

import sys
import tempfile
from pathlib import Path

import numpy as np

import check_kernels
import symrun
from checking import Checks

PROGRAMS = ["matmul", "matmul_i32", "batch_matmul", "matmul_transposed", "attention", "softmax", "functions",
            "projection", "column_sums", "largest", "transpose", "convolution", "pooling"]
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
    shapes, tolerance, oracle = check_kernels.KERNELS[name]
    rng = np.random.default_rng(1)
    made = [oracle(rng, *shape) for shape in shapes]
    calls = [inputs for inputs, _ in made]
    path = folder / f"{name}.mlir"
    path.write_text(text)
    runs = [symrun.run(path, calls, results=len(made[0][1]), options=options) for options in OPTIONS]
    if checks.ran(runs[0], len(calls), name):
        for shape, (_, expected), actual in zip(shapes, made, runs[0].results):
            for one, two in zip(actual, expected):
                checks.near(one, two, tolerance, f"{name} at {shape}")
    for run in runs[1:]:
        if not checks.ran(run, len(calls), name):
            continue
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
        for name in PROGRAMS:
            same_bits(checks, Path(folder), name, texts[name])
        same_refusal(checks, Path(folder))
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
