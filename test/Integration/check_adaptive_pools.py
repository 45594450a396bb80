# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pools of windows that follow from the extents, in the way torch-mlir writes them, beside NumPy.

    check_adaptive_pools.py [NAME]...

Output i of n along an extent h is of the elements from i*h floordiv n to (i+1)*h
ceildiv n: how many, no extent says. The loop goes over the most there are, reads a
padded input, and leaves out what is behind the window.
"""

import sys

import numpy as np

import symrun
from checking import Groups

test = Groups()
F = np.float32
SHAPES = [(1, 1, 1, 1), (2, 3, 7, 7), (1, 2, 13, 9), (1, 1, 224, 31), (0, 2, 5, 5), (2, 0, 4, 4), (1, 1, 5, 1)]


class Runner:
    def __init__(self, checks, folder):
        self.checks, self.path = checks, f"{folder}/program.mlir"

    def equal(self, what, text, counts, reduce):
        rng = np.random.default_rng(0)
        calls = [[rng.standard_normal(shape).astype(F)] for shape in SHAPES]
        with open(self.path, "w") as file:
            file.write(text)
        run = symrun.run(self.path, calls, options=["--guard-pages"])
        if not self.checks.ran(run, len(calls), what):
            return
        for (x,), (seen,) in zip(calls, run.results):
            self.checks.close(seen, pool(x, counts, reduce), 1e-6, f"{what} of {x.shape}")


def pool(x, counts, reduce):
    result = np.zeros(x.shape[:2] + counts, F)
    parts = [[slice(i * h // n, -(-(i + 1) * h // n)) for i in range(n)] for n, h in zip(counts, x.shape[2:])]
    for i, rows in enumerate(parts[0]):
        for j, columns in enumerate(parts[1]):
            result[:, :, i, j] = reduce(x[:, :, rows, columns].astype(np.float64), axis=(2, 3))
    return result


def axis(d, count):
    """The extent of axis `d`, and the most elements of a window along it."""
    return f"""
  %at{d} = arith.constant {d} : index
  %count{d} = arith.constant {count} : index
  %h{d} = tensor.dim %x, %at{d} : tensor<?x?x?x?xf32>
  %before{d} = arith.subi %h{d}, %c1 : index
  %most{d} = arith.floordivsi %before{d}, %count{d} : index
  %k{d} = arith.addi %most{d}, %c2 : index"""


def window(d, rounding):
    """Where the window of the output at the counter of loop `d` begins, and ends."""
    ends = {"floor": f"""
    %last{d} = arith.subi %next{d}, %c1 : index
    %whole{d} = arith.floordivsi %last{d}, %count{d} : index
    %end{d} = arith.addi %whole{d}, %c1 : index""", "ceil": f"""
    %end{d} = arith.ceildivsi %next{d}, %count{d} : index"""}
    return f"""
    %o{d} = linalg.index {d} : index
    %from{d} = arith.muli %o{d}, %h{d} : index
    %begin{d} = arith.floordivsi %from{d}, %count{d} : index
    %o1{d} = arith.addi %o{d}, %c1 : index
    %next{d} = arith.muli %o1{d}, %h{d} : index{ends[rounding]}"""


def program(counts, init, combine, finish, rounding):
    out = f"tensor<?x?x{counts[0]}x{counts[1]}xf32>"
    return f"""
#out = affine_map<(n, c, i, j, k, l) -> (n, c, i, j)>
#window = affine_map<(n, c, i, j, k, l) -> (k, l)>
#id = affine_map<(n, c, i, j) -> (n, c, i, j)>
func.func @main(%x: tensor<?x?x?x?xf32>) -> {out} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %init = arith.constant {init} : f32
  %n = tensor.dim %x, %c0 : tensor<?x?x?x?xf32>
  %c = tensor.dim %x, %c1 : tensor<?x?x?x?xf32>{axis(2, counts[0])}{axis(3, counts[1])}
  %padded = tensor.pad %x low[0, 0, 0, 0] high[0, 0, 1, 1] {{
  ^bb0(%i0: index, %i1: index, %i2: index, %i3: index):
    tensor.yield %init : f32
  }} : tensor<?x?x?x?xf32> to tensor<?x?x?x?xf32>
  %e = tensor.empty(%n, %c) : {out}
  %f = linalg.fill ins(%init : f32) outs(%e : {out}) -> {out}
  %w = tensor.empty(%k2, %k3) : tensor<?x?xf32>
  %s = linalg.generic {{indexing_maps = [#window, #out],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}}
      ins(%w : tensor<?x?xf32>) outs(%f : {out}) {{
  ^bb0(%unused: f32, %sum: f32):
    %on = linalg.index 0 : index
    %oc = linalg.index 1 : index
    %ok = linalg.index 4 : index
    %ol = linalg.index 5 : index{window(2, rounding)}{window(3, rounding)}
    %p = arith.addi %begin2, %ok : index
    %q = arith.addi %begin3, %ol : index
    %v = tensor.extract %padded[%on, %oc, %p, %q] : tensor<?x?x?x?xf32>
    %in2 = arith.cmpi slt, %p, %end2 : index
    %in3 = arith.cmpi slt, %q, %end3 : index
    %in = arith.andi %in2, %in3 : i1
    %part = arith.select %in, %v, %init : f32
    %r = arith.{combine} %sum, %part : f32
    linalg.yield %r : f32
  }} -> {out}
  %m = linalg.generic {{indexing_maps = [#id, #id],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}} ins(%s : {out}) outs(%e : {out}) {{
  ^bb0(%v: f32, %o: f32):{window(2, rounding)}{window(3, rounding)}
    %a = arith.subi %end2, %begin2 : index
    %b = arith.subi %end3, %begin3 : index
    %ab = arith.muli %a, %b : index
    %number = arith.index_cast %ab : index to i64
    %many = arith.sitofp %number : i64 to f32
    %mean = arith.divf %v, %many : f32
    linalg.yield {finish} : f32
  }} -> {out}
  return %m : {out}
}}
"""


@test
def averages(runner):
    for counts in ((1, 1), (2, 3)):
        runner.equal(f"means of {counts}", program(counts, "0.0", "addf", "%mean", "floor"), counts, np.mean)


@test
def largest(runner):
    runner.equal("maxima", program((3, 2), "0xFF800000", "maximumf", "%v", "ceil"), (3, 2), np.max)


if __name__ == "__main__":
    sys.exit(test.run(sys.argv[1:], Runner))
