// Each op that a rule emits has the mode of the op whose rule it is, or the one that
// is its transpose; no pass puts a weaker one for it.
// RUN: symshape-opt %s --symshape-vjp="function=gather_clip" --symshape-vjp="function=gather_fill" --symshape-vjp="function=scatter_max_clip" --symshape-vjp="function=scatter_update_drop" | FileCheck %s --implicit-check-not=promise_in_bounds
// RUN: symshape-opt %s --canonicalize --cse --symshape-infer-shapes --symshape-insert-guards --symshape-discharge | FileCheck %s --check-prefix=KEPT --implicit-check-not=promise_in_bounds

// CHECK-LABEL: func.func private @gather_clip.transpose(
// CHECK:         symshape.scatter add clip
// CHECK-LABEL: func.func private @gather_fill.transpose(
// CHECK:         symshape.scatter add drop
// KEPT-LABEL:  func.func @gather_clip(
// KEPT:          symshape.gather clip
func.func @gather_clip(%x: tensor<?xf64>, %i: tensor<?x1xi64>) -> tensor<?xf64> {
  %r = symshape.gather clip %x[%i] slice_sizes [1] {offset_dims = array<i64>, collapsed_slice_dims = array<i64: 0>, start_index_map = array<i64: 0>, index_vector_dim = 1 : i64} : tensor<?xf64>[tensor<?x1xi64>] to tensor<?xf64>
  return %r : tensor<?xf64>
}

// KEPT-LABEL:  func.func @gather_fill(
// KEPT:          symshape.gather fill
func.func @gather_fill(%x: tensor<?xf64>, %i: tensor<?x1xi64>) -> tensor<?xf64> {
  %r = symshape.gather fill %x[%i] slice_sizes [1] {offset_dims = array<i64>, collapsed_slice_dims = array<i64: 0>, start_index_map = array<i64: 0>, index_vector_dim = 1 : i64, fill_value = 2.0 : f64} : tensor<?xf64>[tensor<?x1xi64>] to tensor<?xf64>
  return %r : tensor<?xf64>
}

// Indices that are in range would allow a promise; no pass makes one.
// KEPT-LABEL:  func.func @constant_indices(
// KEPT:          symshape.gather clip
func.func @constant_indices(%x: tensor<4xf64>) -> tensor<2xf64> {
  %i = arith.constant dense<[[1], [3]]> : tensor<2x1xi64>
  %r = symshape.gather clip %x[%i] slice_sizes [1] {offset_dims = array<i64>, collapsed_slice_dims = array<i64: 0>, start_index_map = array<i64: 0>, index_vector_dim = 1 : i64} : tensor<4xf64>[tensor<2x1xi64>] to tensor<2xf64>
  return %r : tensor<2xf64>
}

// KEPT-LABEL:  func.func @scatter_max_clip(
// KEPT:          symshape.scatter max clip
// KEPT-NOT:      unique_indices
func.func @scatter_max_clip(%x: tensor<?xf64>, %i: tensor<?x1xi64>, %u: tensor<?xf64>) -> tensor<?xf64> {
  %r = symshape.scatter max clip %u into %x[%i] {update_window_dims = array<i64>, inserted_window_dims = array<i64: 0>, scatter_dims_to_operand_dims = array<i64: 0>, index_vector_dim = 1 : i64} : tensor<?xf64> into tensor<?xf64>[tensor<?x1xi64>]
  return %r : tensor<?xf64>
}

// KEPT-LABEL:  func.func @scatter_update_drop(
// KEPT:          symshape.scatter update drop
// KEPT-NOT:      unique_indices
func.func @scatter_update_drop(%x: tensor<?xf64>, %i: tensor<?x1xi64>, %u: tensor<?xf64>) -> tensor<?xf64> {
  %r = symshape.scatter update drop %u into %x[%i] {update_window_dims = array<i64>, inserted_window_dims = array<i64: 0>, scatter_dims_to_operand_dims = array<i64: 0>, index_vector_dim = 1 : i64} : tensor<?xf64> into tensor<?xf64>[tensor<?x1xi64>]
  return %r : tensor<?xf64>
}

// CHECK-LABEL: func.func private @scatter_max_clip.transpose(
// CHECK-NOT:     {{ drop | fill }}
// CHECK:         symshape.gather clip
// CHECK-NOT:     {{ drop | fill }}
// CHECK-LABEL: func.func @scatter_max_clip.vjp(
// CHECK-LABEL: func.func private @scatter_update_drop.transpose(
// CHECK-NOT:     clip
// CHECK:         symshape.gather fill
// CHECK-NOT:     clip
// CHECK-LABEL: func.func @scatter_update_drop.vjp(
