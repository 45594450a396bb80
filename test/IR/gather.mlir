// RUN: symshape-opt %s | symshape-opt | FileCheck %s
// RUN: symshape-opt %s --symshape-infer-shapes=annotate | FileCheck %s --check-prefix=SHAPES

// The batch is that of the indices, the window as wide as the value says.
// CHECK-LABEL: func.func @symbolic_window(
// SHAPES-LABEL: func.func @symbolic_window(
func.func @symbolic_window(%x: tensor<?x?xf32>, %i: tensor<?xi64> {symshape.shape = #symshape.shape<[B]>},
                           %w: tensor<?xf32> {symshape.shape = #symshape.shape<[W]>}) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %w, %c0 : tensor<?xf32>
  // CHECK: symshape.gather clip %{{.*}}[%{{.*}}] slice_sizes [1, %{{.*}}] {collapsed_slice_dims = array<i64: 0>
  // SHAPES: symshape.gather {{.*}}symshape.extents = [#symshape.shape<[B, W]>]
  %0 = symshape.gather clip %x[%i] slice_sizes [1, %n]
      {offset_dims = array<i64: 1>, collapsed_slice_dims = array<i64: 0>,
       start_index_map = array<i64: 0>, index_vector_dim = 1 : i64}
      : tensor<?x?xf32>[tensor<?xi64>] to tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// CHECK-LABEL: func.func @fill(
func.func @fill(%x: tensor<8xf32>, %i: tensor<3x1xi32>) -> tensor<3x2xf32> {
  // CHECK: symshape.gather fill %{{.*}}[%{{.*}}] slice_sizes [2] {{.*}}fill_value = -7.000000e+00 : f32
  %0 = symshape.gather fill %x[%i] slice_sizes [2]
      {offset_dims = array<i64: 1>, collapsed_slice_dims = array<i64>, fill_value = -7.0 : f32,
       start_index_map = array<i64: 0>, index_vector_dim = 1 : i64}
      : tensor<8xf32>[tensor<3x1xi32>] to tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}

// A scatter has the extents of what it writes to.
// CHECK-LABEL: func.func @scatter(
// SHAPES-LABEL: func.func @scatter(
func.func @scatter(%x: tensor<?x?xf32> {symshape.shape = #symshape.shape<[N, K]>},
                   %i: tensor<?xindex>, %u: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // CHECK: symshape.scatter add drop %{{.*}} into %{{.*}}[%{{.*}}] {{.*}}unique_indices
  // SHAPES: symshape.scatter {{.*}}symshape.extents = [#symshape.shape<[N, K]>]
  %0 = symshape.scatter add drop %u into %x[%i]
      {update_window_dims = array<i64: 1>, inserted_window_dims = array<i64: 0>, unique_indices,
       scatter_dims_to_operand_dims = array<i64: 0>, index_vector_dim = 1 : i64}
      : tensor<?x?xf32> into tensor<?x?xf32>[tensor<?xindex>]
  return %0 : tensor<?x?xf32>
}
