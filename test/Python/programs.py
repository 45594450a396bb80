# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The programs that the tests of the Python package call."""

SQUARES = """
func.func @main(%x: tensor<?x?xf32> {symshape.shape = #symshape.shape<[M, N]>},
                %y: tensor<?x?xf32> {symshape.shape = #symshape.shape<[P, Q]>}) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %r = linalg.mul ins(%x, %y : tensor<?x?xf32>, tensor<?x?xf32>)
                  outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
"""

# The same of buffers: %x lies anywhere, elements of columns of %y are side by side.
BUFFERS = (SQUARES.replace("%x: tensor<?x?xf32>", "%p: memref<?x?xf32, strided<[?, ?], offset: ?>>")
           .replace("%y: tensor<?x?xf32>", "%q: memref<?x?xf32, strided<[1, ?], offset: ?>>")
           .replace("  %c0 =", """
  %x = bufferization.to_tensor %p restrict : memref<?x?xf32, strided<[?, ?], offset: ?>> to tensor<?x?xf32>
  %y = bufferization.to_tensor %q restrict : memref<?x?xf32, strided<[1, ?], offset: ?>> to tensor<?x?xf32>
  %c0 =""", 1))

DIFFERENCE = SQUARES.replace("linalg.mul", "linalg.sub")

# Joins along dim 0, within declared ranges.
JOIN = """
func.func @join(%a: tensor<?x?xf64> {symshape.shape = #symshape.shape<[A, N]>},
                %b: tensor<?x?xf64> {symshape.shape = #symshape.shape<[B, N]>}) -> tensor<?x?xf64>
    attributes {symshape.symbols = [#symshape.symbol<"A", range = [0, 64], multiple_of = 2>]} {
  %r = tensor.concat dim(0) %a, %b : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
  return %r : tensor<?x?xf64>
}
"""

# Twice the tensor, for an element type.
DOUBLE = """
func.func @main(%x: tensor<?xTYPE>) -> tensor<?xTYPE> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xTYPE>
  %e = tensor.empty(%n) : tensor<?xTYPE>
  %r = linalg.add ins(%x, %x : tensor<?xTYPE>, tensor<?xTYPE>) outs(%e : tensor<?xTYPE>) -> tensor<?xTYPE>
  return %r : tensor<?xTYPE>
}
"""

# The first %n elements: a check of data, and an extent that only a call finds out.
FIRST = """
func.func @main(%x: tensor<?xf32> {symshape.shape = #symshape.shape<[L]>}, %n: index) -> tensor<?xf32> {
  %r = tensor.extract_slice %x[0] [%n] [1] : tensor<?xf32> to tensor<?xf32>
  return %r : tensor<?xf32>
}
"""

# The sum of w[i] * x[i]^2, and the number of elements.
LOSS = """
func.func @loss(%x: tensor<?xf64> {symshape.shape = #symshape.shape<[N]>},
                %w: tensor<?xf64> {symshape.shape = #symshape.shape<[N]>}) -> (f64, index) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf64>
  %zero = arith.constant 0.0 : f64
  %scalar = tensor.empty() : tensor<f64>
  %start = linalg.fill ins(%zero : f64) outs(%scalar : tensor<f64>) -> tensor<f64>
  %sum = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> ()>],
                         iterator_types = ["reduction"]}
      ins(%x, %w : tensor<?xf64>, tensor<?xf64>) outs(%start : tensor<f64>) {
  ^bb0(%a: f64, %b: f64, %acc: f64):
    %square = arith.mulf %a, %a : f64
    %term = arith.mulf %square, %b : f64
    %next = arith.addf %acc, %term : f64
    linalg.yield %next : f64
  } -> tensor<f64>
  %r = tensor.extract %sum[] : tensor<f64>
  return %r, %n : f64, index
}
"""

# Long enough for other threads to be seen.
LOOP = """
func.func @main(%count: index, %x: f64) -> f64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %count step %c1 iter_args(%v = %x) -> f64 {
    %s = math.sin %v : f64
    scf.yield %s : f64
  }
  return %r : f64
}
"""
