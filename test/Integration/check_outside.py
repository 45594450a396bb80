# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs as people write them who do not know symshape, beside NumPy.

    check_outside.py [NAME]...

Affine loops and branches that carry tensors, packing and its inverse, a recurrent network
step by step, buffers that are written to and read, views whose strides are values.
"""

import sys

import numpy as np

import symrun
from checking import Groups

test = Groups()
F = np.float32


class Runner:
    def __init__(self, checks, folder):
        self.checks, self.path = checks, f"{folder}/program.mlir"

    def equal(self, what, text, calls, expected, options=("--guard-pages",), tolerance=0):
        """`expected` of each call: its results."""
        with open(self.path, "w") as file:
            file.write(text)
        run = symrun.run(self.path, calls, results=len(expected[0]), options=list(options))
        if not self.checks.ran(run, len(calls), what):
            return
        for number, (seen, wanted) in enumerate(zip(run.results, expected)):
            for k, (a, b) in enumerate(zip(seen, wanted)):
                self.checks.close(np.asarray(a), np.asarray(b), tolerance, f"{what}: call {number}, result {k}")


@test
def affine_loops(runner):
    """A loop and a branch in it, with an index beside the tensor, and a map of the counter."""
    text = """
#half = affine_map<(d0)[s0] -> (d0 floordiv 2 + s0)>
#inside = affine_set<(d0)[s0] : (s0 - d0 - 1 >= 0)>
func.func @main(%t: tensor<?xf32>, %n: index) -> (tensor<?xf32>, index) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f32
  %e = tensor.dim %t, %c0 : tensor<?xf32>
  %r:2 = affine.for %i = 0 to %e step 2 iter_args(%a = %t, %k = %c0) -> (tensor<?xf32>, index) {
    %x = tensor.extract %a[%i] : tensor<?xf32>
    %y = arith.addf %x, %one : f32
    %j = affine.apply #half(%i)[%n]
    %b = affine.if #inside(%j)[%e] -> tensor<?xf32> {
      %z = tensor.insert %y into %a[%j] : tensor<?xf32>
      affine.yield %z : tensor<?xf32>
    } else {
      affine.yield %a : tensor<?xf32>
    }
    affine.yield %b, %j : tensor<?xf32>, index
  }
  return %r#0, %r#1 : tensor<?xf32>, index
}
"""
    calls, expected = [], []
    for size in (0, 1, 2, 7):
        for shift in (0, 2):
            t = np.arange(size, dtype=F) * 10
            a, last = t.copy(), 0
            for i in range(0, size, 2):
                last = i // 2 + shift
                if last < size:
                    a[last] = a[i] + 1
            calls.append([t, np.int64(shift)])
            expected.append([a, np.int64(last)])
    runner.equal("an affine loop", text, calls, expected)


@test
def affine_loops_of_extents(runner):
    """Extents that a loop makes and that branches choose; a loop in a loop; bounds that round up."""
    text = """
#up = affine_map<()[s0] -> (s0 ceildiv 3)>
#few = affine_set<()[s0] : (3 - s0 >= 0)>
func.func @main(%t: tensor<?x2xf32>) -> (tensor<?x2xf32>, tensor<?x2xf32>) {
  %c0 = arith.constant 0 : index
  %e = tensor.dim %t, %c0 : tensor<?x2xf32>
  %few = affine.if #few()[%e] -> tensor<?x2xf32> {
    %two = tensor.concat dim(0) %t, %t : (tensor<?x2xf32>, tensor<?x2xf32>) -> tensor<?x2xf32>
    affine.yield %two : tensor<?x2xf32>
  } else {
    affine.yield %t : tensor<?x2xf32>
  }
  %grown = affine.for %i = 0 to #up()[%e] iter_args(%a = %t) -> (tensor<?x2xf32>) {
    %b = affine.for %j = 0 to 2 iter_args(%c = %a) -> (tensor<?x2xf32>) {
      %d = tensor.concat dim(0) %c, %t : (tensor<?x2xf32>, tensor<?x2xf32>) -> tensor<?x2xf32>
      affine.yield %d : tensor<?x2xf32>
    }
    affine.yield %b : tensor<?x2xf32>
  }
  return %few, %grown : tensor<?x2xf32>, tensor<?x2xf32>
}
"""
    calls, expected = [], []
    for size in (0, 1, 3, 4):
        t = np.arange(2 * size, dtype=F).reshape(size, 2)
        calls.append([t])
        expected.append([np.concatenate([t, t]) if size <= 3 else t,
                         np.concatenate([t] * (1 + 2 * -(-size // 3)))])
    runner.equal("affine loops that grow", text, calls, expected)


@test
def packing(runner):
    """A tensor packed, turned, and unpacked again: the same one, whatever its extents."""
    def program(outer, positions, perm):
        counts = ["%na", "%mb"]
        made = ", ".join([counts[d] for d in outer])
        turned = ", ".join([counts[outer[perm[d]]] for d in range(2)])
        tiles = [[4, 8][d] for d in positions]
        again = [tiles[perm[2 + d] - 2] for d in range(2)]
        packed = f"tensor<?x?x{tiles[0]}x{tiles[1]}xf32>"
        last = f"tensor<?x?x{again[0]}x{again[1]}xf32>"
        there = [positions[p - 2] for p in perm[2:]]
        order = [outer[p] for p in perm[:2]]
        return f"""
func.func @main(%t: tensor<?x?xf32>, %p: f32) -> (tensor<?x?xf32>, {packed}) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %n = tensor.dim %t, %c0 : tensor<?x?xf32>
  %m = tensor.dim %t, %c1 : tensor<?x?xf32>
  %na = arith.ceildivui %n, %c4 : index
  %mb = arith.ceildivui %m, %c8 : index
  %e = tensor.empty({made}) : {packed}
  %k = linalg.pack %t padding_value(%p : f32) outer_dims_perm = {outer} inner_dims_pos = {positions}
    inner_tiles = {tiles} into %e : tensor<?x?xf32> -> {packed}
  %te = tensor.empty({turned}) : {last}
  %tr = linalg.transpose ins(%k : {packed}) outs(%te : {last}) permutation = {perm}
  %o = tensor.empty(%n, %m) : tensor<?x?xf32>
  %u = linalg.unpack %tr outer_dims_perm = {order} inner_dims_pos = {there} inner_tiles = {again}
    into %o : {last} -> tensor<?x?xf32>
  return %u, %k : tensor<?x?xf32>, {packed}
}}
"""
    def pack(t, outer, positions, padding):
        n, m = -(-t.shape[0] // 4), -(-t.shape[1] // 8)
        full = np.full((4 * n, 8 * m), padding, F)
        full[:t.shape[0], :t.shape[1]] = t
        tiles = full.reshape(n, 4, m, 8).transpose(0, 2, 1, 3)
        return tiles.transpose([*outer, *[2 + d for d in positions]])

    for outer, positions, perm in (([0, 1], [0, 1], [0, 1, 2, 3]), ([1, 0], [1, 0], [1, 0, 3, 2]),
                                   ([0, 1], [1, 0], [1, 0, 2, 3]), ([1, 0], [0, 1], [0, 1, 3, 2])):
        calls, expected = [], []
        for shape in ((0, 3), (1, 1), (4, 8), (5, 17), (3, 0)):
            t = np.arange(np.prod(shape), dtype=F).reshape(shape) + 1
            calls.append([t, F(-7)])
            expected.append([t, pack(t, outer, positions, -7)])
        runner.equal(f"packs {outer}, {positions}, turned by {perm}", program(outer, positions, perm), calls,
                     expected, options=())


@test
def packing_in_chains(runner):
    """Packs before and behind transpositions and elementwise ops; tiles of 1; small elements."""
    def tiles(t, size):
        count = -(-t.shape[0] // size)
        whole = np.zeros((count * size,) + t.shape[1:], t.dtype)
        whole[:t.shape[0]] = t
        return whole.reshape((count, size) + t.shape[1:])

    for name, dtype, zero in (("i8", np.int8, "0 : i8"), ("i1", np.bool_, "false"), ("f16", np.float16, "0.0 : f16")):
        text = """
func.func @main(%t: tensor<?x?xT>) -> tensor<3x?x?xT> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %z = arith.constant ZERO
  %n = tensor.dim %t, %c0 : tensor<?x?xT>
  %m = tensor.dim %t, %c1 : tensor<?x?xT>
  %k = arith.ceildivui %n, %c3 : index
  %e = tensor.empty(%k, %m) : tensor<?x?x3xT>
  %p = linalg.pack %t padding_value(%z : T) inner_dims_pos = [0] inner_tiles = [3] into %e
    : tensor<?x?xT> -> tensor<?x?x3xT>
  %f = tensor.empty(%k, %m) : tensor<3x?x?xT>
  %q = linalg.transpose ins(%p : tensor<?x?x3xT>) outs(%f : tensor<3x?x?xT>) permutation = [2, 0, 1]
  return %q : tensor<3x?x?xT>
}
""".replace("xT>", f"x{name}>").replace(": T)", f": {name})").replace("ZERO", zero)
        inputs = [(np.arange(n * m) % 100).reshape(n, m).astype(dtype) for n, m in ((0, 3), (1, 1), (3, 2), (7, 5))]
        runner.equal(f"a pack of {name}, turned", text, [[t] for t in inputs],
                     [[tiles(t, 3).transpose(1, 0, 2)] for t in inputs])

    text = """
func.func @main(%t: tensor<?x?x?xf32>) -> tensor<?x?x?x1x2xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %z = arith.constant 0.0 : f32
  %a = tensor.dim %t, %c0 : tensor<?x?x?xf32>
  %b = tensor.dim %t, %c1 : tensor<?x?x?xf32>
  %c = tensor.dim %t, %c2 : tensor<?x?x?xf32>
  %f = tensor.empty(%c, %a, %b) : tensor<?x?x?xf32>
  %q = linalg.transpose ins(%t : tensor<?x?x?xf32>) outs(%f : tensor<?x?x?xf32>) permutation = [2, 0, 1]
  %k = arith.ceildivui %a, %c2 : index
  %e = tensor.empty(%b, %k, %c) : tensor<?x?x?x1x2xf32>
  %p = linalg.pack %q padding_value(%z : f32) outer_dims_perm = [2, 1, 0] inner_dims_pos = [2, 1]
    inner_tiles = [1, 2] into %e : tensor<?x?x?xf32> -> tensor<?x?x?x1x2xf32>
  return %p : tensor<?x?x?x1x2xf32>
}
"""
    inputs = [np.arange(np.prod(s), dtype=F).reshape(s) + 1 for s in ((0, 1, 2), (1, 1, 1), (3, 2, 5), (2, 0, 3))]
    runner.equal("a pack of what was turned, by tiles of 1", text, [[t] for t in inputs],
                 [[tiles(t, 2)[..., None].transpose(2, 0, 3, 4, 1)] for t in inputs])

    text = """
func.func @main(%t: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %z = arith.constant 0.0 : f32
  %n = tensor.dim %t, %c0 : tensor<?xf32>
  %k = arith.ceildivui %n, %c8 : index
  %e = tensor.empty(%k) : tensor<?x8xf32>
  %p = linalg.pack %t padding_value(%z : f32) inner_dims_pos = [0] inner_tiles = [8] into %e
    : tensor<?xf32> -> tensor<?x8xf32>
  %r = linalg.negf ins(%p : tensor<?x8xf32>) outs(%e : tensor<?x8xf32>) -> tensor<?x8xf32>
  %o = tensor.empty(%n) : tensor<?xf32>
  %u = linalg.unpack %r inner_dims_pos = [0] inner_tiles = [8] into %o : tensor<?x8xf32> -> tensor<?xf32>
  return %u : tensor<?xf32>
}
"""
    inputs = [np.arange(n, dtype=F) for n in (0, 1, 8, 9, 31)]
    runner.equal("elementwise between packs", text, [[t] for t in inputs], [[-t] for t in inputs])


@test
def unpacking(runner):
    """Tiles of sizes that are arguments, of which the last are cut off."""
    text = """
func.func @main(%t: tensor<?x?x?x?xf32>, %d: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %a = tensor.dim %t, %c2 : tensor<?x?x?x?xf32>
  %b = tensor.dim %t, %c3 : tensor<?x?x?x?xf32>
  %u = linalg.unpack %t inner_dims_pos = [1, 0] inner_tiles = [%a, %b] into %d
    : tensor<?x?x?x?xf32> -> tensor<?x?xf32>
  return %u : tensor<?x?xf32>
}
"""
    calls, expected = [], []
    for counts, tiles, shape in (((2, 3), (4, 5), (9, 11)), ((1, 1), (1, 1), (1, 1)), ((2, 1), (2, 3), (4, 2)),
                                 ((0, 2), (2, 2), (0, 3))):
        t = np.arange(np.prod(counts) * np.prod(tiles), dtype=F).reshape(*counts, *tiles)
        whole = t.transpose(0, 3, 1, 2).reshape(counts[0] * tiles[1], counts[1] * tiles[0])
        calls.append([t, np.zeros(shape, F)])
        expected.append([whole[:shape[0], :shape[1]]])
    runner.equal("tiles of any size", text, calls, expected)


@test
def recurrent(runner):
    """Steps of an LSTM in a loop on i64, as exporters write it: states, and an output that grows."""
    gates = "\n    ".join([f"%g{k} = tensor.extract_slice %g[0, {3 * k}] [%b, 3] [1, 1] : "
                           "tensor<?x12xf32> to tensor<?x3xf32>" for k in range(4)])
    text = f"""
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @main(%x: tensor<?x?x4xf32>, %h0: tensor<?x3xf32>, %s0: tensor<?x3xf32>, %w: tensor<7x12xf32>)
    -> (tensor<?x?x3xf32>, tensor<?x3xf32>, tensor<?x3xf32>) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %first = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %zero = arith.constant 0.0 : f32
  %b = tensor.dim %x, %c1 : tensor<?x?x4xf32>
  %steps = tensor.dim %x, %c0 : tensor<?x?x4xf32>
  %count = arith.index_cast %steps : index to i64
  %none = tensor.empty(%c0, %b) : tensor<?x?x3xf32>
  %r:4 = scf.while (%i = %first, %h = %h0, %s = %s0, %out = %none)
      : (i64, tensor<?x3xf32>, tensor<?x3xf32>, tensor<?x?x3xf32>)
      -> (i64, tensor<?x3xf32>, tensor<?x3xf32>, tensor<?x?x3xf32>) {{
    %more = arith.cmpi slt, %i, %count : i64
    scf.condition(%more) %i, %h, %s, %out : i64, tensor<?x3xf32>, tensor<?x3xf32>, tensor<?x?x3xf32>
  }} do {{
  ^bb0(%i: i64, %h: tensor<?x3xf32>, %s: tensor<?x3xf32>, %out: tensor<?x?x3xf32>):
    %at = arith.index_cast %i : i64 to index
    %xt = tensor.extract_slice %x[%at, 0, 0] [1, %b, 4] [1, 1, 1] : tensor<?x?x4xf32> to tensor<?x4xf32>
    %xh = tensor.concat dim(1) %xt, %h : (tensor<?x4xf32>, tensor<?x3xf32>) -> tensor<?x7xf32>
    %e = tensor.empty(%b) : tensor<?x12xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x12xf32>) -> tensor<?x12xf32>
    %g = linalg.matmul ins(%xh, %w : tensor<?x7xf32>, tensor<7x12xf32>) outs(%f : tensor<?x12xf32>)
      -> tensor<?x12xf32>
    {gates}
    %e3 = tensor.empty(%b) : tensor<?x3xf32>
    %sn = linalg.generic {{indexing_maps = [#id, #id, #id, #id, #id], iterator_types = ["parallel", "parallel"]}}
        ins(%g0, %g1, %g2, %s : tensor<?x3xf32>, tensor<?x3xf32>, tensor<?x3xf32>, tensor<?x3xf32>)
        outs(%e3 : tensor<?x3xf32>) {{
    ^bb0(%a0: f32, %a1: f32, %a2: f32, %a3: f32, %o: f32):
      %t0 = math.tanh %a0 : f32
      %t1 = math.tanh %a1 : f32
      %t2 = math.tanh %a2 : f32
      %m0 = arith.mulf %t0, %t2 : f32
      %m1 = arith.mulf %t1, %a3 : f32
      %sum = arith.addf %m0, %m1 : f32
      linalg.yield %sum : f32
    }} -> tensor<?x3xf32>
    %hn = linalg.generic {{indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}}
        ins(%g3, %sn : tensor<?x3xf32>, tensor<?x3xf32>) outs(%e3 : tensor<?x3xf32>) {{
    ^bb0(%a0: f32, %a1: f32, %o: f32):
      %t0 = math.tanh %a0 : f32
      %t1 = math.tanh %a1 : f32
      %m0 = arith.mulf %t0, %t1 : f32
      linalg.yield %m0 : f32
    }} -> tensor<?x3xf32>
    %row = tensor.expand_shape %hn [[0, 1], [2]] output_shape [1, %b, 3] : tensor<?x3xf32> into tensor<1x?x3xf32>
    %all = tensor.concat dim(0) %out, %row : (tensor<?x?x3xf32>, tensor<1x?x3xf32>) -> tensor<?x?x3xf32>
    %next = arith.addi %i, %one : i64
    scf.yield %next, %hn, %sn, %all : i64, tensor<?x3xf32>, tensor<?x3xf32>, tensor<?x?x3xf32>
  }}
  return %r#3, %r#1, %r#2 : tensor<?x?x3xf32>, tensor<?x3xf32>, tensor<?x3xf32>
}}
"""
    rng = np.random.default_rng(0)
    weights = rng.standard_normal((7, 12)).astype(F)
    calls, expected = [], []
    for steps, batch in ((0, 2), (1, 1), (3, 5), (5, 0), (7, 3)):
        x, h, s = [rng.standard_normal(shape).astype(F) for shape in ((steps, batch, 4), (batch, 3), (batch, 3))]
        calls.append([x, h, s, weights])
        out = np.zeros((0, batch, 3), F)
        for t in range(steps):
            a, b, c, d = np.split(np.concatenate([x[t], h], 1) @ weights, 4, 1)
            s = np.tanh(a) * np.tanh(c) + np.tanh(b) * s
            h = np.tanh(d) * np.tanh(s)
            out = np.concatenate([out, h[None]])
        expected.append([out, h, s])
    runner.equal("an LSTM", text, calls, expected, tolerance=1e-5)


@test
def buffers_written(runner):
    """What is read of a buffer is what was written to it last, not what the tensor held."""
    text = """
func.func @main(%t: tensor<?xf32>, %i: index, %v: f32) -> (f32, f32, f32, f32) {
  %c0 = arith.constant 0 : index
  %m = bufferization.to_buffer %t : tensor<?xf32> to memref<?xf32>
  %before = memref.load %m[%c0] : memref<?xf32>
  memref.store %v, %m[%i] : memref<?xf32>
  %behind = memref.load %m[%c0] : memref<?xf32>
  %there = memref.load %m[%i] : memref<?xf32>
  %r = bufferization.to_buffer %t read_only : tensor<?xf32> to memref<?xf32>
  %old = memref.load %r[%i] : memref<?xf32>
  return %before, %behind, %there, %old : f32, f32, f32, f32
}
"""
    calls, expected = [], []
    for size, i in ((1, 0), (5, 0), (5, 3)):
        t = np.arange(size, dtype=F) + 10
        calls.append([t, np.int64(i), F(-1)])
        expected.append([t[0], F(-1) if i == 0 else t[0], F(-1), t[i]])
    runner.equal("a buffer that is written to", text, calls, expected)


@test
def strides_of_values(runner):
    """A view of the type of its source, with another stride; slices of it."""
    text = """
func.func @main(%t: tensor<12xf32>, %s: index) -> (f32, f32, tensor<4xf32>) {
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %m = bufferization.to_buffer %t : tensor<12xf32> to memref<12xf32>
  %a = memref.reinterpret_cast %m to offset: [0], sizes: [4], strides: [%c1]
    : memref<12xf32> to memref<4xf32, strided<[?]>>
  %b = memref.reinterpret_cast %a to offset: [0], sizes: [4], strides: [%s]
    : memref<4xf32, strided<[?]>> to memref<4xf32, strided<[?]>>
  %x = memref.load %a[%c3] : memref<4xf32, strided<[?]>>
  %y = memref.load %b[%c3] : memref<4xf32, strided<[?]>>
  %r = bufferization.to_tensor %b restrict : memref<4xf32, strided<[?]>> to tensor<4xf32>
  return %x, %y, %r : f32, f32, tensor<4xf32>
}
"""
    t = np.arange(12, dtype=F)
    calls = [[t, np.int64(s)] for s in (0, 1, 2, 3)]
    runner.equal("strides that are values", text, calls,
                 [[t[3], t[3 * s], t[np.arange(4) * s]] for s in (0, 1, 2, 3)])


@test
def empty_groups(runner):
    """Dimensions of which one is 0 by a constant, made one, and put before others."""
    text = """
func.func @main(%t: tensor<?x?xf32>, %n: index) -> (tensor<?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %s = tensor.extract_slice %t[0, 0] [%c0, %n] [1, 1] : tensor<?x?xf32> to tensor<?x?xf32>
  %c = tensor.collapse_shape %s [[0, 1]] : tensor<?x?xf32> into tensor<?xf32>
  %d = tensor.collapse_shape %t [[0, 1]] : tensor<?x?xf32> into tensor<?xf32>
  %r = tensor.concat dim(0) %c, %d : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %c, %r : tensor<?xf32>, tensor<?xf32>
}
"""
    calls, expected = [], []
    for rows, columns, n in ((0, 0, 0), (1, 1, 1), (3, 2, 2), (4, 3, 0)):
        t = np.arange(rows * columns, dtype=F).reshape(rows, columns)
        calls.append([t, np.int64(n)])
        expected.append([np.zeros(0, F), t.reshape(-1)])
    runner.equal("an empty group", text, calls, expected)


if __name__ == "__main__":
    sys.exit(test.run(sys.argv[1:], Runner))
