// call: 3x2xf32=iota 2xindex=iota 2x2xf32=iota
// prints: 3x2xf32: [[0, 2], [4, 6], [4, 5]]
func.func @main(%x: tensor<?x?xf32>, %i: tensor<?xindex>, %u: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = symshape.scatter add drop %u into %x[%i]
      {update_window_dims = array<i64: 1>, inserted_window_dims = array<i64: 0>, unique_indices,
       scatter_dims_to_operand_dims = array<i64: 0>, index_vector_dim = 1 : i64}
      : tensor<?x?xf32> into tensor<?x?xf32>[tensor<?xindex>]
  return %0 : tensor<?x?xf32>
}
