# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small programs that do different things for extents of 0, or refuse them, each with NumPy's answer.

`PROGRAMS` has for each name the arguments and their extents, letters or numbers; the body, in which
%M is the extent M and M2 the type of a matrix of open extents; the type of the result; and a
function of the arrays, which gives the result, or None where a call must be refused.
"""

import re

import numpy as np

import window_cases

WORDS = {"M1": "tensor<?xf32>", "M2": "tensor<?x?xf32>", "M3": "tensor<?x?x?xf32>"}
PROGRAMS = {}


def program(name, arguments, body, result, expected):
    assert name not in PROGRAMS
    PROGRAMS[name] = {key: value.split() for key, value in arguments.items()}, body, result, expected


def type_of(dims):
    return "tensor<" + "".join(f"{d}x" if d.isdigit() else "?x" for d in dims) + "f32>"


def text_of(name):
    """The program as MLIR, with one function, @main; its signature is one line."""
    arguments, body, result, _ = PROGRAMS[name]
    lines = [f"  %c{n} = arith.constant {n} : index" for n in range(5)]
    lines += ["  %zero = arith.constant 0.0 : f32", "  %one = arith.constant 1.0 : f32"]
    seen = set()
    for argument, dims in arguments.items():
        for d, letter in enumerate(dims):
            if not letter.isdigit() and letter not in seen:
                lines.append(f"  %{letter} = tensor.dim %{argument}, %c{d} : {type_of(dims)}")
                seen.add(letter)
    signature = ", ".join(f"%{argument}: {type_of(dims)}" for argument, dims in arguments.items())
    text = f"func.func @main({signature}) -> {result} {{\n" + "\n".join(lines) + body + f"  return %r : {result}\n}}\n"
    return re.sub(r"\bM[123]\b", lambda word: WORDS[word[0]], text)


def slices(name, offset, size, step, expected):
    program(f"slice, {name}", {"x": "M N"}, f"""
  %k = affine.apply affine_map<()[s] -> ({size})>()[%M]
  %p = tensor.extract_slice %x[{offset}, 0] [%k, %N] [{step}, 1] : M2 to M2
  %r = arith.addf %p, %p : M2
""", "M2", expected)


slices("all", 0, "s", 1, lambda x: 2 * x)
slices("behind the first", 1, "s - 1", 1, lambda x: 2 * x[1:] if len(x) else None)
slices("nothing, at the end", "%M", "s - s", 1, lambda x: x[:0])
slices("nothing, at 2", 2, "0", 1, lambda x: x[:0] if len(x) >= 2 else None)
slices("every other", 0, "(s + 1) floordiv 2", 2, lambda x: 2 * x[::2])
slices("every third, from 1", 1, "(s + 1) floordiv 3", 3, lambda x: 2 * x[1::3])
slices("two", 0, "2", 1, lambda x: 2 * x[:2] if len(x) >= 2 else None)


def insertions(name, offset, step, expected):
    program(f"insertion, {name}", {"x": "M N", "y": "P N"}, f"""
  %p = tensor.insert_slice %y into %x[{offset}, 0] [%P, %N] [{step}, 1] : M2 into M2
  %r = arith.addf %p, %p : M2
""", "M2", expected)


def put(begin, step):
    def expected(x, y):
        last = begin + (len(y) - 1) * step
        # Steps other than 1 leave it open where a part without elements begins.
        beyond = begin > len(x) and step == 1 if not len(y) else last >= len(x)
        if x.shape[1] != y.shape[1] or beyond:
            return None
        x = x.copy()
        x[begin:begin + len(y) * step:step] = y
        return 2 * x
    return expected


insertions("at 0", 0, 1, put(0, 1))
insertions("at 1", 1, 1, put(1, 1))
insertions("at 1, every other", 1, 2, put(1, 2))

TILES = """affine_map<()[s] -> (s ceildiv {})>()[{}]"""
program("tiles and back", {"x": "M N"}, f"""
  %m = affine.apply {TILES.format(8, '%M')}
  %n = affine.apply {TILES.format(4, '%N')}
  %e = tensor.empty(%n, %m) : tensor<?x?x4x8xf32>
  %p = linalg.pack %x padding_value(%zero : f32) outer_dims_perm = [1, 0] inner_dims_pos = [1, 0]
    inner_tiles = [4, 8] into %e : M2 -> tensor<?x?x4x8xf32>
  %r = linalg.unpack %p outer_dims_perm = [1, 0] inner_dims_pos = [1, 0] inner_tiles = [4, 8] into %x
    : tensor<?x?x4x8xf32> -> M2
""", "M2", lambda x: x)
program("tiles", {"x": "M N"}, f"""
  %m = affine.apply {TILES.format(2, '%M')}
  %e = tensor.empty(%m, %N) : tensor<?x?x2xf32>
  %r = linalg.pack %x padding_value(%one : f32) inner_dims_pos = [0] inner_tiles = [2] into %e
    : M2 -> tensor<?x?x2xf32>
""", "tensor<?x?x2xf32>", lambda x: np.pad(x, [(0, len(x) % 2), (0, 0)], constant_values=1).reshape(
    -(-len(x) // 2), 2, x.shape[1]).transpose(0, 2, 1))
program("from tiles", {"x": "M N 2"}, """
  %m = affine.apply affine_map<()[s] -> (s * 2)>()[%M]
  %e = tensor.empty(%m, %N) : M2
  %r = linalg.unpack %x inner_dims_pos = [0] inner_tiles = [2] into %e : tensor<?x?x2xf32> -> M2
""", "M2", lambda x: x.transpose(0, 2, 1).reshape(2 * len(x), x.shape[1]))


def tiled(x, tile):
    """Rows in tiles, the last one filled up with 1."""
    if not tile:
        return None
    return np.pad(x, [(0, -len(x) % tile), (0, 0)], constant_values=1).reshape(
        -(-len(x) // tile), tile, x.shape[1]).transpose(0, 2, 1)


def tiles(name, tile, arguments, expected):
    program(f"tiles of {name}", arguments, f"""
  %safe = arith.maxsi %{tile}, %c1 : index
  %m = arith.ceildivui %M, %safe : index
  %e = tensor.empty(%m, %N, %{tile}) : M3
  %r = linalg.pack %x padding_value(%one : f32) inner_dims_pos = [0] inner_tiles = [%{tile}] into %e : M2 -> M3
""", "M3", expected)


tiles("a constant among values", "c2", {"x": "M N"}, lambda x: tiled(x, 2))
tiles("an extent", "T", {"x": "M N", "y": "T"}, lambda x, y: tiled(x, len(y)))
program("from tiles of an extent", {"x": "M N T"}, """
  %m = arith.muli %M, %T : index
  %e = tensor.empty(%m, %N) : M2
  %r = linalg.unpack %x inner_dims_pos = [0] inner_tiles = [%T] into %e : M3 -> M2
""", "M2", lambda x: x.transpose(0, 2, 1).reshape(x.shape[2] * len(x), x.shape[1]) if x.shape[2] else None)

program("reversed", {"x": "M N"}, """
  %e = tensor.empty(%M, %N) : M2
  %r = linalg.generic {indexing_maps = [affine_map<(a, b) -> (a, b)>],
      iterator_types = ["parallel", "parallel"]} outs(%e : M2) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %last = arith.subi %M, %c1 : index
    %k = arith.subi %last, %i : index
    %v = tensor.extract %x[%k, %j] : M2
    linalg.yield %v : f32
  } -> M2
""", "M2", lambda x: x[::-1])
program("reversed by tosa", {"x": "M N"}, """
  %p = tosa.reverse %x {axis = 1 : i32} : (M2) -> M2
  %r = arith.addf %p, %p : M2
""", "M2", lambda x: 2 * x[:, ::-1])
program("reversed by a map", {"x": "M", "y": "K"}, """
  %r = linalg.generic {indexing_maps = [affine_map<(a) -> (2 - a)>, affine_map<(a) -> (a)>],
      iterator_types = ["parallel"]} ins(%x : M1) outs(%y : M1) {
  ^bb0(%i: f32, %o: f32):
    %v = arith.addf %i, %o : f32
    linalg.yield %v : f32
  } -> M1
""", "M1", lambda x, y: y if not len(y) else x[2 - np.arange(len(y))] + y if len(x) >= 3 and len(y) <= 3 else None)
program("each twice", {"x": "M N"}, """
  %m = affine.apply affine_map<()[s] -> (s * 2)>()[%M]
  %e = tensor.empty(%m, %N) : M2
  %r = linalg.generic {indexing_maps = [affine_map<(a, b) -> (a floordiv 2, b)>, affine_map<(a, b) -> (a, b)>],
      iterator_types = ["parallel", "parallel"]} ins(%x : M2) outs(%e : M2) {
  ^bb0(%i: f32, %o: f32):
    %v = arith.negf %i : f32
    linalg.yield %v : f32
  } -> M2
""", "M2", lambda x: -x.repeat(2, 0))
program("the first row", {"x": "M N"}, """
  %e = tensor.empty(%N) : M1
  %r = linalg.generic {indexing_maps = [affine_map<(a) -> (0, a)>, affine_map<(a) -> (a)>],
      iterator_types = ["parallel"]} ins(%x : M2) outs(%e : M1) {
  ^bb0(%i: f32, %o: f32):
    %v = arith.negf %i : f32
    linalg.yield %v : f32
  } -> M1
""", "M1", lambda x: -x[0] if len(x) else np.zeros(0, np.float32) if not x.shape[1] else None)

program("border", {"x": "M N"}, """
  %p = tensor.pad %x low[2, 0] high[0, 1] { ^bb0(%i: index, %j: index): tensor.yield %one : f32 } : M2 to M2
  %r = arith.addf %p, %p : M2
""", "M2", lambda x: 2 * np.pad(x, [(2, 0), (0, 1)], constant_values=1))
program("up to a multiple", {"x": "M N"}, """
  %h = affine.apply affine_map<()[s] -> ((s ceildiv 4) * 4 - s)>()[%M]
  %p = tensor.pad %x low[0, 0] high[%h, 0] { ^bb0(%i: index, %j: index): tensor.yield %one : f32 } : M2 to M2
  %r = arith.addf %p, %p : M2
""", "M2", lambda x: 2 * np.pad(x, [(0, -len(x) % 4), (0, 0)], constant_values=1))
program("side by side", {"x": "M N", "y": "P N"}, """
  %p = tensor.concat dim(0) %x, %y : (M2, M2) -> M2
  %r = arith.addf %p, %p : M2
""", "M2", lambda x, y: 2 * np.concatenate([x, y]) if x.shape[1] == y.shape[1] else None)
program("collapsed", {"x": "M N P"}, """
  %p = tensor.collapse_shape %x [[0, 1], [2]] : M3 into M2
  %r = arith.addf %p, %p : M2
""", "M2", lambda x: 2 * x.reshape(x.shape[0] * x.shape[1], x.shape[2]))
program("expanded", {"x": "M N"}, """
  %h = arith.divsi %M, %c2 : index
  %p = tensor.expand_shape %x [[0, 1], [2]] output_shape [%h, 2, %N] : M2 into tensor<?x2x?xf32>
  %r = arith.addf %p, %p : tensor<?x2x?xf32>
""", "tensor<?x2x?xf32>", lambda x: None if len(x) % 2 else 2 * x.reshape(len(x) // 2, 2, x.shape[1]))

FILLED = """
  %e{0} = tensor.empty({1}) : {2}
  %{0} = linalg.fill ins(%{3} : f32) outs(%e{0} : {2}) -> {2}"""
program("sums of rows", {"x": "M N"}, FILLED.format("f", "%M", "M1", "zero") + """
  %r = linalg.reduce { arith.addf } ins(%x : M2) outs(%f : M1) dimensions = [1]
""", "M1", lambda x: x.sum(1))
program("sums around the largest", {"x": "M N"}, """
  %low = arith.constant -1000.0 : f32""" + FILLED.format("f", "%M", "M1", "low") + FILLED.format("g", "%M", "M1", "zero") + """
  %p = linalg.reduce { arith.maximumf } ins(%x : M2) outs(%f : M1) dimensions = [1]
  %e = tensor.empty(%M, %N) : M2
  %b = linalg.broadcast ins(%p : M1) outs(%e : M2) dimensions = [1]
  %s = arith.subf %x, %b : M2
  %v = math.exp %s : M2
  %r = linalg.reduce { arith.addf } ins(%v : M2) outs(%g : M1) dimensions = [1]
""", "M1", lambda x: np.exp(x - x.max(1, initial=-1000)[:, None]).sum(1))
program("softmax", {"x": "M N"}, """
  %e = tensor.empty(%M, %N) : M2
  %r = linalg.softmax dimension(1) ins(%x : M2) outs(%e : M2) -> M2
""", "M2", lambda x: np.exp(x) / np.exp(x).sum(1)[:, None])
program("product", {"x": "M K", "y": "K N"}, FILLED.format("f", "%M, %N", "M2", "one") + """
  %r = linalg.matmul ins(%x, %y : M2, M2) outs(%f : M2) -> M2
""", "M2", lambda x, y: 1 + x @ y if x.shape[1] == y.shape[0] else None)

program("a row after the other", {"x": "M N"}, FILLED.format("f", "%M, %N", "M2", "zero") + """
  %r = scf.for %i = %c0 to %M step %c1 iter_args(%a = %f) -> (M2) {
    %s = tensor.extract_slice %x[%i, 0] [1, %N] [1, 1] : M2 to tensor<1x?xf32>
    %d = arith.addf %s, %s : tensor<1x?xf32>
    %w = tensor.insert_slice %d into %a[%i, 0] [1, %N] [1, 1] : tensor<1x?xf32> into M2
    scf.yield %w : M2
  }
""", "M2", lambda x: 2 * x)
program("a row that is not there", {"x": "M N"}, FILLED.format("f", "%N", "M1", "zero") + """
  %r = scf.for %i = %c0 to %M step %c1 iter_args(%a = %f) -> (M1) {
    %s = tensor.extract_slice %x[1, 0] [1, %N] [1, 1] : M2 to M1
    %d = arith.addf %s, %a : M1
    scf.yield %d : M1
  }
""", "M1", lambda x: np.float32(len(x)) * x[1] if len(x) > 1 else None if len(x) else np.zeros(x.shape[1], np.float32))
program("rows that are there or not", {"x": "M N"}, FILLED.format("f", "%N", "tensor<2x?xf32>", "one") + """
  %c = arith.cmpi ugt, %M, %c2 : index
  %r = scf.if %c -> (tensor<2x?xf32>) {
    %s = tensor.extract_slice %x[1, 0] [2, %N] [1, 1] : M2 to tensor<2x?xf32>
    %d = arith.addf %s, %s : tensor<2x?xf32>
    scf.yield %d : tensor<2x?xf32>
  } else {
    scf.yield %f : tensor<2x?xf32>
  }
""", "tensor<2x?xf32>", lambda x: 2 * x[1:3] if len(x) > 2 else np.ones((2, x.shape[1]), np.float32))
program("a product or none", {"x": "M K", "y": "N M"}, FILLED.format("f", "%M, %M", "M2", "zero") + """
  %c = arith.cmpi eq, %K, %N : index
  %r = scf.if %c -> (M2) {
    %q = linalg.matmul ins(%x, %y : M2, M2) outs(%f : M2) -> M2
    scf.yield %q : M2
  } else {
    scf.yield %f : M2
  }
""", "M2", lambda x, y: x @ y if x.shape[1] == len(y) and len(x) == y.shape[1] else
        np.zeros((len(x), len(x)), np.float32) if x.shape[1] != len(y) else None)
program("more rows in each turn", {"x": "M N"}, """
  %r = scf.for %i = %c0 to %N step %c1 iter_args(%a = %x) -> (M2) {
    %c = tensor.concat dim(0) %a, %x : (M2, M2) -> M2
    scf.yield %c : M2
  }
""", "M2", lambda x: np.concatenate([x] * (x.shape[1] + 1)))


def windows(op, letters, stride, dilation):
    """A window op of open extents."""
    one = window_cases.Window(op, letters, stride, dilation, dynamic=True)
    dims = {operand: one.dims(operand) for operand in "xky"}
    body = re.search(r"\n(  %r = .*\n)", one.text().replace("f64", "f32").replace("%s", "%x"))[0]
    one.before = None

    def expected(x, k, y):
        sizes = {}
        for operand, array in zip("xky", (x, k, y)):
            for letter, extent in zip(dims[operand], array.shape):
                if sizes.setdefault(letter, extent) != extent:
                    return None
        if 0 in y.shape or 0 in k.shape or 0 in x.shape:
            # Where nothing is added, nothing is read: windows need not lie in the image.
            nothing = any(extent == 0 for letter, extent in sizes.items() if letter[0] != "X")
            return y if nothing else None
        for axis in window_cases.AXIS.values():
            if "X" + axis in sizes and sizes["X" + axis] <= \
                    (sizes["Y" + axis] - 1) * stride + (sizes["K" + axis] - 1) * dilation:
                return None
        return one.definition(x / 2, k, y)[0].astype(np.float32)  # it takes the sum of x and x

    PROGRAMS[one.name] = dims, body, type_of(dims["y"]), expected


for op, stride, dilation in [("conv_1d", 1, 1), ("conv_2d_nhwc_hwcf", 2, 1), ("conv_2d_nchw_fchw", 1, 2),
                             ("conv_1d_nwc_wcf", 2, 1), ("depthwise_conv_2d_nhwc_hwc", 1, 1)]:
    windows(op, window_cases.CONVOLUTIONS[op], stride, dilation)
for op, stride, dilation in [("pooling_nhwc_sum", 2, 1), ("pooling_nchw_max", 1, 2), ("pooling_nwc_min", 1, 1)]:
    windows(op, window_cases.POOLS[op], stride, dilation)

for key, source, result in (("", "%i", lambda x: 2 * x), (", reversed", "%j", lambda x: 2 * x[::-1])):
    program(f"parallel rows{key}", {"x": "M N"}, f"""
  %r = scf.forall (%i) = (0) to (%M) step (1) shared_outs(%o = %x) -> (M2) {{
    %j = affine.apply affine_map<(d0)[s0] -> (s0 - 1 - d0)>(%i)[%M]
    %t = tensor.extract_slice %x[{source}, 0] [1, %N] [1, 1] : M2 to tensor<1x?xf32>
    %q = arith.addf %t, %t : tensor<1x?xf32>
    scf.forall.in_parallel {{
      tensor.parallel_insert_slice %q into %o[%i, 0] [1, %N] [1, 1] : tensor<1x?xf32> into M2
    }}
  }}
""", "M2", result)
program("parallel tiles in place", {"x": "M N"}, """
  %r = scf.forall (%i) = (0) to (%M) step (2) shared_outs(%o = %x) -> (M2) {
    %s = affine.min affine_map<(d0)[s0] -> (2, s0 - d0)>(%i)[%M]
    %t = tensor.extract_slice %x[%i, 0] [%s, %N] [1, 1] : M2 to M2
    %q = arith.addf %t, %t : M2
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %q into %o[%i, 0] [%s, %N] [1, 1] : M2 into M2
    }
  }
""", "M2", lambda x: 2 * x)
