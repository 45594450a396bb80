# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Networks with open extents, in the way torch-mlir writes them, beside NumPy.

    check_open_extents.py NAME...

Extents of windows are arithmetic on i64 behind `tensor.dim`; views compute their
extents from numbers of elements. Each network runs at empty, single, odd and
large extents, with and without declared ranges, with and without a memory plan;
and its plan has every temporary buffer in the arena, at its exact size.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import symrun
from checking import Checks

INFINITY = "0xFF800000"


class Net:
    """A function that is written layer by layer, and computed beside it."""

    def __init__(self, spatial, channels):
        self.spatial, self.channels = spatial, channels
        self.lines, self.steps, self.next = [], [], 0
        self.value, self.rng = "%x", np.random.default_rng(5)

    def emit(self, text):
        self.next += 1
        self.lines.append(f"  %v{self.next} = {text}")
        return f"%v{self.next}"

    def integer(self, value):
        return self.emit(f"arith.constant {value} : i64")

    def type(self, channels=None):
        return f"tensor<?x{channels or self.channels}x{'?x' * self.spatial}f32>"

    def extent(self, value, type_, axis):
        at = self.emit(f"arith.constant {axis} : index")
        return self.emit(f"tensor.dim {value}, {at} : {type_}")

    def window(self, kernel, stride, pad, ceil=False):
        """The extents of what windows give: getOutputDimForConvOps."""
        result = [self.extent(self.value, self.type(), 0)]
        one, step = self.integer(1), self.integer(stride)
        for axis in range(2, 2 + self.spatial):
            size = self.emit(f"arith.index_cast {self.extent(self.value, self.type(), axis)} : index to i64")
            grown = self.emit(f"arith.addi {size}, {self.integer(2 * pad)} : i64")
            reach = self.emit(f"arith.subi {grown}, {self.integer(kernel - 1)} : i64")
            whole = self.emit(f"arith.subi {reach}, {one} : i64")
            count = self.emit(f"arith.{'ceil' if ceil else 'floor'}divsi {whole}, {step} : i64")
            out = self.emit(f"arith.addi {count}, {one} : i64")
            if ceil:  # no window begins behind the input
                start = self.emit(f"arith.muli {count}, {step} : i64")
                end = self.emit(f"arith.addi {size}, {self.integer(pad)} : i64")
                behind = self.emit(f"arith.cmpi sge, {start}, {end} : i64")
                out = self.emit(f"arith.select {behind}, {count}, {out} : i64")
            result.append(self.emit(f"arith.index_cast {out} : i64 to index"))
        return result

    def padded(self, pad, more, value):
        low = ", ".join(["0", "0"] + [str(pad)] * self.spatial)
        high = ", ".join(["0", "0"] + [str(pad + more)] * self.spatial)
        at = self.emit(f"arith.constant {value} : f32")
        args = ", ".join(f"%p{i}: index" for i in range(2 + self.spatial))
        return self.emit(f"tensor.pad {self.value} low[{low}] high[{high}] {{\n  ^bb0({args}):\n"
                         f"    tensor.yield {at} : f32\n  }} : {self.type()} to {self.type()}")

    def filled(self, extents, channels, value):
        at = self.emit(f"arith.constant {value} : f32")
        empty = self.emit(f"tensor.empty({', '.join(extents)}) : {self.type(channels)}")
        return self.emit(f"linalg.fill ins({at} : f32) outs({empty} : {self.type(channels)}) -> {self.type(channels)}")

    def windowed(self, op, filter_, filter_type, channels, kernel, stride, pad, ceil, border, start):
        extents = self.window(kernel, stride, pad, ceil)
        source = self.padded(pad, stride - 1 if ceil else 0, border)
        init = self.filled(extents, channels, start)
        vector = f"vector<{self.spatial}xi64>"
        before = self.type()
        self.value = self.emit(
            f"linalg.{op} {{dilations = dense<1> : {vector}, strides = dense<{stride}> : {vector}}} "
            f"ins({source}, {filter_} : {before}, {filter_type}) outs({init} : {self.type(channels)}) "
            f"-> {self.type(channels)}")
        self.channels = channels

    def max_pool(self, kernel, stride, pad, ceil=False):
        shape = f"tensor<{'x'.join([str(kernel)] * self.spatial)}xf32>"
        empty = self.emit(f"tensor.empty() : {shape}")
        self.windowed(f"pooling_nc{'hw' if self.spatial == 2 else 'w'}_max", empty, shape, self.channels, kernel,
                      stride, pad, ceil, INFINITY, INFINITY)
        self.steps.append(lambda x: windows(x, kernel, stride, pad, ceil, -np.inf).max(axis=2))
        return self

    def conv(self, channels, kernel, stride, pad):
        w = (self.rng.integers(-2, 3, (channels, self.channels) + (kernel,) * self.spatial) / 4).astype(np.float32)
        shape = f"tensor<{'x'.join(map(str, w.shape))}xf32>"
        at = self.emit(f"arith.constant dense<{json.dumps(w.tolist())}> : {shape}")
        op = "conv_2d_nchw_fchw" if self.spatial == 2 else "conv_1d_ncw_fcw"
        self.windowed(op, at, shape, channels, kernel, stride, pad, False, 0.0, 0.0)
        flat = w.reshape(channels, w.shape[1], -1)
        self.steps.append(lambda x: np.einsum("nck...,fck->nf...", windows(x, kernel, stride, pad, False, 0), flat))
        return self

    def relu(self):
        extents = [self.extent(self.value, self.type(), d) for d in [0, *range(2, 2 + self.spatial)]]
        empty = self.emit(f"tensor.empty({', '.join(extents)}) : {self.type()}")
        zero = self.emit("arith.constant 0.0 : f32")
        dims = ", ".join(f"d{i}" for i in range(2 + self.spatial))
        one_map = f"affine_map<({dims}) -> ({dims})>"
        kinds = ", ".join(['"parallel"'] * (2 + self.spatial))
        self.value = self.emit(
            f"linalg.generic {{indexing_maps = [{one_map}, {one_map}], iterator_types = [{kinds}]}} "
            f"ins({self.value} : {self.type()}) outs({empty} : {self.type()}) {{\n  ^bb0(%a: f32, %o: f32):\n"
            f"    %g = arith.cmpf ugt, %a, {zero} : f32\n    %s = arith.select %g, %a, {zero} : f32\n"
            f"    linalg.yield %s : f32\n  }} -> {self.type()}")
        self.steps.append(lambda x: np.maximum(x, 0))
        return self

    def program(self, declared):
        letters = ["B", "H", "W"][:1 + self.spatial]
        first = f"tensor<?x3x{'?x' * self.spatial}f32>"
        argument = f"%x: {first}"
        head = ""
        if declared:
            names = ", ".join([letters[0], "3", *letters[1:]])
            argument += f" {{symshape.shape = #symshape.shape<[{names}]>}}"
            symbols = ", ".join(f'#symshape.symbol<"{s}", range = [0, 8192]>' for s in letters)
            head = f" attributes {{symshape.symbols = [{symbols}]}}"
        body = "\n".join(self.lines)
        return (f"func.func @main({argument}) -> {self.type()}{head} {{\n{body}\n"
                f"  return {self.value} : {self.type()}\n}}\n")

    def expected(self, x):
        for step in self.steps:
            x = step(x.astype(np.float64))
        return x


def windows(x, kernel, stride, pad, ceil, border):
    """[N, C, kernel elements, ...]: what each window sees; None where an extent is negative."""
    spatial = x.ndim - 2
    counts = []
    for size in x.shape[2:]:
        whole = size + 2 * pad - kernel
        count = (-(-whole // stride) if ceil else whole // stride) + 1
        if ceil and (count - 1) * stride >= size + pad:
            count -= 1
        if count < 0:
            raise ValueError("negative extent")
        counts.append(count)
    more = stride - 1 if ceil else 0
    x = np.pad(x, [(0, 0)] * 2 + [(pad, pad + more)] * spatial, constant_values=border)
    parts = []
    for at in np.ndindex(*(kernel,) * spatial):
        parts.append(x[(slice(None), slice(None)) + tuple(
            slice(a, a + (n - 1) * stride + 1 if n else a, stride) for a, n in zip(at, counts))])
    return np.stack(parts, axis=2)


NETS = {
    "pools": lambda: Net(2, 3).max_pool(3, 2, 1).max_pool(3, 2, 1).relu().max_pool(3, 2, 1).relu(),
    "ceil": lambda: Net(2, 3).max_pool(3, 2, 1, True).relu().max_pool(2, 2, 0, True).relu(),
    "stem": lambda: Net(2, 3).conv(4, 7, 2, 3).relu().max_pool(3, 2, 1).conv(4, 3, 1, 1).relu()
                             .conv(6, 3, 2, 1).relu().conv(6, 1, 2, 0).relu(),
    "deep": lambda: Net(2, 3).conv(4, 3, 1, 1).relu().max_pool(2, 2, 0).conv(5, 3, 1, 1).relu().max_pool(2, 2, 0)
                             .conv(5, 3, 1, 1).relu().max_pool(2, 2, 0).relu(),
    "audio": lambda: Net(1, 3).conv(4, 10, 5, 0).relu().conv(4, 3, 2, 0).relu().conv(4, 3, 2, 0).relu()
                              .conv(5, 2, 2, 0).relu(),
}

SIZES = {2: [(0, 8, 8), (1, 0, 9), (1, 1, 1), (2, 2, 5), (1, 7, 3), (2, 33, 46), (1, 61, 200)],
         1: [(0, 40), (1, 0), (1, 1), (2, 9), (1, 37), (2, 400), (1, 5003)]}


def check_network(checks, name, folder):
    net = NETS[name]()
    rng = np.random.default_rng(3)
    inputs = [rng.integers(-4, 5, (s[0], 3) + s[1:]).astype(np.float32) / 4 for s in SIZES[net.spatial]]
    served, refused = [], []
    for x in inputs:
        try:
            with np.errstate(invalid="ignore"):
                served.append((x, net.expected(x)))
        except ValueError:
            refused.append(x)
    for declared in (False, True):
        path = folder / f"{name}{declared}.mlir"
        path.write_text(net.program(declared))
        check_plan(checks, path, declared, net.spatial)
        option = "--plan-memory=off" if declared else "--plan-memory=on"
        what = f"{name}, declared {declared}, {option}"
        run = symrun.run(path, [[x] for x, _ in served], options=[option])
        if checks.ran(run, len(served), what):
            for (x, right), (actual,) in zip(served, run.results):
                checks.close(actual, right, 1e-3, f"{what} at {x.shape}")
        for x in refused[:1]:
            checks.refused(symrun.run(path, [[x]], options=[option]), [], f"{what} at {x.shape}")


def check_plan(checks, path, declared, spatial):
    """Every temporary buffer lies in the arena, and none is larger than it is."""
    names = ["B", "H", "W"] if declared else ["s0", "s1", "s2"]
    shape = [f"--shape={' '.join(f'{n}=50' for n in names[:1 + spatial])}"]
    done = subprocess.run(["symshape-report", str(path), "--format=json", *shape], capture_output=True, text=True)
    if not checks.that(done.returncode == 0, f"{path.name}: reported", done.stderr):
        return
    for function in json.loads(done.stdout)["functions"]:
        memory = function["memory"]
        for buffer in memory["heap"]:
            checks.that("return" in buffer["reason"], f"{path.name}: in the arena", str(buffer))
        for buffer in memory["buffers"]:
            checks.that("reserved" not in buffer, f"{path.name}: exact", str(buffer))
        checks.that(len(memory["buffers"]) >= 2, f"{path.name}: two buffers or more")
        size = memory["evaluated"]["arena"]
        checks.that(0 < size <= 4 * 50 * 64 * 60 ** spatial, f"{path.name}: an arena of moderate size", str(size))


CROSS = """
func.func @main(%q: tensor<?x8x?x8xf32>, %k: tensor<?x8x?x8xf32>) -> tensor<?x8x?x?xf32> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : i64
  %zero = arith.constant 0.0 : f32
  %b = tensor.dim %q, %c0 : tensor<?x8x?x8xf32>
  %t = tensor.dim %q, %c2 : tensor<?x8x?x8xf32>
  %s = tensor.dim %k, %c2 : tensor<?x8x?x8xf32>
  %bi = arith.index_cast %b : index to i64
  %ti = arith.index_cast %t : index to i64
  %si = arith.index_cast %s : index to i64
  %q3 = tensor.collapse_shape %q [[0, 1], [2], [3]] : tensor<?x8x?x8xf32> into tensor<?x?x8xf32>
  %k3 = tensor.collapse_shape %k [[0, 1], [2], [3]] : tensor<?x8x?x8xf32> into tensor<?x?x8xf32>
  %b8 = arith.muli %bi, %c8 : i64
  %b8x = arith.index_cast %b8 : i64 to index
  %ke = tensor.empty(%b8x, %s) : tensor<?x8x?xf32>
  %kt = linalg.transpose ins(%k3 : tensor<?x?x8xf32>) outs(%ke : tensor<?x8x?xf32>) permutation = [0, 2, 1]
  %e = tensor.empty(%b8x, %t, %s) : tensor<?x?x?xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %scores = linalg.batch_matmul ins(%q3, %kt : tensor<?x?x8xf32>, tensor<?x8x?xf32>)
      outs(%z : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  PRODUCTS
  %ratio = arith.divui %all, %part : i64
  %shape = tensor.from_elements %bi, %ratio, %ti, %si : tensor<4xi64>
  %v = tensor.reshape %scores(%shape) : (tensor<?x?x?xf32>, tensor<4xi64>) -> tensor<?x?x?x?xf32>
  %r = tensor.cast %v : tensor<?x?x?x?xf32> to tensor<?x8x?x?xf32>
  %e2 = tensor.empty(%b, %t, %s) : tensor<?x8x?x?xf32>
  %x = linalg.exp ins(%r : tensor<?x8x?x?xf32>) outs(%e2 : tensor<?x8x?x?xf32>) -> tensor<?x8x?x?xf32>
  %y = linalg.add ins(%x, %r : tensor<?x8x?x?xf32>, tensor<?x8x?x?xf32>)
      outs(%e2 : tensor<?x8x?x?xf32>) -> tensor<?x8x?x?xf32>
  return %y : tensor<?x8x?x?xf32>
}
"""

# The second begins with a product that no tensor has, and that may wrap.
PRODUCTS = ["""%0 = arith.muli %b8, %ti : i64
  %all = arith.muli %0, %si : i64
  %2 = arith.muli %bi, %ti : i64
  %part = arith.muli %2, %si : i64""", """%0 = arith.muli %ti, %si : i64
  %all = arith.muli %b8, %0 : i64
  %part = arith.muli %0, %bi : i64"""]


def check_cross_attention(checks, folder):
    """What is asked of B*S*T, of two arguments, is asked at entry: nothing in the body."""
    rng = np.random.default_rng(4)
    for number, products in enumerate(PRODUCTS):
        path = folder / f"cross{number}.mlir"
        path.write_text(CROSS.replace("PRODUCTS", products))
        calls = [[rng.integers(-2, 3, (b, 8, n, 8)).astype(np.float32) / 8 for n in (t, s)]
                 for b, t, s in ((1, 1, 1), (2, 3, 5), (1, 17, 40), (3, 64, 9))]
        run = symrun.run(path, calls)
        if checks.ran(run, len(calls), path.name):
            for (q, k), (actual,) in zip(calls, run.results):
                scores = q.astype(np.float64) @ k.transpose(0, 1, 3, 2)
                checks.close(actual, np.exp(scores) + scores, 1e-4, f"{path.name} at {q.shape}, {k.shape}")
        done = subprocess.run(["symshape-opt", str(path), "--symshape-insert-guards"], capture_output=True, text=True)
        checks.that(done.returncode == 0, f"{path.name}: guards", done.stderr)
        # Numbers of the guard function and of its calls aside, the body has no check.
        body = done.stdout[done.stdout.index("tensor.collapse_shape"):]
        checks.that("symshape.fail" not in body, f"{path.name}: no check in the body", body)


def main():
    checks = Checks()
    with tempfile.TemporaryDirectory(prefix="extents") as folder:
        for name in sys.argv[1:]:
            if name == "cross":
                check_cross_attention(checks, Path(folder))
            else:
                check_network(checks, name, Path(folder))
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
