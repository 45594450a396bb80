// RUN: symshape-opt %s --split-input-file --verify-diagnostics

func.func @gather_c7(%x: tensor<?x4xf32>, %i: tensor<?xi64>) {
  // expected-error@+2 {{expected field 'slice_sizes' to have 2 entries, but got 1}}
  // expected-note@+1 {{{primitive = gather, field = slice_sizes, observed = 1}}}
  %0 = symshape.gather clip %x[%i] slice_sizes [1] {offset_dims = array<i64: 1>, collapsed_slice_dims = array<i64: 0>, start_index_map = array<i64: 0>, index_vector_dim = 1 : i64} : tensor<?x4xf32>[tensor<?xi64>] to tensor<?x4xf32>
  return
}

// -----

func.func @gather_c8(%x: tensor<?x4xf32>, %i: tensor<?xi64>) {
  // expected-error@+2 {{expected field 'collapsed_slice_dims[1]' to be larger than the one before, but got 0}}
  // expected-note@+1 {{{primitive = gather, field = collapsed_slice_dims[1], observed = 0}}}
  %0 = symshape.gather clip %x[%i] slice_sizes [1, 4] {offset_dims = array<i64: 1>, collapsed_slice_dims = array<i64: 1, 0>, start_index_map = array<i64: 0>, index_vector_dim = 1 : i64} : tensor<?x4xf32>[tensor<?xi64>] to tensor<?x4xf32>
  return
}

// -----

func.func @gather_c8_range(%x: tensor<?x4xf32>, %i: tensor<?xi64>) {
  // expected-error@+2 {{expected field 'collapsed_slice_dims[0]' to be in [0, 2), but got 2}}
  // expected-note@+1 {{{primitive = gather, field = collapsed_slice_dims[0], observed = 2}}}
  %0 = symshape.gather clip %x[%i] slice_sizes [1, 4] {offset_dims = array<i64: 1>, collapsed_slice_dims = array<i64: 2>, start_index_map = array<i64: 0>, index_vector_dim = 1 : i64} : tensor<?x4xf32>[tensor<?xi64>] to tensor<?x4xf32>
  return
}

// -----

func.func @gather_c9(%x: tensor<?x4xf32>, %i: tensor<?xi64>) {
  // expected-error@+2 {{expected field 'operand_batching_dims[0]' to be an axis of one role, but got 0}}
  // expected-note@+1 {{{primitive = gather, field = operand_batching_dims[0], observed = 0}}}
  %0 = symshape.gather clip %x[%i] slice_sizes [1, 4] {offset_dims = array<i64: 1>, collapsed_slice_dims = array<i64: 0>, start_index_map = array<i64: 0>, index_vector_dim = 1 : i64, operand_batching_dims = array<i64: 0>, start_indices_batching_dims = array<i64: 0>} : tensor<?x4xf32>[tensor<?xi64>] to tensor<?x4xf32>
  return
}

// -----

func.func @gather_c10(%x: tensor<?x4xf32>, %i: tensor<?xi64>) {
  // expected-error@+2 {{expected field 'start_indices_batching_dims' to have 1 axes, but got 0}}
  // expected-note@+1 {{{primitive = gather, field = start_indices_batching_dims, observed = 0}}}
  %0 = symshape.gather clip %x[%i] slice_sizes [1, 4] {offset_dims = array<i64: 1>, collapsed_slice_dims = array<i64: 0>, start_index_map = array<i64: 0>, index_vector_dim = 1 : i64, operand_batching_dims = array<i64: 1>} : tensor<?x4xf32>[tensor<?xi64>] to tensor<?x4xf32>
  return
}

// -----

func.func @gather_c10_vector(%x: tensor<?x4xf32>, %i: tensor<?x1xi64>) {
  // expected-error@+2 {{expected field 'start_indices_batching_dims[0]' to be an axis of one role, but got 1}}
  // expected-note@+1 {{{primitive = gather, field = start_indices_batching_dims[0], observed = 1}}}
  %0 = symshape.gather clip %x[%i] slice_sizes [1, 4] {offset_dims = array<i64: 1>, collapsed_slice_dims = array<i64: 0>, start_index_map = array<i64: 0>, index_vector_dim = 1 : i64, operand_batching_dims = array<i64: 1>, start_indices_batching_dims = array<i64: 1>} : tensor<?x4xf32>[tensor<?x1xi64>] to tensor<?x4xf32>
  return
}

// -----

func.func @gather_c11(%x: tensor<?x4xf32>, %i: tensor<?xi64>) {
  // expected-error@+2 {{expected field 'index_vector_dim' to be in [0, 1], but got 2}}
  // expected-note@+1 {{{primitive = gather, field = index_vector_dim, observed = 2}}}
  %0 = symshape.gather clip %x[%i] slice_sizes [1, 4] {offset_dims = array<i64: 1>, collapsed_slice_dims = array<i64: 0>, start_index_map = array<i64: 0>, index_vector_dim = 2 : i64} : tensor<?x4xf32>[tensor<?xi64>] to tensor<?x4xf32>
  return
}

// -----

func.func @gather_c12(%x: tensor<?x4xf32>, %i: tensor<?xi64>) {
  // expected-error@+2 {{expected field 'start_index_map' to have 1 axes, but got 2}}
  // expected-note@+1 {{{primitive = gather, field = start_index_map, observed = 2}}}
  %0 = symshape.gather clip %x[%i] slice_sizes [1, 4] {offset_dims = array<i64: 1>, collapsed_slice_dims = array<i64: 0>, start_index_map = array<i64: 0, 1>, index_vector_dim = 1 : i64} : tensor<?x4xf32>[tensor<?xi64>] to tensor<?x4xf32>
  return
}

// -----

func.func @gather_c12_unique(%x: tensor<?x4xf32>, %i: tensor<?x2xi64>) {
  // expected-error@+2 {{expected field 'start_index_map[1]' to be an axis that is given once, but got 0}}
  // expected-note@+1 {{{primitive = gather, field = start_index_map[1], observed = 0}}}
  %0 = symshape.gather clip %x[%i] slice_sizes [1, 4] {offset_dims = array<i64: 1>, collapsed_slice_dims = array<i64: 0>, start_index_map = array<i64: 0, 0>, index_vector_dim = 1 : i64} : tensor<?x4xf32>[tensor<?x2xi64>] to tensor<?x4xf32>
  return
}

// -----

func.func @gather_c13(%x: tensor<?x4xf32>, %i: tensor<?xi64>) {
  // expected-error@+2 {{expected field 'offset_dims' to have 1 axes, but got 0}}
  // expected-note@+1 {{{primitive = gather, field = offset_dims, observed = 0}}}
  %0 = symshape.gather clip %x[%i] slice_sizes [1, 4] {offset_dims = array<i64>, collapsed_slice_dims = array<i64: 0>, start_index_map = array<i64: 0>, index_vector_dim = 1 : i64} : tensor<?x4xf32>[tensor<?xi64>] to tensor<?x4xf32>
  return
}

// -----

func.func @gather_c13_range(%x: tensor<?x4xf32>, %i: tensor<?xi64>) {
  // expected-error@+2 {{expected field 'offset_dims[0]' to be in [0, 2), but got 2}}
  // expected-note@+1 {{{primitive = gather, field = offset_dims[0], observed = 2}}}
  %0 = symshape.gather clip %x[%i] slice_sizes [1, 4] {offset_dims = array<i64: 2>, collapsed_slice_dims = array<i64: 0>, start_index_map = array<i64: 0>, index_vector_dim = 1 : i64} : tensor<?x4xf32>[tensor<?xi64>] to tensor<?x4xf32>
  return
}

// -----

func.func @gather_c14(%x: tensor<?x4xf32>, %i: tensor<?xi64>) {
  // expected-error@+2 {{expected field 'result.rank' to be 2, but got 3}}
  // expected-note@+1 {{{primitive = gather, field = result.rank, observed = 3}}}
  %0 = symshape.gather clip %x[%i] slice_sizes [1, 4] {offset_dims = array<i64: 1>, collapsed_slice_dims = array<i64: 0>, start_index_map = array<i64: 0>, index_vector_dim = 1 : i64} : tensor<?x4xf32>[tensor<?xi64>] to tensor<?x4x?xf32>
  return
}

// -----

func.func @gather_c15(%x: tensor<?x4xf32>, %i: tensor<?xi64>) {
  // expected-error@+2 {{expected field 'slice_sizes[0]' to be 1, but got 2}}
  // expected-note@+1 {{{primitive = gather, field = slice_sizes[0], observed = 2}}}
  %0 = symshape.gather clip %x[%i] slice_sizes [2, 4] {offset_dims = array<i64: 1>, collapsed_slice_dims = array<i64: 0>, start_index_map = array<i64: 0>, index_vector_dim = 1 : i64} : tensor<?x4xf32>[tensor<?xi64>] to tensor<?x4xf32>
  return
}

// -----

func.func @gather_c16(%x: tensor<?x4xf32>, %i: tensor<?xi64>) {
  // expected-error@+2 {{expected field 'slice_sizes[1]' to be at most 4, but got 5}}
  // expected-note@+1 {{{primitive = gather, field = slice_sizes[1], observed = 5}}}
  %0 = symshape.gather clip %x[%i] slice_sizes [1, 5] {offset_dims = array<i64: 1>, collapsed_slice_dims = array<i64: 0>, start_index_map = array<i64: 0>, index_vector_dim = 1 : i64} : tensor<?x4xf32>[tensor<?xi64>] to tensor<?x5xf32>
  return
}

// -----

func.func @gather_c16_negative(%x: tensor<?x4xf32>, %i: tensor<?xi64>) {
  // expected-error@+2 {{expected field 'slice_sizes[1]' to be at least 0, but got -1}}
  // expected-note@+1 {{{primitive = gather, field = slice_sizes[1], observed = -1}}}
  %0 = symshape.gather clip %x[%i] slice_sizes [1, -1] {offset_dims = array<i64: 1>, collapsed_slice_dims = array<i64: 0>, start_index_map = array<i64: 0>, index_vector_dim = 1 : i64} : tensor<?x4xf32>[tensor<?xi64>] to tensor<?x?xf32>
  return
}

// -----

func.func @gather_c17(%x: tensor<3x4xf32>, %i: tensor<2xi64>) {
  // expected-error@+2 {{expected field 'indices.shape[0]' to be 3, but got 2}}
  // expected-note@+1 {{{primitive = gather, field = indices.shape[0], observed = 2}}}
  %0 = symshape.gather clip %x[%i] slice_sizes [1, 4] {offset_dims = array<i64: 1>, collapsed_slice_dims = array<i64>, start_index_map = array<i64: 1>, index_vector_dim = 1 : i64, operand_batching_dims = array<i64: 0>, start_indices_batching_dims = array<i64: 0>} : tensor<3x4xf32>[tensor<2xi64>] to tensor<2x4xf32>
  return
}

// -----

func.func @gather_c18(%x: tensor<?x4xf32>, %i: tensor<?xi64>) {
  // expected-error@+2 {{expected field 'result.shape[1]' to be 4, but got 5}}
  // expected-note@+1 {{{primitive = gather, field = result.shape[1], observed = 5}}}
  %0 = symshape.gather clip %x[%i] slice_sizes [1, 4] {offset_dims = array<i64: 1>, collapsed_slice_dims = array<i64: 0>, start_index_map = array<i64: 0>, index_vector_dim = 1 : i64} : tensor<?x4xf32>[tensor<?xi64>] to tensor<?x5xf32>
  return
}

// -----

func.func @gather_c18_type(%x: tensor<?x4xf32>, %i: tensor<?xi64>) {
  // expected-error@+2 {{expected field 'result.element_type' to be f32, but got f64}}
  // expected-note@+1 {{{primitive = gather, field = result.element_type, observed = f64}}}
  %0 = symshape.gather clip %x[%i] slice_sizes [1, 4] {offset_dims = array<i64: 1>, collapsed_slice_dims = array<i64: 0>, start_index_map = array<i64: 0>, index_vector_dim = 1 : i64} : tensor<?x4xf32>[tensor<?xi64>] to tensor<?x4xf64>
  return
}

// -----

func.func @gather_c19(%x: tensor<?x4xf32>, %i: tensor<?xf32>) {
  // expected-error@+2 {{expected field 'indices.element_type' to be i32, i64 or index, but got f32}}
  // expected-note@+1 {{{primitive = gather, field = indices.element_type, observed = f32}}}
  %0 = symshape.gather clip %x[%i] slice_sizes [1, 4] {offset_dims = array<i64: 1>, collapsed_slice_dims = array<i64: 0>, start_index_map = array<i64: 0>, index_vector_dim = 1 : i64} : tensor<?x4xf32>[tensor<?xf32>] to tensor<?x4xf32>
  return
}

// -----

func.func @gather_c20(%x: tensor<?x4xf32>, %i: tensor<?xi64>) {
  // expected-error@+2 {{expected field 'fill_value' to be given with mode fill, but got none}}
  // expected-note@+1 {{{primitive = gather, field = fill_value, observed = none}}}
  %0 = symshape.gather fill %x[%i] slice_sizes [1, 4] {offset_dims = array<i64: 1>, collapsed_slice_dims = array<i64: 0>, start_index_map = array<i64: 0>, index_vector_dim = 1 : i64} : tensor<?x4xf32>[tensor<?xi64>] to tensor<?x4xf32>
  return
}

// -----

func.func @gather_c20_absent(%x: tensor<?x4xf32>, %i: tensor<?xi64>) {
  // expected-error@+2 {{expected field 'fill_value' to be absent without mode fill, but got a value}}
  // expected-note@+1 {{{primitive = gather, field = fill_value, observed = a value}}}
  %0 = symshape.gather clip %x[%i] slice_sizes [1, 4] {offset_dims = array<i64: 1>, collapsed_slice_dims = array<i64: 0>, start_index_map = array<i64: 0>, index_vector_dim = 1 : i64, fill_value = 0.0 : f32} : tensor<?x4xf32>[tensor<?xi64>] to tensor<?x4xf32>
  return
}

// -----

func.func @gather_c20_type(%x: tensor<?x4xf32>, %i: tensor<?xi64>) {
  // expected-error@+2 {{expected field 'fill_value' to be of type f32, but got f64}}
  // expected-note@+1 {{{primitive = gather, field = fill_value, observed = f64}}}
  %0 = symshape.gather fill %x[%i] slice_sizes [1, 4] {offset_dims = array<i64: 1>, collapsed_slice_dims = array<i64: 0>, start_index_map = array<i64: 0>, index_vector_dim = 1 : i64, fill_value = 0.0 : f64} : tensor<?x4xf32>[tensor<?xi64>] to tensor<?x4xf32>
  return
}

// -----

func.func @scatter_c9(%x: tensor<?x4xf32>, %i: tensor<?xi64>, %u: tensor<?x4xf32>) {
  // expected-error@+2 {{expected field 'operand_batching_dims[0]' to be an axis of one role, but got 0}}
  // expected-note@+1 {{{primitive = scatter, field = operand_batching_dims[0], observed = 0}}}
  %0 = symshape.scatter add clip %u into %x[%i] {update_window_dims = array<i64: 1>, inserted_window_dims = array<i64: 0>, scatter_dims_to_operand_dims = array<i64: 0>, index_vector_dim = 1 : i64, operand_batching_dims = array<i64: 0>, scatter_indices_batching_dims = array<i64: 0>} : tensor<?x4xf32> into tensor<?x4xf32>[tensor<?xi64>]
  return
}

// -----

func.func @scatter_c10(%x: tensor<?x4xf32>, %i: tensor<?xi64>, %u: tensor<?x4xf32>) {
  // expected-error@+2 {{expected field 'scatter_indices_batching_dims' to have 1 axes, but got 0}}
  // expected-note@+1 {{{primitive = scatter, field = scatter_indices_batching_dims, observed = 0}}}
  %0 = symshape.scatter add clip %u into %x[%i] {update_window_dims = array<i64: 1>, inserted_window_dims = array<i64: 0>, scatter_dims_to_operand_dims = array<i64: 0>, index_vector_dim = 1 : i64, operand_batching_dims = array<i64: 1>} : tensor<?x4xf32> into tensor<?x4xf32>[tensor<?xi64>]
  return
}

// -----

func.func @scatter_c11(%x: tensor<?x4xf32>, %i: tensor<?xi64>, %u: tensor<?x4xf32>) {
  // expected-error@+2 {{expected field 'index_vector_dim' to be in [0, 1], but got 2}}
  // expected-note@+1 {{{primitive = scatter, field = index_vector_dim, observed = 2}}}
  %0 = symshape.scatter add clip %u into %x[%i] {update_window_dims = array<i64: 1>, inserted_window_dims = array<i64: 0>, scatter_dims_to_operand_dims = array<i64: 0>, index_vector_dim = 2 : i64} : tensor<?x4xf32> into tensor<?x4xf32>[tensor<?xi64>]
  return
}

// -----

func.func @scatter_c12(%x: tensor<?x4xf32>, %i: tensor<?xi64>, %u: tensor<?x4xf32>) {
  // expected-error@+2 {{expected field 'scatter_dims_to_operand_dims' to have 1 axes, but got 2}}
  // expected-note@+1 {{{primitive = scatter, field = scatter_dims_to_operand_dims, observed = 2}}}
  %0 = symshape.scatter add clip %u into %x[%i] {update_window_dims = array<i64: 1>, inserted_window_dims = array<i64: 0>, scatter_dims_to_operand_dims = array<i64: 0, 1>, index_vector_dim = 1 : i64} : tensor<?x4xf32> into tensor<?x4xf32>[tensor<?xi64>]
  return
}

// -----

func.func @scatter_c17(%x: tensor<3x4xf32>, %i: tensor<2xi64>, %u: tensor<2x4xf32>) {
  // expected-error@+2 {{expected field 'indices.shape[0]' to be 3, but got 2}}
  // expected-note@+1 {{{primitive = scatter, field = indices.shape[0], observed = 2}}}
  %0 = symshape.scatter add clip %u into %x[%i] {update_window_dims = array<i64: 1>, inserted_window_dims = array<i64>, scatter_dims_to_operand_dims = array<i64: 1>, index_vector_dim = 1 : i64, operand_batching_dims = array<i64: 0>, scatter_indices_batching_dims = array<i64: 0>} : tensor<2x4xf32> into tensor<3x4xf32>[tensor<2xi64>]
  return
}

// -----

func.func @scatter_c19(%x: tensor<?x4xf32>, %i: tensor<?xf32>, %u: tensor<?x4xf32>) {
  // expected-error@+2 {{expected field 'indices.element_type' to be i32, i64 or index, but got f32}}
  // expected-note@+1 {{{primitive = scatter, field = indices.element_type, observed = f32}}}
  %0 = symshape.scatter add clip %u into %x[%i] {update_window_dims = array<i64: 1>, inserted_window_dims = array<i64: 0>, scatter_dims_to_operand_dims = array<i64: 0>, index_vector_dim = 1 : i64} : tensor<?x4xf32> into tensor<?x4xf32>[tensor<?xf32>]
  return
}

// -----

func.func @scatter_c21(%x: tensor<?x4xf32>, %i: tensor<?xi64>, %u: tensor<?x4xf32>) {
  // expected-error@+2 {{expected field 'update_window_dims' to have 1 axes, but got 2}}
  // expected-note@+1 {{{primitive = scatter, field = update_window_dims, observed = 2}}}
  %0 = symshape.scatter add clip %u into %x[%i] {update_window_dims = array<i64: 0, 1>, inserted_window_dims = array<i64: 0>, scatter_dims_to_operand_dims = array<i64: 0>, index_vector_dim = 1 : i64} : tensor<?x4xf32> into tensor<?x4xf32>[tensor<?xi64>]
  return
}

// -----

func.func @scatter_c22(%x: tensor<?x4xf32>, %i: tensor<?xi64>, %u: tensor<?x4xf32>) {
  // expected-error@+2 {{expected field 'update_window_dims[0]' to be in [0, 2), but got 2}}
  // expected-note@+1 {{{primitive = scatter, field = update_window_dims[0], observed = 2}}}
  %0 = symshape.scatter add clip %u into %x[%i] {update_window_dims = array<i64: 2>, inserted_window_dims = array<i64: 0>, scatter_dims_to_operand_dims = array<i64: 0>, index_vector_dim = 1 : i64} : tensor<?x4xf32> into tensor<?x4xf32>[tensor<?xi64>]
  return
}

// -----

func.func @scatter_c23(%x: tensor<?x4xf32>, %i: tensor<?xi64>, %u: tensor<?x4xf32>) {
  // expected-error@+2 {{expected field 'inserted_window_dims[0]' to be in [0, 2), but got 2}}
  // expected-note@+1 {{{primitive = scatter, field = inserted_window_dims[0], observed = 2}}}
  %0 = symshape.scatter add clip %u into %x[%i] {update_window_dims = array<i64: 1>, inserted_window_dims = array<i64: 2>, scatter_dims_to_operand_dims = array<i64: 0>, index_vector_dim = 1 : i64} : tensor<?x4xf32> into tensor<?x4xf32>[tensor<?xi64>]
  return
}

// -----

func.func @scatter_c24(%x: tensor<?x4xf32>, %i: tensor<?xi64>, %u: tensor<?x4x?xf32>) {
  // expected-error@+2 {{expected field 'updates.rank' to be 2, but got 3}}
  // expected-note@+1 {{{primitive = scatter, field = updates.rank, observed = 3}}}
  %0 = symshape.scatter add clip %u into %x[%i] {update_window_dims = array<i64: 1>, inserted_window_dims = array<i64: 0>, scatter_dims_to_operand_dims = array<i64: 0>, index_vector_dim = 1 : i64} : tensor<?x4x?xf32> into tensor<?x4xf32>[tensor<?xi64>]
  return
}

// -----

func.func @scatter_c25(%x: tensor<?x4xf32>, %i: tensor<3xi64>, %u: tensor<2x4xf32>) {
  // expected-error@+2 {{expected field 'updates.shape[0]' to be 3, but got 2}}
  // expected-note@+1 {{{primitive = scatter, field = updates.shape[0], observed = 2}}}
  %0 = symshape.scatter add clip %u into %x[%i] {update_window_dims = array<i64: 1>, inserted_window_dims = array<i64: 0>, scatter_dims_to_operand_dims = array<i64: 0>, index_vector_dim = 1 : i64} : tensor<2x4xf32> into tensor<?x4xf32>[tensor<3xi64>]
  return
}

// -----

func.func @scatter_c26(%x: tensor<?x4xf32>, %i: tensor<?xi64>, %u: tensor<?x5xf32>) {
  // expected-error@+2 {{expected field 'updates.shape[1]' to be at most 4, but got 5}}
  // expected-note@+1 {{{primitive = scatter, field = updates.shape[1], observed = 5}}}
  %0 = symshape.scatter add clip %u into %x[%i] {update_window_dims = array<i64: 1>, inserted_window_dims = array<i64: 0>, scatter_dims_to_operand_dims = array<i64: 0>, index_vector_dim = 1 : i64} : tensor<?x5xf32> into tensor<?x4xf32>[tensor<?xi64>]
  return
}

// -----

func.func @scatter_c27(%x: tensor<?x4xf32>, %i: tensor<?xi64>, %u: tensor<?x4xf64>) {
  // expected-error@+2 {{expected field 'updates.element_type' to be f32, but got f64}}
  // expected-note@+1 {{{primitive = scatter, field = updates.element_type, observed = f64}}}
  %0 = symshape.scatter add clip %u into %x[%i] {update_window_dims = array<i64: 1>, inserted_window_dims = array<i64: 0>, scatter_dims_to_operand_dims = array<i64: 0>, index_vector_dim = 1 : i64} : tensor<?x4xf64> into tensor<?x4xf32>[tensor<?xi64>]
  return
}

// -----

func.func @scatter_c27_combiner(%x: tensor<?x4xcomplex<f32>>, %i: tensor<?xi64>, %u: tensor<?x4xcomplex<f32>>) {
  // expected-error@+2 {{expected field 'operand.element_type' to be an integer or a float, but got complex<f32>}}
  // expected-note@+1 {{{primitive = scatter, field = operand.element_type, observed = complex<f32>}}}
  %0 = symshape.scatter add clip %u into %x[%i] {update_window_dims = array<i64: 1>, inserted_window_dims = array<i64: 0>, scatter_dims_to_operand_dims = array<i64: 0>, index_vector_dim = 1 : i64} : tensor<?x4xcomplex<f32>> into tensor<?x4xcomplex<f32>>[tensor<?xi64>]
  return
}

// -----

func.func @gather_c28(%x: tensor<?xf32>, %i: tensor<?xi64>) {
  // expected-error@+1 {{expected string or keyword containing one of the following enum values for attribute 'mode' [clip, fill, promise_in_bounds]}}
  %0 = symshape.gather drop %x[%i] slice_sizes [1] {} : tensor<?xf32>[tensor<?xi64>] to tensor<?xf32>
  return
}

// -----

func.func @scatter_c28(%x: tensor<?xf32>, %i: tensor<?xi64>) {
  // expected-error@+1 {{expected string or keyword containing one of the following enum values for attribute 'mode' [clip, drop, promise_in_bounds]}}
  %0 = symshape.scatter add fill %x into %x[%i] {} : tensor<?xf32> into tensor<?xf32>[tensor<?xi64>]
  return
}
