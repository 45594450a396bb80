# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bodies that use values from outside, and loops over rows: MLIR text, with definitions in NumPy."""

import numpy as np
from derivative_cases import SMALL, Raw

ROWS = [{"N": 3, "D": 2}, {"N": 1, "D": 1}, {"N": 0, "D": 2}, {"N": 2, "D": 0}, {"N": 7, "D": 3}]


def shaped(name, dims, element="f64"):
    """An argument whose extents have names."""
    shape = "".join("?x" if isinstance(d, str) else f"{d}x" for d in dims)
    symbols = ", ".join(map(str, dims))
    return f"%{name}: tensor<{shape}{element}> {{symshape.shape = #symshape.shape<[{symbols}]>}}"


def raw(name, inputs, result, body, definition, bindings=SMALL, active=None, make=None, second=True, dtype="f64"):
    """`inputs` are name to dims, or to a type of elements and dims."""
    spelled = {one: dims if isinstance(dims, tuple) else (dtype, dims) for one, dims in inputs.items()}
    arguments = ", ".join(shaped(one, dims, element) for one, (element, dims) in spelled.items())
    text = f"func.func @main({arguments}) -> {result} {{\n{CONSTANTS}{body}}}\n"
    active = active or [one for one, (element, _) in spelled.items() if element == dtype]
    return Raw(name, spelled, [], [], active, make=make, dtype=dtype,
               mlir=text.replace("f64", dtype) if dtype != "f64" else text, definition=definition), bindings, second


CONSTANTS = """  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
"""


def places(*numbers):
    """Indices that repeat."""
    def make(rng, name, shape, sizes):
        return np.resize(np.array(numbers), shape) if name == "i" and np.prod(shape) else None
    return make


GATHER = """  %n = tensor.dim %i, %c0 : tensor<?xi64>
  %e = tensor.empty(%n) : tensor<?xf64>
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%i : tensor<?xi64>) outs(%e : tensor<?xf64>) {
  ^bb0(%a: i64, %o: f64):
    %k = arith.index_cast %a : i64 to index
    %l = linalg.index 0 : index
    %v = tensor.extract %x[%k] : tensor<4xf64>
    %w = tensor.extract %x[%c1] : tensor<4xf64>
    %p = arith.mulf %v, %w : f64
    %y = tensor.extract %z[%k, %l] : tensor<4x?xf64>
    %q = arith.mulf %p, %y : f64
    linalg.yield %q : f64
  } -> tensor<?xf64>
  return %r : tensor<?xf64>
"""
TURNED = """  %n = tensor.dim %x, %c0 : tensor<?x?x3xf64>
  %d = tensor.dim %x, %c1 : tensor<?x?x3xf64>
  %e = tensor.empty(%d, %n) : tensor<2x?x?xf64>
  %r = linalg.generic {indexing_maps = [affine_map<(a, b, c) -> (a)>, affine_map<(a, b, c) -> (a, b, c)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%i : tensor<2xi64>) outs(%e : tensor<2x?x?xf64>) {
  ^bb0(%a: i64, %o: f64):
    %k = arith.index_cast %a : i64 to index
    %l = linalg.index 2 : index
    %m = linalg.index 1 : index
    %v = tensor.extract %x[%l, %m, %k] : tensor<?x?x3xf64>
    %q = math.sin %v : f64
    linalg.yield %q : f64
  } -> tensor<2x?x?xf64>
  return %r : tensor<2x?x?xf64>
"""
SCALAR = """  %n = tensor.dim %x, %c0 : tensor<?xf64>
  %s = tensor.extract %w[] : tensor<f64>
  %e = tensor.empty(%n) : tensor<?xf64>
  %r:2 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%x : tensor<?xf64>) outs(%e, %y : tensor<?xf64>, tensor<?xf64>) {
  ^bb0(%a: f64, %o: f64, %b: f64):
    %p = arith.mulf %a, %s : f64
    %q = arith.mulf %p, %b : f64
    linalg.yield %p, %q : f64, f64
  } -> (tensor<?xf64>, tensor<?xf64>)
  return %r#0, %r#1 : tensor<?xf64>, tensor<?xf64>
"""
REDUCED = """  %n = tensor.dim %i, %c0 : tensor<?x2xi64>
  %e = tensor.empty() : tensor<2xf64>
  %start = linalg.fill ins(%start0 : f64) outs(%e : tensor<2xf64>) -> tensor<2xf64>
  %r = linalg.generic {indexing_maps = [affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (b)>], iterator_types = ["reduction", "parallel"]}
      ins(%i : tensor<?x2xi64>) outs(%start : tensor<2xf64>) {
  ^bb0(%a: i64, %o: f64):
    %k = arith.index_cast %a : i64 to index
    %l = linalg.index 1 : index
    %v = tensor.extract %x[%k, %l] : tensor<3x2xf64>
    %p = math.sin %v : f64
    %q = arith.COMBINER %o, %p : f64
    linalg.yield %q : f64
  } -> tensor<2xf64>
  return %r : tensor<2xf64>
"""


def bodies():
    for dtype in ("f64", "f32"):
        yield raw(f"read_at_places_that_repeat_{dtype}", {"x": [4], "z": [4, "N"], "i": ("i64", ["N"])}, "tensor<?xf64>",
                  GATHER, lambda x, z, i: [x[i.astype(int)] * x[1] * z[i.astype(int), np.arange(len(i))]],
                  make=places(2, 2, 0), dtype=dtype, second=dtype == "f64")
    yield raw("read_by_windows_in_another_order", {"x": ["N", "D", 3], "i": ("i64", [2])}, "tensor<2x?x?xf64>", TURNED,
              lambda x, i: [np.sin(x[:, :, i.astype(int)].transpose(2, 1, 0))], ROWS, make=places(2, 2))
    yield raw("scalar_two_results_and_a_destination_that_is_read", {"x": ["N"], "y": ["N"], "w": []},
              "(tensor<?xf64>, tensor<?xf64>)", SCALAR, lambda x, y, w: [x * w, x * w * y])
    for combiner, start, function in [("addf", "0.5", np.sum), ("mulf", "2.0", np.prod), ("maximumf", "-9.0", np.max)]:
        body = f"  %start0 = arith.constant {start} : f64\n" + REDUCED.replace("COMBINER", combiner)
        whole = [np.full((1, 2), float(start))]
        yield raw(f"read_in_a_reduction_{combiner}", {"x": [3, 2], "i": ("i64", ["N", 2])}, "tensor<2xf64>", body,
                  lambda x, i, function=function, whole=whole: [
                      function(np.concatenate([*whole, np.sin(x[i.astype(int), [0, 1]]).reshape(-1, 2)]), axis=0)]
                  if function is not np.sum else [0.5 + np.sin(x[i.astype(int), [0, 1]]).sum(axis=0)],
                  make=places(1, 0, 1, 2))


SIZES = """  %n = tensor.dim %x, %c0 : tensor<?x?xf64>
  %d = tensor.dim %x, %c1 : tensor<?x?xf64>
"""
WRITE = SIZES + """  %h, %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %w, %c = %x) -> (tensor<?xf64>, tensor<?x?xf64>) {
    %p = arith.mulf %s, %w : tensor<?xf64>
    %t = math.tanh %p : tensor<?xf64>
    %k = tensor.insert_slice %t into %c[%i, 0] [1, %d] [1, 1] : tensor<?xf64> into tensor<?x?xf64>
    scf.yield %t, %k : tensor<?xf64>, tensor<?x?xf64>
  }
  return %r : tensor<?x?xf64>
"""
READ = SIZES + """  %h = scf.for %i = %c0 to %n step %c1 iter_args(%s = %w) -> (tensor<?xf64>) {
    %row = tensor.extract_slice %x[%i, 0] [1, %d] [1, 1] : tensor<?x?xf64> to tensor<?xf64>
    %j = arith.remui %i, %c2 : index
    %odd = arith.cmpi eq, %j, %c1 : index
    %u = scf.if %odd -> tensor<?xf64> {
      %first = tensor.extract_slice %x[0, 0] [1, %d] [1, 1] : tensor<?x?xf64> to tensor<?xf64>
      %v = arith.mulf %first, %row : tensor<?xf64>
      scf.yield %v : tensor<?xf64>
    } else {
      scf.yield %row : tensor<?xf64>
    }
    %p = arith.mulf %s, %u : tensor<?xf64>
    %q = arith.addf %p, %row : tensor<?xf64>
    scf.yield %q : tensor<?xf64>
  }
  return %h : tensor<?xf64>
"""
BEFORE = SIZES + """  %r = scf.for %i = %c1 to %n step %c1 iter_args(%c = %x) -> (tensor<?x?xf64>) {
    %j = arith.subi %i, %c1 : index
    %cols = tensor.dim %c, %c1 : tensor<?x?xf64>
    %s = tensor.extract_slice %c[%j, 0] [1, %cols] [1, 1] : tensor<?x?xf64> to tensor<?xf64>
    %own = tensor.extract_slice %c[%i, 0] [1, %d] [1, 1] : tensor<?x?xf64> to tensor<?xf64>
    %p = arith.mulf %s, %w : tensor<?xf64>
    %q = arith.mulf %p, %own : tensor<?xf64>
    %t = math.tanh %q : tensor<?xf64>
    %k = tensor.insert_slice %t into %c[%i, 0] [1, %d] [1, 1] : tensor<?xf64> into tensor<?x?xf64>
    %again = tensor.extract_slice %k[%i, 0] [1, %d] [1, 1] : tensor<?x?xf64> to tensor<?xf64>
    %two = arith.mulf %again, %again : tensor<?xf64>
    %l = tensor.insert_slice %two into %k[%i, 0] [1, %d] [1, 1] : tensor<?xf64> into tensor<?x?xf64>
    scf.yield %l : tensor<?x?xf64>
  }
  return %r : tensor<?x?xf64>
"""
ELEMENTS = """  %n = tensor.dim %x, %c0 : tensor<?xf64>
  %e = tensor.empty(%n) : tensor<?xf64>
  %h0 = tensor.extract %w[] : tensor<f64>
  %h, %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %h0, %c = %e) -> (f64, tensor<?xf64>) {
    %a = tensor.extract %x[%i] : tensor<?xf64>
    %p = arith.mulf %s, %a : f64
    %t = math.sin %p : f64
    %k = tensor.insert %t into %c[%i] : tensor<?xf64>
    %b = tensor.extract %k[%i] : tensor<?xf64>
    %q = arith.mulf %b, %a : f64
    scf.yield %q, %k : f64, tensor<?xf64>
  }
  return %r : tensor<?xf64>
"""
WINDOWS = SIZES + """  %h = scf.for %i = %c0 to %n step %c1 iter_args(%s = %x) -> (tensor<?x?xf64>) {
    %row = symshape.dynamic_slice %s[%i, %c0] sizes [1, %d] : tensor<?x?xf64> to tensor<1x?xf64>
    %t = math.sin %row : tensor<1x?xf64>
    %k = symshape.dynamic_update_slice %t into %s[%c1, %c0] : tensor<1x?xf64> into tensor<?x?xf64>
    scf.yield %k : tensor<?x?xf64>
  }
  return %h : tensor<?x?xf64>
"""


def write(x, w):
    rows, s = x.copy(), w
    for i in range(len(x)):
        s = np.tanh(s * w)
        rows[i] = s
    return [rows]


def read(x, w):
    s = w
    for i, row in enumerate(x):
        s = s * (x[0] * row if i % 2 else row) + row
    return [s]


def before(x, w):
    rows = x.copy()
    for i in range(1, len(x)):
        rows[i] = np.tanh(rows[i - 1] * w * rows[i]) ** 2
    return [rows]


def elements(x, w):
    made, s = np.zeros(len(x)), w
    for i, a in enumerate(x):
        made[i] = np.sin(s * a)
        s = made[i] * a
    return [made]


def windows(x):
    rows = x.copy()
    for i in range(len(x)):
        rows[min(1, len(x) - 1)] = np.sin(rows[i])
    return [rows]


def loops():
    matrix = {"x": ["N", "D"], "w": ["D"]}
    yield raw("loop_that_writes_rows", matrix, "tensor<?x?xf64>", WRITE, write, ROWS)
    yield raw("loop_that_reads_rows", matrix, "tensor<?xf64>", "  %c2 = arith.constant 2 : index\n" + READ, read, ROWS)
    yield raw("loop_that_reads_the_row_before", matrix, "tensor<?x?xf64>", BEFORE, before, ROWS)
    yield raw("loop_over_elements", {"x": ["N"], "w": []}, "tensor<?xf64>", ELEMENTS, elements)
    yield raw("loop_over_windows", {"x": ["N", "D"]}, "tensor<?x?xf64>", WINDOWS, windows, [at for at in ROWS if at["N"]])


SLICED = """  %m = tensor.dim %z, %c0 : tensor<?x?xf64>
  %k = tensor.dim %y, %c0 : tensor<?x?xf64>
  %s = tensor.extract_slice %x[0, 0] [%k, %m] [STRIDES] : tensor<?x?xf64> to tensor<?x?xf64>
  %r = linalg.matmul indexing_maps = [affine_map<(i, j, k) -> (k, i)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>]
      ins(%s, %y : tensor<?x?xf64>, tensor<?x?xf64>) outs(%z : tensor<?x?xf64>) -> tensor<?x?xf64>
  return %r : tensor<?x?xf64>
"""


def products():
    """Operands that maps transpose and slices with strides have."""
    for dtype, one, two in [("f64", 1, 2), ("f32", 3, 1), ("f64", 2, 2)]:
        yield raw(f"product_of_a_slice_with_strides_{one}_{two}_{dtype}", {"x": ["P", "Q"], "y": ["K", "N"], "z": ["M", "N"]},
                  "tensor<?x?xf64>", SLICED.replace("STRIDES", f"{one}, {two}"),
                  lambda x, y, z, one=one, two=two: [z + x[:one * len(y):one, :two * len(z):two].T @ y],
                  [{"K": k, "M": m, "N": n, "P": k * one, "Q": m * two} for k, m, n in [(5, 6, 4), (17, 9, 33), (1, 1, 1), (0, 2, 3)]],
                  dtype=dtype, second=dtype == "f64")


def all_cases():
    yield from bodies()
    yield from products()
    yield from loops()
