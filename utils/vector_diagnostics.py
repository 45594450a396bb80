# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Diagnostic cases of the test vectors: programs, by the id of the case.

Each entry is (passes, module text, inputs): inputs of the call that is refused, or
None for a program that is not accepted.
"""

import numpy as np

TRUNCATE = """func.func @main(%x: tensor<?xf64>, %s: {size}) -> tensor<?xf64> {{
  %r = symshape.dynamic_truncate %x, %s axis 0 : tensor<?xf64>, {size} to tensor<?xf64>
  return %r : tensor<?xf64>
}}
"""

REDUCE_MAX = """func.func @main(%x: tensor<?xf64>) -> tensor<f64> {
  %low = arith.constant dense<0xFFF0000000000000> : tensor<f64>
  %r = linalg.reduce { arith.maximumf } ins(%x : tensor<?xf64>) outs(%low : tensor<f64>) dimensions = [0]
  return %r : tensor<f64>
}
"""

COLLAPSED = """func.func @main(%x: tensor<?xf64>, %i: tensor<?x1xi64>) -> tensor<?xf64> {
  %r = symshape.gather clip %x[%i] slice_sizes [2]
      {offset_dims = array<i64>, collapsed_slice_dims = array<i64: 0>, start_index_map = array<i64: 0>,
       index_vector_dim = 1 : i64} : tensor<?xf64>[tensor<?x1xi64>] to tensor<?xf64>
  return %r : tensor<?xf64>
}
"""

WITHOUT_RULE = """func.func @main(%x: tensor<?xf64>) -> tensor<?xf64> {
  %r = math.atan %x : tensor<?xf64>
  return %r : tensor<?xf64>
}
"""

BOUND_AS_TARGET = """func.func @main(%x: tensor<?xf64> {symshape.shape = #symshape.shape<["<= 7"]>}) -> tensor<7xf64> {
  %r = symshape.reshape %x to [7] : tensor<?xf64> to tensor<7xf64>
  return %r : tensor<7xf64>
}
"""

PROGRAMS = {
    "diag_reshape_target_upper_bound": (["--symshape-infer-shapes"], BOUND_AS_TARGET, None),
    "diag_truncate_size_vector": ([], TRUNCATE.format(size="tensor<1xf64>"), None),
    "diag_truncate_size_nan": ([], TRUNCATE.format(size="f64"), [np.zeros(3), np.float64("nan")]),
    "diag_gather_collapsed_slice_not_one": ([], COLLAPSED, None),
    "diag_reduce_max_empty_runtime": (["--symshape-jvp=function=main wrt=0"], REDUCE_MAX,
                                      [np.zeros(0), np.zeros(0)]),
    "diag_missing_rule": (["--symshape-jvp=function=main wrt=0"], WITHOUT_RULE, None),
}

# A case that speaks of no op in particular: the one that the program has.
PRIMITIVES = {"diag_missing_rule": "math.atan"}
