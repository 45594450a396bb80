# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gather and scatter of rows, truncation and padding, and the gradient of a layer.

Rows of 384 floats beside loops in C (loops.c), `memcpy` of the same bytes and NumPy;
the gradient of an encoder layer of the demo model beside the layer.
"""

import ctypes
import re
import subprocess

import numpy as np
import symshape_c

import program
from contest import Group, Ratio, aligned

OURS, C_LOOP, MEMCPY, NUMPY = "symshape", "C loop", "memcpy", "NumPy"
WIDTH, TABLE_ROWS, ROWS = 384, 1_000_000, 16_384
SCATTER_ROWS = 10_000  # of the result; each is written several times
TRUNCATED = [(ROWS, ROWS // 2), (1000, 333)]
GRADIENT_SHAPES = [(1, 16), (1, 128), (8, 128)]

ROW_NUMBERS = """
      {{{window} = array<i64: 1>, {absent} = array<i64: 0>,
       {axes} = array<i64: 0>, index_vector_dim = 1 : i64}}"""
GATHER = f"""func.func @main(%table: tensor<?x{WIDTH}xf32>, %rows: tensor<?xi64>) -> tensor<?x{WIDTH}xf32> {{
  %r = symshape.gather clip %table[%rows] slice_sizes [1, {WIDTH}]{ROW_NUMBERS.format(
      window='offset_dims', absent='collapsed_slice_dims', axes='start_index_map')}
      : tensor<?x{WIDTH}xf32>[tensor<?xi64>] to tensor<?x{WIDTH}xf32>
  return %r : tensor<?x{WIDTH}xf32>
}}
"""
SCATTER = f"""func.func @main(%updates: tensor<?x{WIDTH}xf32>, %rows: tensor<?xi64>, %size: index) -> tensor<?x{WIDTH}xf32> {{
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty(%size) : tensor<?x{WIDTH}xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%e : tensor<?x{WIDTH}xf32>) -> tensor<?x{WIDTH}xf32>
  %r = symshape.scatter add drop %updates into %zeros[%rows]{ROW_NUMBERS.format(
      window='update_window_dims', absent='inserted_window_dims', axes='scatter_dims_to_operand_dims')}
      : tensor<?x{WIDTH}xf32> into tensor<?x{WIDTH}xf32>[tensor<?xi64>]
  return %r : tensor<?x{WIDTH}xf32>
}}
"""
TRUNCATE = f"""func.func @main(%x: tensor<?x{WIDTH}xf32>, %n: index) -> tensor<?x{WIDTH}xf32> {{
  %r = symshape.dynamic_truncate %x, %n axis 0 : tensor<?x{WIDTH}xf32> to tensor<?x{WIDTH}xf32>
  return %r : tensor<?x{WIDTH}xf32>
}}
"""
PAD = f"""func.func @main(%x: tensor<?x{WIDTH}xf32>, %n: index) -> tensor<?x{WIDTH}xf32> {{
  %r = symshape.pad_to_match %x, %n axis 0 : tensor<?x{WIDTH}xf32> to tensor<?x{WIDTH}xf32>
  return %r : tensor<?x{WIDTH}xf32>
}}
"""


class CLoop:
    """A call of one of the loops, which writes `output`."""

    def __init__(self, function, output, *arguments):
        self.function, self.output = function, output
        self.kept = arguments
        self.arguments = [a.ctypes.data_as(ctypes.c_void_p) if isinstance(a, np.ndarray) else ctypes.c_int64(a)
                          for a in (output, *arguments)]

    def __call__(self):
        self.function(*self.arguments)


class TensorOps:
    def __init__(self, bench):
        self.bench = bench
        self.rng = np.random.default_rng(0)
        self.loops = ctypes.CDLL(str(bench.build / "lib" / "libSymShapeBenchLoops.so"))

    def add(self, group, label, call, loop, numpy, num_bytes):
        """An entry; `num_bytes` are read and written once by any of them."""
        half = np.ones(num_bytes // 8, np.float32)
        target = np.empty_like(half)
        contestants = {OURS: call, C_LOOP: loop, MEMCPY: lambda: np.copyto(target, half), NUMPY: numpy}
        row = self.bench.entry(group, label, contestants)
        row["GB/s"] = {name: num_bytes / us / 1e3 for name, us in row["us"].items()}
        row["remark"] = "GB/s: " + ", ".join(f"{name} {rate:.1f}" for name, rate in row["GB/s"].items())
        if not np.allclose(call.results()[0], loop.output, atol=1e-3):
            row["remark"] = "DIFFERS; " + row["remark"]

    def gather(self):
        group = Group(f"rows of {WIDTH} floats gathered from {TABLE_ROWS} rows", [Ratio(OURS, C_LOOP, None, 0.8)])
        table = np.zeros((TABLE_ROWS, WIDTH), np.float32)
        table[:] = np.arange(TABLE_ROWS)[:, None]
        compiled = self.bench.compile("gather-rows", GATHER)
        for label, indices in (("random", self.rng.integers(0, TABLE_ROWS, ROWS)),
                               ("sorted", np.sort(self.rng.integers(0, TABLE_ROWS, ROWS)))):
            output = aligned(np.empty((ROWS, WIDTH), np.float32))
            out = np.empty_like(output)
            loop = CLoop(self.loops.gather_rows, output, table, indices, ROWS, WIDTH)
            self.add(group, f"{ROWS}, {label}", symshape_c.Call(compiled, [table, indices]), loop,
                     lambda: np.take(table, indices, axis=0, out=out, mode="clip"), 8 * ROWS * WIDTH)
        return group

    def scatter(self):
        group = Group(f"rows of {WIDTH} floats added to {SCATTER_ROWS} rows of zeros",
                      [Ratio(OURS, C_LOOP, None, 0.5)])
        compiled = self.bench.compile("scatter-rows", SCATTER)
        updates = aligned(self.rng.standard_normal((8 * ROWS, WIDTH), np.float32))
        for label, indices in (("random", self.rng.integers(0, SCATTER_ROWS, len(updates))),
                               ("sorted", np.sort(self.rng.integers(0, SCATTER_ROWS, len(updates))))):
            output, out = (np.empty((SCATTER_ROWS, WIDTH), np.float32) for _ in range(2))
            loop = CLoop(self.loops.scatter_add_rows, output, updates, indices, len(updates), WIDTH, SCATTER_ROWS)

            def add_at():
                out.fill(0)
                np.add.at(out, indices, updates)

            self.add(group, f"{len(updates)}, {label}",
                     symshape_c.Call(compiled, [updates, indices, np.int64(SCATTER_ROWS)]), loop, add_at,
                     4 * WIDTH * (3 * len(updates) + SCATTER_ROWS))
        return group

    def truncate_and_pad(self):
        group = Group(f"rows of {WIDTH} floats truncated, and padded", [Ratio(OURS, MEMCPY, None, 0.9)])
        truncate, pad = self.bench.compile("truncate-rows", TRUNCATE), self.bench.compile("pad-rows", PAD)
        for rows, kept in TRUNCATED:
            x = aligned(self.rng.standard_normal((rows, WIDTH), np.float32))
            output = np.empty((kept, WIDTH), np.float32)
            out = np.empty_like(output)
            self.add(group, f"{rows} to {kept}", symshape_c.Call(truncate, [x, np.int64(kept)]),
                     CLoop(self.loops.pad_rows, output, x, kept, WIDTH, kept),
                     lambda: np.copyto(out, x[:kept]), 8 * kept * WIDTH)
            source, padded = aligned(x[:kept]), np.empty((rows, WIDTH), np.float32)

            def pad_by_numpy():
                padded[:kept] = source
                padded[kept:] = 0

            self.add(group, f"{kept} to {rows}", symshape_c.Call(pad, [source, np.int64(rows)]),
                     CLoop(self.loops.pad_rows, np.empty_like(x), source, kept, WIDTH, rows), pad_by_numpy,
                     4 * WIDTH * (kept + rows))
        return group

    def gradient(self):
        group = Group("an encoder layer of the demo model: its gradient by all arguments, and itself",
                      [Ratio("gradient", "layer", None, 0.25)])
        path = self.bench.out / "layer.mlir"
        path.write_text(program.functions())
        done = subprocess.run([self.bench.build / "bin" / "symshape-opt", path, "--symshape-vjp=function=layer"],
                              capture_output=True, text=True, check=True)
        layer, gradient = (self.bench.compile(f"layer-{name}", re.sub(rf"func.func private (@{name}\()",
                                                                      r"func.func \1", done.stdout), entry=name)
                           for name in ("layer", "layer.vjp"))
        weights = [np.float32(0.05) * self.rng.standard_normal(program.shape_of(type_), np.float32)
                   for _, type_, _ in program.LAYER_WEIGHTS]
        for batch, length in GRADIENT_SHAPES:
            x, cotangent = (self.rng.standard_normal((batch, length, WIDTH), np.float32) for _ in range(2))
            inputs = [x, np.zeros((batch, length), np.float32), *weights]
            self.bench.entry(group, f"{batch} x {length}", {
                "gradient": symshape_c.Call(gradient, [*inputs, cotangent]), "layer": symshape_c.Call(layer, inputs)})
        return group


def groups(bench):
    ops = TensorOps(bench)
    return [ops.gather(), ops.scatter(), ops.truncate_and_pad(), ops.gradient()]
