# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks utils/symshape_c.py against NumPy: check_numpy.py LIBRARY."""

import gc
import sys
import tempfile
from pathlib import Path

import numpy as np
import symshape_c

SQUARES = """
func.func @squares(%x: tensor<?x?xf32> {symshape.shape = #symshape.shape<[M, N]>},
                   %y: tensor<?x?xf32> {symshape.shape = #symshape.shape<[M, N]>})
    -> (tensor<?x?xf32>, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %r = linalg.mul ins(%x, %y : tensor<?x?xf32>, tensor<?x?xf32>)
                  outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r, %n : tensor<?x?xf32>, index
}
"""

# Only one branch has a temporary buffer; the arena has room for it in any call.
BRANCH = """
func.func @branch(%x: tensor<?x16xf32>, %w: tensor<16x16xf32>, %deep: i64) -> tensor<?x16xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %none = arith.constant 0 : i64
  %n = tensor.dim %x, %c0 : tensor<?x16xf32>
  %e = tensor.empty(%n) : tensor<?x16xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x16xf32>) -> tensor<?x16xf32>
  %is = arith.cmpi ne, %deep, %none : i64
  %r = scf.if %is -> tensor<?x16xf32> {
    %a = linalg.matmul ins(%x, %w : tensor<?x16xf32>, tensor<16x16xf32>) outs(%z : tensor<?x16xf32>) -> tensor<?x16xf32>
    %b = linalg.matmul ins(%a, %w : tensor<?x16xf32>, tensor<16x16xf32>) outs(%z : tensor<?x16xf32>) -> tensor<?x16xf32>
    scf.yield %b : tensor<?x16xf32>
  } else {
    %b = linalg.matmul ins(%x, %w : tensor<?x16xf32>, tensor<16x16xf32>) outs(%z : tensor<?x16xf32>) -> tensor<?x16xf32>
    scf.yield %b : tensor<?x16xf32>
  }
  return %r : tensor<?x16xf32>
}
"""


def check_memory_plan(library, folder):
    """With a plan or without a call takes the memory that it needs, and gives the same."""
    path = Path(folder) / "branch.mlir"
    path.write_text(BRANCH)
    n, peaks = 5000, {}
    x = np.random.default_rng(2).integers(-4, 5, (n, 16)).astype(np.float32)
    w = np.eye(16, dtype=np.float32)[::-1].copy()
    for planned in (True, False):
        program = symshape_c.Program(path, library=library, entry="branch", memory_plan=planned)
        for deep in (0, 1):
            library.symshape_reset_peak()
            before = library.symshape_get_memory().live_bytes
            (result,) = program(x, w, np.int64(deep))
            peaks[planned, deep] = library.symshape_get_memory().peak_bytes - before
            np.testing.assert_array_equal(result, x @ w @ w if deep else x @ w)
    temporary = 4 * x.size
    assert peaks[True, 1] - peaks[True, 0] >= temporary, peaks
    assert peaks[False, 1] - peaks[False, 0] >= temporary, peaks


# The operands may have one row beside many by the rule of NumPy only.
SUM = """
func.func @main(%x: tensor<?x3xf32>, %y: tensor<?x3xf32>) -> tensor<?x3xf32> {
  %r = tosa.add %x, %y : (tensor<?x3xf32>, tensor<?x3xf32>) -> tensor<?x3xf32>
  return %r : tensor<?x3xf32>
}
"""


def check_tosa_broadcast(library, folder):
    path = Path(folder) / "sum.mlir"
    path.write_text(SUM)
    x, y = np.ones((2, 3), np.float32), np.full((1, 3), 2, np.float32)
    for rule in (None, "strict"):
        program = symshape_c.Program(path, library=library, tosa_broadcast=rule)
        fails(lambda: program(x, y), 3, "needed by tosa.add")
        np.testing.assert_array_equal(program(x, x)[0], x + x)
    np.testing.assert_array_equal(symshape_c.Program(path, library=library, tosa_broadcast="numpy")(x, y)[0], x + y)
    fails(lambda: symshape_c.Program(path, library=library, tosa_broadcast="numpi"), 2, "strict or numpy, but got 'numpi'")


def fails(call, status, words):
    try:
        call()
    except symshape_c.Error as error:
        assert error.status == status and words in str(error), error
    else:
        raise AssertionError(f"expected an error with '{words}'")


def main():
    library = symshape_c.load(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "m.mlir"
        path.write_text(SQUARES)
        program = symshape_c.Program(path, library=library, entry="squares")
        fails(lambda: symshape_c.Program(path, library=library), 1, "@main")
        check_memory_plan(library, folder)
        check_tosa_broadcast(library, folder)
        threaded = symshape_c.Program(path, library=library, entry="squares", threads=2)
    for shape in ((2, 3), (0, 4), (1, 1), (5, 17)):
        x = np.random.default_rng(0).standard_normal(shape, np.float32)
        result, columns = program(x, x[:, ::-1])  # the second is not contiguous
        np.testing.assert_array_equal(result, x * x[:, ::-1])
        assert result.dtype == np.float32 and columns == shape[1]

    x = np.random.default_rng(1).standard_normal((300, 1000), np.float32)
    np.testing.assert_array_equal(threaded(x, x)[0], program(x, x)[0])

    ones = lambda *shape: np.ones(shape, np.float32)
    fails(lambda: program(ones(2, 3), ones(2, 4)), 3, "guard failed")
    fails(lambda: program(ones(2, 3), np.ones((2, 3))), 2, "expected ?x?xf32 for %y, but got 2x3xf64")
    fails(lambda: program(ones(2, 3)), 2, "expected 2 inputs, but got 1")
    fails(lambda: program(ones(2, 3), np.ones((2, 3), complex)), 2, "complex128")

    # A result lives as long as its array, and no longer; a call reuses its own.
    gc.collect()
    before = library.symshape_get_memory().live_bytes
    call = symshape_c.Call(program, [ones(2, 3), ones(2, 3)])
    for _ in range(3):
        call()
    (kept, _) = call.results()
    call()
    np.testing.assert_array_equal(kept, ones(2, 3))
    assert library.symshape_get_memory().live_bytes > before
    del call, kept, _
    gc.collect()
    assert library.symshape_get_memory().live_bytes == before


if __name__ == "__main__":
    main()
