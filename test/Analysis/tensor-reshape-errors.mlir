// RUN: symshape-opt %s --symshape-insert-guards --verify-diagnostics

// Negative: from a shape of unknown elements, the extents are known only once the
// reshape has run, so its element count cannot be checked before.
func.func @reshape_unknown(%t: tensor<?xf32>, %shape: tensor<2xindex>, %n: index, %i: index) -> tensor<?x?xf32> {
  %inside = symshape.assume %i ["0 <= i", "i <= 1"] (i) : index
  %other = tensor.insert %n into %shape[%inside] : tensor<2xindex>
  // expected-error@+1 {{(element count) needs: expected values for all symbols, but got 's0 == %d*%d_0', where %d is the result of tensor.reshape dim 0, and %d_0 is the result of tensor.reshape dim 1}}
  %0 = tensor.reshape %t(%other) : (tensor<?xf32>, tensor<2xindex>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
