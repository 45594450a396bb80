// RUN: symshape-opt %s --symshape-insert-guards --verify-diagnostics

// Negative: from a shape of unknown elements, the extents are known only once the
// reshape has run, so its element count cannot be checked before.
func.func @reshape_unknown(%t: tensor<?xf32>, %shape: tensor<2xindex>) -> tensor<?x?xf32> {
  // expected-error@+1 {{cannot check at run time what tensor.reshape}}
  %0 = tensor.reshape %t(%shape) : (tensor<?xf32>, tensor<2xindex>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
