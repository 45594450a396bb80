// RUN: symshape-opt %s --symshape-lower-tensor-ops --verify-diagnostics

// Negative: arith compares no integers that say that they have no sign.
func.func @most(%x: tensor<4xui8>, %i: tensor<2x1xi64>, %u: tensor<2xui8>) -> tensor<4xui8> {
  // expected-error@+1 {{'symshape.scatter' op expected signless integers, but got 'tensor<4xui8>'}}
  %r = symshape.scatter max promise_in_bounds %u into %x[%i]
      {update_window_dims = array<i64>, inserted_window_dims = array<i64: 0>, scatter_dims_to_operand_dims = array<i64: 0>,
       operand_batching_dims = array<i64>, scatter_indices_batching_dims = array<i64>, index_vector_dim = 1 : i64}
      : tensor<2xui8> into tensor<4xui8>[tensor<2x1xi64>]
  return %r : tensor<4xui8>
}
