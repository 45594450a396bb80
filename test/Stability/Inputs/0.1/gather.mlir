// call: 3x2xf32=iota 2xi64=iota
// prints: 2x2xf32: [[0, 1], [2, 3]]
// prints: 2x2xf32: [[0, 1], [2, 3]]
func.func @main(%x: tensor<?x2xf32>, %i: tensor<?xi64> {symshape.shape = #symshape.shape<[B]>})
    -> (tensor<?x2xf32>, tensor<?x2xf32>) {
  %0 = symshape.gather clip %x[%i] slice_sizes [1, 2]
      {offset_dims = array<i64: 1>, collapsed_slice_dims = array<i64: 0>,
       start_index_map = array<i64: 0>, index_vector_dim = 1 : i64}
      : tensor<?x2xf32>[tensor<?xi64>] to tensor<?x2xf32>
  %1 = symshape.gather fill %x[%i] slice_sizes [1, 2]
      {offset_dims = array<i64: 1>, collapsed_slice_dims = array<i64: 0>, fill_value = -7.0 : f32,
       start_index_map = array<i64: 0>, index_vector_dim = 1 : i64}
      : tensor<?x2xf32>[tensor<?xi64>] to tensor<?x2xf32>
  return %0, %1 : tensor<?x2xf32>, tensor<?x2xf32>
}
